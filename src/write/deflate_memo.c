/* See the header. Some thousand items at most: they are looked through one by one. */
#include "write/deflate_memo.h"

#include <string.h>

#include "core/mem.h"

struct item {
    struct sst_digest_chain key;
    char *bytes;
    size_t n_bytes;
    uint64_t asked_for; /* the age of the memo when it was */
};

struct sst_deflate_memo {
    struct item *items;
    size_t n, capacity;
    uint64_t age;
};

enum sst_status sst_deflate_memo_create(struct sst_deflate_memo **out, struct sst_error *err)
{
    return sst_alloc(1, sizeof **out, "deflated planes", out, err);
}

void sst_deflate_memo_destroy(struct sst_deflate_memo **memo)
{
    if (!*memo)
        return;
    for (size_t i = 0; i < (*memo)->n; ++i)
        sst_free((*memo)->items[i].bytes);
    sst_free((*memo)->items);
    sst_free(*memo);
    *memo = NULL;
}

static bool is_same(const struct sst_digest_chain *a, const struct sst_digest_chain *b)
{
    return a->low == b->low && a->high == b->high;
}

bool sst_deflate_memo_find(struct sst_deflate_memo *memo, const struct sst_digest_chain *key,
                           struct sst_deflate_known *out)
{
    bool is_found = false;
#pragma omp critical(sst_deflate_memo)
    for (size_t i = 0; i < memo->n && !is_found; ++i) {
        struct item *item = &memo->items[i];
        if (!is_same(&item->key, key))
            continue;
        item->asked_for = memo->age;
        *out = (struct sst_deflate_known){item->bytes, item->n_bytes};
        is_found = true;
    }
    return is_found;
}

void sst_deflate_memo_keep(struct sst_deflate_memo *memo, const struct sst_digest_chain *key, const void *bytes,
                           size_t n_bytes)
{
    char *copy = NULL;
    if (sst_alloc_large(n_bytes, 1, "a deflated plane", &copy, NULL) != SST_OK)
        return;
    memcpy(copy, bytes, n_bytes);
#pragma omp critical(sst_deflate_memo)
    if (sst_grow(&memo->items, &memo->capacity, memo->n + 1, sizeof *memo->items, "deflated planes", NULL) == SST_OK) {
        memo->items[memo->n++] = (struct item){*key, copy, n_bytes, memo->age};
        copy = NULL;
    }
    sst_free(copy);
}

void sst_deflate_memo_age(struct sst_deflate_memo *memo, uint64_t most_calls)
{
    size_t n = 0;
    ++memo->age;
    for (size_t i = 0; i < memo->n; ++i) {
        if (memo->age - memo->items[i].asked_for <= most_calls)
            memo->items[n++] = memo->items[i];
        else
            sst_free(memo->items[i].bytes);
    }
    memo->n = n;
}

size_t sst_deflate_memo_bytes(const struct sst_deflate_memo *memo)
{
    size_t n_bytes = 0;
    for (size_t i = 0; i < memo->n; ++i)
        n_bytes += memo->items[i].n_bytes;
    return n_bytes;
}
