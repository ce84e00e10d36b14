/* The store of kept values; freed arrays are used again, so a run allocates its window once. */
#include "exact/raw.h"

#include <string.h>

#include "core/mem.h"

/* The fields of one term. */
struct shelf {
    int16_t **fields;
    size_t n_fields, capacity;
};

struct sst_raw {
    const struct sst_cells *cells;
    size_t n_places; /* of the arrays */
    struct shelf shelves[SST_N_SLOTS + 1][SST_N_CLASSES];
    struct shelf spare; /* arrays that a dropped slot left */
    const int16_t **pool;
    size_t pool_capacity;
};

enum sst_status sst_raw_create(const struct sst_cells *cells, struct sst_raw **out, struct sst_error *err)
{
    struct sst_raw *raw = NULL;
    SST_TRY(sst_alloc(1, sizeof *raw, "kept values", &raw, err));
    raw->cells = cells;
    raw->n_places = cells->n_places;
    *out = raw;
    return SST_OK;
}

static void shelf_clear(struct shelf *shelf)
{
    for (size_t field = 0; field < shelf->n_fields; ++field)
        sst_free(shelf->fields[field]);
    sst_free(shelf->fields);
}

void sst_raw_destroy(struct sst_raw **raw)
{
    if (!*raw)
        return;
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
            shelf_clear(&(*raw)->shelves[slot][year_class]);
    shelf_clear(&(*raw)->spare);
    sst_free((*raw)->pool);
    sst_free(*raw);
    *raw = NULL;
}

static enum sst_status shelf_push(struct shelf *shelf, int16_t *codes, struct sst_error *err)
{
    SST_TRY(sst_grow(&shelf->fields, &shelf->capacity, shelf->n_fields + 1, sizeof *shelf->fields, "kept values", err));
    shelf->fields[shelf->n_fields++] = codes;
    return SST_OK;
}

static enum sst_status shelf_extend(struct shelf *shelf, size_t old_count, size_t new_count, struct sst_error *err)
{
    for (size_t field = 0; field < shelf->n_fields; ++field) {
        int16_t **codes = &shelf->fields[field];
        SST_TRY(sst_extend(codes, old_count, new_count, sizeof **codes, "kept values of a day", err));
        for (size_t place = old_count; place < new_count; ++place)
            (*codes)[place] = SST_CODE_MISSING;
    }
    return SST_OK;
}

enum sst_status sst_raw_grow(struct sst_raw *raw, struct sst_error *err)
{
    const size_t old_count = raw->n_places, new_count = raw->cells->n_places;
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
            SST_TRY(shelf_extend(&raw->shelves[slot][year_class], old_count, new_count, err));
    SST_TRY(shelf_extend(&raw->spare, old_count, new_count, err));
    raw->n_places = new_count;
    return SST_OK;
}

static enum sst_status add_field(struct sst_raw *raw, struct sst_term term, const struct sst_field *field,
                                 struct sst_error *err)
{
    int16_t *codes = NULL;
    if (raw->spare.n_fields > 0)
        codes = raw->spare.fields[--raw->spare.n_fields];
    else
        SST_TRY(sst_alloc(raw->n_places, sizeof *codes, "kept values of a day", &codes, err));
    sst_cells_gather(raw->cells, field->codes, SST_CODE_MISSING, 0, raw->n_places, codes);
    const enum sst_status rc = shelf_push(&raw->shelves[term.slot][term.year_class], codes, err);
    if (rc != SST_OK)
        sst_free(codes);
    return rc;
}

enum sst_status sst_raw_add(struct sst_raw *raw, struct sst_term term, const struct sst_field *const *fields,
                            size_t n_fields, struct sst_error *err)
{
    for (size_t i = 0; i < n_fields; ++i)
        SST_TRY(add_field(raw, term, fields[i], err));
    return SST_OK;
}

void sst_raw_drop_slot(struct sst_raw *raw, int slot)
{
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        struct shelf *shelf = &raw->shelves[slot][year_class];
        while (shelf->n_fields > 0) {
            int16_t *codes = shelf->fields[--shelf->n_fields];
            if (shelf_push(&raw->spare, codes, NULL) != SST_OK)
                sst_free(codes);
        }
    }
}

enum sst_status sst_raw_pool(struct sst_raw *raw, const struct sst_term *terms, int n_terms,
                             const int16_t *const **members, size_t *n_members, struct sst_error *err)
{
    size_t n = 0;
    for (int term = 0; term < n_terms; ++term)
        n += raw->shelves[terms[term].slot][terms[term].year_class].n_fields;
    SST_TRY(sst_grow(&raw->pool, &raw->pool_capacity, n + 1, sizeof *raw->pool, "the list of a pool", err));
    n = 0;
    for (int term = 0; term < n_terms; ++term) {
        const struct shelf *shelf = &raw->shelves[terms[term].slot][terms[term].year_class];
        for (size_t field = 0; field < shelf->n_fields; ++field)
            raw->pool[n++] = shelf->fields[field];
    }
    *members = raw->pool;
    *n_members = n;
    return SST_OK;
}
