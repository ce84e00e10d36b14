/* `sststream devices`: what a run can compute on, and why not on more. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "app/commands.h"
#include "app/job_device.h"
#include "app/json_values.h"
#include "backend/backend.h"

enum { VERSION_SIZE = 32 };

/* CUDA counts 13.0 as 13000, HIP 5.2.21153 as 50221153. */
static const char *version_text(const char *kind, int32_t version, char text[VERSION_SIZE])
{
    const int hip_major = 10000000, hip_minor = 100000, major = 1000, minor = 10;
    if (version <= 0)
        (void)snprintf(text, VERSION_SIZE, "-");
    else if (strcmp(kind, "hip") == 0)
        (void)snprintf(text, VERSION_SIZE, "%d.%d.%d", version / hip_major, version % hip_major / hip_minor,
                       version % hip_minor);
    else
        (void)snprintf(text, VERSION_SIZE, "%d.%d", version / major, version % major / minor);
    return text;
}

static void print_table(const struct sst_gpu_devices *devices, FILE *stream)
{
    int width = (int)sizeof "name" - 1;
    for (size_t i = 0; i < devices->n; ++i) {
        const int n = (int)strlen(devices->list[i].info.name);
        width = n > width ? n : width;
    }
    (void)fprintf(stream, "number  %-*s  %9s  %9s  %-8s  %-10s  %-10s  %s\n", width, "name", "memory", "free", "arch",
                  "runtime", "driver", "plugin");
    for (size_t i = 0; i < devices->n; ++i) {
        const struct sst_gpu_device *device = &devices->list[i];
        const struct gpu_device_info *info = &device->info;
        char runtime[VERSION_SIZE], driver[VERSION_SIZE];
        (void)fprintf(stream, "%6d  %-*s  %6.1f GB  %6.1f GB  %-8.*s  %-10s  %-10s  %s\n", device->number, width,
                      info->name, (double)info->memory_bytes / 1e9, (double)info->free_bytes / 1e9,
                      (int)strcspn(info->arch, ":"), info->arch, /* without what is switched on in it */
                      version_text(device->api->kind, info->runtime_version, runtime),
                      version_text(device->api->kind, info->driver_version, driver), device->api->kind);
    }
}

/* The next line of a text, which is cut behind it; NULL at its end. */
static char *next_line(char **rest)
{
    char *line = strsep(rest, "\n");
    return line && *line ? line : NULL;
}

static void print_found(const struct sst_gpu_found *found, FILE *stream)
{
    char *rest = found->reasons, *line = NULL;
    if (found->devices.n > 0)
        print_table(&found->devices, stream);
    while ((line = next_line(&rest))) {
        sst_log_put_text(line, stream);
        (void)fputc('\n', stream);
    }
    if (found->devices.n == 0)
        (void)fprintf(stream, "no device: the CPU is used, %s\n", sst_backend_cpu_name());
}

static json_t *device_json(const struct sst_gpu_device *device)
{
    const struct gpu_device_info *info = &device->info;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:i}", "number",
                     sst_json_integer((uint64_t)device->number), "plugin", sst_json_text(device->api->kind),
                     "built_for", sst_json_text(device->api->architectures), "name", sst_json_text(info->name), "arch",
                     sst_json_text(info->arch), "memory_bytes", sst_json_integer(info->memory_bytes), "free_bytes",
                     sst_json_integer(info->free_bytes), "runtime_version", (int)info->runtime_version,
                     "driver_version", (int)info->driver_version, "units", (int)info->n_units, "wavefront",
                     (int)info->wavefront, "fast_bytes", sst_json_integer(info->fast_bytes), "clock_khz",
                     (int)info->clock_khz);
}

static json_t *reasons_json(char *reasons)
{
    json_t *list = json_array();
    char *rest = reasons, *line = NULL;
    while ((line = next_line(&rest)))
        (void)json_array_append_new(list, sst_json_text(line));
    return list;
}

static enum sst_status write_json(const struct sst_gpu_found *found, FILE *stream, struct sst_error *err)
{
    sst_json_watch();
    json_t *devices = json_array();
    for (size_t i = 0; i < found->devices.n; ++i)
        (void)json_array_append_new(devices, device_json(&found->devices.list[i]));
    json_t *root = json_pack("{s:o, s:o, s:s}", "devices", devices, "reasons", reasons_json(found->reasons), "cpu",
                             sst_backend_cpu_name());
    enum sst_status rc = SST_OK;
    if (!sst_json_is_whole() || !root)
        rc = sst_fail(err, SST_ERR_NOMEM, "the list of devices: out of memory");
    else
        (void)(json_dumpf(root, stream, JSON_INDENT(2)) == 0 &&
               fputc('\n', stream)); /* main() looks whether it arrived */
    json_decref(root);
    return rc;
}

int cmd_devices(const struct sst_options *options)
{
    struct sst_error err = {0};
    struct sst_gpu_found found;
    bool may_play = false;
    enum sst_status rc = sst_job_find_devices(&found, &may_play, &err);
    if (rc == SST_OK && options->json)
        rc = write_json(&found, stdout, &err);
    else if (rc == SST_OK)
        print_found(&found, stdout);
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    sst_gpu_found_clear(&found);
    return sst_status_exit_code(rc);
}
