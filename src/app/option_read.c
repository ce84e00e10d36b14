/* The value of one option: read, checked against a range or a list, or refused in words. */
#include "app/option_read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

enum sst_status sst_option_refuse(struct sst_error *err, enum sst_option_id id, const char *text, const char *format,
                                  ...)
{
    const int max_shown = 60;
    char reason[SST_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return sst_fail(err, SST_ERR_USAGE, "--%s %s%.*s%s: %s", sst_option_rows[id].name, *text ? "" : "''", max_shown,
                    text, strlen(text) > (size_t)max_shown ? "..." : "", reason);
}

enum sst_status sst_option_agree(const struct sst_options *options, enum sst_option_id id, const char *text,
                                 enum sst_option_id other, bool is_same, struct sst_error *err)
{
    if (options->is_given[other] && !is_same)
        return sst_option_refuse(err, id, text, "--%s says otherwise. Give one of the two",
                                 sst_option_rows[other].name);
    return SST_OK;
}

enum sst_status sst_option_integer(enum sst_option_id id, const char *text, int64_t low, int64_t high, int64_t *out,
                                   struct sst_error *err)
{
    int64_t value = 0;
    if (!sst_number_integer(text, &value))
        return sst_option_refuse(err, id, text, "not a whole number. Accepted: %" PRId64 " to %" PRId64, low, high);
    if (value < low || value > high)
        return sst_option_refuse(err, id, text, "out of range. Accepted: %" PRId64 " to %" PRId64, low, high);
    *out = value;
    return SST_OK;
}

enum sst_status sst_option_int(enum sst_option_id id, const char *text, int low, int high, int *out,
                               struct sst_error *err)
{
    int64_t value = 0;
    SST_TRY(sst_option_integer(id, text, low, high, &value, err));
    *out = (int)value;
    return SST_OK;
}

enum sst_status sst_option_choice(enum sst_option_id id, const char *text, int *out, struct sst_error *err)
{
    const size_t length = strlen(text);
    const char *word = sst_option_rows[id].argument;
    for (int index = 0;; ++index) {
        const size_t n = strcspn(word, "|");
        if (n == length && memcmp(word, text, n) == 0) {
            *out = index;
            return SST_OK;
        }
        if (!word[n])
            break;
        word += n + 1;
    }
    return sst_option_refuse(err, id, text, "not one of its choices. Accepted: %s", sst_option_rows[id].argument);
}

enum sst_status sst_option_text(enum sst_option_id id, const char *text, char **out, struct sst_error *err)
{
    char *copy = NULL;
    if (!*text)
        return sst_option_refuse(err, id, text, "empty. Give %s, or leave the option out",
                                 sst_option_rows[id].argument);
    SST_TRY(sst_strdup(text, &copy, err));
    sst_free(*out);
    *out = copy;
    return SST_OK;
}

enum sst_status sst_option_output_path(enum sst_option_id id, const char *text, char **out, struct sst_error *err)
{
    if (strcmp(text, "-") == 0)
        return sst_option_refuse(err, id, text, "standard output cannot take it. Give %s; ./- is a file named so",
                                 sst_option_rows[id].argument);
    return sst_option_text(id, text, out, err);
}
