/* The store of kept values; the memory of dropped slots is used again, so a run allocates its window once. */
#include "exact/raw.h"

#include <string.h>

#include "core/field.h"
#include "core/mem.h"

/* Arrays begin at different places of a page, else the runs of a pool would all want the same lines of a cache. */
enum { PAGE_ROWS = 64 };

/* The fields of one term. */
struct shelf {
    int16_t (*memory)[SST_KEPT_LANES]; /* NULL where nothing was kept */
    size_t first_row; /* of `memory`: where the tiles begin */
    size_t n_tiles, tile_rows;
    size_t n_fields;
};

struct sst_raw {
    const struct sst_cells *cells;
    struct shelf shelves[SST_N_SLOTS + 1][SST_N_CLASSES];
    struct shelf spare[(SST_N_SLOTS + 1) * SST_N_CLASSES]; /* of dropped slots */
    size_t n_spare;
    size_t next_row; /* where the next array begins */
};

enum sst_status sst_raw_create(const struct sst_cells *cells, struct sst_raw **out, struct sst_error *err)
{
    struct sst_raw *raw = NULL;
    SST_TRY(sst_alloc(1, sizeof *raw, "kept values", &raw, err));
    raw->cells = cells;
    *out = raw;
    return SST_OK;
}

static void shelf_clear(struct shelf *shelf)
{
    sst_free(shelf->memory);
    *shelf = (struct shelf){0};
}

static void free_spare(struct sst_raw *raw)
{
    while (raw->n_spare > 0)
        shelf_clear(&raw->spare[--raw->n_spare]);
}

void sst_raw_destroy(struct sst_raw **raw)
{
    if (!*raw)
        return;
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
            shelf_clear(&(*raw)->shelves[slot][year_class]);
    free_spare(*raw);
    sst_free(*raw);
    *raw = NULL;
}

static struct sst_kept kept_of(const struct shelf *shelf)
{
    return (struct sst_kept){shelf->memory + shelf->first_row, shelf->tile_rows, shelf->n_fields};
}

/*
 * Memory for n_tiles x tile_rows. What is spare and of another size is given back first, at least as many rows as are asked
 * for: so no more is ever held than the terms that are live at a time take.
 */
static enum sst_status shelf_make(struct sst_raw *raw, size_t n_tiles, size_t tile_rows, struct shelf *out,
                                  struct sst_error *err)
{
    for (size_t i = raw->n_spare; i-- > 0;) {
        if (raw->spare[i].n_tiles != n_tiles || raw->spare[i].tile_rows != tile_rows)
            continue;
        *out = raw->spare[i];
        raw->spare[i] = raw->spare[--raw->n_spare];
        return SST_OK;
    }
    for (size_t n_freed = 0; n_freed < n_tiles * tile_rows && raw->n_spare > 0;) {
        struct shelf *spare = &raw->spare[--raw->n_spare];
        n_freed += spare->n_tiles * spare->tile_rows;
        shelf_clear(spare);
    }
    struct shelf made = {.first_row = raw->next_row, .n_tiles = n_tiles, .tile_rows = tile_rows};
    SST_TRY(sst_alloc_large(n_tiles * tile_rows + PAGE_ROWS, sizeof *made.memory, "kept values", &made.memory, err));
    raw->next_row = (raw->next_row + tile_rows) % PAGE_ROWS;
    *out = made;
    return SST_OK;
}

/* A tile of so many members without a value. */
static void empty_tile(const struct sst_kept *kept, size_t tile)
{
    int16_t(*members)[SST_KEPT_LANES] = sst_kept_members(kept, tile);
    memset(sst_kept_head(kept, tile), 0, sizeof(struct sst_kept_sums));
    for (size_t member = 0; member < kept->n_members; ++member)
        for (int lane = 0; lane < SST_KEPT_LANES; ++lane)
            members[member][lane] = SST_CODE_MISSING;
}

/* Moves what is kept to an array with more tiles or more room in each. */
static enum sst_status shelf_move(struct sst_raw *raw, struct shelf *shelf, size_t n_tiles, size_t tile_rows,
                                  struct sst_error *err)
{
    struct shelf made;
    SST_TRY(shelf_make(raw, n_tiles, tile_rows, &made, err));
    made.n_fields = shelf->n_fields;
    const struct sst_kept from = kept_of(shelf), to = kept_of(&made);
    const size_t used_rows = SST_KEPT_HEAD_ROWS + shelf->n_fields;
    for (size_t tile = 0; tile < shelf->n_tiles; ++tile)
        memcpy(sst_kept_head(&to, tile), sst_kept_head(&from, tile), used_rows * sizeof *to.rows);
    for (size_t tile = shelf->n_tiles; tile < n_tiles; ++tile)
        empty_tile(&to, tile);
    shelf_clear(shelf);
    *shelf = made;
    return SST_OK;
}

enum sst_status sst_raw_grow(struct sst_raw *raw, struct sst_error *err)
{
    const size_t n_tiles = sst_kept_tiles(raw->cells->n_places);
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
            struct shelf *shelf = &raw->shelves[slot][year_class];
            if (shelf->memory && shelf->n_tiles < n_tiles)
                SST_TRY(shelf_move(raw, shelf, n_tiles, shelf->tile_rows, err));
        }
    return SST_OK;
}

enum sst_status sst_raw_extend(struct sst_raw *raw, struct sst_term term, size_t n_fields, size_t n_most,
                               struct sst_kept *kept, struct sst_error *err)
{
    struct shelf *shelf = &raw->shelves[term.slot][term.year_class];
    const size_t n_tiles = sst_kept_tiles(raw->cells->n_places), n_needed = shelf->n_fields + n_fields;
    const size_t tile_rows = SST_KEPT_HEAD_ROWS + (n_needed < n_most ? n_most : n_needed);
    if (!shelf->memory) {
        SST_TRY(shelf_make(raw, n_tiles, tile_rows, shelf, err));
        shelf->n_fields = 0;
    } else if (shelf->tile_rows < tile_rows) {
        SST_TRY(shelf_move(raw, shelf, n_tiles, tile_rows, err));
    }
    shelf->n_fields = n_needed;
    *kept = kept_of(shelf);
    return SST_OK;
}

void sst_raw_drop_slot(struct sst_raw *raw, int slot)
{
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        struct shelf *shelf = &raw->shelves[slot][year_class];
        if (shelf->memory)
            raw->spare[raw->n_spare++] = *shelf;
        *shelf = (struct shelf){0};
    }
}

size_t sst_raw_pool(const struct sst_raw *raw, const struct sst_term *terms, int n_terms, struct sst_kept *kept)
{
    size_t n = 0;
    for (int term = 0; term < n_terms; ++term) {
        const struct shelf *shelf = &raw->shelves[terms[term].slot][terms[term].year_class];
        if (shelf->n_fields > 0)
            kept[n++] = kept_of(shelf);
    }
    return n;
}

uint64_t sst_raw_term_bytes(size_t n_places, size_t n_fields)
{
    const uint64_t rows = (uint64_t)sst_kept_tiles(n_places) * (SST_KEPT_HEAD_ROWS + n_fields) + PAGE_ROWS;
    return n_fields > 0 ? rows * SST_KEPT_LANES * sizeof(int16_t) : 0;
}
