/* Finished but not yet smoothed values of one slot, and what is made of several: a derived slot, a smoothed one. */
#ifndef SST_STREAM_ESTIMATE_H
#define SST_STREAM_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"
#include "core/shape.h"
#include "core/status.h"
#include "stream/method.h"
#include "stream/policy.h"

/* The mean, the percentiles, and where there are bounds as many of them. */
enum { SST_MAX_ESTIMATE_FIELDS = 1 + 2 * SST_MAX_PERCENTILES };

/* Places of one task of a loop over many arrays at once, and the fewest that a second thread is woken for. */
enum { SST_PLACES_BLOCK = 4096, SST_PARALLEL_PLACES = 32768 };

struct sst_estimate_shape {
    size_t n_cells, n_probes, n_percentiles;
    bool has_bounds;
    bool has_pool; /* the shape of the slot's pool is kept beside the values */
};

/* Start from zeros. */
struct sst_estimate {
    struct sst_estimate_shape shape;
    double *fields[SST_MAX_ESTIMATE_FIELDS]; /* [degC] n_cells each */
    double *probe_quantile[SST_MAX_PERCENTILES]; /* [degC] exact, n_probes each */
    uint16_t *n_obs, *flags;
    uint8_t *uncertified; /* NULL without bounds */
    struct sst_shape pool; /* all NULL where it is not kept */
    bool is_live;
};

/* Owner: the caller; sst_estimate_clear. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_estimate_init(struct sst_estimate *estimate, struct sst_estimate_shape shape,
                                                 struct sst_error *err);
/* Makes room for more cells, whose pool had no value. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_estimate_grow(struct sst_estimate *estimate, size_t n_cells, struct sst_error *err);
void sst_estimate_clear(struct sst_estimate *estimate);

/* Bytes that an estimate takes. */
uint64_t sst_estimate_bytes(struct sst_estimate_shape shape);

/* Number of fields in use, and where a method puts its values. */
size_t sst_estimate_n_fields(struct sst_estimate_shape shape);
struct sst_method_out sst_estimate_out(const struct sst_estimate *estimate, uint8_t *guarded);

/* A derived slot: the mean of its neighbours, missing where one of them is; it inherits what their pools told, and has the
 * mean of their shapes. */
void sst_estimate_derive(struct sst_estimate *estimate, const struct sst_estimate *before,
                         const struct sst_estimate *after);

/* The mean of several: values where at least half of them have one, certified where all of them are. No counts, no flags,
 * no shape. */
void sst_estimate_smooth(struct sst_estimate *estimate, const struct sst_estimate *const *members, int n_members,
                         const struct sst_backend *backend);

#endif
