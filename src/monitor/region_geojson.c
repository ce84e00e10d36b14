/* Regions out of GeoJSON (RFC 7946). */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/region.h"

enum { LEAST_POSITIONS = 4, MOST_POSITIONS = 1000000, NAME_ROOM = 64 };

/* Where in the text one is, for messages. */
struct source {
    const char *what;
    size_t feature; /* counted from 1 */
};

static enum sst_status refuse(const struct source *source, const char *why, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_INPUT, "%s: feature %zu: %s. Give closed polygons of (longitude, latitude) in degrees",
                    source->what, source->feature, why);
}

/* --- rings -------------------------------------------------------------------------------------------------------- */

static bool take_position(const json_t *position, double *lon, double *lat)
{
    if (json_array_size(position) < 2 || !json_is_number(json_array_get(position, 0)) ||
        !json_is_number(json_array_get(position, 1)))
        return false;
    *lon = json_number_value(json_array_get(position, 0));
    *lat = json_number_value(json_array_get(position, 1));
    return fabs(*lon) <= 720 && fabs(*lat) <= 90;
}

static enum sst_status take_ring(const struct source *source, const json_t *ring, struct sst_region *region,
                                 struct sst_error *err)
{
    const size_t n = json_array_size(ring);
    double *lon = NULL, *lat = NULL;
    enum sst_status rc = SST_OK;
    if (n < LEAST_POSITIONS || n > MOST_POSITIONS)
        return refuse(source, "a ring has fewer than four positions, or more than a million", err);
    SST_TRY_GOTO(sst_alloc(n, sizeof *lon, "a ring of a region", &lon, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *lat, "a ring of a region", &lat, err));
    for (size_t i = 0; i < n; ++i)
        if (!take_position(json_array_get(ring, i), &lon[i], &lat[i])) {
            rc = refuse(source, "a position is no place", err);
            goto done;
        }
    if (lon[0] != lon[n - 1] || lat[0] != lat[n - 1])
        rc = refuse(source, "a ring does not end where it begins", err);
    else
        rc = sst_region_add_ring(region, lon, lat, n - 1, err);
done:
    sst_free(lon);
    sst_free(lat);
    return rc;
}

static enum sst_status take_polygon(const struct source *source, const json_t *rings, struct sst_region *region,
                                    struct sst_error *err)
{
    if (json_array_size(rings) == 0)
        return refuse(source, "a polygon has no ring", err);
    for (size_t i = 0; i < json_array_size(rings); ++i)
        SST_TRY(take_ring(source, json_array_get(rings, i), region, err));
    return SST_OK;
}

static bool is_type(const json_t *object, const char *type)
{
    const char *has = json_string_value(json_object_get(object, "type"));
    return has && strcmp(has, type) == 0;
}

static enum sst_status take_geometry(const struct source *source, const json_t *geometry, struct sst_region *region,
                                     struct sst_error *err)
{
    const json_t *coordinates = json_object_get(geometry, "coordinates");
    if (is_type(geometry, "Polygon"))
        return take_polygon(source, coordinates, region, err);
    if (!is_type(geometry, "MultiPolygon") || json_array_size(coordinates) == 0)
        return refuse(source, "its geometry is neither a Polygon nor a MultiPolygon", err);
    for (size_t i = 0; i < json_array_size(coordinates); ++i)
        SST_TRY(take_polygon(source, json_array_get(coordinates, i), region, err));
    return SST_OK;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* What files can be called after: other letters are _, and no two follow each other. */
static void make_name(const char *title, char name[NAME_ROOM])
{
    size_t n = 0;
    for (const char *at = title; *at && n + 1 < NAME_ROOM; ++at) {
        const unsigned char letter = (unsigned char)*at;
        if (letter < 128 && (isalnum(letter) || letter == '-'))
            name[n++] = (char)tolower(letter);
        else if (n > 0 && name[n - 1] != '_')
            name[n++] = '_';
    }
    while (n > 0 && name[n - 1] == '_')
        --n;
    name[n] = '\0';
}

static enum sst_status name_region(const struct source *source, const json_t *feature, struct sst_region *region,
                                   struct sst_error *err)
{
    const json_t *properties = json_object_get(feature, "properties");
    const char *name = json_string_value(json_object_get(properties, "name"));
    const char *title = json_string_value(json_object_get(properties, "title"));
    char file_name[NAME_ROOM], place[NAME_ROOM];
    if (!name)
        name = json_string_value(json_object_get(feature, "id"));
    (void)snprintf(place, sizeof place, "region_%zu", source->feature);
    make_name(name ? name : place, file_name);
    SST_TRY(sst_strdup(file_name[0] ? file_name : place, &region->name, err));
    if (!title)
        title = name && *name ? name : place;
    return sst_strdup(title, &region->title, err);
}

/* --- features ----------------------------------------------------------------------------------------------------- */

static enum sst_status check_name(const struct source *source, const struct sst_region_set *set, const char *name,
                                  struct sst_error *err)
{
    for (size_t i = 0; i < set->n; ++i)
        if (strcmp(set->regions[i].name, name) == 0)
            return sst_fail(err, SST_ERR_INPUT, "%s: feature %zu: there is a region '%s' already. Give it another name",
                            source->what, source->feature, name);
    return SST_OK;
}

static enum sst_status take_feature(const struct source *source, const json_t *feature, struct sst_region_set *set,
                                    const struct sst_domain *domain, struct sst_error *err)
{
    struct sst_region region = {0};
    enum sst_status rc = SST_OK;
    const json_t *geometry = is_type(feature, "Feature") ? json_object_get(feature, "geometry") : feature;
    SST_TRY_GOTO(name_region(source, feature, &region, err));
    SST_TRY_GOTO(check_name(source, set, region.name, err));
    SST_TRY_GOTO(take_geometry(source, geometry, &region, err));
    SST_TRY_GOTO(sst_region_find_cells(&region, domain, err));
    if (region.n_cells == 0) {
        rc = sst_fail(
            err, SST_ERR_GRID,
            "%s: feature %zu: the region '%s' holds the centre of no cell of the grid. Give one that lies in it",
            source->what, source->feature, region.name);
        goto done;
    }
    SST_TRY_GOTO(sst_grow(&set->regions, &set->capacity, set->n + 1, sizeof *set->regions, "the regions", err));
    set->regions[set->n++] = region;
    region = (struct sst_region){0};
done:
    sst_region_clear(&region);
    return rc;
}

static enum sst_status take_root(const json_t *root, const char *what, struct sst_region_set *set,
                                 const struct sst_domain *domain, struct sst_error *err)
{
    struct source source = {what, 1};
    if (!is_type(root, "FeatureCollection"))
        return take_feature(&source, root, set, domain, err);
    const json_t *features = json_object_get(root, "features");
    if (json_array_size(features) == 0)
        return sst_fail(err, SST_ERR_INPUT, "%s: has no feature. Give at least one polygon", what);
    for (size_t i = 0; i < json_array_size(features); ++i) {
        source.feature = i + 1;
        SST_TRY(take_feature(&source, json_array_get(features, i), set, domain, err));
    }
    return SST_OK;
}

enum sst_status sst_region_add_geojson(struct sst_region_set *set, const char *text, size_t n_bytes, const char *what,
                                       const struct sst_domain *domain, struct sst_error *err)
{
    const size_t n_before = set->n;
    json_error_t where;
    json_t *root = json_loadb(text, n_bytes, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return sst_fail(err, SST_ERR_INPUT, "%s: line %d: is not JSON: %s. Give polygons as GeoJSON", what, where.line,
                        where.text);
    const enum sst_status rc = take_root(root, what, set, domain, err);
    json_decref(root);
    while (rc != SST_OK && set->n > n_before)
        sst_region_clear(&set->regions[--set->n]);
    return rc;
}
