/* feed.atom and feed.json have what their standards ask for, escape what users say, and tell people what is known. */
#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feed_fixture.h"
#include "monitor/feed_news.h"
#include "test_main.h"

enum { N_ITEMS = 5 };

struct news {
    struct feed_fixture fixture;
    struct sst_feed_announcement items[N_ITEMS];
    struct sst_feed_entries entries;
};

static void open_news(struct news *news)
{
    static const struct even_axis rows = {-15, 10, 4}, cols = {5, 10, 36};
    memset(news, 0, sizeof *news);
    feed_fixture_open(&news->fixture, rows, cols);
    feed_fixture_heat(&news->fixture, 36 + 3, 2);
    feed_fixture_heat(&news->fixture, 36 + 4, 1);
    feed_fixture_step(&news->fixture);
    for (int i = 0; i < N_ITEMS; ++i) {
        struct sst_feed_announcement *item = &news->items[i];
        *item = (struct sst_feed_announcement){.news = (enum sst_feed_news)i,
                                               .time = news->fixture.state.now + i,
                                               .day = news->fixture.day.day,
                                               .revision = 2,
                                               .is_preliminary = i % 2 == 0,
                                               .area = news->fixture.day.areas[0],
                                               .west = 30,
                                               .south = -10,
                                               .east = 50,
                                               .north = 0};
        (void)sst_feed_entry_id(&news->fixture.about, item, item->id);
        if (i > 0)
            memcpy(item->former, news->items[i - 1].id, sizeof item->former);
    }
    news->items[SST_FEED_NEWS_MERGED].area.status = SST_AREA_MERGED;
    news->items[SST_FEED_NEWS_MERGED].area.merged_into = news->fixture.day.areas[0].id + 5;
    news->items[SST_FEED_NEWS_ENDED].area.split_from = news->fixture.day.areas[0].id + 6;
    news->items[SST_FEED_NEWS_ENDED].west = NAN;
    news->items[SST_FEED_NEWS_WITHDRAWN].west = 170;
    news->items[SST_FEED_NEWS_WITHDRAWN].east = -170;
    news->entries = (struct sst_feed_entries){.about = &news->fixture.about,
                                              .items = news->items,
                                              .n = N_ITEMS,
                                              .most = SST_FEED_ENTRIES,
                                              .started = 1000000000};
}

/* --- Atom --------------------------------------------------------------------------------------------------------- */

struct atom {
    xmlDocPtr document;
    xmlXPathContextPtr context;
};

static void open_atom(const struct news *news, struct atom *out)
{
    struct sst_text text = {0};
    struct sst_error err = {0};
    ck_assert_msg(sst_feed_atom(&news->entries, &text, &err) == SST_OK, "%s", err.text);
    out->document = xmlReadMemory(text.data, (int)text.size, "feed.atom", NULL, XML_PARSE_NONET);
    ck_assert_msg(out->document != NULL, "not well-formed: %s", text.data);
    out->context = xmlXPathNewContext(out->document);
    ck_assert_int_eq(
        xmlXPathRegisterNs(out->context, (const xmlChar *)"a", (const xmlChar *)"http://www.w3.org/2005/Atom"), 0);
    ck_assert_int_eq(
        xmlXPathRegisterNs(out->context, (const xmlChar *)"g", (const xmlChar *)"http://www.georss.org/georss"), 0);
    ck_assert_int_eq(xmlXPathRegisterNs(out->context, (const xmlChar *)"t",
                                        (const xmlChar *)"http://purl.org/syndication/thread/1.0"),
                     0);
    sst_text_clear(&text);
}

static void close_atom(struct atom *atom)
{
    xmlXPathFreeContext(atom->context);
    xmlFreeDoc(atom->document);
}

/* Of the first node that a path finds; "" where there is none. Borrowed until the call after the next 3. */
static const char *found(const struct atom *atom, const char *path)
{
    static char ring[4][4096];
    static unsigned next;
    char *out = ring[next++ % 4];
    xmlXPathObjectPtr result = xmlXPathEvalExpression((const xmlChar *)path, atom->context);
    ck_assert_ptr_nonnull(result);
    xmlChar *text = xmlXPathCastToString(result);
    ck_assert_uint_lt(strlen((const char *)text), sizeof ring[0]);
    strcpy(out, (const char *)text);
    xmlFree(text);
    xmlXPathFreeObject(result);
    return out;
}

START_TEST(atom_has_what_rfc_4287_asks_for)
{
    struct news news;
    struct atom atom;
    open_news(&news);
    open_atom(&news, &atom);
    ck_assert_str_eq(found(&atom, "count(/a:feed/a:entry)"), "5");
    ck_assert_str_eq(found(&atom, "/a:feed/a:id"), "tag:sststream.invalid,2026:feed/0123abcd");
    ck_assert_str_eq(found(&atom, "/a:feed/a:title"), "Heatwaves & \"friends\" <here>");
    ck_assert_str_eq(found(&atom, "/a:feed/a:updated"), "2026-12-02T01:00:04Z");
    ck_assert_str_ne(found(&atom, "/a:feed/a:author/a:name"), "");
    ck_assert_str_eq(found(&atom, "/a:feed/a:link[@rel='self']/@href"), "https://example.org/feed/feed.atom");
    /* Each entry has one id of its own, a title, a date, a content, a link. */
    ck_assert_str_eq(found(&atom, "count(//a:entry[count(a:id)=1 and count(a:title)=1 and count(a:updated)=1 and "
                                  "count(a:content)=1 and count(a:link[@rel='alternate'])=1])"),
                     "5");
    ck_assert_str_eq(found(&atom, "count(//a:entry[a:id = following-sibling::a:entry/a:id])"), "0");
    ck_assert_str_eq(found(&atom, "count(//a:entry[normalize-space(a:content)=''])"), "0");
    /* Newest first; each answers the one before it. */
    ck_assert_str_eq(found(&atom, "//a:entry[1]/a:category[1]/@term"), "withdrawn");
    ck_assert_str_eq(found(&atom, "//a:entry[1]/t:in-reply-to/@ref"), found(&atom, "//a:entry[2]/a:id"));
    ck_assert_str_eq(found(&atom, "count(//a:entry[5]/t:in-reply-to)"), "0");
    ck_assert_str_eq(found(&atom, "//a:entry[5]/a:id"),
                     "tag:sststream.invalid,2026:feed/0123abcd/20261130-5.00S-35.00E_2026-11-30_new_2");
    close_atom(&atom);
    feed_fixture_close(&news.fixture);
}
END_TEST

START_TEST(places_are_latitude_first_and_boxes_do_not_cross_180_degrees)
{
    struct news news;
    struct atom atom;
    double lat = 0, lon = 0;
    open_news(&news);
    open_atom(&news, &atom);
    char *end = NULL;
    const char *point = found(&atom, "//a:entry[5]/g:point");
    lat = strtod(point, &end);
    lon = strtod(end, &end);
    ck_assert_int_eq(*end, '\0');
    ck_assert_double_eq_tol(lat, news.fixture.day.areas[0].lat, 1e-4);
    ck_assert_double_eq_tol(lon, news.fixture.day.areas[0].lon, 1e-4);
    ck_assert_str_eq(found(&atom, "//a:entry[5]/g:box"), "-10.0000 30.0000 0.0000 50.0000");
    ck_assert_str_eq(found(&atom, "count(//a:entry[1]/g:box)"), "0"); /* across 180 degrees */
    ck_assert_str_eq(found(&atom, "count(//a:entry[2]/g:box)"), "0"); /* not known */
    close_atom(&atom);
    feed_fixture_close(&news.fixture);
}
END_TEST

START_TEST(the_oldest_entries_go_and_an_empty_feed_is_one)
{
    struct news news;
    struct atom atom;
    open_news(&news);
    news.entries.most = 2;
    open_atom(&news, &atom);
    ck_assert_str_eq(found(&atom, "count(//a:entry)"), "2");
    ck_assert_str_eq(found(&atom, "//a:entry[2]/a:category[1]/@term"), "ended");
    close_atom(&atom);
    news.entries.n = 0;
    open_atom(&news, &atom);
    ck_assert_str_eq(found(&atom, "count(//a:entry)"), "0");
    ck_assert_str_eq(found(&atom, "/a:feed/a:updated"), "2001-09-09T01:46:40Z");
    close_atom(&atom);
    feed_fixture_close(&news.fixture);
}
END_TEST

START_TEST(what_users_say_is_escaped_and_put_right)
{
    struct news news;
    struct atom atom;
    open_news(&news);
    news.fixture.about.title = "]]> <![CDATA[ & \x0B \xC3 \"'";
    news.fixture.about.product = "<script>alert(1)</script>";
    news.fixture.about.climatology_id = "a b/\xC3\xA9?";
    news.fixture.about.link = "https://example.org/a?b=1&c=\"/";
    open_atom(&news, &atom);
    ck_assert_str_eq(found(&atom, "/a:feed/a:title"), "]]> <![CDATA[ & \xEF\xBF\xBD \xEF\xBF\xBD \"'");
    ck_assert_str_eq(found(&atom, "/a:feed/a:id"), "tag:sststream.invalid,2026:feed/a%20b%2F%C3%A9%3F");
    ck_assert_str_eq(found(&atom, "/a:feed/a:link[@rel='self']/@href"), "https://example.org/a?b=1&c=\"/feed.atom");
    ck_assert_ptr_nonnull(strstr(found(&atom, "//a:entry[1]/a:content"), "those of <script>alert(1)</script>."));
    char *id = strdup(found(&atom, "/a:feed/a:id"));
    close_atom(&atom);
    /* The name of a feed stays when it is served from elsewhere, and links without a place are relative. */
    news.fixture.about.link = "";
    open_atom(&news, &atom);
    ck_assert_str_eq(found(&atom, "/a:feed/a:id"), id);
    ck_assert_str_eq(found(&atom, "count(/a:feed/a:link[@rel='self'])"), "0");
    ck_assert_str_eq(found(&atom, "/a:feed/a:link[@rel='alternate']/@href"), "index.html");
    close_atom(&atom);
    free(id);
    feed_fixture_close(&news.fixture);
}
END_TEST

/* --- words -------------------------------------------------------------------------------------------------------- */

static const char *headline(const struct news *news, enum sst_feed_news which)
{
    static char out[512];
    struct sst_text text = {0};
    sst_feed_add_headline(&text, &news->fixture.about, &news->items[which]);
    ck_assert_uint_lt(text.size, sizeof out);
    strcpy(out, text.data);
    sst_text_clear(&text);
    return out;
}

static const char *story(const struct news *news, enum sst_feed_news which)
{
    static char out[4096];
    struct sst_text text = {0};
    sst_feed_add_story(&text, &news->fixture.about, &news->items[which]);
    ck_assert_uint_lt(text.size, sizeof out);
    strcpy(out, text.data);
    sst_text_clear(&text);
    return out;
}

static void says(const char *text, const char *words) { ck_assert_msg(strstr(text, words) != NULL, "%s", text); }

START_TEST(entries_tell_people_what_is_known)
{
    struct news news;
    open_news(&news);
    ck_assert_str_eq(headline(&news, SST_FEED_NEWS_NEW),
                     "New marine heatwave near 5.0 S, 40.0 E: strong, 2,460,000 km2");
    ck_assert_str_eq(headline(&news, SST_FEED_NEWS_STRONGER), "Marine heatwave near 5.0 S, 40.0 E is now strong");
    ck_assert_str_eq(headline(&news, SST_FEED_NEWS_MERGED),
                     "Marine heatwave near 5.0 S, 40.0 E has merged into another");
    ck_assert_str_eq(headline(&news, SST_FEED_NEWS_ENDED), "Marine heatwave near 5.0 S, 40.0 E has ended");
    ck_assert_str_eq(headline(&news, SST_FEED_NEWS_WITHDRAWN), "Withdrawn: marine heatwave near 5.0 S, 40.0 E");
    const char *text = story(&news, SST_FEED_NEWS_NEW);
    says(
        text,
        "On 2026-11-30 a marine heatwave covers about 2,460,000 km2 around 5.0 S, 40.0 E; its strongest part is strong "
        "(category 2 of 4). The water there is 3.0 degC warmer than usual for the day of the year on average, 3.8 degC "
        "at "
        "most. It has been there on 1 day, since 2026-11-30. Area 20261130-5.00S-35.00E.");
    says(text,
         "are preliminary: these figures may change when the final ones come. They are those of Test SST \xC2\xB0 v2.");
    says(text, "gaps of up to 2 days");
    ck_assert_ptr_null(strstr(text, "This follows"));
    text = story(&news, SST_FEED_NEWS_STRONGER);
    says(text, "The temperatures of that day are final;");
    says(text, "This follows the entry "
               "tag:sststream.invalid,2026:feed/0123abcd/20261130-5.00S-35.00E_2026-11-30_new_2.");
    says(story(&news, SST_FEED_NEWS_MERGED), "has merged into the area 20261130-5.00S-85.00E. It was there on 1 day,");
    says(story(&news, SST_FEED_NEWS_ENDED), "has ended. It was there on 1 day, from 2026-11-30 to 2026-11-30");
    says(story(&news, SST_FEED_NEWS_ENDED), "It split from the area 20261130-5.00S-95.00E.");
    says(story(&news, SST_FEED_NEWS_WITHDRAWN), "is none after all");
    says(story(&news, SST_FEED_NEWS_WITHDRAWN), "This takes back the entry tag:");
    news.items[0].area.mean_intensity = NAN;
    says(story(&news, SST_FEED_NEWS_NEW), "is not known.");
    news.fixture.about.is_cold = true;
    news.fixture.about.percentile = 2;
    says(story(&news, SST_FEED_NEWS_STRONGER), "3.0 degC colder than usual");
    says(story(&news, SST_FEED_NEWS_STRONGER), "colder than the 2nd percentile");
    feed_fixture_close(&news.fixture);
}
END_TEST

/* --- JSON Feed ---------------------------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    ck_assert_msg(text != NULL, "no '%s'", key);
    return text;
}

START_TEST(json_feed_has_what_version_1_1_asks_for)
{
    struct news news;
    struct sst_text text = {0};
    struct sst_error err = {0};
    json_error_t where;
    open_news(&news);
    news.fixture.about.product = "\xFF<b>";
    ck_assert_int_eq(sst_feed_json_feed(&news.entries, &text, &err), SST_OK);
    json_t *whole = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, &where);
    ck_assert_ptr_nonnull(whole);
    ck_assert_str_eq(text_of(whole, "version"), "https://jsonfeed.org/version/1.1");
    ck_assert_str_eq(text_of(whole, "title"), "Heatwaves & \"friends\" <here>");
    ck_assert_str_eq(text_of(whole, "feed_url"), "https://example.org/feed/feed.json");
    const json_t *items = json_object_get(whole, "items");
    ck_assert_uint_eq(json_array_size(items), N_ITEMS);
    for (size_t i = 0; i < N_ITEMS; ++i) {
        const json_t *item = json_array_get(items, i);
        ck_assert_int_eq(strncmp(text_of(item, "id"), "tag:", 4), 0);
        ck_assert_uint_gt(strlen(text_of(item, "content_text")), 100);
        ck_assert_uint_eq(strlen(text_of(item, "date_published")), strlen("2026-12-02T01:00:00Z"));
    }
    const json_t *facts = json_object_get(json_array_get(items, 0), "_sststream");
    ck_assert_str_eq(text_of(facts, "news"), "withdrawn");
    ck_assert_str_eq(text_of(facts, "former"), text_of(json_array_get(items, 1), "id"));
    ck_assert_str_eq(text_of(facts, "input_status"), "preliminary");
    ck_assert_str_eq(text_of(facts, "area"), "20261130-5.00S-35.00E");
    ck_assert_double_eq(json_real_value(json_object_get(facts, "intensity_max")), 3.75);
    ck_assert(json_is_null(json_object_get(json_object_get(json_array_get(items, 4), "_sststream"), "former")));
    json_decref(whole);
    sst_text_clear(&text);
    feed_fixture_close(&news.fixture);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_news");
    TCase *tc = tcase_create("feed_news");
    tcase_add_test(tc, atom_has_what_rfc_4287_asks_for);
    tcase_add_test(tc, places_are_latitude_first_and_boxes_do_not_cross_180_degrees);
    tcase_add_test(tc, the_oldest_entries_go_and_an_empty_feed_is_one);
    tcase_add_test(tc, what_users_say_is_escaped_and_put_right);
    tcase_add_test(tc, entries_tell_people_what_is_known);
    tcase_add_test(tc, json_feed_has_what_version_1_1_asks_for);
    suite_add_tcase(suite, tc);
    return suite;
}
