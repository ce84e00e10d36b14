/* Events as comma-separated values, with heatwaveR's names of columns. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "app/detect.h"
#include "core/mem.h"
#include "write/place.h"

static const char header[] =
    "lat,lon,event_no,event_id,index_start,index_peak,index_end,duration,date_start,date_peak,date_end,"
    "intensity_mean,intensity_max,intensity_var,intensity_cumulative,"
    "intensity_mean_relThresh,intensity_max_relThresh,intensity_var_relThresh,intensity_cumulative_relThresh,"
    "intensity_mean_abs,intensity_max_abs,intensity_var_abs,intensity_cumulative_abs,"
    "rate_onset,rate_decline,category,severity,p_moderate,p_strong,p_severe,p_extreme,season,"
    "status,open_start,open_end,days_missing,days_filled,days_no_category,flags\r\n";

enum sst_status sst_detect_table_open(struct sst_detect_table *table, size_t n_watched, bool overwrite,
                                      struct sst_error *err)
{
    SST_TRY(sst_place_check(table->path, overwrite, err));
    SST_TRY(sst_alloc(n_watched, sizeof *table->n_events, "numbers of events", &table->n_events, err));
    SST_TRY(sst_place_reserve(table->path, &table->temporary, err));
    table->file = fopen(table->temporary, "wb");
    if (!table->file)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s", table->path, strerror(errno));
    (void)fputs(header, table->file);
    return SST_OK;
}

/* A number, or nothing where there is none. */
static void put_number(FILE *file, double value)
{
    (void)(isfinite(value) ? fprintf(file, ",%.10g", value) : fputc(',', file));
}

static void put_intensity(FILE *file, const struct sst_event_intensity *intensity)
{
    put_number(file, intensity->mean);
    put_number(file, intensity->max);
    put_number(file, intensity->stddev); /* heatwaveR's intensity_var is a standard deviation */
    put_number(file, intensity->cumulative);
}

static void put_day(const struct sst_detect_table *table, int32_t day)
{
    char text[SST_DAY_TEXT_SIZE];
    (void)fprintf(table->file, ",%s", sst_day_text(table->calendar, sst_calendar_day_at(table->calendar, day), text));
}

/* "ice no_variance", with blanks between. */
static void put_flags(FILE *file, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *name;
    } names[] = {{SST_EVENT_ICE, "ice"},
                 {SST_EVENT_NO_VARIANCE, "no_variance"},
                 {SST_EVENT_LIMIT_BELOW_FREEZING, "limit_below_freezing"}};
    const char *before = ",";
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (!(flags & names[i].flag))
            continue;
        (void)fprintf(file, "%s%s", before, names[i].name);
        before = " ";
    }
    if (*before == ',')
        (void)fputc(',', file);
}

static void put_place(const struct sst_detect_table *table, const struct sst_event *event)
{
    const struct sst_domain *domain = table->domain;
    const size_t cell = table->watched[event->cell];
    const int32_t before = table->first_day - 1;
    (void)fprintf(table->file, "%.9g,%.9g,%u,%llu,%d,%d,%d,%d", sst_domain_lat(domain, cell / domain->n_cols),
                  sst_domain_lon(domain, cell % domain->n_cols), table->n_events[event->cell],
                  (unsigned long long)event->id, event->first - before, event->peak - before, event->last - before,
                  event->duration);
}

/* The seasons from the first day to the last, by quarters of the year, as heatwaveR names them. */
static void put_season(const struct sst_detect_table *table, const struct sst_event *event)
{
    static const char *const names[] = {"Winter", "Spring", "Summer", "Fall"};
    enum { N_SEASONS = 4, MONTHS = 3, ALL_YEAR_DAYS = 270 };
    const double lat = sst_domain_lat(table->domain, table->watched[event->cell] / table->domain->n_cols);
    const int turn = lat < 0 ? 2 : 0;
    const struct sst_day days[] = {sst_calendar_day_at(table->calendar, event->first),
                                   sst_calendar_day_at(table->calendar, event->last)};
    int quarters[2];
    for (int i = 0; i < 2; ++i) {
        int month = 1, of_month = 1;
        sst_calendar_month_day(table->calendar, days[i].slot, &month, &of_month);
        quarters[i] = N_SEASONS * days[i].year + (month - 1) / MONTHS;
    }
    const int n = quarters[1] - quarters[0];
    const char *first = names[(quarters[0] + turn) % N_SEASONS], *last = names[(quarters[1] + turn) % N_SEASONS];
    if (event->duration > ALL_YEAR_DAYS)
        (void)fputs(",Year-round", table->file);
    else if (n == 0)
        (void)fprintf(table->file, ",%s", first);
    else
        (void)fprintf(table->file, ",%s%c%s", first, n == 1 ? '/' : '-', last);
}

enum sst_status sst_detect_table_put(struct sst_detect_table *table, const struct sst_event *event,
                                     struct sst_error *err)
{
    static const char *const categories[] = {"none", "I Moderate", "II Strong", "III Severe", "IV Extreme"};
    FILE *file = table->file;
    ++table->n_events[event->cell];
    put_place(table, event);
    put_day(table, event->first);
    put_day(table, event->peak);
    put_day(table, event->last);
    put_intensity(file, &event->from_mean);
    put_intensity(file, &event->from_threshold);
    put_intensity(file, &event->absolute);
    put_number(file, event->rate_onset);
    put_number(file, event->rate_decline);
    (void)fprintf(file, ",%s", categories[event->category]);
    put_number(file, event->category > 0 ? event->severity : (double)NAN);
    for (int i = 0; i < SST_EVENT_N_CATEGORIES; ++i)
        put_number(file, 100.0 * event->n_category[i] / event->duration);
    put_season(table, event);
    (void)fprintf(file, ",%s,%d,%d,%d,%d,%d", sst_event_status_name(event->status), event->is_open_start,
                  event->is_open_end, event->n_unknown, event->n_filled, event->n_no_category);
    put_flags(file, event->flags);
    errno = 0;
    if (fputs("\r\n", file) == EOF || ferror(file))
        return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s. Check the space in that folder", table->path,
                        errno ? strerror(errno) : "an error");
    return SST_OK;
}

enum sst_status sst_detect_table_complete(struct sst_detect_table *table, struct sst_error *err)
{
    errno = 0;
    const bool is_whole = !ferror(table->file) && fflush(table->file) == 0;
    const int problem = errno;
    const bool is_closed = fclose(table->file) == 0;
    table->file = NULL;
    if (!is_whole || !is_closed)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s. Check the space in that folder", table->path,
                        strerror(problem ? problem : errno));
    return sst_place_sync(table->temporary, err);
}

enum sst_status sst_detect_table_finish(struct sst_detect_table *table, bool overwrite, struct sst_error *err)
{
    SST_TRY(sst_place_commit(table->temporary, table->path, overwrite, err));
    sst_free(table->temporary);
    table->temporary = NULL;
    return sst_place_sync_parent(table->path, err);
}

void sst_detect_table_clear(struct sst_detect_table *table)
{
    if (table->file)
        (void)fclose(table->file);
    if (table->temporary)
        (void)unlink(table->temporary);
    sst_free(table->temporary);
    sst_free(table->n_events);
}
