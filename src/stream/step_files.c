/* Opens, checks, decodes, masks: all that happens to a step before anybody compares it with another. */
#include "stream/step_files.h"

#include <math.h>
#include <stdio.h>

#include "core/mem.h"
#include "stream/decode_memo.h"

struct open_file {
    struct sst_file *file; /* NULL: the place is free */
    uint32_t index;
    uint64_t last_use;
};

struct sst_step_files {
    struct sst_step_setup setup;
    struct sst_decode_scratch *scratch;
    struct open_file *open;
    uint64_t clock;
    int16_t *hundredths; /* room that a decoder of thousandths may write to */
    struct sst_timings timings;
};

enum sst_status sst_step_files_create(const struct sst_step_setup *setup, struct sst_step_files **out,
                                      struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_step_files *files = NULL;
    SST_TRY_GOTO(sst_alloc(1, sizeof *files, "the reader", &files, err));
    files->setup = *setup;
    SST_TRY_GOTO(sst_decode_scratch_create(&files->scratch, err));
    files->setup.decode.scratch = files->scratch;
    SST_TRY_GOTO(sst_alloc(setup->n_most_open, sizeof *files->open, "the open files", &files->open, err));
    if (setup->lattice != SST_LATTICE_CENTI)
        SST_TRY_GOTO(sst_alloc(setup->domain->n_cells, sizeof *files->hundredths, "a day of hundredths",
                               &files->hundredths, err));
    *out = files;
    files = NULL;
done:
    sst_step_files_destroy(&files);
    return rc;
}

void sst_step_files_destroy(struct sst_step_files **files)
{
    struct sst_step_files *old = *files;
    if (!old)
        return;
    for (size_t i = 0; old->open && i < old->setup.n_most_open; ++i)
        sst_file_close(&old->open[i].file);
    sst_decode_scratch_destroy(&old->scratch);
    sst_free(old->open);
    sst_free(old->hundredths);
    sst_free(old);
    *files = NULL;
}

static enum sst_status fail_changed(const struct sst_step_file *file, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_INPUT, "%s: the file has changed since it was scanned. Run again when it is at rest",
                    file->path);
}

/* Whether an opened file still is what the scan found; the archive may be written to while the run goes on. */
static bool is_unchanged(const struct sst_step_files *files, const struct sst_step_file *scanned,
                         const struct sst_file *file)
{
    const struct sst_file_info *info = sst_file_info(file);
    struct sst_grid_map map = {0};
    return info->n_steps == scanned->n_steps && info->size_bytes == scanned->size_bytes &&
           sst_grid_match(files->setup.domain->grid, info->grid, &map, NULL) == SST_OK &&
           map.flip_lat == scanned->map.flip_lat && map.shift_lon == scanned->map.shift_lon;
}

static enum sst_status open_file(struct sst_step_files *files, const struct sst_step_file *scanned,
                                 struct sst_file **out, struct sst_error *err)
{
    struct sst_file *file = NULL;
    bool is_same = false;
    if (scanned->memo_bytes > 0)
        SST_TRY(sst_file_open_memo(scanned->path, scanned->memo, scanned->memo_bytes, &files->setup.decode, &file,
                                   &is_same, err));
    if (!is_same) {
        SST_TRY(sst_file_open(scanned->path, &files->setup.decode, NULL, NULL, &file, err));
        if (!is_unchanged(files, scanned, file)) {
            sst_file_close(&file);
            return fail_changed(scanned, err);
        }
    }
    *out = file;
    return SST_OK;
}

/* The file, opened if need be in place of the one that was used longest ago. */
static enum sst_status find_file(struct sst_step_files *files, const struct sst_step_file *scanned,
                                 struct sst_file **out, struct sst_error *err)
{
    struct open_file *place = &files->open[0];
    for (size_t i = 0; i < files->setup.n_most_open; ++i) {
        struct open_file *other = &files->open[i];
        if (other->file && other->index == scanned->index) {
            other->last_use = ++files->clock;
            *out = other->file;
            return SST_OK;
        }
        if (place->file && (!other->file || other->last_use < place->last_use))
            place = other;
    }
    sst_file_close(&place->file);
    SST_TRY(open_file(files, scanned, &place->file, err));
    place->index = scanned->index;
    place->last_use = ++files->clock;
    *out = place->file;
    return SST_OK;
}

static void apply_mask(const struct sst_step_setup *setup, const struct sst_step_values *values)
{
    for (size_t cell = 0; setup->keep && cell < setup->domain->n_cells; ++cell) {
        if (setup->keep[cell])
            continue;
        values->codes[cell] = SST_CODE_MISSING;
        values->ice[cell] = 0;
        if (values->degc)
            values->degc[cell] = NAN;
    }
}

/* Books the time of a decode: what the scratch memory tells of it, and the rest. */
static void book_decode(struct sst_step_files *files, const struct sst_timings *before, double start)
{
    static const enum sst_phase parts[] = {SST_PHASE_READ, SST_PHASE_INFLATE};
    const struct sst_timings *now = sst_decode_scratch_timings(files->scratch);
    (void)sst_timings_book(&files->timings, SST_PHASE_DECODE, start);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        const double spent = now->seconds[parts[i]] - before->seconds[parts[i]];
        files->timings.seconds[parts[i]] += spent;
        files->timings.seconds[SST_PHASE_DECODE] -= spent;
    }
}

enum sst_status sst_step_files_decode(struct sst_step_files *files, const struct sst_step_file *scanned,
                                      struct sst_step_key key, const struct sst_step_values *values,
                                      struct sst_step_outcome *outcome, char *reading, struct sst_error *err)
{
    const struct sst_step_setup *setup = &files->setup;
    struct sst_file *file = NULL;
    double start = sst_timings_now();
    SST_TRY(find_file(files, scanned, &file, err));
    start = sst_timings_book(&files->timings, SST_PHASE_OPEN, start);
    const struct sst_file_info *info = sst_file_info(file);
    if (key.step >= info->n_steps)
        return fail_changed(scanned, err);
    const struct sst_instant at = info->steps[key.step].at;
    if (sst_day_compare(at.day, key.at.day) != 0 || at.second != key.at.second)
        return fail_changed(scanned, err);
    struct sst_field field = {.n_cells = setup->domain->n_cells,
                              .codes = values->codes,
                              .hundredths = files->hundredths ? files->hundredths : values->codes,
                              .ice = values->ice,
                              .degc = values->degc};
    const struct sst_timings before = *sst_decode_scratch_timings(files->scratch);
    SST_TRY(
        sst_file_decode(file, key.step, setup->domain, &scanned->map, setup->lattice, &field, &outcome->stats, err));
    apply_mask(setup, values);
    outcome->has_ice = field.has_ice;
    outcome->digest = sst_domain_digest(setup->domain, values->codes);
    book_decode(files, &before, start);
    if (reading)
        (void)snprintf(reading, SST_STEP_READING_SIZE, "%s: %s", info->format, info->reading);
    return SST_OK;
}

const struct sst_timings *sst_step_files_timings(const struct sst_step_files *files) { return &files->timings; }
