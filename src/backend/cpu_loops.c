/* Which of the compiled instruction sets runs. */
#include "backend/cpu_loops.h"

#include "backend/cpu_loops_level.h"

static enum sst_cpu_level limit = SST_CPU_AVX512;

enum sst_cpu_level sst_cpu_best(void)
{
#ifdef SST_CPU_X86_LEVELS
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2"))
        return SST_CPU_PLAIN;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512ifma"))
        return SST_CPU_AVX512;
    return SST_CPU_AVX2;
#else
    return SST_CPU_PLAIN;
#endif
}

const struct sst_cpu_loops *sst_cpu_loops_of(enum sst_cpu_level level)
{
#ifdef SST_CPU_X86_LEVELS
    switch (level) {
    case SST_CPU_AVX512:
        return &sst_cpu_loops_avx512;
    case SST_CPU_AVX2:
        return &sst_cpu_loops_avx2;
    case SST_CPU_PLAIN:
        break;
    }
#else
    (void)level;
#endif
    return &sst_cpu_loops_plain;
}

const struct sst_cpu_loops *sst_cpu_loops_chosen(void)
{
    const enum sst_cpu_level best = sst_cpu_best();
    return sst_cpu_loops_of(best < limit ? best : limit);
}

void sst_backend_cpu_limit(enum sst_cpu_level most) { limit = most; }

const char *sst_backend_cpu_name(void)
{
    static const char *const names[SST_N_CPU_LEVELS] = {"cpu (plain)", "cpu (AVX2)", "cpu (AVX-512)"};
    const enum sst_cpu_level best = sst_cpu_best();
    return names[best < limit ? best : limit];
}
