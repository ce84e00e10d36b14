/*
 * The daily values of a few probes over all years that a run reads: what heatwave days and resampled years are made of.
 *
 *   codes[((year - first_year) * SST_N_SLOTS + slot - 1) * n_cells + cell]
 */
#ifndef SST_VALIDATE_SERIES_H
#define SST_VALIDATE_SERIES_H

#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/field.h"
#include "core/status.h"
#include "validate/sample.h"

enum { SST_SERIES_MAX_CELLS = 1000 };

struct sst_series {
    struct sst_pool_rule pools;
    struct sst_lattice lattice;
    int first_year, last_year; /* one more than the baseline on either side: edge pools may take days from them */
    size_t n_cells;
    size_t *sample_cell, *domain_cell; /* by cell of the series */
    int16_t *codes; /* SST_CODE_MISSING where there is no value or no day */
};

/*
 * Series of at most SST_SERIES_MAX_CELLS cells of a sample: those that a smaller share of probes would choose too.
 *
 * Owner    the caller; sst_series_destroy. The sample may go first.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_series_create(const struct sst_sample *sample, const struct sst_domain *domain,
                                                 uint64_t seed, const struct sst_pool_rule *pools,
                                                 enum sst_lattice_kind lattice, struct sst_series **out,
                                                 struct sst_error *err);
void sst_series_destroy(struct sst_series **series);

/* Keeps a day; days outside the years of the series are ignored. */
void sst_series_put(struct sst_series *series, struct sst_day day, const struct sst_field *field);

/* The place of a day of the series' years in the order of `codes`, counted in rows of n_cells. */
static inline size_t sst_series_row(const struct sst_series *series, struct sst_day day)
{
    return (size_t)(day.year - series->first_year) * SST_N_SLOTS + (size_t)(day.slot - 1);
}

/* The most bytes that the series of so many probes take. */
uint64_t sst_series_bytes(size_t n_probes, const struct sst_pool_rule *pools);

#endif
