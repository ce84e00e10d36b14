/* Memory that reading uses again from file to file: new pages for each field cost more than inflating it. */
#include "core/mem.h"
#include "stream/decode_direct.h"

enum sst_status sst_decode_scratch_create(struct sst_decode_scratch **out, struct sst_error *err)
{
    return sst_alloc(1, sizeof **out, "reading", out, err);
}

const struct sst_timings *sst_decode_scratch_timings(const struct sst_decode_scratch *scratch)
{
    return &scratch->timings;
}

void sst_decode_scratch_destroy(struct sst_decode_scratch **scratch)
{
    struct sst_decode_scratch *old = *scratch;
    if (!old)
        return;
    for (size_t i = 0; i < SST_DIRECT_MAX_SLABS; ++i)
        sst_free(old->slabs[i].bytes);
    sst_decode_model_destroy(&old->model);
    sst_direct_free_inflater(old->inflater);
    sst_free(old->codes.table);
    sst_free(old->ice.table);
    sst_free(old->mask.table);
    sst_free(old->raw);
    sst_free(old->line);
    sst_free(old->packed);
    sst_free(old->inflated);
    sst_free(old->chunk);
    sst_free(old);
    *scratch = NULL;
}
