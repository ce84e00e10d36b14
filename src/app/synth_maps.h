/* What of the synthetic ocean does not change with time: land, climatology and the strength of each process, by cell. */
#ifndef SST_APP_SYNTH_MAPS_H
#define SST_APP_SYNTH_MAPS_H

#include <stdint.h>

#include "app/synth_noise.h"
#include "core/status.h"

/* Numbers of the noise fields; with the seed they make the keys. */
enum sst_synth_stream {
    SST_SYNTH_STREAM_LAND,
    SST_SYNTH_STREAM_MEAN = 8,
    SST_SYNTH_STREAM_SEASON = 16,
    SST_SYNTH_STREAM_STRENGTH = 24,
    SST_SYNTH_STREAM_ANOMALY = 32,
    SST_SYNTH_STREAM_SERIES = 48,
    SST_SYNTH_STREAM_HEATWAVE,
    SST_SYNTH_STREAM_GAPS
};

static inline uint64_t sst_synth_key(uint64_t seed, int stream)
{
    return sst_synth_hash(sst_synth_hash(UINT64_C(0x5353542D73796E74), seed), (uint64_t)stream);
}

/* Days of a year on average, and the day (of 1970) on which the northern summer's SST is highest. */
#define SST_SYNTH_YEAR_DAYS 365.2425
#define SST_SYNTH_WARMEST_DAY 243.0

/* One value a cell each, n_lat x n_lon. */
struct sst_synth_maps {
    uint8_t *region; /* enum sst_synth_region */
    float *mean; /* [degC], colder than freezing where ice never melts */
    float *season_cos, *season_sin; /* [degC] of the angle since the warmest day in the north */
    float *trend; /* [degC/year] */
    float *spread; /* [degC] standard deviation of the large scales */
    float *eddies; /* [degC] standard deviation of the small scales */
    float *enso; /* [degC] for an index of 1 */
    float *upwelling; /* [degC] cooling for each unit of the wind index above its threshold */
    float *front; /* [degC] half the step */
    float *error; /* [degC] */
};

/* Errors: SST_ERR_NOMEM, after which *maps must be cleared all the same. */
SST_MUST_CHECK enum sst_status sst_synth_maps_make(const struct sst_synth_grid *grid, uint64_t seed,
                                                   struct sst_synth_maps *maps, struct sst_error *err);
void sst_synth_maps_clear(struct sst_synth_maps *maps);

/* The rows of a grid whose centres lie between two latitudes: [*row0, *row1). */
void sst_synth_grid_band(const struct sst_synth_grid *grid, double south, double north, size_t *row0, size_t *row1);

/* Latitudes outside which nothing wells up, and no front is. */
#define SST_SYNTH_UPWELLING_SOUTH (-32.0)
#define SST_SYNTH_UPWELLING_NORTH (-2.0)
#define SST_SYNTH_FRONT_SOUTH 29.0
#define SST_SYNTH_FRONT_NORTH 51.0

#endif
