/* The synthetic ocean day by day: noise of several scales on the unchanging maps. */
#include "app/synth_ocean.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "app/synth_maps.h"
#include "core/mem.h"

/* The moving fields. The first five shape anomalies everywhere, the last two only their box. */
enum { FINE, EDDY, WEATHER, BASIN, SLOW, WIND, MEANDER, N_MOVING };

enum target { LARGE, SMALL, WIND_INDEX, MEANDER_INDEX };

struct moving {
    int n_around;
    double knot_days;
    enum target target; /* what it is added to */
    float gain; /* its share of that standard deviation */
    double south, north; /* rows that need it */
};

/*
 * Squares of the gains of one target add up to 1. Knots: a spline over knots of k days is at 0.5 after about k days, so
 * the mix decays as OISST's anomalies do (synth_ocean.h).
 */
static const struct moving MOVING[N_MOVING] = {
    [FINE] = {480, 2.0, SMALL, 0.42F, -90.0, 90.0},
    [EDDY] = {144, 20.0, SMALL, 0.91F, -90.0, 90.0},
    [WEATHER] = {60, 4.0, LARGE, 0.50F, -90.0, 90.0},
    [BASIN] = {20, 60.0, LARGE, 0.65F, -90.0, 90.0},
    [SLOW] = {10, 400.0, LARGE, 0.57F, -90.0, 90.0},
    [WIND] = {60, 6.0, WIND_INDEX, 1.0F, SST_SYNTH_UPWELLING_SOUTH, SST_SYNTH_UPWELLING_NORTH},
    [MEANDER] = {90, 25.0, MEANDER_INDEX, 1.0F, SST_SYNTH_FRONT_SOUTH, SST_SYNTH_FRONT_NORTH},
};
static const float LEAST_FADE = 0.25F; /* of a scale finer than the grid: what is left would be drowned in rounding */

static const float FREEZING = -1.8F, ICE_BELOW = -1.4F; /* [degC] */
static const float LEAST_ICE = 0.15F, ICE_PER_DEGREE = 0.5F; /* below that, OISST has no ice */
enum { LEAST_ICE_SHARE = 15, ICE_ERROR = 10 }; /* [0.01] and [0.01 degC] more */
static const float CONVECTION = 30.0F, CONVECTION_SLOPE = 0.4F; /* [degC] warmer water sheds heat to the clouds */
static const float HIGHEST = 35.5F; /* [degC] */
static const float WIND_THRESHOLD = 0.5F; /* [stddev] the wind that lifts cold water blows three days in ten */
static const float FRONT_WIDTH = 0.06F; /* [stddev of the meander] */
static const double TREND_CENTRE_DAY = 12784.0; /* 1 January 2005 */

/* Marine heatwaves: at most one starts in each box and stretch of days. */
enum { HEAT_COLS = 12, HEAT_ROWS = 7, HEAT_STRETCH_DAYS = 120, MAX_HEAT = 2 * HEAT_COLS * HEAT_ROWS };
static const double HEAT_SOUTH = -63.0, HEAT_BOX_LAT = 18.0, HEAT_BOX_LON = 30.0; /* [degrees] */
static const float HEAT_SHARE = 0.15F;

struct heatwave {
    float lat, lon, radius, cos_lat; /* [degrees] */
    float strength; /* [degC] today, at the centre */
};

/* What is one number for the whole globe on a day. */
struct today {
    float season_cos, season_sin, years, enso;
    struct heatwave heat[MAX_HEAT];
    size_t n_heat;
};

/* One row at a time, n_lon each: it stays in the cache. */
struct row_buffers {
    float *memory; /* what the others point into */
    float *large, *small, *wind, *meander, *heat; /* noise of variance 1, but heat and the finished small [degC] */
    float *usual, *water; /* [degC] */
    float *blend; /* nodes of the widest lattice */
};
enum { N_NOISE_ROWS = 5, N_ROWS = N_NOISE_ROWS + 2 };

struct sst_synth_ocean {
    struct sst_synth_grid grid;
    uint64_t seed;
    struct sst_synth_maps maps;
    struct sst_synth_noise *moving[N_MOVING]; /* NULL where the grid is too coarse or has no such rows */
    float gain[N_MOVING];
    size_t row0[N_MOVING], row1[N_MOVING];
    struct sst_synth_fields fields;
    struct row_buffers row;
};

const char *sst_synth_region_name(enum sst_synth_region region)
{
    static const char *const names[SST_SYNTH_N_REGIONS] = {"land", "upwelling", "front", "enso", "ice", "open"};
    return region >= 0 && region < SST_SYNTH_N_REGIONS ? names[region] : "unknown";
}

static enum sst_status create_row(size_t n_lon, size_t n_nodes, struct row_buffers *row, struct sst_error *err)
{
    float **const rows[N_ROWS] = {&row->large, &row->small, &row->wind, &row->meander,
                                  &row->heat,  &row->usual, &row->water};
    SST_TRY(sst_alloc(N_ROWS * n_lon + n_nodes, sizeof *row->memory, "row buffers", &row->memory, err));
    for (size_t k = 0; k < N_ROWS; ++k)
        *rows[k] = row->memory + k * n_lon;
    row->blend = row->memory + N_ROWS * n_lon;
    return SST_OK;
}

static enum sst_status create_moving(struct sst_synth_ocean *ocean, struct sst_error *err)
{
    const struct sst_synth_grid *grid = &ocean->grid;
    const double d_lon = 360.0 / (double)grid->n_lon, d_lat = (grid->north - grid->south) / (double)grid->n_lat;
    const double cell_degrees = d_lon > d_lat ? d_lon : d_lat;
    size_t most_nodes = 0;
    for (int k = 0; k < N_MOVING; ++k) {
        const struct moving *moving = &MOVING[k];
        const struct sst_synth_scale scale = {moving->n_around, moving->knot_days,
                                              sst_synth_key(ocean->seed, SST_SYNTH_STREAM_ANOMALY + k)};
        const double fade = 360.0 / moving->n_around / cell_degrees;
        sst_synth_grid_band(grid, moving->south, moving->north, &ocean->row0[k], &ocean->row1[k]);
        if (ocean->row0[k] == ocean->row1[k] || fade < (double)LEAST_FADE)
            continue;
        /* The two regional fields make their region what it is: they do not fade. */
        ocean->gain[k] = moving->gain * (fade < 1.0 && k < WIND ? (float)fade : 1.0F);
        SST_TRY(sst_synth_noise_create(&scale, grid, ocean->row0[k], ocean->row1[k], &ocean->moving[k], err));
        const size_t n_nodes = sst_synth_noise_n_nodes(ocean->moving[k]);
        most_nodes = n_nodes > most_nodes ? n_nodes : most_nodes;
    }
    return create_row(grid->n_lon, most_nodes, &ocean->row, err);
}

enum sst_status sst_synth_ocean_create(const struct sst_synth_grid *grid, uint64_t seed, struct sst_synth_ocean **out,
                                       struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const size_t n_cells = grid->n_lat * grid->n_lon;
    struct sst_synth_ocean *ocean = NULL;
    SST_TRY_GOTO(sst_alloc(1, sizeof *ocean, "the ocean", &ocean, err));
    ocean->grid = *grid;
    ocean->seed = seed;
    SST_TRY_GOTO(sst_synth_maps_make(grid, seed, &ocean->maps, err));
    SST_TRY_GOTO(create_moving(ocean, err));
    int16_t **const fields[] = {&ocean->fields.sst, &ocean->fields.anom, &ocean->fields.err, &ocean->fields.ice};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; ++k)
        SST_TRY_GOTO(sst_alloc(n_cells, sizeof **fields[k], "a day's fields", fields[k], err));
    *out = ocean;
    ocean = NULL;
done:
    sst_synth_ocean_destroy(&ocean);
    return rc;
}

void sst_synth_ocean_destroy(struct sst_synth_ocean **ocean)
{
    if (!*ocean)
        return;
    for (int k = 0; k < N_MOVING; ++k)
        sst_synth_noise_destroy(&(*ocean)->moving[k]);
    sst_synth_maps_clear(&(*ocean)->maps);
    sst_free((*ocean)->fields.sst);
    sst_free((*ocean)->fields.anom);
    sst_free((*ocean)->fields.err);
    sst_free((*ocean)->fields.ice);
    sst_free((*ocean)->row.memory);
    sst_free(*ocean);
    *ocean = NULL;
}

const uint8_t *sst_synth_ocean_regions(const struct sst_synth_ocean *ocean) { return ocean->maps.region; }

const struct sst_synth_grid *sst_synth_ocean_grid(const struct sst_synth_ocean *ocean) { return &ocean->grid; }

/* The heatwave of one box and stretch, if it has one and it is on today. */
static bool heatwave_of(uint64_t key, int64_t stretch, int box, int64_t day, struct heatwave *out)
{
    const uint64_t own = sst_synth_hash(sst_synth_hash(key, (uint64_t)stretch), (uint64_t)box);
    float unit[6];
    for (int k = 0; k < 6; ++k)
        unit[k] = sst_synth_unit(sst_synth_hash(own, (uint64_t)k));
    if (unit[0] >= HEAT_SHARE)
        return false;
    const float duration = 14.0F + 76.0F * unit[1];
    const float start = (float)HEAT_STRETCH_DAYS * unit[2];
    const float age = ((float)(day - stretch * HEAT_STRETCH_DAYS) - start) / duration;
    if (age <= 0.0F || age >= 1.0F)
        return false;
    const int row = box / HEAT_COLS;
    const double lat = HEAT_SOUTH + HEAT_BOX_LAT * (row + (double)unit[3]);
    out->lat = (float)lat;
    out->lon = (float)(HEAT_BOX_LON * (box % HEAT_COLS + (double)unit[4]));
    out->radius = 5.0F + 9.0F * unit[5];
    out->cos_lat = (float)sst_synth_cos(lat / 360.0);
    /* x (1-x)^2 peaks after a third of the time, at 4/27: quick onset, slow decay. */
    const float peak = 1.5F + 2.5F * sst_synth_unit(sst_synth_hash(own, 6));
    out->strength = peak * 6.75F * age * (1.0F - age) * (1.0F - age);
    return true;
}

static void look_up(const struct sst_synth_ocean *ocean, int64_t day, struct today *today)
{
    const uint64_t key = sst_synth_key(ocean->seed, SST_SYNTH_STREAM_HEATWAVE);
    const int64_t stretch = (int64_t)floor((double)day / HEAT_STRETCH_DAYS);
    const double turns = ((double)day - SST_SYNTH_WARMEST_DAY) / SST_SYNTH_YEAR_DAYS;
    today->season_cos = (float)sst_synth_cos(turns);
    today->season_sin = (float)sst_synth_cos(turns - 0.25);
    today->years = (float)(((double)day - TREND_CENTRE_DAY) / SST_SYNTH_YEAR_DAYS);
    const float index = sst_synth_series(sst_synth_key(ocean->seed, SST_SYNTH_STREAM_SERIES), 300.0, day);
    today->enso = index + 0.2F * (index * index - 1.0F);
    today->n_heat = 0;
    for (int64_t s = stretch - 1; s <= stretch; ++s)
        for (int box = 0; box < HEAT_ROWS * HEAT_COLS; ++box)
            if (heatwave_of(key, s, box, day, &today->heat[today->n_heat]))
                ++today->n_heat;
}

/* To a float's rounding. Without a comparison, which gcc keeps as a branch since it might trap: loops stay vectors. */
static inline float lower(float a, float b) { return 0.5F * (a + b - fabsf(a - b)); }
static inline float higher(float a, float b) { return 0.5F * (a + b + fabsf(a - b)); }

static void add_heatwave(const struct heatwave *heat, const struct sst_synth_grid *grid, size_t row, float *values)
{
    const float d_lat = (float)sst_synth_grid_lat(grid, row) - heat->lat;
    if (d_lat * d_lat >= heat->radius * heat->radius)
        return;
    const float per_radius = 1.0F / heat->radius, y = d_lat * per_radius;
    const float d_lon = 360.0F / (float)grid->n_lon;
    for (size_t col = 0; col < grid->n_lon; ++col) {
        const float apart = fabsf(((float)col + 0.5F) * d_lon - heat->lon);
        const float x = lower(apart, 360.0F - apart) * heat->cos_lat * per_radius;
        const float inside = higher(1.0F - x * x - y * y, 0.0F);
        values[col] += heat->strength * inside * inside;
    }
}

/* Fills the row buffers with today's noise and heatwaves. */
static void add_noise(struct sst_synth_ocean *ocean, const struct today *today, size_t row)
{
    struct row_buffers *buffers = &ocean->row;
    float *const targets[] = {[LARGE] = buffers->large,
                              [SMALL] = buffers->small,
                              [WIND_INDEX] = buffers->wind,
                              [MEANDER_INDEX] = buffers->meander};
    memset(buffers->memory, 0, N_NOISE_ROWS * ocean->grid.n_lon * sizeof *buffers->memory);
    for (int k = 0; k < N_MOVING; ++k)
        if (ocean->moving[k] && row >= ocean->row0[k] && row < ocean->row1[k])
            sst_synth_noise_add_row(ocean->moving[k], row, ocean->gain[k], buffers->blend, targets[MOVING[k].target]);
    for (size_t k = 0; k < today->n_heat; ++k)
        add_heatwave(&today->heat[k], &ocean->grid, row, buffers->heat);
}

/* Nearest hundredth of a float within +-300. */
static inline int16_t hundredths(float value) { return (int16_t)((int32_t)(value * 100.0F + 32768.5F) - 32768); }

/* The value, or fill where `is_fill` is 1. */
static inline int16_t fill_where(int16_t is_fill, int16_t value)
{
    const int16_t mask = (int16_t)-is_fill;
    return (int16_t)((value & ~mask) | (SST_SYNTH_FILL & mask));
}

/* Water before it freezes, and what is usual for the season, of one row. [degC] */
static void make_water(const struct sst_synth_maps *maps, const struct today *today, size_t n_lon, size_t first,
                       struct row_buffers *row)
{
    /* Local copies: a store to the row could else be a change of these, and the loop would go cell by cell. */
    const float season_cos = today->season_cos, season_sin = today->season_sin, years = today->years,
                enso = today->enso;
    float *restrict usual = row->usual, *restrict water = row->water, *restrict small = row->small;
    for (size_t col = 0; col < n_lon; ++col) {
        const size_t cell = first + col;
        const float lift = higher(row->wind[col] - WIND_THRESHOLD, 0.0F);
        const float side = row->meander[col] / (fabsf(row->meander[col]) + FRONT_WIDTH);
        usual[col] = maps->mean[cell] + maps->season_cos[cell] * season_cos + maps->season_sin[cell] * season_sin;
        small[col] *= maps->eddies[cell];
        water[col] = usual[col] + maps->trend[cell] * years + maps->spread[cell] * row->large[col] + small[col] +
                     maps->enso[cell] * enso + row->heat[col] - maps->upwelling[cell] * lift + maps->front[cell] * side;
    }
}

/* Freezes, damps and rounds one row. */
static void pack_row(const struct sst_synth_maps *maps, size_t n_lon, size_t first, const struct row_buffers *row,
                     const struct sst_synth_fields *fields)
{
    for (size_t col = 0; col < n_lon; ++col) {
        const size_t cell = first + col;
        const float water = row->water[col];
        const float ice = LEAST_ICE + (ICE_BELOW - water) * ICE_PER_DEGREE;
        /* Leads open and close: even the thickest pack is not a flat 100 %. */
        const float pack = 0.99F - 0.03F * row->large[col] * row->large[col];
        const float damped = CONVECTION + CONVECTION_SLOPE * (water - CONVECTION);
        const int16_t sst = hundredths(higher(lower(lower(water, damped), HIGHEST), FREEZING));
        const int16_t anomaly = (int16_t)(sst - hundredths(higher(row->usual[col], FREEZING)));
        const int16_t share = hundredths(lower(ice, pack));
        const int16_t error = hundredths(maps->error[cell] + 0.1F * fabsf(row->small[col]));
        const int16_t is_land = maps->region[cell] == SST_SYNTH_LAND, has_ice = share >= LEAST_ICE_SHARE;
        fields->sst[cell] = fill_where(is_land, sst);
        fields->anom[cell] = fill_where(is_land, anomaly);
        fields->err[cell] = fill_where(is_land, (int16_t)(error + ICE_ERROR * has_ice));
        fields->ice[cell] = fill_where((int16_t)(is_land | !has_ice), share);
    }
}

const struct sst_synth_fields *sst_synth_ocean_day(struct sst_synth_ocean *ocean, int64_t day)
{
    struct today today;
    const size_t n_lat = ocean->grid.n_lat, n_lon = ocean->grid.n_lon;
    look_up(ocean, day, &today);
    for (int k = 0; k < N_MOVING; ++k)
        if (ocean->moving[k])
            sst_synth_noise_set_day(ocean->moving[k], day);
    for (size_t row = 0; row < n_lat; ++row) {
        add_noise(ocean, &today, row);
        make_water(&ocean->maps, &today, n_lon, row * n_lon, &ocean->row);
        pack_row(&ocean->maps, n_lon, row * n_lon, &ocean->row, &ocean->fields);
    }
    return &ocean->fields;
}
