/*
 * Heatwaves and cold spells of real series are those of marineHeatWaves and heatwaveR; sampling errors are those that a
 * separate study of the same series found.
 */
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/quantile.h"
#include "kernels/cell_event.h"
#include "probe_fixture.h"
#include "test_main.h"
#include "validate/bootstrap.h"
#include "validate/consequences.h"

enum { MOST_DAYS = 16000, MOST_EVENTS = 256, LINE_SIZE = 1024, FIRST_YEAR = 1982 };

static const enum sst_calendar_kind calendar = SST_CALENDAR_STANDARD;

struct record {
    int n;
    float values[MOST_DAYS]; /* [degC] from 1 January of FIRST_YEAR on */
    struct sst_day days[MOST_DAYS];
};

struct event {
    struct sst_day first, last;
};

static FILE *open_file(const char *folder, const char *name, const char *suffix)
{
    const char *path = test_path("%s/%s/%s%s", test_data_dir(), folder, name, suffix);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot read %s", path);
    return file;
}

/* The text of a field of a line of comma-separated values, counted from 0. */
static const char *field_of(const char *line, int index)
{
    for (; index > 0; --index)
        line = strchr(line, ',') + 1;
    return line;
}

static int index_of(const char *header, const char *name)
{
    int index = 0;
    for (const char *at = header; at; at = strchr(at, ','), at = at ? at + 1 : NULL, ++index)
        if (strncmp(at, name, strlen(name)) == 0 && strchr(",\r\n", at[strlen(name)]))
            return index;
    ck_abort_msg("no column %s", name);
}

/* The last field of every line but the first is a temperature. */
static void read_record(const char *folder, const char *name, struct record *record)
{
    char line[LINE_SIZE];
    FILE *file = open_file(folder, name, ".csv");
    struct sst_day day = {FIRST_YEAR, 1};
    record->n = 0;
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        if (record->n == MOST_DAYS) /* a passed ck_assert costs a write to Check's log */
            ck_abort_msg("%s is too long", name);
        const char *comma = strrchr(line, ',');
        record->values[record->n] = strtof(comma ? comma + 1 : line, NULL);
        record->days[record->n++] = day;
        day = sst_calendar_next_day(calendar, day);
    }
    (void)fclose(file);
}

static void read_thresholds(const char *tag, float thresholds[SST_N_SLOTS + 1])
{
    char line[LINE_SIZE];
    FILE *file = open_file("reference", tag, ".clim.csv");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    const int column = index_of(line, "thresh");
    int n = 0;
    for (; fgets(line, sizeof line, file); ++n)
        thresholds[strtol(line, NULL, 10)] = (float)strtod(field_of(line, column), NULL);
    ck_assert_int_eq(n, SST_N_SLOTS);
    (void)fclose(file);
}

static struct sst_day read_day(const char *text)
{
    char *rest = NULL;
    const int year = (int)strtol(text, &rest, 10);
    const int month = (int)strtol(rest + 1, &rest, 10);
    return (struct sst_day){year, sst_calendar_slot(calendar, month, (int)strtol(rest + 1, &rest, 10))};
}

static int read_events(const char *tag, struct event *events)
{
    char line[LINE_SIZE];
    FILE *file = open_file("reference", tag, ".events.csv");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    const int first = index_of(line, "date_start"), last = index_of(line, "date_end");
    int n = 0;
    for (; fgets(line, sizeof line, file); ++n) {
        ck_assert_int_lt(n, MOST_EVENTS);
        events[n] = (struct event){read_day(field_of(line, first)), read_day(field_of(line, last))};
    }
    (void)fclose(file);
    return n;
}

/* Labels of a record's days; returns the number of events. */
static int label_record(const struct record *record, const float *thresholds, bool is_cold, uint8_t *labels)
{
    const struct cell_event_rule rule = {CELL_EVENT_MIN_DAYS, CELL_EVENT_MAX_GAP};
    for (int i = 0; i < record->n; ++i) {
        const float threshold = thresholds[record->days[i].slot];
        const bool is_beyond = is_cold ? record->values[i] < threshold : record->values[i] > threshold;
        labels[i] = is_beyond ? CELL_DAY_BEYOND : CELL_DAY_NOT_BEYOND;
    }
    return cell_event_label_days(rule, labels, (size_t)record->n, labels);
}

/* --- the reference tools' events --- */

#define TAGS_OF(series, years)                                                                                         \
    {series, series "." years ".s31.mhw"}, {series, series "." years ".s31.mcs"},                                      \
        {series, series "." years ".raw.mhw"},                                                                         \
    {                                                                                                                  \
        series, series "." years ".raw.mcs"                                                                            \
    }
#define TAGS_OF_R(series, years)                                                                                       \
    {series, series "." years ".s31.mhw.heatwaveR"}, {series, series "." years ".s31.mcs.heatwaveR"},                  \
        {series, series "." years ".raw.mhw.heatwaveR"},                                                               \
    {                                                                                                                  \
        series, series "." years ".raw.mcs.heatwaveR"                                                                  \
    }

struct reference {
    const char *series, *tag;
};

static const struct reference references[] = {
    TAGS_OF("sst_WA", "1982-2011"),
    TAGS_OF("sst_WA", "1991-2020"),
    TAGS_OF("sst_Med", "1982-2011"),
    TAGS_OF("sst_Med", "1991-2020"),
    TAGS_OF_R("sst_WA", "1982-2011"),
    TAGS_OF_R("sst_WA", "1991-2020"),
    TAGS_OF_R("sst_Med", "1982-2011"),
    TAGS_OF_R("sst_Med", "1991-2020"),
    {"sst_1_2", "m_mhw_sst_1_2.1982-2005.s31.mhw"},
    {"sst_1_2", "m_mhw_sst_1_2.1982-2005.s31.mcs"},
    {"sst_1_2", "m_mhw_sst_1_2.1982-2011.raw.mhw"},
    {"sst_1_2", "m_mhw_sst_1_2.1982-2011.raw.mcs"},
};

enum { N_REFERENCES = sizeof references / sizeof *references };

static struct record record;

static void read_series(const char *name)
{
    read_record(strcmp(name, "sst_1_2") == 0 ? "tasman" : "heatwaver", name, &record);
}

static bool is_cold_tag(const char *tag) { return strstr(tag, ".mcs") != NULL; }

START_TEST(events_are_those_of_the_reference_tools)
{
    const char *tag = references[_i].tag;
    static uint8_t labels[MOST_DAYS];
    static struct event events[MOST_EVENTS];
    float thresholds[SST_N_SLOTS + 1];
    read_series(references[_i].series);
    read_thresholds(tag, thresholds);
    const int n_expected = read_events(tag, events);
    ck_assert_int_gt(n_expected, 40);
    const int n_events = label_record(&record, thresholds, is_cold_tag(tag), labels);
    ck_assert_msg(n_events == n_expected, "%s: %d events, not %d", tag, n_events, n_expected);
    int n = 0;
    for (int i = 0; i < record.n; ++i) {
        if (labels[i] == CELL_LABEL_NONE)
            continue;
        const int first = i;
        while (i + 1 < record.n && labels[i + 1] != CELL_LABEL_NONE)
            ++i;
        ck_assert_msg(sst_day_compare(record.days[first], events[n].first) == 0 &&
                          sst_day_compare(record.days[i], events[n].last) == 0,
                      "%s: event %d", tag, n + 1);
        ++n;
    }
    ck_assert_int_eq(n, n_expected);
}
END_TEST

/* --- the same by way of series and sample --- */

static void make_fixture(struct probe_fixture *f, int first_year, int last_year)
{
    probe_fixture_make(f, &(struct probe_fixture_spec){
                              .n_lat = 1, .n_lon = 1, .pools = {calendar, SST_LEAP_HOBDAY, first_year, last_year, 5}});
    for (int i = 0; i < record.n; ++i)
        if (record.days[i].year >= f->series->first_year && record.days[i].year <= f->series->last_year)
            *probe_fixture_code(f, 0, record.days[i]) = (int16_t)lroundf(100.0F * record.values[i]);
}

START_TEST(consequences_count_the_reference_events_of_the_baseline)
{
    const char *tag = references[_i].tag;
    const char *years = strpbrk(tag, ".") + 1; /* "1982-2011.raw.mhw" */
    const int first_year = (int)strtol(years, NULL, 10), last_year = (int)strtol(years + 5, NULL, 10);
    const int n_years = last_year - first_year + 1;
    static struct event events[MOST_EVENTS];
    float thresholds[SST_N_SLOTS + 1];
    struct probe_fixture f;
    struct sst_consequences got;
    struct sst_error err = {0};
    read_series(references[_i].series);
    read_thresholds(tag, thresholds);
    const int n_all = read_events(tag, events);
    int64_t n_days = 0, n_events = 0;
    for (int i = 0; i < n_all; ++i) {
        if (events[i].last.year < first_year || events[i].first.year > last_year)
            continue;
        ck_assert_int_ge(events[i].first.year, first_year); /* else the baseline's edge would cut an event */
        ck_assert_int_le(events[i].last.year, last_year);
        ++n_events;
        n_days += sst_calendar_days_since_1970(calendar, events[i].last) -
                  sst_calendar_days_since_1970(calendar, events[i].first) + 1;
    }
    make_fixture(&f, first_year, last_year);
    memcpy(f.sample->exact[0], thresholds + 1, SST_N_SLOTS * sizeof(float));
    ck_assert_int_eq(
        sst_consequences_count(f.series, f.sample, 0, is_cold_tag(tag) ? 10.0 : 90.0, f.sample->exact[0], &got, &err),
        SST_OK);
    ck_assert_double_eq_tol(got.exact.events_per_year * n_years, (double)n_events, 1e-9);
    ck_assert_double_eq_tol(got.exact.days_per_year * n_years, (double)n_days, 1e-9);
    if (strstr(tag, ".raw."))
        ck_assert_double_eq_tol(got.exact_exceedance.mean, 0.1, 0.01);
    probe_fixture_clear(&f);
}
END_TEST

/* --- a separate study: baseline 1983-2012, thresholds computed here --- */

static int by_value(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double percentile_of(const struct probe_fixture *f, int slot)
{
    struct sst_term terms[SST_MAX_TERMS];
    const struct sst_pool_rule *rule = &f->series->pools;
    double values[1024];
    size_t n = 0;
    if (sst_pool_is_derived(rule, slot))
        return (percentile_of(f, slot - 1) + percentile_of(f, slot + 1)) / 2.0;
    const int n_terms = sst_pool_terms(rule, slot, terms);
    for (int i = 0; i < n_terms; ++i)
        for (int year = f->series->first_year; year <= f->series->last_year; ++year) {
            const struct sst_day day = {year, terms[i].slot};
            if (sst_pool_class(rule, day) == terms[i].year_class)
                values[n++] = *probe_fixture_code(f, 0, day) / 100.0;
        }
    qsort(values, n, sizeof *values, by_value);
    return sst_quantile_sorted(values, n, 0.9, 7);
}

/* As the study did: smoothed round a ring of 365 days, 29 February the mean of its neighbours after that. */
static void compute_thresholds(const struct probe_fixture *f, int smooth_days, float *column)
{
    enum { N_RING = SST_N_SLOTS - 1 };
    double raw[N_RING], smoothed[SST_N_SLOTS + 1];
    for (int i = 0; i < N_RING; ++i)
        raw[i] = percentile_of(f, i + 1 < SST_SLOT_FEB29 ? i + 1 : i + 2);
    for (int i = 0; i < N_RING; ++i) {
        double sum = 0.0;
        for (int offset = -(smooth_days / 2); offset <= smooth_days / 2; ++offset)
            sum += raw[(i + offset + N_RING) % N_RING];
        smoothed[i + 1 < SST_SLOT_FEB29 ? i + 1 : i + 2] = sum / smooth_days;
    }
    smoothed[SST_SLOT_FEB29] = (smoothed[SST_SLOT_FEB29 - 1] + smoothed[SST_SLOT_FEB29 + 1]) / 2.0;
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        column[slot - 1] = (float)smoothed[slot];
}

struct study {
    const char *series;
    int n_events, n_days; /* of all years, thresholds smoothed over 31 days */
    double standard_error; /* [degC] of P90, not smoothed, median over the year */
};

static const struct study studies[] = {{"sst_WA", 76, 1107, 0.312}, {"sst_Med", 118, 1970, 0.237}};

START_TEST(events_of_thresholds_computed_here_are_those_of_the_study)
{
    static uint8_t labels[MOST_DAYS];
    float thresholds[SST_N_SLOTS + 1] = {0};
    struct probe_fixture f;
    read_series(studies[_i].series);
    make_fixture(&f, 1983, 2012);
    compute_thresholds(&f, 31, thresholds + 1);
    ck_assert_int_eq(label_record(&record, thresholds, false, labels), studies[_i].n_events);
    int n_days = 0;
    for (int i = 0; i < record.n; ++i)
        n_days += labels[i] != CELL_LABEL_NONE;
    ck_assert_int_eq(n_days, studies[_i].n_days);
    probe_fixture_clear(&f);
}
END_TEST

static struct sst_sampling_error estimate(const struct probe_fixture *f, int smooth_days)
{
    const struct sst_sampling_options options = {
        .percentile = 90.0, .quantile_type = 7, .smooth_days = smooth_days, .seed = 1};
    struct sst_sampling_error got;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_sampling_error_estimate(f->series, f->sample, &options, f->sample->exact[0], &got, &err),
                     SST_OK);
    return got;
}

START_TEST(sampling_errors_of_single_series_are_those_of_the_study)
{
    struct probe_fixture f;
    read_series(studies[_i].series);
    make_fixture(&f, 1983, 2012);
    compute_thresholds(&f, 1, f.sample->exact[0]);
    const struct sst_sampling_error got = estimate(&f, 1);
    ck_assert_uint_eq(got.n_cell_days, 256);
    ck_assert_double_eq_tol(got.se_median / studies[_i].standard_error, 1.0, 0.05);
    ck_assert_double_lt(estimate(&f, 31).se_median, got.se_median);
    probe_fixture_clear(&f);
}
END_TEST

/* The Tasman grid's cells in one row; land keeps no value. */
static void read_tasman(const struct probe_fixture *f)
{
    enum { N_CELLS = 1024, FILL = -999, N_BLOCK = 366 };
    static short block[N_BLOCK][N_CELLS];
    const char *path = test_path("%s/tasman/tasman_oisst_v2_1982-2016_packed.nc", test_data_dir());
    const struct sst_series *series = f->series;
    int nc = 0, var = 0;
    ck_assert_int_eq(nc_open(path, NC_NOWRITE, &nc), NC_NOERR);
    ck_assert_int_eq(nc_inq_varid(nc, "sst", &var), NC_NOERR);
    struct sst_day day = {FIRST_YEAR, 1};
    for (size_t start = 0; day.year <= series->last_year; start += N_BLOCK) {
        const size_t from[] = {start, 0, 0}, count[] = {N_BLOCK, 32, 32};
        ck_assert_int_eq(nc_get_vara_short(nc, var, from, count, &block[0][0]), NC_NOERR);
        for (int i = 0; i < N_BLOCK; ++i, day = sst_calendar_next_day(calendar, day))
            for (size_t cell = 0; day.year <= series->last_year && cell < series->n_cells; ++cell) {
                const short code = block[i][series->domain_cell[cell]];
                *probe_fixture_code(f, cell, day) = (int16_t)(code == FILL ? SST_CODE_MISSING : code);
            }
    }
    ck_assert_int_eq(nc_close(nc), NC_NOERR);
}

START_TEST(sampling_errors_of_the_tasman_grid_are_those_of_the_study)
{
    struct probe_fixture f;
    probe_fixture_make(&f, &(struct probe_fixture_spec){
                               .n_lat = 1, .n_lon = 1024, .pools = {calendar, SST_LEAP_HOBDAY, 1983, 2012, 5}});
    read_tasman(&f);
    /* Only whether there is an exact value matters to a standard error. */
    for (size_t cell = 0; cell < f.series->n_cells; ++cell)
        probe_fixture_thresholds(&f, f.series->sample_cell[cell],
                                 *probe_fixture_code(&f, cell, (struct sst_day){2000, 1}) == SST_CODE_MISSING ? NAN
                                                                                                              : 0.0F,
                                 f.sample->exact[0]);
    const struct sst_sampling_error got = estimate(&f, 1);
    ck_assert_uint_eq(got.n_cell_days, 256);
    ck_assert_double_eq_tol(got.se_median / 0.213, 1.0, 0.06); /* [degC] */
    probe_fixture_clear(&f);
}
END_TEST

Suite *test_suite(void)
{
    test_need_data();
    Suite *suite = suite_create("spells");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, events_are_those_of_the_reference_tools, 0, N_REFERENCES);
    tcase_add_loop_test(tc, consequences_count_the_reference_events_of_the_baseline, 0, N_REFERENCES);
    tcase_add_loop_test(tc, events_of_thresholds_computed_here_are_those_of_the_study, 0, 2);
    tcase_add_loop_test(tc, sampling_errors_of_single_series_are_those_of_the_study, 0, 2);
    tcase_add_test(tc, sampling_errors_of_the_tasman_grid_are_those_of_the_study);
    suite_add_tcase(suite, tc);
    return suite;
}
