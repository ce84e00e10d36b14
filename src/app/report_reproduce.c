/* What a run was made with: program, compiler, libraries, processor. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "app/json_values.h"
#include "app/report_blocks.h"
#include "write/clim_nc.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* The first "model name : ..." of the system's list; null where there is none, as on other systems and processors. */
static json_t *processor(void)
{
    static const char key[] = "model name";
    char line[256];
    json_t *name = NULL;
    FILE *list = fopen("/proc/cpuinfo", "r");
    while (list && !name && fgets(line, sizeof line, list)) {
        const char *value = strncmp(line, key, sizeof key - 1) == 0 ? strchr(line, ':') : NULL;
        if (!value)
            continue;
        value += 1 + strspn(value + 1, " \t");
        line[strcspn(line, "\n")] = '\0';
        name = sst_json_text(value);
    }
    if (list)
        (void)fclose(list);
    return name ? name : json_null();
}

static json_t *libraries(void)
{
    struct sst_library_versions versions;
    sst_clim_library_versions(&versions);
    json_t *out = json_object();
    (void)json_object_set_new(out, "netCDF", sst_json_text(versions.netcdf));
    (void)json_object_set_new(out, "HDF5", sst_json_text(versions.hdf5));
    (void)json_object_set_new(out, "jansson", sst_json_text(JANSSON_VERSION));
    return out;
}

json_t *sst_block_reproduce(const char *command, int n_threads)
{
    json_t *out = json_object();
    (void)json_object_set_new(out, "command", sst_json_text(command));
    (void)json_object_set_new(out, "version", sst_json_text(sst_version()));
    (void)json_object_set_new(out, "compiler", sst_json_text(COMPILER));
    (void)json_object_set_new(out, "libraries", libraries());
    (void)json_object_set_new(out, "threads", json_integer(n_threads));
    (void)json_object_set_new(out, "device", sst_json_text("cpu"));
    (void)json_object_set_new(out, "cpu", processor());
    return out;
}
