/* Tail: lists of extreme values per term; sums move with the window, lists are finished straight from the bins. */
#include <string.h>

#include "core/mem.h"
#include "exact/tail.h"
#include "stream/method.h"

struct tail {
    struct sst_method_setup setup;
    struct sst_tail_k k;
    struct sst_tail_estimator estimators[SST_TAIL_MAX_YEARS + 1]; /* by the length of the longer list */
    struct sst_bin_set set; /* its window is of the sums */
    struct sst_percentiles percentiles;
    struct sst_found found;
};

static int at_most(int k, int days) { return k < days ? k : days; }

/* No list is longer than the days of its term: those of leap years and of the years at the edges are short. */
static struct sst_tail_k lists_of(struct sst_tail_k k, int days)
{
    return (struct sst_tail_k){at_most(k.top, days), at_most(k.bottom, days)};
}

/* The estimator that a term of so many days has; terms with the same lists share it, and so their bins. */
static int estimator_of(struct sst_tail_k k, int days)
{
    return at_most(at_most(k.top > k.bottom ? k.top : k.bottom, days), SST_TAIL_MAX_YEARS);
}

static void close_tail(void *state)
{
    struct tail *tail = state;
    if (!tail)
        return;
    sst_bin_set_clear(&tail->set);
    sst_found_clear(&tail->found);
    sst_free(tail);
}

static enum sst_status open_tail(const struct sst_method_setup *setup, void **state, struct sst_error *err)
{
    struct tail *tail = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *tail, "lists", &tail, err));
    tail->setup = *setup;
    tail->percentiles = sst_percentiles_of(setup->policy);
    tail->k = sst_policy_tail_k(setup->policy);
    for (int length = 0; length <= SST_TAIL_MAX_YEARS; ++length)
        sst_tail_estimator_init(&tail->estimators[length], lists_of(tail->k, length));
    SST_TRY_GOTO(sst_found_init(&tail->found, setup, err));
    SST_TRY_GOTO(sst_bin_set_open(&tail->set, sst_estimator_tail_sums(), setup->n_cells, err));
    *state = tail;
    tail = NULL;
done:
    close_tail(tail);
    return rc;
}

static enum sst_status grow(void *state, struct sst_error *err)
{
    struct tail *tail = state;
    const size_t old_count = tail->setup.n_cells;
    tail->setup.n_cells = tail->setup.cells->n_places;
    SST_TRY(sst_found_grow(&tail->found, &tail->setup, old_count, err));
    return sst_bin_set_grow(&tail->set, tail->setup.n_cells, err);
}

static const struct sst_estimator *term_estimator(const struct tail *tail, struct sst_term term)
{
    const int days = sst_pool_term_days(&tail->setup.policy->pools, term);
    return &tail->estimators[estimator_of(tail->k, days)].estimator;
}

static enum sst_status add_fields(void *state, struct sst_term term, const struct sst_field *const *fields,
                                  size_t n_fields, struct sst_error *err)
{
    struct tail *tail = state;
    struct sst_bin *bin = NULL;
    SST_TRY(sst_bin_set_at(&tail->set, term, term_estimator(tail, term), &bin, err));
    tail->setup.backend->tail_add_fields(sst_bin_tail(bin), tail->setup.cells, fields, n_fields);
    return SST_OK;
}

static enum sst_status add_sums(void *state, struct sst_term term, const struct sst_packed_bin *sums,
                                struct sst_error *err)
{
    struct tail *tail = state;
    return sst_bin_set_add_packed(&tail->set, tail->setup.backend, term, term_estimator(tail, term), sums, err);
}

static void move(void *state, struct sst_term term, enum sst_window_step step)
{
    struct tail *tail = state;
    sst_bin_set_step(&tail->set, tail->setup.backend, term, step);
}

static enum sst_status finish(void *state, const struct sst_pool *pool, const struct sst_method_out *out,
                              struct sst_error *err)
{
    const struct tail *tail = state;
    const size_t n_cells = tail->setup.n_cells;
    struct sst_tail_view views[SST_MAX_TERMS];
    size_t n_views = 0;
    for (int t = 0; t < pool->n_terms; ++t) {
        const struct sst_bin *bin = &tail->set.bins[pool->terms[t].slot][pool->terms[t].year_class];
        if (!sst_bin_is_empty(bin))
            views[n_views++] = sst_bin_tail(bin);
    }
    const struct sst_tail_pool lists = {views, n_views, tail->set.window.planes[SST_TAIL_N],
                                        tail->set.window.planes[SST_TAIL_S1]};
    const struct sst_quantile_args args =
        sst_quantile_args_of(tail->setup.policy, &tail->percentiles, pool->min_samples);
    const struct sst_tail_out values = {.mean = out->mean,
                                        .quantile = out->quantile,
                                        .bound = out->bound,
                                        .found = tail->found.codes,
                                        .uncertified = out->uncertified};
    if (out->n_obs)
        memcpy(out->n_obs, lists.n, n_cells * sizeof *lists.n);
    return tail->setup.backend->tail_finish(&lists, &args, &values, n_cells, err);
}

static void drop_slot(void *state, int slot)
{
    struct tail *tail = state;
    sst_bin_set_drop_slot(&tail->set, slot);
}

static uint64_t term_bytes(const struct sst_method_setup *setup, struct sst_term term)
{
    const int days = sst_pool_term_days(&setup->policy->pools, term);
    struct sst_tail_estimator tail;
    sst_tail_estimator_init(&tail, lists_of(sst_policy_tail_k(setup->policy), days));
    return days > 0 ? (uint64_t)setup->n_cells * sst_estimator_cell_size(&tail.estimator) : 0;
}

static uint64_t window_bytes(const struct sst_method_setup *setup)
{
    return (uint64_t)setup->n_cells * sst_estimator_cell_size(sst_estimator_tail_sums()) + sst_found_bytes(setup);
}

const struct sst_method *sst_method_tail(void)
{
    static const struct sst_method tail = {
        .has_bounds = true,
        .open = open_tail,
        .close = close_tail,
        .grow = grow,
        .add_fields = add_fields,
        .add_sums = add_sums,
        .move = move,
        .finish = finish,
        .drop_slot = drop_slot,
        .term_bytes = term_bytes,
        .window_bytes = window_bytes,
    };
    return &tail;
}
