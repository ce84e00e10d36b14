/* Pictures of the domain: cells are gathered into blocks, the northernmost first. */
#include "validate/map.h"

#include <math.h>
#include <stdbool.h>

#include "core/mem.h"

#define POLE 90.0
#define CIRCLE 360.0

/* Height and width of a grid's only cell, which nothing tells. [degrees] */
#define LONE_CELL 1.0

static size_t blocks_of(size_t n_cells, size_t most)
{
    const size_t cells_per_block = (n_cells + most - 1) / most;
    return (n_cells + cells_per_block - 1) / cells_per_block;
}

/* Blocks of one size where it divides the cells, else of two sizes, mixed: so blocks drawn alike are where they should be. */
static size_t block_at(size_t cell, size_t n_cells, size_t n_blocks) { return cell * n_blocks / n_cells; }

static bool goes_up(const struct sst_domain *domain)
{
    return sst_domain_lat(domain, 0) < sst_domain_lat(domain, domain->n_rows - 1);
}

static double lon_step(const struct sst_grid *grid, size_t col)
{
    const double step = fabs(grid->lon[col + 1] - grid->lon[col]);
    return fmin(step, CIRCLE - step);
}

/* Half a step from a row to the next within the domain, or in the grid where the domain is one row. */
static double half_height(const struct sst_domain *domain, size_t row)
{
    const struct sst_grid *grid = domain->grid;
    if (domain->n_rows > 1) {
        const size_t next = row > 0 ? row - 1 : 1;
        return fabs(sst_domain_lat(domain, row) - sst_domain_lat(domain, next)) / 2;
    }
    if (grid->n_lat < 2)
        return (grid->n_lon > 1 ? lon_step(grid, 0) : LONE_CELL) / 2;
    const size_t at = domain->row0 > 0 ? domain->row0 - 1 : 0;
    return fabs(grid->lat[at + 1] - grid->lat[at]) / 2;
}

static double half_width(const struct sst_domain *domain, size_t col)
{
    const struct sst_grid *grid = domain->grid;
    if (domain->n_cols > 1) {
        const size_t next = col > 0 ? col - 1 : 1;
        return fabs(sst_domain_lon(domain, col) - sst_domain_lon(domain, next)) / 2;
    }
    if (grid->n_lon < 2)
        return (grid->n_lat > 1 ? fabs(grid->lat[1] - grid->lat[0]) : LONE_CELL) / 2;
    return lon_step(grid, domain->col0 > 0 ? domain->col0 - 1 : 0) / 2;
}

static void set_edges(const struct sst_domain *domain, struct sst_map *map)
{
    const size_t last_row = domain->n_rows - 1, last_col = domain->n_cols - 1;
    const size_t top = goes_up(domain) ? last_row : 0;
    const size_t bottom = last_row - top;
    map->north = fmin(POLE, sst_domain_lat(domain, top) + half_height(domain, top));
    map->south = fmax(-POLE, sst_domain_lat(domain, bottom) - half_height(domain, bottom));
    map->west = sst_domain_lon(domain, 0) - half_width(domain, 0);
    map->east = fmin(map->west + CIRCLE, sst_domain_lon(domain, last_col) + half_width(domain, last_col));
}

static void set_blocks(const struct sst_domain *domain, struct sst_map *map)
{
    const bool is_upside_down = goes_up(domain);
    for (size_t row = 0; row < domain->n_rows; ++row) {
        const size_t from_north = is_upside_down ? domain->n_rows - 1 - row : row;
        map->block_of_row[row] = block_at(from_north, domain->n_rows, map->n_rows);
    }
    for (size_t col = 0; col < domain->n_cols; ++col)
        map->block_of_col[col] = block_at(col, domain->n_cols, map->n_cols);
}

enum sst_status sst_map_create(const struct sst_domain *domain, struct sst_map **out, struct sst_error *err)
{
    struct sst_map *map = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *map, "a map", &map, err));
    map->n_rows = blocks_of(domain->n_rows, SST_MAP_MAX_ROWS);
    map->n_cols = blocks_of(domain->n_cols, SST_MAP_MAX_COLS);
    map->domain_cols = domain->n_cols;
    SST_TRY_GOTO(sst_alloc(domain->n_rows, sizeof *map->block_of_row, "a map", &map->block_of_row, err));
    SST_TRY_GOTO(sst_alloc(domain->n_cols, sizeof *map->block_of_col, "a map", &map->block_of_col, err));
    SST_TRY_GOTO(sst_alloc(map->n_rows * map->n_cols, sizeof *map->sum, "a map", &map->sum, err));
    SST_TRY_GOTO(sst_alloc(map->n_rows * map->n_cols, sizeof *map->n, "a map", &map->n, err));
    set_edges(domain, map);
    set_blocks(domain, map);
    *out = map;
    map = NULL;
done:
    sst_map_destroy(&map);
    return rc;
}

void sst_map_destroy(struct sst_map **map)
{
    if (!*map)
        return;
    sst_free((*map)->block_of_row);
    sst_free((*map)->block_of_col);
    sst_free((*map)->sum);
    sst_free((*map)->n);
    sst_free(*map);
    *map = NULL;
}

void sst_map_add(struct sst_map *map, size_t domain_cell, double value)
{
    if (isnan(value))
        return;
    const size_t row = map->block_of_row[domain_cell / map->domain_cols];
    const size_t block = row * map->n_cols + map->block_of_col[domain_cell % map->domain_cols];
    map->sum[block] += value;
    map->n[block] += 1;
}

double sst_map_value(const struct sst_map *map, size_t row, size_t col)
{
    const size_t block = row * map->n_cols + col;
    return map->n[block] > 0 ? map->sum[block] / map->n[block] : NAN;
}
