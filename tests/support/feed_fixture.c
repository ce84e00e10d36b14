/* A day in which every array agrees with the others. */
#include "feed_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/event_day.h"

/* Not Check's assertions, which only work within its tests: a benchmark uses this fixture too. */
static void must(bool is_so, const char *why)
{
    if (is_so)
        return;
    (void)fprintf(stderr, "the fixture of a feed: %s\n", why);
    abort();
}

static void *zeros(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    must(memory != NULL, "no memory");
    return memory;
}

static double *centres(struct even_axis axis)
{
    double *out = zeros(axis.n, sizeof *out);
    for (size_t i = 0; i < axis.n; ++i)
        out[i] = axis.first + (double)i * axis.step;
    return out;
}

static struct sst_grid *make_grid(struct even_axis lat, struct even_axis lon)
{
    struct sst_grid *grid = NULL;
    struct sst_error err = {0};
    double *lats = centres(lat), *lons = centres(lon);
    must(sst_grid_create(lats, lat.n, lons, lon.n, &grid, &err) == SST_OK, err.text);
    free(lats);
    free(lons);
    return grid;
}

static void make_arrays(struct feed_fixture *fixture)
{
    const size_t n = fixture->domain.n_cells;
    fixture->kind = zeros(n, 1);
    fixture->hot = zeros(n, 1);
    fixture->is_event = zeros(n, 1);
    fixture->is_candidate = zeros(n, 1);
    fixture->surface = zeros(n, 1);
    fixture->label = zeros(n, 1);
    fixture->robust = zeros(n, 1);
    fixture->category = zeros(n, 1);
    fixture->sst = zeros(n, sizeof(float));
    fixture->mean = zeros(n, sizeof(float));
    fixture->threshold = zeros(n, sizeof(float));
    fixture->bound = zeros(n, sizeof(float));
    fixture->anomaly = zeros(n, sizeof(float));
    fixture->severity = zeros(n, sizeof(float));
    fixture->days_above = zeros(n, sizeof(uint16_t));
    fixture->start = zeros(n, sizeof(int32_t));
    fixture->event_id = zeros(n, sizeof(uint64_t));
}

static void make_day(struct feed_fixture *fixture)
{
    fixture->day = (struct sst_feed_day){
        .day = {2026, sst_calendar_slot(SST_CALENDAR_STANDARD, 11, 29)},
        .revision = 2,
        .is_preliminary = true,
        .first_published = 1796083200, /* 2026-12-01T00:00:00Z */
        .published = 1796169600,
        .surface = fixture->surface,
        .label = fixture->label,
        .category = fixture->category,
        .sst = fixture->sst,
        .mean = fixture->mean,
        .threshold = fixture->threshold,
        .bound = fixture->bound,
        .anomaly = fixture->anomaly,
        .severity = fixture->severity,
        .days_above = fixture->days_above,
        .start = fixture->start,
        .event_id = fixture->event_id,
        .robust = fixture->robust,
    };
    fixture->state = (struct sst_feed_state){
        .now = 1796173200, /* 2026-12-02T01:00:00Z */
        .age_days = 1.0416667,
        .is_late = true,
        .days = fixture->listed,
        .n_days = FEED_FIXTURE_DAYS,
    };
}

void feed_fixture_open(struct feed_fixture *fixture, struct even_axis lat, struct even_axis lon)
{
    struct sst_error err = {0};
    memset(fixture, 0, sizeof *fixture);
    fixture->grid = make_grid(lat, lon);
    sst_domain_all(fixture->grid, &fixture->domain);
    make_arrays(fixture);
    make_day(fixture);
    fixture->about = (struct sst_feed_about){
        .domain = &fixture->domain,
        .calendar = SST_CALENDAR_STANDARD,
        .title = "Heatwaves & \"friends\" <here>",
        .product = "Test SST \xC2\xB0 v2",
        .climatology_id = "0123abcd",
        .estimator = "exact, Hyndman-Fan type 7",
        .units = "degree_Celsius",
        .percentile = 90,
        .first_baseline_year = 1991,
        .last_baseline_year = 2020,
        .min_duration = 5,
        .max_gap = 2,
        .hold_missing = 3,
        .link = "https://example.org/feed",
        .sibling = "",
        .regions = &fixture->regions,
        .days_open = 27,
    };
    must(sst_area_tracker_create(&fixture->domain, SST_CALENDAR_STANDARD, &fixture->tracker, &err) == SST_OK, err.text);
    for (size_t cell = 0; cell < fixture->domain.n_cells; ++cell)
        fixture->mean[cell] = 15;
    feed_fixture_calm(fixture);
}

void feed_fixture_close(struct feed_fixture *fixture)
{
    void *const arrays[] = {fixture->kind,     fixture->hot,        fixture->is_event,   fixture->is_candidate,
                            fixture->surface,  fixture->label,      fixture->robust,     fixture->category,
                            fixture->sst,      fixture->mean,       fixture->threshold,  fixture->bound,
                            fixture->anomaly,  fixture->severity,   fixture->days_above, fixture->start,
                            fixture->event_id, fixture->region_days};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        free(arrays[i]);
    sst_area_tracker_destroy(&fixture->tracker);
    sst_region_scratch_destroy(&fixture->scratch);
    sst_region_set_clear(&fixture->regions);
    sst_grid_destroy(&fixture->grid);
}

void feed_fixture_add_regions(struct feed_fixture *fixture, const char *geojson)
{
    struct sst_error err = {0};
    must(sst_region_add_geojson(&fixture->regions, geojson, strlen(geojson), "regions", &fixture->domain, &err) ==
             SST_OK,
         err.text);
}

/* Sets what follows from how far a cell is from its mean. [K] */
static void set_anomaly(struct feed_fixture *fixture, size_t cell, float anomaly)
{
    fixture->threshold[cell] = fixture->mean[cell] + (float)FEED_FIXTURE_STEP;
    fixture->sst[cell] = fixture->mean[cell] + anomaly;
    fixture->anomaly[cell] = anomaly;
    fixture->severity[cell] = anomaly / (float)FEED_FIXTURE_STEP;
}

void feed_fixture_heat(struct feed_fixture *fixture, size_t cell, int category)
{
    set_anomaly(fixture, cell, (float)(FEED_FIXTURE_STEP * (category + 0.5)));
    fixture->kind[cell] = SST_REGION_KNOWN;
    fixture->surface[cell] = SST_EVENT_SURFACE_WATER;
    fixture->label[cell] = category > 0 ? SST_EVENT_LABEL_EVENT : SST_EVENT_LABEL_BRIDGED;
    fixture->category[cell] = (int8_t)category;
    fixture->hot[cell] = (uint8_t)category;
    fixture->is_event[cell] = 1;
    fixture->days_above[cell] = category > 0 ? 6 : 0;
    fixture->robust[cell] = SST_FEED_ROBUST;
    fixture->event_id[cell] = sst_event_id(sst_domain_canonical(&fixture->domain, cell), 20000, SST_EVENT_WARM);
}

static void take_away(struct feed_fixture *fixture, size_t cell, enum sst_region_cell kind,
                      enum sst_event_surface surface)
{
    fixture->kind[cell] = (uint8_t)kind;
    fixture->surface[cell] = (uint8_t)surface;
    fixture->label[cell] = SST_EVENT_LABEL_UNKNOWN;
    fixture->category[cell] = SST_EVENT_CATEGORY_FILL;
    fixture->hot[cell] = fixture->is_event[cell] = 0;
    fixture->sst[cell] = fixture->anomaly[cell] = fixture->severity[cell] = NAN;
    fixture->days_above[cell] = 0;
    fixture->event_id[cell] = 0;
    fixture->robust[cell] = SST_FEED_NO_BOUND;
}

void feed_fixture_hide(struct feed_fixture *fixture, size_t cell)
{
    take_away(fixture, cell, SST_REGION_UNKNOWN, SST_EVENT_SURFACE_MISSING);
}

void feed_fixture_make_land(struct feed_fixture *fixture, size_t cell)
{
    take_away(fixture, cell, SST_REGION_NO_SEA, SST_EVENT_SURFACE_LAND);
}

void feed_fixture_calm(struct feed_fixture *fixture)
{
    for (size_t cell = 0; cell < fixture->domain.n_cells; ++cell) {
        if (fixture->surface[cell] == SST_EVENT_SURFACE_LAND)
            continue;
        feed_fixture_heat(fixture, cell, 0);
        set_anomaly(fixture, cell, 0.25F);
        fixture->label[cell] = SST_EVENT_LABEL_NONE;
        fixture->is_event[cell] = 0;
        fixture->event_id[cell] = 0;
        fixture->start[cell] = INT32_MIN;
    }
}

static void list_days(struct feed_fixture *fixture)
{
    struct sst_day day = fixture->day.day;
    for (size_t i = FEED_FIXTURE_DAYS; i-- > 0; day = sst_calendar_previous_day(SST_CALENDAR_STANDARD, day))
        fixture->listed[i] = (struct sst_feed_listed){.day = day,
                                                      .revision = fixture->day.revision,
                                                      .is_absent = i == FEED_FIXTURE_DAYS - 2,
                                                      .is_preliminary = i == FEED_FIXTURE_DAYS - 1,
                                                      .published = fixture->day.published};
    fixture->state.newest = fixture->day.day;
    fixture->state.oldest = fixture->state.newest_final = fixture->listed[0].day;
    fixture->state.expected = sst_calendar_next_day(SST_CALENDAR_STANDARD, fixture->day.day);
}

void feed_fixture_step(struct feed_fixture *fixture)
{
    const struct sst_region_cells cells = {fixture->kind,         fixture->hot,     fixture->is_event,
                                           fixture->is_candidate, fixture->anomaly, fixture->severity};
    struct sst_feed_day *day = &fixture->day;
    struct sst_error err = {0};
    day->day = sst_calendar_next_day(SST_CALENDAR_STANDARD, day->day);
    must(sst_area_step(fixture->tracker, day->day, &cells, &err) == SST_OK, err.text);
    day->areas = sst_area_all(fixture->tracker);
    day->area_label = sst_area_labels(fixture->tracker);
    day->n_present = sst_area_n_present(fixture->tracker);
    day->n_gone = sst_area_n_gone(fixture->tracker);
    if (!fixture->scratch) {
        must(sst_region_scratch_create(&fixture->regions, &fixture->domain, &fixture->scratch, &err) == SST_OK,
             err.text);
        fixture->region_days = zeros(fixture->regions.n + 1, sizeof *fixture->region_days);
    }
    for (size_t i = 0; i < fixture->regions.n; ++i)
        sst_region_sum_day(fixture->scratch, &fixture->regions.regions[i], &cells, &fixture->region_days[i]);
    day->regions = fixture->region_days;
    list_days(fixture);
}

struct sst_feed_areas feed_fixture_areas(const struct feed_fixture *fixture)
{
    return (struct sst_feed_areas){
        .about = &fixture->about, .day = &fixture->day, .tracker = fixture->tracker, .now = fixture->state.now};
}
