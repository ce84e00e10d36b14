/* Fields from a hash of day and cell. */
#include "made_up_fields.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

/*
 * A late cell has its first values in May; a pool of 1 May holds its ice of April. They are so many at the start of the last
 * row, more than a block of struct sst_cells, and single ones elsewhere.
 */
enum { FIRST_LATE_SLOT = 121, LATE_ROW = 10, LATE_SHARE = 9, SPREAD = 400, MIDDLE = 1500 };

static struct test_random stream_of(const struct made_up *made_up, struct sst_day day, uint64_t what)
{
    struct test_random random = {made_up->seed * 1000003U + (uint64_t)(day.year * 400 + day.slot) * 7919U + what};
    (void)test_random_next(&random);
    return random;
}

static bool happens(const struct made_up *made_up, struct sst_day day, uint64_t what, int percent)
{
    struct test_random random = stream_of(made_up, day, what);
    return test_random_below(&random, 100) < percent;
}

static bool has_day(void *user, struct sst_day day)
{
    const struct made_up *made_up = user;
    return day.year >= made_up->first_year && day.year <= made_up->last_year &&
           sst_calendar_has_day(SST_CALENDAR_STANDARD, day) && !happens(made_up, day, 1, made_up->gaps_percent);
}

static bool is_late(const struct made_up *made_up, size_t cell)
{
    struct test_random random = {made_up->seed + cell};
    const size_t last_row = (made_up->n_rows - 1) * made_up->n_cols;
    const bool is_in_row = cell >= last_row && cell - last_row < LATE_ROW;
    return made_up->has_late_cells && (is_in_row || test_random_below(&random, LATE_SHARE) == 0);
}

static void fill(const struct made_up *made_up, struct sst_day day, struct sst_field *field)
{
    struct test_random random = stream_of(made_up, day, 3);
    for (size_t cell = 0; cell < field->n_cells; ++cell) {
        const size_t row = cell / made_up->n_cols;
        const bool is_land = row >= made_up->first_land_row && row - made_up->first_land_row < made_up->n_land_rows;
        const bool is_too_early = is_late(made_up, cell) && day.slot < FIRST_LATE_SLOT;
        const bool is_missing = test_random_below(&random, 100) < made_up->missing_percent;
        const int value = MIDDLE + test_random_below(&random, SPREAD) + (day.slot % 50) * 7;
        field->codes[cell] = is_land || is_too_early || is_missing ? SST_CODE_MISSING : (int16_t)value;
        field->ice[cell] = field->has_ice && !is_land && (is_too_early || value % 97 == 0);
    }
    if (made_up->is_milli)
        sst_field_hundredths(field->codes, field->n_cells, field->hundredths);
}

static enum sst_status get(void *user, struct sst_day day, const struct sst_field **out, struct sst_error *err)
{
    (void)err;
    struct made_up *made_up = user;
    ck_assert(has_day(user, day));
    ck_assert_uint_lt(made_up->n_held, made_up->n_most_held);
    ++made_up->n_gets;
    *out = NULL;
    if (happens(made_up, day, 2, made_up->bad_percent))
        return SST_OK;
    struct sst_field *field = &made_up->fields[made_up->n_held++];
    field->has_ice = made_up->has_ice && day.slot % 5 != 0; /* some files know no ice */
    fill(made_up, day, field);
    *out = field;
    return SST_OK;
}

/* What is given back is not to be looked at again. */
static void give_back(void *user)
{
    struct made_up *made_up = user;
    while (made_up->n_held > 0) {
        const struct sst_field *field = &made_up->fields[--made_up->n_held];
        memset(field->codes, 0x11, field->n_cells * sizeof *field->codes);
        memset(field->hundredths, 0x11, field->n_cells * sizeof *field->hundredths);
        memset(field->ice, 1, field->n_cells);
    }
}

static uint64_t bytes_read(void *user)
{
    const struct made_up *made_up = user;
    return made_up->n_gets * made_up->n_rows * made_up->n_cols;
}

void made_up_open(struct made_up *made_up)
{
    const size_t n_cells = made_up->n_rows * made_up->n_cols;
    for (size_t i = 0; i < made_up->n_most_held; ++i) {
        struct sst_field *field = &made_up->fields[i];
        field->n_cells = n_cells;
        field->codes = calloc(n_cells, sizeof *field->codes);
        field->hundredths = made_up->is_milli ? calloc(n_cells, sizeof *field->hundredths) : field->codes;
        field->ice = calloc(n_cells, sizeof *field->ice);
    }
    made_up->source = (struct sst_field_source){.user = made_up,
                                                .n_most_held = made_up->n_most_held,
                                                .has_day = has_day,
                                                .get = get,
                                                .give_back = give_back,
                                                .bytes_read = bytes_read};
}

void made_up_close(struct made_up *made_up)
{
    for (size_t i = 0; i < made_up->n_most_held; ++i) {
        struct sst_field *field = &made_up->fields[i];
        if (made_up->is_milli)
            free(field->hundredths);
        free(field->codes);
        free(field->ice);
    }
}

struct sst_domain made_up_domain(const struct made_up *made_up)
{
    return (struct sst_domain){
        .n_rows = made_up->n_rows, .n_cols = made_up->n_cols, .n_cells = made_up->n_rows * made_up->n_cols};
}
