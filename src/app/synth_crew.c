/* A crew of forked workers that take items from a counter in shared memory. */
#include "app/synth_crew.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_WORKERS = 64 };
static const long POLL_NANOSECONDS = 10 * 1000 * 1000;

/* One worker's end; read by the parent after the worker is gone. */
struct report {
    bool is_finished; /* it left by its own will */
    enum sst_status rc;
    struct sst_error err;
};

/* Memory that parent and workers see alike. */
struct board {
    atomic_size_t next, done;
    atomic_bool stop;
    struct report reports[MAX_WORKERS];
};

struct crew {
    struct board *board;
    pid_t pids[MAX_WORKERS]; /* 0: gone */
    int n_workers;
    int n_at_work;
};

static int usable_cpus(void)
{
    cpu_set_t cpus;
    const int n_cpus = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    return n_cpus > 0 ? n_cpus : 1;
}

/* Never returns: exit handlers belong to the parent, and HDF5's may fail after a full disk. */
static _Noreturn void work(const struct sst_synth_crew_job *job, struct board *board, struct report *report,
                           pid_t parent)
{
    enum sst_status rc = SST_OK;
    while (rc == SST_OK && !atomic_load(&board->stop) && getppid() == parent) {
        const size_t item = atomic_fetch_add(&board->next, 1);
        if (item >= job->n_items)
            break;
        rc = job->work(job->user, item, &report->err);
        if (rc == SST_OK)
            (void)atomic_fetch_add(&board->done, 1);
        else
            atomic_store(&board->stop, true);
    }
    report->rc = rc;
    report->is_finished = true;
    _exit(0);
}

static void start(struct crew *crew, const struct sst_synth_crew_job *job, int n_wanted)
{
    const pid_t parent = getpid();
    while (crew->n_workers < n_wanted) {
        const pid_t pid = fork();
        if (pid < 0)
            return;
        if (pid == 0)
            work(job, crew->board, &crew->board->reports[crew->n_workers], parent);
        crew->pids[crew->n_workers++] = pid;
        ++crew->n_at_work;
    }
}

/* Notes which workers have ended, and stops the rest where one ended badly. */
static void collect(struct crew *crew)
{
    for (int k = 0; k < crew->n_workers; ++k) {
        int status;
        if (crew->pids[k] == 0)
            continue;
        const pid_t pid = waitpid(crew->pids[k], &status, WNOHANG);
        if (pid == 0 || (pid < 0 && errno == EINTR))
            continue;
        crew->pids[k] = 0;
        --crew->n_at_work;
        if (!crew->board->reports[k].is_finished)
            atomic_store(&crew->board->stop, true);
    }
}

static void look_on(struct crew *crew, const struct sst_synth_crew_job *job, bool *is_cancelled)
{
    const struct timespec pause = {0, POLL_NANOSECONDS};
    const struct sst_synth_watch *watch = job->watch;
    size_t shown = 0;
    while (crew->n_at_work > 0) {
        (void)nanosleep(&pause, NULL);
        if (watch && watch->cancelled && !*is_cancelled && watch->cancelled(watch->user)) {
            *is_cancelled = true;
            atomic_store(&crew->board->stop, true);
        }
        collect(crew);
        const size_t done = atomic_load(&crew->board->done);
        if (watch && watch->progress && done != shown)
            watch->progress(watch->user, done, job->n_items);
        shown = done;
    }
}

/* A failure that a worker told of goes before a worker that died, as the better explanation. */
static enum sst_status judge(const struct crew *crew, struct sst_error *err)
{
    bool has_died = false;
    for (int k = 0; k < crew->n_workers; ++k) {
        const struct report *report = &crew->board->reports[k];
        if (report->is_finished && report->rc != SST_OK)
            return sst_fail(err, report->rc, "%s", report->err.text);
        has_died = has_died || !report->is_finished;
    }
    if (has_died)
        return sst_fail(err, SST_ERR_INTERNAL,
                        "synth: a worker process died. If memory is short, choose a smaller grid or fewer workers");
    return SST_OK;
}

enum sst_status sst_synth_crew_run(const struct sst_synth_crew_job *job, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct crew crew = {0};
    bool is_cancelled = false;
    int n_wanted = job->n_workers > 0 ? job->n_workers : usable_cpus();
    n_wanted = n_wanted > MAX_WORKERS ? MAX_WORKERS : n_wanted;
    n_wanted = (size_t)n_wanted > job->n_items ? (int)job->n_items : n_wanted;
    void *shared = mmap(NULL, sizeof *crew.board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return sst_fail(err, SST_ERR_NOMEM, "synth: no shared memory: %s", strerror(errno));
    crew.board = shared;
    start(&crew, job, n_wanted);
    if (crew.n_workers == 0 && job->n_items > 0)
        rc = sst_fail(err, SST_ERR_NOMEM, "synth: no worker process can be started: %s", strerror(errno));
    look_on(&crew, job, &is_cancelled);
    if (rc == SST_OK)
        rc = judge(&crew, err);
    if (rc == SST_OK && is_cancelled && atomic_load(&crew.board->done) < job->n_items)
        rc = sst_fail(err, SST_ERR_INTERRUPTED, "synth: stopped after %zu of %zu days", atomic_load(&crew.board->done),
                      job->n_items);
    (void)munmap(shared, sizeof *crew.board);
    return rc;
}
