/* A small sea whose days go into a state of what it is to keep, in memory, and to the engine. */
#include "sums_fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "regular_grid.h"
#include "state/state_source.h"
#include "validate/probes.h"

enum { N_ROWS = 7, N_COLS = 13, SPARSE_PERCENT = 97 };

static const struct made_up small_seas = {.n_rows = N_ROWS,
                                          .n_cols = N_COLS,
                                          .first_land_row = 2,
                                          .n_land_rows = 2,
                                          .first_year = SUMS_FIRST_YEAR - 1,
                                          .last_year = SUMS_LAST_YEAR + 1,
                                          .gaps_percent = 10,
                                          .bad_percent = 10,
                                          .missing_percent = 10,
                                          .has_ice = true,
                                          .has_late_cells = true,
                                          .n_most_held = 3,
                                          .seed = 5};

static bool is(const struct sums_setup *setup, unsigned trait) { return (setup->traits & trait) != 0; }

static int last_year(const struct sums_setup *setup) { return is(setup, SUMS_LONG) ? SUMS_LATER_YEAR : SUMS_LAST_YEAR; }

struct sst_policy sums_policy(const struct sums_setup *setup)
{
    const struct sums_wanted *wanted = &setup->wanted;
    return (struct sst_policy){
        .pools = {SST_CALENDAR_STANDARD, wanted->leap, SUMS_FIRST_YEAR, last_year(setup), wanted->half},
        .approx = wanted->approx,
        .percentiles = {90.0, 10.0},
        .n_percentiles = 2,
        .quantile_type = 7,
        .smooth_days = wanted->smooth,
        .min_samples = 1,
        .first_slot = wanted->first_slot,
        .last_slot = wanted->last_slot,
        .tail_k = wanted->tail_k,
        .lattice = is(setup, SUMS_MILLI) ? SST_LATTICE_MILLI : SST_LATTICE_CENTI};
}

/* --- a state ------------------------------------------------------------------------------------------------------ */

enum sst_status sums_choose_probes(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                                   size_t *n_cells, struct sst_error *err)
{
    return sst_probes_choose(domain, NULL, seed, share, cells, n_cells, err);
}

/* From north to south and from 170 degrees on: no cell of the domain but one has its canonical place. */
struct sst_state_policy sums_state_policy(const struct sums_setup *setup)
{
    struct sst_error err = {0};
    struct sst_state_policy policy = {
        .grid = regular_grid((struct even_axis){9.0, -3.0, N_ROWS}, (struct even_axis){170.0, 20.0, N_COLS}),
        .pools = {SST_CALENDAR_STANDARD, setup->made.leap, SUMS_FIRST_YEAR, last_year(setup), setup->made.half},
        .lattice = is(setup, SUMS_MILLI) ? SST_LATTICE_MILLI : SST_LATTICE_CENTI,
        .kind = SST_KIND_SURFACE,
        .has_moments = true,
        .tail = setup->made.tail,
        .keep = setup->made.keep,
        .probe_share = 0.3,
        .seed = 11};
    ck_assert_int_eq(sst_strdup("made up", &policy.product, NULL), SST_OK);
    ck_assert_msg(sst_state_policy_complete(&policy, sums_choose_probes, &err) == SST_OK, "%s", err.text);
    return policy;
}

static void add_day(const struct sums_world *world, struct sst_slot_state *slot, struct sst_day day)
{
    struct sst_error err = {0};
    const struct sst_field *field = NULL;
    int16_t codes[SUMS_N_CELLS], hundredths[SUMS_N_CELLS];
    uint8_t ice[SUMS_N_CELLS];
    char source[] = "a.nc";
    if (!world->seas.source.has_day(world->seas.source.user, day))
        return;
    ck_assert_int_eq(world->seas.source.get(world->seas.source.user, day, &field, &err), SST_OK);
    if (!field)
        return;
    for (size_t cell = 0; cell < SUMS_N_CELLS; ++cell) {
        const size_t canonical = sst_domain_canonical(&world->domain, cell);
        codes[canonical] = field->codes[cell];
        hundredths[canonical] = field->hundredths[cell];
        ice[canonical] = field->ice[cell];
    }
    const struct sst_field whole = {.n_cells = SUMS_N_CELLS,
                                    .codes = codes,
                                    .hundredths = is(world->setup, SUMS_MILLI) ? hundredths : codes,
                                    .ice = ice,
                                    .has_ice = field->has_ice};
    const struct sst_ledger_entry entry = {.year = day.year,
                                           .year_class = sst_pool_class(&world->made.pools, day),
                                           .digest = (uint64_t)(day.year * 1000 + day.slot),
                                           .ice_digest = field->has_ice,
                                           .source = source};
    ck_assert_msg(sst_slot_state_add(slot, &entry, &whole, &err) == SST_OK, "%s", err.text);
    world->seas.source.give_back(world->seas.source.user);
}

/* All that the state counts of the slots that the policy reads. */
static void fill_state(struct sums_world *world)
{
    struct sst_error err = {0};
    bool is_read[SST_N_SLOTS + 1];
    sst_policy_read_slots(&world->policy, is_read);
    for (int number = 1; number <= SST_N_SLOTS; ++number) {
        struct sst_slot_state *slot = NULL;
        if (!is_read[number])
            continue;
        ck_assert_int_eq(sst_slot_state_create(sst_state_policy(world->state), number, &slot, NULL), SST_OK);
        for (int year = SUMS_FIRST_YEAR - 1; year <= last_year(world->setup) + 1; ++year)
            if (sst_pool_class(&world->made.pools, (struct sst_day){year, number}) != SST_NO_CLASS)
                add_day(world, slot, (struct sst_day){year, number});
        ck_assert_msg(sst_state_commit(world->state, slot, &err) == SST_OK, "%s", err.text);
        sst_slot_state_destroy(&slot);
    }
}

void sums_world_open(const struct sums_setup *setup, struct sums_world *world)
{
    struct sst_error err = {0};
    *world = (struct sums_world){.setup = setup, .policy = sums_policy(setup), .made = sums_state_policy(setup)};
    world->seas = small_seas;
    world->seas.is_milli = is(setup, SUMS_MILLI);
    world->seas.has_ice = !is(setup, SUMS_NO_ICE);
    world->seas.last_year = last_year(setup) + 1;
    if (is(setup, SUMS_SPARSE))
        world->seas.missing_percent = SPARSE_PERCENT;
    made_up_open(&world->seas);
    world->disk = fake_disk_new();
    sst_domain_all(world->made.grid, &world->domain);
    const struct sst_os *os = fake_disk_os(world->disk);
    ck_assert_msg(sst_state_make(os, "STATE", &world->made, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_open(os, "STATE", SST_STATE_WRITE, &world->state, &err) == SST_OK, "%s", err.text);
    if (setup->made.keep != SST_KEEP_NONE)
        ck_assert_int_eq(sums_choose_probes(&world->domain, world->made.seed, world->made.probe_share, &world->probes,
                                            &world->n_probes, NULL),
                         SST_OK);
    fill_state(world);
}

void sums_world_close(struct sums_world *world)
{
    sst_state_close(&world->state);
    sst_free(world->probes);
    sst_state_policy_clear(&world->made);
    fake_disk_free(world->disk);
    made_up_close(&world->seas);
}

/* --- what the engine gives ---------------------------------------------------------------------------------------- */

static enum sst_status put(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)err;
    struct sums_given *to = user;
    given_append_result(&to->results, result, 2);
    for (size_t cell = 0; cell < result->n_cells; ++cell)
        to->n_with_value += result->n_obs[cell] > 0;
    return SST_OK;
}

static void see_progress(void *user, size_t n_done, size_t n_total, uint64_t n_bytes)
{
    (void)n_bytes;
    struct sums_given *given = user;
    given->n_skipped += n_done != given->n_done + 1;
    given->n_done = n_done;
    given->n_total = n_total;
}

enum sst_status sums_world_try(const struct sums_world *world, const struct sst_slot_source *sums,
                               bool (*cancelled)(void *user), struct sums_given *given, struct sst_error *err)
{
    const struct sst_climatology_job job = {.policy = &world->policy,
                                            .backend = sst_backend_cpu(),
                                            .source = sums ? NULL : &world->seas.source,
                                            .sums = sums,
                                            .n_cells = SUMS_N_CELLS,
                                            .probes = world->probes,
                                            .n_probes = world->n_probes,
                                            .wants_shape = sst_approx_has_moments(world->policy.approx)};
    const struct sst_slot_sink sink = {.user = given, .put = put, .progress = see_progress, .cancelled = cancelled};
    return sst_climatology_run(&job, &sink, err);
}

struct sums_given sums_world_run(const struct sums_world *world, const struct sst_slot_source *sums)
{
    struct sums_given given = {0};
    struct sst_error err = {0};
    ck_assert_msg(sums_world_try(world, sums, NULL, &given, &err) == SST_OK, "%s", err.text);
    ck_assert_uint_eq(given.n_done, given.n_total);
    ck_assert_uint_eq(given.n_skipped, 0);
    return given;
}

struct sst_state_sums *sums_world_sums(const struct sums_world *world)
{
    struct sst_state_sums *sums = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_state_check_days(world->state, &world->policy.pools, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_sums_check(world->state, &world->policy, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_sums_create(world->state, &world->policy, &world->domain, world->probes, world->n_probes,
                                        &sums, &err) == SST_OK,
                  "%s", err.text);
    return sums;
}

bool sums_is_same(const struct sums_given *a, const struct sums_given *b)
{
    return a->results.n_bytes == b->results.n_bytes &&
           memcmp(a->results.bytes, b->results.bytes, a->results.n_bytes) == 0;
}
