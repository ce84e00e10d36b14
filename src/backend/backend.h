/*
 * Where loops over cells run. One table row per backend; a backend knows no statistics of its own: its loops call the
 * per-cell functions of kernels/.
 */
#ifndef SST_BACKEND_BACKEND_H
#define SST_BACKEND_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include "core/cells.h"
#include "core/estimator.h"
#include "core/field.h"
#include "core/kept.h"
#include "core/shape.h"
#include "core/status.h"

/* Fields that are added at a time, at most. */
enum { SST_MAX_BATCH = 8 };

/* Planes of the moments estimator, in the order of its table; n_cells items each. */
struct sst_moments_view {
    uint16_t *n;
    int32_t *s1; /* [0.01 degC] */
    int64_t *s2, *s3, *s4;
};

/* Planes of the tail estimator; a list of length k is k planes of n_cells items, the greatest values first. */
struct sst_tail_view {
    uint16_t *n;
    int32_t *s1; /* [0.01 degC] */
    int16_t *top; /* codes */
    int16_t *bottom; /* negated codes */
    size_t k_top, k_bottom; /* 0 where there is no such list */
};

/* The bins of a pool, and the sums over them. */
struct sst_tail_pool {
    const struct sst_tail_view *bins;
    size_t n_bins;
    const uint16_t *n;
    const int32_t *s1; /* [0.01 degC] */
};

/* Where finished values go; n_cells items each, NaN where there are too few observations. */
struct sst_finish_out {
    double *mean; /* [degC]; NULL where exact_finish is not to give it */
    double *const *quantile; /* [degC] n_percentiles arrays */
    int16_t *const *found; /* codes: what selection found, see below; NULL where not wanted */
    uint16_t *n_obs; /* of exact_finish; NULL where not wanted */
    uint8_t *guarded; /* of moments_finish: 1 where the estimate is near the moment boundary */
    struct sst_shape shape; /* of moments_finish; all NULL where not wanted */
};

/* The rank of each percentile in a sorted sample; see kernels/cell_quantile.h. */
struct sst_quantile_args {
    const double *p; /* 0..1 */
    size_t n_percentiles;
    int type; /* Hyndman-Fan 1..9 */
    struct sst_lattice lattice;
    int min_samples;
};

/*
 * Where tail values go; n_cells items each, NaN where there are too few observations. A value and its bound are equal where
 * it is certified. Else the exact percentile lies between them: the value is the bound on the side of the centre (for high
 * percentiles the lower), infinite where the lists hold too few values to prove any there.
 */
struct sst_tail_out {
    double *mean; /* [degC] */
    double *const *quantile, *const *bound; /* [degC] n_percentiles arrays each */
    int16_t *const *found; /* codes: what selection found, see below; NULL where not wanted */
    uint8_t *uncertified; /* 1 where some percentile is not certified */
};

/*
 * Selection among codes begins at what it found in an earlier pool of the same cells, which a day later is nearly right.
 * `found` has n_percentiles arrays of n_cells codes, which go in as they came out: SST_CODE_MISSING at first, left as they
 * are where the pool is empty. Right or wrong, they change no value, only how soon it is found.
 */

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

    /* Adds day fields, which are in domain order, to the moments of a bin, which has cells->n_places. */
    void (*moments_add_fields)(struct sst_moments_view bin, const struct sst_cells *cells,
                               const int16_t *const *hundredths, size_t n_fields);

    /* Adds planes of 0/1 marks, in domain order, to a u16 plane. */
    void (*count_add_fields)(uint16_t *count, const struct sst_cells *cells, const uint8_t *const *marks,
                             size_t n_fields);

    /* target += source, target -= source, for a SUM plane of any type. */
    void (*plane_add)(void *target, const void *source, enum sst_plane_type type, size_t n_cells);
    void (*plane_subtract)(void *target, const void *source, enum sst_plane_type type, size_t n_cells);

    /* Mean and fitted percentiles of a window. */
    void (*moments_finish)(struct sst_moments_view window, const struct sst_moments_fit *fit, int min_samples,
                           const struct sst_finish_out *out, size_t n_cells);

    /*
     * Writes day fields, which are in domain order, as the last n_fields members of `kept`, which has all cells->n_places,
     * and adds them to its sums, which begin with its first member.
     */
    void (*exact_add_fields)(const struct sst_kept *kept, const struct sst_cells *cells,
                             const struct sst_field *const *fields, size_t n_fields);

    /*
     * Mean, count and exact percentiles of a pool of kept values: n_kept terms of n_cells places.
     * Errors: SST_ERR_NOMEM (scratch of a few KB a thread).
     */
    enum sst_status (*exact_finish)(const struct sst_kept *kept, size_t n_kept, const struct sst_quantile_args *args,
                                    const struct sst_finish_out *out, size_t n_cells, struct sst_error *err);

    /* Adds day fields, which are in domain order, to a bin of lists, which has cells->n_places. */
    void (*tail_add_fields)(struct sst_tail_view bin, const struct sst_cells *cells,
                            const struct sst_field *const *fields, size_t n_fields);

    /* Inserts every value of a TOP list of k planes into another. */
    void (*tail_merge)(int16_t *target, const int16_t *source, size_t k, size_t n_cells);

    /* Mean and percentiles of a pool of lists, each certified or with bounds. Errors: SST_ERR_NOMEM (scratch). */
    enum sst_status (*tail_finish)(const struct sst_tail_pool *pool, const struct sst_quantile_args *args,
                                   const struct sst_tail_out *out, size_t n_cells, struct sst_error *err);

    /* Mean over members, cell by cell, of the values that are not NaN; NaN where fewer than half of them are. */
    void (*mean_of)(const double *const *members, size_t n_members, double *out, size_t n_cells);
};

/* The CPU backend; n_threads 0 = what OpenMP chooses. Never NULL. */
const struct sst_backend *sst_backend_cpu(void);
void sst_backend_cpu_set_threads(int n_threads);

/* What runs there: "cpu (plain)", "cpu (AVX2)" or "cpu (AVX-512)". */
const char *sst_backend_cpu_name(void);

#endif
