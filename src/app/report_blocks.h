/*
 * Parts of a JSON report, one function per block of docs/report.md: what a run and a comparison have in common.
 *
 * Each gives a new reference, NULL without memory; what it is given is borrowed for the call. Numbers are rounded to six
 * digits, NaN is null.
 */
#ifndef SST_APP_REPORT_BLOCKS_H
#define SST_APP_REPORT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "validate/bootstrap.h"
#include "validate/breakdown.h"
#include "validate/compare.h"
#include "validate/consequences.h"
#include "validate/error_model.h"
#include "validate/interval.h"
#include "validate/map.h"

struct json_t;

/* share, low, high, clusters. */
struct json_t *sst_block_share(struct sst_share share);

/* A row of validation.errors_degc; not rounded, since it is what runs are held against each other by. */
struct json_t *sst_block_error_row(const struct sst_error_row *row);

struct json_t *sst_block_breakdown(const struct sst_breakdown *breakdown);

/* percentile: in percent; levels name their variables of the climatology file, "sst_p90_approx_bound95". */
struct json_t *sst_block_bounds(const struct sst_error_findings *findings, double percentile);

/* Coverage of what was left, by level. */
struct json_t *sst_block_repair(size_t n_cell_days, const double *levels, const struct sst_share *coverage,
                                size_t n_levels);

struct json_t *sst_block_consequences(const struct sst_consequences *consequences);

struct json_t *sst_block_sampling(const struct sst_sampling_error *sampling);

/* One source of error, as large as it is known to be. */
struct sst_budget_item {
    const char *name;
    double size_degc; /* NaN: not known as a number */
    const char *text;
};
struct json_t *sst_block_error_budget(const struct sst_budget_item *items, size_t n_items);

struct sst_verdict_block {
    bool passes;
    double worst_share, max_share; /* 0..1 */
    double tolerance; /* [degC] */
    const char *variable; /* where the share is worst; NULL where there is none */
    const char *text;
};
struct json_t *sst_block_verdict(const struct sst_verdict_block *verdict);

struct sst_map_labels {
    const char *key, *title, *variable, *unit; /* unit "1" for shares; variable NULL where it is of none */
    bool is_signed, is_sparse;
    double step; /* > 0: values are told as multiples of it */
};

/* sea: 1 at sea cells, 0 at others, on the same blocks; a block is sea where at least half of it is. NULL: not known. */
struct json_t *sst_block_map(const struct sst_map *map, const struct sst_map_labels *labels, const struct sst_map *sea);

/* command: as typed. Reads the processor's name from the system. */
struct json_t *sst_block_reproduce(const char *command, int n_threads);

#endif
