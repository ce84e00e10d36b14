/*
 * All that the program knows about dates: calendars, calendar days (slots), time axes, and which days a pool holds.
 *
 * A day is a (year, slot) pair in its own calendar, never a count of seconds. Slots are (month, day):
 *
 *   slot   1 ........ 31 32 ........ 59   60   61 ........ 366
 *          1 Jan          1 Feb      28F  29F  1 Mar       31 Dec        (360_day: slot = 30 (month - 1) + day, 1..360)
 *
 * Slot 61 is 1 March in every year; a year without 29 February has no day in slot 60. Days that exist:
 *
 *   standard              29 Feb in leap years; Julian to 4 October 1582, Gregorian from the next day, the 15th
 *   proleptic_gregorian   29 Feb in Gregorian leap years, at all times
 *   noleap, all_leap      29 Feb never, always
 *   360_day               1 to 30 of each month; slot 60 is 30 February, a day like any other
 *
 * A pool is the set of values from which one slot's climatology is computed. It is given as terms (slot, class): the
 * days of one slot are split by year into classes such that every pool is a union of whole (slot, class) groups. So
 * bins, raw values, state files and windows all work on terms, and none of them knows why a term is in a pool.
 *
 *   rule     slot                     class COMMON              LEAP         FIRST     LAST
 *   own      1..366                   years y0..y1              -            -         -
 *   skip     all but 60               years y0..y1              -            -         -
 *   hobday   60-H .. 60+H             common years              leap years   -         -
 *            1 .. H                   y0+1 .. y1                -            y0        y1+1
 *            last H                   y0   .. y1-1              -            y0-1      y1
 *            the rest                 y0   .. y1                -            -         -
 *
 * own      29 February is a slot like any other: the pool is slots c-H..c+H of the ring of 366.
 * skip     29 February is in no pool: the ring has 365 slots, 60 is the mean of 59 and 61.
 * hobday   (Hobday et al. 2016, as marineHeatWaves computes it) H days either side BY DATE round each occurrence of the
 *          slot in the baseline y0..y1, days outside the baseline included; 60 is the mean of 59 and 61. Centres in the
 *          first half of the year pool COMMON and FIRST, those in the second half COMMON and LAST. Near 29 February a
 *          window takes LEAP terms c-H..c+H, but COMMON terms as if slot 60 were not there, so it reaches one slot
 *          further beyond 60. H <= 29 keeps the zones apart.
 *
 * The same table serves every calendar: all years of noleap are common, and slot 60, which has no day, is out of the
 * ring and derived under every rule; all years of all_leap are leap; 360_day has a ring of 360, no leap zone and no
 * derived slot, so there skip is own. Pools by date do not know the days that October 1582 lacks.
 */
#ifndef SST_CORE_CALENDAR_H
#define SST_CORE_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

enum {
    SST_N_SLOTS = 366,
    SST_SLOT_FEB29 = 60,
    SST_MAX_HALF_WINDOW = 29,
    SST_MAX_TERMS = 4 * (2 * SST_MAX_HALF_WINDOW + 2)
};

enum sst_calendar_kind {
    SST_CALENDAR_STANDARD, /* and gregorian; Julian before 15 October 1582 */
    SST_CALENDAR_PROLEPTIC_GREGORIAN,
    SST_CALENDAR_NOLEAP, /* and 365_day */
    SST_CALENDAR_ALL_LEAP, /* and 366_day */
    SST_CALENDAR_360_DAY
};

/* One day of one year; slot 0 means none. */
struct sst_day {
    int32_t year;
    int32_t slot;
};

/* An instant as a file gives it, to the nearest second. */
struct sst_instant {
    struct sst_day day; /* the UTC day in which it lies */
    int32_t second; /* [s] since that day's 00:00 UTC, 0..86399 */
};

/*
 * Kind named by the text of a CF `calendar` attribute, in any case; NULL or "" is standard.
 *
 * Errors   SST_ERR_TIME for other names; `julian` and `none` too, which CF knows and we do not read.
 */
SST_MUST_CHECK enum sst_status sst_calendar_parse(const char *text, enum sst_calendar_kind *out, struct sst_error *err);

/* The CF name of a kind. Never NULL. */
const char *sst_calendar_name(enum sst_calendar_kind kind);

/* Slots of a year in this calendar's ring: 360 for 360_day, else 366. */
int sst_calendar_n_slots(enum sst_calendar_kind kind);

bool sst_calendar_is_leap(enum sst_calendar_kind kind, int year);

/* Whether (year, slot) is a day that this calendar has. */
bool sst_calendar_has_day(enum sst_calendar_kind kind, struct sst_day day);

/* Slot of (month, day), 0 if there is no such day in any year. */
int sst_calendar_slot(enum sst_calendar_kind kind, int month, int day);

/* Month and day of a slot 1..n_slots. */
void sst_calendar_month_day(enum sst_calendar_kind kind, int slot, int *month, int *day);

/* The day before or after, skipping days that the calendar lacks. */
struct sst_day sst_calendar_next_day(enum sst_calendar_kind kind, struct sst_day day);
struct sst_day sst_calendar_previous_day(enum sst_calendar_kind kind, struct sst_day day);

/* Days are ordered by year, then slot: < 0, 0, > 0. */
int sst_day_compare(struct sst_day a, struct sst_day b);

/* Days since 1970-01-01 in the calendar itself, of a day that it has; used for time coordinates that we write. */
int64_t sst_calendar_days_since_1970(enum sst_calendar_kind kind, struct sst_day day);

/* The inverse of sst_calendar_days_since_1970, for years of up to six digits. */
struct sst_day sst_calendar_day_at(enum sst_calendar_kind kind, int64_t days_since_1970);

enum { SST_DAY_TEXT_SIZE = 16 };

/* "1982-02-28" into a buffer of SST_DAY_TEXT_SIZE, "no day" for slot 0; returns it. */
const char *sst_day_text(enum sst_calendar_kind kind, struct sst_day day, char *buffer);

/* A time axis: CF units ("days since 1978-01-01 12:00:00") with their calendar, read once per file. */
struct sst_time_axis {
    enum sst_calendar_kind kind;
    int64_t unit_microseconds; /* [us] of one unit */
    int64_t epoch_days; /* days since 1970-01-01 in the calendar */
    int64_t epoch_microseconds; /* [us] since that day's 00:00 UTC */
};

/*
 * Reads CF time units: UNIT since YEAR-MONTH-DAY [HOUR[:MINUTE[:SECOND[.FRACTION]]]] [ZONE].
 *
 * UNIT     microseconds to days in singular, plural and short form ("s", "sec", "hrs", "d"), in any case.
 * Numbers  may lack leading zeros or have blanks for them; a year is taken as it stands (81 is the year 81). "T" may
 *          stand before the hour. Digits of a second beyond the sixth are dropped.
 * ZONE     Z, UTC, UT, GMT, or after a clock +h, +hh, +hhmm, +h:mm, +hh:mm and the same with "-".
 * Errors   SST_ERR_TIME for months and years as unit (their length varies), unknown words, anything left over, and
 *          dates that the calendar lacks: 29 February in a common year, 10 October 1582 and the year 0 in standard.
 * Source   CF conventions 1.11, section 4.4.
 */
SST_MUST_CHECK enum sst_status sst_time_axis_parse(const char *units, enum sst_calendar_kind kind,
                                                   struct sst_time_axis *out, struct sst_error *err);

/*
 * The instant of an integer or a floating-point coordinate value. All sums are of whole microseconds, exact; the total
 * is rounded to the nearest second before it is split into day and second, so noise in float32 days never moves a day.
 *
 * Errors   SST_ERR_TIME where the value is not finite, beyond year 1..9999, or a fill that an integer variable holds
 *          where nothing was written (a declared _FillValue is for the caller to know).
 */
SST_MUST_CHECK enum sst_status sst_time_axis_at_integer(const struct sst_time_axis *axis, int64_t value,
                                                        struct sst_instant *out, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_time_axis_at_real(const struct sst_time_axis *axis, double value,
                                                     struct sst_instant *out, struct sst_error *err);

enum sst_leap_rule { SST_LEAP_HOBDAY, SST_LEAP_SKIP, SST_LEAP_OWN };

/* "hobday", "skip", "own". */
const char *sst_leap_rule_name(enum sst_leap_rule rule);

/* Why a day of a slot is kept apart from the slot's other days; the table stands at the head of this file. */
enum sst_class { SST_CLASS_COMMON, SST_CLASS_LEAP, SST_CLASS_FIRST, SST_CLASS_LAST, SST_N_CLASSES };

enum { SST_NO_CLASS = -1 };

/* Which days are pooled. Fixed for a run, written into every output. */
struct sst_pool_rule {
    enum sst_calendar_kind kind;
    enum sst_leap_rule leap;
    int first_year, last_year; /* the baseline, both included */
    int half_window_days; /* H: the window is 2 H + 1 days */
};

struct sst_term {
    int16_t slot;
    int16_t year_class; /* enum sst_class */
};

/* Whether the slot has no pool of its own but is the mean of slots 59 and 61. */
bool sst_pool_is_derived(const struct sst_pool_rule *rule, int slot);

/* Class (enum sst_class) of a day, or SST_NO_CLASS if no pool of the rule holds it. */
int sst_pool_class(const struct sst_pool_rule *rule, struct sst_day day);

/*
 * Terms of the pool round `centre`, in order of the ring from centre-H on (centre-H-1 where COMMON terms reach beyond
 * slot 60), classes ascending within a slot.
 *
 * terms    room for SST_MAX_TERMS.
 * Returns  their number; 0 for a derived slot and for one that is not in the ring. Terms without any day (a class with
 *          no year) are left out.
 */
int sst_pool_terms(const struct sst_pool_rule *rule, int centre, struct sst_term *terms);

/* Number of days that a term has when no file is missing; edge days outside the baseline count. */
int sst_pool_term_days(const struct sst_pool_rule *rule, struct sst_term term);

/* Number of days in the pool round `centre` when no file is missing; 0 for a derived slot. */
int sst_pool_days(const struct sst_pool_rule *rule, int centre);

/* Whether the day is within the baseline's own years (edge days of hobday are not). */
bool sst_pool_in_baseline(const struct sst_pool_rule *rule, struct sst_day day);

#endif
