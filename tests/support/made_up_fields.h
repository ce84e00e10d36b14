/*
 * A source of fields that are made up, always the same ones for a seed: land, gaps in the seas, cells that have sea ice before
 * they first have a value, days that have no file and days whose field turns out to be unusable.
 */
#ifndef TESTS_MADE_UP_FIELDS_H
#define TESTS_MADE_UP_FIELDS_H

#include "core/grid.h"
#include "stream/field_source.h"

enum { MADE_UP_MOST_HELD = 8 };

struct made_up {
    size_t n_rows, n_cols;
    size_t first_land_row, n_land_rows;
    int first_year, last_year; /* of the days that there are */
    int gaps_percent; /* days without a file */
    int bad_percent; /* days without a usable field */
    int missing_percent; /* cells of a field */
    bool is_milli, has_ice, has_late_cells;
    size_t n_most_held; /* at most MADE_UP_MOST_HELD */
    uint64_t seed;

    /* What comes of it; zeroed at first. */
    struct sst_field_source source;
    size_t n_gets, n_held;
    struct sst_field fields[MADE_UP_MOST_HELD];
};

/* Makes the source; made_up_close. */
void made_up_open(struct made_up *made_up);
void made_up_close(struct made_up *made_up);

/* Rows and columns alone, which is all that tiles ask for. */
struct sst_domain made_up_domain(const struct made_up *made_up);

#endif
