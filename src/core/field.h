/*
 * One day's values, as integers on the lattice of the run.
 *
 * T [degC] = (code + reference_steps) / steps_per_degree; missing = INT16_MIN.
 *   CENTI   0.01 degC about 0 degC: OISST, OSTIA, CCI, CoralTemp lie on it exactly
 *   MILLI   0.001 degC about 15 degC, -17.767 .. 47.767 degC: MUR lies on it exactly, other products to 0.0005 degC
 * Sums are always of hundredths (|x| <= 8191 keeps four moments of 2048 values within 63 bits); percentiles are of codes.
 */
#ifndef SST_CORE_FIELD_H
#define SST_CORE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SST_CODE_MISSING = INT16_MIN, SST_MAX_HUNDREDTHS = 8191, SST_MAX_POOL = 2048 };

enum sst_lattice_kind { SST_LATTICE_CENTI, SST_LATTICE_MILLI };

struct sst_lattice {
    int steps_per_degree;
    int reference_steps;
};

static inline struct sst_lattice sst_lattice_of(enum sst_lattice_kind kind)
{
    const struct sst_lattice centi = {100, 0}, milli = {1000, 15000};
    return kind == SST_LATTICE_CENTI ? centi : milli;
}

/* [degC]; the nearest double to the decimal number, since both operands of the division are exact. */
static inline double sst_lattice_degc(struct sst_lattice lattice, int code)
{
    return (double)(code + lattice.reference_steps) / (double)lattice.steps_per_degree;
}

/* One day field. All arrays have n_cells items, in domain order, and belong to whoever made the field. */
struct sst_field {
    size_t n_cells;
    int16_t *codes; /* on the lattice, SST_CODE_MISSING where there is no value */
    int16_t *hundredths; /* [0.01 degC] for sums; the same array as codes on the CENTI lattice */
    uint8_t *ice; /* 1 where the file says sea ice (concentration >= 0.15 or mask), else 0 */
    bool has_ice; /* the file had ice information; else `ice` is all 0 */
    float *degc; /* [degC] NaN: missing; floats unrounded, packed values as their codes. NULL: not asked for */
};

/*
 * Hundredths of a degree of codes on the MILLI lattice, half to even as lrint rounds; SST_CODE_MISSING stays.
 *
 * out   [0.01 degC] n_cells items.
 */
void sst_field_hundredths(const int16_t *codes, size_t n_cells, int16_t *out);

#endif
