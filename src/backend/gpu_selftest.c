/* The self-test: the same pattern on a device and on the CPU, compared byte for byte. */
#include "backend/gpu_selftest.h"

#include <string.h>

#include "backend/gpu_selftest_pattern.h"
#include "core/mem.h"

/* One way through the kernels. */
struct trial {
    const char *kernels;
    enum sst_gpu_store store;
    enum sst_fit_kind fit;
    struct sst_pattern_shape of;
};

/* Sorted forms are of up to 30 and of up to 40 years; lists are added in four ways by their length, and finished in two. */
static const struct trial trials[] = {
    {"the window kernel (cf)", SST_GPU_MOMENTS, SST_FIT_CF, {.lattice = SST_LATTICE_CENTI, .n_years = 30}},
    {"the window kernel (maxent)", SST_GPU_MOMENTS, SST_FIT_MAXENT, {.lattice = SST_LATTICE_CENTI, .n_years = 30}},
    {"the window kernel (cf, plain)",
     SST_GPU_MOMENTS,
     SST_FIT_CF,
     {.lattice = SST_LATTICE_CENTI, .n_years = 30, .is_plain = true}},
    {"the window kernel (maxent, plain)",
     SST_GPU_MOMENTS,
     SST_FIT_MAXENT,
     {.lattice = SST_LATTICE_CENTI, .n_years = 30, .is_plain = true}},
    {"the exact kernels", SST_GPU_EXACT, SST_FIT_CF, {.lattice = SST_LATTICE_MILLI, .n_years = 30}},
    {"the exact kernels (40 years)", SST_GPU_EXACT, SST_FIT_CF, {.lattice = SST_LATTICE_CENTI, .n_years = 40}},
    {"the tail kernels",
     SST_GPU_TAIL,
     SST_FIT_CF,
     {.lattice = SST_LATTICE_MILLI, .n_years = 30, .k_top = 6, .k_bottom = 14}},
    {"the tail kernels (40 and 20 values)",
     SST_GPU_TAIL,
     SST_FIT_CF,
     {.lattice = SST_LATTICE_CENTI, .n_years = 40, .k_top = 40, .k_bottom = 20}},
};

static struct sst_gpu_setup setup_of(const struct sst_gpu_devices *devices, const struct sst_pattern *pattern,
                                     enum sst_gpu_store store)
{
    return (struct sst_gpu_setup){.devices = devices,
                                  .store = store,
                                  .cells = &pattern->cells,
                                  .n_most_places = sst_cells_most(SST_PATTERN_DOMAIN),
                                  .n_bins = SST_PATTERN_BINS,
                                  .n_kept = pattern->n_fields,
                                  .n_kept_bin = pattern->of.n_years,
                                  .n_terms = SST_PATTERN_WINDOW,
                                  .n_window = SST_PATTERN_WINDOW,
                                  .k_top = pattern->of.k_top,
                                  .k_bottom = pattern->of.k_bottom,
                                  .n_results = SST_PATTERN_POOLS,
                                  .fit = &pattern->fit,
                                  .args = &pattern->args,
                                  .is_low = pattern->is_low,
                                  .wants_shape = store == SST_GPU_MOMENTS && !pattern->of.is_plain,
                                  .wants_marks = true};
}

static enum sst_status compute_opened(struct sst_gpu *gpu, const struct sst_pattern *pattern,
                                      const struct sst_pattern_results *out, struct sst_error *err)
{
    for (size_t bin = 0; bin < SST_PATTERN_BINS; ++bin) {
        const size_t n_years = pattern->of.n_years;
        const struct sst_field *fields[SST_PATTERN_MOST_YEARS];
        for (size_t year = 0; year < n_years; ++year)
            fields[year] = &pattern->fields[bin * n_years + year];
        SST_TRY(sst_gpu_add_fields(gpu, bin, fields, n_years, err));
    }
    SST_TRY(sst_gpu_start(gpu, pattern->pools, SST_PATTERN_POOLS, err));
    for (size_t pool = 0; pool < SST_PATTERN_POOLS; ++pool)
        SST_TRY(sst_gpu_result(gpu, pool, &out->pools[pool], err));
    return SST_OK;
}

static enum sst_status compute_on(const struct sst_gpu_devices *device, const struct sst_pattern *pattern,
                                  const struct trial *trial, const struct sst_pattern_results *out,
                                  struct sst_error *err)
{
    const struct sst_gpu_setup setup = setup_of(device, pattern, trial->store);
    struct sst_gpu *gpu = NULL;
    SST_TRY(sst_gpu_open(&setup, &gpu, err));
    const enum sst_status rc = compute_opened(gpu, pattern, out, err);
    sst_gpu_close(&gpu);
    return rc;
}

static enum sst_status compare_with(const struct sst_gpu_devices *device, const struct sst_pattern *pattern,
                                    const struct trial *trial, const struct sst_pattern_results *expected,
                                    struct sst_error *err)
{
    struct sst_pattern_results got = {0};
    enum sst_status rc = SST_OK;
    SST_TRY(sst_pattern_results_init(&got, pattern, trial->store, err));
    SST_TRY_GOTO(compute_on(device, pattern, trial, &got, err));
    if (memcmp(got.memory, expected->memory, got.n_bytes) != 0)
        rc = sst_fail(err, SST_ERR_DEVICE,
                      "device %d (%s): %s gives other bits than the CPU. Do not use it; --device cpu "
                      "computes the same without it",
                      device->list[0].number, device->list[0].info.name, trial->kernels);
done:
    sst_free(got.memory);
    return rc;
}

/* From page-locked memory, which the device reads itself, and from memory that is copied on the way. */
static enum sst_status try_locked(const struct sst_gpu_devices *device, const struct sst_pattern *pattern,
                                  const struct trial *trial, const struct sst_pattern_results *expected,
                                  struct sst_error *err)
{
    SST_TRY(sst_gpu_lock_host(device, pattern->codes, pattern->n_block_bytes, err));
    const enum sst_status rc = compare_with(device, pattern, trial, expected, err);
    sst_gpu_unlock_host(device, pattern->codes);
    return rc;
}

static enum sst_status try_all(const struct sst_gpu_devices *devices, const struct sst_pattern *pattern,
                               const struct trial *trial, const struct sst_pattern_results *expected,
                               struct sst_error *err)
{
    for (size_t i = 0; i < devices->n; ++i) {
        const struct sst_gpu_devices device = {.list = {devices->list[i]}, .n = 1};
        SST_TRY(compare_with(&device, pattern, trial, expected, err));
        SST_TRY(try_locked(&device, pattern, trial, expected, err));
    }
    return SST_OK;
}

static enum sst_status run_trial(const struct sst_gpu_devices *devices, const struct trial *trial,
                                 struct sst_error *err)
{
    struct sst_pattern pattern = {0};
    struct sst_pattern_results expected = {0};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_pattern_init(&pattern, &trial->of, err));
    pattern.fit.kind = trial->fit;
    SST_TRY_GOTO(sst_pattern_results_init(&expected, &pattern, trial->store, err));
    SST_TRY_GOTO(sst_pattern_compute(&pattern, trial->store, &expected, err));
    SST_TRY_GOTO(try_all(devices, &pattern, trial, &expected, err));
done:
    sst_free(expected.memory);
    sst_pattern_clear(&pattern);
    return rc;
}

uint64_t sst_gpu_selftest_bytes(const struct sst_gpu_devices *devices)
{
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; ++i) {
        const struct sst_pattern_shape *of = &trials[i].of;
        const struct sst_quantile_args args = sst_pattern_args(of);
        const struct sst_pattern sizes = {.of = *of,
                                          .n_fields = SST_PATTERN_BINS * of->n_years,
                                          .cells = {.n_domain = SST_PATTERN_DOMAIN},
                                          .fit = {.kind = trials[i].fit, .n_percentiles = args.n_percentiles},
                                          .args = args};
        const struct sst_gpu_setup setup = setup_of(devices, &sizes, trials[i].store);
        const uint64_t bytes = sst_gpu_bytes(&setup, 1).device;
        most = bytes > most ? bytes : most;
    }
    return most;
}

enum sst_status sst_gpu_selftest(const struct sst_gpu_devices *devices, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0] && rc == SST_OK; ++i)
        rc = run_trial(devices, &trials[i], err);
    if (rc != SST_OK)
        sst_error_prefix(err, "self-test");
    return rc;
}
