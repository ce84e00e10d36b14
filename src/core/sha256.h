/* SHA-256 (FIPS 180-4), by which readers check files: sha256sum gives the same. */
#ifndef SST_CORE_SHA256_H
#define SST_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

enum { SST_SHA256_TEXT_SIZE = 65 };

/* 64 lower-case hexadecimal digits into `text`; returns it. */
const char *sst_sha256_of_bytes(const void *bytes, size_t n_bytes, char text[SST_SHA256_TEXT_SIZE]);

/* The same of a file, whose size is set too. Errors: SST_ERR_INPUT where it cannot be read. */
SST_MUST_CHECK enum sst_status sst_sha256_of_file(const char *path, uint64_t *n_bytes, char text[SST_SHA256_TEXT_SIZE],
                                                  struct sst_error *err);

#endif
