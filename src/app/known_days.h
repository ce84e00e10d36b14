/* The days that a state knows of: counted in a slot, or in the log beside it. From ledgers alone, a few kilobytes a slot. */
#ifndef SST_APP_KNOWN_DAYS_H
#define SST_APP_KNOWN_DAYS_H

#include "state/state.h"

struct sst_known_days {
    enum sst_calendar_kind kind;
    struct sst_day *days; /* ascending, each once */
    size_t n, capacity;
    size_t n_counted, n_preliminary; /* the latter are logged, and no final file of them came */
};

/* Owner: the caller; sst_known_days_clear, also after a failure. Errors: those of sst_state_load_ledger. */
SST_MUST_CHECK enum sst_status sst_known_days_read(const struct sst_state *state, struct sst_known_days *out,
                                                   struct sst_error *err);
void sst_known_days_clear(struct sst_known_days *known);

/* The newest; slot 0 where none is known. */
struct sst_day sst_known_days_newest(const struct sst_known_days *known);

bool sst_known_days_has(const struct sst_known_days *known, struct sst_day day);

/*
 * The days that are lacking among the `n_days` up to `last`; those before the oldest known day are not expected.
 *
 * missing   room for n_days; ascending. Returns their number.
 */
size_t sst_known_days_missing(const struct sst_known_days *known, struct sst_day last, size_t n_days,
                              struct sst_day *missing);

#endif
