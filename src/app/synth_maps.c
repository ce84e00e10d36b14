/* The unchanging maps of the synthetic ocean, made from latitude tables, smooth boxes and static noise. */
#include "app/synth_maps.h"

#include <stdlib.h>
#include <string.h>

#include "app/synth_ocean.h"
#include "core/mem.h"

/* Tables by latitude, every 10 degrees from 90 S to 90 N: round numbers near the zonal means of observed SST. */
enum { N_KNOTS = 19 };

/* [degC]; below -1.8 it is the cold that makes ice. */
static const float MEAN_BY_LAT[N_KNOTS] = {-7.0F, -5.0F, -2.6F, 0.3F,  6.0F, 13.0F, 19.5F, 24.2F, 26.9F, 27.3F,
                                           27.9F, 26.2F, 21.8F, 15.0F, 9.0F, 4.8F,  -0.3F, -4.5F, -7.0F};
/* [degC] amplitude of the yearly cycle; negative: the southern summer. */
static const float SEASON_BY_LAT[N_KNOTS] = {-0.5F, -1.0F, -1.8F, -1.5F, -1.6F, -2.3F, -2.6F, -1.9F, -1.2F, -0.1F,
                                             0.8F,  1.9F,  3.4F,  4.8F,  4.2F,  3.6F,  2.6F,  1.8F,  0.8F};
/* [degC] standard deviation of the large-scale anomalies. */
static const float SPREAD_BY_LAT[N_KNOTS] = {0.30F, 0.35F, 0.45F, 0.50F, 0.65F, 0.75F, 0.65F, 0.50F, 0.45F, 0.45F,
                                             0.45F, 0.50F, 0.65F, 0.85F, 0.85F, 0.75F, 0.60F, 0.40F, 0.30F};
/* What is added to the land noise, in its standard deviations. */
static const float LAND_BY_LAT[N_KNOTS] = {6.0F, 4.5F, 1.6F, -2.6F, -1.6F, -0.7F, -0.2F, 0.0F,  0.0F, 0.0F,
                                           0.0F, 0.2F, 0.4F, 0.5F,  0.7F,  0.9F,  0.6F,  -1.2F, -3.0F};

/* Land and water by cells, as in OISST's mask (345,650 of 1,036,800 cells are land). */
static const double LAND_SHARE = 0.333;
/* The grid on which the land threshold is found, so that one seed has one coastline whatever the grid. */
static const struct sst_synth_grid REFERENCE_GRID = {180, 90, -90.0, 90.0};

/* A rectangle that is 1 inside and falls to 0 within `ramp` degrees outside. */
struct box {
    float west, east, south, north, ramp;
};

static const struct box UPWELLING_BOX = {276.0F, 288.0F, -28.0F, -6.0F, 4.0F};
static const struct box UPWELLING_COAST = {290.0F, 297.0F, -30.0F, -2.0F, 2.0F};
static const struct box FRONT_BOX = {146.0F, 178.0F, 34.0F, 46.0F, 5.0F};
static const struct box ENSO_BOX = {190.0F, 270.0F, -8.0F, 8.0F, 12.0F};
static const float DEEP_WATER = 8.0F; /* beyond any value of the land noise */

static float table_at(const float *table, double lat)
{
    const double position = (lat + 90.0) / 10.0 - 0.5;
    const struct sst_synth_tap tap = sst_synth_tap_at(position);
    float sum = 0.0F;
    for (int k = 0; k < 3; ++k) {
        const int knot = tap.at + k < 0 ? 0 : tap.at + k >= N_KNOTS ? N_KNOTS - 1 : tap.at + k;
        sum += tap.weight[k] * table[knot];
    }
    return sum;
}

static float smooth_step(float x)
{
    const float t = x < 0.0F ? 0.0F : x > 1.0F ? 1.0F : x;
    return t * t * (3.0F - 2.0F * t);
}

static float within(float x, float low, float high, float ramp)
{
    return smooth_step((x - low) / ramp + 1.0F) * smooth_step((high - x) / ramp + 1.0F);
}

static float box_weight(const struct box *box, float lat, float lon)
{
    return within(lon, box->west, box->east, box->ramp) * within(lat, box->south, box->north, box->ramp);
}

void sst_synth_grid_band(const struct sst_synth_grid *grid, double south, double north, size_t *row0, size_t *row1)
{
    *row0 = 0;
    while (*row0 < grid->n_lat && sst_synth_grid_lat(grid, *row0) < south)
        ++*row0;
    *row1 = *row0;
    while (*row1 < grid->n_lat && sst_synth_grid_lat(grid, *row1) <= north)
        ++*row1;
}

/* One static field to be added to a map. */
struct texture {
    int n_around;
    float gain;
};

/* Adds static noise of several scales; each has the next number from `stream` on. */
static enum sst_status add_textures(const struct sst_synth_grid *grid, uint64_t seed, int stream,
                                    const struct texture *textures, int n_textures, float *map, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_synth_noise *noise = NULL;
    float *blend = NULL;
    for (int k = 0; k < n_textures; ++k) {
        const struct sst_synth_scale scale = {textures[k].n_around, 0.0, sst_synth_key(seed, stream + k)};
        SST_TRY_GOTO(sst_synth_noise_create(&scale, grid, 0, grid->n_lat, &noise, err));
        SST_TRY_GOTO(sst_alloc(sst_synth_noise_n_nodes(noise), sizeof *blend, "noise scratch", &blend, err));
        for (size_t row = 0; row < grid->n_lat; ++row)
            sst_synth_noise_add_row(noise, row, textures[k].gain, blend, map + row * grid->n_lon);
        sst_free(blend);
        blend = NULL;
        sst_synth_noise_destroy(&noise);
    }
done:
    sst_free(blend);
    sst_synth_noise_destroy(&noise);
    return rc;
}

/* How much land a cell is; zeroed map in. The highest third of the planet is land. */
static enum sst_status land_index(const struct sst_synth_grid *grid, uint64_t seed, float *map, struct sst_error *err)
{
    static const struct texture scales[] = {{9, 1.0F}, {24, 0.6F}, {60, 0.3F}, {180, 0.15F}, {480, 0.07F}};
    SST_TRY(add_textures(grid, seed, SST_SYNTH_STREAM_LAND, scales, (int)(sizeof scales / sizeof *scales), map, err));
    for (size_t row = 0; row < grid->n_lat; ++row) {
        const float lat = (float)sst_synth_grid_lat(grid, row), bias = table_at(LAND_BY_LAT, (double)lat);
        for (size_t col = 0; col < grid->n_lon; ++col) {
            const float lon = (float)sst_synth_grid_lon(grid, col);
            const float wet = box_weight(&UPWELLING_BOX, lat, lon) + box_weight(&FRONT_BOX, lat, lon) +
                              box_weight(&ENSO_BOX, lat, lon);
            float *index = &map[row * grid->n_lon + col];
            *index += bias - DEEP_WATER * wet + DEEP_WATER * box_weight(&UPWELLING_COAST, lat, lon) * (1.0F - wet);
        }
    }
    return SST_OK;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static enum sst_status land_threshold(uint64_t seed, float *threshold, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const size_t n_cells = REFERENCE_GRID.n_lat * REFERENCE_GRID.n_lon;
    float *index = NULL;
    SST_TRY_GOTO(sst_alloc(n_cells, sizeof *index, "the land map", &index, err));
    SST_TRY_GOTO(land_index(&REFERENCE_GRID, seed, index, err));
    qsort(index, n_cells, sizeof *index, compare_floats);
    *threshold = index[(size_t)((1.0 - LAND_SHARE) * (double)n_cells)];
done:
    sst_free(index);
    return rc;
}

static float clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

/* Fills in one cell. On entry the maps hold static noise of variance 1 (mean: [degC]); `row` holds the tables. */
static void shape_cell(const struct sst_synth_maps *maps, size_t cell, float lat, float lon, const float *row)
{
    const float upwelling = box_weight(&UPWELLING_BOX, lat, lon), front = box_weight(&FRONT_BOX, lat, lon);
    const float calm = 1.0F - 0.75F * upwelling - 0.7F * front;
    const float season = row[1] * clamp(1.0F + 0.15F * maps->season_cos[cell], 0.6F, 1.4F);
    /* The warmest day shifts by some 10 days: 0.17 of a radian. */
    maps->season_sin[cell] = season * 0.17F * clamp(maps->season_sin[cell], -2.0F, 2.0F);
    maps->season_cos[cell] = season;
    maps->mean[cell] += row[0] - 2.0F * upwelling;
    maps->trend[cell] = 0.02F * clamp(1.0F + 0.4F * maps->trend[cell], 0.0F, 2.0F);
    maps->spread[cell] = row[2] * clamp(1.0F + 0.2F * maps->spread[cell], 0.5F, 1.6F) * calm;
    /* Squared noise: wide calm waters and a few streets of eddies, as behind western boundary currents. */
    maps->eddies[cell] = (0.15F + 0.34F * maps->eddies[cell] * maps->eddies[cell]) * calm;
    const float pacific = box_weight(&ENSO_BOX, lat, lon);
    maps->enso[cell] = (1.3F * pacific + 0.2F * (1.0F - pacific) * maps->enso[cell]) * calm;
    maps->upwelling[cell] = 3.0F * upwelling;
    maps->front[cell] = 2.5F * front;
    maps->error[cell] = clamp(0.17F + 0.05F * maps->error[cell], 0.05F, 0.4F);
    enum sst_synth_region region = SST_SYNTH_OPEN;
    if (maps->mean[cell] - (season < 0.0F ? -season : season) < -1.8F)
        region = SST_SYNTH_ICE;
    if (pacific == 1.0F)
        region = SST_SYNTH_ENSO;
    if (upwelling == 1.0F)
        region = SST_SYNTH_UPWELLING;
    if (front == 1.0F)
        region = SST_SYNTH_FRONT;
    maps->region[cell] = (uint8_t)region;
}

static enum sst_status allocate(struct sst_synth_maps *maps, size_t n_cells, struct sst_error *err)
{
    float **const planes[] = {&maps->mean,   &maps->season_cos, &maps->season_sin, &maps->trend, &maps->spread,
                              &maps->eddies, &maps->enso,       &maps->upwelling,  &maps->front, &maps->error};
    SST_TRY(sst_alloc(n_cells, sizeof *maps->region, "the region map", &maps->region, err));
    for (size_t k = 0; k < sizeof planes / sizeof *planes; ++k)
        SST_TRY(sst_alloc(n_cells, sizeof **planes[k], "the ocean's maps", planes[k], err));
    return SST_OK;
}

static enum sst_status texture_maps(const struct sst_synth_grid *grid, uint64_t seed, struct sst_synth_maps *maps,
                                    struct sst_error *err)
{
    static const struct texture mean[] = {{14, 1.1F}, {48, 0.4F}, {160, 0.12F}};
    static const struct texture broad[] = {{16, 1.0F}};
    float *const broad_maps[] = {maps->season_cos, maps->season_sin, maps->trend,
                                 maps->spread,     maps->enso,       maps->error};
    static const struct texture eddy[] = {{24, 0.85F}, {72, 0.53F}};
    SST_TRY(add_textures(grid, seed, SST_SYNTH_STREAM_MEAN, mean, 3, maps->mean, err));
    for (int k = 0; k < 6; ++k)
        SST_TRY(add_textures(grid, seed, SST_SYNTH_STREAM_SEASON + k, broad, 1, broad_maps[k], err));
    return add_textures(grid, seed, SST_SYNTH_STREAM_STRENGTH, eddy, 2, maps->eddies, err);
}

enum sst_status sst_synth_maps_make(const struct sst_synth_grid *grid, uint64_t seed, struct sst_synth_maps *maps,
                                    struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    float threshold = 0.0F;
    float *land = NULL;
    SST_TRY_GOTO(allocate(maps, grid->n_lat * grid->n_lon, err));
    SST_TRY_GOTO(texture_maps(grid, seed, maps, err));
    SST_TRY_GOTO(land_threshold(seed, &threshold, err));
    SST_TRY_GOTO(sst_alloc(grid->n_lat * grid->n_lon, sizeof *land, "the land map", &land, err));
    SST_TRY_GOTO(land_index(grid, seed, land, err));
    for (size_t row = 0; row < grid->n_lat; ++row) {
        const double lat = sst_synth_grid_lat(grid, row);
        const float tables[] = {table_at(MEAN_BY_LAT, lat), table_at(SEASON_BY_LAT, lat), table_at(SPREAD_BY_LAT, lat)};
        for (size_t col = 0; col < grid->n_lon; ++col) {
            const size_t cell = row * grid->n_lon + col;
            shape_cell(maps, cell, (float)lat, (float)sst_synth_grid_lon(grid, col), tables);
            if (land[cell] > threshold)
                maps->region[cell] = SST_SYNTH_LAND;
        }
    }
done:
    sst_free(land);
    return rc;
}

void sst_synth_maps_clear(struct sst_synth_maps *maps)
{
    float *const planes[] = {maps->mean,   maps->season_cos, maps->season_sin, maps->trend, maps->spread,
                             maps->eddies, maps->enso,       maps->upwelling,  maps->front, maps->error};
    sst_free(maps->region);
    for (size_t k = 0; k < sizeof planes / sizeof *planes; ++k)
        sst_free(planes[k]);
    memset(maps, 0, sizeof *maps);
}
