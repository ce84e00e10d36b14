/* Fields from domain order to planes of places, a block of 8 cells at a time: 16 bytes are read, 16 written. */
#ifndef SST_KERNELS_BODY_KEEP_H
#define SST_KERNELS_BODY_KEEP_H

#include "gpu_args.h"
#include "gpu_rt.h"

/* Eight codes. Rows of planes and fields begin at multiples of 256 bytes. */
struct alignas(16) body_keep_block {
    int16_t codes[GPU_BLOCK_CELLS];
};

/* Block `block` of places. */
SST_FN void body_keep(const struct gpu_keep &keep, struct gpu_keep_task task, size_t block)
{
    const uint32_t from_block = keep.places.block_at[block];
    const int16_t *from = keep.fields.codes + (size_t)task.field * keep.fields.stride;
    int16_t *to = keep.planes + (size_t)task.plane * keep.places.pitch;
    struct body_keep_block codes;
    for (int i = 0; i < GPU_BLOCK_CELLS; ++i)
        codes.codes[i] = GPU_MISSING;
    if (from_block != GPU_NO_BLOCK)
        codes = reinterpret_cast<const struct body_keep_block *>(from)[from_block];
    reinterpret_cast<struct body_keep_block *>(to)[block] = codes;
}

#endif
