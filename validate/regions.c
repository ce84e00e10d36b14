/* Boxes, bands and seasons. */
#include "validate/regions.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Widths to choose from. [degrees] */
static const double widths[] = {1, 2, 5, 10, 15, 30, 45};
enum { N_WIDTHS = sizeof widths / sizeof widths[0], MONTHS_OF_SEASON = 3, DECEMBER = 12 };

/* Of a text such as "150E": room for any %g. */
enum { DEGREES_SIZE = 16 };

#define CIRCLE 360.0
#define BELOW_POLE 89.999 /* a cell at the pole belongs to the band below it */

static struct sst_regions make(const struct sst_domain *domain, double width, bool whole_circle)
{
    const double first = sst_domain_lat(domain, 0), last = sst_domain_lat(domain, domain->n_rows - 1);
    const double south = floor(fmin(fmin(first, last), BELOW_POLE) / width);
    const double north = floor(fmin(fmax(first, last), BELOW_POLE) / width);
    const double west = floor(sst_domain_lon(domain, 0) / width);
    const double east = floor(sst_domain_lon(domain, domain->n_cols - 1) / width);
    struct sst_regions regions = {
        .south = south * width,
        .west = west * width,
        .width = width,
        .n_lat = (size_t)(north - south) + 1,
        .n_lon = (size_t)(east - west) + 1,
        .whole_circle = whole_circle,
    };
    /* A box that begins within one box and ends within it after a whole round. */
    const size_t most = (size_t)(CIRCLE / width);
    if (regions.n_lon > most)
        regions.n_lon = most;
    if (whole_circle)
        regions.n_lon = 1;
    return regions;
}

static struct sst_regions smallest(const struct sst_domain *domain, bool whole_circle)
{
    struct sst_regions regions = make(domain, widths[0], whole_circle);
    for (int i = 1; i < N_WIDTHS && sst_regions_count(regions) > SST_MAX_REGIONS; ++i)
        regions = make(domain, widths[i], whole_circle);
    return regions;
}

struct sst_regions sst_regions_boxes(const struct sst_domain *domain) { return smallest(domain, false); }

struct sst_regions sst_regions_bands(const struct sst_domain *domain) { return smallest(domain, true); }

size_t sst_regions_at(struct sst_regions regions, double lat, double lon)
{
    const double row = floor((lat - regions.south) / regions.width);
    const double east = lon - regions.west - CIRCLE * floor((lon - regions.west) / CIRCLE); /* 0..360 */
    const size_t i = row < 0 ? 0 : (size_t)row < regions.n_lat ? (size_t)row : regions.n_lat - 1;
    if (regions.whole_circle)
        return i;
    const size_t j = (size_t)(east / regions.width);
    return i * regions.n_lon + (j < regions.n_lon ? j : regions.n_lon - 1);
}

static const char *put_latitude(double lat, char *buffer, size_t size)
{
    (void)snprintf(buffer, size, "%g%s", fabs(lat), lat < 0 ? "S" : lat > 0 ? "N" : "");
    return buffer;
}

/* From any convention to 0E..180, 179W..0. */
static const char *put_longitude(double lon, char *buffer, size_t size)
{
    double east = lon - CIRCLE * floor(lon / CIRCLE);
    if (east > CIRCLE / 2)
        east -= CIRCLE;
    const bool is_named = east != 0 && east != CIRCLE / 2;
    (void)snprintf(buffer, size, "%g%s", fabs(east), !is_named ? "" : east < 0 ? "W" : "E");
    return buffer;
}

const char *sst_regions_name(struct sst_regions regions, size_t region, char *buffer)
{
    char south[DEGREES_SIZE], north[DEGREES_SIZE], west[DEGREES_SIZE], east[DEGREES_SIZE];
    const size_t row = region / regions.n_lon, col = region % regions.n_lon;
    const double lat = regions.south + (double)row * regions.width, lon = regions.west + (double)col * regions.width;
    put_latitude(lat, south, sizeof south);
    put_latitude(fmin(lat + regions.width, 90.0), north, sizeof north);
    if (regions.whole_circle) {
        (void)snprintf(buffer, SST_REGION_NAME_SIZE, "%s-%s", south, north);
        return buffer;
    }
    (void)snprintf(buffer, SST_REGION_NAME_SIZE, "%s-%s %s-%s", south, north, put_longitude(lon, west, sizeof west),
                   put_longitude(lon + regions.width, east, sizeof east));
    return buffer;
}

size_t sst_season_of(enum sst_calendar_kind calendar, int slot)
{
    int month = 0, day = 0;
    sst_calendar_month_day(calendar, slot, &month, &day);
    return (size_t)(month % DECEMBER / MONTHS_OF_SEASON);
}

const char *sst_season_name(size_t season)
{
    static const char *const names[SST_N_SEASONS] = {"Dec-Feb", "Mar-May", "Jun-Aug", "Sep-Nov"};
    return names[season];
}
