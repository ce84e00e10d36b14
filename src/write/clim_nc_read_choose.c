/* Which variables of a climatology are its percentile and its mean, by the names that tools give them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "write/clim_nc.h"
#include "write/clim_nc_read_private.h"

/* Names with a number behind: sst_p90 (ours), p90 (ESA CCI, xclim), thresh90. */
static const char *const percentile_stems[] = {"sst_p", "p", "thresh", "thresh_", "threshold_", "sst_clim_p"};

/* Names that say percentile but not which (90 among users of heatwaves), in the order of trust. */
static const char *const percentile_names[] = {
    "thresh", "threshold", "threshHW", "sst_clim_ninetieth_percentile_variable", "m90", "mclim_p90", "sst_per"};

static const char *const mean_names[] = {"sst_mean", "seas",        "sst_clim_mean", "mean",
                                         "clim",     "climatology", "mclim",         "sst_clim"};

#define N_OF(list) (sizeof(list) / sizeof *(list))

double sst_clim_name_percentile(const char *name)
{
    for (size_t i = 0; i < N_OF(percentile_stems); ++i) {
        const size_t length = strlen(percentile_stems[i]);
        char number[16] = "", *end = NULL;
        if (strncasecmp(name, percentile_stems[i], length) != 0 || strlen(name + length) >= sizeof number)
            continue;
        (void)snprintf(number, sizeof number, "%s", name + length);
        char *point = strchr(number, 'p'); /* sst_p97p5 */
        if (point)
            *point = '.';
        if (number[0] < '0' || number[0] > '9' || number[strspn(number, "0123456789.")] != '\0')
            continue;
        const double percentile = strtod(number, &end);
        if (*end == '\0' && percentile > 0.0 && percentile < 100.0)
            return percentile;
    }
    return NAN;
}

static bool is_mean_name(const char *name)
{
    for (size_t i = 0; i < N_OF(mean_names); ++i)
        if (strcasecmp(name, mean_names[i]) == 0)
            return true;
    return false;
}

/* Beside the values ours has fields of other things, which are never candidates. */
static bool is_companion(const char *name)
{
    static const char *const ends[] = {"_lower", "_upper", "_obs", "_flag", "_bound95", "_bound99"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < N_OF(ends); ++i) {
        const size_t n_end = strlen(ends[i]);
        if (length > n_end && strcmp(name + length - n_end, ends[i]) == 0)
            return true;
    }
    return false;
}

/* A field by day of that name, in the spelling of the file. */
static bool has_field(const struct sst_clim_nc *nc, const char *wanted, char *name)
{
    int n_vars = 0;
    if (nc_inq_nvars(nc->ncid, &n_vars) != NC_NOERR)
        return false;
    for (int varid = 0; varid < n_vars; ++varid)
        if (nc_inq_varname(nc->ncid, varid, name) == NC_NOERR && strcasecmp(name, wanted) == 0 &&
            sst_clim_nc_is_field(nc, varid))
            return true;
    name[0] = '\0';
    return false;
}

/* Fields by day that may be a temperature, as "'a', 'b'"; `only` gets the last one's name. Returns their number. */
static size_t list_candidates(const struct sst_clim_nc *nc, char *list, size_t size, char *only)
{
    int n_vars = 0;
    size_t n = 0, length = 0;
    list[0] = only[0] = '\0';
    if (nc_inq_nvars(nc->ncid, &n_vars) != NC_NOERR)
        return 0;
    for (int varid = 0; varid < n_vars; ++varid) {
        char name[NC_MAX_NAME + 1];
        if (!sst_clim_nc_is_field(nc, varid) || nc_inq_varname(nc->ncid, varid, name) != NC_NOERR || is_companion(name))
            continue;
        if (length < size) {
            const int added = snprintf(list + length, size - length, "%s'%s'", n ? ", " : "", name);
            length += added > 0 ? (size_t)added : 0;
        }
        (void)snprintf(only, NC_MAX_NAME + 1, "%s", name);
        ++n;
    }
    return n;
}

/* Variables whose name tells a percentile: the wanted one, or the only one there is. Returns how many would do. */
static size_t find_numbered(const struct sst_clim_nc *nc, double wanted, char *name)
{
    int n_vars = 0;
    size_t n = 0;
    name[0] = '\0';
    if (nc_inq_nvars(nc->ncid, &n_vars) != NC_NOERR)
        return 0;
    for (int varid = 0; varid < n_vars; ++varid) {
        char candidate[NC_MAX_NAME + 1];
        if (nc_inq_varname(nc->ncid, varid, candidate) != NC_NOERR)
            continue;
        const double percentile = sst_clim_name_percentile(candidate);
        if (isnan(percentile) || (!isnan(wanted) && percentile != wanted) || !sst_clim_nc_is_field(nc, varid))
            continue;
        (void)snprintf(name, NC_MAX_NAME + 1, "%s", candidate);
        ++n;
    }
    return n;
}

static enum sst_status refuse_choice(const char *found, size_t n, const struct sst_clim_choice *choice,
                                     struct sst_error *err)
{
    const char *option = choice->variable_options[SST_CLIM_PERCENTILE];
    const char *name_it = option ? option : "the options";
    if (n == 0)
        return sst_fail(err, SST_ERR_INPUT, "no variable is a temperature by calendar day. Name one with %s", name_it);
    if (!isnan(choice->percentile))
        return sst_fail(err, SST_ERR_INPUT,
                        "no variable is known to be percentile %g; there are %.300s. Name it with %s",
                        choice->percentile, found, name_it);
    return sst_fail(err, SST_ERR_INPUT, "it is not clear which variable is the percentile: %.300s. Name it with %s",
                    found, name_it);
}

static enum sst_status choose_percentile(const struct sst_clim_nc *nc, const struct sst_clim_choice *choice, char *name,
                                         struct sst_error *err)
{
    char exact[32], found[SST_CLIM_READ_TEXT_SIZE], only[NC_MAX_NAME + 1];
    if (!isnan(choice->percentile) && has_field(nc, sst_clim_percentile_name(choice->percentile, exact), name))
        return SST_OK;
    const size_t n_numbered = find_numbered(nc, choice->percentile, name);
    if (n_numbered == 1)
        return SST_OK;
    for (size_t i = 0; n_numbered == 0 && i < N_OF(percentile_names); ++i)
        if (has_field(nc, percentile_names[i], name))
            return SST_OK;
    name[0] = '\0';
    const size_t n = list_candidates(nc, found, sizeof found, only);
    if (n_numbered == 0 && n == 1) {
        /* Named as the mean, or as a mean is: then there is no percentile. */
        const char *mean = choice->variables[SST_CLIM_MEAN];
        const bool is_mean = mean ? strcmp(only, mean) == 0 : is_mean_name(only);
        const double other = sst_clim_name_percentile(only);
        if (!is_mean && isnan(other))
            (void)snprintf(name, NC_MAX_NAME + 1, "%s", only);
        if (is_mean || isnan(other))
            return SST_OK;
    }
    return refuse_choice(found, n, choice, err);
}

enum sst_status sst_clim_nc_choose(const struct sst_clim_nc *nc, enum sst_clim_field field,
                                   const struct sst_clim_choice *choice, char *name, struct sst_error *err)
{
    name[0] = '\0';
    if (choice->variables[field]) {
        if (strlen(choice->variables[field]) > NC_MAX_NAME)
            return sst_fail(err, SST_ERR_INPUT, "a variable's name has at most %d letters. Name another", NC_MAX_NAME);
        (void)snprintf(name, NC_MAX_NAME + 1, "%s", choice->variables[field]);
        return SST_OK;
    }
    if (field == SST_CLIM_PERCENTILE)
        return choose_percentile(nc, choice, name, err);
    for (size_t i = 0; i < N_OF(mean_names); ++i)
        if (has_field(nc, mean_names[i], name))
            return SST_OK;
    return SST_OK;
}
