/* Architectures that a plugin serves, and whether its runtime would survive the question which devices are there. */
#include "backend/gpu_served.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_cuda(const struct gpu_api *api) { return strcmp(api->kind, "cuda") == 0; }

/* 90 of "sm_90,sm_100"; 0 where there is no number. */
static unsigned long number_of(const char *arch)
{
    static const char prefix[] = "sm_";
    return strncmp(arch, prefix, sizeof prefix - 1) == 0 ? strtoul(arch + sizeof prefix - 1, NULL, 10) : 0;
}

/* Code of a generation runs on its later members; what is last in the list was also built as PTX, for all that comes after. */
static bool runs_on(unsigned long built, unsigned long device, bool is_last)
{
    return built > 0 && device >= built && (is_last || device / 10 == built / 10);
}

static size_t length_of_name(const char *name) { return strcspn(name, ":,"); }

bool sst_gpu_serves(const struct gpu_api *api, const char *arch)
{
    const size_t n = length_of_name(arch);
    for (const char *at = api->architectures; at && *at;) {
        const size_t n_entry = strcspn(at, ",");
        const bool is_last = at[n_entry] == '\0';
        if (is_cuda(api) ? runs_on(number_of(at), number_of(arch), is_last)
                         : n > 0 && length_of_name(at) == n && strncmp(at, arch, n) == 0)
            return true;
        at += n_entry + !is_last;
    }
    return false;
}

/* The value of a line "key value"; `none` where there is no such line. */
static unsigned long property_of(FILE *file, const char *key, unsigned long none)
{
    char line[256];
    const size_t n = strlen(key);
    rewind(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, key, n) == 0 && line[n] == ' ')
            return strtoul(line + n, NULL, 10);
    return none;
}

/* A node with vector units is a device; its version 90010 is gfx90a: two digits each, the last as one digit of 16. */
static bool is_foreign(const struct gpu_api *api, const char *topology, const char *node)
{
    char path[PATH_MAX], arch[32];
    const int n = snprintf(path, sizeof path, "%s/%s/properties", topology, node);
    FILE *file = n > 0 && n < (int)sizeof path ? fopen(path, "r") : NULL;
    if (!file)
        return false;
    const unsigned long n_units = property_of(file, "simd_count", 0);
    const unsigned long version = property_of(file, "gfx_target_version", 0);
    (void)fclose(file);
    (void)snprintf(arch, sizeof arch, "gfx%lu%lu%lx", version / 10000, version / 100 % 100, version % 100);
    return n_units > 0 && !sst_gpu_serves(api, arch);
}

static bool has_foreign(const struct gpu_api *api, const char *topology)
{
    bool found = false;
    DIR *folder = opendir(topology);
    if (!folder)
        return false;
    for (const struct dirent *node = readdir(folder); node && !found; node = readdir(folder))
        found = node->d_name[0] != '.' && is_foreign(api, topology, node->d_name);
    (void)closedir(folder);
    return found;
}

/* The runtime's last words, which name no remedy, are not shown, and leave no core. */
static _Noreturn void count_and_leave(const struct gpu_api *api)
{
    const struct rlimit no_core = {0, 0};
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int n = 0;
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (nowhere >= 0)
        (void)dup2(nowhere, STDERR_FILENO);
    (void)api->n_devices(&n);
    _exit(0);
}

bool sst_gpu_may_count(const struct gpu_api *api, const char *topology)
{
    int status = 0;
    pid_t ended = -1;
    if (strcmp(api->kind, "hip") != 0 || !has_foreign(api, topology))
        return true;
    const pid_t child = fork();
    if (child == 0)
        count_and_leave(api);
    if (child < 0)
        return false;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
