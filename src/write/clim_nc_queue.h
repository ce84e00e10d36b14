/*
 * The way of full rows of chunks into a file: deflated by threads, written by the caller in the order of the chunks, so that
 * the file is the same whoever was done first.
 *
 *   row filled ──put──▶ [ threads deflate in place ] ──advance──▶ file ──▶ memory kept for the next row
 */
#ifndef SST_WRITE_CLIM_NC_QUEUE_H
#define SST_WRITE_CLIM_NC_QUEUE_H

#include <stdbool.h>

#include "core/status.h"
#include "write/clim_nc_chunks.h"
#include "write/clim_nc_store.h"
#include "write/deflate_team.h"

struct sst_clim_queue {
    struct sst_clim_chunks chunks;
    struct sst_deflate_team *team; /* NULL: nothing is deflated */
    struct sst_deflate_chunk *batch; /* of `row` */
    struct sst_clim_row row; /* on its way, if any */
    size_t first_slot; /* of it, on the file's time axis */
    size_t n_written; /* chunks of it */
    struct sst_clim_row spare; /* memory for another row, if any */
};

/* Level and threads as in the spec. Owner: the caller, sst_clim_queue_clear, also after a failure. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_clim_queue_init(const struct sst_clim_spec *spec, struct sst_clim_queue *out,
                                                   struct sst_error *err);

/* Drops what is on its way. */
void sst_clim_queue_clear(struct sst_clim_queue *queue);

/* Memory for a row, holding anything; it is then the caller's. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_clim_queue_take(struct sst_clim_queue *queue, struct sst_clim_row *out,
                                                   struct sst_error *err);

bool sst_clim_queue_is_empty(const struct sst_clim_queue *queue);

/* Sends a full row, which the queue must be empty for, and takes it over. */
void sst_clim_queue_put(struct sst_clim_queue *queue, struct sst_clim_row *row, size_t first_slot);

/* Writes what is ready, or (wait) all that is on its way. Errors: SST_ERR_OUTPUT; the file can then only be discarded. */
SST_MUST_CHECK enum sst_status sst_clim_queue_advance(struct sst_clim_queue *queue, const struct sst_clim_store *store,
                                                      bool wait, struct sst_error *err);

/* The most bytes of rows, filled or on their way, and of the threads. */
uint64_t sst_clim_queue_bytes(const struct sst_clim_spec *spec, const int *order);

#endif
