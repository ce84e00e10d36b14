/* Lists of greatest values: insertion by blocks of cells, and percentiles of pools of lists by counting selection. */
#include "backend/cpu_tail.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "backend/cpu_tile.h"
#include "core/mem.h"
#include "kernels/cell_tail.h"

/* Cells of one task: what is carried and sixteen planes of it take 34 KB, about a first-level cache. */
enum { BLOCK = 1024 };

/* Cells of a task that adds fields: eight of them and sixteen planes take 16 KB. */
enum { ADD_BLOCK = 256 };

/* Below this many cells a light loop is done sooner than a second thread is woken. */
enum { PARALLEL_CELLS = 32768 };

static size_t block_cells(size_t begin, size_t n_cells) { return n_cells - begin < BLOCK ? n_cells - begin : BLOCK; }

/* Inserts what is carried into k planes, one plane after the other, until no cell has anything left to carry on. */
static void insert(int16_t *restrict list, size_t k, size_t stride, int16_t *restrict carried, size_t n)
{
    for (size_t r = 0; r < k; ++r) {
        int16_t *restrict plane = list + r * stride;
        int16_t most = CELL_TAIL_NONE;
        for (size_t i = 0; i < n; ++i) {
            cell_tail_exchange(&plane[i], &carried[i]);
            most = carried[i] > most ? carried[i] : most;
        }
        if (most == CELL_TAIL_NONE)
            return;
    }
}

static void add_sums(struct sst_tail_view bin, const int16_t *hundredths, size_t begin, size_t n)
{
    uint16_t *restrict count = bin.n + begin;
    int32_t *restrict s1 = bin.s1 + begin;
    for (size_t i = 0; i < n; ++i) {
        const int is_valid = hundredths[i] != SST_CODE_MISSING;
        count[i] = (uint16_t)(count[i] + is_valid);
        s1[i] += is_valid ? hundredths[i] : 0;
    }
}

/* Inserts a block of each of n_rows fields, four fields and 32 cells at a time. */
static void insert_rows(int16_t *list, size_t k, size_t stride, int16_t (*values)[ADD_BLOCK], size_t n_rows, size_t n)
{
    const size_t whole = n - n % SST_INSERT_LANES;
    for (size_t cell = 0; cell < whole; cell += SST_INSERT_LANES)
        for (size_t first = 0; first < n_rows; first += SST_INSERT_ROWS) {
            int16_t carried[SST_INSERT_ROWS][SST_INSERT_LANES];
            for (size_t row = 0; row < SST_INSERT_ROWS; ++row)
                for (size_t lane = 0; lane < SST_INSERT_LANES; ++lane)
                    carried[row][lane] = first + row < n_rows ? values[first + row][cell + lane] : CELL_TAIL_NONE;
            sst_loop_insert(list + cell, k, stride, (const int16_t(*)[SST_INSERT_LANES])carried);
        }
    for (size_t row = 0; row < n_rows && whole < n; ++row)
        insert(list + whole, k, stride, values[row] + whole, n - whole);
}

/* One block of cells of at most SST_MAX_BATCH fields. */
static void add_block(struct sst_tail_view bin, const struct sst_cells *cells, const struct sst_field *const *fields,
                      size_t n_fields, size_t begin, size_t n)
{
    int16_t values[SST_MAX_BATCH][ADD_BLOCK], carried[SST_MAX_BATCH][ADD_BLOCK];
    for (size_t i = 0; i < n_fields; ++i) {
        sst_cells_gather(cells, fields[i]->hundredths, SST_CODE_MISSING, begin, begin + n, values[i]);
        add_sums(bin, values[i], begin, n);
        if (fields[i]->codes != fields[i]->hundredths)
            sst_cells_gather(cells, fields[i]->codes, SST_CODE_MISSING, begin, begin + n, values[i]);
        for (size_t cell = 0; cell < n && bin.k_bottom > 0; ++cell)
            carried[i][cell] = cell_tail_negated(values[i][cell]);
    }
    if (bin.k_top > 0)
        insert_rows(bin.top + begin, bin.k_top, cells->n_places, values, n_fields, n);
    if (bin.k_bottom > 0)
        insert_rows(bin.bottom + begin, bin.k_bottom, cells->n_places, carried, n_fields, n);
}

void sst_cpu_tail_add_fields(struct sst_tail_view bin, const struct sst_cells *cells,
                             const struct sst_field *const *fields, size_t n_fields)
{
    const size_t n_cells = cells->n_places;
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += ADD_BLOCK) {
        const size_t n = n_cells - begin < ADD_BLOCK ? n_cells - begin : ADD_BLOCK;
        for (size_t first = 0; first < n_fields; first += SST_MAX_BATCH) {
            const size_t left = n_fields - first;
            add_block(bin, cells, fields + first, left < SST_MAX_BATCH ? left : SST_MAX_BATCH, begin, n);
        }
    }
}

void sst_cpu_tail_merge(int16_t *target, const int16_t *source, size_t k, size_t n_cells)
{
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += BLOCK) {
        const size_t n = block_cells(begin, n_cells);
        int16_t carried[BLOCK];
        for (size_t r = 0; r < k; ++r) {
            memcpy(carried, source + r * n_cells + begin, n * sizeof carried[0]);
            insert(target + begin, k, n_cells, carried, n);
        }
    }
}

/* --- finishing --------------------------------------------------------------------------------------------------- */

/* The lists of one end of the distribution: members of a selection, bin after bin. */
struct side {
    bool is_low, is_wanted;
    const int16_t **members;
    size_t *first; /* n_bins + 1: the first member of each bin, and the end */
};

struct work {
    const struct sst_tail_pool *pool;
    const struct sst_quantile_args *args;
    const struct sst_tail_out *out;
    const struct side *side;
};

/* One tile of a side, with what its lanes know beside the kept values. */
struct tail_tile {
    struct sst_tile values;
    size_t first_cell, n_lanes;
    int16_t cut[SST_TILE_LANES];
    int32_t *n_of_bin; /* scratch: n_bins */
};

static void find_cut(const struct work *work, struct tail_tile *tile)
{
    for (int lane = 0; lane < SST_TILE_LANES; ++lane)
        tile->cut[lane] = CELL_TAIL_NONE;
    for (size_t bin = 0; bin < work->pool->n_bins; ++bin) {
        const size_t end = work->side->first[bin + 1];
        const int32_t k = (int32_t)(end - work->side->first[bin]);
        const uint16_t *n = work->pool->bins[bin].n + tile->first_cell;
        const int16_t *smallest = tile->values.runs->rows[end - 1];
        for (size_t lane = 0; lane < tile->n_lanes; ++lane)
            tile->cut[lane] = cell_tail_cut(tile->cut[lane], n[lane], k, smallest[lane]);
    }
}

/* The bound of a lane on the side of the end, where it is not the value. */
static struct cell_tail_pair find_most(const struct work *work, const struct tail_tile *tile, size_t lane,
                                       struct cell_tail_rank rank)
{
    for (size_t bin = 0; bin < work->pool->n_bins; ++bin)
        tile->n_of_bin[bin] = work->pool->bins[bin].n[tile->first_cell + lane];
    const struct cell_tail_lists lists = {&tile->values.runs->rows[0][lane], SST_TILE_LANES, work->side->first,
                                          tile->n_of_bin, work->pool->n_bins};
    const int16_t deep = cell_tail_most(lists, rank.depth);
    const int16_t shallow = rank.depth > 0 ? cell_tail_most(lists, rank.depth - 1) : deep;
    return cell_tail_pair_of(rank, deep, shallow);
}

static double pair_degc(struct sst_lattice lattice, struct cell_tail_pair pair, double g)
{
    return cell_quantile_mix(sst_lattice_degc(lattice, pair.a), sst_lattice_degc(lattice, pair.b), g);
}

/* What selection found for a lane. */
struct found {
    struct cell_tail_rank rank;
    int32_t n_kept;
    int16_t deep, shallow;
};

static void finish_lane(const struct work *work, const struct tail_tile *tile, size_t lane, size_t q,
                        struct found found)
{
    const struct sst_lattice lattice = work->args->lattice;
    const size_t cell = tile->first_cell + lane;
    const double g = found.rank.g;
    double value = pair_degc(lattice, cell_tail_pair_of(found.rank, found.deep, found.shallow), g), most = value;
    if (!cell_tail_is_certified(found.rank.depth, found.n_kept, found.deep, tile->cut[lane])) {
        /* The kept are a part of the pool, so at any depth they are at most (in the order of the list) what the pool is. */
        if (!cell_tail_reaches(found.rank.depth, found.n_kept))
            value = found.rank.is_low ? INFINITY : -INFINITY;
        most = pair_degc(lattice, find_most(work, tile, lane, found.rank), g);
        work->out->uncertified[cell] |= most != value; /* bounds that meet, as ties can, are a proof too */
    }
    work->out->quantile[q][cell] = value;
    work->out->bound[q][cell] = most;
}

static bool has_enough(const struct work *work, size_t cell)
{
    const int n = work->pool->n[cell];
    return n > 0 && n >= work->args->min_samples;
}

static void finish_percentile(const struct work *work, const struct tail_tile *tile, size_t q)
{
    struct found found[SST_TILE_LANES];
    int16_t *last = work->out->found ? work->out->found[q] + tile->first_cell : NULL;
    int16_t k[SST_TILE_LANES] = {0}, hint[SST_TILE_LANES], deep[SST_TILE_LANES], shallow[SST_TILE_LANES];
    for (size_t lane = 0; lane < SST_TILE_LANES; ++lane)
        hint[lane] = last && lane < tile->n_lanes ? last[lane] : SST_CODE_MISSING;
    for (size_t lane = 0; lane < tile->n_lanes; ++lane) {
        const size_t cell = tile->first_cell + lane;
        if (!has_enough(work, cell))
            continue;
        found[lane].rank = cell_tail_rank_of(work->pool->n[cell], work->args->p[q], work->args->type);
        found[lane].n_kept = tile->values.n_valid[lane];
        if (cell_tail_reaches(found[lane].rank.depth, found[lane].n_kept))
            k[lane] = (int16_t)(found[lane].n_kept - 1 - found[lane].rank.depth);
    }
    sst_tile_select(&tile->values, k, hint, deep, shallow);
    for (size_t lane = 0; lane < tile->n_lanes; ++lane) {
        const size_t cell = tile->first_cell + lane;
        if (last && tile->values.n_valid[lane] > 0)
            last[lane] = deep[lane];
        if (has_enough(work, cell)) {
            found[lane].deep = deep[lane];
            found[lane].shallow = shallow[lane];
            finish_lane(work, tile, lane, q, found[lane]);
        } else {
            work->out->quantile[q][cell] = work->out->bound[q][cell] = NAN;
        }
    }
}

static enum sst_status finish_side(const struct work *work, size_t n_cells, struct sst_error *err)
{
    const size_t n_members = work->side->first[work->pool->n_bins], n_bins = work->pool->n_bins;
    const size_t n_threads = (size_t)omp_get_max_threads();
    int16_t(*scratch)[SST_TILE_LANES] = NULL;
    int32_t *n_of_bin = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(n_threads * (n_members + 1), sizeof *scratch, "scratch of the lists", &scratch, err));
    SST_TRY_GOTO(sst_alloc(n_threads * (n_bins + 1), sizeof *n_of_bin, "scratch of the lists", &n_of_bin, err));
#pragma omp parallel for schedule(dynamic)
    for (size_t first_cell = 0; first_cell < n_cells; first_cell += SST_TILE_LANES) {
        const size_t left = n_cells - first_cell, thread = (size_t)omp_get_thread_num();
        struct tail_tile tile = {.first_cell = first_cell,
                                 .n_lanes = left < SST_TILE_LANES ? left : SST_TILE_LANES,
                                 .n_of_bin = n_of_bin + thread * n_bins};
        struct sst_run run;
        sst_tile_load(&tile.values, &run, scratch + thread * n_members, work->side->members, n_members, first_cell,
                      tile.n_lanes);
        find_cut(work, &tile);
        for (size_t q = 0; q < work->args->n_percentiles; ++q)
            if (cell_tail_is_low(work->args->p[q]) == work->side->is_low)
                finish_percentile(work, &tile, q);
    }
done:
    sst_free(scratch);
    sst_free(n_of_bin);
    return rc;
}

static void side_clear(struct side *side)
{
    sst_free(side->members);
    sst_free(side->first);
}

/* Bins without a list of this side (no day could come) have no members. */
static enum sst_status side_init(struct side *side, const struct work *work, size_t n_cells, struct sst_error *err)
{
    const struct sst_tail_pool *pool = work->pool;
    size_t n = 0;
    for (size_t q = 0; q < work->args->n_percentiles; ++q)
        side->is_wanted |= cell_tail_is_low(work->args->p[q]) == side->is_low;
    for (size_t bin = 0; bin < pool->n_bins; ++bin)
        n += side->is_low ? pool->bins[bin].k_bottom : pool->bins[bin].k_top;
    SST_TRY(sst_alloc(n + 1, sizeof *side->members, "the lists of a pool", &side->members, err));
    SST_TRY(sst_alloc(pool->n_bins + 1, sizeof *side->first, "the lists of a pool", &side->first, err));
    n = 0;
    for (size_t bin = 0; bin < pool->n_bins; ++bin) {
        const int16_t *list = side->is_low ? pool->bins[bin].bottom : pool->bins[bin].top;
        const size_t k = side->is_low ? pool->bins[bin].k_bottom : pool->bins[bin].k_top;
        side->first[bin] = n;
        for (size_t r = 0; r < k; ++r)
            side->members[n++] = list + r * n_cells;
    }
    side->first[pool->n_bins] = n;
    return SST_OK;
}

/* Sums are of hundredths on every lattice. */
static const double HUNDREDTHS_PER_DEGREE = 100.0;

static void finish_mean(const struct work *work, size_t n_cells)
{
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t cell = 0; cell < n_cells; ++cell) {
        work->out->uncertified[cell] = 0;
        work->out->mean[cell] = has_enough(work, cell)
                                    ? (double)work->pool->s1[cell] / (double)work->pool->n[cell] / HUNDREDTHS_PER_DEGREE
                                    : NAN;
    }
}

enum sst_status sst_cpu_tail_finish(const struct sst_tail_pool *pool, const struct sst_quantile_args *args,
                                    const struct sst_tail_out *out, size_t n_cells, struct sst_error *err)
{
    struct work work = {pool, args, out, NULL};
    enum sst_status rc = SST_OK;
    finish_mean(&work, n_cells);
    for (int is_low = 0; is_low <= 1 && rc == SST_OK; ++is_low) {
        struct side side = {.is_low = is_low};
        rc = side_init(&side, &work, n_cells, err);
        work.side = &side;
        if (rc == SST_OK && side.is_wanted)
            rc = finish_side(&work, n_cells, err);
        side_clear(&side);
    }
    return rc;
}
