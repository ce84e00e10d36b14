/*
 * What the exact and the tail path cost on one core, in one run with what reading the same memory costs.
 *
 *   cmake --preset release && cmake --build --preset release --target exact_bench
 *   OMP_NUM_THREADS=1 build/release/exact_bench [N_LON N_LAT N_DAYS]
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernels_exact.h"

int main(int argc, char **argv)
{
    struct bench_row rows[BENCH_EXACT_ROWS];
    const size_t n_lon = argc > 3 ? strtoul(argv[1], NULL, 10) : 1440,
                 n_lat = argc > 3 ? strtoul(argv[2], NULL, 10) : 720;
    if (bench_exact_rows(n_lon, n_lat, argc > 3 ? atoi(argv[3]) : 8, rows) != 0) {
        fputs("no memory\n", stderr);
        return 1;
    }
    for (int i = 0; i < BENCH_EXACT_ROWS; ++i)
        printf("%-42s %8.2f  %s\n", rows[i].name, rows[i].ns, rows[i].unit);
    return 0;
}
