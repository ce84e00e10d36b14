/*
 * The bytes that the library holds: its calls of the allocator go through functions of the test (--wrap, see
 * tests/CMakeLists.txt). One thread at a time.
 */
#ifndef TESTS_COUNTED_MEMORY_H
#define TESTS_COUNTED_MEMORY_H

#include <stddef.h>

/* Counts anew: nothing is held, and the most that was held is nothing. */
void counted_memory_begin(void);

/* The most bytes that were held at a time since then, and those that still are. Ends the counting. */
size_t counted_memory_end(size_t *still_held);

#endif
