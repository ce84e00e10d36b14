/*
 * All that the program takes from its surroundings: terminal, time that outputs are stamped with, cores, memory, disk, folder of
 * device plugins.
 */
#ifndef SST_APP_ENVIRONMENT_H
#define SST_APP_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

/* Narrower than 40 columns no text can be laid out; wider than 100 none can be read. */
enum { SST_MIN_COLUMNS = 40, SST_DEFAULT_COLUMNS = 80, SST_MAX_COLUMNS = 100 };

struct sst_terminal {
    bool is_terminal; /* and one that can move its cursor: TERM is set and not "dumb" */
    bool has_colour; /* is_terminal, and NO_COLOR is not set */
    int columns; /* COLUMNS, else what the terminal says, else 80; never outside the limits above */
};

/* What a stream leads to. Reads COLUMNS, TERM, NO_COLOR. */
struct sst_terminal sst_terminal_of(FILE *stream);

/* The text of COLUMNS, or the number that a terminal gave (0 = none), made a sane width. */
int sst_terminal_columns(const char *columns_text, int asked);

/*
 * The time that outputs bear, in seconds since 1970: SOURCE_DATE_EPOCH where it is set, so that a run can be repeated to
 * the byte, else now.
 *
 * Errors   SST_ERR_USAGE where SOURCE_DATE_EPOCH is no whole number >= 0.
 */
SST_MUST_CHECK enum sst_status sst_output_time(int64_t *seconds, struct sst_error *err);

/*
 * The processors that a batch system gave: SLURM_CPUS_PER_TASK; 0 where it is not set.
 *
 * is_odd   set where it holds something else than a whole number above zero, which is then not heeded.
 */
int sst_environment_scheduled_cpus(bool *is_odd);

/* The first number of OMP_NUM_THREADS; 0 where it is not set, or is no number, of which OpenMP itself warns. */
int sst_environment_openmp_threads(void);

/* SST_DEVICE_PLUGINS: the folder of device plugins, in place of those that the program looks in; NULL where it is not set. */
const char *sst_environment_device_plugins(void);

/* NOTIFY_SOCKET: where a service manager listens; NULL where it does not. */
const char *sst_environment_notify_socket(void);

/* WATCHDOG_USEC, where it is meant for this process (WATCHDOG_PID): after so long without a word it is held for dead; 0: never. [s] */
double sst_environment_watchdog_seconds(void);

/* All of it, for a program that is started. */
char *const *sst_environment_all(void);

/* What this process may use. */
struct sst_machine {
    int n_cores; /* sst_usable_cores */
    int n_openmp_threads; /* 0 = not said */
    uint64_t memory_bytes; /* sst_usable_memory */
    bool schedule_is_odd; /* SLURM_CPUS_PER_TASK is set to something that was not heeded */
};
struct sst_machine sst_environment_machine(void);

/*
 * Memory that only these processes have, and no other: of those that live and whose figures can be read. 0 where none can.
 * [bytes]
 */
uint64_t sst_environment_private_bytes(const int *pids, int n_pids);

/* Gives memory that was freed back to the system, where the C library can. */
void sst_environment_give_back_memory(void);

/* What may still be written to the disk of a folder. [bytes] UINT64_MAX where the system does not tell. */
uint64_t sst_environment_free_bytes(const char *folder);

/* Seconds of a clock that never goes back. [s] */
double sst_monotonic_seconds(void);

#endif
