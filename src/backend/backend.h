/*
 * Where loops over cells run. One table row per backend; a backend knows no statistics of its own: its loops call the
 * per-cell functions of kernels/.
 */
#ifndef SST_BACKEND_BACKEND_H
#define SST_BACKEND_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "core/estimator.h"
#include "core/field.h"
#include "core/status.h"

/* Planes of the moments estimator, in the order of its table; n_cells items each. */
struct sst_moments_view {
    uint16_t *n;
    int32_t *s1; /* [0.01 degC] */
    int64_t *s2, *s3, *s4;
};

/* Where finished values go; n_cells items each, NaN where there are too few observations. */
struct sst_finish_out {
    double *mean; /* [degC] */
    double *const *quantile; /* [degC] n_percentiles arrays */
    uint8_t *guarded; /* 1 where the estimate is near the moment boundary; NULL where not wanted */
};

/* The rank of each percentile in a sorted sample; see kernels/cell_quantile.h. */
struct sst_quantile_args {
    const double *p; /* 0..1 */
    size_t n_percentiles;
    int type; /* Hyndman-Fan 1..9 */
    struct sst_lattice lattice;
    int min_samples;
};

/* How moments become percentiles. */
enum sst_fit_kind { SST_FIT_CF, SST_FIT_MAXENT };

struct sst_moments_fit {
    enum sst_fit_kind kind;
    size_t n_percentiles;
    const double *z; /* SST_FIT_CF: the standard normal quantile of each percentile */
    const float *const *table; /* SST_FIT_MAXENT: the table of each percentile; see kernels/cell_maxent.h */
    const float *v_limit; /* SST_FIT_MAXENT */
};

struct sst_backend {
    const char *name;

    /* Adds one day field to the moments of a bin. */
    void (*moments_add_field)(struct sst_moments_view bin, const int16_t *hundredths, size_t n_cells);

    /* Adds a plane of 0/1 marks to a u16 plane. */
    void (*count_add_field)(uint16_t *count, const uint8_t *marks, size_t n_cells);

    /* target += source, target -= source, for a SUM plane of any type. */
    void (*plane_add)(void *target, const void *source, enum sst_plane_type type, size_t n_cells);
    void (*plane_subtract)(void *target, const void *source, enum sst_plane_type type, size_t n_cells);

    /* Mean and fitted percentiles of a window. */
    void (*moments_finish)(struct sst_moments_view window, const struct sst_moments_fit *fit, int min_samples,
                           const struct sst_finish_out *out, size_t n_cells);

    /*
     * Mean, count and exact percentiles of a pool of raw fields: `members` arrays of n_cells codes.
     * n_obs may be NULL. Errors: SST_ERR_NOMEM (scratch of a few hundred KB a thread).
     */
    enum sst_status (*exact_finish)(const int16_t *const *members, size_t n_members,
                                    const struct sst_quantile_args *args, const struct sst_finish_out *out,
                                    uint16_t *n_obs, size_t n_cells, struct sst_error *err);

    /* Mean over members, cell by cell, of the values that are not NaN; NaN where fewer than half of them are. */
    void (*mean_of)(const double *const *members, size_t n_members, double *out, size_t n_cells);
};

/* The CPU backend; n_threads 0 = what OpenMP chooses. Never NULL. */
const struct sst_backend *sst_backend_cpu(void);
void sst_backend_cpu_set_threads(int n_threads);

#endif
