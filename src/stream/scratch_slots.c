/* Slots on the disk: a record is a list of columns, each an array of the whole domain or of all probes. */
#include "stream/scratch_slots.h"

#include "core/mem.h"
#include "core/scratch_file.h"
#include "stream/method.h"

enum { SHAPE_COLUMNS = 3, MAX_COLUMNS = 1 + SST_MAX_PERCENTILES_AND_BOUNDS + SST_MAX_PERCENTILES + SHAPE_COLUMNS + 2 };

struct column {
    size_t item_size, n_items;
    bool is_of_probes;
    uint64_t offset; /* in the record */
};

struct sst_scratch_slots {
    struct sst_slot_layout layout;
    struct column columns[MAX_COLUMNS];
    size_t n_columns;
    uint64_t record_bytes;
    struct sst_scratch_file file;
    unsigned char *record; /* NULL until one is got */
};

struct sst_slot_layout sst_slot_layout_of(const struct sst_policy *policy, const struct sst_climatology_size *size)
{
    return (struct sst_slot_layout){
        .n_cells = size->n_domain,
        .n_probes = size->n_probes,
        .n_percentiles = policy->n_percentiles,
        .has_bounds = sst_climatology_has_bounds(policy),
        .has_shape = size->wants_shape && sst_method_of(policy->approx)->has_shape,
    };
}

static size_t n_quantiles(const struct sst_slot_layout *layout)
{
    return sst_slot_n_quantiles(layout->n_percentiles, layout->has_bounds);
}

/* The widest items first, so that all are aligned. Returns the number of columns. */
static size_t list_columns(const struct sst_slot_layout *layout, struct column *columns, uint64_t *record_bytes)
{
    size_t n = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < 1 + n_quantiles(layout); ++i)
        columns[n++] = (struct column){sizeof(double), layout->n_cells, false, 0};
    for (size_t i = 0; i < layout->n_percentiles; ++i)
        columns[n++] = (struct column){sizeof(double), layout->n_probes, true, 0};
    for (size_t i = 0; i < (layout->has_shape ? SHAPE_COLUMNS : 0); ++i)
        columns[n++] = (struct column){sizeof(float), layout->n_cells, false, 0};
    for (size_t i = 0; i < 2; ++i)
        columns[n++] = (struct column){sizeof(uint16_t), layout->n_cells, false, 0};
    for (size_t i = 0; i < n; ++i) {
        columns[i].offset = end;
        end += (uint64_t)columns[i].n_items * columns[i].item_size;
    }
    *record_bytes = end;
    return n;
}

/* A result's arrays in the order of the columns. */
static void list_arrays(const struct sst_slot_layout *layout, const struct sst_slot_result *result, const void **arrays)
{
    *arrays++ = result->mean;
    for (size_t i = 0; i < n_quantiles(layout); ++i)
        *arrays++ = result->quantile[i];
    for (size_t i = 0; i < layout->n_percentiles; ++i)
        *arrays++ = result->probe_quantile[i];
    if (layout->has_shape) {
        *arrays++ = result->shape.sd;
        *arrays++ = result->shape.skew;
        *arrays++ = result->shape.kurt;
    }
    *arrays++ = result->n_obs;
    *arrays++ = result->flags;
}

static void *next_array(const struct sst_scratch_slots *slots, const struct column **column)
{
    return slots->record + (*column)++->offset;
}

/* The reverse: points the result into a record. */
static void show_record(struct sst_scratch_slots *slots, struct sst_slot_result *result)
{
    const struct sst_slot_layout *layout = &slots->layout;
    const struct column *column = slots->columns;
    result->mean = next_array(slots, &column);
    for (size_t i = 0; i < n_quantiles(layout); ++i)
        result->quantile[i] = next_array(slots, &column);
    for (size_t i = 0; i < layout->n_percentiles; ++i)
        result->probe_quantile[i] = next_array(slots, &column);
    result->shape = (struct sst_shape){0};
    if (layout->has_shape) {
        result->shape.sd = next_array(slots, &column);
        result->shape.skew = next_array(slots, &column);
        result->shape.kurt = next_array(slots, &column);
    }
    result->n_obs = next_array(slots, &column);
    result->flags = next_array(slots, &column);
    result->n_cells = layout->n_cells;
    result->n_probes = layout->n_probes;
    result->has_bounds = layout->has_bounds;
}

uint64_t sst_scratch_slots_record_bytes(const struct sst_slot_layout *layout)
{
    struct column columns[MAX_COLUMNS];
    uint64_t record_bytes = 0;
    (void)list_columns(layout, columns, &record_bytes);
    return record_bytes;
}

enum sst_status sst_scratch_slots_create(const char *folder, const char *about, const struct sst_slot_layout *layout,
                                         struct sst_scratch_slots **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_scratch_slots *slots = NULL;
    SST_TRY(sst_alloc(1, sizeof *slots, "slots on the disk", &slots, err));
    slots->layout = *layout;
    slots->n_columns = list_columns(layout, slots->columns, &slots->record_bytes);
    SST_TRY_GOTO(sst_scratch_file_open(folder, about, SST_TILES_REMEDY, &slots->file, err));
    *out = slots;
    slots = NULL;
done:
    sst_scratch_slots_destroy(&slots);
    return rc;
}

void sst_scratch_slots_destroy(struct sst_scratch_slots **handle)
{
    struct sst_scratch_slots *slots = *handle;
    if (!slots)
        return;
    sst_scratch_file_close(&slots->file);
    sst_free(slots->record);
    sst_free(slots);
    *handle = NULL;
}

enum sst_status sst_scratch_slots_put(struct sst_scratch_slots *slots, size_t index, const struct sst_slot_result *part,
                                      size_t first_cell, size_t first_probe, struct sst_error *err)
{
    const void *arrays[MAX_COLUMNS] = {NULL};
    list_arrays(&slots->layout, part, arrays);
    for (size_t i = 0; i < slots->n_columns; ++i) {
        const struct column *column = &slots->columns[i];
        const size_t first = column->is_of_probes ? first_probe : first_cell;
        const size_t n = column->is_of_probes ? part->n_probes : part->n_cells;
        const uint64_t at = index * slots->record_bytes + column->offset + (uint64_t)first * column->item_size;
        SST_TRY(sst_scratch_file_write(&slots->file, at, arrays[i], n * column->item_size, err));
    }
    return SST_OK;
}

enum sst_status sst_scratch_slots_get(struct sst_scratch_slots *slots, size_t index, struct sst_slot_result *out,
                                      struct sst_error *err)
{
    if (!slots->record)
        SST_TRY(sst_alloc(slots->record_bytes, 1, "a slot of all tiles", &slots->record, err));
    SST_TRY(sst_scratch_file_read(&slots->file, index * slots->record_bytes, slots->record, slots->record_bytes, err));
    show_record(slots, out);
    return SST_OK;
}
