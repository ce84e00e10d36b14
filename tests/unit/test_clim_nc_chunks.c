/*
 * Chunks of the climatology file: whatever the grid, the level and the threads, netCDF reads the values that were put.
 * ctest-labels: threads
 */
#include <hdf5.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_main.h"
#include "write/clim_nc.h"
#include "write/clim_nc_chunks.h"

/* Grids and slots that chunks of 80 x 80 cells and 12 slots fit, or do not. */
static const struct shape {
    size_t n_rows, n_cols;
    int n_slots;
} shapes[] = {{1, 1, 1}, {1, 161, 13}, {81, 1, 12}, {97, 203, 25}, {80, 160, 24}, {2, 399, 37}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, MOST_SLOTS = 37, N_FIELDS = 5 };

static const double percentiles[] = {90.0}, coverages[] = {0.95};

struct product {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_pool_rule pools;
    int slots[MOST_SLOTS];
    struct sst_clim_spec spec;
    struct sst_timings timings;
    char path[512];
};
static struct product product;

static void must(int status) { ck_assert_msg(status == NC_NOERR, "%s", nc_strerror(status)); }

static void make_product(const struct shape *shape, const char *path)
{
    static double lat[100], lon[400];
    struct sst_error err = {0};
    for (size_t row = 0; row < shape->n_rows; ++row)
        lat[row] = -20.0 + 0.25 * (double)row;
    for (size_t col = 0; col < shape->n_cols; ++col)
        lon[col] = 100.0 + 0.25 * (double)col;
    ck_assert_msg(sst_grid_create(lat, shape->n_rows, lon, shape->n_cols, &product.grid, &err) == SST_OK, "%s",
                  err.text);
    sst_domain_all(product.grid, &product.domain);
    product.timings = (struct sst_timings){0};
    (void)snprintf(product.path, sizeof product.path, "%s", path);
    product.pools = (struct sst_pool_rule){SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1991, 2020, 5};
    for (int i = 0; i < shape->n_slots; ++i)
        product.slots[i] = i + 1;
    product.spec = (struct sst_clim_spec){.path = product.path,
                                          .domain = &product.domain,
                                          .pools = &product.pools,
                                          .slots = product.slots,
                                          .n_slots = shape->n_slots,
                                          .percentiles = percentiles,
                                          .n_percentiles = 1,
                                          .coverages = coverages,
                                          .n_coverages = 1,
                                          .smooth_days = 1,
                                          .estimator = "None.",
                                          .standard_name = "",
                                          .sst_long_name_prefix = "sea surface temperature",
                                          .deflate_level = SST_CLIM_DEFLATE_LEVEL,
                                          .timings = &product.timings};
}

static void clear_product(void) { sst_grid_destroy(&product.grid); }

/* A number that tells variable, slot and cell apart; every seventh cell, and whole stretches, are land. */
static double value_of(int variable, int slot, size_t cell)
{
    return cell % 7 == 3 || cell / 2000 % 3 == 1 ? (double)NAN
                                                 : variable * 7.25 + slot / 11.0 + sin((double)cell / 50.0);
}

static uint16_t count_of(int variable, int slot, size_t cell)
{
    return (uint16_t)((unsigned)variable * 1000u + (unsigned)slot * 3u + (unsigned)(cell % 251));
}

/* The maps of one slot. */
struct maps {
    double *mean, *quantile;
    float *bound;
    uint16_t *n_obs, *flags;
};

static struct maps make_maps(int slot)
{
    const size_t n = product.domain.n_cells;
    const struct maps maps = {calloc(n, sizeof(double)), calloc(n, sizeof(double)), calloc(n, sizeof(float)),
                              calloc(n, sizeof(uint16_t)), calloc(n, sizeof(uint16_t))};
    for (size_t cell = 0; cell < n; ++cell) {
        maps.mean[cell] = value_of(0, slot, cell);
        maps.quantile[cell] = value_of(1, slot, cell);
        maps.bound[cell] = (float)value_of(2, slot, cell);
        maps.n_obs[cell] = count_of(3, slot, cell);
        maps.flags[cell] = count_of(4, slot, cell);
    }
    return maps;
}

static void free_maps(const struct maps *maps)
{
    free(maps->mean);
    free(maps->quantile);
    free(maps->bound);
    free(maps->n_obs);
    free(maps->flags);
}

static enum sst_status put_slot(struct sst_clim_file *file, int slot, struct sst_error *err)
{
    const struct maps maps = make_maps(slot);
    const double *const quantiles[] = {maps.quantile};
    const float *const bounds[] = {maps.bound};
    const struct sst_clim_values values = {slot, maps.mean, quantiles, bounds, maps.n_obs, maps.flags};
    const enum sst_status rc = sst_clim_put(file, &values, err);
    free_maps(&maps);
    return rc;
}

/* From slot 5 on, as a ring, so that one row waits while others are filled. */
static void write_product(void)
{
    struct sst_clim_file *file = NULL;
    struct sst_error err = {0};
    const int n_slots = product.spec.n_slots;
    ck_assert_msg(sst_clim_create(&product.spec, &file, &err) == SST_OK, "%s", err.text);
    for (int i = 0; i < n_slots; ++i)
        ck_assert_msg(put_slot(file, product.slots[(i + 4) % n_slots], &err) == SST_OK, "%s", err.text);
    const struct sst_attribute attributes[] = {{"history", "now"}, {"baseline_type", "moving"}};
    ck_assert_msg(sst_clim_finish(&file, attributes, 2, &err) == SST_OK, "%s", err.text);
}

static const char *const field_names[N_FIELDS] = {"sst_mean", "sst_p90", "sst_p90_approx_bound95", "n_obs",
                                                  "quality_flag"};

static void check_field(int ncid, int variable, int place, int slot, float fill)
{
    static float floats[97 * 203];
    static short shorts[97 * 203];
    const size_t start[] = {(size_t)place, 0, 0}, count[] = {1, product.domain.n_rows, product.domain.n_cols};
    int varid;
    ck_assert_uint_le(product.domain.n_cells, sizeof floats / sizeof *floats);
    must(nc_inq_varid(ncid, field_names[variable], &varid));
    if (variable < 3)
        must(nc_get_vara_float(ncid, varid, start, count, floats));
    else
        must(nc_get_vara_short(ncid, varid, start, count, shorts));
    size_t n_wrong = 0;
    for (size_t cell = 0; cell < product.domain.n_cells; ++cell) {
        const double put = variable < 3 ? value_of(variable, slot, cell) : 0.0;
        const float want = isnan(put) ? fill : (float)put;
        n_wrong += variable < 3 ? memcmp(&floats[cell], &want, sizeof want) != 0
                                : shorts[cell] != count_of(variable, slot, cell);
    }
    ck_assert_msg(n_wrong == 0, "%s, slot %d: %zu values are wrong", field_names[variable], slot, n_wrong);
}

static void check_filters(int ncid, int level)
{
    for (int variable = 0; variable < N_FIELDS; ++variable) {
        int varid, storage, shuffle, deflate, found;
        must(nc_inq_varid(ncid, field_names[variable], &varid));
        must(nc_inq_var_deflate(ncid, varid, &shuffle, &deflate, &found));
        must(nc_inq_var_chunking(ncid, varid, &storage, NULL));
        ck_assert_int_eq(storage, NC_CHUNKED);
        ck_assert_int_eq(shuffle, level > 0);
        ck_assert_int_eq(deflate, level > 0);
        if (level > 0)
            ck_assert_int_eq(found, level);
    }
}

static void check_product(void)
{
    const struct sst_clim_spec *spec = &product.spec;
    int ncid = -1;
    for (int i = 0; i < spec->n_slots; ++i) {
        if (spec->split)
            must(nc_open(test_path("%s/sst_clim_%02d%02d.nc", spec->path, i < 31 ? 1 : 2, i < 31 ? i + 1 : i - 30),
                         NC_NOWRITE, &ncid));
        else if (i == 0)
            must(nc_open(spec->path, NC_NOWRITE, &ncid));
        check_filters(ncid, spec->deflate_level);
        for (int variable = 0; variable < N_FIELDS; ++variable)
            check_field(ncid, variable, spec->split ? 0 : i, spec->slots[i], spec->split ? -9999.0f : NC_FILL_FLOAT);
        if (spec->split || i == spec->n_slots - 1)
            must(nc_close(ncid));
    }
}

static size_t read_file(const char *path, char **bytes)
{
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    *bytes = malloc((size_t)about.st_size + 1);
    FILE *stream = fopen(path, "rb");
    ck_assert_ptr_nonnull(stream);
    ck_assert_uint_eq(fread(*bytes, 1, (size_t)about.st_size, stream), (size_t)about.st_size);
    ck_assert_int_eq(fclose(stream), 0);
    return (size_t)about.st_size;
}

static void check_same_bytes(const char *path, const char *other)
{
    char *bytes, *others;
    const size_t n = read_file(path, &bytes), n_other = read_file(other, &others);
    ck_assert_uint_eq(n, n_other);
    ck_assert_msg(memcmp(bytes, others, n) == 0, "%s and %s differ", path, other);
    free(bytes);
    free(others);
}

static const int levels[] = {0, 1, SST_CLIM_DEFLATE_LEVEL, 9};

START_TEST(values_of_any_grid_come_back_at_any_level)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i) {
        make_product(&shapes[_i], test_path("%s/grid%d_%zu.nc", test_scratch_dir(), _i, i));
        product.spec.deflate_level = levels[i];
        write_product();
        check_product();
        clear_product();
    }
}
END_TEST

START_TEST(the_file_has_the_same_bytes_for_any_number_of_threads)
{
    static const int n_threads[] = {0, 1, 2, 4};
    char first[512] = "";
    for (size_t i = 0; i < sizeof n_threads / sizeof *n_threads; ++i) {
        make_product(&shapes[_i], test_path("%s/threads%d_%zu.nc", test_scratch_dir(), _i, i));
        product.spec.n_threads = n_threads[i];
        write_product();
        if (i == 0)
            (void)snprintf(first, sizeof first, "%s", product.spec.path);
        else
            check_same_bytes(product.spec.path, first);
        clear_product();
    }
}
END_TEST

START_TEST(files_of_a_day_hold_the_same_and_have_the_same_bytes)
{
    static const int n_threads[] = {1, 4};
    char first[512] = "";
    for (size_t i = 0; i < 2; ++i) {
        make_product(&shapes[_i], test_path("%s/split%d_%zu", test_scratch_dir(), _i, i));
        product.spec.split = true;
        product.spec.n_threads = n_threads[i];
        write_product();
        check_product();
        for (int day = 1; i > 0 && day <= product.spec.n_slots && day <= 31; ++day)
            check_same_bytes(test_path("%s/sst_clim_01%02d.nc", product.spec.path, day),
                             test_path("%s/sst_clim_01%02d.nc", first, day));
        (void)snprintf(first, sizeof first, "%s", product.spec.path);
        clear_product();
    }
}
END_TEST

/* What of a chunk lies outside the map and the time axis: seen where a program reads chunks as they stand. */
START_TEST(the_rest_of_a_chunk_is_fill)
{
    struct sst_clim_chunks chunks;
    struct sst_clim_row row = {0};
    make_product(&(struct shape){81, 3, 13}, "unused.nc");
    sst_clim_chunks_of(&product.spec, &chunks);
    ck_assert(chunks.n_slots == 7 && chunks.n_rows == 41 && chunks.n_cols == 3);
    ck_assert_uint_eq(sst_clim_chunks_per_row(&chunks), N_FIELDS * 2);
    ck_assert_int_eq(sst_clim_row_alloc(&chunks, &row, NULL), SST_OK);
    sst_clim_row_clear(&chunks, 6, NC_FILL_FLOAT, &row);
    static double ones[81 * 3];
    static uint16_t twos[81 * 3];
    for (size_t cell = 0; cell < 81 * 3; ++cell) {
        ones[cell] = 1.0;
        twos[cell] = 2;
    }
    for (size_t slot = 0; slot < 6; ++slot) {
        sst_clim_row_put_double(&chunks, &row, 1, slot, ones, NC_FILL_FLOAT);
        sst_clim_row_put_count(&chunks, &row, 1, slot, twos);
    }
    const struct sst_clim_chunk south = sst_clim_row_chunk(&chunks, &row, 3);
    const struct sst_clim_chunk flags = sst_clim_row_chunk(&chunks, &row, 9);
    ck_assert(south.variable == 1 && south.first_row == 41 && south.first_col == 0 && south.value_bytes == 4);
    ck_assert(flags.variable == 4 && flags.first_row == 41 && flags.n_values == 7 * 41 * 3 && flags.value_bytes == 2);
    size_t n_wrong = 0;
    for (size_t i = 0; i < flags.n_values; ++i) {
        const bool is_inside = i / (41 * 3) < 6 && i / 3 % 41 < 40;
        n_wrong += ((const float *)south.values)[i] != (is_inside ? 1.0f : NC_FILL_FLOAT);
        n_wrong += ((const int16_t *)flags.values)[i] != (is_inside ? 2 : NC_FILL_SHORT);
    }
    ck_assert_uint_eq(n_wrong, 0);
    sst_clim_row_free(&row);
    clear_product();
}
END_TEST

/* A whole row of chunks as memory has it. */
static void fill_row(const struct sst_clim_chunks *chunks, size_t first, size_t n_slots, struct sst_clim_row *row)
{
    sst_clim_row_clear(chunks, n_slots, NC_FILL_FLOAT, row);
    for (size_t slot = 0; slot < n_slots; ++slot) {
        const struct maps maps = make_maps(product.slots[first + slot]);
        sst_clim_row_put_double(chunks, row, 0, slot, maps.mean, NC_FILL_FLOAT);
        sst_clim_row_put_double(chunks, row, 1, slot, maps.quantile, NC_FILL_FLOAT);
        sst_clim_row_put_float(chunks, row, 2, slot, maps.bound, NC_FILL_FLOAT);
        sst_clim_row_put_count(chunks, row, 0, slot, maps.n_obs);
        sst_clim_row_put_count(chunks, row, 1, slot, maps.flags);
        free_maps(&maps);
    }
}

static void check_chunk(hid_t dataset, const struct sst_clim_chunk *chunk, size_t first_slot)
{
    const hsize_t offset[] = {first_slot, chunk->first_row, chunk->first_col};
    const size_t n_bytes = chunk->n_values * chunk->value_bytes;
    uint32_t skipped = 0;
    hsize_t size = 0;
    ck_assert_int_ge(H5Dget_chunk_storage_size(dataset, offset, &size), 0);
    ck_assert_uint_eq(size, n_bytes);
    void *bytes = malloc(n_bytes);
    ck_assert_int_ge(H5Dread_chunk(dataset, H5P_DEFAULT, offset, &skipped, bytes), 0);
    ck_assert_msg(memcmp(bytes, chunk->values, n_bytes) == 0, "%s: the chunk at %zu, %zu, %zu differs",
                  field_names[chunk->variable], first_slot, chunk->first_row, chunk->first_col);
    free(bytes);
}

/* Written slot by slot, some before those that stand before them: to the last byte what whole chunks would be. */
START_TEST(chunks_written_by_pieces_are_those_written_whole)
{
    struct sst_clim_chunks chunks;
    struct sst_clim_row row = {0};
    hid_t datasets[N_FIELDS];
    make_product(&shapes[_i], test_path("%s/pieces%d.nc", test_scratch_dir(), _i));
    product.spec.deflate_level = 0;
    write_product();
    sst_clim_chunks_of(&product.spec, &chunks);
    ck_assert_int_eq(sst_clim_row_alloc(&chunks, &row, NULL), SST_OK);
    const hid_t file = H5Fopen(product.path, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int i = 0; i < N_FIELDS; ++i)
        datasets[i] = H5Dopen2(file, field_names[i], H5P_DEFAULT);
    const size_t n_slots = (size_t)product.spec.n_slots;
    for (size_t first = 0; first < n_slots; first += chunks.n_slots) {
        fill_row(&chunks, first, n_slots - first < chunks.n_slots ? n_slots - first : chunks.n_slots, &row);
        for (size_t i = 0; i < sst_clim_chunks_per_row(&chunks); ++i) {
            const struct sst_clim_chunk chunk = sst_clim_row_chunk(&chunks, &row, i);
            check_chunk(datasets[chunk.variable], &chunk, first);
        }
    }
    for (int i = 0; i < N_FIELDS; ++i)
        ck_assert_int_ge(H5Dclose(datasets[i]), 0);
    ck_assert_int_ge(H5Fclose(file), 0);
    sst_clim_row_free(&row);
    clear_product();
}
END_TEST

/* The first slot's chunks are there; then nothing can be written any more. Leaves with the status, the message in the pipe. */
static _Noreturn void write_until_full(int pipe_end)
{
    struct sst_clim_file *file = NULL;
    struct sst_error err = {0};
    const struct rlimit none = {0, RLIM_INFINITY};
    if (sst_clim_create(&product.spec, &file, &err) != SST_OK || put_slot(file, 1, &err) != SST_OK ||
        setrlimit(RLIMIT_FSIZE, &none) != 0)
        _exit(99);
    const enum sst_status rc = put_slot(file, 2, &err);
    sst_clim_abandon(&file);
    if (write(pipe_end, err.text, strlen(err.text)) < 0)
        _exit(98);
    _exit((int)rc);
}

START_TEST(a_disk_that_fills_up_between_slots_is_told)
{
    int ends[2], status;
    char text[SST_ERROR_TEXT_SIZE] = "";
    make_product(&shapes[3], test_path("%s/filled.nc", test_scratch_dir()));
    product.spec.deflate_level = 0;
    ck_assert_int_eq(pipe(ends), 0);
    (void)fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
        write_until_full(ends[1]);
    (void)close(ends[1]);
    ck_assert_int_ge(read(ends[0], text, sizeof text - 1), 0);
    (void)close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "ended by signal %d", WTERMSIG(status));
    ck_assert_int_eq(WEXITSTATUS(status), SST_ERR_OUTPUT);
    ck_assert_msg(strstr(text, ": sst_mean: cannot be written: File too large. Check the space") != NULL, "%s", text);
    ck_assert_int_ne(access(test_path("%s.tmp.%d", product.path, (int)child), F_OK), 0);
    clear_product();
}
END_TEST

START_TEST(a_file_abandoned_with_chunks_on_their_way_leaves_nothing)
{
    struct sst_clim_file *file = NULL;
    make_product(&shapes[3], test_path("%s/abandoned%d", test_scratch_dir(), _i));
    product.spec.split = _i == 1;
    product.spec.deflate_level = _i == 2 ? 0 : 9;
    ck_assert_int_eq(sst_clim_create(&product.spec, &file, NULL), SST_OK);
    for (int slot = 1; slot <= 24; ++slot)
        ck_assert_int_eq(put_slot(file, slot, NULL), SST_OK);
    sst_clim_abandon(&file);
    ck_assert_int_ne(access(product.path, F_OK), 0);
    ck_assert_int_ne(access(test_path("%s.tmp.%d", product.path, (int)getpid()), F_OK), 0);
    clear_product();
}
END_TEST

START_TEST(the_time_spent_in_here_is_booked)
{
    make_product(&shapes[3], test_path("%s/timed.nc", test_scratch_dir()));
    const double start = sst_timings_now();
    write_product();
    const double spent = sst_timings_now() - start;
    for (int phase = 0; phase < SST_N_PHASES; ++phase)
        ck_assert(phase == SST_PHASE_WRITE || product.timings.seconds[phase] == 0.0);
    ck_assert(product.timings.seconds[SST_PHASE_WRITE] > 0.0 && product.timings.seconds[SST_PHASE_WRITE] <= spent);
    product.spec.timings = NULL;
    product.spec.overwrite = true;
    write_product();
    clear_product();
}
END_TEST

/*
 * Rows of 12 slots, of 3 floats and 2 shorts: one is filled, one deflated. Where the first slots come last, the row of the
 * sixteenth waits for them. Without deflating one slot is held, and a chunk of either type.
 */
START_TEST(memory_is_told)
{
    const double row = 12.0 * 97 * 203 * 16, chunk = 12.0 * 49 * 68 * 8;
    int file_order[36], ring_order[36];
    for (int i = 0; i < 36; ++i) {
        file_order[i] = i + 1;
        ring_order[i] = (i + 15) % 36 + 1;
    }
    make_product(&shapes[3], "unused.nc");
    product.spec.n_slots = 36;
    product.spec.slots = file_order;
    struct sst_clim_spec plain = product.spec;
    plain.deflate_level = 0;
    const double none = (double)sst_clim_buffer_bytes(&plain, NULL);
    const double none_ring = (double)sst_clim_buffer_bytes(&plain, ring_order);
    product.spec.n_threads = 4;
    const double four = (double)sst_clim_buffer_bytes(&product.spec, NULL);
    product.spec.n_threads = 0;
    const double one = (double)sst_clim_buffer_bytes(&product.spec, file_order);
    const double ring = (double)sst_clim_buffer_bytes(&product.spec, ring_order);
    ck_assert_msg(none > row / 12 + chunk && none < 1.1 * (row / 12 + chunk), "%g, row %g", none, row);
    ck_assert_msg(none_ring == none, "%g %g", none, none_ring);
    ck_assert_msg(one > 2 * row && one < 2.1 * row + 2e6, "%g", one);
    ck_assert_msg(ring - one > row && ring - one < 1.05 * row, "%g %g", one, ring);
    ck_assert_msg(fabs((four - one) / 3 - (670000 + 12 * 49 * 68 * 4)) < 2, "%g each", (four - one) / 3);
    product.spec.n_slots = 12;
    ck_assert((double)sst_clim_buffer_bytes(&product.spec, NULL) < one - 0.9 * row);
    product.spec.split = true;
    ck_assert((double)sst_clim_buffer_bytes(&product.spec, NULL) < 0.2 * row + 2e6);
    clear_product();
}
END_TEST

Suite *test_suite(void)
{
    sst_clim_prepare_process();
    Suite *suite = suite_create("clim_nc_chunks");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, values_of_any_grid_come_back_at_any_level, 0, N_SHAPES);
    tcase_add_loop_test(tc, the_file_has_the_same_bytes_for_any_number_of_threads, 0, N_SHAPES);
    tcase_add_loop_test(tc, files_of_a_day_hold_the_same_and_have_the_same_bytes, 0, N_SHAPES);
    tcase_add_test(tc, the_rest_of_a_chunk_is_fill);
    tcase_add_loop_test(tc, chunks_written_by_pieces_are_those_written_whole, 0, N_SHAPES);
    tcase_add_test(tc, a_disk_that_fills_up_between_slots_is_told);
    tcase_add_loop_test(tc, a_file_abandoned_with_chunks_on_their_way_leaves_nothing, 0, 3);
    tcase_add_test(tc, the_time_spent_in_here_is_booked);
    tcase_add_test(tc, memory_is_told);
    suite_add_tcase(suite, tc);
    return suite;
}
