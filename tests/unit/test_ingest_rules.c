/* What becomes of a day that comes in, and what is odd about it: by rule. */
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "state/ingest.h"
#include "test_main.h"

enum { NONE, SAME, OTHER_VALUES, OTHER_ICE };

static enum sst_ingest_outcome decide(int counted, bool is_pooled, bool is_preliminary, bool replaces)
{
    const struct sst_ledger_entry entry = {
        .year = 2000, .digest = counted == OTHER_VALUES ? 8 : 7, .ice_digest = counted == OTHER_ICE ? 4 : 3};
    const struct sst_ingest_case at = {.counted = counted == NONE ? NULL : &entry,
                                       .digest = 7,
                                       .ice_digest = 3,
                                       .is_pooled = is_pooled,
                                       .is_preliminary = is_preliminary,
                                       .replaces = replaces};
    return sst_ingest_decide(&at);
}

START_TEST(every_case_has_its_outcome)
{
    static const struct {
        int counted;
        enum sst_ingest_outcome final, with_replace, preliminary;
    } rows[] = {
        {NONE, SST_INGEST_ADD, SST_INGEST_ADD, SST_INGEST_PRELIMINARY_WAITS},
        {SAME, SST_INGEST_DUPLICATE, SST_INGEST_DUPLICATE, SST_INGEST_PRELIMINARY_LATE},
        {OTHER_VALUES, SST_INGEST_CONFLICT, SST_INGEST_REPLACE, SST_INGEST_PRELIMINARY_LATE},
        {OTHER_ICE, SST_INGEST_CONFLICT, SST_INGEST_REPLACE, SST_INGEST_PRELIMINARY_LATE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        ck_assert_int_eq(decide(rows[i].counted, true, false, false), rows[i].final);
        ck_assert_int_eq(decide(rows[i].counted, true, false, true), rows[i].with_replace);
        for (int replaces = 0; replaces <= 1; ++replaces) {
            ck_assert_int_eq(decide(rows[i].counted, true, true, replaces), rows[i].preliminary);
            ck_assert_int_eq(decide(rows[i].counted, false, false, replaces), SST_INGEST_OUTSIDE);
            ck_assert_int_eq(decide(rows[i].counted, false, true, replaces), SST_INGEST_OUTSIDE);
        }
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
