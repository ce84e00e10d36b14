/* Counts per cell and flag; which cells are sea is known only at the end. */
#include "validate/tally.h"

#include "core/mem.h"

/* Flags of an estimate that is off, may be, or is not proven. */
enum { DOUBTFUL = SST_FLAG_MEASURED_BEYOND_TOLERANCE | SST_FLAG_LIKELY_BEYOND_TOLERANCE | SST_FLAG_UNCERTIFIED };

struct sst_tally {
    size_t n_rows, n_cols, n_cells;
    double *row_weight;
    uint16_t *by_flag[SST_N_FLAGS]; /* slots on which the cell has the flag */
    uint16_t *any, *doubtful;
    uint8_t *is_sea;
    size_t n_slots;
};

enum sst_status sst_tally_create(const struct sst_domain *domain, struct sst_tally **out, struct sst_error *err)
{
    struct sst_tally *tally = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *tally, "the flag counts", &tally, err));
    tally->n_rows = domain->n_rows;
    tally->n_cols = domain->n_cols;
    tally->n_cells = domain->n_cells;
    SST_TRY_GOTO(sst_alloc(domain->n_rows, sizeof *tally->row_weight, "row weights", &tally->row_weight, err));
    sst_domain_row_weights(domain, tally->row_weight);
    SST_TRY_GOTO(sst_alloc(domain->n_cells, sizeof *tally->any, "the flag counts", &tally->any, err));
    SST_TRY_GOTO(sst_alloc(domain->n_cells, sizeof *tally->doubtful, "the flag counts", &tally->doubtful, err));
    SST_TRY_GOTO(sst_alloc(domain->n_cells, sizeof *tally->is_sea, "the flag counts", &tally->is_sea, err));
    for (int bit = 0; bit < SST_N_FLAGS; ++bit)
        SST_TRY_GOTO(sst_alloc(domain->n_cells, sizeof(uint16_t), "the flag counts", &tally->by_flag[bit], err));
    *out = tally;
    tally = NULL;
done:
    sst_tally_destroy(&tally);
    return rc;
}

void sst_tally_destroy(struct sst_tally **tally)
{
    if (!*tally)
        return;
    for (int bit = 0; bit < SST_N_FLAGS; ++bit)
        sst_free((*tally)->by_flag[bit]);
    sst_free((*tally)->row_weight);
    sst_free((*tally)->any);
    sst_free((*tally)->doubtful);
    sst_free((*tally)->is_sea);
    sst_free(*tally);
    *tally = NULL;
}

/* Cells of one task, whose counts stay in the nearest caches. */
enum { TASK_CELLS = 4096 };

/* Below this many cells they are counted sooner than a second thread is woken. */
enum { PARALLEL_CELLS = 1 << 16 };

/* Cells begin .. end - 1. */
static void add_cells(struct sst_tally *tally, const uint16_t *n_obs, const uint16_t *flags, size_t begin, size_t end)
{
    for (size_t cell = begin; cell < end; ++cell)
        tally->is_sea[cell] |= n_obs[cell] > 0;
    for (int bit = 0; bit < SST_N_FLAGS; ++bit) {
        uint16_t *by_flag = tally->by_flag[bit];
        for (size_t cell = begin; cell < end; ++cell)
            by_flag[cell] = (uint16_t)(by_flag[cell] + ((flags[cell] >> bit) & 1));
    }
    for (size_t cell = begin; cell < end; ++cell) {
        tally->any[cell] = (uint16_t)(tally->any[cell] + (flags[cell] != 0));
        tally->doubtful[cell] = (uint16_t)(tally->doubtful[cell] + ((flags[cell] & DOUBTFUL) != 0));
    }
}

void sst_tally_add(struct sst_tally *tally, const uint16_t *n_obs, const uint16_t *flags)
{
    const size_t n_cells = tally->n_cells;
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += TASK_CELLS)
        add_cells(tally, n_obs, flags, begin, n_cells - begin < TASK_CELLS ? n_cells : begin + TASK_CELLS);
    ++tally->n_slots;
}

/* Cell-days and their share of the sea's area, from counts per cell. */
static struct sst_flag_count count_sea(const struct sst_tally *tally, const uint16_t *slots, double total_area)
{
    struct sst_flag_count count = {0, 0.0};
    double area = 0.0;
    for (size_t cell = 0; cell < tally->n_cells; ++cell) {
        if (!tally->is_sea[cell])
            continue;
        count.n_cell_days += slots[cell];
        area += slots[cell] * tally->row_weight[cell / tally->n_cols];
    }
    count.area_share = total_area > 0.0 ? area / total_area : 0.0;
    return count;
}

struct sst_tally_result sst_tally_result(const struct sst_tally *tally)
{
    struct sst_tally_result result = {.n_cells = tally->n_cells};
    double area = 0.0;
    for (size_t cell = 0; cell < tally->n_cells; ++cell) {
        if (!tally->is_sea[cell])
            continue;
        ++result.n_sea_cells;
        area += tally->row_weight[cell / tally->n_cols];
    }
    result.n_cell_days = result.n_sea_cells * tally->n_slots;
    area *= (double)tally->n_slots;
    for (int bit = 0; bit < SST_N_FLAGS; ++bit)
        result.by_flag[bit] = count_sea(tally, tally->by_flag[bit], area);
    result.any = count_sea(tally, tally->any, area);
    return result;
}

bool sst_tally_is_sea(const struct sst_tally *tally, size_t cell) { return tally->is_sea[cell]; }

double sst_tally_doubtful_share(const struct sst_tally *tally, size_t cell)
{
    return tally->n_slots > 0 ? (double)tally->doubtful[cell] / (double)tally->n_slots : 0.0;
}
