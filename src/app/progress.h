/*
 * How far a stage of the run has come, and when it will be done.
 *
 *   bar    one line on a terminal, redrawn at most 10 times a second
 *   plain  one full line every 30 s, for logs; never a carriage return
 *   json   one object a line, every second and at the end of each stage
 *
 * The share done is the smaller of the shares of bytes and of items: files differ in size, and a file of many days
 * counts whole as soon as it is opened.
 */
#ifndef SST_APP_PROGRESS_H
#define SST_APP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/environment.h"
#include "app/log.h"

/* In the order of the words of --progress. */
enum sst_progress_mode {
    SST_PROGRESS_AUTO,
    SST_PROGRESS_BAR,
    SST_PROGRESS_PLAIN,
    SST_PROGRESS_JSON,
    SST_PROGRESS_NONE
};

struct sst_progress {
    struct sst_log *log; /* borrowed; its stream is written to, its lines wipe the bar */
    enum sst_progress_mode mode; /* never AUTO */
    int columns;
    double (*now)(void); /* [s] */
    bool (*status_wanted)(void); /* asked at each update; one plain line where it says so */
    const char *stage, *unit; /* borrowed until the stage ends */
    size_t done, total; /* [unit] */
    uint64_t bytes_done, bytes_total;
    double started, said; /* [s] when the stage began, when its last line was written */
    bool has_said; /* this stage has written something */
};

/*
 * Settles what AUTO means: a bar on a terminal, plain elsewhere, nothing below -q. A bar asked for where there is no terminal
 * is plain. `log` is borrowed; the clock is sst_monotonic_seconds, status requests are SIGUSR1's.
 */
void sst_progress_init(struct sst_progress *progress, enum sst_progress_mode mode, const struct sst_terminal *terminal,
                       struct sst_log *log);

/*
 * Begins a stage.
 *
 * stage        one word: "scan", "read".
 * unit         what is counted, in the plural: "files", "days".
 * bytes_total  0 where bytes are not counted.
 */
void sst_progress_begin(struct sst_progress *progress, const char *stage, const char *unit, uint64_t bytes_total);

/* Takes note of where the stage stands; cheap, to be called after every item. */
void sst_progress_update(struct sst_progress *progress, size_t done, size_t total, uint64_t bytes_done);

/* Ends the stage, be it whole or not: leaves the cursor at the beginning of a line. */
void sst_progress_end(struct sst_progress *progress);

#endif
