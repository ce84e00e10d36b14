/* The spool: one record a place, written and read whole. */
#include "write/spool.h"

#include <string.h>

#include "core/mem.h"
#include "core/scratch_file.h"
#include "stream/policy.h"

struct sst_spool {
    struct sst_spool_spec spec;
    struct sst_scratch_file file;
    unsigned char *record; /* one, as it lies on the disk */
    struct sst_spool_out at; /* pointers into the record */
    float *columns[2 * SST_MAX_PERCENTILES];
    bool *is_put;
};

/* --- layout ------------------------------------------------------------------------------------------------------- */

static size_t record_size(const struct sst_spool_spec *spec)
{
    const size_t n_fields = 1 + spec->n_percentiles + (spec->has_shape ? 3 : 0);
    return (n_fields * spec->n_cells + spec->n_percentiles * spec->n_probes) * sizeof(float) +
           2 * spec->n_cells * sizeof(uint16_t);
}

uint64_t sst_spool_disk_bytes(const struct sst_spool_spec *spec)
{
    return (uint64_t)record_size(spec) * spec->n_places;
}

uint64_t sst_spool_memory_bytes(const struct sst_spool_spec *spec) { return record_size(spec) + spec->n_places; }

static float *take_floats(unsigned char **end, size_t n)
{
    float *start = (float *)(void *)*end; /* aligned: only floats lie before it */
    *end += n * sizeof(float);
    return start;
}

static uint16_t *take_shorts(unsigned char **end, size_t n)
{
    uint16_t *start = (uint16_t *)(void *)*end;
    *end += n * sizeof(uint16_t);
    return start;
}

/* Points into the record, in the order of the header's drawing. */
static void lay_out(struct sst_spool *spool)
{
    const struct sst_spool_spec *spec = &spool->spec;
    unsigned char *end = spool->record;
    struct sst_spool_out *at = &spool->at;
    at->mean = take_floats(&end, spec->n_cells);
    at->quantile = spool->columns;
    at->probe_quantile = spool->columns + spec->n_percentiles;
    for (size_t q = 0; q < spec->n_percentiles; ++q)
        at->quantile[q] = take_floats(&end, spec->n_cells);
    if (spec->has_shape) {
        at->shape.sd = take_floats(&end, spec->n_cells);
        at->shape.skew = take_floats(&end, spec->n_cells);
        at->shape.kurt = take_floats(&end, spec->n_cells);
    }
    for (size_t q = 0; q < spec->n_percentiles; ++q)
        at->probe_quantile[q] = take_floats(&end, spec->n_probes);
    at->n_obs = take_shorts(&end, spec->n_cells);
    at->flags = take_shorts(&end, spec->n_cells);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static enum sst_status open_file(struct sst_spool *spool, struct sst_error *err)
{
    const char *beside = spool->spec.beside, *slash = strrchr(beside, '/');
    const size_t length = slash == beside ? 1 : slash ? (size_t)(slash - beside) : 0; /* of the folder */
    char *folder = NULL, *about = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_asprintf(&folder, err, "%.*s", length ? (int)length : 1, length ? beside : "."));
    SST_TRY_GOTO(sst_asprintf(&about, err, "%s: the scratch file beside it, of %.1f MB,", beside,
                              (double)sst_spool_disk_bytes(&spool->spec) / 1e6));
    SST_TRY_GOTO(sst_scratch_file_open(folder, about, "Check the space in that folder", &spool->file, err));
done:
    sst_free(folder);
    sst_free(about);
    return rc;
}

enum sst_status sst_spool_create(const struct sst_spool_spec *spec, struct sst_spool **out, struct sst_error *err)
{
    struct sst_spool *spool = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *spool, "the spool", &spool, err));
    spool->spec = *spec;
    SST_TRY_GOTO(sst_alloc(record_size(spec), 1, "the spool", &spool->record, err));
    SST_TRY_GOTO(sst_alloc(spec->n_places, sizeof *spool->is_put, "the spool", &spool->is_put, err));
    lay_out(spool);
    SST_TRY_GOTO(open_file(spool, err));
    *out = spool;
    spool = NULL;
done:
    sst_spool_destroy(&spool);
    return rc;
}

void sst_spool_destroy(struct sst_spool **handle)
{
    struct sst_spool *spool = *handle;
    if (!spool)
        return;
    sst_scratch_file_close(&spool->file);
    sst_free(spool->record);
    sst_free(spool->is_put);
    sst_free(spool);
    *handle = NULL;
}

static void to_floats(const double *from, size_t n, float *to)
{
    for (size_t i = 0; i < n; ++i)
        to[i] = (float)from[i];
}

static void fill_record(struct sst_spool *spool, const struct sst_spool_in *values)
{
    const struct sst_spool_spec *spec = &spool->spec;
    struct sst_spool_out *at = &spool->at;
    to_floats(values->mean, spec->n_cells, at->mean);
    for (size_t q = 0; q < spec->n_percentiles; ++q) {
        to_floats(values->quantile[q], spec->n_cells, at->quantile[q]);
        to_floats(values->probe_quantile[q], spec->n_probes, at->probe_quantile[q]);
    }
    if (spec->has_shape) {
        memcpy(at->shape.sd, values->shape.sd, spec->n_cells * sizeof(float));
        memcpy(at->shape.skew, values->shape.skew, spec->n_cells * sizeof(float));
        memcpy(at->shape.kurt, values->shape.kurt, spec->n_cells * sizeof(float));
    }
    memcpy(at->n_obs, values->n_obs, spec->n_cells * sizeof(uint16_t));
    memcpy(at->flags, values->flags, spec->n_cells * sizeof(uint16_t));
}

enum sst_status sst_spool_put(struct sst_spool *spool, size_t place, const struct sst_spool_in *values,
                              struct sst_error *err)
{
    const size_t size = record_size(&spool->spec);
    if (place >= spool->spec.n_places)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: the scratch file has no place %zu", spool->spec.beside, place);
    fill_record(spool, values);
    SST_TRY(sst_scratch_file_write(&spool->file, (uint64_t)place * size, spool->record, size, err));
    spool->is_put[place] = true;
    return SST_OK;
}

enum sst_status sst_spool_get(struct sst_spool *spool, size_t place, struct sst_spool_out *values,
                              struct sst_error *err)
{
    const size_t size = record_size(&spool->spec);
    if (place >= spool->spec.n_places || !spool->is_put[place])
        return sst_fail(err, SST_ERR_INTERNAL, "%s: place %zu of the scratch file was never written",
                        spool->spec.beside, place);
    SST_TRY(sst_scratch_file_read(&spool->file, (uint64_t)place * size, spool->record, size, err));
    *values = spool->at;
    return SST_OK;
}
