/* A text that grows. A failure sticks: later calls do nothing, and it is asked for once, at the end. */
#ifndef SST_CORE_TEXT_H
#define SST_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/* Start from zeros. */
struct sst_text {
    char *data; /* NUL-terminated; NULL before anything is added */
    size_t size, capacity; /* size without the NUL */
    enum sst_status failed; /* SST_OK, or the first failure */
};

/* NULL adds nothing. */
void sst_text_add(struct sst_text *text, const char *string);
void sst_text_add_bytes(struct sst_text *text, const char *bytes, size_t n_bytes);
/* Numbers are written as in the C locale, whatever the program's is. */
void sst_text_addf(struct sst_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Text that comes from outside: & < > " ' as entities; control characters other than newline and tab, and bytes that are no
 * UTF-8 or not allowed in XML, as U+FFFD.
 */
void sst_text_add_escaped(struct sst_text *text, const char *string);

/* The same without entities: for writers that escape by themselves, but refuse what is no UTF-8 or not allowed in XML. */
void sst_text_add_clean(struct sst_text *text, const char *string);

/* RFC 4648 base64 of bytes. */
void sst_text_add_base64(struct sst_text *text, const unsigned char *bytes, size_t n_bytes);

/* Errors: SST_ERR_NOMEM where anything could not be added. */
SST_MUST_CHECK enum sst_status sst_text_check(const struct sst_text *text, struct sst_error *err);
void sst_text_clear(struct sst_text *text);

enum { SST_SIZE_TEXT = 32 };

/* "5.3 GB" or "105 MB", rounded up (what is needed) or down (what there is); returns the buffer. */
const char *sst_size_text(uint64_t bytes, bool is_needed, char buffer[SST_SIZE_TEXT]);

#endif
