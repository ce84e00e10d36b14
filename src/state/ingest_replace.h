/* Taking a counted day away, so that another can stand in its place. Part of ingest. */
#ifndef SST_STATE_INGEST_REPLACE_H
#define SST_STATE_INGEST_REPLACE_H

#include "state/ingest_files.h"

/*
 * Takes a day out of a slot as if it had never been in it.
 *
 *   keep all       from the slot's own values
 *   no lists       by subtraction: the old file of the day is needed
 *   lists          the slot is made anew: the old files of its other years are needed
 *
 * Files count as old by the digests of their values, whatever their names; they are looked for in each of `old` that is open.
 *
 * slot      may be another slot afterwards.
 * old       SST_INGEST_N_OLD of them, open for single entries or zeroed.
 * is_done   false where the old values are not at hand; then text (SST_INGEST_TEXT_SIZE) says what is, and the slot is as it was.
 * Errors    those of reading; SST_ERR_NOMEM.
 */
enum { SST_INGEST_N_OLD = 2 }; /* --old, and what comes in, since a slot may have days of both */
SST_MUST_CHECK enum sst_status sst_ingest_take_away(struct sst_slot_state **slot, struct sst_day day,
                                                    struct sst_ingest_files *old, bool *is_done, char *text,
                                                    struct sst_error *err);

#endif
