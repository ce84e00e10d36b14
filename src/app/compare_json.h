/* The findings of a comparison as JSON (docs/report.md), on standard output and in files. */
#ifndef SST_APP_COMPARE_JSON_H
#define SST_APP_COMPARE_JSON_H

#include "app/compare_findings.h"

/*
 * Writes what --json and --report ask for.
 *
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_compare_write(const struct sst_compare *compare, struct sst_error *err);

/* The JSON of --report: that file, or the one beside a page. Owner: the caller, sst_free. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_compare_json_path(const char *report, char **out, struct sst_error *err);

#endif
