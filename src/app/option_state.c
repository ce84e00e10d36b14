/* What options of a state accept, and what they say where they do not. */
#include "app/option_setters.h"
#include "core/mem.h"
#include "stream/decode_status.h"

SST_DEFINE_TEXT_SETTER(state, state)
SST_DEFINE_FLAG_SETTER(replace, replaces)
SST_DEFINE_FLAG_SETTER(accept_product, accept_product)
SST_DEFINE_FLAG_SETTER(accept_stale, accept_stale)
SST_DEFINE_FLAG_SETTER(accept_jump, accept_jump)

enum sst_status sst_set_status_from(struct sst_options *options, const char *text, struct sst_error *err)
{
    struct sst_status_rule rule;
    if (!sst_status_rule_read(text, &rule))
        return sst_option_refuse(err, SST_OPTION_ID_status_from, text,
                                 "no such rule. Accepted: auto, final, preliminary, name:PATTERN and "
                                 "attribute:NAME=PATTERN, which tell preliminary files, as in name:*_nrt.nc");
    return sst_option_text(SST_OPTION_ID_status_from, text, &options->status_from, err);
}

enum sst_status sst_set_keep(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_choice(SST_OPTION_ID_keep, text, &options->keep, err); /* words in the order of enum sst_keep */
}

enum sst_status sst_set_old(struct sst_options *options, const char *text, struct sst_error *err)
{
    if (!*text)
        return sst_option_refuse(err, SST_OPTION_ID_old, text, "empty. Give the files as they were counted");
    SST_TRY(sst_grow(&options->old, &options->old_capacity, options->n_old + 1, sizeof *options->old,
                     "the list of files", err));
    SST_TRY(sst_strdup(text, &options->old[options->n_old], err));
    ++options->n_old;
    return SST_OK;
}
