/*
 * What a run learns of its own accuracy, and what follows for each slot before it is written.
 *
 *   engine ──slot──▶ errors at the probes ─┬─ nothing to model ──────────────────────▶ flags ─▶ writer
 *                          │               └─ spool ··· all slots there ▸ fit ▸ correct, bounds ─▲
 *                          ▼                                           │
 *   engine ──day───▶ sample, series ───────────────────────────────────┴──▶ findings, for the report
 */
#ifndef SST_APP_ACCURACY_H
#define SST_APP_ACCURACY_H

#include "app/job.h"
#include "stream/climatology.h"
#include "validate/bootstrap.h"
#include "validate/breakdown.h"
#include "validate/compare.h"
#include "validate/consequences.h"
#include "validate/error_model.h"
#include "validate/map.h"
#include "validate/tally.h"
#include "write/clim_nc.h"

/* Findings about one percentile. What is of a report alone is there only in a run that writes one. */
struct sst_percentile_findings {
    struct sst_comparison *errors; /* of the estimate: corrected at cells held out, and before any repair */
    struct sst_error_model *model; /* NULL for an estimator without moments */
    size_t n_repaired; /* cell-days */
    struct sst_share coverage_of_rest[SST_MAX_COVERAGES]; /* of what was not repaired, in a run that repairs */
    struct sst_breakdown breakdown; /* of a report */
    struct sst_consequences consequences;
    struct sst_sampling_error sampling;
    struct sst_map *probe_bias, *probe_rmse; /* [degC] at the sample's cells */
    struct sst_map *bound; /* [degC] mean over the year, all cells, first coverage; NULL without a model */
};

struct sst_accuracy_findings {
    size_t n_sample_cells; /* 0: nothing was validated, and by_percentile is empty */
    bool all_validated; /* the exact percentile is known at every cell that is computed */
    bool is_for_report;
    struct sst_percentile_findings by_percentile[SST_MAX_PERCENTILES];
    struct sst_tally_result tally;
    struct sst_map *sea, *flagged; /* of a report: share that is sea; of days beyond, likely beyond or uncertified */
};

/* Who writes a slot when it is whole. */
struct sst_slot_writer {
    void *user;
    enum sst_status (*write)(void *user, const struct sst_clim_values *values, struct sst_error *err);
};

struct sst_accuracy;

/*
 * job is borrowed for the object's life, slots are copied: those of the output, in its order.
 *
 * Owner    the caller; sst_accuracy_destroy.
 * Errors   SST_ERR_NOMEM; SST_ERR_OUTPUT where the spool cannot be made.
 */
SST_MUST_CHECK enum sst_status sst_accuracy_create(const struct sst_job *job, const int *slots, size_t n_slots,
                                                   bool is_for_report, struct sst_accuracy **out,
                                                   struct sst_error *err);
void sst_accuracy_destroy(struct sst_accuracy **accuracy);

/* Whether the engine has to give the shape of pools. */
bool sst_accuracy_wants_shape(const struct sst_accuracy *accuracy);

/* Sees a day that enters the pools. */
void sst_accuracy_day(struct sst_accuracy *accuracy, struct sst_day day, const struct sst_field *field);

/* Sees a slot: writes it, or keeps it. Errors: those of the writer and of the spool. */
SST_MUST_CHECK enum sst_status sst_accuracy_put(struct sst_accuracy *accuracy, const struct sst_slot_result *result,
                                                const struct sst_slot_writer *writer, struct sst_error *err);

/* All slots are there: fits, and writes what was kept, in the order of the output. Errors: as put, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_accuracy_finish(struct sst_accuracy *accuracy, const struct sst_slot_writer *writer,
                                                   struct sst_error *err);

/* What was found, after finish; owned by `accuracy`. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_accuracy_conclude(struct sst_accuracy *accuracy,
                                                     const struct sst_accuracy_findings **out, struct sst_error *err);

/* Of a job: bytes held besides while files are read; more when all slots are there and the pass holds nothing; scratch. */
struct sst_accuracy_needs {
    uint64_t memory_bytes, later_bytes, disk_bytes;
    bool is_staged; /* no slot is written before all are there */
};
struct sst_accuracy_needs sst_accuracy_needs_of(const struct sst_job *job, size_t n_slots, bool is_for_report);

#endif
