/*
 * Days of files into a state: what becomes of each, and one commit for each calendar day that changes.
 *
 *   files ─▶ catalog ─▶ days by slot ─▶ field ─▶ canonical order, digest ─▶ decide ─▶ guards ─▶ slot ─▶ commit ─▶ told
 *
 * A day that is counted already changes nothing, whatever its file's name, time or encoding; so the same files may be given
 * again at any time, and what a crash cut off is done by giving them once more.
 */
#ifndef SST_STATE_INGEST_H
#define SST_STATE_INGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/state.h"
#include "stream/reader.h"

/* --- rules -------------------------------------------------------------------------------------------------------- */

/* What becomes of a day. */
enum sst_ingest_outcome {
    SST_INGEST_ADD,
    SST_INGEST_REPLACE, /* in place of the values that are counted */
    SST_INGEST_DUPLICATE, /* counted already, with the same values */
    SST_INGEST_PRELIMINARY_WAITS, /* only final days are counted */
    SST_INGEST_PRELIMINARY_LATE, /* a final one is counted */
    SST_INGEST_OUTSIDE, /* in no pool of the baseline */
    SST_INGEST_CONFLICT, /* counted with other values, and these are not to be replaced, or cannot be */
    SST_INGEST_LEFT_OUT, /* by a guard */
    SST_INGEST_UNUSABLE, /* no file of the day can be read; the catalog's rejects say why */
    SST_INGEST_N_OUTCOMES
};

struct sst_ingest_case {
    const struct sst_ledger_entry *counted; /* of this day; NULL: none */
    uint64_t digest, ice_digest; /* of what comes in; 0, 0 where it was not read */
    bool is_pooled; /* a day of the baseline or of its edges */
    bool is_preliminary;
    bool replaces; /* --replace */
};

/* Never LEFT_OUT or UNUSABLE: those come of guards and files. */
enum sst_ingest_outcome sst_ingest_decide(const struct sst_ingest_case *at);

/* What guards and ledger want to know of a field. */
struct sst_ingest_look {
    uint64_t digest, ice_digest; /* as in struct sst_ledger_entry */
    size_t n_valid; /* cells with values */
    int median; /* [code] the lower one; SST_CODE_MISSING without values */
};

/* counts: 65536 numbers, zero before and after. */
void sst_ingest_median(const int16_t *codes, size_t n_cells, uint32_t *counts, struct sst_ingest_look *look);

enum { SST_INGEST_TEXT_SIZE = 512 };

/* With fewer other years at hand nothing can be told of a jump. */
enum { SST_INGEST_MIN_YEARS = 3 };

/* Beyond the range of the slot's other years by more than this a day is left out. [degC], [1] */
#define SST_INGEST_MAX_MEDIAN_STEP 3.0
#define SST_INGEST_MAX_VALID_SHARE 0.2

/*
 * Whether a day's median or number of cells with values lies outside the range of the slot's other years by more than the
 * limits above.
 *
 * text   room for SST_INGEST_TEXT_SIZE: what jumped, in words.
 */
bool sst_ingest_jumps(const struct sst_ledger_entry *ledger, size_t n_ledger, int year,
                      const struct sst_ingest_look *look, enum sst_lattice_kind lattice, char *text);

/*
 * Whether files can be of the state's series: grid, calendar and lattice, and unless `accept_product` kind of temperature.
 * text as above: the first difference.
 */
bool sst_ingest_fits(const struct sst_state_policy *policy, const struct sst_catalog *catalog, bool accept_product,
                     char *text);

/* Whether a file is of the product that the state is of; a file or a state that names none can be of any. */
bool sst_ingest_fits_product(const struct sst_state_policy *policy, const struct sst_catalog *catalog, size_t file);

/* The name of the product of most final days; "" where they name none; NULL where all are preliminary. Borrowed. */
const char *sst_ingest_product(const struct sst_catalog *catalog);

/* --- the work ----------------------------------------------------------------------------------------------------- */

/* What is told of one day: of one that is counted once it is durable. Borrowed for the call. */
struct sst_ingest_news {
    struct sst_day day;
    enum sst_ingest_outcome outcome;
    const char *path; /* of its file; NULL where none is read */
    const char *reason; /* CONFLICT, LEFT_OUT: why, with the remedy; else NULL */
};

struct sst_ingest_options {
    bool replaces; /* --replace */
    bool accept_product, accept_stale, accept_jump;
    struct sst_catalog *old; /* --old: files that were counted, to take their days away again; NULL: none */
    void (*tell)(void *user, const struct sst_ingest_news *news);
    bool (*cancelled)(void *user); /* asked between days; may be NULL */
    void (*progress)(void *user, size_t days_done, size_t days_total, uint64_t bytes_done); /* may be NULL */
    void *user; /* of these three */
};

struct sst_ingest_totals {
    size_t n[SST_INGEST_N_OUTCOMES]; /* days */
    size_t n_commits; /* slots written */
};

/*
 * Takes in all days of a catalog, slot by slot, years ascending.
 *
 * catalog   entries of files of other products are dropped from it; it takes the rejects.
 * reader    how files are read; its domain is the whole grid.
 * Cost      two slots, and three fields, at a time.
 * Errors    SST_ERR_INTERRUPTED where `cancelled` said so; those of the state, of the run, and with stop_on_bad of files.
 *           Days that were told as counted stay so.
 */
SST_MUST_CHECK enum sst_status sst_ingest(struct sst_state *state, struct sst_catalog *catalog,
                                          const struct sst_reader_options *reader,
                                          const struct sst_ingest_options *options, struct sst_ingest_totals *totals,
                                          struct sst_error *err);

#endif
