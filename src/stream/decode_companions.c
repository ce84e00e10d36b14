/* Ice concentration and mask beside the SST: one small class a cell, through a table where the stored type is small. */
#include <math.h>

#include "core/mem.h"
#include "stream/decode_private.h"

/* [1] Concentration from which a cell counts as ice, less what 15 * 0.01f falls short of it. */
#define ICE_FRACTION (0.15 - 1e-6)

/* Class of one stored number; NaN is missing. */
typedef uint8_t class_fn(const struct sst_file *file, double stored);

struct classifier {
    const struct sst_file *file;
    const struct sst_decode_variable *variable;
    class_fn *class_of;
    uint8_t *classes; /* of the whole domain */
    size_t n_cols;
};

static uint8_t ice_class(const struct sst_file *file, double stored)
{
    const struct sst_decode_variable *ice = &file->ice;
    return (stored * ice->scale + ice->offset) * file->ice_scale >= ICE_FRACTION;
}

static uint8_t mask_class(const struct sst_file *file, double stored)
{
    return isnan(stored) ? 0 : sst_decode_mask_class(file, stored);
}

static void take_values(void *user, size_t row, size_t col, size_t n, const double *values)
{
    const struct classifier *classifier = user;
    uint8_t *classes = classifier->classes + row * classifier->n_cols + col;
    for (size_t i = 0; i < n; ++i)
        classes[i] = classifier->class_of(classifier->file, values[i]);
}

static void take_bytes(void *user, const struct sst_decode_raw_row *row)
{
    const struct classifier *classifier = user;
    const uint8_t *table = classifier->variable->classes;
    uint8_t *classes = classifier->classes + row->row * classifier->n_cols + row->col;
    for (size_t i = 0; i < row->n; ++i)
        classes[i] = table[row->first[i * row->stride]];
}

static void take_shorts(void *user, const struct sst_decode_raw_row *row)
{
    const struct classifier *classifier = user;
    const uint8_t *table = classifier->variable->classes;
    const uint16_t *values = (const uint16_t *)(const void *)row->first;
    uint8_t *classes = classifier->classes + row->row * classifier->n_cols + row->col;
    for (size_t i = 0; i < row->n; ++i)
        classes[i] = table[values[i * row->stride]];
}

/* The stored number that has these bits. */
static double number_of_bits(nc_type type, unsigned bits)
{
    switch (type) {
    case NC_BYTE:
        return (double)(int8_t)bits;
    case NC_SHORT:
        return (double)(int16_t)bits;
    default:
        return (double)bits;
    }
}

static enum sst_status make_table(const struct sst_file *file, struct sst_decode_variable *variable, class_fn *class_of,
                                  size_t n, struct sst_error *err)
{
    if (variable->classes)
        return SST_OK;
    SST_TRY(sst_alloc(n, sizeof *variable->classes, "classes", &variable->classes, err));
    for (unsigned bits = 0; bits < n; ++bits) {
        double value = number_of_bits(variable->type, bits);
        sst_decode_blank_missing(variable, &value, 1);
        variable->classes[bits] = class_of(file, value);
    }
    return SST_OK;
}

static enum sst_status read_classes(struct sst_file *file, struct sst_decode_variable *variable, class_fn *class_of,
                                    const struct sst_decode_box *box, uint8_t *classes, struct sst_error *err)
{
    struct classifier classifier = {
        .file = file, .variable = variable, .class_of = class_of, .classes = classes, .n_cols = box->domain->n_cols};
    const size_t bytes = sst_decode_type_size(variable->type);
    if (bytes == sizeof(uint8_t)) {
        SST_TRY(make_table(file, variable, class_of, UINT8_MAX + 1, err));
        return sst_decode_read_raw_rows(file, variable, box, take_bytes, &classifier, err);
    }
    if (bytes == sizeof(uint16_t) && sst_decode_table_pays(file, box)) {
        SST_TRY(make_table(file, variable, class_of, SST_DECODE_TABLE_SIZE, err));
        return sst_decode_read_raw_rows(file, variable, box, take_shorts, &classifier, err);
    }
    return sst_decode_read_rows(file, variable, box, take_values, &classifier, err);
}

enum sst_status sst_decode_read_ice(struct sst_file *file, const struct sst_decode_box *box, uint8_t *ice,
                                    struct sst_error *err)
{
    return read_classes(file, &file->ice, ice_class, box, ice, err);
}

enum sst_status sst_decode_read_mask(struct sst_file *file, const struct sst_decode_box *box, uint8_t *classes,
                                     struct sst_error *err)
{
    return read_classes(file, &file->mask, mask_class, box, classes, err);
}
