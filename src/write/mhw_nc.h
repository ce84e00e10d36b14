/*
 * Maps of marine heatwaves (or cold spells), a day a step: category, status, surface, anomaly, severity, days, event.
 *
 *   check ▸ create ▸ ( put day 0, 1, 2 ... each once, in order ) ▸ finish, or abandon
 *
 * The file is CF-1.11 and netCDF-4; a chunk is a day's map, of small maps several. NetCDF-C makes it; its chunks are deflated here
 * and written through HDF5. It appears under its name when it is finished (write/place.h).
 */
#ifndef SST_WRITE_MHW_NC_H
#define SST_WRITE_MHW_NC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/grid.h"
#include "core/status.h"
#include "write/clim_nc.h"
#include "write/deflate_memo.h"

/* Fills: of bytes, of days_above, of event ids, of packed anomalies, of floats. */
enum { SST_MHW_FILL_BYTE = -1, SST_MHW_FILL_DAYS = -1, SST_MHW_FILL_EVENT = -1, SST_MHW_FILL_PACKED = -32767 };
#define SST_MHW_FILL 9.969209968386869e36f

/* Values of a flag variable, from 0 up: names for flag_meanings, "name: text; name: text" for the comment. */
struct sst_mhw_flags {
    const char *meanings, *comment;
};

/* What a file holds. Texts and arrays are borrowed until the file is finished or abandoned. */
struct sst_mhw_spec {
    const char *path;
    bool overwrite;
    const struct sst_domain *domain;
    enum sst_calendar_kind calendar;
    int64_t first_day; /* [days since 1970-01-01] of step 0 */
    size_t n_days;
    bool is_cold; /* names begin with mcs_ in place of mhw_ */
    struct sst_mhw_flags status, surface;
    const char *definition; /* a sentence: thresholds, durations, gaps */
    const struct sst_attribute
        *attributes; /* global ones, n_attributes of them; borrowed by sst_mhw_create alone; empty ones are left out */
    size_t n_attributes;
    int deflate_level; /* 0 = none .. 9 */
    struct sst_deflate_memo *memo; /* of chunks that were deflated before; NULL: none. The file is the same */
    /* Of feeds; zeros: as other files are. */
    bool packs_anomaly; /* in whole hundredths of a degree, SST_MHW_PACKED_STEP */
    const char *severity_comment; /* which days have one; NULL: those beyond the threshold */
    struct sst_mhw_flags robust; /* of category_robust_to_approximation; without meanings there is no such variable */
    int revision; /* of a file of one day, from 1 on */
    bool in_memory; /* `path` is for messages alone; sst_mhw_finish_bytes */
};

/* [K] */
#define SST_MHW_PACKED_STEP 0.01

enum sst_mhw_input { SST_MHW_INPUT_FINAL, SST_MHW_INPUT_PRELIMINARY, SST_MHW_INPUT_MISSING };

/* One day: arrays of domain->n_cells in domain order, with the fills above where there is no value. */
struct sst_mhw_day {
    const int8_t *category, *status, *surface;
    const float *anomaly, *severity; /* [degC] not asked for where it is packed; [1] */
    const int16_t *days_above;
    const int64_t *event;
    const int16_t *packed_anomaly; /* [SST_MHW_PACKED_STEP] where the file packs it */
    const int8_t *robust; /* where the file has it */
    enum sst_mhw_input input;
};

struct sst_mhw_file;

/* Owner: the caller; sst_mhw_finish or sst_mhw_abandon. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_mhw_create(const struct sst_mhw_spec *spec, struct sst_mhw_file **out,
                                              struct sst_error *err);

/* Writes the next day. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_mhw_put(struct sst_mhw_file *file, const struct sst_mhw_day *day,
                                           struct sst_error *err);

/* Gives the file its name; `*file` is freed in any case. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_mhw_finish(struct sst_mhw_file **file, struct sst_error *err);

/*
 * The same of a file in memory: its bytes.
 *
 * Owner    *bytes is the caller's, sst_free. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_mhw_finish_bytes(struct sst_mhw_file **file, void **bytes, size_t *n_bytes,
                                                    struct sst_error *err);

/* Removes what was written; NULL is accepted. */
void sst_mhw_abandon(struct sst_mhw_file **file);

#endif
