/* Every cell-day goes into one row of each table; one order by size then gives the quantiles of all of them. */
#include "validate/breakdown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/flags.h"
#include "core/mem.h"
#include "validate/error_table.h"

enum table_of { BY_SLOT, BY_LATITUDE, BY_REGION, BY_SKEWNESS, BY_KURTOSIS, WHOLE, N_TABLES };

/* Bins on either side of zero, and steps of the cumulated curve, at most; at least two thirds of it. */
enum { MOST_HALF_BINS = 30, MOST_STEPS = 99 };

/* Charts reach at least so far, a step of the data: where errors are smaller there is nothing to see. [degC] */
#define LEAST_REACH 0.01

/* Inner edges of the classes of shape; the outermost classes are open. */
static const double skewness_edges[] = {-1.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.5};
static const double kurtosis_edges[] = {-1, -0.75, -0.5, -0.25, 0, 0.5, 1, 2, 4};

/*
 * One cell-day, small, since there are millions to be ordered: sums are made before, of doubles; from its float32 come
 * quantiles and curves.
 */
struct entry {
    float error; /* [degC] */
    unsigned cell : 14, place : 9, skewness : 4, kurtosis : 4; /* in the sample; classes */
};
enum { NO_CLASS = 15 };
_Static_assert(sizeof(struct entry) == 8, "an entry is two words");
_Static_assert(SST_SAMPLE_MAX_CELLS <= 1 << 14 && SST_N_SLOTS <= 1 << 9, "a cell and a place fit into an entry");

struct classes {
    const double *edges;
    size_t n_edges;
    const float *values; /* of the sample; NULL: no table */
};

struct work {
    const struct sst_sample *sample;
    const float *approx, *exact;
    struct sst_regions bands, boxes;
    size_t *band_of_cell, *box_of_cell;
    struct classes skewness, kurtosis;
    struct sst_error_table tables[N_TABLES];
    struct entry *entries; /* n; in ascending order of the error's size once sorted */
    size_t n;
    struct sst_cluster *clusters; /* by cell: area weights */
};

static struct classes classes_of(const double *edges, size_t n_edges, const float *values)
{
    return (struct classes){edges, n_edges, values};
}

static unsigned class_at(const struct classes *classes, size_t index)
{
    if (!classes->values || isnan(classes->values[index]))
        return NO_CLASS;
    unsigned row = 0;
    while (row < classes->n_edges && (double)classes->values[index] >= classes->edges[row])
        ++row;
    return row;
}

static size_t n_rows_of(const struct work *work, enum table_of table)
{
    switch (table) {
    case BY_SLOT:
        return work->sample->n_places;
    case BY_LATITUDE:
        return sst_regions_count(work->bands);
    case BY_REGION:
        return sst_regions_count(work->boxes);
    case BY_SKEWNESS:
        return work->skewness.values ? work->skewness.n_edges + 1 : 0;
    case BY_KURTOSIS:
        return work->kurtosis.values ? work->kurtosis.n_edges + 1 : 0;
    default:
        return 1;
    }
}

/* A row that the table does not have: of no class. */
static size_t row_of(const struct work *work, enum table_of table, struct entry entry)
{
    switch (table) {
    case BY_SLOT:
        return entry.place;
    case BY_LATITUDE:
        return work->band_of_cell[entry.cell];
    case BY_REGION:
        return work->box_of_cell[entry.cell];
    case BY_SKEWNESS:
        return entry.skewness;
    case BY_KURTOSIS:
        return entry.kurtosis;
    default:
        return 0;
    }
}

static enum sst_status prepare(struct work *work, const struct sst_domain *domain, struct sst_error *err)
{
    const struct sst_sample *sample = work->sample;
    const size_t n_cells = sample->n_cells;
    work->bands = sst_regions_bands(domain);
    work->boxes = sst_regions_boxes(domain);
    work->skewness = classes_of(skewness_edges, sizeof skewness_edges / sizeof *skewness_edges, sample->shape.skew);
    work->kurtosis = classes_of(kurtosis_edges, sizeof kurtosis_edges / sizeof *kurtosis_edges, sample->shape.kurt);
    SST_TRY(sst_alloc(n_cells, sizeof *work->band_of_cell, "the breakdown of errors", &work->band_of_cell, err));
    SST_TRY(sst_alloc(n_cells, sizeof *work->box_of_cell, "the breakdown of errors", &work->box_of_cell, err));
    SST_TRY(sst_alloc(n_cells, sizeof *work->clusters, "the breakdown of errors", &work->clusters, err));
    for (size_t i = 0; i < n_cells; ++i) {
        const struct sst_sample_cell *cell = &sample->cells[i];
        work->band_of_cell[i] = sst_regions_at(work->bands, cell->lat, cell->lon);
        work->box_of_cell[i] = sst_regions_at(work->boxes, cell->lat, cell->lon);
        work->clusters[i].weight = cell->weight;
    }
    for (int table = 0; table < N_TABLES; ++table)
        SST_TRY(sst_error_table_init(&work->tables[table], n_rows_of(work, (enum table_of)table), n_cells, err));
    return sst_alloc(n_cells * sample->n_places, sizeof *work->entries, "the order of errors", &work->entries, err);
}

static void clear(struct work *work)
{
    for (int table = 0; table < N_TABLES; ++table)
        sst_error_table_clear(&work->tables[table]);
    sst_free(work->band_of_cell);
    sst_free(work->box_of_cell);
    sst_free(work->clusters);
    sst_free(work->entries);
}

static void add_to_tables(struct work *work, struct entry entry, double error, double tolerance)
{
    struct sst_cell_error value = {.cell = entry.cell, .weight = work->clusters[entry.cell].weight, .error = error};
    for (int table = 0; table < N_TABLES; ++table) {
        value.row = row_of(work, (enum table_of)table, entry);
        if (value.row < work->tables[table].n_rows)
            sst_error_table_add(&work->tables[table], &value, tolerance);
    }
}

static void add_all(struct work *work, double tolerance)
{
    const struct sst_sample *sample = work->sample;
    size_t index = 0;
    for (unsigned place = 0; place < sample->n_places; ++place) {
        for (unsigned cell = 0; cell < sample->n_cells; ++cell, ++index) {
            const double error = (double)work->approx[index] - (double)work->exact[index];
            if ((sample->flags[index] & SST_FLAG_ICE_OR_NO_VARIANCE) || !isfinite(error))
                continue;
            struct entry *entry = &work->entries[work->n++];
            entry->error = (float)error;
            entry->cell = cell & 0x3fff;
            entry->place = place & 0x1ff;
            entry->skewness = class_at(&work->skewness, index) & NO_CLASS;
            entry->kurtosis = class_at(&work->kurtosis, index) & NO_CLASS;
            add_to_tables(work, *entry, error, tolerance);
        }
    }
}

/* Sizes that are not negative are ordered as the bits of their float32 are. */
static uint32_t size_bits(struct entry entry)
{
    const float size = fabsf(entry.error);
    uint32_t bits = 0;
    memcpy(&bits, &size, sizeof bits);
    return bits;
}

/* Stable, by digits from the lowest: the same order on every machine, and a tenth of the time of qsort. */
static enum sst_status sort_by_size(struct work *work, struct sst_error *err)
{
    enum { DIGIT_BITS = 11, N_DIGITS = 3, N_VALUES = 1 << DIGIT_BITS };
    struct entry *sorted = NULL;
    SST_TRY(sst_alloc(work->n, sizeof *sorted, "the order of errors", &sorted, err));
    for (int digit = 0; digit < N_DIGITS; ++digit) {
        size_t start[N_VALUES + 1] = {0};
        const int shift = digit * DIGIT_BITS;
        for (size_t i = 0; i < work->n; ++i)
            ++start[(size_bits(work->entries[i]) >> shift) % N_VALUES + 1];
        for (int value = 0; value < N_VALUES; ++value)
            start[value + 1] += start[value];
        for (size_t i = 0; i < work->n; ++i)
            sorted[start[(size_bits(work->entries[i]) >> shift) % N_VALUES]++] = work->entries[i];
        struct entry *const swapped = work->entries;
        work->entries = sorted;
        sorted = swapped;
    }
    sst_free(sorted);
    return SST_OK;
}

static void rank_all(struct work *work)
{
    for (size_t i = 0; i < work->n; ++i) {
        const struct entry entry = work->entries[i];
        struct sst_cell_error value = {
            .cell = entry.cell, .weight = work->clusters[entry.cell].weight, .error = (double)entry.error};
        for (int table = 0; table < N_TABLES; ++table) {
            value.row = row_of(work, (enum table_of)table, entry);
            if (value.row < work->tables[table].n_rows)
                sst_error_table_rank(&work->tables[table], &value);
        }
    }
}

static void describe_slot(const struct work *work, size_t place, struct sst_breakdown_row *row)
{
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    const int slot = work->sample->slots[place];
    int month = 0, day = 0;
    sst_calendar_month_day(work->sample->calendar, slot, &month, &day);
    (void)snprintf(row->name, sizeof row->name, "%d %s", day, months[month - 1]);
    row->low = row->high = slot;
}

static void describe_class(const struct classes *classes, size_t at, struct sst_breakdown_row *row)
{
    if (at > 0)
        row->low = classes->edges[at - 1];
    if (at < classes->n_edges)
        row->high = classes->edges[at];
    if (at == 0)
        (void)snprintf(row->name, sizeof row->name, "below %g", row->high);
    else if (at == classes->n_edges)
        (void)snprintf(row->name, sizeof row->name, "%g and more", row->low);
    else
        (void)snprintf(row->name, sizeof row->name, "%g to %g", row->low, row->high);
}

static void describe(const struct work *work, enum table_of table, size_t at, struct sst_breakdown_row *row)
{
    row->low = row->high = NAN;
    switch (table) {
    case BY_SLOT:
        describe_slot(work, at, row);
        break;
    case BY_LATITUDE:
        row->low = work->bands.south + (double)at * work->bands.width;
        row->high = row->low + work->bands.width;
        (void)sst_regions_name(work->bands, at, row->name);
        break;
    case BY_REGION:
        (void)sst_regions_name(work->boxes, at, row->name);
        break;
    case BY_SKEWNESS:
        describe_class(&work->skewness, at, row);
        break;
    default:
        describe_class(&work->kurtosis, at, row);
    }
}

static enum sst_status make_table(struct work *work, enum table_of which, struct sst_breakdown_table *out,
                                  struct sst_error *err)
{
    const struct sst_error_table *table = &work->tables[which];
    size_t n_filled = 0;
    for (size_t row = 0; row < table->n_rows; ++row)
        n_filled += table->sums[row].n_cell_days > 0;
    SST_TRY(sst_alloc(n_filled, sizeof *out->rows, "the breakdown of errors", &out->rows, err));
    for (size_t row = 0; row < table->n_rows; ++row) {
        if (table->sums[row].n_cell_days == 0)
            continue;
        struct sst_breakdown_row *filled = &out->rows[out->n_rows++];
        describe(work, which, row, filled);
        filled->errors = sst_error_table_row(table, row, work->clusters);
    }
    return SST_OK;
}

/* The smallest round number of which at most `most` are needed to reach `reach`; 1.5 times that at most. */
static double round_step(double reach, int most)
{
    static const double numbers[] = {1, 1.5, 2, 3, 4, 5, 7.5};
    enum { N_NUMBERS = sizeof numbers / sizeof *numbers };
    for (int exponent = (int)floor(log10(reach / most));; ++exponent) {
        for (int i = 0; i < N_NUMBERS; ++i) {
            /* Divided, since a tenth has no exact double but 10 has. */
            const double step = exponent < 0 ? numbers[i] / pow(10, -exponent) : numbers[i] * pow(10, exponent);
            if (reach <= step * most)
                return step;
        }
    }
}

static enum sst_status make_axes(double reach, struct sst_error_distribution *out, struct sst_error *err)
{
    out->width = round_step(reach, MOST_HALF_BINS);
    const double half = ceil(reach / out->width);
    out->n_bins = 2 * (size_t)half;
    out->first_edge = -half * out->width;
    const double step = round_step(reach, MOST_STEPS);
    out->n_points = (size_t)ceil(reach / step) + 1;
    SST_TRY(sst_alloc(out->n_bins, sizeof *out->share, "the histogram of errors", &out->share, err));
    SST_TRY(sst_alloc(out->n_points, sizeof *out->abs_error, "the curve of errors", &out->abs_error, err));
    SST_TRY(sst_alloc(out->n_points, sizeof *out->cumulated, "the curve of errors", &out->cumulated, err));
    for (size_t i = 0; i < out->n_points; ++i)
        out->abs_error[i] = (double)i * step;
    return SST_OK;
}

static size_t bin_of(const struct sst_error_distribution *distribution, double error)
{
    const size_t n_half = distribution->n_bins / 2;
    const double half = (double)n_half;
    const double bin =
        half + floor(error / distribution->width); /* from zero, so that its edge is where it should be */
    return bin < 0 ? 0 : bin < 2 * half ? (size_t)bin : distribution->n_bins - 1;
}

static enum sst_status make_distribution(const struct work *work, struct sst_error_distribution *out,
                                         struct sst_error *err)
{
    const struct sst_error_sums *whole = work->tables[WHOLE].sums;
    if (!(whole->weight > 0)) {
        out->first_edge = out->width = NAN;
        return SST_OK;
    }
    SST_TRY(make_axes(fmax(whole->quantiles[SST_N_ERROR_QUANTILES - 1], LEAST_REACH), out, err));
    size_t point = 0;
    double seen = 0;
    for (size_t i = 0; i < work->n; ++i) {
        const double error = (double)work->entries[i].error, weight = work->clusters[work->entries[i].cell].weight;
        out->share[bin_of(out, error)] += weight / whole->weight;
        for (; point < out->n_points && out->abs_error[point] < fabs(error); ++point)
            out->cumulated[point] = seen / whole->weight;
        seen += weight;
    }
    for (; point < out->n_points; ++point)
        out->cumulated[point] = fmin(seen / whole->weight, 1.0);
    return SST_OK;
}

enum sst_status sst_breakdown_make(const struct sst_sample *sample, size_t percentile_index, const float *approx,
                                   double tolerance, const struct sst_domain *domain, struct sst_breakdown *out,
                                   struct sst_error *err)
{
    struct work work = {.sample = sample, .approx = approx, .exact = sample->exact[percentile_index]};
    enum sst_status rc = SST_OK;
    *out = (struct sst_breakdown){0};
    SST_TRY_GOTO(prepare(&work, domain, err));
    add_all(&work, tolerance);
    SST_TRY_GOTO(sort_by_size(&work, err));
    rank_all(&work);
    SST_TRY_GOTO(make_distribution(&work, &out->distribution, err));
    SST_TRY_GOTO(make_table(&work, BY_SLOT, &out->by_slot, err));
    SST_TRY_GOTO(make_table(&work, BY_LATITUDE, &out->by_latitude, err));
    SST_TRY_GOTO(make_table(&work, BY_REGION, &out->by_region, err));
    SST_TRY_GOTO(make_table(&work, BY_SKEWNESS, &out->by_skewness, err));
    SST_TRY_GOTO(make_table(&work, BY_KURTOSIS, &out->by_kurtosis, err));
done:
    clear(&work);
    return rc;
}

void sst_breakdown_clear(struct sst_breakdown *breakdown)
{
    sst_free(breakdown->distribution.share);
    sst_free(breakdown->distribution.abs_error);
    sst_free(breakdown->distribution.cumulated);
    sst_free(breakdown->by_slot.rows);
    sst_free(breakdown->by_latitude.rows);
    sst_free(breakdown->by_region.rows);
    sst_free(breakdown->by_skewness.rows);
    sst_free(breakdown->by_kurtosis.rows);
    *breakdown = (struct sst_breakdown){0};
}

uint64_t sst_breakdown_scratch_bytes(size_t n_probes, size_t n_slots)
{
    const uint64_t n_cells = sst_sample_n_cells(n_probes);
    const uint64_t n_rows = n_slots + 2 * SST_MAX_REGIONS + sizeof skewness_edges / sizeof *skewness_edges +
                            sizeof kurtosis_edges / sizeof *kurtosis_edges + 3;
    const uint64_t cell_bytes = 2 * sizeof(size_t) + sizeof(struct sst_cluster) + n_rows * 2 * sizeof(uint16_t);
    return n_cells * (cell_bytes + n_slots * 2 * sizeof(struct entry)); /* entries, and once more to sort them */
}
