/* core/mem and core/status keep their headers' promises. */
#include <stdint.h>
#include <string.h>

#include "core/mem.h"
#include "test_main.h"

START_TEST(memory_is_zeroed_and_aligned)
{
    struct sst_error err = {0};
    double *values = NULL;
    ck_assert_int_eq(sst_alloc(1000, sizeof *values, "values", &values, &err), SST_OK);
    ck_assert_uint_eq((uintptr_t)values % SST_ALIGNMENT, 0);
    for (int i = 0; i < 1000; ++i)
        ck_assert(values[i] == 0.0);
    sst_free(values);
}
END_TEST

START_TEST(large_memory_is_aligned_whatever_its_size)
{
    const size_t sizes[] = {0,       1,       1966079, 1966080,
                            2097151, 2097152, 5000000}; /* 15/16 of a huge page is as good as one */
    struct sst_error err = {0};
    unsigned char *bytes = NULL;
    for (int i = 0; i < 7; ++i) {
        ck_assert_int_eq(sst_alloc_large(sizes[i], 1, "values", &bytes, &err), SST_OK);
        ck_assert_uint_eq((uintptr_t)bytes % (sizes[i] < 1966080 ? SST_ALIGNMENT : 2097152), 0);
        memset(bytes, 1, sizes[i]);
        sst_free(bytes);
        ck_assert_int_eq(sst_alloc(sizes[i], 1, "zeros", &bytes, &err), SST_OK);
        unsigned any = 0;
        for (size_t byte = 0; byte < sizes[i]; ++byte)
            any |= bytes[byte];
        ck_assert_uint_eq(any, 0);
        sst_free(bytes);
    }
    bytes = NULL;
    ck_assert_int_eq(sst_alloc_large(SIZE_MAX / 2, 3, "kept values", &bytes, &err), SST_ERR_NOMEM);
    ck_assert_ptr_null(bytes);
    ck_assert_ptr_nonnull(strstr(err.text, "kept values"));
}
END_TEST

START_TEST(an_overflowing_size_is_refused_with_its_name)
{
    struct sst_error err = {0};
    char *pointer = NULL;
    ck_assert_int_eq(sst_alloc(SIZE_MAX / 2, 3, "the window", &pointer, &err), SST_ERR_NOMEM);
    ck_assert_ptr_null(pointer);
    ck_assert_ptr_nonnull(strstr(err.text, "the window"));
}
END_TEST

START_TEST(growing_keeps_what_was_there)
{
    struct sst_error err = {0};
    int *items = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; ++i) {
        ck_assert_int_eq(sst_grow(&items, &capacity, (size_t)i + 1, sizeof *items, "items", &err), SST_OK);
        items[i] = i;
    }
    for (int i = 0; i < 1000; ++i)
        ck_assert_int_eq(items[i], i);
    sst_free(items);
}
END_TEST

START_TEST(the_first_failure_is_kept_and_context_goes_before_it)
{
    struct sst_error err = {0};
    ck_assert_int_eq(sst_fail(&err, SST_ERR_INPUT, "scale_factor is %d", 0), SST_ERR_INPUT);
    ck_assert_int_eq(sst_fail(&err, SST_ERR_OUTPUT, "later"), SST_ERR_OUTPUT);
    sst_error_prefix(&err, "%s", "a.nc");
    ck_assert_str_eq(err.text, "a.nc: scale_factor is 0");
    ck_assert_int_eq(err.code, SST_ERR_INPUT);
    ck_assert_int_eq(sst_fail(NULL, SST_ERR_INPUT, "nobody listens"), SST_ERR_INPUT);
}
END_TEST

START_TEST(every_status_has_a_text_and_an_exit_code)
{
    ck_assert_int_eq(sst_status_exit_code(SST_OK), 0);
    ck_assert_int_eq(sst_status_exit_code(SST_ERR_USAGE), 2);
    ck_assert_int_eq(sst_status_exit_code(SST_ERR_INPUT), 3);
    ck_assert_int_eq(sst_status_exit_code(SST_ERR_OUTPUT), 4);
    ck_assert_int_eq(sst_status_exit_code(SST_ERR_INCOMPLETE), 6);
    ck_assert_str_eq(sst_status_text(SST_ERR_NOMEM), "out of memory");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mem");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, memory_is_zeroed_and_aligned);
    tcase_add_test(tc, large_memory_is_aligned_whatever_its_size);
    tcase_add_test(tc, an_overflowing_size_is_refused_with_its_name);
    tcase_add_test(tc, growing_keeps_what_was_there);
    tcase_add_test(tc, the_first_failure_is_kept_and_context_goes_before_it);
    tcase_add_test(tc, every_status_has_a_text_and_an_exit_code);
    suite_add_tcase(suite, tc);
    return suite;
}
