/* Allocation of bins from the plane list of their estimator. */
#include "stream/bins.h"

#include "core/mem.h"

/* An empty list. */
static void fill_missing(int16_t *list, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        list[i] = SST_CODE_MISSING;
}

enum sst_status sst_bin_init(struct sst_bin *bin, const struct sst_estimator *estimator, size_t n_cells,
                             struct sst_error *err)
{
    struct sst_bin made = {.estimator = estimator, .n_cells = n_cells};
    for (size_t i = 0; i < estimator->n_planes; ++i) {
        const struct sst_plane *plane = &estimator->planes[i];
        const enum sst_status rc =
            sst_alloc(n_cells, plane->count * sst_plane_type_size(plane->type), plane->name, &made.planes[i], err);
        if (rc != SST_OK) {
            sst_bin_clear(&made);
            return rc;
        }
        if (plane->op == SST_PLANE_TOP)
            fill_missing(made.planes[i], plane->count * n_cells);
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
    for (size_t i = 0; i < target->estimator->n_planes; ++i) {
        const struct sst_plane *plane = &target->estimator->planes[i];
        if (plane->op == SST_PLANE_TOP)
            backend->tail_merge(target->planes[i], source->planes[i], plane->count, target->n_cells);
        else
            backend->plane_add(target->planes[i], source->planes[i], plane->type, target->n_cells);
    }
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

enum sst_status sst_bins_get(struct sst_bins *bins, struct sst_term term, const struct sst_estimator *estimator,
                             size_t n_cells, struct sst_bin **out, struct sst_error *err)
{
    struct sst_bin *bin = &bins->at[term.slot][term.year_class];
    if (sst_bin_is_empty(bin))
        SST_TRY(sst_bin_init(bin, estimator, n_cells, err));
    *out = bin;
    return SST_OK;
}

void sst_bins_drop_slot(struct sst_bins *bins, int slot)
{
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        sst_bin_clear(&bins->at[slot][year_class]);
}

void sst_bins_clear(struct sst_bins *bins)
{
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        sst_bins_drop_slot(bins, slot);
}

void sst_bins_step(const struct sst_bins *bins, const struct sst_backend *backend, struct sst_bin *window,
                   struct sst_term term, enum sst_window_step step)
{
    const struct sst_bin *bin = &bins->at[term.slot][term.year_class];
    if (sst_bin_is_empty(bin))
        return;
    if (step == SST_WINDOW_ENTER)
        sst_bin_add(backend, window, bin);
    else
        sst_bin_subtract(backend, window, bin);
}

struct sst_tail_view sst_bin_tail(const struct sst_bin *bin)
{
    const struct sst_tail_view view = {bin->planes[SST_TAIL_N],
                                       bin->planes[SST_TAIL_S1],
                                       bin->planes[SST_TAIL_TOP],
                                       bin->planes[SST_TAIL_BOTTOM],
                                       bin->estimator->planes[SST_TAIL_TOP].count,
                                       bin->estimator->planes[SST_TAIL_BOTTOM].count};
    return view;
}
