/* The only file that reads environment variables. */
#include "app/environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "app/number.h"

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

double sst_monotonic_seconds(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
