/*
 * Days of eight years in small files, and states made of any of them: in memory, by the plain way of adding and logging one
 * day after another.
 */
#ifndef SST_JOIN_FIXTURE_H
#define SST_JOIN_FIXTURE_H

#include "archive.h"
#include "fake_os.h"
#include "state/day_log.h"
#include "state/state.h"

/* Each year has five days from 27 February on, and 29 December to 4 January of the next. */
enum { JOIN_FIRST_YEAR = 1999, JOIN_LAST_YEAR = 2006, JOIN_MAX_DAYS = 128 };

struct join_day {
    struct sst_ledger_entry entry; /* class and year not set */
    struct sst_day day;
    struct sst_field field; /* canonical order */
};

struct join_world {
    enum day_storage storage;
    struct archive archive;
    struct sst_catalog *catalog; /* of all files */
    struct join_day days[JOIN_MAX_DAYS]; /* ascending slots, then years */
    size_t n_days;
    struct fake_disk *disk; /* where states are: a new one for each test */
};

/* Writes and reads the files. `name` is that of a folder. Owner: the caller; join_world_close. */
void join_world_open(struct join_world *world, const char *name, enum day_storage storage);
void join_world_close(struct join_world *world);

/* Two, of hundredths and of thousandths, that a test program reads once, before its tests fork. */
extern struct join_world join_worlds[2];
void join_open_worlds(void);
void join_close_worlds(void);

/* Empty disks for a test, and what it left. */
void join_new_disks(void);
void join_free_disks(void);

/* What states are made with. */
struct join_rule {
    enum sst_keep keep;
    struct sst_tail_k tail;
    enum sst_leap_rule leap;
    int first_year, last_year; /* the baseline */
    uint64_t seed;
};

enum { JOIN_N_RULES = 6 };

/* Of the baseline 2000-2003: all that is kept, with and without lists, leap rules. */
struct join_rule join_rule(int which);

/* As sst_state_policy_complete. */
enum sst_status join_choose_probes(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                                   size_t *n_cells, struct sst_error *err);

/* Owner: the caller; sst_state_policy_clear. */
struct sst_state_policy join_policy(const struct join_world *world, const struct join_rule *rule);

/* Whether a state gets a day. */
typedef bool join_wants_fn(const void *user, struct sst_day day);

/* Preliminary ones are only ever logged: 1 March of 2002 and 2005. */
bool join_is_preliminary(struct sst_day day);

/*
 * A state of the wanted days: counted where the rule pools them, else logged. Open to write, finished.
 *
 * wants   NULL: all days. Owner: the caller; sst_state_close.
 */
struct sst_state *join_state(struct join_world *world, const char *path, const struct sst_state_policy *policy,
                             join_wants_fn *wants, const void *user);

/* The same of all days, the first `n` of the world with other values. */
struct sst_state *join_state_of_other_values(struct join_world *world, const char *path,
                                             const struct sst_state_policy *policy, size_t n);

/* Opens a state to read, and verifies it. */
struct sst_state *join_open(struct join_world *world, const char *path);

struct sst_identity join_digest(const struct sst_state *state);
bool join_digests_equal(const struct sst_state *a, const struct sst_state *b);

/* Whether there is a state at a place, or anything else. */
bool join_is_there(struct join_world *world, const char *path);

#endif
