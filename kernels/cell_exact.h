/*
 * A cell's mean and percentile [degC] from whole numbers: the codes' sum and count, and two order statistics. The bits are
 * those of the plain formulas of core/field.h and cell_quantile.h, whose divisions by numbers that seldom change are done
 * by their reciprocals (cell_divide.h).
 */
#ifndef SST_KERNELS_CELL_EXACT_H
#define SST_KERNELS_CELL_EXACT_H

#include "cell_divide.h"
#include "cell_quantile.h"

/* A lattice (core/field.h) with the reciprocal that its divisions take. */
struct cell_exact_lattice {
    double steps_per_degree, reference_steps, degrees_per_step;
};

SST_FN struct cell_exact_lattice cell_exact_lattice_of(double steps_per_degree, double reference_steps)
{
    struct cell_exact_lattice lattice;
    lattice.steps_per_degree = steps_per_degree;
    lattice.reference_steps = reference_steps;
    lattice.degrees_per_step = 1.0 / steps_per_degree;
    return lattice;
}

/* Mean [degC] of n > 0 codes; per_n = 1.0 / n. */
SST_FN double cell_exact_mean(struct cell_exact_lattice lattice, int32_t sum, int32_t n, double per_n)
{
    const double mean = cell_divide_by_inverse((double)sum, (double)n, per_n) + lattice.reference_steps;
    return cell_divide_by_inverse(mean, lattice.steps_per_degree, lattice.degrees_per_step);
}

/* Order statistics k and k + 1, mixed. [degC] */
SST_FN double cell_exact_quantile(struct cell_exact_lattice lattice, int32_t value, int32_t next, double g)
{
    const double a = (double)value + lattice.reference_steps, b = (double)next + lattice.reference_steps;
    return cell_quantile_mix(cell_divide_by_inverse(a, lattice.steps_per_degree, lattice.degrees_per_step),
                             cell_divide_by_inverse(b, lattice.steps_per_degree, lattice.degrees_per_step), g);
}

#endif
