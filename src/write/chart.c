/* Charts: where the axes lie, then grid, bars, hair lines, lines and points, then what names them. */
#include "write/chart.h"

#include <math.h>

#include "write/chart_plot.h"
#include "write/svg.h"

/* Of the picture [px]. */
enum {
    DEFAULT_WIDTH = 640,
    DEFAULT_HEIGHT = 320,
    SMALLEST_SIDE = 120,
    LARGEST_SIDE = 4000,
    EDGE = 8, /* free at the outer edge */
    TICK_LENGTH = 4,
    TICK_GAP = 4, /* between a tick and its label */
    LABEL_GAP = 8, /* between the labels of ticks and that of the axis */
    LEGEND_ROW = 18,
    SWATCH_GAP = 6,
    LEGEND_GAP = 18, /* between two entries */
    PX_PER_X_TICK = 75, /* about */
    PX_PER_Y_TICK = 40
};

/* --- ranges ------------------------------------------------------------------------------------------------------- */

static size_t find_extents(const struct sst_chart *chart, struct sst_extent *x, struct sst_extent *y)
{
    for (size_t s = 0; s < chart->n_series; ++s) {
        const struct sst_chart_series *series = &chart->series[s];
        const double half = series->kind == SST_SERIES_BARS ? sst_series_bar_width(series) / 2.0 : 0.0;
        for (size_t i = 0; i < series->n; ++i) {
            if (!sst_series_has(series, i))
                continue;
            sst_extent_add(x, series->x[i] - half);
            sst_extent_add(x, series->x[i] + half);
            sst_extent_add(y, series->y[i]);
            if (series->kind == SST_SERIES_BARS)
                sst_extent_add(y, 0.0);
        }
    }
    const size_t n_pairs = y->n;
    for (size_t i = 0; i < chart->n_marks_x; ++i)
        sst_extent_add(x, chart->marks_x[i]);
    for (size_t i = 0; i < chart->n_marks_y; ++i)
        sst_extent_add(y, chart->marks_y[i]);
    return n_pairs;
}

/* --- layout ------------------------------------------------------------------------------------------------------- */

static double widest_label(const struct sst_axis *axis)
{
    char buffer[SST_TICK_LABEL_SIZE];
    double widest = 0.0;
    for (size_t i = 0; i < sst_axis_n_ticks(axis); ++i)
        widest = fmax(widest, sst_svg_text_width(sst_axis_label(axis, i, buffer), SST_SVG_TICK_SIZE));
    return widest;
}

static bool has_legend(const struct sst_chart *chart)
{
    size_t n_labels = 0;
    for (size_t s = 0; s < chart->n_series; ++s)
        n_labels += chart->series[s].label != NULL;
    return n_labels > 1;
}

static double entry_width(const struct sst_chart_series *series)
{
    return SST_SWATCH_WIDTH + SWATCH_GAP + sst_svg_text_width(series->label, SST_SVG_TICK_SIZE) + LEGEND_GAP;
}

/* Rows that the legend takes, filled from the left. */
static int legend_rows(const struct sst_chart *chart, double width)
{
    int n_rows = 1;
    double used = 0.0;
    for (size_t s = 0; s < chart->n_series; ++s) {
        if (!chart->series[s].label)
            continue;
        const double wanted = entry_width(&chart->series[s]);
        if (used > 0.0 && used + wanted > width) {
            ++n_rows;
            used = 0.0;
        }
        used += wanted;
    }
    return n_rows;
}

/* Fewer round ticks until their labels stand apart. */
static void make_x_axis(struct sst_plot *plot, const struct sst_chart_axis *spec, struct sst_extent data)
{
    const double width = plot->right - plot->left;
    int wanted = (int)(width / PX_PER_X_TICK);
    do {
        sst_axis_make(&plot->x, spec, data, wanted);
    } while (!plot->x.own && (widest_label(&plot->x) + 2 * TICK_GAP) * (double)plot->x.ticks.n > width &&
             --wanted >= 2);
}

static void lay_out(struct sst_plot *plot, const struct sst_chart *chart, double width, double height)
{
    struct sst_extent x = {0}, y = {0};
    (void)find_extents(chart, &x, &y);
    const double half_letter = SST_SVG_TICK_SIZE / 2.0;
    plot->top = EDGE + half_letter;
    plot->bottom = height - EDGE - TICK_LENGTH - TICK_GAP - SST_SVG_TICK_SIZE -
                   (chart->x.label ? LABEL_GAP + SST_SVG_LABEL_SIZE : 0);
    sst_axis_make(&plot->y, &chart->y, y, (int)((plot->bottom - plot->top) / PX_PER_Y_TICK));
    plot->left =
        EDGE + TICK_LENGTH + TICK_GAP + widest_label(&plot->y) + (chart->y.label ? LABEL_GAP + SST_SVG_LABEL_SIZE : 0);
    plot->left = fmin(plot->left, width / 2.0);
    plot->right = width - EDGE;
    make_x_axis(plot, &chart->x, x);
    const size_t n_ticks = sst_axis_n_ticks(&plot->x);
    if (n_ticks > 0 && !plot->x.own) { /* the last label stands half beyond its tick */
        plot->right -= fmax(widest_label(&plot->x) / 2.0 - EDGE, 0.0);
        plot->right = fmax(plot->right, plot->left + EDGE);
    }
    if (has_legend(chart))
        plot->top += LEGEND_ROW * legend_rows(chart, plot->right - plot->left);
    plot->top = fmin(plot->top, plot->bottom - EDGE);
}

/* --- axes --------------------------------------------------------------------------------------------------------- */

static bool is_on_axis(const struct sst_axis *axis, double value)
{
    const double share = isfinite(value) ? sst_axis_share(axis, value) : -1.0, rounding = 1e-6;
    return share >= -rounding && share <= 1.0 + rounding;
}

/* Lines across the plot at values of either axis. */
static void add_hairs(struct sst_text *out, const struct sst_plot *plot, bool is_x, const double *values, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (!is_on_axis(is_x ? &plot->x : &plot->y, values[i]))
            continue;
        if (is_x)
            sst_svg_line(out, sst_plot_x(plot, values[i]), plot->top, sst_plot_x(plot, values[i]), plot->bottom);
        else
            sst_svg_line(out, plot->left, sst_plot_y(plot, values[i]), plot->right, sst_plot_y(plot, values[i]));
    }
}

static void draw_grid(struct sst_text *out, const struct sst_plot *plot)
{
    sst_svg_path_begin(out, "fill=\"none\" stroke=\"#e2e2e2\" stroke-width=\"0.8\"");
    for (size_t i = 0; i < sst_axis_n_ticks(&plot->x); ++i) {
        const double at = sst_axis_tick(&plot->x, i);
        add_hairs(out, plot, true, &at, 1);
    }
    for (size_t i = 0; i < sst_axis_n_ticks(&plot->y); ++i) {
        const double at = sst_axis_tick(&plot->y, i);
        add_hairs(out, plot, false, &at, 1);
    }
    sst_svg_path_end(out);
}

static void draw_marks(struct sst_text *out, const struct sst_plot *plot, const struct sst_chart *chart)
{
    if (chart->n_marks_x + chart->n_marks_y == 0)
        return;
    sst_svg_path_begin(out, "fill=\"none\" stroke=\"#555\" stroke-width=\"1\" stroke-dasharray=\"2 2\"");
    add_hairs(out, plot, true, chart->marks_x, chart->n_marks_x);
    add_hairs(out, plot, false, chart->marks_y, chart->n_marks_y);
    sst_svg_path_end(out);
}

static void draw_axis_lines(struct sst_text *out, const struct sst_plot *plot)
{
    sst_svg_path_begin(out, "fill=\"none\" stroke=\"#444\" stroke-width=\"1\"");
    sst_svg_line(out, plot->left, plot->top, plot->left, plot->bottom);
    sst_svg_line(out, plot->left, plot->bottom, plot->right, plot->bottom);
    for (size_t i = 0; i < sst_axis_n_ticks(&plot->x); ++i) {
        const double at = sst_axis_tick(&plot->x, i);
        if (is_on_axis(&plot->x, at))
            sst_svg_line(out, sst_plot_x(plot, at), plot->bottom, sst_plot_x(plot, at), plot->bottom + TICK_LENGTH);
    }
    for (size_t i = 0; i < sst_axis_n_ticks(&plot->y); ++i) {
        const double at = sst_axis_tick(&plot->y, i);
        if (is_on_axis(&plot->y, at))
            sst_svg_line(out, plot->left - TICK_LENGTH, sst_plot_y(plot, at), plot->left, sst_plot_y(plot, at));
    }
    sst_svg_path_end(out);
}

/* Labels that would run into the one before, or out of the picture, are left out. */
static void draw_tick_labels(struct sst_text *out, const struct sst_plot *plot, double width)
{
    char buffer[SST_TICK_LABEL_SIZE];
    double free_from = 0.0, free_to = INFINITY;
    for (size_t i = 0; i < sst_axis_n_ticks(&plot->x); ++i) {
        const char *text = sst_axis_label(&plot->x, i, buffer);
        const double at = sst_axis_tick(&plot->x, i), x = sst_plot_x(plot, at);
        const double half = sst_svg_text_width(text, SST_SVG_TICK_SIZE) / 2.0;
        const bool is_clear = plot->x.low < plot->x.high ? x - half >= free_from : x + half <= free_to;
        if (!is_on_axis(&plot->x, at) || !is_clear || x + half > width)
            continue;
        sst_svg_label(out, &(struct sst_svg_label){.x = x,
                                                   .y = plot->bottom + TICK_LENGTH + TICK_GAP + SST_SVG_TICK_SIZE - 2,
                                                   .size = SST_SVG_TICK_SIZE,
                                                   .anchor = "middle",
                                                   .text = text});
        free_from = x + half + TICK_GAP;
        free_to = x - half - TICK_GAP;
    }
    double last = INFINITY;
    for (size_t i = 0; i < sst_axis_n_ticks(&plot->y); ++i) {
        const double at = sst_axis_tick(&plot->y, i), y = sst_plot_y(plot, at);
        if (!is_on_axis(&plot->y, at) || fabs(y - last) < SST_SVG_TICK_SIZE)
            continue;
        sst_svg_label(out, &(struct sst_svg_label){.x = plot->left - TICK_LENGTH - TICK_GAP,
                                                   .y = y,
                                                   .size = SST_SVG_TICK_SIZE,
                                                   .anchor = "end",
                                                   .text = sst_axis_label(&plot->y, i, buffer),
                                                   .is_centred = true});
        last = y;
    }
}

static void draw_axis_names(struct sst_text *out, const struct sst_plot *plot, const struct sst_chart *chart,
                            double height)
{
    sst_svg_label(out, &(struct sst_svg_label){.x = (plot->left + plot->right) / 2.0,
                                               .y = height - EDGE,
                                               .size = SST_SVG_LABEL_SIZE,
                                               .anchor = "middle",
                                               .text = chart->x.label,
                                               .room = 2.0 * plot->left + plot->right - plot->left});
    sst_svg_label(out, &(struct sst_svg_label){.x = EDGE / 2.0 + SST_SVG_LABEL_SIZE,
                                               .y = (plot->top + plot->bottom) / 2.0,
                                               .size = SST_SVG_LABEL_SIZE,
                                               .anchor = "middle",
                                               .text = chart->y.label,
                                               .is_upwards = true,
                                               .room = height - 2 * EDGE});
}

static void draw_series(struct sst_text *out, const struct sst_plot *plot, const struct sst_chart *chart, bool bars)
{
    for (size_t s = 0; s < chart->n_series; ++s) {
        const struct sst_chart_series *series = &chart->series[s];
        if ((series->kind == SST_SERIES_BARS) == bars)
            sst_series_draw(out, plot, series);
    }
}

/* --- legend ------------------------------------------------------------------------------------------------------- */

static void draw_legend(struct sst_text *out, const struct sst_plot *plot, const struct sst_chart *chart)
{
    const double width = plot->right - plot->left;
    double used = 0.0, y = EDGE + LEGEND_ROW / 2.0;
    for (size_t s = 0; s < chart->n_series; ++s) {
        const struct sst_chart_series *series = &chart->series[s];
        if (!series->label)
            continue;
        if (used > 0.0 && used + entry_width(series) > width) {
            y += LEGEND_ROW;
            used = 0.0;
        }
        sst_series_draw_swatch(out, series, plot->left + used, y);
        sst_svg_label(out, &(struct sst_svg_label){.x = plot->left + used + SST_SWATCH_WIDTH + SWATCH_GAP,
                                                   .y = y,
                                                   .size = SST_SVG_TICK_SIZE,
                                                   .text = series->label,
                                                   .is_centred = true,
                                                   .room = width - SST_SWATCH_WIDTH - SWATCH_GAP});
        used += entry_width(series);
    }
}

static double side_of(int wanted, int otherwise)
{
    if (wanted <= 0)
        return otherwise;
    return wanted < SMALLEST_SIDE ? SMALLEST_SIDE : wanted > LARGEST_SIDE ? LARGEST_SIDE : wanted;
}

void sst_chart_write(const struct sst_chart *chart, struct sst_text *out)
{
    const double width = side_of(chart->width, DEFAULT_WIDTH), height = side_of(chart->height, DEFAULT_HEIGHT);
    struct sst_plot plot;
    struct sst_extent x = {0}, y = {0};
    lay_out(&plot, chart, width, height);
    sst_svg_begin(out, width, height, chart->title, chart->description);
    draw_grid(out, &plot);
    draw_series(out, &plot, chart, true);
    draw_marks(out, &plot, chart);
    draw_series(out, &plot, chart, false);
    draw_axis_lines(out, &plot);
    draw_tick_labels(out, &plot, width);
    draw_axis_names(out, &plot, chart, height);
    if (has_legend(chart))
        draw_legend(out, &plot, chart);
    if (find_extents(chart, &x, &y) == 0)
        sst_svg_label(out, &(struct sst_svg_label){.x = (plot.left + plot.right) / 2.0,
                                                   .y = (plot.top + plot.bottom) / 2.0,
                                                   .size = SST_SVG_LABEL_SIZE,
                                                   .anchor = "middle",
                                                   .text = "no data",
                                                   .is_centred = true});
    sst_svg_end(out);
}
