/* Made-up cells with errors of a known law. */
#include "error_sample.h"

#include <math.h>
#include <stdlib.h>

#include "random.h"

enum { CELLS_OF_PATCH = 4, N_OBS = 330 };

static double uniform(struct test_random *random) { return ((double)(test_random_next(random) >> 11) + 0.5) * 0x1p-53; }

/* Box and Muller 1958. */
static double normal(struct test_random *random)
{
    const double radius = sqrt(-2.0 * log(uniform(random)));
    return radius * cos(2.0 * 3.14159265358979323846 * uniform(random));
}

size_t test_error_kind(size_t domain_cell) { return domain_cell / CELLS_OF_PATCH % TEST_N_KINDS; }

/* Typical skewness and v = kurt - skew^2 + 2 of each kind. */
static const double kind_skew[TEST_N_KINDS] = {0.1, -0.8, 0.3}, kind_v[TEST_N_KINDS] = {2.0, 0.8, 4.5};

static void put_day(const struct test_error_law *law, struct sst_sample *sample, size_t row, double skew, double v,
                    double noise, struct test_random *random)
{
    const double sd = (double)sample->shape.sd[row];
    const double systematic = law->systematic * (1.0 - v / 2.0 + skew);
    const double size = law->noise * exp(1.2 * fabs(skew) + 0.5 / v + 0.15 * v);
    const double exact = 20.0 + normal(random);
    sample->shape.skew[row] = (float)skew;
    sample->shape.kurt[row] = (float)(v + skew * skew - 2.0);
    sample->exact[0][row] = (float)exact;
    sample->approx[0][row] = (float)((double)sample->exact[0][row] + sd * (systematic + size * noise));
    sample->n_obs[row] = N_OBS;
}

static void make_cell(const struct test_error_law *law, uint64_t seed, struct sst_sample *sample, size_t cell)
{
    const size_t number = sample->cells[cell].domain_cell, kind = test_error_kind(number);
    /* States are drawn, not counted: those of two cells must not lie on one stream a few steps apart. */
    struct test_random of_seed = {seed};
    struct test_random of_cell = {test_random_next(&of_seed) ^ number};
    struct test_random random = {test_random_next(&of_cell)};
    const bool is_gappy = law->has_gaps && test_random_below(&random, 2) == 0;
    const double factor = exp(law->cell_spread * normal(&random)) * (is_gappy ? 3.0 : 1.0);
    const double cell_sd = exp(0.4 * normal(&random)), cell_skew = kind_skew[kind] + 0.2 * normal(&random);
    double noise = normal(&random), drift = normal(&random);
    for (size_t place = 0; place < sample->n_places; ++place) {
        const size_t row = place * sample->n_cells + cell;
        noise = law->memory * noise + sqrt(1.0 - law->memory * law->memory) * normal(&random);
        drift = 0.9 * drift + sqrt(1.0 - 0.81) * normal(&random);
        sample->shape.sd[row] = (float)(cell_sd * exp(0.1 * drift));
        put_day(law, sample, row, cell_skew + 0.2 * drift, kind_v[kind] * exp(0.15 * normal(&random)), factor * noise,
                &random);
        if (is_gappy && test_random_below(&random, 10) != 0)
            sample->exact[0][row] = NAN;
    }
}

struct sst_sample *test_error_sample(const struct test_error_law *law, uint64_t seed, size_t first_cell, size_t n_cells,
                                     size_t n_places)
{
    struct sst_sample *sample = calloc(1, sizeof *sample);
    const size_t n = n_cells * n_places + 1;
    *sample = (struct sst_sample){
        .calendar = SST_CALENDAR_STANDARD,
        .n_cells = n_cells,
        .n_places = n_places,
        .n_percentiles = 1,
        .cells = calloc(n_cells + 1, sizeof *sample->cells),
        .slots = calloc(n_places + 1, sizeof(int)),
        .approx = calloc(1, sizeof(float *)),
        .exact = calloc(1, sizeof(float *)),
        .shape = {calloc(n, sizeof(float)), calloc(n, sizeof(float)), calloc(n, sizeof(float))},
        .n_obs = calloc(n, sizeof(uint16_t)),
        .flags = calloc(n, sizeof(uint16_t)),
    };
    sample->approx[0] = calloc(n, sizeof(float));
    sample->exact[0] = calloc(n, sizeof(float));
    for (size_t place = 0; place < n_places; ++place)
        sample->slots[place] = 1 + (int)(place * SST_N_SLOTS / n_places);
    for (size_t cell = 0; cell < n_cells; ++cell) {
        const size_t number = first_cell + cell;
        const double lat = 10.0 * (double)test_error_kind(number) + 5.0;
        sample->cells[cell] = (struct sst_sample_cell){
            .domain_cell = number, .probe = cell, .lat = lat, .lon = 5.0, .weight = cos(lat * 0.017453292519943295)};
        make_cell(law, seed, sample, cell);
    }
    return sample;
}

void test_error_sample_free(struct sst_sample **sample)
{
    free((*sample)->approx[0]);
    free((*sample)->exact[0]);
    free((*sample)->approx);
    free((*sample)->exact);
    free((*sample)->shape.sd);
    free((*sample)->shape.skew);
    free((*sample)->shape.kurt);
    free((*sample)->n_obs);
    free((*sample)->flags);
    free((*sample)->slots);
    free((*sample)->cells);
    free(*sample);
    *sample = NULL;
}
