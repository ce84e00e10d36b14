/* Regions on a grid: which cells, how large. */
#include "monitor/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

#define RADIANS_PER_DEGREE 0.017453292519943295

void sst_region_clear(struct sst_region *region)
{
    for (size_t i = 0; i < region->n_rings; ++i) {
        sst_free(region->rings[i].lon);
        sst_free(region->rings[i].lat);
    }
    sst_free(region->rings);
    sst_free(region->name);
    sst_free(region->title);
    sst_free(region->cells);
    *region = (struct sst_region){0};
}

void sst_region_set_clear(struct sst_region_set *set)
{
    for (size_t i = 0; i < set->n; ++i)
        sst_region_clear(&set->regions[i]);
    sst_free(set->regions);
    *set = (struct sst_region_set){0};
}

enum sst_status sst_region_add_ring(struct sst_region *region, const double *lon, const double *lat, size_t n,
                                    struct sst_error *err)
{
    struct sst_region_ring ring = {.n = n};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_grow(&region->rings, &region->rings_capacity, region->n_rings + 1, sizeof *region->rings,
                          "the rings of a region", err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *ring.lon, "a ring of a region", &ring.lon, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *ring.lat, "a ring of a region", &ring.lat, err));
    memcpy(ring.lon, lon, n * sizeof *lon);
    memcpy(ring.lat, lat, n * sizeof *lat);
    region->rings[region->n_rings++] = ring;
    ring = (struct sst_region_ring){0};
done:
    sst_free(ring.lon);
    sst_free(ring.lat);
    return rc;
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

/* Longitudes at which the rings cross a parallel. */
struct crossings {
    double *lon;
    size_t n, capacity;
};

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* An edge takes its southern end and not its northern one, so a corner is crossed once and a parallel edge never. */
static enum sst_status cross(const struct sst_region *region, double lat, struct crossings *out, struct sst_error *err)
{
    out->n = 0;
    for (size_t r = 0; r < region->n_rings; ++r) {
        const struct sst_region_ring *ring = &region->rings[r];
        for (size_t i = 0, before = ring->n - 1; i < ring->n; before = i++) {
            const double south = fmin(ring->lat[before], ring->lat[i]), north = fmax(ring->lat[before], ring->lat[i]);
            if (lat < south || lat >= north)
                continue;
            SST_TRY(sst_grow(&out->lon, &out->capacity, out->n + 1, sizeof *out->lon, "the edges of a region", err));
            const double share = (lat - ring->lat[before]) / (ring->lat[i] - ring->lat[before]);
            out->lon[out->n++] = ring->lon[before] + share * (ring->lon[i] - ring->lon[before]);
        }
    }
    if (out->n > 0)
        qsort(out->lon, out->n, sizeof *out->lon, compare_doubles);
    return SST_OK;
}

/* Whether an odd number of edges lies at or west of a place. */
static bool is_inside(const struct crossings *crossings, double lon)
{
    size_t low = 0, high = crossings->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (crossings->lon[middle] <= lon)
            low = middle + 1;
        else
            high = middle;
    }
    return low % 2 != 0;
}

/* Rings may be in -180..180, in 0..360, or pass a seam. */
static bool has_column(const struct crossings *crossings, double lon)
{
    for (int turn = -2; turn <= 2; ++turn)
        if (is_inside(crossings, lon + 360.0 * turn))
            return true;
    return false;
}

enum sst_status sst_region_find_cells(struct sst_region *region, const struct sst_domain *domain, struct sst_error *err)
{
    struct crossings crossings = {0};
    size_t capacity = 0;
    enum sst_status rc = SST_OK;
    sst_free(region->cells);
    region->cells = NULL;
    region->n_cells = 0;
    for (size_t row = 0; row < domain->n_rows; ++row) {
        SST_TRY_GOTO(cross(region, sst_domain_lat(domain, row), &crossings, err));
        if (crossings.n == 0)
            continue;
        SST_TRY_GOTO(sst_grow(&region->cells, &capacity, region->n_cells + domain->n_cols, sizeof *region->cells,
                              "the cells of a region", err));
        for (size_t col = 0; col < domain->n_cols; ++col)
            if (has_column(&crossings, sst_domain_lon(domain, col)))
                region->cells[region->n_cells++] = (uint32_t)(row * domain->n_cols + col);
    }
done:
    sst_free(crossings.lon);
    return rc;
}

/* --- areas -------------------------------------------------------------------------------------------------------- */

/* Half the way to a neighbour; where there is none, as far as on the other side. */
static double edge_of_row(const struct sst_domain *domain, size_t row, bool next)
{
    const double here = sst_domain_lat(domain, row);
    const bool has_next = row + 1 < domain->n_rows, has_previous = row > 0;
    double step = 1.0; /* of a single row nothing is known */
    if (has_next && (next || !has_previous))
        step = sst_domain_lat(domain, row + 1) - here;
    else if (has_previous)
        step = here - sst_domain_lat(domain, row - 1);
    return fmax(-90.0, fmin(90.0, here + (next ? 0.5 : -0.5) * step));
}

static double column_width(const struct sst_domain *domain)
{
    if (domain->n_cols < 2)
        return 1.0;
    const double width = sst_domain_lon(domain, domain->n_cols - 1) - sst_domain_lon(domain, 0);
    return fabs(width) / (double)(domain->n_cols - 1);
}

void sst_region_row_areas(const struct sst_domain *domain, double *out)
{
    const double width = column_width(domain) * RADIANS_PER_DEGREE;
    for (size_t row = 0; row < domain->n_rows; ++row) {
        const double a = edge_of_row(domain, row, false), b = edge_of_row(domain, row, true);
        const double height = fabs(sin(b * RADIANS_PER_DEGREE) - sin(a * RADIANS_PER_DEGREE));
        out[row] = SST_EARTH_RADIUS_KM * SST_EARTH_RADIUS_KM * width * height;
    }
}

/* --- built-in boxes ----------------------------------------------------------------------------------------------- */

struct box {
    const char *name, *title;
    double west, south, east, north; /* east > west */
};

static const struct box boxes[] = {
    {"global_60", "Sea between 60 S and 60 N", -180, -60, 180, 60},
    {"north", "Northern hemisphere", -180, 0, 180, 90},
    {"south", "Southern hemisphere", -180, -90, 180, 0},
    {"tropics", "Tropics, 20 S to 20 N", -180, -20, 180, 20},
    {"nino_3_4", "Nino 3.4", -170, -5, -120, 5},
    {"nino_1_2", "Nino 1+2", -90, -10, -80, 0},
    {"north_atlantic", "North Atlantic, 0 to 60 N", -80, 0, 0, 60},
    {"north_east_pacific", "North-east Pacific", -160, 30, -110, 60},
    {"north_sea", "North Sea (box)", -4, 51, 9, 61},
    {"baltic", "Baltic (box)", 9, 53.5, 30.5, 66},
    {"tasman", "Tasman Sea (box)", 147, -46, 174, -30},
    {"great_barrier_reef", "Great Barrier Reef (box)", 142, -25, 154, -10},
    {"western_australia", "Western Australia (box)", 109, -35, 116, -20},
    {"arabian_sea", "Arabian Sea (box)", 50, 5, 77, 26},
    {"bay_of_bengal", "Bay of Bengal (box)", 80, 5, 95, 23},
    {"south_china_sea", "South China Sea (box)", 105, 0, 121, 23},
    {"caribbean", "Caribbean (box)", -88, 9, -60, 22},
    {"california_current", "California Current (box)", -130, 25, -114, 48},
    {"southern_ocean", "Southern Ocean, south of 50 S", -180, -90, 180, -50},
};
enum { N_BOXES = sizeof boxes / sizeof *boxes };

/* No box holds it without Biscay or the Black Sea. */
static const double mediterranean_lon[] = {-5.6, 10, 36.5, 36.5, 30, 26.5, 26, 22, 12, 3, -0.5, -5.6};
static const double mediterranean_lat[] = {35, 30, 30, 37.2, 37.5, 39.5, 41.2, 41.5, 46, 44, 40.5, 36.6};
enum { N_MEDITERRANEAN = sizeof mediterranean_lon / sizeof *mediterranean_lon };

static enum sst_status make_region(const char *name, const char *title, struct sst_region *out, struct sst_error *err)
{
    SST_TRY(sst_strdup(name, &out->name, err));
    return sst_strdup(title, &out->title, err);
}

static enum sst_status make_box(const struct box *box, struct sst_region *out, struct sst_error *err)
{
    const double lon[] = {box->west, box->east, box->east, box->west};
    /* Rows at the poles belong: the northern edge of a ring does not. */
    const double north = box->north >= 90 ? 91 : box->north;
    const double lat[] = {box->south, box->south, north, north};
    SST_TRY(make_region(box->name, box->title, out, err));
    return sst_region_add_ring(out, lon, lat, sizeof lon / sizeof *lon, err);
}

static enum sst_status make_mediterranean(struct sst_region *out, struct sst_error *err)
{
    SST_TRY(make_region("mediterranean", "Mediterranean", out, err));
    return sst_region_add_ring(out, mediterranean_lon, mediterranean_lat, N_MEDITERRANEAN, err);
}

enum sst_status sst_region_add_builtin(struct sst_region_set *set, const struct sst_domain *domain,
                                       struct sst_error *err)
{
    for (size_t i = 0; i <= N_BOXES; ++i) {
        struct sst_region region = {0};
        enum sst_status rc = i < N_BOXES ? make_box(&boxes[i], &region, err) : make_mediterranean(&region, err);
        if (rc == SST_OK)
            rc = sst_region_find_cells(&region, domain, err);
        if (rc == SST_OK && region.n_cells > 0)
            rc = sst_grow(&set->regions, &set->capacity, set->n + 1, sizeof *set->regions, "the regions", err);
        if (rc == SST_OK && region.n_cells > 0)
            set->regions[set->n++] = region;
        else
            sst_region_clear(&region);
        SST_TRY(rc);
    }
    return SST_OK;
}
