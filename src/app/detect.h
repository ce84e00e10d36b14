/*
 * What the parts of `detect` share.
 *
 *   files ─▶ reader, in order of days ─▶ cells with a threshold ─▶ ring of days ─┬▶ day that leaves ─▶ maps (mhw.nc)
 *   climatology ─▶ mean and threshold of the calendar day ──────────▲            └▶ event that is over ─▶ table (events.csv)
 *
 * Memory: the ring, two fields, and the climatology where it is small; not the days.
 */
#ifndef SST_APP_DETECT_H
#define SST_APP_DETECT_H

#include <stdio.h>

#include "app/options.h"
#include "app/progress.h"
#include "monitor/event_ring.h"
#include "stream/catalog.h"
#include "stream/source.h"
#include "write/clim_nc_read.h"
#include "write/mhw_nc.h"

/* Mean and threshold by calendar day, of the cells that are watched. */
struct sst_detect_limits {
    const struct sst_options *options; /* borrowed */
    struct sst_clim_reader *reader;
    struct sst_domain domain; /* of the climatology, the cells of the daily files */
    struct sst_grid_map whole; /* from the climatology's grid to itself */
    size_t *cells; /* the domain's cell of each watched one; NULL: not chosen yet */
    size_t n_cells;
    double *mean, *threshold; /* [degC] of the domain, of one slot */
    uint16_t *flags;
    /* Slots that were read, where all of them fit (LIMITS_CACHE_BYTES); else NULL. */
    float *kept_mean[SST_N_SLOTS + 1], *kept_threshold[SST_N_SLOTS + 1];
    uint8_t *kept_flags[SST_N_SLOTS + 1];
    bool keeps;
};

/* Opens --clim and chooses its variables. Errors: SST_ERR_INPUT, those of sst_clim_read_open and _choose. */
SST_MUST_CHECK enum sst_status sst_detect_limits_open(const struct sst_options *options,
                                                      struct sst_detect_limits *limits, struct sst_error *err);
void sst_detect_limits_clear(struct sst_detect_limits *limits);

/*
 * The cells that the climatology and the daily files have in common, within --bbox: `daily` of the daily files' grid, and
 * limits->domain with the same axes but for their order.
 *
 * map      from daily's rows and columns to those of limits->domain
 * Errors   SST_ERR_GRID where they have not the same cells there.
 */
SST_MUST_CHECK enum sst_status sst_detect_match(struct sst_detect_limits *limits, const struct sst_grid *grid,
                                                const char *files, struct sst_domain *daily, struct sst_grid_map *map,
                                                struct sst_error *err);

/*
 * The cells of `daily` that have a mean and a threshold on any of the wanted slots: watched[] are daily's, ascending.
 *
 * Owner    the caller, sst_free.
 * Errors   those of reading; SST_ERR_INPUT where there is none.
 */
SST_MUST_CHECK enum sst_status sst_detect_choose_cells(struct sst_detect_limits *limits, const struct sst_domain *daily,
                                                       const struct sst_grid_map *map, const bool *wanted_slots,
                                                       size_t **watched, size_t *n_watched, struct sst_error *err);

/* Of a slot, by watched cell, as struct sst_event_links.limits wants it; NaN on a slot that the climatology lacks. */
SST_MUST_CHECK enum sst_status sst_detect_limits_get(struct sst_detect_limits *limits, int slot, float *mean,
                                                     float *threshold, uint8_t *flags, struct sst_error *err);

/* The table of events, RFC 4180, written beside its place and renamed when it is whole. */
struct sst_detect_table {
    const char *path; /* borrowed */
    char *temporary;
    FILE *file;
    const struct sst_domain *domain;
    const size_t *watched; /* the domain's cell of each of the engine's */
    enum sst_calendar_kind calendar;
    int32_t first_day; /* [days since 1970-01-01] index 1 */
    uint32_t *n_events; /* so far, by watched cell */
};

/* `table` has its borrowed fields set. Owner: the caller; sst_detect_table_clear. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_detect_table_open(struct sst_detect_table *table, size_t n_watched, bool overwrite,
                                                     struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_detect_table_put(struct sst_detect_table *table, const struct sst_event *event,
                                                    struct sst_error *err);
/* After the last event: all is on the disk, beside its place. Errors: SST_ERR_OUTPUT, for lack of room too. */
SST_MUST_CHECK enum sst_status sst_detect_table_complete(struct sst_detect_table *table, struct sst_error *err);
/* Renames what is complete. */
SST_MUST_CHECK enum sst_status sst_detect_table_finish(struct sst_detect_table *table, bool overwrite,
                                                       struct sst_error *err);
/* Removes what is not finished. */
void sst_detect_table_clear(struct sst_detect_table *table);

#endif
