/* about.js and index.js: what a feed is, and what it has. */
#include "monitor/event_day.h"
#include "monitor/feed_page_private.h"

enum { DEGREE_DECIMALS = 5, SHARE_DECIMALS = 1, KM2_DECIMALS = 0, INTENSITY_DECIMALS = 2, HOUR_DECIMALS = 2 };

/* --- about.js ----------------------------------------------------------------------------------------------------- */

static void add_named(struct sst_text *out, const char *name, const char *text)
{
    sst_text_addf(out, ",\n\"%s\":", name);
    sst_feed_page_add_string(out, text);
}

static void add_axis(struct sst_text *out, const char *name, const struct sst_domain *domain, size_t n,
                     double (*at)(const struct sst_domain *, size_t))
{
    sst_text_addf(out, ",\n\"%s\":[", name);
    for (size_t i = 0; i < n; ++i) {
        sst_text_add(out, i > 0 ? "," : "");
        sst_feed_page_add_number(out, at(domain, i), DEGREE_DECIMALS);
    }
    sst_text_add(out, "]");
}

static void add_positions(struct sst_text *out, const struct sst_region_ring *ring)
{
    sst_text_add(out, "[");
    for (size_t i = 0; i < ring->n; ++i) {
        sst_text_add(out, i > 0 ? ",[" : "[");
        sst_feed_page_add_number(out, ring->lon[i], DEGREE_DECIMALS);
        sst_text_add(out, ",");
        sst_feed_page_add_number(out, ring->lat[i], DEGREE_DECIMALS);
        sst_text_add(out, "]");
    }
    sst_text_add(out, "]");
}

static void add_regions(struct sst_text *out, const struct sst_region_set *set)
{
    sst_text_add(out, ",\n\"regions\":[");
    for (size_t i = 0; i < set->n; ++i) {
        const struct sst_region *region = &set->regions[i];
        sst_text_add(out, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
        sst_feed_page_add_string(out, region->name);
        sst_text_add(out, ",\"title\":");
        sst_feed_page_add_string(out, region->title);
        sst_text_add(out, ",\"rings\":[");
        for (size_t r = 0; r < region->n_rings; ++r) {
            sst_text_add(out, r > 0 ? "," : "");
            add_positions(out, &region->rings[r]);
        }
        sst_text_add(out, "]}");
    }
    sst_text_add(out, "]");
}

/* A bit for each cell of the domain, the first one in the lowest bit of the first byte. */
static void add_land(struct sst_text *out, struct sst_feed_page *page, const uint8_t *surface)
{
    const size_t n_cells = page->about->domain->n_cells, n_bytes = (n_cells + 7) / 8;
    for (size_t i = 0; i < n_bytes; ++i) {
        unsigned bits = 0;
        for (size_t b = 0; b < 8 && 8 * i + b < n_cells; ++b)
            bits |= (unsigned)(surface[8 * i + b] == SST_EVENT_SURFACE_LAND) << b;
        page->codes[i] = (uint8_t)bits;
    }
    sst_text_add(out, ",\n\"land\":");
    sst_feed_page_add_codes(out, page, n_bytes);
}

static void add_rule(struct sst_text *out, const struct sst_feed_about *about)
{
    sst_text_add(out, ",\n\"percentile\":");
    sst_feed_page_add_number(out, about->percentile, 4);
    sst_text_addf(out, ",\n\"baseline\":[%d,%d]", about->first_baseline_year, about->last_baseline_year);
    sst_text_addf(out, ",\n\"cold\":%s,\n\"minDuration\":%d,\n\"maxGap\":%d,\n\"holdMissing\":%d,\n\"daysKept\":%d",
                  about->is_cold ? "true" : "false", about->min_duration, about->max_gap, about->hold_missing,
                  about->days_kept);
}

/* The numbers by which map.js and tiles are read. */
static void add_coding(struct sst_text *out, const struct sst_feed_page *page)
{
    const struct {
        const char *name;
        const struct sst_feed_page_scale *scale;
    } scales[] = {
        {"severity", &sst_feed_page_severity}, {"anomaly", &sst_feed_page_anomaly}, {"bound", &sst_feed_page_bound}};
    sst_text_addf(out, ",\n\"map\":{\"block\":%zu,\"rows\":%zu,\"cols\":%zu", page->block, page->map_rows,
                  page->map_cols);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i)
        sst_text_addf(out, ",\"%s\":{\"zero\":%d,\"step\":%g}", scales[i].name, scales[i].scale->zero,
                      scales[i].scale->step);
    sst_text_addf(out, "},\n\"state\":{\"surfaces\":%d,\"labels\":%d}", SST_FEED_PAGE_N_SURFACES,
                  SST_FEED_PAGE_N_LABELS);
    sst_text_addf(out, ",\n\"tile\":%d", SST_FEED_PAGE_TILE);
}

enum sst_status sst_feed_page_about(struct sst_feed_page *page, const uint8_t *surface, struct sst_text *out,
                                    struct sst_error *err)
{
    const struct sst_feed_about *about = page->about;
    sst_text_add(out, "SST.about({\"schema\":1");
    add_named(out, "title", about->title);
    add_named(out, "product", about->product);
    add_named(out, "climatology", about->climatology_id);
    add_named(out, "estimator", about->estimator);
    add_named(out, "units", about->units);
    add_named(out, "calendar", sst_calendar_name(about->calendar));
    add_named(out, "link", about->link);
    add_named(out, "sibling", about->sibling);
    add_rule(out, about);
    add_coding(out, page);
    add_axis(out, "lat", about->domain, about->domain->n_rows, sst_domain_lat);
    add_axis(out, "lon", about->domain, about->domain->n_cols, sst_domain_lon);
    add_regions(out, about->regions);
    add_land(out, page, surface);
    sst_text_add(out, "});\n");
    return sst_text_check(out, err);
}

/* --- index.js ----------------------------------------------------------------------------------------------------- */

static void add_state(struct sst_text *out, const struct sst_feed_page *page, const struct sst_feed_state *state)
{
    sst_text_addf(out, "\"generated\":%lld", (long long)state->now);
    const struct {
        const char *name;
        struct sst_day day;
    } days[] = {{"newest", state->newest},
                {"newestFinal", state->newest_final},
                {"expected", state->expected},
                {"oldest", state->oldest}};
    for (size_t i = 0; i < sizeof days / sizeof *days; ++i) {
        sst_text_addf(out, ",\n\"%s\":", days[i].name);
        sst_feed_page_add_day(out, page, days[i].day);
    }
    sst_text_add(out, ",\n\"ageDays\":");
    sst_feed_page_add_number(out, state->age_days, HOUR_DECIMALS);
    sst_text_addf(out, ",\n\"late\":%s,\n\"days\":[", state->is_late ? "true" : "false");
    for (size_t i = 0; i < state->n_days; ++i) {
        const struct sst_feed_listed *listed = &state->days[i];
        sst_text_add(out, i > 0 ? ",\n{\"day\":" : "\n{\"day\":");
        sst_feed_page_add_day(out, page, listed->day);
        sst_text_addf(out, ",\"number\":%lld,\"revision\":%d,\"absent\":%s,\"preliminary\":%s,\"published\":%lld}",
                      (long long)sst_calendar_days_since_1970(page->about->calendar, listed->day), listed->revision,
                      listed->is_absent ? "true" : "false", listed->is_preliminary ? "true" : "false",
                      (long long)listed->published);
    }
    sst_text_add(out, "]");
}

static void add_number_of(struct sst_text *out, const char *name, double value, int decimals)
{
    sst_text_addf(out, ",\"%s\":", name);
    sst_feed_page_add_number(out, value, decimals);
}

static void add_area(struct sst_text *out, const struct sst_feed_page *page, const struct sst_area *area)
{
    char text[SST_AREA_ID_TEXT_SIZE];
    sst_text_add(out, "{\"id\":");
    sst_feed_page_add_string(out, sst_area_id_text(area->id, page->about->domain->grid, text));
    sst_text_addf(out, ",\"status\":\"%s\",\"first\":", sst_area_status_name(area->status));
    sst_feed_page_add_day(out, page, area->first);
    sst_text_add(out, ",\"last\":");
    sst_feed_page_add_day(out, page, area->last);
    sst_text_add(out, ",\"peakDay\":");
    sst_feed_page_add_day(out, page, area->peak);
    sst_text_addf(out, ",\"days\":%d,\"category\":%d,\"highest\":%d", area->n_days, area->category,
                  area->highest_category);
    add_number_of(out, "lat", area->lat, SHARE_DECIMALS);
    add_number_of(out, "lon", area->lon, SHARE_DECIMALS);
    add_number_of(out, "km2", area->km2, KM2_DECIMALS);
    add_number_of(out, "mostKm2", area->most_km2, KM2_DECIMALS);
    add_number_of(out, "mean", area->mean_intensity, INTENSITY_DECIMALS);
    add_number_of(out, "max", area->max_intensity, INTENSITY_DECIMALS);
    add_number_of(out, "peak", area->peak_intensity, INTENSITY_DECIMALS);
    sst_text_add(out, ",\"into\":");
    if (area->merged_into != 0)
        sst_feed_page_add_string(out, sst_area_id_text(area->merged_into, page->about->domain->grid, text));
    else
        sst_text_add(out, "null");
    sst_text_add(out, "}");
}

/* [known, unknown, beside, candidate, category 0 .. 4] in km2, mean anomaly, greatest intensity */
static void add_region_day(struct sst_text *out, const struct sst_region_day *day)
{
    const double areas[] = {day->known_km2, day->unknown_km2, day->beside_km2, day->candidate_km2};
    sst_text_add(out, "[");
    for (size_t i = 0; i < sizeof areas / sizeof *areas; ++i) {
        sst_feed_page_add_number(out, areas[i], KM2_DECIMALS);
        sst_text_add(out, ",");
    }
    for (size_t i = 0; i <= SST_N_CATEGORIES; ++i) {
        sst_feed_page_add_number(out, day->category_km2[i], KM2_DECIMALS);
        sst_text_add(out, ",");
    }
    sst_feed_page_add_number(out, day->mean_anomaly, INTENSITY_DECIMALS);
    sst_text_add(out, ",");
    sst_feed_page_add_number(out, day->max_intensity, INTENSITY_DECIMALS);
    sst_text_add(out, "]");
}

enum sst_status sst_feed_page_index(struct sst_feed_page *page, const struct sst_feed_page_index *index,
                                    struct sst_text *out, struct sst_error *err)
{
    sst_text_add(out, "SST.index({\"schema\":1,");
    add_state(out, page, index->state);
    sst_text_add(out, ",\n\"areas\":[");
    for (size_t i = 0; i < index->n_areas; ++i) {
        sst_text_add(out, i > 0 ? ",\n" : "\n");
        add_area(out, page, &index->areas[i]);
    }
    sst_text_add(out, "],\n\"regions\":[");
    for (size_t i = 0; i < index->n_rows; ++i) {
        sst_text_add(out, i > 0 ? ",\n[" : "\n[");
        sst_feed_page_add_day(out, page, index->rows[i].day);
        for (size_t r = 0; r < page->about->regions->n; ++r) {
            sst_text_add(out, ",");
            add_region_day(out, &index->rows[i].regions[r]);
        }
        sst_text_add(out, "]");
    }
    sst_text_add(out, "]});\n");
    return sst_text_check(out, err);
}
