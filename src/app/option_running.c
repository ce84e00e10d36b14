/* What options of how the program runs accept, and what they say where they do not. */
#include <string.h>

#include "app/option_setters.h"

enum { MAX_LEVEL = 2 };

SST_DEFINE_FLAG_SETTER(strict, strict)
SST_DEFINE_FLAG_SETTER(help, wants_help)
SST_DEFINE_FLAG_SETTER(version, wants_version)

enum sst_status sst_set_threads(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_threads, text, 1, SST_MAX_THREADS, &options->n_threads, err);
}

enum sst_status sst_set_progress(struct sst_options *options, const char *text, struct sst_error *err)
{
    int choice = 0;
    SST_TRY(sst_option_choice(SST_OPTION_ID_progress, text, &choice, err));
    options->progress = (enum sst_progress_mode)choice;
    return SST_OK;
}

enum sst_status sst_set_quiet(struct sst_options *options, const char *text, struct sst_error *err)
{
    (void)text;
    if (options->verbosity > 0)
        return sst_fail(err, SST_ERR_USAGE, "--quiet: --verbose says otherwise. Give one of the two");
    if (options->verbosity > -MAX_LEVEL)
        --options->verbosity;
    return SST_OK;
}

enum sst_status sst_set_verbose(struct sst_options *options, const char *text, struct sst_error *err)
{
    (void)text;
    if (options->verbosity < 0)
        return sst_fail(err, SST_ERR_USAGE, "--verbose: --quiet says otherwise. Give one of the two");
    if (options->verbosity < MAX_LEVEL)
        ++options->verbosity;
    return SST_OK;
}
