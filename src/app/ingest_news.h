/* What `ingest` and its kin say of days. */
#ifndef SST_APP_INGEST_NEWS_H
#define SST_APP_INGEST_NEWS_H

#include "app/ingest_job.h"

/* Says what became of a day, which job->totals has counted already. */
void sst_ingest_say(const struct sst_ingest_job *job, const struct sst_ingest_news *news);

#endif
