/* Other programs read the climatology file: xarray, CDO, and a checker of the CF conventions where one is installed. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "clim_fixture.h"
#include "test_main.h"

enum { EXIT_SKIPPED = 77 };

/* Debian's own interpreter, for which its packages are installed; another one may come first in the path. */
#define PYTHON "/usr/bin/python3"

static int run(const char *command)
{
    (void)fflush(NULL);
    const int status = system(command);
    ck_assert_msg(WIFEXITED(status), "ended by a signal: %s", command);
    return WEXITSTATUS(status);
}

static void need_tools(void)
{
    if (system("command -v cdo >/dev/null && " PYTHON " -c 'import xarray, netCDF4' 2>/dev/null") == 0)
        return;
    printf("skipped: cdo, or " PYTHON " with xarray and netCDF4, is absent\n");
    exit(EXIT_SKIPPED);
}

static const char *source_dir(void)
{
    const char *source = getenv("SST_SOURCE_DIR");
    return source ? source : ".";
}

static const char *write_file(const char *name, int deflate_level)
{
    struct clim_fixture fixture;
    struct sst_error err = {0};
    const char *path = test_path("%s/%s", test_scratch_dir(), name);
    clim_fixture_make(&fixture, path);
    fixture.spec.deflate_level = deflate_level;
    ck_assert_msg(clim_fixture_write(&fixture, &err) == SST_OK, "%s", err.text);
    clim_fixture_clear(&fixture);
    return path;
}

static const int levels[] = {0, SST_CLIM_DEFLATE_LEVEL};

START_TEST(xarray_and_cdo_read_values_dates_and_anomalies)
{
    const char *path = write_file(test_path("interop%d.nc", _i), levels[_i]);
    const char *command =
        test_path(PYTHON " '%s/tests/golden/clim_interop.py' %s %s", source_dir(), path, test_scratch_dir());
    ck_assert_int_eq(run(command), 0);
}
END_TEST

START_TEST(a_cf_checker_finds_no_error)
{
    const char *path = write_file("cf.nc", SST_CLIM_DEFLATE_LEVEL);
    const int status = run(test_path("'%s/script/check_cf' --installed-only %s", source_dir(), path));
    ck_assert_msg(status == 0 || status == EXIT_SKIPPED, "script/check_cf ends with %d", status);
}
END_TEST

Suite *test_suite(void)
{
    need_tools();
    Suite *suite = suite_create("clim_interop");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, xarray_and_cdo_read_values_dates_and_anomalies, 0, sizeof levels / sizeof *levels);
    tcase_add_test(tc, a_cf_checker_finds_no_error);
    suite_add_tcase(suite, tc);
    return suite;
}
