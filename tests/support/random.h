/* A fixed, portable source of test numbers: splitmix64. */
#ifndef SST_TEST_RANDOM_H
#define SST_TEST_RANDOM_H

#include <stdint.h>

struct test_random {
    uint64_t state;
};

static inline uint64_t test_random_next(struct test_random *random)
{
    uint64_t z = (random->state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/* A whole number of 0 .. n-1. */
static inline int test_random_below(struct test_random *random, int n)
{
    return (int)(test_random_next(random) % (uint64_t)n);
}

#endif
