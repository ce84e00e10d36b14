/*
 * tile_R_C.js: the numbers of a part of the domain, for the series of a cell.
 *
 * Temperatures are whole steps of 0.01 degC from a base where all of a plane are, else of 0.001, in 16 bits. Planes of 16 bits
 * are differences from the cell before, modulo 65536: all low bytes, then all high ones. The anomaly is sst - mean.
 */
#include <math.h>
#include <stdbool.h>

#include "monitor/feed_page_private.h"

/* Sea temperatures lie within 32.767 degC of it, so thousandths of them fit. [degC] */
#define MIDDLE_DEGC 15.0

#define COARSE_STEP_DEGC 0.01
#define FINE_STEP_DEGC 0.001

enum { UNKNOWN_AGE = UINT16_MAX };

/* Cells of a tile: rows row0 .., columns col0 .. of the domain. */
struct tile {
    size_t row0, col0, n_rows, n_cols, stride;
};

static size_t cell_at(const struct tile *tile, size_t i)
{
    return (tile->row0 + i / tile->n_cols) * tile->stride + tile->col0 + i % tile->n_cols;
}

/* Puts the 16 bits of item i of n, as a difference, into the two halves of the plane. */
static void put_difference(struct sst_feed_page *page, size_t i, size_t n, uint16_t value, uint16_t *before)
{
    const unsigned difference = (unsigned)value - *before;
    page->codes[i] = (uint8_t)difference;
    page->codes[n + i] = (uint8_t)(difference >> 8);
    *before = value;
}

static int16_t steps_of(double value, double base, double step)
{
    if (isnan(value))
        return INT16_MIN;
    return (int16_t)fmin(fmax(rint((value - base) / step), INT16_MIN + 1), INT16_MAX);
}

/* A value of a plane; NaN: none. */
struct plane {
    const char *name;
    const float *values, *less; /* values - less; less NULL: values */
    double base;
};

static double value_at(const struct plane *plane, size_t cell)
{
    return plane->less ? (double)plane->values[cell] - (double)plane->less[cell] : (double)plane->values[cell];
}

/* Whether all values are hundredths, as far as float32 can tell. */
static bool is_coarse(const struct plane *plane, const struct tile *tile)
{
    const double slack = 1e-3; /* [steps] */
    for (size_t i = 0; i < tile->n_rows * tile->n_cols; ++i) {
        const double value = value_at(plane, cell_at(tile, i));
        const double steps = (value - plane->base) / COARSE_STEP_DEGC;
        if (!isnan(value) && !(fabs(steps - rint(steps)) < slack))
            return false;
    }
    return true;
}

/* Folds the tile's part of an array by cell of the domain. */
static void fold_part(struct sst_feed_page_source *source, const struct tile *tile, const void *values, size_t size)
{
    for (size_t row = 0; row < tile->n_rows; ++row) {
        const size_t cell = (tile->row0 + row) * tile->stride + tile->col0;
        sst_feed_page_fold(source, (const unsigned char *)values + cell * size, tile->n_cols * size);
    }
}

static void add_temperatures(struct sst_text *out, struct sst_feed_page *page, const struct tile *tile,
                             const struct plane *plane)
{
    const size_t n = tile->n_rows * tile->n_cols, text_start = out->size;
    struct sst_feed_page_source source = sst_feed_page_source(page, plane->name);
    fold_part(&source, tile, plane->values, sizeof *plane->values);
    if (plane->less)
        fold_part(&source, tile, plane->less, sizeof *plane->less);
    if (sst_feed_page_recall(page, &source, out))
        return;
    const double step = is_coarse(plane, tile) ? COARSE_STEP_DEGC : FINE_STEP_DEGC;
    uint16_t before = 0;
    for (size_t i = 0; i < n; ++i)
        put_difference(page, i, n, (uint16_t)steps_of(value_at(plane, cell_at(tile, i)), plane->base, step), &before);
    sst_text_addf(out, ",\n\"%s\":{\"base\":%g,\"step\":%g,\"codes\":", plane->name, plane->base, step);
    sst_feed_page_add_codes(out, page, sizeof before * n);
    sst_text_add(out, "}");
    sst_feed_page_keep(page, &source, out, text_start);
}

/* Days beyond in a row. */
static void add_above(struct sst_text *out, struct sst_feed_page *page, const struct sst_feed_day *day,
                      const struct tile *tile)
{
    const size_t n = tile->n_rows * tile->n_cols, text_start = out->size;
    struct sst_feed_page_source source = sst_feed_page_source(page, "above");
    uint16_t before = 0;
    fold_part(&source, tile, day->days_above, sizeof *day->days_above);
    if (sst_feed_page_recall(page, &source, out))
        return;
    for (size_t i = 0; i < n; ++i)
        put_difference(page, i, n, day->days_above[cell_at(tile, i)], &before);
    sst_text_add(out, ",\n\"above\":");
    sst_feed_page_add_codes(out, page, sizeof before * n);
    sst_feed_page_keep(page, &source, out, text_start);
}

/* Days since the start of the event or run. */
static void add_since(struct sst_text *out, struct sst_feed_page *page, const struct sst_feed_day *day,
                      const struct tile *tile)
{
    const size_t n = tile->n_rows * tile->n_cols, text_start = out->size;
    const int64_t today = sst_calendar_days_since_1970(page->about->calendar, day->day);
    struct sst_feed_page_source source = sst_feed_page_source(page, "since");
    uint16_t before = 0;
    sst_feed_page_fold(&source, &today, sizeof today);
    fold_part(&source, tile, day->start, sizeof *day->start);
    if (sst_feed_page_recall(page, &source, out))
        return;
    for (size_t i = 0; i < n; ++i) {
        const int32_t start = day->start[cell_at(tile, i)];
        const int64_t age = today - start;
        const bool is_told = start != INT32_MIN && age >= 0;
        put_difference(page, i, n, (uint16_t)(is_told && age < UNKNOWN_AGE ? age : UNKNOWN_AGE), &before);
    }
    sst_text_add(out, ",\n\"since\":");
    sst_feed_page_add_codes(out, page, sizeof before * n);
    sst_feed_page_keep(page, &source, out, text_start);
}

static void add_state(struct sst_text *out, struct sst_feed_page *page, const struct sst_feed_day *day,
                      const struct tile *tile)
{
    const size_t n = tile->n_rows * tile->n_cols, text_start = out->size;
    struct sst_feed_page_source source = sst_feed_page_source(page, "state");
    fold_part(&source, tile, day->surface, sizeof *day->surface);
    fold_part(&source, tile, day->label, sizeof *day->label);
    fold_part(&source, tile, day->category, sizeof *day->category);
    if (sst_feed_page_recall(page, &source, out))
        return;
    sst_text_add(out, ",\n\"state\":");
    for (size_t i = 0; i < n; ++i)
        page->codes[i] = sst_feed_page_state(day, cell_at(tile, i));
    sst_feed_page_add_codes(out, page, n);
    sst_feed_page_keep(page, &source, out, text_start);
}

static void add_robust(struct sst_text *out, struct sst_feed_page *page, const struct sst_feed_day *day,
                       const struct tile *tile)
{
    const size_t n = tile->n_rows * tile->n_cols, text_start = out->size;
    struct sst_feed_page_source source = sst_feed_page_source(page, "robust");
    fold_part(&source, tile, day->robust, sizeof *day->robust);
    if (sst_feed_page_recall(page, &source, out))
        return;
    sst_text_add(out, ",\n\"robust\":");
    for (size_t i = 0; i < n; ++i)
        page->codes[i] = day->robust[cell_at(tile, i)];
    sst_feed_page_add_codes(out, page, n);
    sst_feed_page_keep(page, &source, out, text_start);
}

static size_t n_tiles(size_t n) { return (n + SST_FEED_PAGE_TILE - 1) / SST_FEED_PAGE_TILE; }

void sst_feed_page_tiles(const struct sst_domain *domain, size_t *n_rows, size_t *n_cols)
{
    *n_rows = n_tiles(domain->n_rows);
    *n_cols = n_tiles(domain->n_cols);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

enum sst_status sst_feed_page_tile(struct sst_feed_page *page, const struct sst_feed_day *day, size_t tile_row,
                                   size_t tile_col, struct sst_text *out, struct sst_error *err)
{
    const struct sst_domain *domain = page->about->domain;
    const size_t row0 = tile_row * SST_FEED_PAGE_TILE, col0 = tile_col * SST_FEED_PAGE_TILE;
    if (row0 >= domain->n_rows || col0 >= domain->n_cols)
        return sst_fail(err, SST_ERR_INTERNAL, "there is no tile %zu, %zu of a feed's page", tile_row, tile_col);
    const struct tile tile = {row0, col0, least(SST_FEED_PAGE_TILE, domain->n_rows - row0),
                              least(SST_FEED_PAGE_TILE, domain->n_cols - col0), domain->n_cols};
    const struct plane planes[] = {{"sst", day->sst, NULL, MIDDLE_DEGC},
                                   {"mean", day->mean, NULL, MIDDLE_DEGC},
                                   {"spread", day->threshold, day->mean, 0.0},
                                   {"bound", day->bound, NULL, 0.0}};
    sst_text_add(out, "SST.tile(");
    sst_feed_page_add_key(out, page, day->day);
    sst_text_addf(out, ",%zu,%zu,{\"revision\":%d,\"absent\":%s,\"preliminary\":%s,\"rows\":%zu,\"cols\":%zu", tile_row,
                  tile_col, day->revision, day->is_absent ? "true" : "false", day->is_preliminary ? "true" : "false",
                  tile.n_rows, tile.n_cols);
    add_state(out, page, day, &tile);
    add_robust(out, page, day, &tile);
    for (size_t i = 0; i < sizeof planes / sizeof *planes; ++i)
        add_temperatures(out, page, &tile, &planes[i]);
    add_above(out, page, day, &tile);
    add_since(out, page, day, &tile);
    sst_text_add(out, "});\n");
    return sst_text_check(out, err);
}
