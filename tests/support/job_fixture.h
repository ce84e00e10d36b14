/* A job of "sststream in.nc LINE" on a global grid, of which seven cells in ten are sea and thirty years are there. */
#ifndef TESTS_JOB_FIXTURE_H
#define TESTS_JOB_FIXTURE_H

#include "app/environment.h"
#include "app/job.h"

struct job_fixture {
    struct sst_options options;
    struct sst_catalog catalog;
    struct sst_job job; /* all that comes before memory and devices are settled */
    struct sst_error err;
};

/* On a machine of 4 cores, n_lat x 2 n_lat cells. What was made before is forgotten. */
void job_fixture_make(struct job_fixture *made, const char *line, uint64_t memory_bytes, size_t n_lat);
void job_fixture_forget(struct job_fixture *made);

#endif
