/*
 * Where a report goes: out.json, or out.html with out.json beside it. Both are written under temporary names while the run
 * can still fail, and put in their places when everything else is in its own.
 */
#ifndef SST_APP_REPORT_FILES_H
#define SST_APP_REPORT_FILES_H

#include <stdbool.h>

#include "core/status.h"
#include "core/text.h"

struct json_t; /* jansson's */

/* Start from zeros. */
struct sst_report_files {
    char *json, *page; /* paths; page is NULL where none is wanted */
    char *json_temporary, *page_temporary; /* not NULL: written and not yet in their places */
    bool overwrite;
};

/* Names the files that `--report path` means. Owner: the caller; sst_report_files_clear. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_report_files_name(const char *path, bool overwrite, struct sst_report_files *files,
                                                     struct sst_error *err);

/* Whether they can be written. Errors: SST_ERR_OUTPUT, as sst_place_check. */
SST_MUST_CHECK enum sst_status sst_report_files_check(const struct sst_report_files *files, struct sst_error *err);

/* Writes, and draws the page. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_report_files_stage(struct sst_report_files *files, const struct json_t *report,
                                                      struct sst_error *err);

/* Puts what was staged in its place. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_report_files_commit(struct sst_report_files *files, struct sst_error *err);

/* One text, written and put in its place at once; nothing is left behind otherwise. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_report_files_put(const struct sst_text *text, const char *path, bool overwrite,
                                                    struct sst_error *err);

/* Frees, and removes what is not in its place. */
void sst_report_files_clear(struct sst_report_files *files);

#endif
