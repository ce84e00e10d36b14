/* Where the time of a run goes: seconds by phase, summed in each process and thread that works. */
#ifndef SST_CORE_TIMINGS_H
#define SST_CORE_TIMINGS_H

enum sst_phase {
    SST_PHASE_OPEN, /* files opened, headers read, chunks found */
    SST_PHASE_READ, /* bytes fetched */
    SST_PHASE_INFLATE, /* filters undone: inflated, unshuffled, checksums */
    SST_PHASE_DECODE, /* stored numbers to codes; all of reading through netCDF-C */
    SST_PHASE_ACCUMULATE, /* fields into bins and kept values */
    SST_PHASE_WINDOW, /* bins into and out of the window */
    SST_PHASE_FINISH, /* pools to values, smoothing, validation */
    SST_PHASE_WRITE, /* values to the output, compression included */
    SST_PHASE_WAIT, /* the engine waited for a field */
    SST_PHASE_START, /* devices looked for, their runtime started, and tested */
    SST_N_PHASES
};

/* All zero at first. Adding one to another is adding item by item. */
struct sst_timings {
    double seconds[SST_N_PHASES];
};

/* "open", "read", ... */
const char *sst_phase_name(enum sst_phase phase);

/* [s] since some moment that stays the same while the process runs. */
double sst_timings_now(void);

/* Books the time since `start` on a phase and returns the present moment, at which the next phase starts; NULL is accepted. */
double sst_timings_book(struct sst_timings *timings, enum sst_phase phase, double start);

void sst_timings_add(struct sst_timings *timings, const struct sst_timings *other);

#endif
