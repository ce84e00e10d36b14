/* Text to numbers; a small grammar decides, the C library only converts. */
#include "app/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Longer than any number that a person types; also the room for a copy of one item of a list. */
enum { MAX_NUMBER_LENGTH = 64, MAX_PAIR_DIGITS = 5 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Skips digits; NULL if there is none. */
static const char *skip_digits(const char *at)
{
    if (!is_digit(*at))
        return NULL;
    while (is_digit(*at))
        ++at;
    return at;
}

static const char *skip_sign(const char *at) { return *at == '+' || *at == '-' ? at + 1 : at; }

/* Where a real ends, or NULL if the text does not begin with one. */
static const char *skip_real(const char *at)
{
    at = skip_sign(at);
    if (*at == '.') {
        at = skip_digits(at + 1);
    } else {
        at = skip_digits(at);
        if (at && *at == '.') {
            ++at;
            while (is_digit(*at))
                ++at;
        }
    }
    if (at && (*at == 'e' || *at == 'E'))
        at = skip_digits(skip_sign(at + 1));
    return at;
}

/* strtod() with a point as decimal point, whatever locale a caller has set. */
static bool convert_real(const char *text, double *out)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return false;
    const double value = strtod_l(text, NULL, c_locale);
    freelocale(c_locale);
    if (!isfinite(value))
        return false;
    *out = value;
    return true;
}

bool sst_number_integer(const char *text, int64_t *out)
{
    const char *end = skip_digits(skip_sign(text));
    if (!end || *end)
        return false;
    errno = 0;
    const long long value = strtoll(text, NULL, 10);
    if (errno != 0)
        return false;
    *out = value;
    return true;
}

bool sst_number_real(const char *text, double *out)
{
    const char *end = skip_real(text);
    return end && !*end && convert_real(text, out);
}

bool sst_number_percent(const char *text, double *out)
{
    const char *end = skip_real(text);
    return end && (!*end || (*end == '%' && !end[1])) && convert_real(text, out);
}

/* The bytes of a unit; 0 if it is none. */
static double unit_bytes(const char *unit)
{
    static const char letters[] = "KMGT";
    const char *letter = *unit ? strchr(letters, *unit >= 'a' ? *unit - 'a' + 'A' : *unit) : NULL;
    if (!*unit || strcasecmp(unit, "B") == 0)
        return 1.0;
    if (!letter)
        return 0.0;
    const bool is_binary = !unit[1] || strcasecmp(unit + 1, "iB") == 0;
    if (!is_binary && strcasecmp(unit + 1, "B") != 0)
        return 0.0;
    return pow(is_binary ? 1024.0 : 1000.0, (double)(letter - letters + 1));
}

bool sst_number_size(const char *text, uint64_t *out)
{
    double value = 0.0;
    const char *end = skip_real(text);
    const double unit = end ? unit_bytes(end) : 0.0;
    if (unit == 0.0 || !convert_real(text, &value) || !(value >= 0.0 && value * unit < 0x1p63))
        return false;
    *out = (uint64_t)(value * unit);
    return true;
}

bool sst_number_list(const char *text, bool percent, size_t capacity, double *out, size_t *n_out)
{
    size_t n = 0;
    for (const char *at = text;; ++n) {
        char item[MAX_NUMBER_LENGTH];
        const size_t length = strcspn(at, ",");
        if (n == capacity || length >= sizeof item)
            return false;
        memcpy(item, at, length);
        item[length] = '\0';
        if (!(percent ? sst_number_percent(item, &out[n]) : sst_number_real(item, &out[n])))
            return false;
        at += length;
        if (!*at)
            break;
        ++at;
    }
    *n_out = n + 1;
    return true;
}

/* Exactly `n_digits` digits; NULL if there are fewer. */
static const char *read_digits(const char *at, int n_digits, int *out)
{
    int value = 0;
    for (int i = 0; i < n_digits; ++i, ++at) {
        if (!is_digit(*at))
            return NULL;
        value = 10 * value + (*at - '0');
    }
    *out = value;
    return at;
}

static const char *read_literal(const char *at, const char *literal)
{
    const size_t length = strlen(literal);
    return at && strncmp(at, literal, length) == 0 ? at + length : NULL;
}

bool sst_number_years(const char *text, int *first, int *last)
{
    int from = 0;
    int to = 0;
    const char *after_first = read_digits(text, 4, &from);
    if (!after_first)
        return false;
    const char *end = read_literal(after_first, "-");
    end = end ? end : read_literal(after_first, "..");
    end = end ? read_digits(end, 4, &to) : NULL;
    if (!end || *end) {
        end = read_literal(after_first, "-01-01/");
        end = end ? read_digits(end, 4, &to) : NULL;
        end = read_literal(end, "-12-31");
    }
    if (!end || *end)
        return false;
    *first = from;
    *last = to;
    return true;
}

/* One digit to MAX_PAIR_DIGITS. */
static const char *read_short_number(const char *at, int *out)
{
    const char *end = at ? skip_digits(at) : NULL;
    return end && end - at <= MAX_PAIR_DIGITS ? read_digits(at, (int)(end - at), out) : NULL;
}

bool sst_number_pair(const char *text, char separator, int *first, int *second)
{
    int a = 0;
    int b = 0;
    const char between[] = {separator, '\0'};
    const char *end = read_short_number(text, &a);
    end = read_short_number(read_literal(end, between), &b);
    if (!end || *end)
        return false;
    *first = a;
    *second = b;
    return true;
}

/* Days that a month has in the calendar that gives it most: February has 30 in 360_day. */
static int longest_month(int month)
{
    static const int days[] = {31, 30, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month >= 1 && month <= 12 ? days[month - 1] : 0;
}

/* month, `separator`, day: two digits each. */
static const char *read_month_day(const char *at, const char *separator, struct sst_month_day *out)
{
    at = at ? read_digits(at, 2, &out->month) : NULL;
    at = read_literal(at, separator);
    at = at ? read_digits(at, 2, &out->day) : NULL;
    return at && out->day >= 1 && out->day <= longest_month(out->month) ? at : NULL;
}

bool sst_number_month_days(const char *text, struct sst_month_day *first, struct sst_month_day *last)
{
    struct sst_month_day from = {0, 0};
    struct sst_month_day to = {0, 0};
    const char *end = read_month_day(text, "", &from);
    end = read_month_day(read_literal(end, "-"), "", &to);
    if (!end) {
        end = read_month_day(text, "-", &from);
        end = read_month_day(read_literal(end, "/"), "-", &to);
    }
    if (!end || *end)
        return false;
    *first = from;
    *last = to;
    return true;
}
