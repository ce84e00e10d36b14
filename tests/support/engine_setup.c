/* Setups that several tests of the engine run through. */
#include "engine_setup.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct made_up engine_small_sea(void)
{
    return (struct made_up){.n_rows = 7,
                            .n_cols = 13,
                            .first_land_row = 2,
                            .n_land_rows = 2,
                            .first_year = 2000,
                            .last_year = 2004,
                            .gaps_percent = 10,
                            .bad_percent = 10,
                            .missing_percent = 10,
                            .has_ice = true,
                            .has_late_cells = true,
                            .n_most_held = 3,
                            .seed = 1};
}

const size_t *engine_probes(void)
{
    static const size_t probes[ENGINE_N_PROBES] = {0, 12, 13, 14, 25, 40, 52, 60, 70, 77};
    return probes;
}

const struct engine_setup *engine_setup(int i)
{
    static const struct engine_setup setups[ENGINE_N_SETUPS] = {
        {SST_APPROX_NONE, SST_LEAP_HOBDAY, 5, 1, 1, 366, false, false, false, false, false},
        {SST_APPROX_NONE, SST_LEAP_OWN, 2, 31, 330, 40, false, false, true, false, false},
        {SST_APPROX_CF, SST_LEAP_HOBDAY, 5, 31, 1, 366, true, true, false, false, false},
        {SST_APPROX_CF, SST_LEAP_SKIP, 29, 1, 50, 130, true, false, true, false, false},
        {SST_APPROX_CF, SST_LEAP_OWN, 0, 5, 100, 130, false, true, false, true, false},
        {SST_APPROX_MAXENT, SST_LEAP_HOBDAY, 5, 31, 60, 60, true, true, true, false, false},
        {SST_APPROX_MAXENT, SST_LEAP_OWN, 5, 5, 350, 20, true, true, false, false, false},
        {SST_APPROX_TAIL, SST_LEAP_HOBDAY, 5, 31, 1, 366, true, false, false, false, false},
        {SST_APPROX_TAIL, SST_LEAP_OWN, 1, 1, 110, 140, true, false, true, false, false},
        {SST_APPROX_TAIL, SST_LEAP_SKIP, 5, 5, 55, 65, false, false, false, false, false},
    };
    return &setups[i];
}

struct sst_policy engine_policy(const struct engine_setup *setup)
{
    return (struct sst_policy){.pools = {SST_CALENDAR_STANDARD, setup->leap, 2001, 2003, setup->half},
                               .approx = setup->approx,
                               .percentiles = {90.0, 10.0},
                               .n_percentiles = setup->is_single ? 1 : 2,
                               .quantile_type = 7,
                               .smooth_days = setup->smooth,
                               .min_samples = 1,
                               .first_slot = setup->first_slot,
                               .last_slot = setup->last_slot,
                               .tail_k = 2,
                               .lattice = setup->is_milli ? SST_LATTICE_MILLI : SST_LATTICE_CENTI};
}

void given_append(struct given *given, const void *data, size_t n)
{
    if (given->n_bytes + n > given->capacity) {
        given->capacity = 2 * (given->n_bytes + n);
        given->bytes = realloc(given->bytes, given->capacity);
        if (!given->bytes)
            abort(); /* Check would ask for memory, which tests may count or withhold */
    }
    if (n > 0)
        memcpy(given->bytes + given->n_bytes, data, n);
    given->n_bytes += n;
}

void given_append_result(struct given *given, const struct sst_slot_result *result, size_t n_percentiles)
{
    const size_t n = result->n_cells;
    given_append(given, &result->slot, sizeof result->slot);
    given_append(given, &n, sizeof n);
    given_append(given, &result->has_bounds, sizeof result->has_bounds);
    given_append(given, &result->n_probes, sizeof result->n_probes);
    given_append(given, result->mean, n * sizeof(double));
    for (size_t q = 0; q < sst_slot_n_quantiles(n_percentiles, result->has_bounds); ++q)
        given_append(given, result->quantile[q], n * sizeof(double));
    for (size_t q = 0; q < n_percentiles; ++q)
        given_append(given, result->probe_quantile[q], result->n_probes * sizeof(double));
    given_append(given, result->n_obs, n * sizeof *result->n_obs);
    given_append(given, result->flags, n * sizeof *result->flags);
    if (result->shape.sd) {
        given_append(given, result->shape.sd, n * sizeof(float));
        given_append(given, result->shape.skew, n * sizeof(float));
        given_append(given, result->shape.kurt, n * sizeof(float));
    }
}

void given_check_same(const struct given *got, const struct given *want, const char *what)
{
    size_t first = 0;
    ck_assert_msg(got->n_bytes == want->n_bytes, "%s: %zu bytes, not %zu", what, got->n_bytes, want->n_bytes);
    while (first < got->n_bytes && got->bytes[first] == want->bytes[first])
        ++first;
    ck_assert_msg(first == got->n_bytes, "%s: byte %zu of %zu differs", what, first, got->n_bytes);
}
