/* The program: reads the options, runs the command, and is the only place that turns a status into an exit code. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/environment.h"
#include "app/log.h"
#include "app/options.h"
#include "app/signals.h"
#include "backend/backend.h"
#include "stream/serve.h"
#include "write/clim_nc.h"

typedef int command_function(const struct sst_options *options);

static command_function *const functions[SST_N_COMMANDS] = {
#define X(symbol, name, usage, purpose, function) function,
    SST_COMMAND_LIST(X)
#undef X
};

/* Where a parent closed them, the first output file would become standard error, and messages would end up in it. */
static void open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        if (open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) == -1)
            return;
    }
}

/* Whether the command at hand has an option. */
static bool takes(const struct sst_options *options, enum sst_option_id option)
{
    return (sst_option_rows[option].commands >> options->command & 1U) != 0 && !options->wants_help &&
           !options->wants_version;
}

/* Whether all there is to do is to count a day or a few. */
static bool is_brief(const struct sst_options *options)
{
    enum { FEW_FILES = 8 };
    struct stat status;
    bool is_few = options->command == SST_COMMAND_INGEST && options->n_inputs <= FEW_FILES;
    for (size_t i = 0; i < options->n_inputs && is_few; ++i)
        is_few = stat(options->inputs[i], &status) == 0 && !S_ISDIR(status.st_mode);
    return is_few;
}

/*
 * Threads that wait for each other must sleep: the cores are the readers'. OpenMP's runtime reads how when it is loaded, before
 * main, and can be told in no other way; so the program starts itself once more where the user did not say.
 */
static void start_once_more(char **argv)
{
    static const char *const names[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (getenv(names[i]))
            return;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0 || !argv[0])
        return;
    path[length] = '\0';
    const char *slash = strrchr(path, '/'), *called = strrchr(argv[0], '/');
    if (strcmp(slash ? slash + 1 : path, called ? called + 1 : argv[0]) != 0) /* started by a loader, or a debugger */
        return;
    if (setenv(names[0], "passive", 1) == 0)
        (void)execv(path, argv); /* where that fails, all is well but slower */
}

/* A start takes longer than a day or a few gain by threads; and without threads, none waits. */
static void let_threads_sleep(const struct sst_options *options, char **argv)
{
    if (is_brief(options))
        sst_backend_cpu_set_threads(1);
    else if (takes(options, SST_OPTION_ID_threads) || takes(options, SST_OPTION_ID_readers))
        start_once_more(argv);
}

/* The codes of a command that did its work. */
static bool is_done(int exit_code)
{
    return exit_code == 0 || exit_code == sst_status_exit_code(SST_ERR_INCOMPLETE) ||
           exit_code == sst_status_exit_code(SST_ERR_TOLERANCE);
}

/* What a command printed has to have arrived: with a full disk its work is not done. */
static int check_standard_output(struct sst_log *log, int exit_code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_code;
    sst_log_error(log, "standard output: cannot be written: %s. Free some room, or send it elsewhere",
                  errno ? strerror(errno) : "an error");
    return is_done(exit_code) ? sst_status_exit_code(SST_ERR_OUTPUT) : exit_code;
}

/*
 * Blocks of a field's size are used again, not given back to the system: netCDF-C and HDF5 take and free several for each
 * field, and new pages are a third of what reading through them costs (docs/performance.md).
 */
static void keep_freed_memory(void)
{
#ifdef M_MMAP_THRESHOLD
    enum { OWN_MAPPING_FROM = 32 << 20, KEPT = 256 << 20, GROWN_BY = 16 << 20 }; /* [B] */
    (void)mallopt(M_MMAP_THRESHOLD, OWN_MAPPING_FROM);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT);
    (void)mallopt(M_TOP_PAD, GROWN_BY);
#endif
}

/* What the user left to the machine, for commands that use it. */
static enum sst_status settle_machine(struct sst_options *options, struct sst_error *err)
{
    if (!takes(options, SST_OPTION_ID_threads) && !takes(options, SST_OPTION_ID_readers))
        return SST_OK;
    const struct sst_machine machine = sst_environment_machine();
    return sst_options_settle(options, &machine, err);
}

/*
 * Readers are forked from a process that is forked here, before there are threads, and before a library has state that a
 * damaged file could find.
 */
static enum sst_status launch_readers(struct sst_options *options, struct sst_error *err)
{
    if (!takes(options, SST_OPTION_ID_readers) || (options->is_given[SST_OPTION_ID_readers] && options->n_readers == 0))
        return SST_OK;
    if (options->replaces || options->command == SST_COMMAND_QUARANTINE)
        SST_TRY(sst_crew_launch(&sst_serve, &options->old_crew.crew, err));
    return sst_crew_launch(&sst_serve, &options->crew.crew, err);
}

static void settle_readers(struct sst_options *options)
{
    const bool is_less = is_brief(options) && (size_t)options->n_readers > options->n_inputs;
    options->crew.n_readers = is_less ? (int)options->n_inputs : options->n_readers;
    options->crew.is_short = options->readers_are_short;
    options->crew.task_seconds = options->read_timeout;
    options->crew.cancelled = sst_signals_cancelled;
    struct sst_crew *const old = options->old_crew.crew;
    options->old_crew = options->crew;
    options->old_crew.crew = old;
    options->old_crew.n_readers = 1;
}

static int run_command(struct sst_options *options, struct sst_log *log)
{
    struct sst_error err = {SST_OK, ""};
    options->log = log;
    if (options->wants_version)
        return cmd_version(options);
    if (options->wants_help)
        return cmd_help(options);
    log->level = sst_log_level_of(options->verbosity);
    log->is_strict = options->strict;
    if (settle_machine(options, &err) != SST_OK) {
        sst_log_failure(log, &err);
        return sst_status_exit_code(err.code);
    }
    for (size_t i = 0; i < options->n_warnings; ++i)
        sst_log_warn(log, "%s", options->warnings[i]);
    if (sst_log_check(log, SST_ERR_USAGE, &err) != SST_OK) {
        sst_log_failure(log, &err);
        return sst_status_exit_code(err.code);
    }
    settle_readers(options);
    sst_signals_install();
    return functions[options->command](options);
}

int main(int argc, char **argv)
{
    struct sst_options options;
    struct sst_log log;
    struct sst_error err = {SST_OK, ""};
    int exit_code = 0;
    open_standard_streams();
    keep_freed_memory();
    sst_log_init(&log, stderr);
    log.has_colour = sst_terminal_of(stderr).has_colour;
    enum sst_status rc = sst_options_parse(argc, argv, &options, &err);
    if (rc == SST_OK)
        let_threads_sleep(&options, argv);
    if (rc == SST_OK)
        rc = launch_readers(&options, &err);
    sst_clim_prepare_process();
    if (rc == SST_OK) {
        exit_code = check_standard_output(&log, run_command(&options, &log));
    } else {
        sst_log_failure(&log, &err);
        exit_code = sst_status_exit_code(rc);
    }
    sst_crew_destroy(&options.old_crew.crew);
    sst_crew_destroy(&options.crew.crew);
    sst_options_clear(&options);
    if (exit_code == sst_status_exit_code(SST_ERR_INTERRUPTED))
        sst_signals_die_if_cancelled();
    return exit_code;
}
