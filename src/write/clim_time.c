/* Nominal days and climatology bounds (CF conventions 1.11, section 7.4). */
#include "write/clim_time.h"

/* Where the axis crosses New Year, and which part must lie in a leap year. */
struct axis_shape {
    int wrap; /* index of the first slot after New Year, n_slots if none */
    int leap_day; /* index of slot 60, -1 if none */
};

static enum sst_status shape_of(const struct sst_pool_rule *pools, const int *slots, int n_slots,
                                struct axis_shape *shape, struct sst_error *err)
{
    const int in_ring = sst_calendar_n_slots(pools->kind);
    if (n_slots < 1 || n_slots > in_ring)
        return sst_fail(err, SST_ERR_INTERNAL, "time axis: %d calendar days asked for, 1 to %d are possible", n_slots,
                        in_ring);
    shape->wrap = n_slots;
    shape->leap_day = -1;
    for (int i = 0; i < n_slots; ++i) {
        const bool goes_on = i == 0 || slots[i] > slots[i - 1];
        const bool crosses = !goes_on && shape->wrap == n_slots;
        if (slots[i] < 1 || slots[i] > in_ring || (!goes_on && !crosses) || (i >= shape->wrap && slots[i] >= slots[0]))
            return sst_fail(err, SST_ERR_INTERNAL, "time axis: slot %d is out of range or out of order", slots[i]);
        if (crosses)
            shape->wrap = i;
        if (slots[i] == SST_SLOT_FEB29)
            shape->leap_day = i;
    }
    return SST_OK;
}

/* The longest run of years without a leap year, as round 1900. */
enum { MAX_YEARS_BETWEEN_LEAP_YEARS = 8 };

static int nominal_year(const struct sst_pool_rule *pools, enum sst_calendar_kind kind)
{
    const int lower = (pools->first_year + pools->last_year) / 2;
    const int upper = (pools->first_year + pools->last_year + 1) / 2;
    if (kind != SST_CALENDAR_STANDARD && kind != SST_CALENDAR_PROLEPTIC_GREGORIAN)
        return lower;
    for (int distance = 0; distance <= MAX_YEARS_BETWEEN_LEAP_YEARS; ++distance) {
        if (sst_calendar_is_leap(kind, lower - distance))
            return lower - distance;
        if (sst_calendar_is_leap(kind, upper + distance))
            return upper + distance;
    }
    return lower;
}

/* The next place to a slot in a window: by date under hobday, else by slot, whether or not the year has such a day. */
static struct sst_day step(const struct sst_pool_rule *pools, struct sst_day day, int direction)
{
    if (pools->leap == SST_LEAP_HOBDAY)
        return direction > 0 ? sst_calendar_next_day(pools->kind, day) : sst_calendar_previous_day(pools->kind, day);
    const int in_ring = sst_calendar_n_slots(pools->kind);
    do {
        day.slot += direction;
        if (day.slot < 1 || day.slot > in_ring) {
            day.slot = direction > 0 ? 1 : in_ring;
            day.year += direction;
        }
    } while (sst_pool_is_derived(pools, day.slot));
    return day;
}

/* The last day, in one direction, of the window round a slot in a year. */
static struct sst_day window_edge(const struct sst_pool_rule *pools, int year, int slot, int direction)
{
    struct sst_day day = {year, slot};
    if (sst_pool_is_derived(pools, slot))
        day.slot += direction; /* made of its neighbours */
    for (int i = 0; i < pools->half_window_days; ++i)
        day = step(pools, day, direction);
    if (sst_calendar_has_day(pools->kind, day))
        return day;
    return direction > 0 ? sst_calendar_previous_day(pools->kind, day) : sst_calendar_next_day(pools->kind, day);
}

enum sst_status sst_clim_time_fill(const struct sst_pool_rule *pools, const int *slots, int n_slots,
                                   struct sst_clim_time *out, struct sst_error *err)
{
    struct axis_shape shape = {0};
    SST_TRY(shape_of(pools, slots, n_slots, &shape, err));
    const bool lacks_leap_day = pools->kind == SST_CALENDAR_NOLEAP && shape.leap_day >= 0;
    out->kind = lacks_leap_day ? SST_CALENDAR_STANDARD : pools->kind;
    out->n_slots = n_slots;
    const int year = nominal_year(pools, out->kind) - (shape.leap_day >= shape.wrap ? 1 : 0);
    for (int i = 0; i < n_slots; ++i) {
        const struct sst_day nominal = {year + (i >= shape.wrap ? 1 : 0), slots[i]};
        const struct sst_day first = window_edge(pools, pools->first_year, slots[i], -1);
        const struct sst_day last = window_edge(pools, pools->last_year, slots[i], 1);
        int month, day;
        sst_calendar_month_day(pools->kind, slots[i], &month, &day);
        out->month_day[i] = (int16_t)(100 * month + day);
        out->noon[i] = (double)sst_calendar_days_since_1970(out->kind, nominal) + 0.5;
        out->bounds[i][0] = (double)sst_calendar_days_since_1970(out->kind, first);
        out->bounds[i][1] = (double)sst_calendar_days_since_1970(out->kind, last) + 1;
    }
    return SST_OK;
}
