/*
 * What the sources of one level share. They are compiled once for each level, with SST_CPU_LEVEL its name and the
 * instruction set in the compiler's options; without either they are the plain loops.
 */
#ifndef SST_BACKEND_CPU_LOOPS_LEVEL_H
#define SST_BACKEND_CPU_LOOPS_LEVEL_H

#include "backend/cpu_loops.h"

#ifndef SST_CPU_LEVEL
#define SST_CPU_LEVEL plain
#endif
#define SST_CPU_JOIN(name, level) name##_##level
#define SST_CPU_JOIN_EXPANDED(name, level) SST_CPU_JOIN(name, level)
#define SST_CPU_NAME(name) SST_CPU_JOIN_EXPANDED(name, SST_CPU_LEVEL)

extern const struct sst_cpu_loops sst_cpu_loops_plain, sst_cpu_loops_avx2, sst_cpu_loops_avx512;

void SST_CPU_NAME(sst_cpu_moments_add)(struct sst_moments_view bin, const struct sst_cells *cells,
                                       const int16_t *const *hundredths, size_t n_fields, size_t begin, size_t end);
void SST_CPU_NAME(sst_cpu_moments_finish)(struct sst_moments_view window, const struct sst_moments_fit *fit,
                                          int min_samples, const struct sst_finish_out *out, size_t begin, size_t end);

#endif
