/* What options of events accept, and what they say where they do not. */
#include "app/option_setters.h"
#include "core/mem.h"

/* Longer runs and gaps are no weather; a ring of days has to hold them all. [days] */
enum { MOST_DAYS = 365 };

SST_DEFINE_TEXT_SETTER(clim_mean, clim_mean)
SST_DEFINE_TEXT_SETTER(clim_thresh, clim_threshold)
SST_DEFINE_TEXT_SETTER(clim_units, detect_units)
SST_DEFINE_FLAG_SETTER(cold, is_cold)

enum sst_status sst_set_clim(struct sst_options *options, const char *text, struct sst_error *err)
{
    SST_TRY(sst_grow(&options->clims, &options->clims_capacity, options->n_clims + 1, sizeof *options->clims,
                     "the list of climatologies", err));
    options->clims[options->n_clims] = NULL;
    SST_TRY(sst_option_text(SST_OPTION_ID_clim, text, &options->clims[options->n_clims], err));
    ++options->n_clims;
    options->clim = options->clims[0];
    return SST_OK;
}

enum sst_status sst_set_events(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_output_path(SST_OPTION_ID_events, text, &options->events, err);
}

enum sst_status sst_set_min_duration(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_min_duration, text, 1, MOST_DAYS, &options->min_duration, err);
}

enum sst_status sst_set_max_gap(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_max_gap, text, 0, MOST_DAYS, &options->max_gap, err);
}

enum sst_status sst_set_max_pad(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_max_pad, text, 0, MOST_DAYS, &options->max_pad, err);
}

enum sst_status sst_set_hold_missing(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_hold_missing, text, 0, MOST_DAYS, &options->hold_missing, err);
}
