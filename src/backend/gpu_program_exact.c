/* Which pools of a group are computed in sorted runs, and which are blocked. */
#include <assert.h>

#include "backend/gpu_program.h"
#include "backend/gpu_stays.h"
#include "core/mem.h"
#include "kernels/cell_tail.h"

/*
 * A run of pools that is shorter than so many times a window is not sorted: before its first result n_window - 1 days are read and sorted, so more of
 * them would serve to begin than to go on.
 */
enum { LEAST_RUN_IN_WINDOWS = 1 };

uint32_t sst_gpu_depth_needed(double p, int type, size_t n_most)
{
    int32_t deepest = 0;
    for (size_t n = 1; n <= n_most; ++n) {
        const int32_t depth = cell_tail_rank_of((int32_t)n, p, type).depth;
        deepest = depth > deepest ? depth : deepest;
    }
    return (uint32_t)deepest + 1;
}

struct splitting {
    const struct sst_gpu_pool *pools;
    const struct sst_gpu_exact_ask *ask;
    struct sst_gpu_stays stays;
    size_t *n_planes; /* by pool */
    uint32_t *n_of_day; /* scratch: n_pools + n_window */
    struct sst_gpu_exact_program *program;
};

/* Pools first .. end - 1 that slide, and what a launch over them takes. */
struct run {
    uint32_t first, end;
    uint32_t n_days, n_members;
    uint32_t is_built; /* a bit for each percentile */
    uint32_t depth[GPU_MAX_PERCENTILES];
    size_t scratch_bytes[GPU_MAX_PERCENTILES];
};

/* --- runs --------------------------------------------------------------------------------------------------------- */

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t sooner(uint32_t a, uint32_t b) { return a < b ? a : b; }

static const struct sst_gpu_planes *planes_of(const struct splitting *splitting, size_t item)
{
    return &splitting->ask->planes[splitting->stays.items[item].bin];
}

/* Whether pools first .. end - 1, which slide, still do so with pool `end`: no bin stays longer than a window, nor shorter. */
static bool slides_on(const struct splitting *splitting, uint32_t first, uint32_t end)
{
    const struct sst_gpu_stays *stays = &splitting->stays;
    const uint32_t n_window = splitting->ask->n_window;
    for (size_t i = stays->first[end]; i < stays->first[end + 1]; ++i)
        if (planes_of(splitting, i)->n > 0 && end + 1 - later(stays->items[i].enter, first) > n_window)
            return false;
    for (size_t i = end > first ? stays->first[end - 1] : stays->first[end]; i < stays->first[end]; ++i) {
        const struct sst_gpu_stay *stay = &stays->items[i];
        if (planes_of(splitting, i)->n > 0 && stay->leave == end && stay->enter > first && end - stay->enter < n_window)
            return false;
    }
    return true;
}

/* The day of a run, counted from its first, that a bin belongs to: it leaves after it, or has entered with it. */
static uint32_t day_of(const struct splitting *splitting, const struct run *run, const struct sst_gpu_stay *stay)
{
    if (stay->enter > run->first)
        return stay->enter - run->first + splitting->ask->n_window - 1;
    return sooner(stay->leave, run->end) - 1 - run->first;
}

/* Whether a bin of pool p is there for the first time in the run. */
static bool is_first(const struct run *run, const struct sst_gpu_stay *stay, uint32_t p)
{
    return later(stay->enter, run->first) == p;
}

/* Planes by day, and the most of a day. */
static void count_days(const struct splitting *splitting, struct run *run)
{
    const struct sst_gpu_stays *stays = &splitting->stays;
    run->n_days = run->end - run->first + splitting->ask->n_window - 1;
    run->n_members = 1;
    for (uint32_t day = 0; day < run->n_days; ++day)
        splitting->n_of_day[day] = 0;
    for (uint32_t p = run->first; p < run->end; ++p)
        for (size_t i = stays->first[p]; i < stays->first[p + 1]; ++i) {
            if (planes_of(splitting, i)->n == 0 || !is_first(run, &stays->items[i], p))
                continue;
            uint32_t *n = &splitting->n_of_day[day_of(splitting, run, &stays->items[i])];
            *n += (uint32_t)planes_of(splitting, i)->n;
            run->n_members = later(run->n_members, *n);
        }
}

/* Asks for the form of each percentile, for pools that slide. */
static void find_forms(const struct splitting *splitting, struct run *run)
{
    const struct sst_gpu_exact_ask *ask = splitting->ask;
    size_t n_most = 0;
    run->is_built = 0;
    count_days(splitting, run);
    for (uint32_t p = run->first; p < run->end; ++p)
        n_most = splitting->n_planes[p] > n_most ? splitting->n_planes[p] : n_most;
    /* The table of a run has gaps; one that is longer than the pools' own lists would have more gaps than planes. */
    if ((size_t)run->n_days * run->n_members > (run->end - run->first) * n_most)
        return;
    for (size_t q = 0; q < ask->args->n_percentiles; ++q) {
        int is_built = 0;
        run->depth[q] = sst_gpu_depth_needed(ask->args->p[q], ask->args->type, n_most);
        run->scratch_bytes[q] = 0;
        const int code = ask->sorted_form(run->n_members, ask->n_window, run->depth[q], ask->n_cells, &is_built,
                                          &run->scratch_bytes[q]);
        if (code == 0 && is_built && run->scratch_bytes[q] <= ask->scratch_bytes)
            run->is_built |= 1U << q;
    }
}

/* The longest run from a pool on that has the forms which its first windows have; is_built is 0 where there is none. */
static struct run find_run(const struct splitting *splitting, uint32_t first)
{
    const uint32_t n_pools = (uint32_t)splitting->stays.n_pools,
                   n_least = LEAST_RUN_IN_WINDOWS * splitting->ask->n_window;
    struct run run = {.first = first, .end = first};
    while (run.end < n_pools && slides_on(splitting, first, run.end))
        ++run.end;
    if (!splitting->ask->sorted_form || run.end - first < n_least)
        return run;
    uint32_t end = run.end + 1; /* the first that is too far, as is known so far */
    run.end = first + n_least;
    find_forms(splitting, &run);
    while (run.is_built && end - run.end > 1) {
        struct run longer = {.first = first, .end = run.end + (end - run.end) / 2};
        find_forms(splitting, &longer);
        if (longer.is_built == run.is_built)
            run = longer;
        else
            end = longer.end;
    }
    return run;
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static enum sst_status put_launch(struct sst_gpu_exact_program *program, struct sst_gpu_exact_launch launch,
                                  struct sst_error *err)
{
    SST_TRY(sst_grow(&program->launches, &program->launches_capacity, program->n_launches + 1,
                     sizeof *program->launches, "launches", err));
    program->launches[program->n_launches++] = launch;
    return SST_OK;
}

static enum sst_status put_members(struct sst_gpu_exact_program *program, size_t n, struct sst_error *err)
{
    SST_TRY(sst_grow(&program->members, &program->members_capacity, program->n_members + n, sizeof *program->members,
                     "members of pools", err));
    program->n_members += n;
    return SST_OK;
}

/* The planes of a pool, bin after bin, once. */
static enum sst_status put_pool(const struct splitting *splitting, uint32_t p, struct sst_error *err)
{
    struct sst_gpu_exact_program *program = splitting->program;
    struct gpu_pool *pool = &program->pools[p];
    if (pool->n > 0 || splitting->n_planes[p] == 0)
        return SST_OK;
    pool->first = (uint32_t)program->n_members;
    pool->n = (uint32_t)splitting->n_planes[p];
    SST_TRY(put_members(program, pool->n, err));
    uint32_t *to = program->members + pool->first;
    for (size_t i = splitting->stays.first[p]; i < splitting->stays.first[p + 1]; ++i)
        for (size_t m = 0; m < planes_of(splitting, i)->n; ++m)
            *to++ = planes_of(splitting, i)->list[m];
    return SST_OK;
}

static enum sst_status put_blocked(const struct splitting *splitting, struct sst_gpu_exact_launch launch,
                                   struct sst_error *err)
{
    for (uint32_t p = launch.first_pool; p < launch.first_pool + launch.n_pools; ++p)
        SST_TRY(put_pool(splitting, p, err));
    return put_launch(splitting->program, launch, err);
}

/* All percentiles of pools in no run. */
static enum sst_status put_rest(const struct splitting *splitting, uint32_t first, uint32_t end, struct sst_error *err)
{
    const struct sst_gpu_exact_launch launch = {.first_pool = first,
                                                .n_pools = end - first,
                                                .n_percentiles = (int32_t)splitting->ask->args->n_percentiles,
                                                .has_sums = true};
    return end > first ? put_blocked(splitting, launch, err) : SST_OK;
}

/* The planes of each day of a run. */
static enum sst_status put_days(const struct splitting *splitting, struct run *run, struct sst_error *err)
{
    const struct sst_gpu_stays *stays = &splitting->stays;
    struct sst_gpu_exact_program *program = splitting->program;
    const size_t first = program->n_members, n = (size_t)run->n_days * run->n_members;
    SST_TRY(put_members(program, n, err));
    uint32_t *members = program->members + first, *n_of_day = splitting->n_of_day;
    for (size_t i = 0; i < n; ++i)
        members[i] = GPU_NO_BLOCK;
    for (uint32_t day = 0; day < run->n_days; ++day)
        n_of_day[day] = 0;
    for (uint32_t p = run->first; p < run->end; ++p)
        for (size_t i = stays->first[p]; i < stays->first[p + 1]; ++i) {
            const struct sst_gpu_planes *planes = planes_of(splitting, i);
            if (planes->n == 0 || !is_first(run, &stays->items[i], p))
                continue;
            const uint32_t day = day_of(splitting, run, &stays->items[i]);
            for (size_t m = 0; m < planes->n; ++m)
                members[(size_t)day * run->n_members + n_of_day[day]++] = planes->list[m];
        }
    return SST_OK;
}

static bool is_built(const struct run *run, size_t q) { return (run->is_built >> q & 1U) != 0; }

/* Percentiles from q on, before `end`, that one launch gives: of one end where they are sorted. */
static size_t alike_from(const struct splitting *splitting, const struct run *run, size_t q)
{
    const struct sst_quantile_args *args = splitting->ask->args;
    size_t end = q + 1;
    while (end < args->n_percentiles && is_built(run, end) == is_built(run, q) &&
           (!is_built(run, q) || cell_tail_is_low(args->p[end]) == cell_tail_is_low(args->p[q])))
        ++end;
    return end;
}

static enum sst_status put_run(const struct splitting *splitting, struct run *run, struct sst_error *err)
{
    const struct sst_quantile_args *args = splitting->ask->args;
    const size_t first_member = splitting->program->n_members;
    SST_TRY(put_days(splitting, run, err));
    for (size_t q = 0, end = 0; q < args->n_percentiles; q = end) {
        end = alike_from(splitting, run, q);
        struct sst_gpu_exact_launch launch = {.first_pool = run->first,
                                              .n_pools = run->end - run->first,
                                              .first_percentile = (int32_t)q,
                                              .n_percentiles = (int32_t)(end - q),
                                              .has_sums = q == 0,
                                              .is_sorted = is_built(run, q)};
        if (!launch.is_sorted) {
            SST_TRY(put_blocked(splitting, launch, err));
            continue;
        }
        launch.from_below = cell_tail_is_low(args->p[q]);
        launch.first_member = first_member;
        launch.n_days = run->n_days;
        launch.n_members = run->n_members;
        for (size_t same = q; same < end; ++same) {
            launch.depth = later(launch.depth, run->depth[same]);
            if (launch.depth == run->depth[same])
                launch.scratch_bytes = run->scratch_bytes[same];
        }
        SST_TRY(put_launch(splitting->program, launch, err));
    }
    return SST_OK;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static enum sst_status begin(struct splitting *splitting, size_t n_pools, struct sst_error *err)
{
    struct sst_gpu_exact_program *program = splitting->program;
    program->n_launches = program->n_members = 0;
    program->n_pools = n_pools;
    SST_TRY(sst_gpu_stays_make(&splitting->stays, splitting->pools, n_pools, err));
    SST_TRY(sst_alloc(n_pools, sizeof *splitting->n_planes, "the pools of a group", &splitting->n_planes, err));
    SST_TRY(sst_alloc(n_pools + splitting->ask->n_window, sizeof *splitting->n_of_day, "the days of a group",
                      &splitting->n_of_day, err));
    SST_TRY(sst_grow(&program->pools, &program->pools_capacity, n_pools, sizeof *program->pools, "pools", err));
    SST_TRY(sst_grow(&program->min_samples, &program->min_samples_capacity, n_pools, sizeof *program->min_samples,
                     "pools", err));
    for (size_t p = 0; p < n_pools; ++p) {
        program->pools[p] = (struct gpu_pool){0, 0, splitting->pools[p].min_samples, (int32_t)p};
        program->min_samples[p] = splitting->pools[p].min_samples;
        for (size_t i = splitting->stays.first[p]; i < splitting->stays.first[p + 1]; ++i)
            splitting->n_planes[p] += planes_of(splitting, i)->n;
    }
    return SST_OK;
}

static enum sst_status split(const struct splitting *splitting, struct sst_error *err)
{
    const uint32_t n_pools = (uint32_t)splitting->stays.n_pools;
    uint32_t first_rest = 0;
    for (uint32_t p = 0; p < n_pools;) {
        struct run run = find_run(splitting, p);
        if (!run.is_built) {
            ++p;
            continue;
        }
        SST_TRY(put_rest(splitting, first_rest, run.first, err));
        SST_TRY(put_run(splitting, &run, err));
        p = first_rest = run.end;
    }
    return put_rest(splitting, first_rest, n_pools, err);
}

enum sst_status sst_gpu_exact_program_make(struct sst_gpu_exact_program *program, const struct sst_gpu_pool *pools,
                                           size_t n_pools, const struct sst_gpu_exact_ask *ask, struct sst_error *err)
{
    struct splitting splitting = {.pools = pools, .ask = ask, .program = program};
    enum sst_status rc = SST_OK;
    assert(ask->args->n_percentiles <= GPU_MAX_PERCENTILES && ask->n_window > 0);
    SST_TRY_GOTO(begin(&splitting, n_pools, err));
    SST_TRY_GOTO(split(&splitting, err));
done:
    sst_gpu_stays_clear(&splitting.stays);
    sst_free(splitting.n_planes);
    sst_free(splitting.n_of_day);
    return rc;
}

void sst_gpu_exact_program_clear(struct sst_gpu_exact_program *program)
{
    sst_free(program->launches);
    sst_free(program->members);
    sst_free(program->pools);
    sst_free(program->min_samples);
    *program = (struct sst_gpu_exact_program){0};
}
