/* From the options, which know no files, to the policy of a run over files of one calendar. */
#include "app/options.h"

#include <string.h>

/* Slot of a day of a year without 29 February, which therefore belongs to every range that holds 28 February and 1 March. */
static enum sst_status slot_of_doy(enum sst_calendar_kind calendar, int doy, int *out, struct sst_error *err)
{
    int slot = doy;
    if (calendar != SST_CALENDAR_360_DAY && doy >= SST_SLOT_FEB29)
        ++slot;
    if (slot > sst_calendar_n_slots(calendar))
        return sst_fail(err, SST_ERR_USAGE, "--doy: day %d: the files' calendar, %s, has %d days. Accepted: 1 to %d",
                        doy, sst_calendar_name(calendar), sst_calendar_n_slots(calendar),
                        sst_calendar_n_slots(calendar));
    *out = slot;
    return SST_OK;
}

static enum sst_status slot_of_month_day(enum sst_calendar_kind calendar, struct sst_month_day day, int *out,
                                         struct sst_error *err)
{
    const int slot = sst_calendar_slot(calendar, day.month, day.day);
    if (slot == 0)
        return sst_fail(err, SST_ERR_USAGE,
                        "--days: %02d%02d: the files' calendar, %s, has no such day. Give a day that it has", day.month,
                        day.day, sst_calendar_name(calendar));
    *out = slot;
    return SST_OK;
}

enum sst_status sst_options_slots(const struct sst_options *options, enum sst_calendar_kind calendar, int *first,
                                  int *last, struct sst_error *err)
{
    const struct sst_part_of_year *part = &options->part;
    switch (part->kind) {
    case SST_PART_DOY:
        SST_TRY(slot_of_doy(calendar, part->first_doy, first, err));
        SST_TRY(slot_of_doy(calendar, part->last_doy, last, err));
        return SST_OK;
    case SST_PART_MONTH_DAYS:
        SST_TRY(slot_of_month_day(calendar, part->first_day, first, err));
        SST_TRY(slot_of_month_day(calendar, part->last_day, last, err));
        return SST_OK;
    case SST_PART_WHOLE_YEAR:
        break;
    }
    *first = 1;
    *last = sst_calendar_n_slots(calendar);
    return SST_OK;
}

enum sst_status sst_options_policy(const struct sst_options *options, enum sst_calendar_kind calendar,
                                   enum sst_lattice_kind lattice, struct sst_policy *out, struct sst_error *err)
{
    struct sst_policy policy;
    memset(&policy, 0, sizeof policy);
    policy.pools.kind = calendar;
    policy.pools.leap = options->leap;
    policy.pools.first_year = options->first_year;
    policy.pools.last_year = options->last_year;
    policy.pools.half_window_days = (options->window_days - 1) / 2;
    policy.approx = options->approx;
    memcpy(policy.percentiles, options->percentiles, sizeof policy.percentiles);
    policy.n_percentiles = options->n_percentiles;
    policy.quantile_type = options->quantile_type;
    policy.smooth_days = options->smooth_days;
    policy.min_samples = options->min_samples;
    policy.tail_k = options->tail_k;
    policy.lattice = lattice;
    SST_TRY(sst_options_slots(options, calendar, &policy.first_slot, &policy.last_slot, err));
    *out = policy;
    return SST_OK;
}
