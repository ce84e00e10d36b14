/*
 * Text to numbers, strictly: the whole text is the number, a decimal point is a point in every locale, and what strtod()
 * would also take (nan, inf, hexadecimal, leading blanks) is refused.
 */
#ifndef SST_APP_NUMBER_H
#define SST_APP_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All return whether the text is what they read; `*out` is untouched where it is not. */

/* [+-]digits */
bool sst_number_integer(const char *text, int64_t *out);

/* [+-]digits[.digits][e[+-]digits]; out of double's range is refused. */
bool sst_number_real(const char *text, double *out);

/* A real with or without "%": "1%" and "1" are both 1. [percent] */
bool sst_number_percent(const char *text, double *out);

/*
 * Bytes: a real, and behind it nothing, "B", a K, M, G or T (alone or as KiB, MiB, ...: powers of 1024) or kB, MB, GB, TB
 * (powers of 1000), in letters of either case. Parts of a byte are cut off.
 */
bool sst_number_size(const char *text, uint64_t *out);

/*
 * Reals separated by single commas, at most `capacity`.
 *
 * n_out    how many there are.
 * percent  each may end in "%".
 */
bool sst_number_list(const char *text, bool percent, size_t capacity, double *out, size_t *n_out);

/* "1991-2020", "1991..2020", or "1991-01-01/2020-12-31" where both ends are those of whole years. Four digits a year. */
bool sst_number_years(const char *text, int *first, int *last);

/* Two whole numbers of one to five digits with one character between them: "180x90". */
bool sst_number_pair(const char *text, char separator, int *first, int *second);

struct sst_month_day {
    int month, day;
};

/* "0601-0831" or "06-01/08-31"; a month and a day of it that some calendar has. */
bool sst_number_month_days(const char *text, struct sst_month_day *first, struct sst_month_day *last);

#endif
