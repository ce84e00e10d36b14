/* A day of all cells as it is told: status, category and severity of each, and the areas of each category. */
#ifndef SST_MONITOR_EVENT_DAY_H
#define SST_MONITOR_EVENT_DAY_H

#include "monitor/event_ring.h"

/* name of a value of CF flag_meanings, what it means */
#define SST_EVENT_SURFACE_LIST(X)                                                                                      \
    X(WATER, "water", "a value, and a threshold that may give a category")                                             \
    X(LAND, "land", "no threshold, so never an event")                                                                 \
    X(MISSING, "missing", "no value that day")                                                                         \
    X(ICE, "ice", "sea ice that day or in the climatology: no category")                                               \
    X(NO_VARIANCE, "no_variance", "a threshold less than 0.05 degC beyond the mean: no category")

enum sst_event_surface {
#define X(symbol, name, text) SST_EVENT_SURFACE_##symbol,
    SST_EVENT_SURFACE_LIST(X)
#undef X
};

/* The category of a cell that stands outside of what is counted. */
enum { SST_EVENT_CATEGORY_FILL = -1 };

struct sst_event_cell_day {
    enum sst_event_surface surface;
    /*
     * 1 .. 4 on days of an event that are beyond; 0 on all others, candidates and bridged days among them;
     * SST_EVENT_CATEGORY_FILL where the surface is not water.
     */
    int category;
    float anomaly; /* [degC] sst - mean; NaN: unknown */
    float severity; /* (sst - mean) / (threshold - mean) on days beyond, where the surface is water; NaN elsewhere */
};

struct sst_event_cell_day sst_event_cell_day(const struct sst_event_day *day, enum sst_event_direction direction,
                                             size_t cell);

/* In the unit of the weights. */
struct sst_event_areas {
    double category[SST_EVENT_N_CATEGORIES + 1]; /* water whose day is known, by category; [0]: in none */
    double unknown; /* water whose day is unknown or still waited for */
    double outside; /* ice and no_variance: in no share's denominator, which is the sum of all the others */
};

/*
 * Areas on a day of the ring. Land counts nowhere.
 *
 * weights  area of each cell, n_cells
 */
void sst_event_ring_areas(const struct sst_event_ring *ring, int32_t day, const double *weights,
                          struct sst_event_areas *out);

#endif
