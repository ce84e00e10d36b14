/* The only file that reads environment variables; main.c alone looks before at how OpenMP waits. */
#include "app/environment.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "app/number.h"
#include "core/resources.h"

/* The last second of the year 9999, beyond which a date does not fit four digits. [s] */
#define LAST_SECOND INT64_C(253402300799)

int sst_terminal_columns(const char *columns_text, int asked)
{
    int64_t columns = asked;
    if (columns_text && (!sst_number_integer(columns_text, &columns) || columns <= 0))
        columns = asked;
    if (columns <= 0)
        return SST_DEFAULT_COLUMNS;
    if (columns < SST_MIN_COLUMNS)
        return SST_MIN_COLUMNS;
    return columns > SST_MAX_COLUMNS ? SST_MAX_COLUMNS : (int)columns;
}

struct sst_terminal sst_terminal_of(FILE *stream)
{
    struct sst_terminal terminal = {false, false, SST_DEFAULT_COLUMNS};
    const char *term = getenv("TERM");
    const char *no_colour = getenv("NO_COLOR");
    struct winsize size = {0};
    const int fd = fileno(stream);
    const bool is_tty = fd >= 0 && isatty(fd);
    terminal.is_terminal = is_tty && term && *term && strcmp(term, "dumb") != 0;
    terminal.has_colour = terminal.is_terminal && !(no_colour && *no_colour);
    if (is_tty && ioctl(fd, TIOCGWINSZ, &size) != 0)
        size.ws_col = 0;
    terminal.columns = sst_terminal_columns(getenv("COLUMNS"), size.ws_col);
    return terminal;
}

enum sst_status sst_output_time(int64_t *seconds, struct sst_error *err)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    int64_t value = 0;
    if (!text) {
        *seconds = (int64_t)time(NULL);
        return SST_OK;
    }
    if (!sst_number_integer(text, &value) || value < 0 || value > LAST_SECOND)
        return sst_fail(err, SST_ERR_USAGE,
                        "SOURCE_DATE_EPOCH: '%.40s' is no time. Set it to seconds since 1970-01-01, or unset it", text);
    *seconds = value;
    return SST_OK;
}

/* A whole number above zero, whatever comes behind it if that is one of `ends`; 0 if there is none. */
static int read_count(const char *text, const char *ends)
{
    char digits[32];
    int64_t value = 0;
    const size_t length = strspn(text, "0123456789");
    if (length == 0 || length >= sizeof digits || (text[length] && !strchr(ends, text[length])))
        return 0;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return sst_number_integer(digits, &value) && value <= INT_MAX ? (int)value : 0;
}

int sst_environment_scheduled_cpus(bool *is_odd)
{
    const char *text = getenv("SLURM_CPUS_PER_TASK");
    const int n = text ? read_count(text, "") : 0;
    *is_odd = text && *text && n == 0;
    return n;
}

int sst_environment_openmp_threads(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    return text ? read_count(text + strspn(text, " "), ", ") : 0;
}

const char *sst_environment_device_plugins(void)
{
    const char *folder = getenv("SST_DEVICE_PLUGINS");
    return folder && *folder ? folder : NULL;
}

const char *sst_environment_notify_socket(void) { return getenv("NOTIFY_SOCKET"); }

double sst_environment_watchdog_seconds(void)
{
    const char *text = getenv("WATCHDOG_USEC"), *of = getenv("WATCHDOG_PID");
    int64_t microseconds = 0, pid = 0;
    if (!text || !sst_number_integer(text, &microseconds) || microseconds <= 0)
        return 0.0;
    if (of && (!sst_number_integer(of, &pid) || pid != getpid()))
        return 0.0;
    return (double)microseconds / 1e6;
}

char *const *sst_environment_all(void) { return environ; }

struct sst_machine sst_environment_machine(void)
{
    struct sst_machine machine = {.n_openmp_threads = sst_environment_openmp_threads(),
                                  .memory_bytes = sst_usable_memory()};
    machine.n_cores = sst_usable_cores(sst_environment_scheduled_cpus(&machine.schedule_is_odd));
    return machine;
}

/* The figure of a line such as "Private_Dirty:   112 kB", [bytes]; 0 where the line is another. */
static uint64_t line_bytes(const char *line, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(line, name, length) != 0)
        return 0;
    return UINT64_C(1024) * (uint64_t)read_count(line + length + strspn(line + length, " \t"), " ");
}

static uint64_t private_bytes(int pid)
{
    char path[64], line[128];
    uint64_t bytes = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        bytes += line_bytes(line, "Private_Clean:") + line_bytes(line, "Private_Dirty:");
    (void)fclose(file);
    return bytes;
}

uint64_t sst_environment_private_bytes(const int *pids, int n_pids)
{
    uint64_t bytes = 0;
    for (int i = 0; i < n_pids; ++i)
        bytes += private_bytes(pids[i]);
    return bytes;
}

void sst_environment_give_back_memory(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

uint64_t sst_environment_free_bytes(const char *folder)
{
    struct statvfs disk;
    return statvfs(folder, &disk) == 0 ? (uint64_t)disk.f_bavail * disk.f_frsize : UINT64_MAX;
}

double sst_monotonic_seconds(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
