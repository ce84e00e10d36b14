/* Values by jansson, which refuses what is no UTF-8 and no number: both are put right here. */
#include <jansson.h>
#include <math.h>

#include "monitor/feed_values.h"

enum { DIGITS = 12 }; /* more than all that is written: areas to 0.1 km2, places to a millionth of a degree */

json_t *sst_feed_object(struct sst_feed_maker *maker)
{
    json_t *object = json_object();
    maker->has_failed = maker->has_failed || !object;
    return object;
}

json_t *sst_feed_array(struct sst_feed_maker *maker)
{
    json_t *array = json_array();
    maker->has_failed = maker->has_failed || !array;
    return array;
}

void sst_feed_set(struct sst_feed_maker *maker, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        maker->has_failed = true;
}

void sst_feed_append(struct sst_feed_maker *maker, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        maker->has_failed = true;
}

void sst_feed_set_text(struct sst_feed_maker *maker, json_t *object, const char *key, const char *text)
{
    struct sst_text clean = {0};
    sst_text_add_clean(&clean, text);
    sst_feed_set(maker, object, key, json_string(clean.data ? clean.data : ""));
    maker->has_failed = maker->has_failed || clean.failed != SST_OK;
    sst_text_clear(&clean);
}

static json_t *number(double value, int decimals)
{
    if (!isfinite(value))
        return json_null();
    const double scale = pow(10, decimals);
    return json_real(round(value * scale) / scale + 0.0); /* and -0 is 0 */
}

void sst_feed_set_number(struct sst_feed_maker *maker, json_t *object, const char *key, double value, int decimals)
{
    sst_feed_set(maker, object, key, number(value, decimals));
}

void sst_feed_append_number(struct sst_feed_maker *maker, json_t *array, double value, int decimals)
{
    sst_feed_append(maker, array, number(value, decimals));
}

void sst_feed_set_count(struct sst_feed_maker *maker, json_t *object, const char *key, int64_t value)
{
    sst_feed_set(maker, object, key, json_integer((json_int_t)value));
}

void sst_feed_set_bool(struct sst_feed_maker *maker, json_t *object, const char *key, bool value)
{
    sst_feed_set(maker, object, key, json_boolean(value));
}

void sst_feed_set_day(struct sst_feed_maker *maker, json_t *object, const char *key, struct sst_day day)
{
    char text[SST_DAY_TEXT_SIZE];
    sst_feed_set(maker, object, key,
                 day.slot == 0 ? json_null() : json_string(sst_day_text(maker->calendar, day, text)));
}

void sst_feed_set_time(struct sst_feed_maker *maker, json_t *object, const char *key, int64_t seconds_since_1970)
{
    char text[SST_FEED_TIME_TEXT_SIZE];
    sst_feed_set(maker, object, key, json_string(sst_feed_time_text(seconds_since_1970, text)));
}

void sst_feed_set_area(struct sst_feed_maker *maker, json_t *object, const char *key, uint64_t id)
{
    char text[SST_AREA_ID_TEXT_SIZE];
    sst_feed_set(maker, object, key, id == 0 ? json_null() : json_string(sst_area_id_text(id, maker->grid, text)));
}

void sst_feed_set_region_day(struct sst_feed_maker *maker, json_t *object, const struct sst_region_day *day)
{
    json_t *km2 = sst_feed_object(maker);
    sst_feed_set_number(maker, object, "known_km2", day->known_km2, 1);
    sst_feed_set_number(maker, object, "unknown_km2", day->unknown_km2, 1);
    sst_feed_set_number(maker, object, "outside_km2", day->beside_km2, 1);
    sst_feed_set_number(maker, km2, "bridged", day->category_km2[0], 1);
    for (int category = 1; category <= SST_N_CATEGORIES; ++category)
        sst_feed_set_number(maker, km2, sst_feed_category_name(category), day->category_km2[category], 1);
    sst_feed_set_number(maker, km2, "candidate", day->candidate_km2, 1);
    sst_feed_set(maker, object, "km2", km2);
    sst_feed_set_number(maker, object, "event_share", sst_feed_event_share(day), 6);
    sst_feed_set_number(maker, object, "unknown_share", sst_feed_unknown_share(day), 6);
    sst_feed_set_number(maker, object, "anomaly_mean", day->mean_anomaly, 3);
    sst_feed_set_number(maker, object, "intensity_mean", day->mean_intensity, 3);
    sst_feed_set_number(maker, object, "intensity_max", day->max_intensity, 3);
    sst_feed_set_number(maker, object, "severity_p90", day->p90_severity, 3);
}

static int take_bytes(const char *bytes, size_t n_bytes, void *user)
{
    struct sst_text *out = user;
    sst_text_add_bytes(out, bytes, n_bytes);
    return out->failed == SST_OK ? 0 : -1;
}

enum sst_status sst_feed_dump(struct sst_feed_maker *maker, json_t *whole, struct sst_text *out, struct sst_error *err)
{
    const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(DIGITS);
    const bool is_whole = whole && !maker->has_failed && json_dump_callback(whole, take_bytes, out, flags) == 0;
    json_decref(whole);
    if (!is_whole)
        return sst_fail(err, SST_ERR_NOMEM, "no memory for a JSON file of the feed");
    sst_text_add(out, "\n");
    return sst_text_check(out, err);
}
