/* See the header. */
#include "state/state_join_parts.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"

enum sst_status sst_join_watch_slot(const struct sst_join_watch *watch, int slot, struct sst_error *err)
{
    if (watch->progress)
        watch->progress(watch->user, (size_t)slot, SST_N_SLOTS);
    if (watch->cancelled && watch->cancelled(watch->user))
        return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted; nothing was made");
    return SST_OK;
}

/* --- ledgers ------------------------------------------------------------------------------------------------------ */

enum sst_status sst_state_ledgers_load(const struct sst_state *state, struct sst_state_ledgers **out,
                                       struct sst_error *err)
{
    struct sst_state_ledgers *made = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *made, "the ledgers of a state", &made, err));
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        SST_TRY_GOTO(sst_state_load_ledger(state, slot, &made->of[slot], err));
    *out = made;
    made = NULL;
done:
    sst_state_ledgers_destroy(&made);
    return rc;
}

void sst_state_ledgers_destroy(struct sst_state_ledgers **ledgers)
{
    if (!*ledgers)
        return;
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        sst_ledger_clear(&(*ledgers)->of[slot]);
    sst_free(*ledgers);
    *ledgers = NULL;
}

/* --- days for a message ------------------------------------------------------------------------------------------- */

void sst_day_names_add(struct sst_day_names *names, struct sst_day day)
{
    if (names->n < SST_DAY_NAMES_SHOWN)
        names->first[names->n] = day;
    ++names->n;
}

const char *sst_day_names_text(const struct sst_day_names *names, enum sst_calendar_kind kind, char *text)
{
    const size_t n_shown = names->n < SST_DAY_NAMES_SHOWN ? names->n : SST_DAY_NAMES_SHOWN;
    char name[SST_DAY_TEXT_SIZE];
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < n_shown; ++i)
        length += (size_t)snprintf(text + length, SST_DAY_NAMES_TEXT - length, "%s%s", i > 0 ? ", " : "",
                                   sst_day_text(kind, names->first[i], name));
    if (names->n > n_shown)
        (void)snprintf(text + length, SST_DAY_NAMES_TEXT - length, " and %zu more", names->n - n_shown);
    return text;
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

enum sst_status sst_state_field_init(const struct sst_state_policy *policy, struct sst_field *field,
                                     struct sst_error *err)
{
    const size_t n = policy->n_cells;
    *field = (struct sst_field){.n_cells = n};
    SST_TRY(sst_alloc_large(n, sizeof *field->codes, "a day", &field->codes, err));
    SST_TRY(sst_alloc_large(n, sizeof *field->ice, "a day's sea ice", &field->ice, err));
    field->hundredths = field->codes;
    if (policy->lattice == SST_LATTICE_CENTI)
        return SST_OK;
    field->hundredths = NULL;
    return sst_alloc_large(n, sizeof *field->hundredths, "a day of hundredths", &field->hundredths, err);
}

void sst_state_field_clear(struct sst_field *field)
{
    if (field->hundredths != field->codes)
        sst_free(field->hundredths);
    sst_free(field->codes);
    sst_free(field->ice);
    *field = (struct sst_field){0};
}

/* --- logs --------------------------------------------------------------------------------------------------------- */

enum sst_status sst_log_batch_open(struct sst_log_batch *batch, struct sst_state *target, struct sst_error *err)
{
    const struct sst_state_policy *policy = sst_state_policy(target);
    memset(batch, 0, sizeof *batch);
    batch->target = target;
    for (size_t i = 0; i < SST_LOG_BATCH && policy->keep == SST_KEEP_ALL; ++i)
        SST_TRY(sst_state_field_init(policy, &batch->fields[i], err));
    return SST_OK;
}

static void drop_sources(struct sst_log_batch *batch)
{
    for (size_t i = 0; i < batch->n; ++i) {
        sst_free(batch->sources[i]);
        batch->sources[i] = NULL;
    }
    batch->n = 0;
}

void sst_log_batch_close(struct sst_log_batch *batch)
{
    drop_sources(batch);
    for (size_t i = 0; i < SST_LOG_BATCH; ++i)
        sst_state_field_clear(&batch->fields[i]);
}

struct sst_field *sst_log_batch_field(struct sst_log_batch *batch)
{
    struct sst_field *field = &batch->fields[batch->n];
    return field->codes ? field : NULL;
}

enum sst_status sst_log_batch_add(struct sst_log_batch *batch, const struct sst_logged_day *at, const char *source,
                                  struct sst_error *err)
{
    const size_t i = batch->n;
    SST_TRY(sst_strdup(source, &batch->sources[i], err));
    batch->entries[i] =
        (struct sst_log_entry){.at = *at, .source = batch->sources[i], .field = sst_log_batch_field(batch)};
    ++batch->n;
    return batch->n == SST_LOG_BATCH ? sst_log_batch_flush(batch, err) : SST_OK;
}

enum sst_status sst_log_batch_copy(struct sst_log_batch *batch, const struct sst_state *from,
                                   const struct sst_logged_day *at, struct sst_error *err)
{
    char *source = NULL;
    SST_TRY(sst_state_load_logged(from, at->day, &source, sst_log_batch_field(batch), err));
    const enum sst_status rc = sst_log_batch_add(batch, at, source, err);
    sst_free(source);
    return rc;
}

enum sst_status sst_log_batch_flush(struct sst_log_batch *batch, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    if (batch->n > 0)
        rc = sst_state_log(batch->target, batch->entries, batch->n, err);
    drop_sources(batch);
    return rc;
}
