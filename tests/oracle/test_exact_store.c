/*
 * Kept values of blocks of cells, some of which come late, in terms that come and go, against sorting the fields themselves.
 * ctest-labels: threads
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "exact/quantile.h"
#include "kept_fixture.h"
#include "random.h"
#include "test_main.h"

enum { MAX_CELLS = 700, MAX_MEMBERS = 90, N_PERCENTILES = 3 };

static const double shares[N_PERCENTILES] = {0.9, 0.5, 0.02};

struct days {
    int16_t values[MAX_MEMBERS][MAX_CELLS];
    const int16_t *members[MAX_MEMBERS];
    size_t n_members, n_cells;
};

/* Every third lump of 20 cells is land; every fifth has no value before the field in the middle of the second term. */
/* Fields have arrays that may be written to; here they are only looked at. */
static void take(struct sst_cells *cells, const int16_t *codes)
{
    const struct sst_field field = {.n_cells = cells->n_domain, .codes = (int16_t *)(uintptr_t)codes};
    sst_cells_take(cells, &field);
}

static struct days *make_days(size_t n_members, size_t n_cells, uint64_t seed)
{
    struct days *days = calloc(1, sizeof *days);
    ck_assert_ptr_nonnull(days);
    struct test_random random = {seed};
    days->n_members = n_members;
    days->n_cells = n_cells;
    for (size_t m = 0; m < n_members; ++m) {
        for (size_t cell = 0; cell < n_cells; ++cell) {
            const size_t lump = cell / 20;
            const bool is_land = lump % 3 == 2, is_late = lump % 5 == 4 && m < KEPT_TERM_MEMBERS + 15;
            const bool is_gap = test_random_below(&random, 10) == 0;
            const int spread = cell % 4 == 0 ? 3 : 400; /* ties */
            const int value = test_random_below(&random, spread) - 180;
            days->values[m][cell] = is_land || is_late || is_gap ? SST_CODE_MISSING : (int16_t)value;
        }
        for (size_t cell = n_cells; cell < MAX_CELLS; ++cell)
            days->values[m][cell] = 777; /* not of the domain: must never be kept */
        days->members[m] = days->values[m];
    }
    return days;
}

struct store {
    struct sst_cells cells;
    struct sst_raw *raw;
};

static void open_store(struct store *store, size_t n_domain)
{
    struct sst_error err = {0};
    ck_assert_int_eq(sst_cells_init(&store->cells, n_domain, &err), SST_OK);
    ck_assert_int_eq(sst_raw_create(&store->cells, &store->raw, &err), SST_OK);
}

static void close_store(struct store *store)
{
    sst_raw_destroy(&store->raw);
    sst_cells_clear(&store->cells);
}

/* As the engine does it: places for what is new, room for them, then the fields. */
static void add_days(struct store *store, const struct days *days, size_t batch, size_t n_most)
{
    struct sst_error err = {0};
    for (size_t m = 0, n = 0; m < days->n_members; m += n) {
        const size_t left = days->n_members - m, of_term = KEPT_TERM_MEMBERS - m % KEPT_TERM_MEMBERS;
        n = batch < of_term ? batch : of_term;
        n = n < left ? n : left;
        const size_t n_places = store->cells.n_places;
        for (size_t i = 0; i < n; ++i)
            take(&store->cells, days->members[m + i]);
        if (store->cells.n_places != n_places)
            ck_assert_int_eq(sst_raw_grow(store->raw, &err), SST_OK);
        kept_fixture_add(store->raw, &store->cells, days->members, m, n, n_most);
    }
}

static int compare_codes(const void *a, const void *b) { return *(const int16_t *)a - *(const int16_t *)b; }

struct results {
    double mean[MAX_CELLS], quantile[N_PERCENTILES][MAX_CELLS];
    uint16_t n[MAX_CELLS];
};

static void plain(const struct days *days, size_t first_member, int type, struct results *out)
{
    const struct sst_lattice lattice = sst_lattice_of(SST_LATTICE_CENTI);
    for (size_t cell = 0; cell < days->n_cells; ++cell) {
        int16_t codes[MAX_MEMBERS];
        double degc[MAX_MEMBERS];
        size_t n = 0;
        int32_t sum = 0;
        for (size_t m = first_member; m < days->n_members; ++m)
            if (days->values[m][cell] != SST_CODE_MISSING)
                sum += codes[n++] = days->values[m][cell];
        qsort(codes, n, sizeof *codes, compare_codes);
        for (size_t i = 0; i < n; ++i)
            degc[i] = sst_lattice_degc(lattice, codes[i]);
        out->n[cell] = (uint16_t)n;
        out->mean[cell] = n ? ((double)sum / (double)n + lattice.reference_steps) / lattice.steps_per_degree : NAN;
        for (size_t q = 0; q < N_PERCENTILES; ++q)
            out->quantile[q][cell] = sst_quantile_sorted(degc, n, shares[q], type);
    }
}

/* The pool of all terms from a member on, in domain order. */
static void finish(const struct store *store, const struct days *days, size_t first_member, int type,
                   struct results *out)
{
    struct sst_term terms[KEPT_MAX_TERMS];
    struct sst_kept kept[KEPT_MAX_TERMS];
    struct results *places = calloc(1, sizeof *places);
    double *quantile[N_PERCENTILES];
    int16_t *found[N_PERCENTILES], *hints = calloc(N_PERCENTILES * 2 * MAX_CELLS, sizeof *hints);
    struct sst_error err = {0};
    int n_terms = 0;
    for (size_t m = first_member; m < days->n_members; m += KEPT_TERM_MEMBERS)
        terms[n_terms++] = kept_fixture_term(m);
    for (size_t q = 0; q < N_PERCENTILES; ++q) {
        quantile[q] = places->quantile[q];
        found[q] = hints + q * 2 * MAX_CELLS;
    }
    const struct sst_quantile_args args = {shares, N_PERCENTILES, type, sst_lattice_of(SST_LATTICE_CENTI), 1};
    const struct sst_finish_out values = {
        .mean = places->mean, .quantile = quantile, .found = found, .n_obs = places->n};
    const size_t n_kept = sst_raw_pool(store->raw, terms, n_terms, kept);
    ck_assert_uint_le(store->cells.n_places, MAX_CELLS);
    ck_assert_int_eq(sst_backend_cpu()->exact_finish(kept, n_kept, &args, &values, store->cells.n_places, &err),
                     SST_OK);
    memset(out, 0, sizeof *out);
    for (size_t cell = 0; cell < days->n_cells; ++cell) {
        out->mean[cell] = NAN;
        for (size_t q = 0; q < N_PERCENTILES; ++q)
            out->quantile[q][cell] = NAN;
    }
    sst_cells_scatter(&store->cells, places->mean, sizeof *places->mean, out->mean);
    sst_cells_scatter(&store->cells, places->n, sizeof *places->n, out->n);
    for (size_t q = 0; q < N_PERCENTILES; ++q)
        sst_cells_scatter(&store->cells, places->quantile[q], sizeof **places->quantile, out->quantile[q]);
    free(places);
    free(hints);
}

static size_t count_different(const struct results *a, const struct results *b, size_t n_cells)
{
    size_t n = 0;
    for (size_t cell = 0; cell < n_cells; ++cell) {
        bool same = a->n[cell] == b->n[cell] && memcmp(&a->mean[cell], &b->mean[cell], sizeof a->mean[0]) == 0;
        for (size_t q = 0; q < N_PERCENTILES; ++q)
            same &= memcmp(&a->quantile[q][cell], &b->quantile[q][cell], sizeof a->mean[0]) == 0;
        n += !same;
    }
    return n;
}

static const int thread_counts[] = {1, 4};

START_TEST(what_is_kept_is_what_came_whatever_the_size_batch_and_threads)
{
    const size_t sizes[] = {1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 200, 640};
    struct results *want = calloc(1, sizeof *want), *got = calloc(1, sizeof *got);
    const int n_before = omp_get_max_threads(), type = _i % 9 + 1;
    sst_backend_cpu_set_threads(thread_counts[_i % 2]);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        struct days *days = make_days(75, sizes[s], (uint64_t)_i * 100 + s);
        struct store store;
        open_store(&store, sizes[s]);
        add_days(&store, days, 1 + ((size_t)_i + s) % SST_MAX_BATCH, KEPT_TERM_MEMBERS);
        for (size_t first = 0; first < 75; first += KEPT_TERM_MEMBERS) {
            plain(days, first, type, want);
            finish(&store, days, first, type, got);
            ck_assert_uint_eq(count_different(want, got, sizes[s]), 0);
        }
        close_store(&store);
        free(days);
    }
    sst_backend_cpu_set_threads(n_before);
    free(want);
    free(got);
}
END_TEST

START_TEST(a_term_may_get_more_fields_than_were_announced)
{
    struct results *want = calloc(1, sizeof *want), *got = calloc(1, sizeof *got);
    struct days *days = make_days(75, 200, 5);
    struct store store;
    open_store(&store, 200);
    add_days(&store, days, 4, 3);
    plain(days, 0, 7, want);
    finish(&store, days, 0, 7, got);
    ck_assert_uint_eq(count_different(want, got, 200), 0);
    close_store(&store);
    free(days);
    free(want);
    free(got);
}
END_TEST

START_TEST(memory_of_dropped_terms_is_used_again_without_a_trace_of_them)
{
    struct results *want = calloc(1, sizeof *want), *got = calloc(1, sizeof *got);
    struct store store;
    open_store(&store, 200);
    for (int round = 0; round < 4; ++round) {
        /* Of other lengths each time, so some of what is spare fits and some does not. */
        struct days *days = make_days(round % 2 ? 40 : 75, 200, (uint64_t)round);
        add_days(&store, days, 8, round < 2 ? KEPT_TERM_MEMBERS : 10);
        plain(days, 0, 7, want);
        finish(&store, days, 0, 7, got);
        ck_assert_uint_eq(count_different(want, got, 200), 0);
        sst_raw_drop_slot(store.raw, 1);
        sst_raw_drop_slot(store.raw, 2);
        free(days);
    }
    close_store(&store);
    free(want);
    free(got);
}
END_TEST

/* What a lane is to hold of a member. */
static int16_t expected_code(const struct store *store, const struct days *days, size_t m, size_t place)
{
    const size_t block = place / SST_CELLS_WIDTH;
    if (block >= store->cells.n_given)
        return SST_CODE_MISSING;
    const size_t cell = store->cells.block_at[block] * SST_CELLS_WIDTH + place % SST_CELLS_WIDTH;
    return cell < days->n_cells ? days->values[m][cell] : SST_CODE_MISSING;
}

START_TEST(every_lane_holds_its_cell_or_nothing_and_sums_are_those_of_the_members)
{
    const size_t sizes[] = {200, 31, 30, 100};
    struct days *days = make_days(20, sizes[_i], 3);
    struct store store;
    struct sst_kept kept;
    const struct sst_term term = kept_fixture_term(0);
    open_store(&store, sizes[_i]);
    add_days(&store, days, 3, KEPT_TERM_MEMBERS);
    ck_assert_uint_eq(sst_raw_pool(store.raw, &term, 1, &kept), 1);
    ck_assert_uint_eq(kept.n_members, 20);
    for (size_t tile = 0; tile < sst_kept_tiles(store.cells.n_places); ++tile) {
        struct sst_kept_sums sums;
        memcpy(&sums, sst_kept_head(&kept, tile), sizeof sums);
        for (size_t lane = 0; lane < SST_KEPT_LANES; ++lane) {
            int32_t sum = 0, n = 0;
            for (size_t m = 0; m < 20; ++m) {
                const int16_t code = sst_kept_members(&kept, tile)[m][lane];
                ck_assert_int_eq(code, expected_code(&store, days, m, tile * SST_KEPT_LANES + lane));
                n += code != SST_CODE_MISSING;
                sum += code == SST_CODE_MISSING ? 0 : code;
            }
            ck_assert_int_eq(sums.sum[lane], sum);
            ck_assert_int_eq(sums.n_valid[lane], n);
        }
    }
    close_store(&store);
    free(days);
}
END_TEST

START_TEST(a_term_takes_whole_tiles_for_all_its_days)
{
    const uint64_t slack = sst_raw_term_bytes(1, 1) - (uint64_t)(SST_KEPT_HEAD_ROWS + 1) * 64; /* of any array */
    ck_assert_uint_le(slack, 4096);
    ck_assert_uint_eq(sst_raw_term_bytes(1000, 0), 0);
    ck_assert_uint_eq(sst_raw_term_bytes(1024, 30) - slack, (uint64_t)32 * (SST_KEPT_HEAD_ROWS + 30) * 64);
    ck_assert_uint_eq(sst_raw_term_bytes(1025, 30) - slack, (uint64_t)33 * (SST_KEPT_HEAD_ROWS + 30) * 64);
}
END_TEST

START_TEST(a_planted_fault_is_seen)
{
    struct results *want = calloc(1, sizeof *want), *got = calloc(1, sizeof *got);
    struct days *days = make_days(75, 200, 9);
    struct store store;
    open_store(&store, 200);
    add_days(&store, days, 8, KEPT_TERM_MEMBERS);
    finish(&store, days, 0, 7, got);
    for (size_t m = 0; m < 10; ++m) /* as if ten fields of one cell had gone elsewhere */
        days->values[m][3] = 4000;
    plain(days, 0, 7, want);
    ck_assert_uint_eq(count_different(want, got, 200), 1);
    close_store(&store);
    free(days);
    free(want);
    free(got);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("exact_store");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, what_is_kept_is_what_came_whatever_the_size_batch_and_threads, 0, 18);
    tcase_add_test(tc, a_term_may_get_more_fields_than_were_announced);
    tcase_add_test(tc, memory_of_dropped_terms_is_used_again_without_a_trace_of_them);
    tcase_add_loop_test(tc, every_lane_holds_its_cell_or_nothing_and_sums_are_those_of_the_members, 0, 4);
    tcase_add_test(tc, a_term_takes_whole_tiles_for_all_its_days);
    tcase_add_test(tc, a_planted_fault_is_seen);
    suite_add_tcase(suite, tc);
    return suite;
}
