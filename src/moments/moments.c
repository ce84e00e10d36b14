/* The planes of the moments estimator and of the ice count. */
#include "moments/moments.h"

const struct sst_estimator *sst_estimator_moments(void)
{
    static const struct sst_plane planes[] = {
        [SST_MOMENTS_N] = {"n", SST_PLANE_U16, SST_PLANE_SUM, "1", 1},
        [SST_MOMENTS_S1] = {"s1", SST_PLANE_I32, SST_PLANE_SUM, "0.01 degC", 1},
        [SST_MOMENTS_S2] = {"s2", SST_PLANE_I64, SST_PLANE_SUM, "1e-4 degC2", 1},
        [SST_MOMENTS_S3] = {"s3", SST_PLANE_I64, SST_PLANE_SUM, "1e-6 degC3", 1},
        [SST_MOMENTS_S4] = {"s4", SST_PLANE_I64, SST_PLANE_SUM, "1e-8 degC4", 1},
    };
    static const struct sst_estimator moments = {"moments", 1, 1, planes, sizeof planes / sizeof planes[0]};
    return &moments;
}

const struct sst_estimator *sst_estimator_ice(void)
{
    static const struct sst_plane planes[] = {{"n_ice", SST_PLANE_U16, SST_PLANE_SUM, "1", 1}};
    static const struct sst_estimator ice = {"ice", 2, 1, planes, sizeof planes / sizeof planes[0]};
    return &ice;
}
