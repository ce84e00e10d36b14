#include "kept_fixture.h"

#include <stdlib.h>

#include "test_main.h"

struct sst_term kept_fixture_term(size_t m)
{
    const size_t index = m / KEPT_TERM_MEMBERS;
    return (struct sst_term){(int16_t)(1 + index / 2), (int16_t)(index % 2)};
}

void kept_fixture_add(struct sst_raw *raw, const struct sst_cells *cells, const int16_t *const *members, size_t m,
                      size_t n, size_t n_most)
{
    struct sst_field fields[SST_MAX_BATCH] = {{0}};
    const struct sst_field *pointers[SST_MAX_BATCH];
    struct sst_kept kept;
    struct sst_error err = {0};
    for (size_t i = 0; i < n; ++i) {
        fields[i].codes = (int16_t *)(uintptr_t)members[m + i];
        pointers[i] = &fields[i];
    }
    ck_assert_int_eq(sst_raw_extend(raw, kept_fixture_term(m), n, n_most, &kept, &err), SST_OK);
    sst_backend_cpu()->exact_add_fields(&kept, cells, pointers, n);
}

void kept_fixture_open(struct kept_fixture *fixture, const int16_t *const *members, size_t n_members, size_t n_cells)
{
    struct sst_error err = {0};
    struct sst_term terms[KEPT_MAX_TERMS];
    int n_terms = 0;
    size_t *list = calloc(n_cells + 1, sizeof *list);
    ck_assert_ptr_nonnull(list);
    for (size_t cell = 0; cell < n_cells; ++cell)
        list[cell] = cell;
    *fixture = (struct kept_fixture){0};
    ck_assert_int_eq(sst_cells_init_list(&fixture->cells, n_cells, list, n_cells, &err), SST_OK);
    ck_assert_int_eq(sst_raw_create(&fixture->cells, &fixture->raw, &err), SST_OK);
    free(list);
    for (size_t m = 0, n = 0; m < n_members; m += n) {
        const size_t left = n_members - m, of_term = KEPT_TERM_MEMBERS - m % KEPT_TERM_MEMBERS;
        n = left < of_term ? left : of_term;
        n = n < 1 + m % SST_MAX_BATCH ? n : 1 + m % SST_MAX_BATCH; /* batches of every size */
        kept_fixture_add(fixture->raw, &fixture->cells, members, m, n, KEPT_TERM_MEMBERS);
        if (n_terms == 0 || m % KEPT_TERM_MEMBERS == 0)
            terms[n_terms++] = kept_fixture_term(m);
    }
    fixture->n_kept = sst_raw_pool(fixture->raw, terms, n_terms, fixture->kept);
}

void kept_fixture_close(struct kept_fixture *fixture)
{
    sst_raw_destroy(&fixture->raw);
    sst_cells_clear(&fixture->cells);
}
