/* Composes the lines of a stage from one set of figures. */
#include "app/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "app/signals.h"

/* Least time between two lines of a mode. [s] */
#define BAR_INTERVAL 0.1
#define PLAIN_INTERVAL 30.0
#define JSON_INTERVAL 1.0

/* Before this a rate says nothing. [s] */
#define MIN_ELAPSED 1.0

enum { MAX_LINE = 256, MAX_FIGURE = 32, MAX_RATE = 64, MIN_BAR_WIDTH = 8, MAX_BAR_WIDTH = 40 };

/* What every line is made of. */
struct figures {
    double elapsed; /* [s] */
    double share; /* 0..1 */
    double rate; /* [bytes/s], or [items/s] where no bytes are counted; NaN = not known yet */
    double left; /* [s]; NaN = not known yet */
    uint64_t peak_bytes;
};

void sst_progress_init(struct sst_progress *progress, enum sst_progress_mode mode, const struct sst_terminal *terminal,
                       struct sst_log *log)
{
    memset(progress, 0, sizeof *progress);
    if (mode == SST_PROGRESS_AUTO && !sst_log_shows(log, SST_LOG_INFO))
        mode = SST_PROGRESS_NONE;
    if (mode == SST_PROGRESS_AUTO || mode == SST_PROGRESS_BAR)
        mode = terminal->is_terminal ? SST_PROGRESS_BAR : SST_PROGRESS_PLAIN;
    progress->mode = mode;
    progress->columns = terminal->columns;
    progress->log = log;
    progress->now = sst_monotonic_seconds;
    progress->status_wanted = sst_signals_take_status_request;
}

static double share_of(uint64_t done, uint64_t total)
{
    if (total == 0)
        return 1.0;
    return done >= total ? 1.0 : (double)done / (double)total;
}

static struct figures figures_of(const struct sst_progress *progress, double now)
{
    struct figures figures = {now - progress->started, 0.0, NAN, NAN, 0};
    struct rusage usage;
    figures.share = progress->total == 0 ? 0.0
                                         : fmin(share_of(progress->done, progress->total),
                                                share_of(progress->bytes_done, progress->bytes_total));
    if (figures.elapsed >= MIN_ELAPSED) {
        const double amount = progress->bytes_total > 0 ? (double)progress->bytes_done : (double)progress->done;
        figures.rate = amount / figures.elapsed;
        if (figures.share > 0.0)
            figures.left = figures.elapsed * (1.0 - figures.share) / figures.share;
    }
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        figures.peak_bytes = (uint64_t)usage.ru_maxrss * 1024; /* Linux gives KiB */
    return figures;
}

/* "12.3 GB" */
static const char *format_bytes(double bytes, char *buffer)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        bytes /= 1000.0;
        ++unit;
    }
    (void)snprintf(buffer, MAX_FIGURE, unit > 0 && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return buffer;
}

/* "1:23", "2:03:04", "--:--" where not known. */
static const char *format_duration(double seconds, char *buffer)
{
    const double longest = 359999.0; /* 99:59:59 */
    if (!isfinite(seconds)) {
        (void)snprintf(buffer, MAX_FIGURE, "--:--");
        return buffer;
    }
    const long whole = lrint(fmin(fmax(seconds, 0.0), longest));
    if (whole >= 3600)
        (void)snprintf(buffer, MAX_FIGURE, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        (void)snprintf(buffer, MAX_FIGURE, "%ld:%02ld", whole / 60, whole % 60);
    return buffer;
}

/* "412 MB/s", "35 files/s", "" where not known. */
static const char *format_rate(const struct sst_progress *progress, double rate, char *buffer)
{
    char amount[MAX_FIGURE];
    if (!isfinite(rate))
        (void)snprintf(buffer, MAX_RATE, "-");
    else if (progress->bytes_total > 0)
        (void)snprintf(buffer, MAX_RATE, "%s/s", format_bytes(rate, amount));
    else
        (void)snprintf(buffer, MAX_RATE, "%.0f %.20s/s", rate, progress->unit);
    return buffer;
}

static int percent_of(const struct figures *figures) { return (int)floor(100.0 * figures->share); }

/* Everything, for a log: never a carriage return. */
static void say_plain(struct sst_progress *progress, const struct figures *figures, bool is_end)
{
    char rate[MAX_RATE];
    char done[MAX_FIGURE];
    char total[MAX_FIGURE];
    char duration[MAX_FIGURE];
    char peak[MAX_FIGURE];
    char bytes[3 * MAX_FIGURE] = "";
    if (progress->bytes_total > 0)
        (void)snprintf(bytes, sizeof bytes, ", %s of %s", format_bytes((double)progress->bytes_done, done),
                       format_bytes((double)progress->bytes_total, total));
    sst_log_wipe_bar(progress->log);
    (void)fprintf(progress->log->stream, "sststream: %s: %d %%, %zu of %zu %s%s, %s, %s %s, peak memory %s\n",
                  progress->stage, percent_of(figures), progress->done, progress->total, progress->unit, bytes,
                  format_rate(progress, figures->rate, rate),
                  format_duration(is_end ? figures->elapsed : figures->left, duration), is_end ? "taken" : "left",
                  format_bytes((double)figures->peak_bytes, peak));
}

/* One line that leaves the last column free, for some terminals wrap as soon as it is written. */
static void draw_bar(struct sst_progress *progress, const struct figures *figures, bool is_end)
{
    char rate[MAX_RATE];
    char duration[MAX_FIGURE];
    char tail[MAX_LINE];
    char line[MAX_LINE];
    const int n_tail =
        snprintf(tail, sizeof tail, " %3d %%  %zu/%zu %.20s  %s  %s %s", percent_of(figures), progress->done,
                 progress->total, progress->unit, format_rate(progress, figures->rate, rate),
                 format_duration(is_end ? figures->elapsed : figures->left, duration), is_end ? "taken" : "left");
    const int n_head = snprintf(line, sizeof line, "%.20s ", progress->stage);
    int width = progress->columns - 1 - n_head - n_tail - 2;
    char *at = line + n_head;
    if (width > MAX_BAR_WIDTH)
        width = MAX_BAR_WIDTH;
    if (width >= MIN_BAR_WIDTH) {
        const int filled = (int)floor(figures->share * width);
        *at++ = '[';
        memset(at, '=', (size_t)filled);
        memset(at + filled, ' ', (size_t)(width - filled));
        at += width;
        *at++ = ']';
    }
    (void)snprintf(at, sizeof line - (size_t)(at - line), "%s", tail);
    if (progress->columns <= (int)sizeof line)
        line[progress->columns - 1] = '\0';
    (void)fprintf(progress->log->stream, "\r%s\033[K%s", line, is_end ? "\n" : "");
    progress->log->bar_is_drawn = !is_end;
}

static void print_json_number(FILE *stream, const char *name, double value)
{
    if (isfinite(value))
        (void)fprintf(stream, ",\"%s\":%.3f", name, value);
    else
        (void)fprintf(stream, ",\"%s\":null", name);
}

static void say_json(struct sst_progress *progress, const struct figures *figures, bool is_end)
{
    FILE *stream = progress->log->stream;
    (void)fprintf(stream, "{\"event\":\"progress\",\"stage\":\"%s\",\"unit\":\"%s\",\"done\":%zu,\"total\":%zu",
                  progress->stage, progress->unit, progress->done, progress->total);
    (void)fprintf(stream, ",\"bytes_done\":%" PRIu64 ",\"bytes_total\":%" PRIu64, progress->bytes_done,
                  progress->bytes_total);
    print_json_number(stream, "share", figures->share);
    print_json_number(stream, "elapsed_s", figures->elapsed);
    print_json_number(stream, "left_s", figures->left);
    print_json_number(stream, "rate_per_s", figures->rate);
    (void)fprintf(stream, ",\"peak_memory_bytes\":%" PRIu64 ",\"is_end\":%s}\n", figures->peak_bytes,
                  is_end ? "true" : "false");
}

static void say(struct sst_progress *progress, double now, bool is_end)
{
    const struct figures figures = figures_of(progress, now);
    if (progress->mode == SST_PROGRESS_BAR)
        draw_bar(progress, &figures, is_end);
    else if (progress->mode == SST_PROGRESS_JSON)
        say_json(progress, &figures, is_end);
    else
        say_plain(progress, &figures, is_end);
    (void)fflush(progress->log->stream);
    progress->said = now;
    progress->has_said = true;
}

void sst_progress_begin(struct sst_progress *progress, const char *stage, const char *unit, uint64_t bytes_total)
{
    progress->stage = stage;
    progress->unit = unit;
    progress->done = progress->total = 0;
    progress->bytes_done = 0;
    progress->bytes_total = bytes_total;
    progress->started = progress->said = progress->now();
    progress->has_said = false;
}

static double interval_of(enum sst_progress_mode mode)
{
    if (mode == SST_PROGRESS_BAR)
        return BAR_INTERVAL;
    return mode == SST_PROGRESS_JSON ? JSON_INTERVAL : PLAIN_INTERVAL;
}

void sst_progress_update(struct sst_progress *progress, size_t done, size_t total, uint64_t bytes_done)
{
    const double now = progress->now();
    progress->done = done;
    progress->total = total;
    progress->bytes_done = bytes_done;
    if (progress->status_wanted()) {
        const struct figures figures = figures_of(progress, now);
        say_plain(progress, &figures, false);
        (void)fflush(progress->log->stream);
    }
    if (progress->mode != SST_PROGRESS_NONE && now - progress->said >= interval_of(progress->mode))
        say(progress, now, false);
}

void sst_progress_end(struct sst_progress *progress)
{
    const bool always = progress->mode == SST_PROGRESS_JSON;
    if (progress->mode != SST_PROGRESS_NONE && (progress->has_said || always))
        say(progress, progress->now(), true);
}
