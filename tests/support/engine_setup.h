/*
 * Setups of the engine over a small sea, and all that a run gives as bytes: two ways of doing a run have to give the same.
 */
#ifndef TESTS_ENGINE_SETUP_H
#define TESTS_ENGINE_SETUP_H

#include "made_up_fields.h"
#include "stream/climatology.h"

struct engine_setup {
    enum sst_approx approx;
    enum sst_leap_rule leap;
    int half, smooth, first_slot, last_slot;
    bool has_probes, wants_shape, is_milli;
    bool no_ice; /* of the sea */
    bool is_single; /* percentile 90 alone, not 10 too */
};

/* Of the baseline 2001-2003. */
struct sst_policy engine_policy(const struct engine_setup *setup);

/* Every estimator and leap rule, windows and smoothers across the year's end, single days. */
enum { ENGINE_N_SETUPS = 10 };
const struct engine_setup *engine_setup(int i);

/* 7 x 13 cells, rows 2 and 3 land, 2000 to 2004. */
struct made_up engine_small_sea(void);

/* Cells of it, of land too; its last row has none. */
enum { ENGINE_N_PROBES = 10 };
const size_t *engine_probes(void);

struct given {
    unsigned char *bytes; /* one after the other; free */
    size_t n_bytes, capacity;
};
void given_append(struct given *given, const void *data, size_t n);
void given_append_result(struct given *given, const struct sst_slot_result *result, size_t n_percentiles);

/* Fails the test at the first byte that differs, with `what`. */
void given_check_same(const struct given *got, const struct given *want, const char *what);

#endif
