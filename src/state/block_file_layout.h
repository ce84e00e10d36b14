/* The bytes of a block file's parts, for block_file_*.c and the log of days: docs/state-format.md draws them. */
#ifndef SST_STATE_BLOCK_FILE_LAYOUT_H
#define SST_STATE_BLOCK_FILE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "state/block_file.h"

enum {
    SST_BLOCKS_MAGIC_BYTES = 8,
    SST_BLOCKS_HEADER_BYTES = 40,
    SST_BLOCKS_ENTRY_BYTES = 40,
    SST_BLOCKS_TRAILER_BYTES = 40,
    SST_BLOCKS_ALIGNMENT = 8,
    SST_BLOCKS_HASHED_HEADER = SST_BLOCKS_HEADER_BYTES - 8, /* what the header's checksum covers */
    SST_BLOCKS_HASHED_TRAILER = SST_BLOCKS_TRAILER_BYTES - 16
};

#define SST_BLOCKS_MAGIC "SSTSTATE"

static inline size_t sst_blocks_padded(size_t n_bytes)
{
    return (n_bytes + SST_BLOCKS_ALIGNMENT - 1) / SST_BLOCKS_ALIGNMENT * SST_BLOCKS_ALIGNMENT;
}

/* Little-endian numbers of n_bytes; returns where the next one is. */
static inline unsigned char *sst_blocks_put(unsigned char *at, uint64_t number, int n_bytes)
{
    for (int i = 0; i < n_bytes; ++i)
        *at++ = (unsigned char)(number >> (8 * i));
    return at;
}

static inline uint64_t sst_blocks_get(const unsigned char *at, int n_bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < n_bytes; ++i)
        number |= (uint64_t)at[i] << (8 * i);
    return number;
}

/* The header, of SST_BLOCKS_HEADER_BYTES. */
void sst_blocks_put_header(unsigned char *at, uint32_t kind, struct sst_identity identity);

/* What to do about an errno of a call that writes. */
const char *sst_block_remedy(int reason);

#endif
