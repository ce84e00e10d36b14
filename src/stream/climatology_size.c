/* Memory of a run, before it: what the schedule keeps, and for how long. */
#include "stream/climatology_private.h"

struct sst_estimate_shape sst_engine_shape(const struct sst_policy *policy, const struct sst_climatology_size *size)
{
    const struct sst_method *method = sst_method_of(policy->approx);
    return (struct sst_estimate_shape){
        .n_cells = size->n_cells,
        .n_probes = size->n_probes,
        .n_percentiles = policy->n_percentiles,
        .has_bounds = method->has_bounds,
        .has_pool = size->wants_shape && method->has_shape,
    };
}

struct sst_estimate_shape sst_engine_smoothed_shape(struct sst_estimate_shape shape)
{
    shape.has_pool = false;
    return shape;
}

/* What is held by whom, for the sum below. */
struct holders {
    struct sst_method_setup all, probes;
    const struct sst_method *method;
    uint64_t ice_bytes; /* of a bin */
    bool lacks_days_beside;
};

/* Whether a term is of a year beside the baseline: only the first and the last year of an edge are terms of their own. */
static bool is_beside(const struct sst_pool_rule *pools, struct sst_term term)
{
    if (term.year_class == SST_CLASS_FIRST)
        return sst_pool_class(pools, (struct sst_day){pools->first_year - 1, term.slot}) == SST_CLASS_FIRST;
    return term.year_class == SST_CLASS_LAST &&
           sst_pool_class(pools, (struct sst_day){pools->last_year + 1, term.slot}) == SST_CLASS_LAST;
}

/* Bytes of a slot's terms, while they are live: of what has a window that moves, or of what has none. */
static uint64_t slot_bytes(const struct holders *holders, int slot, bool moves)
{
    const bool method_moves = holders->method->move != NULL;
    uint64_t bytes = 0;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
        if (holders->lacks_days_beside && is_beside(&holders->all.policy->pools, term))
            continue;
        bytes += method_moves == moves ? holders->method->term_bytes(&holders->all, term) : 0;
        bytes += moves ? 0 : sst_method_exact()->term_bytes(&holders->probes, term);
        bytes += moves && sst_pool_term_days(&holders->all.policy->pools, term) > 0 ? holders->ice_bytes : 0;
    }
    return bytes;
}

/* What ends with a slot's last pool, or, of windows that move, with the pool behind it. */
static uint64_t dropped_bytes(const struct holders *holders, const struct sst_schedule *schedule, int estimate,
                              bool *is_live, bool moves)
{
    uint64_t bytes = 0;
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        if (!is_live[slot] || schedule->slot_last_use[slot] > estimate - moves)
            continue;
        is_live[slot] = false;
        bytes += slot_bytes(holders, slot, moves);
    }
    return bytes;
}

/* Bytes of a domain cell of a slot on its way out. */
static uint64_t slot_cell_bytes(struct sst_estimate_shape shape)
{
    return (1 + sst_slot_n_quantiles(shape.n_percentiles, shape.has_bounds)) * sizeof(double) + 2 * sizeof(uint16_t) +
           (shape.has_pool ? 3 * sizeof(float) : 0);
}

/* Bytes of the lists of struct sst_cells. */
static uint64_t cells_bytes(size_t n_domain)
{
    return sst_cells_most(n_domain) / SST_CELLS_WIDTH * 2 * sizeof(uint32_t);
}

uint64_t sst_climatology_peak_bytes(const struct sst_policy *policy, const struct sst_climatology_size *size)
{
    const size_t n_cells = size->n_cells;
    struct sst_schedule schedule;
    sst_schedule_make(policy, &schedule);
    const struct holders holders = {
        .all = {.policy = policy, .n_cells = n_cells},
        .probes = {.policy = policy, .n_cells = size->n_probes},
        .method = sst_method_of(policy->approx),
        .ice_bytes = size->has_ice ? n_cells * sst_estimator_cell_size(sst_estimator_ice()) : 0,
        .lacks_days_beside = size->lacks_days_beside,
    };
    const struct sst_estimate_shape shape = sst_engine_shape(policy, size);
    const uint64_t estimate_bytes = sst_estimate_bytes(shape);
    const uint64_t smoothed_bytes = policy->smooth_days > 1 ? sst_estimate_bytes(sst_engine_smoothed_shape(shape)) : 0;
    uint64_t live = holders.method->window_bytes(&holders.all) + sst_method_exact()->window_bytes(&holders.probes) +
                    holders.ice_bytes + n_cells * (sizeof(uint8_t) + sizeof(uint16_t)) + smoothed_bytes +
                    size->n_domain * slot_cell_bytes(shape) + cells_bytes(size->n_domain);
    uint64_t peak = live;
    bool is_live[2][SST_N_SLOTS + 1] = {{false}}; /* by whether windows move */
    for (int e = 0; e < schedule.n_estimates; ++e) {
        for (int r = schedule.read_first[e]; r < schedule.read_first[e + 1]; ++r) {
            for (int moves = 0; moves < 2; ++moves) {
                is_live[moves][schedule.read_slot[r]] = true;
                live += slot_bytes(&holders, schedule.read_slot[r], moves != 0);
            }
        }
        live += estimate_bytes;
        peak = live > peak ? live : peak;
        for (int moves = 0; moves < 2 && !schedule.is_derived[e]; ++moves)
            live -= dropped_bytes(&holders, &schedule, e, is_live[moves], moves != 0);
        for (int old = 0; old <= e; ++old)
            live -= schedule.estimate_last_use[old] == e ? estimate_bytes : 0;
    }
    return peak;
}
