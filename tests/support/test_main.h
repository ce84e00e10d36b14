/*
 * What every test program shares: it defines `test_suite()`, and main() runs it.
 *
 * Test data: $SST_DATA_DIR, else ../shared/data beside the source tree; tests that need it leave with exit code 77 (skipped)
 * and a line that says so where it is absent.
 */
#ifndef SST_TEST_MAIN_H
#define SST_TEST_MAIN_H

#include <check.h>
#include <stdbool.h>

/* Defined by each test program. */
Suite *test_suite(void);

/* The folder of real data, or NULL. */
const char *test_data_dir(void);

/* Leaves the program with 77 and a message if there is no real data. */
void test_need_data(void);

/* A fresh temporary folder, removed when the program ends well. Never NULL. */
const char *test_scratch_dir(void);

/* A folder's file by printf rules: path in a static ring of 8 buffers. */
const char *test_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
