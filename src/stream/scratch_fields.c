/* Fields without land, on the disk. */
#include "stream/scratch_fields.h"

#include <string.h>

#include "core/mem.h"
#include "core/scratch_file.h"

/* The byte that says whether there is ice; cells of a byte of a mask. */
enum { HEAD_SIZE = 1, BYTE_CELLS = 8, FULL_BYTE = 0xFF };

/* What is known of a day; what is more is the offset of its record. */
enum { NOT_PUT, NO_FIELD, FIRST_RECORD };

struct sst_scratch_fields {
    struct sst_tile_cuts cuts;
    struct sst_scratch_file file;
    int first_year, last_year;
    uint64_t *days; /* by year and slot */
    uint64_t *starts; /* of the pieces of a record, and its end; cuts.n_tiles items */
    unsigned char *piece; /* room for one */
    uint64_t end; /* of the file */
};

static size_t mask_size(size_t n_cells) { return (n_cells + BYTE_CELLS - 1) / BYTE_CELLS; }

static size_t piece_size(size_t n_cells, size_t n_valid, bool has_ice)
{
    return HEAD_SIZE + mask_size(n_cells) * (has_ice ? 2 : 1) + n_valid * sizeof(int16_t);
}

static size_t starts_size(const struct sst_tile_cuts *cuts) { return cuts->n_tiles * sizeof(uint64_t); }

/* Days of the years that a rule may ask for. */
static size_t n_days_of(const struct sst_pool_rule *pools)
{
    return (size_t)(pools->last_year - pools->first_year + 3) * (SST_N_SLOTS + 1);
}

uint64_t sst_scratch_fields_disk_bytes(const struct sst_tile_cuts *cuts, size_t n_days, size_t n_valid, bool has_ice)
{
    uint64_t day = starts_size(cuts) + (uint64_t)n_valid * sizeof(int16_t);
    for (size_t tile = 1; tile < cuts->n_tiles; ++tile)
        day += piece_size(sst_tile_span_of(cuts, tile).n_cells, 0, has_ice);
    return n_days * day;
}

uint64_t sst_scratch_fields_memory_bytes(const struct sst_tile_cuts *cuts, const struct sst_pool_rule *pools)
{
    return n_days_of(pools) * sizeof(uint64_t) + starts_size(cuts) +
           piece_size(cuts->tile_cells, cuts->tile_cells, true);
}

enum sst_status sst_scratch_fields_create(const char *folder, const char *about, const struct sst_tile_cuts *cuts,
                                          const struct sst_pool_rule *pools, struct sst_scratch_fields **out,
                                          struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_scratch_fields *fields = NULL;
    const size_t piece = piece_size(cuts->tile_cells, cuts->tile_cells, true);
    SST_TRY(sst_alloc(1, sizeof *fields, "fields on the disk", &fields, err));
    fields->cuts = *cuts;
    fields->first_year = pools->first_year - 1;
    fields->last_year = pools->last_year + 1;
    SST_TRY_GOTO(sst_alloc(n_days_of(pools), sizeof *fields->days, "the days on the disk", &fields->days, err));
    SST_TRY_GOTO(sst_alloc(cuts->n_tiles, sizeof *fields->starts, "a field on the disk", &fields->starts, err));
    SST_TRY_GOTO(sst_alloc(piece, 1, "a field on the disk", &fields->piece, err));
    SST_TRY_GOTO(sst_scratch_file_open(folder, about, SST_TILES_REMEDY, &fields->file, err));
    *out = fields;
    fields = NULL;
done:
    sst_scratch_fields_destroy(&fields);
    return rc;
}

void sst_scratch_fields_destroy(struct sst_scratch_fields **handle)
{
    struct sst_scratch_fields *fields = *handle;
    if (!fields)
        return;
    sst_scratch_file_close(&fields->file);
    sst_free(fields->days);
    sst_free(fields->starts);
    sst_free(fields->piece);
    sst_free(fields);
    *handle = NULL;
}

/* What is known of a day; NULL where no rule asks for it. */
static uint64_t *day_at(const struct sst_scratch_fields *fields, struct sst_day day)
{
    if (day.year < fields->first_year || day.year > fields->last_year || day.slot < 0 || day.slot > SST_N_SLOTS)
        return NULL;
    return &fields->days[(size_t)(day.year - fields->first_year) * (SST_N_SLOTS + 1) + (size_t)day.slot];
}

bool sst_scratch_fields_has(const struct sst_scratch_fields *fields, struct sst_day day)
{
    const uint64_t *at = day_at(fields, day);
    return at && *at != NOT_PUT;
}

/* --- pieces ------------------------------------------------------------------------------------------------------- */

static size_t cells_of_byte(size_t n_cells, size_t first)
{
    return n_cells - first < BYTE_CELLS ? n_cells - first : BYTE_CELLS;
}

/* Returns the number of valid cells. */
static size_t pack_codes(const int16_t *codes, size_t n_cells, unsigned char *mask, unsigned char *valid)
{
    size_t n_valid = 0;
    for (size_t first = 0; first < n_cells; first += BYTE_CELLS) {
        const size_t n = cells_of_byte(n_cells, first);
        unsigned bits = 0;
        for (size_t i = 0; i < n; ++i)
            bits |= (unsigned)(codes[first + i] != SST_CODE_MISSING) << i;
        mask[first / BYTE_CELLS] = (unsigned char)bits;
        for (size_t i = 0; i < n && bits != FULL_BYTE; ++i) {
            if (bits >> i & 1U)
                memcpy(valid + n_valid++ * sizeof *codes, &codes[first + i], sizeof *codes);
        }
        if (bits == FULL_BYTE) {
            memcpy(valid + n_valid * sizeof *codes, &codes[first], BYTE_CELLS * sizeof *codes);
            n_valid += BYTE_CELLS;
        }
    }
    return n_valid;
}

static void unpack_codes(const unsigned char *mask, const unsigned char *valid, size_t n_cells, int16_t *codes)
{
    for (size_t first = 0; first < n_cells; first += BYTE_CELLS) {
        const size_t n = cells_of_byte(n_cells, first);
        const unsigned bits = mask[first / BYTE_CELLS];
        if (bits == FULL_BYTE) {
            memcpy(&codes[first], valid, BYTE_CELLS * sizeof *codes);
            valid += BYTE_CELLS * sizeof *codes;
            continue;
        }
        for (size_t i = 0; i < n; ++i) {
            codes[first + i] = SST_CODE_MISSING;
            if (bits >> i & 1U) {
                memcpy(&codes[first + i], valid, sizeof *codes);
                valid += sizeof *codes;
            }
        }
    }
}

static void pack_marks(const uint8_t *marks, size_t n_cells, unsigned char *mask)
{
    for (size_t first = 0; first < n_cells; first += BYTE_CELLS) {
        unsigned bits = 0;
        for (size_t i = 0, n = cells_of_byte(n_cells, first); i < n; ++i)
            bits |= (unsigned)(marks[first + i] != 0) << i;
        mask[first / BYTE_CELLS] = (unsigned char)bits;
    }
}

static void unpack_marks(const unsigned char *mask, size_t n_cells, uint8_t *marks)
{
    for (size_t cell = 0; cell < n_cells; ++cell)
        marks[cell] = (uint8_t)((unsigned)mask[cell / BYTE_CELLS] >> cell % BYTE_CELLS & 1U);
}

/* Returns the size of the piece. */
static size_t pack(const struct sst_field *field, struct sst_tile_span span, unsigned char *piece)
{
    unsigned char *mask = piece + HEAD_SIZE, *ice = mask + mask_size(span.n_cells);
    unsigned char *valid = field->has_ice ? ice + mask_size(span.n_cells) : ice;
    piece[0] = field->has_ice;
    if (field->has_ice)
        pack_marks(field->ice + span.begin, span.n_cells, ice);
    return piece_size(span.n_cells, pack_codes(field->codes + span.begin, span.n_cells, mask, valid), field->has_ice);
}

static void unpack(const unsigned char *piece, size_t n_cells, struct sst_field *out)
{
    const unsigned char *mask = piece + HEAD_SIZE, *ice = mask + mask_size(n_cells);
    out->n_cells = n_cells;
    out->has_ice = piece[0] != 0;
    unpack_codes(mask, out->has_ice ? ice + mask_size(n_cells) : ice, n_cells, out->codes);
    if (out->has_ice)
        unpack_marks(ice, n_cells, out->ice);
    else
        memset(out->ice, 0, n_cells);
}

/* --- days --------------------------------------------------------------------------------------------------------- */

enum sst_status sst_scratch_fields_put(struct sst_scratch_fields *fields, struct sst_day day,
                                       const struct sst_field *field, struct sst_error *err)
{
    const struct sst_tile_cuts *cuts = &fields->cuts;
    uint64_t *at = day_at(fields, day), end = fields->end + starts_size(cuts);
    if (!at)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: no rule asks for slot %d of %d", fields->file.about, day.slot,
                        day.year);
    *at = NO_FIELD;
    if (!field)
        return SST_OK;
    for (size_t tile = 1; tile < cuts->n_tiles; ++tile) {
        const size_t size = pack(field, sst_tile_span_of(cuts, tile), fields->piece);
        SST_TRY(sst_scratch_file_write(&fields->file, end, fields->piece, size, err));
        fields->starts[tile - 1] = end;
        end += size;
    }
    fields->starts[cuts->n_tiles - 1] = end;
    SST_TRY(sst_scratch_file_write(&fields->file, fields->end, fields->starts, starts_size(cuts), err));
    *at = FIRST_RECORD + fields->end;
    fields->end = end;
    return SST_OK;
}

enum sst_status sst_scratch_fields_get(struct sst_scratch_fields *fields, struct sst_day day, size_t tile,
                                       struct sst_field *out, bool *is_there, struct sst_error *err)
{
    const uint64_t *at = day_at(fields, day);
    uint64_t ends[2] = {0};
    const size_t n_cells = sst_tile_span_of(&fields->cuts, tile).n_cells;
    if (!at || *at == NOT_PUT)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: slot %d of %d was never kept", fields->file.about, day.slot,
                        day.year);
    *is_there = *at != NO_FIELD;
    if (!*is_there)
        return SST_OK;
    const uint64_t starts = *at - FIRST_RECORD + (tile - 1) * sizeof ends[0];
    SST_TRY(sst_scratch_file_read(&fields->file, starts, ends, sizeof ends, err));
    if (ends[1] < ends[0] || ends[1] - ends[0] > piece_size(n_cells, n_cells, true))
        return sst_fail(err, SST_ERR_OUTPUT, "%s was changed while the run had it", fields->file.about);
    SST_TRY(sst_scratch_file_read(&fields->file, ends[0], fields->piece, (size_t)(ends[1] - ends[0]), err));
    unpack(fields->piece, n_cells, out);
    return SST_OK;
}
