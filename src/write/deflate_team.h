/*
 * Threads that deflate one batch of chunks in place while their owner goes on.
 *
 *   owner    start ─▶ ... its own work ... ─▶ take(0, no wait) ─▶ ... ─▶ take(n - 1, wait) ─▶ start
 *   threads          the chunks in their order, each by one thread
 *
 * The owner that waits deflates too. What comes out depends on the chunk and the level alone, never on who did it. Memory
 * is allocated and freed in the owner's thread only; the threads block all signals.
 */
#ifndef SST_WRITE_DEFLATE_TEAM_H
#define SST_WRITE_DEFLATE_TEAM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"
#include "write/deflate.h"

struct sst_deflate_team;

/* One chunk: values, and once taken the stream in their place. */
struct sst_deflate_chunk {
    void *values; /* with the room of sst_deflate_room */
    size_t n_values, value_bytes;
    size_t n_bytes; /* of the stream; the team's, to be read through sst_deflate_team_take */
};

/*
 * level, most_bytes  as for sst_deflater_create
 * n_threads          beside the owner's; where the system gives fewer, or none, the owner does more
 *
 * Owner    the caller, sst_deflate_team_destroy. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_deflate_team_create(int level, size_t most_bytes, size_t n_threads,
                                                       struct sst_deflate_team **out, struct sst_error *err);

/* Ends the threads; chunks that none has begun stay as they are. NULL is accepted. */
void sst_deflate_team_destroy(struct sst_deflate_team **team);

/* Memory of a team. [bytes] */
uint64_t sst_deflate_team_bytes(size_t most_bytes, size_t n_threads);

/* Begins a batch, borrowed until each of its chunks is taken; those of the last one must have been. */
void sst_deflate_team_start(struct sst_deflate_team *team, struct sst_deflate_chunk *chunks, size_t n_chunks);

/* Bytes of the stream of a chunk of the batch; 0 where it is not ready and the caller will not wait. */
size_t sst_deflate_team_take(struct sst_deflate_team *team, size_t index, bool wait);

#endif
