/* Areas and regions as GeoJSON keep RFC 7946, and say what areas and regions are. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "feed_fixture.h"
#include "monitor/feed_regions.h"
#include "test_main.h"

static const struct even_axis globe_lat = {-85, 10, 18}, globe_lon = {5, 10, 36};

/* --- reading back ------------------------------------------------------------------------------------------------- */

static json_t *parsed(struct sst_text *text)
{
    json_error_t where;
    json_t *whole = json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES, &where);
    ck_assert_msg(whole != NULL, "line %d: %s", where.line, where.text);
    sst_text_clear(text);
    return whole;
}

static json_t *areas_of(const struct sst_feed_areas *areas)
{
    struct sst_text text = {0};
    struct sst_error err = {0};
    ck_assert_msg(sst_feed_areas_geojson(areas, &text, &err) == SST_OK, "%s", err.text);
    return parsed(&text);
}

static json_t *regions_of(const struct feed_fixture *fixture)
{
    struct sst_text text = {0};
    struct sst_error err = {0};
    ck_assert_msg(sst_feed_regions_geojson(&fixture->about, &fixture->day, fixture->state.now, &text, &err) == SST_OK,
                  "%s", err.text);
    return parsed(&text);
}

static const json_t *member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(value != NULL, "no '%s'", key);
    return value;
}

static const char *text_of(const json_t *object, const char *key) { return json_string_value(member(object, key)); }
static double number_of(const json_t *object, const char *key) { return json_number_value(member(object, key)); }

static const json_t *feature(const json_t *whole, size_t i) { return json_array_get(member(whole, "features"), i); }

static double at(const json_t *position, size_t i) { return json_number_value(json_array_get(position, i)); }

/* Twice the area, anticlockwise positive; after the checks of RFC 7946, 3.1.6 and 3.1.9. */
static double check_ring(const json_t *ring)
{
    const size_t n = json_array_size(ring);
    double twice = 0;
    ck_assert_uint_ge(n, 4);
    ck_assert(json_equal(json_array_get(ring, 0), json_array_get(ring, n - 1)));
    for (size_t i = 0; i + 1 < n; ++i) {
        const json_t *a = json_array_get(ring, i), *b = json_array_get(ring, i + 1);
        ck_assert_uint_eq(json_array_size(a), 2);
        ck_assert_double_le(fabs(at(a, 0)), 180);
        ck_assert_double_le(fabs(at(a, 1)), 90);
        ck_assert_double_le(fabs(at(a, 0) - at(b, 0)), 359.99);
        ck_assert(!json_equal(a, b));
        twice += at(a, 0) * at(b, 1) - at(b, 0) * at(a, 1);
    }
    return twice;
}

/* Sum of twice the areas of all rings, holes negative: in degrees, what the shapes cover. */
static double check_geometry(const json_t *geometry, size_t *n_polygons, size_t *n_holes)
{
    const bool is_many = strcmp(text_of(geometry, "type"), "MultiPolygon") == 0;
    const json_t *coordinates = member(geometry, "coordinates");
    double sum = 0;
    if (!is_many)
        ck_assert_str_eq(text_of(geometry, "type"), "Polygon");
    *n_polygons = is_many ? json_array_size(coordinates) : 1;
    *n_holes = 0;
    ck_assert_uint_ge(*n_polygons, is_many ? 2 : 1);
    for (size_t p = 0; p < *n_polygons; ++p) {
        const json_t *polygon = is_many ? json_array_get(coordinates, p) : coordinates;
        for (size_t r = 0; r < json_array_size(polygon); ++r) {
            const double twice = check_ring(json_array_get(polygon, r));
            if (r == 0)
                ck_assert_double_gt(twice, 0);
            else
                ck_assert_double_lt(twice, 0);
            *n_holes += r > 0;
            sum += twice;
        }
    }
    return sum;
}

static void check_box(const json_t *object, double west, double south, double east, double north)
{
    const json_t *box = member(object, "bbox");
    ck_assert_uint_eq(json_array_size(box), 4);
    ck_assert_double_eq(at(box, 0), west);
    ck_assert_double_eq(at(box, 1), south);
    ck_assert_double_eq(at(box, 2), east);
    ck_assert_double_eq(at(box, 3), north);
}

/* --- areas -------------------------------------------------------------------------------------------------------- */

static void heat_block(struct feed_fixture *fixture, size_t row, size_t col, size_t n_rows, size_t n_cols, int category)
{
    for (size_t r = row; r < row + n_rows; ++r)
        for (size_t c = col; c < col + n_cols; ++c)
            feed_fixture_heat(fixture, r * fixture->domain.n_cols + c % fixture->domain.n_cols, category);
}

START_TEST(an_area_has_its_outline_its_hole_and_its_numbers)
{
    struct feed_fixture fixture;
    size_t n_polygons = 0, n_holes = 0;
    feed_fixture_open(&fixture, globe_lat, globe_lon);
    heat_block(&fixture, 8, 4, 3, 3, 2); /* 5 S to 25 N, 40 to 70 E, with a hole */
    feed_fixture_make_land(&fixture, 9 * 36 + 5);
    feed_fixture_step(&fixture);
    const struct sst_feed_areas areas = feed_fixture_areas(&fixture);
    json_t *whole = areas_of(&areas);
    ck_assert_str_eq(text_of(whole, "type"), "FeatureCollection");
    ck_assert_ptr_null(json_object_get(whole, "crs"));
    const json_t *metadata = member(whole, "metadata"), *one = feature(whole, 0);
    ck_assert_str_eq(text_of(metadata, "generated"), "2026-12-02T01:00:00Z");
    ck_assert_str_eq(text_of(metadata, "title"), fixture.about.title);
    ck_assert_str_eq(text_of(metadata, "day"), "2026-11-30");
    ck_assert_str_eq(text_of(metadata, "input_status"), "preliminary");
    ck_assert_str_eq(text_of(metadata, "valid_until_revised"), "2026-12-27");
    ck_assert_int_eq(json_integer_value(member(metadata, "count")), 1);
    ck_assert_int_eq(json_integer_value(member(metadata, "revision")), 2);
    ck_assert_double_eq(check_geometry(member(one, "geometry"), &n_polygons, &n_holes), 2 * (900 - 100));
    ck_assert_uint_eq(n_polygons, 1);
    ck_assert_uint_eq(n_holes, 1);
    check_box(one, 40, -10, 70, 20);
    check_box(whole, 40, -10, 70, 20);
    const json_t *properties = member(one, "properties");
    ck_assert_str_eq(text_of(one, "id"), "20261130-5.00S-45.00E");
    ck_assert_str_eq(text_of(properties, "id"), "20261130-5.00S-45.00E");
    ck_assert_str_eq(text_of(properties, "status"), "ongoing");
    ck_assert_str_eq(text_of(properties, "first"), "2026-11-30");
    ck_assert_str_eq(text_of(properties, "category_name"), "strong");
    ck_assert_int_eq(json_integer_value(member(properties, "category")), 2);
    ck_assert_double_eq_tol(number_of(properties, "area_km2"), fixture.day.areas[0].km2, 0.051);
    ck_assert_double_eq(number_of(properties, "intensity_max"), 3.75);
    ck_assert(json_is_null(member(properties, "merged_into")));
    json_decref(whole);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(an_area_across_180_degrees_is_cut_and_its_box_crosses)
{
    struct feed_fixture fixture;
    size_t n_polygons = 0, n_holes = 0;
    feed_fixture_open(&fixture, globe_lat, globe_lon);
    heat_block(&fixture, 9, 16, 2, 4, 1); /* 160 E to 160 W */
    feed_fixture_step(&fixture);
    const struct sst_feed_areas areas = feed_fixture_areas(&fixture);
    json_t *whole = areas_of(&areas);
    ck_assert_double_eq(check_geometry(member(feature(whole, 0), "geometry"), &n_polygons, &n_holes), 2 * 800);
    ck_assert_uint_eq(n_polygons, 2);
    check_box(feature(whole, 0), 160, 0, -160, 20);
    json_decref(whole);
    /* All round the globe there is no gap. */
    heat_block(&fixture, 9, 0, 1, 36, 1);
    feed_fixture_step(&fixture);
    const struct sst_feed_areas round = feed_fixture_areas(&fixture);
    whole = areas_of(&round);
    check_box(feature(whole, 0), -180, 0, 180, 20);
    json_decref(whole);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(small_areas_are_left_out_and_counted)
{
    struct feed_fixture fixture;
    feed_fixture_open(&fixture, globe_lat, globe_lon);
    heat_block(&fixture, 8, 4, 3, 3, 1);
    heat_block(&fixture, 16, 20, 1, 1, 1);
    feed_fixture_step(&fixture);
    struct sst_feed_areas areas = feed_fixture_areas(&fixture);
    areas.min_km2 = 1e6;
    json_t *whole = areas_of(&areas);
    ck_assert_uint_eq(json_array_size(member(whole, "features")), 1);
    ck_assert_int_eq(json_integer_value(member(member(whole, "metadata"), "smaller_areas_left_out")), 1);
    ck_assert_double_eq(number_of(member(whole, "metadata"), "least_area_km2"), 1e6);
    json_decref(whole);
    /* One that once was large is listed until it is gone. */
    feed_fixture_calm(&fixture);
    heat_block(&fixture, 8, 4, 1, 1, 1);
    feed_fixture_step(&fixture);
    areas = feed_fixture_areas(&fixture);
    areas.min_km2 = 5e6;
    whole = areas_of(&areas);
    ck_assert_uint_eq(json_array_size(member(whole, "features")), 1);
    json_decref(whole);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(areas_that_are_gone_have_no_geometry)
{
    struct feed_fixture fixture;
    feed_fixture_open(&fixture, globe_lat, globe_lon);
    heat_block(&fixture, 8, 4, 1, 1, 1);
    heat_block(&fixture, 8, 6, 2, 1, 3);
    feed_fixture_step(&fixture);
    heat_block(&fixture, 8, 5, 1, 1, 1);
    feed_fixture_step(&fixture);
    ck_assert_uint_eq(fixture.day.n_gone, 1);
    const struct sst_feed_past_area past = {fixture.day.areas[fixture.day.n_present], 4};
    struct sst_feed_areas areas = feed_fixture_areas(&fixture);
    areas.past = &past;
    areas.n_past = 1;
    json_t *whole = areas_of(&areas);
    ck_assert_uint_eq(json_array_size(member(whole, "features")), 2);
    const json_t *gone = feature(whole, 1), *properties = member(gone, "properties");
    ck_assert(json_is_null(member(gone, "geometry")));
    ck_assert_ptr_null(json_object_get(gone, "bbox"));
    ck_assert_str_eq(text_of(properties, "status"), "merged");
    ck_assert_str_eq(text_of(properties, "merged_into"), text_of(feature(whole, 0), "id"));
    ck_assert_str_eq(text_of(properties, "last"), "2026-11-30");
    ck_assert_int_eq(json_integer_value(member(properties, "revision")), 4);
    ck_assert_double_eq(number_of(properties, "lon"), 45);
    json_decref(whole);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(an_empty_and_an_absent_day_are_collections_of_nothing)
{
    struct feed_fixture fixture;
    feed_fixture_open(&fixture, globe_lat, globe_lon);
    for (size_t cell = 0; cell < fixture.domain.n_cells; ++cell)
        feed_fixture_hide(&fixture, cell);
    fixture.day.is_absent = true;
    feed_fixture_step(&fixture);
    struct sst_feed_areas areas = feed_fixture_areas(&fixture);
    areas.tracker = NULL;
    json_t *whole = areas_of(&areas);
    ck_assert(json_is_array(member(whole, "features")));
    ck_assert_uint_eq(json_array_size(member(whole, "features")), 0);
    ck_assert_ptr_null(json_object_get(whole, "bbox"));
    ck_assert_str_eq(text_of(member(whole, "metadata"), "input_status"), "missing");
    json_decref(whole);
    feed_fixture_close(&fixture);
}
END_TEST

/* --- regions ------------------------------------------------------------------------------------------------------ */

#define RING(...) "[" __VA_ARGS__ "]"
#define POLYGON_FEATURE(name, title, rings)                                                                            \
    "{\"type\":\"Feature\",\"properties\":{\"name\":\"" name "\",\"title\":\"" title                                   \
    "\"},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[" rings "]}}"
#define COLLECTION(features) "{\"type\":\"FeatureCollection\",\"features\":[" features "]}"

START_TEST(a_region_is_cut_at_180_degrees_and_keeps_its_hole)
{
    struct feed_fixture fixture;
    size_t n_polygons = 0, n_holes = 0;
    feed_fixture_open(&fixture, globe_lat, globe_lon);
    /* Clockwise, in 0..360, with a hole across the meridian that is not clockwise against it. */
    feed_fixture_add_regions(
        &fixture, COLLECTION(POLYGON_FEATURE("across", "Caf\\u00e9 \\\"A\\\" <b>&amp; \\n",
                                             RING("[160,-20],[160,20],[200,20],[200,-20],[160,-20]") "," RING(
                                                 "[170,-10],[170,10],[190,10],[190,-10],[170,-10]"))));
    feed_fixture_step(&fixture);
    json_t *whole = regions_of(&fixture);
    const json_t *one = feature(whole, 0);
    ck_assert_double_eq(check_geometry(member(one, "geometry"), &n_polygons, &n_holes), 2 * (1600 - 400));
    ck_assert_uint_eq(n_polygons, 2);
    ck_assert_uint_eq(n_holes, 2);
    check_box(one, 160, -20, -160, 20);
    ck_assert_str_eq(text_of(one, "id"), "across");
    ck_assert_str_eq(text_of(member(one, "properties"), "title"), "Caf\xC3\xA9 \"A\" <b>&amp; \n");
    json_decref(whole);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(rings_beyond_360_degrees_and_round_the_globe_are_brought_home)
{
    struct feed_fixture fixture;
    size_t n_polygons = 0, n_holes = 0;
    feed_fixture_open(&fixture, globe_lat, globe_lon);
    feed_fixture_add_regions(
        &fixture,
        COLLECTION(POLYGON_FEATURE("round", "", RING("[0,-60],[360,-60],[360,60],[0,60],[0,-60]")) "," POLYGON_FEATURE(
            "far", "",
            RING("[-400,0],[-370,0],[-370,30],[-400,30],[-400,0]")) "," POLYGON_FEATURE("triangle", "",
                                                                                        RING("[170,0],[190,0],[190,40],"
                                                                                             "[170,0]"))));
    feed_fixture_step(&fixture);
    json_t *whole = regions_of(&fixture);
    ck_assert_double_eq(check_geometry(member(feature(whole, 0), "geometry"), &n_polygons, &n_holes), 2 * 360 * 120);
    ck_assert_uint_eq(n_polygons, 2);
    check_box(feature(whole, 0), -180, -60, 180, 60);
    ck_assert_double_eq(check_geometry(member(feature(whole, 1), "geometry"), &n_polygons, &n_holes), 2 * 900);
    ck_assert_uint_eq(n_polygons, 1);
    check_box(feature(whole, 1), -40, 0, -10, 30);
    /* The slope is cut where it crosses. */
    ck_assert_double_eq_tol(check_geometry(member(feature(whole, 2), "geometry"), &n_polygons, &n_holes), 800, 1e-9);
    ck_assert_uint_eq(n_polygons, 2);
    check_box(feature(whole, 2), 170, 0, -170, 40);
    json_decref(whole);
    feed_fixture_close(&fixture);
}
END_TEST

static const char nested[] = "{\"type\":\"Feature\",\"properties\":{\"name\":\"nested\"},"
                             "\"geometry\":{\"type\":\"Polygon\",\"coordinates\":["
                             "[[-10,-10],[10,-10],[10,10],[-10,10],[-10,-10]],"
                             "[[-20,-20],[20,-20],[20,20],[-20,20],[-20,-20]],"
                             "[[-30,-30],[30,-30],[30,30],[-30,30],[-30,-30]],"
                             "[[-40,-40],[40,-40],[40,40],[-40,40],[-40,-40]]]}}";

/* A lake on an island in a hole: each hole belongs to the ring right round it. */
START_TEST(rings_within_rings_take_turns)
{
    struct feed_fixture fixture;
    size_t n_polygons = 0, n_holes = 0;
    feed_fixture_open(&fixture, globe_lat, globe_lon);
    feed_fixture_add_regions(&fixture, nested);
    feed_fixture_step(&fixture);
    json_t *whole = regions_of(&fixture);
    const json_t *geometry = member(feature(whole, 0), "geometry"), *polygons = member(geometry, "coordinates");
    ck_assert_double_eq(check_geometry(geometry, &n_polygons, &n_holes), 2 * (6400 - 3600 + 1600 - 400));
    ck_assert_uint_eq(n_polygons, 2);
    ck_assert_uint_eq(json_array_size(json_array_get(polygons, 0)), 2);
    ck_assert_uint_eq(json_array_size(json_array_get(polygons, 1)), 2);
    json_decref(whole);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(a_region_says_what_is_known_and_what_is_not)
{
    struct feed_fixture fixture;
    feed_fixture_open(&fixture, globe_lat, globe_lon);
    feed_fixture_add_regions(&fixture,
                             COLLECTION(POLYGON_FEATURE("box", "Box", RING("[0,0],[40,0],[40,10],[0,10],[0,0]"))));
    feed_fixture_heat(&fixture, 9 * 36, 3);
    feed_fixture_hide(&fixture, 9 * 36 + 1);
    feed_fixture_step(&fixture);
    json_t *whole = regions_of(&fixture);
    const json_t *properties = member(feature(whole, 0), "properties");
    ck_assert_double_eq(number_of(properties, "event_share"), 0.333333);
    ck_assert_double_eq(number_of(properties, "unknown_share"), 0.25);
    ck_assert_double_eq_tol(number_of(properties, "known_km2"), 3 * number_of(properties, "unknown_km2"), 0.2);
    ck_assert_double_eq(number_of(member(properties, "km2"), "moderate"), 0);
    ck_assert_double_gt(number_of(member(properties, "km2"), "severe"), 1e5);
    ck_assert_double_eq(number_of(properties, "intensity_max"), 5.25);
    json_decref(whole);
    /* Of an absent day nothing is known: shares are null, not 0. */
    for (size_t cell = 0; cell < fixture.domain.n_cells; ++cell)
        feed_fixture_hide(&fixture, cell);
    feed_fixture_step(&fixture);
    whole = regions_of(&fixture);
    properties = member(feature(whole, 0), "properties");
    ck_assert(json_is_null(member(properties, "event_share")));
    ck_assert(json_is_null(member(properties, "intensity_max")));
    ck_assert_double_eq(number_of(properties, "unknown_share"), 1);
    json_decref(whole);
    /* Where there is no sea, there is no share at all. */
    for (size_t cell = 9 * 36; cell < 9 * 36 + 4; ++cell)
        feed_fixture_make_land(&fixture, cell);
    feed_fixture_step(&fixture);
    whole = regions_of(&fixture);
    ck_assert(json_is_null(member(member(feature(whole, 0), "properties"), "unknown_share")));
    json_decref(whole);
    feed_fixture_close(&fixture);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_geojson");
    TCase *tc = tcase_create("feed_geojson");
    tcase_add_test(tc, an_area_has_its_outline_its_hole_and_its_numbers);
    tcase_add_test(tc, an_area_across_180_degrees_is_cut_and_its_box_crosses);
    tcase_add_test(tc, small_areas_are_left_out_and_counted);
    tcase_add_test(tc, areas_that_are_gone_have_no_geometry);
    tcase_add_test(tc, an_empty_and_an_absent_day_are_collections_of_nothing);
    tcase_add_test(tc, a_region_is_cut_at_180_degrees_and_keeps_its_hole);
    tcase_add_test(tc, rings_beyond_360_degrees_and_round_the_globe_are_brought_home);
    tcase_add_test(tc, rings_within_rings_take_turns);
    tcase_add_test(tc, a_region_says_what_is_known_and_what_is_not);
    suite_add_tcase(suite, tc);
    return suite;
}
