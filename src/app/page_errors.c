/* The page's errors: the table of four rows, their distribution, and where they lie. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/page_parts.h"
#include "app/report.h"
#include "core/calendar.h"

enum {
    MAX_ROWS = 400, /* of a breakdown: a row for each calendar day, and some */
    MAX_BINS = 2000, /* of a histogram or a curve */
    MAX_VARIABLES = 16,
    MAX_LARGEST = 100, /* differences listed of a variable */
    ROOM = 2 * MAX_ROWS, /* rows, and a break after each */
    LEAP_SLOT = 60, /* 29 February */
    N_MONTHS = 12,
    DAYS_OF_360 = 30 /* in each month of the calendar of 360 days */
};

static const char row_columns[] = "|cells|cell-days|bias|RMSE|median|95 %|99 %|max|beyond tolerance (95 % interval)";

/* --- tables ------------------------------------------------------------------------------------------------------- */

static void put_error_row(const struct sst_page *page, const char *name, const struct sst_page_node *row)
{
    struct sst_text *out = page->out;
    static const char *const sizes[] = {"rmse", "median_abs", "p95_abs", "p99_abs", "max_abs"};
    const struct sst_page_node beyond = sst_page_node_object(row, "beyond_tolerance");
    sst_page_row_open(out, name);
    sst_page_cell(out, SST_PAGE_COUNT, sst_page_node_number(row, "cells"));
    sst_page_cell(out, SST_PAGE_COUNT, sst_page_node_number(row, "cell_days"));
    sst_page_cell(out, SST_PAGE_SIGNED_DEGC, sst_page_node_number(row, "bias"));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        sst_page_cell(out, SST_PAGE_DEGC, sst_page_node_number(row, sizes[i]));
    sst_page_cell_share(out, &beyond);
    sst_page_row_close(out);
}

static void put_table_of_classes(const struct sst_page *page, const struct sst_page_node *errors)
{
    char caption[400], last[100] = "";
    if (isfinite(page->tolerance_degc))
        (void)snprintf(last, sizeof last, " The last column is the share of cell-days off by more than %g °C.",
                       page->tolerance_degc);
    (void)snprintf(caption, sizeof caption,
                   "%s in °C, %s: mean (bias), root mean square (RMSE), and median, 95th and 99th percentile and "
                   "maximum of the absolute %s.%s",
                   page->words->errors, page->words->rule, page->words->error, last);
    sst_page_table_open(page->out, caption, row_columns);
    for (int i = 0; i < SST_N_REPORT_ROWS; ++i) {
        const struct sst_page_node row = sst_page_node_object(errors, sst_report_rows[i].key);
        if (sst_page_node_is_there(row))
            put_error_row(page, sst_report_rows[i].name, &row);
    }
    sst_page_table_close(page->out);
}

static void put_breakdown_table(const struct sst_page *page, const struct sst_page_node *breakdown, const char *key,
                                const char *what)
{
    char caption[400];
    const struct sst_page_node rows = sst_page_node_list(breakdown, key);
    const size_t n_rows = sst_page_node_size(&rows, MAX_ROWS);
    if (n_rows == 0)
        return;
    (void)snprintf(caption, sizeof caption, "%s by %s, in °C. %s", page->words->errors, what, page->words->of_what);
    sst_page_table_open(page->out, caption, row_columns);
    for (size_t i = 0; i < n_rows; ++i) {
        const struct sst_page_node row = sst_page_node_object_at(&rows, i);
        if (sst_page_node_is_there(row))
            put_error_row(page, sst_page_node_text(&row, "name"), &row);
    }
    sst_page_table_close(page->out);
}

/* --- curves along something --------------------------------------------------------------------------------------- */

struct point {
    double low, high, bias, rmse, p95;
};

/* Rows of a breakdown as lines to draw; NaN breaks them where rows are absent. */
struct curves {
    struct point rows[MAX_ROWS];
    size_t n_rows;
    double x[ROOM], bias[ROOM], rmse[ROOM], p95[ROOM];
    size_t n;
};

static int by_low(const void *one, const void *other)
{
    const struct point *a = one, *b = other;
    return a->low < b->low ? -1 : a->low > b->low;
}

/* Rows with a place on the axis; where one limit is open, the other is the place. */
static void read_rows(const struct sst_page_node *list, struct curves *curves)
{
    const size_t n = sst_page_node_size(list, MAX_ROWS);
    curves->n_rows = 0;
    for (size_t i = 0; i < n; ++i) {
        const struct sst_page_node row = sst_page_node_object_at(list, i);
        const double low = sst_page_chart_value(sst_page_node_number(&row, "low"));
        const double high = sst_page_chart_value(sst_page_node_number(&row, "high"));
        const double rmse = sst_page_chart_value(sst_page_node_number(&row, "rmse"));
        if ((isnan(low) && isnan(high)) || isnan(rmse))
            continue;
        curves->rows[curves->n_rows++] = (struct point){
            .low = isnan(low) ? high : low,
            .high = isnan(high) ? low : high,
            .bias = sst_page_chart_value(sst_page_node_number(&row, "bias")),
            .rmse = rmse,
            .p95 = sst_page_chart_value(sst_page_node_number(&row, "p95_abs")),
        };
    }
    qsort(curves->rows, curves->n_rows, sizeof curves->rows[0], by_low);
}

/* step: what lies between the end of a row and the beginning of the next, 1 for days, 0 for what goes on. */
static void make_curves(struct curves *curves, double step)
{
    curves->n = 0;
    for (size_t i = 0; i < curves->n_rows; ++i) {
        const struct point *row = &curves->rows[i];
        const double width = row->high - row->low + step;
        if (i > 0 && row->low - curves->rows[i - 1].high > step + 0.5 * width) {
            curves->x[curves->n] = row->low;
            curves->bias[curves->n] = curves->rmse[curves->n] = curves->p95[curves->n] = NAN;
            ++curves->n;
        }
        curves->x[curves->n] = 0.5 * (row->low + row->high);
        curves->bias[curves->n] = row->bias;
        curves->rmse[curves->n] = row->rmse;
        curves->p95[curves->n] = row->p95;
        ++curves->n;
    }
}

struct curve_axis {
    const char *key, *label; /* of the breakdown; of the x axis */
    const char *what; /* "by calendar day" */
    const char *also; /* what else the caption says */
    bool is_calendar;
};

/* Of a run, or of two climatologies. In a calendar of 360 days slot 60 is 30 February. */
static bool has_360_days(const struct sst_page *page)
{
    const struct sst_page_node policy = sst_page_node_object(&page->root, "policy");
    const struct sst_page_node common = sst_page_node_object(&page->root, "common");
    const char *of_run = sst_page_node_text(&policy, "calendar"), *of_both = sst_page_node_text(&common, "calendar");
    const char *calendar = of_run ? of_run : of_both;
    return calendar && strcmp(calendar, sst_calendar_name(SST_CALENDAR_360_DAY)) == 0;
}

/* Beginnings of the months among slots low..high. */
static size_t month_ticks(bool is_360, double low, double high, struct sst_chart_tick ticks[N_MONTHS])
{
    static const struct sst_chart_tick all[N_MONTHS] = {{1, "Jan"},   {32, "Feb"},  {61, "Mar"},  {92, "Apr"},
                                                        {122, "May"}, {153, "Jun"}, {183, "Jul"}, {214, "Aug"},
                                                        {245, "Sep"}, {275, "Oct"}, {306, "Nov"}, {336, "Dec"}};
    size_t n = 0;
    for (int i = 0; i < N_MONTHS; ++i) {
        const double at = is_360 ? 1 + DAYS_OF_360 * i : all[i].at;
        if (at >= low && at <= high)
            ticks[n++] = (struct sst_chart_tick){at, all[i].label};
    }
    return n;
}

static void put_curves(const struct sst_page *page, const struct sst_page_node *breakdown,
                       const struct curve_axis *axis)
{
    char title[160], what[400], y_label[80];
    struct curves curves;
    struct sst_chart_tick months[N_MONTHS];
    const struct sst_page_node rows = sst_page_node_list(breakdown, axis->key);
    read_rows(&rows, &curves);
    if (curves.n_rows == 0)
        return;
    make_curves(&curves, axis->is_calendar ? 1 : 0);
    const bool is_360 = axis->is_calendar && has_360_days(page);
    const double low = curves.rows[0].low - 0.5, high = curves.rows[curves.n_rows - 1].high + 0.5;
    const double leap = LEAP_SLOT, tolerance = page->tolerance_degc;
    const struct sst_chart_series series[] = {
        {SST_SERIES_LINE, "95 % of absolute", curves.x, curves.p95, curves.n, 0, 2, true},
        {SST_SERIES_LINE, "RMSE", curves.x, curves.rmse, curves.n, 0, 0, false},
        {SST_SERIES_LINE, "bias", curves.x, curves.bias, curves.n, 0, 1, false}};
    (void)snprintf(title, sizeof title, "%s %s", page->words->errors, axis->what);
    (void)snprintf(y_label, sizeof y_label, "%s (°C)", page->words->error);
    (void)snprintf(what, sizeof what,
                   "%s: bias, RMSE and 95th percentile of the absolute %s, in °C; the level line is the tolerance.%s",
                   title, page->words->error,
                   is_360   ? ""
                   : is_360 ? ""
                            : axis->also);
    struct sst_chart chart = {
        .title = title,
        .description = what,
        .width = SST_PAGE_CHART_WIDTH,
        .height = SST_PAGE_CHART_HEIGHT,
        .x = {.label = axis->label},
        .y = {.label = y_label, .from_zero = true},
        .series = series,
        .n_series = sizeof series / sizeof series[0],
        .marks_y = &tolerance,
        .n_marks_y = isfinite(tolerance) ? 1 : 0,
    };
    if (axis->is_calendar) {
        chart.x.low = low;
        chart.x.high = high;
        chart.x.ticks = months;
        chart.x.n_ticks = month_ticks(is_360, low, high, months);
        chart.marks_x = &leap;
        chart.n_marks_x = !is_360 && low <= leap && leap <= high;
    }
    sst_page_figure(page->out, &chart, what, page->words->of_what);
}

/* --- distribution ------------------------------------------------------------------------------------------------- */

static void put_histogram(const struct sst_page *page, const struct sst_page_node *breakdown)
{
    double x[MAX_BINS], percent[MAX_BINS];
    char title[80], what[400], x_label[120];
    const struct sst_page_node histogram = sst_page_node_object(breakdown, "histogram");
    const struct sst_page_node shares = sst_page_node_list(&histogram, "share");
    const size_t n = sst_page_node_size(&shares, MAX_BINS);
    const double first = sst_page_chart_value(sst_page_node_number(&histogram, "first_edge_degc"));
    const double width = sst_page_chart_value(sst_page_node_number(&histogram, "width_degc"));
    if (n == 0 || isnan(first) || !(width > 0))
        return;
    for (size_t i = 0; i < n; ++i) {
        x[i] = first + ((double)i + 0.5) * width;
        percent[i] = 100 * sst_page_chart_value(sst_page_node_number_at(&shares, i));
    }
    const double marks[] = {0, -page->tolerance_degc, page->tolerance_degc};
    const struct sst_chart_series series = {SST_SERIES_BARS, NULL, x, percent, n, width, 0, false};
    (void)snprintf(title, sizeof title, "Histogram of the %ss", page->words->error);
    (void)snprintf(x_label, sizeof x_label, "%s, %s (°C)", page->words->error, page->words->rule);
    (void)snprintf(what, sizeof what,
                   "%s in bins of %g °C: share of the cell-days' area in each, in percent. Upright lines: zero and the "
                   "tolerance. The outermost bins hold all that lies beyond.",
                   title, width);
    const struct sst_chart chart = {
        .title = title,
        .description = what,
        .width = SST_PAGE_CHART_WIDTH,
        .height = SST_PAGE_CHART_HEIGHT,
        .x = {.label = x_label, .low = first, .high = first + (double)n * width},
        .y = {.label = "share (%)", .from_zero = true},
        .series = &series,
        .n_series = 1,
        .marks_x = marks,
        .n_marks_x = isfinite(page->tolerance_degc) ? 3 : 1,
    };
    sst_page_figure(page->out, &chart, what, page->words->of_what);
}

static void put_cumulative(const struct sst_page *page, const struct sst_page_node *breakdown)
{
    double x[MAX_BINS], percent[MAX_BINS];
    char title[80], what[300], x_label[80];
    const struct sst_page_node curve = sst_page_node_object(breakdown, "cumulative");
    const struct sst_page_node errors = sst_page_node_list(&curve, "abs_error_degc");
    const struct sst_page_node shares = sst_page_node_list(&curve, "share");
    const size_t n = sst_page_node_size(&errors, MAX_BINS), n_shares = sst_page_node_size(&shares, MAX_BINS);
    if (n != n_shares)
        sst_page_node_note(&curve, NULL, "its two lists differ in length");
    if (n == 0 || n != n_shares)
        return;
    for (size_t i = 0; i < n; ++i) {
        x[i] = sst_page_chart_value(sst_page_node_number_at(&errors, i));
        percent[i] = 100 * sst_page_chart_value(sst_page_node_number_at(&shares, i));
    }
    const double tolerance = page->tolerance_degc;
    const struct sst_chart_series series = {SST_SERIES_LINE, NULL, x, percent, n, 0, 0, false};
    (void)snprintf(title, sizeof title, "Cumulative curve of the absolute %s", page->words->error);
    (void)snprintf(x_label, sizeof x_label, "absolute %s (°C)", page->words->error);
    (void)snprintf(what, sizeof what,
                   "%s: share of the cell-days' area, in percent, that is off by at most so many °C. Upright line: the "
                   "tolerance.",
                   title);
    const struct sst_chart chart = {
        .title = title,
        .description = what,
        .width = SST_PAGE_CHART_WIDTH,
        .height = SST_PAGE_CHART_HEIGHT,
        .x = {.label = x_label, .from_zero = true},
        .y = {.label = "share (%)", .low = 0, .high = 100},
        .series = &series,
        .n_series = 1,
        .marks_x = &tolerance,
        .n_marks_x = isfinite(tolerance) ? 1 : 0,
    };
    sst_page_figure(page->out, &chart, what, page->words->of_what);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void put_breakdown(const struct sst_page *page, const struct sst_page_node *breakdown)
{
    static const struct curve_axis axes[] = {
        {"by_slot", "calendar day", "by calendar day", " The upright line is 29 February.", true},
        {"by_latitude", "latitude (°N)", "by latitude", "", false},
        {"by_skewness", "skewness of the pool", "against the skewness of the pool", "", false},
        {"by_kurtosis", "excess kurtosis of the pool", "against the kurtosis of the pool", "", false}};
    const size_t mark = sst_page_figures_open(page->out);
    put_histogram(page, breakdown);
    put_cumulative(page, breakdown);
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; ++i)
        put_curves(page, breakdown, &axes[i]);
    sst_page_figures_close(page->out, mark);
    put_breakdown_table(page, breakdown, "by_latitude", "latitude band");
    put_breakdown_table(page, breakdown, "by_region", "region");
}

/* Whether every cell-day is the same in both, so that charts and tables would be of zeros. */
static bool is_all_zero(const struct sst_page_node *variable)
{
    const struct sst_page_node all = sst_page_node_object(variable, "all_count");
    return sst_page_node_number(&all, "max_abs") == 0 && sst_page_node_number(&all, "cell_days") > 0;
}

void sst_page_errors(const struct sst_page *page)
{
    const struct sst_page_node validation = sst_page_node_object(&page->root, "validation");
    const struct sst_page_node errors = sst_page_node_object(&validation, "errors_degc");
    const struct sst_page_node breakdowns = sst_page_node_object(&validation, "breakdown");
    struct sst_page_node variable;
    void *iter = NULL;
    for (size_t n = 0; n < MAX_VARIABLES && sst_page_node_next(&errors, &iter, &variable); ++n) {
        const struct sst_page_node breakdown = sst_page_node_object(&breakdowns, variable.key);
        sst_page_variable_heading(page->out, variable.key);
        put_table_of_classes(page, &variable);
        if (is_all_zero(&variable))
            sst_text_addf(page->out, "<p>No cell-day has any %s.</p>\n", page->words->error);
        else if (sst_page_node_is_there(breakdown))
            put_breakdown(page, &breakdown);
    }
}

/* --- the largest differences of a comparison ---------------------------------------------------------------------- */

static void put_degrees(struct sst_text *out, const struct sst_page_node *row, const char *key, const char *positive,
                        const char *negative)
{
    char text[32];
    const double degrees = sst_page_node_number(row, key);
    if (isfinite(degrees))
        (void)snprintf(text, sizeof text, "%g\xC2\xB0%s", fabs(degrees), degrees < 0 ? negative : positive);
    sst_page_cell_text(out, isfinite(degrees) ? text : NULL);
}

void sst_page_largest(const struct sst_page *page)
{
    const struct sst_page_node largest = sst_page_node_object(&page->root, "largest");
    void *iter = NULL;
    struct sst_page_node rows;
    for (size_t n = 0; n < MAX_VARIABLES && sst_page_node_next_list(&largest, &iter, &rows); ++n) {
        const size_t n_rows = sst_page_node_size(&rows, MAX_LARGEST);
        if (n_rows == 0)
            continue;
        sst_page_variable_heading(page->out, rows.key);
        sst_page_table_open(page->out,
                            "Of the cells that differ most the day (month-day) on which they do, in \xC2\xB0"
                            "C.",
                            "day|<latitude|<longitude|A \xE2\x88\x92 B|A|B");
        for (size_t i = 0; i < n_rows; ++i) {
            const struct sst_page_node row = sst_page_node_object_at(&rows, i);
            if (!sst_page_node_is_there(row))
                continue;
            sst_page_row_open(page->out, sst_page_node_text(&row, "day"));
            put_degrees(page->out, &row, "lat", "N", "S");
            put_degrees(page->out, &row, "lon", "E", "W");
            sst_page_cell(page->out, SST_PAGE_SIGNED_DEGC, sst_page_node_number(&row, "difference_degc"));
            sst_page_cell(page->out, SST_PAGE_DEGC, sst_page_node_number(&row, "a_degc"));
            sst_page_cell(page->out, SST_PAGE_DEGC, sst_page_node_number(&row, "b_degc"));
            sst_page_row_close(page->out);
        }
        sst_page_table_close(page->out);
    }
}
