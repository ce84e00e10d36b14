/* Cells become pixels; the edges between land and sea become lines that are followed from corner to corner. */
#include "write/chart_raster.h"

#include <math.h>

#include "core/mem.h"
#include "write/png.h"

static const struct sst_colour land = {0xC4, 0xC4, 0xC4};

static void fail(struct sst_text *out, enum sst_status rc)
{
    if (out->failed == SST_OK)
        out->failed = rc;
}

uint8_t sst_raster_level(const struct sst_colour_range *range, double value)
{
    const double share = (value - range->low) / (range->high - range->low);
    const double kept = share > 0.0 ? fmin(share, 1.0) : 0.0;
    return (uint8_t)(SST_RASTER_FIRST + (int)lround(kept * (SST_RASTER_LEVELS - 1)));
}

struct sst_colour sst_raster_colour(enum sst_colour_scale scale, uint8_t index)
{
    if (index == SST_RASTER_NONE)
        return (struct sst_colour){255, 255, 255};
    if (index == SST_RASTER_LAND)
        return land;
    return sst_colour_at(scale, (double)(index - SST_RASTER_FIRST) / (SST_RASTER_LEVELS - 1));
}

/* A rectangle of cells that become one pixel. */
struct block {
    size_t row0, row1, col0, col1; /* without row1 and col1 */
};

static uint8_t index_of_block(const struct sst_chart_map *map, const struct sst_colour_range *range,
                              const struct sst_raster_view *view, struct block block)
{
    size_t n_sea = 0, n_values = 0;
    double sum = 0.0;
    for (size_t row = block.row0; row < block.row1; ++row) {
        for (size_t col = block.col0; col < block.col1; ++col) {
            const size_t cell = row * map->n_cols + col;
            if (map->is_sea && !map->is_sea[cell])
                continue;
            ++n_sea;
            const double value = view->has_values ? map->values[cell] : NAN;
            if (!isfinite(value))
                continue;
            sum += fmin(fmax(value, range->low), range->high);
            ++n_values;
        }
    }
    if (view->has_land && 2 * n_sea < (block.row1 - block.row0) * (block.col1 - block.col0))
        return SST_RASTER_LAND;
    return n_values > 0 ? sst_raster_level(range, sum / (double)n_values) : SST_RASTER_NONE;
}

enum sst_status sst_raster_make(const struct sst_chart_map *map, const struct sst_colour_range *range,
                                const struct sst_raster_view *view, struct sst_raster *raster)
{
    const size_t row_step = (map->n_rows - 1) / view->most_rows + 1;
    const size_t col_step = (map->n_cols - 1) / view->most_cols + 1;
    *raster =
        (struct sst_raster){(map->n_rows + row_step - 1) / row_step, (map->n_cols + col_step - 1) / col_step, NULL};
    SST_TRY(sst_alloc(raster->n_rows, raster->n_cols, "a picture", &raster->indices, NULL));
    for (size_t row = 0; row < raster->n_rows; ++row) {
        for (size_t col = 0; col < raster->n_cols; ++col) {
            /* Blocks of nearly one size: the last is not the rest, which would be drawn too large. */
            const struct block block = {row * map->n_rows / raster->n_rows, (row + 1) * map->n_rows / raster->n_rows,
                                        col * map->n_cols / raster->n_cols, (col + 1) * map->n_cols / raster->n_cols};
            raster->indices[row * raster->n_cols + col] = index_of_block(map, range, view, block);
        }
    }
    return SST_OK;
}

void sst_raster_add_png(struct sst_text *out, const struct sst_raster *raster, enum sst_colour_scale scale)
{
    struct sst_colour palette[SST_RASTER_COLOURS];
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    for (int i = 0; i < SST_RASTER_COLOURS; ++i)
        palette[i] = sst_raster_colour(scale, (uint8_t)i);
    const struct sst_png_image image = {.width = raster->n_cols,
                                        .height = raster->n_rows,
                                        .indices = raster->indices,
                                        .palette = palette,
                                        .n_colours = SST_RASTER_COLOURS,
                                        .transparent = SST_RASTER_NONE};
    const enum sst_status rc = sst_png_encode(&image, &bytes, &n_bytes, NULL);
    if (rc != SST_OK)
        fail(out, rc);
    sst_text_add(out, "data:image/png;base64,");
    sst_text_add_base64(out, bytes, n_bytes);
    sst_free(bytes);
}

/* --- the coast ---------------------------------------------------------------------------------------------------- */

/* Edges that leave a corner of cells. */
enum { TO_EAST = 1, TO_SOUTH = 2 };

enum direction { EAST, SOUTH, WEST, NORTH, N_DIRECTIONS };

/* Corners are numbered from 0 to n_rows and n_cols. */
struct coast {
    size_t n_across; /* corners in a row */
    size_t n_down;
    uint8_t *edges; /* those still to be drawn, by corner */
};

static void find_edges(const struct sst_raster *raster, struct coast *coast)
{
    for (size_t row = 0; row < raster->n_rows; ++row) {
        for (size_t col = 0; col < raster->n_cols; ++col) {
            const uint8_t *here = &raster->indices[row * raster->n_cols + col];
            const bool is_land = *here == SST_RASTER_LAND;
            uint8_t *corner = &coast->edges[row * coast->n_across + col];
            if (row > 0 && (here[-(ptrdiff_t)raster->n_cols] == SST_RASTER_LAND) != is_land)
                *corner |= TO_EAST;
            if (col > 0 && (here[-1] == SST_RASTER_LAND) != is_land)
                *corner |= TO_SOUTH;
        }
    }
}

/* Takes the edge that leaves (row, col) this way, if there is one. */
static bool take_edge(struct coast *coast, size_t row, size_t col, enum direction way)
{
    if ((way == WEST && col == 0) || (way == NORTH && row == 0) || row >= coast->n_down || col >= coast->n_across)
        return false;
    const size_t from = (row - (way == NORTH)) * coast->n_across + col - (way == WEST);
    const uint8_t edge = way == EAST || way == WEST ? TO_EAST : TO_SOUTH;
    const bool is_there = coast->edges[from] & edge;
    coast->edges[from] &= (uint8_t)~edge;
    return is_there;
}

static void add_run(struct sst_text *out, enum direction way, long length)
{
    sst_text_addf(out, "%c%ld", way == EAST || way == WEST ? 'h' : 'v', way == EAST || way == SOUTH ? length : -length);
}

/* Follows edges from a corner, straight on where it can, until none is left. */
static void draw_from(struct sst_text *out, struct coast *coast, size_t row, size_t col)
{
    enum direction way = EAST;
    long length = 0;
    sst_text_addf(out, "M%zu %zu", col, row);
    for (;;) {
        enum direction next = way;
        int n_tried = 0;
        while (n_tried < N_DIRECTIONS && !take_edge(coast, row, col, next)) {
            next = (enum direction)((next + 1) % N_DIRECTIONS);
            ++n_tried;
        }
        if (length > 0 && (n_tried == N_DIRECTIONS || next != way)) {
            add_run(out, way, length);
            length = 0;
        }
        if (n_tried == N_DIRECTIONS)
            return;
        way = next;
        ++length;
        row += (size_t)(way == SOUTH) - (size_t)(way == NORTH);
        col += (size_t)(way == EAST) - (size_t)(way == WEST);
    }
}

void sst_raster_add_coast(struct sst_text *out, const struct sst_raster *raster)
{
    struct coast coast = {raster->n_cols + 1, raster->n_rows + 1, NULL};
    const enum sst_status rc = sst_alloc(coast.n_down, coast.n_across, "a coastline", &coast.edges, NULL);
    if (rc != SST_OK) {
        fail(out, rc);
        return;
    }
    find_edges(raster, &coast);
    for (size_t row = 0; row < coast.n_down; ++row) {
        for (size_t col = 0; col < coast.n_across; ++col) {
            while (coast.edges[row * coast.n_across + col])
                draw_from(out, &coast, row, col);
        }
    }
    sst_free(coast.edges);
}
