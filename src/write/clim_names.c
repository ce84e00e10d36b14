/* Names of the climatology's variables. */
#include <stdio.h>
#include <string.h>

#include "write/clim_nc.h"

/* "90", "97p5": a percentage as a part of a name. */
static void put_percentage(double percentage, char *buffer, size_t size)
{
    (void)snprintf(buffer, size, "%.6f", percentage);
    size_t length = strlen(buffer);
    while (length && buffer[length - 1] == '0')
        --length;
    buffer[length] = '\0';
    char *point = buffer + strspn(buffer, "0123456789"); /* or a comma, should a caller have set a locale */
    if (*point)
        *point = point[1] ? 'p' : '\0';
}

const char *sst_clim_percentile_name(double percentile, char *buffer)
{
    enum { BUFFER_SIZE = 32 };
    char number[BUFFER_SIZE - sizeof "sst_p"];
    put_percentage(percentile, number, sizeof number);
    (void)snprintf(buffer, BUFFER_SIZE, "sst_p%s", number);
    return buffer;
}

const char *sst_clim_bound_name(double percentile, double coverage, char *buffer)
{
    char name[32], number[24];
    (void)sst_clim_percentile_name(percentile, name);
    put_percentage(100.0 * coverage, number, sizeof number);
    (void)snprintf(buffer, SST_CLIM_NAME_SIZE, "%s_approx_bound%s", name, number);
    return buffer;
}
