/*
 * What is known of the probes' cell-days: the one material of error models, tables and charts.
 *
 *   every column: [place * n_cells + cell]     place: of the slot in the order of the outputs; cell: of the sample
 *
 * A sample holds at most SST_SAMPLE_MAX_CELLS cells, however many are validated: those of the probes that a smaller share
 * would choose too (validate/probes.h: samples of one seed are nested), so it stays a random one.
 */
#ifndef SST_VALIDATE_SAMPLE_H
#define SST_VALIDATE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/grid.h"
#include "core/shape.h"
#include "core/status.h"

enum { SST_SAMPLE_MAX_CELLS = 10000 };

struct sst_sample_cell {
    size_t domain_cell, probe; /* index in the domain; in the list of probes */
    double lat, lon; /* [degrees] */
    double weight; /* [1] cos(latitude) */
};

struct sst_sample {
    enum sst_calendar_kind calendar;
    size_t n_cells, n_places, n_percentiles;
    struct sst_sample_cell *cells; /* ascending by domain cell */
    int *slots; /* by place */
    float **approx,
        **exact; /* [degC] by percentile, as they are written: float32, smoothed where smoothed; NaN: none */
    struct sst_shape shape; /* all NULL where the estimator has none */
    uint16_t *n_obs, *flags; /* enum sst_flag, without what validation itself says */
};

struct sst_sample_spec {
    const struct sst_domain *domain;
    enum sst_calendar_kind calendar;
    const size_t *probes; /* domain cells, ascending */
    size_t n_probes;
    uint64_t seed; /* of the probes */
    const int *slots;
    size_t n_slots, n_percentiles;
    bool has_shape;
};

/* Values of one slot: over the domain, and exact ones over the probes. */
struct sst_sample_slot {
    int slot;
    const double *const *approx; /* [degC] by percentile, n domain cells each */
    const double *const *exact; /* [degC] by percentile, n_probes each */
    const struct sst_shape *shape; /* domain cells; NULL without */
    const uint16_t *n_obs, *flags; /* domain cells */
};

/* Owner: the caller; sst_sample_destroy. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_sample_create(const struct sst_sample_spec *spec, struct sst_sample **out,
                                                 struct sst_error *err);
void sst_sample_destroy(struct sst_sample **sample);

void sst_sample_put(struct sst_sample *sample, const struct sst_sample_slot *values);

/* Cells of a sample of so many probes. */
static inline size_t sst_sample_n_cells(size_t n_probes)
{
    return n_probes < SST_SAMPLE_MAX_CELLS ? n_probes : SST_SAMPLE_MAX_CELLS;
}

/* The most bytes that a sample of so many probes takes. */
uint64_t sst_sample_bytes(size_t n_probes, size_t n_slots, size_t n_percentiles, bool has_shape);

#endif
