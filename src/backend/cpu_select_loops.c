/* Inner loops over lanes have no branch and a constant length, so a plain -O3 vectorises them. */
#include "backend/cpu_select_loops.h"

#include <math.h>
#include <string.h>

#include "core/cpu_clones.h"
#include "core/field.h"
#include "kernels/cell_quantile.h"
#include "kernels/cell_tail.h"

enum { LANES = SST_KEPT_LANES };

/* Half the range of codes. */
enum { MAX_STEP = 1 << 15 };

/* Counts the values that are not above: there the value is what a comparison can read from memory itself. */
CPU_CLONES
void sst_loop_above(const struct sst_run *runs, size_t n_runs, const int16_t bound[LANES], int16_t above[LANES])
{
    int16_t n[LANES] = {0} /* negative */, limit[LANES];
    size_t n_members = 0;
    for (int lane = 0; lane < LANES; ++lane)
        limit[lane] = (int16_t)(bound[lane] < INT16_MAX ? bound[lane] + 1 : INT16_MAX);
    for (size_t run = 0; run < n_runs; ++run) {
        const int16_t(*rows)[LANES] = runs[run].rows;
        const size_t n_rows = runs[run].n_rows;
        n_members += n_rows;
        for (size_t row = 0; row < n_rows; ++row)
            for (int lane = 0; lane < LANES; ++lane)
                n[lane] = (int16_t)(n[lane] + (limit[lane] > rows[row][lane] ? -1 : 0)); /* a mask as it is */
    }
    for (int lane = 0; lane < LANES; ++lane)
        above[lane] = (int16_t)(bound[lane] < INT16_MAX ? (int16_t)n_members + n[lane] : 0);
}

/* Codes are turned and mirrored until the bound is 0: then those up to it come first, the nearest first of all. */
CPU_CLONES
void sst_loop_around(const struct sst_run *runs, size_t n_runs, const int16_t bound[LANES], int16_t below[LANES],
                     int16_t above[LANES])
{
    uint16_t first[LANES], last[LANES], zero[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        zero[lane] = (uint16_t)bound[lane];
        first[lane] = UINT16_MAX;
        last[lane] = 0;
    }
    for (size_t run = 0; run < n_runs; ++run) {
        const int16_t(*rows)[LANES] = runs[run].rows;
        const size_t n_rows = runs[run].n_rows;
        for (size_t row = 0; row < n_rows; ++row)
            for (int lane = 0; lane < LANES; ++lane) {
                const uint16_t x = (uint16_t)(zero[lane] - (uint16_t)rows[row][lane]);
                first[lane] = x < first[lane] ? x : first[lane];
                last[lane] = x > last[lane] ? x : last[lane];
            }
    }
    for (int lane = 0; lane < LANES; ++lane) {
        below[lane] = (int16_t)(zero[lane] - first[lane]);
        above[lane] = (int16_t)(zero[lane] - last[lane]);
    }
}

CPU_CLONES
void sst_loop_extremes(const struct sst_run *runs, size_t n_runs, int16_t least[LANES], int16_t most[LANES])
{
    int16_t low[LANES], high[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        low[lane] = INT16_MAX;
        high[lane] = SST_CODE_MISSING;
    }
    for (size_t run = 0; run < n_runs; ++run)
        for (size_t row = 0; row < runs[run].n_rows; ++row)
            for (int lane = 0; lane < LANES; ++lane) {
                const int16_t x = runs[run].rows[row][lane];
                const int16_t candidate = x == SST_CODE_MISSING ? INT16_MAX : x;
                low[lane] = candidate < low[lane] ? candidate : low[lane];
                high[lane] = x > high[lane] ? x : high[lane];
            }
    memcpy(least, low, sizeof low);
    memcpy(most, high, sizeof high);
}

static inline int32_t mask_of(int condition) { return -(int32_t)condition; }

/* a where the mask is all ones, b where it is 0: a choice that compilers do not turn into a branch. */
static inline int32_t choose(int32_t mask, int32_t a, int32_t b) { return b ^ ((a ^ b) & mask); }

static inline int32_t least_of(int32_t a, int32_t b) { return a < b ? a : b; }

CPU_CLONES
bool sst_loop_narrow(struct sst_search *restrict search, const int16_t above[restrict LANES], bool halves)
{
    int32_t open = 0;
    const int32_t all_halves = -(int32_t)halves;
    for (int lane = 0; lane < LANES; ++lane) {
        const int32_t n = above[lane], allowed = search->allowed[lane], probe = search->probe[lane];
        const int32_t old_low = search->low[lane], old_high = search->high[lane];
        const int32_t was_open = mask_of(old_high - old_low > 1) & mask_of(search->n_above_high[lane] != allowed);
        const int32_t falls = was_open & mask_of(n <= allowed), rises = was_open & mask_of(n > allowed);
        const int32_t high = choose(falls, probe, old_high), low = choose(rises, probe, old_low);
        const int32_t n_high = choose(falls, n, search->n_above_high[lane]),
                      n_low = choose(rises, n, search->n_above_low[lane]);
        const int32_t width = high - low, half = width >> 1, step = search->step[lane];
        /* Values lie about evenly between two known ends; from one, go by as many steps as there are values too many. */
        const int32_t share = (int32_t)((float)width * (float)(n_low - allowed) / (float)(n_low - n_high));
        const int32_t up = least_of(step * (n_low - allowed), half), down = least_of(step * (allowed - n_high), half);
        const int32_t is_low_known = mask_of(low != SST_CODE_MISSING), is_high_known = mask_of(high != INT16_MAX);
        const int32_t one_known = choose(is_low_known, up, width - down);
        const int32_t most = choose(all_halves, half, choose(is_low_known & is_high_known, share, one_known));
        const int32_t move = least_of(most, width - 1);
        search->low[lane] = low;
        search->high[lane] = high;
        search->n_above_low[lane] = n_low;
        search->n_above_high[lane] = n_high;
        search->step[lane] = least_of(step << 1, MAX_STEP);
        search->probe[lane] = (int16_t)(low + (move > 1 ? move : 1));
        open |= mask_of(width > 1) & mask_of(n_high != allowed);
    }
    return open != 0;
}

CPU_CLONES
void sst_loop_sums(struct sst_kept_sums *sums, const int16_t (*rows)[LANES], size_t n_rows)
{
    struct sst_kept_sums s = *sums;
    for (size_t row = 0; row < n_rows; ++row)
        for (int lane = 0; lane < LANES; ++lane) {
            const int16_t is_valid = (int16_t) - (rows[row][lane] != SST_CODE_MISSING);
            s.n_valid[lane] = (int16_t)(s.n_valid[lane] - is_valid);
            s.sum[lane] += (int16_t)(rows[row][lane] & is_valid);
        }
    *sums = s;
}

/* Each plane is read and written once for all that is carried, which stays in registers. */
CPU_CLONES
void sst_loop_insert(int16_t *list, size_t k, size_t stride, const int16_t carried[SST_INSERT_ROWS][SST_INSERT_LANES])
{
    int16_t c[SST_INSERT_ROWS][SST_INSERT_LANES];
    memcpy(c, carried, sizeof c);
    for (size_t r = 0; r < k; ++r) {
        int16_t *restrict plane = list + r * stride;
        for (int lane = 0; lane < SST_INSERT_LANES; ++lane) {
            int16_t kept = plane[lane];
            for (int row = 0; row < SST_INSERT_ROWS; ++row)
                cell_tail_exchange(&kept, &c[row][lane]);
            plane[lane] = kept;
        }
    }
}

CPU_CLONES
void sst_loop_mix(const int16_t value[LANES], const int16_t next[LANES], const double g[LANES],
                  const bool is_enough[LANES], int reference_steps, int steps_per_degree, double out[LANES])
{
    for (int lane = 0; lane < LANES; ++lane) {
        const double a = (double)(value[lane] + reference_steps) / (double)steps_per_degree;
        const double b = (double)(next[lane] + reference_steps) / (double)steps_per_degree;
        const double mixed = cell_quantile_mix(a, b, g[lane]);
        out[lane] = is_enough[lane] ? mixed : NAN;
    }
}
