/* Allocation of bins from the plane list of their estimator, and their use over the year. */
#include "stream/bins.h"

#include <string.h>

#include "core/mem.h"

/* Below this many cells a loop is done sooner than a second thread is woken. */
enum { PARALLEL_CELLS = 1 << 16 };

/* An empty list. */
static void fill_missing(int16_t *list, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        list[i] = SST_CODE_MISSING;
}

/* A whole cache line holds so many items of one byte; each plane begins with one. */
static size_t n_lines(size_t n_cells) { return n_cells / SST_ALIGNMENT + (n_cells % SST_ALIGNMENT != 0); }

/* Planes one behind the other. */
enum sst_status sst_bin_make_room(struct sst_bin *bin, const struct sst_estimator *estimator, size_t n_cells,
                                  struct sst_error *err)
{
    const size_t line = SST_ALIGNMENT * sst_estimator_cell_size(estimator);
    struct sst_bin made = {.estimator = estimator, .n_cells = n_cells};
    SST_TRY(sst_alloc_large(n_lines(n_cells), line, estimator->name, &made.memory, err));
    unsigned char *at = made.memory;
    for (size_t i = 0; i < estimator->n_planes; ++i) {
        const struct sst_plane *plane = &estimator->planes[i];
        made.planes[i] = at;
        at += n_lines(n_cells) * SST_ALIGNMENT * plane->count * sst_plane_type_size(plane->type);
    }
    *bin = made;
    return SST_OK;
}

enum sst_status sst_bin_init(struct sst_bin *bin, const struct sst_estimator *estimator, size_t n_cells,
                             struct sst_error *err)
{
    SST_TRY(sst_bin_make_room(bin, estimator, n_cells, err));
    memset(bin->memory, 0, n_lines(n_cells) * SST_ALIGNMENT * sst_estimator_cell_size(estimator));
    for (size_t i = 0; i < estimator->n_planes; ++i)
        if (estimator->planes[i].op == SST_PLANE_TOP)
            fill_missing(bin->planes[i], estimator->planes[i].count * n_cells);
    return SST_OK;
}

void sst_bin_clear(struct sst_bin *bin)
{
    sst_free(bin->memory);
    *bin = (struct sst_bin){0};
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

enum sst_status sst_bin_set_open(struct sst_bin_set *set, const struct sst_estimator *window, size_t n_cells,
                                 struct sst_error *err)
{
    SST_TRY(sst_bin_init(&set->window, window, n_cells, err));
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

static void copy_plane(const struct sst_bin *from, size_t index, struct sst_bin *to)
{
    const struct sst_plane *plane = &from->estimator->planes[index];
    const size_t size = sst_plane_type_size(plane->type);
    for (size_t rank = 0; rank < plane->count; ++rank)
        memcpy((unsigned char *)to->planes[index] + rank * to->n_cells * size,
               (const unsigned char *)from->planes[index] + rank * from->n_cells * size, from->n_cells * size);
}

static enum sst_status grow_bin(struct sst_bin *bin, size_t n_cells, struct sst_error *err)
{
    struct sst_bin grown;
    if (sst_bin_is_empty(bin))
        return SST_OK;
    SST_TRY(sst_bin_init(&grown, bin->estimator, n_cells, err));
    for (size_t i = 0; i < bin->estimator->n_planes; ++i)
        copy_plane(bin, i, &grown);
    sst_bin_clear(bin);
    *bin = grown;
    return SST_OK;
}

static void clear_spare(struct sst_bin_set *set)
{
    while (set->n_spare > 0)
        sst_bin_clear(&set->spare[--set->n_spare]);
}

enum sst_status sst_bin_set_grow(struct sst_bin_set *set, size_t n_cells, struct sst_error *err)
{
    clear_spare(set);
    SST_TRY(grow_bin(&set->window, n_cells, err));
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
            SST_TRY(grow_bin(&set->bins[slot][year_class], n_cells, err));
    set->n_cells = n_cells;
    return SST_OK;
}

/* Makes a used bin one of no field. */
static void empty_planes(struct sst_bin *bin)
{
    for (size_t i = 0; i < bin->estimator->n_planes; ++i) {
        const struct sst_plane *plane = &bin->estimator->planes[i];
        if (plane->op == SST_PLANE_TOP)
            fill_missing(bin->planes[i], plane->count * bin->n_cells);
        else
            memset(bin->planes[i], 0, bin->n_cells * plane->count * sst_plane_type_size(plane->type));
    }
}

/* Takes a spare bin of an estimator, if there is one; lists of another length would not do. */
static bool take_spare(struct sst_bin_set *set, const struct sst_estimator *estimator, struct sst_bin *bin)
{
    for (size_t i = set->n_spare; i-- > 0;) {
        if (set->spare[i].estimator != estimator)
            continue;
        *bin = set->spare[i];
        set->spare[i] = set->spare[--set->n_spare];
        return true;
    }
    return false;
}

enum sst_status sst_bin_set_at(struct sst_bin_set *set, struct sst_term term, const struct sst_estimator *estimator,
                               struct sst_bin **bin, struct sst_error *err)
{
    struct sst_bin *found = &set->bins[term.slot][term.year_class];
    if (sst_bin_is_empty(found)) {
        if (take_spare(set, estimator, found)) {
            empty_planes(found);
        } else {
            clear_spare(set); /* lists of another length, of a part of the year that is over */
            SST_TRY(sst_bin_init(found, estimator, set->n_cells, err));
        }
    }
    *bin = found;
    return SST_OK;
}

/*
 * One function for each size of an item. A term has hundreds of thousands of cells, and a slot some fifty megabytes: this is a
 * copy at the speed of memory.
 */
#define UNPACK_FUNCTION(name, type)                                                                                    \
    static void name(const type *restrict from, const uint32_t *restrict item, type none, size_t n, type *restrict to) \
    {                                                                                                                  \
        _Pragma("omp parallel for schedule(static) if (n >= PARALLEL_CELLS)") for (size_t cell = 0; cell < n; ++cell)  \
            to[cell] = item[cell] == SST_NO_ITEM ? none : from[item[cell]];                                            \
    }

UNPACK_FUNCTION(unpack_16, int16_t)
UNPACK_FUNCTION(unpack_32, int32_t)
UNPACK_FUNCTION(unpack_64, int64_t)

/* Into a bin of no field. */
static void unpack(const struct sst_packed_bin *packed, struct sst_bin *target)
{
    const size_t n = target->n_cells, n_items = packed->bin->n_cells;
    for (size_t i = 0; i < target->estimator->n_planes; ++i) {
        const struct sst_plane *plane = &target->estimator->planes[i];
        const size_t has = packed->bin->estimator->planes[i].count, wants = plane->count;
        const int16_t none = plane->op == SST_PLANE_TOP ? SST_CODE_MISSING : 0;
        for (size_t rank = 0; rank < wants && rank < has; ++rank) {
            switch (sst_plane_type_size(plane->type)) {
            case sizeof(int16_t):
                unpack_16((const int16_t *)packed->bin->planes[i] + rank * n_items, packed->item, none, n,
                          (int16_t *)target->planes[i] + rank * n);
                break;
            case sizeof(int32_t):
                unpack_32((const int32_t *)packed->bin->planes[i] + rank * n_items, packed->item, none, n,
                          (int32_t *)target->planes[i] + rank * n);
                break;
            default:
                unpack_64((const int64_t *)packed->bin->planes[i] + rank * n_items, packed->item, none, n,
                          (int64_t *)target->planes[i] + rank * n);
            }
        }
    }
}

enum sst_status sst_bin_set_add_packed(struct sst_bin_set *set, const struct sst_backend *backend, struct sst_term term,
                                       const struct sst_estimator *estimator, const struct sst_packed_bin *packed,
                                       struct sst_error *err)
{
    const bool is_first = sst_bin_is_empty(&set->bins[term.slot][term.year_class]);
    struct sst_bin *bin = NULL, more = {0};
    SST_TRY(sst_bin_set_at(set, term, estimator, &bin, err));
    if (is_first) {
        unpack(packed, bin);
        return SST_OK;
    }
    SST_TRY(sst_bin_init(&more, estimator, set->n_cells, err));
    unpack(packed, &more);
    sst_bin_add(backend, bin, &more);
    sst_bin_clear(&more);
    return SST_OK;
}

void sst_bin_set_step(struct sst_bin_set *set, const struct sst_backend *backend, struct sst_term term,
                      enum sst_window_step step)
{
    const struct sst_bin *bin = &set->bins[term.slot][term.year_class];
    if (sst_bin_is_empty(bin))
        return;
    if (step == SST_WINDOW_ENTER)
        sst_bin_add(backend, &set->window, bin);
    else
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
