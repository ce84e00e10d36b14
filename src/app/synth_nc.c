/* Writes synthetic days. A home of netcdf.h, as the readers and the climatology writer are. */
#include "app/synth_nc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <netcdf.h>

#include "core/mem.h"

enum { TIME, ZLEV, LAT, LON, N_DIMS };
enum { N_FIELDS = 4, DEFLATE_LEVEL = 4, DAYS_1970_TO_1978 = 2922 };

/* One packed variable; texts and limits are those of OISST v2.1, whose ice is a share though its unit says percent. */
struct field_layout {
    const char *name, *long_name, *units;
    int16_t valid_min, valid_max;
};

static const struct field_layout FIELDS[N_FIELDS] = {
    {"sst", "Daily sea surface temperature", "Celsius", -300, 4500},
    {"anom", "Daily sea surface temperature anomalies", "Celsius", -1200, 1200},
    {"err", "Estimated error standard deviation of analysed_sst", "Celsius", 0, 1000},
    {"ice", "Sea ice concentration", "%", 0, 100},
};

#define NC_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const int nc_rc_ = (call);                                                                                     \
        if (nc_rc_ != NC_NOERR)                                                                                        \
            return nc_rc_;                                                                                             \
    } while (0)

static int put_text(int nc, int var, const char *name, const char *text)
{
    return nc_put_att_text(nc, var, name, strlen(text), text);
}

static int define_axes(int nc, const struct sst_synth_grid *grid, int dims[N_DIMS], int axes[N_DIMS])
{
    static const char *const texts[N_DIMS][3] = {
        [TIME] = {"time", "Center time of the day", "days since 1978-01-01 12:00:00"},
        [ZLEV] = {"zlev", "Sea surface height", "meters"},
        [LAT] = {"lat", "Latitude", "degrees_north"},
        [LON] = {"lon", "Longitude", "degrees_east"},
    };
    const size_t sizes[N_DIMS] = {NC_UNLIMITED, 1, grid->n_lat, grid->n_lon};
    for (int k = 0; k < N_DIMS; ++k) {
        NC_TRY(nc_def_dim(nc, texts[k][0], sizes[k], &dims[k]));
        NC_TRY(nc_def_var(nc, texts[k][0], NC_FLOAT, 1, &dims[k], &axes[k]));
        NC_TRY(put_text(nc, axes[k], "long_name", texts[k][1]));
        NC_TRY(put_text(nc, axes[k], "units", texts[k][2]));
    }
    /* One step a chunk: the library's own choice for an unlimited dimension is 1 MiB. */
    const size_t one = 1;
    NC_TRY(nc_def_var_chunking(nc, axes[TIME], NC_CHUNKED, &one));
    return put_text(nc, axes[ZLEV], "actual_range", "0, 0");
}

static int define_field(int nc, const struct field_layout *layout, const struct sst_synth_grid *grid,
                        const int dims[N_DIMS], int *var)
{
    const size_t chunk[N_DIMS] = {1, 1, grid->n_lat, grid->n_lon};
    const int16_t fill = SST_SYNTH_FILL;
    const float offset = 0.0F, scale = 0.01F;
    NC_TRY(nc_def_var(nc, layout->name, NC_SHORT, N_DIMS, dims, var));
    NC_TRY(nc_def_var_chunking(nc, *var, NC_CHUNKED, chunk));
    NC_TRY(nc_def_var_deflate(nc, *var, 1, 1, DEFLATE_LEVEL));
    NC_TRY(put_text(nc, *var, "long_name", layout->long_name));
    NC_TRY(nc_put_att_short(nc, *var, "_FillValue", NC_SHORT, 1, &fill));
    NC_TRY(nc_put_att_float(nc, *var, "add_offset", NC_FLOAT, 1, &offset));
    NC_TRY(nc_put_att_float(nc, *var, "scale_factor", NC_FLOAT, 1, &scale));
    NC_TRY(nc_put_att_short(nc, *var, "valid_min", NC_SHORT, 1, &layout->valid_min));
    NC_TRY(nc_put_att_short(nc, *var, "valid_max", NC_SHORT, 1, &layout->valid_max));
    return put_text(nc, *var, "units", layout->units);
}

static int describe(int nc, const struct sst_synth_file_facts *facts)
{
    char seed[32];
    (void)snprintf(seed, sizeof seed, "%llu", (unsigned long long)facts->seed);
    NC_TRY(put_text(nc, NC_GLOBAL, "title",
                    "Synthetic daily sea surface temperature in the layout of NOAA OISST v2.1; not observations"));
    NC_TRY(put_text(nc, NC_GLOBAL, "Conventions", "CF-1.6, ACDD-1.3"));
    NC_TRY(put_text(nc, NC_GLOBAL, "source", "sststream synth " SST_VERSION));
    NC_TRY(put_text(nc, NC_GLOBAL, "synthetic_seed", seed));
    return put_text(nc, NC_GLOBAL, "cdm_data_type", "Grid");
}

static int put_axes(int nc, const struct sst_synth_grid *grid, const int axes[N_DIMS], int64_t day, float *values)
{
    const size_t first = 0, one = 1;
    const float time = (float)(day - DAYS_1970_TO_1978), level = 0.0F;
    NC_TRY(nc_put_vara_float(nc, axes[TIME], &first, &one, &time));
    NC_TRY(nc_put_var_float(nc, axes[ZLEV], &level));
    for (size_t row = 0; row < grid->n_lat; ++row)
        values[row] = (float)sst_synth_grid_lat(grid, row);
    NC_TRY(nc_put_var_float(nc, axes[LAT], values));
    for (size_t col = 0; col < grid->n_lon; ++col)
        values[col] = (float)sst_synth_grid_lon(grid, col);
    return nc_put_var_float(nc, axes[LON], values);
}

static int fill_file(int nc, const struct sst_synth_file_facts *facts, int64_t day,
                     const struct sst_synth_fields *fields, float *values)
{
    const struct sst_synth_grid *grid = facts->grid;
    const int16_t *const data[N_FIELDS] = {fields->sst, fields->anom, fields->err, fields->ice};
    const size_t first[N_DIMS] = {0}, count[N_DIMS] = {1, 1, grid->n_lat, grid->n_lon};
    int dims[N_DIMS], axes[N_DIMS], vars[N_FIELDS], old_mode;
    NC_TRY(nc_set_fill(nc, NC_NOFILL, &old_mode));
    NC_TRY(define_axes(nc, grid, dims, axes));
    for (int k = 0; k < N_FIELDS; ++k)
        NC_TRY(define_field(nc, &FIELDS[k], grid, dims, &vars[k]));
    NC_TRY(describe(nc, facts));
    NC_TRY(nc_enddef(nc));
    NC_TRY(put_axes(nc, grid, axes, day, values));
    for (int k = 0; k < N_FIELDS; ++k)
        NC_TRY(nc_put_vara_short(nc, vars[k], first, count, data[k]));
    return NC_NOERR;
}

static enum sst_status write_file(const char *path, const struct sst_synth_file_facts *facts, int64_t day,
                                  const struct sst_synth_fields *fields, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    float *values = NULL;
    int nc, nc_rc;
    const size_t n_most = facts->grid->n_lat > facts->grid->n_lon ? facts->grid->n_lat : facts->grid->n_lon;
    SST_TRY_GOTO(sst_alloc(n_most, sizeof *values, "coordinates", &values, err));
    errno = 0;
    nc_rc = nc_create(path, NC_NETCDF4 | NC_CLOBBER, &nc);
    if (nc_rc == NC_NOERR) {
        const int fill_rc = fill_file(nc, facts, day, fields, values);
        nc_rc = nc_close(nc);
        nc_rc = fill_rc != NC_NOERR ? fill_rc : nc_rc;
    }
    if (nc_rc != NC_NOERR)
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s (%s). Free some space or choose another folder",
                      path, nc_strerror(nc_rc), errno ? strerror(errno) : "no reason from the system");
done:
    sst_free(values);
    return rc;
}

enum sst_status sst_synth_nc_write(const char *path, const struct sst_synth_file_facts *facts, int64_t day,
                                   const struct sst_synth_fields *fields, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    char *temporary = NULL;
    SST_TRY_GOTO(sst_asprintf(&temporary, err, "%s.part", path));
    rc = write_file(temporary, facts, day, fields, err);
    if (rc == SST_OK && rename(temporary, path) != 0)
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be renamed to %s: %s", temporary, path, strerror(errno));
    if (rc != SST_OK)
        (void)unlink(temporary);
done:
    sst_free(temporary);
    return rc;
}
