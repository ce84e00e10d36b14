/* app/timings_text: every phase stands in its column, shares are of the right whole, and the JSON has the keys that are told. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/timings_text.h"
#include "test_main.h"

static struct sst_timings_report example(void)
{
    struct sst_timings_report out = {
        .wall_seconds = 10.0,
        .n_readers = 4,
        .n_threads = 2,
        .n_fields = 1000,
        .n_cells = 20000,
        .bytes_read = 123456789,
    };
    for (int phase = 0; phase <= SST_PHASE_DECODE; ++phase)
        out.readers.seconds[phase] = 1.0 + phase;
    for (int phase = SST_PHASE_ACCUMULATE; phase < SST_N_PHASES; ++phase)
        out.program.seconds[phase] = 0.25 * phase;
    return out;
}

/* The table; free() it. */
static char *print(const struct sst_timings_report *timings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    sst_timings_print(timings, stream);
    ck_assert_int_eq(fclose(stream), 0);
    return text;
}

static void prints(const struct sst_timings_report *timings, const char *expected)
{
    char *text = print(timings);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(readers_and_program_stand_side_by_side)
{
    const struct sst_timings_report timings = example();
    prints(&timings,
           "timings    10.00 s, 2 threads, 4 readers; 1000 fields, 123.5 MB; 100 fields/s, 2 million cell-days/s\n"
           "  phase        readers [s]    share   program [s]    share\n"
           "  open                1.00    2.5 %          0.00    0.0 %\n"
           "  read                2.00    5.0 %          0.00    0.0 %\n"
           "  inflate             3.00    7.5 %          0.00    0.0 %\n"
           "  decode              4.00   10.0 %          0.00    0.0 %\n"
           "  accumulate          0.00    0.0 %          1.00   10.0 %\n"
           "  window              0.00    0.0 %          1.25   12.5 %\n"
           "  finish              0.00    0.0 %          1.50   15.0 %\n"
           "  write               0.00    0.0 %          1.75   17.5 %\n"
           "  wait                0.00    0.0 %          2.00   20.0 %\n"
           "  start               0.00    0.0 %          2.25   22.5 %\n"
           "  rest               30.00   75.0 %          0.25    2.5 %\n");
}
END_TEST

START_TEST(a_program_that_reads_itself_has_one_column)
{
    struct sst_timings_report timings = example();
    timings.n_readers = 0;
    timings.n_threads = 1;
    timings.n_cells = 0;
    timings.wall_seconds = 20.0;
    timings.program.seconds[SST_PHASE_OPEN] = 0.5;
    prints(&timings, "timings    20.00 s, 1 thread, no readers; 1000 fields, 123.5 MB; 50 fields/s\n"
                     "  phase        program [s]    share\n"
                     "  open                1.50    7.5 %\n"
                     "  read                2.00   10.0 %\n"
                     "  inflate             3.00   15.0 %\n"
                     "  decode              4.00   20.0 %\n"
                     "  accumulate          1.00    5.0 %\n"
                     "  window              1.25    6.2 %\n"
                     "  finish              1.50    7.5 %\n"
                     "  write               1.75    8.8 %\n"
                     "  wait                2.00   10.0 %\n"
                     "  start               2.25   11.2 %\n"
                     "  rest                0.00    0.0 %\n");
}
END_TEST

START_TEST(deaths_are_told_and_no_time_is_no_fault)
{
    struct sst_timings_report timings = example();
    timings.n_reader_deaths = 2;
    timings.n_readers = 1;
    char *text = print(&timings);
    ck_assert_ptr_nonnull(strstr(text, ", 1 reader (2 died and were replaced); "));
    free(text);
    timings = (struct sst_timings_report){.n_readers = 2, .n_reader_deaths = 1, .n_fields = 1};
    text = print(&timings);
    ck_assert_ptr_nonnull(strstr(text, "2 readers (1 died and was replaced); 1 field, 0.0 MB\n"));
    ck_assert_ptr_null(strstr(text, "nan"));
    free(text);
}
END_TEST

static double number(const json_t *block, const char *key)
{
    const json_t *value = json_object_get(block, key);
    ck_assert_msg(json_is_number(value), "%s is no number", key);
    return json_number_value(value);
}

START_TEST(the_block_has_its_keys_and_no_others)
{
    static const char *const keys[] = {
        "wall_seconds", "readers",    "threads",           "reader_deaths",        "fields",
        "cells",        "bytes_read", "fields_per_second", "cell_days_per_second", "seconds"};
    static const double values[] = {10, 4, 2, 3, 1000, 20000, 123456789, 100, 2000000};
    struct sst_timings_report timings = example();
    timings.n_reader_deaths = 3;
    json_t *block = sst_block_timings(&timings);
    ck_assert_uint_eq(json_object_size(block), sizeof keys / sizeof *keys);
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
        ck_assert_double_eq(number(block, keys[i]), values[i]);
    const json_t *seconds = json_object_get(block, "seconds");
    const json_t *readers = json_object_get(seconds, "readers"), *program = json_object_get(seconds, "program");
    ck_assert_uint_eq(json_object_size(readers), SST_N_PHASES);
    ck_assert_uint_eq(json_object_size(program), SST_N_PHASES);
    for (int phase = 0; phase < SST_N_PHASES; ++phase) {
        const char *name = sst_phase_name((enum sst_phase)phase);
        ck_assert_double_eq(number(readers, name), timings.readers.seconds[phase]);
        ck_assert_double_eq(number(program, name), timings.program.seconds[phase]);
    }
    json_decref(block);
    timings.n_cells = 0;
    timings.wall_seconds = 0.0;
    block = sst_block_timings(&timings);
    ck_assert(json_is_null(json_object_get(block, "cells")));
    ck_assert(json_is_null(json_object_get(block, "fields_per_second")));
    ck_assert(json_is_null(json_object_get(block, "cell_days_per_second")));
    json_decref(block);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("timings_text");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, readers_and_program_stand_side_by_side);
    tcase_add_test(tc, a_program_that_reads_itself_has_one_column);
    tcase_add_test(tc, deaths_are_told_and_no_time_is_no_fault);
    tcase_add_test(tc, the_block_has_its_keys_and_no_others);
    suite_add_tcase(suite, tc);
    return suite;
}
