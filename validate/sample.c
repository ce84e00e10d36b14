/* The sample: columns of the probes' cell-days, filled slot by slot. */
#include "validate/sample.h"

#include <math.h>

#include "core/mem.h"
#include "validate/probes.h"

static enum sst_status choose_cells(const struct sst_sample_spec *spec, struct sst_sample *sample,
                                    struct sst_error *err)
{
    double *rows = NULL;
    size_t *probes = NULL, n = 0;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_probes_nested(spec->domain, spec->probes, spec->n_probes, spec->seed, SST_SAMPLE_MAX_CELLS,
                                   &probes, &n, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *sample->cells, "the sample", &sample->cells, err));
    SST_TRY_GOTO(sst_alloc(spec->domain->n_rows, sizeof *rows, "row weights", &rows, err));
    sst_domain_row_weights(spec->domain, rows);
    for (size_t i = 0; i < n; ++i) {
        const size_t cell = spec->probes[probes[i]];
        const size_t row = cell / spec->domain->n_cols, col = cell % spec->domain->n_cols;
        sample->cells[i] = (struct sst_sample_cell){
            .domain_cell = cell,
            .probe = probes[i],
            .lat = sst_domain_lat(spec->domain, row),
            .lon = sst_domain_lon(spec->domain, col),
            .weight = rows[row],
        };
    }
    sample->n_cells = n;
done:
    sst_free(rows);
    sst_free(probes);
    return rc;
}

static enum sst_status alloc_columns(struct sst_sample *sample, bool has_shape, struct sst_error *err)
{
    const size_t n_rows = sample->n_cells * sample->n_places;
    SST_TRY(sst_alloc(sample->n_percentiles, sizeof *sample->approx, "the sample", &sample->approx, err));
    SST_TRY(sst_alloc(sample->n_percentiles, sizeof *sample->exact, "the sample", &sample->exact, err));
    for (size_t q = 0; q < sample->n_percentiles; ++q) {
        SST_TRY(sst_alloc(n_rows, sizeof(float), "the sample", &sample->approx[q], err));
        SST_TRY(sst_alloc(n_rows, sizeof(float), "the sample", &sample->exact[q], err));
    }
    SST_TRY(sst_alloc(n_rows, sizeof *sample->n_obs, "the sample", &sample->n_obs, err));
    SST_TRY(sst_alloc(n_rows, sizeof *sample->flags, "the sample", &sample->flags, err));
    if (!has_shape)
        return SST_OK;
    SST_TRY(sst_alloc(n_rows, sizeof(float), "the sample", &sample->shape.sd, err));
    SST_TRY(sst_alloc(n_rows, sizeof(float), "the sample", &sample->shape.skew, err));
    return sst_alloc(n_rows, sizeof(float), "the sample", &sample->shape.kurt, err);
}

/* Until its slot is put, a cell-day has no value. */
static void empty_columns(struct sst_sample *sample)
{
    const size_t n_rows = sample->n_cells * sample->n_places;
    for (size_t q = 0; q < sample->n_percentiles; ++q)
        for (size_t row = 0; row < n_rows; ++row)
            sample->approx[q][row] = sample->exact[q][row] = NAN;
    for (size_t row = 0; sample->shape.sd && row < n_rows; ++row)
        sample->shape.sd[row] = sample->shape.skew[row] = sample->shape.kurt[row] = NAN;
}

enum sst_status sst_sample_create(const struct sst_sample_spec *spec, struct sst_sample **out, struct sst_error *err)
{
    struct sst_sample *sample = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *sample, "the sample", &sample, err));
    sample->calendar = spec->calendar;
    sample->n_places = spec->n_slots;
    sample->n_percentiles = spec->n_percentiles;
    SST_TRY_GOTO(choose_cells(spec, sample, err));
    SST_TRY_GOTO(sst_alloc(spec->n_slots, sizeof *sample->slots, "the sample", &sample->slots, err));
    for (size_t place = 0; place < spec->n_slots; ++place)
        sample->slots[place] = spec->slots[place];
    SST_TRY_GOTO(alloc_columns(sample, spec->has_shape, err));
    empty_columns(sample);
    *out = sample;
    sample = NULL;
done:
    sst_sample_destroy(&sample);
    return rc;
}

void sst_sample_destroy(struct sst_sample **handle)
{
    struct sst_sample *sample = *handle;
    if (!sample)
        return;
    for (size_t q = 0; q < sample->n_percentiles; ++q) {
        if (sample->approx)
            sst_free(sample->approx[q]);
        if (sample->exact)
            sst_free(sample->exact[q]);
    }
    sst_free(sample->approx);
    sst_free(sample->exact);
    sst_free(sample->shape.sd);
    sst_free(sample->shape.skew);
    sst_free(sample->shape.kurt);
    sst_free(sample->n_obs);
    sst_free(sample->flags);
    sst_free(sample->slots);
    sst_free(sample->cells);
    sst_free(sample);
    *handle = NULL;
}

void sst_sample_put(struct sst_sample *sample, const struct sst_sample_slot *values)
{
    size_t place = 0;
    while (place < sample->n_places && sample->slots[place] != values->slot)
        ++place;
    if (place == sample->n_places)
        return;
    for (size_t i = 0; i < sample->n_cells; ++i) {
        const size_t row = place * sample->n_cells + i;
        const size_t cell = sample->cells[i].domain_cell, probe = sample->cells[i].probe;
        for (size_t q = 0; q < sample->n_percentiles; ++q) {
            sample->approx[q][row] = (float)values->approx[q][cell];
            sample->exact[q][row] = (float)values->exact[q][probe];
        }
        if (sample->shape.sd && values->shape) {
            sample->shape.sd[row] = values->shape->sd[cell];
            sample->shape.skew[row] = values->shape->skew[cell];
            sample->shape.kurt[row] = values->shape->kurt[cell];
        }
        sample->n_obs[row] = values->n_obs[cell];
        sample->flags[row] = values->flags[cell];
    }
}

uint64_t sst_sample_bytes(size_t n_probes, size_t n_slots, size_t n_percentiles, bool has_shape)
{
    const uint64_t n_cells = sst_sample_n_cells(n_probes);
    const uint64_t row_bytes =
        2 * n_percentiles * sizeof(float) + (has_shape ? 3 * sizeof(float) : 0) + 2 * sizeof(uint16_t);
    return n_cells * (sizeof(struct sst_sample_cell) + n_slots * row_bytes);
}
