/* `sststream synth`: hands the options to the maker of synthetic archives, and shows how far it is. */
#include "app/commands.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/signals.h"
#include "app/synth.h"

static void show_progress(void *user, size_t days_done, size_t days_total)
{
    sst_progress_update(user, days_done, days_total, 0);
}

/* Only what the user said replaces what synth would do. */
static enum sst_status fill(const struct sst_options *options, struct sst_synth_options *out, struct sst_error *err)
{
    const bool *is_given = options->is_given;
    const struct sst_archive_options *archive = &options->archive;
    sst_synth_defaults(out);
    out->out_dir = options->output;
    out->overwrite = options->overwrite;
    out->workers = options->n_threads;
    if (is_given[SST_OPTION_ID_seed])
        out->seed = options->seed;
    if (is_given[SST_OPTION_ID_years]) {
        out->first_year = archive->first_year;
        out->last_year = archive->last_year;
    }
    if (is_given[SST_OPTION_ID_grid]) {
        out->n_lon = archive->n_lon;
        out->n_lat = archive->n_lat;
    }
    if (is_given[SST_OPTION_ID_lat]) {
        out->south = archive->south;
        out->north = archive->north;
    }
    if (is_given[SST_OPTION_ID_gaps])
        out->gaps_percent = archive->gaps_percent;
    if (is_given[SST_OPTION_ID_layout])
        out->layout = (enum sst_synth_layout)archive->layout;
    if (options->part.kind != SST_PART_WHOLE_YEAR)
        SST_TRY(sst_options_slots(options, SST_CALENDAR_STANDARD, &out->first_slot, &out->last_slot, err));
    return sst_synth_validate(out, err);
}

int cmd_synth(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_synth_options synth;
    struct sst_progress progress;
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    const struct sst_synth_watch watch = {&progress, show_progress, sst_signals_cancelled};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(fill(options, &synth, &err));
    sst_progress_init(&progress, options->progress, &terminal, options->log);
    sst_progress_begin(&progress, "synth", "days", 0);
    rc = sst_synth_run(&synth, &watch, &err);
    sst_progress_end(&progress);
done:
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    else
        sst_log_info(options->log, "%s: %zu daily files of %d-%d on a grid of %d x %d", synth.out_dir,
                     sst_synth_n_days(&synth), synth.first_year, synth.last_year, synth.n_lon, synth.n_lat);
    return sst_status_exit_code(rc);
}
