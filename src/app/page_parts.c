/* Words, numbers, tables and figures of the page. */
#include "app/page_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EN_DASH "\xE2\x80\x93"
#define TRUE_MINUS "\xE2\x88\x92"
#define HARD_SPACE "\xC2\xA0"

enum {
    DEGC_DECIMALS = 3, /* 0.001 degC is a tenth of the step of the data */
    MAX_DIGITS = 400 /* of any double without decimals, and its commas */
};

/* No temperature, latitude or share in a chart is as great: an axis of it would be a bare line. */
#define LARGEST_CHART_VALUE 1e6

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static void put_count(struct sst_text *out, double value)
{
    char digits[MAX_DIGITS];
    if (fabs(value) >= 1e15) { /* no count of cell-days */
        sst_text_addf(out, "%.3g", value);
        return;
    }
    (void)snprintf(digits, sizeof digits, "%.0f", fabs(value));
    const size_t n = strlen(digits);
    sst_text_add(out, value < 0 ? TRUE_MINUS : "");
    for (size_t i = 0; i < n; ++i) {
        if (i > 0 && (n - i) % 3 == 0)
            sst_text_add(out, ",");
        sst_text_add_bytes(out, digits + i, 1);
    }
}

/* Fixed decimals; what rounds to zero has no sign. */
static void put_fixed(struct sst_text *out, double value, int decimals, bool always_sign)
{
    const bool is_zero = fabs(value) < 0.5 * pow(10.0, -decimals);
    if (fabs(value) >= 1e9) {
        sst_text_addf(out, "%.3g", value);
        return;
    }
    sst_text_addf(out, "%s%.*f", is_zero ? "" : value < 0 ? TRUE_MINUS : always_sign ? "+" : "", decimals, fabs(value));
}

static void put_degc(struct sst_text *out, double value)
{
    const double smallest = pow(10.0, -DEGC_DECIMALS);
    if (value > 0 && value < 0.5 * smallest)
        sst_text_addf(out, "&lt;%.*f", DEGC_DECIMALS, smallest);
    else
        put_fixed(out, value, DEGC_DECIMALS, false);
}

/* In percent without the sign for it: more digits where the distance to 0 or 100 is what counts. */
static void put_percent(struct sst_text *out, double percent)
{
    const bool is_near_end = percent < 1 || percent > 99;
    if (percent > 0 && percent < 0.005)
        sst_text_add(out, "&lt;0.01");
    else if (percent < 100 && percent > 99.995)
        sst_text_add(out, "&gt;99.99");
    else if (percent == 0 || percent == 100)
        put_fixed(out, percent, 0, false);
    else
        put_fixed(out, percent, is_near_end ? 2 : 1, false);
}

void sst_page_put_number(struct sst_text *out, enum sst_page_form form, double value)
{
    if (!isfinite(value)) {
        sst_text_add(out, EN_DASH);
        return;
    }
    switch (form) {
    case SST_PAGE_COUNT:
        put_count(out, value);
        break;
    case SST_PAGE_DEGC:
        put_degc(out, value);
        break;
    case SST_PAGE_SIGNED_DEGC:
        put_fixed(out, value, DEGC_DECIMALS, true);
        break;
    case SST_PAGE_SHARE:
        put_percent(out, 100 * value);
        sst_text_add(out, HARD_SPACE "%");
        break;
    case SST_PAGE_TENTHS:
        put_fixed(out, value, 1, false);
        break;
    case SST_PAGE_HUNDREDTHS:
        put_fixed(out, value, 2, false);
        break;
    }
}

void sst_page_put_share(struct sst_text *out, const struct sst_page_node *node)
{
    const double low = sst_page_node_number(node, "low"), high = sst_page_node_number(node, "high");
    sst_page_put_number(out, SST_PAGE_SHARE, sst_page_node_number(node, "share"));
    if (!isfinite(low) || !isfinite(high))
        return;
    sst_text_add(out, " (");
    put_percent(out, 100 * low);
    sst_text_add(out, EN_DASH);
    put_percent(out, 100 * high);
    sst_text_add(out, ")");
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

void sst_page_table_open(struct sst_text *out, const char *caption, const char *columns)
{
    sst_text_add(out, "<figure class=\"table\">\n<figcaption>");
    sst_text_add_escaped(out, caption);
    sst_text_add(out, "</figcaption>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>");
    for (const char *at = columns;; ++at) {
        const bool is_left = *at == '<';
        at += is_left ? 1 : 0;
        const size_t n = strcspn(at, "|");
        sst_text_add(out, is_left ? "<th scope=\"col\" class=\"text\">" : "<th scope=\"col\">");
        sst_text_add_bytes(out, at, n);
        sst_text_add(out, "</th>");
        at += n;
        if (!*at)
            break;
    }
    sst_text_add(out, "</tr></thead>\n<tbody>\n");
}

void sst_page_table_close(struct sst_text *out) { sst_text_add(out, "</tbody></table></div>\n</figure>\n"); }

static void put_text(struct sst_text *out, const char *text)
{
    if (text)
        sst_text_add_escaped(out, text);
    else
        sst_text_add(out, EN_DASH);
}

void sst_page_row_open(struct sst_text *out, const char *name)
{
    sst_text_add(out, "<tr><th scope=\"row\">");
    put_text(out, name);
    sst_text_add(out, "</th>");
}

void sst_page_row_close(struct sst_text *out) { sst_text_add(out, "</tr>\n"); }

void sst_page_cell(struct sst_text *out, enum sst_page_form form, double value)
{
    sst_text_add(out, "<td>");
    sst_page_put_number(out, form, value);
    sst_text_add(out, "</td>");
}

void sst_page_cell_share(struct sst_text *out, const struct sst_page_node *node)
{
    sst_text_add(out, "<td>");
    sst_page_put_share(out, node);
    sst_text_add(out, "</td>");
}

void sst_page_cell_text(struct sst_text *out, const char *text)
{
    sst_text_add(out, "<td class=\"text\">");
    put_text(out, text);
    sst_text_add(out, "</td>");
}

void sst_page_facts_open(struct sst_text *out) { sst_text_add(out, "<dl>\n"); }

void sst_page_facts_close(struct sst_text *out) { sst_text_add(out, "</dl>\n"); }

void sst_page_fact_text(struct sst_text *out, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    sst_text_addf(out, "<dt>%s</dt><dd>", name);
    sst_text_add_escaped(out, value);
    sst_text_add(out, "</dd>\n");
}

void sst_page_fact_number(struct sst_text *out, const char *name, enum sst_page_form form, double value,
                          const char *unit)
{
    if (!isfinite(value))
        return;
    sst_text_addf(out, "<dt>%s</dt><dd>", name);
    sst_page_put_number(out, form, value);
    sst_text_addf(out, "%s%s</dd>\n", *unit ? " " : "", unit);
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static const char figures_tag[] = "<div class=\"figures\">\n";

size_t sst_page_figures_open(struct sst_text *out)
{
    const size_t mark = out->size;
    sst_text_add(out, figures_tag);
    return mark;
}

void sst_page_figures_close(struct sst_text *out, size_t mark)
{
    if (out->failed != SST_OK)
        return;
    if (out->size > mark + strlen(figures_tag)) {
        sst_text_add(out, "</div>\n");
        return;
    }
    out->size = mark;
    out->data[mark] = '\0';
}

void sst_page_figure(struct sst_text *out, const struct sst_chart *chart, const char *what, const char *of_what)
{
    sst_text_add(out, "<figure>\n");
    sst_chart_write(chart, out);
    sst_text_add(out, "\n<figcaption>");
    sst_text_add_escaped(out, what);
    sst_text_add(out, " ");
    sst_text_add_escaped(out, of_what);
    sst_text_add(out, "</figcaption>\n</figure>\n");
}

/* --- words -------------------------------------------------------------------------------------------------------- */

const char *sst_page_variable_name(const char *variable, char *buffer, size_t size)
{
    static const char prefix[] = "sst_p";
    const char *digits = variable + sizeof prefix - 1;
    if (strcmp(variable, "sst_mean") == 0) {
        (void)snprintf(buffer, size, "Mean");
        return buffer;
    }
    if (strncmp(variable, prefix, sizeof prefix - 1) != 0 || !*digits || digits[strspn(digits, "0123456789p")]) {
        (void)snprintf(buffer, size, "%s", variable);
        return buffer;
    }
    (void)snprintf(buffer, size, "P%s", digits);
    char *point = strchr(buffer, 'p');
    if (point)
        *point = '.';
    return buffer;
}

void sst_page_variable_heading(struct sst_text *out, const char *variable)
{
    char name[64];
    sst_text_add(out, "<h3>");
    sst_text_add_escaped(out, sst_page_variable_name(variable, name, sizeof name));
    sst_text_add(out, " <code>");
    sst_text_add_escaped(out, variable);
    sst_text_add(out, "</code></h3>\n");
}

double sst_page_chart_value(double value) { return fabs(value) <= LARGEST_CHART_VALUE ? value : NAN; }
