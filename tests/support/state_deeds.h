/*
 * What is done to states that are there, one deed at a time, for tests that disturb it: a day replaced, files noted, states
 * merged, a year retired, by a process that comes first to this state after another one died.
 *
 *   A, B ──deed──▶ A as it was, or as it is to become | BOTH, YOUNGER whole, or not there at all
 *
 * What is to become of A, BOTH and YOUNGER is known from states that were made without the deed, of the days alone.
 */
#ifndef SST_STATE_DEEDS_H
#define SST_STATE_DEEDS_H

#include "state_fixture.h"

enum state_deed { DEED_REPLACE, DEED_NOTE, DEED_MERGE, DEED_RETIRE, STATE_N_DEEDS };
const char *deed_name(enum state_deed deed);

struct deed_world {
    enum state_deed deed;
    struct state_fixture fixture;
    struct sst_identity before[2]; /* A, B */
    struct sst_identity after; /* of what the deed makes or changes */
};

/* Owner: the caller; deed_world_close. */
void deed_world_open(struct deed_world *world, enum state_deed deed);
void deed_world_close(struct deed_world *world);

/* Makes A and B in a folder, which is "" or ends with '/'. */
void deed_prepare(const struct deed_world *world, const struct sst_os *os, const char *folder);

/* Does it, or finds it done. acknowledged: set to 0, and to 1 once it is durable. */
enum sst_status deed_do(const struct deed_world *world, const struct sst_os *os, const char *folder,
                        volatile int *acknowledged, struct sst_error *err);

/* What is there now. `why` has room for SST_ERROR_TEXT_SIZE. */
enum state_outcome deed_judge(const struct deed_world *world, const struct sst_os *os, const char *folder,
                              int acknowledged, char *why);

/* deed_judge; then it is done once more, to its end, and judged again. */
enum state_outcome deed_judge_and_finish(const struct deed_world *world, const struct sst_os *os, const char *folder,
                                         int acknowledged, char *why);

#endif
