/* Memos come back byte for byte, whatever they share with others. */
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "stream/memo_list.h"
#include "test_main.h"

enum { MAX_MEMOS = 600, SAMPLE_BYTES = 1000 };

/* What was put, to be compared with what comes back. */
struct kept {
    struct sst_memo_list list;
    unsigned char *memos[MAX_MEMOS];
    size_t n_bytes[MAX_MEMOS], where[MAX_MEMOS];
    size_t n;
};

static struct kept *new_kept(void)
{
    struct kept *kept = calloc(1, sizeof *kept);
    ck_assert_ptr_nonnull(kept);
    return kept;
}

static void put(struct kept *kept, const unsigned char *memo, size_t n_bytes)
{
    struct sst_error err = {SST_OK, ""};
    unsigned char *copy = malloc(n_bytes > 0 ? n_bytes : 1);
    ck_assert_ptr_nonnull(copy);
    ck_assert_uint_lt(kept->n, MAX_MEMOS);
    if (n_bytes > 0)
        memcpy(copy, memo, n_bytes);
    kept->memos[kept->n] = copy;
    kept->n_bytes[kept->n] = n_bytes;
    ck_assert_int_eq(sst_memo_list_put(&kept->list, copy, n_bytes, &kept->where[kept->n], &err), SST_OK);
    ++kept->n;
}

/* All that were kept, from the last to the first; returns how many were not. */
static size_t expect_all_back(const struct kept *kept)
{
    size_t n_lost = 0;
    for (size_t i = kept->n; i-- > 0;) {
        unsigned char memo[SST_FILE_MEMO_MAX];
        memset(memo, 0xa5, sizeof memo);
        const size_t n_bytes = sst_memo_list_get(&kept->list, kept->where[i], memo);
        if (kept->where[i] == SST_NO_MEMO) {
            ck_assert_uint_eq(n_bytes, 0);
            ++n_lost;
            continue;
        }
        ck_assert_uint_eq(n_bytes, kept->n_bytes[i]);
        ck_assert_mem_eq(memo, kept->memos[i], n_bytes);
        bool is_untouched = true;
        for (size_t k = n_bytes; k < sizeof memo; ++k)
            is_untouched &= memo[k] == 0xa5;
        ck_assert(is_untouched);
    }
    return n_lost;
}

static void free_kept(struct kept *kept)
{
    for (size_t i = 0; i < kept->n; ++i)
        free(kept->memos[i]);
    sst_memo_list_clear(&kept->list);
    ck_assert_uint_eq(kept->list.n_bases, 0);
    ck_assert_ptr_null(kept->list.records);
    free(kept);
}

static void fill(struct test_random *random, unsigned char *memo, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; ++i)
        memo[i] = (unsigned char)test_random_below(random, 256);
}

START_TEST(memos_that_differ_a_little_share_one_base)
{
    struct kept *kept = new_kept();
    struct test_random random = {1};
    unsigned char memo[SAMPLE_BYTES];
    fill(&random, memo, sizeof memo);
    for (int i = 0; i < 500; ++i) {
        for (int k = 0; k < i % 7; ++k)
            memo[test_random_below(&random, 40)] = (unsigned char)test_random_below(&random, 256);
        put(kept, memo, sizeof memo);
    }
    ck_assert_uint_eq(expect_all_back(kept), 0);
    ck_assert_uint_eq(kept->list.n_bases, 1);
    ck_assert_uint_lt(kept->list.n_bytes, (size_t)500 * 100);
    free_kept(kept);
}
END_TEST

/* Differences at both ends, everywhere, in every second byte, and with gaps just below and above the one that is repeated. */
START_TEST(differences_may_lie_anywhere)
{
    static const struct {
        size_t first, every, last;
    } patterns[] = {{0, 1, 1},   {999, 1, 1000}, {0, 999, 1000}, {0, 2, 1000}, {1, 3, 1000},  {0, 4, 1000},
                    {3, 5, 999}, {0, 6, 1000},   {0, 1, 499},    {0, 1, 1000}, {500, 1, 1000}};
    struct kept *kept = new_kept();
    struct test_random random = {2};
    unsigned char base[SAMPLE_BYTES];
    fill(&random, base, sizeof base);
    put(kept, base, sizeof base);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
        unsigned char memo[SAMPLE_BYTES];
        memcpy(memo, base, sizeof memo);
        for (size_t at = patterns[i].first; at < patterns[i].last; at += patterns[i].every)
            memo[at] ^= 0x5a;
        put(kept, memo, sizeof memo);
    }
    ck_assert_uint_eq(expect_all_back(kept), 0);
    free_kept(kept);
}
END_TEST

START_TEST(memos_of_many_makes_are_kept_beyond_the_most_bases)
{
    enum { N_MAKES = 50, MOST_BASES = 32 };
    struct kept *kept = new_kept();
    struct test_random random = {3};
    unsigned char memo[SAMPLE_BYTES];
    for (int i = 0; i < N_MAKES; ++i) {
        fill(&random, memo, sizeof memo);
        put(kept, memo, sizeof memo);
        memo[i] ^= 1;
        put(kept, memo, sizeof memo);
    }
    ck_assert_uint_eq(expect_all_back(kept), 0);
    ck_assert_uint_eq(kept->list.n_bases, MOST_BASES);
    free_kept(kept);
}
END_TEST

/* There is no base of their size left for the last ones: they are opened again, and nothing else changes. */
START_TEST(sizes_are_never_mixed)
{
    enum { N_SIZES = 40, MOST_BASES = 32 };
    struct kept *kept = new_kept();
    unsigned char memo[SST_FILE_MEMO_MAX] = {0};
    for (int round = 0; round < 3; ++round)
        for (size_t i = N_SIZES; i >= 1; --i)
            put(kept, memo, i);
    ck_assert_uint_eq(expect_all_back(kept), (size_t)3 * (N_SIZES - MOST_BASES));
    ck_assert_uint_eq(kept->list.n_bases, MOST_BASES);
    free_kept(kept);
}
END_TEST

START_TEST(the_smallest_and_the_largest_memo_come_back)
{
    struct kept *kept = new_kept();
    struct test_random random = {4};
    unsigned char memo[SST_FILE_MEMO_MAX];
    for (int i = 0; i < 8; ++i) {
        fill(&random, memo, sizeof memo);
        put(kept, memo, i % 2 ? sizeof memo : 1);
        put(kept, memo, 0);
    }
    ck_assert_uint_eq(expect_all_back(kept), 8); /* those of no bytes */
    free_kept(kept);
}
END_TEST

static size_t bytes_in_order(const size_t *order, size_t n, unsigned char memos[][SAMPLE_BYTES])
{
    struct kept *kept = new_kept();
    for (size_t i = 0; i < n; ++i)
        put(kept, memos[order[i]], SAMPLE_BYTES);
    ck_assert_uint_eq(expect_all_back(kept), 0);
    const size_t n_bytes = kept->list.n_bytes;
    free_kept(kept);
    return n_bytes;
}

START_TEST(any_order_gives_all_back)
{
    enum { N = 60 };
    static unsigned char memos[N][SAMPLE_BYTES];
    struct test_random random = {5};
    size_t order[N];
    for (size_t i = 0; i < N; ++i) {
        if (i < 4)
            fill(&random, memos[i], SAMPLE_BYTES);
        else
            memcpy(memos[i], memos[i % 4], SAMPLE_BYTES);
        memos[i][i] ^= 0xff;
        order[i] = i;
    }
    for (int round = 0; round < 20; ++round) {
        ck_assert_uint_lt(bytes_in_order(order, N, memos), (size_t)N * 60);
        for (size_t i = N - 1; i > 0; --i) {
            const size_t other = (size_t)test_random_below(&random, (int)i + 1), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("memo_list");
    TCase *tests = tcase_create("memos");
    tcase_add_test(tests, memos_that_differ_a_little_share_one_base);
    tcase_add_test(tests, differences_may_lie_anywhere);
    tcase_add_test(tests, memos_of_many_makes_are_kept_beyond_the_most_bases);
    tcase_add_test(tests, sizes_are_never_mixed);
    tcase_add_test(tests, the_smallest_and_the_largest_memo_come_back);
    tcase_add_test(tests, any_order_gives_all_back);
    suite_add_tcase(suite, tests);
    return suite;
}
