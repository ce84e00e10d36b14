/*
 * Feeds of a series of days, for `watch` and `feed rebuild`: climatology, regions, and what is put where.
 *
 *   days as they are read ─▶ wait, as codes ─▶ in order into the feed ─▶ publish
 *
 * Days wait so that what one look at an inbox brings goes in by date, and only once the state has it, whatever became of the days after it.
 */
#ifndef SST_APP_FEED_JOB_H
#define SST_APP_FEED_JOB_H

#include "app/detect.h"
#include "core/field.h"
#include "monitor/feed_writer.h"
#include "monitor/hook.h"

/* Of which days; all is borrowed while the job is open. */
struct sst_feed_series {
    const struct sst_grid *grid;
    enum sst_calendar_kind calendar;
    enum sst_lattice_kind lattice;
    const char *product;
    const char *files; /* names where the days come from, for messages */
};

/* Most days that wait; the oldest of more are left out and told. */
enum { SST_FEED_WAITING = 64 };

struct sst_feed_job {
    const struct sst_options *options; /* of the program */
    struct sst_options of_limits; /* the same, with this feed's climatology */
    const char *folder;
    struct sst_feed_series series;
    struct sst_detect_limits limits;
    struct sst_clim_reader *bounds; /* of the same file; NULL: it states none */
    bool has_limits_of_bounds; /* it states a lower and an upper one, not a half width */
    float *of_bounds; /* [degC] by watched cell: mean and threshold, for these */
    uint8_t *flags_of_bounds;
    struct sst_domain domain;
    size_t *watched; /* cells of the domain that have a threshold */
    uint64_t *canonical; /* of these */
    size_t n_watched;
    struct sst_region_set regions;
    struct sst_feed_about about;
    char *sibling;
    struct sst_feed_files_writer *writer;
    struct sst_feed *feed;
    struct sst_hook *hook; /* borrowed; NULL: nobody is told */
    float *sst; /* [degC] by watched cell */
    struct sst_feed_waiting {
        struct sst_day day;
        struct sst_feed_source source;
        bool is_durable; /* the state has it */
        int16_t *codes; /* by watched cell */
        uint8_t *ice;
    } waiting[SST_FEED_WAITING];
    size_t n_waiting;
    size_t n_left_out; /* days that came too late */
    bool has_told_late;
    enum sst_status failed; /* of sst_feed_job_hand, which cannot say so */
};

/*
 * index    of --clim and --feed
 * Owner    the caller; sst_feed_job_close, also after a failure. The struct stays where it is.
 * Errors   those of the climatology, of regions, and of sst_feed_open.
 */
SST_MUST_CHECK enum sst_status sst_feed_job_open(struct sst_feed_job *job, const struct sst_options *options,
                                                 size_t index, const struct sst_feed_series *series,
                                                 enum sst_feed_use use, struct sst_error *err);
void sst_feed_job_close(struct sst_feed_job *job);

/* A day that was read: field in canonical order, the whole grid; copied. It waits until the state has it. */
void sst_feed_job_hand(struct sst_feed_job *job, struct sst_day day, const struct sst_feed_source *source,
                       const struct sst_field *field);

/* The state has a day that was handed over, or has nothing to do with it. */
void sst_feed_job_confirm(struct sst_feed_job *job, struct sst_day day, bool is_preliminary);

/* Puts the days that the state has into the feed, and forgets the others. Those that come too late are told, and are no error. Errors: as sst_feed_take. */
SST_MUST_CHECK enum sst_status sst_feed_job_flush(struct sst_feed_job *job, struct sst_error *err);

#endif
