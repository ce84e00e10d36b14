/*
 * Event files, whose chunks are deflated here, beside the same values written by netCDF-C alone: read back through netCDF-C both
 * hold the same bytes in chunks of the same shape, by the same filters. A memo of chunks changes no byte.
 */
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "regular_grid.h"
#include "test_main.h"
#include "write/mhw_nc.h"

enum { N_MAPS = 7, FIRST_DAY = 20000, WIDEST = 8 };

static void must(int status) { ck_assert_msg(status == NC_NOERR, "%s", nc_strerror(status)); }

/* Maps as struct sst_mhw_day has them. */
static const struct {
    const char *name;
    nc_type type;
    size_t size;
} kinds[N_MAPS] = {{"mhw_category", NC_BYTE, 1}, {"mhw_status", NC_BYTE, 1}, {"surface_type", NC_BYTE, 1},
                   {"sst_anomaly", NC_FLOAT, 4}, {"severity", NC_FLOAT, 4},  {"days_above", NC_SHORT, 2},
                   {"mhw_event_id", NC_INT64, 8}};

static const struct shape {
    size_t n_rows, n_cols, n_days, n_put;
    int level;
    bool in_memory;
    size_t chunk[3];
} shapes[] = {
    {6, 10, 40, 40, 1, true, {40, 6, 10}}, /* all days in a chunk */
    {100, 200, 5, 5, 4, false, {2, 100, 200}}, /* two days a chunk, and a chunk that is not full */
    {100, 200, 5, 3, 1, true, {2, 100, 200}}, /* fewer days than it was made for */
    {1100, 3, 3, 3, 9, true, {3, 1024, 3}}, /* two chunks a map, the second one not full */
    {40, 2060, 2, 2, 1, false, {1, 40, 2048}}, /* the same along the other axis, a day a chunk */
    {40, 2060, 2, 2, 0, true, {1, 40, 2048}}, /* and no filter */
    {720, 60, 1, 1, 1, true, {1, 720, 60}}, /* as they lie in memory */
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

struct scene {
    const struct shape *shape;
    struct sst_grid *grid;
    struct sst_domain domain;
    unsigned char *values[N_MAPS]; /* n_put maps of each */
};

static size_t map_bytes(const struct scene *scene, int map) { return scene->domain.n_cells * kinds[map].size; }

/* Few values, so that they deflate, and no two maps alike. */
static void open_scene(struct scene *scene, const struct shape *shape)
{
    uint32_t random = 7;
    scene->shape = shape;
    scene->grid = regular_grid((struct even_axis){-80, 160.0 / (double)shape->n_rows, shape->n_rows},
                               (struct even_axis){0.01, 359.0 / (double)shape->n_cols, shape->n_cols});
    sst_domain_all(scene->grid, &scene->domain);
    for (int map = 0; map < N_MAPS; ++map) {
        const size_t n_bytes = shape->n_put * map_bytes(scene, map);
        scene->values[map] = malloc(n_bytes);
        ck_assert_ptr_nonnull(scene->values[map]);
        for (size_t i = 0; i < n_bytes; ++i) {
            random = random * 1664525 + 1013904223;
            scene->values[map][i] = i % kinds[map].size < 2 ? (unsigned char)(random >> 24 & 7) : 0;
        }
    }
}

static void close_scene(struct scene *scene)
{
    for (int map = 0; map < N_MAPS; ++map)
        free(scene->values[map]);
    sst_grid_destroy(&scene->grid);
}

static struct sst_mhw_spec spec_of(const struct scene *scene, const char *path)
{
    static const struct sst_attribute attributes[] = {{"title", "a file"}, {"history", ""}};
    return (struct sst_mhw_spec){.path = path,
                                 .overwrite = true,
                                 .domain = &scene->domain,
                                 .calendar = SST_CALENDAR_STANDARD,
                                 .first_day = FIRST_DAY,
                                 .n_days = scene->shape->n_days,
                                 .status = {"a b", "a: b"},
                                 .surface = {"c d", "c: d"},
                                 .definition = "none",
                                 .attributes = attributes,
                                 .n_attributes = 2,
                                 .deflate_level = scene->shape->level,
                                 .in_memory = scene->shape->in_memory};
}

static void put_days(const struct scene *scene, struct sst_mhw_file *file)
{
    struct sst_error err = {0};
    for (size_t day = 0; day < scene->shape->n_put; ++day) {
        const unsigned char *at[N_MAPS];
        for (int map = 0; map < N_MAPS; ++map)
            at[map] = scene->values[map] + day * map_bytes(scene, map);
        const struct sst_mhw_day told = {.category = (const int8_t *)at[0],
                                         .status = (const int8_t *)at[1],
                                         .surface = (const int8_t *)at[2],
                                         .anomaly = (const float *)(const void *)at[3],
                                         .severity = (const float *)(const void *)at[4],
                                         .days_above = (const int16_t *)(const void *)at[5],
                                         .event = (const int64_t *)(const void *)at[6],
                                         .input = day % 2 ? SST_MHW_INPUT_PRELIMINARY : SST_MHW_INPUT_FINAL};
        ck_assert_msg(sst_mhw_put(file, &told, &err) == SST_OK, "%s", err.text);
    }
}

/* Bytes of a file in memory. Owner: the caller, sst_free. */
static void *make_bytes(const struct scene *scene, struct sst_deflate_memo *memo, size_t *n_bytes)
{
    struct sst_error err = {0};
    struct sst_mhw_file *file = NULL;
    struct sst_mhw_spec spec = spec_of(scene, "x");
    void *bytes = NULL;
    spec.in_memory = true;
    spec.memo = memo;
    ck_assert_msg(sst_mhw_create(&spec, &file, &err) == SST_OK, "%s", err.text);
    put_days(scene, file);
    ck_assert_msg(sst_mhw_finish_bytes(&file, &bytes, n_bytes, &err) == SST_OK, "%s", err.text);
    ck_assert_ptr_null(file);
    return bytes;
}

/* Makes the file and opens it. `bytes` holds it where it is in memory: sst_free, once it is closed. */
static int make_ours(const struct scene *scene, void **bytes)
{
    const char *path = test_path("%s/ours.nc", test_scratch_dir());
    const struct sst_mhw_spec spec = spec_of(scene, path);
    struct sst_error err = {0};
    struct sst_mhw_file *file = NULL;
    size_t n_bytes = 0;
    int ncid = 0;
    *bytes = NULL;
    if (scene->shape->in_memory) {
        *bytes = make_bytes(scene, NULL, &n_bytes);
        must(nc_open_mem("ours", NC_NOWRITE, n_bytes, *bytes, &ncid));
        return ncid;
    }
    ck_assert_msg(sst_mhw_create(&spec, &file, &err) == SST_OK, "%s", err.text);
    put_days(scene, file);
    ck_assert_msg(sst_mhw_finish(&file, &err) == SST_OK, "%s", err.text);
    must(nc_open(path, NC_NOWRITE, &ncid));
    return ncid;
}

/* The same variables, chunks and filters, by netCDF-C alone. The fills are those of `ours`, which it is told. */
static int make_theirs(const struct scene *scene, int ours)
{
    const struct shape *shape = scene->shape;
    int ncid = 0, dims[3], id = 0, of_ours = 0, no_fill = 0;
    unsigned char fill[WIDEST];
    must(nc_create(test_path("%s/theirs.nc", test_scratch_dir()), NC_NETCDF4 | NC_CLOBBER, &ncid));
    must(nc_def_dim(ncid, "time", shape->n_days, &dims[0]));
    must(nc_def_dim(ncid, "lat", shape->n_rows, &dims[1]));
    must(nc_def_dim(ncid, "lon", shape->n_cols, &dims[2]));
    for (int map = 0; map < N_MAPS; ++map) {
        const size_t from[] = {0, 0, 0}, count[] = {shape->n_put, shape->n_rows, shape->n_cols};
        must(nc_inq_varid(ours, kinds[map].name, &of_ours));
        must(nc_inq_var_fill(ours, of_ours, &no_fill, fill));
        must(nc_def_var(ncid, kinds[map].name, kinds[map].type, 3, dims, &id));
        must(nc_def_var_chunking(ncid, id, NC_CHUNKED, shape->chunk));
        must(nc_def_var_fill(ncid, id, no_fill, fill));
        if (shape->level > 0)
            must(nc_def_var_deflate(ncid, id, 1, 1, shape->level));
        must(nc_put_vara(ncid, id, from, count, scene->values[map]));
    }
    must(nc_close(ncid));
    must(nc_open(test_path("%s/theirs.nc", test_scratch_dir()), NC_NOWRITE, &ncid));
    return ncid;
}

static void expect_same_map(const struct scene *scene, int map, int ours, int theirs)
{
    const int files[] = {ours, theirs};
    const size_t n_bytes = scene->shape->n_days * map_bytes(scene, map);
    unsigned char *values[2];
    struct {
        int storage, shuffle, deflate, level;
        size_t chunk[3];
        nc_type type;
    } found[2];
    memset(found, 0, sizeof found);
    for (int i = 0; i < 2; ++i) {
        int id = 0;
        values[i] = malloc(n_bytes);
        ck_assert_ptr_nonnull(values[i]);
        must(nc_inq_varid(files[i], kinds[map].name, &id));
        must(nc_inq_vartype(files[i], id, &found[i].type));
        must(nc_inq_var_chunking(files[i], id, &found[i].storage, found[i].chunk));
        must(nc_inq_var_deflate(files[i], id, &found[i].shuffle, &found[i].deflate, &found[i].level));
        must(nc_get_var(files[i], id, values[i]));
    }
    ck_assert_mem_eq(&found[0], &found[1], sizeof found[0]);
    ck_assert_mem_eq(found[0].chunk, scene->shape->chunk, sizeof found[0].chunk);
    ck_assert_int_eq(found[0].deflate, scene->shape->level > 0);
    ck_assert_int_eq(found[0].shuffle, scene->shape->level > 0);
    ck_assert_mem_eq(values[0], values[1], n_bytes);
    ck_assert_mem_eq(values[0], scene->values[map], scene->shape->n_put * map_bytes(scene, map));
    free(values[0]);
    free(values[1]);
}

static void expect_days(const struct scene *scene, int ncid)
{
    for (size_t day = 0; day < scene->shape->n_days; ++day) {
        signed char input = 0;
        double time = 0;
        int id = 0;
        must(nc_inq_varid(ncid, "time", &id));
        must(nc_get_var1_double(ncid, id, &day, &time));
        ck_assert_double_eq(time, FIRST_DAY + (double)day + 0.5);
        must(nc_inq_varid(ncid, "input_status", &id));
        must(nc_get_var1_schar(ncid, id, &day, &input));
        ck_assert_int_eq(input, day >= scene->shape->n_put ? NC_FILL_BYTE : (int)(day % 2));
    }
}

START_TEST(what_is_read_back_is_what_netcdf_itself_would_have_written)
{
    struct scene scene;
    void *bytes = NULL;
    size_t length = 0;
    open_scene(&scene, &shapes[_i]);
    const int ours = make_ours(&scene, &bytes), theirs = make_theirs(&scene, ours);
    for (int map = 0; map < N_MAPS; ++map)
        expect_same_map(&scene, map, ours, theirs);
    expect_days(&scene, ours);
    must(nc_inq_attlen(ours, NC_GLOBAL, "title", &length));
    ck_assert_uint_eq(length, strlen("a file"));
    ck_assert_int_ne(nc_inq_attlen(ours, NC_GLOBAL, "history", &length), NC_NOERR);
    must(nc_close(ours));
    must(nc_close(theirs));
    sst_free(bytes);
    close_scene(&scene);
}
END_TEST

/* Made without a memo, with an empty one, with one that has all chunks, and with one that has those of other values. */
START_TEST(a_memo_changes_no_byte)
{
    struct scene scene;
    struct sst_deflate_memo *memo = NULL;
    struct sst_error err = {0};
    void *plain = NULL, *first = NULL, *again = NULL;
    size_t n_plain = 0, n_first = 0, n_again = 0;
    open_scene(&scene, &shapes[_i]);
    ck_assert_int_eq(sst_deflate_memo_create(&memo, &err), SST_OK);
    for (int turn = 0; turn < 2; ++turn) {
        const size_t n_before = sst_deflate_memo_bytes(memo);
        plain = make_bytes(&scene, NULL, &n_plain);
        first = make_bytes(&scene, memo, &n_first);
        const size_t n_kept = sst_deflate_memo_bytes(memo);
        again = make_bytes(&scene, memo, &n_again);
        ck_assert_uint_eq(sst_deflate_memo_bytes(memo), n_kept);
        ck_assert(scene.shape->level == 0 ? n_kept == 0 : n_kept > n_before);
        ck_assert_uint_eq(n_first, n_plain);
        ck_assert_uint_eq(n_again, n_plain);
        ck_assert_mem_eq(first, plain, n_plain);
        ck_assert_mem_eq(again, plain, n_plain);
        sst_free(plain);
        sst_free(first);
        sst_free(again);
        for (int map = 0; map < N_MAPS; ++map)
            scene.values[map][map_bytes(&scene, map) - kinds[map].size] ^= 1;
    }
    sst_deflate_memo_destroy(&memo);
    close_scene(&scene);
}
END_TEST

/* The bytes of 128 values of 8 bytes, and the same ones as 1024 values of one byte. */
START_TEST(the_same_bytes_in_another_width_are_another_chunk)
{
    static const struct shape of_width[] = {{8, 16, 1, 1, 1, true, {1, 8, 16}}, {64, 16, 1, 1, 1, true, {1, 64, 16}}};
    struct sst_deflate_memo *memo = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_deflate_memo_create(&memo, &err), SST_OK);
    for (int turn = 0; turn < 2; ++turn) {
        struct scene scene;
        size_t n_plain = 0, n_bytes = 0;
        open_scene(&scene, &of_width[turn]);
        for (int map = 0; map < N_MAPS; ++map)
            for (size_t i = 0; i < map_bytes(&scene, map); ++i)
                scene.values[map][i] = (unsigned char)i;
        void *plain = make_bytes(&scene, NULL, &n_plain), *bytes = make_bytes(&scene, memo, &n_bytes);
        ck_assert_uint_eq(n_bytes, n_plain);
        ck_assert_mem_eq(bytes, plain, n_bytes);
        sst_free(plain);
        sst_free(bytes);
        close_scene(&scene);
    }
    sst_deflate_memo_destroy(&memo);
}
END_TEST

START_TEST(what_is_given_up_leaves_nothing)
{
    struct scene scene;
    struct sst_error err = {0};
    struct sst_mhw_file *file = NULL;
    const char *path = test_path("%s/given_up.nc", test_scratch_dir());
    open_scene(&scene, &shapes[4]);
    const struct sst_mhw_spec spec = spec_of(&scene, path);
    ck_assert_int_eq(sst_mhw_create(&spec, &file, &err), SST_OK);
    put_days(&scene, file);
    const struct sst_mhw_day day = {0};
    ck_assert_int_eq(sst_mhw_put(file, &day, &err), SST_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "more days than the file was made for"));
    sst_mhw_abandon(&file);
    ck_assert_int_eq(system(test_path("test -z \"$(ls '%s' | grep given_up)\"", test_scratch_dir())), 0);
    close_scene(&scene);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mhw_nc");
    TCase *tc = tcase_create("mhw_nc");
    tcase_add_loop_test(tc, what_is_read_back_is_what_netcdf_itself_would_have_written, 0, N_SHAPES);
    tcase_add_loop_test(tc, a_memo_changes_no_byte, 0, N_SHAPES);
    tcase_add_test(tc, the_same_bytes_in_another_width_are_another_chunk);
    tcase_add_test(tc, what_is_given_up_leaves_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
