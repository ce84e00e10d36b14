/* The life of a climatology file: checked, created, filled slot by slot, finished or abandoned. */
#include "write/clim_nc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "write/clim_nc_layout.h"
#include "write/clim_nc_pieces.h"
#include "write/clim_nc_queue.h"
#include "write/clim_nc_store.h"
#include "write/clim_time.h"
#include "write/place.h"

/* Slots that share chunks, gathered until all are there. */
struct row {
    size_t first, n_slots; /* places on the time axis */
    size_t n_filled;
    struct sst_clim_row values; /* none while n_filled is 0 or n_slots, or where slots are written by pieces */
    uint64_t *at; /* of pieces: where chunks begin in the file; likewise */
};

struct sst_clim_file {
    struct sst_clim_spec spec;
    struct sst_clim_time time;
    struct sst_clim_chunks chunks;
    char *temporary; /* the file, or the folder of `split` */
    struct sst_clim_store store; /* open: the single file, or that of the day on its way */
    char *day; /* that day's path */
    bool has_pieces; /* else `queue` is in use */
    struct sst_clim_pieces pieces;
    struct sst_clim_queue queue;
    struct row *rows;
    size_t n_rows;
    bool is_filled[SST_N_SLOTS]; /* by place on the time axis */
};

static enum sst_status day_path(const struct sst_clim_file *file, const char *folder, size_t place, char **out,
                                struct sst_error *err)
{
    return sst_asprintf(out, err, "%s/sst_clim_%04d.nc", folder, file->time.month_day[place]);
}

/* Whether each day's file may be put into a folder that is there already. */
static enum sst_status check_day_files(const struct sst_clim_spec *spec, struct sst_error *err)
{
    for (int place = 0; place < spec->n_slots; ++place) {
        int month, day;
        char *path = NULL;
        sst_calendar_month_day(spec->pools->kind, spec->slots[place], &month, &day);
        SST_TRY(sst_asprintf(&path, err, "%s/sst_clim_%02d%02d.nc", spec->path, month, day));
        const enum sst_status rc = sst_place_check(path, spec->overwrite, err);
        sst_free(path);
        SST_TRY(rc);
    }
    return SST_OK;
}

enum sst_status sst_clim_check(const struct sst_clim_spec *spec, struct sst_error *err)
{
    if (!spec->split)
        return sst_place_check(spec->path, spec->overwrite, err);
    bool is_new;
    SST_TRY(sst_place_check_folder(spec->path, &is_new, err));
    return is_new ? SST_OK : check_day_files(spec, err);
}

/* Where files are written until they are finished. */
static enum sst_status reserve(struct sst_clim_file *file, struct sst_error *err)
{
    const struct sst_clim_spec *spec = &file->spec;
    if (!spec->split)
        return sst_place_reserve(spec->path, &file->temporary, err);
    bool is_new;
    SST_TRY(sst_place_check_folder(spec->path, &is_new, err));
    if (is_new)
        return sst_place_reserve_folder(spec->path, &file->temporary, err);
    char *beside = NULL; /* within the folder, whose parent may be of another file system or closed to us */
    SST_TRY(sst_asprintf(&beside, err, "%s/sst_clim", spec->path));
    const enum sst_status rc = sst_place_reserve_folder(beside, &file->temporary, err);
    sst_free(beside);
    return rc;
}

static void plan_rows(struct sst_clim_file *file)
{
    for (size_t i = 0; i < file->n_rows; ++i) {
        const size_t most = file->chunks.n_slots, first = i * most, left = (size_t)file->spec.n_slots - first;
        file->rows[i].first = first;
        file->rows[i].n_slots = left < most ? left : most;
    }
}

/* Makes a file of its header and readies it for chunks. */
static enum sst_status open_store(struct sst_clim_file *file, const char *path, int first, int n_slots,
                                  struct sst_error *err)
{
    struct sst_clim_layout layout = {.ncid = -1};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_clim_layout_create(&file->spec, path, &file->time, first, n_slots, &layout, err));
    SST_TRY_GOTO(sst_clim_store_open(&layout, &file->store, err));
done:
    sst_clim_layout_discard(&layout);
    return rc;
}

static enum sst_status create(struct sst_clim_file *file, struct sst_error *err)
{
    const struct sst_clim_spec *spec = &file->spec;
    SST_TRY(sst_clim_time_fill(spec->pools, spec->slots, spec->n_slots, &file->time, err));
    sst_clim_chunks_of(spec, &file->chunks);
    file->has_pieces = sst_clim_has_pieces(spec);
    SST_TRY(file->has_pieces ? sst_clim_pieces_init(spec, &file->pieces, err)
                             : sst_clim_queue_init(spec, &file->queue, err));
    const size_t n_chunk_slots = file->chunks.n_slots;
    file->n_rows = ((size_t)spec->n_slots + n_chunk_slots - 1) / n_chunk_slots;
    SST_TRY(sst_alloc(file->n_rows, sizeof *file->rows, "the output's rows", &file->rows, err));
    plan_rows(file);
    SST_TRY(reserve(file, err));
    return spec->split ? SST_OK : open_store(file, file->temporary, 0, spec->n_slots, err);
}

enum sst_status sst_clim_create(const struct sst_clim_spec *spec, struct sst_clim_file **out, struct sst_error *err)
{
    const double start = sst_timings_now();
    struct sst_clim_file *file = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_clim_check(spec, err));
    SST_TRY(sst_alloc(1, sizeof *file, "the output's state", &file, err));
    file->spec = *spec;
    file->store = SST_CLIM_NO_STORE;
    SST_TRY_GOTO(create(file, err));
    *out = file;
    file = NULL;
done:
    sst_clim_abandon(&file);
    (void)sst_timings_book(spec->timings, SST_PHASE_WRITE, start);
    return rc;
}

uint64_t sst_clim_buffer_bytes(const struct sst_clim_spec *spec, const int *order)
{
    return sst_clim_has_pieces(spec) ? sst_clim_pieces_bytes(spec) : sst_clim_queue_bytes(spec, order);
}

/* Writes what the threads have ready, or (wait) all that was handed to them. */
static enum sst_status advance(struct sst_clim_file *file, bool wait, struct sst_error *err)
{
    SST_TRY(sst_clim_queue_advance(&file->queue, &file->store, wait, err));
    if (!file->spec.split || !sst_clim_queue_is_empty(&file->queue))
        return SST_OK;
    return sst_clim_store_close(&file->store, err); /* that day's file is whole but for its attributes */
}

static enum sst_status send_row(struct sst_clim_file *file, struct row *row, struct sst_error *err)
{
    SST_TRY(advance(file, true, err));
    if (file->spec.split) {
        sst_free(file->day);
        file->day = NULL;
        SST_TRY(day_path(file, file->temporary, row->first, &file->day, err));
        SST_TRY(open_store(file, file->day, (int)row->first, 1, err));
    }
    sst_clim_queue_put(&file->queue, &row->values, file->spec.split ? 0 : row->first);
    return advance(file, false, err);
}

/* The slot's place on the time axis, which must be still empty. */
static enum sst_status find_place(const struct sst_clim_file *file, int slot, size_t *place, struct sst_error *err)
{
    const int n_slots = file->spec.n_slots;
    int i = 0;
    while (i < n_slots && file->spec.slots[i] != slot)
        ++i;
    if (i == n_slots || file->is_filled[i])
        return sst_fail(err, SST_ERR_INTERNAL, "%s: slot %d %s", file->spec.path, slot,
                        i == n_slots ? "is not one of this file's" : "is written twice");
    *place = (size_t)i;
    return SST_OK;
}

/* Puts all maps of a slot into its place of a row. */
static void put_maps(const struct sst_clim_file *file, const struct sst_clim_values *values,
                     const struct sst_clim_chunks *chunks, size_t slot, struct sst_clim_row *row)
{
    const struct sst_clim_spec *spec = &file->spec;
    const size_t n_approx = spec->n_percentiles * spec->n_coverages, n_exact = chunks->n_sst - n_approx;
    const float fill = spec->split ? SST_CLIM_FILL_SPLIT : SST_CLIM_FILL;
    for (size_t i = 0; i < n_exact; ++i)
        sst_clim_row_put_double(chunks, row, i, slot, i ? values->quantile[i - 1] : values->mean, fill);
    for (size_t i = 0; i < n_approx; ++i)
        sst_clim_row_put_float(chunks, row, n_exact + i, slot, values->approx_bound[i], fill);
    sst_clim_row_put_count(chunks, row, 0, slot, values->n_obs);
    sst_clim_row_put_count(chunks, row, 1, slot, values->flags);
}

static enum sst_status put_pieces(struct sst_clim_file *file, const struct sst_clim_values *values, struct row *row,
                                  size_t slot, struct sst_error *err)
{
    struct sst_clim_pieces *pieces = &file->pieces;
    if (row->n_filled == 0)
        SST_TRY(sst_clim_pieces_begin(pieces, &file->store, row->first, &row->at, err));
    put_maps(file, values, &pieces->slot, 0, &pieces->values);
    SST_TRY(sst_clim_pieces_put(pieces, &file->store, row->at, slot, err));
    if (++row->n_filled < row->n_slots)
        return SST_OK;
    sst_free(row->at);
    row->at = NULL;
    return SST_OK;
}

/* Gathers slots until their row is full. */
static enum sst_status put_in_row(struct sst_clim_file *file, const struct sst_clim_values *values, struct row *row,
                                  size_t slot, struct sst_error *err)
{
    const float fill = file->spec.split ? SST_CLIM_FILL_SPLIT : SST_CLIM_FILL;
    SST_TRY(advance(file, false, err));
    if (row->n_filled == 0) {
        SST_TRY(sst_clim_queue_take(&file->queue, &row->values, err));
        sst_clim_row_clear(&file->chunks, row->n_slots, fill, &row->values);
    }
    put_maps(file, values, &file->chunks, slot, &row->values);
    return ++row->n_filled < row->n_slots ? SST_OK : send_row(file, row, err);
}

static enum sst_status put(struct sst_clim_file *file, const struct sst_clim_values *values, struct sst_error *err)
{
    size_t place = 0;
    SST_TRY(find_place(file, values->slot, &place, err));
    struct row *row = &file->rows[place / file->chunks.n_slots];
    file->is_filled[place] = true;
    return file->has_pieces ? put_pieces(file, values, row, place - row->first, err)
                            : put_in_row(file, values, row, place - row->first, err);
}

enum sst_status sst_clim_put(struct sst_clim_file *file, const struct sst_clim_values *values, struct sst_error *err)
{
    const double start = sst_timings_now();
    const enum sst_status rc = put(file, values, err);
    (void)sst_timings_book(file->spec.timings, SST_PHASE_WRITE, start);
    return rc;
}

static enum sst_status add_attributes(const char *path, const struct sst_attribute *attributes, size_t n_attributes,
                                      struct sst_error *err)
{
    struct sst_clim_layout layout = {.ncid = -1};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_clim_layout_reopen(path, &layout, err));
    SST_TRY_GOTO(sst_clim_layout_attributes(&layout, attributes, n_attributes, err));
    SST_TRY_GOTO(sst_clim_layout_close(&layout, err));
    SST_TRY_GOTO(sst_place_sync(path, err));
done:
    sst_clim_layout_discard(&layout);
    return rc;
}

static enum sst_status finish_single(struct sst_clim_file *file, const struct sst_attribute *attributes,
                                     size_t n_attributes, struct sst_error *err)
{
    const struct sst_clim_spec *spec = &file->spec;
    SST_TRY(sst_clim_store_close(&file->store, err));
    SST_TRY(add_attributes(file->temporary, attributes, n_attributes, err));
    SST_TRY(sst_place_commit(file->temporary, spec->path, spec->overwrite, err));
    sst_free(file->temporary);
    file->temporary = NULL;
    return sst_place_sync_parent(spec->path, err);
}

static enum sst_status complete_day(const struct sst_clim_file *file, size_t place,
                                    const struct sst_attribute *attributes, size_t n_attributes, struct sst_error *err)
{
    char *path = NULL;
    SST_TRY(day_path(file, file->temporary, place, &path, err));
    const enum sst_status rc = add_attributes(path, attributes, n_attributes, err);
    sst_free(path);
    return rc;
}

static enum sst_status commit_day(const struct sst_clim_file *file, size_t place, struct sst_error *err)
{
    char *from = NULL, *to = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(day_path(file, file->temporary, place, &from, err));
    SST_TRY_GOTO(day_path(file, file->spec.path, place, &to, err));
    SST_TRY_GOTO(sst_place_commit(from, to, file->spec.overwrite, err));
done:
    sst_free(from);
    sst_free(to);
    return rc;
}

/* Removes the first files of a folder, as far as they are there. */
static void remove_days(const struct sst_clim_file *file, const char *folder, size_t n_places)
{
    for (size_t place = 0; place < n_places; ++place) {
        struct sst_error unheard = {0};
        char *path = NULL;
        if (day_path(file, folder, place, &path, &unheard) == SST_OK)
            (void)unlink(path);
        sst_free(path);
    }
}

/* Into a folder that is there: one rename per file, taken back if one fails and none replaced another. */
static enum sst_status commit_days(struct sst_clim_file *file, struct sst_error *err)
{
    const size_t n_slots = (size_t)file->spec.n_slots;
    SST_TRY(check_day_files(&file->spec, err));
    for (size_t place = 0; place < n_slots; ++place) {
        const enum sst_status rc = commit_day(file, place, err);
        if (rc == SST_OK)
            continue;
        if (file->spec.overwrite)
            sst_error_prefix(err, "%zu of %zu files were replaced, then", place, n_slots);
        else
            remove_days(file, file->spec.path, place);
        return rc;
    }
    (void)rmdir(file->temporary); /* empty now; at worst an empty folder stays */
    sst_free(file->temporary);
    file->temporary = NULL;
    return sst_place_sync(file->spec.path, err);
}

static enum sst_status finish_split(struct sst_clim_file *file, const struct sst_attribute *attributes,
                                    size_t n_attributes, struct sst_error *err)
{
    for (size_t place = 0; place < (size_t)file->spec.n_slots; ++place)
        SST_TRY(complete_day(file, place, attributes, n_attributes, err));
    bool is_new;
    SST_TRY(sst_place_sync(file->temporary, err));
    SST_TRY(sst_place_check_folder(file->spec.path, &is_new, err));
    if (!is_new)
        return commit_days(file, err);
    SST_TRY(sst_place_commit_folder(file->temporary, file->spec.path, err));
    sst_free(file->temporary);
    file->temporary = NULL;
    return sst_place_sync_parent(file->spec.path, err);
}

static enum sst_status check_complete(const struct sst_clim_file *file, struct sst_error *err)
{
    for (int place = 0; place < file->spec.n_slots; ++place)
        if (!file->is_filled[place])
            return sst_fail(err, SST_ERR_INTERNAL, "%s: slot %d was never written", file->spec.path,
                            file->spec.slots[place]);
    return SST_OK;
}

enum sst_status sst_clim_finish(struct sst_clim_file **file, const struct sst_attribute *attributes,
                                size_t n_attributes, struct sst_error *err)
{
    const double start = sst_timings_now();
    struct sst_timings *timings = (*file)->spec.timings;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(check_complete(*file, err));
    SST_TRY_GOTO(advance(*file, true, err));
    if ((*file)->spec.split)
        SST_TRY_GOTO(finish_split(*file, attributes, n_attributes, err));
    else
        SST_TRY_GOTO(finish_single(*file, attributes, n_attributes, err));
done:
    sst_clim_abandon(file); /* frees; there is nothing left to remove after success */
    (void)sst_timings_book(timings, SST_PHASE_WRITE, start);
    return rc;
}

void sst_clim_abandon(struct sst_clim_file **handle)
{
    struct sst_clim_file *file = *handle;
    if (!file)
        return;
    sst_clim_queue_clear(&file->queue);
    sst_clim_pieces_clear(&file->pieces);
    sst_clim_store_discard(&file->store);
    if (file->temporary && file->spec.split) {
        remove_days(file, file->temporary, (size_t)file->time.n_slots);
        (void)rmdir(file->temporary);
    } else if (file->temporary) {
        (void)unlink(file->temporary);
    }
    for (size_t i = 0; file->rows && i < file->n_rows; ++i) {
        sst_clim_row_free(&file->rows[i].values);
        sst_free(file->rows[i].at);
    }
    sst_free(file->rows);
    sst_free(file->day);
    sst_free(file->temporary);
    sst_free(file);
    *handle = NULL;
}
