#include "gpu_exact_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu_exact.h"
#include "core/field.h"

/* A continent's share of 100 lumps, and the side of a lump in cells. */
enum { LAND = 31, LUMP = 24, SLOW_DAYS = 8, ALIGN = 256 };

bool bench_data_is_right(struct bench_data *data)
{
    const size_t n = (size_t)data->n_lon * (size_t)data->n_lat;
    data->stride = (n + GPU_PITCH_CELLS - 1) / GPU_PITCH_CELLS * GPU_PITCH_CELLS;
    return data->n_lon > 0 && data->n_lat > 0 && n % GPU_BLOCK_CELLS == 0 && data->n_years > 0 &&
           data->n_years <= BENCH_MAX_YEARS && data->n_days > 0 && data->n_days <= 366 && data->n_gaps >= 0;
}

void *bench_alloc(size_t n_bytes)
{
    void *memory = aligned_alloc(ALIGN, (n_bytes + ALIGN) / ALIGN * ALIGN);
    if (!memory) {
        (void)fprintf(stderr, "no memory for %zu bytes\n", n_bytes);
        exit(2);
    }
    return memory;
}

/* splitmix64's last steps. */
static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/* About normal, of standard deviation `spread`. */
static int noise(uint64_t key, int spread)
{
    const uint64_t r = mixed(key);
    const int sum = (int)(r & 255) + (int)(r >> 8 & 255) + (int)(r >> 16 & 255) - 383;
    return sum * spread / 128;
}

static bool is_land(const struct bench_data *data, size_t cell)
{
    const size_t n_lon = (size_t)data->n_lon, lump = cell % n_lon / LUMP + cell / n_lon / LUMP * 1000;
    return mixed(lump + 1) % 100 < LAND;
}

void bench_make_field(const struct bench_data *data, int day, int year, int16_t *codes)
{
    const size_t n = (size_t)data->n_lon * (size_t)data->n_lat;
    const int knot = day / SLOW_DAYS, part = day % SLOW_DAYS;
#pragma omp parallel for schedule(static)
    for (size_t cell = 0; cell < n; ++cell) {
        const uint64_t key = (uint64_t)cell << 24 | (uint64_t)year << 16;
        const int slow = noise(key | 1U << 15 | (uint64_t)knot, 90),
                  next = noise(key | 1U << 15 | (uint64_t)(knot + 1), 90);
        const int anomaly = (slow * (SLOW_DAYS - part) + next * part) / SLOW_DAYS + noise(key | (uint64_t)day, 30);
        const bool is_gap = data->n_gaps > 0 && mixed(~(key | (uint64_t)day)) % 1000 < (uint64_t)data->n_gaps;
        codes[cell] =
            (int16_t)(is_land(data, cell) || is_gap ? SST_CODE_MISSING : (int)(cell * 2500 / n) + 3 * day + anomaly);
    }
    for (size_t cell = n; cell < data->stride; ++cell)
        codes[cell] = SST_CODE_MISSING;
}

uint32_t *bench_places(const struct bench_data *data, bool is_ocean, size_t *n_blocks)
{
    const size_t n = (size_t)data->n_lon * (size_t)data->n_lat / GPU_BLOCK_CELLS;
    uint32_t *block_at = bench_alloc(n * sizeof *block_at);
    *n_blocks = 0;
    for (size_t block = 0; block < n; ++block) {
        bool has_sea = !is_ocean;
        for (size_t i = 0; i < GPU_BLOCK_CELLS; ++i)
            has_sea |= !is_land(data, block * GPU_BLOCK_CELLS + i);
        if (has_sea)
            block_at[(*n_blocks)++] = (uint32_t)block;
    }
    return block_at;
}

void bench_gather(const struct bench_data *data, const uint32_t *block_at, size_t n_cells, const int16_t *codes,
                  int16_t *out)
{
    (void)data;
    for (size_t place = 0; place < n_cells / GPU_BLOCK_CELLS; ++place)
        memcpy(out + place * GPU_BLOCK_CELLS, codes + (size_t)block_at[place] * GPU_BLOCK_CELLS,
               GPU_BLOCK_CELLS * sizeof *out);
}

struct cell_rank *bench_ranks(int n_most, double p)
{
    struct cell_rank *ranks = bench_alloc(((size_t)n_most + 1) * sizeof *ranks);
    ranks[0] = (struct cell_rank){0, 0.0};
    for (int n = 1; n <= n_most; ++n)
        ranks[n] = cell_rank_of(n, p, 7);
    return ranks;
}

uint32_t bench_depth(int n_most, double p, bool from_below)
{
    int depth = 1;
    for (int n = 1; n <= n_most; ++n) {
        const int k = cell_rank_of(n, p, 7).k, deep = !from_below ? n - k : k + 1 < n ? k + 2 : n;
        depth = deep > depth ? deep : depth;
    }
    return (uint32_t)depth;
}

struct bench_cpu {
    size_t n_cells;
    struct sst_kept kept;
    int16_t *plane;
    struct bench_cpu_results results;
};

struct bench_cpu *bench_cpu_open(size_t n_cells, size_t n_members)
{
    struct bench_cpu *cpu = bench_alloc(sizeof *cpu);
    const size_t tile_rows = SST_KEPT_HEAD_ROWS + n_members, n_tiles = sst_kept_tiles(n_cells);
    *cpu = (struct bench_cpu){.n_cells = n_cells};
    cpu->kept = (struct sst_kept){bench_alloc(n_tiles * tile_rows * sizeof *cpu->kept.rows), tile_rows, n_members};
    cpu->plane = bench_alloc(n_tiles * sizeof *cpu->kept.rows);
    for (size_t cell = 0; cell < n_tiles * SST_KEPT_LANES; ++cell)
        cpu->plane[cell] = SST_CODE_MISSING;
    cpu->results =
        (struct bench_cpu_results){bench_alloc(n_cells * sizeof(double)), bench_alloc(n_cells * sizeof(double)),
                                   bench_alloc(n_cells * sizeof(double)), bench_alloc(n_cells * sizeof(uint16_t))};
    return cpu;
}

void bench_cpu_close(struct bench_cpu *cpu)
{
    free(cpu->kept.rows);
    free(cpu->plane);
    free(cpu->results.mean);
    free(cpu->results.high);
    free(cpu->results.low);
    free(cpu->results.n_obs);
    free(cpu);
}

int16_t *bench_cpu_plane(struct bench_cpu *cpu) { return cpu->plane; }

void bench_cpu_put(struct bench_cpu *cpu, size_t member)
{
    const size_t n_tiles = sst_kept_tiles(cpu->n_cells);
#pragma omp parallel for schedule(static)
    for (size_t tile = 0; tile < n_tiles; ++tile)
        memcpy(sst_kept_members(&cpu->kept, tile)[member], cpu->plane + tile * SST_KEPT_LANES, sizeof *cpu->kept.rows);
}

static void put_sums(const struct sst_kept *kept, size_t tile)
{
    struct sst_kept_sums sums = {{0}, {0}};
    for (size_t member = 0; member < kept->n_members; ++member)
        for (size_t lane = 0; lane < SST_KEPT_LANES; ++lane) {
            const int16_t code = sst_kept_members(kept, tile)[member][lane];
            sums.sum[lane] += code == SST_CODE_MISSING ? 0 : code;
            sums.n_valid[lane] = (int16_t)(sums.n_valid[lane] + (code != SST_CODE_MISSING));
        }
    memcpy(sst_kept_head(kept, tile), &sums, sizeof sums);
}

const struct bench_cpu_results *bench_cpu_finish(struct bench_cpu *cpu, double high, double low)
{
    const double p[] = {high, low};
    double *const quantile[] = {cpu->results.high, cpu->results.low};
    const struct sst_quantile_args args = {p, 2, 7, sst_lattice_of(SST_LATTICE_CENTI), 1};
    const struct sst_finish_out out = {.mean = cpu->results.mean, .quantile = quantile, .n_obs = cpu->results.n_obs};
    struct sst_error err = {0};
    const size_t n_tiles = sst_kept_tiles(cpu->n_cells);
#pragma omp parallel for schedule(static)
    for (size_t tile = 0; tile < n_tiles; ++tile)
        put_sums(&cpu->kept, tile);
    if (sst_cpu_exact_finish(&cpu->kept, 1, &args, &out, cpu->n_cells, &err) != SST_OK) {
        (void)fprintf(stderr, "the CPU backend has no memory\n");
        exit(2);
    }
    return &cpu->results;
}
