/*
 * Finished slots that wait on the scratch disk until all tiles have theirs.
 *
 *   record of a slot   [ mean | percentiles, bounds | exact at probes | sd, skewness, kurtosis | n_obs | flags ]
 *                        each of the whole domain; a tile writes its part of each
 *
 * Doubles stay doubles, so a joined slot has the bits of a run in one piece. A record is read whole.
 */
#ifndef SST_STREAM_SCRATCH_SLOTS_H
#define SST_STREAM_SCRATCH_SLOTS_H

#include "stream/tiles_private.h"

/* What a slot of the whole domain is made of. */
struct sst_slot_layout {
    size_t n_cells, n_probes, n_percentiles;
    bool has_bounds, has_shape;
};

/* The layout of a run's slots. */
struct sst_slot_layout sst_slot_layout_of(const struct sst_policy *policy, const struct sst_climatology_size *size);

struct sst_scratch_slots;

/*
 * No slot is in it.
 *
 * about    how messages name the file, with its folder; copied.
 * Owner    the caller; sst_scratch_slots_destroy. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_scratch_slots_create(const char *folder, const char *about,
                                                        const struct sst_slot_layout *layout,
                                                        struct sst_scratch_slots **out, struct sst_error *err);
void sst_scratch_slots_destroy(struct sst_scratch_slots **slots);

/*
 * Keeps a tile's part of the record `index`.
 *
 * first_cell, first_probe   where the part begins in the domain and in the list of all probes.
 * Errors   SST_ERR_OUTPUT (disk full).
 */
SST_MUST_CHECK enum sst_status sst_scratch_slots_put(struct sst_scratch_slots *slots, size_t index,
                                                     const struct sst_slot_result *part, size_t first_cell,
                                                     size_t first_probe, struct sst_error *err);

/*
 * A record, whole.
 *
 * out      its arrays belong to the store and live until the next get; its slot is left alone.
 * Errors   SST_ERR_OUTPUT where the file cannot be read back, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_scratch_slots_get(struct sst_scratch_slots *slots, size_t index,
                                                     struct sst_slot_result *out, struct sst_error *err);

/* Bytes of a record: on the disk, and in memory once one is got. */
uint64_t sst_scratch_slots_record_bytes(const struct sst_slot_layout *layout);

#endif
