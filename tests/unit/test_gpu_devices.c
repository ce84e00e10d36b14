/* backend/gpu_devices: plugins that are found and refused, devices that are chosen, and the emulated device itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/gpu_devices.h"
#include "backend/gpu_served.h"
#include "test_main.h"

#define MIB ((size_t)1 << 20)

enum { OUT_OF_MEMORY = 2 };

static struct sst_error err;
static char emulated[1024]; /* folder */

static struct sst_gpu_found find(const char *folder)
{
    struct sst_gpu_found found;
    sst_error_clear(&err);
    ck_assert_msg(sst_gpu_find(folder, &found, &err) == SST_OK, "%s", err.text);
    return found;
}

static const struct gpu_api *emulated_api(void)
{
    struct sst_gpu_found found = find(emulated);
    ck_assert_msg(found.devices.n == 2, "%s", found.reasons);
    const struct gpu_api *api = found.devices.list[0].api;
    sst_gpu_found_clear(&found);
    return api;
}

START_TEST(where_there_is_no_plugin_the_reason_is_told)
{
    struct sst_gpu_found found = find(NULL);
    ck_assert_uint_eq(found.devices.n, 0);
    ck_assert_str_eq(found.reasons, "no plugin: no folder has any\n");
    ck_assert(!sst_gpu_has_plugins(NULL));
    sst_gpu_found_clear(&found);
    found = find(test_scratch_dir());
    ck_assert_uint_eq(found.devices.n, 0);
    ck_assert_msg(strncmp(found.reasons, "no plugin: there is none in ", 28) == 0, "%s", found.reasons);
    ck_assert(!sst_gpu_has_plugins(test_scratch_dir()));
    sst_gpu_found_clear(&found);
}
END_TEST

START_TEST(emulated_devices_are_found_and_their_plugin_stays)
{
    struct sst_gpu_found found = find(emulated);
    ck_assert_msg(found.devices.n == 2, "%s", found.reasons);
    ck_assert_str_eq(found.reasons, "");
    for (int i = 0; i < 2; ++i) {
        const struct sst_gpu_device *device = &found.devices.list[i];
        ck_assert_str_eq(device->api->kind, "emulated");
        ck_assert_int_eq(device->index, i);
        ck_assert_uint_eq(device->info.memory_bytes, 1024 * MIB);
        ck_assert_uint_eq(device->info.free_bytes, 1024 * MIB);
    }
    const struct gpu_api *api = found.devices.list[0].api;
    sst_gpu_found_clear(&found);
    ck_assert_ptr_eq(emulated_api(), api);
}
END_TEST

START_TEST(a_plugin_that_cannot_be_loaded_is_named_and_others_are_used)
{
    char broken[1024], link[1024];
    (void)snprintf(broken, sizeof broken, "%s/sststream_gpu_broken.so", test_scratch_dir());
    (void)snprintf(link, sizeof link, "%s/sststream_gpu_played.so", test_scratch_dir());
    FILE *file = fopen(broken, "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs("no library", file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(symlink(test_path("%s/sststream_gpu_emulated.so", emulated), link), 0);
    struct sst_gpu_found found = find(test_scratch_dir());
    ck_assert_uint_eq(found.devices.n, 2);
    ck_assert_msg(strncmp(found.reasons, "broken: cannot be loaded: ", 26) == 0, "%s", found.reasons);
    sst_gpu_found_clear(&found);
    ck_assert_int_eq(unlink(broken), 0);
    ck_assert_int_eq(unlink(link), 0);
}
END_TEST

static bool serves(const char *kind, const char *built, const char *arch)
{
    const struct gpu_api api = {.kind = kind, .architectures = built};
    return sst_gpu_serves(&api, arch);
}

START_TEST(a_plugin_serves_what_it_was_built_for)
{
    ck_assert(serves("hip", "gfx906,gfx90a", "gfx906:sramecc+:xnack-"));
    ck_assert(serves("hip", "gfx906,gfx90a:xnack-", "gfx90a"));
    ck_assert(!serves("hip", "gfx906,gfx90a", "gfx90"));
    ck_assert(!serves("hip", "gfx90", "gfx906"));
    ck_assert(!serves("hip", "gfx906,gfx90a", "gfx1030"));
    ck_assert(!serves("hip", "", "gfx906") && !serves("hip", "gfx906", ""));
    ck_assert(serves("cuda", "sm_90", "sm_90") && serves("cuda", "sm_90", "sm_120"));
    ck_assert(!serves("cuda", "sm_90", "sm_89") && !serves("cuda", "sm_90", ""));
    ck_assert(serves("cuda", "sm_80,sm_100", "sm_86"));
    ck_assert(!serves("cuda", "sm_80,sm_100", "sm_90")); /* neither its code nor its PTX */
    ck_assert(serves("emulated", "cpu", "cpu"));
}
END_TEST

/* Runtimes that end the process when asked, and that do not. */
static int abort_instead(int *n)
{
    *n = 0;
    abort();
}

static int count_none(int *n)
{
    *n = 0;
    return 100;
}

static void write_node(const char *topology, const char *node, const char *properties)
{
    ck_assert_int_eq(mkdir(test_path("%s/%s", topology, node), 0700), 0);
    FILE *file = fopen(test_path("%s/%s/properties", topology, node), "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs(properties, file);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_runtime_that_would_end_the_process_is_not_asked)
{
    struct gpu_api api = {.kind = "hip", .architectures = "gfx906,gfx90a", .n_devices = abort_instead};
    char topology[1024];
    (void)snprintf(topology, sizeof topology, "%s/nodes", test_scratch_dir());
    ck_assert(
        sst_gpu_may_count(&api, topology)); /* no driver: no child, and the runtime only says that there is none */
    ck_assert_int_eq(mkdir(topology, 0700), 0);
    write_node(topology, "0", "cpu_cores_count 8\nsimd_count 0\ngfx_target_version 0\n");
    write_node(topology, "1", "cpu_cores_count 0\nsimd_count 240\ngfx_target_version 90006\n");
    write_node(topology, "2", "simd_count 416\ngfx_target_version 90010\n");
    ck_assert(sst_gpu_may_count(&api, topology)); /* all are served */
    write_node(topology, "3", "simd_count 160\ngfx_target_version 100300\n");
    ck_assert(!sst_gpu_may_count(&api, topology));
    api.n_devices = count_none; /* the foreign one is hidden from the runtime */
    ck_assert(sst_gpu_may_count(&api, topology));
    api.n_devices = abort_instead;
    api.kind = "cuda";
    ck_assert(sst_gpu_may_count(&api, topology));
}
END_TEST

/* A plugin that is made up, as far as choosing looks at it. */
static const char *made_up_text(int code) { return code == OUT_OF_MEMORY ? "out of memory" : "?"; }

static const struct gpu_api api_a = {.version = 1, .kind = "a", .error_text = made_up_text},
                            api_b = {.version = 1, .kind = "b", .error_text = made_up_text};
static char reason[] = "c: no device (none, code 100)\n";
static const struct sst_gpu_found three = {
    {{{&api_a, 0, 0, {.name = "A0"}}, {&api_a, 1, 1, {.name = "A1"}}, {&api_b, 1, 3, {.name = "B1"}}}, 3}, reason, 4};

static void choose(const char *wish, size_t n, const char *first)
{
    struct sst_gpu_devices devices;
    sst_error_clear(&err);
    ck_assert_msg(sst_gpu_choose(&three, wish, &devices, &err) == SST_OK, "%s", err.text);
    ck_assert_uint_eq(devices.n, n);
    ck_assert_str_eq(devices.list[0].info.name, first);
}

static void refuse(const struct sst_gpu_found *found, const char *wish, const char *text)
{
    struct sst_gpu_devices devices;
    sst_error_clear(&err);
    ck_assert_int_eq(sst_gpu_choose(found, wish, &devices, &err), SST_ERR_USAGE);
    ck_assert_str_eq(err.text, text);
    ck_assert_uint_eq(devices.n, 0);
}

START_TEST(devices_are_chosen_by_their_number)
{
    choose("gpu", 2, "A0");
    choose("gpu:0", 1, "A0");
    choose("gpu:1,0", 2, "A1");
    choose("gpu:3", 1, "B1");
}
END_TEST

#define FOUND "Found: 0 A0 (a), 1 A1 (a), 3 B1 (b); c: no device (none, code 100). "
#define REMEDY "Use --device cpu, or see what 'sststream devices' shows"

START_TEST(a_wish_that_cannot_be_granted_is_refused_with_what_was_found)
{
    struct sst_gpu_found none = {.devices = {.n = 0}, .reasons = reason};
    refuse(&three, "gpu:2", "--device gpu:2: no device that can be used has this number. " FOUND REMEDY);
    refuse(&three, "gpu:4", "--device gpu:4: no device that can be used has this number. " FOUND REMEDY);
    refuse(&three, "gpu:0,3",
           "--device gpu:0,3: they are of two plugins, and a run takes devices of one. " FOUND REMEDY);
    refuse(&three, "gpu:1,1", "--device gpu:1,1: names a device twice. " FOUND REMEDY);
    refuse(&none, "gpu",
           "--device gpu: no device can be used. Reasons: c: no device (none, code 100). "
           "Use --device cpu, or see what 'sststream devices' shows");
}
END_TEST

START_TEST(a_code_becomes_a_message_that_names_device_and_call)
{
    sst_error_clear(&err);
    ck_assert_int_eq(sst_gpu_check(&three.devices.list[1], 0, "nothing", &err), SST_OK);
    ck_assert_int_eq(sst_gpu_check(&three.devices.list[1], OUT_OF_MEMORY, "taking 5 bytes", &err), SST_ERR_DEVICE);
    ck_assert_str_eq(err.text, "device 1 (A1): taking 5 bytes failed: out of memory (code 2)");
    sst_error_clear(&err);
    ck_assert_int_eq(sst_gpu_check(&three.devices.list[2], OUT_OF_MEMORY, "taking 5 bytes", &err), SST_ERR_DEVICE);
    ck_assert_str_eq(err.text, "device 3 (B1): taking 5 bytes failed: out of memory (code 2)"); /* its number */
}
END_TEST

START_TEST(memory_of_an_emulated_device_has_an_end)
{
    const struct gpu_api *api = emulated_api();
    struct gpu_device_info info;
    void *first = NULL, *second = NULL;
    ck_assert_int_eq(api->select(1), 0);
    ck_assert_int_eq(api->alloc(600 * MIB, &first), 0);
    ck_assert_int_eq(api->alloc(600 * MIB, &second), OUT_OF_MEMORY);
    ck_assert_ptr_null(second);
    ck_assert_int_eq(api->info(1, &info), 0);
    ck_assert_uint_eq(info.free_bytes, 424 * MIB);
    ck_assert_int_eq(api->info(0, &info), 0);
    ck_assert_uint_eq(info.free_bytes, 1024 * MIB);
    ck_assert_int_eq(api->select(0), 0);
    ck_assert_int_eq(api->host_release(first), 1); /* memory of the other kind */
    ck_assert_int_eq(api->release(first), 0);
    ck_assert_int_eq(api->info(1, &info), 0);
    ck_assert_uint_eq(info.free_bytes, 1024 * MIB);
    ck_assert_int_eq(api->select(2), 101);
}
END_TEST

START_TEST(copies_and_times_of_an_emulated_device)
{
    const struct gpu_api *api = emulated_api();
    const char text[] = "abcdefgh";
    char back[16] = "................", *device = NULL;
    void *memory = NULL, *stream = NULL, *begin = NULL, *end = NULL, *other = NULL;
    double seconds = -1.0;
    ck_assert_int_eq(api->select(1), 0);
    ck_assert_int_eq(api->event_open(&other), 0);
    ck_assert_int_eq(api->select(0), 0);
    ck_assert_int_eq(api->alloc(16, &memory), 0);
    device = memory;
    ck_assert_int_eq(api->stream_open(&stream), 0);
    ck_assert_int_eq(api->event_open(&begin), 0);
    ck_assert_int_eq(api->event_open(&end), 0);
    ck_assert_int_ne(api->event_elapsed(begin, end, &seconds), 0); /* not recorded yet */
    ck_assert_int_eq(api->event_record(begin, stream), 0);
    ck_assert_int_ne(api->event_record(other, stream), 0);
    ck_assert_int_eq(api->copy_in(device, text, 8, stream), 0);
    ck_assert_int_eq(api->copy_within(device + 8, device, 8, stream), 0);
    ck_assert_int_eq(api->zero(device + 1, 1, stream), 0);
    /* Two rows of three of rows of eight, to rows of four. */
    ck_assert_int_eq(api->copy_out(back, device, 3, stream), 0);
    ck_assert_int_eq(api->copy_out(back + 4, device + 8, 3, stream), 0);
    ck_assert_mem_eq(back, "a\0c.abc.", 8);
    ck_assert_int_eq(api->event_record(end, stream), 0);
    ck_assert_int_eq(api->stream_wait(stream, end), 0);
    ck_assert_int_eq(api->event_sync(end), 0);
    ck_assert_int_eq(api->event_elapsed(begin, end, &seconds), 0);
    ck_assert(seconds >= 0.0 && seconds < 60.0);
    ck_assert_int_eq(api->event_close(begin) | api->event_close(end) | api->event_close(other), 0);
    ck_assert_int_eq(api->stream_close(stream), 0);
    ck_assert_int_eq(api->release(memory), 0);
}
END_TEST

START_TEST(memory_is_page_locked_once_for_all_devices)
{
    struct sst_gpu_found found = find(emulated);
    struct sst_gpu_devices none = {.n = 0};
    char memory[64];
    sst_error_clear(&err);
    ck_assert_int_eq(sst_gpu_lock_host(&none, memory, sizeof memory, &err), SST_OK);
    ck_assert_int_eq(sst_gpu_lock_host(&found.devices, memory, sizeof memory, &err), SST_OK);
    ck_assert_int_eq(sst_gpu_lock_host(&found.devices, memory, sizeof memory, &err), SST_ERR_DEVICE);
    ck_assert_str_eq(err.text, "device 0 (emulated 0): page-locking the host's memory failed: memory is page-locked "
                               "already (code 712)");
    sst_gpu_unlock_host(&found.devices, memory);
    sst_error_clear(&err);
    ck_assert_int_eq(sst_gpu_lock_host(&found.devices, memory, sizeof memory, &err), SST_OK);
    sst_gpu_unlock_host(&found.devices, memory);
    sst_gpu_found_clear(&found);
}
END_TEST

START_TEST(the_table_is_whole)
{
    const struct gpu_api *api = emulated_api();
    const struct gpu_kernel_info *kernels = NULL;
    const void *const *entries = (const void *const *)(const void *)&api->n_devices;
    const size_t n = (sizeof *api - offsetof(struct gpu_api, n_devices)) / sizeof *entries;
    for (size_t i = 0; i < n; ++i)
        ck_assert_msg(entries[i] != NULL, "entry %zu is absent", i);
    ck_assert_int_eq(api->kernels(&kernels), 0);
    ck_assert_ptr_nonnull(kernels);
}
END_TEST

Suite *test_suite(void)
{
    const char *build = getenv("SST_BUILD_DIR");
    (void)snprintf(emulated, sizeof emulated, "%s/emulated", build ? build : ".");
    if (!sst_gpu_has_plugins(emulated)) {
        (void)puts("skipped: no emulated device was built");
        exit(77);
    }
    Suite *suite = suite_create("gpu_devices");
    TCase *all = tcase_create("all");
    tcase_add_test(all, where_there_is_no_plugin_the_reason_is_told);
    tcase_add_test(all, emulated_devices_are_found_and_their_plugin_stays);
    tcase_add_test(all, a_plugin_that_cannot_be_loaded_is_named_and_others_are_used);
    tcase_add_test(all, a_plugin_serves_what_it_was_built_for);
    tcase_add_test(all, a_runtime_that_would_end_the_process_is_not_asked);
    tcase_add_test(all, devices_are_chosen_by_their_number);
    tcase_add_test(all, a_wish_that_cannot_be_granted_is_refused_with_what_was_found);
    tcase_add_test(all, a_code_becomes_a_message_that_names_device_and_call);
    tcase_add_test(all, memory_of_an_emulated_device_has_an_end);
    tcase_add_test(all, copies_and_times_of_an_emulated_device);
    tcase_add_test(all, memory_is_page_locked_once_for_all_devices);
    tcase_add_test(all, the_table_is_whole);
    suite_add_tcase(suite, all);
    return suite;
}
