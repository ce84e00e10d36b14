/* Decides, once for each file and variable, whether stored numbers can be read without the library, and reads them. */
#include "stream/decode_direct.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "stream/classic.h"

/* [B] Read and turned round at a time, so that the numbers are still in the cache when they are. */
enum { PIECE_BYTES = 256 * 1024 };

enum sst_status sst_direct_open(struct sst_file *file, struct sst_error *err)
{
    struct sst_direct *direct = NULL;
    struct stat status;
    SST_TRY(sst_alloc(1, sizeof *direct, "reading", &direct, err));
    direct->hdf5 = direct->fd = -1;
    direct->serial = ++file->scratch->n_files;
    if (!file->is_netcdf4)
        direct->fd = open(file->path, O_RDONLY | O_CLOEXEC);
    else if (!sst_direct_hdf5_open(direct, file->path))
        direct->fd = -1;
    if (direct->fd >= 0 && fstat(direct->fd, &status) == 0)
        direct->size_bytes = (uint64_t)status.st_size;
    file->direct = direct;
    return SST_OK;
}

enum sst_status sst_direct_adopt(struct sst_file *file, int fd, uint64_t size_bytes, struct sst_error *err)
{
    const enum sst_status rc = sst_alloc(1, sizeof *file->direct, "reading", &file->direct, err);
    if (rc != SST_OK) {
        (void)close(fd);
        return rc;
    }
    file->direct->hdf5 = -1;
    file->direct->fd = fd;
    file->direct->size_bytes = size_bytes;
    file->direct->serial = ++file->scratch->n_files;
    return SST_OK;
}

void sst_direct_close(struct sst_direct **direct)
{
    struct sst_direct *old = *direct;
    if (!old)
        return;
    if (old->hdf5 < 0 && old->fd >= 0)
        (void)close(old->fd);
    sst_direct_hdf5_close(old);
    sst_free(old);
    *direct = NULL;
}

static enum sst_status learn_classic(const struct sst_direct *direct, const struct sst_decode_variable *variable,
                                     struct sst_direct_storage *out, struct sst_error *err)
{
    struct sst_classic_variable found;
    struct sst_error problem = {0};
    (void)snprintf(out->text, sizeof out->text, "read by netCDF-C: its header");
    const enum sst_status rc = sst_classic_find(direct->fd, (size_t)variable->id, &found, &problem);
    if (rc == SST_ERR_NOMEM)
        return sst_fail(err, rc, "%s", problem.text);
    if (rc != SST_OK || found.rank != out->rank || found.item_bytes != out->item_bytes ||
        memcmp(found.lengths, out->lengths, sizeof found.lengths) != 0)
        return SST_OK;
    uint64_t stride = found.item_bytes;
    for (size_t i = out->rank; i-- > 0;) {
        out->strides[i] = stride;
        if (__builtin_mul_overflow(stride, found.lengths[i], &stride))
            return SST_OK;
    }
    if (found.is_record)
        out->strides[0] = found.record_stride;
    out->origin = found.begin;
    out->is_big_endian = true;
    out->kind = SST_DIRECT_STRIDED;
    (void)snprintf(out->text, sizeof out->text, "read directly");
    return SST_OK;
}

static bool learn_lengths(const struct sst_file *file, const struct sst_decode_variable *variable,
                          struct sst_direct_storage *out)
{
    static_assert((int)SST_CLASSIC_MAX_RANK == (int)SST_DECODE_MAX_RANK, "lengths are compared whole");
    out->rank = (size_t)variable->rank;
    for (size_t i = 0; i < out->rank; ++i) {
        size_t length = 0;
        if (nc_inq_dimlen(file->ncid, variable->dim_ids[i], &length) != NC_NOERR)
            return false;
        out->lengths[i] = length;
    }
    return true;
}

const struct sst_direct_storage *sst_direct_storage_of(const struct sst_direct *direct, int varid)
{
    for (size_t i = 0; i < direct->n_variables; ++i)
        if (direct->variables[i].varid == varid)
            return &direct->variables[i];
    return NULL;
}

/* The storage of a variable; NULL where there is no room for one more. */
static enum sst_status find_storage(struct sst_file *file, const struct sst_decode_variable *variable,
                                    const struct sst_direct_storage **out, struct sst_error *err)
{
    struct sst_direct *direct = file->direct;
    *out = sst_direct_storage_of(direct, variable->id);
    if (*out || direct->n_variables == SST_DIRECT_MAX_VARIABLES)
        return SST_OK;
    struct sst_direct_storage *storage = &direct->variables[direct->n_variables++];
    *out = storage;
    *storage = (struct sst_direct_storage){
        .varid = variable->id, .dataset = -1, .item_bytes = sst_decode_type_size(variable->type)};
    (void)snprintf(storage->text, sizeof storage->text, "read by netCDF-C: the file cannot be opened twice");
    if (direct->fd < 0 || !learn_lengths(file, variable, storage))
        return SST_OK;
    if (!file->is_netcdf4)
        return learn_classic(direct, variable, storage, err);
    sst_direct_hdf5_learn(direct, variable, storage);
    return SST_OK;
}

enum sst_status sst_direct_find(struct sst_file *file, const struct sst_decode_variable *variable,
                                const struct sst_direct_storage **out, struct sst_error *err)
{
    SST_TRY(find_storage(file, variable, out, err));
    if (*out && (*out)->kind == SST_DIRECT_NONE)
        *out = NULL;
    return SST_OK;
}

static bool is_alike(const struct sst_direct_storage *a, const struct sst_direct_storage *b)
{
    return a->kind == b->kind && a->rank == b->rank && a->item_bytes == b->item_bytes &&
           a->is_big_endian == b->is_big_endian && memcmp(a->lengths, b->lengths, sizeof a->lengths) == 0 &&
           memcmp(a->strides, b->strides, sizeof a->strides) == 0 && memcmp(a->chunk, b->chunk, sizeof a->chunk) == 0 &&
           a->chunk_bytes == b->chunk_bytes && a->n_filters == b->n_filters &&
           memcmp(a->filters, b->filters, sizeof a->filters) == 0 && a->has_fill == b->has_fill &&
           memcmp(a->fill, b->fill, sizeof a->fill) == 0 && strcmp(a->text, b->text) == 0;
}

bool sst_direct_is_alike(struct sst_file *file, const struct sst_decode_variable *variable,
                         const struct sst_direct_storage *like)
{
    struct sst_direct *direct = file->direct;
    const struct sst_direct_storage *found = sst_direct_storage_of(direct, variable->id);
    if (!found && direct->n_variables < SST_DIRECT_MAX_VARIABLES && direct->fd >= 0 && direct->hdf5 >= 0) {
        struct sst_direct_storage *storage = &direct->variables[direct->n_variables++];
        *storage = (struct sst_direct_storage){
            .varid = variable->id, .dataset = -1, .rank = like->rank, .item_bytes = like->item_bytes};
        memcpy(storage->lengths, like->lengths, sizeof storage->lengths);
        sst_direct_hdf5_learn(direct, variable, storage);
        found = storage;
    }
    return found && is_alike(found, like);
}

static bool locate(struct sst_file *file, const struct sst_decode_variable *variable)
{
    struct sst_error ignored = {0};
    const struct sst_direct_storage *found = NULL;
    if (variable->id < 0)
        return true;
    if (find_storage(file, variable, &found, &ignored) != SST_OK || !found)
        return false;
    if (found->kind != SST_DIRECT_CHUNKED)
        return found->kind == SST_DIRECT_STRIDED;
    return found->n_places > 0 ||
           sst_direct_locate_chunks(file->direct, &file->direct->variables[found - file->direct->variables]);
}

bool sst_direct_locate(struct sst_file *file)
{
    struct sst_error ignored = {0};
    if (file->is_library_only || (!file->direct && sst_direct_open(file, &ignored) != SST_OK))
        return false;
    return locate(file, &file->sst) && locate(file, &file->ice) && locate(file, &file->mask);
}

/* A run of numbers that follow each other in the file. */
static bool read_run(const struct sst_direct *direct, const struct sst_direct_storage *storage, uint64_t at,
                     size_t n_bytes, unsigned char *out)
{
    for (size_t done = 0; done < n_bytes;) {
        const size_t left = n_bytes - done, n = left < PIECE_BYTES ? left : PIECE_BYTES;
        if (!sst_direct_read_bytes(direct->fd, at + done, n, out + done))
            return false;
        if (sst_direct_is_foreign(storage))
            sst_direct_swap(out + done, n / storage->item_bytes, storage->item_bytes);
        done += n;
    }
    return true;
}

static bool read_strided(const struct sst_direct *direct, const struct sst_direct_storage *storage,
                         const struct sst_direct_box *box, unsigned char *out)
{
    size_t n_outer = storage->rank - 1; /* dimensions of which one number after the other is gone to */
    size_t run = box->count[n_outer] * storage->item_bytes;
    while (n_outer > 0 && box->count[n_outer] == storage->lengths[n_outer] &&
           storage->strides[n_outer - 1] == storage->strides[n_outer] * storage->lengths[n_outer])
        run *= box->count[--n_outer];
    size_t n_runs = 1;
    for (size_t i = 0; i < n_outer; ++i)
        n_runs *= box->count[i];
    for (size_t k = 0; k < n_runs; ++k) {
        uint64_t at = storage->origin;
        size_t rest = k;
        for (size_t i = n_outer; i-- > 0; rest /= box->count[i])
            at += (box->start[i] + rest % box->count[i]) * storage->strides[i];
        for (size_t i = n_outer; i < storage->rank; ++i)
            at += box->start[i] * storage->strides[i];
        if (at > direct->size_bytes || !read_run(direct, storage, at, run, out + k * run))
            return false;
    }
    return true;
}

static bool is_within(const struct sst_direct_storage *storage, const struct sst_direct_box *box)
{
    for (size_t i = 0; i < storage->rank; ++i)
        if (box->count[i] == 0 || box->start[i] >= storage->lengths[i] ||
            box->count[i] > storage->lengths[i] - box->start[i])
            return false;
    return true;
}

static enum sst_status read_from(struct sst_file *file, const struct sst_direct_storage *storage,
                                 const struct sst_direct_box *box, struct sst_direct_out *out, bool *was_read,
                                 struct sst_error *err)
{
    if (storage->kind == SST_DIRECT_CHUNKED)
        return sst_direct_read_chunks(file, storage, box, out, was_read, err);
    const double start = sst_timings_now();
    *was_read = read_strided(file->direct, storage, box, out->numbers);
    (void)sst_timings_book(&file->scratch->timings, SST_PHASE_READ, start);
    return SST_OK;
}

enum sst_status sst_direct_read(struct sst_file *file, const struct sst_decode_variable *variable,
                                const struct sst_direct_box *box, struct sst_direct_out *out, bool *was_read,
                                struct sst_error *err)
{
    *was_read = false;
    out->planes[0] = NULL;
    if (file->is_library_only)
        return SST_OK;
    if (!file->direct)
        SST_TRY(sst_direct_open(file, err));
    const struct sst_direct_storage *storage = NULL;
    SST_TRY(find_storage(file, variable, &storage, err));
    if (!storage)
        return SST_OK;
    if (storage->kind != SST_DIRECT_NONE && is_within(storage, box))
        SST_TRY(read_from(file, storage, box, out, was_read, err));
    if (variable->id == file->sst.id)
        file->info.reading = *was_read || storage->kind == SST_DIRECT_NONE
                                 ? storage->text
                                 : "read by netCDF-C: reading directly did not succeed";
    return SST_OK;
}
