/* The head of a file compared with the model's, and what may differ read from it. */
#include "stream/decode_head.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* [B] Longer heads are not worth reading whole. */
enum { MAX_HEAD = 1 << 18 };

/* Places in a superblock of version 2 or 3 with addresses of eight bytes. */
enum { SB_VERSION = 8, SB_SIZES = 9, SB_BASE = 12, SB_END = 28, SB_SUM = 44, SB_BYTES = 48 };

/* Places in a node of a version 1 B-tree: the key of the first child, then its address. */
enum { NODE_KEY = 24, KEY_SKIPPED = 4, KEY_FIRST = 8 };

/* A leaf of an index of chunks, with one entry. */
static const unsigned char leaf[] = {'T', 'R', 'E', 'E', 1, 0, 1, 0};

void sst_decode_head_destroy(struct sst_decode_head **head)
{
    if (!*head)
        return;
    sst_free((*head)->bytes);
    sst_free((*head)->other);
    sst_free(*head);
    *head = NULL;
}

static uint64_t number_at(const unsigned char *bytes, size_t n)
{
    uint64_t number = 0;
    for (size_t i = n; i-- > 0;)
        number = number << 8 | bytes[i];
    return number;
}

/* --- the sum of the superblock: Jenkins' lookup3 of 44 bytes, as the format asks for ------------------------------ */

static uint32_t turn(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }

static void mix(uint32_t w[3])
{
    static const int turns[] = {4, 6, 8, 16, 19, 4};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; ++i) {
        uint32_t *from = &w[(i + 2) % 3], *to = &w[i % 3], *other = &w[(i + 1) % 3];
        *to = (*to - *from) ^ turn(*from, turns[i]);
        *from += *other;
    }
}

static uint32_t finish(uint32_t w[3])
{
    static const int turns[] = {14, 11, 25, 16, 4, 14, 24};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; ++i) {
        const uint32_t from = w[(i + 1) % 3];
        uint32_t *to = &w[(i + 2) % 3];
        *to = (*to ^ from) - turn(from, turns[i]);
    }
    return w[2];
}

static uint32_t sum_of_superblock(const unsigned char *bytes)
{
    const uint32_t start = UINT32_C(0xdeadbeef) + SB_SUM;
    uint32_t w[3] = {start, start, start};
    size_t at = 0;
    for (; SB_SUM - at > sizeof w; at += sizeof w) {
        for (size_t i = 0; i < 3; ++i)
            w[i] += (uint32_t)number_at(bytes + at + 4 * i, 4);
        mix(w);
    }
    for (size_t i = 0; at < SB_SUM; at += 4, ++i)
        w[i] += (uint32_t)number_at(bytes + at, 4);
    return finish(w);
}

static bool is_superblock(const unsigned char *bytes, uint64_t size_bytes)
{
    static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    const unsigned char version = bytes[SB_VERSION];
    return memcmp(bytes, signature, sizeof signature) == 0 && (version == 2 || version == 3) && bytes[SB_SIZES] == 8 &&
           bytes[SB_SIZES + 1] == 8 && number_at(bytes + SB_BASE, 8) == 0 &&
           number_at(bytes + SB_END, 8) == size_bytes && number_at(bytes + SB_SUM, 4) == sum_of_superblock(bytes);
}

/* --- chunks ------------------------------------------------------------------------------------------------------- */

/* The key has one number more than there are dimensions: the place within an item. */
static size_t child_of(const struct sst_head_chunk *chunk)
{
    return chunk->node + NODE_KEY + KEY_FIRST + 8 * (chunk->rank + 1);
}

static size_t node_end(const struct sst_head_chunk *chunk) { return child_of(chunk) + 8; }

static struct sst_direct_place place_in(const unsigned char *bytes, const struct sst_head_chunk *chunk)
{
    const unsigned char *key = bytes + chunk->node + NODE_KEY;
    return (struct sst_direct_place){.at = number_at(bytes + child_of(chunk), 8),
                                     .n_bytes = number_at(key, 4),
                                     .skipped_filters = (unsigned)number_at(key + KEY_SKIPPED, 4)};
}

static bool is_node_of(const struct sst_decode_head *head, const struct sst_head_chunk *chunk)
{
    if (node_end(chunk) > head->n)
        return false;
    const struct sst_direct_place found = place_in(head->bytes, chunk);
    bool is_so = found.at == chunk->place.at && found.n_bytes == chunk->place.n_bytes &&
                 found.skipped_filters == chunk->place.skipped_filters;
    const unsigned char *first = head->bytes + chunk->node + NODE_KEY + KEY_FIRST;
    for (size_t i = 0; i <= chunk->rank; ++i)
        is_so &= number_at(first + 8 * i, 8) == (i < chunk->rank ? chunk->first[i] : 0);
    return is_so;
}

/* A second node like it would leave open which of them HDF5 reads. */
static bool find_node(const struct sst_decode_head *head, struct sst_head_chunk *chunk)
{
    size_t n_found = 0, found = 0;
    const unsigned char *end = head->bytes + head->n, *at = head->bytes;
    while ((at = memmem(at, (size_t)(end - at), leaf, sizeof leaf)) != NULL) {
        chunk->node = (size_t)(at - head->bytes);
        if (is_node_of(head, chunk)) {
            found = chunk->node;
            ++n_found;
        }
        ++at;
    }
    chunk->node = found;
    return n_found == 1;
}

static int compare_chunks(const void *a, const void *b)
{
    const struct sst_head_chunk *x = a, *y = b;
    return (x->place.at > y->place.at) - (x->place.at < y->place.at);
}

/* From the head to the end of the file, with nothing between. */
static bool fill_the_rest(const struct sst_decode_head *head, const struct sst_direct_place *places,
                          uint64_t size_bytes)
{
    uint64_t at = head->n;
    for (size_t i = 0; i < head->n_chunks; ++i) {
        if (places[i].at != at || places[i].n_bytes == 0 || places[i].n_bytes > size_bytes - at)
            return false;
        at += places[i].n_bytes;
    }
    return at == size_bytes;
}

/* --- learning ----------------------------------------------------------------------------------------------------- */

static bool find_nodes(struct sst_decode_head *head)
{
    struct sst_direct_place places[SST_HEAD_MAX_CHUNKS];
    for (size_t i = 0; i < head->n_chunks; ++i) {
        if (!find_node(head, &head->chunks[i]))
            return false;
        places[i] = head->chunks[i].place;
    }
    return fill_the_rest(head, places, head->size_bytes);
}

enum sst_status sst_decode_head_learn(struct sst_decode_head *head, const struct sst_direct *direct,
                                      const char *const values_left_out[2], struct sst_error *err)
{
    head->is_set = false;
    head->size_bytes = direct->size_bytes;
    if (!sst_decode_head_list(direct->hdf5, values_left_out, head) || head->n_chunks == 0)
        return SST_OK;
    qsort(head->chunks, head->n_chunks, sizeof *head->chunks, compare_chunks);
    const uint64_t n = head->chunks[0].place.at;
    if (n < SB_BYTES || n > MAX_HEAD || n < head->fixed_end)
        return SST_OK;
    head->n = (size_t)n;
    SST_TRY(sst_grow(&head->bytes, &head->capacity, head->n, 1, "a header", err));
    SST_TRY(sst_grow(&head->other, &head->other_capacity, head->n, 1, "a header", err));
    head->is_set = sst_direct_read_bytes(direct->fd, 0, head->n, head->bytes) &&
                   is_superblock(head->bytes, head->size_bytes) && find_nodes(head);
    return SST_OK;
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

/* What may differ is taken over, so that the rest is compared at once; of the model's bytes nobody asks for it again. */
static void take_over(struct sst_decode_head *head, uint64_t at, uint64_t n)
{
    memcpy(head->bytes + at, head->other + at, (size_t)n);
}

static bool is_same_otherwise(struct sst_decode_head *head)
{
    take_over(head, SB_END, 8);
    take_over(head, SB_SUM, 4);
    for (size_t i = 0; i < head->n_chunks; ++i) {
        take_over(head, head->chunks[i].node + NODE_KEY, 4);
        take_over(head, child_of(&head->chunks[i]), 8);
    }
    for (size_t i = 0; i < head->n_values; ++i)
        take_over(head, head->values[i].at, head->values[i].n_bytes);
    return memcmp(head->bytes, head->other, head->n) == 0;
}

bool sst_decode_head_compare(struct sst_decode_head *head, int fd, uint64_t size_bytes,
                             struct sst_direct_place places[SST_HEAD_MAX_CHUNKS])
{
    if (!head->is_set || size_bytes <= head->n || !sst_direct_read_bytes(fd, 0, head->n, head->other) ||
        !is_superblock(head->other, size_bytes) || !is_same_otherwise(head))
        return false;
    for (size_t i = 0; i < head->n_chunks; ++i)
        places[i] = place_in(head->other, &head->chunks[i]);
    return fill_the_rest(head, places, size_bytes);
}

size_t sst_decode_head_chunk(const struct sst_decode_head *head, const char *variable)
{
    size_t i = 0;
    while (i < head->n_chunks && strcmp(head->chunks[i].name, variable) != 0)
        ++i;
    return i;
}

#define CONVERT(type)                                                                                                  \
    do {                                                                                                               \
        for (size_t i = 0; i < n; ++i) {                                                                               \
            type number;                                                                                               \
            memcpy(&number, bytes + i * sizeof number, sizeof number);                                                 \
            if (reals)                                                                                                 \
                reals[i] = (double)number;                                                                             \
            if (integers)                                                                                              \
                integers[i] = (long long)number;                                                                       \
        }                                                                                                              \
    } while (0)

static bool convert(const struct sst_head_values *values, const unsigned char *bytes, size_t n, double *reals,
                    long long *integers)
{
    switch (values->type) {
    case SST_HEAD_F32:
        CONVERT(float);
        return true;
    case SST_HEAD_F64:
        CONVERT(double);
        return true;
    case SST_HEAD_I16:
        CONVERT(int16_t);
        return true;
    case SST_HEAD_I32:
        CONVERT(int32_t);
        return true;
    case SST_HEAD_I64:
        CONVERT(int64_t);
        return true;
    default:
        return false;
    }
}

bool sst_decode_head_values(const struct sst_decode_head *head, const char *variable, size_t n, double *reals,
                            long long *integers)
{
    for (size_t i = 0; i < head->n_values; ++i)
        if (strcmp(head->values[i].name, variable) == 0 && head->values[i].n == n)
            return convert(&head->values[i], head->other + head->values[i].at, n, reals, integers);
    return false;
}
