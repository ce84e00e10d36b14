/*
 * What the program says on standard error, one line a message: "sststream: file: object: reason. remedy".
 *
 * A line that is no error names its level. Control characters in it, which file names may hold, are shown as \xNN.
 */
#ifndef SST_APP_LOG_H
#define SST_APP_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/status.h"

enum sst_log_level { SST_LOG_ERROR, SST_LOG_WARN, SST_LOG_INFO, SST_LOG_DEBUG };

struct sst_log {
    FILE *stream; /* borrowed */
    enum sst_log_level level; /* the least urgent level that is shown */
    bool is_strict; /* warnings are shown at every level, and sst_log_check fails after one */
    bool has_colour;
    bool bar_is_drawn; /* the cursor stands behind a progress bar, which the next line has to wipe first */
    size_t n_errors, n_warnings; /* counted whether shown or not */
};

void sst_log_init(struct sst_log *log, FILE *stream);

/* What -q and -v ask for: -2 = errors only, -1 = and warnings, 0 = and information, 1 = and details. */
enum sst_log_level sst_log_level_of(int verbosity);

/* Whether a level is shown; for what is costly to put together, and for tables that are printed as they are. */
bool sst_log_shows(const struct sst_log *log, enum sst_log_level level);

void sst_log_error(struct sst_log *log, const char *format, ...) SST_PRINTF(2, 3);
void sst_log_warn(struct sst_log *log, const char *format, ...) SST_PRINTF(2, 3);
void sst_log_info(struct sst_log *log, const char *format, ...) SST_PRINTF(2, 3);
void sst_log_debug(struct sst_log *log, const char *format, ...) SST_PRINTF(2, 3);

/* Says a failure that came up from below. */
void sst_log_failure(struct sst_log *log, const struct sst_error *failure);

/* A warning in the form of sst_note_fn: `user` is the struct sst_log. */
void sst_log_note(void *user, const char *text);

/* A detail in the same form. */
void sst_log_detail(void *user, const char *text);

/*
 * Where --strict takes hold: commands ask after the headers are scanned, and again before an output gets its name, so that
 * all warnings of a stage are seen before the run ends.
 *
 * Errors   `code`, where the log is strict and has warned.
 */
SST_MUST_CHECK enum sst_status sst_log_check(const struct sst_log *log, enum sst_status code, struct sst_error *err);

/* Prints a text that comes from a file or a command line within a table, with control characters as \xNN. */
void sst_log_put_text(const char *text, FILE *stream);

/* Wipes a bar that is drawn, so that other text can follow. */
void sst_log_wipe_bar(struct sst_log *log);

#endif
