/*
 * Cells that turn valid after a slot was estimated and before it is written say of that slot what cells without any value say:
 * nothing, but that 29 February is derived.
 */
#include "core/flags.h"
#include "stream/climatology.h"
#include "test_main.h"

/* Of the late blocks one gets the spare place; for the other, all that has places has to grow. */
enum { N_CELLS = 4 * SST_CELLS_WIDTH, FIRST_LATE = SST_CELLS_WIDTH, FIRST_NEVER = 3 * SST_CELLS_WIDTH };

/* Slot 62 completes the five days round 29 February; its pool is the first to read slot 63. */
enum { LATE_SLOT = 63, VALUE = 1500 };

static int16_t codes[N_CELLS];
static uint8_t ice[N_CELLS];
static struct sst_field field = {.n_cells = N_CELLS, .codes = codes, .hundredths = codes, .ice = ice};
static int last_slot_read, n_slots_put;

static bool has_day(void *user, struct sst_day day)
{
    (void)user;
    return sst_calendar_has_day(SST_CALENDAR_STANDARD, day) && day.year >= 2000 && day.year <= 2002;
}

static enum sst_status get(void *user, struct sst_day day, const struct sst_field **out, struct sst_error *err)
{
    (void)user;
    (void)err;
    last_slot_read = day.slot;
    for (int cell = 0; cell < N_CELLS; ++cell) {
        const bool has_value = cell < FIRST_LATE || (cell < FIRST_NEVER && day.slot >= LATE_SLOT);
        codes[cell] = has_value ? (int16_t)(VALUE + day.slot) : (int16_t)SST_CODE_MISSING;
    }
    *out = &field;
    return SST_OK;
}

static void give_back(void *user) { (void)user; }

static uint64_t bytes_read(void *user)
{
    (void)user;
    return 0;
}

static enum sst_status look(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)user;
    (void)err;
    ck_assert_int_eq(result->slot, SST_SLOT_FEB29);
    ck_assert_int_eq(last_slot_read, LATE_SLOT); /* the late cells are there when the slot is written */
    for (int cell = 0; cell < N_CELLS; ++cell) {
        const unsigned flags = result->flags[cell];
        ck_assert_uint_eq(flags & SST_FLAG_DERIVED_LEAP_DAY, SST_FLAG_DERIVED_LEAP_DAY);
        ck_assert_int_eq((flags & SST_FLAG_MISSING) != 0, cell >= FIRST_LATE);
        ck_assert_int_eq(result->mean[cell] == result->mean[cell], cell < FIRST_LATE);
    }
    ck_assert_uint_eq(result->flags[FIRST_NEVER - 1], result->flags[FIRST_NEVER]);
    ++n_slots_put;
    return SST_OK;
}

START_TEST(a_late_cell_keeps_the_mark_of_the_leap_day)
{
    static const enum sst_approx all[] = {SST_APPROX_NONE, SST_APPROX_CF, SST_APPROX_TAIL};
    const struct sst_policy policy = {
        .pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2000, 2002, 1},
        .approx = all[_i],
        .percentiles = {90.0},
        .n_percentiles = 1,
        .quantile_type = 7,
        .smooth_days = 5,
        .min_samples = 1,
        .first_slot = SST_SLOT_FEB29,
        .last_slot = SST_SLOT_FEB29,
        .lattice = SST_LATTICE_CENTI,
    };
    const struct sst_field_source source = {
        .n_most_held = 1, .has_day = has_day, .get = get, .give_back = give_back, .bytes_read = bytes_read};
    const struct sst_climatology_job job = {
        .policy = &policy, .backend = sst_backend_cpu(), .source = &source, .n_cells = N_CELLS};
    const struct sst_slot_sink sink = {.put = look};
    struct sst_error err = {0};
    n_slots_put = 0;
    ck_assert_msg(sst_climatology_run(&job, &sink, &err) == SST_OK, "%s", err.text);
    ck_assert_int_eq(n_slots_put, 1);
}
END_TEST

Suite *test_suite(void)
{
    TCase *tc = tcase_create("late cells");
    tcase_add_loop_test(tc, a_late_cell_keeps_the_mark_of_the_leap_day, 0, 3);
    Suite *suite = suite_create("late_cells");
    suite_add_tcase(suite, tc);
    return suite;
}
