/* stream/decode_model: a file opened by the model of the one before it is the file that a full opening gives. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "decoded.h"
#include "make_nc.h"
#include "stream/decode_direct.h"
#include "stream/decode_memo.h"
#include "test_main.h"

/* The libraries themselves lose memory where a damaged file fails to open. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5_serial\nleak:libnetcdf\n"; }

enum { N_LAT = 3, N_LON = 3, N_CELLS = N_LAT * N_LON, NOTES_SIZE = 1024 };

/* Maps whose chunks are too large for HDF5 to put them together with others. */
enum { N_ROWS = 64, MOST_CELLS = N_ROWS * N_ROWS };

/* A file opened and its only step decoded, or a message. */
struct opened {
    struct sst_file *file;
    bool is_by_model, is_by_head; /* opened without the library; without HDF5 too */
    enum sst_status rc;
    struct sst_error err;
    char notes[NOTES_SIZE];
    int16_t codes[MOST_CELLS], hundredths[MOST_CELLS];
    uint8_t ice[MOST_CELLS];
    unsigned char memo[SST_FILE_MEMO_MAX];
    size_t memo_bytes;
    bool has_ice;
    struct sst_decode_stats stats;
};

static void take_note(void *user, const char *text)
{
    char *notes = user;
    const size_t length = strlen(notes);
    (void)snprintf(notes + length, NOTES_SIZE - length, "%s\n", text);
}

static void decode(struct opened *out, struct sst_file *file, const struct sst_grid *grid)
{
    struct sst_domain domain;
    struct sst_grid_map map;
    sst_domain_all(grid, &domain);
    ck_assert_uint_le(domain.n_cells, MOST_CELLS);
    ck_assert_int_eq(sst_grid_match(grid, grid, &map, &out->err), SST_OK);
    struct sst_field field = {domain.n_cells, out->codes, out->hundredths, out->ice, false, NULL};
    out->rc = sst_file_decode(file, 0, &domain, &map, sst_file_info(file)->lattice, &field, &out->stats, &out->err);
    out->has_ice = field.has_ice;
}

static void open_and_decode(struct opened *out, const char *path, const struct sst_decode_options *options)
{
    memset(out, 0, sizeof *out);
    out->rc = sst_file_open(path, options, take_note, out->notes, &out->file, &out->err);
    if (out->rc != SST_OK)
        return;
    out->is_by_model = out->file->ncid < 0;
    out->is_by_head = out->is_by_model && out->file->direct->hdf5 < 0;
    out->memo_bytes = sst_file_memo(out->file, out->memo);
    decode(out, out->file, sst_file_info(out->file)->grid);
}

/* The memo of an opened file leads to the same values. */
static void expect_same_by_memo(const struct opened *opened, const char *path)
{
    static struct opened again;
    struct sst_file *file = NULL;
    bool is_same = false;
    memset(&again, 0, sizeof again);
    if (!opened->file || opened->memo_bytes == 0)
        return;
    ck_assert_int_eq(sst_file_open_memo(path, opened->memo, opened->memo_bytes, NULL, &file, &is_same, &again.err),
                     SST_OK);
    ck_assert(is_same);
    decode(&again, file, sst_file_info(opened->file)->grid);
    ck_assert_int_eq(again.rc, opened->rc);
    ck_assert_int_eq(memcmp(again.codes, opened->codes, sizeof again.codes), 0);
    ck_assert_int_eq(memcmp(again.ice, opened->ice, sizeof again.ice), 0);
    sst_file_close(&file);
}

static void expect_same_texts(const struct sst_file_info *a, const struct sst_file_info *b)
{
    ck_assert_str_eq(a->path, b->path);
    ck_assert_str_eq(a->format, b->format);
    ck_assert_str_eq(a->variable, b->variable);
    ck_assert_str_eq(a->standard_name, b->standard_name);
    ck_assert_str_eq(a->units, b->units);
    ck_assert_str_eq(a->ice_source, b->ice_source);
    ck_assert_str_eq(a->mask_source, b->mask_source);
    ck_assert_str_eq(a->title, b->title);
    ck_assert_str_eq(a->reading, b->reading);
    ck_assert_str_eq(a->product, b->product);
    ck_assert_str_eq(a->sensor, b->sensor);
}

static void expect_same_info(const struct sst_file_info *a, const struct sst_file_info *b)
{
    expect_same_texts(a, b);
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_int_eq(a->calendar, b->calendar);
    ck_assert_int_eq(a->lattice, b->lattice);
    ck_assert(a->lattice_is_exact == b->lattice_is_exact && a->is_packed == b->is_packed);
    ck_assert(a->is_preliminary == b->is_preliminary);
    ck_assert_uint_eq(a->size_bytes, b->size_bytes);
    ck_assert_uint_eq(a->steps_per_chunk, b->steps_per_chunk);
    ck_assert_uint_eq(a->n_steps, b->n_steps);
    ck_assert_int_eq(memcmp(a->steps, b->steps, a->n_steps * sizeof *a->steps), 0);
    ck_assert_uint_eq(a->grid->n_lat, b->grid->n_lat);
    ck_assert_uint_eq(a->grid->n_lon, b->grid->n_lon);
    ck_assert_int_eq(memcmp(a->grid->lat, b->grid->lat, a->grid->n_lat * sizeof *a->grid->lat), 0);
    ck_assert_int_eq(memcmp(a->grid->lon, b->grid->lon, a->grid->n_lon * sizeof *a->grid->lon), 0);
    ck_assert(a->grid->wraps == b->grid->wraps && a->grid->canonical_col == b->grid->canonical_col);
}

static void expect_same(const struct opened *a, const struct opened *b)
{
    ck_assert_msg(a->rc == b->rc, "%d \"%s\", in full %d \"%s\"", a->rc, a->err.text, b->rc, b->err.text);
    ck_assert_str_eq(a->err.text, b->err.text);
    ck_assert_str_eq(a->notes, b->notes);
    ck_assert((a->file != NULL) == (b->file != NULL));
    if (!a->file)
        return;
    expect_same_info(sst_file_info(a->file), sst_file_info(b->file));
    ck_assert_int_eq(memcmp(a->codes, b->codes, sizeof a->codes), 0);
    ck_assert_int_eq(memcmp(a->hundredths, b->hundredths, sizeof a->hundredths), 0);
    ck_assert_int_eq(memcmp(a->ice, b->ice, sizeof a->ice), 0);
    ck_assert(a->has_ice == b->has_ice);
    ck_assert_int_eq(memcmp(&a->stats, &b->stats, sizeof a->stats), 0);
    ck_assert_uint_eq(a->memo_bytes, b->memo_bytes);
}

/* Opens with the scratch memory and, in full, without; gives the first, closed. */
static struct opened open_both(const char *path, const struct sst_decode_options *options)
{
    static struct opened by_model, in_full;
    struct sst_decode_options alone = *options;
    alone.scratch = NULL;
    open_and_decode(&by_model, path, options);
    open_and_decode(&in_full, path, &alone);
    expect_same(&by_model, &in_full);
    expect_same_by_memo(&by_model, path);
    ck_assert(!in_full.is_by_model);
    sst_file_close(&by_model.file);
    sst_file_close(&in_full.file);
    return by_model;
}

/* True where it was opened without the library. */
static bool expect_alike(const char *path, const struct sst_decode_options *options)
{
    return open_both(path, options).is_by_model;
}

/* True where it was opened without HDF5. */
static bool expect_alike_by_head(const char *path, const struct sst_decode_options *options)
{
    return open_both(path, options).is_by_head;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

typedef void change_fn(struct make_nc_spec *spec);

static const double lat[N_LAT] = {-30, 0, 30}, flipped_lat[N_LAT] = {30, 0, -30}, lon[N_LON] = {0, 120, 240};
static const double moved_lon[N_LON] = {10, 130, 250};
static const double sst_values[N_CELLS] = {100, 200, 300, 400, 500, 600, 700, 800, -999};
static const double ice_values[N_CELLS] = {0, 10, 20, 30, 40, 50, 60, -999, 100};
static const double mask_values[N_CELLS] = {1, 1, 2, 1, 1, 4, 1, 1, 1};
static const double day[] = {8000}, next_day[] = {8001}, no_day[] = {(double)NC_FILL_FLOAT}, bounds[] = {8000, 8001};

/* As OISST's, with ice, a mask, an aliased unit for a note, a title, and times that have bounds. */
static void write_file(const char *path, int format, change_fn *change)
{
    static struct make_nc_spec spec;
    const struct make_nc_axes axes = {lat, lon, day, N_LAT, N_LON};
    memset(&spec, 0, sizeof spec);
    make_nc_oisst(&spec, format, &axes, sst_values);
    make_nc_text(make_nc_find(&spec, "sst"), "units", "deg C");
    make_nc_text(make_nc_find(&spec, "time"), "bounds", "time_bnds");
    make_nc_dim(&spec, "nv", 2);
    (void)make_nc_var(&spec, "time_bnds", NC_DOUBLE, "time nv", bounds);
    struct make_nc_var *ice = make_nc_var(&spec, "ice", NC_SHORT, "time zlev lat lon", ice_values);
    make_nc_number(ice, "_FillValue", NC_SHORT, -999);
    make_nc_number(ice, "scale_factor", NC_FLOAT, 0.01F);
    make_nc_text(ice, "units", "%");
    struct make_nc_var *mask = make_nc_var(&spec, "mask", NC_BYTE, "time lat lon", mask_values);
    make_nc_text(mask, "flag_meanings", "water land ice");
    make_nc_text(&spec.global, "title", "Daily SST");
    make_nc_text(&spec.global, "id", "Daily 1");
    if (change)
        change(&spec);
    make_nc_write(&spec, path);
}

static void nothing(struct make_nc_spec *spec) { (void)spec; }
static void title(struct make_nc_spec *spec) { make_nc_text(&spec->global, "title", "HadISST, preliminary "); }
static void no_titles(struct make_nc_spec *spec)
{
    make_nc_drop(&spec->global, "title");
    make_nc_drop(&spec->global, "id");
}
static void other_id(struct make_nc_spec *spec) { make_nc_text(&spec->global, "id", "Daily 2"); }
static void version(struct make_nc_spec *spec) { make_nc_text(&spec->global, "product_version", "2.1nrt"); }
static void platform(struct make_nc_spec *spec) { make_nc_text(&spec->global, "platform", "MetOp-C"); }
static void number_version(struct make_nc_spec *spec) { make_nc_number(&spec->global, "version", NC_DOUBLE, 2.1); }
static void history(struct make_nc_spec *spec) { make_nc_text(&spec->global, "history", "made today"); }
static void other_day(struct make_nc_spec *spec) { make_nc_find(spec, "time")->values = next_day; }
static void other_values(struct make_nc_spec *spec) { make_nc_find(spec, "sst")->values = ice_values; }

static void scale(struct make_nc_spec *spec)
{
    make_nc_number(make_nc_find(spec, "sst"), "scale_factor", NC_FLOAT, 0.02F);
}
static void scale_type(struct make_nc_spec *spec)
{
    make_nc_number(make_nc_find(spec, "sst"), "scale_factor", NC_DOUBLE, 0.01F);
}
static void fill(struct make_nc_spec *spec) { make_nc_number(make_nc_find(spec, "sst"), "_FillValue", NC_SHORT, 100); }
static void units(struct make_nc_spec *spec) { make_nc_text(make_nc_find(spec, "sst"), "units", "Celsius"); }
static void string_units(struct make_nc_spec *spec) { make_nc_string(make_nc_find(spec, "sst"), "units", "deg C"); }
static void calendar(struct make_nc_spec *spec) { make_nc_text(make_nc_find(spec, "time"), "calendar", "noleap"); }
static void epoch(struct make_nc_spec *spec)
{
    make_nc_text(make_nc_find(spec, "time"), "units", "days since 1979-01-01 12:00:00");
}
static void second_sst(struct make_nc_spec *spec)
{
    make_nc_text(make_nc_var(spec, "other", NC_SHORT, "time zlev lat lon", sst_values), "standard_name",
                 "sea_surface_temperature");
}
static void name_of_ice(struct make_nc_spec *spec)
{
    make_nc_text(make_nc_find(spec, "ice"), "standard_name", "sea_surface_temperature");
}
static void flip(struct make_nc_spec *spec) { make_nc_find(spec, "lat")->values = flipped_lat; }
static void turn(struct make_nc_spec *spec) { make_nc_find(spec, "lon")->values = moved_lon; }
static void chunks(struct make_nc_spec *spec)
{
    const size_t small[] = {1, 1, 2, 2};
    memcpy(make_nc_find(spec, "sst")->chunks, small, sizeof small);
}
static void filters(struct make_nc_spec *spec) { make_nc_find(spec, "ice")->deflate_level = 1; }
static void endian(struct make_nc_spec *spec) { make_nc_find(spec, "sst")->endian = NC_ENDIAN_BIG; }
static void type(struct make_nc_spec *spec)
{
    struct make_nc_var *ice = make_nc_find(spec, "ice");
    ice->type = NC_INT;
    make_nc_number(ice, "_FillValue", NC_INT, -999);
}
static void valid_min(struct make_nc_spec *spec)
{
    make_nc_number(make_nc_find(spec, "sst"), "valid_min", NC_SHORT, 250);
}
static void dropped(struct make_nc_spec *spec) { make_nc_drop(make_nc_find(spec, "ice"), "scale_factor"); }
/* Its value in its place, under a name that means nothing. */
static void renamed(struct make_nc_spec *spec)
{
    struct make_nc_var *ice = make_nc_find(spec, "ice");
    for (size_t i = 0; i < ice->n_attrs; ++i)
        if (strcmp(ice->attrs[i].name, "scale_factor") == 0)
            ice->attrs[i].name = "scale_number";
}
static void ice_units(struct make_nc_spec *spec) { make_nc_text(make_nc_find(spec, "ice"), "units", "1"); }
static void meanings(struct make_nc_spec *spec)
{
    make_nc_text(make_nc_find(spec, "mask"), "flag_meanings", "water ice land");
}
static void fixed_time(struct make_nc_spec *spec) { spec->dims[0].is_unlimited = false; }
static void turned_dims(struct make_nc_spec *spec)
{
    struct make_nc_var *sst = make_nc_find(spec, "sst");
    (void)snprintf(sst->dims[2], sizeof sst->dims[2], "lon");
    (void)snprintf(sst->dims[3], sizeof sst->dims[3], "lat");
}
static void no_ice(struct make_nc_spec *spec) { make_nc_remove(spec, "ice"); }
static void no_unit(struct make_nc_spec *spec) { make_nc_drop(make_nc_find(spec, "sst"), "units"); }
static void fill_time(struct make_nc_spec *spec) { make_nc_find(spec, "time")->values = no_day; }

/* By the model goes what each file has of its own, and the second file of another make, if it can be opened at all. */
static const struct {
    change_fn *change;
    bool is_own, is_refused;
} changes[] = {
    {nothing, true, false},    {title, true, false},        {no_titles, true, false},      {other_id, true, false},
    {version, true, false},    {platform, true, false},     {number_version, true, false}, {history, true, false},
    {other_day, true, false},  {other_values, true, false}, {scale, false, false},         {scale_type, false, false},
    {fill, false, false},      {units, false, false},       {string_units, false, false},  {calendar, false, false},
    {epoch, false, false},     {second_sst, false, true},   {name_of_ice, false, true},    {flip, false, false},
    {turn, false, false},      {chunks, false, false},      {filters, false, false},       {endian, false, false},
    {type, false, false},      {valid_min, false, false},   {dropped, false, false},       {renamed, false, false},
    {ice_units, false, false}, {meanings, false, false},    {fixed_time, false, false},    {turned_dims, false, false},
    {no_ice, false, false},    {no_unit, false, true},      {fill_time, false, true}};
enum { N_CHANGES = sizeof changes / sizeof *changes };

/* --- files that can be told by their heads ----------------------------------------------------------------------- */

enum { OTHER_NUMBERS = 1, OTHER_HISTORY = 2, OTHER_ROW = 4, UNDEFLATED = 8 };

static void write_large(const char *path, int what)
{
    static struct make_nc_spec spec;
    static double rows[N_ROWS], cols[N_ROWS], sst[MOST_CELLS], ice[MOST_CELLS];
    const struct make_nc_axes axes = {rows, cols, what & OTHER_NUMBERS ? next_day : day, N_ROWS, N_ROWS};
    uint32_t noise = what & OTHER_NUMBERS ? 1 : 2; /* so that deflated chunks are large too */
    for (int i = 0; i < N_ROWS; ++i) {
        rows[i] = i + (what & OTHER_ROW ? 0.25 : 0.5);
        cols[i] = i;
    }
    for (int i = 0; i < MOST_CELLS; ++i) {
        noise = noise * 1664525 + 1013904223;
        sst[i] = noise >> 16 & 2047;
        ice[i] = noise >> 16 & 63;
    }
    make_nc_oisst(&spec, NC_NETCDF4, &axes, sst);
    make_nc_text(&spec.global, "title", "Daily SST");
    make_nc_find(&spec, "time")->chunks[0] = 1;
    make_nc_text(make_nc_find(&spec, "sst"), "units", "deg C");
    struct make_nc_var *ice_var = make_nc_var(&spec, "ice", NC_SHORT, "time zlev lat lon", ice);
    make_nc_number(ice_var, "scale_factor", NC_FLOAT, 0.01F);
    make_nc_text(ice_var, "units", "%");
    make_nc_find(&spec, "sst")->deflate_level = ice_var->deflate_level = what & UNDEFLATED ? 0 : 1;
    if (what & OTHER_HISTORY)
        history(&spec);
    make_nc_write(&spec, path);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

static struct sst_decode_scratch *new_scratch(void)
{
    struct sst_decode_scratch *scratch = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_decode_scratch_create(&scratch, &err), SST_OK);
    return scratch;
}

START_TEST(a_file_that_differs_in_one_thing_is_read_as_in_full)
{
    const char *model = test_path("%s/model.nc", test_scratch_dir());
    const char *path = test_path("%s/changed.nc", test_scratch_dir());
    struct sst_decode_scratch *scratch = new_scratch();
    const struct sst_decode_options options = {.scratch = scratch};
    write_file(model, NC_NETCDF4, NULL);
    write_file(path, NC_NETCDF4, changes[_i].change);
    ck_assert(!expect_alike(model, &options));
    ck_assert(expect_alike(model, &options));
    ck_assert(expect_alike(path, &options) == changes[_i].is_own);
    ck_assert(expect_alike(path, &options) == !changes[_i].is_refused);
    (void)expect_alike(model, &options);
    ck_assert(expect_alike(model, &options));
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

START_TEST(a_file_that_differs_in_days_and_values_alone_is_opened_by_its_head)
{
    const char *model = test_path("%s/model.nc", test_scratch_dir());
    const char *path = test_path("%s/changed.nc", test_scratch_dir());
    struct sst_decode_scratch *scratch = new_scratch();
    const struct sst_decode_options options = {.scratch = scratch};
    write_large(model, 0);
    write_large(path, OTHER_NUMBERS);
    ck_assert(!expect_alike(model, &options));
    ck_assert(expect_alike_by_head(path, &options));
    ck_assert(expect_alike_by_head(model, &options));
    write_large(path, OTHER_HISTORY);
    ck_assert(!expect_alike_by_head(path, &options));
    write_large(path, OTHER_ROW);
    ck_assert(!expect_alike_by_head(path, &options));
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

static long size_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    ck_assert_int_eq(fclose(file), 0);
    return size;
}

static void turn_byte(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
    const int byte = fgetc(file);
    ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
    ck_assert_int_ne(fputc(byte ^ 1, file), EOF);
    ck_assert_int_eq(fclose(file), 0);
}

/* All bytes of the superblock, and many of the others. */
START_TEST(a_damaged_byte_is_seen_as_in_full)
{
    enum { SUPERBLOCK_BYTES = 48, STEP = 97 };
    const char *model = test_path("%s/model.nc", test_scratch_dir());
    const char *path = test_path("%s/damaged.nc", test_scratch_dir());
    write_large(model, 0);
    write_large(path, OTHER_NUMBERS);
    const long size = size_of(path);
    for (long at = 0; at < size; at += at < SUPERBLOCK_BYTES ? 1 : STEP) {
        struct sst_decode_scratch *scratch = new_scratch();
        const struct sst_decode_options options = {.scratch = scratch};
        ck_assert(!expect_alike(model, &options));
        turn_byte(path, at);
        (void)expect_alike(path, &options);
        turn_byte(path, at);
        sst_decode_scratch_destroy(&scratch);
    }
}
END_TEST

START_TEST(a_file_of_another_length_is_not_opened_by_its_head)
{
    const char *model = test_path("%s/model.nc", test_scratch_dir());
    const char *path = test_path("%s/length.nc", test_scratch_dir());
    struct sst_decode_scratch *scratch = new_scratch();
    const struct sst_decode_options options = {.scratch = scratch};
    write_large(model, 0);
    write_large(path, OTHER_NUMBERS);
    const long size = size_of(path);
    ck_assert(!expect_alike(model, &options));
    ck_assert_int_eq(truncate(path, size - 1), 0);
    ck_assert(!expect_alike(path, &options));
    ck_assert_int_eq(truncate(path, size + 1), 0);
    ck_assert(!expect_alike_by_head(path, &options));
    ck_assert(expect_alike_by_head(model, &options));
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

START_TEST(groups_are_left_to_the_library)
{
    int ncid = -1, group = -1;
    const char *model = test_path("%s/model.nc", test_scratch_dir());
    const char *path = test_path("%s/group.nc", test_scratch_dir());
    struct sst_decode_scratch *scratch = new_scratch();
    const struct sst_decode_options options = {.scratch = scratch};
    write_file(model, NC_NETCDF4, NULL);
    write_file(path, NC_NETCDF4, NULL);
    ck_assert_int_eq(nc_open(path, NC_WRITE, &ncid), NC_NOERR);
    ck_assert_int_eq(nc_def_grp(ncid, "more", &group), NC_NOERR);
    ck_assert_int_eq(nc_close(ncid), NC_NOERR);
    ck_assert(!expect_alike(model, &options));
    ck_assert(!expect_alike(path, &options));
    ck_assert(!expect_alike(path, &options));
    ck_assert(!expect_alike(model, &options));
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

START_TEST(other_options_ask_for_another_model)
{
    const char *path = test_path("%s/options.nc", test_scratch_dir());
    struct sst_decode_scratch *scratch = new_scratch();
    const struct sst_decode_options plain = {.scratch = scratch},
                                    others[] = {{.scratch = scratch, .variable = "ice", .units = "Celsius"},
                                                {.scratch = scratch, .units = "kelvin"},
                                                {.scratch = scratch, .ice_variable = "mask"}};
    write_file(path, NC_NETCDF4, NULL);
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        (void)expect_alike(path, &plain);
        ck_assert(expect_alike(path, &plain));
        ck_assert(!expect_alike(path, &others[i]));
        ck_assert(expect_alike(path, &others[i]));
        ck_assert(!expect_alike(path, &plain));
    }
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

START_TEST(names_of_files_count_as_in_full)
{
    static const char *const names[] = {"a_20000101.nc", "a-SSTskin-b.nc", "sst_preliminary.nc", "a_19991126.nc"};
    const char *model = test_path("%s/model.nc", test_scratch_dir());
    struct sst_decode_scratch *scratch = new_scratch();
    const struct sst_decode_options options = {.scratch = scratch};
    write_file(model, NC_NETCDF4, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const char *path = test_path("%s/%s", test_scratch_dir(), names[i]);
        write_file(path, NC_NETCDF4, NULL);
        (void)expect_alike(model, &options);
        (void)expect_alike(path, &options);
    }
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

START_TEST(classic_files_have_no_model)
{
    const char *path = test_path("%s/classic.nc", test_scratch_dir());
    struct sst_decode_scratch *scratch = new_scratch();
    const struct sst_decode_options options = {.scratch = scratch};
    write_file(path, 0, NULL);
    ck_assert(!expect_alike(path, &options));
    ck_assert(!expect_alike(path, &options));
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode_model");
    TCase *changed = tcase_create("changed");
    tcase_add_loop_test(changed, a_file_that_differs_in_one_thing_is_read_as_in_full, 0, N_CHANGES);
    tcase_add_test(changed, a_file_that_differs_in_days_and_values_alone_is_opened_by_its_head);
    tcase_add_test(changed, a_damaged_byte_is_seen_as_in_full);
    tcase_add_test(changed, a_file_of_another_length_is_not_opened_by_its_head);
    tcase_add_test(changed, groups_are_left_to_the_library);
    tcase_add_test(changed, other_options_ask_for_another_model);
    tcase_add_test(changed, names_of_files_count_as_in_full);
    tcase_add_test(changed, classic_files_have_no_model);
    suite_add_tcase(suite, changed);
    return suite;
}
