/* One setter for each option of options.def: text to a checked field of struct sst_options. */
#ifndef SST_APP_OPTION_VALUES_H
#define SST_APP_OPTION_VALUES_H

#include "app/options.h"

/*
 * Sets what an option says.
 *
 * text     its argument; NULL for a FLAG.
 * Errors   SST_ERR_USAGE, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_option_set(struct sst_options *options, enum sst_option_id id, const char *text,
                                              struct sst_error *err);

#endif
