/* From options and files to what is fixed in a state. */
#include "app/ingest_policy.h"

#include <string.h>

#include "core/mem.h"
#include "moments/moments.h"
#include "state/ingest.h"
#include "validate/probes.h"

enum sst_status sst_ingest_choose_probes(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                                         size_t *n_cells, struct sst_error *err)
{
    return sst_probes_choose(domain, NULL, seed, share, cells, n_cells, err);
}

/* Lists as long as a climatology of the widest window and these percentiles wants them. */
static enum sst_status list_lengths(const struct sst_options *options, const struct sst_pool_rule *pools,
                                    struct sst_tail_k *out, struct sst_error *err)
{
    struct sst_policy policy;
    SST_TRY(sst_options_policy(options, pools->kind, SST_LATTICE_CENTI, &policy, err));
    policy.pools = *pools;
    policy.approx = SST_APPROX_TAIL;
    SST_TRY(sst_policy_check_tail(&policy, err));
    *out = sst_policy_tail_k(&policy);
    return SST_OK;
}

enum sst_status sst_ingest_policy(const struct sst_options *options, const struct sst_catalog *catalog,
                                  struct sst_state_policy *out, struct sst_error *err)
{
    const struct sst_grid *grid = catalog->grid;
    const char *product = sst_ingest_product(catalog);
    memset(out, 0, sizeof *out);
    if (!product)
        return sst_fail(err, SST_ERR_INPUT,
                        "all files are preliminary, and a state is made from final ones. Give those first");
    out->pools = (struct sst_pool_rule){.kind = catalog->calendar,
                                        .leap = options->leap,
                                        .first_year = options->first_year,
                                        .last_year = options->last_year,
                                        .half_window_days = (options->window_days - 1) / 2};
    out->lattice = catalog->lattice;
    out->kind = catalog->kind;
    out->has_moments = true;
    out->keep = (enum sst_keep)options->keep;
    out->seed = options->seed;
    out->probe_share =
        options->validate_share > 0.0 ? options->validate_share : sst_probes_default_share(grid->n_lat * grid->n_lon);
    SST_TRY(list_lengths(options, &out->pools, &out->tail, err));
    SST_TRY(sst_strdup(product, &out->product, err));
    SST_TRY(sst_grid_copy(grid, &out->grid, err));
    return sst_state_policy_complete(out, sst_ingest_choose_probes, err);
}

enum sst_status sst_ingest_policy_agrees(const struct sst_options *options, const struct sst_state_policy *policy,
                                         struct sst_error *err)
{
    const bool *is_given = options->is_given;
    struct sst_state_policy wanted = *policy; /* borrows */
    char text[256];
    if (is_given[SST_OPTION_ID_baseline]) {
        wanted.pools.first_year = options->first_year;
        wanted.pools.last_year = options->last_year;
    }
    if (is_given[SST_OPTION_ID_leap])
        wanted.pools.leap = options->leap;
    if (is_given[SST_OPTION_ID_window] || is_given[SST_OPTION_ID_window_half_width])
        wanted.pools.half_window_days = (options->window_days - 1) / 2;
    if (is_given[SST_OPTION_ID_keep])
        wanted.keep = (enum sst_keep)options->keep;
    if (is_given[SST_OPTION_ID_seed])
        wanted.seed = options->seed;
    if (is_given[SST_OPTION_ID_validate])
        wanted.probe_share = options->validate_share;
    if (is_given[SST_OPTION_ID_percentile] || is_given[SST_OPTION_ID_tail_k])
        SST_TRY(list_lengths(options, &policy->pools, &wanted.tail, err));
    if (!sst_state_policy_differs(policy, &wanted, text))
        return SST_OK;
    return sst_fail(err, SST_ERR_STATE,
                    "%.200s: it was made with other options: %s. Leave them out, or make another state", options->state,
                    text);
}

/* Bytes of a cell in a file: counts of days, the u16 planes, deflate to next to nothing. */
static double stored_cell_size(const struct sst_estimator *estimator)
{
    double size = 0.0;
    for (size_t plane = 0; plane < estimator->n_planes; ++plane)
        if (estimator->planes[plane].type != SST_PLANE_U16)
            size += (double)(estimator->planes[plane].count * sst_plane_type_size(estimator->planes[plane].type));
    return size;
}

/* Of a class of a slot that has all its days; lists are no longer than it has days. */
static double class_bytes(const struct sst_state_policy *policy, enum sst_keep keep, size_t n_items, int n_days)
{
    const double day_in_ledger = 100.0, other_blocks = 500.0; /* about: entry and name of the file; index, head */
    const struct sst_tail_k k = {policy->tail.top < n_days ? policy->tail.top : n_days,
                                 policy->tail.bottom < n_days ? policy->tail.bottom : n_days};
    struct sst_tail_estimator tail;
    sst_tail_estimator_init(&tail, k);
    const double sums = policy->has_moments ? stored_cell_size(sst_estimator_moments()) : 0.0;
    const double lists = k.top + k.bottom > 0 ? stored_cell_size(&tail.estimator) : 0.0;
    const double n_probes =
        policy->probe_share * (double)policy->n_cells; /* a policy that keeps none has no list of them */
    const double n_kept = keep == SST_KEEP_NONE ? 0.0 : n_probes + (keep == SST_KEEP_ALL ? (double)n_items : 0.0);
    return (double)n_items * (sums + lists) + n_days * (day_in_ledger + n_kept * (double)sizeof(int16_t)) +
           other_blocks;
}

struct sst_state_bytes sst_state_bytes(const struct sst_state_policy *policy, enum sst_keep keep, size_t n_items)
{
    const int plain_slot = 180;
    struct sst_state_bytes bytes = {0.0, 0.0};
    for (int slot = 1; slot <= sst_calendar_n_slots(policy->pools.kind); ++slot) {
        double here = 0.0;
        for (int class = 0; class < SST_N_CLASSES; ++class) {
            const int n_days = sst_pool_term_days(&policy->pools, (struct sst_term){(int16_t)slot, (int16_t) class});
            here += n_days > 0 ? class_bytes(policy, keep, n_items, n_days) : 0.0;
        }
        bytes.all += here;
        if (slot == plain_slot)
            bytes.slot = here;
    }
    return bytes;
}

bool sst_state_bytes_of(const struct sst_options *options, const struct sst_catalog *catalog, size_t n_items,
                        struct sst_state_bytes out[SST_KEEP_ALL + 1])
{
    struct sst_state_policy policy;
    const bool can_be = sst_ingest_policy(options, catalog, &policy, NULL) == SST_OK;
    for (int keep = 0; can_be && keep <= SST_KEEP_ALL; ++keep)
        out[keep] = sst_state_bytes(&policy, (enum sst_keep)keep, n_items);
    sst_state_policy_clear(&policy);
    return can_be;
}
