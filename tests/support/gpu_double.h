/*
 * A stand-in for a plugin's table, which hands all calls on to the real one: late and in any order that streams and events
 * allow, so that work which is ordered by luck alone gives wrong answers; or with a failure at the n-th call.
 */
#ifndef TESTS_GPU_DOUBLE_H
#define TESTS_GPU_DOUBLE_H

#include <stdint.h>

#include "backend/gpu_devices.h"

struct gpu_double_plan {
    uint64_t seed; /* 0: all is done at once; else of the order */
    long failing_call; /* from 1; 0: none */
};

/*
 * The stand-in of a real table; one at a time. Calls, and what was taken and not given back, are counted from here on.
 * Fails the test where a stream is used while another device is selected, or closed before it is done.
 */
const struct gpu_api *gpu_double(const struct gpu_api *real, struct gpu_double_plan plan);

/* n devices of a table, of which the real one may have fewer: they are taken in turn. */
struct sst_gpu_devices gpu_double_devices(const struct gpu_api *api, size_t n);

/* Calls that could fail. */
long gpu_double_calls(void);

/* Memory, streams and events that were taken and not given back. */
long gpu_double_held(void);

#endif
