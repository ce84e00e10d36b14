/* What becomes of one day: read, compared with what is known, looked at, counted or logged. */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "state/ingest_private.h"

/* Whether a day has a file that is not preliminary. */
static bool has_final(const struct sst_ingest *ingest, struct sst_day day)
{
    size_t first = 0, count = 0;
    sst_catalog_day(ingest->catalog, day, &first, &count);
    for (size_t entry = first; entry < first + count; ++entry)
        if (!ingest->catalog->files[ingest->catalog->entries[entry].file].is_preliminary)
            return true;
    return false;
}

/* A final day is not changed by what preliminary files say. */
enum sst_status sst_ingest_wants(struct sst_ingest *ingest, struct sst_day day, bool *is_wanted, struct sst_error *err)
{
    struct sst_ingest_case at = {.is_preliminary = true};
    *is_wanted = has_final(ingest, day);
    if (*is_wanted)
        return SST_OK;
    SST_TRY(sst_ingest_known(ingest, day, &at, err));
    *is_wanted = sst_ingest_decide(&at) != SST_INGEST_PRELIMINARY_LATE;
    return SST_OK;
}

static enum sst_status count_in(struct sst_ingest *ingest, const struct sst_ingest_look *look,
                                const struct sst_ingest_news *news, struct sst_error *err)
{
    char *source = NULL;
    SST_TRY(sst_grow(&ingest->counted, &ingest->counted_capacity, ingest->n_counted + 1, sizeof *ingest->counted,
                     "the days of a slot", err));
    SST_TRY(sst_strdup(sst_ingest_file_name(news->path), &source, err));
    const struct sst_ledger_entry entry = {
        .year = news->day.year,
        .year_class = sst_pool_class(&ingest->policy->pools, news->day),
        .digest = look->digest,
        .ice_digest = look->ice_digest,
        .n_valid = (uint32_t)look->n_valid,
        .median = look->median,
        .source = source,
    };
    const enum sst_status rc = sst_slot_state_add(ingest->slot, &entry, &ingest->files.field, err);
    sst_free(source);
    SST_TRY(rc);
    ingest->counted[ingest->n_counted++] = *news;
    return SST_OK;
}

/* Loads the day's slot if need be, and makes room for its values; where it cannot, news says so. */
static enum sst_status prepare_slot(struct sst_ingest *ingest, struct sst_ingest_news *news, char *text,
                                    struct sst_error *err)
{
    bool is_away = true;
    if (!ingest->slot)
        SST_TRY(sst_state_load_shut(ingest->state, news->day.slot, &ingest->slot, err));
    if (news->outcome == SST_INGEST_REPLACE)
        SST_TRY(sst_ingest_take_away(&ingest->slot, news->day, ingest->old, &is_away, text, err));
    if (!is_away)
        news->outcome = SST_INGEST_CONFLICT;
    return SST_OK;
}

static bool is_counted(enum sst_ingest_outcome outcome)
{
    return outcome == SST_INGEST_ADD || outcome == SST_INGEST_REPLACE;
}

static bool is_logged(enum sst_ingest_outcome outcome)
{
    return outcome == SST_INGEST_LOGGED || outcome == SST_INGEST_LOGGED_REPLACE;
}

/* Outcome and reason of a day that was read. */
static enum sst_status judge(struct sst_ingest *ingest, const struct sst_ingest_look *look,
                             struct sst_ingest_news *news, char *text, struct sst_error *err)
{
    struct sst_ingest_case at = {.digest = look->digest,
                                 .ice_digest = look->ice_digest,
                                 .is_preliminary = news->status == SST_DAY_PRELIMINARY,
                                 .replaces = ingest->options->replaces};
    bool is_odd = false;
    SST_TRY(sst_ingest_known(ingest, news->day, &at, err));
    news->is_beside = !at.is_pooled;
    news->outcome = sst_ingest_decide(&at);
    news->held = SST_HELD_CONFLICT;
    (void)snprintf(text, SST_INGEST_TEXT_SIZE, "%s already, with other values. --replace takes these in their place",
                   at.counted                            ? "counted"
                   : news->status == SST_DAY_PRELIMINARY ? "logged as preliminary"
                                                         : "logged");
    if (is_counted(news->outcome) || is_logged(news->outcome))
        SST_TRY(sst_ingest_guard(ingest, news->day, look, &is_odd, &news->held, text, err));
    if (is_odd)
        news->outcome = SST_INGEST_LEFT_OUT;
    if (is_counted(news->outcome)) {
        news->held = SST_HELD_CONFLICT;
        SST_TRY(prepare_slot(ingest, news, text, err));
    }
    return SST_OK;
}

enum sst_status sst_ingest_take_day(struct sst_ingest *ingest, struct sst_day day, struct sst_error *err)
{
    char text[SST_INGEST_TEXT_SIZE];
    struct sst_ingest_look look = {0};
    struct sst_ingest_news news = {.day = day, .outcome = SST_INGEST_UNUSABLE, .held = SST_HELD_UNREADABLE};
    SST_TRY(sst_ingest_files_read(&ingest->files, day, &news.file, &look, err));
    if (news.file == SST_NO_FILE) {
        sst_ingest_tell(ingest, &news);
        return SST_OK;
    }
    const struct sst_catalog_file *file = &ingest->catalog->files[news.file];
    news.path = file->path;
    news.status = file->is_preliminary ? SST_DAY_PRELIMINARY : SST_DAY_FINAL;
    SST_TRY(judge(ingest, &look, &news, text, err));
    if (ingest->options->hand &&
        (is_counted(news.outcome) || is_logged(news.outcome) || news.outcome == SST_INGEST_DUPLICATE))
        ingest->options->hand(ingest->options->user, &news, &look, &ingest->files.field);
    if (is_counted(news.outcome))
        return count_in(ingest, &look, &news, err);
    if (is_logged(news.outcome))
        return sst_ingest_batch_add(ingest, &look, &news, err);
    if (news.outcome == SST_INGEST_CONFLICT || news.outcome == SST_INGEST_LEFT_OUT)
        news.reason = text;
    sst_ingest_tell(ingest, &news);
    return SST_OK;
}
