/*
 * Days that a state knows of without counting them: those outside the baseline, and preliminary ones.
 *
 *   STATE/days    header | record | record | ...        appended, never changed
 *   contents      length of the log, number of records, chain of their checksums     replaced whole, by renaming
 *
 * A record is there when the contents have it: what lies behind that length was cut off by a crash, and the next writer cuts it
 * away; what lies before it and is not as it was written is damage. Of several records of one day the last one is what is
 * known of it, and none is where its slot counts the day: so what is known never depends on the order in which days came.
 *
 * With `keep all` a record holds the day's values too, so that events can be looked for again, and a baseline that moves
 * forward can count them without their files.
 */
#ifndef SST_STATE_DAY_LOG_H
#define SST_STATE_DAY_LOG_H

#include "core/calendar.h"
#include "core/field.h"
#include "state/state.h"

enum sst_day_status { SST_DAY_PRELIMINARY, SST_DAY_FINAL };
const char *sst_day_status_name(enum sst_day_status status); /* "preliminary", "final" */

struct sst_logged_day {
    struct sst_day day;
    enum sst_day_status status;
    uint64_t digest, ice_digest; /* as in struct sst_ledger_entry */
    uint32_t n_valid; /* cells with values */
    int32_t median; /* [code] of them */
    bool has_values; /* of a state that keeps all */
};

/* A day to be logged. Borrowed for the call. */
struct sst_log_entry {
    struct sst_logged_day at; /* has_values is not looked at */
    const char *source; /* name of the file, without its folder */
    const struct sst_field
        *field; /* canonical order, the whole grid; stored where the state keeps all, and may be NULL else */
};

/*
 * Appends days; all of them are durable on return, or none is known.
 *
 * Errors   SST_ERR_OUTPUT, after which the state takes no more, as sst_state_commit; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_state_log(struct sst_state *state, const struct sst_log_entry *entries,
                                             size_t n_entries, struct sst_error *err);

/*
 * What the log has of a day, its last record; NULL where it has none. Borrowed until the next sst_state_log. Whether the
 * day's slot counts it by now is for the caller to see.
 */
const struct sst_logged_day *sst_state_logged(const struct sst_state *state, struct sst_day day);

/* The days of the log, one record each, ascending: sst_state_n_logged of them. Borrowed as above. */
const struct sst_logged_day *sst_state_logged_days(const struct sst_state *state);
size_t sst_state_n_logged(const struct sst_state *state);

/*
 * The file name that a logged day came by, and its values.
 *
 * source   a copy that the caller frees; NULL: not wanted.
 * field    n_cells, codes and ice with room for policy->n_cells; hundredths NULL, the codes, or room for them; NULL: not wanted.
 * Errors   SST_ERR_STATE: damaged, or no values are kept; SST_ERR_INPUT: cannot be read; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_state_load_logged(const struct sst_state *state, struct sst_day day, char **source,
                                                     struct sst_field *field, struct sst_error *err);

#endif
