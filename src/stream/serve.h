/*
 * What reader processes do for the run: open a file and tell what it holds, or decode steps of one into their slot.
 *
 *   slot of a scan     the bytes of stream/scan_wire.h
 *   slot of steps      [ step 0 | step 1 | ... ][ codes 0 · ice 0 ][ codes 1 · ice 1 ] ...     each part on a cache line;
 *                      where they are wanted, values in degC follow the ice of each step
 */
#ifndef SST_STREAM_SERVE_H
#define SST_STREAM_SERVE_H

#include "stream/crew.h"
#include "stream/scan_wire.h"
#include "stream/step_files.h"

extern const struct sst_crew_service sst_serve;

/* A reader whose file makes it take more memory than this beside the ring is hurt by it. [bytes] */
#define SST_READER_BYTES ((uint64_t)1 << 30)

/* The same where fields of a grid are decoded, which on large grids need more than that. */
uint64_t sst_serve_memory_bytes(const struct sst_grid *grid);

/* What readers are started with: options of decoding; for steps also the domain and all else of a struct sst_step_setup. */
struct sst_serve_setup {
    struct sst_step_setup steps; /* domain NULL: only scans will be asked for */
    size_t keys_per_slot; /* steps that a slot has room for */
};

/* As bytes. Owner of *out: the caller, sst_free. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_serve_pack(const struct sst_serve_setup *setup, void **out, size_t *n_bytes,
                                              struct sst_error *err);

/* What a slot of steps has room for. */
struct sst_serve_layout {
    size_t n_cells, keys_per_slot;
    bool has_degc; /* float32 values beside the codes */
};

/* Bytes of a slot: for a scan of any file, and for steps. */
size_t sst_serve_scan_slot_bytes(void);
size_t sst_serve_slot_bytes(const struct sst_serve_layout *layout);

/* Requests, into SST_CREW_MAX_REQUEST bytes; return their size, 0 where they do not fit (a path that is too long). */
size_t sst_serve_scan_request(const char *path, void *out);
size_t sst_serve_steps_request(const struct sst_step_file *file, const struct sst_step_key *keys, size_t n_keys,
                               void *out);
/* Keys that a request has room for at least: a year, since what is left of a chunk is unpacked once more when it is asked for. */
enum { SST_SERVE_MAX_KEYS = 512 };

/* What comes back beside the slot. */
struct sst_serve_reply {
    size_t n_bytes; /* of a scan */
    char reading[SST_STEP_READING_SIZE]; /* of steps */
    struct sst_timings timings; /* of this task */
};

/* False where the reply is none. */
bool sst_serve_take_reply(const struct sst_crew_result *result, struct sst_serve_reply *out);

/* One step in a slot. */
struct sst_serve_step {
    bool is_decoded; /* the first of a task always is, where the task did not fail */
    struct sst_step_outcome outcome;
    struct sst_step_values values;
};
struct sst_serve_step sst_serve_step_in(const struct sst_serve_layout *layout, void *slot, size_t key);

/*
 * The reason why a task gave nothing, in words that follow "path: ". Never SST_OK, and not SST_ERR_NOMEM: what a reader has not
 * got room for is the file's fault. A task that went well, whatever the caller misses in it, "gave nonsense".
 */
enum sst_status sst_serve_fail(const struct sst_crew_result *result, const char *path, double task_seconds,
                               struct sst_error *err);

#endif
