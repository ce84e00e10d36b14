/* From what a run saw at its probes to what its report says: the second half of app/accuracy.h. */
#ifndef SST_APP_ACCURACY_FINDINGS_H
#define SST_APP_ACCURACY_FINDINGS_H

#include "app/accuracy.h"

/* Makes room for what is found while slots come. The findings' own marks are set. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_findings_open(struct sst_accuracy_findings *findings, const struct sst_job *job,
                                                 struct sst_error *err);
void sst_findings_clear(struct sst_accuracy_findings *findings);

/* Sees the bounds of a slot as they are written; n_cells of the first coverage. */
void sst_findings_see_bound(struct sst_accuracy_findings *findings, size_t percentile, const float *bound,
                            size_t n_cells);

/* All that was seen; sample and series are NULL where there are none. */
struct sst_evidence {
    const struct sst_job *job;
    const struct sst_sample *sample;
    const struct sst_series *series;
    const struct sst_tally *tally;
};

/* Works the rest out. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_findings_conclude(struct sst_accuracy_findings *findings,
                                                     const struct sst_evidence *evidence, struct sst_error *err);

#endif
