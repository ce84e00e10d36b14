/* Memory: sizes are multiplied here, with an overflow check, and nowhere else. */
#ifndef SST_CORE_MEM_H
#define SST_CORE_MEM_H

#include <stddef.h>

#include "core/status.h"

/* A cache line, and a whole vector of the widest instruction set in use. */
enum { SST_ALIGNMENT = 64 };

/*
 * Zeroed memory for `count` items of `size` bytes, aligned to SST_ALIGNMENT; from 2 MB on in huge pages where the system has
 * them.
 *
 * Owner    the caller; free with sst_free. `*out` is untouched on failure. A count of 0 gives a valid pointer.
 * Errors   SST_ERR_NOMEM, with `what` and the bytes wanted in the message.
 */
SST_MUST_CHECK enum sst_status sst_alloc(size_t count, size_t size, const char *what, void *out_pointer,
                                         struct sst_error *err);

/*
 * As sst_alloc, but what is in it is not known: for arrays that are written before they are read.
 */
SST_MUST_CHECK enum sst_status sst_alloc_large(size_t count, size_t size, const char *what, void *out_pointer,
                                               struct sst_error *err);

/*
 * Grows an array to hold at least `needed` items, doubling; what is new is not zeroed.
 *
 * array     address of the pointer, NULL at first; capacity counts items.
 * Errors    SST_ERR_NOMEM; the array is as before.
 */
SST_MUST_CHECK enum sst_status sst_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size,
                                        const char *what, struct sst_error *err);

/*
 * Moves an array of old_count items to a place with room for new_count, which is not less; what is new is zero. For arrays
 * that sst_alloc made.
 *
 * Errors   SST_ERR_NOMEM; the array is as before.
 */
SST_MUST_CHECK enum sst_status sst_extend(void *array_pointer, size_t old_count, size_t new_count, size_t size,
                                          const char *what, struct sst_error *err);

/* A copy of a text. Owner: the caller, sst_free. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_strdup(const char *text, char **out, struct sst_error *err);

/* Text made by printf rules. Owner: the caller, sst_free. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_asprintf(char **out, struct sst_error *err, const char *format, ...)
    SST_PRINTF(3, 4);

/* Frees what sst_alloc, sst_alloc_large, sst_grow, sst_strdup and sst_asprintf gave; NULL is accepted. */
void sst_free(void *memory);

#endif
