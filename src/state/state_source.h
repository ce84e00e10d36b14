/*
 * The days of a state that keeps all, as the engine takes them from files: so a climatology of a state is that of its files,
 * bit for bit, for any rule whose days it counted.
 */
#ifndef SST_STATE_STATE_SOURCE_H
#define SST_STATE_STATE_SOURCE_H

#include "state/state.h"
#include "stream/field_source.h"

struct sst_state_source;

/*
 * Whether a state counts all days that a rule pools.
 *
 * Errors   SST_ERR_STATE with the first day that it does not count.
 */
SST_MUST_CHECK enum sst_status sst_state_check_days(const struct sst_state *state, const struct sst_pool_rule *pools,
                                                    struct sst_error *err);

/* The domain's cells, which are the whole grid, by canonical cell. Owner: the caller, sst_free. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_state_places(const struct sst_domain *domain, size_t **place, struct sst_error *err);

/*
 * state and domain, which is the whole of the policy's grid, are borrowed.
 *
 * Owner    the caller; sst_state_source_destroy. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_state_source_create(const struct sst_state *state, const struct sst_domain *domain,
                                                       const struct sst_pool_rule *pools, struct sst_state_source **out,
                                                       struct sst_error *err);
void sst_state_source_destroy(struct sst_state_source **source);

/* Borrowed until the source is destroyed. Its get fails as sst_state_load does. */
const struct sst_field_source *sst_state_source_fields(struct sst_state_source *source);

/* Days that were asked for so far: those that were there, and those of the baseline that were not. */
size_t sst_state_source_n_days(const struct sst_state_source *source);
size_t sst_state_source_n_absent(const struct sst_state_source *source);

#endif
