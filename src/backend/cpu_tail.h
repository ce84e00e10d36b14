/* The tail estimator on the CPU; see struct sst_backend for what each does. */
#ifndef SST_BACKEND_CPU_TAIL_H
#define SST_BACKEND_CPU_TAIL_H

#include "backend/backend.h"

void sst_cpu_tail_add_fields(struct sst_tail_view bin, const struct sst_cells *cells,
                             const struct sst_field *const *fields, size_t n_fields);
void sst_cpu_tail_merge(int16_t *target, const int16_t *source, size_t k, size_t n_cells);
SST_MUST_CHECK enum sst_status sst_cpu_tail_finish(const struct sst_tail_pool *pool,
                                                   const struct sst_quantile_args *args, const struct sst_tail_out *out,
                                                   size_t n_cells, struct sst_error *err);

#endif
