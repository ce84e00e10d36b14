/* `sststream plan`: what a run would read and need, from headers and one field. */
#include <stdio.h>

#include "app/commands.h"
#include "app/report.h"

int cmd_plan(const struct sst_options *options)
{
    struct sst_error err = {0};
    struct sst_job job;
    struct sst_progress progress;
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    sst_progress_init(&progress, options->progress, &terminal, options->log);
    enum sst_status rc = sst_job_prepare(options, &progress, &job, &err);
    if (rc == SST_OK && options->json)
        rc = sst_plan_write_json(&job, stdout, &err);
    else if (rc == SST_OK)
        sst_plan_print(&job, stdout);
    else if (job.catalog && !options->json)
        sst_plan_print_found(&job, stdout);
    if (rc == SST_OK)
        rc = sst_log_check(options->log, SST_ERR_INPUT, &err);
    if (rc == SST_OK && job.coverage.n_missing > 0)
        rc = SST_ERR_INCOMPLETE;
    else if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    sst_job_clear(&job);
    return sst_status_exit_code(rc);
}
