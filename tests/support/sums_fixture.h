/*
 * A small sea, a state that counted its days, and the engine over either: what both give has to be the same bytes.
 *
 *   made_up_fields ─┬─▶ state (on a disk in memory) ─▶ sums ─▶ engine ─▶ bytes
 *                   └──────────────── days ──────────────────▶ engine ─▶ bytes
 */
#ifndef TESTS_SUMS_FIXTURE_H
#define TESTS_SUMS_FIXTURE_H

#include "engine_setup.h"
#include "fake_os.h"
#include "made_up_fields.h"
#include "state/state_sums.h"
#include "stream/climatology.h"

enum { SUMS_N_CELLS = 7 * 13, SUMS_FIRST_YEAR = 2001, SUMS_LAST_YEAR = 2004, SUMS_LATER_YEAR = 2011 };

struct sums_made { /* a state */
    enum sst_leap_rule leap;
    int half;
    enum sst_keep keep;
    struct sst_tail_k tail;
};

struct sums_wanted { /* a climatology, of percentiles 90 and 10 */
    enum sst_approx approx;
    enum sst_leap_rule leap;
    int half, smooth, first_slot, last_slot, tail_k;
};

enum sums_trait {
    SUMS_MILLI = 1,
    SUMS_NO_ICE = 2,
    SUMS_LONG = 4, /* up to SUMS_LATER_YEAR: more days than the engine takes at a time */
    SUMS_SPARSE = 8 /* cells turn valid one by one */
};

struct sums_setup {
    struct sums_made made;
    struct sums_wanted wanted;
    unsigned traits;
};

/* The policies of a setup. The latter, whose cells are in another order than the domain's: sst_state_policy_clear. */
struct sst_policy sums_policy(const struct sums_setup *setup);
struct sst_state_policy sums_state_policy(const struct sums_setup *setup);
enum sst_status sums_choose_probes(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                                   size_t *n_cells, struct sst_error *err);

struct sums_world {
    const struct sums_setup *setup;
    struct sst_policy policy;
    struct sst_state_policy made;
    struct sst_domain domain;
    struct made_up seas;
    struct fake_disk *disk;
    struct sst_state *state;
    size_t *probes, n_probes;
};

/* A state of all days that it counts of the slots that the policy reads. sums_world_close. */
void sums_world_open(const struct sums_setup *setup, struct sums_world *world);
void sums_world_close(struct sums_world *world);

/* The sums of the state, which are enough for the policy. Owner: the caller; sst_state_sums_destroy. */
struct sst_state_sums *sums_world_sums(const struct sums_world *world);

struct sums_given {
    struct given results;
    size_t n_with_value; /* cells, over all slots */
    size_t n_done, n_total, n_skipped; /* as progress told: days, or calendar days of sums */
};

/* The engine over sums, or over the days where they are NULL. Fails the test where it fails. */
struct sums_given sums_world_run(const struct sums_world *world, const struct sst_slot_source *sums);

/* The same, telling how it went; `cancelled`, which may be NULL, is asked with `given`. */
enum sst_status sums_world_try(const struct sums_world *world, const struct sst_slot_source *sums,
                               bool (*cancelled)(void *user), struct sums_given *given, struct sst_error *err);

bool sums_is_same(const struct sums_given *a, const struct sums_given *b);

#endif
