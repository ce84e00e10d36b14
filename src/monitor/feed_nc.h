/* days/YYYY/YYYYMMDD/mhw.nc: a day of a feed in full, as netCDF (write/mhw_nc.h). */
#ifndef SST_MONITOR_FEED_NC_H
#define SST_MONITOR_FEED_NC_H

#include "monitor/feed_day.h"
#include "monitor/feed_file.h"
#include "write/deflate_memo.h"

/*
 * Makes the file of a day, in memory. Its dates are those of the day (published), so the same day makes the same values and
 * attributes. Not for two threads at once: netCDF is not.
 *
 * anomaly  in hundredths of a degree, which no other variable depends on; beyond 327 K it is missing
 * memo     where maps are looked up that were deflated before; NULL: none. The file is the same
 * path     for messages
 * Owner    *bytes is the caller's, sst_free.
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_feed_make_nc(const struct sst_feed_about *about, const struct sst_feed_day *day,
                                                struct sst_deflate_memo *memo, const char *path, void **bytes,
                                                size_t *n_bytes, struct sst_error *err);

/*
 * Writes the file of a day into the feed's folder, in place of one of an earlier revision, and lists it.
 *
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM; what was there stays.
 */
SST_MUST_CHECK enum sst_status sst_feed_write_nc(const struct sst_feed_about *about, const struct sst_feed_day *day,
                                                 const char *folder, struct sst_feed_files *files,
                                                 struct sst_error *err);

#endif
