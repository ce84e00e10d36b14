/* The code of a stored number by the plainest arithmetic there is, for tests to compare faster ways with. */
#ifndef SST_PLAIN_CODE_H
#define SST_PLAIN_CODE_H

#include <float.h>

#include "stream/decode_private.h"

enum { PLAIN_MAX_FILLS = 6 };

/* How numbers are stored, and what must come of the 16-bit ones: a plain form, or the table. */
struct plain_packing {
    nc_type type;
    double scale, offset, intercept;
    double fills[PLAIN_MAX_FILLS];
    size_t n_fills;
    double valid_min, valid_max;
    double ice_degc;
    enum sst_lattice_kind lattice;
    bool is_plain;
};

/* No valid range, for the two members of that. */
#define PLAIN_ALL_VALID -DBL_MAX, DBL_MAX

/* docs/numerics.md, word by word; with the marks of what is no code. */
int16_t plain_code(const struct plain_packing *packing, double stored);

/* Whether a number stored in floating point lies off the lattice by more than it was rounded. */
bool plain_is_off(const struct plain_packing *packing, double stored);

#endif
