/*
 * Scales as a few points in CIELAB, joined by straight lines and walked at one speed: equal shares are equal distances there,
 * and lightness, which is all that a grey print shows, goes one way only.
 */
#include "write/colour.h"

#include <math.h>
#include <stddef.h>

/* lightness 0..100, then green to red and blue to yellow */
struct lab {
    double l, a, b;
};

enum { N_POINTS = 6, N_ARM_POINTS = 5 };

/* Pale yellow, green, teal, blue, violet; dark is much. */
static const struct lab sequential[N_POINTS] = {{93, -6.3, 35.5}, {78, -27, 29}, {62, -28, 2},
                                                {46, -13, -22},   {31, 8, -38},  {17, 26, -34}};

/* From white at zero to dark blue and to dark red by way of orange, as apart for those who do not see red or green. */
static const struct lab below[N_ARM_POINTS] = {
    {100, 0, 0}, {84, -7.2, -15.4}, {64, -8.8, -32.8}, {44, 1.5, -44}, {25, 14.2, -43.7}};
static const struct lab above[N_ARM_POINTS] = {
    {100, 0, 0}, {84, 12.5, 21.7}, {64, 33.4, 39.8}, {44, 50.4, 39.4}, {25, 42.4, 22.5}};

static double distance(struct lab from, struct lab to)
{
    return sqrt((to.l - from.l) * (to.l - from.l) + (to.a - from.a) * (to.a - from.a) +
                (to.b - from.b) * (to.b - from.b));
}

static struct lab walk(const struct lab *points, size_t n_points, double share)
{
    double length = 0.0;
    for (size_t i = 1; i < n_points; ++i)
        length += distance(points[i - 1], points[i]);
    double to_go = share * length;
    size_t i = 1;
    for (; i < n_points - 1 && to_go > distance(points[i - 1], points[i]); ++i)
        to_go -= distance(points[i - 1], points[i]);
    const struct lab from = points[i - 1], to = points[i];
    const double part = fmin(to_go / distance(from, to), 1.0);
    return (struct lab){from.l + part * (to.l - from.l), from.a + part * (to.a - from.a),
                        from.b + part * (to.b - from.b)};
}

/* CIE 15: from L*a*b* to a share of the white's X, Y or Z. */
static double tristimulus(double f)
{
    const double knee = 6.0 / 29.0;
    return f > knee ? f * f * f : 3.0 * knee * knee * (f - 4.0 / 29.0);
}

/* IEC 61966-2-1. */
static uint8_t srgb(double linear)
{
    const double clamped = fmin(fmax(linear, 0.0), 1.0);
    const double value = clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * pow(clamped, 1.0 / 2.4) - 0.055;
    return (uint8_t)lround(255.0 * fmin(value, 1.0));
}

static struct sst_colour colour_of(struct lab lab)
{
    const double f = (lab.l + 16.0) / 116.0;
    const double x = 0.95047 * tristimulus(f + lab.a / 500.0), y = tristimulus(f); /* D65 */
    const double z = 1.08883 * tristimulus(f - lab.b / 200.0);
    return (struct sst_colour){srgb(3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
                               srgb(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z),
                               srgb(0.0556434 * x - 0.2040259 * y + 1.0572252 * z)};
}

struct sst_colour sst_colour_at(enum sst_colour_scale scale, double share)
{
    const double at = share > 0.0 ? fmin(share, 1.0) : 0.0; /* NaN too is 0 */
    if (scale == SST_COLOUR_SEQUENTIAL)
        return colour_of(walk(sequential, N_POINTS, at));
    return at < 0.5 ? colour_of(walk(below, N_ARM_POINTS, 1.0 - 2.0 * at))
                    : colour_of(walk(above, N_ARM_POINTS, 2.0 * at - 1.0));
}

/* After Okabe and Ito (2008), in an order in which neighbours differ in lightness too; the blue is darker than theirs. */
struct sst_colour sst_colour_of_series(int series)
{
    static const struct sst_colour colours[SST_N_SERIES_COLOURS] = {{0x00, 0x54, 0x8F}, {0xD5, 0x5E, 0x00},
                                                                    {0x56, 0xB4, 0xE9}, {0x1A, 0x1A, 0x1A},
                                                                    {0xCC, 0x79, 0xA7}, {0x00, 0x8A, 0x63}};
    const int wrapped = series % SST_N_SERIES_COLOURS;
    return colours[wrapped < 0 ? wrapped + SST_N_SERIES_COLOURS : wrapped];
}
