/* The only callers of the C library's allocator in this library. */
#include "core/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Memory that is walked in strides costs a look into the page tables at every step, unless pages are of this size. */
enum { HUGE_PAGE = 2 * 1024 * 1024 };

/* What may be held behind the end of an array so that its last page can be such a one: maps of 1440 x 720 need it. */
enum { MOST_BEHIND = HUGE_PAGE / 16 };

/* The bytes of an array, or those of whole pages where they are little more. */
static size_t rounded_up(size_t bytes)
{
    const size_t missing = HUGE_PAGE - bytes % HUGE_PAGE;
    return missing <= MOST_BEHIND ? bytes + missing : bytes;
}

enum sst_status sst_alloc(size_t count, size_t size, const char *what, void *out_pointer, struct sst_error *err)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - SST_ALIGNMENT)
        return sst_fail(err, SST_ERR_NOMEM, "%s: %zu x %zu bytes overflow the address space", what, count, size);
    void *memory = NULL;
    if (rounded_up(bytes) >= HUGE_PAGE) {
        SST_TRY(sst_alloc_large(count, size, what, &memory, err));
        memset(memory, 0, bytes);
    } else {
        const size_t rounded = (bytes + SST_ALIGNMENT - 1) / SST_ALIGNMENT * SST_ALIGNMENT;
        memory = aligned_alloc(SST_ALIGNMENT, rounded ? rounded : SST_ALIGNMENT);
        if (!memory)
            return sst_fail(err, SST_ERR_NOMEM, "%s: no memory for %zu bytes", what, bytes);
        memset(memory, 0, rounded ? rounded : SST_ALIGNMENT);
    }
    memcpy(out_pointer, &memory, sizeof memory);
    return SST_OK;
}

enum sst_status sst_alloc_large(size_t count, size_t size, const char *what, void *out_pointer, struct sst_error *err)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - HUGE_PAGE)
        return sst_fail(err, SST_ERR_NOMEM, "%s: %zu x %zu bytes overflow the address space", what, count, size);
    const size_t held = rounded_up(bytes), alignment = held < HUGE_PAGE ? SST_ALIGNMENT : HUGE_PAGE;
    void *memory =
        NULL; /* not of aligned_alloc, whose sizes are whole alignments: too much may be held behind the end */
    if (posix_memalign(&memory, alignment, held > 0 ? held : 1) != 0)
        return sst_fail(err, SST_ERR_NOMEM, "%s: no memory for %zu bytes", what, bytes);
#ifdef MADV_HUGEPAGE
    if (alignment == HUGE_PAGE)
        /* Whole ones, so that no more is held. Advice: where it is not taken, all is well but slower. */
        (void)madvise(memory, held / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    memcpy(out_pointer, &memory, sizeof memory);
    return SST_OK;
}

enum sst_status sst_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size, const char *what,
                         struct sst_error *err)
{
    if (needed <= *capacity)
        return SST_OK;
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted < needed)
        wanted = wanted > SIZE_MAX / 2 ? needed : 2 * wanted;
    size_t bytes = 0;
    if (__builtin_mul_overflow(wanted, size, &bytes))
        return sst_fail(err, SST_ERR_NOMEM, "%s: %zu x %zu bytes overflow the address space", what, wanted, size);
    void *old = NULL;
    memcpy(&old, array_pointer, sizeof old);
    void *grown = realloc(old, bytes);
    if (!grown)
        return sst_fail(err, SST_ERR_NOMEM, "%s: no memory for %zu bytes", what, bytes);
    memcpy(array_pointer, &grown, sizeof grown);
    *capacity = wanted;
    return SST_OK;
}

enum sst_status sst_extend(void *array_pointer, size_t old_count, size_t new_count, size_t size, const char *what,
                           struct sst_error *err)
{
    void *old = NULL, *longer = NULL;
    memcpy(&old, array_pointer, sizeof old);
    SST_TRY(sst_alloc(new_count, size, what, &longer, err));
    if (old)
        memcpy(longer, old, old_count * size);
    memcpy(array_pointer, &longer, sizeof longer);
    free(old);
    return SST_OK;
}

enum sst_status sst_strdup(const char *text, char **out, struct sst_error *err)
{
    char *copy = strdup(text);
    if (!copy)
        return sst_fail(err, SST_ERR_NOMEM, "no memory for a text of %zu bytes", strlen(text));
    *out = copy;
    return SST_OK;
}

enum sst_status sst_asprintf(char **out, struct sst_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    if (!text)
        return sst_fail(err, SST_ERR_NOMEM, "no memory for a text of %d bytes", length);
    *out = text;
    return SST_OK;
}

void sst_free(void *memory) { free(memory); }
