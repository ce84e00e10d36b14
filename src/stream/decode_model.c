/*
 * Files of one make are opened without the library. The first is read in full and becomes the model; a file whose header
 * says the same, byte by byte, means the same, and only what differs from day to day is read from it: time, titles and versions,
 * and where the chunks are. Where the bytes of the file are the same up to the first chunk, HDF5 is not asked either; else it
 * describes the header. Whatever else differs, it is opened in full and becomes the model in its turn.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "stream/decode_head.h"

enum {
    N_VARIABLES = 3, /* SST, ice, mask */
    MAX_MISFITS = 8 /* files in a row; then those to come are unlikely to be of one make, and looking is in vain */
};

struct sst_decode_model {
    bool is_set;
    size_t n_misfits;
    struct sst_decode_head *head; /* NULL until a model was kept */
    size_t n_head_misfits; /* as n_misfits */
    struct sst_decode_own own;
    char *variable, *units, *ice_variable, *status_from; /* options; NULL where not given */
    struct sst_decode_bytes header, other_header; /* the model's, and room for that of the file at hand */
    struct sst_file facts; /* its pointers are of no use, but for the grid, which is the model's own */
    struct sst_direct_storage storages[N_VARIABLES];
    enum sst_sst_kind kind_in_name;
    struct sst_decode_notes told;
};

void sst_decode_model_destroy(struct sst_decode_model **model)
{
    struct sst_decode_model *old = *model;
    if (!old)
        return;
    sst_free(old->variable);
    sst_free(old->units);
    sst_free(old->ice_variable);
    sst_free(old->status_from);
    sst_free(old->header.at);
    sst_free(old->other_header.at);
    sst_decode_head_destroy(&old->head);
    sst_grid_destroy(&old->facts.grid);
    sst_free(old);
    *model = NULL;
}

static bool is_same_option(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static bool has_options(const struct sst_decode_model *model, const struct sst_decode_options *options)
{
    return is_same_option(model->variable, options->variable) && is_same_option(model->units, options->units) &&
           is_same_option(model->ice_variable, options->ice_variable) &&
           is_same_option(model->status_from, options->status_from);
}

static enum sst_status keep_option(const char *text, char **kept, struct sst_error *err)
{
    sst_free(*kept);
    *kept = NULL;
    return text ? sst_strdup(text, kept, err) : SST_OK;
}

static enum sst_status describe(const struct sst_direct *direct, const struct sst_decode_time *time,
                                struct sst_decode_bytes *out, bool *is_whole, struct sst_error *err)
{
    const char *const values_left_out[2] = {time->name, time->bounds_name};
    return sst_decode_describe(direct->hdf5, values_left_out, out, is_whole, err);
}

/* The facts but for those that each file has of its own. */
static void take_facts(const struct sst_file *from, struct sst_file *to)
{
    const struct sst_file_info *info = &from->info;
    to->format = from->format;
    memcpy(to->standard_name, from->standard_name, sizeof to->standard_name);
    memcpy(to->units, from->units, sizeof to->units);
    to->time = from->time;
    to->sst = from->sst;
    to->ice = from->ice;
    to->mask = from->mask;
    to->to_degc = from->to_degc;
    to->ice_scale = from->ice_scale;
    to->n_flags = from->n_flags;
    memcpy(to->flags, from->flags, sizeof to->flags);
    memcpy(to->mask_classes, from->mask_classes, sizeof to->mask_classes);
    to->info.kind = info->kind;
    to->info.calendar = info->calendar;
    to->info.steps_per_chunk = info->steps_per_chunk;
    to->info.is_packed = info->is_packed;
    to->info.lattice_is_exact = info->lattice_is_exact;
    to->info.lattice = info->lattice;
}

static enum sst_status keep_storages(struct sst_decode_model *model, struct sst_file *file, bool *are_known,
                                     struct sst_error *err)
{
    const struct sst_decode_variable *const variables[N_VARIABLES] = {&file->sst, &file->ice, &file->mask};
    *are_known = true;
    for (size_t i = 0; i < N_VARIABLES; ++i) {
        const struct sst_direct_storage *found = NULL;
        if (variables[i]->id < 0)
            continue;
        SST_TRY(sst_direct_find(file, variables[i], &found, err));
        if (found)
            model->storages[i] = *found;
        *are_known &= found != NULL;
    }
    return SST_OK;
}

/* False where one of the attributes is of no plain text. */
static bool describe_own(const struct sst_file *file, struct sst_decode_own *out)
{
    bool are_read = true;
    for (int which = 0; which < SST_N_OWN_TEXTS && are_read; ++which) {
        const char *name = sst_decode_own_name(file, (enum sst_decode_own_text)which);
        out->texts[which][0] = '\0';
        are_read =
            !name || sst_decode_describe_text(file->direct->hdf5, name, out->texts[which], sizeof out->texts[which]);
    }
    return are_read;
}

/* The head is of use where all that is not in the description stands in it too: the attributes of each file's own. */
static enum sst_status keep_head(struct sst_decode_model *model, const struct sst_file *file, struct sst_error *err)
{
    const char *const values_left_out[2] = {file->time.name, file->time.bounds_name};
    if (!model->head)
        SST_TRY(sst_alloc(1, sizeof *model->head, "a header", &model->head, err));
    SST_TRY(sst_decode_head_learn(model->head, file->direct, values_left_out, err));
    model->head->is_set &= describe_own(file, &model->own);
    return SST_OK;
}

static enum sst_status set(struct sst_decode_model *model, struct sst_file *file,
                           const struct sst_decode_options *options, struct sst_error *err)
{
    bool are_known = false, is_whole = false;
    if (!file->direct)
        SST_TRY(sst_direct_open(file, err));
    if (file->direct->hdf5 < 0 || file->direct->fd < 0)
        return SST_OK;
    SST_TRY(keep_storages(model, file, &are_known, err));
    if (!are_known)
        return SST_OK;
    SST_TRY(describe(file->direct, &file->time, &model->header, &is_whole, err));
    SST_TRY(keep_head(model, file, err));
    SST_TRY(keep_option(options->variable, &model->variable, err));
    SST_TRY(keep_option(options->units, &model->units, err));
    SST_TRY(keep_option(options->ice_variable, &model->ice_variable, err));
    SST_TRY(keep_option(options->status_from, &model->status_from, err));
    sst_grid_destroy(&model->facts.grid);
    SST_TRY(sst_grid_copy(file->grid, &model->facts.grid, err));
    take_facts(file, &model->facts);
    model->kind_in_name = sst_decode_kind_in_file_name(file->base_name);
    model->is_set = is_whole;
    return SST_OK;
}

enum sst_status sst_decode_keep_model(struct sst_file *file, const struct sst_decode_options *options,
                                      const struct sst_decode_notes *told, struct sst_error *err)
{
    struct sst_decode_scratch *scratch = file->scratch;
    if (!file->is_netcdf4 || told->is_cut || file->has_expver)
        return SST_OK;
    if (!scratch->model)
        SST_TRY(sst_alloc(1, sizeof *scratch->model, "reading", &scratch->model, err));
    struct sst_decode_model *model = scratch->model;
    model->is_set = false;
    if (model->n_misfits >= MAX_MISFITS)
        return SST_OK;
    model->told = *told;
    return set(model, file, options, err);
}

/* Whether the header says the same as the model's; both are read by HDF5. */
static enum sst_status compare_headers(struct sst_decode_model *model, const struct sst_file *file, bool *is_same,
                                       struct sst_error *err)
{
    bool is_whole = false;
    SST_TRY(describe(file->direct, &model->facts.time, &model->other_header, &is_whole, err));
    *is_same = is_whole && model->header.n == model->other_header.n &&
               memcmp(model->header.at, model->other_header.at, model->header.n) == 0;
    return SST_OK;
}

static bool are_stored_alike(const struct sst_decode_model *model, struct sst_file *file)
{
    const struct sst_decode_variable *const variables[N_VARIABLES] = {&file->sst, &file->ice, &file->mask};
    for (size_t i = 0; i < N_VARIABLES; ++i)
        if (variables[i]->id >= 0 && !sst_direct_is_alike(file, variables[i], &model->storages[i]))
            return false;
    return true;
}

static enum sst_status take_grid(const struct sst_decode_model *model, struct sst_file *file, struct sst_error *err)
{
    SST_TRY(sst_grid_copy(model->facts.grid, &file->grid, err));
    file->info.grid = file->grid;
    file->info.variable = file->sst.name;
    file->info.size_bytes = file->identity.size_bytes;
    return SST_OK;
}

/* Attributes and time. A message is the library's: what fails here is opened again. */
static enum sst_status take_own_facts(struct sst_file *file, const struct sst_decode_own *own, bool *is_read,
                                      struct sst_error *err)
{
    struct sst_error problem = {0};
    SST_TRY(sst_decode_take_own(file, own, err));
    sst_decode_name_sources(file);
    const enum sst_status rc = sst_decode_place_steps(file, &problem);
    if (rc == SST_ERR_NOMEM)
        return sst_fail(err, rc, "%s", problem.text);
    *is_read = rc == SST_OK;
    return SST_OK;
}

/* --- by the head, without HDF5 ------------------------------------------------------------------------------------ */

/* Where the variables are; false where one of them has more or fewer chunks than one. */
static bool take_storages(const struct sst_decode_model *model, struct sst_file *file,
                          const struct sst_direct_place *places)
{
    const struct sst_decode_variable *const variables[N_VARIABLES] = {&file->sst, &file->ice, &file->mask};
    struct sst_direct *direct = file->direct;
    for (size_t i = 0; i < N_VARIABLES; ++i) {
        if (variables[i]->id < 0 || sst_direct_storage_of(direct, variables[i]->id))
            continue;
        struct sst_direct_storage storage = model->storages[i];
        storage.dataset = -1;
        if (storage.kind == SST_DIRECT_CHUNKED) {
            const size_t chunk = sst_decode_head_chunk(model->head, variables[i]->name);
            for (size_t dim = 0; dim < storage.rank; ++dim)
                if (storage.lengths[dim] == 0 || storage.lengths[dim] > storage.chunk[dim])
                    return false;
            if (chunk == model->head->n_chunks)
                return false;
            storage.first_place = direct->n_places;
            storage.n_places = 1;
            direct->places[direct->n_places++] = places[chunk];
        }
        direct->variables[direct->n_variables++] = storage;
    }
    return true;
}

static enum sst_status take_head(struct sst_decode_model *model, struct sst_file *file, bool *is_alike,
                                 struct sst_error *err)
{
    struct sst_direct_place places[SST_HEAD_MAX_CHUNKS];
    *is_alike = sst_decode_head_compare(model->head, file->direct->fd, file->direct->size_bytes, places);
    if (!*is_alike)
        return SST_OK;
    take_facts(&model->facts, file);
    *is_alike = take_storages(model, file, places);
    if (!*is_alike)
        return SST_OK;
    SST_TRY(take_grid(model, file, err));
    return take_own_facts(file, &model->own, is_alike, err);
}

static enum sst_status open_by_head(struct sst_decode_model *model, struct sst_file *file, bool *is_alike,
                                    struct sst_error *err)
{
    struct stat status;
    *is_alike = false;
    if (!model->head || !model->head->is_set || model->n_head_misfits >= MAX_MISFITS)
        return SST_OK;
    const int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return SST_OK;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        (void)close(fd);
        return SST_OK;
    }
    sst_decode_identify(&status, &file->identity);
    sst_decode_set_format(file, model->facts.format);
    SST_TRY(sst_direct_adopt(file, fd, file->identity.size_bytes, err));
    SST_TRY(take_head(model, file, is_alike, err));
    model->n_head_misfits = *is_alike ? 0 : model->n_head_misfits + 1;
    return SST_OK;
}

/* --- by the description, which HDF5 reads ------------------------------------------------------------------------- */

static enum sst_status read_own_facts(struct sst_file *file, bool *is_read, struct sst_error *err)
{
    struct sst_decode_own own;
    *is_read = false;
    return describe_own(file, &own) ? take_own_facts(file, &own, is_read, err) : SST_OK;
}

static enum sst_status open_by_description(struct sst_decode_model *model, struct sst_file *file, bool *is_alike,
                                           struct sst_error *err)
{
    struct stat status;
    *is_alike = false;
    if (stat(file->path, &status) != 0 || !S_ISREG(status.st_mode))
        return SST_OK;
    sst_decode_identify(&status, &file->identity);
    sst_decode_set_format(file, model->facts.format);
    SST_TRY(sst_direct_open(file, err));
    if (file->direct->hdf5 < 0 || file->direct->fd < 0)
        return SST_OK;
    SST_TRY(compare_headers(model, file, is_alike, err));
    if (!*is_alike)
        return SST_OK;
    take_facts(&model->facts, file);
    *is_alike = are_stored_alike(model, file);
    if (!*is_alike)
        return SST_OK;
    SST_TRY(take_grid(model, file, err));
    return read_own_facts(file, is_alike, err);
}

enum sst_status sst_decode_open_by_model(struct sst_file *file, const struct sst_decode_options *options,
                                         enum sst_decode_model_way way, bool *was_opened, struct sst_error *err)
{
    struct sst_decode_model *model = file->scratch->model;
    *was_opened = false;
    if (!model || !model->is_set || !has_options(model, options) ||
        sst_decode_kind_in_file_name(file->base_name) != model->kind_in_name)
        return SST_OK;
    if (way == SST_MODEL_BY_HEAD) {
        SST_TRY(open_by_head(model, file, was_opened, err));
    } else {
        SST_TRY(open_by_description(model, file, was_opened, err));
        model->n_misfits = *was_opened ? 0 : model->n_misfits + 1;
    }
    const struct sst_decode_notes *told = &model->told;
    for (size_t at = 0; *was_opened && at < told->length; at += strlen(told->texts + at) + 1)
        sst_decode_note(file, "%s", told->texts + at);
    return SST_OK;
}

/* HDF5 is open where the head was not enough. */
bool sst_decode_model_reals(const struct sst_file *file, const char *variable, size_t n, double *out)
{
    return file->direct->hdf5 < 0 ? sst_decode_head_values(file->scratch->model->head, variable, n, out, NULL)
                                  : sst_decode_describe_reals(file->direct->hdf5, variable, n, out);
}

bool sst_decode_model_integers(const struct sst_file *file, const char *variable, size_t n, long long *out)
{
    return file->direct->hdf5 < 0 ? sst_decode_head_values(file->scratch->model->head, variable, n, NULL, out)
                                  : sst_decode_describe_integers(file->direct->hdf5, variable, n, out);
}
