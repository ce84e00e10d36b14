/*
 * Smooth random fields over the globe and in time, each value of which can be computed on its own.
 *
 * Numbers stand on a lattice of (longitude, latitude, time) and come from a hash of the lattice point, so there is no
 * state to step through: any day, in any order, on any thread. Between lattice points a quadratic B-spline is drawn,
 * separately in each direction; its curve is smooth, so fields look like water and not like tiles.
 *
 *   one day:  hash 3 time knots a node ▸ nodes of the day ▸ (per row) blend 3 node rows ▸ (per cell) blend 3 nodes
 *
 * All is integer hashing, +, -, *, / and sqrt, in a fixed order: the same bits on every IEEE 754 machine.
 */
#ifndef SST_APP_SYNTH_NOISE_H
#define SST_APP_SYNTH_NOISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/* 64 well-mixed bits: the finaliser of splitmix64 (Steele, Lea, Flood 2014) over a key and a counter. */
static inline uint64_t sst_synth_hash(uint64_t key, uint64_t counter)
{
    uint64_t bits = key + counter * UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
    return bits ^ (bits >> 31);
}

/* Uniform in [0, 1), a multiple of 2^-24. */
static inline float sst_synth_unit(uint64_t bits) { return (float)(bits >> 40) * 0x1p-24F; }

/* Near normal, mean 0, variance 1, within +-3.46: four 16-bit uniforms added (each of variance 1/12). */
static inline float sst_synth_normal(uint64_t bits)
{
    const int32_t sum = (int32_t)(bits & 0xFFFF) + (int32_t)((bits >> 16) & 0xFFFF) + (int32_t)((bits >> 32) & 0xFFFF) +
                        (int32_t)(bits >> 48);
    return (float)(sum - 131070) * (1.7320508F / 65536.0F);
}

/* Quadratic B-spline: where a position falls on the lattice and how much each of nodes at, at+1, at+2 counts. */
struct sst_synth_tap {
    int32_t at;
    float weight[3];
};

static inline struct sst_synth_tap sst_synth_tap_at(double position)
{
    const double whole = floor(position);
    const float t = (float)(position - whole);
    return (struct sst_synth_tap){(int32_t)whole,
                                  {0.5F * (1.0F - t) * (1.0F - t), 0.5F + t * (1.0F - t), 0.5F * t * t}};
}

/* Where the cells are. Longitudes are 0..360; the globe is always whole from west to east. */
struct sst_synth_grid {
    size_t n_lon, n_lat;
    double south, north; /* [degrees_north] edges */
};

/* [degrees] of a cell's centre. */
double sst_synth_grid_lon(const struct sst_synth_grid *grid, size_t col);
double sst_synth_grid_lat(const struct sst_synth_grid *grid, size_t row);

/* One field: its scales and its number. */
struct sst_synth_scale {
    int n_around; /* lattice points round a parallel; their spacing is 360 / n_around degrees, in latitude too */
    double knot_days; /* [days] between time knots; 0: the field never changes */
    uint64_t key;
};

/* A field prepared for a grid, with the lattice of one day. */
struct sst_synth_noise;

/*
 * Prepares the rows from row0 up to but not including row1 of a grid.
 *
 * Owner    the caller; sst_synth_noise_destroy.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_synth_noise_create(const struct sst_synth_scale *scale,
                                                      const struct sst_synth_grid *grid, size_t row0, size_t row1,
                                                      struct sst_synth_noise **out, struct sst_error *err);
void sst_synth_noise_destroy(struct sst_synth_noise **noise);

/* Moves the field to a day (days since 1970-01-01). */
void sst_synth_noise_set_day(struct sst_synth_noise *noise, int64_t day);

/*
 * Adds `gain` times the field (mean 0, variance 1) to one row.
 *
 * row      row0 <= row < row1 of the grid.
 * blend    scratch of sst_synth_noise_n_nodes floats.
 * values   n_lon of them.
 */
void sst_synth_noise_add_row(const struct sst_synth_noise *noise, size_t row, float gain, float *blend, float *values);

/* Floats of scratch that sst_synth_noise_add_row wants. */
size_t sst_synth_noise_n_nodes(const struct sst_synth_noise *noise);

/* A series: normal, mean 0, variance 1, smooth over `knot_days`. */
float sst_synth_series(uint64_t key, double knot_days, int64_t day);

/* cos(2 pi turns), within 1e-9, without libm, whose last bit differs from machine to machine. */
double sst_synth_cos(double turns);

#endif
