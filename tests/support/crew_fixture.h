/* A crew whose service does as each request says: adds, crashes, hangs. For tests of stream/crew. */
#ifndef SST_TEST_CREW_FIXTURE_H
#define SST_TEST_CREW_FIXTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream/crew.h"

enum fake_kind {
    FAKE_ADD,
    FAKE_FAIL, /* returns SST_ERR_GRID */
    FAKE_LARGE_REPLY,
    FAKE_CRASH, /* SIGSEGV */
    FAKE_CRASH_ONCE, /* where the slot has not seen it yet */
    FAKE_ABORT,
    FAKE_EXIT, /* code 3 */
    FAKE_KILL, /* SIGKILL, as for want of memory */
    FAKE_HANG,
    FAKE_ALLOCATE, /* a GiB: SST_ERR_NOMEM where there is none */
    FAKE_WRITE_SETUP,
    FAKE_TALK_NONSENSE,
    FAKE_COUNT_FILES /* those open in the reader: the sum */
};

struct fake_request {
    enum fake_kind kind;
    int a, b;
    int milliseconds; /* first sleeps so long */
};

struct fake_reply {
    int pid, parent;
    int n_served; /* by this process, this one included */
    uint64_t setup_sum;
};

enum { FAKE_N_PIDS = 1 << 16, FAKE_SLOT_BYTES = 10000 };

/* Memory that the test and all readers see. */
struct fake_board {
    atomic_int n_opened, n_closed;
    atomic_int n_at_work, most_at_work;
    atomic_int n_served[FAKE_N_PIDS]; /* by pid, modulo */
};

/* What readers find in their setup; the rest of it is only added up. */
enum fake_open { FAKE_OPENS, FAKE_OPEN_FAILS, FAKE_OPEN_CRASHES };

extern struct fake_board *fake_board;

/* Launches a crew; the board is fresh. Owner: the caller; sst_crew_destroy. */
struct sst_crew *fake_launch(void);

/* Options for a number of readers, n_slots slots, 20 s a task. */
struct sst_crew_options fake_options(int n_readers, size_t n_slots);

/* These fail the test where the call does. */
void fake_start(struct sst_crew *crew, const struct sst_crew_options *options);
void fake_give(struct sst_crew *crew, uint64_t tag, int reader, struct fake_request request);
void fake_next(struct sst_crew *crew, struct sst_crew_result *out);

/* What an addition leaves in its slot. */
int64_t fake_sum(const struct sst_crew_result *result);
struct fake_reply fake_reply(const struct sst_crew_result *result);

/* Gives additions to all slots until n_tasks are done; fails the test unless each result is right and comes once. */
void fake_work(struct sst_crew *crew, int n_tasks, int milliseconds,
               void (*meanwhile)(struct sst_crew *crew, int n_done));

/* Whether a process is there and no zombie. */
bool fake_is_alive(int pid);

/* Waits until the process is gone; false after so many seconds. */
bool fake_is_gone_within(int pid, double seconds);
int fake_count_files(const char *folder);
void fake_sleep(double seconds);

#endif
