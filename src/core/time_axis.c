/* CF time coordinates: reads their units, and turns values into days and seconds in whole microseconds. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/calendar.h"

#define MICROSECONDS_PER_SECOND INT64_C(1000000)
#define MICROSECONDS_PER_DAY (86400 * MICROSECONDS_PER_SECOND)

/* Years that a time may lie in; four digits, as sst_day_text writes them. */
enum { FIRST_YEAR = 1, LAST_YEAR = 9999 };

/* [us] More than any epoch is from any time of those years, and far from overflow when an epoch is added. */
#define MAX_SPAN_MICROSECONDS (INT64_C(20000) * 366 * MICROSECONDS_PER_DAY)

/* What integer variables hold where nothing was written. They are within the years above as seconds since 1981. */
#define NETCDF_INT_FILL INT64_C(-2147483647)
#define NETCDF_UINT_FILL INT64_C(4294967295)

enum { SECONDS_PER_MINUTE = 60, SECONDS_PER_HOUR = 3600 };

/* UTC+14 is the farthest zone in use. */
enum { MAX_ZONE_SECONDS = 14 * SECONDS_PER_HOUR };

enum { N_FRACTION_DIGITS = 6 };

/* What may stand after the word "since". */
struct epoch {
    int year, month, day;
    int seconds; /* [s] since 00:00 */
    int microseconds; /* [us] of the last second */
    int zone_seconds; /* [s] that the clock is ahead of UTC */
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The readers below move `*at` past what they take and leave it alone where they return false. */

static void skip_blanks(const char **at)
{
    while (is_blank(**at))
        ++*at;
}

static bool take_char(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}

/* Letters, of which there may be none. */
static size_t take_word(const char **at, const char **word)
{
    *word = *at;
    while (is_letter(**at))
        ++*at;
    return (size_t)(*at - *word);
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && strncasecmp(word, wanted, length) == 0;
}

/* A number of at most `max_digits`; blanks may stand for its leading zeros. */
static bool take_number(const char **at, int max_digits, int *out)
{
    const char *here = *at;
    skip_blanks(&here);
    int value = 0, n_digits = 0;
    for (; is_digit(*here) && n_digits <= max_digits; ++here, ++n_digits)
        value = 10 * value + (*here - '0');
    if (n_digits == 0 || n_digits > max_digits)
        return false;
    *at = here;
    *out = value;
    return true;
}

static int64_t unit_microseconds(const char *word, size_t length)
{
    static const struct {
        int64_t microseconds;
        const char *names[8];
    } units[] = {
        {1, {"microsecond", "microseconds", "microsec", "microsecs", "us"}},
        {1000, {"millisecond", "milliseconds", "millisec", "millisecs", "msec", "msecs", "ms"}},
        {MICROSECONDS_PER_SECOND, {"second", "seconds", "sec", "secs", "s"}},
        {SECONDS_PER_MINUTE * MICROSECONDS_PER_SECOND, {"minute", "minutes", "min", "mins"}},
        {SECONDS_PER_HOUR * MICROSECONDS_PER_SECOND, {"hour", "hours", "hr", "hrs", "h"}},
        {MICROSECONDS_PER_DAY, {"day", "days", "d"}},
    };
    for (size_t unit = 0; unit < sizeof units / sizeof *units; ++unit)
        for (const char *const *name = units[unit].names; *name; ++name)
            if (is_word(word, length, *name))
                return units[unit].microseconds;
    return 0;
}

static bool has_no_fixed_length(const char *word, size_t length)
{
    static const char *const names[] = {"month", "months", "mon",          "year",        "years",
                                        "yr",    "yrs",    "common_years", "common_year", "a"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (is_word(word, length, names[i]))
            return true;
    return false;
}

static bool take_date(const char **at, struct epoch *epoch)
{
    return take_number(at, 4, &epoch->year) && take_char(at, '-') && take_number(at, 2, &epoch->month) &&
           take_char(at, '-') && take_number(at, 2, &epoch->day);
}

/* Digits after a point; there may be none ("0."). */
static int take_fraction(const char **at)
{
    int microseconds = 0, n_digits = 0;
    for (; is_digit(**at); ++*at) {
        if (n_digits == N_FRACTION_DIGITS)
            continue;
        microseconds = 10 * microseconds + (**at - '0');
        ++n_digits;
    }
    for (; n_digits < N_FRACTION_DIGITS; ++n_digits)
        microseconds *= 10;
    return microseconds;
}

/* HOUR[:MINUTE[:SECOND[.FRACTION]]] */
static bool take_clock(const char **at, struct epoch *epoch)
{
    int hour = 0, minute = 0, second = 0;
    if (!take_number(at, 2, &hour))
        return false;
    if (take_char(at, ':')) {
        if (!take_number(at, 2, &minute))
            return false;
        if (take_char(at, ':')) {
            if (!take_number(at, 2, &second))
                return false;
            if (take_char(at, '.'))
                epoch->microseconds = take_fraction(at);
        }
    }
    epoch->seconds = hour * SECONDS_PER_HOUR + minute * SECONDS_PER_MINUTE + second;
    return hour < 24 && minute < 60 && second < 60;
}

/* +h, +hh, +hmm, +hhmm, +hh:mm, the sign being taken already. */
static bool take_offset(const char **at, int sign, struct epoch *epoch)
{
    if (!is_digit(**at))
        return false;
    const char *start = *at;
    int hour = 0, minute = 0;
    if (!take_number(at, 4, &hour))
        return false;
    if (*at - start > 2) {
        minute = hour % 100;
        hour /= 100;
    } else if (take_char(at, ':')) {
        if (!is_digit(**at) || !take_number(at, 2, &minute))
            return false;
    }
    const int seconds = hour * SECONDS_PER_HOUR + minute * SECONDS_PER_MINUTE;
    epoch->zone_seconds = sign * seconds;
    return minute < 60 && seconds <= MAX_ZONE_SECONDS;
}

static bool take_zone(const char **at, bool has_clock, struct epoch *epoch)
{
    if (has_clock && take_char(at, '+'))
        return take_offset(at, 1, epoch);
    if (has_clock && take_char(at, '-'))
        return take_offset(at, -1, epoch);
    const char *word = NULL;
    const size_t length = take_word(at, &word);
    return length == 0 || is_word(word, length, "Z") || is_word(word, length, "UTC") || is_word(word, length, "UT") ||
           is_word(word, length, "GMT");
}

static bool take_epoch(const char *at, struct epoch *epoch)
{
    if (!take_date(&at, epoch))
        return false;
    const bool has_t = take_char(&at, 'T') || take_char(&at, 't');
    if (!has_t)
        skip_blanks(&at);
    const bool has_clock = has_t || is_digit(*at);
    if (has_clock && !take_clock(&at, epoch))
        return false;
    skip_blanks(&at);
    if (!take_zone(&at, has_clock, epoch))
        return false;
    skip_blanks(&at);
    return *at == '\0';
}

/* COARDS gave the year 0 another meaning, and the standard calendar goes from 1 BC to AD 1. */
static bool has_year(enum sst_calendar_kind kind, int year) { return year != 0 || kind != SST_CALENDAR_STANDARD; }

enum sst_status sst_time_axis_parse(const char *units, enum sst_calendar_kind kind, struct sst_time_axis *out,
                                    struct sst_error *err)
{
    static const char remedy[] = "Write them like 'days since 1970-01-01 00:00:00'";
    if (!units)
        return sst_fail(err, SST_ERR_TIME, "time has no units. %s", remedy);
    const char *at = units;
    skip_blanks(&at);
    const char *unit = at;
    while (*at && !is_blank(*at))
        ++at;
    const size_t unit_length = (size_t)(at - unit);
    skip_blanks(&at);
    const char *since = NULL;
    const size_t since_length = take_word(&at, &since);
    if (!is_word(since, since_length, "since") || !is_blank(*at))
        return sst_fail(err, SST_ERR_TIME, "time units '%.80s' are not 'UNIT since DATE'. %s", units, remedy);
    if (has_no_fixed_length(unit, unit_length))
        return sst_fail(err, SST_ERR_TIME, "time units '%.80s': months and years vary in length. %s", units, remedy);
    const int64_t microseconds = unit_microseconds(unit, unit_length);
    if (microseconds == 0)
        return sst_fail(err, SST_ERR_TIME,
                        "time units '%.80s': the unit is unknown. Known are microseconds, milliseconds, seconds, "
                        "minutes, hours and days",
                        units);
    struct epoch epoch = {0};
    if (!take_epoch(at, &epoch))
        return sst_fail(err, SST_ERR_TIME, "time units '%.80s': the date or time cannot be read. %s", units, remedy);
    const struct sst_day day = {epoch.year, sst_calendar_slot(kind, epoch.month, epoch.day)};
    if (!has_year(kind, day.year) || !sst_calendar_has_day(kind, day))
        return sst_fail(err, SST_ERR_TIME, "time units '%.80s': there is no such day in calendar %s. %s", units,
                        sst_calendar_name(kind), "Correct the units or the calendar attribute");
    const int64_t clock = (epoch.seconds - epoch.zone_seconds) * MICROSECONDS_PER_SECOND + epoch.microseconds;
    const int days_over = clock < 0 ? -1 : clock >= MICROSECONDS_PER_DAY ? 1 : 0;
    *out = (struct sst_time_axis){
        .kind = kind,
        .unit_microseconds = microseconds,
        .epoch_days = sst_calendar_days_since_1970(kind, day) + days_over,
        .epoch_microseconds = clock - days_over * MICROSECONDS_PER_DAY,
    };
    return SST_OK;
}

/* Splits a time into day and second; false where it is beyond the years that have names. */
static bool split(const struct sst_time_axis *axis, int64_t microseconds_since_epoch, struct sst_instant *out)
{
    const int64_t first = sst_calendar_days_since_1970(axis->kind, (struct sst_day){FIRST_YEAR, 1});
    const int64_t end = sst_calendar_days_since_1970(axis->kind, (struct sst_day){LAST_YEAR + 1, 1});
    const int64_t microseconds = microseconds_since_epoch + axis->epoch_microseconds + MICROSECONDS_PER_SECOND / 2 +
                                 (axis->epoch_days - first) * MICROSECONDS_PER_DAY;
    if (microseconds < 0 || microseconds >= (end - first) * MICROSECONDS_PER_DAY)
        return false;
    out->day = sst_calendar_day_at(axis->kind, first + microseconds / MICROSECONDS_PER_DAY);
    out->second = (int32_t)(microseconds % MICROSECONDS_PER_DAY / MICROSECONDS_PER_SECOND);
    return true;
}

enum sst_status sst_time_axis_at_integer(const struct sst_time_axis *axis, int64_t value, struct sst_instant *out,
                                         struct sst_error *err)
{
    if (value == NETCDF_INT_FILL || value == NETCDF_UINT_FILL || value == INT32_MIN)
        return sst_fail(err, SST_ERR_TIME,
                        "time value %" PRId64 " is a fill: the time was never written. Get the file again", value);
    const int64_t limit = MAX_SPAN_MICROSECONDS / axis->unit_microseconds;
    if (value < -limit || value > limit || !split(axis, value * axis->unit_microseconds, out))
        return sst_fail(err, SST_ERR_TIME,
                        "time value %" PRId64 " is beyond the years %d to %d. Check the units of time", value,
                        FIRST_YEAR, LAST_YEAR);
    return SST_OK;
}

enum sst_status sst_time_axis_at_real(const struct sst_time_axis *axis, double value, struct sst_instant *out,
                                      struct sst_error *err)
{
    if (!isfinite(value))
        return sst_fail(err, SST_ERR_TIME, "time value %g is no number: the time was never written. Get the file again",
                        value);
    const int64_t limit = MAX_SPAN_MICROSECONDS / axis->unit_microseconds;
    if (fabs(value) <= (double)limit) {
        /* Both parts are exact in double, so the product of the whole part is exact as an integer. */
        const double whole = floor(value);
        const int64_t microseconds =
            (int64_t)whole * axis->unit_microseconds + llround((value - whole) * (double)axis->unit_microseconds);
        if (split(axis, microseconds, out))
            return SST_OK;
    }
    return sst_fail(err, SST_ERR_TIME, "time value %.17g is beyond the years %d to %d. Check the units of time", value,
                    FIRST_YEAR, LAST_YEAR);
}
