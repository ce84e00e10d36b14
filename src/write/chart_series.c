/* Lines, bars and points: one path each, clipped by arithmetic, of as few points as the eye can tell. */
#include "write/chart_plot.h"

#include <math.h>

#include "core/mem.h"
#include "write/svg.h"

/* Places per px at which points count as different. */
enum { POINT_STEPS = 2 };

double sst_plot_x(const struct sst_plot *plot, double value)
{
    return plot->left + sst_axis_share(&plot->x, value) * (plot->right - plot->left);
}

double sst_plot_y(const struct sst_plot *plot, double value)
{
    return plot->bottom - sst_axis_share(&plot->y, value) * (plot->bottom - plot->top);
}

static bool is_inside(const struct sst_plot *plot, double x, double y)
{
    const double rounding = 0.05;
    return x >= plot->left - rounding && x <= plot->right + rounding && y >= plot->top - rounding &&
           y <= plot->bottom + rounding;
}

bool sst_series_has(const struct sst_chart_series *series, size_t i)
{
    return isfinite(series->x[i]) && isfinite(series->y[i]);
}

double sst_series_bar_width(const struct sst_chart_series *series)
{
    const double share = 0.9;
    if (series->bar_width > 0.0 && isfinite(series->bar_width))
        return series->bar_width;
    struct sst_extent extent = {0};
    for (size_t i = 0; i < series->n; ++i)
        sst_extent_add(&extent, series->x[i]);
    const double width = extent.n > 1 ? share * (extent.high - extent.low) / (double)(extent.n - 1) : share;
    return width > 0.0 ? width : share;
}

/* What tells lines of one lightness apart in grey. */
static const char *dashes_of(const struct sst_chart_series *series)
{
    static const char *const dashes[SST_N_SERIES_COLOURS] = {NULL, NULL, NULL, "9 3", "9 3 2 3", "2 2"};
    const char *own = series->colour >= 0 ? dashes[series->colour % SST_N_SERIES_COLOURS] : NULL;
    return series->dashed ? "5 3" : own;
}

static void begin_series(struct sst_text *out, const struct sst_chart_series *series)
{
    const struct sst_colour colour = sst_colour_of_series(series->colour);
    if (series->kind == SST_SERIES_BARS) {
        sst_text_add(out, "<path fill=\"");
        sst_svg_colour(out, colour);
        sst_text_add(out, series->dashed ? "\" fill-opacity=\"0.45\"" : "\"");
    } else {
        sst_text_add(out, "<path fill=\"none\" stroke=\"");
        sst_svg_colour(out, colour);
        if (series->kind == SST_SERIES_POINTS) /* odd colours are square */
            sst_text_addf(out, "\" stroke-width=\"3.2\" stroke-linecap=\"%s\" stroke-opacity=\"0.75\"",
                          series->colour % 2 ? "square" : "round");
        else
            sst_text_addf(out, "\" stroke-width=\"1.8\" stroke-linejoin=\"round\" stroke-linecap=\"%s\"",
                          dashes_of(series) ? "butt" : "round");
        if (series->kind == SST_SERIES_LINE && dashes_of(series))
            sst_text_addf(out, " stroke-dasharray=\"%s\"", dashes_of(series));
    }
    sst_text_add(out, " d=\"");
}

struct point {
    double x, y;
};

/* The part of a segment inside the plot (Liang and Barsky 1984); false where there is none. */
static bool clip(const struct sst_plot *plot, struct point *from, struct point *to)
{
    const struct point start = *from;
    const double dx = to->x - from->x, dy = to->y - from->y;
    const double along[4] = {-dx, dx, -dy, dy};
    const double room[4] = {start.x - plot->left, plot->right - start.x, start.y - plot->top, plot->bottom - start.y};
    double first = 0.0, last = 1.0;
    for (int side = 0; side < 4; ++side) {
        if (along[side] == 0.0) {
            if (room[side] < 0.0)
                return false;
        } else if (along[side] < 0.0) {
            first = fmax(first, room[side] / along[side]);
        } else {
            last = fmin(last, room[side] / along[side]);
        }
    }
    if (first > last)
        return false;
    *from = (struct point){start.x + first * dx, start.y + first * dy};
    *to = (struct point){start.x + last * dx, start.y + last * dy};
    return true;
}

static bool is_same_place(struct point a, struct point b)
{
    return lround(10.0 * a.x) == lround(10.0 * b.x) && lround(10.0 * a.y) == lround(10.0 * b.y);
}

static void draw_line(struct sst_text *out, const struct sst_plot *plot, const struct sst_chart_series *series)
{
    struct point pen = {-1.0, -1.0}; /* nowhere on the picture */
    for (size_t i = 0; i < series->n; ++i) {
        if (!sst_series_has(series, i))
            continue;
        struct point to = {sst_plot_x(plot, series->x[i]), sst_plot_y(plot, series->y[i])};
        const bool has_before = i > 0 && sst_series_has(series, i - 1),
                   has_after = i + 1 < series->n && sst_series_has(series, i + 1);
        if (!has_before) {
            if (!has_after && is_inside(plot, to.x, to.y)) { /* alone: a dot */
                sst_svg_point(out, 'M', to.x, to.y);
                sst_text_add(out, "h0.1");
            }
            continue;
        }
        struct point from = {sst_plot_x(plot, series->x[i - 1]), sst_plot_y(plot, series->y[i - 1])};
        if (!clip(plot, &from, &to))
            continue;
        if (!is_same_place(from, pen))
            sst_svg_point(out, 'M', from.x, from.y);
        else if (is_same_place(to, pen))
            continue;
        sst_svg_point(out, 'L', to.x, to.y);
        pen = to;
    }
}

static void draw_bars(struct sst_text *out, const struct sst_plot *plot, const struct sst_chart_series *series)
{
    const double half = sst_series_bar_width(series) / 2.0, gap_share = 0.06, thinnest = 0.5;
    const double base = fmin(fmax(sst_plot_y(plot, 0.0), plot->top), plot->bottom);
    for (size_t i = 0; i < series->n; ++i) {
        if (!sst_series_has(series, i))
            continue;
        const double a = sst_plot_x(plot, series->x[i] - half), b = sst_plot_x(plot, series->x[i] + half);
        const double gap = fmin(gap_share * fabs(b - a), 1.0);
        const double from = fmax(fmin(a, b) + gap / 2.0, plot->left), to = fmin(fmax(a, b) - gap / 2.0, plot->right);
        const double end = fmin(fmax(sst_plot_y(plot, series->y[i]), plot->top), plot->bottom);
        if (to < from || fabs(end - base) < 0.05)
            continue;
        sst_svg_point(out, 'M', from, base);
        sst_text_add(out, "V");
        sst_svg_number(out, end);
        sst_text_add(out, "H");
        sst_svg_number(out, fmax(to, from + thinnest));
        sst_text_add(out, "V");
        sst_svg_number(out, base);
        sst_text_add(out, "z");
    }
}

/* One dot for all points of a place, so that a hundred thousand do not take megabytes. */
static void draw_points(struct sst_text *out, const struct sst_plot *plot, const struct sst_chart_series *series)
{
    const size_t n_across = (size_t)lround(POINT_STEPS * (plot->right - plot->left)) + 3;
    const size_t n_down = (size_t)lround(POINT_STEPS * (plot->bottom - plot->top)) + 3;
    unsigned char *is_taken = NULL;
    const enum sst_status rc = sst_alloc(n_across * n_down, 1, "places of points", &is_taken, NULL);
    if (rc != SST_OK) {
        out->failed = out->failed != SST_OK ? out->failed : rc;
        return;
    }
    for (size_t i = 0; i < series->n; ++i) {
        if (!sst_series_has(series, i))
            continue;
        const double x = sst_plot_x(plot, series->x[i]), y = sst_plot_y(plot, series->y[i]);
        if (!is_inside(plot, x, y))
            continue;
        const size_t across = (size_t)lround(POINT_STEPS * fmax(x - plot->left, 0.0));
        const size_t down = (size_t)lround(POINT_STEPS * fmax(y - plot->top, 0.0));
        if (is_taken[down * n_across + across])
            continue;
        is_taken[down * n_across + across] = 1;
        sst_svg_point(out, 'M', x, y);
        sst_text_add(out, "h0");
    }
    sst_free(is_taken);
}

void sst_series_draw(struct sst_text *out, const struct sst_plot *plot, const struct sst_chart_series *series)
{
    begin_series(out, series);
    if (series->kind == SST_SERIES_BARS)
        draw_bars(out, plot, series);
    else if (series->kind == SST_SERIES_LINE)
        draw_line(out, plot, series);
    else
        draw_points(out, plot, series);
    sst_svg_path_end(out);
}

void sst_series_draw_swatch(struct sst_text *out, const struct sst_chart_series *series, double x, double y)
{
    begin_series(out, series);
    if (series->kind == SST_SERIES_BARS) {
        const double half = 5.0;
        sst_svg_point(out, 'M', x + SST_SWATCH_WIDTH / 2.0 - half, y - half);
        sst_text_add(out, "h10v10h-10z");
    } else if (series->kind == SST_SERIES_LINE) {
        sst_svg_line(out, x, y, x + SST_SWATCH_WIDTH, y);
    } else {
        sst_svg_point(out, 'M', x + SST_SWATCH_WIDTH / 2.0, y);
        sst_text_add(out, "h0");
    }
    sst_svg_path_end(out);
}
