/* What this process may really use of the machine: not what the machine has. */
#ifndef SST_CORE_RESOURCES_H
#define SST_CORE_RESOURCES_H

#include <stdint.h>

/*
 * Cores: the least of the affinity mask, the quotas of the control groups that the process is in (v2 cpu.max, v1
 * cpu.cfs_quota_us, of every ancestor), and `scheduled` (what a batch system gave, such as SLURM_CPUS_PER_TASK; 0: nothing).
 * At least 1; parts of a core are rounded up.
 */
int sst_usable_cores(int scheduled);

/*
 * Bytes of memory: the least of what the machine has, the limits of the control groups (v2 memory.max, v1
 * memory.limit_in_bytes, of every ancestor), RLIMIT_AS and RLIMIT_DATA. UINT64_MAX where the system tells none of them.
 */
uint64_t sst_usable_memory(void);

/* The same with the system's files looked for under `root` in place of "/", for tests. */
int sst_usable_cores_under(const char *root, int scheduled);
uint64_t sst_usable_memory_under(const char *root);

/* The quotas of the control groups alone, parts of a core rounded up; 0 where they set none. For tests. */
uint64_t sst_quota_cores_under(const char *root);

#endif
