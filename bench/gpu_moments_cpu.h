/* The case of gpu_moments on the host: made-up fields, and bins and windows of them by the CPU backend. */
#ifndef SST_BENCH_GPU_MOMENTS_CPU_H
#define SST_BENCH_GPU_MOMENTS_CPU_H

#include <stdbool.h>

#include "backend/backend.h"
#include "kernels/cell_maxent.h"
#include "window_steps.h"

enum { MOMENTS_BIN_BYTES = 30, MOMENTS_MIN_SAMPLES = 100 };
enum { MOMENTS_PERCENTILES = 2 }; /* 90 and 10 */
#define MOMENTS_Z90 1.2815515655446004
#define MOMENTS_Z10 (-MOMENTS_Z90)

struct moments_case {
    struct sst_cells cells;
    uint32_t *block_at; /* of every place's block; UINT32_MAX where none is given */
    size_t n_bins, n_years, n_fields, stride;
    int16_t *codes; /* field bin * n_years + year */
    unsigned char *bins;
};

/* Of n_pools * n_places items each. */
struct moments_results {
    double *mean, *quantile[MOMENTS_PERCENTILES];
    float *sd, *skew, *kurt;
    uint16_t *n_obs;
    uint8_t *mark;
};

/* Land is a share of the blocks, in percent. Owner: the caller; moments_case_close. NULL where memory is short. */
struct moments_case *moments_case_open(size_t n_domain, size_t n_bins, size_t n_years, int land);
void moments_case_close(struct moments_case *host);

struct sst_moments_view moments_case_bin(const struct moments_case *host, size_t bin);
void moments_case_empty(struct moments_case *host);

/* Adds the first n fields of each bin to it. */
void moments_case_add(struct moments_case *host, size_t n);

/* Mean, percentiles and shape of all pools. Owner: the caller; moments_results_clear. */
struct moments_results moments_case_window(const struct moments_case *host, const struct window_steps *way,
                                           bool is_maxent);
void moments_results_clear(struct moments_results results);

/* Of a percentile; see kernels/cell_maxent.h. */
const float *moments_table(int percentile);
const float *moments_v_limit(void);

#endif
