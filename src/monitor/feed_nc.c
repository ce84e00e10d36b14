/* A day as netCDF: what the feed has, in the types and with the words of write/mhw_nc.h. */
#include "monitor/feed_nc.h"

#include <math.h>
#include <stdio.h>

#include "core/mem.h"
#include "monitor/event_day.h"
#include "monitor/feed_words.h"
#include "write/mhw_nc.h"

/* The day's maps in the file's types, where the day has others. */
struct maps {
    int8_t *robust;
    int16_t *anomaly, *days_above;
    float *severity;
    int64_t *event;
};

static void free_maps(struct maps *maps)
{
    sst_free(maps->robust);
    sst_free(maps->anomaly);
    sst_free(maps->days_above);
    sst_free(maps->severity);
    sst_free(maps->event);
}

static enum sst_status make_maps(size_t n, struct maps *out, struct sst_error *err)
{
    static const char what[] = "the maps of a day";
    SST_TRY(sst_alloc_large(n, sizeof *out->robust, what, &out->robust, err));
    SST_TRY(sst_alloc_large(n, sizeof *out->anomaly, what, &out->anomaly, err));
    SST_TRY(sst_alloc_large(n, sizeof *out->days_above, what, &out->days_above, err));
    SST_TRY(sst_alloc_large(n, sizeof *out->severity, what, &out->severity, err));
    return sst_alloc_large(n, sizeof *out->event, what, &out->event, err);
}

static int16_t packed(float anomaly)
{
    const double steps = round(anomaly / SST_MHW_PACKED_STEP);
    return fabs(steps) <= INT16_MAX - 1 ? (int16_t)steps : SST_MHW_FILL_PACKED; /* NaN: neither */
}

static void fill_maps(const struct sst_feed_day *day, size_t n, struct maps *out)
{
    for (size_t i = 0; i < n; ++i) {
        const bool is_land = day->surface[i] == SST_EVENT_SURFACE_LAND;
        out->robust[i] = (int8_t)(is_land ? SST_MHW_FILL_BYTE : day->robust[i]);
        out->anomaly[i] = packed(day->anomaly[i]);
        out->severity[i] = isfinite(day->severity[i]) ? day->severity[i] : SST_MHW_FILL;
        out->days_above[i] = (int16_t)(is_land                          ? SST_MHW_FILL_DAYS
                                       : day->days_above[i] > INT16_MAX ? INT16_MAX
                                                                        : day->days_above[i]);
        out->event[i] = day->event_id[i] == 0 ? SST_MHW_FILL_EVENT : (int64_t)day->event_id[i];
    }
}

/* --- words -------------------------------------------------------------------------------------------------------- */

#define X(symbol, name, text) " " name
static const char surface_meanings[] = SST_EVENT_SURFACE_LIST(X);
#undef X
#define X(symbol, name, text) "; " name ": " text
static const char surface_comment[] = SST_EVENT_SURFACE_LIST(X);
#undef X

static const char status_meanings[] = "none candidate confirmed bridged unknown awaiting";
static const char status_comment[] =
    "none: in no event; candidate: beyond the threshold, for too few days in a row so far; confirmed: in an event; "
    "bridged: in an event, between two runs; unknown: no value; awaiting: unknown or later, while an event that was "
    "open waits for the day";
static const char robust_meanings[] = "not_robust robust no_bound";
static const char robust_comment[] =
    "robust: the category is the same at the threshold less its error bound and at the threshold and its bound; "
    "not_robust: it is another one; no_bound: the climatology states no bound there, or there is no category to tell";

/* Texts that an attribute needs, made before the file. */
enum made { DEFINITION, RULES, SUMMARY, TITLE, KEYWORDS, BASELINE, THRESHOLD, N_MADE };

static void make_texts(const struct sst_feed_about *about, const struct sst_feed_day *day, struct sst_text *texts)
{
    char date[SST_DAY_TEXT_SIZE];
    (void)sst_day_text(about->calendar, day->day, date);
    sst_feed_add_definition(&texts[DEFINITION], about);
    sst_text_addf(
        &texts[RULES],
        "beyond: sst %s threshold, both as float32; category: whole part of (sst - mean) / (threshold - mean), "
        "from 1 to 4; no category where the threshold is less than 0.05 degC from the mean, or under sea ice; "
        "event: at least %d days beyond in a row; gap: two events at most %d days apart are one; an event "
        "waits %d days for a day that is missing",
        about->is_cold ? "<" : ">", about->min_duration, about->max_gap, about->hold_missing);
    sst_text_add_clean(&texts[TITLE], about->title);
    sst_text_addf(&texts[TITLE], ", %s", date);
    sst_text_addf(&texts[SUMMARY], "Where the sea is in a %s on %s, of which category, and how well that is known. ",
                  sst_feed_kind_text(about), date);
    sst_feed_add_definition(&texts[SUMMARY], about);
    sst_text_add_clean(&texts[SUMMARY], day->is_absent ? " No file of this day came: nothing is known of it." : "");
    sst_text_addf(&texts[KEYWORDS], "%s, sea surface temperature, climatology", sst_feed_kind_text(about));
    sst_feed_add_threshold(&texts[THRESHOLD], about);
    if (about->first_baseline_year != 0 || about->last_baseline_year != 0)
        sst_text_addf(&texts[BASELINE], "%d-%d", about->first_baseline_year, about->last_baseline_year);
}

/* Numbers and dates as attributes have them. */
struct figures {
    char version[SST_FEED_TIME_TEXT_SIZE], first_version[SST_FEED_TIME_TEXT_SIZE], id[96];
    char final_from[SST_DAY_TEXT_SIZE];
    char start[SST_FEED_TIME_TEXT_SIZE], end[SST_FEED_TIME_TEXT_SIZE];
    char south[24], north[24], west[24], east[24], percentile[24];
};

static void make_figures(const struct sst_feed_about *about, const struct sst_feed_day *day, struct figures *out)
{
    const struct sst_domain *domain = about->domain;
    const double a = sst_domain_lat(domain, 0), b = sst_domain_lat(domain, domain->n_rows - 1);
    char date[SST_DAY_TEXT_SIZE];
    (void)sst_day_text(about->calendar, day->day, date);
    (void)sst_feed_time_text(day->published, out->version);
    (void)sst_feed_time_text(day->first_published, out->first_version);
    (void)sst_day_text(about->calendar, sst_feed_final_from(about, day->day), out->final_from);
    (void)snprintf(out->id, sizeof out->id, "%.40s_%s_r%d", about->climatology_id, date, day->revision);
    (void)snprintf(out->start, sizeof out->start, "%sT00:00:00Z", date);
    (void)snprintf(out->end, sizeof out->end, "%sT23:59:59Z", date);
    (void)snprintf(out->south, sizeof out->south, "%.10g", fmin(a, b));
    (void)snprintf(out->north, sizeof out->north, "%.10g", fmax(a, b));
    (void)snprintf(out->west, sizeof out->west, "%.10g", sst_domain_lon(domain, 0));
    (void)snprintf(out->east, sizeof out->east, "%.10g", sst_domain_lon(domain, domain->n_cols - 1));
    (void)snprintf(out->percentile, sizeof out->percentile, "%.10g", about->percentile);
}

/* A whole file. */
struct bytes {
    void *bytes; /* sst_free */
    size_t n;
};

static enum sst_status make_file(const struct sst_feed_about *about, const struct sst_feed_day *day,
                                 const struct sst_mhw_spec *spec, struct bytes *out, struct sst_error *err)
{
    struct maps maps = {0};
    struct sst_mhw_file *file = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(make_maps(about->domain->n_cells, &maps, err));
    fill_maps(day, about->domain->n_cells, &maps);
    SST_TRY_GOTO(sst_mhw_create(spec, &file, err));
    const struct sst_mhw_day told = {
        .category = day->category,
        .status = (const int8_t *)day->label,
        .surface = (const int8_t *)day->surface,
        .severity = maps.severity,
        .days_above = maps.days_above,
        .event = maps.event,
        .packed_anomaly = maps.anomaly,
        .robust = maps.robust,
        .input = day->is_absent        ? SST_MHW_INPUT_MISSING
                 : day->is_preliminary ? SST_MHW_INPUT_PRELIMINARY
                                       : SST_MHW_INPUT_FINAL,
    };
    SST_TRY_GOTO(sst_mhw_put(file, &told, err));
    rc = sst_mhw_finish_bytes(&file, &out->bytes, &out->n, err);
done:
    sst_mhw_abandon(&file);
    free_maps(&maps);
    return rc;
}

/* Says what the file is, and makes it. */
static enum sst_status define_file(const struct sst_feed_about *about, const struct sst_feed_day *day,
                                   struct sst_deflate_memo *memo, const char *path, const struct sst_text *texts,
                                   struct bytes *out, struct sst_error *err)
{
    struct figures figures;
    make_figures(about, day, &figures);
    const struct sst_attribute attributes[] = {
        {"title", texts[TITLE].data},
        {"summary", texts[SUMMARY].data},
        {"keywords", texts[KEYWORDS].data},
        {"id", figures.id},
        {"source", about->product},
        {"input_status", sst_feed_input_status(day->is_absent, day->is_preliminary)},
        {"date_created", figures.version},
        {"date_issued", figures.version},
        {"first_published", figures.first_version},
        {"valid_until_revised", figures.final_from},
        {"climatology_id", about->climatology_id},
        {"baseline_period", texts[BASELINE].data},
        {"percentile", figures.percentile},
        {"percentile_method", about->estimator},
        {"threshold", texts[THRESHOLD].data},
        {"event_rules", texts[RULES].data},
        {"references", "Hobday et al. 2016, doi:10.1016/j.pocean.2015.12.014; Hobday et al. 2018, "
                       "doi:10.5670/oceanog.2018.205"},
        {"processing_level", "L4 derived"},
        {"cdm_data_type", "Grid"},
        {"standard_name_vocabulary", "CF Standard Name Table"},
        {"time_coverage_start", figures.start},
        {"time_coverage_end", figures.end},
        {"time_coverage_duration", "P1D"},
        {"time_coverage_resolution", "P1D"},
        {"geospatial_lat_min", figures.south},
        {"geospatial_lat_max", figures.north},
        {"geospatial_lon_min", figures.west},
        {"geospatial_lon_max", figures.east},
        {"sststream_version", sst_version()},
    };
    const struct sst_mhw_spec spec = {
        .path = path,
        .in_memory =
            true, /* so that a full disk fails a write of ours, not HDF5's closing, which it does not survive */
        .domain = about->domain,
        .calendar = about->calendar,
        .first_day = sst_calendar_days_since_1970(about->calendar, day->day),
        .n_days = 1,
        .is_cold = about->is_cold,
        .status = {status_meanings, status_comment},
        .surface = {surface_meanings + 1, surface_comment + 2},
        .definition = texts[DEFINITION].data,
        .attributes = attributes,
        .n_attributes = sizeof attributes / sizeof *attributes,
        .deflate_level = 1,
        .memo = memo,
        .packs_anomaly = true,
        .severity_comment = "Of all days with a value, where surface_type is water; beyond the threshold from 1 on.",
        .robust = {robust_meanings, robust_comment},
        .revision = day->revision,
    };
    return make_file(about, day, &spec, out, err);
}

enum sst_status sst_feed_make_nc(const struct sst_feed_about *about, const struct sst_feed_day *day,
                                 struct sst_deflate_memo *memo, const char *path, void **bytes, size_t *n_bytes,
                                 struct sst_error *err)
{
    struct sst_text texts[N_MADE] = {{0}};
    struct bytes made = {0};
    enum sst_status rc = SST_OK;
    make_texts(about, day, texts);
    for (int i = 0; i < N_MADE; ++i)
        SST_TRY_GOTO(sst_text_check(&texts[i], err));
    SST_TRY_GOTO(define_file(about, day, memo, path, texts, &made, err));
    *bytes = made.bytes;
    *n_bytes = made.n;
done:
    for (int i = 0; i < N_MADE; ++i)
        sst_text_clear(&texts[i]);
    return rc;
}

enum sst_status sst_feed_write_nc(const struct sst_feed_about *about, const struct sst_feed_day *day,
                                  const char *folder, struct sst_feed_files *files, struct sst_error *err)
{
    char day_folder[SST_FEED_FOLDER_SIZE];
    struct bytes bytes = {0};
    char *path = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_asprintf(&path, err, "%s/mhw.nc", sst_feed_day_folder(about->calendar, day->day, day_folder)));
    SST_TRY_GOTO(sst_feed_make_nc(about, day, NULL, path, &bytes.bytes, &bytes.n, err));
    rc = sst_feed_put(files, folder, path, bytes.bytes, bytes.n, err);
done:
    sst_free(bytes.bytes);
    sst_free(path);
    return rc;
}
