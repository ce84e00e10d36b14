/*
 * Steps of files as the scan found them, decoded one at a time, in whichever process: a few open files, the last used kept
 * longest, or a memo in place of opening.
 */
#ifndef SST_STREAM_STEP_FILES_H
#define SST_STREAM_STEP_FILES_H

#include "core/grid.h"
#include "core/timings.h"
#include "stream/decode.h"

struct sst_step_setup {
    const struct sst_domain *domain;
    enum sst_lattice_kind lattice;
    const uint8_t *keep; /* --mask flags of the domain, or NULL */
    struct sst_decode_options decode; /* its scratch is not used */
    size_t n_most_open; /* files */
    bool wants_degc; /* values in degC beside the codes */
};

/* Where the values of a step go: arrays of the domain's cells, overwritten whole. */
struct sst_step_values {
    int16_t *codes;
    uint8_t *ice;
    float *degc; /* as in struct sst_field; not NULL exactly where they are wanted */
};

/* A file as the scan found it; it must still be so. */
struct sst_step_file {
    uint32_t index; /* tells files apart */
    const char *path;
    uint64_t size_bytes;
    size_t n_steps;
    struct sst_grid_map map; /* from the run's grid to the file's */
    const void *memo; /* NULL where it has to be opened */
    size_t memo_bytes;
};

/* One of its steps. */
struct sst_step_key {
    uint32_t step;
    struct sst_instant at;
};

/* What the decode of a step met. */
struct sst_step_outcome {
    bool has_ice;
    struct sst_decode_stats stats;
    uint64_t digest; /* sst_domain_digest of its codes, after the mask */
};

enum { SST_STEP_READING_SIZE = 192 };

struct sst_step_files;

/* setup is copied, what it points at borrowed. Owner: the caller; sst_step_files_destroy. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_step_files_create(const struct sst_step_setup *setup, struct sst_step_files **out,
                                                     struct sst_error *err);
void sst_step_files_destroy(struct sst_step_files **files);

/*
 * Decodes a step, masked.
 *
 * reading  how the file is read, for -v: "netCDF-4: chunks read directly: ..."; may be NULL.
 * Errors   SST_ERR_NOMEM; SST_ERR_INPUT and others where the file cannot be opened, is not the one that was scanned, or
 *          the step cannot be decoded; the text begins with the path.
 */
SST_MUST_CHECK enum sst_status sst_step_files_decode(struct sst_step_files *files, const struct sst_step_file *file,
                                                     struct sst_step_key key, const struct sst_step_values *values,
                                                     struct sst_step_outcome *outcome, char *reading,
                                                     struct sst_error *err);

/* Time of all decodes so far: open, read, inflate, decode. */
const struct sst_timings *sst_step_files_timings(const struct sst_step_files *files);

#endif
