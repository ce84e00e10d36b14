/* What is told of a day. */
#include "monitor/event_day.h"

#include <math.h>

#include "monitor/event_ring_private.h"

static struct sst_event_value value_of(const struct sst_event_day *day, size_t cell)
{
    return (struct sst_event_value){
        .sst = day->sst[cell],
        .mean = day->mean[cell],
        .threshold = day->threshold[cell],
        .flags = day->flags[cell] ? SST_EVENT_ICE : 0,
    };
}

static enum sst_event_surface surface_of(const struct sst_event_value *value, unsigned flags)
{
    if (isnan(value->mean) || isnan(value->threshold))
        return SST_EVENT_SURFACE_LAND;
    if (flags & SST_EVENT_ICE)
        return SST_EVENT_SURFACE_ICE;
    if (flags & SST_EVENT_NO_VARIANCE)
        return SST_EVENT_SURFACE_NO_VARIANCE;
    return isnan(value->sst) ? SST_EVENT_SURFACE_MISSING : SST_EVENT_SURFACE_WATER;
}

struct sst_event_cell_day sst_event_cell_day(const struct sst_event_day *day, enum sst_event_direction direction,
                                             size_t cell)
{
    const struct sst_event_value value = value_of(day, cell);
    struct sst_event_cell_day out = {
        .surface = surface_of(&value, sst_event_flags(direction, &value)),
        .category = SST_EVENT_CATEGORY_FILL,
        .anomaly = (float)((double)value.sst - (double)value.mean),
        .severity = NAN,
    };
    if (out.surface != SST_EVENT_SURFACE_WATER)
        return out;
    out.category = 0;
    if (!sst_event_is_beyond(direction, &value))
        return out;
    const double severity = sst_event_severity(&value);
    out.severity = (float)severity;
    if (day->labels[cell] == SST_EVENT_LABEL_EVENT)
        out.category = sst_event_category(severity);
    return out;
}

void sst_event_ring_areas(const struct sst_event_ring *ring, int32_t at, const double *weights,
                          struct sst_event_areas *out)
{
    const struct sst_event_day day = sst_event_ring_day(ring, at);
    *out = (struct sst_event_areas){0};
    for (size_t cell = 0; cell < ring->spec.n_cells; ++cell) {
        const struct sst_event_cell_day told = sst_event_cell_day(&day, ring->spec.rule.direction, cell);
        const bool awaits = sst_event_ring_label(ring, at, cell) == SST_EVENT_LABEL_AWAITING;
        if (told.surface == SST_EVENT_SURFACE_LAND)
            continue;
        if (told.surface == SST_EVENT_SURFACE_ICE || told.surface == SST_EVENT_SURFACE_NO_VARIANCE)
            out->outside += weights[cell];
        else if (told.surface == SST_EVENT_SURFACE_MISSING || awaits)
            out->unknown += weights[cell];
        else
            out->category[told.category] += weights[cell];
    }
}
