/* Value by value. */
#include "plain_code.h"

#include <float.h>
#include <math.h>

int16_t plain_code(const struct plain_packing *packing, double stored)
{
    const struct sst_lattice lattice = sst_lattice_of(packing->lattice);
    if (isnan(stored) || isinf(stored) || stored < packing->valid_min || stored > packing->valid_max)
        return SST_CODE_MISSING;
    for (size_t i = 0; i < packing->n_fills; ++i)
        if (stored == packing->fills[i])
            return SST_CODE_MISSING;
    if (packing->valid_min > packing->valid_max)
        return SST_CODE_MISSING;
    const double degc = (stored * packing->scale + packing->offset) * 1.0 + packing->intercept;
    const double nearest = nearbyint(degc * lattice.steps_per_degree);
    const bool is_plausible = nearest / lattice.steps_per_degree >= -5.0 && nearest / lattice.steps_per_degree <= 50.0;
    const double code = nearest - lattice.reference_steps;
    if (is_plausible && code >= SST_DECODE_LOWEST_CODE && code <= INT16_MAX)
        return (int16_t)code;
    if (degc == packing->ice_degc)
        return SST_DECODE_ICE_CODE;
    return is_plausible ? SST_DECODE_OFF_RANGE : SST_DECODE_IMPLAUSIBLE;
}

bool plain_is_off(const struct plain_packing *packing, double number)
{
    const double steps = sst_lattice_of(packing->lattice).steps_per_degree;
    const double at = ((number * packing->scale + packing->offset) + packing->intercept) * steps;
    const double ulp = packing->type == NC_FLOAT ? FLT_EPSILON : DBL_EPSILON;
    return fabs(at - nearbyint(at)) > fabs(number) * (fabs(packing->scale * steps) * ulp) + 1e-9;
}
