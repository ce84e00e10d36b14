/*
 * What a person should look at: said in the log, and to the program of --on-alert as one JSON object.
 *
 *   {"schema": "sststream-alert/1", "alert": KIND, "time": UTC, "state": DIR, "text": in words, ...}
 *
 *   late          "newest": the newest day that is known, or null   "expected": that which should be
 *   quarantined   "files": [{"path", "reason", "text", "day"}]       held back since the last such alert
 *   version       the same, of files of another product or version than the state's
 *   disk          "free_bytes", "needed_bytes"
 */
#ifndef SST_APP_ALERTS_H
#define SST_APP_ALERTS_H

#include "app/lateness.h"
#include "app/options.h"
#include "monitor/hook.h"
#include "state/file_notes.h"

struct sst_alerts {
    const struct sst_options *options; /* borrowed: state, log */
    enum sst_calendar_kind kind;
    struct sst_hook *hook; /* NULL without --on-alert */
    bool is_late, lacks_room; /* told, and not over since */
    struct sst_day told_late; /* the expected day of which it was told */
};

/* Owner: the caller; sst_alerts_close. Errors: SST_ERR_USAGE where --on-alert holds no command; SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_alerts_open(const struct sst_options *options, enum sst_calendar_kind kind,
                                               struct sst_alerts *out, struct sst_error *err);

/* Delivers what waits, for as long as one program may take. */
void sst_alerts_close(struct sst_alerts *alerts);

/* Looks after a program that runs; returns whether one does. */
bool sst_alerts_turn(struct sst_alerts *alerts);

/* Once for each expected day that is late; a clock that says that the newest day is yet to come is no clock to go by. */
void sst_alerts_check_late(struct sst_alerts *alerts, struct sst_day newest, int64_t now);

/* Once when room gets short; again when it did so after there was room. Returns whether there is room. */
bool sst_alerts_check_room(struct sst_alerts *alerts, uint64_t free_bytes, uint64_t needed_bytes, int64_t now);

/* Files that are newly held back, all in one alert of each kind; the log has them from who held them. */
void sst_alerts_held(struct sst_alerts *alerts, const struct sst_held_file *const *files, size_t n_files, int64_t now);

#endif
