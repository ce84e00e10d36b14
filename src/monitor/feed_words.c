/* Dates, names and figures, as all files of a feed write them. */
#include "monitor/feed_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *sst_feed_time_text(int64_t seconds_since_1970, char text[SST_FEED_TIME_TEXT_SIZE])
{
    const time_t moment = (time_t)seconds_since_1970;
    struct tm utc = {0};
    if (!gmtime_r(&moment, &utc) || strftime(text, SST_FEED_TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        text[0] = '\0';
    return text;
}

const char *sst_feed_day_folder(enum sst_calendar_kind calendar, struct sst_day day, char text[SST_FEED_FOLDER_SIZE])
{
    int month = 0, month_day = 0;
    sst_calendar_month_day(calendar, day.slot, &month, &month_day);
    (void)snprintf(text, SST_FEED_FOLDER_SIZE, "days/%04d/%04d%02d%02d", day.year, day.year, (unsigned char)month,
                   (unsigned char)month_day);
    return text;
}

const char *sst_feed_category_name(int category)
{
    static const char *const names[] = {"none", "moderate", "strong", "severe", "extreme"};
    return category > 0 && category <= SST_N_CATEGORIES ? names[category] : names[0];
}

const char *sst_feed_input_status(bool is_absent, bool is_preliminary)
{
    return is_absent ? "missing" : is_preliminary ? "preliminary" : "final";
}

const char *sst_feed_kind_text(const struct sst_feed_about *about)
{
    return about->is_cold ? "marine cold spell" : "marine heatwave";
}

static const char *ordinal_ending(double number)
{
    const int whole = (int)number;
    if (number != whole || (whole % 100 >= 11 && whole % 100 <= 13))
        return "th";
    return whole % 10 == 1 ? "st" : whole % 10 == 2 ? "nd" : whole % 10 == 3 ? "rd" : "th";
}

void sst_feed_add_threshold(struct sst_text *text, const struct sst_feed_about *about)
{
    sst_text_addf(text, "%s the %g%s percentile", about->is_cold ? "below" : "above", about->percentile,
                  ordinal_ending(about->percentile));
}

void sst_feed_add_definition(struct sst_text *text, const struct sst_feed_about *about)
{
    sst_text_addf(text, "A %s is at least %d days in a row on which the sea surface is %s than ",
                  sst_feed_kind_text(about), about->min_duration, about->is_cold ? "colder" : "warmer");
    sst_text_addf(text, "the %g%s percentile for that place and day of the year", about->percentile,
                  ordinal_ending(about->percentile));
    if (about->first_baseline_year != 0 || about->last_baseline_year != 0)
        sst_text_addf(text, ", taken from the years %d to %d", about->first_baseline_year, about->last_baseline_year);
    if (about->max_gap > 0)
        sst_text_addf(text, "; gaps of up to %d days between two of them are bridged", about->max_gap);
    sst_text_add(text, ".");
}

struct sst_day sst_feed_final_from(const struct sst_feed_about *about, struct sst_day day)
{
    return sst_calendar_day_at(about->calendar, sst_calendar_days_since_1970(about->calendar, day) + about->days_open);
}

void sst_feed_add_place(struct sst_text *text, double lat, double lon)
{
    sst_text_addf(text, "%.1f %c, %.1f %c", fabs(lat), lat < 0 ? 'S' : 'N', fabs(lon), lon < 0 ? 'W' : 'E');
}

void sst_feed_add_link(struct sst_text *text, const struct sst_feed_about *about, const char *path)
{
    const size_t length = strlen(about->link);
    sst_text_add_clean(text, about->link);
    if (length > 0 && about->link[length - 1] != '/')
        sst_text_add(text, "/");
    sst_text_add(text, path);
}

double sst_feed_event_share(const struct sst_region_day *day)
{
    double km2 = 0;
    for (int category = 0; category <= SST_N_CATEGORIES; ++category)
        km2 += day->category_km2[category];
    return day->known_km2 > 0 ? km2 / day->known_km2 : NAN;
}

double sst_feed_unknown_share(const struct sst_region_day *day)
{
    const double judged = day->known_km2 + day->unknown_km2;
    return judged > 0 ? day->unknown_km2 / judged : NAN;
}
