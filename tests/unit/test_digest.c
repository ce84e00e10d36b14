/* Links and checksums of bytes: one look at them gives both, also where they are few. */
#include <xxhash.h>

#include "core/digest.h"
#include "random.h"
#include "test_main.h"

enum { MOST = 70000 };

static unsigned char bytes[MOST];

static void check(size_t n_bytes)
{
    const struct sst_digest_link link = sst_digest_link_of(bytes, n_bytes);
    const XXH128_hash_t hash = XXH3_128bits(bytes, n_bytes);
    ck_assert_uint_eq(link.n_bytes, n_bytes);
    ck_assert_uint_eq(link.low, hash.low64);
    ck_assert_uint_eq(link.high, hash.high64);
    ck_assert_uint_eq(sst_digest_checksum(bytes, n_bytes), XXH3_64bits(bytes, n_bytes));
    ck_assert_uint_eq(sst_digest_link_checksum(&link, bytes), XXH3_64bits(bytes, n_bytes));
}

START_TEST(a_link_knows_the_checksum)
{
    struct test_random random = {3};
    for (size_t i = 0; i < MOST; ++i)
        bytes[i] = (unsigned char)test_random_next(&random);
    for (size_t n_bytes = 0; n_bytes < 3000; ++n_bytes)
        check(n_bytes);
    for (size_t n_bytes = 3000; n_bytes <= MOST; n_bytes += 67)
        check(n_bytes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("digest");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_link_knows_the_checksum);
    suite_add_tcase(suite, all);
    return suite;
}
