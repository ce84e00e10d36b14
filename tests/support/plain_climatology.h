/*
 * The answers of the whole engine by plain date arithmetic, and the engine's own, over a small archive of random days. Knows
 * neither the calendar nor the schedule of the program.
 */
#ifndef SST_TEST_PLAIN_CLIMATOLOGY_H
#define SST_TEST_PLAIN_CLIMATOLOGY_H

#include "stream/climatology.h"
#include "stream/reader_crew.h"

enum { PLAIN_N_CELLS = 12, PLAIN_N_PROBES = 4, PLAIN_MAX_YEARS = 7, PLAIN_MAX_DAYS = PLAIN_MAX_YEARS * 366 };

struct plain_archive {
    int first_serial; /* days since 1970 of day 0 */
    int n_days;
    bool is_present[PLAIN_MAX_DAYS];
    int16_t code[PLAIN_MAX_DAYS][PLAIN_N_CELLS];
};

struct plain_setup {
    enum sst_leap_rule leap;
    int half, smooth;
    int y0, y1;
    bool beside; /* files reach beyond the baseline */
    int gaps_percent;
    int first_slot, last_slot;
    enum sst_approx approx;
};

struct plain_values {
    double mean[367][PLAIN_N_CELLS], q[2][367][PLAIN_N_CELLS], probe[2][367][PLAIN_N_CELLS];
    double lower[2][367][PLAIN_N_CELLS], upper[2][367][PLAIN_N_CELLS]; /* of the program alone, where it has bounds */
    int n_obs[367][PLAIN_N_CELLS];
    unsigned flags[367][PLAIN_N_CELLS];
    bool is_there[367];

    /* Of the program alone. */
    bool wants_shape; /* set before the run */
    bool has_shape[367];
    float sd[367][PLAIN_N_CELLS], skew[367][PLAIN_N_CELLS], kurt[367][PLAIN_N_CELLS];
    int n_seen[PLAIN_MAX_YEARS][367]; /* how often the sink saw the field of a day, by year - (y0 - 1) */
    int16_t seen[PLAIN_MAX_YEARS][367][PLAIN_N_CELLS]; /* [0.01 degC] the field that it saw */
    int first_year; /* y0 - 1 */
    const struct sst_reader_crew *crew; /* set before the run; NULL: the test itself reads */
};

/* Cells whose exact percentile is wanted beside an approximation. */
extern const size_t plain_probes[PLAIN_N_PROBES];

/* Slots are those of the program: 60 is 29 February in every year. */
bool plain_has_day(int year, int slot);
int plain_serial_of(int year, int slot); /* days since 1970 */

/* An archive of random days, and one file of it. Owner of the former: the caller; free. */
struct plain_archive *plain_archive_make(const struct plain_setup *setup, uint64_t seed);
const char *plain_archive_write(const struct plain_archive *archive);

/* The values [0.01 degC] in the pool of a slot and cell; returns their number, 2048 at most. */
int plain_gather(const struct plain_setup *setup, const struct plain_archive *archive, int centre, int cell, int *pool);

/* What the program should give. */
void plain_answer(const struct plain_setup *setup, const struct plain_archive *archive, struct plain_values *out);

/* What it gives; tail_k 0 = the default. */
void plain_run_engine(const struct plain_setup *setup, int tail_k, const char *path, struct plain_values *out);

#endif
