/*
 * What the decode_*.c files share; nobody else includes it.
 *
 *   decode.c          open, close, the order of the steps below
 *   decode_magic.c    what kind of file it is, before the library sees it
 *   decode_attr.c     attributes of any type, as numbers and texts
 *   decode_axes.c     which dimension is which, and the grid
 *   decode_choose.c   which variable is the SST, the ice, the mask
 *   decode_units.c    units to degrees Celsius
 *   decode_packing.c  stored number to value: scale, offset, fills, valid range, lattice
 *   decode_time.c     steps and their days
 *   decode_flags.c    a mask's flags: land, lake, ice
 *   decode_storage.c  chunks, caches, and filters that the library lacks
 *   decode_rows.c     rows of a box, as stored and as doubles
 *   decode_direct*.c  stored numbers without the library (decode_direct.h)
 *   decode_scratch.c  memory that is used again from file to file
 *   decode_model.c    files of one make: what the first told is checked, not worked out again
 *   decode_describe.c all that a netCDF-4 header says, as bytes to compare
 *   decode_head*.c    the header as it stands in the file, compared without HDF5 (decode_head.h)
 *   decode_memo.c     files opened again without the library (decode_memo.h)
 *   decode_plain.c    tables of all 16-bit numbers
 *   decode_loops.c    loops over the cells of a row
 *   decode_companions.c  ice and mask of a box
 *   decode_field.c    fields to codes
 */
#ifndef SST_STREAM_DECODE_PRIVATE_H
#define SST_STREAM_DECODE_PRIVATE_H

#include <netcdf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/decode.h"
#include "stream/decode_status.h"

enum {
    SST_DECODE_TEXT_SIZE = 256, /* [B] of an attribute that is looked at; longer texts are cut */
    SST_DECODE_MAX_FILLS = 32, /* values that mean missing */
    SST_DECODE_MAX_FLAGS = 32, /* meanings of a mask */
    SST_DECODE_TABLE_SIZE = 65536, /* 16-bit numbers */
    SST_DECODE_NOTES_SIZE = 4096, /* [B] */
    SST_DECODE_MAX_RANK = 8, /* dimensions of a variable */
    SST_DECODE_MAX_STEPS = 1000000 /* days of 2,700 years; more is a damaged header */
};

/* [degC] What sea water can be; anything outside is left out and counted. */
#define SST_DECODE_MIN_DEGC (-5.0)
#define SST_DECODE_MAX_DEGC 50.0

enum sst_decode_role { SST_ROLE_OTHER, SST_ROLE_LAT, SST_ROLE_LON, SST_ROLE_TIME };

/* Codes that no valid value has, while a row is being decoded. */
enum {
    SST_DECODE_IMPLAUSIBLE = INT16_MIN + 1,
    SST_DECODE_OFF_RANGE = INT16_MIN + 2, /* plausible, but the lattice does not reach it */
    SST_DECODE_ICE_CODE = INT16_MIN + 3, /* HadISST's "ice here" in place of a temperature */
    SST_DECODE_LOWEST_CODE = INT16_MIN + 4
};

/* What a mask says of a cell: bits. */
enum { SST_MASK_LAND = 1, SST_MASK_LAKE = 2, SST_MASK_ICE = 4 };

/* Classes of mask values in this range are tabulated: all that signed and unsigned bytes hold. */
enum { SST_DECODE_MASK_MIN = -128, SST_DECODE_MASK_MAX = 255 };

/* A variable: where its axes are, and how its stored numbers become values: value = stored * scale + offset. */
struct sst_decode_variable {
    int id; /* -1: none */
    char name[NC_MAX_NAME + 1];
    nc_type type; /* as to be read: unsigned where _Unsigned says so */
    int rank;
    int dim_ids[SST_DECODE_MAX_RANK];
    int time_at, lat_at, lon_at; /* positions among the dimensions; -1: not there */
    bool has_scaling;
    double scale, offset;
    double fills[SST_DECODE_MAX_FILLS]; /* stored numbers that mean missing, as the variable's type holds them */
    size_t n_fills;
    double valid_min, valid_max; /* stored numbers */
};

/* The time variable as it is declared. */
struct sst_decode_time {
    int varid, bounds_id; /* bounds_id -1: none */
    char name[NC_MAX_NAME + 1], bounds_name[SST_DECODE_TEXT_SIZE];
    struct sst_time_axis axis;
    bool is_integer; /* of integer type, without scale and offset */
    size_t n; /* steps */
    double scale, offset, fill;
};

/* degC = value * slope + intercept */
struct sst_decode_conversion {
    double slope, intercept;
};

/* One meaning of a mask: a cell has it where (value & mask) == bits. */
struct sst_decode_flag {
    uint32_t mask, bits;
    uint8_t meaning; /* SST_MASK_ bits */
};

/* Which file it is, and in which state: another one, or the same one written to, differs in one of these. */
struct sst_decode_identity {
    uint64_t device, inode, size_bytes;
    int64_t written_s, written_ns, changed_s, changed_ns; /* times of the contents, and of anything at all */
};

/* What was told while a file was opened: texts, each with its NUL. */
struct sst_decode_notes {
    char texts[SST_DECODE_NOTES_SIZE];
    size_t length;
    bool is_cut; /* there were more */
};

struct sst_file {
    int ncid; /* -1: the library has not opened it; sst_decode_need_library */
    int format; /* NC_FORMAT_... */
    bool is_netcdf4;
    struct sst_decode_identity identity; /* from before its header was read */
    struct sst_file_info info;
    char *path, *title, *product, *sensor;
    struct sst_status_rule status_rule;
    bool has_expver; /* a variable of that name, whose values differ from file to file */
    const char *base_name; /* within path */
    char standard_name[SST_DECODE_TEXT_SIZE], units[SST_DECODE_TEXT_SIZE];
    sst_note_fn *notes;
    void *notes_user;
    struct sst_decode_notes *told; /* NULL: nobody asks again */

    /* Roles of the dimensions, and the variables that give them. */
    int n_dims, n_vars;
    enum sst_decode_role *dim_roles; /* by dimension id */
    int *dim_coordinates; /* by dimension id: variable id, -1 if none */
    bool *is_bounds; /* by variable id: another variable names it as its bounds */
    bool has_2d_coordinates;
    struct sst_grid *grid;
    struct sst_decode_time time;
    struct sst_step_info *steps;

    struct sst_decode_variable sst, ice, mask;
    struct sst_decode_conversion to_degc;
    double ice_scale; /* fraction = value * ice_scale */
    struct sst_decode_flag flags[SST_DECODE_MAX_FLAGS];
    size_t n_flags;

    uint8_t mask_classes[SST_DECODE_MASK_MAX - SST_DECODE_MASK_MIN + 1];
    double ice_code_degc; /* [degC] stands for ice; NaN in all but HadISST */

    bool is_library_only;
    struct sst_direct *direct; /* NULL until values are read */
    struct sst_decode_scratch *scratch, *own_scratch; /* the second is NULL where the first is the caller's */

    /* Kept between steps. */
    double *row;
    uint8_t *classes; /* of the mask, in domain order */
    size_t row_capacity, classes_capacity;
};

/* Tells the user's note function, if there is one. The text does not name the file: the caller knows it. */
void sst_decode_note(struct sst_file *file, const char *format, ...) SST_PRINTF(2, 3);

/* decode.c */

/* A file of which nothing is known but its path. Owner: the caller; sst_file_close. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_decode_create_file(const char *path, const struct sst_decode_options *options,
                                                      struct sst_file **out, struct sst_error *err);

/* Sets which variables tell ice and land, and, with HadISST's code, the SST itself. */
void sst_decode_name_sources(struct sst_file *file);

/* Global attributes in which files of one make differ. */
enum sst_decode_own_text {
    SST_OWN_TITLE,
    SST_OWN_ID,
    SST_OWN_PRODUCT_VERSION,
    SST_OWN_VERSION,
    SST_OWN_PLATFORM,
    SST_OWN_SENSOR,
    SST_OWN_INSTRUMENT,
    SST_OWN_STATUS, /* that of --status-from */
    SST_N_OWN_TEXTS
};

/* Cut to SST_DECODE_TEXT_SIZE; "" where there is none. */
struct sst_decode_own {
    char texts[SST_N_OWN_TEXTS][SST_DECODE_TEXT_SIZE];
};

/* The name of an attribute; NULL where it is not asked for. */
const char *sst_decode_own_name(const struct sst_file *file, enum sst_decode_own_text which);
void sst_decode_read_own(const struct sst_file *file, struct sst_decode_own *out);

/* Takes the texts over, and what they and the file's name tell. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_decode_take_own(struct sst_file *file, const struct sst_decode_own *own,
                                                   struct sst_error *err);

/* Whether the file is of ERA5T, by its variable expver. Errors: SST_ERR_INPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_decode_read_expver(struct sst_file *file, struct sst_error *err);

/* Sets what is told of a format, one of NC_FORMAT_... */
void sst_decode_set_format(struct sst_file *file, int format);

/* Sees to it that file->ncid is open, where the file was opened without the library. Errors: those of sst_file_open. */
SST_MUST_CHECK enum sst_status sst_decode_need_library(struct sst_file *file, struct sst_error *err);

/* decode_memo.c */
struct stat;
void sst_decode_identify(const struct stat *status, struct sst_decode_identity *out);

/* decode_model.c */

/* How a header is compared: as bytes of the file, or as HDF5 describes it. The former is tried first. */
enum sst_decode_model_way { SST_MODEL_BY_HEAD, SST_MODEL_BY_DESCRIPTION, SST_N_MODEL_WAYS };

/*
 * Opens a file by the model that the scratch memory holds: where its header says the same as that of the last file that was
 * read by the library, it means the same.
 *
 * was_opened  false where it differs in anything, or cannot be read so: the next way is to be tried, or the library to be
 *             asked, with a new file.
 * Errors      SST_ERR_NOMEM only.
 */
SST_MUST_CHECK enum sst_status sst_decode_open_by_model(struct sst_file *file, const struct sst_decode_options *options,
                                                        enum sst_decode_model_way way, bool *was_opened,
                                                        struct sst_error *err);

/* Makes a file that the library has opened the model of those to come. Errors: SST_ERR_NOMEM only. */
SST_MUST_CHECK enum sst_status sst_decode_keep_model(struct sst_file *file, const struct sst_decode_options *options,
                                                     const struct sst_decode_notes *told, struct sst_error *err);

/* All numbers of a variable of a file that was opened so; false where they cannot be read. */
bool sst_decode_model_reals(const struct sst_file *file, const char *variable, size_t n, double *out);
bool sst_decode_model_integers(const struct sst_file *file, const char *variable, size_t n, long long *out);

/* decode_magic.c: refuses what is no netCDF file, and classic files that are cut short. */
SST_MUST_CHECK enum sst_status sst_decode_check_magic(const char *path, uint64_t *size_bytes, struct sst_error *err);

/* decode_attr.c */

/* Takes white space off both ends. */
void sst_decode_trim(char *text);

/* A text attribute (char or string), cut to `size`; "" where there is none. Never fails: a bad text is no text. */
void sst_decode_attr_text(int ncid, int varid, const char *name, char *buffer, size_t size);

/*
 * The numbers of an attribute of any type; text is parsed as numbers separated by blanks or commas.
 *
 * out      room for `room` numbers; *n gets how many there are, 0 where there is no such attribute.
 * type     gets the stored type; may be NULL.
 * Errors   SST_ERR_INPUT where there are more than `room`, or a text is no number.
 */
SST_MUST_CHECK enum sst_status sst_decode_attr_numbers(const struct sst_file *file, int varid, const char *name,
                                                       double *out, size_t room, size_t *n, nc_type *type,
                                                       struct sst_error *err);

/* decode_axes.c */

/* Finds the role of every dimension. */
SST_MUST_CHECK enum sst_status sst_decode_find_axes(struct sst_file *file, struct sst_error *err);

/* Whether a variable has one latitude and one longitude dimension; never fails. */
bool sst_decode_is_on_grid(const struct sst_file *file, int varid);

/* Whether a variable is an axis, or the bounds of one. */
bool sst_decode_is_coordinate(const struct sst_file *file, int varid);

/* Role that a variable's attributes and name give it as a coordinate. */
enum sst_decode_role sst_decode_role_of(const struct sst_file *file, int varid);

/* Fills in name, type, rank and positions of the axes. Errors: SST_ERR_INPUT with a remedy where the shape is no map. */
SST_MUST_CHECK enum sst_status sst_decode_lay_out(const struct sst_file *file, int varid,
                                                  struct sst_decode_variable *out, struct sst_error *err);

/* Reads the two axes of a variable into file->grid. */
SST_MUST_CHECK enum sst_status sst_decode_read_grid(struct sst_file *file, const struct sst_decode_variable *variable,
                                                    struct sst_error *err);

/* decode_choose.c */

/* Sets file->sst (laid out) by --var, standard names, known names, or as the only candidate. */
SST_MUST_CHECK enum sst_status sst_decode_choose_sst(struct sst_file *file, const char *named, struct sst_error *err);

/* Set file->ice and file->mask (laid out); id -1 where there is none. */
SST_MUST_CHECK enum sst_status sst_decode_choose_ice(struct sst_file *file, const char *named, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_decode_choose_mask(struct sst_file *file, struct sst_error *err);

/* The only 2-D variable on the grid, for a mask file. */
SST_MUST_CHECK enum sst_status sst_decode_choose_only(struct sst_file *file, const char *named,
                                                      struct sst_decode_variable *out, struct sst_error *err);

/* What kind of SST the file says that it holds. */
/* What the end of a GHRSST file name says; asked where the variable says nothing. */
enum sst_sst_kind sst_decode_kind_in_file_name(const char *name);
enum sst_sst_kind sst_decode_kind_of(const struct sst_file *file);

/* decode_units.c */

/* Whether the text is a temperature, without a message. */
bool sst_decode_is_temperature(const char *units);

/*
 * The conversion from `units` to degrees Celsius. `used` gets the spelling in use (aliases replaced), `alias` whether it
 * was replaced.
 *
 * Errors   SST_ERR_INPUT for what is no temperature, with what UDUNITS takes it for.
 */
SST_MUST_CHECK enum sst_status sst_decode_units(const char *units, struct sst_decode_conversion *out, char *used,
                                                size_t size, bool *was_alias, struct sst_error *err);

/* The two ways to a conversion: a list of the common spellings, and UDUNITS (8 ms a call). They agree. */
bool sst_decode_units_listed(const char *units, struct sst_decode_conversion *out);
SST_MUST_CHECK enum sst_status sst_decode_units_parsed(const char *units, struct sst_decode_conversion *out,
                                                       struct sst_error *err);

/* decode_packing.c */

/* Reads scale, offset, fills and valid range of a laid-out variable. */
SST_MUST_CHECK enum sst_status sst_decode_read_packing(struct sst_file *file, struct sst_decode_variable *variable,
                                                       struct sst_error *err);

/* Forgets a valid range that leaves nothing of the ocean when it is taken as stored numbers. */
void sst_decode_check_valid_range(struct sst_file *file);

/* The lattice of the SST's packing, and whether every packed value lies on it. */
enum sst_lattice_kind sst_decode_lattice_of(const struct sst_decode_variable *variable,
                                            const struct sst_decode_conversion *conversion, bool *is_exact);

bool sst_decode_is_integer(nc_type type);
size_t sst_decode_type_size(nc_type type);

/* The value in degC of one stored number; the only place where this arithmetic stands. */
static inline double sst_decode_degc(const struct sst_decode_variable *variable,
                                     const struct sst_decode_conversion *conversion, double stored)
{
    return (stored * variable->scale + variable->offset) * conversion->slope + conversion->intercept;
}

/* decode_time.c */

/* Fills in file->time and info.calendar, then the steps. */
SST_MUST_CHECK enum sst_status sst_decode_read_steps(struct sst_file *file, struct sst_error *err);

/* Fills in file->steps and info.n_steps from the values of file->time, and checks them against the file's name. */
SST_MUST_CHECK enum sst_status sst_decode_place_steps(struct sst_file *file, struct sst_error *err);

/* decode_flags.c: reads the meanings of file->mask; forgets the mask where it says nothing of land, lake or ice. */
SST_MUST_CHECK enum sst_status sst_decode_read_flags(struct sst_file *file, struct sst_error *err);

/* SST_MASK_ bits of a mask's value. */
uint8_t sst_decode_mask_class(const struct sst_file *file, double value);

/* decode_storage.c */

/* Steps per chunk, chunk caches, and filters that the library lacks. */
SST_MUST_CHECK enum sst_status sst_decode_prepare_reading(struct sst_file *file, struct sst_error *err);

/* decode_rows.c */

/* What is read of a variable: a step of a domain. */
struct sst_decode_box {
    const struct sst_domain *domain;
    const struct sst_grid_map *map;
    size_t step;
};

/* A row as stored, its numbers side by side; or several short whole rows, which go on where the row before them ends. */
struct sst_decode_raw_row {
    const unsigned char *first;
    size_t row, col, n; /* domain row, first domain column, numbers */
};

typedef void sst_decode_raw_row_fn(void *user, const struct sst_decode_raw_row *row);
SST_MUST_CHECK enum sst_status sst_decode_read_raw_rows(struct sst_file *file,
                                                        const struct sst_decode_variable *variable,
                                                        const struct sst_decode_box *box, sst_decode_raw_row_fn *take,
                                                        void *user, struct sst_error *err);

/* Stored numbers as doubles, NaN where missing: domain row, first domain column, numbers, of one row or of several whole ones. */
typedef void sst_decode_row_fn(void *user, size_t row, size_t col, size_t n, const double *values);
SST_MUST_CHECK enum sst_status sst_decode_read_rows(struct sst_file *file, const struct sst_decode_variable *variable,
                                                    const struct sst_decode_box *box, sst_decode_row_fn *take,
                                                    void *user, struct sst_error *err);

/* Room for n doubles in file->row. */
SST_MUST_CHECK enum sst_status sst_decode_need_row(struct sst_file *file, size_t n, struct sst_error *err);

/* decode_companions.c: ice flags (0 or 1), and SST_MASK_ bits, of a box in domain order. */
SST_MUST_CHECK enum sst_status sst_decode_read_ice(struct sst_file *file, const struct sst_decode_box *box,
                                                   uint8_t *ice, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_decode_read_mask(struct sst_file *file, const struct sst_decode_box *box,
                                                    uint8_t *classes, struct sst_error *err);

#endif
