/* What feed_page*.c share. */
#ifndef SST_MONITOR_FEED_PAGE_PRIVATE_H
#define SST_MONITOR_FEED_PAGE_PRIVATE_H

#include <stdbool.h>

#include "monitor/event_day.h"
#include "monitor/feed_page.h"
#include "write/deflate.h"

/*
 * One byte tells surface, label and category of a cell:
 *
 *   state = surface + N_SURFACES * (label + N_LABELS * (category + 1))
 */
enum {
    SST_FEED_PAGE_N_SURFACES = SST_EVENT_SURFACE_NO_VARIANCE + 1,
    SST_FEED_PAGE_N_LABELS = SST_EVENT_LABEL_AWAITING + 1
};

/* Codes of a byte: 0 is none, others stand for (code - zero) * step. */
struct sst_feed_page_scale {
    int zero;
    double step;
};
extern const struct sst_feed_page_scale sst_feed_page_severity, sst_feed_page_anomaly, sst_feed_page_bound;

struct sst_feed_page {
    const struct sst_feed_about *about; /* borrowed */
    size_t block; /* rows and columns of cells that are one of the map */
    size_t map_rows, map_cols; /* of the map */
    uint32_t *picked; /* map_rows * map_cols: the cell that stands for its block, by the last sst_feed_page_pick */
    uint8_t *codes; /* of a plane: of the map, or of a tile by two bytes */
    uint8_t *packed; /* the same, deflated */
    size_t packed_room;
    struct sst_deflater *deflater;
    struct sst_deflate_memo *memo; /* borrowed; NULL: none */
};

uint8_t sst_feed_page_state(const struct sst_feed_day *day, size_t cell);

/* In each block the cell of the highest category; of several the first, water before all else. */
void sst_feed_page_pick(struct sst_feed_page *page, const struct sst_feed_day *day);

/* --- scripts ------------------------------------------------------------------------------------------------------ */

/* "text" in quotes, safe in a script and as JSON. */
void sst_feed_page_add_string(struct sst_text *out, const char *text);
/* A number with so many decimals, without needless zeros; null where it is not finite. */
void sst_feed_page_add_number(struct sst_text *out, double value, int decimals);
/* "20261130", "2026-11-30", null for none; both in quotes. */
void sst_feed_page_add_key(struct sst_text *out, const struct sst_feed_page *page, struct sst_day day);
void sst_feed_page_add_day(struct sst_text *out, const struct sst_feed_page *page, struct sst_day day);
/* page->codes, n bytes of them, as zlib stream in base64, in quotes. */
void sst_feed_page_add_codes(struct sst_text *out, struct sst_feed_page *page, size_t n_bytes);

/* --- pieces of scripts that are remembered ------------------------------------------------------------------------ */

/* What a piece is made from: all that changes its text is folded in. Without a memo nothing is. */
struct sst_feed_page_source {
    struct sst_digest_chain digest;
    bool is_kept;
};

struct sst_feed_page_source sst_feed_page_source(const struct sst_feed_page *page, const char *name);
void sst_feed_page_fold(struct sst_feed_page_source *source, const void *bytes, size_t n_bytes);

/* Appends the piece that is known by its source; false: the caller appends it, and has it kept from `start` on. */
bool sst_feed_page_recall(const struct sst_feed_page *page, const struct sst_feed_page_source *source,
                          struct sst_text *out);
void sst_feed_page_keep(const struct sst_feed_page *page, const struct sst_feed_page_source *source,
                        const struct sst_text *out, size_t start);

#endif
