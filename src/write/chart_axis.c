/* Round ticks, round ranges, and numbers as people write them. */
#include "write/chart_axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger numbers are drawn as if they were this, so that no difference of two overflows; smaller than 1 / this is 0. */
#define LARGEST 1e290
/* A range that is a smaller share of its ends is one value: doubles would not tell its ticks apart. */
#define NARROWEST 1e-11
/* Shares of a step within which a number is a multiple of it. */
#define STEP_TOLERANCE 1e-6
/* From here on labels have a power of ten. */
#define LARGEST_PLAIN 1e6

enum { MAX_DECIMALS = 12, MAX_PLAIN_DECIMALS = 5, MAX_WANTED = SST_MAX_TICKS - 2 };

static double power_of_ten(int exponent) { return exponent < 0 ? 1.0 / pow(10.0, -exponent) : pow(10.0, exponent); }

/* multiple * mantissa * 10^exponent, as close as a double comes to the decimal number. */
static double round_number(double multiple, int mantissa, int exponent)
{
    const double whole = multiple * mantissa;
    return exponent < 0 ? whole / pow(10.0, -exponent) : whole * pow(10.0, exponent);
}

struct step {
    int mantissa, exponent; /* 1, 2 or 5; of ten */
};

static double step_size(struct step step) { return round_number(1.0, step.mantissa, step.exponent); }

static struct step finer(struct step step)
{
    if (step.mantissa == 1)
        return (struct step){5, step.exponent - 1};
    return (struct step){step.mantissa == 5 ? 2 : 1, step.exponent};
}

/* The smallest one not below `least`. */
static struct step step_from(double least)
{
    struct step step = {1, (int)floor(log10(least)) + 1};
    while (step_size(finer(step)) >= least * (1.0 - STEP_TOLERANCE))
        step = finer(step);
    return step;
}

static double clean(double value)
{
    const double kept = fmin(fmax(value, -LARGEST), LARGEST);
    return fabs(kept) < 1.0 / LARGEST ? 0.0 : kept;
}

static bool is_narrow(double low, double high) { return high - low <= NARROWEST * fmax(fabs(low), fabs(high)); }

/* Decimals with which value / 10^exponent is itself. */
static int decimals_of(double value, int exponent)
{
    const double scaled = fabs(value) / power_of_ten(exponent);
    int decimals = 0;
    while (decimals < MAX_DECIMALS) {
        const double shifted = scaled * pow(10.0, decimals);
        if (fabs(shifted - round(shifted)) <= NARROWEST * fmax(shifted, 1.0))
            break;
        ++decimals;
    }
    return decimals;
}

struct sst_ticks sst_ticks_make(double low, double high, int wanted)
{
    struct sst_ticks ticks = {0};
    if (isnan(low) || isnan(high))
        return ticks;
    const double from = clean(fmin(low, high)), to = clean(fmax(low, high));
    if (is_narrow(from, to)) {
        ticks.n = 1;
        ticks.values[0] = from;
        ticks.decimals = decimals_of(from, 0);
        return ticks;
    }
    const int aim = wanted < 2 ? 2 : wanted > MAX_WANTED ? MAX_WANTED : wanted;
    struct step step = step_from((to - from) / aim);
    double first = 0.0, last = 0.0;
    for (;; step = finer(step)) { /* two ticks at least; a step of a third of the range always has them */
        first = ceil(from / step_size(step) - STEP_TOLERANCE);
        last = floor(to / step_size(step) + STEP_TOLERANCE);
        if (last > first)
            break;
    }
    for (double i = first; i <= last && ticks.n < SST_MAX_TICKS; i += 1.0)
        ticks.values[ticks.n++] = i == 0.0 ? 0.0 : round_number(i, step.mantissa, step.exponent);
    ticks.decimals = step.exponent < 0 ? -step.exponent : 0;
    return ticks;
}

void sst_extent_add(struct sst_extent *extent, double value)
{
    if (!isfinite(value))
        return;
    const double kept = clean(value);
    extent->low = extent->n ? fmin(extent->low, kept) : kept;
    extent->high = extent->n ? fmax(extent->high, kept) : kept;
    ++extent->n;
}

/* Outwards to multiples of the step that ticks will have. */
static void round_outwards(struct sst_axis *axis, int wanted)
{
    const int aim = wanted < 2 ? 2 : wanted > MAX_WANTED ? MAX_WANTED : wanted;
    const struct step step = step_from((axis->high - axis->low) / aim);
    const double low = floor(axis->low / step_size(step) + STEP_TOLERANCE);
    const double high = ceil(axis->high / step_size(step) - STEP_TOLERANCE);
    axis->low = low == 0.0 ? 0.0 : round_number(low, step.mantissa, step.exponent);
    axis->high = high == 0.0 ? 0.0 : round_number(high, step.mantissa, step.exponent);
}

static void range_of_data(struct sst_axis *axis, const struct sst_chart_axis *spec, struct sst_extent data, int wanted)
{
    if (data.n == 0)
        data = (struct sst_extent){2, 0.0, 1.0};
    if (spec->from_zero)
        sst_extent_add(&data, 0.0);
    for (size_t i = 0; i < axis->n_own; ++i)
        sst_extent_add(&data, axis->own[i].at);
    axis->low = data.low;
    axis->high = data.high;
    if (is_narrow(axis->low,
                  axis->high)) { /* one value: room on both sides of it, but none beyond zero if that counts */
        const double value = axis->low, around = value == 0.0 ? 1.0 : 0.1 * fabs(value);
        axis->low = spec->from_zero && value >= 0.0 ? fmin(value, 0.0) : value - around;
        axis->high = spec->from_zero && value < 0.0 ? 0.0 : value + around;
    }
    if (!axis->own)
        round_outwards(axis, wanted);
}

/* Labels of all ticks alike: plain where they are short. */
static void choose_labels(struct sst_axis *axis)
{
    double largest = 0.0;
    for (size_t i = 0; i < axis->ticks.n; ++i)
        largest = fmax(largest, fabs(axis->ticks.values[i]));
    axis->exponent = 0;
    axis->decimals = axis->ticks.decimals;
    if (largest == 0.0 || (largest < LARGEST_PLAIN && axis->ticks.decimals <= MAX_PLAIN_DECIMALS))
        return;
    axis->exponent = (int)floor(log10(largest) + STEP_TOLERANCE);
    axis->decimals = 0;
    for (size_t i = 0; i < axis->ticks.n; ++i) {
        const int decimals = decimals_of(axis->ticks.values[i], axis->exponent);
        axis->decimals = decimals > axis->decimals ? decimals : axis->decimals;
    }
}

void sst_axis_make(struct sst_axis *axis, const struct sst_chart_axis *spec, struct sst_extent data, int wanted)
{
    *axis = (struct sst_axis){.low = clean(spec->low), .high = clean(spec->high)};
    axis->own = spec->ticks;
    axis->n_own = spec->ticks ? spec->n_ticks : 0;
    const bool is_given = isfinite(spec->low) && isfinite(spec->high);
    if (!is_given || is_narrow(fmin(axis->low, axis->high), fmax(axis->low, axis->high)))
        range_of_data(axis, spec, data, wanted);
    axis->ticks = sst_ticks_make(axis->low, axis->high, wanted);
    choose_labels(axis);
}

double sst_axis_share(const struct sst_axis *axis, double value)
{
    const double farthest = 1e6;
    const double share = (clean(value) - axis->low) / (axis->high - axis->low);
    return fmin(fmax(share, -farthest), farthest);
}

size_t sst_axis_n_ticks(const struct sst_axis *axis) { return axis->own ? axis->n_own : axis->ticks.n; }

double sst_axis_tick(const struct sst_axis *axis, size_t tick)
{
    return axis->own ? axis->own[tick].at : axis->ticks.values[tick];
}

/* "x10" and the exponent in raised digits. */
static void add_power(char *buffer, size_t size, int exponent)
{
    static const char *const raised[] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
                                         "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
                                         "\xE2\x81\xB8", "\xE2\x81\xB9"};
    char digits[16];
    size_t used = strlen(buffer);
    used += (size_t)snprintf(buffer + used, size - used,
                             "\xC3\x97"
                             "10%s",
                             exponent < 0 ? "\xE2\x81\xBB" : "");
    (void)snprintf(digits, sizeof digits, "%d", abs(exponent));
    for (const char *digit = digits; *digit && used < size; ++digit)
        used += (size_t)snprintf(buffer + used, size - used, "%s", raised[*digit - '0']);
}

/* Digits by whole numbers: no locale has a say in them. */
const char *sst_axis_label(const struct sst_axis *axis, size_t tick, char *buffer)
{
    if (axis->own)
        return axis->own[tick].label ? axis->own[tick].label : "";
    const double value = axis->ticks.values[tick] / power_of_ten(axis->exponent);
    const long long unit = llround(pow(10.0, axis->decimals)), digits = llround(fabs(value) * (double)unit);
    const char *sign = value < 0.0 && digits > 0 ? "\xE2\x88\x92" : "";
    if (axis->decimals > 0 && (axis->exponent == 0 || digits > 0))
        (void)snprintf(buffer, SST_TICK_LABEL_SIZE, "%s%lld.%0*lld", sign, digits / unit, axis->decimals,
                       digits % unit);
    else
        (void)snprintf(buffer, SST_TICK_LABEL_SIZE, "%s%lld", sign, digits);
    if (axis->exponent != 0 && digits > 0)
        add_power(buffer, SST_TICK_LABEL_SIZE, axis->exponent);
    return buffer;
}
