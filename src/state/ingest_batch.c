/* Days for the log, some tens in one commit: a commit synchronises two files, whatever it holds. */
#include <string.h>

#include "core/mem.h"
#include "state/ingest_private.h"

static size_t field_bytes(const struct sst_field *field)
{
    return field->n_cells * (sizeof *field->codes + sizeof *field->ice);
}

static void clear_field(struct sst_field *field)
{
    sst_free(field->codes);
    sst_free(field->ice);
    *field = (struct sst_field){0};
}

/* Codes and sea ice: all that the log stores of a field. */
static enum sst_status copy_field(const struct sst_field *from, struct sst_field *to, struct sst_error *err)
{
    *to = (struct sst_field){.n_cells = from->n_cells, .has_ice = from->has_ice};
    SST_TRY(sst_alloc_large(from->n_cells, sizeof *to->codes, "a day to be logged", &to->codes, err));
    SST_TRY(sst_alloc_large(from->n_cells, sizeof *to->ice, "a day to be logged", &to->ice, err));
    memcpy(to->codes, from->codes, from->n_cells * sizeof *to->codes);
    memcpy(to->ice, from->ice, from->n_cells * sizeof *to->ice);
    return SST_OK;
}

enum sst_status sst_ingest_batch_add(struct sst_ingest *ingest, const struct sst_ingest_look *look,
                                     const struct sst_ingest_news *news, struct sst_error *err)
{
    struct sst_ingest_batch *batch = &ingest->batch;
    struct sst_field *field = &batch->fields[batch->n];
    const bool keeps_values = ingest->policy->keep == SST_KEEP_ALL;
    if (keeps_values) {
        const enum sst_status rc = copy_field(&ingest->files.field, field, err);
        if (rc != SST_OK) {
            clear_field(field);
            return rc;
        }
        batch->n_bytes += field_bytes(field);
    }
    batch->news[batch->n] = *news;
    batch->entries[batch->n] = (struct sst_log_entry){
        .at = {.day = news->day,
               .status = news->status,
               .digest = look->digest,
               .ice_digest = look->ice_digest,
               .n_valid = (uint32_t)look->n_valid,
               .median = look->median,
               .has_values = keeps_values},
        .source = sst_ingest_file_name(news->path),
        .field = keeps_values ? field : NULL,
    };
    ++batch->n;
    const bool is_full = batch->n == SST_INGEST_BATCH_DAYS || batch->n_bytes >= SST_INGEST_BATCH_BYTES;
    return is_full ? sst_ingest_batch_commit(ingest, err) : SST_OK;
}

void sst_ingest_batch_clear(struct sst_ingest_batch *batch)
{
    for (size_t i = 0; i < batch->n; ++i)
        clear_field(&batch->fields[i]);
    batch->n = batch->n_bytes = 0;
}

enum sst_status sst_ingest_batch_commit(struct sst_ingest *ingest, struct sst_error *err)
{
    struct sst_ingest_batch *batch = &ingest->batch;
    if (batch->n == 0)
        return SST_OK;
    SST_TRY(sst_ingest_may_write(ingest, err));
    SST_TRY(sst_state_log(ingest->state, batch->entries, batch->n, err));
    ++ingest->totals->n_log_commits;
    for (size_t i = 0; i < batch->n; ++i)
        sst_ingest_tell(ingest, &batch->news[i]);
    sst_ingest_batch_clear(batch);
    return SST_OK;
}

const struct sst_logged_day *sst_ingest_batch_day(const struct sst_ingest_batch *batch, struct sst_day day)
{
    for (size_t i = 0; i < batch->n; ++i)
        if (sst_day_compare(batch->entries[i].at.day, day) == 0)
            return &batch->entries[i].at;
    return NULL;
}
