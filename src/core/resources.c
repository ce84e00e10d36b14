/*
 * Limits of affinity mask, control groups and resource limits. What cannot be read, or is no number, is no limit.
 *
 *   /proc/self/cgroup   "4:memory:/job/step"   v1: its controllers, mounted each in a place of its own
 *                       "0::/job/step"         v2: all controllers in one place
 *   a limit holds for the group and all below it: /job/step, /job and / are asked, those that are not mounted here left out
 */
#include "core/resources.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MAX_LINE = 128, MAX_PATH = 2 * PATH_MAX };

static const char GROUPS_ROOT[] = "sys/fs/cgroup";

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* A number above zero at the start of a text, and what stands behind it; 0 if there is none, as in "max" and "-1". */
static uint64_t read_count(const char *text, const char **behind)
{
    char *end = NULL;
    text += strspn(text, " \t");
    if (*text < '0' || *text > '9')
        return 0;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    *behind = end;
    return errno == 0 && strchr(" \t\n", *end) ? value : 0;
}

/* The first line of a file; "" where there is none. */
static void read_line(const char *folder, const char *name, char line[MAX_LINE])
{
    char path[MAX_PATH + MAX_LINE];
    line[0] = '\0';
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return;
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (!fgets(line, MAX_LINE, file))
        line[0] = '\0';
    (void)fclose(file);
}

static uint64_t read_file_count(const char *folder, const char *name)
{
    char line[MAX_LINE];
    const char *behind = NULL;
    read_line(folder, name, line);
    return read_count(line, &behind);
}

/* The limit that the group in a folder sets, of both versions' files; UINT64_MAX where it sets none. */
typedef uint64_t group_limit(const char *folder);

static uint64_t group_cores(const char *folder)
{
    char line[MAX_LINE];
    const char *behind = "";
    read_line(folder, "cpu.max", line);
    uint64_t quota = read_count(line, &behind), period = quota ? read_count(behind, &behind) : 0;
    if (quota == 0) {
        quota = read_file_count(folder, "cpu.cfs_quota_us");
        period = read_file_count(folder, "cpu.cfs_period_us");
    }
    return quota && period ? quota / period + (quota % period != 0) : UINT64_MAX;
}

static uint64_t group_memory(const char *folder)
{
    uint64_t bytes = read_file_count(folder, "memory.max");
    if (bytes == 0)
        bytes = read_file_count(folder, "memory.limit_in_bytes");
    return bytes ? bytes : UINT64_MAX;
}

/* The least limit of a group and its ancestors, down to the mount itself: a container may see its own group there. */
static uint64_t limit_of_ancestors(const char *root, const char *mount, const char *group, group_limit *limit)
{
    char folder[MAX_PATH];
    uint64_t found = UINT64_MAX;
    const bool is_outside = strncmp(group, "/..", 3) == 0; /* of what this name space sees */
    const int n = snprintf(folder, sizeof folder, "%s/%s/%s", root, GROUPS_ROOT, mount);
    if (n < 0 || n >= (int)sizeof folder)
        return found;
    const size_t n_mount = (size_t)n;
    if (!is_outside && n_mount + strlen(group) < sizeof folder)
        memcpy(folder + n_mount, group, strlen(group) + 1);
    for (;;) {
        found = least(found, limit(folder));
        char *last = strrchr(folder + n_mount, '/');
        if (!last)
            return found;
        *last = '\0';
    }
}

/* Whether a controller is in a list with commas. */
static bool is_listed(const char *list, const char *controller)
{
    const size_t length = strlen(controller);
    for (; *list; list += strcspn(list, ","), list += *list == ',') {
        if (strcspn(list, ",") == length && memcmp(list, controller, length) == 0)
            return true;
    }
    return false;
}

/* The limit of one line of /proc/self/cgroup, which is cut up. */
static uint64_t limit_of_line(const char *root, char *line, const char *controller, group_limit *limit)
{
    char *list = strchr(line, ':');
    char *group = list ? strchr(list + 1, ':') : NULL;
    if (!group || group[1] != '/')
        return UINT64_MAX;
    *group++ = '\0';
    ++list;
    group[strcspn(group, "\n")] = '\0';
    if (!*list) /* v2, or what is left to it beside v1 */
        return least(limit_of_ancestors(root, "", group, limit), limit_of_ancestors(root, "unified", group, limit));
    if (!is_listed(list, controller))
        return UINT64_MAX;
    return least(limit_of_ancestors(root, controller, group, limit), limit_of_ancestors(root, list, group, limit));
}

static uint64_t limit_of_groups(const char *root, const char *controller, group_limit *limit)
{
    char path[MAX_PATH];
    char *line = NULL;
    size_t size = 0;
    uint64_t found = UINT64_MAX;
    if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path)
        return found;
    FILE *file = fopen(path, "re");
    if (!file)
        return found;
    while (getline(&line, &size, file) > 0)
        found = least(found, limit_of_line(root, line, controller, limit));
    free(line);
    (void)fclose(file);
    return found;
}

/* Cores of the affinity mask; the mask is made larger until the system's fits. UINT64_MAX where it is not told. */
static uint64_t affine_cores(void)
{
    enum { FIRST_CPUS = 1024, LAST_CPUS = 1 << 22 };
    uint64_t found = UINT64_MAX;
    bool is_too_small = true;
    for (size_t n_cpus = FIRST_CPUS; is_too_small && n_cpus <= LAST_CPUS; n_cpus *= 2) {
        const size_t n_bytes = CPU_ALLOC_SIZE(n_cpus);
        cpu_set_t *set = CPU_ALLOC(n_cpus);
        if (!set)
            return found;
        is_too_small = sched_getaffinity(0, n_bytes, set) != 0;
        if (!is_too_small)
            found = (uint64_t)CPU_COUNT_S(n_bytes, set);
        else if (errno != EINVAL)
            n_cpus = LAST_CPUS;
        CPU_FREE(set);
    }
    return found;
}

uint64_t sst_quota_cores_under(const char *root)
{
    const uint64_t cores = limit_of_groups(root, "cpu", group_cores);
    return cores == UINT64_MAX ? 0 : cores;
}

int sst_usable_cores_under(const char *root, int scheduled)
{
    const uint64_t quota = sst_quota_cores_under(root);
    uint64_t cores = least(affine_cores(), INT_MAX);
    if (quota > 0)
        cores = least(cores, quota);
    if (scheduled > 0)
        cores = least(cores, (uint64_t)scheduled);
    return cores == INT_MAX || cores == 0 ? 1 : (int)cores;
}

/* "MemTotal:  16384 kB"; UINT64_MAX where it is not told. */
static uint64_t machine_memory(const char *root)
{
    static const char key[] = "MemTotal:";
    char path[MAX_PATH], line[MAX_LINE];
    uint64_t kibibytes = 0;
    if (snprintf(path, sizeof path, "%s/proc/meminfo", root) >= (int)sizeof path)
        return UINT64_MAX;
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    while (kibibytes == 0 && fgets(line, sizeof line, file)) {
        const char *behind = NULL;
        if (strncmp(line, key, sizeof key - 1) == 0)
            kibibytes = read_count(line + sizeof key - 1, &behind);
    }
    (void)fclose(file);
    return kibibytes > 0 && kibibytes <= UINT64_MAX / 1024 ? kibibytes * 1024 : UINT64_MAX;
}

/* The least of the process's own limits. */
static uint64_t process_memory(void)
{
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    struct rlimit space = none, data = none;
    if (getrlimit(RLIMIT_AS, &space) != 0)
        space = none;
    if (getrlimit(RLIMIT_DATA, &data) != 0)
        data = none;
    return least(space.rlim_cur == RLIM_INFINITY ? UINT64_MAX : space.rlim_cur,
                 data.rlim_cur == RLIM_INFINITY ? UINT64_MAX : data.rlim_cur);
}

uint64_t sst_usable_memory_under(const char *root)
{
    return least(least(machine_memory(root), process_memory()), limit_of_groups(root, "memory", group_memory));
}

int sst_usable_cores(int scheduled) { return sst_usable_cores_under("", scheduled); }

uint64_t sst_usable_memory(void) { return sst_usable_memory_under(""); }
