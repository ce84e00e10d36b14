/*
 * The arithmetic that ceilings are made of: chains of operations on values that stay in registers, eight of them side by side,
 * so that the rate and not the delay of one operation is seen.
 */
#ifndef SST_BENCH_CEILINGS_H
#define SST_BENCH_CEILINGS_H

#include "kernels/portable.h"

/* Chains side by side, and operations of a step on each of them. */
enum { CEILING_CHAINS = 8, CEILING_STEP_OPS = 2 };

/* A product and a sum: what moments and their finish are made of. */
SST_FN void ceiling_step_fp64(double x[CEILING_CHAINS], double by)
{
    for (int i = 0; i < CEILING_CHAINS; ++i)
        x[i] = x[i] * by + 1.0;
}

SST_FN void ceiling_step_int32(uint32_t x[CEILING_CHAINS], uint32_t by)
{
    for (int i = 0; i < CEILING_CHAINS; ++i)
        x[i] = x[i] * by + 1U;
}

#endif
