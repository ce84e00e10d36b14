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

const struct sst_method *sst_engine_method(const struct sst_policy *policy, const struct sst_gpu_devices *devices)
{
    return devices && devices->n > 0 ? sst_method_gpu(policy->approx) : sst_method_of(policy->approx);
}

struct sst_method_setup sst_engine_method_setup(const struct sst_policy *policy,
                                                const struct sst_climatology_size *size)
{
    return (struct sst_method_setup){.policy = policy,
                                     .n_cells = size->n_cells,
                                     .devices = size->devices,
                                     .n_domain = size->n_domain,
                                     .n_ahead = size->n_ahead,
                                     .is_resident = size->is_resident,
                                     .lacks_days_beside = size->lacks_days_beside,
                                     .wants_shape = size->wants_shape};
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
};

/* Bytes that a slot's terms hold while they are live: of what has a window that moves, or of what has none. */
static uint64_t slot_bytes(const struct holders *holders, int slot, bool moves)
{
    const bool method_moves = holders->method->move != NULL;
    uint64_t bytes = 0;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
        if (sst_schedule_term_days(holders->all.policy, term, holders->all.lacks_days_beside) == 0)
            continue;
        bytes += method_moves == moves ? holders->method->term_bytes(&holders->all, term) : 0;
        bytes += moves ? holders->ice_bytes : sst_method_exact()->term_bytes(&holders->probes, term);
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

/* Memory as the schedule goes. */
struct walk {
    struct sst_schedule schedule;
    struct holders holders;
    size_t n_ahead;
    bool reads_ahead;
    int reads_done;
    uint64_t estimate_bytes, live, peak;
    bool is_live[2][SST_N_SLOTS + 1]; /* by whether windows move, by slot */
};

static void read_until(struct walk *walk, int end)
{
    for (; walk->reads_done < end; ++walk->reads_done) {
        const int slot = walk->schedule.read_slot[walk->reads_done];
        for (int moves = 0; moves < 2; ++moves) {
            walk->is_live[moves][slot] = true;
            walk->live += slot_bytes(&walk->holders, slot, moves != 0);
        }
    }
}

/* What ends with a slot's last pool, or, of windows that move, with the pool behind it. */
static void drop_slots(struct walk *walk, int estimate, bool moves)
{
    bool *is_live = walk->is_live[moves];
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        if (!is_live[slot] || walk->schedule.slot_last_use[slot] > estimate - moves)
            continue;
        is_live[slot] = false;
        walk->live -= slot_bytes(&walk->holders, slot, moves);
    }
}

static void finish_group(struct walk *walk, int first, int end)
{
    const int last_pool = sst_schedule_last_pool(&walk->schedule, first, end);
    for (int e = first; e < end; ++e) {
        walk->live += walk->estimate_bytes;
        walk->peak = walk->live > walk->peak ? walk->live : walk->peak;
        for (int moves = 0; moves < 2 && e == last_pool; ++moves)
            drop_slots(walk, e, moves != 0);
        for (int old = 0; old <= e; ++old)
            walk->live -= walk->schedule.estimate_last_use[old] == e ? walk->estimate_bytes : 0;
        if (walk->reads_ahead)
            read_until(walk, sst_schedule_read_ahead(&walk->schedule, first, end, walk->n_ahead, e));
    }
}

/* What is held from the start to the end. */
static uint64_t lasting_bytes(const struct walk *walk, const struct sst_climatology_size *size)
{
    const struct holders *holders = &walk->holders;
    const struct sst_policy *policy = holders->all.policy;
    const struct sst_estimate_shape shape = sst_engine_shape(policy, size);
    const uint64_t smoothed_bytes = policy->smooth_days > 1 ? sst_estimate_bytes(sst_engine_smoothed_shape(shape)) : 0;
    return holders->method->window_bytes(&holders->all) + sst_method_exact()->window_bytes(&holders->probes) +
           holders->ice_bytes + size->n_cells * (sizeof(uint8_t) + sizeof(uint16_t)) + smoothed_bytes +
           size->n_domain * slot_cell_bytes(shape) + cells_bytes(size->n_domain);
}

uint64_t sst_climatology_peak_bytes(const struct sst_policy *policy, const struct sst_climatology_size *size)
{
    struct walk walk = {
        .holders =
            {
                .all = sst_engine_method_setup(policy, size),
                .probes = {.policy = policy, .n_cells = size->n_probes},
                .method = sst_engine_method(policy, size->devices),
                .ice_bytes = size->has_ice ? size->n_cells * sst_estimator_cell_size(sst_estimator_ice()) : 0,
            },
        .n_ahead = size->n_ahead,
        .estimate_bytes = sst_estimate_bytes(sst_engine_shape(policy, size)),
    };
    sst_schedule_make(policy, &walk.schedule);
    walk.reads_ahead = sst_engine_reads_ahead(walk.holders.method, size->is_resident);
    walk.live = walk.peak = lasting_bytes(&walk, size);
    for (int first = 0, end = 0; first < walk.schedule.n_estimates; first = end) {
        end = sst_schedule_group_end(&walk.schedule, first, size->n_ahead);
        read_until(&walk, walk.schedule.read_first[end]);
        finish_group(&walk, first, end);
    }
    return walk.peak;
}

uint64_t sst_climatology_device_bytes(const struct sst_policy *policy, const struct sst_climatology_size *size)
{
    const struct sst_method_setup setup = sst_engine_method_setup(policy, size);
    return sst_method_gpu_bytes(&setup).device;
}

size_t sst_climatology_n_pools(const struct sst_policy *policy)
{
    return sst_schedule_count(policy, SST_MAX_STEPS, true).n_pools;
}
