/* Smooth random fields from hashed lattices; the header tells how. */
#include "app/synth_noise.h"

#include "core/mem.h"

/*
 * Variance of a quadratic B-spline drawn through points of variance 1, mean over positions: the integral over t of
 * (1-t)^4/4 + (1/2+t-t^2)^2 + t^4/4 = 0.55. Each direction divides by its root.
 */
static const double SPLINE_VARIANCE = 0.55;

struct sst_synth_noise {
    struct sst_synth_scale scale;
    size_t n_lon, n_nodes; /* nodes of a lattice row: one turn and the two that repeat */
    size_t row0;
    int32_t node_row0; /* lattice row of nodes[0] */
    size_t n_node_rows;
    float normaliser;
    struct sst_synth_tap *cols; /* n_lon */
    struct sst_synth_tap *rows; /* row1 - row0; `at` counts from node_row0 */
    float *nodes; /* n_node_rows x n_nodes */
};

double sst_synth_grid_lon(const struct sst_synth_grid *grid, size_t col)
{
    return 360.0 * ((double)col + 0.5) / (double)grid->n_lon;
}

double sst_synth_grid_lat(const struct sst_synth_grid *grid, size_t row)
{
    return grid->south + (grid->north - grid->south) * ((double)row + 0.5) / (double)grid->n_lat;
}

double sst_synth_cos(double turns)
{
    double x = turns - floor(turns); /* 0..1 */
    double sign = 1.0;
    if (x > 0.5)
        x = 1.0 - x;
    if (x > 0.25) {
        x = 0.5 - x;
        sign = -1.0;
    }
    /* Taylor series to the 12th power; at a quarter turn the next term is 6e-9 / 14 / 13 * 2.5. */
    const double square = (2.0 * 3.14159265358979323846 * x) * (2.0 * 3.14159265358979323846 * x);
    double sum = 1.0;
    for (int power = 12; power > 0; power -= 2)
        sum = 1.0 - square * sum / (double)(power * (power - 1));
    return sign * sum;
}

float sst_synth_series(uint64_t key, double knot_days, int64_t day)
{
    const struct sst_synth_tap tap = sst_synth_tap_at((double)day / knot_days);
    float sum = 0.0F;
    for (int k = 0; k < 3; ++k)
        sum += tap.weight[k] * sst_synth_normal(sst_synth_hash(key, (uint64_t)(int64_t)(tap.at + k)));
    return sum * (float)(1.0 / sqrt(SPLINE_VARIANCE));
}

enum sst_status sst_synth_noise_create(const struct sst_synth_scale *scale, const struct sst_synth_grid *grid,
                                       size_t row0, size_t row1, struct sst_synth_noise **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_synth_noise *noise = NULL;
    const double per_degree = scale->n_around / 360.0;
    SST_TRY_GOTO(sst_alloc(1, sizeof *noise, "a noise field", &noise, err));
    noise->scale = *scale;
    noise->n_lon = grid->n_lon;
    noise->n_nodes = (size_t)scale->n_around + 2;
    noise->row0 = row0;
    noise->normaliser = (float)(1.0 / (SPLINE_VARIANCE * (scale->knot_days > 0.0 ? sqrt(SPLINE_VARIANCE) : 1.0)));
    SST_TRY_GOTO(sst_alloc(grid->n_lon, sizeof *noise->cols, "noise columns", &noise->cols, err));
    for (size_t col = 0; col < grid->n_lon; ++col)
        noise->cols[col] = sst_synth_tap_at(sst_synth_grid_lon(grid, col) * per_degree);
    SST_TRY_GOTO(sst_alloc(row1 - row0, sizeof *noise->rows, "noise rows", &noise->rows, err));
    for (size_t row = row0; row < row1; ++row)
        noise->rows[row - row0] = sst_synth_tap_at((sst_synth_grid_lat(grid, row) + 90.0) * per_degree);
    if (row1 > row0) {
        noise->node_row0 = noise->rows[0].at;
        noise->n_node_rows = (size_t)(noise->rows[row1 - row0 - 1].at - noise->node_row0) + 3;
    }
    for (size_t row = row0; row < row1; ++row)
        noise->rows[row - row0].at -= noise->node_row0;
    SST_TRY_GOTO(
        sst_alloc(noise->n_node_rows * noise->n_nodes, sizeof *noise->nodes, "noise nodes", &noise->nodes, err));
    sst_synth_noise_set_day(noise, 0);
    *out = noise;
    noise = NULL;
done:
    sst_synth_noise_destroy(&noise);
    return rc;
}

void sst_synth_noise_destroy(struct sst_synth_noise **noise)
{
    if (!*noise)
        return;
    sst_free((*noise)->cols);
    sst_free((*noise)->rows);
    sst_free((*noise)->nodes);
    sst_free(*noise);
    *noise = NULL;
}

/* One lattice point on a day. Its time knots are shifted by a phase of its own, so that no day is a knot of all. */
static float node_value(const struct sst_synth_scale *scale, uint64_t node_key, int64_t day)
{
    if (!(scale->knot_days > 0.0))
        return sst_synth_normal(sst_synth_hash(node_key, 0));
    const double phase = (double)sst_synth_unit(sst_synth_hash(node_key, UINT64_MAX));
    const struct sst_synth_tap tap = sst_synth_tap_at((double)day / scale->knot_days + phase);
    float sum = 0.0F;
    for (int k = 0; k < 3; ++k)
        sum += tap.weight[k] * sst_synth_normal(sst_synth_hash(node_key, (uint64_t)(int64_t)(tap.at + k)));
    return sum;
}

void sst_synth_noise_set_day(struct sst_synth_noise *noise, int64_t day)
{
    const size_t n_around = noise->n_nodes - 2;
    for (size_t row = 0; row < noise->n_node_rows; ++row) {
        float *nodes = noise->nodes + row * noise->n_nodes;
        const uint64_t row_key = sst_synth_hash(noise->scale.key, (uint64_t)((int64_t)row + noise->node_row0));
        for (size_t node = 0; node < n_around; ++node)
            nodes[node] = noise->normaliser * node_value(&noise->scale, sst_synth_hash(row_key, node), day);
        nodes[n_around] = nodes[0];
        nodes[n_around + 1] = nodes[1];
    }
}

void sst_synth_noise_add_row(const struct sst_synth_noise *noise, size_t row, float gain, float *blend, float *values)
{
    const struct sst_synth_tap *tap = &noise->rows[row - noise->row0];
    const float *below = noise->nodes + (size_t)tap->at * noise->n_nodes;
    const float *middle = below + noise->n_nodes, *above = middle + noise->n_nodes;
    const float w0 = gain * tap->weight[0], w1 = gain * tap->weight[1], w2 = gain * tap->weight[2];
    for (size_t node = 0; node < noise->n_nodes; ++node)
        blend[node] = w0 * below[node] + w1 * middle[node] + w2 * above[node];
    for (size_t col = 0; col < noise->n_lon; ++col) {
        const struct sst_synth_tap *across = &noise->cols[col];
        const float *node = blend + across->at;
        values[col] += across->weight[0] * node[0] + across->weight[1] * node[1] + across->weight[2] * node[2];
    }
}

size_t sst_synth_noise_n_nodes(const struct sst_synth_noise *noise) { return noise->n_nodes; }
