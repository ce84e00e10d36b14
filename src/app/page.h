/*
 * The accuracy report as a page: one HTML file without script or outside resource, drawn from the report's JSON alone
 * (docs/report.md), so that a run and `sststream report` share one path.
 *
 *   JSON ──▶ sections, each drawn if its block is there ──▶ contents, notes ──▶ page
 */
#ifndef SST_APP_PAGE_H
#define SST_APP_PAGE_H

#include <stdbool.h>

#include "core/status.h"
#include "core/text.h"
#include "stream/decode.h"

struct json_t; /* jansson's */

/*
 * Draws a page. A block that is absent or null is left out, and listed at the end; one of the wrong form is left out and
 * named at the top. The markup is well-formed XML too, all text is escaped, and the same report gives the same bytes.
 *
 * report   an object that sst_page_check_schema accepts.
 * out      empty; the caller clears it, also after a failure.
 * Errors   SST_ERR_INPUT where sst_page_check_schema refuses, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_page_write(const struct json_t *report, struct sst_text *out, struct sst_error *err);

/* The same, and tells `note` of each thing of the wrong form: "bounds.sst_p90.levels: a list is expected, ...". */
SST_MUST_CHECK enum sst_status sst_page_write_noted(const struct json_t *report, sst_note_fn *note, void *user,
                                                    struct sst_text *out, struct sst_error *err);

/* Whether a page can be drawn of it. Errors: SST_ERR_INPUT: not ours, a plan, or of a newer schema. */
SST_MUST_CHECK enum sst_status sst_page_check_schema(const struct json_t *report, struct sst_error *err);

/*
 * Puts a finished text in its place: written under a temporary name, synced, renamed.
 *
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM; nothing is left behind.
 */
SST_MUST_CHECK enum sst_status sst_page_put(const struct sst_text *text, const char *path, bool overwrite,
                                            struct sst_error *err);

#endif
