/*
 * What a feed tells of one day, and of itself: filled by the feed, read by the writers of its files (docs/feed.md).
 *
 *   ring of days, areas, regions ─▶ struct sst_feed_day ─▶ netCDF │ JSON │ GeoJSON │ CSV │ Atom │ page │ picture
 */
#ifndef SST_MONITOR_FEED_DAY_H
#define SST_MONITOR_FEED_DAY_H

#include "monitor/area.h"
#include "monitor/region_day.h"

enum { SST_FEED_TIME_TEXT_SIZE = 32 };

/* The same for all days of a feed. Texts and arrays are borrowed; a text that is not known is "". */
struct sst_feed_about {
    const struct sst_domain *domain;
    enum sst_calendar_kind calendar;
    const char *title; /* "Marine heatwaves", or as the user says */
    const char *product; /* whose temperatures */
    const char *climatology_id, *estimator; /* of the climatology; how its percentile was made */
    const char *units; /* "degree_Celsius" */
    double percentile; /* [percent] of the threshold */
    int first_baseline_year, last_baseline_year; /* 0, 0: not known */
    bool is_cold; /* cold spells below the percentile */
    int min_duration, max_gap, hold_missing; /* [days] */
    const char *link; /* absolute URL under which the feed is served; "": none is known, links are relative */
    const char *sibling; /* folder of a feed by another climatology beside this one; "" */
    const struct sst_region_set *regions;
    int days_kept; /* days whose files stay; 0: all */
    int days_open; /* so many days after a day, its files do not change any more */
};

/* How well a category is known in view of the error of the threshold. */
enum sst_feed_robustness {
    SST_FEED_NOT_ROBUST, /* another category at threshold + bound or threshold - bound */
    SST_FEED_ROBUST,
    SST_FEED_NO_BOUND /* the climatology states none, or there is no category to tell */
};

/* One day. Arrays have domain->n_cells items in domain order. NaN and the fills named are missing. */
struct sst_feed_day {
    struct sst_day day;
    int revision; /* 1: first published */
    bool is_absent; /* no file of it came: nothing is known */
    bool is_preliminary;
    int64_t first_published, published; /* [s] of 1970, UTC; of revision 1, of this one */
    const uint8_t *surface; /* enum sst_event_surface */
    const uint8_t *label; /* enum sst_event_label, with AWAITING */
    const int8_t *category; /* 0..4; -1 where the surface is not water */
    const float *sst, *mean, *threshold; /* [degC] */
    const float *bound; /* [degC] half width of the threshold's error interval; NaN: not known */
    const float *anomaly, *severity; /* [K] sst - mean; [1] where the surface is water and a value is known */
    const uint16_t *days_above; /* beyond in a row, the day included */
    const int32_t *start; /* [days since 1970-01-01] of the event or run that the day is in; INT32_MIN: none */
    const uint64_t *event_id; /* of the cell's event; 0: none */
    const uint8_t *robust; /* enum sst_feed_robustness */
    const uint32_t *area_label; /* 1 + index into areas; 0: none */
    const struct sst_area *areas; /* n_present, then n_gone that ended or merged on this day */
    size_t n_present, n_gone;
    const struct sst_region_day *regions; /* about->regions->n of them */
};

/* How the feed stands: what status and page say of its timeliness. */
struct sst_feed_state {
    int64_t now; /* [s] of 1970, UTC: when this was written */
    struct sst_day newest, newest_final; /* days with a field; slot 0: none */
    double age_days; /* of the newest day's end; NaN: none */
    bool is_late; /* a day that is expected by now has not come */
    struct sst_day expected; /* the newest one that is expected by now; slot 0: nothing is said about that */
    struct sst_day oldest; /* that is still there */
    const struct sst_feed_listed {
        struct sst_day day;
        int revision;
        bool is_absent, is_preliminary;
        int64_t published;
    } * days; /* ascending, all that the feed has */
    size_t n_days;
};

#endif
