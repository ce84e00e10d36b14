/* The processor that plays device refuses what devices refuse; launches of many rows; pairs and divisions, bit by bit. */
#include <cstdint>
#include <cstring>

#include <check.h>

#include "kernels/cell_divide.h"
#include "kernels/gpu_host.h"
#include "kernels/gpu_pair.h"

extern "C" Suite *test_suite(void);

enum { THREADS = 64 };

struct sums {
    int *out;
    bool has_barrier;
};

/* Each thread sums what all have put. */
GPU_KERNEL(THREADS, 1) k_sum(struct sums a)
{
    GPU_FAST(int, shared);
    GPU_EACH_THREAD(t) { shared[t] = static_cast<int>(t); }
    if (a.has_barrier)
        GPU_BARRIER();
    GPU_EACH_THREAD(t)
    {
        a.out[t] = 0;
        for (unsigned i = 0; i < GPU_THREADS(); ++i)
            a.out[t] += shared[i];
    }
}

GPU_KERNEL(THREADS, 1) k_twice(struct sums a)
{
    GPU_EACH_THREAD(t) { a.out[t] = 1; }
    GPU_EACH_THREAD(t) { a.out[t] += 1; }
}

GPU_KERNEL(THREADS, 1) k_nothing(int) {}

START_TEST(a_barrier_that_lacks_is_seen)
{
    int out[THREADS];
    const size_t n_bytes = sizeof out;
    const struct sums with = {out, true}, without = {out, false};
    ck_assert_int_eq(GPU_LAUNCH(k_sum, 1, 2, THREADS, n_bytes, nullptr, with), 0);
    ck_assert_int_eq(out[THREADS - 1], THREADS * (THREADS - 1) / 2);
    ck_assert_int_eq(GPU_LAUNCH(k_sum, 1, 2, THREADS, n_bytes, nullptr, without), GPU_EMULATED_FAILED);
    ck_assert_int_eq(GPU_LAUNCH(k_twice, 1, 1, THREADS, 0, nullptr, without), 0); /* each has its own */
    ck_assert_int_eq(out[0], 2);
}
END_TEST

static int launch_nothing(unsigned grid_x, unsigned grid_y, unsigned threads, size_t fast_bytes)
{
    return GPU_LAUNCH(k_nothing, grid_x, grid_y, threads, fast_bytes, nullptr, 0);
}

START_TEST(what_no_device_grants_is_refused)
{
    ck_assert_int_eq(launch_nothing(1, 65535, 1024, 0), 0);
    ck_assert_int_eq(launch_nothing(1, 1, 1, 65536), 0);
    ck_assert_int_eq(launch_nothing(1, 1, 1, 65537), GPU_BAD_ARGUMENT);
    ck_assert_int_eq(launch_nothing(1, 65536, 1, 0), GPU_BAD_ARGUMENT);
    ck_assert_int_eq(launch_nothing(1, 1, 1025, 0), GPU_BAD_ARGUMENT);
    ck_assert_int_eq(launch_nothing(1U << 22, 1, 1024, 0), GPU_BAD_ARGUMENT);
    ck_assert_int_eq(launch_nothing(0, 1, 64, 0), GPU_BAD_ARGUMENT);
    ck_assert_int_eq(launch_nothing(1, 0, 64, 0), GPU_BAD_ARGUMENT);
}
END_TEST

START_TEST(many_items_are_launched_in_rows)
{
    uint32_t next = 0, n_launches = 0;
    const uint32_t n_items = 2 * GPU_MOST_GRID_Y + 3;
    const int code = gpu_in_rows(n_items, [&](uint32_t first, uint32_t n) {
        ck_assert_uint_eq(first, next);
        ck_assert(n > 0 && n <= GPU_MOST_GRID_Y);
        next += n;
        ++n_launches;
        return 0;
    });
    ck_assert_int_eq(code, 0);
    ck_assert_uint_eq(next, n_items);
    ck_assert_uint_eq(n_launches, 3);
    n_launches = 0;
    ck_assert_int_eq(gpu_in_rows(n_items, [&](uint32_t, uint32_t) { return ++n_launches == 2 ? 7 : 0; }), 7);
    ck_assert_uint_eq(n_launches, 2);
    ck_assert_int_eq(gpu_in_rows(0, [](uint32_t, uint32_t) { return 7; }), 0);
}
END_TEST

START_TEST(pairs_are_negated_half_by_half)
{
    for (uint32_t code = 0; code <= 0xFFFF; ++code) {
        const uint32_t other = 0xFFFF - code;
        const uint32_t got = pair_negate(code | other << 16);
        ck_assert_uint_eq(got & 0xFFFF, (0 - code) & 0xFFFF);
        ck_assert_uint_eq(got >> 16, (0 - other) & 0xFFFF);
    }
}
END_TEST

START_TEST(divisions_by_inverses_have_the_bits_of_divisions)
{
    uint64_t state = 7;
    for (int i = 0; i < 2000000; ++i) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double b = static_cast<double>(1 + (state >> 40) % 131071);
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double a = static_cast<double>(static_cast<int64_t>(state)) / 4096.0;
        const double got = cell_divide_by_inverse(a, b, 1.0 / b), expected = a / b;
        if (std::memcmp(&got, &expected, sizeof got) != 0)
            ck_abort_msg("%.17g / %.17g: %.17g, not %.17g", a, b, got, expected);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gpu_emulated");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, a_barrier_that_lacks_is_seen);
    tcase_add_test(all, what_no_device_grants_is_refused);
    tcase_add_test(all, many_items_are_launched_in_rows);
    tcase_add_test(all, pairs_are_negated_half_by_half);
    tcase_add_test(all, divisions_by_inverses_have_the_bits_of_divisions);
    suite_add_tcase(suite, all);
    return suite;
}
