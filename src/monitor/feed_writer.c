/* The files of a feed: made, a day's by several threads, and then put together. */
#include "monitor/feed_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/aside.h"
#include "core/mem.h"
#include "monitor/event_day.h"
#include "monitor/feed_json.h"
#include "monitor/feed_nc.h"
#include "monitor/feed_page.h"
#include "monitor/feed_products.h"
#include "monitor/feed_regions.h"
#include "monitor/feed_words.h"

/* Threads that make a day's files: netCDF's takes one as long as all others take the other. */
enum { N_PAGES = 2 };

struct sst_feed_files_writer {
    const struct sst_feed_about *about;
    const char *folder;
    double min_km2;
    struct sst_feed_files files;
    bool is_listed; /* index.json was looked at */
    struct sst_feed_page *pages[N_PAGES]; /* of each thread */
    struct sst_deflate_memo *memo; /* of all files */
    struct sst_feed_products products; /* none between calls */
    struct sst_aside putting; /* of the day before's files, while a day's are made */
    struct sst_feed_products leaving; /* those files, until it has ended */
    struct sst_day *dropped; /* their files go after the next lists */
    size_t n_dropped, dropped_capacity;
};

/* --- what is there ------------------------------------------------------------------------------------------------- */

/* A file of the feed as it is; empty where there is none. */
static enum sst_status read_text(const struct sst_feed_files_writer *writer, const char *path, struct sst_text *out,
                                 struct sst_error *err)
{
    char bytes[1 << 14];
    char *full = NULL;
    size_t n = 0;
    SST_TRY(sst_asprintf(&full, err, "%s/%s", writer->folder, path));
    FILE *file = fopen(full, "rbe");
    sst_free(full);
    if (!file)
        return errno == ENOENT
                   ? SST_OK
                   : sst_fail(err, SST_ERR_INPUT, "%s/%s: cannot be read: %s", writer->folder, path, strerror(errno));
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        sst_text_add_bytes(out, bytes, n);
    const bool has_failed = ferror(file) != 0;
    (void)fclose(file);
    if (has_failed)
        return sst_fail(err, SST_ERR_INPUT, "%s/%s: cannot be read", writer->folder, path);
    return sst_text_check(out, err);
}

/* What the feed lists from before; a list that cannot be read only makes files be summed again. */
static enum sst_status look_at_index(struct sst_feed_files_writer *writer, struct sst_error *err)
{
    struct sst_text text = {0};
    struct sst_error found = {SST_OK, ""};
    if (writer->is_listed)
        return SST_OK;
    const enum sst_status read = read_text(writer, "index.json", &text, &found);
    const enum sst_status rc = read == SST_OK && text.size > 0
                                   ? sst_feed_index_read(text.data, text.size, "index.json", &writer->files, &found)
                                   : read;
    sst_text_clear(&text);
    writer->is_listed = rc != SST_ERR_NOMEM;
    return rc == SST_ERR_NOMEM ? sst_fail(err, rc, "%s", found.text) : SST_OK;
}

/* --- a day -------------------------------------------------------------------------------------------------------- */

/* The files of a day, those that take longest first; tiles follow. */
enum { FILE_NC, FILE_MAP, FILE_PICTURE, FIRST_TILE };

static enum sst_status make_nc(const struct sst_feed_files_writer *writer, const struct sst_feed_day *day,
                               struct sst_feed_product *out, struct sst_error *err)
{
    SST_TRY(sst_feed_make_nc(writer->about, day, writer->memo, out->path, &out->owned, &out->n_bytes, err));
    out->bytes = out->owned;
    return SST_OK;
}

static enum sst_status make_picture(struct sst_feed_page *page, const struct sst_feed_day *day,
                                    struct sst_feed_product *out, struct sst_error *err)
{
    uint8_t *bytes = NULL;
    SST_TRY(sst_feed_page_picture(page, day, &bytes, &out->n_bytes, err));
    out->bytes = out->owned = bytes;
    return SST_OK;
}

/* Makes the file of that index; netCDF makes one of them, and so is in one thread. */
static enum sst_status make_file(const struct sst_feed_files_writer *writer, const struct sst_feed_day *day,
                                 size_t index, struct sst_feed_page *page, struct sst_feed_product *out,
                                 struct sst_error *err)
{
    static const char *const names[FIRST_TILE] = {"mhw.nc", "map.js", "map.png"};
    char folder[SST_FEED_FOLDER_SIZE];
    struct sst_text text = {0};
    size_t n_rows = 0, n_cols = 0;
    (void)sst_feed_day_folder(writer->about->calendar, day->day, folder);
    if (index < FIRST_TILE)
        (void)snprintf(out->path, sizeof out->path, "%s/%s", folder, names[index]);
    switch (index) {
    case FILE_NC:
        return make_nc(writer, day, out, err);
    case FILE_MAP:
        return sst_feed_product_take_text(out, &text, sst_feed_page_map(page, day, &text, err), err);
    case FILE_PICTURE:
        return make_picture(page, day, out, err);
    default:
        break;
    }
    sst_feed_page_tiles(writer->about->domain, &n_rows, &n_cols);
    const size_t row = (index - FIRST_TILE) / n_cols, col = (index - FIRST_TILE) % n_cols;
    (void)snprintf(out->path, sizeof out->path, "%s/tile_%zu_%zu.js", folder, row, col);
    return sst_feed_product_take_text(out, &text, sst_feed_page_tile(page, day, row, col, &text, err), err);
}

/* Of several failures one is told. */
static enum sst_status make_day(const struct sst_feed_files_writer *writer, const struct sst_feed_day *day,
                                struct sst_error *err)
{
    enum { PARALLEL_CELLS = 1 << 14 };
    enum sst_status rc = SST_OK;
    const size_t n = writer->products.n, n_cells = writer->about->domain->n_cells;
    size_t n_threads = 0;
#pragma omp parallel num_threads(N_PAGES) if (n_cells >= PARALLEL_CELLS)
    {
        size_t thread = 0;
#pragma omp atomic capture
        thread = n_threads++;
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < n; ++i) {
            struct sst_error own = {SST_OK, ""};
            const enum sst_status made =
                make_file(writer, day, i, writer->pages[thread], &writer->products.items[i], &own);
#pragma omp critical(feed_writer)
            if (made != SST_OK && rc == SST_OK) {
                rc = made;
                *err = own;
            }
        }
    }
    return rc;
}

static enum sst_status put_leaving(void *user, struct sst_error *err)
{
    struct sst_feed_files_writer *writer = user;
    return sst_feed_products_put(&writer->leaving, &writer->files, writer->folder, err);
}

/* Before anything else looks at the files. */
static enum sst_status settle(void *user, struct sst_error *err)
{
    struct sst_feed_files_writer *writer = user;
    const enum sst_status rc = sst_aside_end(&writer->putting, err);
    sst_feed_products_clear(&writer->leaving);
    return rc;
}

static enum sst_status put_day(void *user, const struct sst_feed_day *day, struct sst_error *err)
{
    struct sst_feed_files_writer *writer = user;
    size_t n_rows = 0, n_cols = 0;
    enum sst_status rc = SST_OK;
    sst_feed_page_tiles(writer->about->domain, &n_rows, &n_cols);
    SST_TRY_GOTO(sst_feed_products_add(&writer->products, FIRST_TILE + n_rows * n_cols, err));
    SST_TRY_GOTO(make_day(writer, day, err));
    SST_TRY_GOTO(settle(writer, err));
    SST_TRY_GOTO(look_at_index(writer, err));
    writer->leaving = writer->products;
    writer->products = (struct sst_feed_products){0};
    sst_aside_begin(&writer->putting, put_leaving, writer);
done:
    sst_deflate_memo_age(writer->memo, (uint64_t)writer->about->min_duration + (uint64_t)writer->about->max_gap);
    sst_feed_products_clear(&writer->products);
    return rc;
}

/* --- days that go ------------------------------------------------------------------------------------------------- */

static enum sst_status drop_day(void *user, struct sst_day day, struct sst_error *err)
{
    struct sst_feed_files_writer *writer = user;
    char folder[SST_FEED_FOLDER_SIZE], path[SST_FEED_PATH_SIZE];
    SST_TRY(settle(writer, err));
    SST_TRY(look_at_index(writer, err));
    SST_TRY(sst_grow(&writer->dropped, &writer->dropped_capacity, writer->n_dropped + 1, sizeof *writer->dropped,
                     "days that go", err));
    (void)snprintf(path, sizeof path, "%s/", sst_feed_day_folder(writer->about->calendar, day, folder));
    sst_feed_forget(&writer->files, path);
    writer->dropped[writer->n_dropped++] = day;
    return SST_OK;
}

static enum sst_status remove_file(const struct sst_feed_files_writer *writer, const char *folder, const char *name,
                                   struct sst_error *err)
{
    char *full = NULL;
    SST_TRY(sst_asprintf(&full, err, "%s/%s%s%s", writer->folder, folder, *name ? "/" : "", name));
    const int done = *name ? unlink(full) : rmdir(full);
    /* What somebody else put there keeps its folder. */
    const bool is_failure = done != 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST;
    const enum sst_status rc =
        is_failure ? sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be removed: %s", full, strerror(errno)) : SST_OK;
    sst_free(full);
    return rc;
}

static enum sst_status remove_day(const struct sst_feed_files_writer *writer, struct sst_day day, struct sst_error *err)
{
    static const char *const names[] = {"mhw.nc", "map.js", "map.png"};
    char folder[SST_FEED_FOLDER_SIZE], name[SST_FEED_PATH_SIZE];
    size_t n_rows = 0, n_cols = 0;
    (void)sst_feed_day_folder(writer->about->calendar, day, folder);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        SST_TRY(remove_file(writer, folder, names[i], err));
    sst_feed_page_tiles(writer->about->domain, &n_rows, &n_cols);
    for (size_t i = 0; i < n_rows * n_cols; ++i) {
        (void)snprintf(name, sizeof name, "tile_%zu_%zu.js", i / n_cols, i % n_cols);
        SST_TRY(remove_file(writer, folder, name, err));
    }
    return remove_file(writer, folder, "", err);
}

static enum sst_status remove_dropped(struct sst_feed_files_writer *writer, struct sst_error *err)
{
    for (; writer->n_dropped > 0; --writer->n_dropped)
        SST_TRY(remove_day(writer, writer->dropped[writer->n_dropped - 1], err));
    return SST_OK;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static enum sst_status add_region(struct sst_feed_files_writer *writer, const struct sst_feed_summary *summary,
                                  size_t region, struct sst_feed_region_line *lines, struct sst_error *err)
{
    struct sst_text old = {0}, text = {0};
    char path[SST_FEED_PATH_SIZE];
    (void)snprintf(path, sizeof path, "regions/%.100s.csv", writer->about->regions->regions[region].name);
    for (size_t i = 0; i < summary->n_rows; ++i) {
        const struct sst_feed_row *row = &summary->rows[i];
        lines[i] = (struct sst_feed_region_line){row->day, row->revision, row->is_absent, row->is_preliminary,
                                                 &row->regions[region]};
    }
    enum sst_status rc = read_text(writer, path, &old, err);
    const struct sst_feed_old_csv was = {.text = old.data, .n_bytes = old.size, .what = path};
    if (rc == SST_OK)
        rc = sst_feed_region_csv(writer->about, region, lines, summary->n_rows, &was, &text, err);
    sst_text_clear(&old);
    return sst_feed_products_add_text(&writer->products, path, &text, rc, err);
}

static enum sst_status add_regions(struct sst_feed_files_writer *writer, const struct sst_feed_summary *summary,
                                   struct sst_error *err)
{
    struct sst_feed_region_line *lines = NULL;
    struct sst_text text = {0};
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(summary->n_rows, sizeof *lines, "a region's days", &lines, err));
    for (size_t i = 0; i < writer->about->regions->n && rc == SST_OK; ++i)
        rc = add_region(writer, summary, i, lines, err);
    sst_free(lines);
    SST_TRY(rc);
    if (!summary->day)
        return SST_OK;
    rc = sst_feed_regions_geojson(writer->about, summary->day, summary->state->now, &text, err);
    return sst_feed_products_add_text(&writer->products, "regions.geojson", &text, rc, err);
}

static enum sst_status add_areas(struct sst_feed_files_writer *writer, const struct sst_feed_summary *summary,
                                 struct sst_error *err)
{
    const struct sst_feed_areas areas = {.about = writer->about,
                                         .day = summary->day,
                                         .tracker = summary->tracker,
                                         .past = summary->past,
                                         .n_past = summary->n_past,
                                         .min_km2 = writer->min_km2,
                                         .now = summary->state->now};
    struct sst_text text = {0};
    if (!summary->day)
        return SST_OK;
    SST_TRY(sst_feed_products_add_text(&writer->products, "events.geojson", &text,
                                       sst_feed_areas_geojson(&areas, &text, err), err));
    return sst_feed_products_add_text(&writer->products, "areas.csv", &text, sst_feed_areas_csv(&areas, &text, err),
                                      err);
}

static enum sst_status add_news(struct sst_feed_files_writer *writer, const struct sst_feed_summary *summary,
                                struct sst_error *err)
{
    const struct sst_feed_entries entries = {.about = writer->about,
                                             .items = summary->announcements,
                                             .n = summary->n_announcements,
                                             .most = SST_FEED_ENTRIES,
                                             .started = summary->started};
    struct sst_text text = {0};
    SST_TRY(
        sst_feed_products_add_text(&writer->products, "feed.atom", &text, sst_feed_atom(&entries, &text, err), err));
    return sst_feed_products_add_text(&writer->products, "feed.json", &text, sst_feed_json_feed(&entries, &text, err),
                                      err);
}

/* Areas as the page lists them: those that are there, then those that are gone. Owner: the caller, sst_free. */
static enum sst_status list_areas(const struct sst_feed_files_writer *writer, const struct sst_feed_summary *summary,
                                  struct sst_area **out, size_t *n, struct sst_error *err)
{
    const size_t n_present = summary->day ? summary->day->n_present : 0;
    *n = 0;
    SST_TRY(sst_alloc(n_present + summary->n_past, sizeof **out, "a page's areas", out, err));
    for (size_t i = 0; i < n_present + summary->n_past; ++i) {
        const struct sst_area *area = i < n_present ? &summary->day->areas[i] : &summary->past[i - n_present].area;
        if (!sst_feed_is_small(area, writer->min_km2))
            (*out)[(*n)++] = *area;
    }
    return SST_OK;
}

static enum sst_status add_page_index(struct sst_feed_files_writer *writer, const struct sst_feed_summary *summary,
                                      struct sst_error *err)
{
    struct sst_feed_page_row *rows = NULL;
    struct sst_area *areas = NULL;
    struct sst_text text = {0};
    struct sst_feed_page_index index = {.state = summary->state, .n_rows = summary->n_rows};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(summary->n_rows, sizeof *rows, "a page's days", &rows, err));
    SST_TRY_GOTO(list_areas(writer, summary, &areas, &index.n_areas, err));
    for (size_t i = 0; i < summary->n_rows; ++i)
        rows[i] = (struct sst_feed_page_row){summary->rows[i].day, summary->rows[i].regions};
    index.areas = areas;
    index.rows = rows;
    rc = sst_feed_page_index(writer->pages[0], &index, &text, err);
    rc = sst_feed_products_add_text(&writer->products, "index.js", &text, rc, err);
done:
    sst_free(rows);
    sst_free(areas);
    return rc;
}

static enum sst_status add_page(struct sst_feed_files_writer *writer, const struct sst_feed_summary *summary,
                                struct sst_error *err)
{
    struct sst_text text = {0};
    SST_TRY(sst_feed_products_add_constant(&writer->products, "page.js", sst_feed_page_script(), err));
    SST_TRY(sst_feed_products_add_constant(&writer->products, "page.css", sst_feed_page_style(), err));
    if (summary->day)
        SST_TRY(sst_feed_products_add_text(&writer->products, "about.js", &text,
                                           sst_feed_page_about(writer->pages[0], summary->day->surface, &text, err),
                                           err));
    SST_TRY(add_page_index(writer, summary, err));
    return sst_feed_products_add_text(&writer->products, "index.html", &text,
                                      sst_feed_page_html(writer->pages[0], summary->state, &text, err), err);
}

/* index.json and latest.json are in no list. */
static enum sst_status put_indexes(struct sst_feed_files_writer *writer, const struct sst_feed_summary *summary,
                                   struct sst_error *err)
{
    struct sst_text index = {0}, text = {0};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_feed_index_json(writer->about, summary->state, &writer->files, &index, err));
    SST_TRY_GOTO(sst_feed_put(NULL, writer->folder, "index.json", index.data, index.size, err));
    SST_TRY_GOTO(remove_dropped(writer, err));
    const struct sst_feed_latest latest = {.about = writer->about,
                                           .state = summary->state,
                                           .day = summary->day,
                                           .files = &writer->files,
                                           .index = index.data,
                                           .n_index = index.size};
    SST_TRY_GOTO(sst_feed_latest_json(&latest, &text, err));
    SST_TRY_GOTO(sst_feed_put(NULL, writer->folder, "latest.json", text.data, text.size, err));
done:
    sst_text_clear(&index);
    sst_text_clear(&text);
    return rc;
}

static enum sst_status put_lists(void *user, const struct sst_feed_summary *summary, struct sst_error *err)
{
    struct sst_feed_files_writer *writer = user;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(add_regions(writer, summary, err));
    SST_TRY_GOTO(add_areas(writer, summary, err));
    SST_TRY_GOTO(add_news(writer, summary, err));
    SST_TRY_GOTO(add_page(writer, summary, err));
    SST_TRY_GOTO(settle(writer, err));
    SST_TRY_GOTO(look_at_index(writer, err));
    SST_TRY_GOTO(sst_feed_products_put(&writer->products, &writer->files, writer->folder, err));
    rc = put_indexes(writer, summary, err);
done:
    sst_feed_products_clear(&writer->products);
    return rc;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static enum sst_status create_pages(struct sst_feed_files_writer *writer, struct sst_error *err)
{
    for (size_t i = 0; i < N_PAGES; ++i)
        SST_TRY(sst_feed_page_create(writer->about, &writer->pages[i], err));
    SST_TRY(sst_deflate_memo_create(&writer->memo, err));
    for (size_t i = 0; i < N_PAGES; ++i)
        sst_feed_page_remember(writer->pages[i], writer->memo);
    return SST_OK;
}

enum sst_status sst_feed_files_writer_open(const struct sst_feed_about *about, const char *folder, double min_km2,
                                           struct sst_feed_files_writer **out, struct sst_error *err)
{
    struct sst_feed_files_writer *writer = NULL;
    SST_TRY(sst_alloc(1, sizeof *writer, "a feed's writer", &writer, err));
    writer->about = about;
    writer->folder = folder;
    writer->min_km2 = min_km2;
    const enum sst_status rc = create_pages(writer, err);
    if (rc == SST_OK)
        *out = writer;
    else
        sst_feed_files_writer_close(&writer);
    return rc;
}

void sst_feed_files_writer_close(struct sst_feed_files_writer **handle)
{
    struct sst_feed_files_writer *writer = *handle;
    if (!writer)
        return;
    const enum sst_status unheard = settle(writer, NULL); /* the feed was told, or is closed for another failure */
    (void)unheard;
    sst_feed_files_clear(&writer->files);
    for (size_t i = 0; i < N_PAGES; ++i)
        sst_feed_page_destroy(&writer->pages[i]);
    sst_deflate_memo_destroy(&writer->memo);
    sst_feed_products_clear(&writer->products);
    sst_free(writer->dropped);
    sst_free(writer);
    *handle = NULL;
}

struct sst_feed_writer sst_feed_files_writer_table(struct sst_feed_files_writer *writer)
{
    return (struct sst_feed_writer){
        .user = writer, .put_day = put_day, .settle = settle, .drop_day = drop_day, .put_lists = put_lists};
}
