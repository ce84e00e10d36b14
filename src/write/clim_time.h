/*
 * The dates that a climatology file carries: one nominal day for each slot, and the span of days behind it.
 *
 *   slot 1 of 1991-2020, 11 days:   time 2004-01-01 12:00   bounds 1990-12-27 00:00 .. 2020-01-07 00:00
 */
#ifndef SST_WRITE_CLIM_TIME_H
#define SST_WRITE_CLIM_TIME_H

#include <stdint.h>

#include "core/calendar.h"
#include "core/status.h"

#define SST_CLIM_TIME_UNITS "days since 1970-01-01 00:00:00"

struct sst_clim_time {
    enum sst_calendar_kind kind; /* of the axis */
    int n_slots;
    double noon[SST_N_SLOTS]; /* [SST_CLIM_TIME_UNITS] */
    double bounds[SST_N_SLOTS][2]; /* start of the first window, end of the last */
    int16_t month_day[SST_N_SLOTS]; /* month * 100 + day */
};

/*
 * Dates of slots in the order of the axis.
 *
 * The nominal year is the leap year nearest to the middle of the baseline (the middle itself in calendars whose years are
 * all alike); slots after New Year, where the axis crosses it, are in the next one. The axis has the data's calendar,
 * except that slot 60 of a calendar without 29 February needs the standard one.
 *
 * Errors   SST_ERR_INTERNAL where a slot is out of range or the slots do not go once round the year at most.
 */
SST_MUST_CHECK enum sst_status sst_clim_time_fill(const struct sst_pool_rule *pools, const int *slots, int n_slots,
                                                  struct sst_clim_time *out, struct sst_error *err);

#endif
