/*
 * Reads climatologies, ours and other tools': the percentile and the mean of each calendar day, whatever the names of the
 * variables, the order of dimensions, the packing, the units, and the way in which days are counted.
 *
 *   open ──▶ grid, days, candidates ──▶ choose variables ──▶ one slot at a time, in domain order, in degC
 *
 * A path may be a file, or a folder of files that hold the days between them (`run --split`).
 */
#ifndef SST_WRITE_CLIM_NC_READ_H
#define SST_WRITE_CLIM_NC_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/grid.h"
#include "core/status.h"

enum sst_clim_field { SST_CLIM_PERCENTILE, SST_CLIM_MEAN, SST_N_CLIM_FIELDS };

/* How a file says which calendar day a step is of. */
enum sst_clim_axis {
    SST_CLIM_AXIS_TIME, /* CF time in some nominal year: its month and day */
    SST_CLIM_AXIS_MONTH_DAY, /* 101 .. 1231 */
    SST_CLIM_AXIS_DAY_OF_YEAR, /* 1 .. 366, where 60 is 29 February; 1 .. 365 of years without it; 1 .. 360 */
    SST_CLIM_AXIS_PLACE /* nothing but 366, 365 or 360 steps */
};

enum { SST_CLIM_MAX_PERCENTILES = 16 };

/* Texts and arrays belong to the reader and live until it is closed. */
struct sst_clim_read_info {
    const char *path;
    const char *title, *climatology_id; /* global attributes; "" if none */
    const char *percentile_method, *baseline_period; /* likewise; the second as "1991-2020" where it is ours */
    const struct sst_grid *grid;
    enum sst_calendar_kind calendar; /* of the slots: SST_CALENDAR_360_DAY, else SST_CALENDAR_STANDARD */
    enum sst_clim_axis axis;
    bool has_slot[SST_N_SLOTS + 1];
    int n_slots; /* that it has */
    double percentiles[SST_CLIM_MAX_PERCENTILES]; /* [percent] that names tell (sst_p90, p97p5); at most so many */
    size_t n_percentiles;
    bool has_flags; /* a quality_flag of ours stands beside the values */
    /* Once chosen: */
    const char *variables[SST_N_CLIM_FIELDS]; /* "" where there is none */
    const char *units[SST_N_CLIM_FIELDS]; /* as the file or the choice has them; "" if none: taken as degC */
    double percentile; /* [percent] of the variable chosen; NaN where no name tells */
};

/* What a caller wants; texts may be NULL and are borrowed for the call. */
struct sst_clim_choice {
    const char *variables[SST_N_CLIM_FIELDS]; /* by name; NULL: found */
    const char *units; /* in place of the file's: kelvin or Celsius in any usual spelling */
    double percentile; /* [percent] wanted among several; NaN: whichever there is */
    /* Options of the program that say the same, for remedies in messages; NULL: none. They outlive the reader. */
    const char *variable_options[SST_N_CLIM_FIELDS], *units_option;
};

struct sst_clim_reader;

/*
 * Opens a climatology and reads its grid and days.
 *
 * Owner    the caller; sst_clim_read_close. `*out` is untouched on failure.
 * Errors   SST_ERR_INPUT, SST_ERR_GRID, SST_ERR_TIME with file, object, reason, remedy: not netCDF, no variable on a grid of
 *          latitudes and longitudes by calendar day, days that are doubled or cannot be told, two-dimensional coordinates;
 *          SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_clim_read_open(const char *path, struct sst_clim_reader **out,
                                                  struct sst_error *err);
void sst_clim_read_close(struct sst_clim_reader **reader);

const struct sst_clim_read_info *sst_clim_read_info(const struct sst_clim_reader *reader);

/*
 * Chooses variables: those that are named; else sst_pNN and sst_mean; else names of other tools (thresh, seas, p90, ...);
 * else, as percentile, the only variable that there is (CDO keeps the name of its input). One of the two may be absent.
 *
 * Errors   SST_ERR_INPUT where a name does not exist or is of other dimensions, units are no temperature's, nothing is found,
 *          or several would do: the message lists them.
 */
SST_MUST_CHECK enum sst_status sst_clim_read_choose(struct sst_clim_reader *reader,
                                                    const struct sst_clim_choice *choice, struct sst_error *err);

/*
 * The values of a slot in the order of a domain.
 *
 * map      from sst_grid_match of the domain's grid and this file's.
 * out      [degC] domain->n_cells, overwritten: NaN where there is none. All NaN where the variable or the slot is absent.
 * Errors   SST_ERR_INPUT where the data cannot be read, or a value is no sea's temperature.
 * Cost     reads as many steps at a time as a chunk of the file spans, within SST_CLIM_READ_BLOCK_BYTES; the steps of a block
 *          that are asked for in order are read once.
 */
SST_MUST_CHECK enum sst_status sst_clim_read_get(struct sst_clim_reader *reader, enum sst_clim_field field, int slot,
                                                 const struct sst_domain *domain, const struct sst_grid_map *map,
                                                 double *out, struct sst_error *err);

/* The same of quality_flag; 0 everywhere where there is none. */
SST_MUST_CHECK enum sst_status sst_clim_read_flags(struct sst_clim_reader *reader, int slot,
                                                   const struct sst_domain *domain, const struct sst_grid_map *map,
                                                   uint16_t *out, struct sst_error *err);

/* Steps that are read together take no more than this for each variable, a single one excepted. [bytes] */
#define SST_CLIM_READ_BLOCK_BYTES ((size_t)128 << 20)

#endif
