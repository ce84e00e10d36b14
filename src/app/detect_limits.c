/* Means and thresholds for `detect`, cell by cell of the daily files, from whatever climatology. */
#include <math.h>
#include <string.h>

#include "app/detect.h"
#include "core/flags.h"
#include "core/mem.h"

/* All slots of the watched cells are kept where they take no more; else a slot is read each time its day comes. [B] */
#define LIMITS_CACHE_BYTES ((size_t)256 << 20)

/* [percent] Of the thresholds that Hobday et al. use. */
#define WARM_PERCENTILE 90.0
#define COLD_PERCENTILE 10.0
#define MEDIAN 50.0

/* --- the climatology ---------------------------------------------------------------------------------------------- */

static enum sst_status check_chosen(const struct sst_options *options, const struct sst_clim_read_info *info,
                                    struct sst_error *err)
{
    const double percentile = info->percentile;
    if (!info->variables[SST_CLIM_PERCENTILE][0])
        return sst_fail(err, SST_ERR_INPUT, "%s: no percentile is found in it. Name the threshold with --clim-thresh",
                        info->path);
    if (!info->variables[SST_CLIM_MEAN][0])
        return sst_fail(err, SST_ERR_INPUT, "%s: no mean is found in it. Name it with --clim-mean", info->path);
    if (options->is_cold ? percentile > MEDIAN : percentile < MEDIAN)
        return sst_fail(err, SST_ERR_INPUT,
                        "%s: %s: percentile %g is no threshold of %s. Give --percentile or --clim-thresh", info->path,
                        info->variables[SST_CLIM_PERCENTILE], percentile,
                        options->is_cold ? "cold spells" : "heatwaves; for cold spells there is --cold");
    return SST_OK;
}

enum sst_status sst_detect_limits_open(const struct sst_options *options, struct sst_detect_limits *limits,
                                       struct sst_error *err)
{
    const bool is_given = options->is_given[SST_OPTION_ID_percentile];
    const double usual = options->is_cold ? COLD_PERCENTILE : WARM_PERCENTILE;
    limits->options = options;
    SST_TRY(sst_clim_read_open(options->clim, &limits->reader, err));
    const struct sst_clim_read_info *info = sst_clim_read_info(limits->reader);
    const struct sst_clim_choice choice = {
        .variables = {options->clim_threshold, options->clim_mean},
        .units = options->detect_units,
        .units_option = "--clim-units",
        .percentile = is_given                  ? options->percentiles[0]
                      : info->n_percentiles > 0 ? usual
                                                : (double)NAN,
        .variable_options = {"--clim-thresh", "--clim-mean"},
    };
    SST_TRY(sst_clim_read_choose(limits->reader, &choice, err));
    return check_chosen(options, info, err);
}

void sst_detect_limits_clear(struct sst_detect_limits *limits)
{
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot) {
        sst_free(limits->kept_mean[slot]);
        sst_free(limits->kept_threshold[slot]);
        sst_free(limits->kept_flags[slot]);
    }
    sst_free(limits->mean);
    sst_free(limits->threshold);
    sst_free(limits->flags);
    sst_free(limits->cells);
    sst_clim_read_close(&limits->reader);
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

/* The cells of a grid within the extent of a domain; all of it where the domain goes round the globe. */
static enum sst_status box_of(const struct sst_grid *grid, const struct sst_domain *of, struct sst_domain *out,
                              struct sst_error *err)
{
    if (of->grid->wraps && of->n_cols == of->grid->n_lon && of->n_rows == of->grid->n_lat) {
        sst_domain_all(grid, out);
        return SST_OK;
    }
    const double first = sst_domain_lat(of, 0), last = sst_domain_lat(of, of->n_rows - 1);
    return sst_domain_box(grid, sst_domain_lon(of, 0), fmin(first, last), sst_domain_lon(of, of->n_cols - 1),
                          fmax(first, last), out, err);
}

static enum sst_status match(struct sst_detect_limits *limits, const struct sst_grid *grid, struct sst_domain *daily,
                             struct sst_grid_map *map, struct sst_error *err)
{
    const struct sst_options *options = limits->options;
    const struct sst_bbox *box = &options->bbox;
    struct sst_grid *ours = NULL, *theirs = NULL;
    struct sst_domain all;
    enum sst_status rc = SST_OK;
    sst_domain_all(sst_clim_read_info(limits->reader)->grid, &all);
    if (options->has_bbox)
        SST_TRY(sst_domain_box(grid, box->west, box->south, box->east, box->north, daily, err));
    else
        SST_TRY(box_of(grid, &all, daily, err));
    SST_TRY(box_of(all.grid, daily, &limits->domain, err));
    SST_TRY_GOTO(sst_domain_grid(daily, &ours, err));
    SST_TRY_GOTO(sst_domain_grid(&limits->domain, &theirs, err));
    SST_TRY_GOTO(sst_grid_match(ours, theirs, map, err));
    SST_TRY_GOTO(sst_grid_match(all.grid, all.grid, &limits->whole, err));
done:
    sst_grid_destroy(&ours);
    sst_grid_destroy(&theirs);
    return rc;
}

enum sst_status sst_detect_match(struct sst_detect_limits *limits, const struct sst_grid *grid, const char *files,
                                 struct sst_domain *daily, struct sst_grid_map *map, struct sst_error *err)
{
    struct sst_error found = {SST_OK, ""};
    const enum sst_status rc = match(limits, grid, daily, map, &found);
    if (rc == SST_OK || sst_status_is_of_the_run(rc) || rc == SST_ERR_USAGE)
        return rc == SST_OK ? SST_OK : sst_fail(err, rc, "%s", found.text);
    return sst_fail(err, SST_ERR_GRID,
                    "--clim %s: it and the daily files (%s) have not the same cells: %s. Give a climatology of that "
                    "grid, or --bbox for a part that both have",
                    limits->options->clim, files, found.text);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static enum sst_status read_slot(struct sst_detect_limits *limits, int slot, struct sst_error *err)
{
    struct sst_clim_reader *reader = limits->reader;
    const struct sst_domain *domain = &limits->domain;
    const struct sst_grid_map *whole = &limits->whole;
    SST_TRY(sst_clim_read_get(reader, SST_CLIM_MEAN, slot, domain, whole, limits->mean, err));
    SST_TRY(sst_clim_read_get(reader, SST_CLIM_PERCENTILE, slot, domain, whole, limits->threshold, err));
    return sst_clim_read_flags(reader, slot, domain, whole, limits->flags, err);
}

/* A cell that has values on a slot is marked. */
static void mark(const struct sst_detect_limits *limits, uint8_t *marks)
{
    for (size_t cell = 0; cell < limits->domain.n_cells; ++cell)
        marks[cell] |= !isnan(limits->mean[cell]) && !isnan(limits->threshold[cell]);
}

/* The cell of the climatology's domain that a cell of daily's is. */
static size_t clim_cell(const struct sst_domain *daily, const struct sst_grid_map *map, size_t cell)
{
    const size_t row = cell / daily->n_cols, col = cell % daily->n_cols;
    return (map->flip_lat ? daily->n_rows - 1 - row : row) * daily->n_cols + (col + map->shift_lon) % daily->n_cols;
}

static enum sst_status alloc_fields(struct sst_detect_limits *limits, struct sst_error *err)
{
    const size_t n = limits->domain.n_cells;
    SST_TRY(sst_alloc(n, sizeof *limits->mean, "means of a day", &limits->mean, err));
    SST_TRY(sst_alloc(n, sizeof *limits->threshold, "thresholds of a day", &limits->threshold, err));
    return sst_alloc(n, sizeof *limits->flags, "flags of a day", &limits->flags, err);
}

static enum sst_status list_cells(struct sst_detect_limits *limits, const struct sst_domain *daily,
                                  const struct sst_grid_map *map, const uint8_t *marks, size_t **watched,
                                  struct sst_error *err)
{
    size_t n = 0;
    for (size_t cell = 0; cell < daily->n_cells; ++cell)
        n += marks[clim_cell(daily, map, cell)];
    if (n == 0)
        return sst_fail(err, SST_ERR_INPUT,
                        "%s: no cell has a mean and a threshold on the days of the files. Are --clim-mean and "
                        "--clim-thresh as you want them?",
                        limits->options->clim);
    SST_TRY(sst_alloc(n, sizeof **watched, "the list of cells", watched, err));
    SST_TRY(sst_alloc(n, sizeof *limits->cells, "the list of cells", &limits->cells, err));
    limits->n_cells = n;
    n = 0;
    for (size_t cell = 0; cell < daily->n_cells; ++cell) {
        const size_t theirs = clim_cell(daily, map, cell);
        if (!marks[theirs])
            continue;
        limits->cells[n] = theirs;
        (*watched)[n++] = cell;
    }
    return SST_OK;
}

enum sst_status sst_detect_choose_cells(struct sst_detect_limits *limits, const struct sst_domain *daily,
                                        const struct sst_grid_map *map, const bool *wanted_slots, size_t **watched,
                                        size_t *n_watched, struct sst_error *err)
{
    enum { BYTES_OF_CELL = 2 * sizeof(float) + 1 };
    uint8_t *marks = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(alloc_fields(limits, err));
    SST_TRY_GOTO(sst_alloc(limits->domain.n_cells, 1, "marks of cells", &marks, err));
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        if (!wanted_slots[slot])
            continue;
        SST_TRY_GOTO(read_slot(limits, slot, err));
        mark(limits, marks);
    }
    SST_TRY_GOTO(list_cells(limits, daily, map, marks, watched, err));
    *n_watched = limits->n_cells;
    limits->keeps = limits->n_cells <= LIMITS_CACHE_BYTES / (SST_N_SLOTS * BYTES_OF_CELL);
done:
    sst_free(marks);
    return rc;
}

/* The watched cells of the slot that was read. */
static void gather(const struct sst_detect_limits *limits, float *mean, float *threshold, uint8_t *flags)
{
    for (size_t i = 0; i < limits->n_cells; ++i) {
        const size_t cell = limits->cells[i];
        mean[i] = (float)limits->mean[cell];
        threshold[i] = (float)limits->threshold[cell];
        flags[i] = limits->flags[cell] & SST_FLAG_ICE_OR_NO_VARIANCE ? SST_EVENT_DAY_ICY_CLIMATOLOGY : 0;
    }
}

static enum sst_status keep_slot(struct sst_detect_limits *limits, int slot, struct sst_error *err)
{
    const size_t n = limits->n_cells;
    const char *what = "the climatology";
    SST_TRY(read_slot(limits, slot, err));
    SST_TRY(sst_alloc(n, sizeof(float), what, &limits->kept_mean[slot], err));
    SST_TRY(sst_alloc(n, sizeof(float), what, &limits->kept_threshold[slot], err));
    SST_TRY(sst_alloc(n, 1, what, &limits->kept_flags[slot], err));
    gather(limits, limits->kept_mean[slot], limits->kept_threshold[slot], limits->kept_flags[slot]);
    return SST_OK;
}

enum sst_status sst_detect_limits_get(struct sst_detect_limits *limits, int slot, float *mean, float *threshold,
                                      uint8_t *flags, struct sst_error *err)
{
    const size_t n = limits->n_cells;
    if (!limits->keeps) {
        SST_TRY(read_slot(limits, slot, err));
        gather(limits, mean, threshold, flags);
        return SST_OK;
    }
    if (!limits->kept_flags[slot])
        SST_TRY(keep_slot(limits, slot, err));
    memcpy(mean, limits->kept_mean[slot], n * sizeof *mean);
    memcpy(threshold, limits->kept_threshold[slot], n * sizeof *threshold);
    memcpy(flags, limits->kept_flags[slot], n);
    return SST_OK;
}
