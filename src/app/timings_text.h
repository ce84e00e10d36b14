/* How the time of a run went, by phase: as a table and as JSON. */
#ifndef SST_APP_TIMINGS_TEXT_H
#define SST_APP_TIMINGS_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "backend/gpu.h"
#include "core/timings.h"

struct json_t; /* jansson's */

struct sst_timings_report {
    struct sst_timings
        readers; /* summed over the processes that read; what the program itself read stands in `program` */
    struct sst_timings program;
    struct sst_gpu_times device; /* beside the program, which waits in `accumulate` and `finish` if at all */
    size_t n_devices; /* 0: the CPU computed */
    double wall_seconds; /* of the whole run */
    int n_readers; /* 0: the program read the files itself */
    int n_threads;
    size_t n_fields; /* day fields that were read, of all passes */
    size_t n_cells; /* of a field; 0: not told */
    uint64_t bytes_read; /* of files, as they are stored */
    size_t n_reader_deaths; /* readers that were replaced */
};

/* A line of totals and a row for each phase; shares are of the wall time, of readers of the wall time of all of them. */
void sst_timings_print(const struct sst_timings_report *timings, FILE *stream);

/* The block `timings` of docs/report.md: a new reference, NULL without memory. */
struct json_t *sst_block_timings(const struct sst_timings_report *timings);

#endif
