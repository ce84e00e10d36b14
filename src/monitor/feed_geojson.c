/* Areas and regions as GeoJSON. */
#include <jansson.h>
#include <math.h>

#include "core/mem.h"
#include "monitor/feed_areas.h"
#include "monitor/feed_regions.h"
#include "monitor/feed_rings.h"
#include "monitor/feed_values.h"

enum { PLACE_DECIMALS = 6 }; /* a tenth of a metre: what RFC 7946, 11.2 takes for enough */

/* --- geometry ----------------------------------------------------------------------------------------------------- */

static json_t *ring_json(struct sst_feed_maker *maker, const struct sst_outline *outline,
                         const struct sst_outline_ring *ring)
{
    json_t *out = sst_feed_array(maker);
    for (size_t i = ring->first; i < ring->first + ring->n; ++i) {
        json_t *position = sst_feed_array(maker);
        sst_feed_append_number(maker, position, outline->lon[i], PLACE_DECIMALS);
        sst_feed_append_number(maker, position, outline->lat[i], PLACE_DECIMALS);
        sst_feed_append(maker, out, position);
    }
    return out;
}

/* null where there is no ring. */
static json_t *geometry_json(struct sst_feed_maker *maker, const struct sst_outline *outline)
{
    json_t *polygons = sst_feed_array(maker), *polygon = NULL;
    for (size_t i = 0; i < outline->n_rings; ++i) {
        if (!outline->rings[i].is_hole) {
            sst_feed_append(maker, polygons, sst_feed_array(maker));
            polygon = json_array_get(polygons, json_array_size(polygons) - 1);
        }
        sst_feed_append(maker, polygon, ring_json(maker, outline, &outline->rings[i]));
    }
    const size_t n = json_array_size(polygons);
    json_t *out = n == 0 ? json_null() : sst_feed_object(maker);
    if (n > 0) {
        sst_feed_set_text(maker, out, "type", n == 1 ? "Polygon" : "MultiPolygon");
        sst_feed_set(maker, out, "coordinates",
                     n == 1 ? json_incref(json_array_get(polygons, 0)) : json_incref(polygons));
    }
    json_decref(polygons);
    return out;
}

static void set_box(struct sst_feed_maker *maker, json_t *object, struct sst_feed_spans *spans)
{
    enum { N_SIDES = 4 };
    double box[N_SIDES];
    if (!sst_feed_spans_box(spans, box))
        return;
    json_t *out = sst_feed_array(maker);
    for (int i = 0; i < N_SIDES; ++i)
        sst_feed_append_number(maker, out, box[i], PLACE_DECIMALS);
    sst_feed_set(maker, object, "bbox", out);
}

/* --- collections -------------------------------------------------------------------------------------------------- */

/* A collection in the making. */
struct collection {
    struct sst_feed_maker maker;
    const struct sst_feed_about *about;
    json_t *features;
    struct sst_outline outline; /* of one feature after another */
    struct sst_feed_spans spans, all; /* of a feature, of the collection */
};

static void start(struct collection *out, const struct sst_feed_about *about)
{
    *out = (struct collection){.maker = {.calendar = about->calendar, .grid = about->domain->grid}, .about = about};
    out->features = sst_feed_array(&out->maker);
}

/* Adds a feature with the outline at hand; `id` and `properties` are taken over. */
static enum sst_status add_feature(struct collection *collection, json_t *id, json_t *properties, struct sst_error *err)
{
    struct sst_feed_maker *maker = &collection->maker;
    json_t *feature = sst_feed_object(maker);
    enum sst_status rc = SST_OK;
    sst_feed_set_text(maker, feature, "type", "Feature");
    sst_feed_set(maker, feature, "id", id);
    collection->spans.n = 0;
    SST_TRY_GOTO(sst_feed_spans_add(&collection->spans, &collection->outline, err));
    SST_TRY_GOTO(sst_feed_spans_add(&collection->all, &collection->outline, err));
    set_box(maker, feature, &collection->spans);
    sst_feed_set(maker, feature, "geometry", geometry_json(maker, &collection->outline));
    sst_feed_set(maker, feature, "properties", json_incref(properties));
    sst_feed_append(maker, collection->features, json_incref(feature));
done:
    json_decref(properties);
    json_decref(feature);
    return rc;
}

static json_t *metadata_json(struct collection *collection, const struct sst_feed_day *day, int64_t now,
                             const char *title)
{
    struct sst_feed_maker *maker = &collection->maker;
    json_t *out = sst_feed_object(maker);
    sst_feed_set_time(maker, out, "generated", now);
    sst_feed_set_text(maker, out, "title", title);
    sst_feed_set_count(maker, out, "count", (int64_t)json_array_size(collection->features));
    sst_feed_set_text(maker, out, "product", collection->about->product);
    sst_feed_set_text(maker, out, "climatology_id", collection->about->climatology_id);
    sst_feed_set_day(maker, out, "day", day->day);
    sst_feed_set_count(maker, out, "revision", day->revision);
    sst_feed_set_text(maker, out, "input_status", sst_feed_input_status(day->is_absent, day->is_preliminary));
    sst_feed_set_day(maker, out, "valid_until_revised", sst_feed_final_from(collection->about, day->day));
    return out;
}

static enum sst_status finish(struct collection *collection, json_t *metadata, struct sst_text *out,
                              struct sst_error *err)
{
    struct sst_feed_maker *maker = &collection->maker;
    json_t *whole = sst_feed_object(maker);
    sst_feed_set_text(maker, whole, "type", "FeatureCollection");
    sst_feed_set(maker, whole, "metadata", metadata);
    set_box(maker, whole, &collection->all);
    sst_feed_set(maker, whole, "features", collection->features);
    collection->features = NULL;
    return sst_feed_dump(maker, whole, out, err);
}

static void clear(struct collection *collection)
{
    json_decref(collection->features);
    sst_outline_clear(&collection->outline);
    sst_feed_spans_clear(&collection->spans);
    sst_feed_spans_clear(&collection->all);
}

/* --- areas -------------------------------------------------------------------------------------------------------- */

static json_t *area_json(struct sst_feed_maker *maker, const struct sst_area *area, int revision)
{
    json_t *out = sst_feed_object(maker);
    sst_feed_set_area(maker, out, "id", area->id);
    sst_feed_set_text(maker, out, "status", sst_area_status_name(area->status));
    sst_feed_set_day(maker, out, "first", area->first);
    sst_feed_set_day(maker, out, "last", area->last);
    sst_feed_set_count(maker, out, "n_days", area->n_days);
    sst_feed_set_count(maker, out, "category", area->category);
    sst_feed_set_text(maker, out, "category_name", sst_feed_category_name(area->category));
    sst_feed_set_count(maker, out, "highest_category", area->highest_category);
    sst_feed_set_number(maker, out, "area_km2", area->km2, 1);
    sst_feed_set_number(maker, out, "most_area_km2", area->most_km2, 1);
    sst_feed_set_number(maker, out, "lat", area->lat, 3);
    sst_feed_set_number(maker, out, "lon", area->lon, 3);
    sst_feed_set_number(maker, out, "intensity_mean", area->mean_intensity, 3);
    sst_feed_set_number(maker, out, "intensity_max", area->max_intensity, 3);
    sst_feed_set_number(maker, out, "intensity_peak", area->peak_intensity, 3);
    sst_feed_set_day(maker, out, "peak", area->peak);
    sst_feed_set_area(maker, out, "merged_into", area->merged_into);
    sst_feed_set_area(maker, out, "split_from", area->split_from);
    sst_feed_set_count(maker, out, "revision", revision);
    return out;
}

static json_t *area_id_json(const struct collection *collection, uint64_t id)
{
    char text[SST_AREA_ID_TEXT_SIZE];
    return json_string(sst_area_id_text(id, collection->about->domain->grid, text));
}

static enum sst_status add_area(struct collection *collection, const struct sst_area *area, int revision,
                                struct sst_error *err)
{
    json_t *properties = area_json(&collection->maker, area, revision);
    return add_feature(collection, area_id_json(collection, area->id), properties, err);
}

static enum sst_status add_areas(struct collection *collection, const struct sst_feed_areas *areas, int64_t *n_small,
                                 struct sst_error *err)
{
    const struct sst_feed_day *day = areas->day;
    for (size_t i = 0; i < day->n_present; ++i) {
        if (sst_feed_is_small(&day->areas[i], areas->min_km2)) {
            ++*n_small;
            continue;
        }
        SST_TRY(sst_area_outline(areas->tracker, i, &collection->outline, err));
        SST_TRY(add_area(collection, &day->areas[i], day->revision, err));
    }
    collection->outline.n_rings = collection->outline.n_positions = 0;
    for (size_t i = 0; i < areas->n_past; ++i) {
        if (sst_feed_is_small(&areas->past[i].area, areas->min_km2))
            ++*n_small;
        else
            SST_TRY(add_area(collection, &areas->past[i].area, areas->past[i].revision, err));
    }
    return SST_OK;
}

enum sst_status sst_feed_areas_geojson(const struct sst_feed_areas *areas, struct sst_text *out, struct sst_error *err)
{
    struct collection collection;
    int64_t n_small = 0;
    enum sst_status rc = SST_OK;
    start(&collection, areas->about);
    SST_TRY_GOTO(add_areas(&collection, areas, &n_small, err));
    json_t *metadata = metadata_json(&collection, areas->day, areas->now, areas->about->title);
    sst_feed_set_number(&collection.maker, metadata, "least_area_km2", areas->min_km2, 1);
    sst_feed_set_count(&collection.maker, metadata, "smaller_areas_left_out", n_small);
    rc = finish(&collection, metadata, out, err);
done:
    clear(&collection);
    return rc;
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

enum sst_status sst_feed_regions_geojson(const struct sst_feed_about *about, const struct sst_feed_day *day,
                                         int64_t now, struct sst_text *out, struct sst_error *err)
{
    struct collection collection;
    enum sst_status rc = SST_OK;
    start(&collection, about);
    for (size_t i = 0; i < about->regions->n; ++i) {
        const struct sst_region *region = &about->regions->regions[i];
        SST_TRY_GOTO(sst_feed_region_outline(region, &collection.outline, err));
        json_t *properties = sst_feed_object(&collection.maker);
        sst_feed_set_text(&collection.maker, properties, "name", region->name);
        sst_feed_set_text(&collection.maker, properties, "title", region->title);
        sst_feed_set_region_day(&collection.maker, properties, &day->regions[i]);
        SST_TRY_GOTO(add_feature(&collection, json_string(region->name), properties, err));
    }
    rc = finish(&collection, metadata_json(&collection, day, now, about->title), out, err);
done:
    clear(&collection);
    return rc;
}
