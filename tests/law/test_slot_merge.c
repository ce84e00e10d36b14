/* Two slots made one are as if all days had come to one; and what cannot be done is refused and changes nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "slot_fixture.h"
#include "test_main.h"

static const int slots[] = {61, 3};
enum { N_SLOTS = sizeof slots / sizeof slots[0], N_CASES = SLOT_N_POLICIES * N_SLOTS, N_SPLITS = 8 };

struct law {
    struct sst_state_policy policy;
    struct slot_days days;
    struct sst_slot_state *whole, *none, *even, *odd;
};

static struct sst_slot_state *some(const struct law *law, size_t first, size_t step)
{
    struct sst_slot_state *slot = slot_new(&law->policy, law->none->slot);
    for (size_t i = first; i < law->days.n; i += step)
        slot_add(slot, &law->days.days[i]);
    return slot;
}

static struct law *law_new(int index)
{
    struct law *law = malloc(sizeof *law);
    const int slot = slots[index % N_SLOTS];
    law->policy = slot_policy(index / N_SLOTS);
    slot_days_make(&law->policy, slot, &law->days);
    law->none = slot_new(&law->policy, slot);
    law->whole = some(law, 0, 1);
    law->even = some(law, 0, 2);
    law->odd = some(law, 1, 2);
    return law;
}

static void law_free(struct law *law)
{
    sst_slot_state_destroy(&law->whole);
    sst_slot_state_destroy(&law->none);
    sst_slot_state_destroy(&law->even);
    sst_slot_state_destroy(&law->odd);
    slot_days_clear(&law->days);
    sst_state_policy_clear(&law->policy);
    free(law);
}

static void merge(struct sst_slot_state *target, const struct sst_slot_state *source)
{
    struct sst_error err = {0};
    ck_assert_msg(sst_slot_state_merge(target, source, &err) == SST_OK, "%s", err.text);
}

START_TEST(parts_of_the_days_make_the_whole_whichever_way_they_are_split)
{
    struct law *law = law_new(_i);
    for (uint64_t seed = 0; seed < N_SPLITS; ++seed) {
        struct test_random random = {seed};
        struct sst_slot_state *parts[3];
        for (int part = 0; part < 3; ++part)
            parts[part] = slot_new(&law->policy, law->none->slot);
        for (size_t i = 0; i < law->days.n; ++i)
            slot_add(parts[test_random_below(&random, 3)], &law->days.days[i]);
        merge(parts[seed % 3], parts[(seed + 1) % 3]);
        merge(parts[(seed + 2) % 3], parts[seed % 3]);
        ck_assert(slots_equal(parts[(seed + 2) % 3], law->whole));
        for (int part = 0; part < 3; ++part)
            sst_slot_state_destroy(&parts[part]);
    }
    law_free(law);
}
END_TEST

START_TEST(what_contains_the_other_is_taken_whole)
{
    struct law *law = law_new(_i);
    struct sst_slot_state *target = some(law, 0, 2), *fresh = some(law, law->days.n, 1);
    merge(target, law->even); /* alike */
    merge(target, law->none);
    ck_assert(slots_equal(target, law->even));
    merge(target, law->whole);
    ck_assert(slots_equal(target, law->whole));
    merge(target, law->odd);
    ck_assert(slots_equal(target, law->whole));
    merge(fresh, law->whole);
    ck_assert(slots_equal(fresh, law->whole));
    if (slot_policy_can_remove(&law->policy)) /* lists still know their bins */
        slot_take(fresh, &law->days.days[0]);
    sst_slot_state_destroy(&target);
    sst_slot_state_destroy(&fresh);
    law_free(law);
}
END_TEST

START_TEST(days_that_both_have_count_once_where_all_is_kept_and_are_refused_elsewhere)
{
    struct law *law = law_new(_i);
    struct sst_slot_state *target = some(law, 0, 2), *source = some(law, 1, 2);
    struct sst_error err = {0};
    char year[16];
    slot_add(source, &law->days.days[2]);
    (void)snprintf(year, sizeof year, " %d:", law->days.days[2].entry.year);
    if (law->policy.keep == SST_KEEP_ALL) {
        merge(target, source);
        ck_assert(slots_equal(target, law->whole));
    } else {
        ck_assert_int_eq(sst_slot_state_merge(target, source, &err), SST_ERR_STATE);
        ck_assert_msg(strstr(err.text, year) != NULL, "%s", err.text);
        ck_assert(slots_equal(target, law->even));
    }
    sst_slot_state_destroy(&target);
    sst_slot_state_destroy(&source);
    law_free(law);
}
END_TEST

START_TEST(years_with_other_values_are_refused_by_name)
{
    struct law *law = law_new(_i);
    struct sst_slot_state *source = slot_new(&law->policy, law->none->slot);
    struct sst_error err = {0};
    char years[32];
    for (size_t i = 0; i < law->days.n; ++i) {
        struct slot_day day = law->days.days[i];
        day.entry.digest += i == 1 || i == 3;
        slot_add(source, &day);
    }
    (void)snprintf(years, sizeof years, ": %d %d:", law->days.days[1].entry.year, law->days.days[3].entry.year);
    ck_assert_int_eq(sst_slot_state_merge(law->whole, source, &err), SST_ERR_STATE);
    ck_assert_msg(strstr(err.text, years) != NULL, "%s", err.text);
    merge(source, law->none);
    ck_assert(!slots_equal(source, law->whole)); /* digests of days are in the digest */
    sst_slot_state_destroy(&source);
    law_free(law);
}
END_TEST

START_TEST(slots_of_unlike_states_are_not_merged)
{
    struct law *law = law_new(0), *other = law_new(N_SLOTS);
    ck_assert_int_eq(sst_slot_state_merge(law->even, other->odd, NULL), SST_ERR_INTERNAL);
    sst_slot_state_destroy(&other->odd);
    other->odd = slot_new(&law->policy, law->even->slot + 1);
    ck_assert_int_eq(sst_slot_state_merge(law->even, other->odd, NULL), SST_ERR_INTERNAL);
    law_free(other);
    law_free(law);
}
END_TEST

/* --- refusals ------------------------------------------------------------------------------------------------------ */

START_TEST(a_day_is_not_added_twice_or_where_no_pool_has_it)
{
    struct law *law = law_new(_i);
    struct slot_day day = law->days.days[0];
    ck_assert_int_eq(sst_slot_state_add(law->even, &day.entry, &day.field, NULL), SST_ERR_INTERNAL);
    day.entry.year = SLOT_LAST_YEAR + 9;
    ck_assert_int_eq(sst_slot_state_add(law->even, &day.entry, &day.field, NULL), SST_ERR_INTERNAL);
    day = law->days.days[1];
    day.entry.year_class = SST_CLASS_LAST;
    ck_assert_int_eq(sst_slot_state_add(law->even, &day.entry, &day.field, NULL), SST_ERR_INTERNAL);
    day.entry.year_class = law->days.days[1].entry.year_class;
    day.entry.ice_digest = !day.entry.ice_digest;
    ck_assert_int_eq(sst_slot_state_add(law->even, &day.entry, &day.field, NULL), SST_ERR_INTERNAL);
    day.entry.ice_digest = law->days.days[1].entry.ice_digest;
    --day.field.n_cells;
    ck_assert_int_eq(sst_slot_state_add(law->even, &day.entry, &day.field, NULL), SST_ERR_INTERNAL);
    struct sst_slot_state *same = some(law, 0, 2);
    ck_assert(slots_equal(law->even, same));
    sst_slot_state_destroy(&same);
    law_free(law);
}
END_TEST

START_TEST(what_cannot_be_taken_away_is_refused)
{
    struct law *law = law_new(_i);
    const struct slot_day *day = &law->days.days[2], *other = &law->days.days[4];
    const bool has_lists = law->policy.tail.top > 0 || law->policy.tail.bottom > 0;
    struct sst_slot_state *slot = law->even, *same = some(law, 0, 2);
    struct sst_error err = {0};
    ck_assert_int_eq(sst_slot_state_remove(slot, 1800, &day->field, NULL), SST_ERR_STATE);
    if (law->policy.keep != SST_KEEP_ALL) {
        struct sst_field wrong = other->field;
        ck_assert_int_eq(sst_slot_state_remove(slot, day->entry.year, NULL, &err), SST_ERR_STATE);
        ck_assert_int_eq(strstr(err.text, "--keep all") != NULL, has_lists);
        wrong.has_ice = !day->field.has_ice;
        ck_assert_int_eq(sst_slot_state_remove(slot, day->entry.year, &wrong, NULL), SST_ERR_STATE);
    }
    if (has_lists && law->policy.keep != SST_KEEP_ALL)
        ck_assert_int_eq(sst_slot_state_remove(slot, day->entry.year, &day->field, NULL), SST_ERR_STATE);
    ck_assert(slots_equal(slot, same));
    sst_slot_state_destroy(&same);
    law_free(law);
}
END_TEST

START_TEST(a_field_that_was_not_added_is_refused)
{
    struct law *law = law_new(1 * N_SLOTS);
    const struct slot_day *day = &law->days.days[2];
    struct sst_slot_state *slot = law->even, *same = some(law, 0, 2);
    struct sst_field more_ice = day->field, more_values = day->field;
    struct sst_error err = {0};
    const size_t n = more_ice.n_cells;
    ck_assert(day->field.has_ice);
    more_ice.ice = malloc(n);
    memset(more_ice.ice, 1, n);
    more_values.codes = more_values.hundredths =
        calloc(n, sizeof *more_values.codes); /* some cells have had ice alone */
    ck_assert_int_eq(sst_slot_state_remove(slot, day->entry.year, &more_ice, &err), SST_ERR_STATE);
    ck_assert_msg(strstr(err.text, "not those that were added") != NULL, "%s", err.text);
    ck_assert_int_eq(sst_slot_state_remove(slot, day->entry.year, &more_values, NULL), SST_ERR_STATE);
    ck_assert(slots_equal(slot, same));
    free(more_ice.ice);
    free(more_values.codes);
    sst_slot_state_destroy(&same);
    law_free(law);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("slot_merge");
    TCase *tcase = tcase_create("laws");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, parts_of_the_days_make_the_whole_whichever_way_they_are_split, 0, N_CASES);
    tcase_add_loop_test(tcase, what_contains_the_other_is_taken_whole, 0, N_CASES);
    tcase_add_loop_test(tcase, days_that_both_have_count_once_where_all_is_kept_and_are_refused_elsewhere, 0, N_CASES);
    tcase_add_loop_test(tcase, years_with_other_values_are_refused_by_name, 0, N_CASES);
    tcase_add_test(tcase, slots_of_unlike_states_are_not_merged);
    tcase_add_loop_test(tcase, a_day_is_not_added_twice_or_where_no_pool_has_it, 0, N_CASES);
    tcase_add_loop_test(tcase, what_cannot_be_taken_away_is_refused, 0, N_CASES);
    tcase_add_test(tcase, a_field_that_was_not_added_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
