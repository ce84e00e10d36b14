/*
 * How a failure travels: a status as return value, a text in the caller's struct sst_error.
 *
 * SST_TRY returns at once and is for functions that own nothing yet; SST_TRY_GOTO sets `rc` and jumps to `done:`.
 */
#ifndef SST_CORE_STATUS_H
#define SST_CORE_STATUS_H

#include <stdbool.h>

#include "sststream/sststream.h"

#define SST_MUST_CHECK __attribute__((warn_unused_result))
#define SST_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

#define SST_TRY(call)                                                                                                  \
    do {                                                                                                               \
        const enum sst_status try_ = (call);                                                                           \
        if (try_ != SST_OK)                                                                                            \
            return try_;                                                                                               \
    } while (0)

#define SST_TRY_GOTO(call)                                                                                             \
    do {                                                                                                               \
        rc = (call);                                                                                                   \
        if (rc != SST_OK)                                                                                              \
            goto done;                                                                                                 \
    } while (0)

/* Fills `err` (if not NULL and still empty) and returns `code`, so that `return sst_fail(...)` reads well. */
enum sst_status sst_fail(struct sst_error *err, enum sst_status code, const char *format, ...) SST_PRINTF(3, 4);

/* Puts "context: " before the text of a failure that a callee reported. Does nothing where err is NULL or empty. */
void sst_error_prefix(struct sst_error *err, const char *format, ...) SST_PRINTF(2, 3);

/* Failures that are no fault of an input: the run cannot go on. */
static inline bool sst_status_is_of_the_run(enum sst_status code)
{
    return code == SST_ERR_NOMEM || code == SST_ERR_INTERRUPTED || code == SST_ERR_INTERNAL || code == SST_ERR_DEVICE;
}

/* Forgets a failure that was dealt with. */
void sst_error_clear(struct sst_error *err);

#endif
