#include "page_script.h"

#include <check.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

json_t *page_script_argument(const struct sst_text *script)
{
    const char *start = strchr(script->data, '{'), *end = strrchr(script->data, '}');
    json_error_t error;
    ck_assert_ptr_nonnull(start);
    ck_assert_ptr_nonnull(end);
    ck_assert_str_eq(end + 1, ");\n");
    json_t *argument = json_loadb(start, (size_t)(end + 1 - start), 0, &error);
    ck_assert_msg(argument != NULL, "line %d: %s", error.line, error.text);
    return argument;
}

static unsigned sextet(char letter)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = letter ? strchr(letters, letter) : NULL;
    ck_assert_msg(letter == '=' || at != NULL, "'%c' is no base64", letter);
    return letter == '=' ? 0 : (unsigned)(at - letters);
}

void page_script_inflate(const json_t *text, uint8_t *out, size_t n)
{
    const char *base64 = json_string_value(text);
    ck_assert_ptr_nonnull(base64);
    const size_t n_letters = strlen(base64);
    ck_assert_uint_eq(n_letters % 4, 0);
    uint8_t *packed = malloc(n_letters / 4 * 3 + 1);
    ck_assert_ptr_nonnull(packed);
    for (size_t i = 0; i < n_letters; i += 4) {
        const unsigned bits =
            sextet(base64[i]) << 18 | sextet(base64[i + 1]) << 12 | sextet(base64[i + 2]) << 6 | sextet(base64[i + 3]);
        for (size_t b = 0; b < 3; ++b)
            packed[i / 4 * 3 + b] = (uint8_t)(bits >> (16 - 8 * b));
    }
    const size_t n_fill = n_letters > 0 ? (size_t)(base64[n_letters - 1] == '=') + (base64[n_letters - 2] == '=') : 0;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    ck_assert_int_eq(libdeflate_zlib_decompress(decompressor, packed, n_letters / 4 * 3 - n_fill, out, n, NULL),
                     LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(decompressor);
    free(packed);
}

void page_script_bytes(const json_t *text, uint8_t *out, size_t n)
{
    page_script_inflate(text, out, n);
    for (size_t i = 1; i < n; ++i)
        out[i] = (uint8_t)(out[i] + out[i - 1]);
}

void page_script_words(const json_t *text, uint16_t *out, size_t n)
{
    uint8_t *codes = malloc(2 * n);
    unsigned word = 0;
    ck_assert_ptr_nonnull(codes);
    page_script_inflate(text, codes, 2 * n);
    for (size_t i = 0; i < n; ++i) {
        word += codes[i] + ((unsigned)codes[n + i] << 8);
        out[i] = (uint16_t)word;
    }
    free(codes);
}
