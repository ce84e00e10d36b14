#include "crew_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/timings.h"
#include "test_main.h"

struct fake_board *fake_board;

struct fake_state {
    int n_served;
    uint64_t setup_sum;
    const void *setup;
};

void fake_sleep(double seconds)
{
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

int fake_count_files(const char *folder)
{
    int n = 0;
    DIR *open_files = opendir(folder);
    while (open_files && readdir(open_files))
        ++n;
    if (open_files)
        (void)closedir(open_files);
    return n - 2;
}

/* Not by the sanitizers' handlers, which would end it by a code. */
static void die_of(int number)
{
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static enum sst_status fake_open(const void *setup, size_t setup_bytes, void **state, struct sst_error *err)
{
    struct fake_state *made = calloc(1, sizeof *made);
    const uint8_t *bytes = setup;
    if (!made)
        return sst_fail(err, SST_ERR_NOMEM, "no state");
    if (setup_bytes > 0 && bytes[0] == FAKE_OPEN_CRASHES)
        die_of(SIGSEGV);
    if (setup_bytes > 0 && bytes[0] == FAKE_OPEN_FAILS) {
        free(made);
        return sst_fail(err, SST_ERR_USAGE, "the service cannot be opened");
    }
    for (size_t i = 0; i < setup_bytes; ++i)
        made->setup_sum += bytes[i] * (i % 7 + 1);
    made->setup = setup;
    *state = made;
    (void)atomic_fetch_add(&fake_board->n_opened, 1);
    atomic_store(&fake_board->n_served[getpid() % FAKE_N_PIDS], 0);
    return SST_OK;
}

static void talk_nonsense(void)
{
    for (int fd = 3; fd < 20; ++fd)
        (void)send(fd, "x", 1, MSG_NOSIGNAL);
    fake_sleep(60);
}

static enum sst_status allocate(struct sst_error *err)
{
    const size_t n_bytes = (size_t)1 << 30;
    volatile char *memory = malloc(n_bytes);
    if (!memory)
        return sst_fail(err, SST_ERR_NOMEM, "no memory for %zu bytes", n_bytes);
    memory[n_bytes / 2] = 1;
    free((void *)(uintptr_t)memory);
    return SST_OK;
}

static enum sst_status misbehave(const struct fake_request *request, const struct fake_state *state, int64_t *values,
                                 struct sst_error *err)
{
    switch (request->kind) {
    case FAKE_CRASH_ONCE:
        if (++values[1] == 1)
            die_of(SIGSEGV);
        break;
    case FAKE_CRASH:
        die_of(SIGSEGV);
        break;
    case FAKE_ABORT:
        die_of(SIGABRT);
        break;
    case FAKE_EXIT:
        _exit(3);
    case FAKE_KILL:
        die_of(SIGKILL);
        break;
    case FAKE_HANG:
        for (;;)
            fake_sleep(60);
    case FAKE_ALLOCATE:
        return allocate(err);
    case FAKE_WRITE_SETUP:
        (void)signal(SIGSEGV, SIG_DFL);
        *(volatile uint8_t *)(uintptr_t)state->setup = 1;
        break;
    case FAKE_TALK_NONSENSE:
        talk_nonsense();
        break;
    default:
        return sst_fail(err, SST_ERR_GRID, "the grid of task %d is wrong", request->a);
    }
    return SST_OK;
}

static void note_work(void)
{
    const int n = atomic_fetch_add(&fake_board->n_at_work, 1) + 1;
    int most = atomic_load(&fake_board->most_at_work);
    while (n > most && !atomic_compare_exchange_weak(&fake_board->most_at_work, &most, n))
        continue;
}

static enum sst_status fake_serve(void *opaque, struct sst_crew_task *task, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct fake_state *state = opaque;
    struct fake_request request;
    int64_t *values = task->slot;
    if (task->request_bytes != sizeof request || task->slot_bytes != FAKE_SLOT_BYTES)
        return sst_fail(err, SST_ERR_INTERNAL, "a task of another size came");
    memcpy(&request, task->request, sizeof request);
    note_work();
    if (request.milliseconds > 0)
        fake_sleep(request.milliseconds * 1e-3);
    const struct fake_reply reply = {getpid(), getppid(), ++state->n_served, state->setup_sum};
    memcpy(task->reply, &reply, sizeof reply);
    task->reply_bytes = sizeof reply;
    if (request.kind == FAKE_COUNT_FILES)
        values[0] = fake_count_files("/proc/self/fd");
    else if (request.kind == FAKE_ADD)
        values[0] = (int64_t)request.a + request.b;
    else if (request.kind == FAKE_LARGE_REPLY)
        memset(task->reply, request.a, task->reply_bytes = SST_CREW_MAX_REPLY);
    else
        rc = misbehave(&request, state, values, err);
    (void)atomic_fetch_sub(&fake_board->n_at_work, 1);
    (void)atomic_fetch_add(&fake_board->n_served[getpid() % FAKE_N_PIDS], 1);
    return rc;
}

static void fake_close(void *state)
{
    free(state);
    (void)atomic_fetch_add(&fake_board->n_closed, 1);
}

struct sst_crew *fake_launch(void)
{
    static const struct sst_crew_service service = {fake_open, fake_serve, fake_close};
    struct sst_error err = {SST_OK, ""};
    struct sst_crew *crew = NULL;
    if (fake_board)
        (void)munmap(fake_board, sizeof *fake_board);
    fake_board = mmap(NULL, sizeof *fake_board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(fake_board, MAP_FAILED);
    ck_assert_msg(sst_crew_launch(&service, &crew, &err) == SST_OK, "%s", err.text);
    return crew;
}

struct sst_crew_options fake_options(int n_readers, size_t n_slots)
{
    return (struct sst_crew_options){
        .n_readers = n_readers, .task_seconds = 20, .n_slots = n_slots, .slot_bytes = FAKE_SLOT_BYTES};
}

void fake_start(struct sst_crew *crew, const struct sst_crew_options *options)
{
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_crew_start(crew, options, &err) == SST_OK, "%s", err.text);
}

void fake_give(struct sst_crew *crew, uint64_t tag, int reader, struct fake_request request)
{
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_crew_give(crew, tag, reader, &request, sizeof request, &err) == SST_OK, "%s", err.text);
}

void fake_next(struct sst_crew *crew, struct sst_crew_result *out)
{
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_crew_next(crew, out, NULL, NULL, &err) == SST_OK, "%s", err.text);
}

int64_t fake_sum(const struct sst_crew_result *result)
{
    int64_t sum = 0;
    memcpy(&sum, result->values, sizeof sum);
    return sum;
}

struct fake_reply fake_reply(const struct sst_crew_result *result)
{
    struct fake_reply reply;
    ck_assert_uint_eq(result->reply_bytes, sizeof reply);
    memcpy(&reply, result->reply, sizeof reply);
    return reply;
}

void fake_work(struct sst_crew *crew, int n_tasks, int milliseconds,
               void (*meanwhile)(struct sst_crew *crew, int n_done))
{
    struct sst_crew_result result;
    bool *is_done = calloc((size_t)n_tasks, sizeof *is_done);
    int n_given = 0;
    ck_assert_ptr_nonnull(is_done);
    for (int n_done = 0; n_done < n_tasks; ++n_done) {
        for (; n_given < n_tasks && sst_crew_n_free(crew) > 0; ++n_given)
            fake_give(crew, (uint64_t)n_given, n_given % 3 == 0 ? SST_CREW_ANY_READER : n_given,
                      (struct fake_request){FAKE_ADD, n_given, 1000000, milliseconds});
        fake_next(crew, &result);
        ck_assert_msg(result.fate == SST_CREW_DONE && result.status == SST_OK, "%s", result.error.text);
        ck_assert_uint_lt(result.tag, (uint64_t)n_tasks);
        ck_assert_msg(!is_done[result.tag], "task %d came twice", (int)result.tag);
        ck_assert_int_eq(fake_sum(&result), (int64_t)result.tag + 1000000);
        is_done[result.tag] = true;
        sst_crew_release(crew, result.slot);
        if (meanwhile)
            meanwhile(crew, n_done);
    }
    ck_assert_uint_eq(sst_crew_n_in_hand(crew), 0);
    free(is_done);
}

bool fake_is_alive(int pid)
{
    char state = 'Z';
    FILE *file = fopen(test_path("/proc/%d/stat", pid), "re");
    if (!file)
        return false;
    const bool is_read = fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    (void)fclose(file);
    return is_read && state != 'Z' && state != 'X';
}

bool fake_is_gone_within(int pid, double seconds)
{
    const double until = sst_timings_now() + seconds;
    while (fake_is_alive(pid)) {
        if (sst_timings_now() > until)
            return false;
        fake_sleep(0.01);
    }
    return true;
}
