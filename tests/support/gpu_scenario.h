/*
 * A life of a run on devices: bins that are filled, computed in sliding pools and used again, while places grow. Chance tells
 * what comes next, by a seed. Each result is compared with what the CPU backend makes of the same fields.
 */
#ifndef TESTS_GPU_SCENARIO_H
#define TESTS_GPU_SCENARIO_H

#include "backend/gpu.h"

struct gpu_scenario {
    const struct sst_gpu_devices *devices;
    enum sst_gpu_store store;
    enum sst_fit_kind fit;
    enum sst_lattice_kind lattice;
    size_t n_domain; /* cells */
    int n_groups;
    uint64_t seed;
};

/* What was seen, so that a test can tell that it saw something. */
struct gpu_scenario_seen {
    size_t n_results, n_emptied_while_computed, n_grown;
    size_t n_places; /* in the end */
    uint64_t digest; /* of all results */
};

/* Fails the test where a bit differs; a failing call of the runtime is given back, with its text in err. */
enum sst_status gpu_scenario_run(const struct gpu_scenario *scenario, struct gpu_scenario_seen *seen,
                                 struct sst_error *err);

#endif
