/* Tables of codes and classes of all 16-bit numbers, kept from file to file, and the plain form that most of them have. */
#include <string.h>

#include "core/mem.h"
#include "stream/decode_direct.h"

/* The holes of a plain form; the rest of them are filled up with a key that is missing anyway. */
struct holes {
    int16_t *keys;
    size_t n;
    bool fit, has_spare;
    int16_t spare;
};

static void add_hole(struct holes *holes, int key)
{
    holes->fit &= holes->n < SST_LOOP_HOLES;
    if (holes->fit)
        holes->keys[holes->n++] = (int16_t)key;
}

/* Whether the holes are as few as there is room for. */
static bool fill_up(struct holes *holes)
{
    while (holes->fit && holes->n < SST_LOOP_HOLES && (holes->n > 0 || holes->has_spare))
        add_hole(holes, holes->n > 0 ? holes->keys[0] : holes->spare);
    return holes->fit && holes->n == SST_LOOP_HOLES;
}

/* Bounds of the keys with codes and of those with marks, and how far the first code is from its key. */
static struct sst_plain_codes bounds_of_codes(const int16_t *codes, uint16_t flip, struct holes *holes)
{
    struct sst_plain_codes plain = {
        .flip = flip, .low = INT16_MAX, .high = INT16_MIN, .marked_low = INT16_MAX, .marked_high = INT16_MIN};
    for (int key = INT16_MIN; key <= INT16_MAX; ++key) {
        const int16_t code = codes[(uint16_t)key ^ flip];
        if (code == SST_CODE_MISSING) {
            holes->spare = (int16_t)key;
            holes->has_spare = true;
        } else if (code < SST_DECODE_LOWEST_CODE) {
            plain.marked_low = key < plain.marked_low ? (int16_t)key : plain.marked_low;
            plain.marked_high = (int16_t)key;
        } else {
            if (plain.low > plain.high) {
                plain.low = (int16_t)key;
                plain.shift = (uint16_t)(code - key);
            }
            plain.high = (int16_t)key;
        }
    }
    return plain;
}

struct sst_plain_codes sst_plain_codes_of(const int16_t *codes, bool is_signed)
{
    const uint16_t flip = is_signed ? 0 : 0x8000;
    struct holes holes = {.fit = true};
    struct sst_plain_codes plain = bounds_of_codes(codes, flip, &holes);
    bool is_plain = plain.low <= plain.high;
    holes.keys = plain.holes;
    for (int key = INT16_MIN; key <= INT16_MAX && is_plain && holes.fit; ++key) {
        const int16_t code = codes[(uint16_t)key ^ flip];
        const bool is_within = key >= plain.low && key <= plain.high;
        if (code == SST_CODE_MISSING && (is_within || (key >= plain.marked_low && key <= plain.marked_high)))
            add_hole(&holes, key);
        else if (code != SST_CODE_MISSING && is_within)
            is_plain = (uint16_t)code == (uint16_t)(key + plain.shift);
    }
    plain.is_plain = is_plain && fill_up(&holes);
    return plain;
}

struct sst_plain_classes sst_plain_classes_of(const uint8_t *classes, size_t n_bits, bool is_signed)
{
    const int half = 1 << (n_bits - 1);
    struct sst_plain_classes plain = {
        .flip = (uint16_t)(is_signed ? 0 : half), .low = (int16_t)(half - 1), .high = (int16_t)-half};
    struct holes holes = {.keys = plain.holes, .fit = true};
    bool is_plain = true;
    const unsigned all = 2U * (unsigned)half - 1U;
    for (int key = -half; key < half; ++key) {
        const uint8_t class = classes[((unsigned)key ^ plain.flip) & all];
        is_plain &= class <= 1;
        if (class == 0) {
            holes.spare = (int16_t)key;
            holes.has_spare = true;
            continue;
        }
        plain.low = key < plain.low ? (int16_t)key : plain.low;
        plain.high = (int16_t)key;
    }
    for (int key = plain.low; key <= plain.high && is_plain && holes.fit; ++key)
        if (classes[((unsigned)key ^ plain.flip) & all] == 0)
            add_hole(&holes, key);
    plain.is_plain = is_plain && fill_up(&holes);
    return plain;
}

/* [cells] Below as many cells still to decode, making a table of 65,536 entries costs more than it saves. */
enum { TABLE_PAYS_FROM = 4 * SST_DECODE_TABLE_SIZE };

enum { TABLE_PIECE = 4096 /* numbers decoded at a time when a table is made */ };

static bool table_pays(const struct sst_file *file, const struct sst_decode_box *box)
{
    return box->domain->n_cells * file->info.n_steps >= TABLE_PAYS_FROM;
}

/* All that the codes or classes of a variable follow from. Numbers compare by their bits, so NaN equals itself. */
static void identify(const struct sst_file *file, const struct sst_decode_variable *variable, int lattice,
                     double identity[SST_DECODE_IDENTITY_SIZE])
{
    const double scalars[] = {1.0, /* so that no packing has the identity of an empty table */
                              (double)variable->type,
                              variable->scale,
                              variable->offset,
                              variable->valid_min,
                              variable->valid_max,
                              file->to_degc.slope,
                              file->to_degc.intercept,
                              file->ice_code_degc,
                              file->ice_scale,
                              (double)lattice,
                              (double)variable->n_fills};
    memset(identity, 0, SST_DECODE_IDENTITY_SIZE * sizeof *identity);
    memcpy(identity, scalars, sizeof scalars);
    identity += sizeof scalars / sizeof *scalars;
    memcpy(identity, variable->fills, variable->n_fills * sizeof *identity);
    identity += SST_DECODE_MAX_FILLS;
    for (size_t i = 0; i < file->n_flags; ++i) {
        *identity++ = file->flags[i].mask;
        *identity++ = file->flags[i].bits;
        *identity++ = file->flags[i].meaning;
    }
}

/* Stored numbers as doubles of which the first has the bits `first`; NaN where missing. */
static void widen_bits(const struct sst_decode_variable *variable, size_t first, size_t n, double *out)
{
    uint16_t shorts[TABLE_PIECE];
    uint8_t bytes[TABLE_PIECE];
    for (size_t i = 0; i < n; ++i) {
        shorts[i] = (uint16_t)(first + i);
        bytes[i] = (uint8_t)(first + i);
    }
    const bool is_byte = sst_decode_type_size(variable->type) == sizeof *bytes;
    sst_loop_widen(variable, is_byte ? bytes : (const unsigned char *)shorts, n, out);
}

enum sst_status sst_decode_find_codes(struct sst_file *file, enum sst_lattice_kind lattice,
                                      const struct sst_decode_box *box, const struct sst_decode_codes **out,
                                      struct sst_error *err)
{
    struct sst_decode_codes *kept = &file->scratch->codes;
    const struct sst_decode_variable *sst = &file->sst;
    const struct sst_loop_rule rule = {sst, &file->to_degc, sst_lattice_of(lattice), file->ice_code_degc};
    double identity[SST_DECODE_IDENTITY_SIZE];
    *out = NULL;
    if (sst->type != NC_SHORT && sst->type != NC_USHORT)
        return SST_OK;
    identify(file, sst, (int)lattice, identity);
    if (memcmp(identity, kept->identity, sizeof identity) != 0) {
        if (!table_pays(file, box))
            return SST_OK;
        if (!kept->table)
            SST_TRY(sst_alloc(SST_DECODE_TABLE_SIZE, sizeof *kept->table, "decode table", &kept->table, err));
        for (size_t first = 0; first < SST_DECODE_TABLE_SIZE; first += TABLE_PIECE) {
            double stored[TABLE_PIECE];
            widen_bits(sst, first, TABLE_PIECE, stored);
            sst_loop_codes(&rule, stored, TABLE_PIECE, kept->table + first);
        }
        kept->plain = sst_plain_codes_of(kept->table, sst->type == NC_SHORT);
        memcpy(kept->identity, identity, sizeof identity);
    }
    *out = kept;
    return SST_OK;
}

enum sst_status sst_decode_find_classes(struct sst_file *file, const struct sst_decode_variable *variable,
                                        sst_decode_class_fn *class_of, const struct sst_decode_box *box,
                                        const struct sst_decode_classes **out, struct sst_error *err)
{
    struct sst_decode_classes *kept = variable == &file->ice ? &file->scratch->ice : &file->scratch->mask;
    const size_t bits = 8 * sst_decode_type_size(variable->type);
    double identity[SST_DECODE_IDENTITY_SIZE];
    *out = NULL;
    if (bits > 16)
        return SST_OK;
    const size_t n = (size_t)1 << bits;
    identify(file, variable, 0, identity);
    if (memcmp(identity, kept->identity, sizeof identity) != 0) {
        if (n > UINT8_MAX + 1 && !table_pays(file, box))
            return SST_OK;
        if (!kept->table)
            SST_TRY(sst_alloc(SST_DECODE_TABLE_SIZE, sizeof *kept->table, "classes", &kept->table, err));
        for (size_t first = 0; first < n; first += TABLE_PIECE) {
            const size_t n_piece = n < TABLE_PIECE ? n : TABLE_PIECE;
            double stored[TABLE_PIECE];
            widen_bits(variable, first, n_piece, stored);
            for (size_t i = 0; i < n_piece; ++i)
                kept->table[first + i] = class_of(file, stored[i]);
        }
        kept->plain = sst_plain_classes_of(kept->table, bits, variable->type == NC_BYTE || variable->type == NC_SHORT);
        memcpy(kept->identity, identity, sizeof identity);
    }
    *out = kept;
    return SST_OK;
}
