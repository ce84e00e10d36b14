/*
 * Parts of the sea over which heatwaves are summed up: built-in boxes, and polygons that a user gives as GeoJSON.
 *
 *   polygon  rings of (lon, lat); straight lines between them, as on an equirectangular map (RFC 7946, 3.1.1)
 *   cell     belongs where its centre lies inside an odd number of rings; a centre on an edge belongs to the north or east of it,
 *            so polygons that share an edge share no cell and miss none
 *   area     of the cell on a sphere of 6371.0088 km, between the midpoints of its row and column
 *
 * Longitudes may be in any convention: a cell counts where its centre lies in a ring at its longitude, or 360 degrees beside.
 */
#ifndef SST_MONITOR_REGION_H
#define SST_MONITOR_REGION_H

#include "core/grid.h"
#include "core/status.h"

/* Mean radius of the Earth. [km] IUGG: (2 a + b) / 3 of GRS 80 */
#define SST_EARTH_RADIUS_KM 6371.0088

struct sst_region_ring {
    double *lon, *lat; /* [degrees] n corners, the first one is not repeated */
    size_t n;
};

struct sst_region {
    char *name; /* "nino_3_4": of files, so a..z, 0..9, _ and - alone */
    char *title; /* for people */
    struct sst_region_ring *rings;
    size_t n_rings, rings_capacity;
    uint32_t *cells; /* of the domain, ascending */
    size_t n_cells;
};

struct sst_region_set {
    struct sst_region *regions;
    size_t n, capacity;
};

/* Frees what a region, what a set holds; zeroed ones are accepted. */
void sst_region_clear(struct sst_region *region);
void sst_region_set_clear(struct sst_region_set *set);

/*
 * Adds the built-in boxes that have cells in the domain: the sea between 60 S and 60 N, hemispheres, Nino 3.4, seas and basins
 * that are often asked for. A domain in which none has a cell gets none.
 *
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_region_add_builtin(struct sst_region_set *set, const struct sst_domain *domain,
                                                      struct sst_error *err);

/*
 * Adds the polygons of a GeoJSON text (a FeatureCollection, a Feature, a Polygon or a MultiPolygon), a region for each feature.
 * Named by the property "name", else by "id", else by its place; the title is "title", else the name.
 *
 * what     names the text in messages: its file.
 * Errors   SST_ERR_INPUT: not JSON, with the line; no polygon; a ring that is no ring; a place that is none; a name that is
 *          there already. SST_ERR_GRID: a region with no cell in the domain. SST_ERR_NOMEM. The set is as it was.
 */
SST_MUST_CHECK enum sst_status sst_region_add_geojson(struct sst_region_set *set, const char *text, size_t n_bytes,
                                                      const char *what, const struct sst_domain *domain,
                                                      struct sst_error *err);

/* Adds a ring of n corners to a region. Copies. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_region_add_ring(struct sst_region *region, const double *lon, const double *lat,
                                                   size_t n, struct sst_error *err);

/* Finds the cells of a region by its rings. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_region_find_cells(struct sst_region *region, const struct sst_domain *domain,
                                                     struct sst_error *err);

/* Area of one cell of each row. [km2] n_rows values into `out`. */
void sst_region_row_areas(const struct sst_domain *domain, double *out);

#endif
