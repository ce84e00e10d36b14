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
#include "core/calendar.h"
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

/*
 * The bins of one estimator over the year, and the window over them. All zero is a set that is not used: nothing enters
 * or leaves it. The planes of dropped slots are kept for the next ones, so a run allocates its window once: given back
 * and asked for again, hundreds of megabytes of aligned memory would break the heap into pieces.
 */
struct sst_bin_set {
    const struct sst_estimator *estimator;
    size_t n_cells;
    struct sst_bin bins[SST_N_SLOTS + 1][SST_N_CLASSES]; /* empty where nothing was added */
    struct sst_bin window;
    struct sst_bin spare[(SST_N_SLOTS + 1) * SST_N_CLASSES];
    size_t n_spare;
};

/* Opens a zeroed set with an empty window. Owner: the caller; sst_bin_set_clear. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_bin_set_open(struct sst_bin_set *set, const struct sst_estimator *estimator,
                                                size_t n_cells, struct sst_error *err);
void sst_bin_set_clear(struct sst_bin_set *set);

/* The bin of a term, of zeros where it is new; borrowed until its slot is dropped. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_bin_set_at(struct sst_bin_set *set, struct sst_term term, struct sst_bin **bin,
                                              struct sst_error *err);

/* Adds a term's bin to the window, or takes it away; a term without a bin (no file had it) changes nothing. */
void sst_bin_set_enter(const struct sst_backend *backend, struct sst_bin_set *set, struct sst_term term);
void sst_bin_set_leave(const struct sst_backend *backend, struct sst_bin_set *set, struct sst_term term);

/* Makes the bins of a slot spare. */
void sst_bin_set_drop_slot(struct sst_bin_set *set, int slot);

#endif
