/*
 * The engine fed from a state's sums, lists and probes gives the slots that it gives when fed from the days themselves, to the
 * bit: for every estimator, for states that keep nothing, probes or all, and for rules that join what the state keeps apart.
 */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "state/state_source.h"
#include "sums_fixture.h"
#include "test_main.h"

static const struct sums_setup setups[] = {
    /* The state's own rule, over New Year, in spring, and where late cells turn valid. */
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_PROBES, {0, 0}}, {SST_APPROX_CF, SST_LEAP_HOBDAY, 5, 31, 355, 10, 0}, 0},
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_NONE, {0, 0}}, {SST_APPROX_CF, SST_LEAP_HOBDAY, 5, 1, 50, 70, 0}, SUMS_MILLI},
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_ALL, {2, 2}}, {SST_APPROX_MAXENT, SST_LEAP_HOBDAY, 5, 5, 115, 130, 0}, SUMS_NO_ICE},
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_PROBES, {2, 2}}, {SST_APPROX_TAIL, SST_LEAP_HOBDAY, 5, 5, 350, 12, 2}, SUMS_MILLI},
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_NONE, {4, 3}}, {SST_APPROX_TAIL, SST_LEAP_HOBDAY, 5, 1, 52, 68, 3}, 0},
    {{SST_LEAP_SKIP, 5, SST_KEEP_PROBES, {3, 3}}, {SST_APPROX_TAIL, SST_LEAP_SKIP, 5, 5, 50, 65, 3}, SUMS_NO_ICE},
    {{SST_LEAP_OWN, 2, SST_KEEP_ALL, {0, 0}}, {SST_APPROX_CF, SST_LEAP_OWN, 2, 5, 50, 65, 0}, SUMS_MILLI},
    /* Narrower: what is an edge or near 29 February for the state is neither for the climatology. */
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_PROBES, {4, 4}}, {SST_APPROX_CF, SST_LEAP_HOBDAY, 1, 3, 360, 8, 0}, 0},
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_PROBES, {4, 4}}, {SST_APPROX_TAIL, SST_LEAP_HOBDAY, 2, 3, 360, 8, 4}, SUMS_MILLI},
    {{SST_LEAP_HOBDAY, 29, SST_KEEP_NONE, {4, 4}}, {SST_APPROX_TAIL, SST_LEAP_HOBDAY, 3, 1, 40, 75, 2}, 0},
    {{SST_LEAP_HOBDAY, 3, SST_KEEP_PROBES, {0, 0}}, {SST_APPROX_MAXENT, SST_LEAP_HOBDAY, 0, 1, 56, 64, 0}, SUMS_MILLI},
    /* Other rules. */
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_PROBES, {4, 4}}, {SST_APPROX_CF, SST_LEAP_SKIP, 5, 5, 354, 8, 0}, 0},
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_PROBES, {4, 4}}, {SST_APPROX_TAIL, SST_LEAP_SKIP, 7, 1, 50, 66, 4}, 0},
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_NONE, {4, 4}}, {SST_APPROX_TAIL, SST_LEAP_OWN, 5, 1, 354, 66, 2}, SUMS_MILLI},
    {{SST_LEAP_OWN, 5, SST_KEEP_PROBES, {0, 0}}, {SST_APPROX_MAXENT, SST_LEAP_SKIP, 3, 1, 50, 66, 0}, 0},
    {{SST_LEAP_OWN, 5, SST_KEEP_NONE, {0, 0}}, {SST_APPROX_CF, SST_LEAP_HOBDAY, 0, 1, 364, 63, 0}, 0},
    /* More days than a batch has; cells that turn valid one by one. */
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_PROBES, {6, 6}}, {SST_APPROX_TAIL, SST_LEAP_SKIP, 5, 1, 57, 60, 5}, SUMS_LONG},
    {{SST_LEAP_HOBDAY, 5, SST_KEEP_PROBES, {3, 3}},
     {SST_APPROX_TAIL, SST_LEAP_HOBDAY, 2, 1, 180, 190, 3},
     SUMS_MILLI | SUMS_NO_ICE | SUMS_SPARSE},
    {{SST_LEAP_OWN, 2, SST_KEEP_NONE, {0, 0}},
     {SST_APPROX_CF, SST_LEAP_OWN, 2, 3, 180, 190, 0},
     SUMS_NO_ICE | SUMS_SPARSE},
};
enum { N_SETUPS = sizeof setups / sizeof setups[0] };

START_TEST(sums_of_a_state_give_the_bits_of_its_days)
{
    struct sums_world world;
    sums_world_open(&setups[_i], &world);
    struct sst_state_sums *sums = sums_world_sums(&world);
    struct sums_given of_days = sums_world_run(&world, NULL),
                      of_sums = sums_world_run(&world, sst_state_sums_slots(sums));
    ck_assert_uint_gt(of_days.n_with_value, 40);
    ck_assert(sums_is_same(&of_sums, &of_days));
    free(of_days.results.bytes);
    free(of_sums.results.bytes);
    sst_state_sums_destroy(&sums);
    sums_world_close(&world);
}
END_TEST

/* Each kept as the state keeps all: days that are counted and days that are not are the same by either way. */
START_TEST(days_are_counted_as_those_of_kept_values)
{
    struct sums_world world;
    struct sst_state_source *source = NULL;
    sums_world_open(&setups[2], &world);
    struct sst_state_sums *sums = sums_world_sums(&world);
    ck_assert_int_eq(sst_state_source_create(world.state, &world.domain, &world.policy.pools, &source, NULL), SST_OK);
    struct sums_given of_sums = sums_world_run(&world, sst_state_sums_slots(sums));
    const struct sst_field_source made_up = world.seas.source;
    world.seas.source = *sst_state_source_fields(source);
    struct sums_given of_values = sums_world_run(&world, NULL);
    world.seas.source = made_up;
    ck_assert(sums_is_same(&of_sums, &of_values));
    ck_assert_uint_eq(sst_state_sums_n_days(sums), sst_state_source_n_days(source));
    ck_assert_uint_eq(sst_state_sums_n_absent(sums), sst_state_source_n_absent(source));
    ck_assert_uint_gt(sst_state_sums_n_days(sums), 50);
    ck_assert_uint_gt(sst_state_sums_n_absent(sums), 5);
    free(of_values.results.bytes);
    free(of_sums.results.bytes);
    sst_state_sums_destroy(&sums);
    sst_state_source_destroy(&source);
    sums_world_close(&world);
}
END_TEST

/* --- planted faults ----------------------------------------------------------------------------------------------- */

enum fault {
    NO_FAULT,
    A_CLASS_LEFT_OUT,
    A_CLASS_TWICE,
    ICE_LEFT_OUT,
    PROBES_OF_ANOTHER_DAY,
    A_PROBE_DAY_LEFT_OUT,
    ITEMS_SHIFTED,
    N_FAULTS
};

struct faulty {
    const struct sst_slot_source *inner;
    enum fault fault;
    struct sst_slot_sums sums;
    struct sst_slot_source source;
    struct sst_field other[SST_MAX_BATCH];
    uint32_t item[SUMS_N_CELLS];
};

static void spoil(struct faulty *faulty, struct sst_term_sums *term)
{
    if (faulty->fault == A_CLASS_LEFT_OUT && term->n_bins > 1)
        --term->n_bins;
    if (faulty->fault == A_CLASS_TWICE && term->n_bins > 1)
        term->bins[1] = term->bins[0];
    if (faulty->fault == ICE_LEFT_OUT)
        term->n_ice = 0;
    if (faulty->fault == A_PROBE_DAY_LEFT_OUT && term->n_probe_days > 2)
        --term->n_probe_days;
    if (faulty->fault == PROBES_OF_ANOTHER_DAY && term->n_probe_days > 2 && term->n_probe_days <= SST_MAX_BATCH) {
        memcpy(faulty->other, term->probes, term->n_probe_days * sizeof *term->probes);
        faulty->other[0] = faulty->other[1];
        term->probes = faulty->other;
    }
}

static enum sst_status get_spoilt(void *user, int slot, const struct sst_slot_sums **out, struct sst_error *err)
{
    struct faulty *faulty = user;
    const struct sst_slot_sums *sums = NULL;
    SST_TRY(faulty->inner->get(faulty->inner->user, slot, &sums, err));
    faulty->sums = *sums;
    for (size_t cell = 0; faulty->fault == ITEMS_SHIFTED && cell < SUMS_N_CELLS; ++cell)
        faulty->item[cell] = sums->item[(cell + 1) % SUMS_N_CELLS];
    if (faulty->fault == ITEMS_SHIFTED)
        faulty->sums.item = faulty->item;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        spoil(faulty, &faulty->sums.terms[year_class]);
    *out = &faulty->sums;
    return SST_OK;
}

/* A state of hobday as skip, round New Year: all its terms are of two classes. */
START_TEST(planted_faults_are_seen)
{
    struct sums_world world;
    sums_world_open(&setups[11], &world);
    struct sst_state_sums *sums = sums_world_sums(&world);
    struct sums_given want = sums_world_run(&world, NULL);
    struct faulty faulty = {.inner = sst_state_sums_slots(sums), .fault = (enum fault)_i};
    faulty.source = (struct sst_slot_source){&faulty, faulty.inner->probe_at, get_spoilt};
    struct sums_given got = sums_world_run(&world, &faulty.source);
    ck_assert_int_eq(sums_is_same(&got, &want), _i == NO_FAULT);
    free(got.results.bytes);
    free(want.results.bytes);
    sst_state_sums_destroy(&sums);
    sums_world_close(&world);
}
END_TEST

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void check_refused(const struct sums_setup *setup, bool has_no_moments, const char *text)
{
    struct sst_error err = {0};
    struct fake_disk *disk = fake_disk_new();
    struct sst_state *state = NULL;
    struct sst_state_policy made = sums_state_policy(setup);
    const struct sst_policy policy = sums_policy(setup);
    made.has_moments = !has_no_moments;
    ck_assert_int_eq(sst_state_policy_complete(&made, sums_choose_probes, NULL), SST_OK);
    ck_assert_int_eq(sst_state_make(fake_disk_os(disk), "STATE", &made, NULL), SST_OK);
    ck_assert_int_eq(sst_state_open(fake_disk_os(disk), "STATE", SST_STATE_READ, &state, NULL), SST_OK);
    ck_assert_int_eq(sst_state_sums_check(state, &policy, &err), SST_ERR_STATE);
    ck_assert_str_eq(err.text, text);
    sst_state_close(&state);
    sst_state_policy_clear(&made);
    fake_disk_free(disk);
}

START_TEST(what_a_state_is_not_enough_for_is_refused)
{
    const struct sums_made none = {SST_LEAP_OWN, 5, SST_KEEP_NONE, {2, 1}};
    struct sums_setup setup = {none, {SST_APPROX_NONE, SST_LEAP_OWN, 5, 1, 1, 366, 0}, 0};
    check_refused(&setup, false,
                  "STATE: it keeps none, and exact percentiles (--approx none) are made from all values. Give --approx "
                  "tail, cf or maxent, or make a state with --keep all");
    setup.wanted.approx = SST_APPROX_CF;
    check_refused(&setup, true,
                  "STATE: it has no sums of powers, from which --approx cf makes percentiles. Give --approx tail, or "
                  "make another state");
    setup.wanted.approx = SST_APPROX_TAIL;
    setup.wanted.tail_k = 2;
    check_refused(&setup, false,
                  "STATE: its lists have the 2 greatest and 1 least values of a calendar day, and these percentiles of "
                  "11 days take 2 and 2. Give --tail-k 1, which leaves more uncertified, --approx cf, or make a state "
                  "with --tail-k 2 and these percentiles");
    setup.wanted.leap = SST_LEAP_HOBDAY; /* the days of New Year are not there either, which is said before */
    setup.wanted.tail_k = 1;
    check_refused(&setup, false,
                  "STATE: of the years of a day as 2004-01-01 it knows one sum, and --leap hobday would pool some of "
                  "them alone. Give --leap own, or make a state with --keep all");
}
END_TEST

/* Where one class is both in a term and beside it, only values would do. */
START_TEST(terms_are_split_by_the_classes_of_the_state)
{
    const struct sst_pool_rule wide = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, SUMS_FIRST_YEAR, SUMS_LAST_YEAR, 5};
    struct sst_pool_rule narrow = wide, skip = wide, own = wide;
    narrow.half_window_days = 2;
    skip.leap = SST_LEAP_SKIP;
    own.leap = SST_LEAP_OWN;
    const unsigned common = 1U << SST_CLASS_COMMON, leap = 1U << SST_CLASS_LEAP, first = 1U << SST_CLASS_FIRST,
                   last = 1U << SST_CLASS_LAST;
    const struct {
        const struct sst_pool_rule *known, *wanted;
        struct sst_term term;
        unsigned classes;
        bool is_clean;
    } cases[] = {
        {&wide, &wide, {3, SST_CLASS_FIRST}, first, true},
        {&wide, &wide, {3, SST_CLASS_LEAP}, 0, true},
        {&wide, &narrow, {2, SST_CLASS_LAST}, last, true},
        {&wide, &narrow, {4, SST_CLASS_COMMON}, common | first, true},
        {&wide, &narrow, {363, SST_CLASS_COMMON}, common | last, true},
        {&wide, &narrow, {57, SST_CLASS_COMMON}, common | leap, true},
        {&wide, &narrow, {59, SST_CLASS_COMMON}, common, true},
        {&wide, &skip, {60, SST_CLASS_COMMON}, 0, true},
        {&wide, &own, {60, SST_CLASS_COMMON}, leap, true},
        {&wide, &skip, {1, SST_CLASS_COMMON}, common | first, true},
        {&skip, &wide, {100, SST_CLASS_COMMON}, common, true},
        {&skip, &wide, {59, SST_CLASS_COMMON}, common, false},
        {&own, &wide, {59, SST_CLASS_LEAP}, common, false},
        {&own, &wide, {2, SST_CLASS_FIRST}, common, false},
        {&narrow, &wide, {4, SST_CLASS_FIRST}, common, false},
        {&own, &skip, {60, SST_CLASS_COMMON}, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct sst_term_split split = sst_state_split_term(cases[i].known, cases[i].wanted, cases[i].term);
        ck_assert_msg(split.classes == cases[i].classes && split.is_clean == cases[i].is_clean,
                      "case %zu: classes %x, clean %d", i, split.classes, split.is_clean);
    }
}
END_TEST

static bool after_three(void *user) { return ((const struct sums_given *)user)->n_done == 3; }

START_TEST(it_ends_where_it_is_cancelled_or_a_slot_is_gone)
{
    struct sums_world world;
    struct sums_given given = {0}, other = {0};
    struct sst_error err = {0}, damage = {0};
    sums_world_open(&setups[1], &world);
    struct sst_state_sums *sums = sums_world_sums(&world);
    ck_assert_int_eq(sums_world_try(&world, sst_state_sums_slots(sums), after_three, &given, &err),
                     SST_ERR_INTERRUPTED);
    ck_assert_str_eq(err.text, "interrupted after 3 of 31 calendar days"); /* 45 to 75 */
    size_t n_bytes = 0;
    unsigned char *bytes = fake_disk_bytes(world.disk, "STATE/slots/055", &n_bytes);
    ck_assert_ptr_nonnull(bytes);
    bytes[n_bytes / 2] ^= 1;
    ck_assert_int_eq(sums_world_try(&world, sst_state_sums_slots(sums), NULL, &other, &damage), SST_ERR_STATE);
    ck_assert_msg(strstr(damage.text, "STATE/slots/055: damaged"), "%s", damage.text);
    free(given.results.bytes);
    free(other.results.bytes);
    sst_state_sums_destroy(&sums);
    sums_world_close(&world);
}
END_TEST

/* Exact percentiles take values; that is refused before, and known to the engine too. */
START_TEST(the_engine_takes_no_sums_for_exact_percentiles)
{
    struct sums_world world;
    struct sums_given given = {0};
    struct sst_error err = {0};
    sums_world_open(&setups[2], &world);
    struct sst_state_sums *sums = sums_world_sums(&world);
    world.policy.approx = SST_APPROX_NONE;
    ck_assert_int_eq(sums_world_try(&world, sst_state_sums_slots(sums), NULL, &given, &err), SST_ERR_INTERNAL);
    ck_assert_str_eq(err.text, "sums are given to a method that remembers values");
    sst_state_sums_destroy(&sums);
    sums_world_close(&world);
}
END_TEST

START_TEST(probes_that_are_not_of_the_state_are_refused)
{
    struct sums_world world;
    struct sst_state_sums *sums = NULL;
    struct sst_error err = {0};
    sums_world_open(&setups[10], &world);
    size_t stranger = 0;
    while (stranger < world.n_probes && world.probes[stranger] == stranger)
        ++stranger;
    ck_assert_int_eq(sst_state_sums_create(world.state, &world.policy, &world.domain, &stranger, 1, &sums, &err),
                     SST_ERR_INTERNAL);
    ck_assert_msg(strstr(err.text, "is no probe of the state"), "%s", err.text);
    ck_assert_ptr_null(sums);
    sums_world_close(&world);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("climatology_of_state");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, sums_of_a_state_give_the_bits_of_its_days, 0, N_SETUPS);
    tcase_add_test(tc, days_are_counted_as_those_of_kept_values);
    tcase_add_loop_test(tc, planted_faults_are_seen, NO_FAULT, N_FAULTS);
    tcase_add_test(tc, what_a_state_is_not_enough_for_is_refused);
    tcase_add_test(tc, terms_are_split_by_the_classes_of_the_state);
    tcase_add_test(tc, it_ends_where_it_is_cancelled_or_a_slot_is_gone);
    tcase_add_test(tc, the_engine_takes_no_sums_for_exact_percentiles);
    tcase_add_test(tc, probes_that_are_not_of_the_state_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
