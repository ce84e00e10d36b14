/* Costs of the exact and the tail path on made fields: ns a cell that has values and output day (or field). */
#ifndef SST_BENCH_KERNELS_EXACT_H
#define SST_BENCH_KERNELS_EXACT_H

#include <stddef.h>

struct bench_row {
    const char *name;
    const char *item; /* what the time is told of beside the cell: field, day */
    double bytes_per_item; /* that a run reads and writes at least, a cell and item */
    double ns; /* least of the rounds */
};

enum { BENCH_EXACT_ROWS = 7 };

/* With one thread its processor time, which other work on the machine disturbs less; else the time of the clock. [ns] */
double bench_now_ns(void);

/*
 * Runs all rows on a domain of n_lon x n_lat cells, on as many threads as OpenMP has. Needs 0.8 KB a cell.
 *
 * n_days   output days after the first.
 * Returns  0, or -1 where there was no memory.
 */
int bench_exact_rows(size_t n_lon, size_t n_lat, int n_days, struct bench_row rows[BENCH_EXACT_ROWS]);

#endif
