/* The findings of a comparison as JSON (docs/report.md). */
#ifndef SST_APP_COMPARE_JSON_H
#define SST_APP_COMPARE_JSON_H

#include "app/compare_findings.h"

struct json_t; /* jansson's */

/* Owner: the caller; json_decref. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_compare_make_json(const struct sst_compare *compare, struct json_t **out,
                                                     struct sst_error *err);

#endif
