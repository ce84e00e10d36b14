/* The page's bounds, what was repaired, and what the errors do to heatwaves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/page_parts.h"

enum { MAX_VARIABLES = 16, MAX_LEVELS = 16, MAX_COVERAGE_ROWS = 200 };

/* --- bounds ------------------------------------------------------------------------------------------------------- */

static void put_size_of_bound(const struct sst_page *page, const struct sst_page_node *level, const char *variable)
{
    struct sst_text *out = page->out;
    sst_text_add(out, "<p>");
    if (variable) {
        sst_text_add(out, "<code>");
        sst_text_add_escaped(out, variable);
        sst_text_add(out, "</code> ");
    }
    sst_text_add(out, "is, over the cell-days of the sample by area, ");
    sst_page_put_number(out, SST_PAGE_DEGC, sst_page_node_number(level, "median_degc"));
    sst_text_add(out, " °C at the median and ");
    sst_page_put_number(out, SST_PAGE_DEGC, sst_page_node_number(level, "mean_degc"));
    sst_text_add(out, " °C in the mean.");
    const double below = sst_page_node_number(level, "cells_below_90");
    if (isfinite(below)) {
        sst_text_add(out, " In ");
        sst_page_put_number(out, SST_PAGE_SHARE, below);
        sst_text_add(out, " of the cells it covers less than 90\xC2\xA0% of the days.");
    }
    sst_text_add(out, "</p>\n");
}

static const char *stratum_name(const char *stratum)
{
    static const struct {
        const char *key, *name;
    } names[] = {{"all", "all"}, {"ice", "ice class"}, {"season", "season"}, {"region", "region"}};
    for (size_t i = 0; stratum && i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(stratum, names[i].key) == 0)
            return names[i].name;
    }
    return stratum;
}

static void put_coverage_table(const struct sst_page *page, const struct sst_page_node *level, double percent)
{
    char caption[300];
    const struct sst_page_node rows = sst_page_node_list(level, "coverage");
    const size_t n = sst_page_node_size(&rows, MAX_COVERAGE_ROWS);
    if (n == 0)
        return;
    (void)snprintf(caption, sizeof caption,
                   "Coverage that was found: share of cell-days, by area, at cells that the bound had not seen, whose "
                   "exact percentile lies within it, with its 95 %% interval. %g %% is wanted.",
                   percent);
    sst_page_table_open(page->out, caption, "by|<of|cells|cell-days|covered (95 % interval)");
    for (size_t i = 0; i < n; ++i) {
        const struct sst_page_node row = sst_page_node_object_at(&rows, i);
        if (!sst_page_node_is_there(row))
            continue;
        sst_page_row_open(page->out, stratum_name(sst_page_node_text(&row, "stratum")));
        sst_page_cell_text(page->out, sst_page_node_text(&row, "name"));
        sst_page_cell(page->out, SST_PAGE_COUNT, sst_page_node_number(&row, "cells"));
        sst_page_cell(page->out, SST_PAGE_COUNT, sst_page_node_number(&row, "cell_days"));
        sst_page_cell_share(page->out, &row);
        sst_page_row_close(page->out);
    }
    sst_page_table_close(page->out);
}

static void put_level(const struct sst_page *page, const struct sst_page_node *level)
{
    struct sst_text *out = page->out;
    const double percent = 100 * sst_page_node_number(level, "level");
    const double attainable = sst_page_node_number(level, "attainable");
    sst_text_addf(out, "<h4>%g\xC2\xA0%% bound</h4>\n", percent);
    if (sst_page_node_bool(level, "available", true)) {
        put_size_of_bound(page, level, sst_page_node_text(level, "variable"));
        put_coverage_table(page, level, percent);
        return;
    }
    sst_text_add(out, "<p>There are too few cells in the sample for a bound of this level, so it is left empty.");
    if (isfinite(attainable)) {
        sst_text_add(out, " The highest level that so many cells allow is ");
        sst_page_put_number(out, SST_PAGE_SHARE, attainable);
        sst_text_add(out, ". A larger <code>--validate</code> allows more.");
    }
    sst_text_add(out, "</p>\n");
}

static void put_correction(const struct sst_page *page, const struct sst_page_node *bounds)
{
    const struct sst_page_node correction = sst_page_node_object(bounds, "correction");
    if (!sst_page_node_is_there(correction) || !sst_page_node_bool(&correction, "applied", false))
        return;
    sst_text_add(page->out,
                 "<p>Estimates are corrected by a model of their error that was fitted at the sample. At cells "
                 "that the model had not seen the RMSE, by area, was ");
    sst_page_put_number(page->out, SST_PAGE_DEGC, sst_page_node_number(&correction, "rmse_before_degc"));
    sst_text_add(page->out, " °C before and is ");
    sst_page_put_number(page->out, SST_PAGE_DEGC, sst_page_node_number(&correction, "rmse_after_degc"));
    sst_text_add(page->out, " °C after it.</p>\n");
}

static void put_likely(const struct sst_page *page, const struct sst_page_node *bounds)
{
    struct sst_text *out = page->out;
    const struct sst_page_node likely = sst_page_node_object(bounds, "likely");
    if (!sst_page_node_is_there(likely) || !sst_page_node_bool(&likely, "available", true))
        return;
    sst_text_add(out, "<p>The flag <code>likely_beyond_tolerance</code> is set where the fitted probability of being "
                      "beyond the tolerance is above ");
    sst_page_put_number(out, SST_PAGE_SHARE, sst_page_node_number(&likely, "threshold"));
    sst_text_add(out, ". At cells that the model had not seen it marks ");
    sst_page_put_number(out, SST_PAGE_SHARE, sst_page_node_number(&likely, "flagged"));
    sst_text_add(out, " of the cell-days by area, while ");
    sst_page_put_number(out, SST_PAGE_SHARE, sst_page_node_number(&likely, "base_rate"));
    sst_text_add(out, " are beyond it; ");
    sst_page_put_number(out, SST_PAGE_SHARE, sst_page_node_number(&likely, "precision"));
    sst_text_add(out, " of what it marks is beyond the tolerance (precision), and it marks ");
    sst_page_put_number(out, SST_PAGE_SHARE, sst_page_node_number(&likely, "recall"));
    sst_text_add(out, " of what is (recall).</p>\n");
}

void sst_page_bounds(const struct sst_page *page)
{
    const struct sst_page_node bounds = sst_page_node_object(&page->root, "bounds");
    struct sst_page_node variable;
    void *iter = NULL;
    for (size_t n = 0; n < MAX_VARIABLES && sst_page_node_next(&bounds, &iter, &variable); ++n) {
        if (n == 0)
            sst_text_add(
                page->out,
                "<p>A bound is given for every cell and day, learnt at the sample: the exact sample percentile "
                "lies within it of the value written, on average over the cell-days of unsampled cells. It does "
                "not promise this for each cell, it says nothing of sampling error or of errors of the "
                "temperature analysis, and neighbouring cells and days err alike.</p>\n");
        sst_page_variable_heading(page->out, variable.key);
        const struct sst_page_node levels = sst_page_node_list(&variable, "levels");
        const size_t n_levels = sst_page_node_size(&levels, MAX_LEVELS);
        for (size_t i = 0; i < n_levels; ++i) {
            const struct sst_page_node level = sst_page_node_object_at(&levels, i);
            if (sst_page_node_is_there(level))
                put_level(page, &level);
        }
        put_correction(page, &variable);
        put_likely(page, &variable);
    }
}

/* --- repair ------------------------------------------------------------------------------------------------------- */

static void put_coverage_of_rest(const struct sst_page *page, const struct sst_page_node *repair)
{
    const struct sst_page_node rows = sst_page_node_list(repair, "coverage_of_rest");
    const size_t n = sst_page_node_size(&rows, MAX_LEVELS);
    if (n == 0)
        return;
    sst_page_table_open(page->out,
                        "Coverage of the bounds at the cell-days that were not replaced: share by area, with its 95 % "
                        "interval.",
                        "bound|covered (95 % interval)");
    for (size_t i = 0; i < n; ++i) {
        char name[32];
        const struct sst_page_node row = sst_page_node_object_at(&rows, i);
        if (!sst_page_node_is_there(row))
            continue;
        (void)snprintf(name, sizeof name, "%g %%", 100 * sst_page_node_number(&row, "level"));
        sst_page_row_open(page->out, name);
        sst_page_cell_share(page->out, &row);
        sst_page_row_close(page->out);
    }
    sst_page_table_close(page->out);
}

void sst_page_repair(const struct sst_page *page)
{
    const struct sst_page_node repair = sst_page_node_object(&page->root, "repair");
    struct sst_page_node variable;
    void *iter = NULL;
    for (size_t n = 0; n < MAX_VARIABLES && sst_page_node_next(&repair, &iter, &variable); ++n) {
        sst_page_variable_heading(page->out, variable.key);
        sst_text_add(page->out, "<p>");
        sst_page_put_number(page->out, SST_PAGE_COUNT, sst_page_node_number(&variable, "cell_days"));
        sst_text_add(page->out, " flagged cell-days were replaced by their exact value, and are marked so.</p>\n");
        put_coverage_of_rest(page, &variable);
    }
}

/* --- consequences ------------------------------------------------------------------------------------------------- */

static void put_both(const struct sst_page *page, const char *name, enum sst_page_form form, double reference,
                     double other)
{
    sst_page_row_open(page->out, name);
    sst_page_cell(page->out, form, reference);
    sst_page_cell(page->out, form, other);
    sst_page_row_close(page->out);
}

static void put_spells(const struct sst_page *page, const struct sst_page_node *of, bool is_cold)
{
    char caption[400], columns[80], name[80];
    const char *many = is_cold ? "Cold spells" : "Heatwaves", *one = is_cold ? "cold spell" : "heatwave";
    const struct sst_page_node exact = sst_page_node_object(of, "exact"), approx = sst_page_node_object(of, "approx");
    const struct sst_page_node exact_rate = sst_page_node_object(&exact, "exceedance");
    const struct sst_page_node approx_rate = sst_page_node_object(&approx, "exceedance");
    static const struct {
        const char *key, *name;
    } rates[] = {{"mean", "share of days beyond the threshold, mean of the cells"},
                 {"p05", "the same, 5th percentile of the cells"},
                 {"p95", "the same, 95th percentile of the cells"}};
    (void)snprintf(caption, sizeof caption,
                   "%s of at least 5 days, gaps of at most 2 days joined, against the two thresholds: means over the "
                   "cells by area.",
                   many);
    (void)snprintf(columns, sizeof columns, "|%s|%s", page->words->reference, page->words->other);
    sst_page_table_open(page->out, caption, columns);
    (void)snprintf(name, sizeof name, "%s days a year", one);
    put_both(page, name, SST_PAGE_TENTHS, sst_page_node_number(&exact, "days_per_year"),
             sst_page_node_number(&approx, "days_per_year"));
    put_both(page, "events a year", SST_PAGE_HUNDREDTHS, sst_page_node_number(&exact, "events_per_year"),
             sst_page_node_number(&approx, "events_per_year"));
    put_both(page, "length of an event (days)", SST_PAGE_TENTHS, sst_page_node_number(&exact, "mean_days"),
             sst_page_node_number(&approx, "mean_days"));
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i)
        put_both(page, rates[i].name, SST_PAGE_SHARE, sst_page_node_number(&exact_rate, rates[i].key),
                 sst_page_node_number(&approx_rate, rates[i].key));
    sst_page_table_close(page->out);
}

static void put_agreement(const struct sst_page *page, const struct sst_page_node *of, const char *spell)
{
    struct sst_text *out = page->out;
    sst_text_addf(out, "<p>Of the %s days of the %s threshold the %s one misses ", spell, page->words->reference,
                  page->words->other);
    sst_page_put_number(out, SST_PAGE_SHARE, sst_page_node_number(of, "missed"));
    sst_text_add(out, "; days that it adds are ");
    sst_page_put_number(out, SST_PAGE_SHARE, sst_page_node_number(of, "added"));
    sst_text_add(out, " of their number. Days in both over days in either (Jaccard index): ");
    sst_page_put_number(out, SST_PAGE_HUNDREDTHS, sst_page_node_number(of, "jaccard"));
    sst_text_add(out, " of all cells together; across cells ");
    sst_page_put_number(out, SST_PAGE_HUNDREDTHS, sst_page_node_number(of, "jaccard_median"));
    sst_text_add(out, " at the median and ");
    sst_page_put_number(out, SST_PAGE_HUNDREDTHS, sst_page_node_number(of, "jaccard_p05"));
    sst_text_add(out, " at the 5th percentile.</p>\n");
}

void sst_page_consequences(const struct sst_page *page)
{
    const struct sst_page_node all = sst_page_node_object(&page->root, "consequences");
    struct sst_page_node variable;
    void *iter = NULL;
    for (size_t n = 0; n < MAX_VARIABLES && sst_page_node_next(&all, &iter, &variable); ++n) {
        const bool is_cold = sst_page_node_bool(&variable, "is_cold", false);
        sst_page_variable_heading(page->out, variable.key);
        sst_text_addf(page->out, "<p>Does the %s change the events? Daily temperatures of ", page->words->error);
        sst_page_put_number(page->out, SST_PAGE_COUNT, sst_page_node_number(&variable, "years"));
        sst_text_add(page->out, " years at ");
        sst_page_put_number(page->out, SST_PAGE_COUNT, sst_page_node_number(&variable, "cells"));
        sst_text_addf(page->out, " cells, against the %s and against the %s threshold.</p>\n", page->words->reference,
                      page->words->other);
        put_spells(page, &variable, is_cold);
        put_agreement(page, &variable, is_cold ? "cold spell" : "heatwave");
    }
}
