/*
 * Kept days of a slot that was read go into its next file as they lay in the one before, while the slot has the same cells.
 * To see it, they are read from a file that does not deflate them, which no slot writes of itself.
 */
#include <stdlib.h>
#include <string.h>

#include "slot_fixture.h"
#include "test_main.h"

enum { SLOT = 61, N_FIRST = 5 /* the day behind them has a cell of its own */ };

static const uint32_t kept_tag = SST_BLOCKS_TAG('K', 'E', 'P', 'T');

struct law {
    struct sst_state_policy policy;
    struct slot_days days;
};

/* Values that deflate: random ones do not. */
static void make_smooth(const struct law *law, struct sst_field *field, int16_t code)
{
    for (size_t cell = 0; cell < field->n_cells; ++cell)
        if (field->codes[cell] != SST_CODE_MISSING)
            field->codes[cell] = code;
    if (law->policy.lattice == SST_LATTICE_MILLI)
        sst_field_hundredths(field->codes, field->n_cells, field->hundredths);
}

static struct law law_open(int which)
{
    struct law law = {.policy = slot_policy(which)};
    slot_days_make(&law.policy, SLOT, &law.days);
    for (size_t i = 0; i < law.days.n; ++i)
        make_smooth(&law, &law.days.days[i].field, (int16_t)(100 * i));
    ck_assert_uint_gt(law.days.n, N_FIRST + 1);
    return law;
}

static void law_close(struct law *law)
{
    slot_days_clear(&law->days);
    sst_state_policy_clear(&law->policy);
}

static struct sst_slot_state *first_days(const struct law *law)
{
    struct sst_slot_state *slot = slot_new(&law->policy, SLOT);
    for (int i = 0; i < N_FIRST; ++i)
        slot_add(slot, &law->days.days[i]);
    return slot;
}

/* The slot as read from a file whose blocks are not deflated. */
static struct sst_slot_state *read_from_raw(const struct law *law, const struct sst_slot_state *slot)
{
    struct sst_block_file *file = slot_file(slot), *raw = NULL;
    struct sst_block_writer *writer = NULL;
    struct sst_slot_state *out = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_block_writer_create(SST_BLOCKS_TAG('T', 'E', 'S', 'T'), law->policy.identity, &writer, NULL),
                     SST_OK);
    for (size_t i = 0; i < sst_block_file_n_blocks(file); ++i) {
        const struct sst_block block = sst_block_file_at(file, i);
        ck_assert_int_eq(sst_block_writer_add(writer, block.tag, block.number, block.bytes, block.n_bytes, false, NULL),
                         SST_OK);
    }
    raw = slot_file_of(writer);
    sst_block_writer_destroy(&writer);
    ck_assert_msg(sst_slot_state_decode(&law->policy, SLOT, raw, false, &out, &err) == SST_OK, "%s", err.text);
    sst_block_file_destroy(&raw);
    sst_block_file_destroy(&file);
    return out;
}

/* How many days of a slot's file are deflated. */
static int n_deflated(const struct sst_slot_state *slot)
{
    struct sst_block_file *file = slot_file(slot);
    int n = 0;
    for (size_t i = 0; i < slot->n_ledger; ++i) {
        const struct sst_block block = sst_block_file_find(file, kept_tag, (uint32_t)slot->ledger[i].year);
        ck_assert_ptr_nonnull(block.stored);
        n += block.n_stored < block.n_bytes;
    }
    sst_block_file_destroy(&file);
    return n;
}

/* A day of another year with the values of the first, so with its cells. */
static struct slot_day day_of_same_cells(const struct law *law)
{
    struct slot_day day = law->days.days[0];
    day.entry.year = law->days.days[N_FIRST].entry.year;
    day.entry.year_class = law->days.days[N_FIRST].entry.year_class;
    return day;
}

static void expect_alike(const struct sst_slot_state *a, const struct sst_slot_state *b)
{
    const struct sst_identity one = sst_slot_state_digest(a), other = sst_slot_state_digest(b);
    ck_assert(sst_identity_is(one, other));
}

static bool keeps_all(const struct law *law) { return law->policy.keep == SST_KEEP_ALL; }

START_TEST(days_that_stay_go_through_as_they_lay)
{
    struct law law = law_open(_i);
    if (keeps_all(&law)) {
        const struct slot_day day = day_of_same_cells(&law);
        struct sst_slot_state *fresh = first_days(&law), *slot = read_from_raw(&law, fresh), *again = NULL;
        ck_assert_int_eq(n_deflated(fresh), N_FIRST);
        ck_assert_int_eq(n_deflated(slot), 0);
        slot_add(slot, &day);
        slot_add(fresh, &day);
        ck_assert_int_eq(n_deflated(slot), 1); /* the one that came */
        expect_alike(slot, fresh);
        struct sst_block_file *file = slot_file(slot);
        ck_assert_int_eq(sst_slot_state_decode(&law.policy, SLOT, file, false, &again, NULL), SST_OK);
        expect_alike(again, fresh);
        sst_block_file_destroy(&file);
        sst_slot_state_destroy(&again);
        slot_take(slot, &day); /* by a copy of the slot */
        ck_assert_int_eq(n_deflated(slot), 0);
        sst_slot_state_destroy(&slot);
        sst_slot_state_destroy(&fresh);
    }
    law_close(&law);
}
END_TEST

START_TEST(days_whose_cells_change_are_packed_anew)
{
    struct law law = law_open(_i);
    if (keeps_all(&law)) {
        struct sst_slot_state *fresh = first_days(&law), *slot = read_from_raw(&law, fresh);
        slot_add(slot, &law.days.days[N_FIRST]); /* it has cells that no other has */
        slot_add(fresh, &law.days.days[N_FIRST]);
        ck_assert_int_eq(n_deflated(slot), N_FIRST + 1);
        ck_assert(slots_equal(slot, fresh));
        sst_slot_state_destroy(&slot);
        slot = read_from_raw(&law, fresh);
        slot_take(slot, &law.days.days[N_FIRST]);
        slot_take(fresh, &law.days.days[N_FIRST]);
        ck_assert(slots_equal(slot, fresh));
        sst_slot_state_destroy(&slot);
        sst_slot_state_destroy(&fresh);
    }
    law_close(&law);
}
END_TEST

/* Read from a file as slots write them, a slot is written as if it had never been read. */
START_TEST(what_goes_through_is_what_would_be_packed)
{
    struct law law = law_open(_i);
    struct sst_slot_state *fresh = first_days(&law), *slot = NULL;
    const struct slot_day day = day_of_same_cells(&law);
    struct sst_block_file *file = slot_file(fresh);
    ck_assert_int_eq(sst_slot_state_decode(&law.policy, SLOT, file, false, &slot, NULL), SST_OK);
    ck_assert(slots_equal(slot, fresh));
    slot_add(slot, &day);
    slot_add(fresh, &day);
    ck_assert(slots_equal(slot, fresh));
    sst_block_file_destroy(&file);
    sst_slot_state_destroy(&slot);
    sst_slot_state_destroy(&fresh);
    law_close(&law);
}
END_TEST

static struct sst_slot_state *read_shut(const struct law *law, const struct sst_slot_state *from)
{
    struct sst_slot_state *slot = NULL;
    struct sst_error err = {0};
    struct sst_block_file *file = slot_file(from);
    ck_assert_msg(sst_slot_state_decode(&law->policy, SLOT, file, true, &slot, &err) == SST_OK, "%s", err.text);
    sst_block_file_destroy(&file);
    const bool has_sums = law->policy.has_moments || law->policy.tail.top > 0 || law->policy.tail.bottom > 0;
    for (size_t i = 0; i < slot->n_ledger && keeps_all(law); ++i)
        ck_assert(has_sums == (slot->ledger[i].kept == NULL));
    return slot;
}

/* A slot whose days stay packed has the digest and the file of one that is open, whatever is done with it. */
START_TEST(a_shut_slot_does_as_an_open_one)
{
    struct law law = law_open(_i);
    const struct slot_day same = day_of_same_cells(&law), *wider = &law.days.days[N_FIRST];
    struct sst_slot_state *fresh = first_days(&law), *slot = read_shut(&law, fresh);
    ck_assert(slots_equal(slot, fresh));
    ck_assert_int_eq(sst_slot_state_open(slot, NULL), SST_OK);
    ck_assert(slots_equal(slot, fresh));
    for (size_t i = 0; i < slot->n_ledger && keeps_all(&law); ++i)
        ck_assert_mem_eq(slot->ledger[i].kept, fresh->ledger[i].kept, fresh->n_items * sizeof(int16_t));
    sst_slot_state_destroy(&slot);

    slot = read_shut(&law, fresh);
    slot_add(slot, &same);
    slot_add(fresh, &same);
    ck_assert(slots_equal(slot, fresh));
    sst_slot_state_destroy(&slot);
    sst_slot_state_destroy(&fresh);

    fresh = first_days(&law);
    slot = read_shut(&law, fresh);
    slot_add(slot, wider);
    slot_add(fresh, wider);
    ck_assert(slots_equal(slot, fresh));
    sst_slot_state_destroy(&slot);
    if (keeps_all(&law)) {
        slot = read_shut(&law, fresh);
        slot_take(slot, wider);
        slot_take(fresh, wider);
        ck_assert(slots_equal(slot, fresh));
        sst_slot_state_destroy(&slot);
    }
    sst_slot_state_destroy(&fresh);
    law_close(&law);
}
END_TEST

START_TEST(a_shut_slot_takes_days_of_another)
{
    struct law law = law_open(_i);
    struct sst_slot_state *fresh = first_days(&law), *slot = read_shut(&law, fresh);
    struct sst_slot_state *other = slot_new(&law.policy, SLOT);
    slot_add(other, &law.days.days[N_FIRST]);
    ck_assert_int_eq(sst_slot_state_merge(slot, other, NULL), SST_OK);
    ck_assert_int_eq(sst_slot_state_merge(fresh, other, NULL), SST_OK);
    ck_assert(slots_equal(slot, fresh));
    sst_slot_state_destroy(&other);
    sst_slot_state_destroy(&slot);
    sst_slot_state_destroy(&fresh);
    law_close(&law);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("slot_packed");
    TCase *tcase = tcase_create("packed");
    tcase_add_loop_test(tcase, days_that_stay_go_through_as_they_lay, 0, SLOT_N_POLICIES);
    tcase_add_loop_test(tcase, days_whose_cells_change_are_packed_anew, 0, SLOT_N_POLICIES);
    tcase_add_loop_test(tcase, what_goes_through_is_what_would_be_packed, 0, SLOT_N_POLICIES);
    tcase_add_loop_test(tcase, a_shut_slot_does_as_an_open_one, 0, SLOT_N_POLICIES);
    tcase_add_loop_test(tcase, a_shut_slot_takes_days_of_another, 0, SLOT_N_POLICIES);
    suite_add_tcase(suite, tcase);
    return suite;
}
