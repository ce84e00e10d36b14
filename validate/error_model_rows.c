/* Laying out the sample: which cells, which of their days, and what models look at there. */
#include "validate/error_model_rows.h"

#include <math.h>
#include <stdlib.h>

#include "core/flags.h"
#include "core/mem.h"

/*
 * Windows of neighbouring days share most of their values, so with many cells every k-th day says nearly as much. This
 * many rows keep 60 fits within a fraction of a second.
 */
#define MOST_ROWS 80000

/* No step of whole weeks, should anything in the data have one. */
enum { DAYS_OF_WEEK = 7 };

uint64_t sst_error_rows_hash(uint64_t seed, uint64_t number)
{
    /* splitmix64's finaliser, twice: Steele, Lea and Flood 2014, OOPSLA, 453-472. */
    uint64_t x = number + 0x9E3779B97F4A7C15U * (seed + 1);
    for (int round = 0; round < 2; ++round) {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
        x = (x ^ (x >> 31)) + seed;
    }
    return x;
}

double sst_error_rows_error_at(const struct sst_sample *sample, size_t percentile, size_t at)
{
    const double error = (double)sample->approx[percentile][at] - (double)sample->exact[percentile][at];
    return isfinite(error) ? error : (double)NAN;
}

struct sst_pool sst_error_rows_pool_at(const struct sst_shape *shape, const uint16_t *n_obs, size_t at)
{
    const bool has_shape = shape->sd != NULL;
    return (struct sst_pool){
        .sd = has_shape ? (double)shape->sd[at] : (double)NAN,
        .skew = has_shape ? (double)shape->skew[at] : (double)NAN,
        .kurt = has_shape ? (double)shape->kurt[at] : (double)NAN,
        .n_obs = n_obs[at],
    };
}

/* Cells with a value, sorted, while the rows are laid out. */
struct known_cell {
    uint64_t id;
    size_t cell, n;
};

static int by_id(const void *a, const void *b)
{
    const struct known_cell *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->cell > y->cell) - (x->cell < y->cell);
}

static size_t find_known(const struct sst_sample *sample, size_t percentile, struct known_cell *known, size_t *n_known)
{
    size_t total = 0, n = 0;
    for (size_t cell = 0; cell < sample->n_cells; ++cell)
        known[cell] = (struct known_cell){sample->cells[cell].domain_cell, cell, 0};
    for (size_t place = 0; place < sample->n_places; ++place)
        for (size_t cell = 0; cell < sample->n_cells; ++cell)
            if (!isnan(sst_error_rows_error_at(sample, percentile, place * sample->n_cells + cell)))
                ++known[cell].n;
    for (size_t cell = 0; cell < sample->n_cells; ++cell) {
        total += known[cell].n;
        if (known[cell].n > 0)
            known[n++] = known[cell];
    }
    qsort(known, n, sizeof *known, by_id);
    *n_known = n;
    return total;
}

static size_t choose_step(size_t total)
{
    size_t step = (total + MOST_ROWS - 1) / MOST_ROWS;
    if (step < 1)
        step = 1;
    return step % DAYS_OF_WEEK == 0 ? step + 1 : step;
}

size_t sst_error_rows_most(size_t n_cells, size_t n_places)
{
    return n_cells * n_places < MOST_ROWS ? n_cells * n_places : MOST_ROWS + n_cells;
}

uint64_t sst_error_rows_bytes(size_t n_cells, size_t n_places)
{
    const uint64_t cell_bytes = 2 * sizeof(size_t) + sizeof(uint64_t) + sizeof(double) + sizeof(uint8_t);
    const uint64_t row_bytes = sizeof(uint32_t) + 2 * sizeof(uint8_t) + (2 + SST_N_PREDICTORS) * sizeof(float);
    return n_cells * cell_bytes + sst_error_rows_most(n_cells, n_places) * row_bytes;
}

/*
 * Puts the indices of a cell's chosen rows, or only counts them where `at` is NULL: each cell begins on another day, and one
 * that would lose all keeps all.
 */
static size_t choose_rows(const struct sst_sample *sample, size_t percentile, struct known_cell known, size_t step,
                          uint32_t *at)
{
    size_t n = 0;
    for (size_t place = (size_t)(sst_error_rows_hash(0, known.id) % step); place < sample->n_places; place += step) {
        const size_t row = place * sample->n_cells + known.cell;
        if (isnan(sst_error_rows_error_at(sample, percentile, row)))
            continue;
        if (at)
            at[n] = (uint32_t)row;
        ++n;
    }
    return n > 0 || step == 1 ? n : choose_rows(sample, percentile, known, 1, at);
}

static size_t count_rows(const struct sst_sample *sample, size_t percentile, const struct known_cell *known,
                         size_t n_known, size_t step)
{
    size_t n = 0;
    for (size_t c = 0; c < n_known; ++c)
        n += choose_rows(sample, percentile, known[c], step, NULL);
    return n;
}

static enum sst_status alloc_rows(struct sst_error_rows *rows, size_t n_cells, size_t n_rows, struct sst_error *err)
{
    SST_TRY(sst_alloc(n_cells + 1, sizeof *rows->first, "the error model", &rows->first, err));
    SST_TRY(sst_alloc(n_cells, sizeof *rows->cell, "the error model", &rows->cell, err));
    SST_TRY(sst_alloc(n_cells, sizeof *rows->id, "the error model", &rows->id, err));
    SST_TRY(sst_alloc(n_cells, sizeof *rows->weight, "the error model", &rows->weight, err));
    SST_TRY(sst_alloc(n_cells, sizeof *rows->region, "the error model", &rows->region, err));
    SST_TRY(sst_alloc(n_rows, sizeof *rows->at, "the error model", &rows->at, err));
    SST_TRY(sst_alloc(n_rows, sizeof *rows->season, "the error model", &rows->season, err));
    SST_TRY(sst_alloc(n_rows, sizeof *rows->is_ice, "the error model", &rows->is_ice, err));
    SST_TRY(sst_alloc(n_rows, sizeof *rows->error, "the error model", &rows->error, err));
    return sst_alloc(n_rows, sizeof *rows->sd, "the error model", &rows->sd, err);
}

static void fill_cells(const struct sst_sample *sample, const struct sst_error_model_options *options,
                       const struct known_cell *known, size_t step, struct sst_error_rows *rows)
{
    for (size_t c = 0; c < rows->n_cells; ++c) {
        const struct sst_sample_cell *cell = &sample->cells[known[c].cell];
        rows->cell[c] = known[c].cell;
        rows->id[c] = known[c].id;
        rows->weight[c] = cell->weight;
        rows->region[c] = (uint8_t)sst_regions_at(options->regions, cell->lat, cell->lon);
        rows->first[c + 1] =
            rows->first[c] + choose_rows(sample, options->index, known[c], step, rows->at + rows->first[c]);
    }
    rows->n_rows = rows->first[rows->n_cells];
}

static void fill_rows(const struct sst_sample *sample, size_t percentile, struct sst_predictor_rule *rule,
                      struct sst_error_rows *rows)
{
    struct sst_predictor_sums sums = {0};
    for (size_t row = 0; row < rows->n_rows; ++row) {
        const size_t at = rows->at[row];
        rows->error[row] = (float)sst_error_rows_error_at(sample, percentile, at);
        rows->season[row] = (uint8_t)sst_season_of(sample->calendar, sample->slots[at / sample->n_cells]);
        rows->is_ice[row] = (sample->flags[at] & SST_FLAG_ICE_OR_NO_VARIANCE) != 0;
        sst_predictors_learn(rule, sst_error_rows_pool_at(&sample->shape, sample->n_obs, at), &sums);
    }
    sst_predictors_settle(&sums, rule);
    for (size_t row = 0; row < rows->n_rows; ++row)
        sst_predictors_of(rule, sst_error_rows_pool_at(&sample->shape, sample->n_obs, rows->at[row]),
                          rows->predictors + row * SST_N_PREDICTORS, &rows->sd[row]);
}

enum sst_status sst_error_rows_init(const struct sst_sample *sample, const struct sst_error_model_options *options,
                                    struct sst_predictor_rule *rule, struct sst_error_rows *rows, struct sst_error *err)
{
    struct known_cell *known = NULL;
    enum sst_status rc = SST_OK;
    *rows = (struct sst_error_rows){0};
    SST_TRY_GOTO(sst_alloc(sample->n_cells, sizeof *known, "the error model", &known, err));
    const size_t total = find_known(sample, options->index, known, &rows->n_cells);
    const size_t step = choose_step(total);
    const size_t n_rows = count_rows(sample, options->index, known, rows->n_cells, step);
    SST_TRY_GOTO(alloc_rows(rows, rows->n_cells, n_rows, err));
    fill_cells(sample, options, known, step, rows);
    SST_TRY_GOTO(sst_alloc(rows->n_rows, SST_N_PREDICTORS * sizeof *rows->predictors, "the error model",
                           &rows->predictors, err));
    fill_rows(sample, options->index, rule, rows);
done:
    sst_free(known);
    return rc;
}

void sst_error_rows_clear(struct sst_error_rows *rows)
{
    sst_free(rows->first);
    sst_free(rows->cell);
    sst_free(rows->id);
    sst_free(rows->weight);
    sst_free(rows->region);
    sst_free(rows->at);
    sst_free(rows->season);
    sst_free(rows->is_ice);
    sst_free(rows->error);
    sst_free(rows->sd);
    sst_free(rows->predictors);
    *rows = (struct sst_error_rows){0};
}
