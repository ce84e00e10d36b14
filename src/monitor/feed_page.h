/*
 * The page of a feed: three files that stay as they are but for a few words, and scripts that carry its data, since a page that
 * is opened from a disk may load scripts and nothing else (docs/feed-page.md).
 *
 *   index.html  page.js  page.css     from src/monitor/page/, within the program
 *   about.js                          SST.about({...}): grid, land, rule, climatology, regions
 *   index.js                          SST.index({...}): days, how late they are, areas, regions day by day
 *   days/.../map.js                   SST.map("YYYYMMDD", {...}): codes of one byte for each cell of the page's map
 *   days/.../tile_R_C.js              SST.tile("YYYYMMDD", R, C, {...}): the numbers of 180 x 180 cells
 *   days/.../map.png                  the categories as a picture
 *
 * Everything is made in memory; the same input gives the same bytes.
 */
#ifndef SST_MONITOR_FEED_PAGE_H
#define SST_MONITOR_FEED_PAGE_H

#include "core/text.h"
#include "monitor/feed_day.h"
#include "write/deflate_memo.h"

enum {
    SST_FEED_PAGE_TILE = 180, /* rows and columns of a tile; the last ones of a domain may have fewer */
    SST_FEED_PAGE_LARGEST_SIDE = 1440 /* of the map and the picture; larger domains are shown by blocks of cells */
};

/* The files that are the same for every feed. NUL-terminated text of the program. */
const char *sst_feed_page_script(void); /* page.js */
const char *sst_feed_page_style(void); /* page.css */

/* Scratch for one feed; for the use of one thread at a time. */
struct sst_feed_page;

/* `about` is borrowed. Owner: the caller; sst_feed_page_destroy, which accepts NULL inside. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_page_create(const struct sst_feed_about *about, struct sst_feed_page **out,
                                                    struct sst_error *err);
void sst_feed_page_destroy(struct sst_feed_page **page);

/* Looks deflated planes up there from now on; borrowed. The files made are the same. */
void sst_feed_page_remember(struct sst_feed_page *page, struct sst_deflate_memo *memo);

/* What follows appends a whole file to `out`. Errors: SST_ERR_NOMEM; then `out` is not to be used. */

/* index.html: shows the newest day's picture where scripts are off, so it is written with each newest day. */
SST_MUST_CHECK enum sst_status sst_feed_page_html(struct sst_feed_page *page, const struct sst_feed_state *state,
                                                  struct sst_text *out, struct sst_error *err);

/* surface: enum sst_event_surface of any day, n_cells; only land is read, which is the same on all days. */
SST_MUST_CHECK enum sst_status sst_feed_page_about(struct sst_feed_page *page, const uint8_t *surface,
                                                   struct sst_text *out, struct sst_error *err);

/* What index.js tells. Borrowed. */
struct sst_feed_page_index {
    const struct sst_feed_state *state;
    const struct sst_area *areas; /* there on the newest day, and those that are gone of the days kept */
    size_t n_areas;
    const struct sst_feed_page_row {
        struct sst_day day;
        const struct sst_region_day *regions; /* about->regions->n */
    } * rows; /* ascending; days that were not known at all may be left out */
    size_t n_rows;
};
SST_MUST_CHECK enum sst_status sst_feed_page_index(struct sst_feed_page *page, const struct sst_feed_page_index *index,
                                                   struct sst_text *out, struct sst_error *err);

SST_MUST_CHECK enum sst_status sst_feed_page_map(struct sst_feed_page *page, const struct sst_feed_day *day,
                                                 struct sst_text *out, struct sst_error *err);

/* Tiles of a domain, rows and columns; all of them are written, those of land alone too. */
void sst_feed_page_tiles(const struct sst_domain *domain, size_t *n_rows, size_t *n_cols);

SST_MUST_CHECK enum sst_status sst_feed_page_tile(struct sst_feed_page *page, const struct sst_feed_day *day,
                                                  size_t tile_row, size_t tile_col, struct sst_text *out,
                                                  struct sst_error *err);

/*
 * map.png: categories, north up, a pixel for each cell of the map (two and more where those are few), with date and legend.
 *
 * Owner    the caller; sst_free(*bytes). Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_feed_page_picture(struct sst_feed_page *page, const struct sst_feed_day *day,
                                                     uint8_t **bytes, size_t *n_bytes, struct sst_error *err);

#endif
