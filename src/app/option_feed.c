/* What options of feeds accept, and what they say where they do not. */
#include <stdio.h>
#include <string.h>

#include "app/option_service.h"
#include "app/option_setters.h"
#include "core/mem.h"

enum { MOST_RING_DAYS = 60, MOST_DAYS = 36525, MOST_KM2 = 500000000 };

SST_DEFINE_TEXT_SETTER(regions, regions)
SST_DEFINE_TEXT_SETTER(feed_title, feed_title)
SST_DEFINE_TEXT_SETTER(feed_url, feed_url)
SST_DEFINE_TEXT_SETTER(on_event, on_event)

enum sst_status sst_set_feed(struct sst_options *options, const char *text, struct sst_error *err)
{
    SST_TRY(sst_grow(&options->feeds, &options->feeds_capacity, options->n_feeds + 1, sizeof *options->feeds,
                     "the list of feeds", err));
    options->feeds[options->n_feeds] = NULL;
    SST_TRY(sst_option_text(SST_OPTION_ID_feed, text, &options->feeds[options->n_feeds], err));
    ++options->n_feeds;
    return SST_OK;
}

enum sst_status sst_set_ring_days(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_ring_days, text, 1, MOST_RING_DAYS, &options->ring_days, err);
}

enum sst_status sst_set_keep_days(struct sst_options *options, const char *text, struct sst_error *err)
{
    if (strcmp(text, "all") == 0) {
        options->keep_days = 0;
        return SST_OK;
    }
    return sst_option_int(SST_OPTION_ID_keep_days, text, 1, MOST_DAYS, &options->keep_days, err);
}

enum sst_status sst_set_notify_days(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_notify_days, text, 0, MOST_RING_DAYS, &options->notify_days, err);
}

enum sst_status sst_set_min_area(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_min_area, text, 0, MOST_KM2, &options->min_area, err);
}

enum sst_status sst_set_from(struct sst_options *options, const char *text, struct sst_error *err)
{
    char rest = 0;
    const int n = sscanf(text, "%4d-%2d-%2d%c", &options->from_year, &options->from_month, &options->from_day, &rest);
    if (n != 3 || options->from_year < 1 || options->from_month < 1 || options->from_day < 1)
        return sst_option_refuse(err, SST_OPTION_ID_from, text, "not a date. Accepted: YEAR-MONTH-DAY, as 2026-11-30");
    return SST_OK;
}

/* --- together ----------------------------------------------------------------------------------------------------- */

enum sst_status sst_option_check_feeds(struct sst_options *options, struct sst_error *err)
{
    const char *name = sst_command_rows[options->command].name;
    if (options->n_feeds != options->n_clims)
        return sst_fail(err, SST_ERR_USAGE,
                        "%s: %zu of --clim and %zu of --feed. Give a feed its climatology, and a climatology its feed",
                        name, options->n_clims, options->n_feeds);
    for (size_t i = 0; i < options->n_feeds; ++i)
        for (size_t k = 0; k < i; ++k)
            if (strcmp(options->feeds[i], options->feeds[k]) == 0)
                return sst_fail(err, SST_ERR_USAGE, "--feed %.200s: given twice. Give each a folder of its own",
                                options->feeds[i]);
    if (options->on_event && options->n_feeds == 0)
        return sst_fail(err, SST_ERR_USAGE, "--on-event: of no use without --feed. Give both, or leave it out");
    if (options->n_percentiles > 1 && options->n_feeds > 0)
        return sst_fail(err, SST_ERR_USAGE, "--percentile: a feed takes one. Make a feed for each");
    return SST_OK;
}

enum sst_status sst_option_check_rebuild(struct sst_options *options, struct sst_error *err)
{
    static const char example[] = "as in: sststream feed rebuild --clim clim.nc --feed feed oisst/";
    if (options->n_inputs == 0 || strcmp(options->inputs[0], "rebuild") != 0)
        return sst_fail(err, SST_ERR_USAGE, "feed: what is to be done? Accepted: rebuild, %s", example);
    if (options->n_feeds != 1 || options->n_clims != 1)
        return sst_fail(err, SST_ERR_USAGE, "feed rebuild: name one feed and its climatology, %s", example);
    if (options->n_inputs == 1 && !options->state)
        return sst_fail(err, SST_ERR_USAGE,
                        "feed rebuild: no files. Name files or directories of daily SST, %s; or with --state a state "
                        "that keeps all values",
                        example);
    if (options->n_inputs > 1 && options->state)
        return sst_fail(err, SST_ERR_USAGE, "%.200s: with --state the days are those of the state. Give one of the two",
                        options->inputs[1]);
    return sst_option_check_feeds(options, err);
}
