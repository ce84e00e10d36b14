/*
 * The CPU backend's inner loops, compiled once for each instruction set, and the choice between them at run time. All sets
 * give the same bits. None of the loops has threads of its own: they work on the cells begin .. end - 1 of what is given.
 */
#ifndef SST_BACKEND_CPU_LOOPS_H
#define SST_BACKEND_CPU_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"

/* Each has all that the ones before it have. AVX512: F, BW, DQ, VL and IFMA. */
enum sst_cpu_level { SST_CPU_PLAIN, SST_CPU_AVX2, SST_CPU_AVX512 };
enum { SST_N_CPU_LEVELS = SST_CPU_AVX512 + 1 };

struct sst_cpu_loops {
    /* At most SST_MAX_BATCH fields; begin and end are multiples of cells->width. */
    void (*moments_add)(struct sst_moments_view bin, const struct sst_cells *cells, const int16_t *const *hundredths,
                        size_t n_fields, size_t begin, size_t end);
    void (*count_add)(uint16_t *count, const struct sst_cells *cells, const uint8_t *const *marks, size_t n_fields,
                      size_t begin, size_t end);

    /* Unsigned, so that a window may pass through wrapped values. */
    void (*plane_add)(void *target, const void *source, enum sst_plane_type type, size_t begin, size_t end);
    void (*plane_subtract)(void *target, const void *source, enum sst_plane_type type, size_t begin, size_t end);

    void (*moments_finish)(struct sst_moments_view window, const struct sst_moments_fit *fit, int min_samples,
                           const struct sst_finish_out *out, size_t begin, size_t end);
    void (*mean_of)(const double *const *members, size_t n_members, double *out, size_t begin, size_t end);
};

/* The best level that this processor and this build have. */
enum sst_cpu_level sst_cpu_best(void);

/* The loops of a level that is at most the best one. Never NULL. */
const struct sst_cpu_loops *sst_cpu_loops_of(enum sst_cpu_level level);

/* The loops that the backend runs: of the best level within sst_backend_cpu_limit. Never NULL. */
const struct sst_cpu_loops *sst_cpu_loops_chosen(void);

/* Hides the levels above, for tests and measurements. Not while loops run. */
void sst_backend_cpu_limit(enum sst_cpu_level most);

#endif
