/*
 * The event automaton of one cell: fixed-size state, one step a day. Heatwave and cold-spell days by one rule:
 * at least min_days days beyond the threshold make an event; events at most max_gap days apart are one, gap included.
 *
 *   quiet ──beyond──▶ candidate ──min_days reached──▶ event ──not beyond──▶ ended ──max_gap passed──▶ quiet
 *                        │                              ▲                     │
 *                        └──not beyond──▶ quiet         └── min_days reached within max_gap (joined) ──┘
 *
 * A step says what the day changes; the caller who wants a label for each day goes back over `n_days` days.
 */
#ifndef SST_KERNELS_CELL_EVENT_H
#define SST_KERNELS_CELL_EVENT_H

#include "portable.h"

struct cell_event_rule {
    int32_t min_days, max_gap;
};

#endif
