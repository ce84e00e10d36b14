/* What entries say, in words. */
#include "monitor/feed_news.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "monitor/feed_words.h"

const char *sst_feed_news_name(enum sst_feed_news news)
{
    static const char *const names[] = {[SST_FEED_NEWS_NEW] = "new",
                                        [SST_FEED_NEWS_STRONGER] = "stronger",
                                        [SST_FEED_NEWS_MERGED] = "merged",
                                        [SST_FEED_NEWS_ENDED] = "ended",
                                        [SST_FEED_NEWS_WITHDRAWN] = "withdrawn"};
    return names[news];
}

const char *sst_feed_entry_id(const struct sst_feed_about *about, const struct sst_feed_announcement *announcement,
                              char *text)
{
    char area[SST_AREA_ID_TEXT_SIZE], day[SST_DAY_TEXT_SIZE];
    (void)snprintf(text, SST_FEED_ENTRY_ID_SIZE, "%s_%s_%s_%d",
                   sst_area_id_text(announcement->area.id, about->domain->grid, area),
                   sst_day_text(about->calendar, announcement->day, day), sst_feed_news_name(announcement->news),
                   announcement->revision);
    return text;
}

/* What RFC 3986 calls unreserved as it is, all else as %XX. */
static void add_for_uri(struct sst_text *text, const char *string)
{
    for (const char *at = string; *at; ++at) {
        const bool is_plain = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') ||
                              strchr("-._~", *at) != NULL;
        if (is_plain)
            sst_text_add_bytes(text, at, 1);
        else
            sst_text_addf(text, "%%%02X", (unsigned char)*at);
    }
}

/* No one owns names under .invalid (RFC 2606), and the address where a feed is served may change: its entries' names may not. */
void sst_feed_add_tag(struct sst_text *text, const struct sst_feed_about *about, const char *id)
{
    sst_text_add(text, "tag:sststream.invalid,2026:feed/");
    add_for_uri(text, about->climatology_id);
    if (about->is_cold)
        sst_text_add(text, "/cold");
    if (!*id)
        return;
    sst_text_add(text, "/");
    add_for_uri(text, id);
}

/* "120,000 km2": three digits are enough for people. */
static void add_km2(struct sst_text *text, double km2)
{
    const double step = km2 >= 100 ? pow(10, floor(log10(km2)) - 2) : 1;
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%.0f", round(km2 / step) * step);
    const size_t n = strlen(digits);
    for (size_t i = 0; i < n; ++i) {
        if (i > 0 && (n - i) % 3 == 0)
            sst_text_add(text, ",");
        sst_text_add_bytes(text, digits + i, 1);
    }
    sst_text_add(text, " km2");
}

void sst_feed_add_headline(struct sst_text *text, const struct sst_feed_about *about,
                           const struct sst_feed_announcement *announcement)
{
    const struct sst_area *area = &announcement->area;
    const char *kind = about->is_cold ? "Marine cold spell" : "Marine heatwave";
    if (announcement->news == SST_FEED_NEWS_NEW)
        sst_text_addf(text, "New %s near ", sst_feed_kind_text(about));
    else if (announcement->news == SST_FEED_NEWS_WITHDRAWN)
        sst_text_addf(text, "Withdrawn: %s near ", sst_feed_kind_text(about));
    else
        sst_text_addf(text, "%s near ", kind);
    sst_feed_add_place(text, area->lat, area->lon);
    switch (announcement->news) {
    case SST_FEED_NEWS_NEW:
        sst_text_addf(text, ": %s, ", sst_feed_category_name(area->category));
        add_km2(text, area->km2);
        break;
    case SST_FEED_NEWS_STRONGER:
        sst_text_addf(text, " is now %s", sst_feed_category_name(area->category));
        break;
    case SST_FEED_NEWS_MERGED:
        sst_text_add(text, " has merged into another");
        break;
    case SST_FEED_NEWS_ENDED:
        sst_text_add(text, " has ended");
        break;
    case SST_FEED_NEWS_WITHDRAWN:
        break;
    }
}

/* "The water there is 1.8 degC warmer than usual on average, 3.2 degC at most." */
static void add_intensity(struct sst_text *text, const struct sst_feed_about *about, const struct sst_area *area,
                          const char *verb)
{
    if (!isfinite(area->mean_intensity) || !isfinite(area->max_intensity)) {
        sst_text_add(text, " How far the water there is from its usual temperature is not known.");
        return;
    }
    sst_text_addf(text,
                  " The water there %s %.1f degC %s than usual for the day of the year on average, %.1f degC at most.",
                  verb, fabs(area->mean_intensity), about->is_cold ? "colder" : "warmer", fabs(area->max_intensity));
}

static void add_extent(struct sst_text *text, const struct sst_feed_about *about,
                       const struct sst_feed_announcement *announcement)
{
    const struct sst_area *area = &announcement->area;
    char day[SST_DAY_TEXT_SIZE];
    sst_text_addf(text, "On %s a %s covers about ", sst_day_text(about->calendar, announcement->day, day),
                  sst_feed_kind_text(about));
    add_km2(text, area->km2);
    sst_text_add(text, " around ");
    sst_feed_add_place(text, area->lat, area->lon);
    if (area->category > 0)
        sst_text_addf(text, "; its strongest part is %s (category %d of %d).", sst_feed_category_name(area->category),
                      area->category, SST_N_CATEGORIES);
    else
        sst_text_add(text, "; no part of it has a category that day.");
    add_intensity(text, about, area, "is");
}

/* What an area that is gone has been. */
static void add_past(struct sst_text *text, const struct sst_feed_about *about,
                     const struct sst_feed_announcement *announcement)
{
    const struct sst_area *area = &announcement->area;
    char id[SST_AREA_ID_TEXT_SIZE], first[SST_DAY_TEXT_SIZE], last[SST_DAY_TEXT_SIZE];
    sst_text_addf(text, "The %s around ", sst_feed_kind_text(about));
    sst_feed_add_place(text, area->lat, area->lon);
    if (announcement->news == SST_FEED_NEWS_MERGED)
        sst_text_addf(text, " has merged into the area %s.",
                      sst_area_id_text(area->merged_into, about->domain->grid, id));
    else
        sst_text_add(text, " has ended.");
    sst_text_addf(text, " It was there on %d day%s, from %s to %s, and covered up to ", area->n_days,
                  area->n_days == 1 ? "" : "s", sst_day_text(about->calendar, area->first, first),
                  sst_day_text(about->calendar, area->last, last));
    add_km2(text, area->most_km2);
    sst_text_addf(text, "; its highest category was %s.", sst_feed_category_name(area->highest_category));
}

static void add_withdrawal(struct sst_text *text, const struct sst_feed_about *about,
                           const struct sst_feed_announcement *announcement)
{
    char day[SST_DAY_TEXT_SIZE];
    sst_text_addf(text, "The %s around ", sst_feed_kind_text(about));
    sst_feed_add_place(text, announcement->area.lat, announcement->area.lon);
    sst_text_addf(
        text,
        " that was announced for %s is none after all: temperatures that came or changed since then do not show it.",
        sst_day_text(about->calendar, announcement->day, day));
}

/* What is known, and what is not. */
static void add_sources(struct sst_text *text, const struct sst_feed_about *about,
                        const struct sst_feed_announcement *announcement)
{
    if (announcement->is_preliminary)
        sst_text_add(
            text,
            "\n\nThe temperatures of that day are preliminary: these figures may change when the final ones come.");
    else
        sst_text_add(
            text,
            "\n\nThe temperatures of that day are final; figures can still change where a missing day comes late.");
    if (*about->product) {
        sst_text_add(text, " They are those of ");
        sst_text_add_clean(text, about->product);
        sst_text_add(text, ".");
    }
    sst_text_add(text, " Of cells without a value nothing is known, and they are in no figure here.\n\n");
    sst_feed_add_definition(text, about);
}

void sst_feed_add_story(struct sst_text *text, const struct sst_feed_about *about,
                        const struct sst_feed_announcement *announcement)
{
    const struct sst_area *area = &announcement->area;
    char id[SST_AREA_ID_TEXT_SIZE], first[SST_DAY_TEXT_SIZE];
    if (announcement->news == SST_FEED_NEWS_NEW || announcement->news == SST_FEED_NEWS_STRONGER) {
        add_extent(text, about, announcement);
        sst_text_addf(text, " It has been there on %d day%s, since %s.", area->n_days, area->n_days == 1 ? "" : "s",
                      sst_day_text(about->calendar, area->first, first));
    } else if (announcement->news == SST_FEED_NEWS_WITHDRAWN) {
        add_withdrawal(text, about, announcement);
    } else {
        add_past(text, about, announcement);
    }
    if (area->split_from)
        sst_text_addf(text, " It split from the area %s.", sst_area_id_text(area->split_from, about->domain->grid, id));
    sst_text_addf(text, " Area %s.", sst_area_id_text(area->id, about->domain->grid, id));
    if (*announcement->former) {
        sst_text_addf(text, " %s the entry ",
                      announcement->news == SST_FEED_NEWS_WITHDRAWN ? "This takes back" : "This follows");
        sst_feed_add_tag(text, about, announcement->former);
        sst_text_add(text, ".");
    }
    add_sources(text, about, announcement);
}
