/* A text that grows, the same on every machine: numbers are written in the C locale whatever the program's own is. */
#include "core/text.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

/* Room for so many more bytes and the NUL. */
static bool make_room(struct sst_text *text, size_t n_bytes)
{
    if (text->failed != SST_OK)
        return false;
    if (n_bytes >= (size_t)PTRDIFF_MAX - text->size) /* no object is larger */
        text->failed = SST_ERR_NOMEM;
    else
        text->failed = sst_grow(&text->data, &text->capacity, text->size + n_bytes + 1, 1, "a text", NULL);
    return text->failed == SST_OK;
}

void sst_text_add_bytes(struct sst_text *text, const char *bytes, size_t n_bytes)
{
    if (!make_room(text, n_bytes))
        return;
    if (n_bytes > 0)
        memcpy(text->data + text->size, bytes, n_bytes);
    text->size += n_bytes;
    text->data[text->size] = '\0';
}

void sst_text_add(struct sst_text *text, const char *string)
{
    if (string)
        sst_text_add_bytes(text, string, strlen(string));
}

/* vsnprintf in the C locale of this thread alone; -1 where it fails. */
static int format_in_c(char *buffer, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static int format_in_c(char *buffer, size_t size, const char *format, va_list args)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0)
        return -1;
    const locale_t before = uselocale(c_locale);
    const int length = vsnprintf(buffer, size, format, args);
    (void)uselocale(before);
    freelocale(c_locale);
    return length;
}

void sst_text_addf(struct sst_text *text, const char *format, ...)
{
    char small[256]; /* most are short: one pass */
    va_list args, again;
    if (text->failed != SST_OK)
        return;
    va_start(args, format);
    va_copy(again, args);
    const int length = format_in_c(small, sizeof small, format, args);
    va_end(args);
    if (length < 0) {
        text->failed = SST_ERR_NOMEM;
    } else if ((size_t)length < sizeof small) {
        sst_text_add_bytes(text, small, (size_t)length);
    } else if (make_room(text, (size_t)length)) {
        if (format_in_c(text->data + text->size, (size_t)length + 1, format, again) == length)
            text->size += (size_t)length;
        else
            text->failed = SST_ERR_NOMEM;
        text->data[text->size] = '\0';
    }
    va_end(again);
}

/*
 * Bytes of the UTF-8 character at `at`, 0 where there is none (RFC 3629: no overlong forms, no surrogates, nothing above
 * U+10FFFF) or where it is a control character of U+0080..U+009F or a non-character that XML does not allow.
 */
static size_t length_of_character(const unsigned char *at)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t length;
    } forms[] = {{0xC2, 0xC2, 0xA0, 0xBF, 2}, {0xC3, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                 {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
                 {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        if (at[0] < forms[i].first_low || at[0] > forms[i].first_high)
            continue;
        if (at[1] < forms[i].second_low || at[1] > forms[i].second_high)
            return 0;
        for (size_t k = 2; k < forms[i].length; ++k) {
            if (at[k] < 0x80 || at[k] > 0xBF)
                return 0;
        }
        const bool is_noncharacter = at[0] == 0xEF && at[1] == 0xBF && at[2] >= 0xBE;
        return is_noncharacter ? 0 : forms[i].length;
    }
    return 0;
}

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

static void add_clean_ascii(struct sst_text *text, char c)
{
    if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7F)
        sst_text_add(text, replacement);
    else
        sst_text_add_bytes(text, &c, 1);
}

static void add_escaped_ascii(struct sst_text *text, char c)
{
    if (c == '&')
        sst_text_add(text, "&amp;");
    else if (c == '<')
        sst_text_add(text, "&lt;");
    else if (c == '>')
        sst_text_add(text, "&gt;");
    else if (c == '"')
        sst_text_add(text, "&quot;");
    else if (c == '\'')
        sst_text_add(text, "&#39;");
    else
        add_clean_ascii(text, c);
}

/* Characters of one byte by `add_ascii`, all others as they are, what is none as U+FFFD. */
static void add_characters(struct sst_text *text, const char *string, void (*add_ascii)(struct sst_text *text, char c))
{
    for (const char *at = string; at && *at;) {
        if ((unsigned char)*at < 0x80) {
            add_ascii(text, *at++);
            continue;
        }
        const size_t length = length_of_character((const unsigned char *)at);
        if (length > 0)
            sst_text_add_bytes(text, at, length);
        else
            sst_text_add(text, replacement);
        at += length > 0 ? length : 1;
    }
}

void sst_text_add_escaped(struct sst_text *text, const char *string)
{
    add_characters(text, string, add_escaped_ascii);
}

void sst_text_add_clean(struct sst_text *text, const char *string) { add_characters(text, string, add_clean_ascii); }

void sst_text_add_base64(struct sst_text *text, const unsigned char *bytes, size_t n_bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (n_bytes > PTRDIFF_MAX / 2) {
        text->failed = text->failed != SST_OK ? text->failed : SST_ERR_NOMEM;
        return;
    }
    if (!make_room(text, (n_bytes + 2) / 3 * 4))
        return;
    for (size_t i = 0; i < n_bytes; i += 3) {
        const size_t n_left = n_bytes - i;
        const unsigned second = n_left > 1 ? bytes[i + 1] : 0, third = n_left > 2 ? bytes[i + 2] : 0;
        const unsigned group = (unsigned)bytes[i] << 16 | second << 8 | third;
        text->data[text->size++] = digits[group >> 18];
        text->data[text->size++] = digits[group >> 12 & 63];
        text->data[text->size++] = n_left > 1 ? digits[group >> 6 & 63] : '=';
        text->data[text->size++] = n_left > 2 ? digits[group & 63] : '=';
    }
    text->data[text->size] = '\0';
}

enum sst_status sst_text_check(const struct sst_text *text, struct sst_error *err)
{
    if (text->failed == SST_OK)
        return SST_OK;
    return sst_fail(err, text->failed, "a text: %s after %zu bytes", sst_status_text(text->failed), text->size);
}

void sst_text_clear(struct sst_text *text)
{
    sst_free(text->data);
    *text = (struct sst_text){0};
}

const char *sst_size_text(uint64_t bytes, bool is_needed, char buffer[SST_SIZE_TEXT])
{
    const bool is_large = bytes >= 1000000000;
    const double steps = (double)bytes / (is_large ? 1e8 : 1e6), whole = is_needed ? ceil(steps) : floor(steps);
    (void)snprintf(buffer, SST_SIZE_TEXT, "%.*f %s", is_large, is_large ? whole / 10.0 : whole, is_large ? "GB" : "MB");
    return buffer;
}
