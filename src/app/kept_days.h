/* The days of a state that keeps all, one by one, as their files had them. */
#ifndef SST_APP_KEPT_DAYS_H
#define SST_APP_KEPT_DAYS_H

#include "core/field.h"
#include "monitor/feed.h"
#include "state/state.h"

struct sst_kept_days {
    const struct sst_state *state; /* borrowed */
    struct sst_slot_state *slot; /* of the day that was read last */
    struct sst_field field;
};

/* Owner: the caller; sst_kept_days_close, also after a failure. Errors: SST_ERR_STATE, it does not keep all; SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_kept_days_open(const struct sst_state *state, struct sst_kept_days *out,
                                                  struct sst_error *err);
void sst_kept_days_close(struct sst_kept_days *days);

/*
 * A day that the state knows, counted or logged.
 *
 * field    canonical order, the whole grid; borrowed until the next call. No hundredths.
 * Cost     a day that is counted reads its slot, whose other years come along.
 * Errors   SST_ERR_STATE: damaged, or the day is not known; SST_ERR_INPUT: cannot be read; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_kept_days_read(struct sst_kept_days *days, struct sst_day day,
                                                  struct sst_feed_source *source, const struct sst_field **field,
                                                  struct sst_error *err);

#endif
