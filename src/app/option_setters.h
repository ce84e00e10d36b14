/*
 * One setter for each row of options.def, in files by what the options are about:
 *
 *   option_values.c    what is computed, years and days, checks
 *   option_places.c    what is read, compared, written, made
 *   option_events.c    what detect is asked for
 *   option_state.c     the state that days go into
 *   option_service.c   when days are expected, how files are waited for
 *   option_running.c   how it runs
 */
#ifndef SST_APP_OPTION_SETTERS_H
#define SST_APP_OPTION_SETTERS_H

#include "app/option_read.h"

/* text: the option's argument; NULL for a FLAG. Errors: SST_ERR_USAGE, SST_ERR_NOMEM. */
#define SST_OPTION(symbol, name, letter, kind, argument, shown_default, commands, group, help)                         \
    SST_MUST_CHECK enum sst_status sst_set_##symbol(struct sst_options *options, const char *text,                     \
                                                    struct sst_error *err);
#include "app/options.def"

/* Defines the setter of a FLAG that does no more than raise its field. */
#define SST_DEFINE_FLAG_SETTER(symbol, field)                                                                          \
    enum sst_status sst_set_##symbol(struct sst_options *options, const char *text, struct sst_error *err)             \
    {                                                                                                                  \
        (void)text;                                                                                                    \
        (void)err;                                                                                                     \
        options->field = true;                                                                                         \
        return SST_OK;                                                                                                 \
    }

/* Defines the setter of a TEXT that is kept as it is. */
#define SST_DEFINE_TEXT_SETTER(symbol, field)                                                                          \
    enum sst_status sst_set_##symbol(struct sst_options *options, const char *text, struct sst_error *err)             \
    {                                                                                                                  \
        return sst_option_text(SST_OPTION_ID_##symbol, text, &options->field, err);                                    \
    }

#endif
