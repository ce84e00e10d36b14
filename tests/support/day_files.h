/*
 * Small daily SST files for the tests of catalog and reader: a few cells, values that tell day and cell.
 *
 * A day is a number of days since 2000-01-01; its stamp is 12:00 UTC unless `second` says otherwise.
 */
#ifndef SST_DAY_FILES_H
#define SST_DAY_FILES_H

#include <stdbool.h>
#include <stddef.h>

enum day_storage { STORED_CENTI, STORED_MILLI, STORED_FLOAT };

/* All zero but n_days is an int16 file of 4 x 6 cells of a global 45 x 60 degree grid. */
struct day_file {
    const int *days;
    size_t n_days;
    int second; /* [s] of the day; 0 means 12:00, -1 means 00:00 */
    enum day_storage storage;
    int n_lat, n_lon; /* 0: 4, 6 */
    bool south_last; /* rows from north to south */
    double first_lon; /* [degrees_east]; 0: 30 */
    const char *calendar; /* NULL: no attribute */
    const char *variable; /* NULL: sst */
    const char *standard_name; /* NULL: none */
    const char *units; /* NULL: degree_Celsius; the values do not change */
    const char *title, *id; /* global attributes; NULL: none */
    size_t steps_per_chunk; /* above 1: netCDF-4 with chunks of that many steps; else a classic file, or */
    bool deflated; /* netCDF-4 with one step a chunk */
    int added; /* [0.01 degC] added to the first cell (south-west by value) of every day */
    double added_degc; /* [degC] added to all values of floating-point files */
    bool has_ice; /* sea ice of 50 % in the second cell */
};

enum { DAY_FILE_N_LAT = 4, DAY_FILE_N_LON = 6, DAY_FILE_N_CELLS = DAY_FILE_N_LAT * DAY_FILE_N_LON };

/* [0.01 degC] of a day at a place: row from the south, column from 30 E. The last cell of all is missing: INT16_MIN. */
int day_file_value(int day, int row, int col);

/* Writes a file; a failure ends the test. */
void day_file_write(const char *path, const struct day_file *file);

/* Writes a file of one day with all else as it is by default. */
void day_file_write_one(const char *path, int day);

/* Bytes that are no netCDF. */
void day_file_write_text(const char *path, const char *text);

#endif
