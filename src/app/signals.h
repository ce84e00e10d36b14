/*
 * Signals as questions that the main loop asks.
 *
 *   SIGUSR1          wants one status line; the next progress update prints it
 *   SIGINT, SIGTERM  want the run to end: the first is taken note of, the second acts as if nobody listened
 */
#ifndef SST_APP_SIGNALS_H
#define SST_APP_SIGNALS_H

#include <stdbool.h>

/* Installs the handlers. */
void sst_signals_install(void);

/* Whether a status line was asked for since the last call. */
bool sst_signals_take_status_request(void);

/* A descriptor that can be read once the run should end, for whoever waits; -1 where there is none. Never read it. */
int sst_signals_cancel_fd(void);

/* Whether the run should end; fits struct sst_slot_sink's `cancelled`. */
bool sst_signals_cancelled(void *user);

/* Ends the process as the signal that cancelled it would have (130, 143 to a shell); returns where there was none. */
void sst_signals_die_if_cancelled(void);

#endif
