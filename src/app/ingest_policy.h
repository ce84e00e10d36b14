/* What the options of ingest make of a state, and how large that becomes. */
#ifndef SST_APP_INGEST_POLICY_H
#define SST_APP_INGEST_POLICY_H

#include "app/options.h"
#include "state/state_policy.h"
#include "stream/catalog.h"

/*
 * The policy of a new state for the files of a catalog.
 *
 * Owner    the caller; sst_state_policy_clear, also after a failure.
 * Errors   SST_ERR_USAGE; SST_ERR_INPUT where all files are preliminary; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_ingest_policy(const struct sst_options *options, const struct sst_catalog *catalog,
                                                 struct sst_state_policy *out, struct sst_error *err);

/* Whether the options that were given are those that a state was made with. Errors: SST_ERR_STATE with the first that is not. */
SST_MUST_CHECK enum sst_status sst_ingest_policy_agrees(const struct sst_options *options,
                                                        const struct sst_state_policy *policy, struct sst_error *err);

/*
 * Bytes of one plain slot, and of all, before compression, of a state that counted every day.
 *
 * n_items   cells with values.
 */
struct sst_state_bytes {
    double slot, all; /* [bytes] */
};
struct sst_state_bytes sst_state_bytes(const struct sst_state_policy *policy, enum sst_keep keep, size_t n_items);

#endif
