/* Puts each message together in one buffer and hands it over whole, so that lines of several writers do not mix. */
#include "app/log.h"

#include <stdarg.h>
#include <string.h>

/* Room for an error text in which many characters have to be escaped. */
enum { MAX_LINE = 2 * SST_ERROR_TEXT_SIZE };

/* Back to the first column, and clear to the end of the line. */
static const char wipe[] = "\r\033[K";

struct label {
    const char *word, *colour;
};

static const struct label labels[] = {
    [SST_LOG_ERROR] = {"", "\033[31m"}, /* red */
    [SST_LOG_WARN] = {"warning: ", "\033[33m"}, /* yellow */
    [SST_LOG_INFO] = {"", ""},
    [SST_LOG_DEBUG] = {"debug: ", ""},
};

void sst_log_init(struct sst_log *log, FILE *stream)
{
    memset(log, 0, sizeof *log);
    log->stream = stream;
    log->level = SST_LOG_INFO;
}

enum sst_log_level sst_log_level_of(int verbosity)
{
    if (verbosity <= -2)
        return SST_LOG_ERROR;
    if (verbosity == -1)
        return SST_LOG_WARN;
    return verbosity == 0 ? SST_LOG_INFO : SST_LOG_DEBUG;
}

bool sst_log_shows(const struct sst_log *log, enum sst_log_level level)
{
    return level <= log->level || (level == SST_LOG_WARN && log->is_strict);
}

enum { SHOWN_SIZE = 5 };

/* A character as it is shown: itself, or \xNN where a terminal would obey it. Returns the length. */
static size_t show_character(unsigned char c, char shown[SHOWN_SIZE])
{
    const bool is_control = c < 0x20 || c == 0x7f;
    const int length = snprintf(shown, SHOWN_SIZE, is_control ? "\\x%02x" : "%c", c);
    return length > 0 ? (size_t)length : 0;
}

/* Copies text as it is shown; cuts where the room ends. Returns the end. */
static char *append_printable(char *at, const char *limit, const char *text)
{
    for (; *text && limit - at >= SHOWN_SIZE; ++text)
        at += show_character((unsigned char)*text, at);
    *at = '\0';
    return at;
}

void sst_log_put_text(const char *text, FILE *stream)
{
    char shown[SHOWN_SIZE];
    for (; *text; ++text) {
        (void)show_character((unsigned char)*text, shown);
        (void)fputs(shown, stream);
    }
}

static void say(struct sst_log *log, enum sst_log_level level, const char *text)
{
    if (level == SST_LOG_ERROR)
        ++log->n_errors;
    if (level == SST_LOG_WARN)
        ++log->n_warnings;
    if (!sst_log_shows(log, level))
        return;
    const struct label *label = &labels[level];
    const char *colour = log->has_colour ? label->colour : "";
    char body[MAX_LINE];
    char line[MAX_LINE + 64];
    (void)append_printable(body, body + sizeof body, text);
    (void)snprintf(line, sizeof line, "%s%ssststream: %s%s%s\n", log->bar_is_drawn ? wipe : "", colour, label->word,
                   *colour ? "\033[0m" : "", body);
    log->bar_is_drawn = false;
    (void)fputs(line, log->stream);
    (void)fflush(log->stream);
}

SST_PRINTF(3, 0)
static void say_formatted(struct sst_log *log, enum sst_log_level level, const char *format, va_list args)
{
    char text[MAX_LINE];
    (void)vsnprintf(text, sizeof text, format, args);
    say(log, level, text);
}

void sst_log_error(struct sst_log *log, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_formatted(log, SST_LOG_ERROR, format, args);
    va_end(args);
}

void sst_log_warn(struct sst_log *log, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_formatted(log, SST_LOG_WARN, format, args);
    va_end(args);
}

void sst_log_info(struct sst_log *log, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_formatted(log, SST_LOG_INFO, format, args);
    va_end(args);
}

void sst_log_debug(struct sst_log *log, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_formatted(log, SST_LOG_DEBUG, format, args);
    va_end(args);
}

void sst_log_failure(struct sst_log *log, const struct sst_error *failure)
{
    say(log, SST_LOG_ERROR, failure->text[0] ? failure->text : sst_status_text(failure->code));
}

void sst_log_note(void *user, const char *text) { say(user, SST_LOG_WARN, text); }

void sst_log_detail(void *user, const char *text) { say(user, SST_LOG_DEBUG, text); }

enum sst_status sst_log_check(const struct sst_log *log, enum sst_status code, struct sst_error *err)
{
    if (!log->is_strict || log->n_warnings == 0)
        return SST_OK;
    return sst_fail(err, code,
                    "--strict: %zu warning%s above end%s the run. Mend what is warned of, or leave --strict out",
                    log->n_warnings, log->n_warnings == 1 ? "" : "s", log->n_warnings == 1 ? "s" : "");
}

void sst_log_wipe_bar(struct sst_log *log)
{
    if (!log->bar_is_drawn)
        return;
    log->bar_is_drawn = false;
    (void)fputs(wipe, log->stream);
    (void)fflush(log->stream);
}
