/* A slot's list of days by itself: the same as of the whole slot, in good and in bad, for a few bytes of its file. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fake_os.h"
#include "state_fixture.h"
#include "test_main.h"

#define SLOT_PATH STATE_PATH "/slots/040"

static struct state_fixture fixture;
static struct fake_disk *disk;
static struct sst_state *state;

static void open_fixture(void)
{
    int acknowledged = 0;
    struct sst_error err = {0};
    state_fixture_open(&fixture);
    disk = fake_disk_new();
    ck_assert_msg(state_run(fake_disk_os(disk), STATE_PATH, &fixture, &acknowledged, &err) == SST_OK, "%s", err.text);
    ck_assert_int_eq(sst_state_open(fake_disk_os(disk), STATE_PATH, SST_STATE_READ, &state, &err), SST_OK);
}

static void close_fixture(void)
{
    sst_state_close(&state);
    ck_assert_uint_eq(fake_disk_n_open(disk), 0);
    fake_disk_free(disk);
    state_fixture_clear(&fixture);
}

START_TEST(a_ledger_is_that_of_the_whole_slot)
{
    size_t n_days = 0;
    for (int number = 1; number <= SST_N_SLOTS; ++number) {
        struct sst_slot_state *slot = NULL;
        struct sst_ledger ledger;
        ck_assert_int_eq(sst_state_load(state, number, &slot, NULL), SST_OK);
        ck_assert_int_eq(sst_state_load_ledger(state, number, &ledger, NULL), SST_OK);
        ck_assert_uint_eq(ledger.n_entries, slot->n_ledger);
        for (size_t i = 0; i < ledger.n_entries; ++i, ++n_days) {
            const struct sst_ledger_entry *is = &ledger.entries[i], *whole = &slot->ledger[i];
            ck_assert_ptr_eq(sst_ledger_entry(&ledger, whole->year), is);
            ck_assert_int_eq(is->year_class, whole->year_class);
            ck_assert(is->digest == whole->digest && is->ice_digest == whole->ice_digest);
            ck_assert_uint_eq(is->n_valid, whole->n_valid);
            ck_assert_int_eq(is->median, whole->median);
            ck_assert_str_eq(is->source, whole->source);
            ck_assert(!is->probes && !is->kept && !is->marks);
        }
        ck_assert_ptr_null(sst_ledger_entry(&ledger, 1900));
        sst_ledger_clear(&ledger);
        ck_assert_ptr_null(ledger.entries);
        sst_slot_state_destroy(&slot);
    }
    ck_assert_uint_eq(n_days, STATE_N_COUNTED);
    ck_assert_int_eq(sst_state_load_ledger(state, 0, &(struct sst_ledger){0}, NULL), SST_ERR_INTERNAL);
}
END_TEST

/* Of the slot and of its ledger; true where the ledger does not see what is wrong with the slot. */
static bool faults_agree(void)
{
    struct sst_slot_state *slot = NULL;
    struct sst_ledger ledger;
    struct sst_error whole = {0}, err = {0};
    const enum sst_status rc = sst_state_load(state, 40, &slot, &whole);
    ck_assert_int_eq(rc, SST_ERR_STATE);
    ck_assert_ptr_null(slot);
    if (sst_state_load_ledger(state, 40, &ledger, &err) == SST_OK) {
        ck_assert_uint_eq(ledger.n_entries, 3);
        sst_ledger_clear(&ledger);
        return true;
    }
    ck_assert_int_eq(err.code, rc);
    ck_assert_str_eq(err.text, whole.text);
    ck_assert_ptr_null(ledger.entries);
    return false;
}

START_TEST(every_byte_that_is_read_is_checked_in_the_same_words)
{
    size_t n_bytes = 0, n_unseen = 0;
    unsigned char *bytes = fake_disk_bytes(disk, SLOT_PATH, &n_bytes);
    for (size_t i = 0; i < n_bytes; ++i) {
        bytes[i] ^= 0x10;
        n_unseen += faults_agree();
        bytes[i] ^= 0x10;
    }
    /* It reads header, two blocks, index and trailer, and nothing of the bins and values. */
    ck_assert_uint_gt(n_unseen, n_bytes / 4);
    ck_assert_uint_lt(n_unseen, n_bytes - 40 - 40 - 200);
}
END_TEST

START_TEST(a_file_that_was_cut_is_told_in_the_same_words)
{
    size_t n_bytes = 0;
    const unsigned char *bytes = fake_disk_bytes(disk, SLOT_PATH, &n_bytes);
    unsigned char *copy = malloc(n_bytes);
    memcpy(copy, bytes, n_bytes);
    for (size_t left = 0; left < n_bytes; ++left) {
        fake_disk_put(disk, SLOT_PATH, copy, left);
        ck_assert(!faults_agree());
    }
    free(copy);
    ck_assert_int_eq(fake_disk_os(disk)->unlink(disk, AT_FDCWD, SLOT_PATH), 0);
    ck_assert(!faults_agree());
}
END_TEST

START_TEST(a_few_bytes_are_read_and_no_more)
{
    struct fake_faults faults;
    struct sst_state *counted = NULL;
    struct sst_ledger ledger;
    fake_faults_start(&faults, disk);
    ck_assert_int_eq(sst_state_open(&faults.table, STATE_PATH, SST_STATE_READ, &counted, NULL), SST_OK);
    const long before = faults.n_calls;
    ck_assert_int_eq(sst_state_load_ledger(counted, 40, &ledger, NULL), SST_OK);
    /* open, size, header, trailer, index, head, days, close */
    ck_assert_int_eq(faults.n_calls - before, 8);
    sst_ledger_clear(&ledger);
    sst_state_close(&counted);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_ledger");
    TCase *tcase = tcase_create("ledger");
    tcase_add_checked_fixture(tcase, open_fixture, close_fixture);
    tcase_add_test(tcase, a_ledger_is_that_of_the_whole_slot);
    tcase_add_test(tcase, every_byte_that_is_read_is_checked_in_the_same_words);
    tcase_add_test(tcase, a_file_that_was_cut_is_told_in_the_same_words);
    tcase_add_test(tcase, a_few_bytes_are_read_and_no_more);
    suite_add_tcase(suite, tcase);
    return suite;
}
