/* Made-up fields for bench/gpu_exact.c, and the CPU backend's answers. All memory is the caller's; none: the program ends. */
#ifndef SST_BENCH_GPU_EXACT_DATA_H
#define SST_BENCH_GPU_EXACT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/gpu_api.h"

enum { BENCH_MAX_YEARS = 40 };

struct bench_data {
    int n_lon, n_lat, n_days, n_years;
    int n_gaps; /* values of a thousand that are missing at sea */
    size_t stride; /* of fields */
};

/* Whether numbers are within bounds and the cells whole blocks; sets the stride. */
bool bench_data_is_right(struct bench_data *data);

/* Never NULL. */
void *bench_alloc(size_t n_bytes);

/* A day of a year: season, slow and fast noise, land missing; `stride` codes [0.01 degC]. Always the same. */
void bench_make_field(const struct bench_data *data, int day, int year, int16_t *codes);

/* The domain's blocks that get a place: all, or those with sea. Owner: the caller; free. */
uint32_t *bench_places(const struct bench_data *data, bool is_ocean, size_t *n_blocks);
void bench_gather(const struct bench_data *data, const uint32_t *block_at, size_t n_cells, const int16_t *codes,
                  int16_t *out);

/* Type 7, by number of values 0 .. n_most. Owner: the caller; free. */
struct cell_rank *bench_ranks(int n_most, double p);
/* The greatest (least) values that hold the percentile of any number of values. */
uint32_t bench_depth(int n_most, double p, bool from_below);

/* One pool at a time: members are written to the plane and put, then finished. */
struct bench_cpu;
struct bench_cpu_results {
    double *mean, *high, *low;
    uint16_t *n_obs;
};
struct bench_cpu *bench_cpu_open(size_t n_cells, size_t n_members);
void bench_cpu_close(struct bench_cpu *cpu);
int16_t *bench_cpu_plane(struct bench_cpu *cpu);
void bench_cpu_put(struct bench_cpu *cpu, size_t member);
const struct bench_cpu_results *bench_cpu_finish(struct bench_cpu *cpu, double high, double low);

#endif
