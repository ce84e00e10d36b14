/*
 * Slots of a domain that is large enough for threads are to the bit those of one thread: late cells, bounds, ice, a derived
 * leap day, smoothing.
 * ctest-labels: threads figures
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/flags.h"
#include "stream/climatology.h"
#include "test_main.h"

/* Blocks that wait in numbers, and places: both more than loops need to be shared; a last block of three cells. */
enum { N_CELLS = 150003, LAST_EARLY_PERCENT = 50, LATE_SLOT = 60, VALUE = 1500, N_THREADS = 4 };

enum { FIRST_SLOT = 58, N_SLOTS = 5, N_VALUES = 4, N_WORDS = 2 };

/* All that is put, slot by slot. */
struct put {
    double values[N_SLOTS][N_VALUES][N_CELLS];
    uint16_t words[N_SLOTS][N_WORDS][N_CELLS];
    int n_slots;
};

static int16_t codes[SST_MAX_BATCH][N_CELLS];
static uint8_t ice[SST_MAX_BATCH][N_CELLS];
static struct sst_field fields[SST_MAX_BATCH];
static size_t n_held;

static bool has_day(void *user, struct sst_day day)
{
    (void)user;
    return sst_calendar_has_day(SST_CALENDAR_STANDARD, day) && day.year >= 2000 && day.year <= 2008;
}

static uint32_t chance_of(uint32_t cell, struct sst_day day)
{
    return (cell * 40503U + (uint32_t)(day.year * 400 + day.slot)) * 2654435761U >> 16;
}

/* Half of the blocks are land, some of which turn to sea late. */
static bool is_sea(uint32_t cell, struct sst_day day)
{
    const uint32_t kind = cell / SST_CELLS_WIDTH * 2654435761U % 101;
    return kind < LAST_EARLY_PERCENT || (kind == 70 && day.slot >= LATE_SLOT && day.year >= 2003);
}

/* Chance, the same in every run. */
static int16_t code_of(uint32_t cell, struct sst_day day)
{
    const uint32_t chance = chance_of(cell, day);
    return is_sea(cell, day) && chance % 50 ? (int16_t)(VALUE + chance % 997) : (int16_t)SST_CODE_MISSING;
}

static enum sst_status get(void *user, struct sst_day day, const struct sst_field **out, struct sst_error *err)
{
    (void)user;
    (void)err;
    struct sst_field *field = &fields[n_held];
    *field = (struct sst_field){
        .n_cells = N_CELLS, .codes = codes[n_held], .hundredths = codes[n_held], .ice = ice[n_held], .has_ice = true};
    ++n_held;
    for (uint32_t cell = 0; cell < N_CELLS; ++cell) {
        field->codes[cell] = code_of(cell, day);
        field->ice[cell] = is_sea(cell, day) && chance_of(cell, day) % 97 == 0;
    }
    *out = field;
    return SST_OK;
}

static void give_back(void *user)
{
    (void)user;
    n_held = 0;
}

static uint64_t bytes_read(void *user)
{
    (void)user;
    return 0;
}

static enum sst_status keep(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    struct put *put = user;
    const size_t n_quantiles = result->has_bounds ? 3 : 1;
    (void)err;
    ck_assert_int_lt(put->n_slots, N_SLOTS);
    memcpy(put->values[put->n_slots][0], result->mean, sizeof put->values[0][0]);
    for (size_t q = 0; q < n_quantiles; ++q)
        memcpy(put->values[put->n_slots][1 + q], result->quantile[q], sizeof put->values[0][0]);
    memcpy(put->words[put->n_slots][0], result->n_obs, sizeof put->words[0][0]);
    memcpy(put->words[put->n_slots][1], result->flags, sizeof put->words[0][0]);
    ++put->n_slots;
    return SST_OK;
}

static void run(enum sst_approx approx, int smooth_days, int n_threads, struct put *out)
{
    const struct sst_policy policy = {
        .pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2000, 2008, 1},
        .approx = approx,
        .percentiles = {90.0},
        .n_percentiles = 1,
        .quantile_type = 7,
        .smooth_days = smooth_days,
        .min_samples = 1,
        .first_slot = FIRST_SLOT,
        .last_slot = FIRST_SLOT + N_SLOTS - 1,
        .lattice = SST_LATTICE_CENTI,
    };
    const struct sst_field_source source = {
        .n_most_held = SST_MAX_BATCH, .has_day = has_day, .get = get, .give_back = give_back, .bytes_read = bytes_read};
    const struct sst_climatology_job job = {
        .policy = &policy, .backend = sst_backend_cpu(), .source = &source, .n_cells = N_CELLS};
    const struct sst_slot_sink sink = {.put = keep, .user = out};
    struct sst_error err = {0};
    sst_backend_cpu_set_threads(n_threads);
    ck_assert_msg(sst_climatology_run(&job, &sink, &err) == SST_OK, "%s", err.text);
    ck_assert_int_eq(out->n_slots, N_SLOTS);
}

static const struct {
    enum sst_approx approx;
    int smooth_days;
} cases[] = {
    {SST_APPROX_NONE, 1}, {SST_APPROX_NONE, 3}, {SST_APPROX_CF, 1}, {SST_APPROX_TAIL, 1}, {SST_APPROX_TAIL, 3}};

/* The last slot's pool is three days of each year, without a leap day among them. */
static void check_last_slot(const struct put *put)
{
    const int at = N_SLOTS - 1, slot = FIRST_SLOT + at;
    for (uint32_t cell = 0; cell < N_CELLS; ++cell) {
        double sum = 0.0;
        int n = 0;
        for (int i = 0; i < 3 * 9; ++i) {
            const int code = code_of(cell, (struct sst_day){2000 + i / 3, slot - 1 + i % 3});
            n += code != SST_CODE_MISSING;
            sum += code != SST_CODE_MISSING ? code : 0;
        }
        ck_assert_int_eq(put->words[at][0][cell], n);
        ck_assert_int_eq((put->words[at][1][cell] & SST_FLAG_MISSING) != 0, n == 0);
        ck_assert_int_eq(isnan(put->values[at][0][cell]), n == 0);
        ck_assert_int_eq(isnan(put->values[at][1][cell]), n == 0);
        if (n > 0)
            ck_assert(fabs(put->values[at][0][cell] - sum / n / 100.0) < 1e-9);
    }
}

START_TEST(slots_are_the_same_for_any_number_of_threads)
{
    struct put *one = calloc(1, sizeof *one), *many = calloc(1, sizeof *many);
    ck_assert(one && many);
    run(cases[_i].approx, cases[_i].smooth_days, 1, one);
    run(cases[_i].approx, cases[_i].smooth_days, N_THREADS, many);
    ck_assert_int_eq(memcmp(one, many, sizeof *one), 0);
    if (cases[_i].approx == SST_APPROX_NONE && cases[_i].smooth_days == 1)
        check_last_slot(one);
    free(one);
    free(many);
}
END_TEST

Suite *test_suite(void)
{
    TCase *tc = tcase_create("many threads");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, slots_are_the_same_for_any_number_of_threads, 0, sizeof cases / sizeof *cases);
    Suite *suite = suite_create("many_threads");
    suite_add_tcase(suite, tc);
    return suite;
}
