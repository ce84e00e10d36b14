/* The climatology file holds what was put, says what it is, and is there whole or not at all. */
#include <dirent.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clim_fixture.h"
#include "core/flags.h"
#include "test_main.h"
#include "write/clim_nc_chunks.h"

static struct clim_fixture fixture;

static void must(int status) { ck_assert_msg(status == NC_NOERR, "%s", nc_strerror(status)); }

static void write_fixture(void)
{
    struct sst_error err = {0};
    ck_assert_msg(clim_fixture_write(&fixture, &err) == SST_OK, "%s", err.text);
}

static const char *fresh_folder(const char *name)
{
    const char *path = test_path("%s/%s", test_scratch_dir(), name);
    ck_assert_int_eq(mkdir(path, 0777), 0);
    return path;
}

static int n_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    int n = 0;
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        n += entry->d_name[0] != '.';
    (void)closedir(dir);
    return n;
}

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_ge(fputs(text, stream), 0);
    ck_assert_int_eq(fclose(stream), 0);
}

static bool holds_text(const char *path, const char *text)
{
    char line[64] = "";
    FILE *stream = fopen(path, "r");
    const bool read = stream && fgets(line, sizeof line, stream);
    if (stream)
        (void)fclose(stream);
    return read && strcmp(line, text) == 0;
}

static void check_att(int ncid, const char *variable, const char *name, const char *expected)
{
    int varid = NC_GLOBAL;
    size_t length = 0;
    char text[2048] = "";
    if (variable)
        must(nc_inq_varid(ncid, variable, &varid));
    ck_assert_msg(nc_inq_attlen(ncid, varid, name, &length) == NC_NOERR, "%s:%s is absent", variable, name);
    ck_assert_uint_lt(length, sizeof text);
    must(nc_get_att_text(ncid, varid, name, text));
    ck_assert_str_eq(text, expected);
}

static bool has_att(int ncid, const char *variable, const char *name)
{
    int varid = NC_GLOBAL;
    if (variable)
        must(nc_inq_varid(ncid, variable, &varid));
    return nc_inq_attid(ncid, varid, name, NULL) == NC_NOERR;
}

/* Bit for bit: float32 of the double that was put, or the fill. */
static void check_floats(int ncid, const char *name, int place, const double *expected, float fill)
{
    int varid;
    float got[CLIM_FIXTURE_CELLS];
    const size_t start[] = {(size_t)place, 0, 0}, count[] = {1, CLIM_FIXTURE_ROWS, CLIM_FIXTURE_COLS};
    must(nc_inq_varid(ncid, name, &varid));
    must(nc_get_vara_float(ncid, varid, start, count, got));
    for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell) {
        const float want = isnan(expected[cell]) ? fill : (float)expected[cell];
        ck_assert_msg(memcmp(&got[cell], &want, sizeof want) == 0, "%s slot place %d cell %zu: %.9g, not %.9g", name,
                      place, cell, (double)got[cell], (double)want);
    }
}

static void check_counts(int ncid, int place, int slot)
{
    int n_obs_id, flags_id;
    short n_obs[CLIM_FIXTURE_CELLS], flags[CLIM_FIXTURE_CELLS];
    const size_t start[] = {(size_t)place, 0, 0}, count[] = {1, CLIM_FIXTURE_ROWS, CLIM_FIXTURE_COLS};
    must(nc_inq_varid(ncid, "n_obs", &n_obs_id));
    must(nc_inq_varid(ncid, "quality_flag", &flags_id));
    must(nc_get_vara_short(ncid, n_obs_id, start, count, n_obs));
    must(nc_get_vara_short(ncid, flags_id, start, count, flags));
    for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell) {
        ck_assert_int_eq(n_obs[cell], (int)clim_fixture_n_obs(slot, cell));
        ck_assert_int_eq(flags[cell], (int)clim_fixture_flags(slot, cell));
    }
}

static void check_slot(int ncid, int place, int slot, float fill)
{
    const char *const names[] = {"sst_p90", "sst_p10", "sst_p97p5"};
    double expected[CLIM_FIXTURE_CELLS];
    for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell)
        expected[cell] = clim_fixture_mean(slot, cell);
    check_floats(ncid, "sst_mean", place, expected, fill);
    for (size_t p = 0; p < fixture.spec.n_percentiles; ++p) {
        for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell)
            expected[cell] = clim_fixture_percentile(fixture.spec.percentiles[p], slot, cell);
        check_floats(ncid, names[p], place, expected, fill);
    }
    check_counts(ncid, place, slot);
}

static void get_double(int ncid, const char *variable, double *out)
{
    int varid;
    must(nc_inq_varid(ncid, variable, &varid));
    must(nc_get_var_double(ncid, varid, out));
}

static void clear_fixture(void) { clim_fixture_clear(&fixture); }

START_TEST(percentiles_have_their_names)
{
    char name[32];
    ck_assert_str_eq(sst_clim_percentile_name(90, name), "sst_p90");
    ck_assert_str_eq(sst_clim_percentile_name(97.5, name), "sst_p97p5");
    ck_assert_str_eq(sst_clim_percentile_name(5, name), "sst_p5");
    ck_assert_str_eq(sst_clim_percentile_name(99.99, name), "sst_p99p99");
    ck_assert_str_eq(sst_clim_percentile_name(0.1, name), "sst_p0p1");
    ck_assert_str_eq(sst_clim_percentile_name(100, name), "sst_p100");
}
END_TEST

START_TEST(every_value_comes_back_as_its_float32)
{
    int ncid;
    const char *folder = fresh_folder("values"), *path = test_path("%s/clim.nc", folder);
    clim_fixture_make(&fixture, path);
    write_fixture();
    ck_assert_int_eq(n_entries(folder), 1);
    must(nc_open(path, NC_NOWRITE, &ncid));
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        check_slot(ncid, slot - 1, slot, NC_FILL_FLOAT);
    must(nc_close(ncid));
}
END_TEST

START_TEST(time_and_place_are_told_in_cf_words)
{
    int ncid, varid, n_unlimited;
    double noon[SST_N_SLOTS], bounds[SST_N_SLOTS][2], lat[CLIM_FIXTURE_ROWS], lon[CLIM_FIXTURE_COLS], percentile;
    short month_day[SST_N_SLOTS];
    const char *path = test_path("%s/clim.nc", fresh_folder("time"));
    clim_fixture_make(&fixture, path);
    write_fixture();
    must(nc_open(path, NC_NOWRITE, &ncid));
    must(nc_inq_unlimdims(ncid, &n_unlimited, NULL));
    ck_assert_int_eq(n_unlimited, 0);
    get_double(ncid, "time", noon);
    get_double(ncid, "climatology_bounds", bounds[0]);
    get_double(ncid, "lat", lat);
    get_double(ncid, "lon", lon);
    get_double(ncid, "percentile_97p5", &percentile);
    must(nc_inq_varid(ncid, "calendar_day", &varid));
    must(nc_get_var_short(ncid, varid, month_day));
    ck_assert(noon[0] == 12418.5 && noon[365] == 12783.5); /* 2004-01-01 and 2004-12-31, noon */
    ck_assert(bounds[0][0] == 7665 && bounds[0][1] == 18268); /* 1990-12-27, 2020-01-07 */
    ck_assert_int_eq(month_day[59], 229);
    ck_assert(lat[0] == -40.125 && lat[4] == -39.125 && lon[6] == 151.625 && percentile == 97.5);
    check_att(ncid, "time", "climatology", "climatology_bounds");
    check_att(ncid, "time", "units", "days since 1970-01-01 00:00:00");
    check_att(ncid, "time", "calendar", "standard");
    ck_assert(!has_att(ncid, "time", "bounds") && !has_att(ncid, "time", "_FillValue"));
    ck_assert(!has_att(ncid, "climatology_bounds", "units") && !has_att(ncid, "climatology_bounds", "_FillValue"));
    check_att(ncid, "lat", "units", "degrees_north");
    check_att(ncid, "lon", "standard_name", "longitude");
    check_att(ncid, "percentile_97p5", "units", "percent");
    must(nc_close(ncid));
}
END_TEST

START_TEST(variables_say_what_they_are)
{
    int ncid, varid;
    short masks[SST_N_FLAGS];
    float fill;
    const char *path = test_path("%s/clim.nc", fresh_folder("words"));
    clim_fixture_make(&fixture, path);
    write_fixture();
    must(nc_open(path, NC_NOWRITE, &ncid));
    check_att(ncid, "sst_mean", "cell_methods",
              "time: mean within years time: mean over years (11-day window centred on the calendar day)");
    check_att(ncid, "sst_mean", "units", "degree_Celsius");
    check_att(ncid, "sst_mean", "standard_name", "sea_surface_temperature");
    check_att(ncid, "sst_mean", "ancillary_variables", "n_obs quality_flag");
    ck_assert(!has_att(ncid, "sst_p90", "cell_methods"));
    check_att(ncid, "sst_p90", "coordinates", "percentile_90");
    check_att(ncid, "sst_p97p5", "long_name", "sea surface temperature, climatological percentile 97.5");
    check_att(ncid, "sst_p90", "comment",
              "Cornish-Fisher expansion of four moments. Daily values of 1991-2020 within 5 days of the calendar day; "
              "then a circular moving mean over 31 days.");
    must(nc_inq_varid(ncid, "sst_p90", &varid));
    must(nc_get_att_float(ncid, varid, "_FillValue", &fill));
    ck_assert(fill == NC_FILL_FLOAT);
    check_att(ncid, "n_obs", "standard_name", "number_of_observations");
    check_att(ncid, "n_obs", "units", "1");
    check_att(ncid, "quality_flag", "flag_meanings",
              "missing few_samples derived_leap_day ice_or_no_variance guarded_estimate measured_beyond_tolerance "
              "uncertified likely_beyond_tolerance repaired");
    must(nc_inq_varid(ncid, "quality_flag", &varid));
    must(nc_get_att_short(ncid, varid, "flag_masks", masks));
    for (int bit = 0; bit < SST_N_FLAGS; ++bit)
        ck_assert_int_eq(masks[bit], 1 << bit);
    must(nc_close(ncid));
}
END_TEST

START_TEST(the_file_as_a_whole_is_described)
{
    int ncid;
    double value;
    const char *path = test_path("%s/clim.nc", fresh_folder("globals"));
    clim_fixture_make(&fixture, path);
    write_fixture();
    must(nc_open(path, NC_NOWRITE, &ncid));
    check_att(ncid, NULL, "Conventions", "CF-1.11, ACDD-1.3");
    check_att(ncid, NULL, "title", "Daily climatology of sea surface temperature, a test");
    check_att(ncid, NULL, "cdm_data_type", "Grid");
    check_att(ncid, NULL, "baseline_period", "1991-2020");
    check_att(ncid, NULL, "leap_day_rule", "hobday");
    check_att(ncid, NULL, "time_coverage_start", "1991-01-01T00:00:00Z");
    ck_assert(!has_att(ncid, NULL, "license")); /* was empty */
    must(nc_get_att_double(ncid, NC_GLOBAL, "geospatial_lat_min", &value));
    ck_assert(value == -40.125);
    must(nc_get_att_double(ncid, NC_GLOBAL, "geospatial_lon_max", &value));
    ck_assert(value == 151.625);
    must(nc_get_att_double(ncid, NC_GLOBAL, "geospatial_lon_resolution", &value));
    ck_assert(value == 0.25);
    must(nc_close(ncid));
}
END_TEST

START_TEST(chunks_span_slots_and_are_compressed)
{
    int ncid, varid, storage, shuffle, deflate, level;
    size_t chunk[3];
    const char *path = test_path("%s/clim.nc", fresh_folder("chunks"));
    clim_fixture_make(&fixture, path);
    write_fixture();
    must(nc_open(path, NC_NOWRITE, &ncid));
    must(nc_inq_varid(ncid, "sst_p90", &varid));
    must(nc_inq_var_chunking(ncid, varid, &storage, chunk));
    must(nc_inq_var_deflate(ncid, varid, &shuffle, &deflate, &level));
    ck_assert(chunk[0] == 12 && chunk[1] == CLIM_FIXTURE_ROWS && chunk[2] == CLIM_FIXTURE_COLS);
    ck_assert(shuffle && deflate && level == SST_CLIM_DEFLATE_LEVEL);
    must(nc_close(ncid));
}
END_TEST

START_TEST(rows_of_chunks_shrink_where_a_grid_is_huge)
{
    clim_fixture_make(&fixture, "unused.nc");
    fixture.domain.n_cells = 1440 * 720;
    ck_assert_uint_eq(sst_clim_chunk_slots(&fixture.spec), 12);
    fixture.domain.n_cells = 4320 * 2160;
    ck_assert_uint_eq(sst_clim_chunk_slots(&fixture.spec), 3);
    fixture.domain.n_cells = (size_t)36000 * 17999;
    ck_assert_uint_eq(sst_clim_chunk_slots(&fixture.spec), 1);
    fixture.spec.n_slots = 13; /* 7 and 6, rather than 12 and 1 */
    fixture.domain.n_cells = 100;
    ck_assert_uint_eq(sst_clim_chunk_slots(&fixture.spec), 7);
}
END_TEST

START_TEST(an_existing_file_is_refused_and_untouched)
{
    struct sst_error err = {0};
    struct sst_clim_file *file = NULL;
    const char *folder = fresh_folder("refused"), *path = test_path("%s/clim.nc", folder);
    clim_fixture_make(&fixture, path);
    write_text(path, "precious");
    ck_assert_int_eq(sst_clim_check(&fixture.spec, &err), SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "clim.nc: exists already"));
    ck_assert_ptr_nonnull(strstr(err.text, "--overwrite"));
    ck_assert_int_eq(sst_clim_create(&fixture.spec, &file, NULL), SST_ERR_OUTPUT);
    ck_assert_ptr_null(file);
    ck_assert(holds_text(path, "precious"));
    ck_assert_int_eq(n_entries(folder), 1);
    fixture.spec.overwrite = true;
    write_fixture();
    ck_assert(!holds_text(path, "precious"));
    ck_assert_int_eq(n_entries(folder), 1);
}
END_TEST

START_TEST(a_file_that_appears_during_the_run_is_not_replaced)
{
    struct sst_error err = {0};
    struct sst_clim_file *file = NULL;
    const char *folder = fresh_folder("race"), *path = test_path("%s/clim.nc", folder);
    clim_fixture_make(&fixture, path);
    ck_assert_int_eq(sst_clim_create(&fixture.spec, &file, &err), SST_OK);
    ck_assert_int_eq(clim_fixture_put_all(&fixture, file, &err), SST_OK);
    write_text(path, "another run's");
    ck_assert_int_eq(sst_clim_finish(&file, NULL, 0, &err), SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "appeared during the run"));
    ck_assert_ptr_null(file);
    ck_assert(holds_text(path, "another run's"));
    ck_assert_int_eq(n_entries(folder), 1);
}
END_TEST

START_TEST(abandoning_leaves_nothing)
{
    struct sst_error err = {0};
    struct sst_clim_file *file = NULL;
    const char *folder = fresh_folder("abandoned");
    clim_fixture_make(&fixture, test_path("%s/clim.nc", folder));
    sst_clim_abandon(&file);
    ck_assert_int_eq(sst_clim_create(&fixture.spec, &file, &err), SST_OK);
    ck_assert_int_eq(n_entries(folder), 1); /* under its temporary name */
    ck_assert_int_ne(access(fixture.spec.path, F_OK), 0);
    for (int slot = 10; slot < 30; ++slot)
        ck_assert_int_eq(clim_fixture_put(&fixture, file, slot, &err), SST_OK);
    sst_clim_abandon(&file);
    ck_assert_ptr_null(file);
    ck_assert_int_eq(n_entries(folder), 0);
}
END_TEST

START_TEST(a_climatology_with_a_hole_is_not_finished)
{
    struct sst_error err = {0};
    struct sst_clim_file *file = NULL;
    const char *folder = fresh_folder("hole");
    clim_fixture_make(&fixture, test_path("%s/clim.nc", folder));
    ck_assert_int_eq(sst_clim_create(&fixture.spec, &file, &err), SST_OK);
    for (int slot = 1; slot < SST_N_SLOTS; ++slot)
        ck_assert_int_eq(clim_fixture_put(&fixture, file, slot, &err), SST_OK);
    ck_assert_int_eq(clim_fixture_put(&fixture, file, 7, NULL), SST_ERR_INTERNAL);
    ck_assert_int_eq(clim_fixture_put(&fixture, file, 367, NULL), SST_ERR_INTERNAL);
    ck_assert_int_eq(sst_clim_finish(&file, NULL, 0, &err), SST_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "slot 366 was never written"));
    ck_assert_int_eq(n_entries(folder), 0);
}
END_TEST

/* path, words of the message */
static const char *const bad_places[][2] = {{"", "does not name a file"},
                                            {"absent/clim.nc", "does not exist. Make it first"},
                                            {"plain/clim.nc", "is not a folder"},
                                            {"folder", "this is a folder"},
                                            {"folder/", "does not name a file"},
                                            {"/dev/null", "not an ordinary file"},
                                            {"/proc/clim.nc", ": "}};

START_TEST(impossible_places_are_refused_early)
{
    struct sst_error err = {0};
    struct sst_clim_file *file = NULL;
    const char *name = bad_places[_i][0];
    const char *folder = fresh_folder(test_path("bad%d", _i));
    ck_assert_int_eq(mkdir(test_path("%s/folder", folder), 0777), 0);
    write_text(test_path("%s/plain", folder), "x");
    clim_fixture_make(&fixture, name[0] == '/' || !*name ? name : test_path("%s/%s", folder, name));
    fixture.spec.overwrite = true;
    ck_assert_int_eq(sst_clim_create(&fixture.spec, &file, &err), SST_ERR_OUTPUT);
    ck_assert_msg(strstr(err.text, bad_places[_i][1]) != NULL, "%s", err.text);
    ck_assert_int_eq(n_entries(folder), 2);
}
END_TEST

/* Bytes that a file may have: from "not even the header" to "all but the end". */
static const rlim_t file_limits[] = {0, 1000, 9000, 20000, 100000};

/* Writes under a limit and leaves with the status; the message goes into the pipe. */
static _Noreturn void write_under_limit(rlim_t limit, int pipe_end)
{
    struct sst_error err = {0};
    const struct rlimit tight = {limit, RLIM_INFINITY};
    if (setrlimit(RLIMIT_FSIZE, &tight) != 0)
        exit(99);
    const enum sst_status rc = clim_fixture_write(&fixture, &err);
    if (write(pipe_end, err.text, strlen(err.text)) < 0)
        exit(98);
    exit((int)rc);
}

START_TEST(a_full_disk_is_told_and_leaves_nothing_and_no_crash_at_exit)
{
    int ends[2], status;
    char text[SST_ERROR_TEXT_SIZE] = "";
    const rlim_t limit = file_limits[_i / 2];
    const char *folder = fresh_folder(test_path("full%d", _i));
    clim_fixture_make(&fixture, test_path("%s/clim.nc", folder));
    fixture.spec.split = _i % 2;
    if (fixture.spec.split)
        fixture.spec.n_slots = 20;
    ck_assert_int_eq(pipe(ends), 0);
    (void)fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        write_under_limit(limit, ends[1]);
    (void)close(ends[1]);
    ck_assert_int_ge(read(ends[0], text, sizeof text - 1), 0);
    (void)close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "ended by signal %d", WTERMSIG(status));
    if (fixture.spec.split && limit == 100000) { /* more than a file of one day has */
        ck_assert_int_eq(WEXITSTATUS(status), SST_OK);
        return;
    }
    ck_assert_int_eq(WEXITSTATUS(status), SST_ERR_OUTPUT);
    ck_assert_msg(strstr(text, "File too large") != NULL, "%s", text);
    ck_assert_int_eq(n_entries(folder), 0);
}
END_TEST

START_TEST(split_gives_one_file_per_day_in_a_new_folder)
{
    const char *parent = fresh_folder("split"), *folder = test_path("%s/days", parent);
    const int slots[] = {1, 59, 60, 61, 92}, month_day[] = {101, 228, 229, 301, 401};
    clim_fixture_make(&fixture, test_path("%s/", folder));
    fixture.spec.split = true;
    fixture.spec.n_slots = 92;
    write_fixture();
    ck_assert_int_eq(n_entries(parent), 1);
    ck_assert_int_eq(n_entries(folder), 92);
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; ++i) {
        int ncid, dimid;
        size_t length;
        double noon;
        must(nc_open(test_path("%s/sst_clim_%04d.nc", folder, month_day[i]), NC_NOWRITE, &ncid));
        must(nc_inq_dimid(ncid, "time", &dimid));
        must(nc_inq_dimlen(ncid, dimid, &length));
        ck_assert_uint_eq(length, 1);
        get_double(ncid, "time", &noon);
        ck_assert(noon == 12418.5 + slots[i] - 1);
        check_slot(ncid, 0, slots[i], -9999.0f);
        check_att(ncid, NULL, "sststream_parameters", "--approx cf --baseline 1991-2020");
        must(nc_close(ncid));
    }
}
END_TEST

START_TEST(split_into_a_folder_replaces_only_when_told)
{
    struct sst_error err = {0};
    const char *folder = fresh_folder("split_again"), *old = test_path("%s/sst_clim_0103.nc", folder);
    clim_fixture_make(&fixture, folder);
    fixture.spec.split = true;
    fixture.spec.n_slots = 20;
    write_text(test_path("%s/notes.txt", folder), "other");
    write_text(old, "precious");
    ck_assert_int_eq(clim_fixture_write(&fixture, &err), SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "sst_clim_0103.nc: exists already"));
    ck_assert(holds_text(old, "precious"));
    ck_assert_int_eq(n_entries(folder), 2);
    fixture.spec.overwrite = true;
    write_fixture();
    ck_assert(!holds_text(old, "precious"));
    ck_assert(holds_text(test_path("%s/notes.txt", folder), "other"));
    ck_assert_int_eq(n_entries(folder), 21);
}
END_TEST

START_TEST(split_takes_back_its_files_if_one_cannot_be_placed)
{
    struct sst_error err = {0};
    struct sst_clim_file *file = NULL;
    const char *folder = fresh_folder("split_race");
    clim_fixture_make(&fixture, folder);
    fixture.spec.split = true;
    fixture.spec.n_slots = 20;
    ck_assert_int_eq(sst_clim_create(&fixture.spec, &file, &err), SST_OK);
    ck_assert_int_eq(clim_fixture_put_all(&fixture, file, &err), SST_OK);
    write_text(test_path("%s/sst_clim_0110.nc", folder), "another run's");
    ck_assert_int_eq(sst_clim_finish(&file, NULL, 0, &err), SST_ERR_OUTPUT);
    ck_assert(holds_text(test_path("%s/sst_clim_0110.nc", folder), "another run's"));
    ck_assert_int_eq(n_entries(folder), 1);
}
END_TEST

START_TEST(a_season_across_new_year_is_in_the_order_of_its_axis)
{
    int ncid;
    const char *path = test_path("%s/clim.nc", fresh_folder("season"));
    clim_fixture_make(&fixture, path);
    for (int i = 0; i < 92; ++i)
        fixture.slots[i] = (335 + i - 1) % SST_N_SLOTS + 1;
    fixture.spec.n_slots = 92;
    fixture.spec.smooth_days = 1;
    fixture.spec.standard_name = "sea_surface_foundation_temperature";
    write_fixture();
    must(nc_open(path, NC_NOWRITE, &ncid));
    for (int place = 0; place < 92; ++place)
        check_slot(ncid, place, fixture.slots[place], NC_FILL_FLOAT);
    check_att(ncid, "sst_p10", "standard_name", "sea_surface_foundation_temperature");
    check_att(ncid, NULL, "smoothing", "none");
    must(nc_close(ncid));
}
END_TEST

START_TEST(bounds_stand_beside_their_percentile)
{
    int ncid;
    double expected[CLIM_FIXTURE_CELLS];
    const char *path = test_path("%s/clim.nc", fresh_folder("bounds"));
    clim_fixture_make(&fixture, path);
    fixture.spec.has_bounds = true;
    write_fixture();
    must(nc_open(path, NC_NOWRITE, &ncid));
    for (int place = 0; place < SST_N_SLOTS; place += 5) {
        check_slot(ncid, place, place + 1, NC_FILL_FLOAT);
        for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell)
            expected[cell] = clim_fixture_percentile(10.0, place + 1, cell) - CLIM_FIXTURE_BOUND;
        check_floats(ncid, "sst_p10_lower", place, expected, NC_FILL_FLOAT);
        for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell)
            expected[cell] = clim_fixture_percentile(97.5, place + 1, cell) + CLIM_FIXTURE_BOUND;
        check_floats(ncid, "sst_p97p5_upper", place, expected, NC_FILL_FLOAT);
    }
    check_att(ncid, "sst_p90", "ancillary_variables", "n_obs quality_flag sst_p90_lower sst_p90_upper");
    check_att(ncid, "sst_mean", "ancillary_variables", "n_obs quality_flag");
    check_att(ncid, "sst_p90_lower", "long_name", "lower bound of sst_p90");
    check_att(ncid, "sst_p90_upper", "units", "degree_Celsius");
    ck_assert(!has_att(ncid, "sst_p90_upper", "standard_name"));
    must(nc_close(ncid));
}
END_TEST

START_TEST(bounds_of_the_approximation_follow_by_percentile_and_coverage)
{
    static const double coverages[] = {0.95, 0.975};
    int ncid;
    double expected[CLIM_FIXTURE_CELLS];
    const char *path = test_path("%s/clim.nc", fresh_folder("coverages"));
    clim_fixture_make(&fixture, path);
    fixture.spec.coverages = coverages;
    fixture.spec.n_coverages = 2;
    write_fixture();
    must(nc_open(path, NC_NOWRITE, &ncid));
    for (int place = 0; place < SST_N_SLOTS; place += 5) {
        check_slot(ncid, place, place + 1, NC_FILL_FLOAT);
        for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell)
            expected[cell] = clim_fixture_approx_bound(0, place + 1, cell);
        check_floats(ncid, "sst_p90_approx_bound95", place, expected, NC_FILL_FLOAT);
        for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell)
            expected[cell] = clim_fixture_approx_bound(3, place + 1, cell);
        check_floats(ncid, "sst_p10_approx_bound97p5", place, expected, NC_FILL_FLOAT);
    }
    check_att(ncid, "sst_p90", "ancillary_variables",
              "n_obs quality_flag sst_p90_approx_bound95 sst_p90_approx_bound97p5");
    check_att(ncid, "sst_p90_approx_bound95", "units_metadata", "temperature: difference");
    ck_assert(!has_att(ncid, "sst_p90_approx_bound95", "standard_name"));
    must(nc_close(ncid));
}
END_TEST

Suite *test_suite(void)
{
    sst_clim_prepare_process();
    Suite *suite = suite_create("clim_nc");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, NULL, clear_fixture);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, percentiles_have_their_names);
    tcase_add_test(tc, bounds_of_the_approximation_follow_by_percentile_and_coverage);
    tcase_add_test(tc, every_value_comes_back_as_its_float32);
    tcase_add_test(tc, time_and_place_are_told_in_cf_words);
    tcase_add_test(tc, variables_say_what_they_are);
    tcase_add_test(tc, the_file_as_a_whole_is_described);
    tcase_add_test(tc, chunks_span_slots_and_are_compressed);
    tcase_add_test(tc, rows_of_chunks_shrink_where_a_grid_is_huge);
    tcase_add_test(tc, an_existing_file_is_refused_and_untouched);
    tcase_add_test(tc, a_file_that_appears_during_the_run_is_not_replaced);
    tcase_add_test(tc, abandoning_leaves_nothing);
    tcase_add_test(tc, a_climatology_with_a_hole_is_not_finished);
    tcase_add_loop_test(tc, impossible_places_are_refused_early, 0, sizeof bad_places / sizeof bad_places[0]);
    tcase_add_loop_test(tc, a_full_disk_is_told_and_leaves_nothing_and_no_crash_at_exit, 0,
                        2 * sizeof file_limits / sizeof file_limits[0]);
    tcase_add_test(tc, split_gives_one_file_per_day_in_a_new_folder);
    tcase_add_test(tc, split_into_a_folder_replaces_only_when_told);
    tcase_add_test(tc, split_takes_back_its_files_if_one_cannot_be_placed);
    tcase_add_test(tc, a_season_across_new_year_is_in_the_order_of_its_axis);
    tcase_add_test(tc, bounds_stand_beside_their_percentile);
    suite_add_tcase(suite, tc);
    return suite;
}
