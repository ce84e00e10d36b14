/* Whether a file is preliminary: from its name, its attributes, and what the user says. */
#include "stream/decode_status.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "stream/decode_private.h"

/* --- the rule ----------------------------------------------------------------------------------------------------- */

/* False where the text is empty or does not fit. */
static bool copy(const char *text, size_t length, char *out)
{
    if (length == 0 || length >= SST_STATUS_TEXT_SIZE)
        return false;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

bool sst_status_rule_read(const char *text, struct sst_status_rule *out)
{
    static const char *const words[] = {"auto", "final", "preliminary"}; /* in the order of enum sst_status_source */
    static const char name[] = "name:", attribute[] = "attribute:";
    *out = (struct sst_status_rule){.source = SST_STATUS_AUTO};
    for (int word = SST_STATUS_AUTO; word <= SST_STATUS_PRELIMINARY; ++word) {
        out->source = (enum sst_status_source)word;
        if (!text || strcmp(text, words[word]) == 0)
            return true;
    }
    if (strncmp(text, name, sizeof name - 1) == 0) {
        text += sizeof name - 1;
        out->source = SST_STATUS_NAME;
        return copy(text, strlen(text), out->pattern);
    }
    if (strncmp(text, attribute, sizeof attribute - 1) != 0)
        return false;
    text += sizeof attribute - 1;
    const char *equals = strchr(text, '=');
    out->source = SST_STATUS_ATTRIBUTE;
    return equals && copy(text, (size_t)(equals - text), out->attribute) &&
           copy(equals + 1, strlen(equals + 1), out->pattern);
}

/* --- attributes that each file has of its own --------------------------------------------------------------------- */

const char *sst_decode_own_name(const struct sst_file *file, enum sst_decode_own_text which)
{
    static const char *const names[SST_OWN_STATUS] = {"title",    "id",     "product_version", "version",
                                                      "platform", "sensor", "instrument"};
    if (which != SST_OWN_STATUS)
        return names[which];
    return file->status_rule.source == SST_STATUS_ATTRIBUTE ? file->status_rule.attribute : NULL;
}

void sst_decode_read_own(const struct sst_file *file, struct sst_decode_own *out)
{
    for (int which = 0; which < SST_N_OWN_TEXTS; ++which) {
        const char *name = sst_decode_own_name(file, (enum sst_decode_own_text)which);
        out->texts[which][0] = '\0';
        if (name)
            sst_decode_attr_text(file->ncid, NC_GLOBAL, name, out->texts[which], sizeof out->texts[which]);
    }
}

/* ERA5 says of each of its days which it is: 0001, or 0005 (ERA5T), which is replaced after some months. */
static bool is_era5t(const char *text) { return strtol(text, NULL, 10) == 5; }

static enum sst_status fail_expver(struct sst_error *err)
{
    return sst_fail(err, SST_ERR_INPUT,
                    "variable 'expver' cannot be read. Fetch the file again, or say with "
                    "--status-from whether it is final");
}

static enum sst_status find_era5t_number(struct sst_file *file, int varid, size_t n, struct sst_error *err)
{
    int *values = NULL;
    SST_TRY(sst_alloc(n, sizeof *values, "expver", &values, err));
    const bool is_read = nc_get_var_int(file->ncid, varid, values) == NC_NOERR;
    for (size_t i = 0; i < n && is_read; ++i)
        file->info.is_preliminary |= values[i] == 5;
    sst_free(values);
    return is_read ? SST_OK : fail_expver(err);
}

static enum sst_status find_era5t_text(struct sst_file *file, int varid, size_t n, struct sst_error *err)
{
    char **values = NULL;
    SST_TRY(sst_alloc(n, sizeof *values, "expver", &values, err));
    const bool is_read = nc_get_var_string(file->ncid, varid, values) == NC_NOERR;
    for (size_t i = 0; i < n && is_read; ++i)
        file->info.is_preliminary |= values[i] && is_era5t(values[i]);
    if (is_read)
        (void)nc_free_string(n, values);
    sst_free(values);
    return is_read ? SST_OK : fail_expver(err);
}

static size_t n_values(const struct sst_file *file, const int *dims, int n_dims)
{
    enum { MAX_VALUES = 1 << 20 }; /* days of a file; more is no variable of days */
    size_t n = 1, length = 0;
    for (int i = 0; i < n_dims; ++i) {
        if (nc_inq_dimlen(file->ncid, dims[i], &length) != NC_NOERR || length == 0 || length > MAX_VALUES / n)
            return 0;
        n *= length;
    }
    return n;
}

/* In files of many days one such day makes all of them preliminary: better a final day late than an early one for good. */
enum sst_status sst_decode_read_expver(struct sst_file *file, struct sst_error *err)
{
    int varid = -1, n_dims = 0, dims[NC_MAX_VAR_DIMS];
    nc_type type = NC_NAT;
    file->has_expver = nc_inq_varid(file->ncid, "expver", &varid) == NC_NOERR;
    if (!file->has_expver || file->status_rule.source != SST_STATUS_AUTO)
        return SST_OK;
    if (nc_inq_var(file->ncid, varid, NULL, &type, &n_dims, dims, NULL) != NC_NOERR)
        return fail_expver(err);
    const size_t n = n_values(file, dims, n_dims);
    if (n == 0 || type == NC_CHAR)
        return SST_OK;
    return type == NC_STRING ? find_era5t_text(file, varid, n, err) : find_era5t_number(file, varid, n, err);
}

/* --- what they tell ----------------------------------------------------------------------------------------------- */

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcasecmp(text + length - end_length, end) == 0;
}

/* By name (OISST), where the title ends in it, or by a version (MUR: "04.1nrt"). */
static bool says_preliminary(const struct sst_file *file, const struct sst_decode_own *own)
{
    const char *title = own->texts[SST_OWN_TITLE];
    switch (file->status_rule.source) {
    case SST_STATUS_FINAL:
        return false;
    case SST_STATUS_PRELIMINARY:
        return true;
    case SST_STATUS_NAME:
        return fnmatch(file->status_rule.pattern, file->base_name, 0) == 0;
    case SST_STATUS_ATTRIBUTE:
        return own->texts[SST_OWN_STATUS][0] && fnmatch(file->status_rule.pattern, own->texts[SST_OWN_STATUS], 0) == 0;
    case SST_STATUS_AUTO:
        break;
    }
    return strstr(file->base_name, "_preliminary") || strcasestr(title, "preliminary") ||
           strcasestr(title, "- interim") || strcasestr(title, ", interim") ||
           ends_in(own->texts[SST_OWN_PRODUCT_VERSION], "nrt");
}

/* A product under another version is another product; many name it in their id or title already. */
static enum sst_status name_product(struct sst_file *file, const struct sst_decode_own *own, struct sst_error *err)
{
    static const char word[] = "version";
    const char *base = own->texts[own->texts[SST_OWN_ID][0] ? SST_OWN_ID : SST_OWN_TITLE];
    const char *version =
        own->texts[own->texts[SST_OWN_PRODUCT_VERSION][0] ? SST_OWN_PRODUCT_VERSION : SST_OWN_VERSION];
    if (strncasecmp(version, word, sizeof word - 1) == 0)
        version += sizeof word - 1 + strspn(version + sizeof word - 1, " ");
    if (!base[0] || !version[0] || strstr(base, version))
        return sst_strdup(base, &file->product, err);
    return sst_asprintf(&file->product, err, "%s, version %s", base, version);
}

/* "MetOp-B, AVHRR": whatever is said of them, in that order. */
static enum sst_status name_sensor(struct sst_file *file, const struct sst_decode_own *own, struct sst_error *err)
{
    const char *const texts[] = {own->texts[SST_OWN_PLATFORM], own->texts[SST_OWN_SENSOR],
                                 own->texts[SST_OWN_INSTRUMENT]};
    char joined[3 * SST_DECODE_TEXT_SIZE] = "";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        const size_t length = strlen(joined);
        if (texts[i][0])
            (void)snprintf(joined + length, sizeof joined - length, "%s%s", length > 0 ? "; " : "", texts[i]);
    }
    return sst_strdup(joined, &file->sensor, err);
}

enum sst_status sst_decode_take_own(struct sst_file *file, const struct sst_decode_own *own, struct sst_error *err)
{
    static const double hadisst_ice_degc = -1000.0; /* HadISST writes it where ice covers the cell */
    SST_TRY(sst_strdup(own->texts[SST_OWN_TITLE], &file->title, err));
    SST_TRY(name_product(file, own, err));
    SST_TRY(name_sensor(file, own, err));
    file->info.title = file->title;
    file->info.product = file->product;
    file->info.sensor = file->sensor;
    file->info.is_preliminary = says_preliminary(file, own);
    file->ice_code_degc = strcasestr(file->title, "HadISST") ? hadisst_ice_degc : NAN;
    return SST_OK;
}
