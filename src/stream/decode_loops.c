/* Rows of stored numbers to codes and classes; inner loops without branches, which compilers vectorise. */
#include "stream/decode_loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/cpu_clones.h"

/* Adding and taking away 1.5 x 2^52 rounds a double to the nearest integer, ties to even, without a call. */
#define ROUNDING_MAGIC 6755399441055744.0

/* [steps] Rounding of the arithmetic itself, beside that of the stored number. */
#define ARITHMETIC_NOISE 1e-9

enum {
    PIECE = 4096, /* cells at a time: their counts fit 16 bits, and what a piece takes stays in the first-level cache */
    RANGE_LANES = 16
};

/* Every bit of a where the mask is all ones, of b where it is 0: a choice that compilers do not turn into a branch. */
static inline uint16_t choose(uint16_t mask, uint16_t a, uint16_t b) { return (uint16_t)(b ^ ((a ^ b) & mask)); }

static inline uint16_t mask_of(int condition) { return (uint16_t)-condition; }

/* What a piece of plain codes met; marks: whether there are numbers that only the table knows. */
struct piece {
    int16_t low, high;
    bool has_marks;
};

CPU_CLONES
static struct piece plain_piece(const struct sst_plain_codes *plain, const uint16_t *restrict stored, size_t n,
                                int16_t *restrict codes)
{
    const uint16_t flip = plain->flip, shift = plain->shift;
    const int16_t low = plain->low, high = plain->high;
    const int16_t marked_low = plain->marked_low, marked_high = plain->marked_high;
    const int16_t a = plain->holes[0], b = plain->holes[1], c = plain->holes[2], d = plain->holes[3];
    int16_t least = INT16_MAX, greatest = INT16_MIN;
    uint16_t marks = 0;
    for (size_t i = 0; i < n; ++i) {
        const int16_t key = (int16_t)(stored[i] ^ flip);
        const uint16_t is_hole = mask_of(key == a) | mask_of(key == b) | mask_of(key == c) | mask_of(key == d);
        const uint16_t is_outside = mask_of(key < low) | mask_of(key > high);
        const uint16_t is_unmarked = mask_of(key < marked_low) | mask_of(key > marked_high);
        const uint16_t is_missing = is_hole | is_outside;
        marks |= (uint16_t)(is_outside & (uint16_t) ~(is_unmarked | is_hole));
        codes[i] = (int16_t)choose(is_missing, (uint16_t)SST_CODE_MISSING, (uint16_t)((uint16_t)key + shift));
        const int16_t for_least = (int16_t)choose(is_missing, INT16_MAX, (uint16_t)key);
        const int16_t for_greatest = (int16_t)choose(is_missing, (uint16_t)INT16_MIN, (uint16_t)key);
        least = for_least < least ? for_least : least;
        greatest = for_greatest > greatest ? for_greatest : greatest;
    }
    return (struct piece){least, greatest, marks != 0};
}

static struct piece look_up_piece(const struct sst_plain_codes *plain, const int16_t *table, const uint16_t *stored,
                                  size_t n, int16_t *codes)
{
    struct piece piece = {INT16_MAX, INT16_MIN, false};
    for (size_t i = 0; i < n; ++i) {
        const int16_t key = (int16_t)(stored[i] ^ plain->flip), code = table[stored[i]];
        codes[i] = code;
        piece.low = code != SST_CODE_MISSING && key < piece.low ? key : piece.low;
        piece.high = code != SST_CODE_MISSING && key > piece.high ? key : piece.high;
    }
    return piece;
}

void sst_loop_short_codes(const struct sst_plain_codes *plain, const int16_t *table, const uint16_t *stored, size_t n,
                          int16_t *codes, struct sst_loop_range *range)
{
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t n_piece = n - first < PIECE ? n - first : PIECE;
        struct piece piece = {.has_marks = true};
        if (plain->is_plain)
            piece = plain_piece(plain, stored + first, n_piece, codes + first);
        if (piece.has_marks)
            piece = look_up_piece(plain, table, stored + first, n_piece, codes + first);
        if (piece.low > piece.high)
            continue;
        const int low = piece.low + plain->flip, high = piece.high + plain->flip; /* of a key, its number */
        range->low = low < range->low ? low : range->low;
        range->high = high > range->high ? high : range->high;
    }
}

CPU_CLONES
static void plain_byte_classes(const struct sst_plain_classes *plain, const uint8_t *restrict stored, size_t n,
                               uint8_t *restrict classes)
{
    const uint8_t flip = (uint8_t)plain->flip;
    const int8_t low = (int8_t)plain->low, high = (int8_t)plain->high;
    const int8_t a = (int8_t)plain->holes[0], b = (int8_t)plain->holes[1];
    const int8_t c = (int8_t)plain->holes[2], d = (int8_t)plain->holes[3];
    for (size_t i = 0; i < n; ++i) {
        const int8_t key = (int8_t)(stored[i] ^ flip);
        classes[i] = (key >= low) & (key <= high) & (key != a) & (key != b) & (key != c) & (key != d);
    }
}

CPU_CLONES
static void plain_short_classes(const struct sst_plain_classes *plain, const uint16_t *restrict stored, size_t n,
                                uint8_t *restrict classes)
{
    const uint16_t flip = plain->flip;
    const int16_t low = plain->low, high = plain->high;
    const int16_t a = plain->holes[0], b = plain->holes[1], c = plain->holes[2], d = plain->holes[3];
    for (size_t i = 0; i < n; ++i) {
        const int16_t key = (int16_t)(stored[i] ^ flip);
        classes[i] = (key >= low) & (key <= high) & (key != a) & (key != b) & (key != c) & (key != d);
    }
}

/* One function for each width. Masks are the same over many cells: those of a word that is as the last one are not looked up. */
#define CLASSES_FUNCTION(name, type, plain_classes)                                                                    \
    void name(const struct sst_plain_classes *plain, const uint8_t *table, const type *stored, size_t n,               \
              uint8_t *classes)                                                                                        \
    {                                                                                                                  \
        enum { CELLS = sizeof(uint64_t) / sizeof(type) };                                                              \
        size_t i = 0;                                                                                                  \
        if (plain->is_plain) {                                                                                         \
            plain_classes(plain, stored, n, classes);                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        for (uint64_t last = 0, word = 0; i + CELLS <= n; i += CELLS, last = word) {                                   \
            memcpy(&word, stored + i, sizeof word);                                                                    \
            if (i > 0 && word == last) {                                                                               \
                memcpy(classes + i, classes + i - CELLS, CELLS);                                                       \
                continue;                                                                                              \
            }                                                                                                          \
            for (size_t k = i; k < i + CELLS; ++k)                                                                     \
                classes[k] = table[stored[k]];                                                                         \
        }                                                                                                              \
        for (; i < n; ++i)                                                                                             \
            classes[i] = table[stored[i]];                                                                             \
    }

CLASSES_FUNCTION(sst_loop_byte_classes, uint8_t, plain_byte_classes)
CLASSES_FUNCTION(sst_loop_short_classes, uint16_t, plain_short_classes)

/* Up to four fills and the valid range are looked for while numbers are widened. */
enum { FILLS_AT_ONCE = 4 };

#define WIDEN(type)                                                                                                    \
    do {                                                                                                               \
        const type *values = (const type *)(const void *)stored;                                                       \
        for (size_t i = 0; i < n; ++i) {                                                                               \
            const double value = (double)values[i];                                                                    \
            const bool is_fill = (value == a) | (value == b) | (value == c) | (value == d);                            \
            out[i] = ((value >= low) & (value <= high) & !is_fill) ? value : NAN;                                      \
        }                                                                                                              \
    } while (0)

CPU_CLONES
static void widen(const struct sst_decode_variable *variable, const unsigned char *restrict stored, size_t n,
                  double *restrict out)
{
    double fills[FILLS_AT_ONCE];
    for (size_t k = 0; k < FILLS_AT_ONCE; ++k)
        fills[k] = k < variable->n_fills ? variable->fills[k] : NAN;
    const double a = fills[0], b = fills[1], c = fills[2], d = fills[3];
    const double low = variable->valid_min, high = variable->valid_max;
    switch (variable->type) {
    case NC_BYTE:
        WIDEN(int8_t);
        break;
    case NC_UBYTE:
        WIDEN(uint8_t);
        break;
    case NC_SHORT:
        WIDEN(int16_t);
        break;
    case NC_USHORT:
        WIDEN(uint16_t);
        break;
    case NC_INT:
        WIDEN(int32_t);
        break;
    case NC_UINT:
        WIDEN(uint32_t);
        break;
    case NC_INT64:
        WIDEN(int64_t);
        break;
    case NC_UINT64:
        WIDEN(uint64_t);
        break;
    case NC_FLOAT:
        WIDEN(float);
        break;
    default:
        WIDEN(double);
        break;
    }
}

void sst_loop_widen(const struct sst_decode_variable *variable, const unsigned char *stored, size_t n, double *out)
{
    widen(variable, stored, n, out);
    for (size_t k = FILLS_AT_ONCE; k < variable->n_fills; ++k)
        for (size_t i = 0; i < n; ++i)
            out[i] = out[i] == variable->fills[k] ? NAN : out[i];
}

static inline double round_to_even(double value) { return (value + ROUNDING_MAGIC) - ROUNDING_MAGIC; }

/*
 * Codes of what has one, the rest as missing; true where some of that wants a mark.
 *
 * off_slope   [1] part of a stored number by which its value, in steps, may be off the lattice
 * n_off       gets how many with a code are further off; NULL: not asked
 */
static inline bool make_codes(const struct sst_loop_rule *rule, const double *restrict stored, size_t n,
                              int16_t *restrict codes, double off_slope, size_t *n_off)
{
    const struct sst_decode_variable sst = {.scale = rule->sst->scale, .offset = rule->sst->offset};
    const struct sst_decode_conversion to_degc = *rule->to_degc;
    const double steps = rule->lattice.steps_per_degree, reference = rule->lattice.reference_steps;
    /* Plausible is asked of the nearest step: an offset of 273.15 as float32 is 6e-6 degC away from it. */
    const double lowest = fmax(SST_DECODE_MIN_DEGC * steps - reference, SST_DECODE_LOWEST_CODE);
    const double highest = fmin(SST_DECODE_MAX_DEGC * steps - reference, INT16_MAX);
    uint64_t n_marks = 0, n_further = 0;
    for (size_t i = 0; i < n; ++i) {
        /* Selections, not branches: where the cells of a coast are missing is not to be foreseen. */
        const double degc = sst_decode_degc(&sst, &to_degc, stored[i]);
        const double at = degc * steps, nearest = round_to_even(at), code = nearest - reference;
        const bool has_code = (code >= lowest) & (code <= highest);
        n_marks += !has_code & !isnan(degc);
        codes[i] = (int16_t)(int)(has_code ? code : SST_CODE_MISSING);
        if (n_off)
            n_further += has_code & (fabs(at - nearest) > fabs(stored[i]) * off_slope + ARITHMETIC_NOISE);
    }
    if (n_off)
        *n_off = n_further;
    return n_marks > 0;
}

CPU_CLONES
static bool codes_alone(const struct sst_loop_rule *rule, const double *stored, size_t n, int16_t *codes)
{
    return make_codes(rule, stored, n, codes, 0.0, NULL);
}

CPU_CLONES
static bool codes_and_off(const struct sst_loop_rule *rule, const double *stored, size_t n, int16_t *codes,
                          double off_slope, size_t *n_off)
{
    return make_codes(rule, stored, n, codes, off_slope, n_off);
}

/* The marks of what got no code although it is there. */
static void add_marks(const struct sst_loop_rule *rule, const double *stored, size_t n, int16_t *codes)
{
    const double steps = rule->lattice.steps_per_degree;
    for (size_t i = 0; i < n; ++i) {
        const double degc = sst_decode_degc(rule->sst, rule->to_degc, stored[i]);
        const double nearest = round_to_even(degc * steps);
        if (codes[i] != SST_CODE_MISSING || isnan(degc))
            continue;
        const bool is_plausible = nearest >= SST_DECODE_MIN_DEGC * steps && nearest <= SST_DECODE_MAX_DEGC * steps;
        codes[i] = (int16_t)(degc == rule->ice_degc ? SST_DECODE_ICE_CODE
                             : is_plausible         ? SST_DECODE_OFF_RANGE
                                                    : SST_DECODE_IMPLAUSIBLE);
    }
}

void sst_loop_codes(const struct sst_loop_rule *rule, const double *stored, size_t n, int16_t *codes)
{
    if (codes_alone(rule, stored, n, codes))
        add_marks(rule, stored, n, codes);
}

size_t sst_loop_codes_off_lattice(const struct sst_loop_rule *rule, const double *stored, size_t n, int16_t *codes)
{
    const double ulp = rule->sst->type == NC_FLOAT ? FLT_EPSILON : DBL_EPSILON;
    const double steps = rule->lattice.steps_per_degree;
    const double off_slope = fabs(rule->sst->scale * rule->to_degc->slope * steps) * ulp;
    size_t n_off = 0;
    if (codes_and_off(rule, stored, n, codes, off_slope, &n_off))
        add_marks(rule, stored, n, codes);
    return n_off;
}

CPU_CLONES
void sst_loop_degc(const struct sst_loop_rule *rule, const double *restrict stored, size_t n, float *restrict degc)
{
    const struct sst_decode_variable sst = {.scale = rule->sst->scale, .offset = rule->sst->offset};
    const struct sst_decode_conversion to_degc = *rule->to_degc;
    for (size_t i = 0; i < n; ++i)
        degc[i] = (float)sst_decode_degc(&sst, &to_degc, stored[i]);
}

CPU_CLONES
void sst_loop_degc_of_codes(struct sst_lattice lattice, const int16_t *restrict codes, size_t n, float *restrict degc)
{
    for (size_t i = 0; i < n; ++i)
        degc[i] = codes[i] == SST_CODE_MISSING ? NAN : (float)sst_lattice_degc(lattice, codes[i]);
}

CPU_CLONES
void sst_loop_leave_out_degc(const int16_t *restrict codes, size_t n, float *restrict degc)
{
    for (size_t i = 0; i < n; ++i)
        degc[i] = codes[i] == SST_CODE_MISSING ? NAN : degc[i];
}

/* n is a multiple of the lanes. */
CPU_CLONES
static void find_range(const double *restrict values, size_t n, double low[restrict RANGE_LANES],
                       double high[restrict RANGE_LANES])
{
    double lows[RANGE_LANES], highs[RANGE_LANES];
    memcpy(lows, low, sizeof lows);
    memcpy(highs, high, sizeof highs);
    for (size_t first = 0; first < n; first += RANGE_LANES) {
        for (size_t lane = 0; lane < RANGE_LANES; ++lane) {
            const double value = values[first + lane];
            lows[lane] = value < lows[lane] ? value : lows[lane];
            highs[lane] = value > highs[lane] ? value : highs[lane];
        }
    }
    memcpy(low, lows, sizeof lows);
    memcpy(high, highs, sizeof highs);
}

void sst_loop_widen_range(const double *values, size_t n, double *low, double *high)
{
    double lows[RANGE_LANES], highs[RANGE_LANES];
    for (size_t lane = 0; lane < RANGE_LANES; ++lane) {
        lows[lane] = *low;
        highs[lane] = *high;
    }
    const size_t n_whole = n - n % RANGE_LANES;
    find_range(values, n_whole, lows, highs);
    for (size_t i = n_whole; i < n; ++i) {
        lows[0] = values[i] < lows[0] ? values[i] : lows[0];
        highs[0] = values[i] > highs[0] ? values[i] : highs[0];
    }
    for (size_t lane = 0; lane < RANGE_LANES; ++lane) {
        *low = lows[lane] < *low ? lows[lane] : *low;
        *high = highs[lane] > *high ? highs[lane] : *high;
    }
    *low += 0.0; /* which of two zeros comes first depends on the lanes */
    *high += 0.0;
}

CPU_CLONES
void sst_loop_at_least(const struct sst_decode_variable *variable, double factor, double least,
                       const double *restrict values, size_t n, uint8_t *restrict out)
{
    const double scale = variable->scale, offset = variable->offset;
    for (size_t i = 0; i < n; ++i)
        out[i] = (values[i] * scale + offset) * factor >= least;
}

CPU_CLONES
static void leave_out_piece(const uint8_t *restrict classes, size_t n, int16_t *restrict codes,
                            struct sst_loop_tally *tally)
{
    uint16_t n_land = 0, n_lake = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint16_t has_value = mask_of(codes[i] != SST_CODE_MISSING);
        const uint16_t is_land = has_value & mask_of((classes[i] & SST_MASK_LAND) != 0);
        const uint16_t is_lake = has_value & mask_of((classes[i] & SST_MASK_LAKE) != 0) & (uint16_t)~is_land;
        n_land = (uint16_t)(n_land - is_land);
        n_lake = (uint16_t)(n_lake - is_lake);
        codes[i] = (int16_t)choose(is_land | is_lake, (uint16_t)SST_CODE_MISSING, (uint16_t)codes[i]);
    }
    tally->n_land += n_land;
    tally->n_lake += n_lake;
}

void sst_loop_leave_out_land(const uint8_t *classes, size_t n, int16_t *codes, struct sst_loop_tally *tally)
{
    for (size_t first = 0; first < n; first += PIECE)
        leave_out_piece(classes + first, n - first < PIECE ? n - first : PIECE, codes + first, tally);
}

CPU_CLONES
static void count_piece(const int16_t *restrict codes, size_t n, struct sst_loop_tally *tally)
{
    uint16_t n_values = 0, n_missing = 0;
    for (size_t i = 0; i < n; ++i) {
        n_values = (uint16_t)(n_values - mask_of(codes[i] >= SST_DECODE_LOWEST_CODE));
        n_missing = (uint16_t)(n_missing - mask_of(codes[i] == SST_CODE_MISSING));
    }
    tally->n_values += n_values;
    tally->n_marks += n - n_values - n_missing;
}

CPU_CLONES
static void count_ice_piece(const int16_t *restrict codes, const uint8_t *restrict ice, size_t n,
                            struct sst_loop_tally *tally)
{
    uint16_t n_ice = 0;
    for (size_t i = 0; i < n; ++i)
        n_ice = (uint16_t)(n_ice - (mask_of(codes[i] >= SST_DECODE_LOWEST_CODE) & mask_of(ice[i] != 0)));
    tally->n_ice += n_ice;
}

void sst_loop_count(const int16_t *codes, const uint8_t *ice, size_t n, struct sst_loop_tally *tally)
{
    for (size_t first = 0; first < n; first += PIECE) {
        const size_t n_piece = n - first < PIECE ? n - first : PIECE;
        count_piece(codes + first, n_piece, tally);
        if (ice)
            count_ice_piece(codes + first, ice + first, n_piece, tally);
    }
}

CPU_CLONES
void sst_loop_ice_of_mask(const uint8_t *restrict classes, size_t n, uint8_t *restrict ice)
{
    for (size_t i = 0; i < n; ++i)
        ice[i] = (classes[i] & SST_MASK_ICE) != 0;
}

CPU_CLONES
void sst_loop_hundredths(struct sst_lattice lattice, const int16_t *restrict codes, size_t n,
                         int16_t *restrict hundredths)
{
    const double per_hundredth = lattice.steps_per_degree / 100.0;
    const int reference = lattice.reference_steps;
    for (size_t i = 0; i < n; ++i) {
        const int rounded = (int)round_to_even((codes[i] + reference) / per_hundredth);
        hundredths[i] = (int16_t)(codes[i] == SST_CODE_MISSING ? SST_CODE_MISSING : rounded);
    }
}
