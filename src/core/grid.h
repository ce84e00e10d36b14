/*
 * Grids of whole products, the part of one that a run covers (its domain), and how a file's field maps onto it.
 *
 * Three orders of cells occur:
 *   file       rows and columns as the file stores them
 *   domain     rows and columns as the run's first file stores them, cut to the box; what is computed and written
 *   canonical  latitude ascending, longitude 0..360, of the whole product; only for probes, digests and states,
 *              so that these do not depend on which way up a file was
 */
#ifndef SST_CORE_GRID_H
#define SST_CORE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/* Coordinates are equal when they differ by less than this share of the spacing (float32 and double axes of one product). */
#define SST_GRID_TOLERANCE 0.01

struct sst_grid {
    size_t n_lat, n_lon;
    double *lat; /* [degrees_north] n_lat, strictly monotonic, up or down */
    double *lon; /* [degrees_east] n_lon, strictly increasing but for one jump of -360; as the product has them */
    bool wraps; /* the columns go once round the globe */
    size_t canonical_col; /* the column nearest east of Greenwich: column 0 of the canonical order */
};

/*
 * Takes copies of the two axes.
 *
 * Errors   SST_ERR_GRID where an axis is empty, not finite, out of range, not monotonic, or names one meridian twice
 *          (a duplicated seam column). A grid of one row or column is allowed.
 */
SST_MUST_CHECK enum sst_status sst_grid_create(const double *lat, size_t n_lat, const double *lon, size_t n_lon,
                                               struct sst_grid **out, struct sst_error *err);

/* One more of a grid, whose axes are right already. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_grid_copy(const struct sst_grid *grid, struct sst_grid **out, struct sst_error *err);
void sst_grid_destroy(struct sst_grid **grid);

/* A grid that was made before, with its axes where they lie now: borrowed, so it is not to be destroyed. */
struct sst_grid sst_grid_view(const double *lat, size_t n_lat, const double *lon, size_t n_lon, bool wraps,
                              size_t canonical_col);

/* XXH3 of the canonical axes rounded to a hundredth of the spacing: equal for grids that sst_grid_match joins. */
uint64_t sst_grid_digest(const struct sst_grid *grid);

/* How a file's rows and columns are found from the run's: file_row = flip ? n_lat-1-row : row; file_col = (col + shift) % n_lon. */
struct sst_grid_map {
    bool flip_lat;
    size_t shift_lon;
};

/*
 * Whether `file` holds the cells of `run`, upside down or starting at another meridian if need be.
 *
 * Errors   SST_ERR_GRID with the first difference: the sizes, or row/column and both values.
 */
SST_MUST_CHECK enum sst_status sst_grid_match(const struct sst_grid *run, const struct sst_grid *file,
                                              struct sst_grid_map *out, struct sst_error *err);

/* A box of a grid. Columns go eastwards from `col0` and may pass the last column of a grid that wraps. */
struct sst_domain {
    const struct sst_grid *grid; /* borrowed; must outlive the domain */
    size_t row0, n_rows;
    size_t col0, n_cols;
    size_t n_cells; /* n_rows * n_cols */
};

/* The whole grid. */
void sst_domain_all(const struct sst_grid *grid, struct sst_domain *out);

/*
 * The cells whose centres lie in the box; west > east, in whatever convention, crosses the seam.
 *
 * Errors   SST_ERR_USAGE where the box is malformed; SST_ERR_GRID where it holds no cell or the columns are not one run.
 */
SST_MUST_CHECK enum sst_status sst_domain_box(const struct sst_grid *grid, double west, double south, double east,
                                              double north, struct sst_domain *out, struct sst_error *err);

/* Latitude of a row, longitude of a column of the domain; longitudes increase along the domain, also across the seam. */
double sst_domain_lat(const struct sst_domain *domain, size_t row);
double sst_domain_lon(const struct sst_domain *domain, size_t col);

/*
 * Latitude of each row and longitude of each column, in degrees, columns ever eastward.
 *
 * Owner    the caller of both, sst_free, also after an error; they are NULL before. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_domain_axes(const struct sst_domain *domain, double **lat, double **lon,
                                               struct sst_error *err);

/* A grid of the domain's cells alone, in its order. Owner: the caller; sst_grid_destroy. Errors: SST_ERR_GRID, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_domain_grid(const struct sst_domain *domain, struct sst_grid **out,
                                               struct sst_error *err);

/* Index of a domain cell in the canonical order of the whole grid. */
uint64_t sst_domain_canonical(const struct sst_domain *domain, size_t cell);

/* cos(latitude) of each row, the area weight of its cells; n_rows values into `out`. */
void sst_domain_row_weights(const struct sst_domain *domain, double *out);

/*
 * XXH3 of a field's codes in canonical order: the identity of a decoded day, whatever its file's name or orientation.
 *
 * codes    domain->n_cells, in domain order.
 */
uint64_t sst_domain_digest(const struct sst_domain *domain, const int16_t *codes);

#endif
