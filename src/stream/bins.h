/*
 * Bins: the planes of one estimator for one term (slot, class), and windows, which are bins too.
 *
 *   bin  ─┬─ plane 0  [cell 0 | cell 1 | ... | cell n-1]      planes, not structs: coalesced on a device,
 *         ├─ plane 1  [cell 0 | ...                    ]      vectorised on a CPU
 *         └─ ...
 *
 *   window(d) = sum of the bins of the pool of slot d; window(d+1) = window(d) + what enters - what leaves. All planes
 *   are integers, so this is exact for ever: no drift, no order. Lists (TOP) can be joined but not taken apart, so a
 *   window holds none: its estimator is the SUM planes alone, which come first.
 */
#ifndef SST_STREAM_BINS_H
#define SST_STREAM_BINS_H

#include <stdbool.h>

#include "backend/backend.h"
#include "core/calendar.h"
#include "core/estimator.h"
#include "core/status.h"
#include "exact/tail.h"
#include "moments/moments.h"

struct sst_bin {
    const struct sst_estimator *estimator;
    size_t n_cells;
    void *planes[SST_MAX_PLANES]; /* n_cells items each, of the plane's type; `count` times as many for a list */
    void *memory; /* of all planes: together they are whole huge pages, where one by one much would be left over */
};

/* A bin of no field: sums of 0, lists of SST_CODE_MISSING. Owner: the caller; sst_bin_clear. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_bin_init(struct sst_bin *bin, const struct sst_estimator *estimator, size_t n_cells,
                                            struct sst_error *err);

/* As sst_bin_init, but what is in it is not known: for planes that are all written before they are read. */
SST_MUST_CHECK enum sst_status sst_bin_make_room(struct sst_bin *bin, const struct sst_estimator *estimator,
                                                 size_t n_cells, struct sst_error *err);

/* Frees the planes; a cleared or zeroed bin is accepted. */
void sst_bin_clear(struct sst_bin *bin);

/*
 * target += source, target -= source; both bins are of one estimator and size, or the target has fewer planes: those that
 * it has count. Only SUM planes can be subtracted.
 */
void sst_bin_add(const struct sst_backend *backend, struct sst_bin *target, const struct sst_bin *source);
void sst_bin_subtract(const struct sst_backend *backend, struct sst_bin *target, const struct sst_bin *source);

/* The planes of a bin of the moments estimator, of a tail estimator, borrowed. */
struct sst_moments_view sst_bin_moments(const struct sst_bin *bin);
struct sst_tail_view sst_bin_tail(const struct sst_bin *bin);

static inline bool sst_bin_is_empty(const struct sst_bin *bin) { return !bin->estimator; }

/*
 * The bins of a run, by term, and the window over them. All zero is a set that is not used: nothing enters or leaves it.
 * The planes of dropped slots are kept for the next ones, so a run allocates its window once: given back and asked for
 * again, hundreds of megabytes of aligned memory would break the heap into pieces.
 */
struct sst_bin_set {
    size_t n_cells;
    struct sst_bin bins[SST_N_SLOTS + 1][SST_N_CLASSES]; /* empty where nothing was added */
    struct sst_bin window;
    struct sst_bin spare[(SST_N_SLOTS + 1) * SST_N_CLASSES];
    size_t n_spare;
};

/* Opens a zeroed set; the window is of no field. Owner: the caller; sst_bin_set_clear. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_bin_set_open(struct sst_bin_set *set, const struct sst_estimator *window,
                                                size_t n_cells, struct sst_error *err);
void sst_bin_set_clear(struct sst_bin_set *set);

/* Makes room for more cells, which are in no field so far, in all bins and the window. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_bin_set_grow(struct sst_bin_set *set, size_t n_cells, struct sst_error *err);

static inline bool sst_bin_set_is_open(const struct sst_bin_set *set) { return !sst_bin_is_empty(&set->window); }

/*
 * The bin of a term, of no field where it is new; borrowed until its slot is dropped. A term is always of one estimator,
 * whose first planes are those of the window.
 *
 * Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_bin_set_at(struct sst_bin_set *set, struct sst_term term,
                                              const struct sst_estimator *estimator, struct sst_bin **bin,
                                              struct sst_error *err);

#define SST_NO_ITEM UINT32_MAX

/* A bin of some cells, the items, for cells that are elsewhere. */
struct sst_packed_bin {
    const struct sst_bin *bin;
    const uint32_t *item; /* by cell of the target; SST_NO_ITEM: no value */
};

/*
 * Adds a packed bin to that of a term, which is made where there is none. Its estimator has the planes of the term's, but lists
 * may be longer, where their ends count for nothing, or as short as all values that there are.
 *
 * Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_bin_set_add_packed(struct sst_bin_set *set, const struct sst_backend *backend,
                                                      struct sst_term term, const struct sst_estimator *estimator,
                                                      const struct sst_packed_bin *packed, struct sst_error *err);

enum sst_window_step { SST_WINDOW_ENTER, SST_WINDOW_LEAVE };

/* A term's bin enters the window or leaves it; a term without a bin (no file had it) changes nothing. */
void sst_bin_set_step(struct sst_bin_set *set, const struct sst_backend *backend, struct sst_term term,
                      enum sst_window_step step);

/* Makes the bins of a slot spare. */
void sst_bin_set_drop_slot(struct sst_bin_set *set, int slot);

#endif
