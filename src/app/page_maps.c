/* The page's maps: what is known where, on a scale that says what its ends are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/page_parts.h"
#include "core/mem.h"

enum {
    MAX_MAPS = 64,
    MAX_SIDE = 1440, /* blocks along a side; docs/report.md promises at most 360 */
    MAX_CELLS = 720 * 1440
};

/* The colour bar ends at the size that this share of the values does not exceed, so that one odd cell does not pale all. */
#define SHARE_WITHIN_SCALE 0.98

struct field {
    size_t rows, cols, n_cells;
    double *values;
    unsigned char *is_sea;
    size_t n_values;
    double low, high; /* of the scale */
    bool has_beyond; /* values past an end of it */
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

static bool read_size(const struct sst_page_node *map, struct field *field)
{
    const double rows = sst_page_node_number(map, "rows"), cols = sst_page_node_number(map, "cols");
    if (!(rows >= 1 && cols >= 1 && rows <= MAX_SIDE && cols <= MAX_SIDE && rows * cols <= MAX_CELLS)) {
        sst_page_node_note(map, NULL, "its rows and cols are not the size of a map");
        return false;
    }
    field->rows = (size_t)rows;
    field->cols = (size_t)cols;
    field->n_cells = field->rows * field->cols;
    return true;
}

static bool read_values(const struct sst_page_node *map, struct field *field)
{
    const struct sst_page_node values = sst_page_node_list(map, "values");
    const char *unit = sst_page_node_text(map, "unit");
    const double scale = unit && strcmp(unit, "1") == 0 ? 100 : 1; /* shares are shown in percent */
    const double step = scale * sst_page_node_number(map, "step");
    if (sst_page_node_size(&values, MAX_CELLS) != field->n_cells || !(step > 0)) {
        sst_page_node_note(map, "values", "not as many as rows x cols, or no step");
        return false;
    }
    for (size_t i = 0; i < field->n_cells; ++i) {
        field->values[i] = sst_page_chart_value(step * sst_page_node_number_at(&values, i));
        field->n_values += isnan(field->values[i]) ? 0 : 1;
    }
    return true;
}

/* Without the rows of the sea all is sea: no coastline, but a map. */
static void read_sea(const struct sst_page_node *map, struct field *field)
{
    const struct sst_page_node sea = sst_page_node_list(map, "sea");
    memset(field->is_sea, 1, field->n_cells);
    if (!sst_page_node_is_there(sea))
        return;
    for (size_t row = 0; row < field->rows; ++row) {
        const char *cells = sst_page_node_text_at(&sea, row);
        if (!cells || strlen(cells) != field->cols) {
            sst_page_node_note(map, "sea", "not a text of cols characters for each row");
            memset(field->is_sea, 1, field->n_cells);
            return;
        }
        for (size_t col = 0; col < field->cols; ++col)
            field->is_sea[row * field->cols + col] = cells[col] != '0';
    }
}

/* --- the scale ---------------------------------------------------------------------------------------------------- */

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return a < b ? -1 : a > b;
}

/* The next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten. */
static double round_up(double value)
{
    static const double steps[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    if (!(value > 0))
        return 0;
    const double power = pow(10, floor(log10(value)));
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof steps[0] && steps[i] * power < value * (1 - 1e-9))
        ++i;
    return steps[i] * power;
}

/* sorted: scratch for n_values. */
static void choose_scale(struct field *field, bool is_signed, double *sorted)
{
    size_t n = 0;
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < field->n_cells; ++i) {
        const double value = field->values[i];
        if (isnan(value))
            continue;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        sorted[n++] = is_signed ? fabs(value) : value;
    }
    qsort(sorted, n, sizeof *sorted, ascending);
    const double at_share = n ? sorted[(size_t)(SHARE_WITHIN_SCALE * (double)(n - 1))] : 0;
    field->high = round_up(at_share > 0 ? at_share : greatest);
    if (!(field->high > 0))
        field->high = 1;
    field->low = is_signed ? -field->high : least < 0 ? -round_up(-least) : 0;
    field->has_beyond = n > 0 && (least < field->low || greatest > field->high);
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

static bool is_coarser_than_grid(const struct sst_page *page, const struct field *field)
{
    const struct sst_page_node grid = sst_page_node_object(&page->root, "grid");
    return sst_page_node_number(&grid, "n_lat") > (double)field->rows ||
           sst_page_node_number(&grid, "n_lon") > (double)field->cols;
}

struct map_words {
    const char *title, *unit;
    bool is_signed, is_sparse;
};

static void put_caption(const struct sst_page *page, const struct field *field, const struct map_words *words)
{
    struct sst_text *out = page->out;
    sst_text_add(out, "\n<figcaption>");
    sst_text_add_escaped(out, words->title);
    if (*words->unit) {
        sst_text_add(out, ", in ");
        sst_text_add_escaped(out, words->unit);
    }
    sst_text_add(out, words->is_signed ? "; white is zero." : ".");
    if (words->is_sparse)
        sst_text_add(out, " Only cells of the sample are coloured; nothing is interpolated between them.");
    else if (is_coarser_than_grid(page, field))
        sst_text_addf(out, " Each of the %zu x %zu blocks is the mean of the cells in it.", field->rows, field->cols);
    if (field->has_beyond)
        sst_text_add(out, " Values beyond the scale have the colour of its end.");
    sst_text_add(out, " Land is grey.</figcaption>\n</figure>\n");
}

static void put_map(const struct sst_page *page, const struct sst_page_node *map, const struct field *field,
                    const struct map_words *words)
{
    const double north = sst_page_node_number(map, "north"), south = sst_page_node_number(map, "south");
    const double west = sst_page_node_number(map, "west"), east = sst_page_node_number(map, "east");
    if (!(north <= 90.001 && south >= -90.001 && north > south && west >= -720 && east <= 720 && east > west)) {
        sst_page_node_note(map, NULL, "north, south, west, east are not the edges of a map");
        return;
    }
    const struct sst_chart_map chart = {
        .title = words->title,
        .description = words->is_sparse ? "Map with a dot at each cell of the sample" : "Map of all cells",
        .width = SST_PAGE_CHART_WIDTH,
        .n_rows = field->rows,
        .n_cols = field->cols,
        .north = north,
        .south = south,
        .west = west,
        .east = east,
        .values = field->values,
        .is_sea = field->is_sea,
        .scale = words->is_signed ? SST_COLOUR_DIVERGING : SST_COLOUR_SEQUENTIAL,
        .low = field->low,
        .high = field->high,
        .unit = words->unit,
        .as_points = words->is_sparse,
    };
    sst_text_add(page->out, "<figure>\n");
    sst_chart_map_write(&chart, page->out);
    put_caption(page, field, words);
}

/* "degC" and "1" are how units are spelled in files; people read °C and percent. */
static const char *shown_unit(const char *unit)
{
    if (!unit)
        return "";
    return strcmp(unit, "degC") == 0 ? "°C" : strcmp(unit, "1") == 0 ? "%" : unit;
}

static void read_and_put(const struct sst_page *page, const struct sst_page_node *map)
{
    struct field field = {0};
    double *sorted = NULL;
    enum sst_status rc = SST_OK;
    const char *title = sst_page_node_text(map, "title");
    const struct map_words words = {
        .title = title ? title : "Map without a title",
        .unit = shown_unit(sst_page_node_text(map, "unit")),
        .is_signed = sst_page_node_bool(map, "is_signed", false),
        .is_sparse = sst_page_node_bool(map, "is_sparse", false),
    };
    if (!read_size(map, &field))
        return;
    SST_TRY_GOTO(sst_alloc(field.n_cells, sizeof *field.values, "a map", &field.values, NULL));
    SST_TRY_GOTO(sst_alloc(field.n_cells, sizeof *sorted, "a map", &sorted, NULL));
    SST_TRY_GOTO(sst_alloc(field.n_cells, 1, "a map", &field.is_sea, NULL));
    if (!read_values(map, &field) || field.n_values == 0)
        goto done;
    read_sea(map, &field);
    choose_scale(&field, words.is_signed, sorted);
    put_map(page, map, &field, &words);
done:
    if (rc != SST_OK && page->out->failed == SST_OK)
        page->out->failed = rc;
    sst_free(field.values);
    sst_free(field.is_sea);
    sst_free(sorted);
}

void sst_page_maps(const struct sst_page *page)
{
    const struct sst_page_node maps = sst_page_node_list(&page->root, "maps");
    const size_t n = sst_page_node_size(&maps, MAX_MAPS);
    if (n == 0)
        return;
    const size_t mark = sst_page_figures_open(page->out);
    for (size_t i = 0; i < n; ++i) {
        const struct sst_page_node map = sst_page_node_object_at(&maps, i);
        if (sst_page_node_is_there(map))
            read_and_put(page, &map);
    }
    sst_page_figures_close(page->out, mark);
}
