/* Days as lines: those that are durable on standard output, all else in the log. */
#include "app/ingest_news.h"

#include <stdio.h>

static const char *day_text(const struct sst_ingest_job *job, struct sst_day day, char *text)
{
    return sst_day_text(sst_state_policy(job->state)->pools.kind, day, text);
}

/* Why a day is kept beside what is counted; "" for one that is counted. */
static const char *aside(const struct sst_ingest_news *news)
{
    if (news->status == SST_DAY_PRELIMINARY)
        return news->is_beside ? " (preliminary, beside the baseline)" : " (preliminary)";
    return news->is_beside ? " (beside the baseline)" : "";
}

static void say_committed(const struct sst_ingest_job *job, const struct sst_ingest_news *news)
{
    struct sst_log *log = job->options->log;
    char day[SST_DAY_TEXT_SIZE];
    sst_log_wipe_bar(log);
    (void)printf("committed %s%s\n", day_text(job, news->day, day), aside(news));
    (void)fflush(stdout); /* whoever reads may act on it now; main() looks whether it arrived */
    if (news->outcome == SST_INGEST_REPLACE || news->outcome == SST_INGEST_LOGGED_REPLACE)
        sst_log_info(log, "%s: replaced by %s", day, news->path);
}

/* Of what is no fault the first of a kind is shown, the rest counted in the summary. */
static void say_passed_over(const struct sst_ingest_job *job, const struct sst_ingest_news *news)
{
    const bool is_late = news->outcome == SST_INGEST_PRELIMINARY_LATE;
    const bool is_first = is_late && job->totals.n[news->outcome] == 1;
    char day[SST_DAY_TEXT_SIZE];
    (is_first ? sst_log_info : sst_log_debug)(
        job->options->log, "%s: %s (%s)%s", news->path,
        is_late ? "preliminary, and a final one is known already" : "known already, with the same values",
        day_text(job, news->day, day), is_first ? "; more of this kind are only counted" : "");
}

void sst_ingest_say(const struct sst_ingest_job *job, const struct sst_ingest_news *news)
{
    struct sst_log *log = job->options->log;
    char day[SST_DAY_TEXT_SIZE];
    switch (news->outcome) {
    case SST_INGEST_ADD:
    case SST_INGEST_REPLACE:
    case SST_INGEST_LOGGED:
    case SST_INGEST_LOGGED_REPLACE:
        say_committed(job, news);
        break;
    case SST_INGEST_CONFLICT:
    case SST_INGEST_LEFT_OUT:
        sst_log_warn(log, "%s: %s left out: %s", news->path, day_text(job, news->day, day), news->reason);
        break;
    case SST_INGEST_UNUSABLE:
        sst_log_warn(log, "%s: no usable file", day_text(job, news->day, day));
        break;
    default:
        say_passed_over(job, news);
    }
}

void sst_ingest_job_sum_up(const struct sst_ingest_job *job)
{
    const size_t *n = job->totals.n;
    sst_log_info(job->options->log,
                 "%s: %zu days counted (%zu in place of others), %zu logged beside them (%zu in place of others), %zu "
                 "known already, %zu preliminary of final days, %zu left out",
                 job->options->state, n[SST_INGEST_ADD] + n[SST_INGEST_REPLACE], n[SST_INGEST_REPLACE],
                 n[SST_INGEST_LOGGED] + n[SST_INGEST_LOGGED_REPLACE], n[SST_INGEST_LOGGED_REPLACE],
                 n[SST_INGEST_DUPLICATE], n[SST_INGEST_PRELIMINARY_LATE],
                 n[SST_INGEST_CONFLICT] + n[SST_INGEST_LEFT_OUT] + n[SST_INGEST_UNUSABLE]);
}
