/*
 * A slot of a state is what its days are: whatever the order in which they came, whatever was taken away again, and over
 * files and merges. Bits are compared: of what would be on the disk, and of digests.
 */
#include <stdlib.h>
#include <string.h>

#include "all_cells.h"
#include "random.h"
#include "slot_fixture.h"
#include "test_main.h"

/* Slots with one class, with common and leap years apart, with edges of the year; and 29 February. */
static const int slots[] = {200, 61, 3, 364, 60};
enum { N_SLOTS = sizeof slots / sizeof slots[0], N_CASES = SLOT_N_POLICIES * N_SLOTS, N_ORDERS = 9 };

struct law {
    struct sst_state_policy policy;
    struct slot_days days;
    struct sst_slot_state *whole; /* all days, ascending */
};

static struct law law_open(int index)
{
    struct law law = {.policy = slot_policy(index / N_SLOTS)};
    slot_days_make(&law.policy, slots[index % N_SLOTS], &law.days);
    return law;
}

static struct law *law_new(int index)
{
    struct law *law = malloc(sizeof *law);
    *law = law_open(index); /* the policy stays where its slots find it */
    law->whole = slot_new(&law->policy, slots[index % N_SLOTS]);
    for (size_t i = 0; i < law->days.n; ++i)
        slot_add(law->whole, &law->days.days[i]);
    return law;
}

static void law_free(struct law *law)
{
    sst_slot_state_destroy(&law->whole);
    slot_days_clear(&law->days);
    sst_state_policy_clear(&law->policy);
    free(law);
}

static void shuffle(size_t *order, size_t n, struct test_random *random)
{
    for (size_t i = 0; i < n; ++i)
        order[i] = i;
    for (size_t i = n; i-- > 1;) {
        const size_t j = (size_t)test_random_below(random, (int)i + 1), keep = order[i];
        order[i] = order[j];
        order[j] = keep;
    }
}

/* In some order; now and then a day that is there is taken away and comes again later. */
static struct sst_slot_state *in_some_order(const struct law *law, struct test_random *random)
{
    struct sst_slot_state *slot = slot_new(&law->policy, law->whole->slot);
    const struct slot_day *days = law->days.days;
    size_t waiting[SLOT_MAX_DAYS], n = law->days.n;
    int n_taken = 0;
    shuffle(waiting, n, random);
    while (n > 0) {
        slot_add(slot, &days[waiting[--n]]);
        const size_t any = (size_t)test_random_below(random, (int)law->days.n);
        if (!slot_policy_can_remove(&law->policy) || test_random_below(random, 3) > 0 || ++n_taken > 8 ||
            !sst_slot_state_entry(slot, days[any].entry.year))
            continue;
        slot_take(slot, &days[any]);
        memmove(waiting + 1, waiting, n * sizeof *waiting);
        waiting[0] = any;
        ++n;
    }
    return slot;
}

START_TEST(any_order_with_days_taken_away_between_gives_one_digest_and_the_same_bytes)
{
    struct law *law = law_new(_i);
    const struct slot_bytes whole = slot_bytes(law->whole);
    const struct sst_identity digest = sst_slot_state_digest(law->whole);
    for (uint64_t seed = 0; seed < N_ORDERS; ++seed) {
        struct test_random random = {seed + 100 * (uint64_t)_i};
        struct sst_slot_state *slot = in_some_order(law, &random);
        const struct slot_bytes bytes = slot_bytes(slot);
        ck_assert_msg(sst_identity_is(sst_slot_state_digest(slot), digest), "seed %d", (int)seed);
        ck_assert_msg(bytes.n == whole.n && memcmp(bytes.bytes, whole.bytes, whole.n) == 0, "seed %d", (int)seed);
        free(bytes.bytes);
        sst_slot_state_destroy(&slot);
    }
    free(whole.bytes);
    law_free(law);
}
END_TEST

/* What a run would have: bins of the whole grid, with the days of one class. */
static void make_directly(const struct law *law, int year_class, struct sst_bin *moments, struct sst_bin *tail,
                          struct sst_bin *ice)
{
    const size_t n_cells = law->policy.n_cells;
    struct sst_cells cells = all_cells(n_cells);
    ck_assert_int_eq(sst_bin_init(moments, sst_estimator_moments(), n_cells, NULL), SST_OK);
    ck_assert_int_eq(sst_bin_init(tail, &law->whole->lists[year_class].estimator, n_cells, NULL), SST_OK);
    ck_assert_int_eq(sst_bin_init(ice, sst_estimator_ice(), n_cells, NULL), SST_OK);
    for (size_t i = 0; i < law->days.n; ++i) {
        const struct sst_field *field = &law->days.days[i].field;
        const int16_t *const hundredths[] = {field->hundredths};
        const uint8_t *const marks[] = {field->ice};
        if (law->days.days[i].entry.year_class != year_class)
            continue;
        sst_backend_cpu()->moments_add_fields(sst_bin_moments(moments), &cells, hundredths, 1);
        sst_backend_cpu()->tail_add_fields(sst_bin_tail(tail), &cells, &field, 1);
        sst_backend_cpu()->count_add_fields(ice->planes[0], &cells, marks, 1);
    }
    sst_cells_clear(&cells);
}

/* Whether the packed bin has the direct one's values at its cells, and the direct one none elsewhere. */
static void check_bin(const struct sst_slot_state *slot, const struct sst_bin *packed, const struct sst_bin *direct)
{
    const size_t n_cells = direct->n_cells;
    for (size_t p = 0; p < direct->estimator->n_planes; ++p) {
        const struct sst_plane *plane = &direct->estimator->planes[p];
        const size_t size = sst_plane_type_size(plane->type);
        for (size_t rank = 0; rank < plane->count; ++rank)
            for (size_t cell = 0, item = 0; cell < n_cells; ++cell) {
                const unsigned char *of_direct = (unsigned char *)direct->planes[p] + (rank * n_cells + cell) * size;
                if (slot->cells[cell / 64] >> cell % 64 & 1) {
                    ck_assert_mem_eq((unsigned char *)packed->planes[p] + (rank * slot->n_items + item) * size,
                                     of_direct, size);
                    ++item;
                } else if (p == 0) {
                    ck_assert_uint_eq(*(const uint16_t *)(const void *)of_direct, 0);
                }
            }
    }
}

START_TEST(bins_are_those_that_a_run_would_have)
{
    struct law *law = law_new(_i);
    const struct sst_slot_state *slot = law->whole;
    const struct sst_tail_k k = law->policy.tail;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        struct sst_bin moments, tail, ice;
        bool has_days = false, has_ice = false;
        make_directly(law, year_class, &moments, &tail, &ice);
        for (size_t i = 0; i < law->days.n; ++i) {
            const bool is_of_class = law->days.days[i].entry.year_class == year_class;
            has_days |= is_of_class;
            has_ice |= is_of_class && law->days.days[i].field.has_ice;
        }
        ck_assert_int_eq(!sst_bin_is_empty(&slot->moments[year_class]), has_days && law->policy.has_moments);
        ck_assert_int_eq(!sst_bin_is_empty(&slot->tail[year_class]), has_days && (k.top > 0 || k.bottom > 0));
        ck_assert_int_eq(!sst_bin_is_empty(&slot->ice[year_class]), has_ice);
        if (!sst_bin_is_empty(&slot->moments[year_class]))
            check_bin(slot, &slot->moments[year_class], &moments);
        if (!sst_bin_is_empty(&slot->tail[year_class]))
            check_bin(slot, &slot->tail[year_class], &tail);
        if (has_ice)
            check_bin(slot, &slot->ice[year_class], &ice);
        sst_bin_clear(&moments);
        sst_bin_clear(&tail);
        sst_bin_clear(&ice);
    }
    law_free(law);
}
END_TEST

START_TEST(kept_values_are_the_days_own_and_cells_are_those_with_anything)
{
    struct law *law = law_new(_i);
    const struct sst_slot_state *slot = law->whole;
    ck_assert_uint_eq(slot->n_ledger, law->days.n);
    for (size_t i = 0; i < slot->n_ledger; ++i) {
        const struct sst_ledger_entry *entry = &slot->ledger[i];
        const struct sst_field *field = &law->days.days[i].field;
        ck_assert_int_eq(entry->year, law->days.days[i].entry.year);
        ck_assert_str_eq(entry->source, law->days.days[i].entry.source);
        ck_assert_int_eq(entry->probes != NULL, law->policy.keep != SST_KEEP_NONE);
        ck_assert_int_eq(entry->kept != NULL, law->policy.keep == SST_KEEP_ALL);
        ck_assert_int_eq(entry->marks != NULL, law->policy.keep == SST_KEEP_ALL && field->has_ice);
        for (size_t p = 0; entry->probes && p < law->policy.n_probes; ++p)
            ck_assert_int_eq(entry->probes[p], field->codes[law->policy.probes[p]]);
        for (size_t cell = 0, item = 0; cell < law->policy.n_cells; ++cell) {
            if (!(slot->cells[cell / 64] >> cell % 64 & 1)) {
                ck_assert(field->codes[cell] == SST_CODE_MISSING && field->ice[cell] == 0);
                continue;
            }
            ck_assert(!entry->kept || entry->kept[item] == field->codes[cell]);
            ck_assert(!entry->marks || entry->marks[item] == field->ice[cell]);
            ++item;
        }
    }
    law_free(law);
}
END_TEST

START_TEST(a_day_that_was_added_and_taken_away_was_never_there)
{
    struct law *law = law_new(_i);
    struct sst_slot_state *with = slot_new(&law->policy, law->whole->slot),
                          *without = slot_new(&law->policy, law->whole->slot);
    size_t n_came = 0, n_before = 0;
    for (size_t i = 0; i < law->days.n && slot_policy_can_remove(&law->policy); ++i) {
        slot_add(with, &law->days.days[i]);
        n_came += with->n_items != n_before;
        slot_take(with, &law->days.days[i]);
        ck_assert_msg(slots_equal(with, without), "day %zu", i);
        slot_add(with, &law->days.days[i]);
        slot_add(without, &law->days.days[i]);
        n_before = with->n_items;
    }
    ck_assert(!slot_policy_can_remove(&law->policy) || n_came > 2); /* the law is about cells, too */
    for (size_t i = with->n_ledger; i-- > 0;)
        slot_take(with, &law->days.days[i]);
    struct sst_slot_state *fresh = slot_new(&law->policy, law->whole->slot);
    ck_assert(slots_equal(with, fresh));
    ck_assert_uint_eq(with->n_items, 0);
    sst_slot_state_destroy(&with);
    sst_slot_state_destroy(&without);
    sst_slot_state_destroy(&fresh);
    law_free(law);
}
END_TEST

START_TEST(what_was_written_is_read_again)
{
    struct law *law = law_new(_i);
    struct sst_slot_state *read = NULL, *empty = slot_new(&law->policy, law->whole->slot), *again = NULL;
    struct sst_error err = {0};
    struct sst_block_file *file = slot_file(law->whole), *of_none = slot_file(empty);
    ck_assert_msg(sst_slot_state_decode(&law->policy, law->whole->slot, file, false, &read, &err) == SST_OK, "%s",
                  err.text);
    ck_assert_msg(sst_slot_state_decode(&law->policy, law->whole->slot, of_none, false, &again, &err) == SST_OK, "%s",
                  err.text);
    ck_assert(slots_equal(read, law->whole));
    ck_assert(slots_equal(again, empty));
    for (size_t i = 0; i < law->days.n; ++i) {
        ck_assert_str_eq(read->ledger[i].source, law->whole->ledger[i].source);
        ck_assert_uint_eq(read->ledger[i].n_valid, law->whole->ledger[i].n_valid);
        ck_assert_int_eq(read->ledger[i].median, law->whole->ledger[i].median);
        slot_add(again, &law->days.days[i]);
    }
    ck_assert(slots_equal(again, law->whole));
    sst_slot_state_destroy(&read);
    sst_slot_state_destroy(&again);
    sst_slot_state_destroy(&empty);
    sst_block_file_destroy(&file);
    sst_block_file_destroy(&of_none);
    law_free(law);
}
END_TEST

struct refusals {
    const struct sst_slot_state *slot;
    int n;
};

static void must_refuse(void *user, const struct sst_block_file *altered, const char *what)
{
    struct refusals *refusals = user;
    struct sst_slot_state *read = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_slot_state_decode(refusals->slot->policy, refusals->slot->slot, altered, false, &read, &err) ==
                      SST_ERR_STATE,
                  "%s: was read", what);
    ck_assert_ptr_null(read);
    ck_assert_uint_gt(strlen(err.text), 10);
    ++refusals->n;
}

START_TEST(blocks_that_are_altered_are_refused)
{
    struct law *law = law_new(_i);
    struct sst_slot_state *fewer = slot_new(&law->policy, law->whole->slot), *read = NULL;
    struct refusals refusals = {law->whole, 0};
    for (size_t i = 1; i < law->days.n; ++i)
        slot_add(fewer, &law->days.days[i]);
    struct sst_block_file *file = slot_file(law->whole), *other = slot_file(fewer);
    slot_alterations(file, other, must_refuse, &refusals);
    ck_assert_int_gt(refusals.n, 1000);
    ck_assert_int_eq(sst_slot_state_decode(&law->policy, law->whole->slot + 1, file, false, &read, NULL),
                     SST_ERR_STATE);
    sst_slot_state_destroy(&fewer);
    sst_block_file_destroy(&file);
    sst_block_file_destroy(&other);
    law_free(law);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("slot_state");
    TCase *tcase = tcase_create("laws");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, any_order_with_days_taken_away_between_gives_one_digest_and_the_same_bytes, 0, N_CASES);
    tcase_add_loop_test(tcase, bins_are_those_that_a_run_would_have, 0, N_CASES);
    tcase_add_loop_test(tcase, kept_values_are_the_days_own_and_cells_are_those_with_anything, 0, N_CASES);
    tcase_add_loop_test(tcase, a_day_that_was_added_and_taken_away_was_never_there, 0, N_CASES);
    tcase_add_loop_test(tcase, what_was_written_is_read_again, 0, N_CASES);
    for (int which = 0; which < SLOT_N_POLICIES; ++which) /* with common and leap years apart */
        tcase_add_loop_test(tcase, blocks_that_are_altered_are_refused, which * N_SLOTS + 1, which * N_SLOTS + 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
