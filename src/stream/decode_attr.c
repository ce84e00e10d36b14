/* Attributes as writers really store them: numbers of any type, texts as char or string, numbers as text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/decode_private.h"

/*
 * [B], [strings] Longer attributes are histories or damaged headers; none that is looked at here comes near. They fit on the
 * stack, so that no lack of memory makes a file look as if it had no units.
 */
enum { MAX_ATTR_BYTES = 1 << 15, MAX_ATTR_STRINGS = 1 << 12 };

/* Joins the strings of a string attribute with blanks, as a char attribute would hold them. */
static void join_strings(char *const *strings, size_t n, char *buffer, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < n; ++i) {
        const char *text = strings[i] ? strings[i] : "";
        const int written = snprintf(buffer + length, size - length, "%s%s", i ? " " : "", text);
        if (written < 0 || (size_t)written >= size - length)
            return;
        length += (size_t)written;
    }
}

static void read_strings(int ncid, int varid, const char *name, size_t n, char *buffer, size_t size)
{
    char *strings[MAX_ATTR_STRINGS] = {NULL};
    if (n > MAX_ATTR_STRINGS || nc_get_att_string(ncid, varid, name, strings) != NC_NOERR)
        return;
    join_strings(strings, n, buffer, size);
    (void)nc_free_string(n, strings);
}

static void read_chars(int ncid, int varid, const char *name, size_t n, char *buffer, size_t size)
{
    char text[MAX_ATTR_BYTES + 1] = "";
    if (n <= MAX_ATTR_BYTES && nc_get_att_text(ncid, varid, name, text) == NC_NOERR)
        (void)snprintf(buffer, size, "%s", text);
}

void sst_decode_trim(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    const size_t leading = strspn(text, " \t\r\n");
    memmove(text, text + leading, length - leading + 1);
}

void sst_decode_attr_text(int ncid, int varid, const char *name, char *buffer, size_t size)
{
    nc_type type = NC_NAT;
    size_t n = 0;
    buffer[0] = '\0';
    if (nc_inq_att(ncid, varid, name, &type, &n) != NC_NOERR || n == 0)
        return;
    if (type == NC_STRING)
        read_strings(ncid, varid, name, n, buffer, size);
    else if (type == NC_CHAR)
        read_chars(ncid, varid, name, n, buffer, size);
    sst_decode_trim(buffer);
}

static enum sst_status parse_numbers(const char *text, const char *name, double *out, size_t room, size_t *n,
                                     struct sst_error *err)
{
    const char *at = text;
    while (*(at += strspn(at, " \t\r\n,")) != '\0') {
        char *end = NULL;
        const double value = strtod(at, &end);
        if (strchr("fFdDsSbB", *end) && *end)
            ++end; /* as ncdump and FORTRAN mark types */
        if (end == at || (*end != '\0' && !strchr(" \t\r\n,", *end)))
            return sst_fail(err, SST_ERR_INPUT, "%s is the text \"%.60s\", which is no number", name, text);
        if (*n == room)
            return sst_fail(err, SST_ERR_INPUT, "%s has more than %zu values", name, room);
        out[(*n)++] = value;
        at = end;
    }
    return SST_OK;
}

static enum sst_status read_numbers(const struct sst_file *file, int varid, const char *name, double *out, size_t room,
                                    size_t *n, nc_type *type, struct sst_error *err)
{
    size_t length = 0;
    *n = 0;
    if (nc_inq_att(file->ncid, varid, name, type, &length) != NC_NOERR || length == 0)
        return SST_OK;
    if (*type == NC_CHAR || *type == NC_STRING) {
        char text[SST_DECODE_TEXT_SIZE];
        sst_decode_attr_text(file->ncid, varid, name, text, sizeof text);
        return parse_numbers(text, name, out, room, n, err);
    }
    if (*type > NC_MAX_ATOMIC_TYPE)
        return sst_fail(err, SST_ERR_INPUT, "%s is of a type that holds no numbers", name);
    if (length > room)
        return sst_fail(err, SST_ERR_INPUT, "%s has %zu values, not %s%zu", name, length, room > 1 ? "at most " : "",
                        room);
    const int status = nc_get_att_double(file->ncid, varid, name, out);
    if (status != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "%s cannot be read: %s", name, nc_strerror(status));
    *n = length;
    return SST_OK;
}

enum sst_status sst_decode_attr_numbers(const struct sst_file *file, int varid, const char *name, double *out,
                                        size_t room, size_t *n, nc_type *type, struct sst_error *err)
{
    nc_type stored = NC_NAT;
    const enum sst_status rc = read_numbers(file, varid, name, out, room, n, &stored, err);
    if (rc != SST_OK) {
        char variable[NC_MAX_NAME + 1] = "";
        (void)nc_inq_varname(file->ncid, varid, variable);
        sst_error_prefix(err, "variable '%s'", variable);
    }
    if (type)
        *type = stored;
    return rc;
}
