/*
 * Days come out as the files hold them, in any order, each once; doubles, conflicts and bad files as the header says. All of
 * it with the program reading and with reader processes, of whatever number.
 * ctest-labels: threads
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "stream/crew.h"
#include "stream/reader.h"
#include "stream/serve.h"
#include "test_main.h"

static const struct day_file plain;

/* Who reads. */
struct way {
    int n_readers; /* 0: this process */
    bool is_short;
    bool expects; /* all days, in order of the calendar, whatever is then asked for */
};

static struct way way;

/* One of each name and way. */
static struct archive new_archive(const char *name)
{
    static int n_made;
    return archive_new(test_path("%s-%d", name, n_made++));
}

/* A catalog, the whole grid as domain, and a reader. */
struct bench {
    struct sst_reader_crew crew;
    struct sst_catalog *catalog;
    struct sst_domain domain;
    struct sst_reader *reader;
};

static void expect_all(struct bench *bench)
{
    const struct sst_catalog *catalog = bench->catalog;
    const struct sst_field_source *source = sst_reader_source(bench->reader);
    struct sst_day *days = calloc(catalog->n_entries, sizeof *days);
    struct sst_error err = {0};
    size_t n = 0;
    ck_assert_ptr_nonnull(days);
    for (size_t i = 0; i < catalog->n_entries; ++i)
        if (n == 0 || sst_day_compare(days[n - 1], catalog->entries[i].at.day) != 0)
            days[n++] = catalog->entries[i].at.day;
    ck_assert_int_eq(source->expect(source->user, days, n, &err), SST_OK);
    free(days);
}

/* The readers of a bench, whose service is sst_serve but in tests of what else may happen. */
static void launch(struct bench *bench, const struct sst_crew_service *service)
{
    struct sst_error err = {0};
    bench->crew = (struct sst_reader_crew){.n_readers = way.n_readers, .is_short = way.is_short, .task_seconds = 60.0};
    ck_assert_msg(sst_crew_launch(service, &bench->crew.crew, &err) == SST_OK, "%s", err.text);
}

static void scan(struct bench *bench, const struct archive *archive)
{
    struct sst_error err = {0};
    const char *paths[ARCHIVE_MAX_PATHS];
    for (size_t i = 0; i < archive->n; ++i)
        paths[i] = archive->paths[i];
    const struct sst_catalog_options options = {.crew = bench->crew.crew ? &bench->crew : NULL};
    ck_assert_msg(sst_catalog_scan(paths, archive->n, &options, &bench->catalog, &err) == SST_OK, "%s", err.text);
}

static void open_reader(struct bench *bench, const struct sst_reader_options *options)
{
    static const struct sst_reader_options none;
    struct sst_reader_options all = options ? *options : none;
    struct sst_error err = {0};
    all.crew = bench->crew.crew ? &bench->crew : NULL;
    bench->reader = NULL;
    sst_domain_all(bench->catalog->grid, &bench->domain);
    const enum sst_status rc = sst_reader_create(bench->catalog, &bench->domain, &all, &bench->reader, &err);
    ck_assert_msg(rc == SST_OK, "%s", err.text);
    if (way.expects)
        expect_all(bench);
}

/* Fills the bench in place: the reader keeps the address of its domain. */
static void open_bench(struct bench *bench, const struct archive *archive, const struct sst_reader_options *options)
{
    *bench = (struct bench){.reader = NULL};
    if (way.n_readers > 0)
        launch(bench, &sst_serve);
    scan(bench, archive);
    open_reader(bench, options);
}

static void close_bench(struct bench *bench)
{
    sst_reader_destroy(&bench->reader);
    ck_assert_ptr_null(bench->reader);
    sst_catalog_destroy(&bench->catalog);
    sst_crew_destroy(&bench->crew.crew);
}

/* Fields decoded so far; where some are fetched ahead, which ones is not told. */
static void expect_decoded(const struct bench *bench, size_t n)
{
    const size_t found = sst_reader_totals(bench->reader)->n_steps_decoded;
    ck_assert_msg(way.expects ? found > 0 : found == n, "%zu fields are decoded, not %zu", found, n);
}

/* Day of the calendar for a day number since 2000-01-01; 2000 is a leap year, the three after it are not. */
static struct sst_day day_of(int number)
{
    int year = 2000, length = 366;
    while (number >= length) {
        number -= length;
        length = ++year % 4 == 0 ? 366 : 365;
    }
    return (struct sst_day){year, length == 365 && number >= 59 ? number + 2 : number + 1};
}

static const struct sst_field *get(struct bench *bench, int number)
{
    const struct sst_field *field = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_reader_get(bench->reader, day_of(number), &field, &err) == SST_OK, "%s", err.text);
    return field;
}

/* Asserts a day's values on hundredths; `added` of the first cell by value. Rows from the south, columns from 30 E. */
static void expect_day(struct bench *bench, int number, int added)
{
    const struct sst_field *field = get(bench, number);
    ck_assert_msg(field != NULL, "day %d is not there", number);
    ck_assert_uint_eq(field->n_cells, DAY_FILE_N_CELLS);
    for (int row = 0; row < DAY_FILE_N_LAT; ++row) {
        for (int col = 0; col < DAY_FILE_N_LON; ++col) {
            const int expected = day_file_value(number, row, col) + (row == 0 && col == 0 ? added : 0);
            ck_assert_int_eq(field->hundredths[row * DAY_FILE_N_LON + col], expected);
        }
    }
}

START_TEST(days_come_out_as_the_files_hold_them_in_any_order)
{
    struct archive archive = new_archive("order");
    archive_add(&archive, "z.nc", plain, 0, 1);
    archive_add(&archive, "a.nc", (struct day_file){.south_last = true, .first_lon = -150}, 1, 2);
    archive_add(&archive, "m.nc", (struct day_file){.deflated = true, .first_lon = 90}, 5, 3);
    archive_add(&archive, "n.nc", (struct day_file){.variable = "analysed_sst"}, 366, 2);
    static const int orders[2][8] = {{0, 366, 1, 367, 2, 5, 6, 7}, {7, 2, 367, 0, 5, 366, 6, 1}};
    uint64_t digests[2] = {0, 0}, bytes[2];
    for (int order = 0; order < 2; ++order) {
        struct bench bench;
        open_bench(&bench, &archive, NULL);
        for (int i = 0; i < 8; ++i)
            expect_day(&bench, orders[order][i], 0);
        ck_assert_ptr_null(get(&bench, 3));
        const struct sst_reader_totals *totals = sst_reader_totals(bench.reader);
        ck_assert_uint_eq(totals->n_days_read, 8);
        ck_assert_uint_eq(totals->n_days_bad, 0);
        ck_assert_uint_eq(totals->n_days_doubled, 0);
        ck_assert_uint_eq(totals->n_steps_decoded, 8);
        bytes[order] = totals->bytes_read;
        size_t n_days = 0;
        const struct sst_reader_day *days = sst_reader_days(bench.reader, &n_days);
        ck_assert_uint_eq(n_days, 8);
        for (size_t i = 0; i < n_days; ++i) {
            ck_assert_int_eq(sst_day_compare(days[i].day, day_of(orders[order][i])), 0);
            digests[order] += days[i].digest;
        }
        close_bench(&bench);
    }
    uint64_t size = 0;
    for (size_t i = 0; i < archive.n; ++i) {
        struct stat status;
        ck_assert_int_eq(stat(archive.paths[i], &status), 0);
        size += (uint64_t)status.st_size;
    }
    ck_assert_uint_eq(digests[0], digests[1]);
    ck_assert_uint_eq(bytes[0], size);
    ck_assert_uint_eq(bytes[1], size);
}
END_TEST

START_TEST(repeats_count_once_whatever_their_bytes)
{
    struct archive archive = new_archive("repeats");
    archive_add(&archive, "a.nc", plain, 0, 2);
    archive_add(&archive, "b.nc", plain, 0, 1); /* the same bytes but for the number of days */
    archive_add(&archive, "c.nc", (struct day_file){.deflated = true, .south_last = true}, 0, 2);
    archive_add(&archive, "d.nc", (struct day_file){.title = "a copy, stamped anew"}, 0, 1);
    char notes[ARCHIVE_NOTES_ROOM] = "";
    const struct sst_reader_options options = {.notes = archive_collect_note, .notes_user = notes};
    struct bench bench;
    open_bench(&bench, &archive, &options);
    expect_day(&bench, 0, 0);
    expect_day(&bench, 1, 0);
    const struct sst_reader_totals *totals = sst_reader_totals(bench.reader);
    ck_assert_uint_eq(totals->n_days_read, 2);
    ck_assert_uint_eq(totals->n_days_doubled, 2);
    ck_assert_uint_eq(totals->n_days_bad, 0);
    ck_assert_uint_eq(bench.catalog->n_rejects, 0);
    ck_assert_msg(strstr(notes, "another file has the same values on 2000-01-01"), "%s", notes);
    ck_assert_ptr_null(strstr(notes, "2000-01-02"));
    close_bench(&bench);
}
END_TEST

START_TEST(unlike_doubles_make_the_day_bad)
{
    struct archive archive = new_archive("conflict");
    archive_add(&archive, "a.nc", plain, 0, 3);
    archive_add(&archive, "b.nc", (struct day_file){.added = 30}, 1, 2);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    expect_day(&bench, 0, 0);
    ck_assert_ptr_null(get(&bench, 1));
    ck_assert_ptr_null(get(&bench, 2));
    ck_assert_ptr_null(get(&bench, 1));
    const struct sst_reader_totals *totals = sst_reader_totals(bench.reader);
    ck_assert_uint_eq(totals->n_days_read, 1);
    ck_assert_uint_eq(totals->n_days_bad, 2);
    ck_assert_uint_eq(totals->n_days_doubled, 0);
    size_t n_bad = 0;
    const struct sst_day *bad = sst_reader_bad_days(bench.reader, &n_bad);
    ck_assert_uint_eq(n_bad, 2);
    ck_assert_int_eq(sst_day_compare(bad[0], day_of(1)), 0);
    ck_assert_int_eq(sst_day_compare(bad[1], day_of(2)), 0);
    ck_assert_uint_eq(bench.catalog->n_rejects, 1);
    archive_expect_reject(bench.catalog, 0, archive.paths[1], "values differ from those of ");
    archive_expect_reject(bench.catalog, 0, archive.paths[1],
                          "a.nc in 1 cells, the first at -67.5 N, 30 E: 10.370 degC, "
                          "not 10.070 degC");
    archive_expect_reject(bench.catalog, 0, archive.paths[1], "(2000-01-02)");
    close_bench(&bench);

    const struct sst_reader_options stop = {.stop_on_bad = true};
    open_bench(&bench, &archive, &stop);
    expect_day(&bench, 0, 0);
    const struct sst_field *field = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_reader_get(bench.reader, day_of(1), &field, &err), SST_ERR_INPUT);
    ck_assert_ptr_null(field);
    ck_assert_msg(strstr(err.text, "b.nc: values differ") != NULL, "%s", err.text);
    ck_assert_uint_eq(bench.catalog->n_rejects, 0);
    close_bench(&bench);
}
END_TEST

static const char *const preliminary_names[2][2] = {{"a_preliminary.nc", "x.nc"}, {"x_preliminary.nc", "a.nc"}};

START_TEST(a_final_field_stands_before_a_preliminary_one)
{
    struct archive archive = new_archive(test_path("preliminary%d", _i));
    archive_add(&archive, preliminary_names[_i][0], plain, 0, 3);
    archive_add(&archive, preliminary_names[_i][1], (struct day_file){.added = 30}, 0, 2);
    char notes[ARCHIVE_NOTES_ROOM] = "";
    const struct sst_reader_options options = {.notes = archive_collect_note, .notes_user = notes};
    struct bench bench;
    open_bench(&bench, &archive, &options);
    expect_day(&bench, 0, 30);
    expect_day(&bench, 1, 30);
    expect_day(&bench, 2, 0);
    const struct sst_reader_totals *totals = sst_reader_totals(bench.reader);
    ck_assert_uint_eq(totals->n_days_read, 3);
    ck_assert_uint_eq(totals->n_preliminary_replaced, 2);
    ck_assert_uint_eq(totals->n_days_bad, 0);
    ck_assert_uint_eq(totals->n_steps_decoded, 3);
    ck_assert_uint_eq(bench.catalog->n_rejects, 0);
    ck_assert_msg(strstr(notes, "in place of a preliminary file on 2000-01-01"), "%s", notes);
    close_bench(&bench);
}
END_TEST

START_TEST(a_preliminary_field_is_taken_where_the_final_one_is_unusable)
{
    struct archive archive = new_archive("fallback");
    archive_add(&archive, "a_preliminary.nc", plain, 0, 1);
    archive_add(&archive, "b.nc", (struct day_file){.added = 9000}, 0, 1); /* 100 degC in one cell of 23 */
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    expect_day(&bench, 0, 0);
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_days_bad, 0);
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_preliminary_replaced, 0);
    ck_assert_uint_eq(bench.catalog->n_rejects, 1);
    archive_expect_reject(bench.catalog, 0, archive.paths[1], "(2000-01-01)");
    close_bench(&bench);
}
END_TEST

START_TEST(several_stamps_of_one_day_make_it_bad)
{
    struct archive archive = new_archive("stamps");
    archive_add(&archive, "a.nc", plain, 0, 1);
    archive_add(&archive, "b.nc", (struct day_file){.second = -1}, 0, 2);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    ck_assert_ptr_null(get(&bench, 0));
    expect_day(&bench, 1, 0);
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_days_bad, 1);
    ck_assert_uint_eq(bench.catalog->n_rejects, 1);
    archive_expect_reject(bench.catalog, 0, archive.paths[0], "time: 12:00:00, and 00:00:00 in ");
    archive_expect_reject(bench.catalog, 0, archive.paths[0],
                          "are of one UTC day. Make daily means first (2000-01-01)");
    close_bench(&bench);

    const struct sst_reader_options stop = {.stop_on_bad = true};
    open_bench(&bench, &archive, &stop);
    const struct sst_field *field = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_reader_get(bench.reader, day_of(0), &field, &err), SST_ERR_TIME);
    close_bench(&bench);
}
END_TEST

START_TEST(a_file_found_bad_is_one_reject_and_its_days_are_listed)
{
    struct archive archive = new_archive("bad");
    archive_add(&archive, "a.nc", plain, 0, 2);
    archive_add(&archive, "b.nc", plain, 2, 3);
    archive_add(&archive, "c.nc", plain, 5, 1);
    archive_add(&archive, "d.nc", plain, 6, 1);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    ck_assert_int_eq(unlink(archive.paths[1]), 0); /* gone */
    const int day = 6;
    day_file_write_one(archive.paths[2], day); /* replaced by another day */
    const int same_day = 6;
    const struct day_file upside_down = {.days = &same_day, .n_days = 1, .south_last = true};
    day_file_write(archive.paths[3], &upside_down);
    for (int number = 0; number < 7; ++number)
        ck_assert_int_eq(get(&bench, number) != NULL, number < 2);
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_days_bad, 5);
    ck_assert_uint_eq(bench.catalog->n_rejects, 3);
    archive_expect_reject(bench.catalog, 0, archive.paths[1], "(2000-01-03)");
    archive_expect_reject(bench.catalog, 1, archive.paths[2], "has changed since it was scanned");
    archive_expect_reject(bench.catalog, 2, archive.paths[3], "has changed since it was scanned");
    close_bench(&bench);
}
END_TEST

START_TEST(an_open_file_is_not_opened_again)
{
    if (way.n_readers > 1 || way.is_short) /* each of them opens it for itself */
        return;
    struct archive archive = new_archive("open");
    archive_add(&archive, "a.nc", plain, 0, 10);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    expect_day(&bench, 0, 0);
    ck_assert_int_eq(unlink(archive.paths[0]), 0);
    for (int number = 1; number < 10; ++number)
        expect_day(&bench, number, 0);
    close_bench(&bench);
}
END_TEST

enum { CHUNK = 50, N_CHUNKED = 800 };

/* Asks for all days in calendar order, as the engine does. */
static void read_in_calendar_order(struct bench *bench, int last_slot)
{
    for (int slot = 1; slot <= last_slot; ++slot) {
        for (int number = 0; number < N_CHUNKED; ++number) {
            if (day_of(number).slot == slot)
                expect_day(bench, number, 0);
        }
    }
}

START_TEST(a_chunk_of_many_steps_is_decoded_when_its_first_is_asked_for)
{
    struct archive archive = new_archive("chunks");
    archive_add(&archive, "years.nc", (struct day_file){.steps_per_chunk = CHUNK}, 0, N_CHUNKED);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    expect_day(&bench, 7, 0);
    expect_decoded(&bench, CHUNK);
    expect_day(&bench, 3, 0);
    expect_decoded(&bench, CHUNK);
    read_in_calendar_order(&bench, SST_N_SLOTS);
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_days_read, N_CHUNKED);
    /* Days 3 and 7 were asked for twice and decoded twice. */
    if (!way.expects) /* else days 3 and 7 may be fetched between */
        expect_decoded(&bench, N_CHUNKED + 2);
    close_bench(&bench);
}
END_TEST

START_TEST(only_wanted_steps_are_decoded_ahead)
{
    struct archive archive = new_archive("wanted");
    archive_add(&archive, "years.nc", (struct day_file){.steps_per_chunk = CHUNK}, 0, N_CHUNKED);
    bool wanted[SST_N_SLOTS + 1] = {false};
    for (int slot = 1; slot <= 10; ++slot)
        wanted[slot] = true;
    const struct sst_pool_rule pools = {
        .leap = SST_LEAP_OWN, .first_year = 2001, .last_year = 2001, .half_window_days = 5};
    const struct sst_reader_options options = {.wanted_slots = wanted, .pools = &pools};
    struct bench bench;
    open_bench(&bench, &archive, &options);
    expect_day(&bench, 366, 0); /* 1 January 2001, the 17th step of its chunk */
    expect_decoded(&bench, 10);
    expect_day(&bench, 731, 0); /* 1 January 2002, of no pool */
    expect_decoded(&bench, 10 + 1);
    close_bench(&bench);
}
END_TEST

START_TEST(a_small_cache_gives_the_same_days)
{
    struct archive archive = new_archive("small_cache");
    archive_add(&archive, "years.nc", (struct day_file){.steps_per_chunk = CHUNK, .has_ice = true}, 0, N_CHUNKED);
    const struct sst_reader_options options = {.cache_bytes = (size_t)5 * DAY_FILE_N_CELLS * 3 + 1};
    struct bench bench;
    open_bench(&bench, &archive, &options);
    expect_day(&bench, 0, 0);
    expect_decoded(&bench, 1 + 5);
    for (int number = 1; number <= 5; ++number)
        expect_day(&bench, number, 0);
    expect_decoded(&bench, 1 + 5);
    expect_day(&bench, 6, 0);
    expect_decoded(&bench, 2 * (1 + 5));
    read_in_calendar_order(&bench, 60);
    close_bench(&bench);
}
END_TEST

START_TEST(masked_cells_are_missing_and_have_no_ice)
{
    struct archive archive = new_archive("mask");
    archive_add(&archive, "a.nc", (struct day_file){.has_ice = true}, 0, 1);
    uint8_t keep[DAY_FILE_N_CELLS];
    memset(keep, 1, sizeof keep);
    keep[1] = keep[8] = 0;
    const struct sst_reader_options options = {.keep = keep};
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    const struct sst_field *field = get(&bench, 0);
    ck_assert(field->has_ice && field->ice[1] == 1 && field->ice[0] == 0);
    close_bench(&bench);
    open_bench(&bench, &archive, &options);
    field = get(&bench, 0);
    for (int cell = 0; cell < DAY_FILE_N_CELLS; ++cell) {
        const int value = day_file_value(0, cell / DAY_FILE_N_LON, cell % DAY_FILE_N_LON);
        ck_assert_int_eq(field->codes[cell], keep[cell] ? value : SST_CODE_MISSING);
        ck_assert_uint_eq(field->ice[cell], 0);
    }
    close_bench(&bench);
}
END_TEST

START_TEST(equal_doubles_join_their_ice)
{
    struct archive archive = new_archive("ice");
    archive_add(&archive, "a.nc", plain, 0, 1);
    archive_add(&archive, "b.nc", (struct day_file){.has_ice = true}, 0, 1);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    const struct sst_field *field = get(&bench, 0);
    ck_assert(field && field->has_ice && field->ice[1] == 1);
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_days_doubled, 1);
    close_bench(&bench);
}
END_TEST

static const double added_thousandths[] = {0.001, 0.004, 0.005, 0.006, 0.015, -0.005, -12.005};

START_TEST(hundredths_of_the_finer_lattice_are_rounded_half_to_even)
{
    struct archive archive = new_archive(test_path("fine%d", _i));
    archive_add(&archive, "a.nc", (struct day_file){.storage = STORED_FLOAT, .added_degc = added_thousandths[_i]}, 0,
                2);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    ck_assert_int_eq(bench.catalog->lattice, SST_LATTICE_MILLI);
    const struct sst_field *field = get(&bench, 1);
    for (int cell = 0; cell < DAY_FILE_N_CELLS - 1; ++cell) {
        const int value = day_file_value(1, cell / DAY_FILE_N_LON, cell % DAY_FILE_N_LON);
        const long thousandths = 10 * value + lround(1000 * added_thousandths[_i]);
        ck_assert_int_eq(field->codes[cell] + 15000, thousandths);
        ck_assert_int_eq(field->hundredths[cell], lrint((double)thousandths / 10.0));
    }
    ck_assert_int_eq(field->codes[DAY_FILE_N_CELLS - 1], SST_CODE_MISSING);
    ck_assert_int_eq(field->hundredths[DAY_FILE_N_CELLS - 1], SST_CODE_MISSING);
    close_bench(&bench);
}
END_TEST

/* Of kelvin as floats, off every lattice: what the file holds, converted and rounded once. The last cell and one more are missing. */
static void expect_degc(const struct sst_field *field, int number, double added, int masked)
{
    ck_assert_ptr_nonnull(field);
    for (int cell = 0; cell < DAY_FILE_N_CELLS; ++cell) {
        const int value = day_file_value(number, cell / DAY_FILE_N_LON, cell % DAY_FILE_N_LON);
        const float stored = (float)(value / 100.0 + added), expected = (float)((double)stored - 273.15);
        if (cell == DAY_FILE_N_CELLS - 1 || cell == masked)
            ck_assert(isnan(field->degc[cell]) && field->codes[cell] == SST_CODE_MISSING);
        else
            ck_assert_msg(field->degc[cell] == expected, "day %d, cell %d: %.9g, not %.9g", number, cell,
                          field->degc[cell], expected);
    }
}

START_TEST(floats_come_unrounded_where_they_are_asked_for)
{
    enum { N_DAYS = 40, MASKED = 8 };
    static const double added = 273.150271;
    const struct day_file kelvin = {.storage = STORED_FLOAT, .added_degc = added, .units = "kelvin"};
    struct day_file turned = kelvin, chunked = kelvin, many = kelvin;
    turned.south_last = true;
    turned.first_lon = -150;
    chunked.steps_per_chunk = 7;
    chunked.first_lon = 90;
    many.deflated = true; /* small steps of one file, which go to a reader together */
    struct archive archive = new_archive("floats");
    if (_i == 0) { /* each step has a slot of its own, until others want it */
        for (int day = 0; day < N_DAYS; ++day)
            archive_add(&archive, test_path("d%02d.nc", day), day % 2 ? turned : kelvin, day, 1);
    } else {
        archive_add(&archive, "a.nc", kelvin, 0, 1); /* whose order of cells is the run's */
        archive_add(&archive, "b.nc", turned, 1, 1);
        archive_add(&archive, "c.nc", chunked, 2, 30);
        archive_add(&archive, "d.nc", many, 32, N_DAYS - 32);
    }
    uint8_t keep[DAY_FILE_N_CELLS];
    memset(keep, 1, sizeof keep);
    keep[MASKED] = 0;
    const struct sst_reader_options options = {
        .wants_degc = true, .keep = keep, .cache_bytes = _i == 2 ? (size_t)3 * DAY_FILE_N_CELLS * 7 : 0};
    struct bench bench;
    open_bench(&bench, &archive, &options);
    const struct sst_field_source *source = sst_reader_source(bench.reader);
    struct sst_error err = {0};
    for (int first = 0; first < N_DAYS; first += SST_MAX_HELD_FIELDS) {
        const struct sst_field *fields[SST_MAX_HELD_FIELDS];
        for (int i = 0; i < SST_MAX_HELD_FIELDS; ++i)
            ck_assert_int_eq(source->get(source->user, day_of((first + 23 * i) % N_DAYS), &fields[i], &err), SST_OK);
        for (int i = 0; i < SST_MAX_HELD_FIELDS; ++i)
            expect_degc(fields[i], (first + 23 * i) % N_DAYS, added, MASKED);
        source->give_back(source->user);
    }
    close_bench(&bench);
    open_bench(&bench, &archive, NULL);
    ck_assert_ptr_null(get(&bench, 0)->degc);
    close_bench(&bench);
}
END_TEST

START_TEST(a_hundred_files_need_few_descriptors)
{
    struct archive archive = new_archive("many");
    for (int day = 0; day < 100; ++day)
        archive_add(&archive, test_path("d%02d.nc", day), (struct day_file){.deflated = day % 2}, day, 1);
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit few = {32, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    for (int i = 0; i < 100; ++i)
        expect_day(&bench, i * 37 % 100, 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    ck_assert_uint_eq(bench.catalog->n_rejects, 0);
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_days_read, 100);
    close_bench(&bench);
}
END_TEST

START_TEST(as_many_fields_as_promised_stay_valid)
{
    struct archive archive = new_archive("held");
    if (_i == 0) {
        for (int day = 0; day < 40; ++day)
            archive_add(&archive, test_path("d%02d.nc", day), plain, day, 1);
    } else {
        archive_add(&archive, "years.nc", (struct day_file){.steps_per_chunk = 7}, 0, 40);
    }
    const struct sst_reader_options options = {.cache_bytes = (size_t)3 * DAY_FILE_N_CELLS * 3};
    struct bench bench;
    open_bench(&bench, &archive, &options);
    const struct sst_field_source *source = sst_reader_source(bench.reader);
    struct sst_error err = {0};
    for (int first = 0; first + (int)source->n_most_held <= 40; first += (int)source->n_most_held) {
        const struct sst_field *fields[SST_MAX_HELD_FIELDS], *more = NULL;
        for (size_t i = 0; i < source->n_most_held; ++i)
            ck_assert_msg(source->get(source->user, day_of((first + 23 * (int)i) % 40), &fields[i], &err) == SST_OK,
                          "%s", err.text);
        ck_assert_int_eq(source->get(source->user, day_of(0), &more, &err), SST_ERR_INTERNAL);
        for (size_t i = 0; i < source->n_most_held; ++i)
            for (int cell = 0; cell < DAY_FILE_N_CELLS; ++cell)
                ck_assert_int_eq(
                    fields[i]->hundredths[cell],
                    day_file_value((first + 23 * (int)i) % 40, cell / DAY_FILE_N_LON, cell % DAY_FILE_N_LON));
        source->give_back(source->user);
    }
    close_bench(&bench);
}
END_TEST

START_TEST(a_day_may_be_asked_for_again_even_while_it_is_held)
{
    struct archive archive = new_archive("again");
    archive_add(&archive, "a.nc", plain, 0, 1);
    archive_add(&archive, "b.nc", (struct day_file){.steps_per_chunk = 4}, 1, 8);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    for (int day = 0; day < 9; day += 3) {
        const struct sst_field *fields[3];
        struct sst_error err = {0};
        for (int i = 0; i < 3; ++i)
            ck_assert_int_eq(sst_reader_take(bench.reader, day_of(day), &fields[i], &err), SST_OK);
        ck_assert(fields[0]->codes != fields[1]->codes && fields[1]->codes != fields[2]->codes);
        for (int i = 1; i < 3; ++i)
            ck_assert_mem_eq(fields[i]->codes, fields[0]->codes, DAY_FILE_N_CELLS * sizeof(int16_t));
        sst_reader_give_back(bench.reader);
        expect_day(&bench, day, 0);
    }
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_days_read, 3);
    close_bench(&bench);
}
END_TEST

/* Days that no reading can save are not fetched ahead: what is counted as read does not depend on who reads. */
START_TEST(days_with_several_stamps_are_not_fetched)
{
    struct archive archive = new_archive("not_fetched");
    archive_add(&archive, "a.nc", plain, 0, 1);
    archive_add(&archive, "b.nc", (struct day_file){.second = -1}, 0, 2);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    expect_day(&bench, 1, 0);
    ck_assert_ptr_null(get(&bench, 0));
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_steps_decoded, 1);
    close_bench(&bench);
}
END_TEST

/* A crew is started anew for the scan, the sampling of values, and each reader; earlier tasks are forgotten. */
START_TEST(a_second_reader_takes_the_crew_over)
{
    struct archive archive = new_archive("second");
    for (int day = 0; day < 20; ++day)
        archive_add(&archive, test_path("d%02d.nc", day), (struct day_file){.storage = STORED_FLOAT}, day, 1);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    for (int round = 0; round < 3; ++round) {
        expect_day(&bench, 3, 0);
        expect_day(&bench, 17, 0);
        sst_reader_destroy(&bench.reader); /* with tasks in hand, and fields that wait */
        open_reader(&bench, NULL);
    }
    expect_day(&bench, 17, 0);
    close_bench(&bench);
}
END_TEST

static bool always(void *user)
{
    (void)user;
    return true;
}

START_TEST(an_interrupted_wait_is_no_fault_of_a_file)
{
    if (way.n_readers == 0) /* there is no wait */
        return;
    struct archive archive = new_archive("interrupted");
    archive_add(&archive, "a.nc", plain, 0, 3);
    struct bench bench;
    open_bench(&bench, &archive, NULL);
    const struct sst_field *field = NULL;
    struct sst_error err = {0};
    expect_day(&bench, 0, 0);
    bench.crew.cancelled = always;
    sst_reader_destroy(&bench.reader);
    open_reader(&bench, NULL);
    ck_assert_int_eq(sst_reader_get(bench.reader, day_of(1), &field, &err), SST_ERR_INTERRUPTED);
    ck_assert_ptr_null(field);
    ck_assert_uint_eq(bench.catalog->n_rejects, 0);
    close_bench(&bench);
}
END_TEST

/* A reader that says that all is well and gives nothing, or has no memory, for the days of one file. */
enum lie { LIE_NO_REPLY, LIE_NOTHING_DECODED, LIE_NO_MEMORY };

static enum lie lie;

static enum sst_status serve_lies(void *state, struct sst_crew_task *task, struct sst_error *err)
{
    static const char marked[] = "liar.nc";
    const enum sst_status rc = sst_serve.serve(state, task, err);
    const unsigned char *bytes = task->request;
    bool is_marked = false;
    for (size_t i = 0; i + sizeof marked <= task->request_bytes; ++i)
        is_marked = is_marked || memcmp(bytes + i, marked, sizeof marked) == 0;
    if (!is_marked || task->slot_bytes == sst_serve_scan_slot_bytes())
        return rc;
    if (lie == LIE_NO_REPLY)
        task->reply_bytes = 0;
    else if (lie == LIE_NOTHING_DECODED)
        memset(task->slot, 0, sizeof(uint64_t));
    return lie == LIE_NO_MEMORY ? sst_fail(err, SST_ERR_NOMEM, "no memory for a chunk") : rc;
}

static enum sst_status open_lies(const void *setup, size_t setup_bytes, void **state, struct sst_error *err)
{
    return sst_serve.open(setup, setup_bytes, state, err);
}

static void close_lies(void *state) { sst_serve.close(state); }

static const struct sst_crew_service lies = {.open = open_lies, .serve = serve_lies, .close = close_lies};

START_TEST(a_reader_out_of_its_mind_costs_one_file)
{
    static const char *const reasons[] = {"its reader gave nonsense", "its reader gave nonsense",
                                          "more than a reader's memory is needed (no memory for a chunk)"};
    if (way.n_readers == 0)
        return;
    struct archive archive = new_archive("lies");
    const size_t steps_per_chunk = _i % 2 ? 3 : 1;
    archive_add(&archive, "a.nc", (struct day_file){.steps_per_chunk = steps_per_chunk}, 0, 3);
    archive_add(&archive, "liar.nc", (struct day_file){.steps_per_chunk = steps_per_chunk}, 3, 3);
    archive_add(&archive, "z.nc", (struct day_file){.steps_per_chunk = steps_per_chunk}, 6, 20);
    lie = (enum lie)(_i / 2);
    struct bench bench = {.reader = NULL};
    launch(&bench, &lies);
    scan(&bench, &archive);
    open_reader(&bench, NULL);
    for (int day = 0; day < 26; ++day) {
        if (day >= 3 && day < 6)
            ck_assert_ptr_null(get(&bench, day));
        else
            expect_day(&bench, day, 0);
    }
    ck_assert_uint_eq(bench.catalog->n_rejects, 1);
    archive_expect_reject(bench.catalog, 0, archive.paths[1], reasons[lie]);
    ck_assert_uint_eq(sst_reader_totals(bench.reader)->n_days_bad, 3);
    close_bench(&bench);
}
END_TEST

static void by_this_process(void) { way = (struct way){.n_readers = 0}; }
static void by_two_that_expect(void) { way = (struct way){.n_readers = 2, .expects = true}; }
static void by_two_short_ones(void) { way = (struct way){.n_readers = 2, .is_short = true, .expects = true}; }

static void add_tests(Suite *suite, const char *name, void (*set_way)(void))
{
    TCase *tc = tcase_create(name);
    tcase_add_checked_fixture(tc, set_way, NULL);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, days_come_out_as_the_files_hold_them_in_any_order);
    tcase_add_test(tc, repeats_count_once_whatever_their_bytes);
    tcase_add_test(tc, unlike_doubles_make_the_day_bad);
    tcase_add_loop_test(tc, a_final_field_stands_before_a_preliminary_one, 0, 2);
    tcase_add_test(tc, a_preliminary_field_is_taken_where_the_final_one_is_unusable);
    tcase_add_test(tc, several_stamps_of_one_day_make_it_bad);
    tcase_add_test(tc, a_file_found_bad_is_one_reject_and_its_days_are_listed);
    tcase_add_test(tc, an_open_file_is_not_opened_again);
    tcase_add_test(tc, a_chunk_of_many_steps_is_decoded_when_its_first_is_asked_for);
    tcase_add_test(tc, only_wanted_steps_are_decoded_ahead);
    tcase_add_test(tc, a_small_cache_gives_the_same_days);
    tcase_add_test(tc, masked_cells_are_missing_and_have_no_ice);
    tcase_add_test(tc, equal_doubles_join_their_ice);
    tcase_add_loop_test(tc, hundredths_of_the_finer_lattice_are_rounded_half_to_even, 0,
                        (int)(sizeof added_thousandths / sizeof added_thousandths[0]));
    tcase_add_loop_test(tc, floats_come_unrounded_where_they_are_asked_for, 0, 3);
    tcase_add_test(tc, a_hundred_files_need_few_descriptors);
    tcase_add_loop_test(tc, as_many_fields_as_promised_stay_valid, 0, 2);
    tcase_add_test(tc, a_day_may_be_asked_for_again_even_while_it_is_held);
    tcase_add_test(tc, days_with_several_stamps_are_not_fetched);
    tcase_add_test(tc, a_second_reader_takes_the_crew_over);
    tcase_add_test(tc, an_interrupted_wait_is_no_fault_of_a_file);
    tcase_add_loop_test(tc, a_reader_out_of_its_mind_costs_one_file, 0, 6);
    suite_add_tcase(suite, tc);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("reader");
    add_tests(suite, "this process", by_this_process);
    add_tests(suite, "two readers that know what comes", by_two_that_expect);
    add_tests(suite, "two short readers", by_two_short_ones);
    return suite;
}
