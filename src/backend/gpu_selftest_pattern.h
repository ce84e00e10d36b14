/* What the self-test computes, by the CPU backend: fields, bins, pools, and the results that devices must give too. */
#ifndef SST_BACKEND_GPU_SELFTEST_PATTERN_H
#define SST_BACKEND_GPU_SELFTEST_PATTERN_H

#include "backend/gpu.h"

enum {
    SST_PATTERN_DOMAIN = 267, /* cells: the last block is not whole */
    SST_PATTERN_MOST_YEARS = 40,
    SST_PATTERN_WINDOW = 11,
    SST_PATTERN_POOLS = 12, /* more than a window of them, so that they are sorted */
    SST_PATTERN_BINS = SST_PATTERN_WINDOW + SST_PATTERN_POOLS - 1,
    SST_PATTERN_PERCENTILES = 3,
    SST_PATTERN_MIN_SAMPLES = 20
};

/* What trials differ in. */
struct sst_pattern_shape {
    enum sst_lattice_kind lattice; /* on the MILLI lattice codes and hundredths are two arrays */
    size_t n_years; /* fields of a bin, at most SST_PATTERN_MOST_YEARS; sorted forms are built for numbers of them */
    size_t k_top, k_bottom; /* lengths of lists */
    bool is_plain; /* one percentile and no shape, as runs mostly ask: moments have kernels of their own for it */
};

/* What is asked of both backends. */
struct sst_pattern {
    struct sst_pattern_shape of;
    size_t n_fields;
    struct sst_cells cells;
    struct sst_field *fields; /* field y of bin b is number b * of.n_years + y */
    int16_t *codes, *hundredths; /* of all fields; the same memory on the CENTI lattice */
    void *code_memory; /* whole pages of it, from codes on, hold nothing but the codes */
    size_t n_block_bytes; /* of those pages */
    uint8_t *ice;
    double z[SST_PATTERN_PERCENTILES];
    uint8_t is_low[SST_PATTERN_PERCENTILES];
    float *table; /* of the maxent kernel: numbers of the right size, and v_limit behind them */
    const float *tables[SST_PATTERN_PERCENTILES];
    struct sst_moments_fit fit;
    struct sst_quantile_args args;
    size_t bins[SST_PATTERN_BINS];
    struct sst_gpu_pool pools[SST_PATTERN_POOLS];
};

/* What is asked of quantiles. */
struct sst_quantile_args sst_pattern_args(const struct sst_pattern_shape *of);

/* Owner: the caller; sst_pattern_clear, which accepts what is zeroed or failed. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_pattern_init(struct sst_pattern *pattern, const struct sst_pattern_shape *of,
                                                struct sst_error *err);
void sst_pattern_clear(struct sst_pattern *pattern);

/* Results of all pools, in one block of memory, so that two of them can be compared at a stroke. */
struct sst_pattern_results {
    unsigned char *memory;
    size_t n_bytes;
    double *quantile[SST_PATTERN_POOLS][SST_PATTERN_PERCENTILES], *bound[SST_PATTERN_POOLS][SST_PATTERN_PERCENTILES];
    struct sst_gpu_result pools[SST_PATTERN_POOLS];
};

/* Owner: the caller; sst_free(memory). Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_pattern_results_init(struct sst_pattern_results *results,
                                                        const struct sst_pattern *pattern, enum sst_gpu_store store,
                                                        struct sst_error *err);

/* What the CPU backend makes of the pattern. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_pattern_compute(const struct sst_pattern *pattern, enum sst_gpu_store store,
                                                   const struct sst_pattern_results *out, struct sst_error *err);

#endif
