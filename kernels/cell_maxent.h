/*
 * Percentile of the distribution of greatest entropy that has a cell's mean, variance, skewness and kurtosis, looked up in
 * tables that tools/maxent_table.c makes in the build. Only + - * / here: the same bits on every device.
 *
 * Source   Jaynes 1957, Physical Review 106(4), 620-630: of all densities with given moments, exp of a polynomial.
 */
#ifndef SST_KERNELS_CELL_MAXENT_H
#define SST_KERNELS_CELL_MAXENT_H

#include "cell_moments.h"
#include "cell_shape.h"

/* Half-width of the support, in standard deviations; beyond it lies no value of a pool of a few hundred, save outliers. */
#define CELL_MAXENT_SUPPORT 4.5

/*
 * A table has a row for each skewness, and in each row a column for each u = v / (v + CELL_MAXENT_HALF), equally spaced;
 * v = kurt - skew^2 + 2 is the distance from the moment boundary: 0 for two points, 2 for the normal distribution. Rows
 * count up with skewness from -CELL_MAXENT_MAX_SKEW, columns with u from that of CELL_MAXENT_MIN_V.
 */
enum { CELL_MAXENT_N_SKEW = 57, CELL_MAXENT_N_U = 49 };
#define CELL_MAXENT_MAX_SKEW 3.5
#define CELL_MAXENT_MIN_V 0.1
#define CELL_MAXENT_MAX_V 6.0
#define CELL_MAXENT_HALF 1.0 /* the v at u = 1/2 */

/* Percentiles that have a table. */
#define CELL_MAXENT_PERCENTILES(X) X(5) X(10) X(90) X(95)

/* Where a shape lies in the tables. */
struct cell_maxent_place {
    int32_t row, col; /* of the corner of least skewness and u; row + 1 and col + 1 exist */
    double row_share, col_share; /* way to the next row and column, 0..1 */
    int is_guarded;
};

SST_FN double cell_maxent_u(double v) { return v / (v + CELL_MAXENT_HALF); }

SST_FN double cell_maxent_clamp(double x, double least, double most)
{
    return x > least ? (x < most ? x : most) : least;
}

/*
 * Place of a shape whose sd is not 0. Guarded is what lies outside the table, where the edge stands in for it, or farther
 * from the moment boundary than v_limit (one number a row) allows for its skewness: there the density would make up for
 * the missing tail by a lump at an end of the support.
 */
SST_FN struct cell_maxent_place cell_maxent_place_of(struct cell_shape shape, const float *v_limit)
{
    const double v = shape.kurt - shape.skew * shape.skew + 2.0;
    const double skew = cell_maxent_clamp(shape.skew, -CELL_MAXENT_MAX_SKEW, CELL_MAXENT_MAX_SKEW);
    const double least_u = cell_maxent_u(CELL_MAXENT_MIN_V), most_u = cell_maxent_u(CELL_MAXENT_MAX_V);
    const double inside = cell_maxent_clamp(v, CELL_MAXENT_MIN_V, CELL_MAXENT_MAX_V);
#ifdef __cplusplus
    const double u = cell_quotient(inside, inside + CELL_MAXENT_HALF);
#else
    const double u = cell_maxent_u(inside);
#endif
    const double row =
        (skew + CELL_MAXENT_MAX_SKEW) * ((double)(CELL_MAXENT_N_SKEW - 1) / (2.0 * CELL_MAXENT_MAX_SKEW));
    const double col = cell_maxent_clamp((u - least_u) * ((double)(CELL_MAXENT_N_U - 1) / (most_u - least_u)), 0.0,
                                         (double)(CELL_MAXENT_N_U - 1));
    struct cell_maxent_place place;
    place.row = row < (double)(CELL_MAXENT_N_SKEW - 2) ? (int32_t)row : CELL_MAXENT_N_SKEW - 2;
    place.col = col < (double)(CELL_MAXENT_N_U - 2) ? (int32_t)col : CELL_MAXENT_N_U - 2;
    place.row_share = row - (double)place.row;
    place.col_share = col - (double)place.col;
    const double limit =
        (double)v_limit[place.row] * (1.0 - place.row_share) + (double)v_limit[place.row + 1] * place.row_share;
    place.is_guarded = !(skew == shape.skew && v >= CELL_MAXENT_MIN_V && v <= limit);
    return place;
}

/* Bilinear between the four corners. [sd] */
SST_FN double cell_maxent_standard_quantile(struct cell_maxent_place place, const float *table)
{
    const float *corner = table + place.row * CELL_MAXENT_N_U + place.col;
    const double h = place.col_share, g = place.row_share;
    const double low = (double)corner[0] * (1.0 - h) + (double)corner[1] * h;
    const double high = (double)corner[CELL_MAXENT_N_U] * (1.0 - h) + (double)corner[CELL_MAXENT_N_U + 1] * h;
    return low * (1.0 - g) + high * g;
}

/* Quantile in hundredths, from the table of its percentile; the mean where nothing varies. */
SST_FN double cell_maxent_quantile(struct cell_shape shape, struct cell_maxent_place place, const float *table)
{
    return shape.sd == 0.0 ? shape.mean : shape.mean + shape.sd * cell_maxent_standard_quantile(place, table);
}

#endif
