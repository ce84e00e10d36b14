/* Dates of a clock are those of the standard calendar; days of another one are taken by month and day. */
#include "app/lateness.h"

#include <inttypes.h>
#include <stdio.h>

enum { MINUTES_PER_HOUR = 60, HOURS_PER_DAY = 24 };
#define SECONDS_PER_MINUTE INT64_C(60)
#define SECONDS_PER_DAY INT64_C(86400)

/* Two digits; returns behind them, or NULL. */
static const char *read_two_digits(const char *text, int *out)
{
    if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
        return NULL;
    *out = 10 * (text[0] - '0') + text[1] - '0';
    return text + 2;
}

bool sst_expectation_parse(const char *text, struct sst_expectation *out)
{
    int hour = 0, minute = 0, n_days = 0, n_digits = 0;
    const char *at = read_two_digits(text, &hour);
    if (!at || *at != ':')
        return false;
    at = read_two_digits(at + 1, &minute);
    if (!at || at[0] != 'Z' || at[1] != '+' || hour >= HOURS_PER_DAY || minute >= MINUTES_PER_HOUR)
        return false;
    for (at += 2; *at >= '0' && *at <= '9' && n_digits < 3; ++at, ++n_digits)
        n_days = 10 * n_days + (*at - '0');
    if (n_digits == 0 || at[0] != 'd' || at[1] || n_days > SST_MAX_EXPECTED_DAYS)
        return false;
    *out = (struct sst_expectation){MINUTES_PER_HOUR * hour + minute, n_days};
    return true;
}

bool sst_lateness_has_clock(enum sst_calendar_kind kind) { return kind != SST_CALENDAR_360_DAY; }

static int64_t floor_days(int64_t seconds) { return seconds / SECONDS_PER_DAY - (seconds % SECONDS_PER_DAY < 0); }

/* Slots are month and day in all calendars that have a clock, so only 29 February may be lacking. */
static struct sst_day day_at(enum sst_calendar_kind kind, int64_t days_since_1970)
{
    struct sst_day day = sst_calendar_day_at(SST_CALENDAR_STANDARD, days_since_1970);
    if (!sst_calendar_has_day(kind, day))
        --day.slot;
    return day;
}

struct sst_day sst_lateness_today(enum sst_calendar_kind kind, int64_t now) { return day_at(kind, floor_days(now)); }

struct sst_day sst_lateness_expected(const struct sst_expectation *expectation, enum sst_calendar_kind kind,
                                     int64_t now)
{
    return day_at(kind, floor_days(now - SECONDS_PER_MINUTE * expectation->minute) - expectation->n_days);
}

static int64_t civil_days(struct sst_day day)
{
    if (!sst_calendar_has_day(SST_CALENDAR_STANDARD, day)) /* 29 February of a year that has none here */
        ++day.slot;
    return sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, day);
}

int64_t sst_lateness_days_between(struct sst_day earlier, struct sst_day later)
{
    return civil_days(later) - civil_days(earlier);
}

const char *sst_utc_text(int64_t seconds, char text[SST_UTC_TEXT_SIZE])
{
    char day[SST_DAY_TEXT_SIZE];
    const int64_t days = floor_days(seconds), rest = seconds - SECONDS_PER_DAY * days;
    (void)sst_day_text(SST_CALENDAR_STANDARD, sst_calendar_day_at(SST_CALENDAR_STANDARD, days), day);
    (void)snprintf(text, SST_UTC_TEXT_SIZE, "%sT%02" PRId64 ":%02" PRId64 ":%02" PRId64 "Z", day, rest / 3600,
                   rest / 60 % 60, rest % 60);
    return text;
}
