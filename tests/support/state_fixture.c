/* A small state, its days, and what may have become of it. */
#include "state_fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "fake_os.h"
#include "random.h"
#include "regular_grid.h"
#include "state/day_log.h"
#include "validate/probes.h"

enum { N_ROWS = 3, N_COLS = 4, N_CELLS = STATE_N_CELLS };

_Static_assert(N_ROWS *N_COLS == N_CELLS, "cells of the grid");

enum fate { COUNTED, LOGGED_PRELIMINARY, LOGGED_FINAL };

/* Slots that are new, and slots that are replaced; a log that is new, and one that gets longer. */
static const struct sst_day days[STATE_N_DAYS] = {{2003, 40}, {2001, 40}, {2010, 40}, {2002, 300},
                                                  {2004, 60}, {2010, 40}, {2002, 40}};
static const enum fate fates[STATE_N_DAYS] = {COUNTED,      COUNTED, LOGGED_PRELIMINARY, COUNTED, COUNTED,
                                              LOGGED_FINAL, COUNTED};

static enum sst_status choose(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                              size_t *n_cells, struct sst_error *err)
{
    return sst_probes_choose(domain, NULL, seed, share, cells, n_cells, err);
}

static void make_policy(struct sst_state_policy *policy, uint64_t seed, enum sst_keep keep)
{
    struct sst_error err = {0};
    *policy = (struct sst_state_policy){
        .grid = regular_grid((struct even_axis){-1.0, 1.0, N_ROWS}, (struct even_axis){10.0, 1.0, N_COLS}),
        .pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2000, 2005, 5},
        .lattice = SST_LATTICE_CENTI,
        .kind = SST_KIND_SURFACE,
        .has_moments = true,
        .tail = {2, 0},
        .keep = keep,
        .probe_share = keep == SST_KEEP_NONE ? 0.0 : 0.5,
        .seed = seed};
    ck_assert_int_eq(sst_strdup("made up", &policy->product, NULL), SST_OK);
    ck_assert_msg(sst_state_policy_complete(policy, choose, &err) == SST_OK, "%s", err.text);
}

void state_policy_keeping(struct sst_state_policy *policy, enum sst_keep keep) { make_policy(policy, 3, keep); }

struct sst_day state_day(int day) { return days[day]; }

struct values {
    int16_t codes[N_CELLS];
    uint8_t ice[N_CELLS];
    uint64_t digest;
};

enum { FIRST_VALUES = 0, OTHER_VALUES = 7000000 };

static struct sst_field make_values(struct sst_day day, int which, struct values *values)
{
    struct test_random random = {(uint64_t)(1000 * day.year + day.slot + which)};
    *values = (struct values){.digest = 0};
    for (int cell = 0; cell < N_CELLS; ++cell)
        values->codes[cell] = cell % 4 == 0 ? SST_CODE_MISSING : (int16_t)test_random_below(&random, 3000);
    values->digest = test_random_next(&random);
    return (struct sst_field){
        .n_cells = N_CELLS, .codes = values->codes, .hundredths = values->codes, .ice = values->ice};
}

static enum sst_status add_to(struct sst_slot_state *slot, struct sst_day day, int which, struct sst_error *err)
{
    struct values values;
    char source[] = "a.nc";
    const struct sst_field field = make_values(day, which, &values);
    const struct sst_ledger_entry entry = {.year = day.year,
                                           .year_class = sst_pool_class(&slot->policy->pools, day),
                                           .digest = values.digest,
                                           .n_valid = N_CELLS - N_CELLS / 4,
                                           .median = values.codes[1],
                                           .source = source};
    return sst_slot_state_add(slot, &entry, &field, err);
}

static enum sst_status count_day(struct sst_state *state, int day, bool *was_there, struct sst_error *err)
{
    struct sst_slot_state *slot = NULL;
    enum sst_status rc = sst_state_load(state, days[day].slot, &slot, err);
    *was_there = rc == SST_OK && sst_slot_state_entry(slot, days[day].year);
    if (rc == SST_OK && !*was_there)
        rc = add_to(slot, days[day], FIRST_VALUES, err);
    if (rc == SST_OK && !*was_there)
        rc = sst_state_commit(state, slot, err);
    sst_slot_state_destroy(&slot);
    return rc;
}

static enum sst_status log_day(struct sst_state *state, int day, enum sst_day_status status, bool *was_there,
                               struct sst_error *err)
{
    struct values values;
    const struct sst_field field = make_values(days[day], FIRST_VALUES, &values);
    const struct sst_logged_day *known = sst_state_logged(state, days[day]);
    const struct sst_log_entry entry = {.at = {.day = days[day],
                                               .status = status,
                                               .digest = values.digest,
                                               .n_valid = N_CELLS - N_CELLS / 4,
                                               .median = values.codes[1]},
                                        .source = "b.nc",
                                        .field = &field};
    *was_there = known && known->status >= status;
    return *was_there ? SST_OK : sst_state_log(state, &entry, 1, err);
}

enum sst_status state_add_day(struct sst_state *state, int day, bool *was_there, struct sst_error *err)
{
    if (fates[day] == COUNTED)
        return count_day(state, day, was_there, err);
    return log_day(state, day, fates[day] == LOGGED_FINAL ? SST_DAY_FINAL : SST_DAY_PRELIMINARY, was_there, err);
}

enum sst_status state_remove_day(struct sst_state *state, int day, struct sst_error *err)
{
    struct sst_slot_state *slot = NULL;
    enum sst_status rc = sst_state_load(state, days[day].slot, &slot, err);
    if (rc == SST_OK)
        rc = sst_slot_state_remove(slot, days[day].year, NULL, err);
    if (rc == SST_OK)
        rc = sst_state_commit(state, slot, err);
    sst_slot_state_destroy(&slot);
    return rc;
}

enum sst_status state_replace_day(struct sst_state *state, int day, struct sst_error *err)
{
    struct sst_slot_state *slot = NULL;
    struct values values;
    enum sst_status rc = SST_OK;
    (void)make_values(days[day], OTHER_VALUES, &values);
    SST_TRY_GOTO(sst_state_load(state, days[day].slot, &slot, err));
    if (sst_slot_state_entry(slot, days[day].year)->digest != values.digest) {
        SST_TRY_GOTO(sst_slot_state_remove(slot, days[day].year, NULL, err));
        SST_TRY_GOTO(add_to(slot, days[day], OTHER_VALUES, err));
        SST_TRY_GOTO(sst_state_commit(state, slot, err));
    }
done:
    sst_slot_state_destroy(&slot);
    return rc;
}

bool state_is_there(const struct sst_os *os, const char *path)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    if (sst_state_open(os, path, SST_STATE_READ, &state, &err) != SST_OK)
        return strstr(err.text, "there is no state") == NULL;
    sst_state_close(&state);
    return true;
}

enum sst_status state_run(const struct sst_os *os, const char *path, const struct state_fixture *fixture,
                          volatile int *acknowledged, struct sst_error *err)
{
    return state_run_days(os, path, fixture, 0, STATE_N_DAYS, acknowledged, err);
}

enum sst_status state_run_days(const struct sst_os *os, const char *path, const struct state_fixture *fixture,
                               int first, int last, volatile int *acknowledged, struct sst_error *err)
{
    struct sst_state *state = NULL;
    enum sst_status rc = SST_OK;
    bool was_there = false;
    *acknowledged = 0;
    if (!state_is_there(os, path))
        SST_TRY(sst_state_make(os, path, &fixture->policy, err));
    SST_TRY(sst_state_open(os, path, SST_STATE_WRITE, &state, err));
    *acknowledged = 1;
    for (int day = first; day < last; ++day) {
        SST_TRY_GOTO(state_add_day(state, day, &was_there, err));
        *acknowledged = 2 + day - first;
    }
done:
    sst_state_close(&state);
    return rc;
}

/* --- what became of it -------------------------------------------------------------------------------------------- */

const char *state_outcome_text(enum state_outcome outcome)
{
    static const char *const texts[] = {"sound", "lost", "doubled", "damaged", "stuck"};
    return texts[outcome];
}

void state_say(void *user, const char *text) { (void)snprintf(user, SST_ERROR_TEXT_SIZE, "%s", text); }

static enum state_outcome judge_digest(const struct state_fixture *fixture, struct sst_identity digest,
                                       int acknowledged, char *why)
{
    for (int k = 0; k <= STATE_N_DAYS; ++k) {
        if (!sst_identity_is(digest, fixture->digests[k]))
            continue;
        (void)snprintf(why, SST_ERROR_TEXT_SIZE, "it is S(%d) after %d acknowledgements", k, acknowledged);
        if (k + 1 < acknowledged)
            return STATE_LOST;
        return k <= acknowledged ? STATE_SOUND : STATE_DOUBLED;
    }
    (void)snprintf(why, SST_ERROR_TEXT_SIZE, "it is no S(k) after %d acknowledgements", acknowledged);
    return STATE_DOUBLED;
}

enum state_outcome state_judge(const struct sst_os *os, const char *path, const struct state_fixture *fixture,
                               int acknowledged, char *why)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    struct sst_identity digest;
    enum state_outcome outcome = STATE_DAMAGED;
    *why = '\0';
    if (!state_is_there(os, path)) {
        state_say(why, "there is no state");
        return acknowledged == 0 ? STATE_SOUND : STATE_LOST;
    }
    if (sst_state_open(os, path, SST_STATE_READ, &state, &err) != SST_OK)
        state_say(why, err.text);
    else if (sst_state_verify(state, state_say, why, &err) == SST_OK &&
             sst_state_digest(state, &digest, &err) == SST_OK)
        outcome = judge_digest(fixture, digest, acknowledged, why);
    sst_state_close(&state);
    return outcome;
}

enum state_outcome state_judge_and_finish(const struct sst_os *os, const char *path,
                                          const struct state_fixture *fixture, int acknowledged, char *why)
{
    struct sst_error err = {0};
    int again = 0;
    const enum state_outcome outcome = state_judge(os, path, fixture, acknowledged, why);
    if (outcome != STATE_SOUND)
        return outcome;
    if (state_run(os, path, fixture, &again, &err) != SST_OK) {
        state_say(why, err.text);
        return STATE_STUCK;
    }
    return state_judge(os, path, fixture, 1 + STATE_N_DAYS, why);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

void state_fixture_open_seed(struct state_fixture *fixture, uint64_t seed)
{
    struct fake_disk *disk = fake_disk_new();
    const struct sst_os *os = fake_disk_os(disk);
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    bool was_there = false;
    *fixture = (struct state_fixture){0};
    make_policy(&fixture->policy, seed, SST_KEEP_ALL);
    ck_assert_msg(sst_state_make(os, STATE_PATH, &fixture->policy, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_open(os, STATE_PATH, SST_STATE_WRITE, &state, &err) == SST_OK, "%s", err.text);
    for (int k = 0; k <= STATE_N_DAYS; ++k) {
        if (k > 0)
            ck_assert_msg(state_add_day(state, k - 1, &was_there, &err) == SST_OK && !was_there, "%s", err.text);
        ck_assert_msg(sst_state_digest(state, &fixture->digests[k], &err) == SST_OK, "%s", err.text);
        ck_assert(k == 0 || !sst_identity_is(fixture->digests[k], fixture->digests[k - 1]));
    }
    sst_state_close(&state);
    fake_disk_free(disk);
}

void state_fixture_open(struct state_fixture *fixture) { state_fixture_open_seed(fixture, 3); }

void state_fixture_clear(struct state_fixture *fixture) { sst_state_policy_clear(&fixture->policy); }
