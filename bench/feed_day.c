/*
 * Days of a global 0.25 degree product into a feed, as they come one by one: `feed_day FOLDER [DAYS]`. Seconds of each step, and what
 * the files take.
 *
 *   detect     the day into the ring
 *   products   all that changed: the day itself, and those before it whose labels it settles
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/mem.h"
#include "monitor/feed_writer.h"
#include "random.h"

enum { N_LON = 1440, N_LAT = 720, MOST_DAYS = 400 };

struct sample {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_region_set regions;
    struct sst_feed_about about;
    size_t *cells, n_cells;
    uint64_t *canonical;
    float *sst, *wave;
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

static enum sst_status limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                              struct sst_error *err)
{
    const struct sample *sample = user;
    (void)day, (void)err;
    for (size_t i = 0; i < sample->n_cells; ++i) {
        mean[i] = 15;
        threshold[i] = 16.3F;
        flags[i] = 0;
    }
    return SST_OK;
}

static int64_t now(void *user)
{
    (void)user;
    return (int64_t)time(NULL);
}

/* A third of the rows' cells is land, as on Earth; noise of hundredths on waves that pass slowly, a tenth of it beyond the threshold. */
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
    for (size_t cell = 0; cell < sample->domain.n_cells; ++cell) {
        if (cell % N_LON / 240 % 3 == 2 && cell / N_LON > 120)
            continue;
        sample->cells[sample->n_cells] = cell;
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

static void make_day(struct sample *sample, int day)
{
    struct test_random random = {(uint64_t)day};
    for (size_t i = 0; i < sample->n_cells; ++i) {
        const double row = (double)(sample->cells[i] / N_LON), col = (double)(sample->cells[i] % N_LON);
        const double wave = 1.6 * sin(col / 37 + day / 11.0) * sin(row / 41 - day / 17.0);
        sample->sst[i] = (float)(round(100 * (15 + wave)) + test_random_below(&random, 41) - 20) / 100;
    }
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
                                       .now = now,
                                       .writer = sst_feed_files_writer_table(writer)};
    must(sst_feed_open(&spec, SST_FEED_GO_ON, &feed, &err), &err);
    (void)printf("%zu cells, %zu of them sea; memory %.0f MB\n", sample.domain.n_cells, sample.n_cells,
                 1e-6 * (double)sst_feed_bytes(&spec));
    for (int i = 0; i < n_days; ++i) {
        const struct sst_feed_source source = {(uint64_t)i + 1, 0, false};
        const size_t before = sst_feed_totals(feed)->n_days_written;
        make_day(&sample, i);
        const double start = seconds();
        must(
            sst_feed_take(feed, sst_calendar_day_at(SST_CALENDAR_STANDARD, 20000 + i), sample.sst, NULL, &source, &err),
            &err);
        const double taken = seconds();
        must(sst_feed_publish(feed, (struct sst_day){0}, &err), &err);
        (void)printf("day %3d: detect %.3f s, products %.3f s (%zu days written)\n", i + 1, taken - start,
                     seconds() - taken, sst_feed_totals(feed)->n_days_written - before);
    }
    sst_feed_close(&feed);
    sst_feed_files_writer_close(&writer);
    return 0;
}
