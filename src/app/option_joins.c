/* What states are made of states, and what is written of them, has to be asked for in full. */
#include "app/option_checks.h"

static enum sst_status check_merge(const struct sst_options *options, struct sst_error *err)
{
    static const char example[] = "as in: sststream merge north south -o both";
    if (options->n_inputs < 2)
        return sst_fail(err, SST_ERR_USAGE, "merge: %s. Name two or more, %s",
                        options->n_inputs ? "only one state" : "no states", example);
    if (!options->output)
        return sst_fail(err, SST_ERR_USAGE, "merge: no folder for the new state. Name one, %s", example);
    return SST_OK;
}

static enum sst_status check_retire(const struct sst_options *options, struct sst_error *err)
{
    static const char example[] = "as in: sststream retire --state sea --years 1982-1984 -o younger";
    if (!options->state)
        return sst_fail(err, SST_ERR_USAGE, "retire: no state. Name its folder, %s", example);
    if (!options->output)
        return sst_fail(err, SST_ERR_USAGE, "retire: no folder for the new state. Name one, %s", example);
    if (!options->is_given[SST_OPTION_ID_years] && !options->is_given[SST_OPTION_ID_baseline])
        return sst_fail(err, SST_ERR_USAGE, "retire: nothing to do. Give --years, --baseline or both, %s", example);
    return SST_OK;
}

static enum sst_status check_export(const struct sst_options *options, struct sst_error *err)
{
    static const char example[] = "as in: sststream export --state sea -o sea.nc";
    if (!options->state)
        return sst_fail(err, SST_ERR_USAGE, "export: no state. Name its folder, %s", example);
    if (!options->output)
        return sst_fail(err, SST_ERR_USAGE, "export: no file to write to. Name one, %s", example);
    return SST_OK;
}

enum sst_status sst_option_check_joins(const struct sst_options *options, struct sst_error *err)
{
    if (options->command == SST_COMMAND_MERGE)
        return check_merge(options, err);
    return options->command == SST_COMMAND_RETIRE ? check_retire(options, err) : check_export(options, err);
}
