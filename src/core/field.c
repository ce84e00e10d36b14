/* From one lattice to the other. */
#include "core/field.h"

/*
 * Shifted by an even number of hundredths so that all are positive and integer division rounds down; no call, so that the
 * loop vectorises.
 */
void sst_field_hundredths(const int16_t *codes, size_t n_cells, int16_t *out)
{
    enum { SHIFT = 20000, STEPS = 10, HALF = 5 };
    const int reference = sst_lattice_of(SST_LATTICE_MILLI).reference_steps;
    for (size_t cell = 0; cell < n_cells; ++cell) {
        const int thousandths = codes[cell] + reference + SHIFT;
        const int whole = thousandths / STEPS, rest = thousandths % STEPS;
        const int rounded = whole + (rest > HALF || (rest == HALF && whole % 2 == 1)) - SHIFT / STEPS;
        out[cell] = codes[cell] == SST_CODE_MISSING ? (int16_t)SST_CODE_MISSING : (int16_t)rounded;
    }
}
