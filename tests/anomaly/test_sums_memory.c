/*
 * A climatology of a state's sums in which the n-th allocation fails, for every n: a clean status, and nothing lost.
 * The linker sends the allocator's calls through here (--wrap).
 */
#include <errno.h>
#include <stdlib.h>

#include "sums_fixture.h"
#include "test_main.h"

void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);

static long n_left; /* calls until the one that fails; 0: none does */
static bool has_failed;

static bool must_fail(void)
{
    if (n_left == 0 || --n_left > 0)
        return false;
    has_failed = true;
    return true;
}

void *__wrap_malloc(size_t size) { return must_fail() ? NULL : __real_malloc(size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    return must_fail() ? ENOMEM : __real_posix_memalign(out, alignment, size);
}

enum { MOST_CALLS = 5000 };

/* Of classes that are joined, with probes and ice; cells that turn valid one by one. */
static const struct sums_setup setups[] = {
    {{SST_LEAP_HOBDAY, 2, SST_KEEP_PROBES, {3, 3}}, {SST_APPROX_CF, SST_LEAP_SKIP, 1, 1, 58, 58, 0}, 0},
    {{SST_LEAP_HOBDAY, 2, SST_KEEP_NONE, {3, 3}},
     {SST_APPROX_TAIL, SST_LEAP_SKIP, 1, 1, 58, 58, 3},
     SUMS_NO_ICE | SUMS_SPARSE},
};
enum { N_SETUPS = sizeof setups / sizeof setups[0] };

static enum sst_status make(const struct sums_world *world, struct sums_given *given)
{
    struct sst_state_sums *sums = NULL;
    enum sst_status rc = sst_state_sums_create(world->state, &world->policy, &world->domain, world->probes,
                                               world->n_probes, &sums, NULL);
    if (rc == SST_OK)
        rc = sums_world_try(world, sst_state_sums_slots(sums), NULL, given, NULL);
    sst_state_sums_destroy(&sums);
    return rc;
}

START_TEST(every_allocation_may_fail)
{
    struct sums_world world;
    sums_world_open(&setups[_i], &world);
    struct sums_given want = sums_world_run(&world, NULL);
    long n = 1;
    for (has_failed = true; has_failed; ++n) {
        struct sums_given given = {0};
        ck_assert_int_lt(n, MOST_CALLS);
        has_failed = false;
        n_left = n;
        const enum sst_status rc = make(&world, &given);
        n_left = 0;
        ck_assert_int_eq(rc, has_failed ? SST_ERR_NOMEM : SST_OK);
        ck_assert(has_failed || sums_is_same(&given, &want));
        free(given.results.bytes);
    }
    ck_assert_int_gt(n, 50);
    free(want.results.bytes);
    sums_world_close(&world);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sums_memory");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, every_allocation_may_fail, 0, N_SETUPS);
    suite_add_tcase(suite, tc);
    return suite;
}
