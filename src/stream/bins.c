/* Allocation of bins from the plane list of their estimator. */
#include "stream/bins.h"

#include "core/mem.h"

enum sst_status sst_bin_init(struct sst_bin *bin, const struct sst_estimator *estimator, size_t n_cells,
                             struct sst_error *err)
{
    struct sst_bin made = {.estimator = estimator, .n_cells = n_cells};
    for (size_t plane = 0; plane < estimator->n_planes; ++plane) {
        const enum sst_status rc = sst_alloc(n_cells, sst_plane_type_size(estimator->planes[plane].type),
                                             estimator->planes[plane].name, &made.planes[plane], err);
        if (rc != SST_OK) {
            sst_bin_clear(&made);
            return rc;
        }
    }
    *bin = made;
    return SST_OK;
}

void sst_bin_clear(struct sst_bin *bin)
{
    for (size_t plane = 0; plane < SST_MAX_PLANES; ++plane) {
        sst_free(bin->planes[plane]);
        bin->planes[plane] = NULL;
    }
    bin->estimator = NULL;
}

void sst_bin_add(const struct sst_backend *backend, struct sst_bin *target, const struct sst_bin *source)
{
    for (size_t plane = 0; plane < target->estimator->n_planes; ++plane)
        backend->plane_add(target->planes[plane], source->planes[plane], target->estimator->planes[plane].type,
                           target->n_cells);
}

void sst_bin_subtract(const struct sst_backend *backend, struct sst_bin *target, const struct sst_bin *source)
{
    for (size_t plane = 0; plane < target->estimator->n_planes; ++plane)
        backend->plane_subtract(target->planes[plane], source->planes[plane], target->estimator->planes[plane].type,
                                target->n_cells);
}

struct sst_moments_view sst_bin_moments(const struct sst_bin *bin)
{
    const struct sst_moments_view view = {bin->planes[SST_MOMENTS_N], bin->planes[SST_MOMENTS_S1],
                                          bin->planes[SST_MOMENTS_S2], bin->planes[SST_MOMENTS_S3],
                                          bin->planes[SST_MOMENTS_S4]};
    return view;
}
