/* What becomes of a day that comes in, and what is odd about it: by rule. */
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "state/ingest.h"
#include "test_main.h"

enum { NONE, SAME, OTHER_VALUES, OTHER_ICE };

/* What is known of a day. */
enum known { UNKNOWN, PRELIMINARY, FINAL, COUNTED };

static enum sst_ingest_outcome decide(enum known known, int values, bool is_pooled, bool is_preliminary, bool replaces)
{
    const uint64_t digest = values == OTHER_VALUES ? 8 : 7, ice_digest = values == OTHER_ICE ? 4 : 3;
    const struct sst_ledger_entry entry = {.year = 2000, .digest = digest, .ice_digest = ice_digest};
    const struct sst_logged_day logged = {
        .status = known == FINAL ? SST_DAY_FINAL : SST_DAY_PRELIMINARY, .digest = digest, .ice_digest = ice_digest};
    const struct sst_ingest_case at = {.counted = known == COUNTED ? &entry : NULL,
                                       .logged = known == PRELIMINARY || known == FINAL ? &logged : NULL,
                                       .digest = 7,
                                       .ice_digest = 3,
                                       .is_pooled = is_pooled,
                                       .is_preliminary = is_preliminary,
                                       .replaces = replaces};
    return sst_ingest_decide(&at);
}

/* Every case there is: what is known, with which values, whether a pool has the day; then what comes in. */
START_TEST(every_case_has_its_outcome)
{
    enum {
        ADD = SST_INGEST_ADD,
        PUT = SST_INGEST_REPLACE,
        LOG = SST_INGEST_LOGGED,
        LOG_PUT = SST_INGEST_LOGGED_REPLACE
    };
    enum { DOUBLE = SST_INGEST_DUPLICATE, LATE = SST_INGEST_PRELIMINARY_LATE, CLASH = SST_INGEST_CONFLICT };
    static const struct {
        enum known known;
        int values;
        bool is_pooled;
        int final, final_replaces, preliminary, preliminary_replaces; /* enum sst_ingest_outcome */
    } rows[] = {
        {UNKNOWN, NONE, true, ADD, ADD, LOG, LOG},
        {UNKNOWN, NONE, false, LOG, LOG, LOG, LOG},
        {PRELIMINARY, SAME, true, ADD, ADD, DOUBLE, DOUBLE},
        {PRELIMINARY, OTHER_VALUES, true, ADD, ADD, CLASH, LOG_PUT},
        {PRELIMINARY, OTHER_ICE, true, ADD, ADD, CLASH, LOG_PUT},
        {PRELIMINARY, SAME, false, LOG_PUT, LOG_PUT, DOUBLE, DOUBLE},
        {PRELIMINARY, OTHER_VALUES, false, LOG_PUT, LOG_PUT, CLASH, LOG_PUT},
        {PRELIMINARY, OTHER_ICE, false, LOG_PUT, LOG_PUT, CLASH, LOG_PUT},
        {FINAL, SAME, true, ADD, ADD, LATE, LATE},
        {FINAL, OTHER_VALUES, true, ADD, ADD, LATE, LATE},
        {FINAL, OTHER_ICE, true, ADD, ADD, LATE, LATE},
        {FINAL, SAME, false, DOUBLE, DOUBLE, LATE, LATE},
        {FINAL, OTHER_VALUES, false, CLASH, LOG_PUT, LATE, LATE},
        {FINAL, OTHER_ICE, false, CLASH, LOG_PUT, LATE, LATE},
        {COUNTED, SAME, true, DOUBLE, DOUBLE, LATE, LATE},
        {COUNTED, OTHER_VALUES, true, CLASH, PUT, LATE, LATE},
        {COUNTED, OTHER_ICE, true, CLASH, PUT, LATE, LATE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const int got[] = {(int)decide(rows[i].known, rows[i].values, rows[i].is_pooled, false, false),
                           (int)decide(rows[i].known, rows[i].values, rows[i].is_pooled, false, true),
                           (int)decide(rows[i].known, rows[i].values, rows[i].is_pooled, true, false),
                           (int)decide(rows[i].known, rows[i].values, rows[i].is_pooled, true, true)};
        const int want[] = {rows[i].final, rows[i].final_replaces, rows[i].preliminary, rows[i].preliminary_replaces};
        for (size_t way = 0; way < sizeof got / sizeof got[0]; ++way)
            ck_assert_msg(got[way] == want[way], "row %zu, way %zu: %d, not %d", i, way, got[way], want[way]);
    }
}
END_TEST

static int compare_codes(const void *a, const void *b) { return (int)*(const int16_t *)a - (int)*(const int16_t *)b; }

START_TEST(the_median_is_the_lower_one_of_the_values)
{
    static uint32_t counts[1 << 16];
    int16_t codes[64], sorted[64];
    struct test_random random = {5};
    for (int round = 0; round < 400; ++round) {
        const size_t n = (size_t)round % 64;
        const int span = round % 3 == 0 ? 4 : 65535;
        size_t n_valid = 0;
        for (size_t i = 0; i < n; ++i) {
            codes[i] = (int16_t)(test_random_below(&random, span) - span / 2);
            if (test_random_below(&random, 4) == 0)
                codes[i] = SST_CODE_MISSING;
            if (codes[i] != SST_CODE_MISSING)
                sorted[n_valid++] = codes[i];
        }
        struct sst_ingest_look look = {0};
        sst_ingest_median(codes, n, counts, &look);
        qsort(sorted, n_valid, sizeof *sorted, compare_codes);
        ck_assert_uint_eq(look.n_valid, n_valid);
        ck_assert_int_eq(look.median, n_valid > 0 ? sorted[(n_valid - 1) / 2] : SST_CODE_MISSING);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        ck_assert_uint_eq(counts[i], 0);
}
END_TEST

static bool jumps(size_t n_years, int median, size_t n_valid, const char *part)
{
    static const struct sst_ledger_entry ledger[] = {{.year = 2000, .n_valid = 1000, .median = 1500},
                                                     {.year = 2001, .n_valid = 1100, .median = 1600},
                                                     {.year = 2002, .n_valid = 1050, .median = 1550},
                                                     {.year = 2005, .n_valid = 5, .median = -100}};
    const struct sst_ingest_look look = {.n_valid = n_valid, .median = median};
    char text[SST_INGEST_TEXT_SIZE] = "";
    const bool is_odd = sst_ingest_jumps(ledger, n_years, 2005, &look, SST_LATTICE_CENTI, text);
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is not in \"%s\"", part, text);
    return is_odd;
}

START_TEST(a_jump_is_beyond_the_range_of_three_other_years)
{
    ck_assert(!jumps(4, 1200, 1000, ""));
    ck_assert(!jumps(4, 1900, 1000, ""));
    ck_assert(jumps(4, 1199, 1000, "its median is 11.99 degC, more than 3 degC beyond the 15.00 to 16.00 degC"));
    ck_assert(jumps(4, 1901, 1000, "the other 3 years"));
    ck_assert(!jumps(4, 1550, 800, ""));
    ck_assert(!jumps(4, 1550, 1320, ""));
    ck_assert(jumps(4, 1550, 799, "799 cells have a value, more than 20 % beyond the 1000 to 1100"));
    ck_assert(jumps(4, 1550, 1321, "1321 cells"));
    ck_assert(!jumps(2, 9000, 1, "")); /* two years tell nothing */
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ingest rules");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, every_case_has_its_outcome);
    tcase_add_test(tc, the_median_is_the_lower_one_of_the_values);
    tcase_add_test(tc, a_jump_is_beyond_the_range_of_three_other_years);
    suite_add_tcase(suite, tc);
    return suite;
}
