/* What options of how the program runs accept, and what they say where they do not. */
#include <string.h>

#include "app/option_setters.h"

enum { MAX_LEVEL = 2 };

/* A day. [s] */
#define MAX_TIMEOUT 86400.0

SST_DEFINE_FLAG_SETTER(strict, strict)
SST_DEFINE_FLAG_SETTER(help, wants_help)
SST_DEFINE_FLAG_SETTER(version, wants_version)
SST_DEFINE_FLAG_SETTER(readers_short, readers_are_short)
SST_DEFINE_FLAG_SETTER(timings, wants_timings)

enum sst_status sst_set_threads(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_threads, text, 1, SST_MAX_THREADS, &options->n_threads, err);
}

/* Whole numbers with commas between. */
static bool is_list_of_numbers(const char *text)
{
    static const char digits[] = "0123456789";
    const int most_digits = 4;
    for (;; ++text) {
        const size_t n = strspn(text, digits);
        text += n;
        if (n == 0 || n > (size_t)most_digits || *text != ',')
            return n > 0 && n <= (size_t)most_digits && !*text;
    }
}

enum sst_status sst_set_device(struct sst_options *options, const char *text, struct sst_error *err)
{
    static const char by_number[] = "gpu:";
    const bool has_numbers = strncmp(text, by_number, sizeof by_number - 1) == 0;
    if (has_numbers && !is_list_of_numbers(text + sizeof by_number - 1))
        return sst_option_refuse(err, SST_OPTION_ID_device, text,
                                 "is no list of device numbers. Accepted: auto, cpu, gpu, or numbers as gpu:0,1 "
                                 "('sststream devices' shows them)");
    if (!has_numbers && strcmp(text, "auto") != 0 && strcmp(text, "cpu") != 0 && strcmp(text, "gpu") != 0)
        return sst_option_refuse(
            err, SST_OPTION_ID_device, text,
            "names no device. Accepted: auto, cpu, gpu, or numbers as gpu:0,1 ('sststream devices' shows them)");
    return sst_option_text(SST_OPTION_ID_device, text, &options->device, err);
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

enum sst_status sst_set_readers(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_readers, text, 0, SST_MAX_READERS, &options->n_readers, err);
}

enum sst_status sst_set_read_timeout(struct sst_options *options, const char *text, struct sst_error *err)
{
    double seconds = 0.0;
    if (!sst_number_real(text, &seconds) || !(seconds >= 1.0 && seconds <= MAX_TIMEOUT))
        return sst_option_refuse(err, SST_OPTION_ID_read_timeout, text,
                                 "not a number of seconds. Accepted: 1 to %g, as 60", MAX_TIMEOUT);
    options->read_timeout = seconds;
    return SST_OK;
}

static enum sst_status read_memory_share(const char *text, double *share, struct sst_error *err)
{
    double percent = 0.0;
    if (!sst_number_percent(text, &percent) || !(percent > 0.0 && percent <= 100.0))
        return sst_option_refuse(err, SST_OPTION_ID_memory, text,
                                 "no share of the memory. Accepted: more than 0%% and at most 100%%, as 50%%");
    *share = percent / 100.0;
    return SST_OK;
}

static enum sst_status read_memory_bytes(const char *text, uint64_t *bytes, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_memory;
    if (!sst_number_size(text, bytes))
        return sst_option_refuse(err, id, text,
                                 "not a size. Accepted: bytes, as 4G, 1.5GiB (powers of 1024) or 500MB (of 1000), or a "
                                 "share of what the process may use, as 50%%");
    if (*bytes < SST_MIN_MEMORY)
        return sst_option_refuse(err, id, text, "too little for any run. Accepted: at least 16M");
    return SST_OK;
}

enum sst_status sst_set_memory(struct sst_options *options, const char *text, struct sst_error *err)
{
    double share = 0.0;
    uint64_t bytes = 0;
    if (strchr(text, '%'))
        SST_TRY(read_memory_share(text, &share, err));
    else
        SST_TRY(read_memory_bytes(text, &bytes, err));
    SST_TRY(sst_option_text(SST_OPTION_ID_memory, text, &options->memory_text, err));
    options->memory_share = share;
    options->memory_bytes = bytes;
    return SST_OK;
}
