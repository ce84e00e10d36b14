/* Numbers made small in place, as HDF5's filters shuffle and deflate make them: those filters read the result back. */
#ifndef SST_WRITE_DEFLATE_H
#define SST_WRITE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/* For the use of one thread at a time; allocates nothing once it is made. */
struct sst_deflater;

/*
 * level       1..9, as zlib's: 1 is fast, 9 is small
 * most_bytes  of the values of one call
 *
 * Owner    the caller, sst_deflater_destroy. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_deflater_create(int level, size_t most_bytes, struct sst_deflater **out,
                                                   struct sst_error *err);

/* NULL is accepted. */
void sst_deflater_destroy(struct sst_deflater **deflater);

/* Memory that one holds. [bytes] */
uint64_t sst_deflater_bytes(size_t most_bytes);

/* Room that so many bytes of values need, so that they can be deflated in place, whatever they are. */
size_t sst_deflate_room(size_t n_bytes);

/*
 * Shuffles values (all first bytes, then all second bytes ...), deflates them and puts the zlib stream in their place.
 *
 * values       room for sst_deflate_room(n_values * value_bytes) bytes
 * value_bytes  1 (nothing is shuffled), 2, 4 or 8
 *
 * Returns the bytes of the stream.
 */
size_t sst_deflate(struct sst_deflater *deflater, void *values, size_t n_values, size_t value_bytes);

/* The same into another place, whose room is at least sst_deflate_room(n_values * value_bytes). */
size_t sst_deflate_to(struct sst_deflater *deflater, const void *values, size_t n_values, size_t value_bytes, void *out,
                      size_t room);

/*
 * A zlib stream of bytes as they are.
 *
 * room     of `out`, at least sst_deflate_room(n_bytes)
 *
 * Returns the bytes of the stream.
 */
size_t sst_deflate_plain(struct sst_deflater *deflater, const void *bytes, size_t n_bytes, void *out, size_t room);

#endif
