/*
 * `sststream synth`: a realistic archive of daily SST files that anyone can make, to try and to test the program with.
 *
 * The files have the layout of NOAA OISST v2.1 (oisst-avhrr-v02r01.YYYYMMDD.nc: sst, anom, err, ice as int16 hundredths);
 * what is in them comes from the ocean of synth_ocean.h. The same options give the same values on any machine, whatever
 * the order in which days are made, and a day does not depend on which other days are asked for.
 */
#ifndef SST_APP_SYNTH_H
#define SST_APP_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/status.h"

/* Where the day files stand. One list: enum and option value. */
#define SST_SYNTH_LAYOUT_LIST(X)                                                                                       \
    X(SST_SYNTH_OISST, "oisst") /* all in one folder */                                                                \
    X(SST_SYNTH_OISST_MONTHS, "oisst-months") /* in folders YYYYMM, as the real archive has them */

enum sst_synth_layout {
#define X(code, text) code,
    SST_SYNTH_LAYOUT_LIST(X)
#undef X
        SST_SYNTH_N_LAYOUTS
};

/* "oisst", "oisst-months". Never NULL. */
const char *sst_synth_layout_name(enum sst_synth_layout layout);

/* Years that fit the names and the noise; the largest grid is a 1/20 degree globe, some 1 GB of memory. */
enum { SST_SYNTH_FIRST_YEAR = 1850, SST_SYNTH_LAST_YEAR = 2200, SST_SYNTH_MAX_LON = 7200, SST_SYNTH_MAX_LAT = 3600 };

/* What to make; sst_synth_defaults fills in all but out_dir. Texts are borrowed. */
struct sst_synth_options {
    const char *out_dir; /* made if absent; its parent must be there */
    int first_year, last_year; /* 1991..2020, both included */
    int n_lon, n_lat; /* 180 x 90: a globe of 2 degrees */
    double south, north; /* [degrees_north] edges of the rows, -90..90; a coarser band is a faster globe */
    uint64_t seed; /* 1; another seed is another planet */
    double gaps_percent; /* [percent] of days that have no file, 0 */
    int first_slot, last_slot; /* part of the year, in slots of the standard calendar; 0, 0 = all; may cross New Year */
    enum sst_synth_layout layout; /* SST_SYNTH_OISST */
    int workers; /* processes that write at a time; 0 = one a CPU. Files do not depend on it */
    bool overwrite; /* false; true replaces day files of an archive that was made by synth before */
};

void sst_synth_defaults(struct sst_synth_options *options);

/*
 * Whether the options make sense; looks at no file.
 *
 * Errors   SST_ERR_USAGE, naming the option, its value and what is allowed.
 */
SST_MUST_CHECK enum sst_status sst_synth_validate(const struct sst_synth_options *options, struct sst_error *err);

/* Who looks on; each function may be NULL. */
struct sst_synth_watch {
    void *user;
    void (*progress)(void *user, size_t days_done, size_t days_total); /* now and then; gaps are not counted */
    bool (*cancelled)(void *user); /* asked now and then; true ends the run after the files in hand */
};

/* Whether the archive of these options leaves this day out (--gaps): by hash of seed and day, so in any order. */
bool sst_synth_is_gap(const struct sst_synth_options *options, struct sst_day day);

/* Days that get a file. */
size_t sst_synth_n_days(const struct sst_synth_options *options);

/*
 * Writes the archive, one file a day; each appears whole or not at all. Forks workers (synth_crew.h).
 *
 * A folder with anything in it is refused; with `overwrite` it must hold SST_SYNTH_MARKER, which the first run leaves
 * there, so that no real archive, whose files have the same names, is ever written over. Files of the same name are then
 * replaced, a file of a day that is now a gap is removed, and all others stay.
 *
 * watch    NULL: nobody.
 * Errors   SST_ERR_USAGE as sst_synth_validate, and for a folder in use; SST_ERR_OUTPUT where a folder or file cannot be
 *          made (the files made before stay); SST_ERR_NOMEM; SST_ERR_INTERNAL where a worker dies; SST_ERR_INTERRUPTED when cancelled.
 */
SST_MUST_CHECK enum sst_status sst_synth_run(const struct sst_synth_options *options,
                                             const struct sst_synth_watch *watch, struct sst_error *err);

/* Name of the text file that marks a folder as made by synth and says with what options. */
#define SST_SYNTH_MARKER ".sststream-synth"

#endif
