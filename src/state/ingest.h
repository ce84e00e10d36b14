/*
 * Days of files into a state: what becomes of each, and one commit for each calendar day that changes.
 *
 *   files ─▶ catalog ─▶ days by slot ─▶ field ─▶ canonical order, digest ─▶ decide ─▶ guards ─┬▶ slot ─▶ commit ─▶ told
 *                                                                                            └▶ batch ─▶ log ─▶ told
 *
 * Final days of the baseline and its edges are counted; preliminary days and those beside it are known by the day log alone.
 * A day that is known already changes nothing, whatever its file's name, time or encoding; so the same files may be given
 * again at any time, and what a crash cut off is done by giving them once more.
 */
#ifndef SST_STATE_INGEST_H
#define SST_STATE_INGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/day_log.h"
#include "state/file_notes.h"
#include "state/state.h"
#include "stream/reader.h"

/* --- rules -------------------------------------------------------------------------------------------------------- */

/* What becomes of a day. */
enum sst_ingest_outcome {
    SST_INGEST_ADD, /* counted */
    SST_INGEST_REPLACE, /* counted, in place of the values that were */
    SST_INGEST_LOGGED, /* kept beside what is counted: preliminary, or in no pool of the baseline */
    SST_INGEST_LOGGED_REPLACE, /* the same, in place of what the log had of the day */
    SST_INGEST_DUPLICATE, /* known already, with the same values */
    SST_INGEST_PRELIMINARY_LATE, /* a final one is known */
    SST_INGEST_CONFLICT, /* known with other values, and these are not to be replaced, or cannot be */
    SST_INGEST_LEFT_OUT, /* by a guard */
    SST_INGEST_UNUSABLE, /* no file of the day can be read; the catalog's rejects say why */
    SST_INGEST_N_OUTCOMES
};

struct sst_ingest_case {
    const struct sst_ledger_entry *counted; /* of this day; NULL: none */
    const struct sst_logged_day *logged; /* likewise, what the log has */
    uint64_t digest, ice_digest; /* of what comes in */
    bool is_pooled; /* a day of the baseline or of its edges */
    bool is_preliminary;
    bool replaces; /* --replace */
};

/*
 * What becomes of a day, by what is known of it:
 *
 *   known            a final file comes                              a preliminary file comes
 *   nothing          taken                                           logged
 *   a preliminary    taken in its place                              the same values: duplicate; others: conflict, or logged
 *   day                                                              in its place with `replaces`
 *   a final day      the same values: duplicate; others: conflict,   late
 *                    or taken in its place with `replaces`
 *
 * A final day that is taken is counted where a pool has it, else logged. What the log has of a day that a pool has and the slot
 * does not count is no obstacle to counting it. Never LEFT_OUT or UNUSABLE: those come of guards and files.
 */
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

#define SST_NO_FILE SIZE_MAX

/* What is told of one day: of one that is counted or logged once it is durable. Borrowed for the call. */
struct sst_ingest_news {
    struct sst_day day;
    enum sst_ingest_outcome outcome;
    enum sst_day_status status; /* of the file */
    bool is_beside; /* in no pool of the baseline */
    size_t file; /* index in the catalog; SST_NO_FILE where none can be read */
    const char *path; /* of it, or NULL */
    const char *reason; /* CONFLICT, LEFT_OUT: why, with the remedy; else NULL */
    enum sst_held_reason held; /* CONFLICT, LEFT_OUT, UNUSABLE: how such a file is noted */
};

struct sst_ingest_options {
    bool replaces; /* --replace */
    bool accept_product, accept_stale, accept_jump;
    struct sst_catalog *old; /* --old: files that were counted, to take their days away again; NULL: none */
    /* Who reads those, and not the readers of days, which are busy; NULL: this process, which dies of what would kill them. */
    const struct sst_reader_crew *old_crew;
    void (*tell)(void *user, const struct sst_ingest_news *news);
    /*
     * Handed each day that was read and is counted, logged or known already, before it is durable: so one read serves others
     * too. field: canonical order, the whole grid, borrowed for the call. May be NULL.
     */
    void (*hand)(void *user, const struct sst_ingest_news *news, const struct sst_ingest_look *look,
                 const struct sst_field *field);
    bool (*cancelled)(void *user); /* asked between days; may be NULL */
    /* Asked before each commit: where it says no, nothing more is written, and what waited is not told. May be NULL. */
    bool (*may_write)(void *user);
    void (*progress)(void *user, size_t days_done, size_t days_total, uint64_t bytes_done); /* may be NULL */
    void *user; /* of these four */
};

/* So many days, or so much of fields, are logged by one commit. [days] [B] */
enum { SST_INGEST_BATCH_DAYS = 32 };
#define SST_INGEST_BATCH_BYTES ((size_t)64 << 20)

struct sst_ingest_totals {
    size_t n[SST_INGEST_N_OUTCOMES]; /* days */
    size_t n_commits; /* slots written */
    size_t n_log_commits; /* batches of days that were logged */
};

/*
 * Takes in all days of a catalog, slot by slot, years ascending.
 *
 * catalog   entries of files of other products are dropped from it; it takes the rejects. Where it has no entry nothing is done.
 * reader    how files are read; its domain is the whole grid.
 * Cost      one slot, ledgers of the others, three fields; where the state keeps all, also SST_INGEST_BATCH_BYTES of fields
 *           that wait to be logged.
 * Errors    SST_ERR_INTERRUPTED where `cancelled` or `may_write` said so; those of the state, of the run, and with stop_on_bad of files.
 *           Days that were told as counted or logged stay so.
 */
SST_MUST_CHECK enum sst_status sst_ingest(struct sst_state *state, struct sst_catalog *catalog,
                                          const struct sst_reader_options *reader,
                                          const struct sst_ingest_options *options, struct sst_ingest_totals *totals,
                                          struct sst_error *err);

#endif
