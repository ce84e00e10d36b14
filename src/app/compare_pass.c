/* The two passes over both climatologies: which cells both have, and how they differ there. */
#include <math.h>
#include <string.h>

#include "app/compare_findings.h"
#include "app/signals.h"
#include "core/flags.h"
#include "core/mem.h"

/* One slot of both, in domain order; `pair` at the common cells. */
struct slot_values {
    double *values[SST_N_COMPARED][SST_N_CLIM_FIELDS]; /* by place in compare->fields */
    uint16_t *flags[SST_N_COMPARED]; /* ice and no variance of both end up in A's */
    uint16_t *n_obs; /* zeros: climatologies of others do not tell */
    double *pair[SST_N_COMPARED]; /* one field at the common cells */
    double *exact[SST_N_CLIM_FIELDS]; /* B at the common cells, by field */
    uint16_t *pair_flags;
};

static void clear_values(struct slot_values *values)
{
    for (int which = 0; which < SST_N_COMPARED; ++which) {
        for (int field = 0; field < SST_N_CLIM_FIELDS; ++field)
            sst_free(values->values[which][field]);
        sst_free(values->flags[which]);
        sst_free(values->pair[which]);
    }
    for (int field = 0; field < SST_N_CLIM_FIELDS; ++field)
        sst_free(values->exact[field]);
    sst_free(values->n_obs);
    sst_free(values->pair_flags);
}

static enum sst_status alloc_domain_values(const struct sst_compare *compare, struct slot_values *values,
                                           struct sst_error *err)
{
    const size_t n = compare->domain.n_cells;
    for (int which = 0; which < SST_N_COMPARED; ++which) {
        for (size_t i = 0; i < compare->n_fields; ++i)
            SST_TRY(sst_alloc(n, sizeof(double), "a day of both", &values->values[which][i], err));
        SST_TRY(sst_alloc(n, sizeof(uint16_t), "flags", &values->flags[which], err));
    }
    return sst_alloc(n, sizeof *values->n_obs, "counts", &values->n_obs, err);
}

static enum sst_status alloc_pairs(const struct sst_compare *compare, struct slot_values *values, struct sst_error *err)
{
    for (int which = 0; which < SST_N_COMPARED; ++which)
        SST_TRY(sst_alloc(compare->n_cells, sizeof(double), "common cells", &values->pair[which], err));
    for (size_t i = 0; i < compare->n_fields; ++i)
        SST_TRY(sst_alloc(compare->n_cells, sizeof(double), "common cells", &values->exact[i], err));
    return sst_alloc(compare->n_cells, sizeof *values->pair_flags, "common cells", &values->pair_flags, err);
}

static enum sst_status read_slot(struct sst_compare *compare, int slot, struct slot_values *values,
                                 struct sst_error *err)
{
    if (sst_signals_cancelled(NULL))
        return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted");
    for (int which = 0; which < SST_N_COMPARED; ++which)
        for (size_t i = 0; i < compare->n_fields; ++i)
            SST_TRY(sst_clim_read_get(compare->readers[which], compare->fields[i].field, slot, &compare->domain,
                                      &compare->maps[which], values->values[which][i], err));
    return SST_OK;
}

/* --- pass 1 ------------------------------------------------------------------------------------------------------- */

static void mark_common(const struct sst_compare *compare, const struct slot_values *values, uint8_t *is_common)
{
    for (size_t i = 0; i < compare->n_fields; ++i) {
        const double *a = values->values[SST_COMPARE_A][i], *b = values->values[SST_COMPARE_B][i];
        for (size_t cell = 0; cell < compare->domain.n_cells; ++cell)
            is_common[cell] |= !isnan(a[cell]) && !isnan(b[cell]);
    }
}

static enum sst_status find_cells(struct sst_compare *compare, struct slot_values *values, struct sst_error *err)
{
    uint8_t *is_common = NULL;
    size_t n = 0;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(compare->domain.n_cells, sizeof *is_common, "common cells", &is_common, err));
    for (size_t i = 0; i < compare->n_slots; ++i) {
        SST_TRY_GOTO(read_slot(compare, compare->slots[i], values, err));
        mark_common(compare, values, is_common);
        sst_progress_update(compare->progress, i + 1, 2 * compare->n_slots, 0);
    }
    for (size_t cell = 0; cell < compare->domain.n_cells; ++cell)
        n += is_common[cell];
    if (n == 0) {
        rc = sst_fail(err, SST_ERR_INPUT,
                      "%s: no cell has a value on a day on which %s has one. Check the variables named",
                      compare->options->inputs[SST_COMPARE_B], compare->options->inputs[SST_COMPARE_A]);
        goto done;
    }
    SST_TRY_GOTO(sst_alloc(n, sizeof *compare->cells, "common cells", &compare->cells, err));
    for (size_t cell = 0; cell < compare->domain.n_cells; ++cell)
        if (is_common[cell])
            compare->cells[compare->n_cells++] = cell;
done:
    sst_free(is_common);
    return rc;
}

/* --- pass 2 ------------------------------------------------------------------------------------------------------- */

static enum sst_status open_findings(struct sst_compare *compare, struct sst_error *err)
{
    const struct sst_domain *domain = &compare->domain;
    double *rows = NULL, *weights = NULL;
    enum sst_status rc = SST_OK;
    const struct sst_sample_spec sample = {.domain = domain,
                                           .calendar = compare->calendar,
                                           .probes = compare->cells,
                                           .n_probes = compare->n_cells,
                                           .seed = compare->options->seed,
                                           .slots = compare->slots,
                                           .n_slots = compare->n_slots,
                                           .n_percentiles = compare->n_fields};
    SST_TRY_GOTO(sst_alloc(domain->n_rows, sizeof *rows, "row weights", &rows, err));
    SST_TRY_GOTO(sst_alloc(compare->n_cells, sizeof *weights, "weights", &weights, err));
    sst_domain_row_weights(domain, rows);
    for (size_t i = 0; i < compare->n_cells; ++i)
        weights[i] = rows[compare->cells[i] / domain->n_cols];
    for (size_t i = 0; i < compare->n_fields; ++i) {
        struct sst_compared_field *field = &compare->fields[i];
        SST_TRY_GOTO(
            sst_comparison_create(compare->n_cells, weights, compare->options->tolerance, &field->comparison, err));
        SST_TRY_GOTO(sst_map_create(domain, &field->difference, err));
        SST_TRY_GOTO(sst_map_create(domain, &field->rmse, err));
    }
    SST_TRY_GOTO(sst_map_create(domain, &compare->common, err));
    for (size_t cell = 0, i = 0; cell < domain->n_cells; ++cell) {
        const bool is_common = i < compare->n_cells && compare->cells[i] == cell;
        sst_map_add(compare->common, cell, is_common);
        i += is_common;
    }
    SST_TRY_GOTO(sst_sample_create(&sample, &compare->sample, err));
done:
    sst_free(rows);
    sst_free(weights);
    return rc;
}

/* As a reader of float32 files would find it. */
static double difference_of(double a, double b) { return (double)(float)a - (double)(float)b; }

/* Puts a difference among the largest, one of each cell. */
static void take_largest(struct sst_compared_field *field, struct sst_difference found)
{
    const double size = fabs(difference_of(found.a, found.b));
    struct sst_difference *list = field->largest;
    size_t at = 0;
    if (size == 0.0 || (field->n_largest == SST_N_LARGEST &&
                        size <= fabs(difference_of(list[SST_N_LARGEST - 1].a, list[SST_N_LARGEST - 1].b))))
        return;
    while (at < field->n_largest && list[at].cell != found.cell)
        ++at;
    if (at < field->n_largest && size <= fabs(difference_of(list[at].a, list[at].b)))
        return;
    if (at == field->n_largest) {
        if (field->n_largest < SST_N_LARGEST)
            ++field->n_largest;
        at = field->n_largest - 1;
    }
    for (; at > 0 && fabs(difference_of(list[at - 1].a, list[at - 1].b)) < size; --at)
        list[at] = list[at - 1];
    list[at] = found;
}

static void add_pairs(struct sst_compare *compare, size_t at, int slot, const struct slot_values *values)
{
    struct sst_compared_field *field = &compare->fields[at];
    for (size_t i = 0; i < compare->n_cells; ++i) {
        const size_t cell = compare->cells[i];
        const double a = values->values[SST_COMPARE_A][at][cell], b = values->values[SST_COMPARE_B][at][cell];
        const double difference = difference_of(a, b);
        values->pair[SST_COMPARE_A][i] = a;
        values->exact[at][i] = b;
        sst_map_add(field->difference, cell, difference);
        sst_map_add(field->rmse, cell, difference * difference);
        if (!isnan(difference))
            take_largest(field, (struct sst_difference){cell, slot, a, b});
    }
    sst_comparison_add(field->comparison, values->pair[SST_COMPARE_A], values->exact[at], values->pair_flags, NULL);
}

static void count_lone(struct sst_compare *compare, size_t at, const struct slot_values *values)
{
    struct sst_compared_field *field = &compare->fields[at];
    const double *a = values->values[SST_COMPARE_A][at], *b = values->values[SST_COMPARE_B][at];
    for (size_t cell = 0; cell < compare->domain.n_cells; ++cell) {
        field->n_only_a += !isnan(a[cell]) && isnan(b[cell]);
        field->n_only_b += isnan(a[cell]) && !isnan(b[cell]);
    }
}

/* Where neither has flags of ours, a percentile next to the mean tells what they would. */
static void mark_no_variance(const struct sst_compare *compare, struct slot_values *values)
{
    if (compare->n_fields < SST_N_CLIM_FIELDS)
        return;
    for (int which = 0; which < SST_N_COMPARED; ++which) {
        const double *percentile = values->values[which][SST_CLIM_PERCENTILE],
                     *mean = values->values[which][SST_CLIM_MEAN];
        for (size_t cell = 0; cell < compare->domain.n_cells; ++cell)
            if (fabs(percentile[cell] - mean[cell]) < SST_NO_VARIANCE_DEGC)
                values->flags[SST_COMPARE_A][cell] |= SST_FLAG_ICE_OR_NO_VARIANCE;
    }
}

static enum sst_status read_flags(struct sst_compare *compare, int slot, struct slot_values *values,
                                  struct sst_error *err)
{
    bool is_told = false;
    for (int which = 0; which < SST_N_COMPARED; ++which) {
        SST_TRY(sst_clim_read_flags(compare->readers[which], slot, &compare->domain, &compare->maps[which],
                                    values->flags[which], err));
        is_told |= sst_clim_read_info(compare->readers[which])->has_flags;
    }
    for (size_t cell = 0; cell < compare->domain.n_cells; ++cell)
        values->flags[SST_COMPARE_A][cell] =
            (values->flags[SST_COMPARE_A][cell] | values->flags[SST_COMPARE_B][cell]) & SST_FLAG_ICE_OR_NO_VARIANCE;
    if (!is_told)
        mark_no_variance(compare, values);
    for (size_t i = 0; i < compare->n_cells; ++i)
        values->pair_flags[i] = values->flags[SST_COMPARE_A][compare->cells[i]];
    return SST_OK;
}

static void put_in_sample(struct sst_compare *compare, int slot, const struct slot_values *values)
{
    const double *approx[SST_N_CLIM_FIELDS], *exact[SST_N_CLIM_FIELDS];
    for (size_t i = 0; i < compare->n_fields; ++i) {
        approx[i] = values->values[SST_COMPARE_A][i];
        exact[i] = values->exact[i];
    }
    const struct sst_sample_slot place = {
        .slot = slot, .approx = approx, .exact = exact, .n_obs = values->n_obs, .flags = values->flags[SST_COMPARE_A]};
    sst_sample_put(compare->sample, &place);
}

/* Makes the mean of squares of each block its root. */
static void take_roots(struct sst_map *map)
{
    for (size_t block = 0; block < map->n_rows * map->n_cols; ++block) {
        if (!(map->n[block] > 0))
            continue;
        map->sum[block] = sqrt(map->sum[block] / map->n[block]);
        map->n[block] = 1;
    }
}

static enum sst_status find_differences(struct sst_compare *compare, struct slot_values *values, struct sst_error *err)
{
    for (size_t i = 0; i < compare->n_slots; ++i) {
        const int slot = compare->slots[i];
        SST_TRY(read_slot(compare, slot, values, err));
        SST_TRY(read_flags(compare, slot, values, err));
        for (size_t at = 0; at < compare->n_fields; ++at) {
            add_pairs(compare, at, slot, values);
            count_lone(compare, at, values);
        }
        put_in_sample(compare, slot, values);
        sst_progress_update(compare->progress, compare->n_slots + i + 1, 2 * compare->n_slots, 0);
    }
    for (size_t at = 0; at < compare->n_fields; ++at) {
        take_roots(compare->fields[at].rmse);
        SST_TRY(sst_breakdown_make(compare->sample, at, compare->sample->approx[at], compare->options->tolerance,
                                   &compare->domain, &compare->fields[at].breakdown, err));
    }
    return SST_OK;
}

enum sst_status sst_compare_read(struct sst_compare *compare, struct sst_error *err)
{
    struct slot_values values = {0};
    enum sst_status rc = SST_OK;
    sst_progress_begin(compare->progress, "compare", "days", 0);
    SST_TRY_GOTO(alloc_domain_values(compare, &values, err));
    SST_TRY_GOTO(find_cells(compare, &values, err));
    SST_TRY_GOTO(alloc_pairs(compare, &values, err));
    SST_TRY_GOTO(open_findings(compare, err));
    SST_TRY_GOTO(find_differences(compare, &values, err));
done:
    sst_progress_end(compare->progress);
    clear_values(&values);
    return rc;
}

/* --- verdict ------------------------------------------------------------------------------------------------------ */

double sst_compare_worst_share(const struct sst_compare *compare, const struct sst_compared_field **field)
{
    double worst = NAN;
    *field = &compare->fields[0];
    for (size_t i = 0; i < compare->n_fields; ++i) {
        const struct sst_error_row row =
            sst_comparison_row(compare->fields[i].comparison, SST_ERRORS_ALL, SST_WEIGHT_AREA);
        if (!isnan(worst) && !(row.beyond.value > worst))
            continue;
        worst = row.beyond.value;
        *field = &compare->fields[i];
    }
    return worst;
}

const char *sst_compare_verdict(const struct sst_compare *compare, char *buffer)
{
    const struct sst_compared_field *field = NULL;
    const double worst = sst_compare_worst_share(compare, &field);
    const struct sst_error_row row = sst_comparison_row(field->comparison, SST_ERRORS_ALL, SST_WEIGHT_AREA);
    (void)snprintf(
        buffer, SST_COMPARE_VERDICT_SIZE,
        "%s of A and B is apart by more than %g degC on %.2f %% of the area's cell-days that both have (at most "
        "%g %% is asked for); A - B has a mean of %+.4f and an RMSE of %.4f degC, the largest is %.4f degC.",
        field->name, compare->options->tolerance, 100.0 * worst, 100.0 * compare->options->max_share, row.bias,
        row.rmse, row.max);
    return buffer;
}
