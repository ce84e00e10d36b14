/* feed.json: JSON Feed 1.1 (jsonfeed.org). */
#include <jansson.h>
#include <math.h>

#include "monitor/feed_news.h"
#include "monitor/feed_values.h"

/* What `add` writes of an announcement, as a value. */
static void set_words(struct sst_feed_maker *maker, json_t *object, const char *key, const struct sst_feed_about *about,
                      const struct sst_feed_announcement *item,
                      void (*add)(struct sst_text *text, const struct sst_feed_about *about,
                                  const struct sst_feed_announcement *announcement))
{
    struct sst_text text = {0};
    add(&text, about, item);
    maker->has_failed = maker->has_failed || text.failed != SST_OK;
    sst_feed_set_text(maker, object, key, text.data);
    sst_text_clear(&text);
}

static void set_address(struct sst_feed_maker *maker, json_t *object, const char *key,
                        const struct sst_feed_about *about, const char *text_of,
                        void (*add)(struct sst_text *text, const struct sst_feed_about *about, const char *of))
{
    struct sst_text text = {0};
    add(&text, about, text_of);
    maker->has_failed = maker->has_failed || text.failed != SST_OK;
    sst_feed_set_text(maker, object, key, text.data);
    sst_text_clear(&text);
}

static json_t *facts_json(struct sst_feed_maker *maker, const struct sst_feed_about *about,
                          const struct sst_feed_announcement *item)
{
    const struct sst_area *area = &item->area;
    json_t *out = sst_feed_object(maker);
    sst_feed_set_text(maker, out, "news", sst_feed_news_name(item->news));
    sst_feed_set_day(maker, out, "day", item->day);
    sst_feed_set_count(maker, out, "revision", item->revision);
    sst_feed_set_text(maker, out, "input_status", sst_feed_input_status(false, item->is_preliminary));
    sst_feed_set_area(maker, out, "area", area->id);
    sst_feed_set_text(maker, out, "area_status", sst_area_status_name(area->status));
    sst_feed_set_area(maker, out, "merged_into", area->merged_into);
    sst_feed_set_area(maker, out, "split_from", area->split_from);
    sst_feed_set_day(maker, out, "first", area->first);
    sst_feed_set_day(maker, out, "last", area->last);
    sst_feed_set_count(maker, out, "category", area->category);
    sst_feed_set_count(maker, out, "highest_category", area->highest_category);
    sst_feed_set_number(maker, out, "area_km2", area->km2, 1);
    sst_feed_set_number(maker, out, "lat", area->lat, 4);
    sst_feed_set_number(maker, out, "lon", area->lon, 4);
    sst_feed_set_number(maker, out, "intensity_mean", area->mean_intensity, 3);
    sst_feed_set_number(maker, out, "intensity_max", area->max_intensity, 3);
    if (*item->former)
        set_address(maker, out, "former", about, item->former, sst_feed_add_tag);
    else
        sst_feed_set(maker, out, "former", json_null());
    return out;
}

static json_t *item_json(struct sst_feed_maker *maker, const struct sst_feed_about *about,
                         const struct sst_feed_announcement *item)
{
    json_t *out = sst_feed_object(maker), *tags = sst_feed_array(maker);
    set_address(maker, out, "id", about, item->id, sst_feed_add_tag);
    if (*about->link)
        set_address(maker, out, "url", about, "index.html", sst_feed_add_link);
    set_words(maker, out, "title", about, item, sst_feed_add_headline);
    set_words(maker, out, "content_text", about, item, sst_feed_add_story);
    sst_feed_set_time(maker, out, "date_published", item->time);
    sst_feed_append(maker, tags, json_string(sst_feed_news_name(item->news)));
    sst_feed_append(maker, tags, json_string(item->is_preliminary ? "preliminary" : "final"));
    sst_feed_set(maker, out, "tags", tags);
    sst_feed_set(maker, out, "_sststream", facts_json(maker, about, item));
    return out;
}

static void add_definition(struct sst_text *text, const struct sst_feed_about *about, const char *unused)
{
    (void)unused;
    sst_feed_add_definition(text, about);
}

enum sst_status sst_feed_json_feed(const struct sst_feed_entries *entries, struct sst_text *out, struct sst_error *err)
{
    const struct sst_feed_about *about = entries->about;
    const size_t n = entries->n < entries->most ? entries->n : entries->most;
    struct sst_feed_maker maker = {.calendar = about->calendar, .grid = about->domain->grid};
    json_t *whole = sst_feed_object(&maker), *items = sst_feed_array(&maker);
    sst_feed_set_text(&maker, whole, "version", "https://jsonfeed.org/version/1.1");
    sst_feed_set_text(&maker, whole, "title", about->title);
    if (*about->link) {
        set_address(&maker, whole, "home_page_url", about, "index.html", sst_feed_add_link);
        set_address(&maker, whole, "feed_url", about, "feed.json", sst_feed_add_link);
    }
    set_address(&maker, whole, "description", about, "", add_definition);
    sst_feed_set_text(&maker, whole, "language", "en");
    for (size_t i = 0; i < n; ++i)
        sst_feed_append(&maker, items, item_json(&maker, about, &entries->items[entries->n - 1 - i]));
    sst_feed_set(&maker, whole, "items", items);
    return sst_feed_dump(&maker, whole, out, err);
}
