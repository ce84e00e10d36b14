/* Decodes a file whole and keeps all that was said about it. */
#include "decoded.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_note(void *user, const char *text)
{
    struct decoded *decoded = user;
    const size_t length = strlen(decoded->notes);
    (void)snprintf(decoded->notes + length, sizeof decoded->notes - length, "%s\n", text);
}

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

void decoded_open(struct decoded *out, const char *path, const struct sst_decode_options *options)
{
    *out = (struct decoded){0};
    out->status = sst_file_open(path, options, keep_note, out, &out->file, &out->err);
    if (out->status != SST_OK) {
        ck_assert_ptr_null(out->file);
        return;
    }
    out->is_open = true;
    out->info = sst_file_info(out->file);
    sst_domain_all(out->info->grid, &out->domain);
    ck_assert_uint_le(out->domain.n_cells, DECODED_MAX_CELLS);
    out->field.n_cells = out->domain.n_cells;
    out->field.codes = allocate(out->domain.n_cells, sizeof *out->field.codes);
    out->field.hundredths = allocate(out->domain.n_cells, sizeof *out->field.hundredths);
    out->field.ice = allocate(out->domain.n_cells, sizeof *out->field.ice);
    out->field.degc = allocate(out->domain.n_cells, sizeof *out->field.degc);
}

void decoded_step(struct decoded *out, size_t step, enum sst_lattice_kind lattice)
{
    struct sst_grid_map map;
    ck_assert_int_eq(sst_grid_match(out->info->grid, out->info->grid, &map, &out->err), SST_OK);
    out->status = sst_file_decode(out->file, step, &out->domain, &map, lattice, &out->field, &out->stats, &out->err);
}

void decoded_read(struct decoded *out, const char *path, const struct sst_decode_options *options)
{
    decoded_open(out, path, options);
    if (out->status == SST_OK)
        decoded_step(out, 0, out->info->lattice);
}

void decoded_clear(struct decoded *out)
{
    sst_file_close(&out->file);
    free(out->field.codes);
    free(out->field.hundredths);
    free(out->field.ice);
    free(out->field.degc);
    *out = (struct decoded){0};
}

void decoded_must_be_ok(const struct decoded *decoded)
{
    if (decoded->status != SST_OK)
        ck_abort_msg("%s", decoded->err.text);
}

void decoded_must_fail(const struct decoded *decoded, enum sst_status status, const char *const *texts)
{
    if (decoded->status != status)
        ck_abort_msg("status %d, not %d: \"%s\"", decoded->status, status, decoded->err.text);
    for (; *texts; ++texts)
        if (!strstr(decoded->err.text, *texts))
            ck_abort_msg("\"%s\" does not say \"%s\"", decoded->err.text, *texts);
}
