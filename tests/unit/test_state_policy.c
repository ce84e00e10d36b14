/* What is fixed when a state is made: its identity, its words for differences, its file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "regular_grid.h"
#include "slot_fixture.h"
#include "test_main.h"
#include "validate/probes.h"

enum { FILE_KIND = SST_BLOCKS_TAG('T', 'E', 'S', 'T') };

static enum sst_status choose(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                              size_t *n_cells, struct sst_error *err)
{
    return sst_probes_choose(domain, NULL, seed, share, cells, n_cells, err);
}

static void complete(struct sst_state_policy *policy)
{
    struct sst_error err = {0};
    ck_assert_msg(sst_state_policy_complete(policy, choose, &err) == SST_OK, "%s", err.text);
}

static bool is_same(const struct sst_state_policy *a, const struct sst_state_policy *b)
{
    return a->identity.low == b->identity.low && a->identity.high == b->identity.high;
}

static void set_product(struct sst_state_policy *policy, const char *text)
{
    sst_free(policy->product);
    ck_assert_int_eq(sst_strdup(text, &policy->product, NULL), SST_OK);
}

static void set_grid(struct sst_state_policy *policy, struct even_axis lat, struct even_axis lon)
{
    sst_grid_destroy(&policy->grid);
    policy->grid = regular_grid(lat, lon);
}

/* --- identity and differences -------------------------------------------------------------------------------------- */

static void change(struct sst_state_policy *policy, int what)
{
    const struct even_axis lat = {-9.0, 3.0, 7}, lon = {1.0, 3.0, 29};
    switch (what) {
    case 0:
        policy->pools.kind = SST_CALENDAR_NOLEAP;
        break;
    case 1:
        policy->pools.leap = SST_LEAP_SKIP;
        break;
    case 2:
        policy->pools.first_year -= 1;
        break;
    case 3:
        policy->pools.last_year += 1;
        break;
    case 4:
        policy->pools.half_window_days = 7;
        break;
    case 5:
        policy->lattice = SST_LATTICE_MILLI;
        break;
    case 6:
        policy->kind = SST_KIND_FOUNDATION;
        break;
    case 7:
        set_product(policy, "another");
        break;
    case 8:
        policy->has_moments = false;
        break;
    case 9:
        policy->tail.top = 7;
        break;
    case 10:
        policy->tail.bottom = 0;
        break;
    case 11:
        policy->keep = SST_KEEP_PROBES;
        break;
    case 12:
        policy->probe_share = nextafter(policy->probe_share, 1.0);
        break;
    case 13:
        policy->seed = UINT64_C(1) << 63;
        break;
    case 14:
        set_grid(policy, (struct even_axis){-9.0, 3.0, 6}, lon);
        break;
    case 15:
        set_grid(policy, lat, (struct even_axis){1.5, 3.0, 29});
        break;
    default:
        ck_abort_msg("no such change");
    }
}

static const char *const words[] = {"calendar: standard and noleap",
                                    "leap rule: hobday and skip",
                                    "baseline: 1991-2010 and 1990-2010",
                                    "baseline: 1991-2010 and 1991-2011",
                                    "largest window [days]: 11 and 15",
                                    "lattice: 0.01 degC and 0.001 degC about 15 degC",
                                    "kind of temperature: ",
                                    "product: made up and another",
                                    "moments: kept and not kept",
                                    "greatest values kept: 6 and 7",
                                    "smallest values kept: 3 and 0",
                                    "values kept: all and probes",
                                    "share of probes: 0.2000000000000000",
                                    "seed: 7 and 9223372036854775808",
                                    "grid: 7 x 29 and 6 x 29 cells",
                                    "grid: longitude: column 0 is 1.5, not 1"};
enum { N_CHANGES = sizeof words / sizeof words[0] };

START_TEST(every_member_is_in_the_identity_and_has_words)
{
    struct sst_state_policy a = slot_policy(0), b = slot_policy(0);
    char text[256];
    ck_assert(is_same(&a, &b));
    ck_assert(!sst_state_policy_differs(&a, &b, text));
    change(&b, _i);
    complete(&b);
    ck_assert(!is_same(&a, &b));
    ck_assert(sst_state_policy_differs(&a, &b, text));
    ck_assert_msg(strncmp(text, words[_i], strlen(words[_i])) == 0, "%s", text);
    sst_state_policy_clear(&a);
    sst_state_policy_clear(&b);
}
END_TEST

START_TEST(a_grid_upside_down_from_another_meridian_or_in_float32_is_the_same)
{
    struct sst_state_policy a = slot_policy(0), b = slot_policy(0);
    char text[256];
    set_grid(&a, (struct even_axis){-9.0, 3.0, 7}, (struct even_axis){1.0, 3.0, 120});
    set_grid(&b, (struct even_axis){9.0, -3.0, 7}, (struct even_axis){181.0, 3.0, 120});
    b.grid->lat[2] = (double)(float)(b.grid->lat[2] + 1e-5);
    complete(&a);
    complete(&b);
    ck_assert(is_same(&a, &b));
    ck_assert(!sst_state_policy_differs(&a, &b, text));
    ck_assert_uint_eq(a.n_probes, b.n_probes);
    ck_assert_mem_eq(a.probes, b.probes, a.n_probes * sizeof *a.probes);
    ck_assert_uint_gt(a.n_probes, 50);
    for (size_t i = 1; i < a.n_probes; ++i)
        ck_assert_uint_gt(a.probes[i], a.probes[i - 1]);
    for (size_t i = 0; i < a.n_probes; ++i)
        ck_assert(sst_probes_has(a.seed, a.probes[i], a.probe_share));
    sst_state_policy_clear(&a);
    sst_state_policy_clear(&b);
}
END_TEST

START_TEST(probes_are_chosen_where_they_are_kept)
{
    struct sst_state_policy none = slot_policy(2), all = slot_policy(0);
    ck_assert_uint_eq(none.n_probes, 0);
    ck_assert_uint_eq(none.n_cells, 7 * 29);
    ck_assert_uint_gt(all.n_probes, 20);
    complete(&all); /* once more: nothing is left over */
    ck_assert_uint_lt(all.n_probes, 80);
    sst_state_policy_clear(&none);
    sst_state_policy_clear(&all);
    sst_state_policy_clear(&all);
}
END_TEST

/* --- refusals ------------------------------------------------------------------------------------------------------ */

static void spoil(struct sst_state_policy *policy, int what)
{
    static char long_name[2000];
    switch (what) {
    case 0:
        policy->pools.last_year = policy->pools.first_year - 1;
        break;
    case 1:
        policy->pools.half_window_days = SST_MAX_HALF_WINDOW + 1;
        break;
    case 2:
        policy->pools.half_window_days = -1;
        break;
    case 3:
        policy->pools.first_year = 1000;
        break;
    case 4:
        policy->tail.top = SST_TAIL_MAX_K + 1;
        break;
    case 5:
        policy->tail.bottom = -1;
        break;
    case 6:
        policy->has_moments = false;
        policy->tail = (struct sst_tail_k){0, 0};
        policy->keep = SST_KEEP_PROBES;
        break;
    case 7:
        policy->probe_share = (double)NAN;
        break;
    case 8:
        policy->probe_share = 1.5;
        break;
    case 9:
        memset(long_name, 'a', sizeof long_name - 1);
        set_product(policy, long_name);
        break;
    case 10:
        policy->keep = (enum sst_keep)3;
        break;
    default:
        policy->pools.first_year = INT32_MIN;
    }
}

START_TEST(members_that_cannot_be_so_are_refused)
{
    struct sst_state_policy policy = slot_policy(0);
    struct sst_error err = {0};
    spoil(&policy, _i);
    ck_assert_int_eq(sst_state_policy_complete(&policy, choose, &err), SST_ERR_USAGE);
    ck_assert_uint_gt(strlen(err.text), 10);
    sst_state_policy_clear(&policy);
}
END_TEST

/* --- the file ------------------------------------------------------------------------------------------------------ */

static struct sst_block_file *file_of(const struct sst_state_policy *policy, struct sst_identity identity)
{
    struct sst_block_writer *writer = NULL;
    ck_assert_int_eq(sst_block_writer_create(FILE_KIND, identity, &writer, NULL), SST_OK);
    ck_assert_int_eq(sst_state_policy_encode(policy, writer, NULL), SST_OK);
    struct sst_block_file *file = slot_file_of(writer);
    sst_block_writer_destroy(&writer);
    return file;
}

START_TEST(what_was_written_is_read_again_with_the_very_coordinates)
{
    struct sst_state_policy policy = slot_policy(_i), read;
    struct sst_error err = {0};
    char text[256];
    set_grid(&policy, (struct even_axis){89.875, -0.25, 720}, (struct even_axis){20.1, 0.3, 1200});
    complete(&policy);
    struct sst_block_file *file = file_of(&policy, policy.identity);
    ck_assert_msg(sst_state_policy_decode(file, &read, &err) == SST_OK, "%s", err.text);
    ck_assert(is_same(&policy, &read));
    ck_assert(!sst_state_policy_differs(&policy, &read, text));
    ck_assert_uint_eq(read.n_cells, policy.n_cells);
    ck_assert_mem_eq(read.grid->lat, policy.grid->lat, policy.grid->n_lat * sizeof *read.grid->lat);
    ck_assert_mem_eq(read.grid->lon, policy.grid->lon, policy.grid->n_lon * sizeof *read.grid->lon);
    ck_assert_int_eq(read.grid->wraps, policy.grid->wraps);
    ck_assert_uint_eq(read.grid->canonical_col, policy.grid->canonical_col);
    ck_assert_uint_eq(read.n_probes, policy.n_probes);
    if (policy.n_probes > 0)
        ck_assert_mem_eq(read.probes, policy.probes, policy.n_probes * sizeof *read.probes);
    sst_block_file_destroy(&file);
    sst_state_policy_clear(&policy);
    sst_state_policy_clear(&read);
}
END_TEST

static void must_refuse(void *user, const struct sst_block_file *altered, const char *what)
{
    struct sst_state_policy read = {0};
    struct sst_error err = {0};
    ck_assert_msg(sst_state_policy_decode(altered, &read, &err) == SST_ERR_STATE, "%s: was read", what);
    ck_assert_ptr_null(read.grid);
    ck_assert_uint_gt(strlen(err.text), 10);
    ++*(int *)user;
}

START_TEST(a_file_that_is_altered_is_refused)
{
    struct sst_state_policy policy = slot_policy(0), other = slot_policy(0);
    int n = 0;
    other.seed = 8;
    set_product(&other, "another");
    set_grid(&other, (struct even_axis){9.0, -4.0, 5}, (struct even_axis){2.0, 5.0, 29});
    complete(&other);
    struct sst_block_file *file = file_of(&policy, policy.identity), *theirs = file_of(&other, other.identity);
    struct sst_block_file *foreign = file_of(&policy, other.identity);
    slot_alterations(file, theirs, must_refuse, &n);
    must_refuse(&n, foreign, "of another identity");
    ck_assert_int_gt(n, 300);
    sst_block_file_destroy(&file);
    sst_block_file_destroy(&theirs);
    sst_block_file_destroy(&foreign);
    sst_state_policy_clear(&policy);
    sst_state_policy_clear(&other);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_policy");
    TCase *tcase = tcase_create("policy");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, every_member_is_in_the_identity_and_has_words, 0, N_CHANGES);
    tcase_add_test(tcase, a_grid_upside_down_from_another_meridian_or_in_float32_is_the_same);
    tcase_add_test(tcase, probes_are_chosen_where_they_are_kept);
    tcase_add_loop_test(tcase, members_that_cannot_be_so_are_refused, 0, 12);
    tcase_add_loop_test(tcase, what_was_written_is_read_again_with_the_very_coordinates, 0, SLOT_N_POLICIES);
    tcase_add_test(tcase, a_file_that_is_altered_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
