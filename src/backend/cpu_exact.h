/* The exact path on the CPU; see struct sst_backend for what each does. */
#ifndef SST_BACKEND_CPU_EXACT_H
#define SST_BACKEND_CPU_EXACT_H

#include "backend/backend.h"

void sst_cpu_exact_add_fields(const struct sst_kept *kept, const struct sst_cells *cells,
                              const struct sst_field *const *fields, size_t n_fields);
SST_MUST_CHECK enum sst_status sst_cpu_exact_finish(const struct sst_kept *kept, size_t n_kept,
                                                    const struct sst_quantile_args *args,
                                                    const struct sst_finish_out *out, size_t n_cells,
                                                    struct sst_error *err);

#endif
