/* Which devices a run takes. */
#include "app/job_device.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/environment.h"
#include "core/mem.h"
#include "core/text.h"

static const char own_folder[] = "/sststream"; /* within the folder of libraries */

/* The folder of the program's own file, cut from its path; false where the system does not tell. */
static bool find_program_folder(char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

/* "/x/bin" and "../lib" to "/x" and "lib": the folder of a path that begins in another, as people write it. */
static const char *leave_folder(char *folder, const char *path)
{
    static const char up[] = "../";
    for (char *slash = strrchr(folder, '/'); slash && strncmp(path, up, sizeof up - 1) == 0;
         slash = strrchr(folder, '/')) {
        *slash = '\0';
        path += sizeof up - 1;
    }
    return path;
}

/* NULL where there is no folder to look in. Owner: the caller, sst_free. */
static enum sst_status find_folder(char **folder, bool *is_named, struct sst_error *err)
{
    char program[PATH_MAX];
    const char *named = sst_environment_device_plugins();
    *folder = NULL;
    *is_named = named != NULL;
    if (named)
        return sst_strdup(named, folder, err);
    if (!find_program_folder(program))
        return SST_OK;
    if (sst_gpu_has_plugins(program))
        return sst_strdup(program, folder, err);
    const char *libraries = leave_folder(program, SST_LIB_FROM_BIN);
    return sst_asprintf(folder, err, "%s/%s%s", program, libraries, own_folder);
}

enum sst_status sst_job_find_devices(struct sst_gpu_found *found, bool *may_play, struct sst_error *err)
{
    char *folder = NULL;
    memset(found, 0, sizeof *found);
    SST_TRY(find_folder(&folder, may_play, err));
    const enum sst_status rc = sst_gpu_find(folder, found, err);
    sst_free(folder);
    return rc;
}

static const char *wish_of(const struct sst_options *options) { return options->device ? options->device : "auto"; }

/* Emulated devices are out of the question. */
static void leave_out_emulated(struct sst_gpu_devices *devices)
{
    size_t n = 0;
    for (size_t i = 0; i < devices->n; ++i)
        if (strcmp(devices->list[i].api->kind, "emulated") != 0)
            devices->list[n++] = devices->list[i];
    devices->n = n;
}

/* On one line; also for the log. */
static enum sst_status say_why_none(struct sst_log *log, const struct sst_gpu_found *found, char *why, size_t n_why,
                                    struct sst_error *err)
{
    struct sst_text text = {0};
    sst_gpu_add_reasons(found, &text);
    const enum sst_status rc = sst_text_check(&text, err);
    const char *reasons = text.data ? text.data : "there are none but emulated ones";
    if (rc == SST_OK && log)
        sst_log_debug(log, "no device is used: %s", reasons);
    if (rc == SST_OK)
        (void)snprintf(why, n_why, "%s", reasons);
    sst_text_clear(&text);
    return rc;
}

enum sst_status sst_job_choose_devices(const struct sst_options *options, const struct sst_gpu_found *found,
                                       bool may_play, struct sst_gpu_devices *devices, char why[SST_DEVICE_WHY_SIZE],
                                       struct sst_error *err)
{
    const char *wish = wish_of(options);
    const bool is_auto = strcmp(wish, "auto") == 0;
    struct sst_gpu_found usable = *found;
    memset(devices, 0, sizeof *devices);
    why[0] = '\0';
    if (strcmp(wish, "cpu") == 0)
        return SST_OK;
    if (is_auto && !may_play)
        leave_out_emulated(&usable.devices);
    if (!is_auto || usable.devices.n > 0)
        return sst_gpu_choose(&usable, is_auto ? "gpu" : wish, devices, err);
    return say_why_none(options->log, found, why, SST_DEVICE_WHY_SIZE, err);
}

enum sst_status sst_job_devices(const struct sst_options *options, struct sst_gpu_devices *devices,
                                char why[SST_DEVICE_WHY_SIZE], struct sst_error *err)
{
    struct sst_gpu_found found;
    bool may_play = false;
    memset(devices, 0, sizeof *devices);
    why[0] = '\0';
    if (strcmp(wish_of(options), "cpu") == 0)
        return SST_OK;
    enum sst_status rc = sst_job_find_devices(&found, &may_play, err);
    if (rc == SST_OK)
        rc = sst_job_choose_devices(options, &found, may_play, devices, why, err);
    sst_gpu_found_clear(&found);
    return rc;
}
