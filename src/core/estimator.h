/*
 * What is remembered per cell and calendar day, described as data.
 *
 * An estimator is a list of planes with the operator that joins two of them. Because the planes are data, allocation,
 * windows, state files and device copies are generic: they hold no statistics. What an estimator does to one value and
 * how it finishes are per-cell functions in kernels/cell_*.h, which each backend's loops call.
 */
#ifndef SST_CORE_ESTIMATOR_H
#define SST_CORE_ESTIMATOR_H

#include <stddef.h>
#include <stdint.h>

enum sst_plane_type { SST_PLANE_U16, SST_PLANE_I16, SST_PLANE_I32, SST_PLANE_I64 };

/* SUM can be undone by subtraction; TOP, the greatest values in descending order, cannot. */
enum sst_plane_operator { SST_PLANE_SUM, SST_PLANE_TOP };

struct sst_plane {
    const char *name;
    enum sst_plane_type type;
    enum sst_plane_operator op;
    const char *unit;
    size_t count; /* planes of this name, one after another: 1, or the length of a TOP list (0: there is none) */
};

enum { SST_MAX_PLANES = 8 };

struct sst_estimator {
    const char *name; /* "moments", "ice"; also the tag in state files */
    uint16_t id, version; /* version goes up when the meaning of a plane changes */
    const struct sst_plane *planes;
    size_t n_planes;
};

static inline size_t sst_plane_type_size(enum sst_plane_type type)
{
    switch (type) {
    case SST_PLANE_U16:
    case SST_PLANE_I16:
        return 2;
    case SST_PLANE_I32:
        return 4;
    case SST_PLANE_I64:
        return 8;
    }
    return 0;
}

/* Bytes that one cell of one bin takes. */
static inline size_t sst_estimator_cell_size(const struct sst_estimator *estimator)
{
    size_t bytes = 0;
    for (size_t plane = 0; plane < estimator->n_planes; ++plane)
        bytes += estimator->planes[plane].count * sst_plane_type_size(estimator->planes[plane].type);
    return bytes;
}

#endif
