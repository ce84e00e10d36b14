/* Figures of an event. */
#include "monitor/event_record.h"

#include <math.h>

const char *sst_event_status_name(enum sst_event_status status)
{
    static const char *const names[SST_EVENT_N_STATUSES] = {
#define X(symbol, name, text) name,
        SST_EVENT_STATUS_LIST(X)
#undef X
    };
    return names[status];
}

uint64_t sst_event_id(uint64_t canonical_cell, int32_t first, enum sst_event_direction direction)
{
    enum { DAY_BITS = 22 };
    const uint64_t day = (uint64_t)(first + (1 << (DAY_BITS - 1))) & ((1U << DAY_BITS) - 1);
    return canonical_cell << (DAY_BITS + 1) | day << 1 | (direction == SST_EVENT_COLD);
}

static struct sst_event_intensity intensity_of(const struct sst_event_moments *moments, int32_t n, double at_peak)
{
    return (struct sst_event_intensity){
        .mean = moments->mean, .max = at_peak, .stddev = sqrt(moments->m2 / n), .cumulative = moments->mean * n};
}

/*
 * Change of the difference from the mean, per day, between an end of the event and its peak. The end lies half a day beyond
 * the outermost day, half way to its neighbour; where the series has none, at the outermost day itself, and a day is
 * the least that is divided by.
 */
static double rate(double peak, int32_t days_to_peak, double outermost, double neighbour)
{
    if (isnan(neighbour))
        return (peak - outermost) / (days_to_peak > 0 ? days_to_peak : 1);
    return (peak - 0.5 * (outermost + neighbour)) / (days_to_peak + 0.5);
}

struct sst_event sst_event_of(const struct sst_event_place *place, const struct sst_event_sums *sums)
{
    const double peak = (double)sums->peak_sst - (double)sums->peak_mean;
    const double sign = place->direction == SST_EVENT_WARM ? 1.0 : -1.0;
    const int32_t n = sums->n_days, last = sums->first + n - 1;
    const bool is_event = place->status != SST_EVENT_CANDIDATE;
    struct sst_event event = {
        .id = sst_event_id(place->canonical_cell, sums->first, place->direction),
        .cell = place->cell,
        .status = place->status,
        .first = sums->first,
        .last = last,
        .peak = sums->peak,
        .duration = n,
        .n_unknown = sums->n_unknown,
        .n_filled = sums->n_filled,
        .n_no_category = sums->n_no_category,
        .is_open_start = isnan(sums->before),
        .is_open_end = isnan(sums->after),
        .from_mean = intensity_of(&sums->from_mean, n, peak),
        .from_threshold = intensity_of(&sums->from_threshold, n, (double)sums->peak_sst - (double)sums->peak_threshold),
        .absolute = intensity_of(&sums->absolute, n, (double)sums->peak_sst),
        .rate_onset = sign * rate(peak, sums->peak - sums->first, sums->at_first, sums->before),
        .rate_decline = sign * rate(peak, last - sums->peak, sums->at_last, sums->after),
        .severity = sums->severity,
        .category = is_event ? sst_event_category(sums->severity) : 0,
        .flags = sums->flags,
    };
    for (int i = 0; i < SST_EVENT_N_CATEGORIES; ++i)
        event.n_category[i] = sums->n_category[i];
    return event;
}
