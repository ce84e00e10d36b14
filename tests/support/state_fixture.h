/*
 * A small state and the days that go into it, one after another, for tests that stop this at any point.
 *
 * Most days are counted by their slots; one is logged, preliminary and then final.
 *
 *   acknowledged   0 nothing yet | 1 the state is made: S(0) | 1 + k: k days are taken, S(k)
 *
 * The digests of S(0) .. S(n) come from a run that nothing disturbed. After a disturbance the state has to be S(k) or S(k + 1)
 * where k days were acknowledged, every byte of it in order, and the run that is taken up again has to end in S(n).
 */
#ifndef SST_STATE_FIXTURE_H
#define SST_STATE_FIXTURE_H

#include <stdbool.h>

#include "state/state.h"

enum {
    STATE_N_DAYS = 7,
    STATE_N_COUNTED = 5 /* of them; the others are logged */,
    STATE_A_LOGGED_DAY = 2,
    STATE_N_CELLS = 12
};

/* Relative, for a disk in memory. */
#define STATE_PATH "STATE"

struct state_fixture {
    struct sst_state_policy policy;
    struct sst_identity digests[STATE_N_DAYS + 1];
};

/* Owner: the caller; state_fixture_clear. With another seed it is another state. */
void state_fixture_open(struct state_fixture *fixture);
void state_fixture_open_seed(struct state_fixture *fixture, uint64_t seed);
void state_fixture_clear(struct state_fixture *fixture);

/*
 * Makes the state if it is not there, opens it, and commits what it does not have. Stops at the first failure.
 *
 * acknowledged   set before return, and after each acknowledgement.
 */
enum sst_status state_run(const struct sst_os *os, const char *path, const struct state_fixture *fixture,
                          volatile int *acknowledged, struct sst_error *err);

/* state_run of the days first .. last - 1 alone: acknowledged counts those. */
enum sst_status state_run_days(const struct sst_os *os, const char *path, const struct state_fixture *fixture,
                               int first, int last, volatile int *acknowledged, struct sst_error *err);

/* The n-th day into a state that is open; true where it was there already. */
enum sst_status state_add_day(struct sst_state *state, int day, bool *was_there, struct sst_error *err);

/* Which day of the calendar the n-th is. */
struct sst_day state_day(int day);

/* The fixture's policy, but for what it keeps. Owner: sst_state_policy_clear. */
void state_policy_keeping(struct sst_state_policy *policy, enum sst_keep keep);

/* For sst_state_verify: leaves the last text in `user`, which has room for SST_ERROR_TEXT_SIZE. */
void state_say(void *user, const char *text);

/* Takes a day away that is there: the last one gives the state before it. */
enum sst_status state_remove_day(struct sst_state *state, int day, struct sst_error *err);

/* The n-th day, which is counted, with other values in the place of those that it has; nothing where it has them already. */
enum sst_status state_replace_day(struct sst_state *state, int day, struct sst_error *err);

enum state_outcome { STATE_SOUND, STATE_LOST, STATE_DOUBLED, STATE_DAMAGED, STATE_STUCK, STATE_N_OUTCOMES };
const char *state_outcome_text(enum state_outcome outcome);

/* Whether there is anything at a place. */
bool state_is_there(const struct sst_os *os, const char *path);

/* What is there after `acknowledged`. `why` has room for SST_ERROR_TEXT_SIZE. */
enum state_outcome state_judge(const struct sst_os *os, const char *path, const struct state_fixture *fixture,
                               int acknowledged, char *why);

/* state_judge; then the run taken up again, which has to come to its end. */
enum state_outcome state_judge_and_finish(const struct sst_os *os, const char *path,
                                          const struct state_fixture *fixture, int acknowledged, char *why);

#endif
