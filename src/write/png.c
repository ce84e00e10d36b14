/* Palette PNG through libpng's simplified writer, which reports failures instead of printing or jumping. */
#include "write/png.h"

#include <png.h>
#include <string.h>

#include "core/mem.h"

enum { MAX_COLOURS = 256, BYTES_PER_COLOUR = 4 };

/* libpng's own way with a wrong index is to clear it and go on. */
static enum sst_status check_image(const struct sst_png_image *image, struct sst_error *err)
{
    if (image->width == 0 || image->height == 0 || image->width > PNG_UINT_31_MAX || image->height > PNG_UINT_31_MAX)
        return sst_fail(err, SST_ERR_INTERNAL, "PNG: a picture of %zu x %zu pixels", image->width, image->height);
    if (image->n_colours < 1 || image->n_colours > MAX_COLOURS || image->transparent >= (int)image->n_colours)
        return sst_fail(err, SST_ERR_INTERNAL, "PNG: %zu colours, of which %d is transparent", image->n_colours,
                        image->transparent);
    for (size_t i = 0; i < image->width * image->height; ++i) {
        if (image->indices[i] >= image->n_colours)
            return sst_fail(err, SST_ERR_INTERNAL, "PNG: pixel %zu has index %u of %zu colours", i, image->indices[i],
                            image->n_colours);
    }
    return SST_OK;
}

static enum sst_status fail_by(const png_image *png, struct sst_error *err)
{
    const enum sst_status code = strcasestr(png->message, "memory") ? SST_ERR_NOMEM : SST_ERR_INTERNAL;
    return sst_fail(err, code, "PNG: libpng: %s", png->message);
}

enum sst_status sst_png_encode(const struct sst_png_image *image, uint8_t **bytes, size_t *n_bytes,
                               struct sst_error *err)
{
    uint8_t *encoded = NULL, colours[MAX_COLOURS * BYTES_PER_COLOUR];
    enum sst_status rc = SST_OK;
    SST_TRY(check_image(image, err));
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)image->width,
                     .height = (png_uint_32)image->height,
                     .format = PNG_FORMAT_RGBA_COLORMAP,
                     .colormap_entries = (png_uint_32)image->n_colours};
    for (size_t i = 0; i < image->n_colours; ++i) {
        const struct sst_colour colour = image->palette[i];
        const uint8_t entry[BYTES_PER_COLOUR] = {colour.red, colour.green, colour.blue,
                                                 (int)i == image->transparent ? 0 : 255};
        memcpy(colours + i * BYTES_PER_COLOUR, entry, sizeof entry);
    }
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    SST_TRY(sst_alloc(size, 1, "a PNG", &encoded, err));
    if (!png_image_write_to_memory(&png, encoded, &size, 0, image->indices, 0, colours)) {
        rc = fail_by(&png, err);
        goto done;
    }
    *bytes = encoded;
    *n_bytes = size;
    encoded = NULL;
done:
    png_image_free(&png);
    sst_free(encoded);
    return rc;
}
