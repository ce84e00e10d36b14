/* Calendars and their days: which of them exist, how they follow each other, and how they are numbered and named. */
#include "core/calendar.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { N_MONTHS = 12, DAYS_PER_MONTH_360 = 30, N_SLOTS_360 = N_MONTHS * DAYS_PER_MONTH_360 };

/* The standard calendar leaves out 5 to 14 October 1582, slots 279 to 288. */
enum { GAP_YEAR = 1582, GAP_FIRST_SLOT = 279, GAP_LAST_SLOT = 288, GAP_DAYS = 10 };

/* [d] from 1970-01-01 to the day that the Julian calendar calls 1 January 1970. */
enum { JULIAN_LAG_1970 = 13 };

static const int slots_before_month[N_MONTHS + 1] = {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366};

/* The first name of a kind is the one that we write. */
static const struct {
    const char *name;
    enum sst_calendar_kind kind;
} names[] = {
    {"standard", SST_CALENDAR_STANDARD},
    {"gregorian", SST_CALENDAR_STANDARD},
    {"proleptic_gregorian", SST_CALENDAR_PROLEPTIC_GREGORIAN},
    {"noleap", SST_CALENDAR_NOLEAP},
    {"365_day", SST_CALENDAR_NOLEAP},
    {"all_leap", SST_CALENDAR_ALL_LEAP},
    {"366_day", SST_CALENDAR_ALL_LEAP},
    {"360_day", SST_CALENDAR_360_DAY},
};

enum { N_NAMES = sizeof names / sizeof *names };

enum sst_status sst_calendar_parse(const char *text, enum sst_calendar_kind *out, struct sst_error *err)
{
    static const char blanks[] = " \t\r\n";
    const char *word = text ? text + strspn(text, blanks) : "";
    size_t length = strlen(word);
    while (length > 0 && strchr(blanks, word[length - 1]))
        --length;
    if (length == 0) {
        *out = SST_CALENDAR_STANDARD;
        return SST_OK;
    }
    for (size_t i = 0; i < N_NAMES; ++i) {
        if (strlen(names[i].name) == length && strncasecmp(names[i].name, word, length) == 0) {
            *out = names[i].kind;
            return SST_OK;
        }
    }
    const bool is_known_to_cf = (length == 6 && strncasecmp(word, "julian", length) == 0) ||
                                (length == 4 && strncasecmp(word, "none", length) == 0);
    return sst_fail(err, SST_ERR_TIME,
                    "calendar '%.40s' is %s. Convert the times to standard, proleptic_gregorian, noleap, all_leap or "
                    "360_day",
                    word, is_known_to_cf ? "not supported" : "unknown");
}

const char *sst_calendar_name(enum sst_calendar_kind kind)
{
    for (size_t i = 0; i < N_NAMES; ++i)
        if (names[i].kind == kind)
            return names[i].name;
    return "unknown";
}

int sst_calendar_n_slots(enum sst_calendar_kind kind)
{
    return kind == SST_CALENDAR_360_DAY ? N_SLOTS_360 : SST_N_SLOTS;
}

bool sst_calendar_is_leap(enum sst_calendar_kind kind, int year)
{
    switch (kind) {
    case SST_CALENDAR_STANDARD:
        if (year <= GAP_YEAR)
            return year % 4 == 0;
        break;
    case SST_CALENDAR_PROLEPTIC_GREGORIAN:
        break;
    case SST_CALENDAR_NOLEAP:
    case SST_CALENDAR_360_DAY:
        return false;
    case SST_CALENDAR_ALL_LEAP:
        return true;
    }
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

bool sst_calendar_has_day(enum sst_calendar_kind kind, struct sst_day day)
{
    if (day.slot < 1 || day.slot > sst_calendar_n_slots(kind))
        return false;
    if (kind == SST_CALENDAR_360_DAY)
        return true;
    if (day.slot == SST_SLOT_FEB29)
        return sst_calendar_is_leap(kind, day.year);
    return kind != SST_CALENDAR_STANDARD || day.year != GAP_YEAR || day.slot < GAP_FIRST_SLOT ||
           day.slot > GAP_LAST_SLOT;
}

int sst_calendar_slot(enum sst_calendar_kind kind, int month, int day)
{
    if (month < 1 || month > N_MONTHS || day < 1)
        return 0;
    if (kind == SST_CALENDAR_360_DAY)
        return day <= DAYS_PER_MONTH_360 ? DAYS_PER_MONTH_360 * (month - 1) + day : 0;
    if (day > slots_before_month[month] - slots_before_month[month - 1])
        return 0;
    const int slot = slots_before_month[month - 1] + day;
    return kind == SST_CALENDAR_NOLEAP && slot == SST_SLOT_FEB29 ? 0 : slot;
}

void sst_calendar_month_day(enum sst_calendar_kind kind, int slot, int *month, int *day)
{
    assert(slot >= 1 && slot <= sst_calendar_n_slots(kind));
    if (kind == SST_CALENDAR_360_DAY) {
        *month = (slot - 1) / DAYS_PER_MONTH_360 + 1;
        *day = (slot - 1) % DAYS_PER_MONTH_360 + 1;
        return;
    }
    *month = 1;
    while (slot > slots_before_month[*month])
        ++*month;
    *day = slot - slots_before_month[*month - 1];
}

struct sst_day sst_calendar_next_day(enum sst_calendar_kind kind, struct sst_day day)
{
    do {
        if (++day.slot > sst_calendar_n_slots(kind)) {
            day.slot = 1;
            ++day.year;
        }
    } while (!sst_calendar_has_day(kind, day));
    return day;
}

struct sst_day sst_calendar_previous_day(enum sst_calendar_kind kind, struct sst_day day)
{
    do {
        if (--day.slot < 1) {
            day.slot = sst_calendar_n_slots(kind);
            --day.year;
        }
    } while (!sst_calendar_has_day(kind, day));
    return day;
}

int sst_day_compare(struct sst_day a, struct sst_day b)
{
    if (a.year != b.year)
        return a.year < b.year ? -1 : 1;
    return (a.slot > b.slot) - (a.slot < b.slot);
}

/* For a divisor above 0. */
static int64_t floor_divide(int64_t dividend, int64_t divisor)
{
    const int64_t quotient = dividend / divisor;
    return dividend % divisor < 0 ? quotient - 1 : quotient;
}

static int64_t gregorian_leap_years_before(int64_t year)
{
    return floor_divide(year - 1, 4) - floor_divide(year - 1, 100) + floor_divide(year - 1, 400);
}

/* Days from 1970-01-01 to 1 January of the year. */
static int64_t year_start(enum sst_calendar_kind kind, int64_t year)
{
    const int64_t n_years = year - 1970;
    switch (kind) {
    case SST_CALENDAR_NOLEAP:
        return 365 * n_years;
    case SST_CALENDAR_ALL_LEAP:
        return 366 * n_years;
    case SST_CALENDAR_360_DAY:
        return N_SLOTS_360 * n_years;
    case SST_CALENDAR_STANDARD:
        if (year <= GAP_YEAR)
            return 365 * n_years + floor_divide(year - 1, 4) - floor_divide(1969, 4) + JULIAN_LAG_1970;
        break;
    case SST_CALENDAR_PROLEPTIC_GREGORIAN:
        break;
    }
    return 365 * n_years + gregorian_leap_years_before(year) - gregorian_leap_years_before(1970);
}

/* Slots less those before the day that the year lacks. */
static int days_before_in_year(enum sst_calendar_kind kind, struct sst_day day)
{
    int before = day.slot - 1;
    if (kind != SST_CALENDAR_360_DAY && day.slot > SST_SLOT_FEB29 && !sst_calendar_is_leap(kind, day.year))
        --before;
    if (kind == SST_CALENDAR_STANDARD && day.year == GAP_YEAR && day.slot > GAP_LAST_SLOT)
        before -= GAP_DAYS;
    return before;
}

int64_t sst_calendar_days_since_1970(enum sst_calendar_kind kind, struct sst_day day)
{
    return year_start(kind, day.year) + days_before_in_year(kind, day);
}

struct sst_day sst_calendar_day_at(enum sst_calendar_kind kind, int64_t days_since_1970)
{
    /* The mean length of the year leads to the right year or to one beside it. */
    const int64_t days_in_400_years = year_start(kind, 2370);
    int64_t year = 1970 + floor_divide(400 * days_since_1970, days_in_400_years);
    while (year_start(kind, year) > days_since_1970)
        --year;
    while (year_start(kind, year + 1) <= days_since_1970)
        ++year;
    struct sst_day day = {(int32_t)year, (int32_t)(days_since_1970 - year_start(kind, year)) + 1};
    if (kind == SST_CALENDAR_360_DAY)
        return day;
    if (day.slot >= SST_SLOT_FEB29 && !sst_calendar_is_leap(kind, day.year))
        ++day.slot;
    if (kind == SST_CALENDAR_STANDARD && day.year == GAP_YEAR && day.slot >= GAP_FIRST_SLOT)
        day.slot += GAP_DAYS;
    return day;
}

const char *sst_day_text(enum sst_calendar_kind kind, struct sst_day day, char *buffer)
{
    if (day.slot == 0) {
        (void)snprintf(buffer, SST_DAY_TEXT_SIZE, "no day");
        return buffer;
    }
    int month = 0, day_of_month = 0;
    sst_calendar_month_day(kind, day.slot, &month, &day_of_month);
    (void)snprintf(buffer, SST_DAY_TEXT_SIZE, "%04d-%02d-%02d", day.year, month, day_of_month);
    return buffer;
}
