/* Maps: equal degrees, the field as an inline picture, the coast and sparse values as lines and boxes, and a colour bar. */
#include "write/chart.h"

#include <math.h>
#include <stdio.h>

#include "core/mem.h"
#include "write/chart_axis.h"
#include "write/chart_raster.h"
#include "write/svg.h"

/* Of the picture [px]. */
enum {
    DEFAULT_WIDTH = 640,
    SMALLEST_WIDTH = 240,
    LARGEST_WIDTH = 4000,
    EDGE = 8,
    TICK_LENGTH = 4,
    TICK_GAP = 4,
    LATITUDE_ROOM = 46, /* for "62.5°S" */
    BAR_GAP = 18, /* between the map and the colour bar */
    BAR_WIDTH = 14,
    ARROW_LENGTH = 10, /* at an end beyond which there are values */
    UNIT_GAP = 8,
    SMALLEST_SIDE = 48, /* of a field of few rows or columns: drawn wider than it is */
    SMALLEST_BAR = 90,
    PX_PER_BAR_TICK = 36,
    PX_PER_LONGITUDE = 60, /* between two labels, about */
    PX_PER_LATITUDE = 40
};

/* A map is at most so much higher than wide. */
#define TALLEST 1.4
/* Near the poles a degree of longitude is drawn as if it were this share of one of latitude. */
#define NARROWEST_DEGREE 0.2
/* Sides of the box of a value that stands alone: smaller where there are many [px]. */
#define SMALLEST_BOX 3.0
#define LARGEST_BOX 4.5
/* Where boxes would cover more of the map than this they hide each other, and the means of small blocks are drawn. */
#define MOST_COVERED 0.6

struct frame {
    double left, top, width, height; /* [px] of the field */
    double bar_left, bar_top, bar_height;
    double total_width, total_height;
};

/* --- what is drawn ------------------------------------------------------------------------------------------------ */

static void fail(struct sst_text *out, enum sst_status rc)
{
    if (out->failed == SST_OK)
        out->failed = rc;
}

static bool is_drawable(const struct sst_chart_map *map)
{
    return map->n_rows > 0 && map->n_cols > 0 && map->values && map->north > map->south && map->east > map->west &&
           isfinite(map->north - map->south) && isfinite(map->east - map->west);
}

static bool has_value(const struct sst_chart_map *map, size_t cell)
{
    return isfinite(map->values[cell]) && (!map->is_sea || map->is_sea[cell]);
}

static struct sst_extent extent_of(const struct sst_chart_map *map)
{
    struct sst_extent extent = {0};
    for (size_t cell = 0; cell < map->n_rows * map->n_cols; ++cell) {
        if (has_value(map, cell))
            sst_extent_add(&extent, map->values[cell]);
    }
    return extent;
}

/* The given range, else that of the data; about zero on a diverging scale. */
static struct sst_colour_range range_of(const struct sst_chart_map *map, struct sst_extent extent)
{
    struct sst_axis axis;
    const int n_steps = 6;
    struct sst_chart_axis spec = {.low = map->low, .high = map->high};
    const bool is_given = isfinite(map->low) && isfinite(map->high) && map->low < map->high;
    if (!is_given)
        spec.low = spec.high = 0.0;
    if (!is_given && map->scale == SST_COLOUR_DIVERGING && extent.n > 0) {
        sst_extent_add(&extent, -extent.low);
        sst_extent_add(&extent, -extent.high);
    }
    sst_axis_make(&axis, &spec, extent, n_steps);
    if (map->scale == SST_COLOUR_DIVERGING) {
        const double most = fmax(fabs(axis.low), fabs(axis.high));
        return (struct sst_colour_range){map->scale, -most, most};
    }
    return (struct sst_colour_range){map->scale, axis.low, axis.high};
}

static double between(double least, double value, double most) { return fmin(fmax(value, least), most); }

static double bar_label_width(const struct sst_axis *axis)
{
    char buffer[SST_TICK_LABEL_SIZE];
    double widest = 0.0;
    for (size_t i = 0; i < axis->ticks.n; ++i)
        widest = fmax(widest, sst_svg_text_width(sst_axis_label(axis, i, buffer), SST_SVG_TICK_SIZE));
    return widest;
}

static double width_of(const struct sst_chart_map *map)
{
    return map->width <= 0 ? DEFAULT_WIDTH : between(SMALLEST_WIDTH, map->width, LARGEST_WIDTH);
}

static struct frame lay_out(const struct sst_chart_map *map, double bar_labels)
{
    const double degree = 3.14159265358979323846 / 180.0;
    const double right = BAR_GAP + BAR_WIDTH + TICK_LENGTH + TICK_GAP + bar_labels +
                         (map->unit ? UNIT_GAP + SST_SVG_LABEL_SIZE : 0) + EDGE;
    struct frame frame = {.left = LATITUDE_ROOM + TICK_LENGTH + TICK_GAP, .top = EDGE + ARROW_LENGTH};
    const double middle = between(-90.0, (map->north + map->south) / 2.0, 90.0);
    const double widest = fmax(width_of(map) - frame.left - right, SMALLEST_SIDE);
    const double aspect =
        (map->north - map->south) / ((map->east - map->west) * fmax(cos(middle * degree), NARROWEST_DEGREE));
    frame.width = between(SMALLEST_SIDE, widest * fmin(1.0, TALLEST / aspect), widest);
    frame.height = between(SMALLEST_SIDE, frame.width * aspect, TALLEST * widest);
    frame.bar_height = fmax(frame.height, SMALLEST_BAR);
    frame.bar_left = frame.left + frame.width + BAR_GAP;
    frame.bar_top = frame.top;
    frame.top += (frame.bar_height - frame.height) / 2.0;
    frame.total_width = frame.left + frame.width + right;
    frame.total_height = frame.bar_top + frame.bar_height + ARROW_LENGTH + EDGE + SST_SVG_TICK_SIZE;
    return frame;
}

/* --- degrees ------------------------------------------------------------------------------------------------------ */

struct degrees {
    double step;
    int decimals;
};

/* The finest one that gives no more than `most` ticks. */
static struct degrees degrees_step(double span, double most)
{
    static const struct degrees steps[] = {{0.01, 2}, {0.02, 2}, {0.05, 2}, {0.1, 1}, {0.2, 1}, {0.5, 1},
                                           {1, 0},    {2, 0},    {5, 0},    {10, 0},  {15, 0},  {30, 0},
                                           {45, 0},   {60, 0},   {90, 0},   {180, 0}};
    const size_t n_steps = sizeof steps / sizeof steps[0];
    size_t i = 0;
    while (i < n_steps - 1 && span / steps[i].step > most)
        ++i;
    return steps[i];
}

/* As people write them: 30°S, 0°, 179.5°W; longitudes may go round any number of times. */
static void degrees_label(char *buffer, size_t size, double value, int decimals, bool is_longitude)
{
    double shown = is_longitude ? fmod(value, 360.0) : value;
    if (is_longitude && shown > 180.0)
        shown -= 360.0;
    if (is_longitude && shown < -180.0)
        shown += 360.0;
    const long unit = decimals == 2 ? 100 : decimals == 1 ? 10 : 1, digits = lround(fabs(shown) * (double)unit);
    const bool has_side = digits != 0 && !(is_longitude && digits == 180 * unit);
    const char *side = !has_side ? "" : is_longitude ? (shown < 0.0 ? "W" : "E") : (shown < 0.0 ? "S" : "N");
    if (digits % unit)
        (void)snprintf(buffer, size, "%ld.%0*ld\xC2\xB0%s", digits / unit, decimals, digits % unit, side);
    else
        (void)snprintf(buffer, size, "%ld\xC2\xB0%s", digits / unit, side);
}

/* One side's ticks (lines into `ticks`) and labels (into `labels`). */
static void add_degrees(struct sst_text *ticks, struct sst_text *labels, const struct frame *frame,
                        const struct sst_chart_map *map, bool is_longitude)
{
    const double low = is_longitude ? map->west : map->south, high = is_longitude ? map->east : map->north;
    const double length = is_longitude ? frame->width : frame->height, rounding = 1e-6;
    const struct degrees degrees =
        degrees_step(high - low, length / (is_longitude ? PX_PER_LONGITUDE : PX_PER_LATITUDE));
    const double first = ceil(low / degrees.step - rounding), last = floor(high / degrees.step + rounding);
    const double bottom = frame->top + frame->height, most = 64;
    for (double i = first; i <= last && i - first < most; i += 1.0) {
        char text[SST_TICK_LABEL_SIZE];
        struct sst_svg_label label = {.size = SST_SVG_TICK_SIZE, .text = text};
        const double at = (i * degrees.step - low) / (high - low);
        degrees_label(text, sizeof text, i * degrees.step, degrees.decimals, is_longitude);
        if (is_longitude) {
            label.x = frame->left + at * length;
            label.y = bottom + TICK_LENGTH + TICK_GAP + SST_SVG_TICK_SIZE - 2;
            label.anchor = "middle";
            sst_svg_line(ticks, label.x, bottom, label.x, bottom + TICK_LENGTH);
        } else {
            label.x = frame->left - TICK_LENGTH - TICK_GAP;
            label.y = bottom - at * length;
            label.anchor = "end";
            label.is_centred = true;
            sst_svg_line(ticks, frame->left - TICK_LENGTH, label.y, frame->left, label.y);
        }
        sst_svg_label(labels, &label);
    }
}

static void draw_frame(struct sst_text *out, const struct frame *frame, const struct sst_chart_map *map)
{
    struct sst_text labels = {0};
    sst_svg_path_begin(out, "fill=\"none\" stroke=\"#444\" stroke-width=\"1\"");
    sst_svg_box(out, frame->left, frame->top, frame->width, frame->height);
    add_degrees(out, &labels, frame, map, true);
    add_degrees(out, &labels, frame, map, false);
    sst_svg_path_end(out);
    sst_text_add(out, labels.data);
    fail(out, labels.failed);
    sst_text_clear(&labels);
}

/* --- the field ---------------------------------------------------------------------------------------------------- */

static void add_image(struct sst_text *out, const struct sst_raster *raster, enum sst_colour_scale scale,
                      const double box[4])
{
    static const char *const names[] = {"x", "y", "width", "height"};
    sst_text_add(out, "<image");
    for (int i = 0; i < 4; ++i)
        sst_svg_attribute(out, names[i], box[i]);
    sst_text_add(out, " preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"");
    sst_raster_add_png(out, raster, scale);
    sst_text_add(out, "\"/>\n");
}

static void draw_coast(struct sst_text *out, const struct frame *frame, const struct sst_raster *raster)
{
    struct sst_text coast = {0};
    sst_raster_add_coast(&coast, raster);
    if (coast.size > 0) {
        sst_text_addf(out, "<path transform=\"translate(");
        sst_svg_number(out, frame->left);
        sst_text_add(out, " ");
        sst_svg_number(out, frame->top);
        sst_text_addf(out, ")scale(%.6g %.6g)\"", frame->width / (double)raster->n_cols,
                      frame->height / (double)raster->n_rows);
        sst_text_add(out,
                     " fill=\"none\" stroke=\"#333\" stroke-width=\"0.6\" vector-effect=\"non-scaling-stroke\" d=\"");
        sst_text_add_bytes(out, coast.data, coast.size);
        sst_svg_path_end(out);
    }
    fail(out, coast.failed);
    sst_text_clear(&coast);
}

/* Values that stand alone. */
struct points {
    size_t *cells;
    size_t n;
    double width, height; /* [px] of the box of each */
};

/* Boxes of one level in one path. */
static void draw_level(struct sst_text *out, const struct frame *frame, const struct sst_chart_map *map,
                       const struct sst_colour_range *range, const struct points *points, uint8_t level)
{
    const double cell_width = frame->width / (double)map->n_cols, cell_height = frame->height / (double)map->n_rows;
    bool is_open = false;
    for (size_t i = 0; i < points->n; ++i) {
        const size_t cell = points->cells[i];
        if (sst_raster_level(range, map->values[cell]) != level)
            continue;
        if (!is_open) {
            sst_text_add(out, "<path fill=\"");
            sst_svg_colour(out, sst_raster_colour(map->scale, level));
            sst_text_add(out, "\" d=\"");
            is_open = true;
        }
        const double x = frame->left + ((double)(cell % map->n_cols) + 0.5) * cell_width;
        const double y = frame->top + ((double)(cell / map->n_cols) + 0.5) * cell_height;
        sst_svg_box(out, x - points->width / 2.0, y - points->height / 2.0, points->width, points->height);
    }
    if (is_open)
        sst_svg_path_end(out);
}

/* Those far from zero last and so on top. */
static void draw_points(struct sst_text *out, const struct frame *frame, const struct sst_chart_map *map,
                        const struct sst_colour_range *range, struct points *points)
{
    const size_t n_values = points->n;
    const enum sst_status rc = sst_alloc(n_values, sizeof *points->cells, "cells of points", &points->cells, NULL);
    if (rc != SST_OK) {
        fail(out, rc);
        return;
    }
    points->n = 0;
    for (size_t cell = 0; cell < map->n_rows * map->n_cols && points->n < n_values; ++cell) {
        if (has_value(map, cell))
            points->cells[points->n++] = cell;
    }
    const int zero = map->scale == SST_COLOUR_DIVERGING ? SST_RASTER_LEVELS / 2 : 0;
    sst_text_add(out, "<g stroke=\"#333\" stroke-width=\"0.4\">\n");
    for (int away = 0; away < SST_RASTER_LEVELS; ++away) {
        if (zero + away < SST_RASTER_LEVELS)
            draw_level(out, frame, map, range, points, (uint8_t)(SST_RASTER_FIRST + zero + away));
        if (away > 0 && zero - away >= 0)
            draw_level(out, frame, map, range, points, (uint8_t)(SST_RASTER_FIRST + zero - away));
    }
    sst_text_add(out, "</g>\n");
    sst_free(points->cells);
}

static void draw_raster(struct sst_text *out, const struct frame *frame, const struct sst_chart_map *map,
                        const struct sst_colour_range *range, const struct sst_raster_view *view)
{
    struct sst_raster raster = {0};
    const enum sst_status rc = sst_raster_make(map, range, view, &raster);
    if (rc != SST_OK) {
        fail(out, rc);
        return;
    }
    add_image(out, &raster, map->scale, (const double[]){frame->left, frame->top, frame->width, frame->height});
    if (view->has_land)
        draw_coast(out, frame, &raster);
    sst_free(raster.indices);
}

static void draw_field(struct sst_text *out, const struct frame *frame, const struct sst_chart_map *map,
                       const struct sst_colour_range *range, size_t n_values)
{
    const struct sst_raster_view whole = {true, !map->as_points, SST_RASTER_LARGEST_SIDE, SST_RASTER_LARGEST_SIDE};
    draw_raster(out, frame, map, range, &whole);
    if (!map->as_points || n_values == 0)
        return;
    const double side =
        between(SMALLEST_BOX, sqrt(frame->width * frame->height / (2.0 * (double)n_values)), LARGEST_BOX);
    struct points points = {NULL, n_values, fmax(frame->width / (double)map->n_cols, side),
                            fmax(frame->height / (double)map->n_rows, side)};
    if ((double)n_values * points.width * points.height <= MOST_COVERED * frame->width * frame->height) {
        draw_points(out, frame, map, range, &points);
        return;
    }
    const struct sst_raster_view blocks = {false, true, (size_t)(frame->height / SMALLEST_BOX),
                                           (size_t)(frame->width / SMALLEST_BOX)};
    draw_raster(out, frame, map, range, &blocks);
}

/* --- the colour bar ----------------------------------------------------------------------------------------------- */

static void draw_arrow(struct sst_text *out, const struct frame *frame, enum sst_colour_scale scale, bool is_above)
{
    const double base = is_above ? frame->bar_top : frame->bar_top + frame->bar_height;
    const uint8_t end = is_above ? SST_RASTER_COLOURS - 1 : SST_RASTER_FIRST;
    sst_text_add(out, "<path fill=\"");
    sst_svg_colour(out, sst_raster_colour(scale, end));
    sst_text_add(out, "\" stroke=\"#444\" stroke-width=\"0.8\" stroke-linejoin=\"round\" d=\"");
    sst_svg_point(out, 'M', frame->bar_left, base);
    sst_svg_point(out, 'L', frame->bar_left + BAR_WIDTH / 2.0, is_above ? base - ARROW_LENGTH : base + ARROW_LENGTH);
    sst_svg_point(out, 'L', frame->bar_left + BAR_WIDTH, base);
    sst_text_add(out, "z\"/>\n");
}

static void draw_bar(struct sst_text *out, const struct frame *frame, const struct sst_axis *axis,
                     const struct sst_chart_map *map)
{
    uint8_t indices[SST_RASTER_LEVELS];
    char buffer[SST_TICK_LABEL_SIZE];
    const struct sst_raster raster = {SST_RASTER_LEVELS, 1, indices};
    const double right = frame->bar_left + BAR_WIDTH;
    for (int i = 0; i < SST_RASTER_LEVELS; ++i)
        indices[i] = (uint8_t)(SST_RASTER_COLOURS - 1 - i);
    add_image(out, &raster, map->scale,
              (const double[]){frame->bar_left, frame->bar_top, BAR_WIDTH, frame->bar_height});
    sst_svg_path_begin(out, "fill=\"none\" stroke=\"#444\" stroke-width=\"0.8\"");
    sst_svg_box(out, frame->bar_left, frame->bar_top, BAR_WIDTH, frame->bar_height);
    for (size_t i = 0; i < axis->ticks.n; ++i) {
        const double y = frame->bar_top + (1.0 - sst_axis_share(axis, axis->ticks.values[i])) * frame->bar_height;
        sst_svg_line(out, right, y, right + TICK_LENGTH, y);
    }
    sst_svg_path_end(out);
    for (size_t i = 0; i < axis->ticks.n; ++i) {
        const double y = frame->bar_top + (1.0 - sst_axis_share(axis, axis->ticks.values[i])) * frame->bar_height;
        sst_svg_label(out, &(struct sst_svg_label){.x = right + TICK_LENGTH + TICK_GAP,
                                                   .y = y,
                                                   .size = SST_SVG_TICK_SIZE,
                                                   .text = sst_axis_label(axis, i, buffer),
                                                   .is_centred = true});
    }
    sst_svg_label(out, &(struct sst_svg_label){.x = right + TICK_LENGTH + TICK_GAP + bar_label_width(axis) + UNIT_GAP +
                                                    SST_SVG_LABEL_SIZE,
                                               .y = frame->bar_top + frame->bar_height / 2.0,
                                               .size = SST_SVG_LABEL_SIZE,
                                               .anchor = "middle",
                                               .text = map->unit,
                                               .is_upwards = true,
                                               .room = frame->bar_height + 2 * ARROW_LENGTH});
}

/* --- the map ------------------------------------------------------------------------------------------------------ */

static void say_no_data(struct sst_text *out, double x, double y)
{
    sst_svg_label(
        out,
        &(struct sst_svg_label){
            .x = x, .y = y, .size = SST_SVG_LABEL_SIZE, .anchor = "middle", .text = "no data", .is_centred = true});
}

void sst_chart_map_write(const struct sst_chart_map *map, struct sst_text *out)
{
    struct sst_axis axis;
    if (!is_drawable(map)) {
        sst_svg_begin(out, width_of(map), SMALLEST_BAR, map->title, map->description);
        say_no_data(out, width_of(map) / 2.0, SMALLEST_BAR / 2.0);
        sst_svg_end(out);
        return;
    }
    const struct sst_extent extent = extent_of(map);
    const struct sst_colour_range range = range_of(map, extent);
    const struct sst_chart_axis spec = {.low = range.low, .high = range.high};
    sst_axis_make(&axis, &spec, extent, SST_MAX_TICKS / 2);
    struct frame frame = lay_out(map, bar_label_width(&axis));
    sst_axis_make(&axis, &spec, extent, (int)(frame.bar_height / PX_PER_BAR_TICK));
    sst_svg_begin(out, frame.total_width, frame.total_height, map->title, map->description);
    draw_field(out, &frame, map, &range, extent.n);
    draw_frame(out, &frame, map);
    if (extent.n > 0 && extent.low < range.low)
        draw_arrow(out, &frame, map->scale, false);
    if (extent.n > 0 && extent.high > range.high)
        draw_arrow(out, &frame, map->scale, true);
    draw_bar(out, &frame, &axis, map);
    if (extent.n == 0)
        say_no_data(out, frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
    sst_svg_end(out);
}
