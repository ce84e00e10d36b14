/*
 * Files into a state, as `ingest`, `watch` and `quarantine` do it: scanned, counted, told of, and noted.
 *
 *   paths ─▶ scan ─▶ sst_ingest ─▶ "committed DAY" on stdout │ log on stderr │ STATE/files: taken, held with reasons
 */
#ifndef SST_APP_INGEST_JOB_H
#define SST_APP_INGEST_JOB_H

#include "app/options.h"
#include "state/file_notes.h"
#include "state/ingest.h"

struct sst_ingest_job {
    const struct sst_options *options; /* readers, decoding, --accept-*, --replace, --status-from */
    struct sst_state *state; /* open to write */
    struct sst_file_notes *notes; /* of it */
    struct sst_catalog *old; /* --old; NULL: none */
    struct sst_ingest_totals totals; /* of all calls */
    size_t n_rejects; /* files that could not be used, of all calls */
    /* Told of each day, beside what is printed; may be NULL. */
    void (*tell)(void *user, const struct sst_ingest_news *news);
    bool (*may_write)(void *user); /* asked before each commit, as in struct sst_ingest_options; may be NULL */
    /* As in struct sst_ingest_options; may be NULL. */
    void (*hand)(void *user, const struct sst_ingest_news *news, const struct sst_ingest_look *look,
                 const struct sst_field *field);
    void *user; /* of both */
};

/*
 * Takes in files, any number, in any order; what became of them is noted and durable on return. Files of several series are
 * taken in one series after another, so that none is left out for what came with it.
 *
 * Errors   those of sst_ingest, SST_ERR_INTERRUPTED too where may_write said no. Files that cannot be used are no error: they are told, noted as held, and in n_rejects.
 */
SST_MUST_CHECK enum sst_status sst_ingest_job_run(struct sst_ingest_job *job, const char *const *paths, size_t n_paths,
                                                  struct sst_error *err);

/* The same of files that are scanned already, as the job would. Errors: as sst_ingest_job_run. */
SST_MUST_CHECK enum sst_status sst_ingest_job_take(struct sst_ingest_job *job, struct sst_catalog *catalog,
                                                   struct sst_error *err);

/*
 * Scans files as options say, with a bar.
 *
 * accepts_none   as in struct sst_catalog_options. Owner, errors: as sst_catalog_scan.
 */
SST_MUST_CHECK enum sst_status sst_ingest_job_scan(const struct sst_options *options, const char *const *paths,
                                                   size_t n_paths, bool accepts_none, struct sst_catalog **out,
                                                   struct sst_error *err);

/* One line of what was done. */
void sst_ingest_job_sum_up(const struct sst_ingest_job *job);

/* SST_OK, or SST_ERR_INCOMPLETE with the number of days and files that were left out. */
SST_MUST_CHECK enum sst_status sst_ingest_job_outcome(const struct sst_ingest_job *job, struct sst_error *err);

#endif
