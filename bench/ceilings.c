/*
 * What this processor can do at most, as JSON: copying memory, and arithmetic on what lies in registers. Compiled
 * for several instruction sets, of which the widest that the processor has is taken, as the backend does.
 *
 *   cmake --preset release && cmake --build --preset release --target ceilings
 *   build/release/ceilings [--threads N] [--small 1]
 *
 * --small is for tests: it shows that the program works, and its figures mean little.
 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_ROUNDS = 7, N_TURNS = 40000, SMALLER = 100 };

static int n_turns = N_TURNS;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_SET                                                                                                   \
    __attribute__((noinline, target_clones("arch=skylake-avx512", "arch=haswell", "default"),                          \
                   optimize("O3,no-math-errno,no-trapping-math")))
#else
#define FOR_EACH_SET __attribute__((noinline))
#endif

/*
 * Items that stay in the first-level cache, and steps that each goes through between being read and written: so many that
 * reading and writing cost little, and the next items begin meanwhile.
 */
enum { N_ITEMS = 1024, N_CHAIN = 16 };

FOR_EACH_SET static void multiply_add_doubles(double *x, int n)
{
    for (int turn = 0; turn < n; ++turn)
        for (int i = 0; i < N_ITEMS; ++i) {
            double value = x[i];
            for (int step = 0; step < N_CHAIN; ++step)
                value = value * 0.999 + 1.0;
            x[i] = value;
        }
}

FOR_EACH_SET static void multiply_add_wholes(uint32_t *x, int n)
{
    for (int turn = 0; turn < n; ++turn)
        for (int i = 0; i < N_ITEMS; ++i) {
            uint32_t value = x[i];
            for (int step = 0; step < N_CHAIN; ++step)
                value = (value ^ (uint32_t)step) * 0x9e3779b1U;
            x[i] = value;
        }
}

/* Products of whole numbers are slow on some processors: sums and exclusive ors are not. */
FOR_EACH_SET static void add_xor_wholes(uint32_t *x, int n)
{
    for (int turn = 0; turn < n; ++turn)
        for (int i = 0; i < N_ITEMS; ++i) {
            uint32_t value = x[i];
            for (int step = 0; step < N_CHAIN; ++step)
                value = (value + 0x9e3779b9U) ^ 0x7f4a7c15U;
            x[i] = value;
        }
}

/* A comparison and a sum, as counting is. */
FOR_EACH_SET static void count_codes(int16_t *x, int n)
{
    for (int turn = 0; turn < n; ++turn)
        for (int i = 0; i < N_ITEMS; ++i) {
            int16_t value = x[i];
            for (int step = 0; step < N_CHAIN; ++step)
                value = (int16_t)(value - (value > step * 100));
            x[i] = value;
        }
}

enum kind { DOUBLES, PRODUCTS, SUMS, CODES, COPY };

static char *big[2];
static size_t big_bytes = (size_t)512 << 20;

static void run(enum kind kind)
{
    _Alignas(64) double sums[N_ITEMS] = {0};
    _Alignas(64) uint32_t numbers[N_ITEMS] = {0};
    _Alignas(64) int16_t counts[N_ITEMS] = {0};
    const size_t share = big_bytes / (size_t)omp_get_num_threads(), at = share * (size_t)omp_get_thread_num();
    if (kind == DOUBLES)
        multiply_add_doubles(sums, n_turns);
    else if (kind == PRODUCTS)
        multiply_add_wholes(numbers, n_turns);
    else if (kind == SUMS)
        add_xor_wholes(numbers, n_turns);
    else if (kind == CODES)
        count_codes(counts, n_turns);
    else
        memcpy(big[1] + at, big[0] + at, share);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Operations or bytes a second of all threads, median of the rounds. */
static double rate(enum kind kind)
{
    double seconds[N_ROUNDS], amount = 2.0 * (double)big_bytes;
    if (kind != COPY)
        amount = 2.0 * N_CHAIN * N_ITEMS * n_turns * (double)omp_get_max_threads();
    for (int round = 0; round < N_ROUNDS; ++round) {
        const double start = omp_get_wtime();
#pragma omp parallel
        run(kind);
        seconds[round] = omp_get_wtime() - start;
    }
    qsort(seconds, N_ROUNDS, sizeof seconds[0], by_value);
    return amount / seconds[N_ROUNDS / 2];
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0)
            omp_set_num_threads(atoi(argv[i + 1]) > 0 ? atoi(argv[i + 1]) : 1);
        if (strcmp(argv[i], "--small") == 0 && n_turns == N_TURNS) {
            n_turns = N_TURNS / SMALLER;
            big_bytes /= SMALLER;
        }
    }
    for (int i = 0; i < 2; ++i) {
        big[i] = malloc(big_bytes);
        if (!big[i])
            return 1;
        memset(big[i], i, big_bytes);
    }
    const double products = rate(PRODUCTS), sums = rate(SUMS);
    printf("{\"threads\": %d, \"bytes_per_second\": %.6g, \"operations_per_second\": "
           "{\"fp64\": %.6g, \"int32\": %.6g, \"int16\": %.6g}}\n",
           omp_get_max_threads(), rate(COPY), rate(DOUBLES), products > sums ? products : sums, rate(CODES));
    return 0;
}
