/* The page's verdict, the design of the sample, uncertainty, error budget, data, flags, and how to repeat the run. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/page_parts.h"
#include "core/flags.h"

enum { MAX_VARIABLES = 16, MAX_LIST = 100, MAX_FILES_SHOWN = 50, MAX_DAYS = 25000, MAX_SPANS_SHOWN = 100 };

/* --- verdict ------------------------------------------------------------------------------------------------------ */

static bool is_exact_run(const struct sst_page *page)
{
    const struct sst_page_node policy = sst_page_node_object(&page->root, "policy");
    const char *approx = sst_page_node_text(&policy, "approx");
    return approx && strcmp(approx, "none") == 0;
}

void sst_page_verdict(const struct sst_page *page)
{
    const struct sst_page_node verdict = sst_page_node_object(&page->root, "verdict");
    const char *text = sst_page_node_text(&verdict, "text");
    if (!sst_page_node_is_there(verdict)) {
        if (is_exact_run(page))
            sst_text_add(page->out, "<p class=\"verdict\">All percentiles are exact sample percentiles: there is no "
                                    "approximation, so there was nothing to validate.</p>\n");
        return;
    }
    const bool passed = sst_page_node_bool(&verdict, "pass", false);
    if (passed != sst_page_node_bool(&verdict, "pass", true))
        sst_text_add(page->out, "<p class=\"verdict\">");
    else
        sst_text_addf(page->out, "<p class=\"verdict %s\"><strong>%s</strong> ", passed ? "pass" : "fail",
                      passed ? "Passed." : "Not passed.");
    sst_text_add_escaped(page->out, text ? text : "The report has no words for it.");
    sst_text_add(page->out, "</p>\n");
}

/* --- design ------------------------------------------------------------------------------------------------------- */

static const char *estimator_words(const char *approx)
{
    static const struct {
        const char *key, *words;
    } names[] = {{"none", "exact: from all values of the pool"},
                 {"cf", "cf: Cornish-Fisher formula on mean, variance, skewness and kurtosis"},
                 {"maxent", "maxent: distribution of greatest entropy with the same four moments"},
                 {"tail", "tail: from the most extreme values of each calendar day, certified where proven exact"}};
    for (size_t i = 0; approx && i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(approx, names[i].key) == 0)
            return names[i].words;
    }
    return approx;
}

static void put_rule(const struct sst_page *page)
{
    char text[200];
    const struct sst_page_node policy = sst_page_node_object(&page->root, "policy");
    const struct sst_page_node percentiles = sst_page_node_list(&policy, "percentiles");
    const double first = sst_page_node_number(&policy, "baseline_first_year");
    const double last = sst_page_node_number(&policy, "baseline_last_year");
    const double quantile_type = sst_page_node_number(&policy, "quantile_type");
    const double smooth = sst_page_node_number(&policy, "smooth_days");
    const size_t n = sst_page_node_size(&percentiles, MAX_VARIABLES);
    size_t length = 0;
    if (isfinite(first) && isfinite(last)) {
        (void)snprintf(text, sizeof text, "%.0f\xE2\x80\x93%.0f", fmod(first, 1e5), fmod(last, 1e5));
        sst_page_fact_text(page->out, "Baseline", text);
    }
    text[0] = '\0';
    for (size_t i = 0; i < n && length < sizeof text - 32; ++i)
        length += (size_t)snprintf(text + length, 32, "%s%g", i ? ", " : "", sst_page_node_number_at(&percentiles, i));
    sst_page_fact_text(page->out, "Percentiles", text);
    sst_page_fact_text(page->out, "Estimator", estimator_words(sst_page_node_text(&policy, "approx")));
    if (quantile_type >= 1 && quantile_type <= 9) {
        (void)snprintf(text, sizeof text, "type %.0f of Hyndman and Fan", quantile_type);
        sst_page_fact_text(page->out, "Exact percentile", text);
    }
    sst_page_fact_number(page->out, "Pool", SST_PAGE_COUNT, sst_page_node_number(&policy, "window_days"),
                         "days round each calendar day, of every year");
    if (smooth > 0)
        sst_page_fact_number(page->out, "Smoothing", SST_PAGE_COUNT, smooth, "calendar days, moving mean");
    else if (smooth == 0)
        sst_page_fact_text(page->out, "Smoothing", "none");
    sst_page_fact_text(page->out, "29 February", sst_page_node_text(&policy, "leap"));
}

/* "47.375°S", "150.875°E". */
static const char *put_degrees(char *buffer, size_t size, double degrees, const char *positive, const char *negative)
{
    (void)snprintf(buffer, size, "%.6g°%s", fabs(degrees), degrees < 0 ? negative : positive);
    return buffer;
}

static void put_grid(const struct sst_page *page)
{
    char text[200], edges[4][32];
    const struct sst_page_node grid = sst_page_node_object(&page->root, "grid");
    const double n_lat = sst_page_node_number(&grid, "n_lat"), n_lon = sst_page_node_number(&grid, "n_lon");
    if (!isfinite(n_lat) || !isfinite(n_lon))
        return;
    (void)snprintf(text, sizeof text, "%.6g × %.6g cells (latitude × longitude), %s to %s, %s to %s", n_lat, n_lon,
                   put_degrees(edges[0], sizeof edges[0], sst_page_node_number(&grid, "first_lat"), "N", "S"),
                   put_degrees(edges[1], sizeof edges[1], sst_page_node_number(&grid, "last_lat"), "N", "S"),
                   put_degrees(edges[2], sizeof edges[2], sst_page_node_number(&grid, "first_lon"), "E", "W"),
                   put_degrees(edges[3], sizeof edges[3], sst_page_node_number(&grid, "last_lon"), "E", "W"));
    sst_page_fact_text(page->out, "Grid", text);
}

static void put_subject(const struct sst_page *page)
{
    const struct sst_page_node source = sst_page_node_object(&page->root, "source");
    sst_page_fact_text(page->out, "Product", sst_page_node_text(&source, "title"));
    sst_page_fact_text(page->out, "Variable", sst_page_node_text(&source, "variable"));
    put_grid(page);
    sst_page_fact_number(page->out, "Sea", SST_PAGE_COUNT, sst_page_node_number(&page->root, "sea_cells"), "cells");
}

static void put_sample(const struct sst_page *page, const struct sst_page_node *validation)
{
    struct sst_text *out = page->out;
    const double probes = sst_page_node_number(validation, "probes");
    sst_page_fact_text(out, "A", sst_page_node_text(validation, "a"));
    sst_page_fact_text(out, "B", sst_page_node_text(validation, "b"));
    sst_page_fact_number(out, "Probes", SST_PAGE_COUNT, probes, "cells, chosen at random");
    sst_page_fact_number(out, "Share of all cells", SST_PAGE_SHARE, sst_page_node_number(validation, "share_of_cells"),
                         "");
    sst_page_fact_number(out, "Seed", SST_PAGE_COUNT, sst_page_node_number(validation, "seed"), "");
    sst_page_fact_number(out, "Cells of charts and bounds", SST_PAGE_COUNT,
                         sst_page_node_number(validation, "sample_cells"), "");
    sst_page_fact_number(out, "Tolerance", SST_PAGE_DEGC, page->tolerance_degc, "°C");
}

static const char about_sample[] = "<p>Cells are sampled, not values: every cell of the grid has the same chance to be "
                                   "a probe, whatever lies there, and "
                                   "at a probe the exact percentile of every calendar day is computed in the same pass "
                                   "over the files and compared with the "
                                   "value that is written. Days of one cell err alike, so intervals count cells and "
                                   "not cell-days (95\xC2\xA0%, Korn and "
                                   "Graubard 1998). Unless a row says otherwise figures are by area and of cell-days "
                                   "without sea ice, whose tiny errors "
                                   "would flatter the rest.</p>\n";

void sst_page_design(const struct sst_page *page)
{
    const struct sst_page_node validation = sst_page_node_object(&page->root, "validation");
    const size_t before = page->out->size;
    sst_page_facts_open(page->out);
    const size_t empty = page->out->size;
    put_subject(page);
    put_rule(page);
    put_sample(page, &validation);
    if (page->out->failed != SST_OK)
        return;
    if (page->out->size == empty) {
        page->out->size = before;
        return;
    }
    sst_page_facts_close(page->out);
    if (isfinite(sst_page_node_number(&validation, "probes")))
        sst_text_add(page->out, about_sample);
}

/* --- sampling uncertainty ----------------------------------------------------------------------------------------- */

void sst_page_sampling(const struct sst_page *page)
{
    struct sst_text *out = page->out;
    const struct sst_page_node sampling = sst_page_node_object(&page->root, "sampling");
    struct sst_page_node variable;
    void *iter = NULL;
    size_t n = 0;
    for (; n < MAX_VARIABLES && sst_page_node_next(&sampling, &iter, &variable); ++n) {
        char name[64];
        if (n == 0) {
            sst_text_add(out,
                         "<p>Another set of years would have given another exact percentile: its standard error, from "
                         "whole years drawn with replacement, stands here beside the error of the approximation at the "
                         "same cell-days. Neither excuses the other: the threshold is defined as the sample "
                         "percentile, and its error is the same in every year.</p>\n");
            sst_page_table_open(
                out,
                "Standard error of the exact percentile, and RMSE of the approximation, both in °C at the same "
                "cell-days of the sample; last, the share of them where the approximation is off by less "
                "than one standard error.",
                "|cells|cell-days|resamples|median|5 %|95 %|RMSE of the approximation|within one "
                "standard error");
        }
        sst_page_row_open(out, sst_page_variable_name(variable.key, name, sizeof name));
        sst_page_cell(out, SST_PAGE_COUNT, sst_page_node_number(&variable, "cells"));
        sst_page_cell(out, SST_PAGE_COUNT, sst_page_node_number(&variable, "cell_days"));
        sst_page_cell(out, SST_PAGE_COUNT, sst_page_node_number(&variable, "resamples"));
        sst_page_cell(out, SST_PAGE_DEGC, sst_page_node_number(&variable, "se_median_degc"));
        sst_page_cell(out, SST_PAGE_DEGC, sst_page_node_number(&variable, "se_p05_degc"));
        sst_page_cell(out, SST_PAGE_DEGC, sst_page_node_number(&variable, "se_p95_degc"));
        sst_page_cell(out, SST_PAGE_DEGC, sst_page_node_number(&variable, "approx_rmse_degc"));
        sst_page_cell(out, SST_PAGE_SHARE, sst_page_node_number(&variable, "share_within_one_se"));
        sst_page_row_close(out);
    }
    if (n > 0)
        sst_page_table_close(out);
}

/* --- error budget ------------------------------------------------------------------------------------------------- */

/* In degC; what is tiny, as rounding is, by its power of ten. */
static void put_size(const struct sst_page *page, double size)
{
    if (!(size > 0 && size < 0.001)) {
        sst_page_cell(page->out, SST_PAGE_DEGC, size);
        return;
    }
    const int exponent = (int)floor(log10(size) + 0.02); /* 9.6 is nearer to 10 */
    sst_text_addf(page->out, "<td>%.0f · 10<sup>\xE2\x88\x92%d</sup></td>", size * pow(10, -exponent), -exponent);
}

void sst_page_budget(const struct sst_page *page)
{
    const struct sst_page_node budget = sst_page_node_list(&page->root, "error_budget");
    const size_t n = sst_page_node_size(&budget, MAX_LIST);
    if (n == 0)
        return;
    sst_page_table_open(page->out, "What adds to the error of a written value, each with its size in °C.",
                        "source|size (°C)|<what it is");
    for (size_t i = 0; i < n; ++i) {
        const struct sst_page_node row = sst_page_node_object_at(&budget, i);
        const double size = sst_page_node_number(&row, "size_degc");
        if (!sst_page_node_is_there(row))
            continue;
        sst_page_row_open(page->out, sst_page_node_text(&row, "name"));
        put_size(page, size);
        sst_page_cell_text(page->out, sst_page_node_text(&row, "text"));
        sst_page_row_close(page->out);
    }
    sst_page_table_close(page->out);
}

/* --- data --------------------------------------------------------------------------------------------------------- */

/* Whether an ISO day is the one after another, within a month: months are left apart, so no calendar is needed. */
static bool follows(const char *day, const char *before)
{
    const char *dash = strrchr(day, '-');
    return dash && strlen(dash) == sizeof "-01" - 1 && strlen(day) == strlen(before) &&
           strncmp(day, before, (size_t)(dash - day) + 1) == 0 && atoi(dash + 1) == atoi(before + (dash - day) + 1) + 1;
}

/* Days, runs of them as first to last. */
static void put_days(const struct sst_page *page, const struct sst_page_node *days)
{
    struct sst_text *out = page->out;
    const size_t n = sst_page_node_size(days, MAX_DAYS);
    size_t n_spans = 0, i = 0;
    if (n == 0)
        return;
    sst_text_add(out, "<p>Days of the baseline without a file: ");
    while (i < n && n_spans < MAX_SPANS_SHOWN) {
        const char *first = sst_page_node_text_at(days, i), *last = first;
        for (++i; first && i < n; ++i) {
            const char *next = sst_page_node_text_at(days, i);
            if (!next || !follows(next, last))
                break;
            last = next;
        }
        if (!first)
            continue;
        sst_text_add(out, n_spans++ ? ", " : "");
        sst_text_add_escaped(out, first);
        if (last != first) {
            sst_text_add(out, " to ");
            sst_text_add_escaped(out, last);
        }
    }
    if (i < n)
        sst_text_addf(out, " and %zu more days, which the JSON report lists", n - i);
    sst_text_add(out, ".</p>\n");
}

static void put_unusable(const struct sst_page *page, const struct sst_page_node *files)
{
    char caption[160];
    const size_t n = sst_page_node_size(files, 1000000), n_shown = n < MAX_FILES_SHOWN ? n : MAX_FILES_SHOWN;
    if (n == 0)
        return;
    (void)snprintf(caption, sizeof caption, "Files or days that were left out, with the reason%s.",
                   n > n_shown ? "; the first of them, the JSON report lists all" : "");
    sst_page_table_open(page->out, caption, "file|<reason");
    for (size_t i = 0; i < n_shown; ++i) {
        const struct sst_page_node file = sst_page_node_object_at(files, i);
        if (!sst_page_node_is_there(file))
            continue;
        sst_page_row_open(page->out, sst_page_node_text(&file, "path"));
        sst_page_cell_text(page->out, sst_page_node_text(&file, "reason"));
        sst_page_row_close(page->out);
    }
    sst_page_table_close(page->out);
}

void sst_page_data(const struct sst_page *page)
{
    static const struct {
        const char *key, *name;
    } counts[] = {{"expected", "days of the baseline"},
                  {"present", "with a file"},
                  {"doubled", "with two files or more"},
                  {"beside_baseline", "days beside the baseline that pools took"}};
    static const struct {
        const char *key, *name;
    } reads[] = {{"days", "days that went in"},
                 {"preliminary_replaced", "preliminary days that a final one replaced"},
                 {"unusable", "days without a usable file"},
                 {"values_implausible", "values left out as no temperature of a sea"},
                 {"values_off_lattice", "values rounded to the step of the numbers"}};
    const struct sst_page_node days = sst_page_node_object(&page->root, "days");
    const struct sst_page_node read = sst_page_node_object(&page->root, "read");
    const struct sst_page_node source = sst_page_node_object(&page->root, "source");
    const struct sst_page_node missing = sst_page_node_list(&days, "missing");
    const struct sst_page_node unusable = sst_page_node_list(&source, "unusable");
    if (!sst_page_node_is_there(days) && !sst_page_node_is_there(read) && !sst_page_node_is_there(unusable))
        return;
    sst_page_table_open(page->out, "Days and values that went in.", "|number");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        sst_page_row_open(page->out, counts[i].name);
        sst_page_cell(page->out, SST_PAGE_COUNT, sst_page_node_number(&days, counts[i].key));
        sst_page_row_close(page->out);
    }
    sst_page_row_open(page->out, "without any file");
    sst_page_cell(page->out, SST_PAGE_COUNT,
                  sst_page_node_is_there(missing) ? (double)sst_page_node_size(&missing, MAX_DAYS) : NAN);
    sst_page_row_close(page->out);
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; ++i) {
        sst_page_row_open(page->out, reads[i].name);
        sst_page_cell(page->out, SST_PAGE_COUNT, sst_page_node_number(&read, reads[i].key));
        sst_page_row_close(page->out);
    }
    sst_page_table_close(page->out);
    put_days(page, &missing);
    put_unusable(page, &unusable);
}

/* --- flags -------------------------------------------------------------------------------------------------------- */

static const char *flag_meaning(const char *name)
{
    static const struct {
        const char *name, *meaning;
    } flags[] = {{"any", "one or more of those below"},
#define X(bit, symbol, flag, text) {flag, text},
                 SST_FLAG_LIST(X)
#undef X
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
        if (strcmp(name, flags[i].name) == 0)
            return flags[i].meaning;
    }
    return NULL;
}

void sst_page_flags(const struct sst_page *page)
{
    const struct sst_page_node flags = sst_page_node_object(&page->root, "flags");
    struct sst_page_node flag;
    void *iter = NULL;
    size_t n = 0;
    for (; n < MAX_LIST && sst_page_node_next(&flags, &iter, &flag); ++n) {
        if (n == 0)
            sst_page_table_open(
                page->out,
                "Reasons for care in quality_flag: cell-days of the sea, those with sea ice included, and "
                "their share of its area and days.",
                "flag|cell-days|share of area|<meaning");
        sst_page_row_open(page->out, flag.key);
        sst_page_cell(page->out, SST_PAGE_COUNT, sst_page_node_number(&flag, "cell_days"));
        sst_page_cell(page->out, SST_PAGE_SHARE, sst_page_node_number(&flag, "area_share"));
        sst_page_cell_text(page->out, flag_meaning(flag.key));
        sst_page_row_close(page->out);
    }
    if (n > 0)
        sst_page_table_close(page->out);
}

/* --- reproduce ---------------------------------------------------------------------------------------------------- */

static void put_libraries(const struct sst_page *page, const struct sst_page_node *reproduce)
{
    const struct sst_page_node libraries = sst_page_node_object(reproduce, "libraries");
    const char *name = NULL, *version = NULL;
    void *iter = NULL;
    struct sst_text list = {0};
    for (size_t n = 0; n < MAX_LIST && sst_page_node_next_text(&libraries, &iter, &name, &version); ++n)
        sst_text_addf(&list, "%s%s %s", n ? ", " : "", name, version);
    sst_page_fact_text(page->out, "Libraries", list.data);
    if (list.failed != SST_OK && page->out->failed == SST_OK)
        page->out->failed = list.failed;
    sst_text_clear(&list);
}

static void put_command(const struct sst_page *page, const struct sst_page_node *reproduce)
{
    const char *command = sst_page_node_text(reproduce, "command");
    const char *parameters = sst_page_node_text(&page->root, "parameters");
    const char *shown = command ? command : parameters;
    if (!shown || !*shown)
        return;
    sst_text_add(page->out, command ? "<p>The command:</p>\n<pre><code>" : "<p>The options:</p>\n<pre><code>");
    sst_text_add_escaped(page->out, shown);
    sst_text_add(page->out, "</code></pre>\n");
}

void sst_page_reproduce(const struct sst_page *page)
{
    struct sst_text *out = page->out;
    const struct sst_page_node reproduce = sst_page_node_object(&page->root, "reproduce");
    const struct sst_page_node inputs = sst_page_node_list(&page->root, "inputs");
    const char *version = sst_page_node_text(&reproduce, "version");
    const char *id = sst_page_node_text(&page->root, "climatology_id");
    const size_t before = out->size;
    put_command(page, &reproduce);
    sst_page_facts_open(out);
    const size_t empty = out->size;
    sst_page_fact_text(out, "Climatology id", id);
    sst_page_fact_text(out, "Output", sst_page_node_text(&page->root, "output"));
    sst_page_fact_text(out, "Made", sst_page_node_text(&page->root, "created"));
    sst_page_fact_text(out, "sststream", version ? version : sst_page_node_text(&page->root, "sststream_version"));
    sst_page_fact_text(out, "Compiler", sst_page_node_text(&reproduce, "compiler"));
    put_libraries(page, &reproduce);
    sst_page_fact_text(out, "Processor", sst_page_node_text(&reproduce, "cpu"));
    sst_page_fact_text(out, "Device", sst_page_node_text(&reproduce, "device"));
    sst_page_fact_number(out, "Threads", SST_PAGE_COUNT, sst_page_node_number(&reproduce, "threads"), "");
    sst_page_fact_number(out, "Time", SST_PAGE_TENTHS, sst_page_node_number(&page->root, "seconds"), "s");
    sst_page_fact_number(out, "Memory at most", SST_PAGE_COUNT,
                         sst_page_node_number(&page->root, "peak_rss_bytes") / 1e6, "MB");
    if (out->failed != SST_OK)
        return;
    if (out->size == empty) {
        out->size = before;
        return;
    }
    sst_page_facts_close(out);
    if (sst_page_node_is_there(inputs))
        sst_text_addf(out,
                      "<p>The JSON report beside this page lists the %zu days that went in, each with its file and a "
                      "checksum of its values.</p>\n",
                      json_array_size(inputs.value));
    if (id)
        sst_text_add(
            out, "<p>To repeat the run, give the command again with the same files. Whatever the machine, the number "
                 "of threads and the names of the files, the climatology id must come out the same: it is a digest "
                 "of the rule and of every value that went in.</p>\n");
}
