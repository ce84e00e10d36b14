/*
 * Made-up cells whose errors follow a known law, for tests of error models: three kinds of pool, errors that depend on
 * shape, on the cell and on the days before.
 */
#ifndef SST_TEST_ERROR_SAMPLE_H
#define SST_TEST_ERROR_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "validate/sample.h"

enum { TEST_N_KINDS = 3 };

struct test_error_law {
    double systematic; /* [sd] size of the part that follows from the shape */
    double noise; /* [sd] size of the rest, at the mildest shape */
    double memory; /* correlation of neighbouring days, 0..1 */
    double cell_spread; /* of the log of a cell's own factor */
    bool has_gaps; /* half of the cells have values on a tenth of their days only, and then larger errors */
};

/*
 * Cells first_cell .. first_cell + n_cells - 1 of the made-up sea of a seed, spread over the year; one percentile (90).
 * A cell's values depend on the seed and on its number only. Never fails. Free with test_error_sample_free.
 */
struct sst_sample *test_error_sample(const struct test_error_law *law, uint64_t seed, size_t first_cell, size_t n_cells,
                                     size_t n_places);
void test_error_sample_free(struct sst_sample **sample);

/* Which kind of pool a cell has: 0 calm, 1 near the moment boundary, 2 heavy tails. Its latitude is 10 x kind + 5. */
size_t test_error_kind(size_t domain_cell);

#endif
