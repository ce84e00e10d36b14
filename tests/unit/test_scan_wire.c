/* Facts of a file come back from bytes as they were; bytes of a reader out of its mind are refused or harmless. */
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "stream/scan_wire.h"
#include "test_main.h"

enum { N_STEPS = 5, N_LAT = 3, N_LON = 7, MEMO_BYTES = 133, ROOM = 1 << 20, LONG_TEXT = 70000 };

static double lat[N_LAT] = {-10.0, 0.25, 10.5};
static double lon[N_LON] = {30.0, 31.0, 32.0, 33.0, 34.0, -325.0, -324.0};
static const struct sst_grid grid = {N_LAT, N_LON, lat, lon, true, 5};

static const struct sst_step_info steps[N_STEPS] = {
    {{{1981, 244}, 0}}, {{{1981, 245}, 43200}}, {{{2000, 60}, 86399}}, {{{-4, 366}, 1}}, {{{9999, 1}, 2}}};

/* Every field is another value than zero. */
static const struct sst_file_info full = {.path = "not sent",
                                          .format = "netCDF-4",
                                          .variable = "analysed_sst",
                                          .standard_name = "sea_surface_temperature",
                                          .units = "kelvin",
                                          .ice_source = "ice",
                                          .mask_source = "mask",
                                          .title = "a title with \xc3\xa9",
                                          .reading = "chunks read directly: shuffle",
                                          .product = "a product",
                                          .sensor = "a sensor",
                                          .kind = SST_KIND_DEPTH,
                                          .calendar = SST_CALENDAR_ALL_LEAP,
                                          .grid = &grid,
                                          .steps = steps,
                                          .n_steps = N_STEPS,
                                          .steps_per_chunk = 50,
                                          .is_preliminary = true,
                                          .is_packed = true,
                                          .lattice_is_exact = true,
                                          .lattice = SST_LATTICE_MILLI,
                                          .size_bytes = UINT64_C(0x123456789abc)};

static unsigned char *new_bytes(void)
{
    unsigned char *bytes = calloc(ROOM, 1);
    ck_assert_ptr_nonnull(bytes);
    return bytes;
}

static void fill_memo(unsigned char *memo)
{
    for (int i = 0; i < MEMO_BYTES; ++i)
        memo[i] = (unsigned char)(3 * i + 1);
}

/* Writes the full file with two notes. */
static size_t write_full(unsigned char *bytes)
{
    unsigned char memo[MEMO_BYTES];
    struct sst_scan_notes notes = {0};
    fill_memo(memo);
    sst_scan_notes_add(&notes, "units: degrees, taken as degree_Celsius");
    sst_scan_notes_add(&notes, "");
    const size_t n_bytes = sst_scan_wire_write(&full, memo, MEMO_BYTES, &notes, bytes, ROOM);
    ck_assert_uint_gt(n_bytes, 0);
    sst_scan_notes_clear(&notes);
    ck_assert_uint_eq(notes.n, 0);
    return n_bytes;
}

static void expect_texts(const struct sst_file_info *got, const struct sst_file_info *want)
{
    ck_assert_str_eq(got->format, want->format);
    ck_assert_str_eq(got->variable, want->variable);
    ck_assert_str_eq(got->standard_name, want->standard_name);
    ck_assert_str_eq(got->units, want->units);
    ck_assert_str_eq(got->ice_source, want->ice_source);
    ck_assert_str_eq(got->mask_source, want->mask_source);
    ck_assert_str_eq(got->title, want->title);
    ck_assert_str_eq(got->reading, want->reading);
    ck_assert_str_eq(got->product, want->product);
    ck_assert_str_eq(got->sensor, want->sensor);
}

static void expect_numbers(const struct sst_file_info *got, const struct sst_file_info *want)
{
    ck_assert_int_eq(got->kind, want->kind);
    ck_assert_int_eq(got->calendar, want->calendar);
    ck_assert_uint_eq(got->n_steps, want->n_steps);
    ck_assert_mem_eq(got->steps, want->steps, want->n_steps * sizeof *want->steps);
    ck_assert_uint_eq(got->steps_per_chunk, want->steps_per_chunk);
    ck_assert_int_eq(got->is_preliminary, want->is_preliminary);
    ck_assert_int_eq(got->is_packed, want->is_packed);
    ck_assert_int_eq(got->lattice_is_exact, want->lattice_is_exact);
    ck_assert_int_eq(got->lattice, want->lattice);
    ck_assert_uint_eq(got->size_bytes, want->size_bytes);
    ck_assert_uint_eq(got->grid->n_lat, want->grid->n_lat);
    ck_assert_uint_eq(got->grid->n_lon, want->grid->n_lon);
    ck_assert_mem_eq(got->grid->lat, want->grid->lat, want->grid->n_lat * sizeof(double));
    ck_assert_mem_eq(got->grid->lon, want->grid->lon, want->grid->n_lon * sizeof(double));
    ck_assert_int_eq(got->grid->wraps, want->grid->wraps);
    ck_assert_uint_eq(got->grid->canonical_col, want->grid->canonical_col);
}

START_TEST(every_field_comes_back)
{
    unsigned char *bytes = new_bytes(), memo[MEMO_BYTES];
    struct sst_scan_facts facts;
    const size_t n_bytes = write_full(bytes);
    fill_memo(memo);
    ck_assert(sst_scan_wire_read(bytes, n_bytes, "the path", &facts));
    ck_assert_str_eq(facts.info.path, "the path");
    ck_assert_ptr_eq(facts.info.grid, &facts.grid);
    expect_texts(&facts.info, &full);
    expect_numbers(&facts.info, &full);
    ck_assert_uint_eq(facts.memo_bytes, MEMO_BYTES);
    ck_assert_mem_eq(facts.memo, memo, MEMO_BYTES);
    ck_assert_uint_eq(facts.n_notes, 2);
    ck_assert_str_eq(facts.notes, "units: degrees, taken as degree_Celsius");
    ck_assert_str_eq(facts.notes + strlen(facts.notes) + 1, "");
    free(bytes);
}
END_TEST

/* Each flag alone, so that none is taken for another. */
START_TEST(flags_are_told_apart)
{
    unsigned char *bytes = new_bytes();
    for (int flag = 0; flag < 4; ++flag) {
        const struct sst_scan_notes none = {0};
        struct sst_grid other = grid;
        struct sst_file_info info = full;
        struct sst_scan_facts facts;
        other.wraps = flag == 0;
        info.grid = &other;
        info.is_preliminary = flag == 1;
        info.is_packed = flag == 2;
        info.lattice_is_exact = flag == 3;
        const size_t n_bytes = sst_scan_wire_write(&info, NULL, 0, &none, bytes, ROOM);
        ck_assert(sst_scan_wire_read(bytes, n_bytes, "", &facts));
        expect_numbers(&facts.info, &info);
        ck_assert_uint_eq(facts.memo_bytes, 0);
        ck_assert_uint_eq(facts.n_notes, 0);
    }
    free(bytes);
}
END_TEST

/* Each text in its turn is long, and all others empty. */
START_TEST(texts_may_be_empty_or_long)
{
    unsigned char *bytes = new_bytes();
    char *text = malloc(LONG_TEXT + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', LONG_TEXT);
    text[LONG_TEXT] = '\0';
    for (int i = 0; i < 10; ++i) {
        const struct sst_scan_notes none = {0};
        struct sst_file_info info = full;
        struct sst_scan_facts facts;
        const char **const texts[] = {&info.format,     &info.variable,    &info.standard_name, &info.units,
                                      &info.ice_source, &info.mask_source, &info.title,         &info.reading,
                                      &info.product,    &info.sensor};
        for (int k = 0; k < 10; ++k)
            *texts[k] = k == i ? text : "";
        const size_t n_bytes = sst_scan_wire_write(&info, NULL, 0, &none, bytes, ROOM);
        ck_assert_uint_gt(n_bytes, LONG_TEXT);
        ck_assert(sst_scan_wire_read(bytes, n_bytes, "", &facts));
        expect_texts(&facts.info, &info);
    }
    free(text);
    free(bytes);
}
END_TEST

START_TEST(too_little_room_is_told_and_nothing_is_written_beyond)
{
    unsigned char *bytes = new_bytes();
    const struct sst_scan_notes none = {0};
    const size_t n_bytes = sst_scan_wire_write(&full, NULL, 0, &none, bytes, ROOM);
    for (size_t room = 0; room < n_bytes; ++room) {
        unsigned char *exact = malloc(room > 0 ? room : 1);
        ck_assert_ptr_nonnull(exact);
        ck_assert_uint_eq(sst_scan_wire_write(&full, NULL, 0, &none, exact, room), 0);
        free(exact);
    }
    ck_assert_uint_eq(sst_scan_wire_write(&full, NULL, 0, &none, bytes, n_bytes), n_bytes);
    free(bytes);
}
END_TEST

static size_t sum_of(const char *text) { return strlen(text); }

/* Whatever was accepted may be used: everything it points at lies in the bytes. Touches all of it, for the sanitizer. */
static void use(const struct sst_scan_facts *facts, const unsigned char *bytes, size_t n_bytes)
{
    const struct sst_file_info *info = &facts->info;
    const char *const texts[] = {info->format,      info->variable, info->standard_name, info->units,  info->ice_source,
                                 info->mask_source, info->title,    info->reading,       info->product};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        ck_assert_uint_lt(sum_of(texts[i]), n_bytes);
    const char *note = facts->notes;
    for (size_t i = 0; i < facts->n_notes; ++i, note += strlen(note) + 1)
        ck_assert(note >= (const char *)bytes && note < (const char *)bytes + n_bytes);
    for (size_t i = 0; i < info->n_steps; ++i) {
        ck_assert(info->steps[i].at.day.slot >= 1 && info->steps[i].at.day.slot <= SST_N_SLOTS);
        ck_assert(info->steps[i].at.second >= 0 && info->steps[i].at.second < 86400);
    }
    for (size_t i = 0; i < info->grid->n_lat; ++i)
        ck_assert(info->grid->lat[i] == info->grid->lat[i]);
    for (size_t i = 0; i < info->grid->n_lon; ++i)
        ck_assert(info->grid->lon[i] == info->grid->lon[i]);
    unsigned char memo[SST_FILE_MEMO_MAX];
    ck_assert_uint_le(facts->memo_bytes, sizeof memo);
    memcpy(memo, facts->memo, facts->memo_bytes);
    ck_assert_uint_lt(info->grid->canonical_col, info->grid->n_lon);
    ck_assert_uint_gt(info->steps_per_chunk, 0);
    ck_assert(info->kind >= SST_KIND_UNKNOWN && info->kind <= SST_KIND_DEPTH);
    ck_assert(info->calendar >= SST_CALENDAR_STANDARD && info->calendar <= SST_CALENDAR_360_DAY);
    ck_assert(info->lattice == SST_LATTICE_CENTI || info->lattice == SST_LATTICE_MILLI);
}

/* A copy in memory of exactly its size, so that a step beyond is seen. */
static bool read_copy(const unsigned char *bytes, size_t n_bytes)
{
    struct sst_scan_facts facts;
    unsigned char *copy = malloc(n_bytes > 0 ? n_bytes : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, n_bytes);
    const bool is_accepted = sst_scan_wire_read(copy, n_bytes, "hostile.nc", &facts);
    if (is_accepted)
        use(&facts, copy, n_bytes);
    free(copy);
    return is_accepted;
}

START_TEST(bytes_cut_short_or_drawn_out_are_refused)
{
    unsigned char *bytes = new_bytes();
    const size_t n_bytes = write_full(bytes);
    ck_assert(read_copy(bytes, n_bytes));
    for (size_t n = 0; n < n_bytes; ++n)
        ck_assert_msg(!read_copy(bytes, n), "%zu bytes of %zu are accepted", n, n_bytes);
    ck_assert(!read_copy(bytes, n_bytes + 8));
    free(bytes);
}
END_TEST

START_TEST(bytes_of_a_reader_out_of_its_mind_do_no_harm)
{
    enum { N_FLIPS = 10000, HEAD_BYTES = 96 };
    static const unsigned char extremes[] = {0, 1, 0x7f, 0x80, 0xff};
    struct test_random random = {20260101};
    unsigned char *bytes = new_bytes(), *changed = new_bytes();
    const size_t n_bytes = write_full(bytes);
    int n_refused = 0;
    for (int i = 0; i < N_FLIPS; ++i) {
        const size_t range = i % 2 ? HEAD_BYTES : n_bytes; /* half of them in the head alone */
        memcpy(changed, bytes, n_bytes);
        for (int k = 0; k <= i % 3; ++k) {
            const size_t at = (size_t)test_random_below(&random, (int)range);
            changed[at] = i % 5 ? (unsigned char)test_random_below(&random, 256)
                                : extremes[test_random_below(&random, (int)sizeof extremes)];
        }
        n_refused += !read_copy(changed, n_bytes);
    }
    ck_assert_int_gt(n_refused, N_FLIPS / 4);
    free(bytes);
    free(changed);
}
END_TEST

/* What the program would index tables with. */
START_TEST(days_and_kinds_that_there_are_not_are_refused)
{
    static const struct sst_instant bad[] = {{{2000, 0}, 0},  {{2000, -1}, 0},    {{2000, 367}, 0},   {{2000000, 1}, 0},
                                             {{2000, 1}, -1}, {{2000, 1}, 86400}, {{INT32_MIN, 1}, 0}};
    unsigned char *bytes = new_bytes();
    const struct sst_scan_notes none = {0};
    struct sst_scan_facts facts;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        struct sst_step_info last[2] = {steps[0], {bad[i]}};
        struct sst_file_info info = full;
        info.steps = last;
        info.n_steps = 2;
        const size_t n_bytes = sst_scan_wire_write(&info, NULL, 0, &none, bytes, ROOM);
        ck_assert_msg(!sst_scan_wire_read(bytes, n_bytes, "", &facts), "day %zu is accepted", i);
    }
    struct sst_file_info short_year = full;
    short_year.calendar = SST_CALENDAR_360_DAY; /* has no slot 366 */
    size_t n_bytes = sst_scan_wire_write(&short_year, NULL, 0, &none, bytes, ROOM);
    ck_assert(!sst_scan_wire_read(bytes, n_bytes, "", &facts));
    struct sst_file_info unknown = full;
    unknown.calendar = (enum sst_calendar_kind)(SST_CALENDAR_360_DAY + 1);
    n_bytes = sst_scan_wire_write(&unknown, NULL, 0, &none, bytes, ROOM);
    ck_assert(!sst_scan_wire_read(bytes, n_bytes, "", &facts));
    free(bytes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scan_wire");
    TCase *tests = tcase_create("wire");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, every_field_comes_back);
    tcase_add_test(tests, flags_are_told_apart);
    tcase_add_test(tests, texts_may_be_empty_or_long);
    tcase_add_test(tests, too_little_room_is_told_and_nothing_is_written_beyond);
    tcase_add_test(tests, bytes_cut_short_or_drawn_out_are_refused);
    tcase_add_test(tests, bytes_of_a_reader_out_of_its_mind_do_no_harm);
    tcase_add_test(tests, days_and_kinds_that_there_are_not_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
