/* The page as a whole: which sections there are, contents, what could not be read and what is not there. */
#include "app/page.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/page_parts.h"
#include "app/page_style.h"

enum { SCHEMA_NUMBER = 1 /* the newest that is understood, of each schema */ };

static const struct sst_page_words words_of_schemas[] = {
    {
        .schema = "sststream-run/",
        .title = "Accuracy report",
        .design = "What was computed, and the design of the sample",
        .errors = "Errors",
        .error = "error",
        .rule = "approximate \xE2\x88\x92 exact",
        .reference = "exact",
        .other = "approximate",
        .of_what = "Of the ice-free cell-days of the sample, by area.",
    },
    {
        .schema = "sststream-compare/",
        .title = "Two climatologies compared",
        .design = "What is compared",
        .errors = "Differences",
        .error = "difference",
        .rule = "A \xE2\x88\x92 B",
        .reference = "B",
        .other = "A",
        .of_what = "Of the ice-free cell-days that both have, by area.",
    },
};

enum { N_SCHEMAS = sizeof words_of_schemas / sizeof words_of_schemas[0] };

/* In the order of the page. */
static const struct section {
    struct sst_page_section is;
    enum { OF_BOTH, OF_RUNS, OF_COMPARISONS } whose; /* what the other kind lacks by nature is not missed there */
} sections[] = {
    {{"verdict", "Verdict", "verdict", sst_page_verdict}, OF_BOTH},
    {{"design", NULL, "policy, validation", sst_page_design}, OF_BOTH},
    {{"errors", NULL, "validation", sst_page_errors}, OF_BOTH},
    {{"largest", "Largest differences", "largest", sst_page_largest}, OF_COMPARISONS},
    {{"maps", "Maps", "maps", sst_page_maps}, OF_BOTH},
    {{"bounds", "Bounds for every cell", "bounds", sst_page_bounds}, OF_RUNS},
    {{"repair", "Repaired values", "repair", sst_page_repair}, OF_RUNS},
    {{"consequences", "Consequences for heatwaves", "consequences", sst_page_consequences}, OF_BOTH},
    {{"sampling", "Sampling uncertainty of the exact percentile", "sampling", sst_page_sampling}, OF_RUNS},
    {{"budget", "Error budget", "error_budget", sst_page_budget}, OF_RUNS},
    {{"data", "Data coverage", "days, read, source", sst_page_data}, OF_RUNS},
    {{"flags", "Flags", "flags", sst_page_flags}, OF_RUNS},
    {{"reproduce", "How to repeat it", "reproduce", sst_page_reproduce}, OF_BOTH},
};

enum { N_SECTIONS = sizeof sections / sizeof sections[0] };

/* --- schema ------------------------------------------------------------------------------------------------------- */

/* The words of a schema, or NULL; its number, 0 where it has none. */
static const struct sst_page_words *words_of(const char *schema, long *number)
{
    for (size_t i = 0; i < N_SCHEMAS; ++i) {
        const size_t n = strlen(words_of_schemas[i].schema);
        if (strncmp(schema, words_of_schemas[i].schema, n) != 0)
            continue;
        char *end = NULL;
        const char *digits = schema + n;
        const bool is_number = *digits >= '1' && *digits <= '9';
        *number = is_number ? strtol(digits, &end, 10) : 0;
        if (!is_number || *end)
            *number = 0;
        return &words_of_schemas[i];
    }
    return NULL;
}

enum sst_status sst_page_check_schema(const json_t *report, struct sst_error *err)
{
    static const char remedy[] = "Give the JSON that 'sststream run --report FILE.json' wrote";
    const json_t *value = json_object_get(report, "schema");
    const char *schema = json_string_value(value);
    const char *version = json_string_value(json_object_get(report, "sststream_version"));
    long number = 0;
    if (!json_is_object(report))
        return sst_fail(err, SST_ERR_INPUT, "not a report of sststream, but JSON of another kind. %s", remedy);
    if (!value)
        return sst_fail(err, SST_ERR_INPUT, "schema: not there, so this is no report of sststream. %s", remedy);
    if (!schema)
        return sst_fail(err, SST_ERR_INPUT, "schema: no text, so this is no report of sststream. %s", remedy);
    if (strncmp(schema, "sststream-plan/", strlen("sststream-plan/")) == 0)
        return sst_fail(err, SST_ERR_INPUT, "schema: '%.60s' is a plan, which has no results. %s", schema, remedy);
    if (!words_of(schema, &number) || number == 0)
        return sst_fail(err, SST_ERR_INPUT, "schema: '%.60s' is none of sststream's reports. %s", schema, remedy);
    if (number > SCHEMA_NUMBER)
        return sst_fail(
            err, SST_ERR_INPUT,
            "schema: '%.60s' was written by a newer sststream%s%.20s; this is %s, which reads numbers up to %d. "
            "Use the newer program",
            schema, version ? ", " : "", version ? version : "", sst_version(), SCHEMA_NUMBER);
    return SST_OK;
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

static const char *title_of(const struct sst_page *page, size_t section)
{
    const struct sst_page_section *is = &sections[section].is;
    return is->title ? is->title : strcmp(is->id, "design") == 0 ? page->words->design : page->words->errors;
}

/* Each section into the body; is_there tells which drew something. */
static void draw_sections(const struct sst_page *page, bool is_there[N_SECTIONS])
{
    struct sst_text one = {0};
    struct sst_page drawing = *page;
    drawing.out = &one;
    for (size_t i = 0; i < N_SECTIONS; ++i) {
        one.size = 0;
        sections[i].is.draw(&drawing);
        is_there[i] = one.size > 0;
        if (!is_there[i])
            continue;
        sst_text_addf(page->out, "<section id=\"%s\">\n<h2>%s</h2>\n", sections[i].is.id, title_of(page, i));
        sst_text_add_bytes(page->out, one.data, one.size);
        sst_text_add(page->out, "</section>\n");
    }
    if (one.failed != SST_OK && page->out->failed == SST_OK)
        page->out->failed = one.failed;
    sst_text_clear(&one);
}

static void put_head(const struct sst_page *page)
{
    struct sst_text *out = page->out;
    const struct sst_page_node source = sst_page_node_object(&page->root, "source");
    const char *subject = sst_page_node_text(&source, "title");
    sst_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                      "'unsafe-inline'; img-src data:\"/>\n");
    sst_text_addf(out, "<title>%s%s", page->words->title, subject && *subject ? ": " : "");
    sst_text_add_escaped(out, subject ? subject : "");
    sst_text_addf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n", page_style,
                  page->words->title);
}

static void put_subtitle(const struct sst_page *page)
{
    struct sst_text *out = page->out;
    const struct sst_page_node source = sst_page_node_object(&page->root, "source");
    const struct sst_page_node validation = sst_page_node_object(&page->root, "validation");
    const char *const parts[] = {sst_page_node_text(&source, "title"), sst_page_node_text(&validation, "a"),
                                 sst_page_node_text(&validation, "b"), sst_page_node_text(&page->root, "output"),
                                 sst_page_node_text(&page->root, "created")};
    static const char *const names[] = {"", "A: ", "B: ", "", ""};
    size_t n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (!parts[i] || !*parts[i])
            continue;
        sst_text_addf(out, "%s%s", n++ ? " · " : "<p class=\"subtitle\">", names[i]);
        sst_text_add_escaped(out, parts[i]);
    }
    sst_text_add(out, n ? "</p>\n</header>\n" : "</header>\n");
}

static void put_notes(const struct sst_page *page)
{
    const struct sst_page_notes *notes = page->root.notes;
    if (notes->n == 0)
        return;
    sst_text_add(page->out,
                 "<div class=\"notes\">\n<p>Parts of the report are not of the form that they should have, and "
                 "are left out:</p>\n<ul>\n");
    for (size_t i = 0; i < notes->n; ++i) {
        sst_text_add(page->out, "<li>");
        sst_text_add_escaped(page->out, notes->texts[i]);
        sst_text_add(page->out, "</li>\n");
    }
    if (notes->n_more > 0)
        sst_text_addf(page->out, "<li>and %zu more</li>\n", notes->n_more);
    sst_text_add(page->out, "</ul>\n</div>\n");
}

static void put_contents(const struct sst_page *page, const bool is_there[N_SECTIONS])
{
    sst_text_add(page->out, "<nav aria-label=\"Contents\">\n<ul>\n");
    for (size_t i = 0; i < N_SECTIONS; ++i) {
        if (is_there[i])
            sst_text_addf(page->out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].is.id, title_of(page, i));
    }
    sst_text_add(page->out, "</ul>\n</nav>\n");
}

static void put_foot(const struct sst_page *page, const bool is_there[N_SECTIONS])
{
    const bool is_run = page->words == &words_of_schemas[0];
    size_t n = 0;
    sst_text_add(page->out, "<footer>\n");
    for (size_t i = 0; i < N_SECTIONS; ++i) {
        if (is_there[i] || sections[i].whose == (is_run ? OF_COMPARISONS : OF_RUNS))
            continue;
        sst_text_addf(page->out, "%s%s (<code>%s</code>)",
                      n++ ? ", " : "<p>Not on this page, for the report has nothing of it: ", title_of(page, i),
                      sections[i].is.block);
    }
    sst_text_addf(page->out,
                  "%s<p>Drawn by sststream %s from the JSON report alone.</p>\n</footer>\n</body>\n</html>\n",
                  n ? ".</p>\n" : "", sst_version());
}

static void tell(const struct sst_page_notes *notes, sst_note_fn *note, void *user)
{
    char more[64];
    for (size_t i = 0; note && i < notes->n; ++i)
        note(user, notes->texts[i]);
    (void)snprintf(more, sizeof more, "and %zu more of the wrong form", notes->n_more);
    if (note && notes->n_more > 0)
        note(user, more);
}

enum sst_status sst_page_write_noted(const json_t *report, sst_note_fn *note, void *user, struct sst_text *out,
                                     struct sst_error *err)
{
    struct sst_page_notes notes = {0};
    struct sst_text body = {0};
    bool is_there[N_SECTIONS] = {false};
    long number = 0;
    SST_TRY(sst_page_check_schema(report, err));
    struct sst_page page = {
        .root = sst_page_node_root(report, &notes),
        .out = &body,
        .words = words_of(json_string_value(json_object_get(report, "schema")), &number),
    };
    if (!page.words)
        return sst_fail(err, SST_ERR_INTERNAL, "schema: accepted, but without words");
    const struct sst_page_node validation = sst_page_node_object(&page.root, "validation");
    page.tolerance_degc = sst_page_chart_value(sst_page_node_number(&validation, "tolerance_degc"));
    draw_sections(&page, is_there);
    page.out = out;
    put_head(&page);
    put_subtitle(&page);
    put_notes(&page);
    put_contents(&page, is_there);
    sst_text_add(out, "<main>\n");
    sst_text_add_bytes(out, body.data ? body.data : "", body.size);
    sst_text_add(out, "</main>\n");
    put_foot(&page, is_there);
    if (body.failed != SST_OK && out->failed == SST_OK)
        out->failed = body.failed;
    sst_text_clear(&body);
    tell(&notes, note, user);
    return sst_text_check(out, err);
}

enum sst_status sst_page_write(const json_t *report, struct sst_text *out, struct sst_error *err)
{
    return sst_page_write_noted(report, NULL, NULL, out, err);
}
