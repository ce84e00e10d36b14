/* Options of `watch`, `status` and `quarantine` that have to do with each other. */
#ifndef SST_APP_OPTION_SERVICE_H
#define SST_APP_OPTION_SERVICE_H

#include "app/options.h"

/* Whether it is one of the three. */
bool sst_option_is_of_service(enum sst_command_id command);

/* Refuses what lacks a state, an inbox, an action, or has too much; settles --settle. Errors: SST_ERR_USAGE. */
SST_MUST_CHECK enum sst_status sst_option_check_service(struct sst_options *options, struct sst_error *err);

/* --clim, --feed and what belongs to them. Errors: SST_ERR_USAGE. */
SST_MUST_CHECK enum sst_status sst_option_check_feeds(struct sst_options *options, struct sst_error *err);

/* Of FEED. Errors: SST_ERR_USAGE. */
SST_MUST_CHECK enum sst_status sst_option_check_rebuild(struct sst_options *options, struct sst_error *err);

#endif
