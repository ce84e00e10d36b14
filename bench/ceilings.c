/*
 * What this processor can do at most, as JSON: copying memory, and arithmetic on what lies in the first-level cache. Compiled
 * for several instruction sets, of which the widest that the processor has is taken, as the backend does.
 *
 *   cmake --preset release && cmake --build --preset release --target ceilings
 *   build/release/ceilings [--threads N] [--small 1]
 *
 * --small is for tests: it shows that the program works, and its figures mean little.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ceilings.h"

enum { N_ROUNDS = 7, N_ITEMS = 2048, N_STEPS = 100000, SMALLER = 100 };

static int n_steps = N_STEPS;

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_SET                                                                                                   \
    __attribute__((noinline, target_clones("arch=skylake-avx512", "arch=haswell", "default"),                          \
                   optimize("O3,no-math-errno,no-trapping-math")))
#else
#define FOR_EACH_SET __attribute__((noinline))
#endif

FOR_EACH_SET static void multiply_add(double *x, double by)
{
    const int n = n_steps;
    for (int step = 0; step < n; ++step)
        for (int i = 0; i < N_ITEMS; ++i)
            x[i] = x[i] * by + 1.0;
}

FOR_EACH_SET static void multiply_add_int32(uint32_t *x, uint32_t by)
{
    const int n = n_steps;
    for (int step = 0; step < n; ++step)
        for (int i = 0; i < N_ITEMS; ++i)
            x[i] = x[i] * by + 1U;
}

/* A comparison and a sum, as counting is. */
FOR_EACH_SET static void count_int16(int16_t *counts, const int16_t *x)
{
    const int n = n_steps;
    for (int step = 0; step < n; ++step)
        for (int i = 0; i < N_ITEMS; ++i)
            counts[i] = (int16_t)(counts[i] + (x[i] > (int16_t)step));
}

enum kind { FP64, INT32, INT16, COPY, N_KINDS };
static const char *const names[N_KINDS] = {"fp64", "int32", "int16", "copy"};

static char *big[2];
static size_t big_bytes = (size_t)512 << 20;

static void run(enum kind kind)
{
    _Alignas(64) double values[N_ITEMS] = {0};
    _Alignas(64) uint32_t wholes[N_ITEMS] = {0};
    _Alignas(64) int16_t counts[N_ITEMS] = {0}, codes[N_ITEMS] = {0};
    const size_t share = big_bytes / (size_t)omp_get_num_threads(), at = share * (size_t)omp_get_thread_num();
    volatile double kept = 0.0;
    if (kind == FP64)
        multiply_add(values, 0.999);
    else if (kind == INT32)
        multiply_add_int32(wholes, 3);
    else if (kind == INT16)
        count_int16(counts, codes);
    else
        memcpy(big[1] + at, big[0] + at, share);
    kept = values[1] + (double)wholes[1] + (double)counts[1];
    (void)kept;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Operations or bytes a second of all threads, median of the rounds. */
static double rate(enum kind kind)
{
    double seconds[N_ROUNDS], amount = 2.0 * N_ITEMS * n_steps * (double)omp_get_max_threads();
    if (kind == COPY)
        amount = 2.0 * (double)big_bytes;
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
        if (strcmp(argv[i], "--small") == 0 && n_steps == N_STEPS) {
            n_steps = N_STEPS / SMALLER;
            big_bytes /= SMALLER;
        }
    }
    for (int i = 0; i < 2; ++i) {
        big[i] = malloc(big_bytes);
        if (!big[i])
            return 1;
        memset(big[i], i, big_bytes);
    }
    printf("{\"threads\": %d, \"bytes_per_second\": %.6g, \"operations_per_second\": {", omp_get_max_threads(),
           rate(COPY));
    for (int kind = 0; kind < COPY; ++kind)
        printf("%s\"%s\": %.6g", kind ? ", " : "", names[kind], rate((enum kind)kind));
    printf("}}\n");
    return 0;
}
