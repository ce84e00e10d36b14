/* `sststream synth` writes the files of OISST, keeps what others made, and says what went wrong. */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <netcdf.h>

#include "app/synth.h"
#include "app/synth_ocean.h"
#include "core/calendar.h"
#include "core/mem.h"
#include "test_main.h"

enum { N_LON = 72, N_LAT = 36, N_CELLS = N_LON * N_LAT, SEED = 1 };
static const struct sst_synth_grid GRID = {N_LON, N_LAT, -90.0, 90.0};

static int64_t day_number(int year, int month, int day)
{
    const int slot = sst_calendar_slot(SST_CALENDAR_STANDARD, month, day);
    return sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, (struct sst_day){year, slot});
}

static struct sst_synth_ocean *make_ocean(const struct sst_synth_grid *grid, uint64_t seed)
{
    struct sst_error err = {0};
    struct sst_synth_ocean *ocean = NULL;
    ck_assert_int_eq(sst_synth_ocean_create(grid, seed, &ocean, &err), SST_OK);
    return ocean;
}

static void defaults_for(struct sst_synth_options *options, const char *folder)
{
    sst_synth_defaults(options);
    options->out_dir = folder;
    options->n_lon = N_LON;
    options->n_lat = N_LAT;
    options->first_year = options->last_year = 2004;
    options->first_slot = 58;
    options->last_slot = 62;
}

START_TEST(gaps_are_the_share_asked_for_and_the_same_each_time)
{
    struct sst_synth_options options, other_seed;
    sst_synth_defaults(&options);
    ck_assert_uint_eq(sst_synth_n_days(&options), 10958);
    options.gaps_percent = 5.0;
    other_seed = options;
    other_seed.seed = 2;
    const size_t n_days = sst_synth_n_days(&options);
    ck_assert_uint_gt(n_days, (size_t)(10958 * 0.94));
    ck_assert_uint_lt(n_days, (size_t)(10958 * 0.96));
    size_t n_both = 0;
    struct sst_day day = {1991, 1};
    for (; day.year <= 2020; day = sst_calendar_next_day(SST_CALENDAR_STANDARD, day))
        n_both += sst_synth_is_gap(&options, day) && sst_synth_is_gap(&other_seed, day);
    /* 27 expected of independent choices, 548 of equal ones. */
    ck_assert_uint_lt(n_both, 60);
}
END_TEST

static double attribute(int nc, int var, const char *name)
{
    double value = NAN;
    ck_assert_int_eq(nc_get_att_double(nc, var, name, &value), NC_NOERR);
    return value;
}

static void check_field(int nc, const char *name, const int16_t *expected)
{
    int var, dims[4], is_shuffled, is_deflated, level, storage;
    char dim[NC_MAX_NAME + 1];
    size_t chunks[4], length;
    nc_type type;
    static int16_t values[N_CELLS];
    static const char *const names[4] = {"time", "zlev", "lat", "lon"};
    static const size_t sizes[4] = {1, 1, N_LAT, N_LON};
    ck_assert_int_eq(nc_inq_varid(nc, name, &var), NC_NOERR);
    ck_assert_int_eq(nc_inq_vartype(nc, var, &type), NC_NOERR);
    ck_assert_int_eq(type, NC_SHORT);
    ck_assert_int_eq(nc_inq_vardimid(nc, var, dims), NC_NOERR);
    ck_assert_int_eq(nc_inq_var_chunking(nc, var, &storage, chunks), NC_NOERR);
    ck_assert_int_eq(storage, NC_CHUNKED);
    for (int k = 0; k < 4; ++k) {
        ck_assert_int_eq(nc_inq_dim(nc, dims[k], dim, &length), NC_NOERR);
        ck_assert_str_eq(dim, names[k]);
        ck_assert_uint_eq(length, sizes[k]);
        ck_assert_uint_eq(chunks[k], sizes[k]);
    }
    ck_assert_int_eq(nc_inq_var_deflate(nc, var, &is_shuffled, &is_deflated, &level), NC_NOERR);
    ck_assert(is_shuffled && is_deflated && level == 4);
    ck_assert(attribute(nc, var, "scale_factor") == (double)0.01F);
    ck_assert(attribute(nc, var, "add_offset") == 0.0);
    ck_assert(attribute(nc, var, "_FillValue") == -999.0);
    ck_assert_int_eq(nc_get_var_short(nc, var, values), NC_NOERR);
    ck_assert_mem_eq(values, expected, sizeof values);
}

static void check_coordinate(int nc, const char *name, const char *units, float first, float last)
{
    int var;
    float values[N_LON + N_LAT];
    char text[64] = "";
    size_t length;
    int dim;
    ck_assert_int_eq(nc_inq_varid(nc, name, &var), NC_NOERR);
    ck_assert_int_eq(nc_inq_vardimid(nc, var, &dim), NC_NOERR);
    ck_assert_int_eq(nc_inq_dimlen(nc, dim, &length), NC_NOERR);
    ck_assert_int_eq(nc_get_att_text(nc, var, "units", text), NC_NOERR);
    ck_assert_str_eq(text, units);
    ck_assert_int_eq(nc_get_var_float(nc, var, values), NC_NOERR);
    ck_assert(values[0] == first && values[length - 1] == last);
}

START_TEST(files_have_the_layout_of_oisst)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    const char *folder = test_path("%s/layout", test_scratch_dir());
    defaults_for(&options, folder);
    ck_assert_msg(sst_synth_run(&options, NULL, &err) == SST_OK, "%s", err.text);
    struct sst_synth_ocean *ocean = make_ocean(&GRID, SEED);
    const struct sst_synth_fields *fields = sst_synth_ocean_day(ocean, day_number(2004, 2, 29));
    int nc, n_unlimited, unlimited, time;
    ck_assert_int_eq(nc_open(test_path("%s/oisst-avhrr-v02r01.20040229.nc", folder), NC_NOWRITE, &nc), NC_NOERR);
    check_field(nc, "sst", fields->sst);
    check_field(nc, "anom", fields->anom);
    check_field(nc, "err", fields->err);
    check_field(nc, "ice", fields->ice);
    check_coordinate(nc, "lat", "degrees_north", -87.5F, 87.5F);
    check_coordinate(nc, "lon", "degrees_east", 2.5F, 357.5F);
    check_coordinate(nc, "zlev", "meters", 0.0F, 0.0F);
    /* 26 years to 2004, six of them leap years, and 59 days. */
    const float days = 26.0F * 365.0F + 6.0F + 59.0F;
    check_coordinate(nc, "time", "days since 1978-01-01 12:00:00", days, days);
    ck_assert_int_eq(nc_inq_unlimdims(nc, &n_unlimited, &unlimited), NC_NOERR);
    ck_assert_int_eq(nc_inq_dimid(nc, "time", &time), NC_NOERR);
    ck_assert(n_unlimited == 1 && unlimited == time);
    ck_assert_int_eq(nc_close(nc), NC_NOERR);
    sst_synth_ocean_destroy(&ocean);
}
END_TEST

static bool is_there(const char *path) { return access(path, F_OK) == 0; }

START_TEST(months_have_folders_of_their_own_when_asked)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    const char *folder = test_path("%s/months", test_scratch_dir());
    defaults_for(&options, folder);
    options.layout = SST_SYNTH_OISST_MONTHS;
    options.first_slot = 366;
    options.last_slot = 1;
    ck_assert_msg(sst_synth_run(&options, NULL, &err) == SST_OK, "%s", err.text);
    ck_assert(is_there(test_path("%s/200401/oisst-avhrr-v02r01.20040101.nc", folder)));
    ck_assert(is_there(test_path("%s/200412/oisst-avhrr-v02r01.20041231.nc", folder)));
    ck_assert(!is_there(test_path("%s/200401/oisst-avhrr-v02r01.20040102.nc", folder)));
}
END_TEST

START_TEST(files_do_not_depend_on_the_number_of_workers)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    static char bytes[2][1 << 17];
    size_t sizes[2];
    for (int workers = 1; workers <= 2; ++workers) {
        defaults_for(&options, test_path("%s/workers%d", test_scratch_dir(), workers));
        options.workers = 2 * workers - 1;
        ck_assert_int_eq(sst_synth_run(&options, NULL, &err), SST_OK);
        FILE *file = fopen(test_path("%s/oisst-avhrr-v02r01.20040301.nc", options.out_dir), "rb");
        ck_assert_ptr_nonnull(file);
        sizes[workers - 1] = fread(bytes[workers - 1], 1, sizeof bytes[0], file);
        ck_assert_int_eq(fclose(file), 0);
    }
    ck_assert_uint_eq(sizes[0], sizes[1]);
    ck_assert_uint_lt(sizes[0], sizeof bytes[0]);
    ck_assert_mem_eq(bytes[0], bytes[1], sizes[0]);
}
END_TEST

START_TEST(a_folder_in_use_is_left_alone)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    const char *folder = test_path("%s/in_use", test_scratch_dir());
    const char *real = test_path("%s/oisst-avhrr-v02r01.20040229.nc", folder);
    defaults_for(&options, folder);
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    FILE *file = fopen(real, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert(fputs("measured", file) >= 0 && fclose(file) == 0);
    for (int overwrite = 0; overwrite <= 1; ++overwrite) {
        options.overwrite = overwrite;
        ck_assert_int_eq(sst_synth_run(&options, NULL, &err), SST_ERR_USAGE);
        ck_assert_ptr_nonnull(strstr(err.text, overwrite ? "synth did not make" : "not empty"));
        sst_error_clear(&err);
    }
    char text[16] = "";
    file = fopen(real, "r");
    ck_assert_ptr_nonnull(fgets(text, sizeof text, file));
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_str_eq(text, "measured");
    ck_assert(!is_there(test_path("%s/oisst-avhrr-v02r01.20040228.nc", folder)));
}
END_TEST

START_TEST(an_archive_of_synth_is_replaced_when_asked_and_gaps_become_gaps)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    char folder[256]; /* test_path's own buffers go round */
    (void)snprintf(folder, sizeof folder, "%s/again", test_scratch_dir());
    defaults_for(&options, folder);
    options.last_slot = 120;
    ck_assert_int_eq(sst_synth_run(&options, NULL, &err), SST_OK);
    ck_assert_int_eq(sst_synth_run(&options, NULL, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "-O"));
    sst_error_clear(&err);
    options.overwrite = true;
    options.gaps_percent = 40.0;
    ck_assert_int_eq(sst_synth_run(&options, NULL, &err), SST_OK);
    size_t n_files = 0;
    for (int slot = options.first_slot; slot <= options.last_slot; ++slot) {
        int month, day;
        sst_calendar_month_day(SST_CALENDAR_STANDARD, slot, &month, &day);
        const bool has_file = is_there(test_path("%s/oisst-avhrr-v02r01.2004%02d%02d.nc", options.out_dir, month, day));
        ck_assert_int_ne(has_file, sst_synth_is_gap(&options, (struct sst_day){2004, slot}));
        n_files += has_file;
    }
    ck_assert_uint_eq(n_files, sst_synth_n_days(&options));
    ck_assert(n_files > 25 && n_files < 50);
}
END_TEST

struct visitor {
    size_t done, total;
    bool wants_out;
};

static void see_progress(void *user, size_t done, size_t total)
{
    struct visitor *visitor = user;
    ck_assert_uint_gt(done, visitor->done);
    visitor->done = done;
    visitor->total = total;
}

static bool wants_out(void *user) { return ((const struct visitor *)user)->wants_out; }

START_TEST(progress_ends_at_all_days_and_a_cancelled_run_says_so)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    struct visitor visitor = {0};
    const struct sst_synth_watch watch = {&visitor, see_progress, wants_out};
    defaults_for(&options, test_path("%s/watched", test_scratch_dir()));
    ck_assert_int_eq(sst_synth_run(&options, &watch, &err), SST_OK);
    ck_assert(visitor.done == 5 && visitor.total == 5);
    visitor = (struct visitor){.wants_out = true};
    options.out_dir = test_path("%s/cancelled", test_scratch_dir());
    options.first_year = 1901;
    options.first_slot = options.last_slot = 0;
    ck_assert_int_eq(sst_synth_run(&options, &watch, &err), SST_ERR_INTERRUPTED);
    ck_assert_ptr_nonnull(strstr(err.text, "stopped after"));
}
END_TEST

START_TEST(a_folder_that_cannot_be_is_named)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    defaults_for(&options, test_path("%s/none/below", test_scratch_dir()));
    ck_assert_int_eq(sst_synth_run(&options, NULL, &err), SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "none/below: cannot be made a folder"));
    sst_error_clear(&err);
    const char *path = test_path("%s/a_file", test_scratch_dir());
    const int file = open(path, O_CREAT | O_WRONLY, 0666);
    ck_assert(file >= 0 && close(file) == 0);
    options.out_dir = path;
    ck_assert_int_eq(sst_synth_run(&options, NULL, &err), SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, path));
}
END_TEST

static void expect_refusal(const struct sst_synth_options *options, const char *text)
{
    struct sst_error err = {0};
    ck_assert_int_eq(sst_synth_validate(options, &err), SST_ERR_USAGE);
    ck_assert_msg(strstr(err.text, text) != NULL, "'%s' lacks '%s'", err.text, text);
}

/* Runs with files limited to a few bytes, as a full disk would. */
static enum sst_status run_on_a_full_disk(const struct sst_synth_options *options, void (*on_limit)(int),
                                          struct sst_error *err)
{
    struct rlimit before, tight;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 8192;
    void (*const handler)(int) = signal(SIGXFSZ, on_limit);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const enum sst_status rc = sst_synth_run(options, NULL, err);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(signal(SIGXFSZ, handler) != SIG_ERR);
    return rc;
}

START_TEST(a_full_disk_is_told_and_leaves_no_part_of_a_file)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    defaults_for(&options, test_path("%s/full", test_scratch_dir()));
    options.last_slot = options.first_slot;
    ck_assert_int_eq(run_on_a_full_disk(&options, SIG_IGN, &err), SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "full/oisst-avhrr-v02r01.20040227.nc"));
    ck_assert_ptr_nonnull(strstr(err.text, "Free some space"));
    ck_assert(!is_there(test_path("%s/oisst-avhrr-v02r01.20040227.nc", options.out_dir)));
    ck_assert(!is_there(test_path("%s/oisst-avhrr-v02r01.20040227.nc.part", options.out_dir)));
}
END_TEST

START_TEST(a_worker_that_dies_is_told)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    defaults_for(&options, test_path("%s/died", test_scratch_dir()));
    ck_assert_int_eq(run_on_a_full_disk(&options, SIG_DFL, &err), SST_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "a worker process died"));
}
END_TEST

START_TEST(options_out_of_range_are_refused_by_name)
{
    struct sst_error err = {0};
    struct sst_synth_options good, bad;
    defaults_for(&good, "anywhere");
    ck_assert_int_eq(sst_synth_validate(&good, &err), SST_OK);
#define REFUSED(change, text)                                                                                          \
    do {                                                                                                               \
        bad = good;                                                                                                    \
        bad.change;                                                                                                    \
        expect_refusal(&bad, text);                                                                                    \
    } while (0)
    REFUSED(last_year = 2003, "2004-2003 runs backwards");
    REFUSED(first_year = 1200, "1200-2004 is outside");
    REFUSED(last_year = 99999, "outside");
    REFUSED(n_lon = 3, "too few");
    REFUSED(n_lat = 0, "too few");
    REFUSED(n_lat = -5, "too few");
    REFUSED(n_lon = 100000, "100000x36 is too large");
    REFUSED(n_lat = 2000000000, "too large");
    REFUSED(south = 90.0, "no band of latitudes");
    REFUSED(north = 90.5, "no band of latitudes");
    REFUSED(south = (double)NAN, "no band of latitudes");
    REFUSED(gaps_percent = 100.0, "gaps: 100");
    REFUSED(gaps_percent = -1.0, "gaps: -1");
    REFUSED(gaps_percent = (double)NAN, "gaps");
    REFUSED(first_slot = 0, "part of the year: 0-62");
    REFUSED(last_slot = 367, "part of the year: 58-367");
    REFUSED(workers = -1, "workers: -1");
    REFUSED(layout = SST_SYNTH_N_LAYOUTS, "layout");
    REFUSED(out_dir = "", "no folder");
    REFUSED(out_dir = NULL, "no folder");
    bad = good;
    bad.first_year = bad.last_year = 2005;
    bad.first_slot = bad.last_slot = SST_SLOT_FEB29;
    expect_refusal(&bad, "no day is left");
#undef REFUSED
}
END_TEST

START_TEST(fields_compress_as_the_real_ones_do)
{
    struct sst_error err = {0};
    struct sst_synth_options options;
    struct stat status;
    int nc, copy, dims[2], var, old_mode;
    const size_t chunks[2] = {180, 360}, n_cells = 360 * 180;
    int16_t *values = NULL;
    defaults_for(&options, test_path("%s/dense", test_scratch_dir()));
    options.n_lon = 360;
    options.n_lat = 180;
    options.first_slot = options.last_slot = 1;
    ck_assert_int_eq(sst_synth_run(&options, NULL, &err), SST_OK);
    ck_assert_int_eq(sst_alloc(n_cells, sizeof *values, "sst", &values, &err), SST_OK);
    ck_assert_int_eq(nc_open(test_path("%s/oisst-avhrr-v02r01.20040101.nc", options.out_dir), NC_NOWRITE, &nc), 0);
    ck_assert_int_eq(nc_inq_varid(nc, "sst", &var), NC_NOERR);
    ck_assert_int_eq(nc_get_var_short(nc, var, values), NC_NOERR);
    ck_assert_int_eq(nc_close(nc), NC_NOERR);
    /* The size of a file with the field alone; what is not the field is below 5 % of it. */
    const char *path = test_path("%s/sst_alone.nc", test_scratch_dir());
    ck_assert_int_eq(nc_create(path, NC_NETCDF4, &copy), NC_NOERR);
    ck_assert_int_eq(nc_set_fill(copy, NC_NOFILL, &old_mode), NC_NOERR);
    ck_assert_int_eq(nc_def_dim(copy, "lat", 180, &dims[0]), NC_NOERR);
    ck_assert_int_eq(nc_def_dim(copy, "lon", 360, &dims[1]), NC_NOERR);
    ck_assert_int_eq(nc_def_var(copy, "sst", NC_SHORT, 2, dims, &var), NC_NOERR);
    ck_assert_int_eq(nc_def_var_chunking(copy, var, NC_CHUNKED, chunks), NC_NOERR);
    ck_assert_int_eq(nc_def_var_deflate(copy, var, 1, 1, 4), NC_NOERR);
    ck_assert_int_eq(nc_put_var_short(copy, var, values), NC_NOERR);
    ck_assert_int_eq(nc_close(copy), NC_NOERR);
    ck_assert_int_eq(stat(path, &status), 0);
    /* OISST's granule of 1 January 2005: 0.388 as means over 4 x 4 cells, 0.328 as it is. */
    const double ratio = (double)status.st_size / (double)(n_cells * sizeof *values);
    ck_assert_msg(ratio > 0.31 && ratio < 0.45, "ratio %.3f", ratio);
    sst_free(values);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("synth");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300.0);
    tcase_add_test(tc, gaps_are_the_share_asked_for_and_the_same_each_time);
    tcase_add_test(tc, files_have_the_layout_of_oisst);
    tcase_add_test(tc, months_have_folders_of_their_own_when_asked);
    tcase_add_test(tc, files_do_not_depend_on_the_number_of_workers);
    tcase_add_test(tc, a_folder_in_use_is_left_alone);
    tcase_add_test(tc, an_archive_of_synth_is_replaced_when_asked_and_gaps_become_gaps);
    tcase_add_test(tc, progress_ends_at_all_days_and_a_cancelled_run_says_so);
    tcase_add_test(tc, a_folder_that_cannot_be_is_named);
    tcase_add_test(tc, a_full_disk_is_told_and_leaves_no_part_of_a_file);
    tcase_add_test(tc, a_worker_that_dies_is_told);
    tcase_add_test(tc, options_out_of_range_are_refused_by_name);
    tcase_add_test(tc, fields_compress_as_the_real_ones_do);
    suite_add_tcase(suite, tc);
    return suite;
}
