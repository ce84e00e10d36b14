/*
 * What is fixed when a state is made, and never changes in it: whose days, on which grid, pooled by which rule, and how much
 * of each day is kept. Window, percentile, smoothing and estimator are chosen when a climatology is made.
 */
#ifndef SST_STATE_STATE_POLICY_H
#define SST_STATE_STATE_POLICY_H

#include "core/calendar.h"
#include "core/field.h"
#include "core/grid.h"
#include "exact/tail.h"
#include "state/block_file.h"
#include "stream/decode.h"

/* What is kept of a day beside its sums and lists. */
enum sst_keep { SST_KEEP_NONE, SST_KEEP_PROBES, SST_KEEP_ALL };
const char *sst_keep_name(enum sst_keep keep); /* "none", "probes", "all" */

struct sst_state_policy {
    struct sst_grid *grid; /* as the product has it; cells are kept in canonical order */
    size_t n_cells;
    struct sst_pool_rule pools; /* half_window_days is the largest H that a climatology may ask for */
    enum sst_lattice_kind lattice;
    enum sst_sst_kind kind;
    char *product; /* title or id that files must have; never NULL */
    bool has_moments;
    struct sst_tail_k tail; /* 0, 0: no lists */
    enum sst_keep keep;
    double probe_share; /* 0..1 */
    uint64_t seed;
    uint64_t *probes; /* canonical cells, ascending; follows from grid, share and seed */
    size_t n_probes;
    struct sst_identity identity; /* follows from all of the above */
};

/*
 * Completes a policy: n_cells, probes, identity. Takes nothing over.
 *
 * choose   gives the probes of a domain: validate/probes.h is not known here.
 * Errors   SST_ERR_USAGE with the member that cannot be so; SST_ERR_NOMEM.
 */
typedef enum sst_status sst_choose_probes_fn(const struct sst_domain *domain, uint64_t seed, double share,
                                             size_t **cells, size_t *n_cells, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_state_policy_complete(struct sst_state_policy *policy, sst_choose_probes_fn *choose,
                                                         struct sst_error *err);
void sst_state_policy_clear(struct sst_state_policy *policy);

/* The first difference in words, "leap rule: hobday and skip"; false where there is none. text has room for 256. */
bool sst_state_policy_differs(const struct sst_state_policy *a, const struct sst_state_policy *b, char *text);

/* To and from the file "policy". Errors: SST_ERR_NOMEM; SST_ERR_STATE. */
SST_MUST_CHECK enum sst_status sst_state_policy_encode(const struct sst_state_policy *policy,
                                                       struct sst_block_writer *writer, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_state_policy_decode(const struct sst_block_file *file, struct sst_state_policy *out,
                                                       struct sst_error *err);

#endif
