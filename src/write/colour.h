/*
 * Colours for numbers: a sequential scale for sizes and a diverging one for signed quantities, whose white is at zero.
 *
 * Both are of even perceived steps, stay apart for colour-blind readers, and print in grey in the right order (the diverging
 * one on each side of zero).
 */
#ifndef SST_WRITE_COLOUR_H
#define SST_WRITE_COLOUR_H

#include <stdint.h>

struct sst_colour {
    uint8_t red, green, blue;
};

enum sst_colour_scale { SST_COLOUR_SEQUENTIAL, SST_COLOUR_DIVERGING };

/* share: 0..1 along the scale, clamped (NaN: 0); 0.5 is white on the diverging one. Dark is far from zero. */
struct sst_colour sst_colour_at(enum sst_colour_scale scale, double share);

/* Colours of the series of a chart: index 0..5, others come round again. Apart for colour-blind readers; in grey by pairs. */
enum { SST_N_SERIES_COLOURS = 6 };
struct sst_colour sst_colour_of_series(int series);

#endif
