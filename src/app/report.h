/* What a run has to say when it is done: one set of facts, printed as text and written as JSON. The home of jansson. */
#ifndef SST_APP_REPORT_H
#define SST_APP_REPORT_H

#include <stdio.h>

#include "app/job.h"
#include "core/digest.h"
#include "stream/reader.h"
#include "validate/compare.h"
#include "validate/tally.h"

/* Version of the JSON's form; goes up when a key changes its meaning or goes away. */
#define SST_REPORT_SCHEMA "sststream-run/1"

struct sst_report {
    const struct sst_job *job;
    const struct sst_reader *reader;
    const struct sst_comparison *const *comparisons; /* one per percentile; NULL where nothing was validated */
    struct sst_tally_result tally;
    char climatology_id[SST_DIGEST_TEXT_SIZE];
    const char *created; /* ISO time */
    double seconds; /* [s] wall time */
    uint64_t peak_rss_bytes;
};

/* The summary, for people. */
void sst_report_print(const struct sst_report *report, FILE *stream);

/* The same as JSON with all inputs. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_report_write_json(const struct sst_report *report, FILE *stream,
                                                     struct sst_error *err);

/* What `plan` shows. */
void sst_plan_print(const struct sst_job *job, FILE *stream);

/* What `plan` shows of the files where no run can be planned: span, whole years, odd files. job->catalog is there. */
void sst_plan_print_found(const struct sst_job *job, FILE *stream);

SST_MUST_CHECK enum sst_status sst_plan_write_json(const struct sst_job *job, FILE *stream, struct sst_error *err);

/* Largest share of cell-days beyond the tolerance among the percentiles (all cells, by area); NaN where not validated. */
double sst_report_worst_share(const struct sst_report *report);

/* "ice-free, by area" and so on: rows of the error table in the order in which they are shown. */
struct sst_report_row {
    const char *name, *key;
    enum sst_error_class which;
    enum sst_error_weight weight;
};
enum { SST_N_REPORT_ROWS = 4 };
extern const struct sst_report_row sst_report_rows[SST_N_REPORT_ROWS];

#endif
