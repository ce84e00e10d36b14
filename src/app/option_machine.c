/* Defaults that depend on the machine, and what is asked of it. */
#include "app/environment.h"
#include "app/option_checks.h"
#include "app/options.h"

static int at_most(int n, int most) { return n < most ? n : most; }

static enum sst_status settle_share(struct sst_options *options, struct sst_error *err)
{
    const char *text = options->memory_text;
    if (options->usable_bytes == UINT64_MAX && !text) {
        options->memory_bytes = 0; /* no limit is known */
        return SST_OK;
    }
    if (options->usable_bytes == UINT64_MAX)
        return sst_fail(err, SST_ERR_USAGE,
                        "--memory %.60s: the system does not tell how much this process may use. Give bytes, as 4G",
                        text);
    options->memory_bytes = (uint64_t)(options->memory_share * (double)options->usable_bytes);
    if (options->memory_bytes < SST_MIN_MEMORY && text)
        return sst_fail(err, SST_ERR_USAGE,
                        "--memory %.60s: is %.1f MB of the %.1f MB that this process may use, too little for any run. "
                        "Accepted: at least 16M",
                        text, (double)options->memory_bytes / 1e6, (double)options->usable_bytes / 1e6);
    return SST_OK;
}

enum sst_status sst_options_settle(struct sst_options *options, const struct sst_machine *machine,
                                   struct sst_error *err)
{
    const bool *is_given = options->is_given;
    const bool has_readers = (sst_option_rows[SST_OPTION_ID_readers].commands >> options->command & 1U) != 0;
    const int n_openmp = has_readers ? machine->n_openmp_threads : 0; /* synth works with processes */
    if (!is_given[SST_OPTION_ID_threads])
        options->n_threads = at_most(n_openmp > 0 ? n_openmp : machine->n_cores, SST_MAX_THREADS);
    if (!is_given[SST_OPTION_ID_readers])
        options->n_readers = at_most(machine->n_cores, SST_MAX_READERS);
    if (machine->schedule_is_odd && !(is_given[SST_OPTION_ID_threads] && is_given[SST_OPTION_ID_readers]))
        sst_option_warn(options, "SLURM_CPUS_PER_TASK: not a number of processors, so it is not heeded. Unset it, or "
                                 "give --threads and --readers");
    options->usable_bytes = machine->memory_bytes;
    if (options->memory_share > 0.0)
        SST_TRY(settle_share(options, err));
    else if (options->memory_bytes > options->usable_bytes)
        sst_option_warn(options, "--memory: more than this process may use, so the system may end the run. Give less, "
                                 "or leave it out for half of that");
    return SST_OK;
}
