/* What options have to do with each other. */
#ifndef SST_APP_OPTION_CHECKS_H
#define SST_APP_OPTION_CHECKS_H

#include "app/options.h"

/*
 * Refuses combinations that contradict themselves, notes those that do nothing, and fills what follows from others (the
 * output's name).
 *
 * Errors   SST_ERR_USAGE, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_option_check_all(struct sst_options *options, struct sst_error *err);

/* What merge, retire and export ask for: states, places, and something to do. Errors: SST_ERR_USAGE. */
SST_MUST_CHECK enum sst_status sst_option_check_joins(const struct sst_options *options, struct sst_error *err);

/* Adds a warning; the text lives for ever. Those beyond the room for them are left out. */
void sst_option_warn(struct sst_options *options, const char *text);

#endif
