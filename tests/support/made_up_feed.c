/* Fields by formula, stepped through the real ring, tracker and sums. */
#include "made_up_feed.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/event_day.h"
#include "regular_grid.h"

enum { NEWEST_DAY = 20787, N_PRELIMINARY = 10, ABSENT_FROM_END = 8, DAY_SECONDS = 86400, GENERATED_HOUR = 33 };

static const double degree = 0.017453292519943295;

/* Heatwaves: where, how wide [degrees], from which day to which before the newest, how strong [degC]. */
static const struct blob {
    double lat, lon, radius, from, to, strength;
} blobs[] = {
    {35, 165, 14, 28, -9, 4.6},  {-40, 168, 9, 20, -4, 3.2}, {-8, 250, 17, 26, -20, 2.4}, {47, 325, 11, 17, -7, 5.4},
    {-33, 345, 9, 25, 6, 2.6},   {16, 300, 8, 3, -9, 2.2},   {-28, 88, 10, 22, -6, 3.4},  {38, 18, 5, 30, -3, 2.8},
    {-52, 210, 12, 16, -5, 2.9}, {62, 358, 6, 12, -8, 2.5},  {5, 65, 9, 19, 9, 2.1},
};

/* -1..1, the same for the same numbers. */
static double noise(uint64_t a, uint64_t b)
{
    uint64_t mixed = a * 0x9E3779B97F4A7C15u + b * 0xC2B2AE3D27D4EB4Fu + 1;
    mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 32) * 0x94D049BB133111EBu;
    return (double)(mixed >> 11) * 0x1p-52 - 1.0;
}

static bool is_land(double lat, double lon)
{
    const double wave = sin(lon * degree * 2 + 0.6) + 0.7 * sin(lon * degree * 3 + lat * degree * 2 + 2) +
                        0.5 * cos(lat * degree * 5 + lon * degree) +
                        0.25 * sin(lon * degree * 13) * cos(lat * degree * 11);
    return lat < -78 || wave > 1.12;
}

static double mean_at(double lat, double lon, int32_t day)
{
    const double season = cos((fmod(day, 365.25) - 45) / 365.25 * 6.2831853) * (lat > 0 ? -1 : 1);
    return 29 * pow(cos(lat * degree), 1.4) - 2 + 3.5 * season * fabs(sin(lat * degree)) + 0.8 * sin(lon * degree * 3);
}

static double above_mean(double lat, double lon, int32_t day)
{
    const int before = NEWEST_DAY - day;
    double sum = 0.45 * sin(lon * degree * 7 + day * 0.11) * cos(lat * degree * 9 - day * 0.07) +
                 0.35 * sin(lon * degree * 17 - day * 0.2 + lat * degree * 3) + 0.3;
    for (size_t i = 0; i < sizeof blobs / sizeof *blobs; ++i) {
        const struct blob *blob = &blobs[i];
        const double past = (blob->from - before) / (blob->from - blob->to), east = remainder(lon - blob->lon, 360);
        const double away = hypot(lat - blob->lat, east * cos(lat * degree)) / blob->radius;
        if (past > 0 && past < 1)
            sum += blob->strength * sin(3.14159265 * past) * exp(-away * away) *
                   (1 + 0.25 * sin(east * 0.9) * cos(lat * 0.8));
    }
    return sum;
}

struct place {
    double lat, lon;
};

static struct place place_of(const struct sst_domain *domain, size_t cell)
{
    return (struct place){sst_domain_lat(domain, cell / domain->n_cols), sst_domain_lon(domain, cell % domain->n_cols)};
}

static enum sst_status limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                              struct sst_error *err)
{
    const struct made_up_feed *fixture = user;
    const int32_t number = (int32_t)sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, day);
    (void)err;
    for (size_t i = 0; i < fixture->domain.n_cells; ++i) {
        const struct place at = place_of(&fixture->domain, i);
        const double spread = 0.75 + 0.5 * fabs(sin(at.lat * degree * 2)) + 0.02 * noise(i, 7);
        const bool is_flat = at.lat > 73 && fabs(at.lon - 210) < 20;
        mean[i] = is_land(at.lat, at.lon) ? NAN : (float)(mean_at(at.lat, at.lon, number) + 0.01 * noise(i, 3));
        threshold[i] = mean[i] + (float)(is_flat ? 0.02 : spread) * (fixture->about.is_cold ? -1 : 1);
        flags[i] = fabs(at.lat) > 76 && !is_flat ? SST_EVENT_DAY_ICY_CLIMATOLOGY : 0;
    }
    return SST_OK;
}

static void put_day(struct made_up_feed *fixture, int32_t number, float *sst, uint8_t *ice)
{
    enum sst_event_outcome outcome;
    struct sst_error err = {0};
    const int before = NEWEST_DAY - number;
    for (size_t i = 0; i < fixture->domain.n_cells; ++i) {
        const struct place at = place_of(&fixture->domain, i);
        const double above = above_mean(at.lat, at.lon, number) + 0.1 * noise(i, (uint64_t)number);
        const double value = mean_at(at.lat, at.lon, number) + (fixture->about.is_cold ? -above : above);
        const bool is_beside = before == 0 && fabs(at.lon + at.lat * 0.4 - 178) < 7; /* a swath without values */
        sst[i] = is_land(at.lat, at.lon) || is_beside ? NAN : (float)(rint(100 * value) / 100);
        ice[i] = value < -1.4 && fabs(at.lat) > 60;
    }
    ck_assert_msg(sst_event_ring_put(fixture->ring, sst_calendar_day_at(SST_CALENDAR_STANDARD, number), sst, ice,
                                     before < N_PRELIMINARY, &outcome, &err) == SST_OK,
                  "%s", err.text);
}

static void *room(size_t n, size_t size)
{
    void *out = calloc(n, size);
    ck_assert_ptr_nonnull(out);
    return out;
}

static void make_arrays(struct made_up_feed *fixture)
{
    const size_t n = fixture->domain.n_cells;
    float **floats[] = {&fixture->bound, &fixture->anomaly, &fixture->severity};
    uint8_t **bytes[] = {&fixture->surface,  &fixture->label,        &fixture->robust, &fixture->kind,
                         &fixture->is_event, &fixture->is_candidate, &fixture->counted};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; ++i)
        *floats[i] = room(n, sizeof **floats[i]);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i)
        *bytes[i] = room(n, 1);
    fixture->category = room(n, 1);
    fixture->event_id = room(n, sizeof *fixture->event_id);
    fixture->areas = room(FEED_MOST_AREAS, sizeof *fixture->areas);
    fixture->sums = room((size_t)fixture->n_days * fixture->regions.n, sizeof *fixture->sums);
    for (size_t i = 0; i < n; ++i) {
        const struct place at = place_of(&fixture->domain, i);
        fixture->bound[i] =
            at.lat < -60 ? NAN : (float)(0.05 + 0.25 * pow(sin(at.lat * degree), 2) + 0.01 * noise(i, 11));
    }
}

static void step_ring(struct made_up_feed *fixture)
{
    const size_t n = fixture->domain.n_cells;
    struct sst_error err = {0};
    uint64_t *canonical = room(n, sizeof *canonical);
    float *sst = room(n, sizeof *sst);
    uint8_t *ice = room(n, 1);
    for (size_t i = 0; i < n; ++i)
        canonical[i] = sst_domain_canonical(&fixture->domain, i);
    const struct sst_event_ring_spec spec = {
        .rule = {.direction = fixture->about.is_cold ? SST_EVENT_COLD : SST_EVENT_WARM,
                 .min_duration = 5,
                 .max_gap = 2,
                 .hold_missing = 3},
        .n_cells = n,
        .canonical_cells = canonical,
        .n_days = fixture->n_days > SST_EVENT_RING_DAYS ? fixture->n_days : SST_EVENT_RING_DAYS,
        .links = {.user = fixture, .limits = limits}};
    ck_assert_msg(sst_event_ring_create(&spec, &fixture->ring, &err) == SST_OK, "%s", err.text);
    for (int i = 0; i < fixture->n_days; ++i) {
        if (!fixture->listed[i].is_absent)
            put_day(fixture, NEWEST_DAY - fixture->n_days + 1 + i, sst, ice);
    }
    free(canonical);
    free(sst);
    free(ice);
}

static void list_days(struct made_up_feed *fixture)
{
    for (int i = 0; i < fixture->n_days; ++i) {
        const int before = fixture->n_days - 1 - i;
        const struct sst_feed_listed listed = {.day = sst_calendar_day_at(SST_CALENDAR_STANDARD, NEWEST_DAY - before),
                                               .revision = before < ABSENT_FROM_END ? 1 : 2,
                                               .is_absent = before == ABSENT_FROM_END - 1,
                                               .is_preliminary = before < N_PRELIMINARY,
                                               .published = ((int64_t)NEWEST_DAY - before + 1) * DAY_SECONDS + 3600};
        fixture->listed[i] = listed;
    }
    fixture->state = (struct sst_feed_state){
        .now = (int64_t)(NEWEST_DAY + 1) * DAY_SECONDS + GENERATED_HOUR * 3600,
        .newest = fixture->listed[fixture->n_days - 1].day,
        .newest_final = sst_calendar_day_at(SST_CALENDAR_STANDARD, NEWEST_DAY - N_PRELIMINARY),
        .age_days = GENERATED_HOUR / 24.0,
        .is_late = true,
        .expected = sst_calendar_day_at(SST_CALENDAR_STANDARD, NEWEST_DAY + 1),
        .oldest = fixture->listed[0].day,
        .days = fixture->listed,
        .n_days = (size_t)fixture->n_days,
    };
}

void made_up_feed_open(struct made_up_feed *fixture, double step, int n_days, bool is_cold)
{
    struct sst_error err = {0};
    *fixture = (struct made_up_feed){.n_days = n_days};
    const struct even_axis lat = {-90 + step / 2, step, (size_t)lround(180 / step)};
    const struct even_axis lon = {step / 2, step, (size_t)lround(360 / step)};
    fixture->grid = regular_grid(lat, lon);
    sst_domain_all(fixture->grid, &fixture->domain);
    ck_assert_msg(sst_region_add_builtin(&fixture->regions, &fixture->domain, &err) == SST_OK, "%s", err.text);
    fixture->about = (struct sst_feed_about){
        .domain = &fixture->domain,
        .calendar = SST_CALENDAR_STANDARD,
        .title = is_cold ? "Marine cold spells" : "Marine heatwaves",
        .product = "A made-up planet, \"version\" 1 <test>",
        .climatology_id = "0123456789abcdef",
        .estimator = "Cornish-Fisher",
        .units = "degree_Celsius",
        .percentile = is_cold ? 10 : 90,
        .first_baseline_year = 1991,
        .last_baseline_year = 2020,
        .is_cold = is_cold,
        .min_duration = 5,
        .max_gap = 2,
        .hold_missing = 3,
        .link = "",
        .sibling = "",
        .regions = &fixture->regions,
        .days_kept = n_days,
    };
    list_days(fixture);
    make_arrays(fixture);
    step_ring(fixture);
    ck_assert_int_eq(sst_area_tracker_create(&fixture->domain, SST_CALENDAR_STANDARD, &fixture->tracker, &err), SST_OK);
    ck_assert_int_eq(sst_region_scratch_create(&fixture->regions, &fixture->domain, &fixture->scratch, &err), SST_OK);
}

void made_up_feed_close(struct made_up_feed *fixture)
{
    void *owned[] = {fixture->bound,    fixture->anomaly,  fixture->severity, fixture->surface,      fixture->label,
                     fixture->robust,   fixture->kind,     fixture->is_event, fixture->is_candidate, fixture->counted,
                     fixture->category, fixture->event_id, fixture->areas,    fixture->sums};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; ++i)
        free(owned[i]);
    sst_region_scratch_destroy(&fixture->scratch);
    sst_area_tracker_destroy(&fixture->tracker);
    sst_event_ring_destroy(&fixture->ring);
    sst_region_set_clear(&fixture->regions);
    sst_grid_destroy(&fixture->grid);
}

/* Whether the category is the same at both ends of the threshold's error. */
static enum sst_feed_robustness robustness(const struct sst_event_day *day, size_t cell, double bound, int category)
{
    if (category < 1 || isnan(bound))
        return SST_FEED_NO_BOUND;
    const double above = (double)day->sst[cell] - (double)day->mean[cell];
    const double spread = (double)day->threshold[cell] - (double)day->mean[cell];
    const bool is_same = sst_event_category(fabs(above) / (fabs(spread) + bound)) == category &&
                         sst_event_category(fabs(above) / fmax(fabs(spread) - bound, 0.01)) == category;
    return is_same ? SST_FEED_ROBUST : SST_FEED_NOT_ROBUST;
}

static enum sst_region_cell kind_of(enum sst_event_surface surface, enum sst_event_label label)
{
    if (surface == SST_EVENT_SURFACE_LAND)
        return SST_REGION_NO_SEA;
    if (surface == SST_EVENT_SURFACE_ICE || surface == SST_EVENT_SURFACE_NO_VARIANCE)
        return SST_REGION_BESIDE;
    const bool is_unknown = surface == SST_EVENT_SURFACE_MISSING || label == SST_EVENT_LABEL_AWAITING;
    return is_unknown ? SST_REGION_UNKNOWN : SST_REGION_KNOWN;
}

static void fill_cell(struct made_up_feed *fixture, const struct sst_event_day *day, size_t i)
{
    const enum sst_event_direction direction = fixture->about.is_cold ? SST_EVENT_COLD : SST_EVENT_WARM;
    const struct sst_event_cell_day told = sst_event_cell_day(day, direction, i);
    const enum sst_event_label label = sst_event_ring_label(fixture->ring, day->day, i);
    const bool is_known = told.surface == SST_EVENT_SURFACE_WATER;
    fixture->surface[i] = (uint8_t)told.surface;
    fixture->label[i] = (uint8_t)label;
    fixture->category[i] = (int8_t)told.category;
    fixture->anomaly[i] = told.anomaly;
    fixture->severity[i] = is_known ? told.anomaly / (day->threshold[i] - day->mean[i]) : NAN;
    fixture->robust[i] = (uint8_t)robustness(day, i, (double)fixture->bound[i], told.category);
    fixture->kind[i] = (uint8_t)kind_of(told.surface, label);
    fixture->is_event[i] = is_known && (label == SST_EVENT_LABEL_EVENT || label == SST_EVENT_LABEL_BRIDGED);
    fixture->is_candidate[i] = is_known && label == SST_EVENT_LABEL_CANDIDATE;
    fixture->counted[i] = (uint8_t)(told.category > 0 ? told.category : 0);
}

static void fill_day(struct made_up_feed *fixture, int index, const struct sst_event_day *day)
{
    const struct sst_feed_listed *listed = &fixture->listed[index];
    fixture->day = (struct sst_feed_day){
        .day = listed->day,
        .revision = listed->revision,
        .is_absent = listed->is_absent,
        .is_preliminary = listed->is_preliminary,
        .first_published = listed->published,
        .published = listed->published,
        .surface = fixture->surface,
        .label = fixture->label,
        .category = fixture->category,
        .sst = day->sst,
        .mean = day->mean,
        .threshold = day->threshold,
        .bound = fixture->bound,
        .anomaly = fixture->anomaly,
        .severity = fixture->severity,
        .days_above = day->runs,
        .start = day->starts,
        .event_id = fixture->event_id,
        .robust = fixture->robust,
        .area_label = sst_area_labels(fixture->tracker),
        .areas = sst_area_all(fixture->tracker),
        .n_present = sst_area_n_present(fixture->tracker),
        .n_gone = sst_area_n_gone(fixture->tracker),
        .regions = fixture->sums + (size_t)index * fixture->regions.n,
    };
}

/* Areas that this day ended or merged stay in the list; those present are put behind them anew. */
static void list_areas(struct made_up_feed *fixture)
{
    const struct sst_feed_day *day = &fixture->day;
    ck_assert_uint_le(fixture->n_gone + day->n_gone + day->n_present, FEED_MOST_AREAS);
    memcpy(fixture->areas + fixture->n_gone, day->areas + day->n_present, day->n_gone * sizeof *day->areas);
    fixture->n_gone += day->n_gone;
    memcpy(fixture->areas + fixture->n_gone, day->areas, day->n_present * sizeof *day->areas);
    fixture->n_areas = fixture->n_gone + day->n_present;
}

void made_up_feed_day(struct made_up_feed *fixture, int index)
{
    const struct sst_event_day day = sst_event_ring_day(fixture->ring, NEWEST_DAY - fixture->n_days + 1 + index);
    const struct sst_region_cells cells = {fixture->kind,         fixture->counted, fixture->is_event,
                                           fixture->is_candidate, fixture->anomaly, fixture->severity};
    struct sst_error err = {0};
    for (size_t i = 0; i < fixture->domain.n_cells; ++i)
        fill_cell(fixture, &day, i);
    if (!fixture->listed[index].is_absent)
        ck_assert_msg(sst_area_step(fixture->tracker, fixture->listed[index].day, &cells, &err) == SST_OK, "%s",
                      err.text);
    for (size_t r = 0; r < fixture->regions.n; ++r)
        sst_region_sum_day(fixture->scratch, &fixture->regions.regions[r], &cells,
                           &fixture->sums[(size_t)index * fixture->regions.n + r]);
    fill_day(fixture, index, &day);
    if (!fixture->listed[index].is_absent)
        list_areas(fixture);
    fixture->rows[fixture->n_rows++] = (struct sst_feed_page_row){fixture->day.day, fixture->day.regions};
}

struct sst_feed_page_index made_up_feed_index(const struct made_up_feed *fixture)
{
    return (struct sst_feed_page_index){.state = &fixture->state,
                                        .areas = fixture->areas,
                                        .n_areas = fixture->n_areas,
                                        .rows = fixture->rows,
                                        .n_rows = fixture->n_rows};
}

size_t made_up_feed_cell(const struct made_up_feed *fixture, double lat, double lon)
{
    const double step = sst_domain_lat(&fixture->domain, 1) - sst_domain_lat(&fixture->domain, 0);
    return (size_t)((lat + 90) / step) * fixture->domain.n_cols + (size_t)(lon / step);
}
