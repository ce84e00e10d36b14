/*
 * Days of a global 0.25 degree product into a feed, as they come one by one: `feed_day FOLDER [DAYS]`. For each step the
 * seconds it took and, in brackets, those of processors; at the end how much of the sea is in a heatwave, and what the
 * files take.
 *
 *   detect     the day into the ring
 *   products   all that changed: the day itself, and those before it whose labels it settles
 *
 * The sea is a sum of waves of many lengths that move, half a degree warmer than the climatology: about a fifth of it is in a
 * heatwave, in areas from one cell to half an ocean.
 */
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/mem.h"
#include "monitor/feed_writer.h"
#include "random.h"

enum {
    N_LON = 1440,
    N_LAT = 720,
    MOST_DAYS = 400,
    N_SCALES = 5,
    WAVES_OF_A_SCALE = 4,
    N_WAVES = N_SCALES * WAVES_OF_A_SCALE
};

/* A plane wave: phase = across * column + along * row + pace * day + start, in turns of 2^16 steps. */
struct wave {
    uint32_t across, along, pace, start;
};

struct sample {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_region_set regions;
    struct sst_feed_about about;
    size_t *cells, n_cells;
    uint64_t *canonical;
    float *sst, *degc_of_turn; /* a sine of 2^16 steps */
    float *bound; /* [degC] of the threshold: a climatology's, which costs no sines to read */
    struct wave waves[N_WAVES];
};

static void must(enum sst_status rc, const struct sst_error *err)
{
    if (rc == SST_OK)
        return;
    (void)fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double processor_seconds(void)
{
    struct rusage used;
    (void)getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* --- the sea ------------------------------------------------------------------------------------------------------ */

/* [degC] Mean by latitude and season. */
static double mean_at(size_t cell, int64_t day)
{
    const double turn = 6.283185307179586, lat = -89.875 + 0.25 * (double)(cell / N_LON);
    const double season = sin(turn * (double)day / 365.25) * lat / 15;
    return fmax(-1.8, 29 * cos(lat * turn / 360) - 1 + season);
}

/* [degC] The threshold's distance from it, by place. */
static double spread_at(size_t cell)
{
    return 1.1 + 0.3 * sin((double)(cell % N_LON) / 53) * cos((double)(cell / N_LON) / 29);
}

static enum sst_status limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                              struct sst_error *err)
{
    const struct sample *sample = user;
    const int64_t number = sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, day);
    (void)err;
    for (size_t i = 0; i < sample->n_cells; ++i) {
        mean[i] = (float)mean_at(sample->cells[i], number);
        threshold[i] = (float)(mean_at(sample->cells[i], number) + spread_at(sample->cells[i]));
        flags[i] = 0;
    }
    return SST_OK;
}

static enum sst_status bounds(void *user, struct sst_day day, float *bound, struct sst_error *err)
{
    const struct sample *sample = user;
    (void)day, (void)err;
    memcpy(bound, sample->bound, sample->n_cells * sizeof *bound);
    return SST_OK;
}

static int64_t now(void *user)
{
    (void)user;
    return (int64_t)time(NULL);
}

/* Waves of 400, 140, 50, 18 and 6 cells, the shorter the quicker. */
static void make_waves(struct sample *sample)
{
    struct test_random random = {11};
    double length = 400, days = 120;
    for (int i = 0; i < N_WAVES; ++i) {
        const double direction =
            6.283185307179586 * (i % WAVES_OF_A_SCALE + test_random_below(&random, 1000) / 1e3) / WAVES_OF_A_SCALE;
        sample->waves[i] = (struct wave){(uint32_t)(int32_t)lrint(65536 * cos(direction) / length),
                                         (uint32_t)(int32_t)lrint(65536 * sin(direction) / length),
                                         (uint32_t)lrint(65536 / days), (uint32_t)test_random_below(&random, 65536)};
        if (i % WAVES_OF_A_SCALE == WAVES_OF_A_SCALE - 1) {
            length /= 2.85;
            days /= 1.8;
        }
    }
    for (int i = 0; i < 65536; ++i)
        sample->degc_of_turn[i] = (float)(0.3 * sin(6.283185307179586 * i / 65536));
}

/* A third of the rows' cells is land, as on Earth. */
static void make_sea(struct sample *sample)
{
    struct sst_error err = {SST_OK, ""};
    static double lat[N_LAT], lon[N_LON];
    for (int i = 0; i < N_LAT; ++i)
        lat[i] = -89.875 + 0.25 * i;
    for (int i = 0; i < N_LON; ++i)
        lon[i] = 0.125 + 0.25 * i;
    must(sst_grid_create(lat, N_LAT, lon, N_LON, &sample->grid, &err), &err);
    sst_domain_all(sample->grid, &sample->domain);
    must(sst_region_add_builtin(&sample->regions, &sample->domain, &err), &err);
    must(sst_alloc(sample->domain.n_cells, sizeof *sample->cells, "cells", &sample->cells, &err), &err);
    must(sst_alloc(sample->domain.n_cells, sizeof *sample->canonical, "cells", &sample->canonical, &err), &err);
    must(sst_alloc(sample->domain.n_cells, sizeof *sample->sst, "cells", &sample->sst, &err), &err);
    must(sst_alloc(sample->domain.n_cells, sizeof *sample->bound, "cells", &sample->bound, &err), &err);
    must(sst_alloc(65536, sizeof *sample->degc_of_turn, "a sine", &sample->degc_of_turn, &err), &err);
    make_waves(sample);
    for (size_t cell = 0; cell < sample->domain.n_cells; ++cell) {
        if (cell % N_LON / 240 % 3 == 2 && cell / N_LON > 120)
            continue;
        sample->cells[sample->n_cells] = cell;
        sample->bound[sample->n_cells] = (float)(0.04 * spread_at(cell));
        sample->canonical[sample->n_cells++] = sst_domain_canonical(&sample->domain, cell);
    }
    sample->about = (struct sst_feed_about){.domain = &sample->domain,
                                            .calendar = SST_CALENDAR_STANDARD,
                                            .title = "Marine heatwaves",
                                            .product = "made up",
                                            .climatology_id = "bench",
                                            .estimator = "",
                                            .units = "degree_Celsius",
                                            .percentile = 90,
                                            .min_duration = 5,
                                            .max_gap = 2,
                                            .link = "",
                                            .sibling = "",
                                            .regions = &sample->regions};
}

enum { FIRST_DAY = 20000 };

static void make_day(struct sample *sample, int day)
{
    struct test_random random = {(uint64_t)day};
    for (size_t i = 0; i < sample->n_cells; ++i) {
        const uint32_t row = (uint32_t)(sample->cells[i] / N_LON), col = (uint32_t)(sample->cells[i] % N_LON);
        double degc = mean_at(sample->cells[i], FIRST_DAY + day) + 0.4;
        for (int w = 0; w < N_WAVES; ++w) {
            const struct wave *wave = &sample->waves[w];
            const uint32_t phase = wave->across * col + wave->along * row + wave->pace * (uint32_t)day + wave->start;
            degc += sample->degc_of_turn[phase & 65535];
        }
        sample->sst[i] = (float)(round(100 * degc) + test_random_below(&random, 7) - 3) / 100;
    }
}

/* --- what the files take ------------------------------------------------------------------------------------------ */

static struct kind {
    const char *start; /* of the file's name */
    bool is_daily;
    size_t n;
    double n_bytes;
} kinds[] = {{"mhw.nc", true, 0, 0},          {"tile_", true, 0, 0},      {"map.js", true, 0, 0},
             {"map.png", true, 0, 0},         {"ring", false, 0, 0},      {"record", false, 0, 0},
             {"index.json", false, 0, 0},     {"index.js", false, 0, 0},  {"about.js", false, 0, 0},
             {"events.geojson", false, 0, 0}, {"areas.csv", false, 0, 0}, {"", false, 0, 0}};

static int add_size(const char *path, const struct stat *status, int type, struct FTW *place)
{
    struct kind *kind = kinds;
    if (type != FTW_F)
        return 0;
    while (strncmp(path + place->base, kind->start, strlen(kind->start)) != 0)
        ++kind;
    ++kind->n;
    kind->n_bytes += (double)status->st_size;
    return 0;
}

static void tell_sizes(const char *folder, int n_days)
{
    enum { MOST_OPEN = 8 };
    double total = 0;
    (void)nftw(folder, add_size, MOST_OPEN, FTW_PHYS);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        const struct kind *kind = &kinds[i];
        total += kind->n_bytes;
        (void)printf("%-16s %6zu files %10.3f MB", *kind->start ? kind->start : "others", kind->n,
                     1e-6 * kind->n_bytes);
        if (kind->is_daily)
            (void)printf(" %8.3f MB a day", 1e-6 * kind->n_bytes / n_days);
        (void)putchar('\n');
    }
    (void)printf("%-16s %6s       %10.3f MB\n", "all", "", 1e-6 * total);
}

/* Of the newest day. */
static struct {
    double sea, in_event;
    size_t n_areas;
} newest;

static enum sst_status look(void *user, const struct sst_feed_summary *summary, struct sst_error *err)
{
    const struct sst_feed_day *day = summary->day;
    const struct sst_feed_writer *writer = user;
    newest.sea = newest.in_event = 0;
    for (size_t cell = 0; cell < (size_t)N_LAT * N_LON; ++cell) {
        const double area = cos((-89.875 + 0.25 * (double)(cell / N_LON)) / 57.29577951308232);
        newest.sea += day->category[cell] >= 0 ? area : 0;
        newest.in_event += day->label[cell] == SST_EVENT_LABEL_EVENT ? area : 0;
    }
    newest.n_areas = day->n_present;
    return writer->put_lists(writer->user, summary, err);
}

static enum sst_status put_day(void *user, const struct sst_feed_day *day, struct sst_error *err)
{
    const struct sst_feed_writer *writer = user;
    return writer->put_day(writer->user, day, err);
}

static enum sst_status settle(void *user, struct sst_error *err)
{
    const struct sst_feed_writer *writer = user;
    return writer->settle(writer->user, err);
}

static enum sst_status drop_day(void *user, struct sst_day day, struct sst_error *err)
{
    const struct sst_feed_writer *writer = user;
    return writer->drop_day(writer->user, day, err);
}

int main(int argc, char **argv)
{
    static struct sample sample;
    struct sst_error err = {SST_OK, ""};
    struct sst_feed_files_writer *writer = NULL;
    struct sst_feed *feed = NULL;
    const int n_days = argc > 2 ? atoi(argv[2]) : 12;
    if (argc < 2 || n_days < 1 || n_days > MOST_DAYS) {
        (void)fprintf(stderr, "usage: feed_day FOLDER [DAYS]\n");
        return 2;
    }
    make_sea(&sample);
    must(sst_feed_files_writer_open(&sample.about, argv[1], 1e4, &writer, &err), &err);
    struct sst_feed_writer table = sst_feed_files_writer_table(writer);
    const struct sst_feed_spec spec = {.os = sst_os_system(),
                                       .folder = argv[1],
                                       .about = &sample.about,
                                       .rule = {SST_EVENT_WARM, 5, 2, 0, 0},
                                       .n_cells = sample.n_cells,
                                       .cells = sample.cells,
                                       .canonical = sample.canonical,
                                       .ring_days = SST_EVENT_RING_DAYS,
                                       .notify_days = 3,
                                       .min_km2 = 1e4,
                                       .limits_id = 1,
                                       .user = &sample,
                                       .limits = limits,
                                       .bounds = bounds,
                                       .now = now,
                                       .writer = {&table, put_day, settle, drop_day, look}};
    sample.about.days_open = sst_feed_days_held(&spec);
    must(sst_feed_open(&spec, SST_FEED_GO_ON, &feed, &err), &err);
    (void)printf("%zu cells, %zu of them sea; memory %.0f MB\n", sample.domain.n_cells, sample.n_cells,
                 1e-6 * (double)sst_feed_bytes(&spec));
    for (int i = 0; i < n_days; ++i) {
        const struct sst_feed_source source = {(uint64_t)i + 1, 0, false};
        const size_t before = sst_feed_totals(feed)->n_days_written;
        make_day(&sample, i);
        const double start = seconds(), used = processor_seconds();
        must(sst_feed_take(feed, sst_calendar_day_at(SST_CALENDAR_STANDARD, FIRST_DAY + i), sample.sst, NULL, &source,
                           &err),
             &err);
        const double taken = seconds(), used_by_then = processor_seconds();
        must(sst_feed_publish(feed, (struct sst_day){0}, &err), &err);
        (void)printf("day %3d: detect %.3f s (%.3f), products %.3f s (%.3f), %zu days written\n", i + 1, taken - start,
                     used_by_then - used, seconds() - taken, processor_seconds() - used_by_then,
                     sst_feed_totals(feed)->n_days_written - before);
    }
    (void)printf("newest day: %.1f %% of the sea in %zu areas in a heatwave\n", 100 * newest.in_event / newest.sea,
                 newest.n_areas);
    sst_feed_close(&feed);
    sst_feed_files_writer_close(&writer);
    tell_sizes(argv[1], n_days);
    return 0;
}
