/* Tables of areas and of regions (RFC 4180). No text of a user is in them, so nothing needs quotes. */
#include <math.h>
#include <string.h>

#include "monitor/feed_areas.h"
#include "monitor/feed_regions.h"
#include "monitor/feed_words.h"

#define END_OF_LINE "\r\n"
#define NOT_OURS "in the form of this program. Run 'sststream feed rebuild' to make it anew"

/* ",1.234", or "," where it is not known. */
static void add_number(struct sst_text *out, double value, int decimals)
{
    if (isfinite(value))
        sst_text_addf(out, ",%.*f", decimals, value);
    else
        sst_text_add(out, ",");
}

/* --- areas -------------------------------------------------------------------------------------------------------- */

static const char areas_header[] =
    "area_id,status,date_start,date_end,duration,date_peak,intensity_max,category,area_max_km2,"
    "area_km2,lat,lon,intensity_mean_last_day,intensity_max_last_day,category_last_day,merged_into,split_from,"
    "revision,input_status" END_OF_LINE;

static void add_id(struct sst_text *out, const struct sst_feed_about *about, uint64_t id)
{
    char text[SST_AREA_ID_TEXT_SIZE];
    sst_text_addf(out, ",%s", id == 0 ? "" : sst_area_id_text(id, about->domain->grid, text));
}

static void add_area(struct sst_text *out, const struct sst_feed_about *about, const struct sst_area *area,
                     int revision, const char *input_status)
{
    char id[SST_AREA_ID_TEXT_SIZE], first[SST_DAY_TEXT_SIZE], last[SST_DAY_TEXT_SIZE], peak[SST_DAY_TEXT_SIZE];
    sst_text_addf(out, "%s,%s,%s,%s,%d,%s", sst_area_id_text(area->id, about->domain->grid, id),
                  sst_area_status_name(area->status), sst_day_text(about->calendar, area->first, first),
                  sst_day_text(about->calendar, area->last, last), area->n_days,
                  sst_day_text(about->calendar, area->peak, peak));
    add_number(out, area->peak_intensity, 3);
    sst_text_addf(out, ",%s", sst_feed_category_name(area->highest_category));
    add_number(out, area->most_km2, 1);
    add_number(out, area->km2, 1);
    add_number(out, area->lat, 3);
    add_number(out, area->lon, 3);
    add_number(out, area->mean_intensity, 3);
    add_number(out, area->max_intensity, 3);
    sst_text_addf(out, ",%s", sst_feed_category_name(area->category));
    add_id(out, about, area->merged_into);
    add_id(out, about, area->split_from);
    sst_text_addf(out, ",%d,%s" END_OF_LINE, revision, input_status);
}

enum sst_status sst_feed_areas_csv(const struct sst_feed_areas *areas, struct sst_text *out, struct sst_error *err)
{
    const struct sst_feed_day *day = areas->day;
    sst_text_add(out, areas_header);
    for (size_t i = 0; i < day->n_present; ++i)
        if (!sst_feed_is_small(&day->areas[i], areas->min_km2))
            add_area(out, areas->about, &day->areas[i], day->revision,
                     sst_feed_input_status(day->is_absent, day->is_preliminary));
    for (size_t i = 0; i < areas->n_past; ++i)
        if (!sst_feed_is_small(&areas->past[i].area, areas->min_km2))
            add_area(out, areas->about, &areas->past[i].area, areas->past[i].revision, "");
    return sst_text_check(out, err);
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

static const char region_header[] =
    "region,date,revision,input_status,known_km2,unknown_km2,outside_km2,bridged_km2,moderate_km2,strong_km2,severe_"
    "km2,"
    "extreme_km2,candidate_km2,event_share,unknown_share,anomaly_mean,intensity_mean,intensity_max,lat_max,lon_max,"
    "severity_p90" END_OF_LINE;

static void add_line(struct sst_text *out, const struct sst_feed_about *about, const char *region,
                     const struct sst_feed_region_line *line)
{
    const struct sst_region_day *numbers = line->numbers;
    const struct sst_domain *domain = about->domain;
    const bool has_max = isfinite(numbers->max_intensity);
    char day[SST_DAY_TEXT_SIZE];
    sst_text_addf(out, "%s,%s,%d,%s", region, sst_day_text(about->calendar, line->day, day), line->revision,
                  sst_feed_input_status(line->is_absent, line->is_preliminary));
    add_number(out, numbers->known_km2, 1);
    add_number(out, numbers->unknown_km2, 1);
    add_number(out, numbers->beside_km2, 1);
    for (int category = 0; category <= SST_N_CATEGORIES; ++category)
        add_number(out, numbers->category_km2[category], 1);
    add_number(out, numbers->candidate_km2, 1);
    add_number(out, sst_feed_event_share(numbers), 6);
    add_number(out, sst_feed_unknown_share(numbers), 6);
    add_number(out, numbers->mean_anomaly, 3);
    add_number(out, numbers->mean_intensity, 3);
    add_number(out, numbers->max_intensity, 3);
    add_number(out, has_max ? sst_domain_lat(domain, numbers->max_cell / domain->n_cols) : NAN, 3);
    add_number(out, has_max ? remainder(sst_domain_lon(domain, numbers->max_cell % domain->n_cols), 360) : NAN, 3);
    add_number(out, numbers->p90_severity, 3);
    sst_text_add(out, END_OF_LINE);
}

/* Lines of the file as it is, one after another; each ends in a newline. */
struct old_lines {
    const char *at, *end;
    size_t n_bytes; /* of the line at `at`, with its end; 0: there is none */
};

static void next_line(struct old_lines *old)
{
    old->at += old->n_bytes;
    const char *end = old->at == old->end ? NULL : memchr(old->at, '\n', (size_t)(old->end - old->at));
    old->n_bytes = end ? (size_t)(end + 1 - old->at) : 0;
}

static enum sst_status open_lines(const struct sst_feed_old_csv *old, struct old_lines *out, struct sst_error *err)
{
    const char *text = old->text, *what = old->what;
    const size_t n_bytes = old->n_bytes;
    const size_t header = sizeof region_header - 1;
    *out = (struct old_lines){0};
    if (!text)
        return SST_OK;
    if (n_bytes < header || memcmp(text, region_header, header) != 0)
        return sst_fail(err, SST_ERR_INPUT, "%s: its first line is not " NOT_OURS, what);
    if (text[n_bytes - 1] != '\n')
        return sst_fail(err, SST_ERR_INPUT, "%s: its last line is not " NOT_OURS, what);
    *out = (struct old_lines){text + header, text + n_bytes, 0};
    next_line(out);
    return SST_OK;
}

/* Bytes "REGION,YYYY-MM-DD," before those of a day compare as days do, in years of four digits. */
static enum sst_status compare_line(const struct old_lines *old, const char *start, size_t region_length,
                                    const char *what, int *out, struct sst_error *err)
{
    enum { SHOWN = 40 };
    const size_t length = strlen(start);
    if (old->n_bytes <= length || memcmp(old->at, start, region_length) != 0)
        return sst_fail(err, SST_ERR_INPUT, "%s: the line '%.*s' is not " NOT_OURS, what,
                        (int)(old->n_bytes < SHOWN ? old->n_bytes - 1 : SHOWN), old->at);
    *out = memcmp(old->at, start, length);
    return SST_OK;
}

/* Copies the lines before that of a day, and steps over the line of the day itself. */
static enum sst_status copy_before(struct old_lines *rest, const char *start, size_t region_length, const char *what,
                                   struct sst_text *out, struct sst_error *err)
{
    int order = -1;
    while (rest->n_bytes > 0 && order < 0) {
        SST_TRY(compare_line(rest, start, region_length, what, &order, err));
        if (order < 0)
            sst_text_add_bytes(out, rest->at, rest->n_bytes);
        if (order <= 0)
            next_line(rest);
    }
    return SST_OK;
}

enum sst_status sst_feed_region_csv(const struct sst_feed_about *about, size_t region,
                                    const struct sst_feed_region_line *lines, size_t n_lines,
                                    const struct sst_feed_old_csv *old, struct sst_text *out, struct sst_error *err)
{
    const char *name = about->regions->regions[region].name;
    struct old_lines rest;
    struct sst_text start = {0};
    enum sst_status rc = SST_OK;
    SST_TRY(open_lines(old, &rest, err));
    sst_text_add(out, region_header);
    for (size_t i = 0; i < n_lines; ++i) {
        char day[SST_DAY_TEXT_SIZE];
        start.size = 0;
        sst_text_addf(&start, "%s,%s,", name, sst_day_text(about->calendar, lines[i].day, day));
        SST_TRY_GOTO(sst_text_check(&start, err));
        SST_TRY_GOTO(copy_before(&rest, start.data, strlen(name) + 1, old->what, out, err));
        add_line(out, about, name, &lines[i]);
    }
    if (rest.at)
        sst_text_add_bytes(out, rest.at, (size_t)(rest.end - rest.at));
    rc = sst_text_check(out, err);
done:
    sst_text_clear(&start);
    return rc;
}
