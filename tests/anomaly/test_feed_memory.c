/* A feed's texts where the n-th allocation of jansson or libxml2 fails, for every n: no memory is told, and none is lost. */
#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/xmlmemory.h>
#include <stdlib.h>
#include <string.h>

#include "feed_fixture.h"
#include "monitor/feed_json.h"
#include "monitor/feed_news.h"
#include "monitor/feed_regions.h"
#include "test_main.h"

/* Allocations that still succeed. */
static long n_left;

static bool is_refused(void) { return n_left-- <= 0; }
static void *watched_malloc(size_t size) { return is_refused() ? NULL : malloc(size); }
static void *watched_realloc(void *memory, size_t size) { return is_refused() ? NULL : realloc(memory, size); }
static char *watched_strdup(const char *text) { return is_refused() ? NULL : strdup(text); }

/* Where the sanitizer is: what is allocated between the two is not looked for at the end. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

static struct feed_fixture fixture;
static struct sst_feed_announcement item;

static enum sst_status make_events(struct sst_text *out, struct sst_error *err)
{
    const struct sst_feed_areas areas = feed_fixture_areas(&fixture);
    return sst_feed_areas_geojson(&areas, out, err);
}

static enum sst_status make_regions(struct sst_text *out, struct sst_error *err)
{
    return sst_feed_regions_geojson(&fixture.about, &fixture.day, 0, out, err);
}

static enum sst_status make_index(struct sst_text *out, struct sst_error *err)
{
    struct sst_feed_file one = {.path = (char[]){"a"}};
    const struct sst_feed_files files = {&one, 1, 1};
    return sst_feed_index_json(&fixture.about, &fixture.state, &files, out, err);
}

static enum sst_status make_latest(struct sst_text *out, struct sst_error *err)
{
    struct sst_feed_file one = {.path = (char[]){"days/2026/20261130/mhw.nc"}};
    const struct sst_feed_files files = {&one, 1, 1};
    const struct sst_feed_latest latest = {&fixture.about, &fixture.state, &fixture.day, &files, "", 0};
    return sst_feed_latest_json(&latest, out, err);
}

static enum sst_status make_news(struct sst_text *out, struct sst_error *err)
{
    const struct sst_feed_entries entries = {&fixture.about, &item, 1, 1, 0};
    return sst_feed_json_feed(&entries, out, err);
}

/* libxml2 2.9.14 itself loses an element that it has no memory to list (xmlTextWriterStartElement). */
static enum sst_status make_atom(struct sst_text *out, struct sst_error *err)
{
    const struct sst_feed_entries entries = {&fixture.about, &item, 1, 1, 0};
    if (__lsan_disable)
        __lsan_disable();
    const enum sst_status rc = sst_feed_atom(&entries, out, err);
    if (__lsan_enable)
        __lsan_enable();
    return rc;
}

static enum sst_status (*const makers[])(struct sst_text *out, struct sst_error *err) = {
    make_events, make_regions, make_index, make_latest, make_news, make_atom};

static void open_fixture(void)
{
    feed_fixture_open(&fixture, (struct even_axis){-15, 10, 4}, (struct even_axis){5, 10, 36});
    feed_fixture_add_regions(&fixture, "{\"type\":\"Polygon\",\"coordinates\":[[[170,0],[190,0],[190,10],[170,0]]]}");
    feed_fixture_heat(&fixture, 36 + 17, 2);
    feed_fixture_heat(&fixture, 36 + 18, 1);
    feed_fixture_step(&fixture);
    item = (struct sst_feed_announcement){.day = fixture.day.day, .area = fixture.day.areas[0], .former = "former"};
    (void)sst_feed_entry_id(&fixture.about, &item, item.id);
}

START_TEST(every_allocation_may_fail)
{
    enum { MOST = 100000, PLENTY = 1 << 30 };
    struct sst_text whole = {0}, text = {0};
    struct sst_error err = {0};
    enum sst_status rc = SST_ERR_NOMEM;
    long n = 0;
    n_left = PLENTY;
    open_fixture();
    ck_assert_int_eq(makers[_i](&whole, &err), SST_OK);
    for (; n < MOST && rc != SST_OK; ++n) {
        sst_text_clear(&text);
        sst_error_clear(&err);
        n_left = n;
        rc = makers[_i](&text, &err);
        if (rc != SST_OK) {
            ck_assert_int_eq(rc, SST_ERR_NOMEM);
            ck_assert_ptr_nonnull(strstr(err.text, "no memory for "));
        }
    }
    n_left = PLENTY;
    ck_assert_int_gt(n, 10);
    ck_assert_int_eq(rc, SST_OK);
    ck_assert_str_eq(text.data, whole.data); /* so nothing was left out where all went well */
    sst_text_clear(&text);
    sst_text_clear(&whole);
    feed_fixture_close(&fixture);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_memory");
    TCase *tc = tcase_create("feed_memory");
    n_left = 1 << 30;
    json_set_alloc_funcs(watched_malloc, free);
    (void)xmlMemSetup(free, watched_malloc, watched_realloc, watched_strdup);
    xmlInitParser();
    tcase_add_loop_test(tc, every_allocation_may_fail, 0, (int)(sizeof makers / sizeof *makers));
    suite_add_tcase(suite, tc);
    return suite;
}
