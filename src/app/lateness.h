/* When a day should be there, and whether it is: in UTC, whatever the time zone of the machine. */
#ifndef SST_APP_LATENESS_H
#define SST_APP_LATENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/calendar.h"

enum { SST_MAX_EXPECTED_DAYS = 366 };

/* Day D is expected by the time `minute` of the day that is `n_days` after it. */
struct sst_expectation {
    int32_t minute; /* [min] since 00:00 UTC */
    int32_t n_days;
};

/* "09:00Z+1d". Returns whether the text is that; `*out` is untouched where it is not. */
bool sst_expectation_parse(const char *text, struct sst_expectation *out);

/* Whether days of the calendar can be held against a clock: those of 360 days cannot. */
bool sst_lateness_has_clock(enum sst_calendar_kind kind);

/* The day that it is at `now` [s of 1970, UTC]; in a calendar that lacks it the day before. */
struct sst_day sst_lateness_today(enum sst_calendar_kind kind, int64_t now);

/* The newest day that is expected to be there at `now`. */
struct sst_day sst_lateness_expected(const struct sst_expectation *expectation, enum sst_calendar_kind kind,
                                     int64_t now);

/* How many days `later` lies behind `earlier`, by date. */
int64_t sst_lateness_days_between(struct sst_day earlier, struct sst_day later);

/* "2026-11-30T09:00:00Z" into room for SST_UTC_TEXT_SIZE; returns it. */
enum { SST_UTC_TEXT_SIZE = 48 };
const char *sst_utc_text(int64_t seconds, char text[SST_UTC_TEXT_SIZE]);

#endif
