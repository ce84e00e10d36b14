/* The loops of one level that need no instructions by name: the compiler makes vectors of them. Compiled per level. */
#include "backend/cpu_loops_level.h"

#include <math.h>
#include <string.h>

/* Cells whose sums stay in a first-level cache. */
enum { CHUNK = 512 };

_Static_assert(SST_CELLS_WIDTH == sizeof(uint64_t), "the marks of a block are one word");

/* The marks of a block are added as one word: no byte of it comes to more than SST_MAX_BATCH. */
static void count_add_block(uint16_t *count, const uint8_t *const *marks, size_t n_fields, size_t first)
{
    uint64_t sum = 0;
    for (size_t field = 0; field < n_fields; ++field) {
        uint64_t word;
        memcpy(&word, marks[field] + first, sizeof word);
        sum += word;
    }
    uint8_t sums[SST_CELLS_WIDTH];
    memcpy(sums, &sum, sizeof sums);
    for (size_t i = 0; i < SST_CELLS_WIDTH; ++i)
        count[i] = (uint16_t)(count[i] + sums[i]);
}

static void count_add_gathered(uint16_t *count, const struct sst_cells *cells, const uint8_t *const *marks,
                               size_t n_fields, size_t begin, size_t end)
{
    uint8_t values[CHUNK];
    for (; begin < end; begin += CHUNK) {
        const size_t n = end - begin < CHUNK ? end - begin : CHUNK;
        for (size_t field = 0; field < n_fields; ++field) {
            sst_cells_gather_marks(cells, marks[field], begin, begin + n, values);
            for (size_t i = 0; i < n; ++i)
                count[begin + i] = (uint16_t)(count[begin + i] + values[i]);
        }
    }
}

static void count_add(uint16_t *count, const struct sst_cells *cells, const uint8_t *const *marks, size_t n_fields,
                      size_t begin, size_t end)
{
    if (cells->width != SST_CELLS_WIDTH) {
        count_add_gathered(count, cells, marks, n_fields, begin, end);
        return;
    }
    const size_t n_whole = cells->n_domain / SST_CELLS_WIDTH, given = cells->n_given * SST_CELLS_WIDTH;
    const size_t last = end < given ? end : given;
    for (size_t cell = begin; cell < last; cell += SST_CELLS_WIDTH) {
        const size_t block = cells->block_at[cell / SST_CELLS_WIDTH];
        if (block < n_whole)
            count_add_block(count + cell, marks, n_fields, block * SST_CELLS_WIDTH);
        else
            count_add_gathered(count, cells, marks, n_fields, cell, cell + SST_CELLS_WIDTH);
    }
}

/* Adds or takes away a plane, one function per width. */
#define PLANE_FUNCTION(name, type, sign)                                                                               \
    static void name(type *restrict to, const type *restrict from, size_t begin, size_t end)                           \
    {                                                                                                                  \
        for (size_t cell = begin; cell < end; ++cell)                                                                  \
            to[cell] = (type)(to[cell] sign from[cell]);                                                               \
    }

PLANE_FUNCTION(add_16, uint16_t, +)
PLANE_FUNCTION(add_32, uint32_t, +)
PLANE_FUNCTION(add_64, uint64_t, +)
PLANE_FUNCTION(subtract_16, uint16_t, -)
PLANE_FUNCTION(subtract_32, uint32_t, -)
PLANE_FUNCTION(subtract_64, uint64_t, -)

static void plane_add(void *target, const void *source, enum sst_plane_type type, size_t begin, size_t end)
{
    switch (sst_plane_type_size(type)) {
    case sizeof(uint16_t):
        add_16(target, source, begin, end);
        break;
    case sizeof(uint32_t):
        add_32(target, source, begin, end);
        break;
    default:
        add_64(target, source, begin, end);
        break;
    }
}

static void plane_subtract(void *target, const void *source, enum sst_plane_type type, size_t begin, size_t end)
{
    switch (sst_plane_type_size(type)) {
    case sizeof(uint16_t):
        subtract_16(target, source, begin, end);
        break;
    case sizeof(uint32_t):
        subtract_32(target, source, begin, end);
        break;
    default:
        subtract_64(target, source, begin, end);
        break;
    }
}

/* Adds one member to sums and counts; counts in double, of one width with the sums. */
static void add_member(const double *restrict value, double *restrict sum, double *restrict n_valid, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const double x = value[i];
        sum[i] += x == x ? x : 0.0;
        n_valid[i] += x == x ? 1.0 : 0.0;
    }
}

static void mean_of(const double *const *members, size_t n_members, double *out, size_t begin, size_t end)
{
    const double n_all = (double)n_members;
    for (; begin < end; begin += CHUNK) {
        const size_t n = end - begin < CHUNK ? end - begin : CHUNK;
        double sum[CHUNK], n_valid[CHUNK];
        memset(sum, 0, n * sizeof *sum);
        memset(n_valid, 0, n * sizeof *n_valid);
        for (size_t member = 0; member < n_members; ++member)
            add_member(members[member] + begin, sum, n_valid, n);
        for (size_t i = 0; i < n; ++i) {
            const double mean = sum[i] / n_valid[i];
            const int is_enough = (2.0 * n_valid[i] >= n_all) & (n_valid[i] > 0.0);
            out[begin + i] = is_enough ? mean : (double)NAN;
        }
    }
}

const struct sst_cpu_loops SST_CPU_NAME(sst_cpu_loops) = {
    .moments_add = SST_CPU_NAME(sst_cpu_moments_add),
    .count_add = count_add,
    .plane_add = plane_add,
    .plane_subtract = plane_subtract,
    .moments_finish = SST_CPU_NAME(sst_cpu_moments_finish),
    .mean_of = mean_of,
};
