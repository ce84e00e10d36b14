/* A file decoded whole, for tests that look at values, counts, notes and messages. */
#ifndef SST_DECODED_H
#define SST_DECODED_H

#include "stream/decode.h"

enum { DECODED_MAX_CELLS = 1 << 21, DECODED_NOTES_SIZE = 4096 };

struct decoded {
    enum sst_status status; /* of the first step that failed: open, or decode */
    bool is_open;
    struct sst_error err;
    char notes[DECODED_NOTES_SIZE]; /* one a line */
    struct sst_file *file;
    const struct sst_file_info *info;
    struct sst_domain domain;
    struct sst_field field;
    struct sst_decode_stats stats;
};

/* Opens a file and decodes step 0 of its whole grid on the lattice that it names itself. Owner: decoded_clear. */
void decoded_read(struct decoded *out, const char *path, const struct sst_decode_options *options);

/* As above, but only opens it. */
void decoded_open(struct decoded *out, const char *path, const struct sst_decode_options *options);

/* Decodes another step, or on another lattice, into the same field. */
void decoded_step(struct decoded *out, size_t step, enum sst_lattice_kind lattice);
void decoded_clear(struct decoded *out);

/* Fails the test unless the file was decoded; says the message. */
void decoded_must_be_ok(const struct decoded *decoded);

/* Fails the test unless it failed with `status` and a message that holds all of the texts (NULL ends the list). */
void decoded_must_fail(const struct decoded *decoded, enum sst_status status, const char *const *texts);

#define DECODED_MUST_FAIL(decoded, status, ...)                                                                        \
    decoded_must_fail(decoded, status, (const char *const[]){__VA_ARGS__, NULL})

#endif
