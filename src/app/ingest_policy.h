/* What the options of ingest make of a state, and how large that becomes. */
#ifndef SST_APP_INGEST_POLICY_H
#define SST_APP_INGEST_POLICY_H

#include "app/options.h"
#include "state/state_policy.h"
#include "stream/catalog.h"

/* The probes of a state, as sst_state_policy_complete asks for them. */
sst_choose_probes_fn sst_ingest_choose_probes;

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
 * About how many bytes one plain slot takes on the disk, and all, of a state that counted every day: sums and lists, which are
 * stored as they are, and two bytes for each value that is kept, which are fewer once deflated.
 *
 * n_items   cells with values.
 */
struct sst_state_bytes {
    double slot, all; /* [bytes] */
};
struct sst_state_bytes sst_state_bytes(const struct sst_state_policy *policy, enum sst_keep keep, size_t n_items);

/* The same for what ingest would make of files, by enum sst_keep; false where it would make none. */
bool sst_state_bytes_of(const struct sst_options *options, const struct sst_catalog *catalog, size_t n_items,
                        struct sst_state_bytes out[SST_KEEP_ALL + 1]);

#endif
