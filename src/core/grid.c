/* Grids, boxes of grids, and how the cells of one file are found from those of another. */
#include "core/grid.h"

#include <math.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* for a state on the stack */
#include <xxhash.h>

#include "core/mem.h"

/* [deg] Latitudes may pass a pole by this much: what float32 makes of 89.999999 or of 90. */
#define POLE_TOLERANCE 1e-4
/* [deg] Longitudes in use stay within this range: 0..360, -180..180 and what regional files make of them. */
#define LON_MIN (-360.0)
#define LON_MAX 720.0
/* [deg] A step across the seam wider than this is a step back. */
#define WIDEST_STEP 180.0
/* [deg] Spacing that stands in for the missing one of a grid of a single row or column. */
#define LONE_SPACING 1.0
/*
 * Share of the rounding quantum by which axes are shifted before they are rounded for the digest: real axes are simple
 * fractions of their spacing, so none lies near a rounding edge of this phase, where noise could split equal grids.
 */
#define DIGEST_PHASE 0.3127

/* Distance eastwards from `from` to `to`, 0 <= d < 360. */
static double degrees_east(double from, double to)
{
    const double d = fmod(to - from, 360.0);
    return d < 0.0 ? d + 360.0 : d;
}

/* Difference of two longitudes, -180 <= d < 180. */
static double lon_difference(double a, double b)
{
    const double d = degrees_east(b, a);
    return d >= 180.0 ? d - 360.0 : d;
}

static double mean_spacing(const double *axis, size_t n)
{
    return n > 1 ? fabs(axis[n - 1] - axis[0]) / (double)(n - 1) : LONE_SPACING;
}

/* Longitude of a column, counted on past the jump of -360 if there is one. */
static double unwrapped_lon(const struct sst_grid *grid, size_t col)
{
    const double lon = grid->lon[col];
    return lon < grid->lon[0] ? lon + 360.0 : lon;
}

static double lon_span(const struct sst_grid *grid) { return unwrapped_lon(grid, grid->n_lon - 1) - grid->lon[0]; }

static double lon_spacing(const struct sst_grid *grid)
{
    return grid->n_lon > 1 ? lon_span(grid) / (double)(grid->n_lon - 1) : LONE_SPACING;
}

static double lat_tolerance(const struct sst_grid *grid)
{
    return SST_GRID_TOLERANCE * mean_spacing(grid->lat, grid->n_lat);
}

static double lon_tolerance(const struct sst_grid *grid) { return SST_GRID_TOLERANCE * lon_spacing(grid); }

static bool lat_goes_up(const struct sst_grid *grid)
{
    return grid->n_lat == 1 || grid->lat[grid->n_lat - 1] > grid->lat[0];
}

static enum sst_status check_lat(const double *lat, size_t n, struct sst_error *err)
{
    for (size_t row = 0; row < n; ++row) {
        if (!isfinite(lat[row]) || fabs(lat[row]) > 90.0 + POLE_TOLERANCE)
            return sst_fail(err, SST_ERR_GRID, "latitude: row %zu is %g, not within -90..90", row, lat[row]);
        if (row > 0 && (lat[row] == lat[row - 1] || (lat[row] > lat[row - 1]) != (lat[1] > lat[0])))
            return sst_fail(err, SST_ERR_GRID, "latitude: rows %zu and %zu (%g, %g) are out of order", row - 1, row,
                            lat[row - 1], lat[row]);
    }
    return SST_OK;
}

/* One step back is allowed, where longitudes pass from 180 to -180 or from 360 to 0 and go on towards the first. */
static enum sst_status check_lon(const double *lon, size_t n, struct sst_error *err)
{
    size_t n_jumps = 0;
    for (size_t col = 0; col < n; ++col) {
        if (!isfinite(lon[col]) || lon[col] < LON_MIN || lon[col] > LON_MAX)
            return sst_fail(err, SST_ERR_GRID, "longitude: column %zu is %g, not a longitude", col, lon[col]);
        if (col == 0 || lon[col] > lon[col - 1])
            continue;
        const double step = lon[col] + 360.0 - lon[col - 1];
        if (++n_jumps > 1 || step <= 0.0 || step > WIDEST_STEP)
            return sst_fail(err, SST_ERR_GRID,
                            "longitude: columns %zu and %zu (%g, %g) do not go eastwards. Put them in order first",
                            col - 1, col, lon[col - 1], lon[col]);
    }
    return SST_OK;
}

/* A grid that goes right round must not come back to its first meridian. */
static enum sst_status check_seam(const struct sst_grid *grid, struct sst_error *err)
{
    bool has_jumped = false, passes_first = false;
    for (size_t col = 1; col < grid->n_lon; ++col) {
        has_jumped |= grid->lon[col] < grid->lon[col - 1];
        passes_first |= has_jumped && grid->lon[col] >= grid->lon[0];
    }
    if (passes_first || (grid->n_lon > 1 && lon_span(grid) >= 360.0 - lon_tolerance(grid)))
        return sst_fail(err, SST_ERR_GRID,
                        "longitude: columns 0 and %zu (%g, %g) are one meridian. Cut the doubled column off first",
                        grid->n_lon - 1, grid->lon[0], grid->lon[grid->n_lon - 1]);
    return SST_OK;
}

static bool goes_round(const struct sst_grid *grid)
{
    if (grid->n_lon < 2)
        return false;
    double widest = 0.0;
    for (size_t col = 1; col < grid->n_lon; ++col)
        widest = fmax(widest, unwrapped_lon(grid, col) - unwrapped_lon(grid, col - 1));
    return 360.0 - lon_span(grid) <= widest + lon_tolerance(grid);
}

/* Longitude in [-tolerance, 360 - tolerance): a meridian of Greenwich that rounding made negative stays at 0. */
static double canonical_lon(const struct sst_grid *grid, size_t col)
{
    const double lon = degrees_east(0.0, grid->lon[col]);
    return lon >= 360.0 - lon_tolerance(grid) ? lon - 360.0 : lon;
}

static size_t find_canonical_col(const struct sst_grid *grid)
{
    size_t first = 0;
    for (size_t col = 1; col < grid->n_lon; ++col)
        if (canonical_lon(grid, col) < canonical_lon(grid, first))
            first = col;
    return first;
}

/* Copies of axes; nothing else is known of them. */
static enum sst_status new_grid(const double *lat, size_t n_lat, const double *lon, size_t n_lon, struct sst_grid **out,
                                struct sst_error *err)
{
    struct sst_grid *grid = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(1, sizeof *grid, "grid", &grid, err));
    SST_TRY_GOTO(sst_alloc(n_lat, sizeof *lat, "latitudes", &grid->lat, err));
    SST_TRY_GOTO(sst_alloc(n_lon, sizeof *lon, "longitudes", &grid->lon, err));
    memcpy(grid->lat, lat, n_lat * sizeof *lat);
    memcpy(grid->lon, lon, n_lon * sizeof *lon);
    grid->n_lat = n_lat;
    grid->n_lon = n_lon;
    *out = grid;
    grid = NULL;
done:
    sst_grid_destroy(&grid);
    return rc;
}

enum sst_status sst_grid_create(const double *lat, size_t n_lat, const double *lon, size_t n_lon, struct sst_grid **out,
                                struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_grid *grid = NULL;
    if (n_lat == 0 || n_lon == 0)
        return sst_fail(err, SST_ERR_GRID, "grid of %zu rows and %zu columns is empty", n_lat, n_lon);
    SST_TRY(check_lat(lat, n_lat, err));
    SST_TRY(check_lon(lon, n_lon, err));
    SST_TRY_GOTO(new_grid(lat, n_lat, lon, n_lon, &grid, err));
    SST_TRY_GOTO(check_seam(grid, err));
    grid->wraps = goes_round(grid);
    grid->canonical_col = find_canonical_col(grid);
    *out = grid;
    grid = NULL;
done:
    sst_grid_destroy(&grid);
    return rc;
}

enum sst_status sst_grid_copy(const struct sst_grid *grid, struct sst_grid **out, struct sst_error *err)
{
    SST_TRY(new_grid(grid->lat, grid->n_lat, grid->lon, grid->n_lon, out, err));
    (*out)->wraps = grid->wraps;
    (*out)->canonical_col = grid->canonical_col;
    return SST_OK;
}

void sst_grid_destroy(struct sst_grid **grid)
{
    if (!*grid)
        return;
    sst_free((*grid)->lat);
    sst_free((*grid)->lon);
    sst_free(*grid);
    *grid = NULL;
}

struct sst_grid sst_grid_view(const double *lat, size_t n_lat, const double *lon, size_t n_lon, bool wraps,
                              size_t canonical_col)
{
    struct sst_grid grid = {.n_lat = n_lat, .n_lon = n_lon, .wraps = wraps, .canonical_col = canonical_col};
    memcpy(&grid.lat, &lat, sizeof lat); /* nobody writes to the axes of a grid that is made */
    memcpy(&grid.lon, &lon, sizeof lon);
    return grid;
}

static int64_t rounded_for_digest(double value, double tolerance)
{
    return (int64_t)floor(value / tolerance + DIGEST_PHASE + 0.5);
}

uint64_t sst_grid_digest(const struct sst_grid *grid)
{
    XXH3_state_t state;
    (void)XXH3_64bits_reset(&state);
    const uint64_t sizes[2] = {grid->n_lat, grid->n_lon};
    (void)XXH3_64bits_update(&state, sizes, sizeof sizes);
    for (size_t row = 0; row < grid->n_lat; ++row) {
        const double lat = grid->lat[lat_goes_up(grid) ? row : grid->n_lat - 1 - row];
        const int64_t key = rounded_for_digest(lat, lat_tolerance(grid));
        (void)XXH3_64bits_update(&state, &key, sizeof key);
    }
    for (size_t col = 0; col < grid->n_lon; ++col) {
        const double lon = canonical_lon(grid, (grid->canonical_col + col) % grid->n_lon);
        const int64_t key = rounded_for_digest(lon, lon_tolerance(grid));
        (void)XXH3_64bits_update(&state, &key, sizeof key);
    }
    return XXH3_64bits_digest(&state);
}

static enum sst_status match_rows(const struct sst_grid *run, const struct sst_grid *file, bool flip,
                                  struct sst_error *err)
{
    const double tolerance = lat_tolerance(run);
    for (size_t row = 0; row < run->n_lat; ++row) {
        const double lat = file->lat[flip ? file->n_lat - 1 - row : row];
        if (fabs(lat - run->lat[row]) > tolerance)
            return sst_fail(err, SST_ERR_GRID, "latitude: row %zu is %.6g, not %.6g as in the first file", row, lat,
                            run->lat[row]);
    }
    return SST_OK;
}

static size_t find_shift(const struct sst_grid *run, const struct sst_grid *file)
{
    size_t best = 0;
    for (size_t col = 1; col < file->n_lon; ++col)
        if (fabs(lon_difference(file->lon[col], run->lon[0])) < fabs(lon_difference(file->lon[best], run->lon[0])))
            best = col;
    return best;
}

/* Nearly all files of a run have the same axes to the bit. */
static bool have_same_axes(const struct sst_grid *run, const struct sst_grid *file)
{
    return memcmp(run->lat, file->lat, run->n_lat * sizeof *run->lat) == 0 &&
           memcmp(run->lon, file->lon, run->n_lon * sizeof *run->lon) == 0;
}

enum sst_status sst_grid_match(const struct sst_grid *run, const struct sst_grid *file, struct sst_grid_map *out,
                               struct sst_error *err)
{
    if (run->n_lat != file->n_lat || run->n_lon != file->n_lon)
        return sst_fail(err, SST_ERR_GRID, "grid of %zu x %zu cells, not %zu x %zu as in the first file", file->n_lat,
                        file->n_lon, run->n_lat, run->n_lon);
    if (have_same_axes(run, file)) {
        *out = (struct sst_grid_map){0};
        return SST_OK;
    }
    const bool flip = lat_goes_up(run) != lat_goes_up(file) && run->n_lat > 1;
    SST_TRY(match_rows(run, file, flip, err));
    const size_t shift = find_shift(run, file);
    for (size_t col = 0; col < run->n_lon; ++col) {
        const double lon = file->lon[(col + shift) % file->n_lon];
        if (fabs(lon_difference(lon, run->lon[col])) > lon_tolerance(run))
            return sst_fail(err, SST_ERR_GRID, "longitude: column %zu is %.6g, not %.6g as in the first file", col, lon,
                            run->lon[col]);
    }
    out->flip_lat = flip;
    out->shift_lon = shift;
    return SST_OK;
}

void sst_domain_all(const struct sst_grid *grid, struct sst_domain *out)
{
    *out = (struct sst_domain){
        .grid = grid, .n_rows = grid->n_lat, .n_cols = grid->n_lon, .n_cells = grid->n_lat * grid->n_lon};
}

static enum sst_status check_box(double west, double south, double east, double north, struct sst_error *err)
{
    if (!isfinite(west) || !isfinite(south) || !isfinite(east) || !isfinite(north) || south > north || south < -90.0 ||
        north > 90.0 || west < LON_MIN || west > LON_MAX || east < LON_MIN || east > LON_MAX || east - west > 360.0)
        return sst_fail(err, SST_ERR_USAGE,
                        "box %g,%g,%g,%g is not WEST,SOUTH,EAST,NORTH in degrees. Example: 140,-45,160,-30", west,
                        south, east, north);
    return SST_OK;
}

static void box_rows(const struct sst_grid *grid, double south, double north, struct sst_domain *out)
{
    const double tolerance = lat_tolerance(grid);
    for (size_t row = 0; row < grid->n_lat; ++row) {
        if (grid->lat[row] < south - tolerance || grid->lat[row] > north + tolerance)
            continue;
        if (out->n_rows++ == 0)
            out->row0 = row;
    }
}

/* A span of meridians: `width` degrees from `west` eastwards. */
struct lon_range {
    double west, width, tolerance;
};

/* Degrees east of the range's western end; a column just west of it by less than the tolerance counts as on it. */
static double east_of_west(const struct lon_range *range, double lon)
{
    return degrees_east(range->west - range->tolerance, lon) - range->tolerance;
}

static bool in_range(const struct lon_range *range, double lon)
{
    return east_of_west(range, lon) <= range->width + range->tolerance;
}

/* Returns the number of runs of columns in the range; `out` gets the start of the last one and the number of columns. */
static size_t box_cols(const struct sst_grid *grid, const struct lon_range *range, struct sst_domain *out)
{
    size_t n_runs = 0, western = 0;
    for (size_t col = 0; col < grid->n_lon; ++col) {
        if (!in_range(range, grid->lon[col]))
            continue;
        const size_t before = col > 0 ? col - 1 : grid->n_lon - 1;
        const bool joins = (col > 0 || grid->wraps) && in_range(range, grid->lon[before]);
        ++out->n_cols;
        if (!joins) {
            ++n_runs;
            out->col0 = col;
        }
        if (east_of_west(range, grid->lon[col]) < east_of_west(range, grid->lon[western]))
            western = col;
    }
    if (n_runs == 0 && out->n_cols > 0) {
        n_runs = 1;
        out->col0 = western;
    }
    return n_runs;
}

enum sst_status sst_domain_box(const struct sst_grid *grid, double west, double south, double east, double north,
                               struct sst_domain *out, struct sst_error *err)
{
    SST_TRY(check_box(west, south, east, north, err));
    struct sst_domain box = {.grid = grid};
    const bool is_global = east - west >= 360.0;
    const struct lon_range range = {
        .west = west, .width = is_global ? 360.0 : degrees_east(west, east), .tolerance = lon_tolerance(grid)};
    box_rows(grid, south, north, &box);
    const size_t n_runs = box_cols(grid, &range, &box);
    if (box.n_rows == 0 || box.n_cols == 0)
        return sst_fail(
            err, SST_ERR_GRID, "box %g,%g,%g,%g holds no cell of the grid (latitude %g..%g, longitude %g..%g)", west,
            south, east, north, grid->lat[0], grid->lat[grid->n_lat - 1], grid->lon[0], grid->lon[grid->n_lon - 1]);
    if (n_runs > 1)
        return sst_fail(
            err, SST_ERR_GRID,
            "box %g,%g,%g,%g takes both ends of a grid that does not go round the globe (longitude %g..%g). "
            "Give two boxes in two runs",
            west, south, east, north, grid->lon[0], grid->lon[grid->n_lon - 1]);
    box.n_cells = box.n_rows * box.n_cols;
    *out = box;
    return SST_OK;
}

double sst_domain_lat(const struct sst_domain *domain, size_t row) { return domain->grid->lat[domain->row0 + row]; }

double sst_domain_lon(const struct sst_domain *domain, size_t col)
{
    const struct sst_grid *grid = domain->grid;
    const double first = grid->lon[domain->col0];
    const double lon = grid->lon[(domain->col0 + col) % grid->n_lon];
    return lon < first ? lon + 360.0 : lon;
}

enum sst_status sst_domain_axes(const struct sst_domain *domain, double **lat, double **lon, struct sst_error *err)
{
    SST_TRY(sst_alloc(domain->n_rows, sizeof **lat, "latitudes", lat, err));
    SST_TRY(sst_alloc(domain->n_cols, sizeof **lon, "longitudes", lon, err));
    for (size_t row = 0; row < domain->n_rows; ++row)
        (*lat)[row] = sst_domain_lat(domain, row);
    for (size_t col = 0; col < domain->n_cols; ++col)
        (*lon)[col] = sst_domain_lon(domain, col);
    return SST_OK;
}

enum sst_status sst_domain_grid(const struct sst_domain *domain, struct sst_grid **out, struct sst_error *err)
{
    double *lat = NULL, *lon = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_domain_axes(domain, &lat, &lon, err));
    SST_TRY_GOTO(sst_grid_create(lat, domain->n_rows, lon, domain->n_cols, out, err));
done:
    sst_free(lat);
    sst_free(lon);
    return rc;
}

static size_t canonical_col(const struct sst_domain *domain, size_t col)
{
    const struct sst_grid *grid = domain->grid;
    return (domain->col0 + col + grid->n_lon - grid->canonical_col) % grid->n_lon;
}

uint64_t sst_domain_canonical(const struct sst_domain *domain, size_t cell)
{
    const struct sst_grid *grid = domain->grid;
    const size_t row = domain->row0 + cell / domain->n_cols;
    const size_t up = lat_goes_up(grid) ? row : grid->n_lat - 1 - row;
    return (uint64_t)up * grid->n_lon + canonical_col(domain, cell % domain->n_cols);
}

void sst_domain_row_weights(const struct sst_domain *domain, double *out)
{
    const double radians = acos(-1.0) / 180.0;
    for (size_t row = 0; row < domain->n_rows; ++row)
        out[row] = fmax(0.0, cos(sst_domain_lat(domain, row) * radians));
}

uint64_t sst_domain_digest(const struct sst_domain *domain, const int16_t *codes)
{
    /* Canonical columns count up along the domain but for one step back to Greenwich: from there on they come first. */
    size_t greenwich = 0;
    for (size_t col = 1; col < domain->n_cols; ++col)
        if (canonical_col(domain, col) < canonical_col(domain, col - 1))
            greenwich = col;
    if (greenwich == 0 && lat_goes_up(domain->grid)) /* in that order already: short rows are not added one by one */
        return XXH3_64bits(codes, domain->n_cells * sizeof *codes);
    XXH3_state_t state;
    (void)XXH3_64bits_reset(&state);
    for (size_t i = 0; i < domain->n_rows; ++i) {
        const size_t row = lat_goes_up(domain->grid) ? i : domain->n_rows - 1 - i;
        const int16_t *values = codes + row * domain->n_cols;
        (void)XXH3_64bits_update(&state, values + greenwich, (domain->n_cols - greenwich) * sizeof *values);
        (void)XXH3_64bits_update(&state, values, greenwich * sizeof *values);
    }
    return XXH3_64bits_digest(&state);
}
