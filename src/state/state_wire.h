/* Numbers as little-endian bytes, into a text that grows and out of a block that may be too short. */
#ifndef SST_STATE_STATE_WIRE_H
#define SST_STATE_STATE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/calendar.h"
#include "core/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "planes and axes are written as they lie in memory");

static inline void sst_put_u32(struct sst_text *text, uint32_t number)
{
    sst_text_add_bytes(text, (const char *)&number, sizeof number);
}

static inline void sst_put_u64(struct sst_text *text, uint64_t number)
{
    sst_text_add_bytes(text, (const char *)&number, sizeof number);
}

/* What is left of a block. `failed` sticks: from then on all numbers are 0. */
struct sst_taken {
    const unsigned char *at;
    size_t left;
    bool failed;
};

/* The next bytes, borrowed; NULL where there are not so many. */
static inline const void *sst_take_bytes(struct sst_taken *from, size_t n_bytes)
{
    if (from->failed || n_bytes > from->left) {
        from->failed = true;
        return NULL;
    }
    const void *bytes = from->at;
    from->at += n_bytes;
    from->left -= n_bytes;
    return bytes;
}

static inline uint32_t sst_take_u32(struct sst_taken *from)
{
    uint32_t number = 0;
    const void *bytes = sst_take_bytes(from, sizeof number);
    if (bytes)
        memcpy(&number, bytes, sizeof number);
    return number;
}

static inline uint64_t sst_take_u64(struct sst_taken *from)
{
    uint64_t number = 0;
    const void *bytes = sst_take_bytes(from, sizeof number);
    if (bytes)
        memcpy(&number, bytes, sizeof number);
    return number;
}

/* The bits of a double. */
static inline void sst_put_real(struct sst_text *text, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    sst_put_u64(text, bits);
}

static inline double sst_take_real(struct sst_taken *from)
{
    const uint64_t bits = sst_take_u64(from);
    double value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void sst_put_day(struct sst_text *text, struct sst_day day)
{
    sst_put_u32(text, (uint32_t)day.year);
    sst_put_u32(text, (uint32_t)day.slot);
}

static inline struct sst_day sst_take_day(struct sst_taken *from)
{
    const int32_t year = (int32_t)sst_take_u32(from), slot = (int32_t)sst_take_u32(from);
    return (struct sst_day){year, slot};
}

/* Whether all was there and nothing is left. */
static inline bool sst_took_all(const struct sst_taken *from) { return !from->failed && from->left == 0; }

#endif
