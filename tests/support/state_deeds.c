/* Deeds, and what they may leave. */
#include "state_deeds.h"

#include <check.h>
#include <stdio.h>

#include "fake_os.h"
#include "join_fixture.h"
#include "state/file_notes.h"
#include "state/state_join.h"

/* A retired year has one day of the fixture, the first; B has days of a slot that A has too, and the final one of the log. */
enum { RETIRED_YEAR = 2003, FIRST_DAY_OF_B = 4, REPLACED_DAY = 1, PATH_ROOM = 512 };

const char *deed_name(enum state_deed deed)
{
    static const char *const names[] = {"replace", "note", "merge", "retire"};
    return names[deed];
}

static const char *path_of(const char *folder, const char *name, char *room)
{
    (void)snprintf(room, PATH_ROOM, "%s%s", folder, name);
    return room;
}

static bool has_b(const struct deed_world *world) { return world->deed == DEED_MERGE; }

/* What is made, or NULL where A itself changes. */
static const char *name_of_made(const struct deed_world *world)
{
    static const char *const names[STATE_N_DEEDS] = {NULL, NULL, "BOTH", "YOUNGER"};
    return names[world->deed];
}

/* --- before, and after -------------------------------------------------------------------------------------------- */

static struct sst_identity digest_of_days(const struct state_fixture *fixture, int first, int last, bool is_replaced)
{
    struct fake_disk *disk = fake_disk_new();
    struct sst_state *state = NULL;
    struct sst_identity digest = {0, 0};
    struct sst_error err = {0};
    int acknowledged = 0;
    ck_assert_msg(state_run_days(fake_disk_os(disk), "S", fixture, first, last, &acknowledged, &err) == SST_OK, "%s",
                  err.text);
    ck_assert_int_eq(sst_state_open(fake_disk_os(disk), "S", SST_STATE_WRITE, &state, &err), SST_OK);
    if (is_replaced)
        ck_assert_msg(state_replace_day(state, REPLACED_DAY, &err) == SST_OK, "%s", err.text);
    ck_assert_int_eq(sst_state_digest(state, &digest, &err), SST_OK);
    sst_state_close(&state);
    fake_disk_free(disk);
    return digest;
}

void deed_world_open(struct deed_world *world, enum state_deed deed)
{
    *world = (struct deed_world){.deed = deed};
    state_fixture_open(&world->fixture);
    const struct state_fixture *fixture = &world->fixture;
    const struct sst_identity all = fixture->digests[STATE_N_DAYS];
    world->before[0] = has_b(world) ? fixture->digests[FIRST_DAY_OF_B] : all;
    world->before[1] = digest_of_days(fixture, FIRST_DAY_OF_B, STATE_N_DAYS, false);
    world->after = all;
    if (deed == DEED_REPLACE)
        world->after = digest_of_days(fixture, 0, STATE_N_DAYS, true);
    if (deed == DEED_RETIRE)
        world->after = digest_of_days(fixture, 1, STATE_N_DAYS, false);
}

void deed_world_close(struct deed_world *world) { state_fixture_clear(&world->fixture); }

void deed_prepare(const struct deed_world *world, const struct sst_os *os, const char *folder)
{
    const struct state_fixture *fixture = &world->fixture;
    struct sst_error err = {0};
    char room[PATH_ROOM];
    int acknowledged = 0;
    enum sst_status rc = state_run_days(os, path_of(folder, "A", room), fixture, 0,
                                        has_b(world) ? FIRST_DAY_OF_B : STATE_N_DAYS, &acknowledged, &err);
    ck_assert_msg(rc == SST_OK, "%s", err.text);
    if (!has_b(world))
        return;
    rc = state_run_days(os, path_of(folder, "B", room), fixture, FIRST_DAY_OF_B, STATE_N_DAYS, &acknowledged, &err);
    ck_assert_msg(rc == SST_OK, "%s", err.text);
}

/* --- deeds -------------------------------------------------------------------------------------------------------- */

static enum sst_status note_files(struct sst_state *state, struct sst_error *err)
{
    const struct sst_file_stamp stamp = {1000, 2000};
    char path[] = "in/held.nc", text[] = "cannot be read";
    const struct sst_held_file held = {
        .path = path, .stamp = stamp, .reason = SST_HELD_UNREADABLE, .text = text, .since = 1};
    struct sst_file_notes *notes = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_file_notes_open(state, &notes, err));
    SST_TRY_GOTO(sst_file_notes_take(notes, "in/taken.nc", stamp, err));
    SST_TRY_GOTO(sst_file_notes_hold(notes, &held, err));
    SST_TRY_GOTO(sst_file_notes_commit(notes, state, err));
done:
    sst_file_notes_close(&notes);
    return rc;
}

static enum sst_status change_a(enum state_deed deed, struct sst_state *a, struct sst_error *err)
{
    return deed == DEED_REPLACE ? state_replace_day(a, REPLACED_DAY, err) : note_files(a, err);
}

static enum sst_status make_of(enum state_deed deed, const struct sst_os *os, const struct sst_state *const *states,
                               const char *path, struct sst_error *err)
{
    static const struct sst_join_watch no_watch;
    const struct sst_retire_options options = {
        .first_year = RETIRED_YEAR, .last_year = RETIRED_YEAR, .choose_probes = join_choose_probes};
    struct sst_retire_totals totals;
    if (deed == DEED_MERGE)
        return sst_state_merge(os, states, 2, path, &no_watch, err);
    return sst_state_retire(os, states[0], &options, path, &totals, err);
}

enum sst_status deed_do(const struct deed_world *world, const struct sst_os *os, const char *folder,
                        volatile int *acknowledged, struct sst_error *err)
{
    const char *made = name_of_made(world);
    struct sst_state *a = NULL, *b = NULL;
    enum sst_status rc = SST_OK;
    char room[PATH_ROOM];
    *acknowledged = 0;
    if (made && state_is_there(os, path_of(folder, made, room)))
        goto done;
    SST_TRY_GOTO(sst_state_open(os, path_of(folder, "A", room), made ? SST_STATE_READ : SST_STATE_WRITE, &a, err));
    if (has_b(world))
        SST_TRY_GOTO(sst_state_open(os, path_of(folder, "B", room), SST_STATE_READ, &b, err));
    const struct sst_state *const states[] = {a, b};
    if (made)
        SST_TRY_GOTO(make_of(world->deed, os, states, path_of(folder, made, room), err));
    else
        SST_TRY_GOTO(change_a(world->deed, a, err));
    *acknowledged = 1;
done:
    sst_state_close(&b);
    sst_state_close(&a);
    return rc;
}

/* --- what became of it -------------------------------------------------------------------------------------------- */

/* Whole, and of which digest. */
static enum state_outcome look(const struct sst_os *os, const char *path, struct sst_identity *digest, char *why)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    enum state_outcome outcome = STATE_DAMAGED;
    *why = '\0';
    if (sst_state_open(os, path, SST_STATE_READ, &state, &err) != SST_OK)
        state_say(why, err.text);
    else if (sst_state_verify(state, state_say, why, &err) == SST_OK && sst_state_digest(state, digest, &err) == SST_OK)
        outcome = STATE_SOUND;
    sst_state_close(&state);
    return outcome;
}

static enum state_outcome judge_input(const struct sst_os *os, const char *path, struct sst_identity before, char *why)
{
    struct sst_identity digest;
    const enum state_outcome outcome = look(os, path, &digest, why);
    if (outcome != STATE_SOUND || sst_identity_is(digest, before))
        return outcome;
    state_say(why, "a state that was only read is another one");
    return STATE_DOUBLED;
}

static enum state_outcome judge_changed(const struct deed_world *world, struct sst_identity digest, int acknowledged,
                                        char *why)
{
    if (sst_identity_is(digest, world->after))
        return STATE_SOUND;
    state_say(why, "it is neither what it was nor what it was to become");
    if (!sst_identity_is(digest, world->before[0]))
        return STATE_DOUBLED;
    state_say(why, "it is what it was, though the change was acknowledged");
    return acknowledged ? STATE_LOST : STATE_SOUND;
}

enum state_outcome deed_judge(const struct deed_world *world, const struct sst_os *os, const char *folder,
                              int acknowledged, char *why)
{
    const char *made = name_of_made(world);
    struct sst_identity digest;
    char room[PATH_ROOM];
    enum state_outcome outcome = STATE_SOUND;
    if (!made) {
        outcome = look(os, path_of(folder, "A", room), &digest, why);
        return outcome == STATE_SOUND ? judge_changed(world, digest, acknowledged, why) : outcome;
    }
    outcome = judge_input(os, path_of(folder, "A", room), world->before[0], why);
    if (outcome == STATE_SOUND && has_b(world))
        outcome = judge_input(os, path_of(folder, "B", room), world->before[1], why);
    if (outcome != STATE_SOUND)
        return outcome;
    if (!state_is_there(os, path_of(folder, made, room))) {
        state_say(why, "what was made is not there");
        return acknowledged ? STATE_LOST : STATE_SOUND;
    }
    outcome = look(os, room, &digest, why);
    if (outcome != STATE_SOUND || sst_identity_is(digest, world->after))
        return outcome;
    state_say(why, "what was made is not the state of its days");
    return STATE_DOUBLED;
}

enum state_outcome deed_judge_and_finish(const struct deed_world *world, const struct sst_os *os, const char *folder,
                                         int acknowledged, char *why)
{
    struct sst_error err = {0};
    int again = 0;
    const enum state_outcome outcome = deed_judge(world, os, folder, acknowledged, why);
    if (outcome != STATE_SOUND)
        return outcome;
    if (deed_do(world, os, folder, &again, &err) != SST_OK) {
        state_say(why, err.text);
        return STATE_STUCK;
    }
    return deed_judge(world, os, folder, 1, why);
}
