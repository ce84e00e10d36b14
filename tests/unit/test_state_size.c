/* How large a state is said to become, held against one that was made. */
#include <string.h>

#include "app/ingest_policy.h"
#include "core/mem.h"
#include "fake_os.h"
#include "random.h"
#include "regular_grid.h"
#include "state/state.h"
#include "test_main.h"

enum { N_ROWS = 30, N_COLS = 40, N_CELLS = N_ROWS * N_COLS, FIRST_YEAR = 2001, LAST_YEAR = 2008 };

/* [1] of a made state, sums and lists; [1] least share of the estimate that one with kept values takes. */
#define TOLERANCE 0.1
#define LEAST_SHARE 0.25

static struct sst_state_policy make_policy(enum sst_keep keep)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_state_policy policy = {
        .grid = regular_grid((struct even_axis){-15.0, 1.0, N_ROWS}, (struct even_axis){0.5, 1.0, N_COLS}),
        .pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, FIRST_YEAR, LAST_YEAR, 5},
        .lattice = SST_LATTICE_CENTI,
        .kind = SST_KIND_SURFACE,
        .has_moments = true,
        .tail = {6, 0},
        .keep = keep,
        .probe_share = 0.1,
        .seed = 1};
    ck_assert_int_eq(sst_strdup("made up", &policy.product, NULL), SST_OK);
    ck_assert_msg(sst_state_policy_complete(&policy, sst_ingest_choose_probes, &err) == SST_OK, "%s", err.text);
    return policy;
}

static bool is_sea(int cell) { return cell / N_COLS % 3 != 0; }

/* Every day of the slot that some pool has. */
static void count_slot(struct sst_state *state, int slot_number)
{
    const struct sst_state_policy *policy = sst_state_policy(state);
    char source[] = "oisst-avhrr-v02r01.20010101.nc";
    int16_t codes[N_CELLS];
    uint8_t ice[N_CELLS] = {0};
    const struct sst_field field = {N_CELLS, codes, codes, ice, true, NULL};
    struct sst_slot_state *slot = NULL;
    ck_assert_int_eq(sst_slot_state_create(policy, slot_number, &slot, NULL), SST_OK);
    for (int year = FIRST_YEAR - 1; year <= LAST_YEAR + 1; ++year) {
        const struct sst_day day = {year, slot_number};
        struct test_random random = {(uint64_t)(1000 * year + slot_number)};
        const struct sst_ledger_entry entry = {.year = year,
                                               .year_class = sst_pool_class(&policy->pools, day),
                                               .digest = 1,
                                               .ice_digest = 1,
                                               .n_valid = N_CELLS,
                                               .source = source};
        for (int cell = 0; cell < N_CELLS; ++cell)
            codes[cell] =
                (int16_t)(is_sea(cell) ? 20 * (cell / N_COLS) + test_random_below(&random, 90) : SST_CODE_MISSING);
        if (entry.year_class != SST_NO_CLASS)
            ck_assert_int_eq(sst_slot_state_add(slot, &entry, &field, NULL), SST_OK);
    }
    if (slot->n_ledger > 0)
        ck_assert_int_eq(sst_state_commit(state, slot, NULL), SST_OK);
    sst_slot_state_destroy(&slot);
}

START_TEST(a_state_is_as_large_as_was_said)
{
    const enum sst_keep keep = (enum sst_keep)_i;
    struct sst_state_policy policy = make_policy(keep);
    struct fake_disk *disk = fake_disk_new();
    struct sst_state *state = NULL;
    double made = 0.0;
    size_t n_items = 0;
    for (int cell = 0; cell < N_CELLS; ++cell)
        n_items += is_sea(cell);
    const struct sst_state_bytes said = sst_state_bytes(&policy, keep, n_items);
    ck_assert_int_eq(sst_state_make(fake_disk_os(disk), "STATE", &policy, NULL), SST_OK);
    ck_assert_int_eq(sst_state_open(fake_disk_os(disk), "STATE", SST_STATE_WRITE, &state, NULL), SST_OK);
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        size_t n_bytes = 0;
        count_slot(state, slot);
        if (fake_disk_bytes(disk, test_path("STATE/slots/%03d", slot), &n_bytes))
            made += (double)n_bytes;
        if (slot == 180 && keep != SST_KEEP_ALL)
            ck_assert_double_eq_tol(said.slot, (double)n_bytes, TOLERANCE * (double)n_bytes);
    }
    if (keep == SST_KEEP_ALL) { /* at most */
        ck_assert_double_le(made, said.all);
        ck_assert_double_ge(made, LEAST_SHARE * said.all);
    } else {
        ck_assert_double_eq_tol(said.all, made, TOLERANCE * made);
    }
    sst_state_close(&state);
    fake_disk_free(disk);
    sst_state_policy_clear(&policy);
}
END_TEST

/* `inspect` and `plan` speak of all kinds, whatever the policy at hand keeps. */
START_TEST(the_size_does_not_depend_on_what_the_policy_itself_keeps)
{
    struct sst_state_policy none = make_policy(SST_KEEP_NONE), all = make_policy(SST_KEEP_ALL);
    for (int keep = SST_KEEP_NONE; keep <= SST_KEEP_ALL; ++keep)
        ck_assert_double_eq(sst_state_bytes(&none, (enum sst_keep)keep, 100).all,
                            sst_state_bytes(&all, (enum sst_keep)keep, 100).all);
    ck_assert_double_lt(sst_state_bytes(&none, SST_KEEP_NONE, 100).all,
                        sst_state_bytes(&none, SST_KEEP_PROBES, 100).all);
    sst_state_policy_clear(&none);
    sst_state_policy_clear(&all);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_size");
    TCase *sizes = tcase_create("sizes");
    tcase_add_loop_test(sizes, a_state_is_as_large_as_was_said, SST_KEEP_NONE, SST_KEEP_ALL + 1);
    tcase_add_test(sizes, the_size_does_not_depend_on_what_the_policy_itself_keeps);
    suite_add_tcase(suite, sizes);
    return suite;
}
