/* Reads files in all ways and compares whatever comes out. */
#include "parity.h"

#include <check.h>
#include <string.h>

#include "stream/decode_memo.h"

enum { MAX_CELLS = 1 << 21 };

/* A file opened one of the ways. */
struct way {
    struct sst_file *file;
    int16_t codes[MAX_CELLS], hundredths[MAX_CELLS];
    uint8_t ice[MAX_CELLS];
    float degc[MAX_CELLS];
    struct sst_decode_stats stats;
    struct sst_error err;
    enum sst_status rc;
};

static void open_way(struct way *way, const char *path, const struct sst_decode_options *options)
{
    way->file = NULL;
    way->err = (struct sst_error){0};
    way->rc = sst_file_open(path, options, NULL, NULL, &way->file, &way->err);
}

/* The file opened again by its memo; no file where there is none to be had. */
static void open_by_memo(struct way *way, struct sst_file *file, const struct sst_decode_options *options)
{
    unsigned char memo[SST_FILE_MEMO_MAX];
    bool is_same = false;
    way->file = NULL;
    way->err = (struct sst_error){0};
    const size_t n = sst_file_memo(file, memo);
    ck_assert_uint_le(n, sizeof memo);
    if (n == 0)
        return;
    way->rc = sst_file_open_memo(sst_file_info(file)->path, memo, n, options, &way->file, &is_same, &way->err);
    ck_assert_int_eq(way->rc, SST_OK);
    ck_assert(is_same);
}

/* `grid`: of the file, which those opened by a memo do not know. */
static void decode_way(struct way *way, size_t step, const struct sst_domain *domain, const struct sst_grid *grid)
{
    struct sst_grid_map map;
    struct sst_field field = {domain->n_cells, way->codes, way->hundredths, way->ice, false, way->degc};
    const struct sst_file_info *info = sst_file_info(way->file);
    memset(&way->stats, 0, sizeof way->stats);
    way->err = (struct sst_error){0};
    ck_assert_int_eq(sst_grid_match(domain->grid, grid, &map, &way->err), SST_OK);
    way->rc = sst_file_decode(way->file, step, domain, &map, info->lattice, &field, &way->stats, &way->err);
}

/* The same answer, or the same refusal. */
static void expect_same(const struct way *direct, const struct way *library, size_t n_cells)
{
    ck_assert_msg(direct->rc == library->rc, "directly %d \"%s\", by the library %d \"%s\"", direct->rc,
                  direct->err.text, library->rc, library->err.text);
    if (direct->rc != SST_OK) {
        ck_assert_str_eq(direct->err.text, library->err.text);
        return;
    }
    ck_assert_int_eq(memcmp(direct->codes, library->codes, n_cells * sizeof *direct->codes), 0);
    ck_assert_int_eq(memcmp(direct->hundredths, library->hundredths, n_cells * sizeof *direct->hundredths), 0);
    ck_assert_int_eq(memcmp(direct->ice, library->ice, n_cells), 0);
    ck_assert_int_eq(memcmp(direct->degc, library->degc, n_cells * sizeof *direct->degc), 0);
    ck_assert_int_eq(memcmp(&direct->stats, &library->stats, sizeof direct->stats), 0);
}

/* The file's own cells, the other way up from another meridian, and a box across the seam. */
enum { N_DOMAINS = 3 };

static struct sst_grid *other_grid(void)
{
    double lat[PARITY_N_LAT], lon[PARITY_N_LON];
    struct sst_grid *grid = NULL;
    struct sst_error err = {0};
    for (int i = 0; i < PARITY_N_LAT; ++i)
        lat[i] = 60.0 - 10.0 * i;
    for (int i = 0; i < PARITY_N_LON; ++i)
        lon[i] = -170.0 + 20.0 * i;
    ck_assert_int_eq(sst_grid_create(lat, PARITY_N_LAT, lon, PARITY_N_LON, &grid, &err), SST_OK);
    return grid;
}

/* What reading asks of a file is the same in both. */
static void expect_same_info(const struct sst_file_info *a, const struct sst_file_info *b)
{
    ck_assert_str_eq(a->path, b->path);
    ck_assert_str_eq(a->format, b->format);
    ck_assert_str_eq(a->variable, b->variable);
    ck_assert_str_eq(a->ice_source, b->ice_source);
    ck_assert_str_eq(a->mask_source, b->mask_source);
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_int_eq(a->calendar, b->calendar);
    ck_assert_int_eq(a->lattice, b->lattice);
    ck_assert(a->lattice_is_exact == b->lattice_is_exact && a->is_packed == b->is_packed);
    ck_assert(a->is_preliminary == b->is_preliminary);
    ck_assert_uint_eq(a->size_bytes, b->size_bytes);
    ck_assert_uint_eq(a->steps_per_chunk, b->steps_per_chunk);
    ck_assert_uint_eq(a->n_steps, b->n_steps);
    ck_assert_int_eq(memcmp(a->steps, b->steps, a->n_steps * sizeof *a->steps), 0);
}

static struct way direct, library, by_memo;

/* A step of the file opened by its memo, if it was. */
static void compare_memo(size_t step, const struct sst_domain *domain)
{
    if (!by_memo.file)
        return;
    decode_way(&by_memo, step, domain, sst_file_info(direct.file)->grid);
    expect_same(&by_memo, &library, domain->n_cells);
    ck_assert_str_eq(sst_file_info(by_memo.file)->reading, sst_file_info(direct.file)->reading);
}

/* All steps; true where each was decoded. */
static bool compare_steps(const struct sst_domain *domains, int n_domains, const char *reading)
{
    const struct sst_file_info *info = sst_file_info(direct.file);
    bool is_good = true;
    ck_assert_uint_eq(info->n_steps, sst_file_info(library.file)->n_steps);
    ck_assert_str_eq(info->reading, "");
    for (size_t step = 0; step < info->n_steps; ++step) {
        for (int i = 0; i < n_domains; ++i) {
            ck_assert_uint_le(domains[i].n_cells, MAX_CELLS);
            decode_way(&direct, step, &domains[i], info->grid);
            decode_way(&library, step, &domains[i], sst_file_info(library.file)->grid);
            expect_same(&direct, &library, domains[i].n_cells);
            compare_memo(step, &domains[i]);
            is_good &= direct.rc == SST_OK;
            if (reading)
                ck_assert_str_eq(info->reading, reading);
        }
    }
    ck_assert_str_eq(sst_file_info(library.file)->reading, "");
    return is_good;
}

/* Headers are read in one way only, and of those that it refuses the library says another thing the second time. */
static bool open_all(const char *path, struct sst_decode_scratch *scratch)
{
    library.file = by_memo.file = NULL;
    open_way(&direct, path, &(struct sst_decode_options){.scratch = scratch});
    if (direct.rc != SST_OK)
        return false;
    open_way(&library, path, &(struct sst_decode_options){.library_only = true});
    ck_assert_msg(library.rc == SST_OK, "%s", library.err.text);
    open_by_memo(&by_memo, direct.file, &(struct sst_decode_options){.scratch = scratch});
    if (by_memo.file)
        expect_same_info(sst_file_info(by_memo.file), sst_file_info(direct.file));
    return true;
}

static bool close_all(void)
{
    const bool had_memo = by_memo.file != NULL;
    sst_file_close(&direct.file);
    sst_file_close(&library.file);
    sst_file_close(&by_memo.file);
    return had_memo;
}

bool parity_expect(const char *path, struct sst_decode_scratch *scratch, const char *reading)
{
    struct sst_domain domains[N_DOMAINS];
    struct sst_error err = {0};
    struct sst_grid *other = other_grid();
    ck_assert_msg(open_all(path, scratch), "%s", direct.err.text);
    sst_domain_all(sst_file_info(direct.file)->grid, &domains[0]);
    sst_domain_all(other, &domains[1]);
    ck_assert_int_eq(sst_domain_box(other, 300, -35, 60, 45, &domains[2], &err), SST_OK);
    ck_assert_msg(compare_steps(domains, N_DOMAINS, reading), "%s", direct.err.text);
    const bool had_memo = close_all();
    sst_grid_destroy(&other);
    return had_memo;
}

bool parity_expect_own(const char *path, const char *reading)
{
    struct sst_domain domain;
    bool is_good = false;
    if (open_all(path, NULL)) {
        sst_domain_all(sst_file_info(direct.file)->grid, &domain);
        is_good = compare_steps(&domain, 1, reading);
    }
    (void)close_all();
    return is_good;
}
