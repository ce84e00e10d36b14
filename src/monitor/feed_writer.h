/*
 * The files of a feed as readers find them (docs/feed.md), made of what its engine tells.
 *
 *   put_day    ─▶ days/YYYY/YYYYMMDD/{mhw.nc, map.js, tile_R_C.js, map.png}
 *   put_lists  ─▶ regions, areas, entries, page ─▶ index.json ─▶ files of days that were dropped are removed ─▶ latest.json
 */
#ifndef SST_MONITOR_FEED_WRITER_H
#define SST_MONITOR_FEED_WRITER_H

#include "monitor/feed.h"

struct sst_feed_files_writer;

/*
 * A writer into a folder, which is there once the feed is open; what its index.json lists is not summed again.
 *
 * about, folder   borrowed
 * min_km2         areas that never had so much are in no list
 * Owner           the caller; sst_feed_files_writer_close, which accepts NULL inside.
 * Errors          SST_ERR_NOMEM. An index.json that cannot be read is made anew.
 */
SST_MUST_CHECK enum sst_status sst_feed_files_writer_open(const struct sst_feed_about *about, const char *folder,
                                                          double min_km2, struct sst_feed_files_writer **out,
                                                          struct sst_error *err);
void sst_feed_files_writer_close(struct sst_feed_files_writer **writer);

/* For struct sst_feed_spec. */
struct sst_feed_writer sst_feed_files_writer_table(struct sst_feed_files_writer *writer);

#endif
