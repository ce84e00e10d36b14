/*
 * map.js: a day for the page's map.
 *
 * Four planes of one byte a cell of the map, rows and columns as the domain has them. State is given as it is; severity,
 * anomaly and bound as the difference from the cell before, modulo 256, which deflate packs better.
 */
#include <math.h>
#include <string.h>

#include "monitor/feed_page_private.h"

enum { NO_CODE = 0, FIRST_CODE = 1, LAST_CODE = 255, SIGNED_ZERO = 128 };

const struct sst_feed_page_scale sst_feed_page_severity = {SIGNED_ZERO, 0.05}; /* -6.35 .. 6.35 */
const struct sst_feed_page_scale sst_feed_page_anomaly = {SIGNED_ZERO, 0.1}; /* -12.7 .. 12.7 K */
const struct sst_feed_page_scale sst_feed_page_bound = {FIRST_CODE, 0.01}; /* 0 .. 2.54 degC */

uint8_t sst_feed_page_state(const struct sst_feed_day *day, size_t cell)
{
    const int category = day->category[cell] + 1;
    return (uint8_t)(day->surface[cell] +
                     SST_FEED_PAGE_N_SURFACES * (day->label[cell] + SST_FEED_PAGE_N_LABELS * category));
}

/* Which of two cells stands for a block: more does. */
static int rank(const struct sst_feed_day *day, size_t cell) { return 2 * day->category[cell] + !day->surface[cell]; }

static size_t pick_of_block(const struct sst_feed_page *page, const struct sst_feed_day *day, size_t map_row,
                            size_t map_col)
{
    const struct sst_domain *domain = page->about->domain;
    const size_t row0 = map_row * page->block, col0 = map_col * page->block;
    size_t best = row0 * domain->n_cols + col0;
    for (size_t row = row0; row < row0 + page->block && row < domain->n_rows; ++row) {
        for (size_t col = col0; col < col0 + page->block && col < domain->n_cols; ++col) {
            const size_t cell = row * domain->n_cols + col;
            if (rank(day, cell) > rank(day, best))
                best = cell;
        }
    }
    return best;
}

void sst_feed_page_pick(struct sst_feed_page *page, const struct sst_feed_day *day)
{
    if (page->block == 1) {
        for (size_t cell = 0; cell < page->map_rows * page->map_cols; ++cell)
            page->picked[cell] = (uint32_t)cell;
        return;
    }
    for (size_t row = 0; row < page->map_rows; ++row) {
        for (size_t col = 0; col < page->map_cols; ++col)
            page->picked[row * page->map_cols + col] = (uint32_t)pick_of_block(page, day, row, col);
    }
}

static uint8_t code_of(const struct sst_feed_page_scale *scale, float value)
{
    if (isnan(value))
        return NO_CODE;
    const double code = rint((double)value / scale->step) + scale->zero;
    return (uint8_t)fmin(fmax(code, FIRST_CODE), LAST_CODE);
}

/* Which cell stands for a block follows from categories and surfaces. */
static void fold_picks(struct sst_feed_page_source *source, const struct sst_feed_page *page,
                       const struct sst_feed_day *day)
{
    if (page->block == 1)
        return;
    sst_feed_page_fold(source, day->surface, page->about->domain->n_cells);
    sst_feed_page_fold(source, day->category, page->about->domain->n_cells);
}

static void add_state(struct sst_text *out, struct sst_feed_page *page, const struct sst_feed_day *day)
{
    const size_t n = page->map_rows * page->map_cols, n_cells = page->about->domain->n_cells, text_start = out->size;
    struct sst_feed_page_source source = sst_feed_page_source(page, "map state");
    sst_feed_page_fold(&source, day->surface, n_cells);
    sst_feed_page_fold(&source, day->label, n_cells);
    sst_feed_page_fold(&source, day->category, n_cells);
    if (sst_feed_page_recall(page, &source, out))
        return;
    for (size_t i = 0; i < n; ++i)
        page->codes[i] = sst_feed_page_state(day, page->picked[i]);
    sst_feed_page_add_codes(out, page, n);
    sst_feed_page_keep(page, &source, out, text_start);
}

/* A plane of reals. */
struct plane {
    const char *name;
    const float *values;
    const struct sst_feed_page_scale *scale;
};

static void add_plane(struct sst_text *out, struct sst_feed_page *page, const struct sst_feed_day *day,
                      const struct plane *plane)
{
    const size_t n = page->map_rows * page->map_cols, text_start = out->size;
    struct sst_feed_page_source source = sst_feed_page_source(page, "map");
    uint8_t before = 0;
    sst_feed_page_fold(&source, plane->name, strlen(plane->name));
    sst_feed_page_fold(&source, plane->values, page->about->domain->n_cells * sizeof *plane->values);
    fold_picks(&source, page, day);
    if (sst_feed_page_recall(page, &source, out))
        return;
    for (size_t i = 0; i < n; ++i) {
        const uint8_t code = code_of(plane->scale, plane->values[page->picked[i]]);
        page->codes[i] = (uint8_t)(code - before);
        before = code;
    }
    sst_text_addf(out, ",\n\"%s\":", plane->name);
    sst_feed_page_add_codes(out, page, n);
    sst_feed_page_keep(page, &source, out, text_start);
}

enum sst_status sst_feed_page_map(struct sst_feed_page *page, const struct sst_feed_day *day, struct sst_text *out,
                                  struct sst_error *err)
{
    const struct plane planes[] = {{"severity", day->severity, &sst_feed_page_severity},
                                   {"anomaly", day->anomaly, &sst_feed_page_anomaly},
                                   {"bound", day->bound, &sst_feed_page_bound}};
    sst_feed_page_pick(page, day);
    sst_text_add(out, "SST.map(");
    sst_feed_page_add_key(out, page, day->day);
    sst_text_addf(out,
                  ",{\"revision\":%d,\"absent\":%s,\"preliminary\":%s,\"published\":%lld,\n\"state\":", day->revision,
                  day->is_absent ? "true" : "false", day->is_preliminary ? "true" : "false", (long long)day->published);
    add_state(out, page, day);
    for (size_t i = 0; i < sizeof planes / sizeof *planes; ++i)
        add_plane(out, page, day, &planes[i]);
    sst_text_add(out, "});\n");
    return sst_text_check(out, err);
}
