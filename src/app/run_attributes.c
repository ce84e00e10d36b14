/* Provenance: enough to know what the numbers mean and to make them again. */
#include "app/run_attributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mem.h"
#include "kernels/cell_maxent.h"

const char *sst_iso_time(int64_t seconds_since_1970, char *buffer)
{
    const time_t moment = (time_t)seconds_since_1970;
    struct tm utc = {0};
    if (!gmtime_r(&moment, &utc) || strftime(buffer, SST_ISO_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        buffer[0] = '\0';
    return buffer;
}

const char *sst_run_estimator_text(const struct sst_policy *policy)
{
    switch (policy->approx) {
    case SST_APPROX_CF:
        return "Approximate: Cornish-Fisher formula on the mean, variance, skewness and kurtosis of the pooled values.";
    case SST_APPROX_MAXENT:
        return "Approximate: maximum-entropy distribution with the mean, variance, skewness and kurtosis of the pooled "
               "values.";
    case SST_APPROX_TAIL:
        return "Exact sample percentile of the pooled values, from the most extreme values of each calendar day; where "
               "quality_flag says uncertified, one of the bounds between which it is proven to lie.";
    case SST_APPROX_NONE:
        break;
    }
    return "Exact sample percentile of the pooled values.";
}

/* A few words for the attribute percentile_method. Owner: the caller, sst_free. */
static enum sst_status method_text(const struct sst_policy *policy, char **text, struct sst_error *err)
{
    switch (policy->approx) {
    case SST_APPROX_CF:
        return sst_strdup("cornish-fisher, four moments", text, err);
    case SST_APPROX_MAXENT:
        return sst_asprintf(text, err, "maximum entropy on +-%g sd, four moments", CELL_MAXENT_SUPPORT);
    case SST_APPROX_TAIL:
        return sst_asprintf(
            text, err,
            "exact where certified, Hyndman-Fan type %d, from the %d greatest and %d smallest values of "
            "each calendar day",
            policy->quantile_type, sst_policy_tail_k(policy).top, sst_policy_tail_k(policy).bottom);
    case SST_APPROX_NONE:
        break;
    }
    return sst_asprintf(text, err, "exact, Hyndman-Fan type %d", policy->quantile_type);
}

static int compare_days(const void *a, const void *b)
{
    const struct sst_reader_day *x = a, *y = b;
    return sst_day_compare(x->day, y->day);
}

static void digest_real(struct sst_digest *digest, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    sst_digest_number(digest, bits);
}

static void digest_policy(struct sst_digest *digest, const struct sst_policy *policy)
{
    const struct sst_pool_rule *pools = &policy->pools;
    sst_digest_text(digest, "sststream climatology 1");
    sst_digest_text(digest, sst_approx_name(policy->approx));
    sst_digest_text(digest, sst_leap_rule_name(pools->leap));
    sst_digest_text(digest, sst_calendar_name(pools->kind));
    const int64_t numbers[] = {pools->first_year,     pools->last_year,    pools->half_window_days,
                               policy->quantile_type, policy->smooth_days, policy->min_samples,
                               policy->first_slot,    policy->last_slot,   policy->lattice};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        sst_digest_number(digest, (uint64_t)numbers[i]);
    if (policy->approx == SST_APPROX_TAIL) {
        sst_digest_number(digest, (uint64_t)sst_policy_tail_k(policy).top);
        sst_digest_number(digest, (uint64_t)sst_policy_tail_k(policy).bottom);
    }
    for (size_t q = 0; q < policy->n_percentiles; ++q)
        digest_real(digest, policy->percentiles[q]);
}

/* Options by which probes change what is written of percentiles; without them the id is that of the estimates alone. */
static void digest_model(struct sst_digest *digest, const struct sst_job *job)
{
    const struct sst_options *options = job->options;
    if (!options->correct && !options->repair)
        return;
    sst_digest_text(digest, options->correct ? "corrected" : "not corrected");
    sst_digest_number(digest, options->seed);
    digest_real(digest, job->probe_share);
    if (options->repair) {
        sst_digest_text(digest, "repaired");
        digest_real(digest, options->tolerance);
    }
}

enum sst_status sst_run_id(const struct sst_job *job, const struct sst_reader *reader, char *id, struct sst_error *err)
{
    struct sst_digest *digest = NULL;
    struct sst_reader_day *sorted = NULL;
    enum sst_status rc = SST_OK;
    size_t n_days = 0;
    const struct sst_reader_day *days = sst_reader_days(reader, &n_days);
    SST_TRY_GOTO(sst_digest_create(&digest, err));
    SST_TRY_GOTO(sst_alloc(n_days, sizeof *sorted, "the list of days", &sorted, err));
    if (n_days > 0)
        memcpy(sorted, days, n_days * sizeof *sorted);
    qsort(sorted, n_days, sizeof *sorted, compare_days);
    digest_policy(digest, &job->policy);
    digest_model(digest, job);
    sst_digest_number(digest, sst_grid_digest(job->catalog->grid));
    sst_digest_number(digest, sst_domain_canonical(&job->domain, 0));
    sst_digest_number(digest, sst_domain_canonical(&job->domain, job->domain.n_cells - 1));
    for (size_t i = 0; i < n_days; ++i) {
        sst_digest_number(digest, (uint64_t)sorted[i].day.year * (SST_N_SLOTS + 1) + (uint64_t)sorted[i].day.slot);
        sst_digest_number(digest, sorted[i].digest);
    }
    (void)sst_digest_hex(digest, id);
done:
    sst_free(sorted);
    sst_digest_destroy(&digest);
    return rc;
}

static void add(struct sst_run_attributes *attributes, const char *name, const char *value)
{
    if (value[0] != '\0' && attributes->n < SST_MAX_RUN_ATTRIBUTES)
        attributes->list[attributes->n++] = (struct sst_attribute){name, value};
}

static enum sst_status add_owned(struct sst_run_attributes *attributes, const char *name, enum sst_status made,
                                 char *value)
{
    if (made != SST_OK)
        return made;
    attributes->owned[attributes->n_owned++] = value;
    add(attributes, name, value);
    return SST_OK;
}

static enum sst_status add_texts(const struct sst_job *job, const char *created, struct sst_run_attributes *out,
                                 struct sst_error *err)
{
    const struct sst_policy *policy = &job->policy;
    const struct sst_pool_rule *pools = &policy->pools;
    const int window = 2 * pools->half_window_days + 1;
    char *text = NULL;
    enum sst_status made = sst_asprintf(&text, err, "Daily climatology of sea surface temperature %d-%d",
                                        pools->first_year, pools->last_year);
    SST_TRY(add_owned(out, "title", made, text));
    made = sst_asprintf(&text, err,
                        "Mean and percentile of %d years x %d days of daily sea surface temperature for every calendar "
                        "day and cell; the 90th percentile is the threshold of a marine heatwave (Hobday et al. 2016).",
                        pools->last_year - pools->first_year + 1, window);
    SST_TRY(add_owned(out, "summary", made, text));
    made = sst_asprintf(&text, err, "%s sststream %s: sststream %s", created, sst_version(), job->options->arguments);
    SST_TRY(add_owned(out, "history", made, text));
    made = sst_asprintf(&text, err, "%s%svariable %s of %zu files", job->catalog->title,
                        job->catalog->title[0] ? ": " : "", job->catalog->variable, job->n_inputs_used);
    SST_TRY(add_owned(out, "source", made, text));
    made = sst_asprintf(&text, err, "%d-%d", pools->first_year, pools->last_year);
    SST_TRY(add_owned(out, "baseline_period", made, text));
    made = sst_asprintf(&text, err, "%d", pools->half_window_days);
    SST_TRY(add_owned(out, "window_half_width_days", made, text));
    made = method_text(policy, &text, err);
    SST_TRY(add_owned(out, "percentile_method", made, text));
    made = policy->smooth_days > 1 ? sst_asprintf(&text, err, "%d-day circular moving mean", policy->smooth_days)
                                   : sst_strdup("none", &text, err);
    return add_owned(out, "smoothing", made, text);
}

enum sst_status sst_run_attributes_make(const struct sst_job *job, const char *id, const char *created,
                                        struct sst_run_attributes *out, struct sst_error *err)
{
    memset(out, 0, sizeof *out);
    SST_TRY(add_texts(job, created, out, err));
    add(out, "id", id);
    add(out, "climatology_id", id);
    add(out, "baseline_type", "fixed");
    add(out, "leap_day_rule", sst_leap_rule_name(job->policy.pools.leap));
    add(out, "keywords", "sea surface temperature, climatology, percentile, marine heatwave");
    add(out, "references",
        "Hobday et al. 2016, Progress in Oceanography 141, 227-238, doi:10.1016/j.pocean.2015.12.014");
    add(out, "processing_level", "L4 derived");
    add(out, "date_created", created);
    add(out, "sststream_version", sst_version());
    add(out, "sststream_parameters", job->options->arguments);
    add(out, "lattice", job->policy.lattice == SST_LATTICE_CENTI ? "0.01 degC" : "0.001 degC");
    return SST_OK;
}

void sst_run_attributes_clear(struct sst_run_attributes *attributes)
{
    for (size_t i = 0; i < attributes->n_owned; ++i)
        sst_free(attributes->owned[i]);
    memset(attributes, 0, sizeof *attributes);
}
