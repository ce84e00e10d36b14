/* Reads what a feed's scripts carry, as the page does. */
#ifndef SST_TEST_PAGE_SCRIPT_H
#define SST_TEST_PAGE_SCRIPT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"

/* The last argument of the call that a script is. Owner: the caller, json_decref. Fails the test where it is not JSON. */
json_t *page_script_argument(const struct sst_text *script);

/* Base64 of a zlib stream of exactly n bytes, into `out`. Fails the test where it is not. */
void page_script_inflate(const json_t *text, uint8_t *out, size_t n);

/* The same, of differences of bytes; of differences of 16 bits in two halves. */
void page_script_bytes(const json_t *text, uint8_t *out, size_t n);
void page_script_words(const json_t *text, uint16_t *out, size_t n);

#endif
