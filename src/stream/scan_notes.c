/* Notes of a scan: each thing is told of the first file that has it, and at the end of how many more do. */
#include "stream/scan_private.h"

#include <string.h>

#include "core/mem.h"

/* Unlike notes that are passed on; more come only from an archive of wild texts. */
enum { MAX_NOTES = 64 };

static struct sst_scan_note *find_note(const struct sst_scan *scan, const char *text)
{
    for (size_t i = 0; i < scan->n_notes; ++i) {
        if (strcmp(scan->notes[i].text, text) == 0)
            return &scan->notes[i];
    }
    return NULL;
}

/* Passes a new note on, with its file, and keeps it. */
static enum sst_status add_note(struct sst_scan *scan, const char *text)
{
    char *line = NULL;
    SST_TRY(sst_asprintf(&line, NULL, "%s: %s", scan->path, text));
    scan->options->notes(scan->options->notes_user, line);
    sst_free(line);
    SST_TRY(sst_grow(&scan->notes, &scan->notes_capacity, scan->n_notes + 1, sizeof *scan->notes, "the notes", NULL));
    struct sst_scan_note note = {.n_files = 1};
    SST_TRY(sst_strdup(text, &note.text, NULL));
    scan->notes[scan->n_notes++] = note;
    return SST_OK;
}

void sst_scan_note(void *user, const char *text)
{
    struct sst_scan *scan = user;
    if (scan->is_quiet || !scan->options->notes)
        return;
    const char *bare = sst_catalog_without_path(scan->path, text);
    struct sst_scan_note *known = find_note(scan, bare);
    if (known) {
        ++known->n_files;
    } else if (scan->n_notes < MAX_NOTES) {
        const enum sst_status rc = add_note(scan, bare);
        if (rc != SST_OK)
            scan->notes_status = rc;
    } else {
        ++scan->n_notes_dropped;
    }
}

static enum sst_status say(const struct sst_scan *scan, size_t n, const char *what, const char *text,
                           struct sst_error *err)
{
    char *line = NULL;
    SST_TRY(sst_asprintf(&line, err, "%zu %s%s", n, what, text));
    scan->options->notes(scan->options->notes_user, line);
    sst_free(line);
    return SST_OK;
}

enum sst_status sst_scan_sum_up_notes(const struct sst_scan *scan, struct sst_error *err)
{
    if (scan->notes_status != SST_OK)
        return sst_fail(err, scan->notes_status, "no memory for notes on files");
    for (size_t i = 0; i < scan->n_notes; ++i) {
        if (scan->notes[i].n_files > 1)
            SST_TRY(say(scan, scan->notes[i].n_files, "files: ", scan->notes[i].text, err));
    }
    return scan->n_notes_dropped ? say(scan, scan->n_notes_dropped, "further notes on files are left out", "", err)
                                 : SST_OK;
}

void sst_scan_count_uses(const struct sst_scan *scan, size_t (*kind_of)(const struct sst_scan_record *),
                         struct sst_scan_use *uses)
{
    for (size_t file = 0; file < scan->catalog->n_files; ++file) {
        const size_t kind = kind_of(&scan->records[file]);
        if (kind == SIZE_MAX)
            continue;
        if (uses[kind].n_files++ == 0)
            uses[kind].first_file = file;
    }
}

size_t sst_scan_most_used(const struct sst_scan_use *uses, size_t n_kinds)
{
    size_t most = 0;
    for (size_t kind = 1; kind < n_kinds; ++kind) {
        if (uses[kind].n_files > uses[most].n_files)
            most = kind;
    }
    return most;
}
