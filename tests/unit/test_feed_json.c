/* index.json lists what is there, latest.json says how the feed stands, and both are read back. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "feed_fixture.h"
#include "monitor/feed_json.h"
#include "test_main.h"

static const struct even_axis rows = {-15, 10, 4}, cols = {5, 10, 36};
static const char abc_sum[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static const json_t *member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    ck_assert_msg(value != NULL, "no '%s'", key);
    return value;
}

static const char *text_of(const json_t *object, const char *key) { return json_string_value(member(object, key)); }
static json_int_t count_of(const json_t *object, const char *key) { return json_integer_value(member(object, key)); }

static json_t *parsed(const struct sst_text *text)
{
    json_error_t where;
    json_t *whole = json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES, &where);
    ck_assert_msg(whole != NULL, "line %d: %s", where.line, where.text);
    return whole;
}

static void put(struct sst_feed_files *files, const char *path)
{
    struct sst_error err = {0};
    ck_assert_msg(sst_feed_put(files, test_scratch_dir(), path, "abc", 3, &err) == SST_OK, "%s", err.text);
}

struct feed {
    struct feed_fixture fixture;
    struct sst_feed_files files;
    struct sst_text index, latest;
};

static void open_feed(struct feed *feed)
{
    memset(feed, 0, sizeof *feed);
    feed_fixture_open(&feed->fixture, rows, cols);
    feed_fixture_add_regions(
        &feed->fixture,
        "{\"type\":\"Feature\",\"properties\":{\"name\":\"box\",\"title\":\"A \\\"box\\\"\"},\"geometry\":{\"type\":"
        "\"Polygon\",\"coordinates\":[[[0,0],[40,0],[40,10],[0,10],[0,0]]]}}");
    feed_fixture_heat(&feed->fixture, 2 * 36, 3);
    feed_fixture_heat(&feed->fixture, 36 + 20, 1);
    feed_fixture_heat(&feed->fixture, 36 + 21, 1);
    feed_fixture_step(&feed->fixture);
    put(&feed->files, "events.geojson");
    put(&feed->files, "days/2026/20261130/mhw.nc");
    put(&feed->files, "days/2026/20261129/mhw.nc");
    put(&feed->files, "days/2026/20261130.txt");
}

static void close_feed(struct feed *feed)
{
    sst_text_clear(&feed->index);
    sst_text_clear(&feed->latest);
    sst_feed_files_clear(&feed->files);
    feed_fixture_close(&feed->fixture);
}

static void write_both(struct feed *feed, const struct sst_feed_day *day)
{
    struct sst_error err = {0};
    feed->index.size = feed->latest.size = 0;
    ck_assert_int_eq(sst_feed_index_json(&feed->fixture.about, &feed->fixture.state, &feed->files, &feed->index, &err),
                     SST_OK);
    const struct sst_feed_latest latest = {&feed->fixture.about, &feed->fixture.state, day,
                                           &feed->files,         feed->index.data,     feed->index.size};
    ck_assert_int_eq(sst_feed_latest_json(&latest, &feed->latest, &err), SST_OK);
}

START_TEST(the_index_lists_every_file_and_every_day)
{
    struct feed feed;
    open_feed(&feed);
    write_both(&feed, &feed.fixture.day);
    json_t *whole = parsed(&feed.index);
    ck_assert_str_eq(text_of(whole, "schema"), "sststream-feed-index/1");
    ck_assert_str_eq(text_of(whole, "generated"), "2026-12-02T01:00:00Z");
    ck_assert_str_eq(text_of(whole, "title"), "Heatwaves & \"friends\" <here>");
    ck_assert_str_eq(text_of(whole, "product"), "Test SST \xC2\xB0 v2");
    ck_assert_str_eq(text_of(whole, "newest"), "2026-11-30");
    const json_t *files = member(whole, "files"), *days = member(whole, "days");
    ck_assert_uint_eq(json_array_size(files), 4);
    ck_assert_str_eq(text_of(json_array_get(files, 2), "path"), "days/2026/20261130/mhw.nc");
    ck_assert_str_eq(text_of(json_array_get(files, 2), "sha256"), abc_sum);
    ck_assert_int_eq(count_of(json_array_get(files, 2), "bytes"), 3);
    ck_assert_uint_eq(json_array_size(days), 3);
    static const char *const status[] = {"final", "missing", "preliminary"};
    for (size_t i = 0; i < 3; ++i)
        ck_assert_str_eq(text_of(json_array_get(days, i), "input_status"), status[i]);
    ck_assert_str_eq(text_of(json_array_get(days, 0), "day"), "2026-11-28");
    ck_assert_str_eq(text_of(json_array_get(days, 2), "folder"), "days/2026/20261130");
    ck_assert_int_eq(count_of(json_array_get(days, 2), "revision"), 2);
    ck_assert_str_eq(text_of(json_array_get(days, 2), "published"), "2026-12-02T00:00:00Z");
    ck_assert_str_eq(text_of(json_array_get(days, 0), "valid_until_revised"), "2026-12-25");
    json_decref(whole);
    close_feed(&feed);
}
END_TEST

START_TEST(the_index_is_read_back_as_it_was)
{
    struct feed feed;
    struct sst_feed_files files = {0};
    struct sst_error err = {0};
    open_feed(&feed);
    write_both(&feed, &feed.fixture.day);
    put(&files, "gone/before");
    ck_assert_msg(sst_feed_index_read(feed.index.data, feed.index.size, "index.json", &files, &err) == SST_OK, "%s",
                  err.text);
    ck_assert_uint_eq(files.n, feed.files.n);
    for (size_t i = 0; i < files.n; ++i) {
        ck_assert_str_eq(files.files[i].path, feed.files.files[i].path);
        ck_assert_str_eq(files.files[i].sha256, feed.files.files[i].sha256);
        ck_assert_uint_eq(files.files[i].n_bytes, 3);
    }
    sst_feed_files_clear(&files);
    close_feed(&feed);
}
END_TEST

START_TEST(an_index_that_is_none_is_refused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"{\"schema\":", "index.json: line 1: "},
        {"[]", "index.json: this is no index of a feed (sststream-feed-index/1). Run 'sststream feed rebuild'"},
        {"{\"schema\":\"sststream-feed-index/2\",\"files\":[]}", "this is no index of a feed"},
        {"{\"schema\":\"sststream-feed-index/1\",\"files\":[{\"path\":\"a\",\"bytes\":1,\"sha256\":\"0\"}]}",
         "index.json: file 1 has no path, size or sum"},
        {"{\"schema\":\"sststream-feed-index/1\",\"files\":[{\"path\":\"a\",\"bytes\":-1,\"sha256\":"
         "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}]}",
         "index.json: file 1 has no path, size or sum"},
        {"{\"schema\":\"sststream-feed-index/1\",\"files\":[{\"path\":\"b\",\"bytes\":1,\"sha256\":"
         "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"},{\"path\":\"a\",\"bytes\":1,\"sha256\":"
         "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}]}",
         "index.json: files are not in order at a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct sst_feed_files files = {0};
        struct sst_error err = {0};
        ck_assert_int_eq(sst_feed_index_read(cases[i].text, strlen(cases[i].text), "index.json", &files, &err),
                         SST_ERR_INPUT);
        ck_assert_msg(strstr(err.text, cases[i].message) != NULL, "%s", err.text);
        ck_assert_uint_eq(files.n, 0);
    }
}
END_TEST

START_TEST(the_latest_day_is_told_with_what_is_late_and_missing)
{
    struct feed feed;
    char sum[SST_SHA256_TEXT_SIZE];
    open_feed(&feed);
    write_both(&feed, &feed.fixture.day);
    json_t *whole = parsed(&feed.latest);
    ck_assert_str_eq(text_of(whole, "schema"), "sststream-feed-latest/1");
    const json_t *timeliness = member(whole, "timeliness"), *latest = member(whole, "latest");
    ck_assert_double_eq(json_real_value(member(timeliness, "age_days")), 1.042);
    ck_assert(json_is_true(member(timeliness, "is_late")));
    ck_assert_str_eq(text_of(timeliness, "expected"), "2026-12-01");
    ck_assert_str_eq(text_of(timeliness, "newest_final"), "2026-11-28");
    ck_assert_uint_eq(json_array_size(member(timeliness, "missing_days")), 1);
    ck_assert_str_eq(json_string_value(json_array_get(member(timeliness, "missing_days"), 0)), "2026-11-29");
    ck_assert_str_eq(text_of(latest, "day"), "2026-11-30");
    ck_assert_str_eq(text_of(latest, "input_status"), "preliminary");
    ck_assert_str_eq(text_of(latest, "valid_until_revised"), "2026-12-27");
    ck_assert_int_eq(count_of(latest, "revision"), 2);
    ck_assert_uint_eq(json_array_size(member(latest, "files")), 1);
    ck_assert_str_eq(text_of(json_array_get(member(latest, "files"), 0), "path"), "days/2026/20261130/mhw.nc");
    ck_assert_int_eq(count_of(member(latest, "areas"), "count"), 2);
    ck_assert_str_eq(text_of(member(latest, "areas"), "largest"), "20261130-5.00S-155.00W");
    const json_t *region = json_array_get(member(latest, "regions"), 0);
    ck_assert_str_eq(text_of(region, "title"), "A \"box\"");
    ck_assert_double_eq(json_real_value(member(region, "event_share")), 0.25);
    ck_assert_str_eq(text_of(member(whole, "index"), "sha256"),
                     sst_sha256_of_bytes(feed.index.data, feed.index.size, sum));
    ck_assert_str_eq(
        text_of(member(whole, "definition"), "text"),
        "A marine heatwave is at least 5 days in a row on which the sea surface is warmer than the 90th percentile "
        "for that place and day of the year, taken from the years 1991 to 2020; gaps of up to 2 days between two of "
        "them are bridged.");
    json_decref(whole);
    close_feed(&feed);
}
END_TEST

START_TEST(a_feed_without_a_day_and_with_odd_texts_is_told_too)
{
    struct feed feed;
    open_feed(&feed);
    feed.fixture.state = (struct sst_feed_state){.now = 0, .age_days = NAN};
    feed.fixture.about.title = "bad \xFF\xC3 \x01 \xED\xA0\x80 end";
    feed.fixture.about.product = "";
    write_both(&feed, NULL);
    json_t *whole = parsed(&feed.latest);
    ck_assert(json_is_null(member(whole, "latest")));
    ck_assert(json_is_null(member(member(whole, "timeliness"), "age_days")));
    ck_assert(json_is_null(member(member(whole, "timeliness"), "newest")));
    ck_assert_str_eq(text_of(whole, "generated"), "1970-01-01T00:00:00Z");
    const char *title = text_of(whole, "title");
    ck_assert_int_eq(strncmp(title, "bad \xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD ", 14), 0);
    ck_assert_ptr_nonnull(strstr(title, " end"));
    json_decref(whole);
    close_feed(&feed);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_json");
    TCase *tc = tcase_create("feed_json");
    tcase_add_test(tc, the_index_lists_every_file_and_every_day);
    tcase_add_test(tc, the_index_is_read_back_as_it_was);
    tcase_add_test(tc, an_index_that_is_none_is_refused);
    tcase_add_test(tc, the_latest_day_is_told_with_what_is_late_and_missing);
    tcase_add_test(tc, a_feed_without_a_day_and_with_odd_texts_is_told_too);
    suite_add_tcase(suite, tc);
    return suite;
}
