/* Heatwaves of the baseline's years under the exact and the approximate threshold, cell by cell. */
#include "validate/consequences.h"

#include <math.h>

#include "core/mem.h"
#include "kernels/cell_event.h"
#include "validate/spread.h"

/* Percentiles below it are thresholds of cold spells. [percent] */
#define MEDIAN_PERCENT 50.0

enum { NO_PLACE = -1 };

/* A day of the baseline: where its values stand in the series and its thresholds in the sample. */
struct place_of_day {
    size_t row; /* of the series */
    int place; /* of the sample, NO_PLACE: its slot has no threshold */
};

/* What one cell's days come to under one threshold. */
struct tally {
    size_t n_known; /* days with a value and a threshold */
    size_t n_beyond, n_event_days, n_events;
};

struct work {
    const struct sst_series *series;
    const struct sst_sample *sample;
    const float *exact, *approx;
    bool is_cold;
    size_t n_days;
    struct place_of_day *days; /* n_days, in order of the calendar */
    uint8_t *exact_labels, *approx_labels; /* n_days, of the cell at hand */
    size_t n_cells, n_jaccards; /* items so far of the next three */
    double *jaccards; /* of cells with a heatwave day under either threshold */
    double *exact_shares, *approx_shares; /* of days beyond */
};

/* Sums over cells, each by its area. */
struct totals {
    double weight;
    double days[2], events[2], shares[2]; /* exact, approximate */
    double both, either;
};

static enum sst_status list_days(struct work *work, struct sst_error *err)
{
    const struct sst_pool_rule *pools = &work->series->pools;
    const size_t most = (size_t)(pools->last_year - pools->first_year + 1) * SST_N_SLOTS;
    int places[SST_N_SLOTS + 1];
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        places[slot] = NO_PLACE;
    for (size_t place = 0; place < work->sample->n_places; ++place)
        places[work->sample->slots[place]] = (int)place;
    SST_TRY(sst_alloc(most, sizeof *work->days, "heatwave days", &work->days, err));
    for (int year = pools->first_year; year <= pools->last_year; ++year) {
        for (int slot = 1; slot <= sst_calendar_n_slots(pools->kind); ++slot) {
            const struct sst_day day = {year, slot};
            if (sst_pool_class(pools, day) != SST_NO_CLASS) /* else it is never read, as 29 February by --leap skip */
                work->days[work->n_days++] = (struct place_of_day){sst_series_row(work->series, day), places[slot]};
        }
    }
    return SST_OK;
}

static enum sst_status prepare(struct work *work, struct sst_error *err)
{
    const size_t n_cells = work->series->n_cells;
    SST_TRY(list_days(work, err));
    SST_TRY(sst_alloc(work->n_days, sizeof(uint8_t), "heatwave days", &work->exact_labels, err));
    SST_TRY(sst_alloc(work->n_days, sizeof(uint8_t), "heatwave days", &work->approx_labels, err));
    SST_TRY(sst_alloc(n_cells, sizeof(double), "heatwaves by cell", &work->jaccards, err));
    SST_TRY(sst_alloc(n_cells, sizeof(double), "heatwaves by cell", &work->exact_shares, err));
    return sst_alloc(n_cells, sizeof(double), "heatwaves by cell", &work->approx_shares, err);
}

static void clear(struct work *work)
{
    sst_free(work->days);
    sst_free(work->exact_labels);
    sst_free(work->approx_labels);
    sst_free(work->jaccards);
    sst_free(work->exact_shares);
    sst_free(work->approx_shares);
}

/* Both sides float32: a mixed comparison would turn ties into exceedances. */
static enum cell_event_day compare(float value, float threshold, bool is_cold)
{
    if (isnan(value) || isnan(threshold))
        return CELL_DAY_UNKNOWN;
    return (is_cold ? value < threshold : value > threshold) ? CELL_DAY_BEYOND : CELL_DAY_NOT_BEYOND;
}

/* Labels the days of one cell of the series under one column of thresholds. */
static struct tally label_cell(const struct work *work, size_t cell, const float *thresholds, uint8_t *labels)
{
    const struct cell_event_rule rule = {CELL_EVENT_MIN_DAYS, CELL_EVENT_MAX_GAP};
    const struct sst_series *series = work->series;
    struct tally tally = {0};
    for (size_t i = 0; i < work->n_days; ++i) {
        const struct place_of_day day = work->days[i];
        const int code = series->codes[day.row * series->n_cells + cell];
        const float value = code == SST_CODE_MISSING ? NAN : (float)sst_lattice_degc(series->lattice, code);
        const size_t column = series->sample_cell[cell];
        const float threshold =
            day.place == NO_PLACE ? NAN : thresholds[(size_t)day.place * work->sample->n_cells + column];
        const enum cell_event_day kind = compare(value, threshold, work->is_cold);
        tally.n_known += kind != CELL_DAY_UNKNOWN;
        tally.n_beyond += kind == CELL_DAY_BEYOND;
        labels[i] = (uint8_t)kind;
    }
    tally.n_events = (size_t)cell_event_label_days(rule, labels, work->n_days, labels);
    for (size_t i = 0; i < work->n_days; ++i)
        tally.n_event_days += labels[i] != CELL_LABEL_NONE;
    return tally;
}

static void add_cell(struct work *work, size_t cell, struct totals *totals)
{
    const double weight = work->sample->cells[work->series->sample_cell[cell]].weight;
    const struct tally exact = label_cell(work, cell, work->exact, work->exact_labels);
    const struct tally approx = label_cell(work, cell, work->approx, work->approx_labels);
    if (exact.n_known == 0 || approx.n_known == 0)
        return;
    size_t n_both = 0;
    for (size_t i = 0; i < work->n_days; ++i)
        n_both += work->exact_labels[i] != CELL_LABEL_NONE && work->approx_labels[i] != CELL_LABEL_NONE;
    const size_t n_either = exact.n_event_days + approx.n_event_days - n_both;
    if (n_either > 0)
        work->jaccards[work->n_jaccards++] = (double)n_both / (double)n_either;
    const double exact_share = (double)exact.n_beyond / (double)exact.n_known;
    const double approx_share = (double)approx.n_beyond / (double)approx.n_known;
    work->exact_shares[work->n_cells] = exact_share;
    work->approx_shares[work->n_cells] = approx_share;
    ++work->n_cells;
    totals->weight += weight;
    totals->days[0] += weight * (double)exact.n_event_days;
    totals->days[1] += weight * (double)approx.n_event_days;
    totals->events[0] += weight * (double)exact.n_events;
    totals->events[1] += weight * (double)approx.n_events;
    totals->shares[0] += weight * exact_share;
    totals->shares[1] += weight * approx_share;
    totals->both += weight * (double)n_both;
    totals->either += weight * (double)n_either;
}

static double ratio(double part, double whole) { return whole > 0.0 ? part / whole : NAN; }

static struct sst_spells spells_of(const struct totals *totals, int which, int n_years)
{
    return (struct sst_spells){
        .days_per_year = ratio(totals->days[which], totals->weight * n_years),
        .events_per_year = ratio(totals->events[which], totals->weight * n_years),
        .mean_days = ratio(totals->days[which], totals->events[which]),
    };
}

static struct sst_exceedance exceedance_of(const struct totals *totals, int which, double *shares, size_t n)
{
    sst_spread_sort(shares, n);
    return (struct sst_exceedance){
        .mean = ratio(totals->shares[which], totals->weight),
        .p05 = sst_spread_quantile(shares, n, 0.05),
        .p95 = sst_spread_quantile(shares, n, 0.95),
    };
}

enum sst_status sst_consequences_count(const struct sst_series *series, const struct sst_sample *sample,
                                       size_t percentile_index, double percentile, const float *approx,
                                       struct sst_consequences *out, struct sst_error *err)
{
    struct work work = {.series = series,
                        .sample = sample,
                        .exact = sample->exact[percentile_index],
                        .approx = approx,
                        .is_cold = percentile < MEDIAN_PERCENT};
    struct totals totals = {0};
    const int n_years = series->pools.last_year - series->pools.first_year + 1;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(prepare(&work, err));
    for (size_t cell = 0; cell < series->n_cells; ++cell)
        add_cell(&work, cell, &totals);
    sst_spread_sort(work.jaccards, work.n_jaccards);
    *out = (struct sst_consequences){
        .n_cells = work.n_cells,
        .n_years = n_years,
        .is_cold = work.is_cold,
        .exact = spells_of(&totals, 0, n_years),
        .approx = spells_of(&totals, 1, n_years),
        .missed = ratio(totals.days[0] - totals.both, totals.days[0]),
        .added = ratio(totals.days[1] - totals.both, totals.days[0]),
        .jaccard = ratio(totals.both, totals.either),
        .jaccard_p05 = sst_spread_quantile(work.jaccards, work.n_jaccards, 0.05),
        .jaccard_median = sst_spread_quantile(work.jaccards, work.n_jaccards, 0.5),
        .exact_exceedance = exceedance_of(&totals, 0, work.exact_shares, work.n_cells),
        .approx_exceedance = exceedance_of(&totals, 1, work.approx_shares, work.n_cells),
    };
done:
    clear(&work);
    return rc;
}
