/*
 * Two climatologies held against each other: what is common to them, A - B in figures, tables and maps, and what A in place
 * of B does to heatwaves. B stands where a run has its exact values.
 *
 *   open both ──▶ common slots ──▶ pass 1: common cells ──▶ pass 2: differences ──▶ (daily files: heatwaves) ──▶ text, JSON
 */
#ifndef SST_APP_COMPARE_FINDINGS_H
#define SST_APP_COMPARE_FINDINGS_H

#include <stdio.h>

#include "app/options.h"
#include "app/progress.h"
#include "app/run_attributes.h"
#include "validate/breakdown.h"
#include "validate/compare.h"
#include "validate/consequences.h"
#include "validate/map.h"
#include "validate/sample.h"
#include "write/clim_nc_read.h"

/* Version of the JSON's form; goes up when a key changes its meaning or goes away. */
#define SST_COMPARE_SCHEMA "sststream-compare/1"

enum { SST_COMPARE_A, SST_COMPARE_B, SST_N_COMPARED };

/* Differences that are listed: the largest one of each of so many cells. */
enum { SST_N_LARGEST = 20, SST_COMPARE_NAME_SIZE = 32 };

struct sst_difference {
    size_t cell; /* of the domain */
    int slot;
    double a, b; /* [degC] */
};

/* What is found of one variable. */
struct sst_compared_field {
    enum sst_clim_field field;
    char name[SST_COMPARE_NAME_SIZE]; /* "sst_p90"; "percentile" where none is told; "sst_mean" */
    struct sst_comparison *comparison;
    struct sst_map *difference, *rmse; /* of A - B over days; rmse holds squares until both are read */
    struct sst_difference largest[SST_N_LARGEST]; /* by size, the largest first; none where A is B */
    size_t n_largest;
    size_t n_only_a, n_only_b; /* cell-days of common slots that one of the two lacks */
    struct sst_breakdown breakdown;
};

/* What daily files tell. */
struct sst_compare_daily {
    bool is_there;
    int first_year, last_year;
    size_t n_days_read, n_days_missing, n_days_bad;
    struct sst_consequences consequences; /* exact: B */
};

struct sst_compare {
    const struct sst_options *options; /* borrowed */
    struct sst_progress *progress; /* borrowed */
    struct sst_clim_reader *readers[SST_N_COMPARED];
    struct sst_grid_map maps[SST_N_COMPARED];
    struct sst_domain domain; /* of A's grid */
    enum sst_calendar_kind calendar;
    int slots[SST_N_SLOTS];
    size_t n_slots; /* that both have */
    double percentile; /* [percent]; NaN where neither tells */
    struct sst_compared_field fields[SST_N_CLIM_FIELDS];
    size_t n_fields; /* that both have */
    size_t *cells; /* domain cells with a value in both on some day, ascending */
    size_t n_cells;
    struct sst_map *common; /* 1 at those cells, 0 at others */
    struct sst_sample *sample; /* approx: A, exact: B; percentiles in the order of fields */
    struct sst_compare_daily daily;
    double seconds; /* [s] wall time */
    char created[SST_ISO_TIME_SIZE];
};

/*
 * Opens both and settles what is compared.
 *
 * Owner    the caller; sst_compare_clear, also after a failure of this and all that follows.
 * Errors   as of sst_clim_read_open and sst_clim_read_choose; SST_ERR_GRID, SST_ERR_TIME, SST_ERR_INPUT where the two have no
 *          grid, days or variables in common; SST_ERR_USAGE for a --bbox outside.
 */
SST_MUST_CHECK enum sst_status sst_compare_open(const struct sst_options *options, struct sst_progress *progress,
                                                struct sst_compare *out, struct sst_error *err);
void sst_compare_clear(struct sst_compare *compare);

/* Reads both twice and fills all but `daily`. Errors: SST_ERR_INPUT, SST_ERR_INTERRUPTED, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_compare_read(struct sst_compare *compare, struct sst_error *err);

/* Reads the files of --detect and counts heatwaves at sampled cells. Errors: as of sst_job_prepare. */
SST_MUST_CHECK enum sst_status sst_compare_detect(struct sst_compare *compare, struct sst_error *err);

/* Largest share of the area's cell-days beyond the tolerance among the variables; `field` gets which. */
double sst_compare_worst_share(const struct sst_compare *compare, const struct sst_compared_field **field);

/* "sst_p90 of A is ..." into a buffer; returns it. */
enum { SST_COMPARE_VERDICT_SIZE = 512 };
const char *sst_compare_verdict(const struct sst_compare *compare, char *buffer);

/* The findings as a table, for people. */
void sst_compare_print(const struct sst_compare *compare, FILE *stream);

#endif
