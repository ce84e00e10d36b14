/* core/resources: the least of all limits, read from made-up systems; what is no number is no limit. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/resources.h"
#include "test_main.h"

enum { MAX_FILES = 12 };

#define GIB (UINT64_C(1) << 30)

/* A system's file, and what it holds. */
struct file {
    const char *path, *text;
};

static void put_file(const char *root, const struct file *what)
{
    char path[8192];
    (void)snprintf(path, sizeof path, "%s/%s", root, what->path);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    ck_assert_msg(file != NULL, "%s", path);
    (void)fputs(what->text, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* A fresh root with these files, up to one without a path. */
static const char *make_root(const struct file *files)
{
    static char root[4096];
    static int n_roots;
    (void)snprintf(root, sizeof root, "%s/root%d", test_scratch_dir(), n_roots++);
    ck_assert_int_eq(mkdir(root, 0755), 0);
    for (int i = 0; i < MAX_FILES && files[i].path; ++i)
        put_file(root, &files[i]);
    return root;
}

struct cores_case {
    const char *what;
    struct file files[MAX_FILES];
    uint64_t cores; /* 0 = no quota */
};

static const struct cores_case cores_cases[] = {
    {"nothing there", {{0}}, 0},
    {"v2 without a limit", {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", "max 100000\n"}}, 0},
    {"v2, a core and a half", {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", "150000 100000\n"}}, 2},
    {"v2, half a core", {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", "50000 100000\n"}}, 1},
    {"v2, whole cores", {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", "300000 100000\n"}}, 3},
    {"v2, an ancestor has less",
     {{"proc/self/cgroup", "0::/a/b/c\n"},
      {"sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n"},
      {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
      {"sys/fs/cgroup/a/cpu.max", "400000 100000\n"}},
     4},
    {"v2, the ancestor in between is not there",
     {{"proc/self/cgroup", "0::/a/b/c\n"}, {"sys/fs/cgroup/a/cpu.max", "500000 100000\n"}},
     5},
    {"v2, a container sees its own group as the root",
     {{"proc/self/cgroup", "0::/docker/0123\n"}, {"sys/fs/cgroup/cpu.max", "600000 100000\n"}},
     6},
    {"v2, a group outside the name space",
     {{"proc/self/cgroup", "0::/../other\n"},
      {"sys/fs/cgroup/cpu.max", "600000 100000\n"},
      {"sys/fs/other/cpu.max", "100000 100000\n"}},
     6},
    {"a group beside its own", {{"proc/self/cgroup", "0::/a\n"}, {"sys/fs/cgroup/b/cpu.max", "100000 100000\n"}}, 0},
    {"v1 without a limit",
     {{"proc/self/cgroup", "3:cpu,cpuacct:/job\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}},
     0},
    {"v1, mounted under one of its names",
     {{"proc/self/cgroup", "12:pids:/x\n3:cpuacct,cpu:/job\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}},
     3},
    {"v1, mounted under both, an ancestor has less",
     {{"proc/self/cgroup", "3:cpu,cpuacct:/slurm/step\n"},
      {"sys/fs/cgroup/cpu,cpuacct/slurm/step/cpu.cfs_quota_us", "-1\n"},
      {"sys/fs/cgroup/cpu,cpuacct/slurm/step/cpu.cfs_period_us", "100000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us", "700000\n"},
      {"sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_period_us", "100000\n"}},
     7},
    {"v1, another controller's group",
     {{"proc/self/cgroup", "3:cpuset:/job\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100000\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"}},
     0},
    {"v1 and v2 side by side, v2 has less",
     {{"proc/self/cgroup", "1:cpu:/job\n0::/job\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "900000\n"},
      {"sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n"},
      {"sys/fs/cgroup/unified/job/cpu.max", "200000 100000\n"}},
     2},
    {"no numbers", {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", "lots of them\n"}}, 0},
    {"half a number", {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", "100000x 100000\n"}}, 0},
    {"no period", {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", "100000\n"}}, 0},
    {"a period of nothing", {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", "100000 0\n"}}, 0},
    {"an empty file", {{"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/cpu.max", ""}}, 0},
    {"no groups but lines",
     {{"proc/self/cgroup", "\n0\n:\n0:\n0::\nx:y:z\n::::\n0::/job"}, {"sys/fs/cgroup/job/cpu.max", "100000 50000\n"}},
     2},
};

START_TEST(quotas_are_found_wherever_they_are_set)
{
    const struct cores_case *expected = &cores_cases[_i];
    const uint64_t found = sst_quota_cores_under(make_root(expected->files));
    ck_assert_msg(found == expected->cores, "%s: %llu", expected->what, (unsigned long long)found);
}
END_TEST

START_TEST(cores_are_the_least_of_mask_quota_and_schedule)
{
    static const struct file none[] = {{0}};
    static const struct file half[] = {
        {"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "50000 100000\n"}, {0}};
    static const struct file many[] = {
        {"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "90000000000 100000\n"}, {0}};
    cpu_set_t all, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof all, &all), 0);
    const int n_all = CPU_COUNT(&all);
    const char *root = make_root(none);
    ck_assert_int_eq(sst_usable_cores_under(root, 0), n_all);
    ck_assert_int_eq(sst_usable_cores_under(root, 1), 1);
    ck_assert_int_eq(sst_usable_cores_under(root, n_all + 1), n_all);
    ck_assert_int_eq(sst_usable_cores_under(root, -3), n_all);
    ck_assert_int_eq(sst_usable_cores_under(make_root(half), 0), 1);
    ck_assert_int_eq(sst_usable_cores_under(make_root(many), 0), n_all);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    const int n_one = sst_usable_cores_under(make_root(many), 8);
    ck_assert_int_eq(sched_setaffinity(0, sizeof all, &all), 0);
    ck_assert_int_eq(n_one, 1);
}
END_TEST

struct memory_case {
    const char *what;
    struct file files[MAX_FILES];
    uint64_t bytes;
};

static const char MEMINFO[] = "MemFree:         1000 kB\nMemTotal:       8388608 kB\nSwapTotal:  99999999 kB\n";

static const struct memory_case memory_cases[] = {
    {"nothing there", {{0}}, UINT64_MAX},
    {"the machine alone", {{"proc/meminfo", MEMINFO}}, 8 * GIB},
    {"an odd list of the machine's", {{"proc/meminfo", "MemTotal: lots\nMemTotal"}}, UINT64_MAX},
    {"v2 without a limit",
     {{"proc/meminfo", MEMINFO}, {"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/memory.max", "max\n"}},
     8 * GIB},
    {"v2",
     {{"proc/meminfo", MEMINFO}, {"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/memory.max", "1073741824\n"}},
     GIB},
    {"v2, more than the machine has",
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "0::/job\n"},
      {"sys/fs/cgroup/job/memory.max", "99999999999999\n"}},
     8 * GIB},
    {"v2, ancestors have less",
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "0::/user/job/step\n"},
      {"sys/fs/cgroup/user/job/step/memory.max", "max\n"},
      {"sys/fs/cgroup/user/job/memory.max", "3221225472\n"},
      {"sys/fs/cgroup/user/memory.max", "2147483648\n"}},
     2 * GIB},
    {"v1, its largest number is no limit",
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "9:memory:/job\n"},
      {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n"}},
     8 * GIB},
    {"v1, the container's own group is the root",
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "9:memory:/docker/0123\n4:cpu:/\n"},
      {"sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n"}},
     GIB / 2},
    {"v1 and v2 side by side",
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "9:memory:/job\n0::/job\n"},
      {"sys/fs/cgroup/memory/job/memory.limit_in_bytes", "4294967296\n"},
      {"sys/fs/cgroup/unified/job/memory.max", "max\n"}},
     4 * GIB},
    {"no number",
     {{"proc/meminfo", MEMINFO}, {"proc/self/cgroup", "0::/job\n"}, {"sys/fs/cgroup/job/memory.max", "1G\n"}},
     8 * GIB},
    {"beyond 64 bits",
     {{"proc/meminfo", MEMINFO},
      {"proc/self/cgroup", "0::/job\n"},
      {"sys/fs/cgroup/job/memory.max", "99999999999999999999999\n"}},
     8 * GIB},
};

START_TEST(memory_is_the_least_of_machine_and_groups)
{
    const struct memory_case *expected = &memory_cases[_i];
    const uint64_t found = sst_usable_memory_under(make_root(expected->files));
    ck_assert_msg(found == expected->bytes, "%s: %llu", expected->what, (unsigned long long)found);
}
END_TEST

enum { ADDRESS_SPACE, DATA, N_RESOURCES };

static int get_limit(int which, struct rlimit *limit)
{
    return which == DATA ? getrlimit(RLIMIT_DATA, limit) : getrlimit(RLIMIT_AS, limit);
}

static int set_limit(int which, const struct rlimit *limit)
{
    return which == DATA ? setrlimit(RLIMIT_DATA, limit) : setrlimit(RLIMIT_AS, limit);
}

/* A limit that the process can live with, set for a moment. */
START_TEST(resource_limits_count_too)
{
    static const struct file files[] = {{"proc/meminfo", "MemTotal: 999999999999 kB\n"}, {0}};
    const rlim_t most = (rlim_t)65536 * GIB;
    struct rlimit before, limited;
    const char *root = make_root(files);
    ck_assert_int_eq(get_limit(_i, &before), 0);
    limited = before;
    limited.rlim_cur = before.rlim_max != RLIM_INFINITY && before.rlim_max < most ? before.rlim_max : most;
    ck_assert_int_eq(set_limit(_i, &limited), 0);
    const uint64_t found = sst_usable_memory_under(root);
    ck_assert_int_eq(set_limit(_i, &before), 0);
    ck_assert_uint_eq(found, limited.rlim_cur);
}
END_TEST

START_TEST(this_machine_gives_something)
{
    ck_assert_int_ge(sst_usable_cores(0), 1);
    ck_assert_int_eq(sst_usable_cores(1), 1);
    ck_assert_uint_gt(sst_usable_memory(), 16 << 20);
    ck_assert_uint_lt(sst_usable_memory(), UINT64_MAX);
}
END_TEST

START_TEST(names_too_long_for_a_path_do_no_harm)
{
    char line[12000] = "0::/", root[9000];
    memset(line + 4, 'x', sizeof line - 6);
    line[sizeof line - 2] = '\n';
    const struct file files[] = {{"proc/self/cgroup", line}, {"sys/fs/cgroup/cpu.max", "300000 100000\n"}, {0}};
    ck_assert_uint_eq(sst_quota_cores_under(make_root(files)), 3);
    memset(root, 'r', sizeof root - 1);
    root[sizeof root - 1] = '\0';
    ck_assert_uint_eq(sst_quota_cores_under(root), 0);
    ck_assert_uint_eq(sst_usable_memory_under(root), UINT64_MAX);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("resources");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, quotas_are_found_wherever_they_are_set, 0, (int)(sizeof cores_cases / sizeof *cores_cases));
    tcase_add_test(tc, cores_are_the_least_of_mask_quota_and_schedule);
    tcase_add_loop_test(tc, memory_is_the_least_of_machine_and_groups, 0,
                        (int)(sizeof memory_cases / sizeof *memory_cases));
    tcase_add_loop_test(tc, resource_limits_count_too, 0, N_RESOURCES);
    tcase_add_test(tc, this_machine_gives_something);
    tcase_add_test(tc, names_too_long_for_a_path_do_no_harm);
    suite_add_tcase(suite, tc);
    return suite;
}
