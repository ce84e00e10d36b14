/*
 * One file of daily SST, of whatever make: what it holds, and its fields as integer codes. The home of netcdf.h.
 *
 *   open ──▶ header facts (struct sst_file_info) ──▶ step k ──▶ day field in domain order
 *
 * Every attribute is read from each file; nothing is assumed from another file of the series.
 */
#ifndef SST_STREAM_DECODE_H
#define SST_STREAM_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/field.h"
#include "core/grid.h"
#include "core/status.h"
#include "core/timings.h"

/* What a temperature is of; unlike kinds are not joined. From standard_name, then long_name and GHRSST file names. */
enum sst_sst_kind {
    SST_KIND_UNKNOWN,
    SST_KIND_SURFACE,
    SST_KIND_FOUNDATION,
    SST_KIND_SKIN,
    SST_KIND_SUBSKIN,
    SST_KIND_DEPTH
};

/* "surface", "foundation", ... */
const char *sst_sst_kind_name(enum sst_sst_kind kind);

/* Memory that reading uses again from file to file. One thread uses it at a time. */
struct sst_decode_scratch;

/* Owner: the caller; sst_decode_scratch_destroy, after the files that use it are closed. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_decode_scratch_create(struct sst_decode_scratch **out, struct sst_error *err);
void sst_decode_scratch_destroy(struct sst_decode_scratch **scratch);

/* What went to fetching and to undoing filters in all decodes that used it. */
const struct sst_timings *sst_decode_scratch_timings(const struct sst_decode_scratch *scratch);

/* What the user said about reading, and how it is done; all may be NULL. Borrowed until the file is closed. */
struct sst_decode_options {
    const char *variable; /* --var: the SST variable */
    const char *units; /* --units: in place of the file's */
    const char *ice_variable; /* --ice-var: sea ice concentration */
    const char *status_from; /* --status-from, as decode_status.h reads it: which files are preliminary */
    struct sst_decode_scratch *scratch; /* NULL: the file makes its own */
    bool library_only; /* all values are read by netCDF-C; nothing else differs, which is for tests to show */
};

struct sst_step_info {
    struct sst_instant at;
};

/* Header facts. Texts and arrays belong to the file and live until sst_file_close. */
struct sst_file_info {
    const char *path;
    const char *format; /* "netCDF-4", "netCDF-3 (CDF-1)", ... */
    const char *variable; /* name of the SST variable */
    const char *standard_name; /* "" if none */
    const char *units; /* as used, after --units and aliases */
    const char *ice_source; /* variable whose values or flags tell ice, "" if none */
    const char *mask_source; /* variable whose flags tell land and lakes, "" if none */
    const char *title; /* global attribute, "" if none */
    const char *reading; /* how the SST was read last: "chunks read directly: shuffle, deflate"; "" at first */
    const char *product; /* what it calls itself: global attribute id, else title, with its version; "" if nothing */
    const char *sensor; /* global attributes platform, sensor and instrument, "" if none */
    enum sst_sst_kind kind;
    enum sst_calendar_kind calendar;
    const struct sst_grid *grid;
    const struct sst_step_info *steps;
    size_t n_steps;
    size_t steps_per_chunk; /* steps that one compressed chunk spans; 1 where each step is stored apart */
    bool is_preliminary; /* by file name or attribute (OISST _preliminary, ERA5T), or by status_from */
    bool is_packed; /* integer storage: the packing alone tells the lattice */
    bool lattice_is_exact; /* is_packed, and every packed value lies on `lattice` */
    enum sst_lattice_kind lattice; /* of the packing; CENTI for floating point until values are seen */
    uint64_t size_bytes;
};

/* What one step's decode met. */
struct sst_decode_stats {
    size_t n_valid, n_missing; /* cells with a value; cells with a declared or default fill, NaN or Inf */
    size_t n_land, n_lake, n_ice; /* by the mask: left out, left out; kept and marked */
    size_t n_implausible; /* outside -5..50 degC: left out */
    size_t n_off_lattice; /* floating-point values not within rounding of the lattice */
    double raw_min, raw_max; /* stored values, before scale and offset, of cells that are no fill */
};

struct sst_file;

/*
 * Opens a file and reads its header.
 *
 * notes    called once for each thing that a user should hear about but that is no error (an aliased unit, a leftover
 *          scale_factor on floats); NULL for silence. Texts do not name the file, so equal ones of a series can be told
 *          once; not called after this function returns.
 * Owner    the caller; sst_file_close. `*out` is untouched on failure.
 * Errors   SST_ERR_INPUT, SST_ERR_GRID, SST_ERR_TIME with file, object, reason, remedy: empty, truncated, HTML, ZIP, no
 *          SST, several candidates, no temperature unit, 2-D coordinates, a dimension that wants a choice, several
 *          steps in one UTC day, a file name whose date is another than the time variable's, an unknown filter.
 */
typedef void sst_note_fn(void *user, const char *text);
SST_MUST_CHECK enum sst_status sst_file_open(const char *path, const struct sst_decode_options *options,
                                             sst_note_fn *notes, void *notes_user, struct sst_file **out,
                                             struct sst_error *err);
void sst_file_close(struct sst_file **file);

const struct sst_file_info *sst_file_info(const struct sst_file *file);

/*
 * Decodes one step into domain order: raw -> mask fills -> unpack in double -> degC -> nearest code.
 *
 * map      from sst_grid_match of the domain's grid and this file's.
 * out      arrays of domain->n_cells, borrowed, overwritten whole; out->has_ice is set. out->degc, where it is not NULL, gets
 *          floating-point values converted in double and rounded once to float32, of packed ones what the codes stand for.
 * stats    may be NULL.
 * Missing  _FillValue, missing_value (all of its values), the netCDF default fill, NaN, Inf, and what valid_range leaves
 *          out; land and lake by the file's mask.
 * Errors   SST_ERR_INPUT: unreadable data, a value beyond the lattice, or more than 0.1 % of the valid cells outside
 *          -5..50 degC (with the first place).
 */
SST_MUST_CHECK enum sst_status sst_file_decode(struct sst_file *file, size_t step, const struct sst_domain *domain,
                                               const struct sst_grid_map *map, enum sst_lattice_kind lattice,
                                               struct sst_field *out, struct sst_decode_stats *stats,
                                               struct sst_error *err);

/*
 * Reads a mask: cells where the variable is 0 or missing are left out (flag 0), others kept (flag 1).
 *
 * variable  NULL: the only 2-D variable on the grid.
 * keep      domain->n_cells flags, borrowed, overwritten.
 * Errors    SST_ERR_INPUT, SST_ERR_GRID.
 */
SST_MUST_CHECK enum sst_status sst_file_read_mask(const char *path, const char *variable,
                                                  const struct sst_domain *domain, uint8_t *keep,
                                                  struct sst_error *err);

#endif
