/*
 * What the sections of the page are made of: words, numbers with sensible digits, tables, figures.
 *
 * Numbers that do not exist are shown as an en dash. Every text from the report is escaped here or in write/chart.h.
 */
#ifndef SST_APP_PAGE_PARTS_H
#define SST_APP_PAGE_PARTS_H

#include "app/page_node.h"
#include "write/chart.h"

/* What a report of a run and a comparison of two climatologies call the same things. */
struct sst_page_words {
    const char *schema; /* without the number */
    const char *title;
    const char *design, *errors; /* headings */
    const char *error; /* "error": noun of a difference */
    const char *rule; /* what is subtracted from what */
    const char *reference, *other; /* columns of consequences */
    const char *of_what; /* ends each caption of an error: of which cell-days */
};

struct sst_page {
    struct sst_page_node root;
    struct sst_text *out;
    const struct sst_page_words *words;
    double tolerance_degc; /* NaN: none */
};

/* One section; it draws nothing where its block is not there, and is then left out. */
struct sst_page_section {
    const char *id, *title, *block; /* block: the key of docs/report.md, for the list of what is not there */
    void (*draw)(const struct sst_page *page);
};

void sst_page_verdict(const struct sst_page *page);
void sst_page_design(const struct sst_page *page);
void sst_page_errors(const struct sst_page *page);
void sst_page_largest(const struct sst_page *page);
void sst_page_maps(const struct sst_page *page);
void sst_page_bounds(const struct sst_page *page);
void sst_page_repair(const struct sst_page *page);
void sst_page_consequences(const struct sst_page *page);
void sst_page_sampling(const struct sst_page *page);
void sst_page_budget(const struct sst_page *page);
void sst_page_data(const struct sst_page *page);
void sst_page_flags(const struct sst_page *page);
void sst_page_reproduce(const struct sst_page *page);

/* --- numbers ------------------------------------------------------------------------------------------------------ */

enum sst_page_form {
    SST_PAGE_COUNT, /* 344,406 */
    SST_PAGE_DEGC, /* 0.087; below half of the last digit "<0.001" */
    SST_PAGE_SIGNED_DEGC, /* +0.025, with a true minus */
    SST_PAGE_SHARE, /* 0.1329 as "13.3 %", more digits near 0 and 100 */
    SST_PAGE_TENTHS, /* 32.4 */
    SST_PAGE_HUNDREDTHS /* 2.13 */
};
void sst_page_put_number(struct sst_text *out, enum sst_page_form form, double value);

/* A share with its 95 % interval, "13.3 % (8.6–20.8)", from the members share, low, high of a node. */
void sst_page_put_share(struct sst_text *out, const struct sst_page_node *node);

/* --- tables ------------------------------------------------------------------------------------------------------- */

/*
 * Titles of columns stand in one text, split at |. The first column is text and left, the others are numbers, unless their
 * title begins with <.
 */
void sst_page_table_open(struct sst_text *out, const char *caption, const char *columns);
void sst_page_table_close(struct sst_text *out);
void sst_page_row_open(struct sst_text *out, const char *name); /* name is escaped; NULL: an en dash */
void sst_page_row_close(struct sst_text *out);
void sst_page_cell(struct sst_text *out, enum sst_page_form form, double value);
void sst_page_cell_share(struct sst_text *out, const struct sst_page_node *node); /* a share with its interval */
void sst_page_cell_text(struct sst_text *out, const char *text); /* escaped, left; NULL: an en dash */

/* A list of facts: name and value in two columns. */
void sst_page_facts_open(struct sst_text *out);
void sst_page_facts_close(struct sst_text *out);
void sst_page_fact_text(struct sst_text *out, const char *name, const char *value); /* escaped; NULL: left out */
void sst_page_fact_number(struct sst_text *out, const char *name, enum sst_page_form form, double value,
                          const char *unit); /* NaN: left out */

/* --- figures ------------------------------------------------------------------------------------------------------ */

/* Figures stand side by side where there is room. The mark that open gives lets close take back what stayed empty. */
size_t sst_page_figures_open(struct sst_text *out);
void sst_page_figures_close(struct sst_text *out, size_t mark);

/* The size of all charts, so that their letters are of one size. [px] */
enum { SST_PAGE_CHART_WIDTH = 480, SST_PAGE_CHART_HEIGHT = 300 };

/* Draws the chart with what is said of it, escaped, in three parts: what, of what. Unit stands on the axes. */
void sst_page_figure(struct sst_text *out, const struct sst_chart *chart, const char *what, const char *of_what);

/* --- words -------------------------------------------------------------------------------------------------------- */

/* A heading <h3> for a variable of the climatology: "P90 (sst_p90)". */
void sst_page_variable_heading(struct sst_text *out, const char *variable);
/* "P90" of "sst_p90", the name itself where it is no such name. Returns the buffer. */
const char *sst_page_variable_name(const char *variable, char *buffer, size_t size);

/* A member of a report in a chart: NaN where it is none or so great that no axis could be drawn. */
double sst_page_chart_value(double value);

#endif
