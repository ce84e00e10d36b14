/*
 * Bins: the planes of one estimator for one term (slot, class), and windows, which are bins too.
 *
 *   bin  ─┬─ plane 0  [cell 0 | cell 1 | ... | cell n-1]      planes, not structs: coalesced on a device,
 *         ├─ plane 1  [cell 0 | ...                    ]      vectorised on a CPU
 *         └─ ...
 *
 *   window(d) = sum of the bins of the pool of slot d; window(d+1) = window(d) + what enters - what leaves. All planes
 *   are integers, so this is exact for ever: no drift, no order.
 */
#ifndef SST_STREAM_BINS_H
#define SST_STREAM_BINS_H

#include <stdbool.h>

#include "backend/backend.h"
#include "core/estimator.h"
#include "core/status.h"
#include "moments/moments.h"

struct sst_bin {
    const struct sst_estimator *estimator;
    size_t n_cells;
    void *planes[SST_MAX_PLANES]; /* n_cells items each, of the plane's type */
};

/* A bin of zeros. Owner: the caller; sst_bin_clear. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_bin_init(struct sst_bin *bin, const struct sst_estimator *estimator, size_t n_cells,
                                            struct sst_error *err);
/* Frees the planes; a cleared or zeroed bin is accepted. */
void sst_bin_clear(struct sst_bin *bin);

/* target += source, target -= source; both bins are of one estimator and size. */
void sst_bin_add(const struct sst_backend *backend, struct sst_bin *target, const struct sst_bin *source);
void sst_bin_subtract(const struct sst_backend *backend, struct sst_bin *target, const struct sst_bin *source);

/* The planes of a bin of the moments estimator, borrowed. */
struct sst_moments_view sst_bin_moments(const struct sst_bin *bin);

static inline bool sst_bin_is_empty(const struct sst_bin *bin) { return !bin->estimator; }

#endif
