/* Ice concentration and mask beside the SST: one small class a cell, through a table where the stored type is small. */
#include <math.h>

#include "stream/decode_direct.h"

/* [1] Concentration from which a cell counts as ice, less what 15 * 0.01f falls short of it. */
#define ICE_FRACTION (0.15 - 1e-6)

struct classifier {
    const struct sst_file *file;
    const struct sst_decode_classes *kept; /* NULL: class by class */
    sst_decode_class_fn *class_of;
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

static void take_ice(void *user, size_t row, size_t col, size_t n, const double *values)
{
    const struct classifier *classifier = user;
    const struct sst_file *file = classifier->file;
    uint8_t *ice = classifier->classes + row * classifier->n_cols + col;
    sst_loop_at_least(&file->ice, file->ice_scale, ICE_FRACTION, values, n, ice);
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
    sst_loop_byte_classes(&classifier->kept->plain, classifier->kept->table, row->first, row->n,
                          classifier->classes + row->row * classifier->n_cols + row->col);
}

static void take_shorts(void *user, const struct sst_decode_raw_row *row)
{
    const struct classifier *classifier = user;
    sst_loop_short_classes(&classifier->kept->plain, classifier->kept->table,
                           (const uint16_t *)(const void *)row->first, row->n,
                           classifier->classes + row->row * classifier->n_cols + row->col);
}

static enum sst_status read_classes(struct sst_file *file, const struct sst_decode_variable *variable,
                                    sst_decode_class_fn *class_of, const struct sst_decode_box *box, uint8_t *classes,
                                    struct sst_error *err)
{
    struct classifier classifier = {
        .file = file, .class_of = class_of, .classes = classes, .n_cols = box->domain->n_cols};
    SST_TRY(sst_decode_find_classes(file, variable, class_of, box, &classifier.kept, err));
    if (!classifier.kept)
        return sst_decode_read_rows(file, variable, box, class_of == ice_class ? take_ice : take_values, &classifier,
                                    err);
    const bool is_byte = sst_decode_type_size(variable->type) == sizeof(uint8_t);
    return sst_decode_read_raw_rows(file, variable, box, is_byte ? take_bytes : take_shorts, &classifier, err);
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
