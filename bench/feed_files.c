/*
 * All files of one day of a feed, page and pictures apart, and how long each takes: `feed_files FOLDER`.
 *
 * The sea is that of a global 0.25 degree product with a thousand round areas, most of them small; `feed_files FOLDER small`
 * has 10 degree cells and a dozen, for tests that read the files by other programs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mem.h"
#include "feed_fixture.h"
#include "monitor/feed_file.h"
#include "monitor/feed_json.h"
#include "monitor/feed_nc.h"
#include "monitor/feed_news.h"
#include "monitor/feed_regions.h"
#include "random.h"

static const char odd_region[] =
    "{\"type\":\"Feature\",\"properties\":{\"name\":\"odd\",\"title\":\"<Caf\\u00e9> & \\\"sea\\\", ]]> \\u0001\"},"
    "\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[150,-30],[210,-30],[210,20],[180,40],[150,20],[150,-30]]]}}";

enum { N_DAYS = 4, N_OLD_LINES = 3650 };

struct sample {
    struct feed_fixture fixture;
    struct sst_feed_files files;
    struct sst_feed_announcement items[SST_FEED_ENTRIES];
    const char *folder;
    double total;
};

static void must(enum sst_status rc, const struct sst_error *err)
{
    if (rc == SST_OK)
        return;
    (void)fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static double milliseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* --- the sea ------------------------------------------------------------------------------------------------------ */

static void heat_disc(struct feed_fixture *fixture, long row, long col, long radius, int category)
{
    const long n_rows = (long)fixture->domain.n_rows, n_cols = (long)fixture->domain.n_cols;
    for (long r = row - radius; r <= row + radius; ++r)
        for (long c = col - radius; c <= col + radius; ++c) {
            const long squared = (r - row) * (r - row) + (c - col) * (c - col);
            if (r < 0 || r >= n_rows || squared > radius * radius)
                continue;
            const size_t cell = (size_t)(r * n_cols + (c + n_cols) % n_cols);
            if (fixture->surface[cell] == 0)
                feed_fixture_heat(fixture, cell,
                                  1 + (int)(category * (radius * radius - squared) / (radius * radius + 1)));
        }
}

/* Anomalies that no deflater can guess; areas that move and grow from day to day. */
static void make_day(struct feed_fixture *fixture, int day, int n_areas)
{
    struct test_random noise = {(uint64_t)day}, places = {7};
    feed_fixture_calm(fixture);
    for (size_t cell = 0; cell < fixture->domain.n_cells; ++cell) {
        if (fixture->surface[cell] != 0)
            continue;
        fixture->anomaly[cell] = 0.01F * (float)test_random_below(&noise, 140);
        fixture->severity[cell] = fixture->anomaly[cell] / (float)FEED_FIXTURE_STEP;
    }
    for (int i = 0; i < n_areas; ++i) {
        const long row = test_random_below(&places, (int)fixture->domain.n_rows);
        const long col = test_random_below(&places, (int)fixture->domain.n_cols);
        const long size = test_random_below(&places, 1000);
        const long radius = size < 900 ? size / 300 : size < 990 ? 8 : 30;
        heat_disc(fixture, row, col + day, n_areas > 100 ? radius : radius / 8, 1 + (int)size % 4);
    }
    for (size_t cell = 0; cell < fixture->domain.n_cells; cell += 97)
        feed_fixture_hide(fixture, cell);
    feed_fixture_step(fixture);
}

static void make_sea(struct sample *sample, double step, int n_areas)
{
    struct feed_fixture *fixture = &sample->fixture;
    struct sst_error err = {0};
    feed_fixture_open(fixture, (struct even_axis){-90 + step / 2, step, (size_t)(180 / step)},
                      (struct even_axis){step / 2, step, (size_t)(360 / step)});
    must(sst_region_add_builtin(&fixture->regions, &fixture->domain, &err), &err);
    feed_fixture_add_regions(fixture, odd_region);
    for (size_t cell = 0; cell < fixture->domain.n_cells; ++cell)
        if (cell / fixture->domain.n_cols * 7 / fixture->domain.n_rows % 2 == 0 &&
            cell % fixture->domain.n_cols < fixture->domain.n_cols / 3)
            feed_fixture_make_land(fixture, cell);
    for (int day = 0; day < N_DAYS; ++day)
        make_day(fixture, day, n_areas);
    for (int i = 0; i < SST_FEED_ENTRIES; ++i) {
        struct sst_feed_announcement *item = &sample->items[i];
        *item = (struct sst_feed_announcement){.news = (enum sst_feed_news)(i % 5),
                                               .time = fixture->state.now - SST_FEED_ENTRIES + i,
                                               .day = fixture->day.day,
                                               .revision = 1 + i,
                                               .is_preliminary = i % 2 == 0,
                                               .area = fixture->day.areas[(size_t)i % fixture->day.n_present],
                                               .west = NAN};
        (void)sst_feed_entry_id(&fixture->about, item, item->id);
    }
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static void tell(struct sample *sample, const char *what, double since, size_t n_bytes)
{
    const double took = milliseconds() - since;
    sample->total += took;
    (void)printf("%-28s %9.1f ms %10zu bytes\n", what, took, n_bytes);
}

/* Puts a text that was begun to be made at `since`. */
static void put(struct sample *sample, const char *path, struct sst_text *text, double since)
{
    struct sst_error err = {0};
    must(sst_feed_put(&sample->files, sample->folder, path, text->data, text->size, &err), &err);
    tell(sample, path, since, text->size);
    sst_text_clear(text);
}

static void put_netcdf(struct sample *sample)
{
    struct sst_error err = {0};
    const double since = milliseconds();
    must(sst_feed_write_nc(&sample->fixture.about, &sample->fixture.day, sample->folder, &sample->files, &err), &err);
    tell(sample, "mhw.nc", since, (size_t)sample->files.files[0].n_bytes);
}

static void put_areas(struct sample *sample)
{
    struct sst_error err = {0};
    struct sst_text text = {0};
    const struct sst_feed_areas areas = feed_fixture_areas(&sample->fixture);
    double since = milliseconds();
    must(sst_feed_areas_geojson(&areas, &text, &err), &err);
    put(sample, "events.geojson", &text, since);
    since = milliseconds();
    must(sst_feed_areas_csv(&areas, &text, &err), &err);
    put(sample, "areas.csv", &text, since);
}

/* Ten years of a region's file, for the day to be put into. */
static void make_old(const struct sample *sample, size_t region, int n_lines, struct sst_text *out)
{
    struct sst_error err = {0};
    struct sst_feed_region_line *lines = NULL;
    struct sst_day day = sample->fixture.day.day;
    must(sst_alloc((size_t)n_lines, sizeof *lines, "lines", &lines, &err), &err);
    for (int i = n_lines; i-- > 0;) {
        lines[i] = (struct sst_feed_region_line){day, 1, false, false, &sample->fixture.region_days[region]};
        day = sst_calendar_previous_day(SST_CALENDAR_STANDARD, day);
    }
    must(sst_feed_region_csv(&sample->fixture.about, region, lines, (size_t)n_lines, &(struct sst_feed_old_csv){0}, out,
                             &err),
         &err);
    sst_free(lines);
}

static void put_regions(struct sample *sample, int n_lines)
{
    const struct feed_fixture *fixture = &sample->fixture;
    struct sst_error err = {0};
    struct sst_text text = {0};
    double since = milliseconds(), took = 0;
    size_t n_bytes = 0;
    must(sst_feed_regions_geojson(&fixture->about, &fixture->day, fixture->state.now, &text, &err), &err);
    put(sample, "regions.geojson", &text, since);
    for (size_t i = 0; i < fixture->regions.n; ++i) {
        const struct sst_feed_region_line line = {fixture->day.day, fixture->day.revision, false, true,
                                                  &fixture->region_days[i]};
        struct sst_text old = {0};
        char *path = NULL;
        make_old(sample, i, n_lines, &old);
        since = milliseconds();
        must(sst_asprintf(&path, &err, "regions/%s.csv", fixture->regions.regions[i].name), &err);
        const struct sst_feed_old_csv file = {old.data, old.size, path};
        must(sst_feed_region_csv(&fixture->about, i, &line, 1, &file, &text, &err), &err);
        must(sst_feed_put(&sample->files, sample->folder, path, text.data, text.size, &err), &err);
        took += milliseconds() - since;
        n_bytes += text.size;
        sst_text_clear(&old);
        sst_text_clear(&text);
        sst_free(path);
    }
    tell(sample, "regions/*.csv", milliseconds() - took, n_bytes);
}

static void put_news(struct sample *sample)
{
    struct sst_error err = {0};
    struct sst_text text = {0};
    const struct sst_feed_entries entries = {&sample->fixture.about, sample->items, SST_FEED_ENTRIES, SST_FEED_ENTRIES,
                                             0};
    double since = milliseconds();
    must(sst_feed_atom(&entries, &text, &err), &err);
    put(sample, "feed.atom", &text, since);
    since = milliseconds();
    must(sst_feed_json_feed(&entries, &text, &err), &err);
    put(sample, "feed.json", &text, since);
}

static void put_index(struct sample *sample)
{
    const struct feed_fixture *fixture = &sample->fixture;
    struct sst_error err = {0};
    struct sst_text index = {0}, latest = {0};
    double since = milliseconds();
    must(sst_feed_index_json(&fixture->about, &fixture->state, &sample->files, &index, &err), &err);
    must(sst_feed_put(NULL, sample->folder, "index.json", index.data, index.size, &err), &err);
    tell(sample, "index.json", since, index.size);
    since = milliseconds();
    const struct sst_feed_latest of = {&fixture->about, &fixture->state, &fixture->day,
                                       &sample->files,  index.data,      index.size};
    must(sst_feed_latest_json(&of, &latest, &err), &err);
    must(sst_feed_put(NULL, sample->folder, "latest.json", latest.data, latest.size, &err), &err);
    tell(sample, "latest.json", since, latest.size);
    sst_text_clear(&index);
    sst_text_clear(&latest);
}

int main(int argc, char **argv)
{
    static struct sample sample;
    const bool is_small = argc == 3 && strcmp(argv[2], "small") == 0;
    if (argc < 2 || (argc > 2 && !is_small)) {
        (void)fprintf(stderr, "usage: feed_files FOLDER [small]\n");
        return 2;
    }
    sample.folder = argv[1];
    make_sea(&sample, is_small ? 10 : 0.25, is_small ? 12 : 1500);
    (void)printf("%zu areas, %zu regions\n", sample.fixture.day.n_present, sample.fixture.regions.n);
    put_netcdf(&sample);
    put_areas(&sample);
    put_regions(&sample, is_small ? 3 : N_OLD_LINES);
    put_news(&sample);
    put_index(&sample);
    (void)printf("%-28s %9.1f ms\n", "all", sample.total);
    sst_feed_files_clear(&sample.files);
    feed_fixture_close(&sample.fixture);
    return 0;
}
