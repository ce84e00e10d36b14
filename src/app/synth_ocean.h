/*
 * The ocean behind `sststream synth`: a planet made from a seed, with the kinds of SST that are hard for a climatology.
 *
 *   T = mean + season + trend + spread x large + eddies x small + ENSO + heatwaves - upwelling + front
 *       then: above 30 degC damped to four tenths, below -1.80 degC frozen to -1.80, rounded to 0.01
 *
 * Land is where a noise of six scales is highest: 33 % of a regular grid's cells, a cap at the south pole, none at the
 * north pole, little in the far south; the boxes below are kept wet, with a coast east of the upwelling. Every seed has
 * its own continents, eddies and years; the boxes stand still:
 *
 *   region      where                                  what a pool of 30 years x 11 days looks like
 *   LAND        noise                                  no value
 *   UPWELLING   28..6 S, 276..288 E                    skewness about -2: cold events below a short upper tail
 *   FRONT       34..46 N, 146..178 E                   two peaks 5 degC apart as the front meanders; kurtosis under -1.2
 *   ENSO        8 S..8 N, 190..270 E                   years differ by degrees, warm ones more
 *   ICE         climatology freezes in some month      piles up at -1.80; ice is given where T < -1.4 before freezing
 *   OPEN        all else                               near normal, spread 0.4..1.2 degC, warming
 *
 * Anomalies have scales of 0.75 to 36 degrees and 2 to 400 days (decorrelation as in OISST cells off Tasmania: 0.96
 * after a day, 0.64 after ten, 0.25 after sixty). Scales finer than the grid fade, as in a mean over a cell. Warming is
 * 0.02 degC a year about 2005, within a factor of two by place. Marine heatwaves of 1.5 to 4 degC and two weeks to three
 * months come by hash of place and season.
 */
#ifndef SST_APP_SYNTH_OCEAN_H
#define SST_APP_SYNTH_OCEAN_H

#include <stddef.h>
#include <stdint.h>

#include "app/synth_noise.h"
#include "core/status.h"

enum sst_synth_region {
    SST_SYNTH_LAND,
    SST_SYNTH_UPWELLING,
    SST_SYNTH_FRONT,
    SST_SYNTH_ENSO,
    SST_SYNTH_ICE,
    SST_SYNTH_OPEN,
    SST_SYNTH_N_REGIONS
};

/* "land", "upwelling", ... Never NULL. */
const char *sst_synth_region_name(enum sst_synth_region region);

/* Fill of all four variables, as in OISST. */
enum { SST_SYNTH_FILL = -999 };

/* One day, n_lat x n_lon each, south row first, in hundredths; SST_SYNTH_FILL where there is nothing. */
struct sst_synth_fields {
    int16_t *sst; /* [0.01 degC] */
    int16_t *anom; /* [0.01 degC] sst less the climatology without trend */
    int16_t *err; /* [0.01 degC] */
    int16_t *ice; /* [0.01] share of the cell; fill below 0.15 */
};

struct sst_synth_ocean;

/*
 * Makes the planet of a seed on a grid.
 *
 * Owner    the caller; sst_synth_ocean_destroy.
 * Errors   SST_ERR_NOMEM.
 * Cost     about 48 bytes a cell.
 */
SST_MUST_CHECK enum sst_status sst_synth_ocean_create(const struct sst_synth_grid *grid, uint64_t seed,
                                                      struct sst_synth_ocean **out, struct sst_error *err);
void sst_synth_ocean_destroy(struct sst_synth_ocean **ocean);

/* Region of each cell, enum sst_synth_region; belongs to the ocean. */
const uint8_t *sst_synth_ocean_regions(const struct sst_synth_ocean *ocean);

const struct sst_synth_grid *sst_synth_ocean_grid(const struct sst_synth_ocean *ocean);

/* One day (days since 1970-01-01), which belongs to the ocean and lives until the next call. */
const struct sst_synth_fields *sst_synth_ocean_day(struct sst_synth_ocean *ocean, int64_t day);

#endif
