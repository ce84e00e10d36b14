/* Temperature units as files spell them, through UDUNITS; the home of udunits2.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <udunits2.h>

#include "stream/decode_private.h"

/* [K] of 0 degC. */
#define ZERO_CELSIUS_KELVIN 273.15

/* [1] Slopes nearer to 1 than this are 1: Kelvin and Celsius have one step, and probing at two points leaves rounding. */
#define UNIT_SLOPE_TOLERANCE 1e-12

/* Spellings met in daily SST files that UDUNITS knows too: reading its database takes 8 ms, too long for every file. */
static const struct {
    const char *text;
    bool is_kelvin;
} listed[] = {
    {"kelvin", true},
    {"Kelvin", true},
    {"K", true},
    {"degK", true},
    {"degree_Celsius", false},
    {"degrees_Celsius", false},
    {"degree_C", false},
    {"degrees_C", false},
    {"deg_C", false},
    {"degC", false},
    {"Celsius", false},
    {"celsius", false},
    {"degree_celsius", false},
    {"degrees_celsius", false},
    {"\xc2\xb0"
     "C",
     false},
};

/* What writers mean although UDUNITS reads something else: C is coulomb, "degrees C" an angle times a charge. */
static const struct {
    const char *text, *meant;
} aliases[] = {
    {"C", "degree_Celsius"},
    {"deg C", "degree_Celsius"},
    {"deg. C", "degree_Celsius"},
    {"degree C", "degree_Celsius"},
    {"degrees C", "degree_Celsius"},
    {"Degrees C", "degree_Celsius"},
    {"Deg C", "degree_Celsius"},
    {"Degree C", "degree_Celsius"},
    {"degree Celsius", "degree_Celsius"},
    {"degrees Celsius", "degree_Celsius"},
    {"Degrees Celsius", "degree_Celsius"},
    {"deg Celsius", "degree_Celsius"},
    {"degrees celsius", "degree_Celsius"},
    {"degree celsius", "degree_Celsius"},
    {"CELSIUS", "degree_Celsius"},
    {"DEGC", "degree_Celsius"},
    {"KELVIN", "kelvin"},
    {"deg K", "kelvin"},
    {"degrees K", "kelvin"},
    {"degree K", "kelvin"},
    {"degrees Kelvin", "kelvin"},
    {"degrees kelvin", "kelvin"},
    {"degree Kelvin", "kelvin"},
    {"degree kelvin", "kelvin"},
};

static const char *meant_by(const char *units)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; ++i)
        if (strcmp(units, aliases[i].text) == 0)
            return aliases[i].meant;
    return units;
}

bool sst_decode_units_listed(const char *units, struct sst_decode_conversion *out)
{
    for (size_t i = 0; i < sizeof listed / sizeof *listed; ++i) {
        if (strcmp(units, listed[i].text) != 0)
            continue;
        *out =
            (struct sst_decode_conversion){.slope = 1.0, .intercept = listed[i].is_kelvin ? -ZERO_CELSIUS_KELVIN : 0.0};
        return true;
    }
    return false;
}

static enum sst_status convert(ut_system *system, const char *units, struct sst_decode_conversion *out,
                               struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    cv_converter *converter = NULL;
    ut_unit *celsius = ut_parse(system, "degree_Celsius", UT_UTF8);
    ut_unit *unit = ut_parse(system, units, UT_UTF8);
    if (!unit) {
        rc = sst_fail(err, SST_ERR_INPUT,
                      "units '%s' are not known to UDUNITS. Use --units degree_Celsius or --units kelvin", units);
        goto done;
    }
    if (!celsius || !ut_are_convertible(unit, celsius)) {
        char reading[SST_DECODE_TEXT_SIZE];
        const int length = ut_format(unit, reading, sizeof reading, UT_ASCII | UT_NAMES);
        if (length <= 0 || (size_t)length >= sizeof reading)
            (void)snprintf(reading, sizeof reading, "something else");
        rc = sst_fail(err, SST_ERR_INPUT,
                      "units '%s' is not a temperature (UDUNITS reads it as %s). Use --units degree_Celsius or --units "
                      "kelvin",
                      units, reading);
        goto done;
    }
    converter = ut_get_converter(unit, celsius);
    if (!converter) {
        rc = sst_fail(err, SST_ERR_INPUT, "units '%s' cannot be converted to degree_Celsius. Use --units", units);
        goto done;
    }
    out->intercept = cv_convert_double(converter, 0.0);
    out->slope = (cv_convert_double(converter, 1000.0) - out->intercept) / 1000.0;
    if (fabs(out->slope - 1.0) < UNIT_SLOPE_TOLERANCE)
        out->slope = 1.0;
done:
    cv_free(converter);
    ut_free(unit);
    ut_free(celsius);
    return rc;
}

enum sst_status sst_decode_units_parsed(const char *units, struct sst_decode_conversion *out, struct sst_error *err)
{
    (void)ut_set_error_message_handler(ut_ignore);
    ut_system *system = ut_read_xml(NULL);
    if (!system)
        return sst_fail(
            err, SST_ERR_INPUT,
            "units '%s': the database of UDUNITS cannot be read. Set UDUNITS2_XML_PATH, or use --units kelvin "
            "or --units degree_Celsius",
            units);
    const enum sst_status rc = convert(system, units, out, err);
    ut_free_system(system);
    return rc;
}

bool sst_decode_is_temperature(const char *units)
{
    struct sst_decode_conversion ignored;
    struct sst_error silent = {0};
    const char *meant = meant_by(units);
    if (units[0] == '\0')
        return false;
    return sst_decode_units_listed(meant, &ignored) || sst_decode_units_parsed(meant, &ignored, &silent) == SST_OK;
}

enum sst_status sst_decode_units(const char *units, struct sst_decode_conversion *out, char *used, size_t size,
                                 bool *was_alias, struct sst_error *err)
{
    const char *meant = meant_by(units);
    *was_alias = meant != units;
    (void)snprintf(used, size, "%s", meant);
    if (sst_decode_units_listed(meant, out))
        return SST_OK;
    return sst_decode_units_parsed(meant, out, err);
}
