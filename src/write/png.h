/* Pictures of few colours: 8-bit palette PNG in memory. The home of libpng. */
#ifndef SST_WRITE_PNG_H
#define SST_WRITE_PNG_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "write/colour.h"

struct sst_png_image {
    size_t width, height;
    const uint8_t *indices; /* width * height, rows from the top */
    const struct sst_colour *palette;
    size_t n_colours; /* 1..256 */
    int transparent; /* index that is transparent, or -1 */
};

/*
 * Encodes; the same image gives the same bytes (no time stamp).
 *
 * Owner    the caller; sst_free(*bytes).
 * Errors   SST_ERR_NOMEM, SST_ERR_INTERNAL where libpng refuses (an index outside the palette, a size of 0).
 */
SST_MUST_CHECK enum sst_status sst_png_encode(const struct sst_png_image *image, uint8_t **bytes, size_t *n_bytes,
                                              struct sst_error *err);

#endif
