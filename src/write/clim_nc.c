/* The life of a climatology file: checked, created, filled slot by slot, finished or abandoned. */
#include "write/clim_nc.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "write/clim_nc_layout.h"
#include "write/clim_time.h"
#include "write/place.h"

/* Slots that share chunks, gathered until all are there. */
struct row {
    size_t first, n_slots; /* places on the time axis */
    size_t n_filled;
    float *sst; /* [n_sst][n_slots][n_cells], NULL: not begun */
    int16_t *counts; /* [n_obs, flags][n_slots][n_cells] */
};

struct sst_clim_file {
    struct sst_clim_spec spec;
    struct sst_clim_time time;
    struct sst_clim_layout layout; /* of the single file */
    char *temporary; /* the file, or the folder of `split` */
    size_t n_sst; /* mean, percentiles and bounds of both kinds */
    size_t n_chunk_slots;
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
        const size_t first = i * file->n_chunk_slots, left = (size_t)file->spec.n_slots - first;
        file->rows[i].first = first;
        file->rows[i].n_slots = left < file->n_chunk_slots ? left : file->n_chunk_slots;
    }
}

enum sst_status sst_clim_create(const struct sst_clim_spec *spec, struct sst_clim_file **out, struct sst_error *err)
{
    struct sst_clim_file *file = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_clim_check(spec, err));
    SST_TRY(sst_alloc(1, sizeof *file, "the output's state", &file, err));
    file->spec = *spec;
    file->layout.ncid = -1;
    file->n_sst = sst_clim_n_sst(spec);
    SST_TRY_GOTO(sst_clim_time_fill(spec->pools, spec->slots, spec->n_slots, &file->time, err));
    file->n_chunk_slots = sst_clim_chunk_slots(spec);
    file->n_rows = ((size_t)spec->n_slots + file->n_chunk_slots - 1) / file->n_chunk_slots;
    SST_TRY_GOTO(sst_alloc(file->n_rows, sizeof *file->rows, "the output's rows", &file->rows, err));
    plan_rows(file);
    SST_TRY_GOTO(reserve(file, err));
    if (!spec->split)
        SST_TRY_GOTO(
            sst_clim_layout_create(&file->spec, file->temporary, &file->time, 0, spec->n_slots, &file->layout, err));
    *out = file;
    file = NULL;
done:
    sst_clim_abandon(&file);
    return rc;
}

uint64_t sst_clim_buffer_bytes(const struct sst_clim_spec *spec)
{
    /* The first slots of a ring wait to its end for its last ones, while one row after the other is filled. */
    enum { ROWS = 2 };
    const size_t n_chunk_slots = sst_clim_chunk_slots(spec), n_slots = (size_t)spec->n_slots;
    const size_t n_waiting = n_slots < ROWS * n_chunk_slots ? n_slots : ROWS * n_chunk_slots;
    const size_t cell_bytes = sst_clim_n_sst(spec) * sizeof(float) + 2 * sizeof(int16_t);
    return (uint64_t)n_waiting * spec->domain->n_cells * cell_bytes;
}

static void drop_row(struct row *row)
{
    sst_free(row->sst);
    sst_free(row->counts);
    row->sst = NULL;
    row->counts = NULL;
}

static enum sst_status begin_row(const struct sst_clim_file *file, struct row *row, struct sst_error *err)
{
    const size_t values = row->n_slots * file->spec.domain->n_cells; /* at most what sst_clim_chunk_slots allows */
    if (!row->sst)
        SST_TRY(sst_alloc(values, file->n_sst * sizeof *row->sst, "a row of the output's chunks", &row->sst, err));
    if (!row->counts)
        SST_TRY(sst_alloc(values, 2 * sizeof *row->counts, "a row of the output's chunks", &row->counts, err));
    return SST_OK;
}

static enum sst_status write_row(struct sst_clim_file *file, const struct row *row, struct sst_error *err)
{
    const size_t stride = row->n_slots * file->spec.domain->n_cells;
    struct sst_clim_block block = {row->first, row->n_slots, row->sst, stride, row->counts, row->counts + stride};
    if (!file->spec.split)
        return sst_clim_layout_put(&file->layout, &file->spec, &block, err);
    struct sst_clim_layout day = {.ncid = -1};
    char *path = NULL;
    enum sst_status rc = SST_OK;
    block.first = 0;
    SST_TRY_GOTO(day_path(file, file->temporary, row->first, &path, err));
    SST_TRY_GOTO(sst_clim_layout_create(&file->spec, path, &file->time, (int)row->first, 1, &day, err));
    SST_TRY_GOTO(sst_clim_layout_put(&day, &file->spec, &block, err));
    SST_TRY_GOTO(sst_clim_layout_close(&day, err));
done:
    sst_clim_layout_discard(&day);
    sst_free(path);
    return rc;
}

static void to_float(const double *from, size_t n_cells, float fill, float *to)
{
    for (size_t cell = 0; cell < n_cells; ++cell)
        to[cell] = isnan(from[cell]) ? fill : (float)from[cell];
}

static void fill_missing(const float *from, size_t n_cells, float fill, float *to)
{
    for (size_t cell = 0; cell < n_cells; ++cell)
        to[cell] = isnan(from[cell]) ? fill : from[cell];
}

static void to_short(const uint16_t *from, size_t n_cells, int16_t *to)
{
    for (size_t cell = 0; cell < n_cells; ++cell) {
        assert(from[cell] <= INT16_MAX); /* SST_MAX_POOL, and fewer than 15 flags */
        to[cell] = (int16_t)from[cell];
    }
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

enum sst_status sst_clim_put(struct sst_clim_file *file, const struct sst_clim_values *values, struct sst_error *err)
{
    const size_t n_cells = file->spec.domain->n_cells;
    const size_t n_approx = file->spec.n_percentiles * file->spec.n_coverages, n_exact = file->n_sst - n_approx;
    const float fill = file->spec.split ? SST_CLIM_FILL_SPLIT : SST_CLIM_FILL;
    size_t place = 0;
    SST_TRY(find_place(file, values->slot, &place, err));
    struct row *row = &file->rows[place / file->n_chunk_slots];
    SST_TRY(begin_row(file, row, err));
    const size_t stride = row->n_slots * n_cells, at = (place - row->first) * n_cells;
    for (size_t i = 0; i < n_exact; ++i)
        to_float(i ? values->quantile[i - 1] : values->mean, n_cells, fill, row->sst + i * stride + at);
    for (size_t i = 0; i < n_approx; ++i)
        fill_missing(values->approx_bound[i], n_cells, fill, row->sst + (n_exact + i) * stride + at);
    to_short(values->n_obs, n_cells, row->counts + at);
    to_short(values->flags, n_cells, row->counts + stride + at);
    file->is_filled[place] = true;
    if (++row->n_filled < row->n_slots)
        return SST_OK;
    const enum sst_status rc = write_row(file, row, err);
    drop_row(row);
    return rc;
}

static enum sst_status finish_single(struct sst_clim_file *file, const struct sst_attribute *attributes,
                                     size_t n_attributes, struct sst_error *err)
{
    const struct sst_clim_spec *spec = &file->spec;
    SST_TRY(sst_clim_layout_attributes(&file->layout, attributes, n_attributes, err));
    SST_TRY(sst_clim_layout_close(&file->layout, err));
    SST_TRY(sst_place_sync(file->temporary, err));
    SST_TRY(sst_place_commit(file->temporary, spec->path, spec->overwrite, err));
    sst_free(file->temporary);
    file->temporary = NULL;
    return sst_place_sync_parent(spec->path, err);
}

static enum sst_status complete_day(const struct sst_clim_file *file, size_t place,
                                    const struct sst_attribute *attributes, size_t n_attributes, struct sst_error *err)
{
    struct sst_clim_layout day = {.ncid = -1};
    char *path = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(day_path(file, file->temporary, place, &path, err));
    SST_TRY_GOTO(sst_clim_layout_reopen(path, &day, err));
    SST_TRY_GOTO(sst_clim_layout_attributes(&day, attributes, n_attributes, err));
    SST_TRY_GOTO(sst_clim_layout_close(&day, err));
    SST_TRY_GOTO(sst_place_sync(path, err));
done:
    sst_clim_layout_discard(&day);
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
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(check_complete(*file, err));
    if ((*file)->spec.split)
        SST_TRY_GOTO(finish_split(*file, attributes, n_attributes, err));
    else
        SST_TRY_GOTO(finish_single(*file, attributes, n_attributes, err));
done:
    sst_clim_abandon(file); /* frees; there is nothing left to remove after success */
    return rc;
}

void sst_clim_abandon(struct sst_clim_file **handle)
{
    struct sst_clim_file *file = *handle;
    if (!file)
        return;
    sst_clim_layout_discard(&file->layout);
    if (file->temporary && file->spec.split) {
        remove_days(file, file->temporary, (size_t)file->time.n_slots);
        (void)rmdir(file->temporary);
    } else if (file->temporary) {
        (void)unlink(file->temporary);
    }
    for (size_t i = 0; file->rows && i < file->n_rows; ++i)
        drop_row(&file->rows[i]);
    sst_free(file->rows);
    sst_free(file->temporary);
    sst_free(file);
    *handle = NULL;
}
