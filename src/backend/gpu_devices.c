/* Finds plugins in a folder, loads them, and asks them for devices. */
#include "backend/gpu_devices.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu_served.h"
#include "core/mem.h"
#include "core/text.h"

static const char prefix[] = "sststream_gpu_", ending[] = ".so", emulated[] = "emulated";

/* As CUDA and HIP number them. */
enum { CODE_NO_DRIVER = 35, CODE_NO_DEVICE = 100 };

/* --- finding ------------------------------------------------------------------------------------------------------ */

/* "hip" of sststream_gpu_hip.so, in n letters; NULL where the name is no plugin's. */
static const char *kind_of(const char *name, size_t *n)
{
    const size_t n_name = strlen(name), n_prefix = sizeof prefix - 1, n_ending = sizeof ending - 1;
    if (n_name <= n_prefix + n_ending || strncmp(name, prefix, n_prefix) != 0 ||
        strcmp(name + n_name - n_ending, ending) != 0)
        return NULL;
    *n = n_name - n_prefix - n_ending;
    return name + n_prefix;
}

static int is_plugin(const struct dirent *entry)
{
    size_t n = 0;
    return kind_of(entry->d_name, &n) != NULL;
}

static bool is_emulated(const char *name)
{
    size_t n = 0;
    const char *kind = kind_of(name, &n);
    return kind && n == sizeof emulated - 1 && strncmp(kind, emulated, n) == 0;
}

/* By name, but emulated devices are behind all that are real. */
static int compare_plugins(const struct dirent **a, const struct dirent **b)
{
    const bool is_last = is_emulated((*a)->d_name), is_first = is_emulated((*b)->d_name);
    return is_last != is_first ? (is_last ? 1 : -1) : strcmp((*a)->d_name, (*b)->d_name);
}

/* The names of a folder's plugins, sorted; -1 where it cannot be read. Owner: the caller, free_names. */
static int list_plugins(const char *folder, struct dirent ***names)
{
    *names = NULL;
    return folder ? scandir(folder, names, is_plugin, compare_plugins) : -1;
}

static void free_names(struct dirent **names, int n)
{
    for (int i = 0; i < n; ++i)
        free(names[i]); /* scandir's, not core/mem's */
    free(names);
}

bool sst_gpu_has_plugins(const char *folder)
{
    struct dirent **names = NULL;
    const int n = list_plugins(folder, &names);
    free_names(names, n);
    return n > 0;
}

/* The table of a plugin, which stays loaded; NULL where it is none of ours, and then a line why. */
static const struct gpu_api *load(const char *path, const char *kind, int n_kind, struct sst_text *reasons)
{
    const struct gpu_api *(*get)(void) = NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, SST_GPU_API_SYMBOL) : NULL;
    if (!symbol) {
        const char *why = dlerror();
        sst_text_addf(reasons, "%.*s: cannot be loaded: %s\n", n_kind, kind, why ? why : "no reason is told");
        return NULL;
    }
    memcpy(&get, &symbol, sizeof get); /* C has no other way from an object's pointer to a function's */
    const struct gpu_api *api = get();
    if (api->version == SST_GPU_API_VERSION)
        return api;
    sst_text_addf(reasons, "%.*s: of another version (%u, this program takes %d). Install both from one build\n",
                  n_kind, kind, (unsigned)api->version, SST_GPU_API_VERSION);
    return NULL;
}

static void say_none(const struct gpu_api *api, int code, struct sst_text *reasons)
{
    if (code == 0)
        sst_text_addf(reasons, "%s: no device\n", api->kind);
    else
        sst_text_addf(reasons, "%s: %s (%s, code %d)\n", api->kind,
                      code == CODE_NO_DRIVER   ? "no driver, or one that is too old"
                      : code == CODE_NO_DEVICE ? "no device"
                                               : "devices cannot be counted",
                      api->error_text(code), code);
}

/* Whether the plugin has kernels for a device; a line where not. */
static bool is_served(const struct sst_gpu_device *device, struct sst_text *reasons)
{
    const bool serves = sst_gpu_serves(device->api, device->info.arch);
    if (!serves)
        sst_text_addf(reasons, "%s: device %d (%s) is of %s, and the plugin was built for %s\n", device->api->kind,
                      device->number, device->info.name, device->info.arch, device->api->architectures);
    return serves;
}

static void add_devices(const struct gpu_api *api, struct sst_gpu_found *found, struct sst_text *reasons)
{
    struct sst_gpu_devices *devices = &found->devices;
    int n = 0;
    if (!sst_gpu_may_count(api, SST_GPU_TOPOLOGY)) {
        sst_text_addf(reasons,
                      "%s: a device is of an architecture that the plugin was not built for (it was for %s), and the "
                      "runtime does not survive that. Build for it too, or hide it (ROCR_VISIBLE_DEVICES)\n",
                      api->kind, api->architectures);
        return;
    }
    const int code = api->n_devices(&n);
    if (code != 0 || n <= 0) {
        say_none(api, code, reasons);
        return;
    }
    for (int i = 0; i < n; ++i) {
        struct sst_gpu_device device = {.api = api, .index = i, .number = found->n_numbers++};
        const int failed = api->info(i, &device.info);
        if (failed != 0)
            sst_text_addf(reasons, "%s: device %d cannot be used (%s, code %d)\n", api->kind, device.number,
                          api->error_text(failed), failed);
        else if (devices->n == SST_MAX_DEVICES)
            sst_text_addf(reasons, "%s: device %d is one too many; %d are taken\n", api->kind, device.number,
                          SST_MAX_DEVICES);
        else if (is_served(&device, reasons))
            devices->list[devices->n++] = device;
    }
}

static enum sst_status add_plugin(const char *folder, const char *name, struct sst_gpu_found *found,
                                  struct sst_text *reasons, struct sst_error *err)
{
    char *path = NULL;
    size_t n_kind = 0;
    const char *kind = kind_of(name, &n_kind);
    SST_TRY(sst_asprintf(&path, err, "%s/%s", folder, name));
    const struct gpu_api *api = load(path, kind, (int)n_kind, reasons);
    sst_free(path);
    if (api)
        add_devices(api, found, reasons);
    return SST_OK;
}

enum sst_status sst_gpu_find(const char *folder, struct sst_gpu_found *out, struct sst_error *err)
{
    struct sst_text reasons = {0};
    struct dirent **names = NULL;
    enum sst_status rc = SST_OK;
    memset(out, 0, sizeof *out);
    const int n = list_plugins(folder, &names);
    if (n <= 0)
        sst_text_addf(&reasons, "no plugin: %s%s\n", folder ? "there is none in " : "no folder has any",
                      folder ? folder : "");
    for (int i = 0; i < n; ++i)
        SST_TRY_GOTO(add_plugin(folder, names[i]->d_name, out, &reasons, err));
    sst_text_add(&reasons, ""); /* so that there is a text where nothing was said */
    SST_TRY_GOTO(sst_text_check(&reasons, err));
    SST_TRY_GOTO(sst_strdup(reasons.data, &out->reasons, err));
done:
    free_names(names, n);
    sst_text_clear(&reasons);
    return rc;
}

void sst_gpu_found_clear(struct sst_gpu_found *found)
{
    sst_free(found->reasons);
    memset(found, 0, sizeof *found);
}

void sst_gpu_add_reasons(const struct sst_gpu_found *found, struct sst_text *text)
{
    for (const char *line = found->reasons; *line;) {
        const size_t n = strcspn(line, "\n");
        sst_text_add(text, text->size ? "; " : "");
        sst_text_add_bytes(text, line, n);
        line += n + (line[n] == '\n');
    }
}

/* --- choosing ----------------------------------------------------------------------------------------------------- */

/* SST_ERR_USAGE, with what was found and why not more. */
static enum sst_status refuse(const struct sst_gpu_found *found, const char *wish, const char *why,
                              struct sst_error *err)
{
    struct sst_text text = {0};
    for (size_t i = 0; i < found->devices.n; ++i)
        sst_text_addf(&text, "%s%d %s (%s)", i ? ", " : "", found->devices.list[i].number,
                      found->devices.list[i].info.name, found->devices.list[i].api->kind);
    sst_gpu_add_reasons(found, &text);
    enum sst_status rc = sst_text_check(&text, err);
    if (rc == SST_OK)
        rc = sst_fail(err, SST_ERR_USAGE,
                      "--device %s: %s. %s: %s. Use --device cpu, or see what 'sststream devices' shows", wish, why,
                      found->devices.n > 0 ? "Found" : "Reasons", text.data ? text.data : "none is told");
    sst_text_clear(&text);
    return rc;
}

/* NULL where there is none that can be used. */
static const struct sst_gpu_device *device_of(const struct sst_gpu_found *found, unsigned long number)
{
    for (size_t i = 0; i < found->devices.n; ++i)
        if ((unsigned long)found->devices.list[i].number == number)
            return &found->devices.list[i];
    return NULL;
}

/* Why a device (NULL: there is none) may not join those that are chosen already; NULL where it may. */
static const char *obstacle(const struct sst_gpu_device *device, const struct sst_gpu_devices *out)
{
    if (!device)
        return "no device that can be used has this number";
    if (out->n > 0 && out->list[0].api != device->api)
        return "they are of two plugins, and a run takes devices of one";
    for (size_t i = 0; i < out->n; ++i)
        if (out->list[i].index == device->index)
            return "names a device twice";
    return NULL;
}

enum sst_status sst_gpu_choose(const struct sst_gpu_found *found, const char *wish, struct sst_gpu_devices *out,
                               struct sst_error *err)
{
    static const char by_number[] = "gpu:";
    struct sst_gpu_devices chosen = {.n = 0};
    memset(out, 0, sizeof *out);
    if (found->devices.n == 0)
        return refuse(found, wish, "no device can be used", err);
    if (strncmp(wish, by_number, sizeof by_number - 1) != 0) {
        for (size_t i = 0; i < found->devices.n; ++i)
            if (found->devices.list[i].api == found->devices.list[0].api)
                chosen.list[chosen.n++] = found->devices.list[i];
        *out = chosen;
        return SST_OK;
    }
    for (const char *at = wish + sizeof by_number - 1; *at;) {
        char *end = NULL;
        const unsigned long number = strtoul(at, &end, 10);
        const struct sst_gpu_device *device = device_of(found, number);
        const char *why = obstacle(device, &chosen);
        if (why)
            return refuse(found, wish, why, err);
        chosen.list[chosen.n++] = *device;
        at = end + (*end == ',');
    }
    *out = chosen;
    return SST_OK;
}

/* --- using -------------------------------------------------------------------------------------------------------- */

enum sst_status sst_gpu_check(const struct sst_gpu_device *device, int code, const char *what, struct sst_error *err)
{
    if (code == 0)
        return SST_OK;
    return sst_fail(err, SST_ERR_DEVICE, "device %d (%s): %s failed: %s (code %d)", device->number, device->info.name,
                    what, device->api->error_text(code), code);
}

/* What is page-locked is so for all devices of the runtime: it is done, and undone, by the first. */
enum sst_status sst_gpu_lock_host(const struct sst_gpu_devices *devices, void *memory, size_t n_bytes,
                                  struct sst_error *err)
{
    if (devices->n == 0)
        return SST_OK;
    const struct sst_gpu_device *first = &devices->list[0];
    SST_TRY(sst_gpu_check(first, first->api->select(first->index), "selecting it", err));
    return sst_gpu_check(first, first->api->host_lock(memory, n_bytes), "page-locking the host's memory", err);
}

void sst_gpu_unlock_host(const struct sst_gpu_devices *devices, void *memory)
{
    if (devices->n == 0)
        return;
    const struct sst_gpu_device *first = &devices->list[0];
    if (first->api->select(first->index) == 0)
        (void)first->api->host_unlock(memory);
}
