/* What a run has to say when it is done: one set of facts, printed as text and written as JSON. */
#ifndef SST_APP_REPORT_H
#define SST_APP_REPORT_H

#include <stdio.h>

#include "app/accuracy.h"
#include "app/ingest_policy.h"
#include "app/job.h"
#include "app/timings_text.h"
#include "core/digest.h"
#include "core/text.h"
#include "stream/reader.h"

struct json_t; /* jansson's */

/* Version of the JSON's form; goes up when a key changes its meaning or goes away. */
#define SST_REPORT_SCHEMA "sststream-run/1"

struct sst_report {
    const struct sst_job *job;
    const struct sst_reader *reader;
    const struct sst_accuracy_findings *accuracy;
    const char *verdict; /* one paragraph, of sst_report_verdict_text; "" where nothing was judged */
    char climatology_id[SST_DIGEST_TEXT_SIZE];
    const char *created; /* ISO time */
    double seconds; /* [s] wall time */
    uint64_t peak_rss_bytes; /* the most of the program, and what its readers have for themselves */
    const struct sst_timings_report *timings; /* NULL: not told */
};

/* The summary, for people. */
void sst_report_print(const struct sst_report *report, FILE *stream);

/* The same as JSON (docs/report.md) with all inputs. Owner: the caller; json_decref. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_report_make_json(const struct sst_report *report, struct json_t **out,
                                                    struct sst_error *err);

/* As text, a line a value and a newline at the end; to a stream, or added. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_report_print_json(const struct json_t *report, FILE *stream, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_report_put_json(const struct json_t *report, struct sst_text *out,
                                                   struct sst_error *err);

/* Whether the share beyond the tolerance is at most --max-share, and one paragraph that says so. */
struct sst_verdict {
    bool is_judged; /* something was validated */
    bool passes;
    struct sst_share worst; /* the largest share beyond, of all cell-days by area, among the percentiles */
    size_t percentile; /* where that is */
};
struct sst_verdict sst_report_verdict(const struct sst_report *report);
SST_MUST_CHECK enum sst_status sst_report_verdict_text(const struct sst_report *report, struct sst_text *out,
                                                       struct sst_error *err);

/* What `plan` shows. */
void sst_plan_print(const struct sst_job *job, FILE *stream);

/* What `plan` shows of the files where no run can be planned: span, whole years, odd files. job->catalog is there. */
void sst_plan_print_found(const struct sst_job *job, FILE *stream);

/* What a state of the whole grid, which ingest would make of the same years, takes of the disk; false where it makes none. */
bool sst_plan_state_bytes(const struct sst_job *job, struct sst_state_bytes out[SST_KEEP_ALL + 1]);

SST_MUST_CHECK enum sst_status sst_plan_write_json(const struct sst_job *job, FILE *stream, struct sst_error *err);

/* "ice-free, by area" and so on: rows of the error table in the order in which they are shown. */
struct sst_report_row {
    const char *name, *key;
    enum sst_error_class which;
    enum sst_error_weight weight;
};
enum { SST_N_REPORT_ROWS = 4 };
extern const struct sst_report_row sst_report_rows[SST_N_REPORT_ROWS];

#endif
