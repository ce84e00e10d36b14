/* Tables of areas and regions: a header, a line each of as many fields, a revised day in its line alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "feed_fixture.h"
#include "monitor/feed_regions.h"
#include "test_main.h"

static const struct even_axis rows = {-15, 10, 4}, cols = {5, 10, 36};

#define BOX                                                                                                            \
    "{\"type\":\"Feature\",\"properties\":{\"name\":\"box\"},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":"      \
    "[[[0,0],[40,0],[40,10],[0,10],[0,0]]]}}"

static void open_fixture(struct feed_fixture *fixture)
{
    feed_fixture_open(fixture, rows, cols);
    feed_fixture_add_regions(fixture, BOX);
}

/* Line i, from 0, without its end, which must be CR LF; NULL: there is none. Owner: the caller, free. */
static char *line_of(const struct sst_text *text, size_t i)
{
    const char *at = text->data;
    for (; i > 0; --i) {
        at = strstr(at, "\r\n");
        ck_assert_ptr_nonnull(at);
        at += 2;
    }
    if (!*at)
        return NULL;
    const char *end = strstr(at, "\r\n");
    ck_assert_ptr_nonnull(end);
    return strndup(at, (size_t)(end - at));
}

static size_t n_fields(const char *line)
{
    size_t n = 1;
    for (; *line; ++line) {
        ck_assert(*line != '"' && *line != '\n');
        n += *line == ',';
    }
    return n;
}

/* Field of a line under a name of the header. Borrowed until the next call. */
static const char *field(const struct sst_text *text, size_t line, const char *name)
{
    static char out[128];
    char *header = line_of(text, 0), *values = line_of(text, line), *header_rest = header, *values_rest = values;
    const char *key = NULL, *value = NULL;
    ck_assert_ptr_nonnull(values);
    ck_assert_uint_eq(n_fields(header), n_fields(values));
    do {
        key = strsep(&header_rest, ",");
        value = strsep(&values_rest, ",");
        ck_assert_msg(key != NULL, "no field '%s'", name);
    } while (strcmp(key, name) != 0);
    ck_assert_uint_lt(strlen(value), sizeof out);
    strcpy(out, value);
    free(header);
    free(values);
    return out;
}

static void check_n_lines(const struct sst_text *text, size_t n)
{
    char *last = line_of(text, n - 1), *beyond = line_of(text, n);
    ck_assert_ptr_nonnull(last);
    ck_assert_ptr_null(beyond);
    free(last);
}

static struct sst_feed_region_line line_for(const struct feed_fixture *fixture, int month_day, int revision)
{
    return (struct sst_feed_region_line){{2026, sst_calendar_slot(SST_CALENDAR_STANDARD, 11, month_day)},
                                         revision,
                                         false,
                                         fixture->day.is_preliminary,
                                         &fixture->region_days[0]};
}

static enum sst_status put(const struct feed_fixture *fixture, const struct sst_feed_region_line *lines, size_t n,
                           const struct sst_text *old, struct sst_text *out, struct sst_error *err)
{
    const struct sst_feed_old_csv file = {old ? old->data : NULL, old ? old->size : 0, "regions/box.csv"};
    return sst_feed_region_csv(&fixture->about, 0, lines, n, &file, out, err);
}

static void must_put(const struct feed_fixture *fixture, const struct sst_feed_region_line *lines, size_t n,
                     const struct sst_text *old, struct sst_text *out)
{
    struct sst_error err = {0};
    ck_assert_msg(put(fixture, lines, n, old, out, &err) == SST_OK, "%s", err.text);
}

START_TEST(areas_are_listed_with_what_is_known)
{
    struct feed_fixture fixture;
    struct sst_text text = {0};
    struct sst_error err = {0};
    open_fixture(&fixture);
    feed_fixture_heat(&fixture, 36 + 3, 2);
    feed_fixture_step(&fixture);
    feed_fixture_heat(&fixture, 36 + 4, 0);
    feed_fixture_heat(&fixture, 36 + 20, 1);
    feed_fixture_step(&fixture);
    struct sst_feed_areas areas = feed_fixture_areas(&fixture);
    ck_assert_int_eq(sst_feed_areas_csv(&areas, &text, &err), SST_OK);
    check_n_lines(&text, 3);
    ck_assert_str_eq(field(&text, 1, "area_id"), "20261130-5.00S-35.00E");
    ck_assert_str_eq(field(&text, 1, "status"), "ongoing");
    ck_assert_str_eq(field(&text, 1, "date_start"), "2026-11-30");
    ck_assert_str_eq(field(&text, 1, "date_end"), "2026-12-01");
    ck_assert_str_eq(field(&text, 1, "duration"), "2");
    ck_assert_str_eq(field(&text, 1, "intensity_max"), "3.750");
    ck_assert_str_eq(field(&text, 1, "intensity_mean_last_day"), "2.250");
    ck_assert_str_eq(field(&text, 1, "category"), "strong");
    ck_assert_str_eq(field(&text, 1, "merged_into"), "");
    ck_assert_str_eq(field(&text, 1, "revision"), "2");
    ck_assert_str_eq(field(&text, 1, "input_status"), "preliminary");
    ck_assert_double_eq_tol(strtod(field(&text, 1, "area_km2"), NULL), fixture.day.areas[0].km2, 0.051);
    ck_assert_str_eq(field(&text, 2, "lon"), "-155.000");
    /* Without the small one, and with one that is gone. */
    const struct sst_feed_past_area past = {.area = {.id = fixture.day.areas[0].id + 1,
                                                     .status = SST_AREA_MERGED,
                                                     .merged_into = fixture.day.areas[0].id,
                                                     .first = {2026, 300},
                                                     .last = {2026, 301},
                                                     .peak = {2026, 300},
                                                     .mean_intensity = NAN,
                                                     .most_km2 = 9e6},
                                            .revision = 7};
    areas.past = &past;
    areas.n_past = 1;
    areas.min_km2 = 2e6;
    sst_text_clear(&text);
    ck_assert_int_eq(sst_feed_areas_csv(&areas, &text, &err), SST_OK);
    check_n_lines(&text, 3);
    ck_assert_str_eq(field(&text, 2, "status"), "merged");
    ck_assert_str_eq(field(&text, 2, "merged_into"), "20261130-5.00S-35.00E");
    ck_assert_str_eq(field(&text, 2, "intensity_mean_last_day"), "");
    ck_assert_str_eq(field(&text, 2, "revision"), "7");
    sst_text_clear(&text);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(no_area_leaves_the_header_alone)
{
    struct feed_fixture fixture;
    struct sst_text text = {0};
    struct sst_error err = {0};
    open_fixture(&fixture);
    feed_fixture_step(&fixture);
    const struct sst_feed_areas areas = feed_fixture_areas(&fixture);
    ck_assert_int_eq(sst_feed_areas_csv(&areas, &text, &err), SST_OK);
    check_n_lines(&text, 1);
    sst_text_clear(&text);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(a_region_has_a_line_a_day_with_its_denominators)
{
    struct feed_fixture fixture;
    struct sst_text text = {0};
    open_fixture(&fixture);
    feed_fixture_heat(&fixture, 2 * 36, 3);
    feed_fixture_heat(&fixture, 2 * 36 + 2, 0);
    feed_fixture_hide(&fixture, 2 * 36 + 1);
    feed_fixture_step(&fixture);
    const struct sst_feed_region_line line = line_for(&fixture, 30, 2);
    must_put(&fixture, &line, 1, NULL, &text);
    check_n_lines(&text, 2);
    ck_assert_str_eq(field(&text, 1, "region"), "box");
    ck_assert_str_eq(field(&text, 1, "date"), "2026-11-30");
    ck_assert_str_eq(field(&text, 1, "revision"), "2");
    ck_assert_str_eq(field(&text, 1, "input_status"), "preliminary");
    ck_assert_str_eq(field(&text, 1, "event_share"), "0.666667");
    ck_assert_str_eq(field(&text, 1, "unknown_share"), "0.250000");
    ck_assert_str_eq(field(&text, 1, "moderate_km2"), "0.0");
    ck_assert_double_eq_tol(strtod(field(&text, 1, "known_km2"), NULL), fixture.region_days[0].known_km2, 0.051);
    ck_assert_double_eq_tol(strtod(field(&text, 1, "severe_km2"), NULL), fixture.region_days[0].category_km2[3], 0.051);
    ck_assert_double_eq_tol(strtod(field(&text, 1, "bridged_km2"), NULL), fixture.region_days[0].category_km2[0],
                            0.051);
    ck_assert_str_eq(field(&text, 1, "intensity_max"), "5.250");
    ck_assert_str_eq(field(&text, 1, "lat_max"), "5.000");
    ck_assert_str_eq(field(&text, 1, "lon_max"), "5.000");
    sst_text_clear(&text);
    /* Nothing is known: empty, not 0. */
    for (size_t cell = 0; cell < fixture.domain.n_cells; ++cell)
        feed_fixture_hide(&fixture, cell);
    feed_fixture_step(&fixture);
    struct sst_feed_region_line absent = line_for(&fixture, 30, 1);
    absent.is_absent = true;
    must_put(&fixture, &absent, 1, NULL, &text);
    ck_assert_str_eq(field(&text, 1, "input_status"), "missing");
    ck_assert_str_eq(field(&text, 1, "event_share"), "");
    ck_assert_str_eq(field(&text, 1, "intensity_max"), "");
    ck_assert_str_eq(field(&text, 1, "lat_max"), "");
    ck_assert_str_eq(field(&text, 1, "known_km2"), "0.0");
    sst_text_clear(&text);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(a_revised_day_changes_its_line_alone)
{
    struct feed_fixture fixture;
    struct sst_text text = {0}, after = {0}, once = {0};
    open_fixture(&fixture);
    feed_fixture_step(&fixture);
    const struct sst_feed_region_line first[] = {line_for(&fixture, 10, 1), line_for(&fixture, 12, 1),
                                                 line_for(&fixture, 14, 1)};
    const struct sst_feed_region_line second[] = {line_for(&fixture, 9, 1), line_for(&fixture, 12, 5),
                                                  line_for(&fixture, 13, 1), line_for(&fixture, 15, 1)};
    const struct sst_feed_region_line all[] = {line_for(&fixture, 9, 1),  line_for(&fixture, 10, 1),
                                               line_for(&fixture, 12, 5), line_for(&fixture, 13, 1),
                                               line_for(&fixture, 14, 1), line_for(&fixture, 15, 1)};
    must_put(&fixture, first, 3, NULL, &text);
    must_put(&fixture, second, 4, &text, &after);
    must_put(&fixture, all, 6, NULL, &once);
    ck_assert_str_eq(after.data, once.data);
    check_n_lines(&after, 7);
    sst_text_clear(&text);
    must_put(&fixture, NULL, 0, &after, &text);
    ck_assert_str_eq(text.data, once.data);
    sst_text_clear(&text);
    sst_text_clear(&after);
    sst_text_clear(&once);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(a_file_that_is_not_ours_is_refused)
{
    struct feed_fixture fixture;
    struct sst_text good = {0}, bad = {0}, out = {0};
    struct sst_error err = {0};
    open_fixture(&fixture);
    feed_fixture_step(&fixture);
    const struct sst_feed_region_line line = line_for(&fixture, 10, 1), later = line_for(&fixture, 11, 1);
    must_put(&fixture, &line, 1, NULL, &good);
    sst_text_add(&bad, "date,share\r\n2026-11-10,1\r\n");
    ck_assert_int_eq(put(&fixture, &later, 1, &bad, &out, &err), SST_ERR_INPUT);
    ck_assert_str_eq(err.text, "regions/box.csv: its first line is not in the form of this program. Run 'sststream "
                               "feed rebuild' to make it anew");
    sst_error_clear(&err);
    bad.size = 0;
    sst_text_add_bytes(&bad, good.data, good.size - 4);
    ck_assert_int_eq(put(&fixture, &later, 1, &bad, &out, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "its last line is not in the form"));
    sst_error_clear(&err);
    bad.size = 0;
    sst_text_add_bytes(&bad, good.data, good.size);
    sst_text_add(&bad, "other,2026-11-11,1\r\n");
    ck_assert_int_eq(put(&fixture, &later, 1, &bad, &out, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "the line 'other,2026-11-11,1"));
    sst_text_clear(&good);
    sst_text_clear(&bad);
    sst_text_clear(&out);
    feed_fixture_close(&fixture);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_csv");
    TCase *tc = tcase_create("feed_csv");
    tcase_add_test(tc, areas_are_listed_with_what_is_known);
    tcase_add_test(tc, no_area_leaves_the_header_alone);
    tcase_add_test(tc, a_region_has_a_line_a_day_with_its_denominators);
    tcase_add_test(tc, a_revised_day_changes_its_line_alone);
    tcase_add_test(tc, a_file_that_is_not_ours_is_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
