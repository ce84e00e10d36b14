/* The process that forks readers. It stays small and single-threaded, so that forking from it is cheap and safe. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/timings.h"
#include "stream/crew_private.h"

/* [s] For readers that leave by themselves to close what they have open. */
static const double SECONDS_TO_LEAVE = 1.0;

struct child {
    pid_t pid; /* 0: none */
    uint64_t generation;
};

struct launcher {
    const struct sst_crew_service *service;
    int orders;
    int ends; /* signalfd: a child has ended */
    struct child children[SST_CREW_MAX_READERS];
};

/*
 * Signals that a terminal or a scheduler sends to all processes alike are the program's to decide on. Those of faults keep
 * the handlers that they have (sanitizers).
 */
static void leave_signals_to_program(void)
{
    static const int of_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE};
    struct sigaction action;
    sigset_t blocked;
    memset(&action, 0, sizeof action);
    for (int number = 1; number < NSIG; ++number) {
        bool is_of_fault = false;
        for (size_t i = 0; i < sizeof of_faults / sizeof *of_faults; ++i)
            is_of_fault = is_of_fault || of_faults[i] == number;
        action.sa_handler = SIG_DFL;
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i)
            action.sa_handler = ignored[i] == number ? SIG_IGN : action.sa_handler;
        if (!is_of_fault)
            (void)sigaction(number, &action, NULL);
    }
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGCHLD);
    (void)sigprocmask(SIG_SETMASK, &blocked, NULL);
}

/* Closes all files from 3 on but one: outputs and locks are none of the readers' business. */
static void close_other_files(int kept)
{
    enum { FIRST = STDERR_FILENO + 1, MOST = 65536 };
#ifdef SYS_close_range
    const bool is_below_closed = kept == FIRST || syscall(SYS_close_range, FIRST, kept - 1, 0) == 0;
    if (is_below_closed && syscall(SYS_close_range, kept + 1, ~0U, 0) == 0)
        return;
#endif
    const long n_files = sysconf(_SC_OPEN_MAX);
    for (int fd = FIRST; fd < (n_files < 0 || n_files > MOST ? MOST : n_files); ++fd)
        if (fd != kept)
            (void)close(fd);
}

/* Standard error stays, for a sanitizer's report or a library's last words. */
static bool use_null_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const bool is_done = null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0;
    if (null > STDERR_FILENO)
        sst_crew_close(&null);
    return is_done;
}

/* A limit of 1 byte, not 0: piped dumps are left out at 1 only (core(5)), and a plain one cannot be that small. */
static void dump_no_core(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) != 0)
        return;
    limit.rlim_max = limit.rlim_max > 0 ? 1 : 0;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_CORE, &limit);
}

static void report(const struct launcher *launcher, enum sst_crew_report_kind kind, int reader, int value)
{
    struct sst_crew_report report;
    memset(&report, 0, sizeof report);
    report.kind = kind;
    report.reader = reader;
    report.generation = reader >= 0 ? launcher->children[reader].generation : 0;
    report.value = value;
    const struct sst_crew_piece piece = {&report, sizeof report};
    (void)sst_crew_send(launcher->orders, &piece, 1, NULL, 0); /* where nobody hears, the next order is the end */
}

/* Reaps and reports who has ended; returns how many are left. */
static int reap(struct launcher *launcher)
{
    int n_left = 0;
    for (int reader = 0; reader < SST_CREW_MAX_READERS; ++reader) {
        struct child *child = &launcher->children[reader];
        int wait_status = 0;
        if (child->pid == 0)
            continue;
        if (waitpid(child->pid, &wait_status, WNOHANG) != child->pid) {
            ++n_left;
            continue;
        }
        child->pid = 0;
        report(launcher, SST_CREW_ENDED, reader, wait_status);
    }
    return n_left;
}

static void kill_all(const struct launcher *launcher)
{
    for (int reader = 0; reader < SST_CREW_MAX_READERS; ++reader)
        if (launcher->children[reader].pid != 0)
            (void)kill(launcher->children[reader].pid, SIGKILL);
}

/* Waits until a child may have ended; forgets the signal. */
static void await_end(const struct launcher *launcher, int milliseconds)
{
    struct signalfd_siginfo signal;
    struct pollfd ends = {.fd = launcher->ends, .events = POLLIN};
    if (poll(&ends, 1, milliseconds) > 0)
        (void)!read(launcher->ends, &signal, sizeof signal);
}

static void end_all(struct launcher *launcher, double seconds)
{
    enum { TURN_MILLISECONDS = 20 };
    const double until = sst_timings_now() + seconds;
    while (reap(launcher) > 0) {
        if (sst_timings_now() >= until)
            kill_all(launcher);
        await_end(launcher, TURN_MILLISECONDS);
    }
}

/* In the new process. */
static _Noreturn void become_reader(struct launcher *launcher, const struct sst_crew_order *order,
                                    const struct sst_crew_files *files, pid_t parent)
{
    sigset_t none;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(1);
    (void)prctl(PR_SET_NAME, "sststream-read", 0, 0, 0);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    sst_crew_close(&launcher->orders);
    sst_crew_close(&launcher->ends);
    sst_crew_reader(launcher->service, order, files->fds[0], files->fds[1]);
}

static void close_files(struct sst_crew_files *files)
{
    for (int i = 0; i < files->n; ++i)
        sst_crew_close(&files->fds[i]);
    files->n = 0;
}

static void start(struct launcher *launcher, const struct sst_crew_order *order, struct sst_crew_files *files)
{
    struct child *child = &launcher->children[order->reader];
    const pid_t self = getpid();
    child->generation = order->generation;
    /* Fewer files than were sent: this process may have no more. */
    const pid_t pid = files->n == SST_CREW_MAX_FILES ? fork() : -1;
    const int failed = files->n == SST_CREW_MAX_FILES ? errno : EMFILE;
    if (pid == 0)
        become_reader(launcher, order, files, self);
    if (pid > 0)
        child->pid = pid;
    close_files(files);
    report(launcher, pid > 0 ? SST_CREW_STARTED : SST_CREW_NOT_STARTED, order->reader, pid > 0 ? pid : failed);
}

/* Follows one order; false where there are no more. */
static bool obey(struct launcher *launcher)
{
    struct sst_crew_order order;
    struct sst_crew_files files;
    const ssize_t n = sst_crew_receive(launcher->orders, &order, sizeof order, &files, 0);
    if (n != (ssize_t)sizeof order)
        return false;
    const struct child *child = &launcher->children[order.reader];
    switch (order.kind) {
    case SST_CREW_ORDER_START:
        start(launcher, &order, &files);
        break;
    case SST_CREW_ORDER_KILL:
        if (child->pid != 0 && child->generation == order.generation)
            (void)kill(child->pid, SIGKILL);
        break;
    case SST_CREW_ORDER_END:
        end_all(launcher, SECONDS_TO_LEAVE);
        report(launcher, SST_CREW_ALL_ENDED, SST_CREW_NONE, 0);
        break;
    }
    close_files(&files);
    return true;
}

static void work(struct launcher *launcher)
{
    bool is_wanted = true;
    while (is_wanted) {
        struct pollfd watched[] = {{.fd = launcher->orders, .events = POLLIN},
                                   {.fd = launcher->ends, .events = POLLIN}};
        if (poll(watched, 2, -1) < 0) {
            is_wanted = errno == EINTR;
            continue;
        }
        if (watched[1].revents != 0) {
            await_end(launcher, 0);
            (void)reap(launcher);
        }
        if (watched[0].revents != 0)
            is_wanted = obey(launcher);
    }
}

_Noreturn void sst_crew_launcher(const struct sst_crew_service *service, int orders, pid_t program)
{
    struct launcher launcher = {.service = service, .orders = orders};
    sigset_t of_children;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != program)
        _exit(1);
    (void)prctl(PR_SET_NAME, "sststream-crew", 0, 0, 0);
    leave_signals_to_program();
    close_other_files(orders);
    dump_no_core();
    (void)sigemptyset(&of_children);
    (void)sigaddset(&of_children, SIGCHLD);
    launcher.ends = signalfd(-1, &of_children, SFD_CLOEXEC);
    if (!use_null_streams() || launcher.ends < 0)
        _exit(1);
    work(&launcher);
    end_all(&launcher, 0.0);
    _exit(0);
}
