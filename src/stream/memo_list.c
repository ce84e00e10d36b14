/* Memos as differences: found by comparing, kept one behind the other. */
#include "stream/memo_list.h"

#include <string.h>

#include "core/mem.h"

/* More bases are not worth looking through: memos of still other makes differ from the nearest in most bytes, those of another size
 * than every base are not kept. */
enum { MAX_BASES = 32 };

/* Equal bytes between two differences that are cheaper to repeat than to begin a run. */
enum { SHORTEST_GAP = 4 };

struct run {
    uint16_t offset, length;
};

struct record {
    uint32_t base;
    uint32_t n_runs;
};

/* The next run at or behind `at`; length 0 where the two are equal from there. */
static struct run next_run(const unsigned char *a, const unsigned char *b, size_t n, size_t at)
{
    while (at < n && a[at] == b[at])
        ++at;
    size_t end = at, n_equal = 0;
    for (size_t i = at; i < n && n_equal < SHORTEST_GAP; ++i) {
        n_equal = a[i] == b[i] ? n_equal + 1 : 0;
        end = n_equal == 0 ? i + 1 : end;
    }
    return (struct run){(uint16_t)at, (uint16_t)(end - at)};
}

static size_t record_bytes(const unsigned char *base, const unsigned char *memo, size_t n)
{
    size_t bytes = sizeof(struct record);
    for (struct run run = next_run(base, memo, n, 0); run.length > 0;
         run = next_run(base, memo, n, (size_t)run.offset + run.length))
        bytes += sizeof run + run.length;
    return bytes;
}

static void append(struct sst_memo_list *list, const void *bytes, size_t n)
{
    memcpy(list->records + list->n_bytes, bytes, n);
    list->n_bytes += n;
}

/* The base from which a memo differs least, and by how much; n_bases where there is none of its size. */
static size_t nearest_base(const struct sst_memo_list *list, const unsigned char *memo, size_t n, size_t *bytes)
{
    size_t best = list->n_bases;
    *bytes = SIZE_MAX;
    for (size_t i = 0; i < list->n_bases; ++i) {
        const size_t needed = list->base_bytes[i] == n ? record_bytes(list->bases[i], memo, n) : SIZE_MAX;
        if (needed < *bytes) {
            *bytes = needed;
            best = i;
        }
    }
    return best;
}

static enum sst_status add_base(struct sst_memo_list *list, const unsigned char *memo, size_t n, struct sst_error *err)
{
    SST_TRY(sst_grow(&list->bases, &list->bases_capacity, list->n_bases + 1, sizeof *list->bases, "memos", err));
    SST_TRY(
        sst_grow(&list->base_bytes, &list->sizes_capacity, list->n_bases + 1, sizeof *list->base_bytes, "memos", err));
    SST_TRY(sst_alloc(n, 1, "a memo", &list->bases[list->n_bases], err));
    memcpy(list->bases[list->n_bases], memo, n);
    list->base_bytes[list->n_bases++] = n;
    return SST_OK;
}

enum sst_status sst_memo_list_put(struct sst_memo_list *list, const void *memo, size_t n_bytes, size_t *where,
                                  struct sst_error *err)
{
    size_t bytes = 0;
    *where = SST_NO_MEMO;
    if (n_bytes == 0)
        return SST_OK;
    size_t base = nearest_base(list, memo, n_bytes, &bytes);
    if ((base == list->n_bases || bytes > n_bytes / 2) && list->n_bases < MAX_BASES) {
        base = list->n_bases;
        SST_TRY(add_base(list, memo, n_bytes, err));
        bytes = sizeof(struct record);
    }
    if (base == list->n_bases)
        return SST_OK;
    SST_TRY(sst_grow(&list->records, &list->capacity, list->n_bytes + bytes, 1, "memos", err));
    *where = list->n_bytes;
    struct record record = {.base = (uint32_t)base};
    append(list, &record, sizeof record);
    const unsigned char *from = list->bases[base], *to = memo;
    for (struct run run = next_run(from, to, n_bytes, 0); run.length > 0;
         run = next_run(from, to, n_bytes, (size_t)run.offset + run.length)) {
        append(list, &run, sizeof run);
        append(list, to + run.offset, run.length);
        ++record.n_runs;
    }
    memcpy(list->records + *where, &record, sizeof record);
    return SST_OK;
}

size_t sst_memo_list_get(const struct sst_memo_list *list, size_t where, void *memo)
{
    struct record record;
    if (where == SST_NO_MEMO)
        return 0;
    const unsigned char *at = list->records + where;
    memcpy(&record, at, sizeof record);
    at += sizeof record;
    memcpy(memo, list->bases[record.base], list->base_bytes[record.base]);
    for (uint32_t i = 0; i < record.n_runs; ++i) {
        struct run run;
        memcpy(&run, at, sizeof run);
        memcpy((unsigned char *)memo + run.offset, at + sizeof run, run.length);
        at += sizeof run + run.length;
    }
    return list->base_bytes[record.base];
}

void sst_memo_list_clear(struct sst_memo_list *list)
{
    for (size_t i = 0; i < list->n_bases; ++i)
        sst_free(list->bases[i]);
    sst_free(list->bases);
    sst_free(list->base_bytes);
    sst_free(list->records);
    *list = (struct sst_memo_list){0};
}
