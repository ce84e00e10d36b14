/* Writes small daily SST files. */
#include "day_files.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "make_nc.h"
#include "test_main.h"

enum { NOON = 12 * 3600, DAY_SECONDS = 86400, FILL = -32768, FIRST_LON = 30 };

/* What a file is made of: the arrays live until it is written. */
struct content {
    int n_lat, n_lon;
    size_t n_cells;
    double *lat, *lon, *time, *sst, *ice;
};

int day_file_value(int day, int row, int col)
{
    if (row == DAY_FILE_N_LAT - 1 && col == DAY_FILE_N_LON - 1)
        return INT16_MIN;
    return 1000 + (day * 7) % 900 + 10 * row + col;
}

static double *allocate(size_t n)
{
    double *values = calloc(n, sizeof *values);
    ck_assert_ptr_nonnull(values);
    return values;
}

/* The number as it is stored, before the type narrows it. */
static double stored_value(const struct day_file *file, int value, bool is_first)
{
    if (value == INT16_MIN)
        return FILL;
    const int hundredths = value + (is_first ? file->added : 0);
    switch (file->storage) {
    case STORED_MILLI:
        return hundredths * 10 - 15000;
    case STORED_FLOAT:
        return hundredths / 100.0 + file->added_degc;
    default:
        return hundredths;
    }
}

static void fill_step(const struct day_file *file, const struct content *content, size_t step, int cols_east)
{
    for (int row = 0; row < content->n_lat; ++row) {
        for (int col = 0; col < content->n_lon; ++col) {
            const size_t at = step * content->n_cells + (size_t)(row * content->n_lon + col);
            const int from_south = file->south_last ? content->n_lat - 1 - row : row;
            const int from_first = (col + cols_east) % content->n_lon;
            const int value = day_file_value(file->days[step], from_south, from_first);
            content->sst[at] = stored_value(file, value, from_south == 0 && from_first == 0);
            content->ice[at] = from_south == 0 && from_first == 1 ? 0.5 : 0.0;
        }
    }
}

static struct content fill_content(const struct day_file *file)
{
    struct content content = {.n_lat = file->n_lat ? file->n_lat : DAY_FILE_N_LAT,
                              .n_lon = file->n_lon ? file->n_lon : DAY_FILE_N_LON};
    content.n_cells = (size_t)content.n_lat * (size_t)content.n_lon;
    content.lat = allocate((size_t)content.n_lat);
    content.lon = allocate((size_t)content.n_lon);
    content.time = allocate(file->n_days);
    content.sst = allocate(file->n_days * content.n_cells);
    content.ice = allocate(file->n_days * content.n_cells);
    const double first_lon = file->first_lon != 0 ? file->first_lon : FIRST_LON, lon_step = 360.0 / content.n_lon;
    for (int row = 0; row < content.n_lat; ++row) {
        const double lat = -90 + 180.0 / content.n_lat * (row + 0.5);
        content.lat[row] = file->south_last ? -lat : lat;
    }
    for (int col = 0; col < content.n_lon; ++col)
        content.lon[col] = first_lon + lon_step * col;
    const int cols_east = (int)((first_lon - FIRST_LON + 720) / lon_step);
    const int second = file->second > 0 ? file->second : file->second < 0 ? 0 : NOON;
    for (size_t step = 0; step < file->n_days; ++step) {
        content.time[step] = (double)file->days[step] * DAY_SECONDS + second;
        fill_step(file, &content, step, cols_east);
    }
    return content;
}

static void free_content(struct content *content)
{
    free(content->lat);
    free(content->lon);
    free(content->time);
    free(content->sst);
    free(content->ice);
}

static void describe_sst(const struct day_file *file, const struct content *content, struct make_nc_spec *spec)
{
    const bool is_float = file->storage == STORED_FLOAT, is_milli = file->storage == STORED_MILLI;
    struct make_nc_var *sst = make_nc_var(spec, file->variable ? file->variable : "sst", is_float ? NC_FLOAT : NC_SHORT,
                                          "time lat lon", content->sst);
    make_nc_text(sst, "units", file->units ? file->units : "degree_Celsius");
    if (file->standard_name)
        make_nc_text(sst, "standard_name", file->standard_name);
    make_nc_number(sst, "_FillValue", is_float ? NC_FLOAT : NC_SHORT, FILL);
    if (!is_float) {
        make_nc_number(sst, "scale_factor", NC_DOUBLE, is_milli ? 0.001 : 0.01);
        make_nc_number(sst, "add_offset", NC_DOUBLE, is_milli ? 15 : 0);
    }
    if (spec->format == NC_NETCDF4) {
        sst->chunks[0] = file->steps_per_chunk > 1 ? file->steps_per_chunk : 1;
        sst->chunks[1] = (size_t)content->n_lat;
        sst->chunks[2] = (size_t)content->n_lon;
        sst->deflate_level = 1;
    }
    if (file->has_ice) {
        struct make_nc_var *ice = make_nc_var(spec, "ice", NC_FLOAT, "time lat lon", content->ice);
        make_nc_text(ice, "standard_name", "sea_ice_area_fraction");
        make_nc_text(ice, "units", "1");
    }
}

void day_file_write(const char *path, const struct day_file *file)
{
    struct make_nc_spec *spec = calloc(1, sizeof *spec);
    ck_assert_ptr_nonnull(spec);
    struct content content = fill_content(file);
    spec->format = file->steps_per_chunk > 1 || file->deflated ? NC_NETCDF4 : 0;
    make_nc_dim(spec, "time", file->n_days);
    make_nc_dim(spec, "lat", (size_t)content.n_lat);
    make_nc_dim(spec, "lon", (size_t)content.n_lon);
    struct make_nc_var *time = make_nc_var(spec, "time", NC_INT, "time", content.time);
    make_nc_text(time, "units", "seconds since 2000-01-01 00:00:00");
    if (file->calendar)
        make_nc_text(time, "calendar", file->calendar);
    make_nc_text(make_nc_var(spec, "lat", NC_DOUBLE, "lat", content.lat), "units", "degrees_north");
    make_nc_text(make_nc_var(spec, "lon", NC_DOUBLE, "lon", content.lon), "units", "degrees_east");
    if (file->title)
        make_nc_text(&spec->global, "title", file->title);
    if (file->id)
        make_nc_text(&spec->global, "id", file->id);
    describe_sst(file, &content, spec);
    make_nc_write(spec, path);
    free_content(&content);
    free(spec);
}

void day_file_write_one(const char *path, int day)
{
    const struct day_file file = {.days = &day, .n_days = 1};
    day_file_write(path, &file);
}

void day_file_write_text(const char *path, const char *text) { make_bytes(path, text, strlen(text)); }
