/* What the files of the climatology reader share: one open file, its axes, and its variables. */
#ifndef SST_WRITE_CLIM_NC_READ_PRIVATE_H
#define SST_WRITE_CLIM_NC_READ_PRIVATE_H

#include <netcdf.h>

#include "write/clim_nc_read.h"

enum { SST_CLIM_READ_MAX_RANK = 8, SST_CLIM_READ_MAX_FILLS = 8, SST_CLIM_READ_TEXT_SIZE = 256 };

/* The dimensions of daily fields; -1: there is none. */
struct sst_clim_dims {
    int lat, lon, day;
};

/* One file while it is open. */
struct sst_clim_nc {
    int ncid; /* -1: none */
    struct sst_clim_dims dims;
    size_t n_days, n_lat, n_lon; /* n_days 1 without a dimension of days */
};

/* A variable of daily fields and the steps of it that were read last. */
struct sst_clim_variable {
    char name[NC_MAX_NAME + 1]; /* "" where there is none */
    char units[SST_CLIM_READ_TEXT_SIZE];
    int id, rank;
    int day_at, lat_at, lon_at; /* places among its dimensions; day_at -1 without */
    double scale, offset; /* [degC] = raw * scale + offset */
    double wrap; /* 2^bits where negative values are meant as unsigned ones, else 0 */
    double fills[SST_CLIM_READ_MAX_FILLS]; /* as they are stored */
    size_t n_fills;
    double *block; /* raw values in the file's order */
    size_t block_steps; /* read together */
    size_t first, n_held; /* steps in the block */
};

/* --- attributes --------------------------------------------------------------------------------------------------- */

/* Text of an attribute (char or string); "" where there is none. Returns out. */
const char *sst_clim_nc_text(int ncid, int varid, const char *name, char *out, size_t size);

/* Numbers of an attribute, at most `most`; 0 where there is none or it is a text. */
size_t sst_clim_nc_numbers(int ncid, int varid, const char *name, double *out, size_t most);

bool sst_clim_nc_is_number(nc_type type);

/* --- axes --------------------------------------------------------------------------------------------------------- */

/* Finds the dimensions by coordinates and names. Errors: SST_ERR_INPUT. */
SST_MUST_CHECK enum sst_status sst_clim_nc_find_dims(struct sst_clim_nc *nc, struct sst_error *err);

/* Whether a variable holds numbers on these dimensions, others having one item. */
bool sst_clim_nc_is_field(const struct sst_clim_nc *nc, int varid);

/* Errors: SST_ERR_GRID, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_clim_nc_read_grid(const struct sst_clim_nc *nc, struct sst_grid **out,
                                                     struct sst_error *err);

/* What the steps of a file are of. */
struct sst_clim_days {
    enum sst_clim_axis axis;
    enum sst_calendar_kind calendar;
    int *slots; /* by step */
};

/* Owner: the caller, sst_free(out->slots). Errors: SST_ERR_TIME, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_clim_nc_read_days(const struct sst_clim_nc *nc, struct sst_clim_days *out,
                                                     struct sst_error *err);

/* --- variables ---------------------------------------------------------------------------------------------------- */

/* Which variable to read, and how. */
struct sst_clim_request {
    const char *name;
    bool is_temperature; /* else numbers as they are */
    const char *units; /* in place of the file's, or NULL */
    const char *units_option; /* for remedies, or NULL */
};

/* Prepares to read a variable; `out` is cleared first, so it may have been of another file. Errors: SST_ERR_INPUT. */
SST_MUST_CHECK enum sst_status sst_clim_variable_open(const struct sst_clim_nc *nc,
                                                      const struct sst_clim_request *request,
                                                      struct sst_clim_variable *out, struct sst_error *err);
void sst_clim_variable_clear(struct sst_clim_variable *variable);

/* A step in domain order; NaN where there is no value. Errors: SST_ERR_INPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_clim_variable_get(const struct sst_clim_nc *nc, struct sst_clim_variable *variable,
                                                     size_t step, const struct sst_domain *domain,
                                                     const struct sst_grid_map *map, double *out,
                                                     struct sst_error *err);

/* --- choice ------------------------------------------------------------------------------------------------------- */

/* The percentile that a name tells: sst_p90, p97p5, thresh90; NaN for other names. [percent] */
double sst_clim_name_percentile(const char *name);

/*
 * The name of the variable that a choice means, into a buffer of NC_MAX_NAME + 1: "" where the file has none.
 *
 * Errors   SST_ERR_INPUT
 */
SST_MUST_CHECK enum sst_status sst_clim_nc_choose(const struct sst_clim_nc *nc, enum sst_clim_field field,
                                                  const struct sst_clim_choice *choice, char *name,
                                                  struct sst_error *err);

#endif
