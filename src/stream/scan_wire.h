/*
 * What a scan learns of one file, as bytes that go from a reader process to the program.
 *
 *   head · steps[n] · lat[n] · lon[n] · memo · texts, each with its zero · notes, likewise
 *
 * A reader may have been hurt by the file that it read, so nothing in these bytes is believed before it is checked.
 */
#ifndef SST_STREAM_SCAN_WIRE_H
#define SST_STREAM_SCAN_WIRE_H

#include "stream/decode.h"
#include "stream/decode_memo.h"

/* Texts that a file was noted for, one behind the other. All zero at first. */
struct sst_scan_notes {
    char *texts;
    size_t n_bytes, capacity, n;
    bool is_short; /* there was no memory for all of them */
};

/* A sst_note_fn whose user is a struct sst_scan_notes. */
void sst_scan_notes_add(void *user, const char *text);
void sst_scan_notes_clear(struct sst_scan_notes *notes);

/* The facts of an opened file. */
struct sst_scan_facts {
    struct sst_file_info info;
    struct sst_grid grid; /* info.grid points here once it was read from bytes */
    const void *memo;
    size_t memo_bytes;
    const char *notes; /* n_notes texts, one behind the other */
    size_t notes_bytes, n_notes;
};

/* Returns the bytes written, 0 where there is no room for them. */
size_t sst_scan_wire_write(const struct sst_file_info *info, const void *memo, size_t memo_bytes,
                           const struct sst_scan_notes *notes, void *out, size_t room);

/* `out` points into `bytes`, which must be aligned to 8. Returns false where they are not what sst_scan_wire_write makes. */
bool sst_scan_wire_read(const void *bytes, size_t n_bytes, const char *path, struct sst_scan_facts *out);

#endif
