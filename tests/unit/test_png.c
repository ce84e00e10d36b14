/* write/png: what is encoded is decoded again by libpng, pixel by pixel; wrong pictures are refused. */
#include <png.h>
#include <string.h>

#include "core/mem.h"
#include "test_main.h"
#include "write/png.h"

enum { MAX_PIXELS = 300 * 7 };

static const struct sst_colour palette[] = {{255, 255, 255}, {196, 196, 196}, {1, 2, 3}, {250, 0, 128}};

/* Decodes to RGBA and compares with indices and palette. */
static void expect_picture(const struct sst_png_image *image, const uint8_t *bytes, size_t n_bytes)
{
    static uint8_t pixels[MAX_PIXELS * 4];
    png_image png = {.version = PNG_IMAGE_VERSION};
    ck_assert_msg(png_image_begin_read_from_memory(&png, bytes, n_bytes), "%s", png.message);
    ck_assert_uint_eq(png.width, image->width);
    ck_assert_uint_eq(png.height, image->height);
    png.format = PNG_FORMAT_RGBA;
    ck_assert_uint_le(PNG_IMAGE_SIZE(png), sizeof pixels);
    ck_assert_msg(png_image_finish_read(&png, NULL, pixels, 0, NULL), "%s", png.message);
    for (size_t i = 0; i < image->width * image->height; ++i) {
        const struct sst_colour colour = image->palette[image->indices[i]];
        const uint8_t *pixel = &pixels[4 * i];
        if (image->indices[i] == image->transparent) {
            ck_assert_int_eq(pixel[3], 0);
            continue;
        }
        ck_assert_int_eq(pixel[3], 255);
        ck_assert_int_eq(pixel[0], colour.red);
        ck_assert_int_eq(pixel[1], colour.green);
        ck_assert_int_eq(pixel[2], colour.blue);
    }
}

static const struct {
    size_t width, height;
    int transparent;
} sizes[] = {{1, 1, -1}, {1, 5, 0}, {300, 7, 1}, {5, 1, 3}, {4, 4, -1}};

START_TEST(a_picture_comes_back_pixel_by_pixel_and_the_same_bytes_twice)
{
    uint8_t indices[MAX_PIXELS], *bytes = NULL, *again = NULL;
    size_t n_bytes = 0, n_again = 0;
    struct sst_error err = {0};
    for (size_t i = 0; i < MAX_PIXELS; ++i)
        indices[i] = (uint8_t)(i * i / 3 % 4);
    const struct sst_png_image image = {.width = sizes[_i].width,
                                        .height = sizes[_i].height,
                                        .indices = indices,
                                        .palette = palette,
                                        .n_colours = 4,
                                        .transparent = sizes[_i].transparent};
    ck_assert_msg(sst_png_encode(&image, &bytes, &n_bytes, &err) == SST_OK, "%s", err.text);
    expect_picture(&image, bytes, n_bytes);
    ck_assert_int_eq(sst_png_encode(&image, &again, &n_again, &err), SST_OK);
    ck_assert_uint_eq(n_again, n_bytes);
    ck_assert_mem_eq(again, bytes, n_bytes);
    sst_free(bytes);
    sst_free(again);
}
END_TEST

START_TEST(all_256_colours_can_be_used)
{
    struct sst_colour many[256];
    uint8_t indices[256], *bytes = NULL;
    size_t n_bytes = 0;
    for (int i = 0; i < 256; ++i) {
        many[i] = (struct sst_colour){(uint8_t)i, (uint8_t)(255 - i), (uint8_t)(i * 7 % 256)};
        indices[i] = (uint8_t)(255 - i);
    }
    const struct sst_png_image image = {16, 16, indices, many, 256, -1};
    ck_assert_int_eq(sst_png_encode(&image, &bytes, &n_bytes, NULL), SST_OK);
    expect_picture(&image, bytes, n_bytes);
    sst_free(bytes);
}
END_TEST

START_TEST(wrong_pictures_are_refused_and_nothing_is_given)
{
    const uint8_t indices[] = {0, 1, 2, 4};
    const struct sst_png_image wrong[] = {
        {2, 2, indices, palette, 4, -1}, /* index 4 of 0..3 */
        {0, 2, indices, palette, 4, -1}, {2, 0, indices, palette, 4, -1},
        {1, 1, indices, palette, 0, -1}, {1, 1, indices, palette, 257, -1},
        {1, 1, indices, palette, 4, 4},  {(size_t)1 << 31, 1, indices, palette, 4, -1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        uint8_t *bytes = NULL;
        size_t n_bytes = 0;
        struct sst_error err = {0};
        ck_assert_int_eq(sst_png_encode(&wrong[i], &bytes, &n_bytes, &err), SST_ERR_INTERNAL);
        ck_assert_ptr_null(bytes);
        ck_assert_uint_eq(n_bytes, 0);
        ck_assert_ptr_nonnull(strstr(err.text, "PNG"));
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("png");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, a_picture_comes_back_pixel_by_pixel_and_the_same_bytes_twice, 0,
                        (int)(sizeof sizes / sizeof sizes[0]));
    tcase_add_test(tc, all_256_colours_can_be_used);
    tcase_add_test(tc, wrong_pictures_are_refused_and_nothing_is_given);
    suite_add_tcase(suite, tc);
    return suite;
}
