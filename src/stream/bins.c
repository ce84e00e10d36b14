/* Allocation of bins from the plane list of their estimator, and their use over the year. */
#include "stream/bins.h"

#include <string.h>

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

enum sst_status sst_bin_set_open(struct sst_bin_set *set, const struct sst_estimator *estimator, size_t n_cells,
                                 struct sst_error *err)
{
    SST_TRY(sst_bin_init(&set->window, estimator, n_cells, err));
    set->estimator = estimator;
    set->n_cells = n_cells;
    return SST_OK;
}

void sst_bin_set_clear(struct sst_bin_set *set)
{
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        sst_bin_set_drop_slot(set, slot);
    while (set->n_spare > 0)
        sst_bin_clear(&set->spare[--set->n_spare]);
    sst_bin_clear(&set->window);
}

static void fill_with_zeros(struct sst_bin *bin)
{
    for (size_t plane = 0; plane < bin->estimator->n_planes; ++plane)
        memset(bin->planes[plane], 0, bin->n_cells * sst_plane_type_size(bin->estimator->planes[plane].type));
}

enum sst_status sst_bin_set_at(struct sst_bin_set *set, struct sst_term term, struct sst_bin **bin,
                               struct sst_error *err)
{
    struct sst_bin *found = &set->bins[term.slot][term.year_class];
    if (sst_bin_is_empty(found) && set->n_spare > 0) {
        *found = set->spare[--set->n_spare];
        fill_with_zeros(found);
    } else if (sst_bin_is_empty(found)) {
        SST_TRY(sst_bin_init(found, set->estimator, set->n_cells, err));
    }
    *bin = found;
    return SST_OK;
}

void sst_bin_set_enter(const struct sst_backend *backend, struct sst_bin_set *set, struct sst_term term)
{
    const struct sst_bin *bin = &set->bins[term.slot][term.year_class];
    if (!sst_bin_is_empty(bin))
        sst_bin_add(backend, &set->window, bin);
}

void sst_bin_set_leave(const struct sst_backend *backend, struct sst_bin_set *set, struct sst_term term)
{
    const struct sst_bin *bin = &set->bins[term.slot][term.year_class];
    if (!sst_bin_is_empty(bin))
        sst_bin_subtract(backend, &set->window, bin);
}

void sst_bin_set_drop_slot(struct sst_bin_set *set, int slot)
{
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        struct sst_bin *bin = &set->bins[slot][year_class];
        if (sst_bin_is_empty(bin))
            continue;
        set->spare[set->n_spare++] = *bin;
        memset(bin, 0, sizeof *bin);
    }
}
