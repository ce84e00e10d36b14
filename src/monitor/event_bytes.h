/*
 * The checkpoint of a ring: bytes from which it goes on as if it had never stopped. Little-endian, versioned, checksummed.
 *
 *   "SSTEVENT" version rule calendar sizes ids | span | cells of base, with sums where an event or run is open | days | XXH3-128
 *
 * Head and labels are not among them: they follow from base and days.
 */
#ifndef SST_MONITOR_EVENT_BYTES_H
#define SST_MONITOR_EVENT_BYTES_H

#include "monitor/event_ring.h"

/*
 * Owner    *bytes is the caller's, sst_free.
 * Errors   SST_ERR_NOMEM
 */
SST_MUST_CHECK enum sst_status sst_event_ring_encode(const struct sst_event_ring *ring, uint8_t **bytes,
                                                     size_t *n_bytes, struct sst_error *err);

/*
 * Makes a ring by `spec` that stands where the one of the bytes stood.
 *
 * Owner    the caller; sst_event_ring_destroy. `*out` is untouched on failure.
 * Errors   SST_ERR_STATE where the bytes are damaged, of another version, or of another rule, calendar, ring, cells or limits
 *          than `spec`; SST_ERR_NOMEM; those of the links.
 */
SST_MUST_CHECK enum sst_status sst_event_ring_decode(const struct sst_event_ring_spec *spec, const uint8_t *bytes,
                                                     size_t n_bytes, struct sst_event_ring **out,
                                                     struct sst_error *err);

#endif
