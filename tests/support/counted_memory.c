/* Counts what allocations really take; memory that was there before the counting began does not count when it goes. */
#include "counted_memory.h"

#include <stdbool.h>
#include <stdlib.h>

enum { MAX_LIVE = 1 << 16 };

static const void *live[MAX_LIVE];
static size_t sizes[MAX_LIVE];
static size_t n_live, held, most_held;
static bool is_counting;

void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
void __wrap_free(void *memory);

static void *count(void *memory, size_t size)
{
    if (!is_counting || !memory)
        return memory;
    if (n_live == MAX_LIVE)
        abort();
    live[n_live] = memory;
    sizes[n_live++] = size;
    held += size;
    most_held = held > most_held ? held : most_held;
    return memory;
}

static void forget(const void *memory)
{
    for (size_t i = n_live; i-- > 0;) {
        if (live[i] != memory)
            continue;
        held -= sizes[i];
        live[i] = live[--n_live];
        sizes[i] = sizes[n_live];
        return;
    }
}

void *__wrap_malloc(size_t size) { return count(__real_malloc(size), size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return count(__real_aligned_alloc(alignment, size), size); }

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    const int code = __real_posix_memalign(out, alignment, size);
    if (code == 0)
        (void)count(*out, size);
    return code;
}

void *__wrap_realloc(void *old, size_t size)
{
    void *memory = __real_realloc(old, size);
    if (memory)
        forget(old);
    return count(memory, size);
}

void __wrap_free(void *memory)
{
    if (is_counting && memory)
        forget(memory);
    __real_free(memory);
}

void counted_memory_begin(void)
{
    n_live = held = most_held = 0;
    is_counting = true;
}

size_t counted_memory_end(size_t *still_held)
{
    is_counting = false;
    *still_held = held;
    return most_held;
}
