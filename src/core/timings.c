/* Monotonic seconds, booked by phase. */
#include "core/timings.h"

#include <time.h>

const char *sst_phase_name(enum sst_phase phase)
{
    static const char *const names[SST_N_PHASES] = {"open",   "read",   "inflate", "decode", "accumulate",
                                                    "window", "finish", "write",   "wait",   "start"};
    return names[phase];
}

double sst_timings_now(void)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

double sst_timings_book(struct sst_timings *timings, enum sst_phase phase, double start)
{
    const double now = sst_timings_now();
    if (timings)
        timings->seconds[phase] += now - start;
    return now;
}

void sst_timings_add(struct sst_timings *timings, const struct sst_timings *other)
{
    for (int phase = 0; phase < SST_N_PHASES; ++phase)
        timings->seconds[phase] += other->seconds[phase];
}
