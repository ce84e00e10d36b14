/* See the header. */
#include "write/clim_nc_store.h"

#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"

enum { N_DIMS = 3, N_COUNTS = 2 };

static enum sst_status done_with(const struct sst_clim_store *store, bool is_done, const char *object,
                                 struct sst_error *err)
{
    return is_done ? SST_OK : sst_clim_write_failed(store->path, object, "HDF5 error", err);
}

/* Data sets bear the names of their variables. */
static enum sst_status name_datasets(const struct sst_clim_layout *layout, struct sst_clim_store *store,
                                     struct sst_error *err)
{
    const size_t n = layout->n_sst + N_COUNTS;
    SST_TRY(sst_alloc(n, sizeof *store->datasets, "data sets", &store->datasets, err));
    for (store->n_datasets = 0; store->n_datasets < n; ++store->n_datasets) {
        const size_t i = store->n_datasets;
        struct sst_clim_dataset *dataset = &store->datasets[i];
        const int variable = i < layout->n_sst ? layout->sst[i] : i == layout->n_sst ? layout->n_obs : layout->flags;
        dataset->id = -1;
        SST_TRY(done_with(store, nc_inq_varname(layout->ncid, variable, dataset->name) == NC_NOERR, "a variable", err));
    }
    return SST_OK;
}

enum sst_status sst_clim_store_open(struct sst_clim_layout *layout, struct sst_clim_store *out, struct sst_error *err)
{
    *out = SST_CLIM_NO_STORE;
    out->path = layout->path;
    SST_TRY(name_datasets(layout, out, err));
    SST_TRY(sst_clim_layout_close(layout, err));
    errno = 0;
    H5E_BEGIN_TRY
    {
        out->file = H5Fopen(out->path, H5F_ACC_RDWR, H5P_DEFAULT);
        for (size_t i = 0; out->file >= 0 && i < out->n_datasets; ++i)
            out->datasets[i].id = H5Dopen2(out->file, out->datasets[i].name, H5P_DEFAULT);
    }
    H5E_END_TRY
    SST_TRY(done_with(out, out->file >= 0, "the file", err));
    out->descriptor = open(out->path, O_WRONLY | O_CLOEXEC);
    SST_TRY(done_with(out, out->descriptor >= 0, "the file", err));
    for (size_t i = 0; i < out->n_datasets; ++i)
        SST_TRY(done_with(out, out->datasets[i].id >= 0, out->datasets[i].name, err));
    return SST_OK;
}

enum sst_status sst_clim_store_put(const struct sst_clim_store *store, const struct sst_clim_chunk *chunk,
                                   size_t first_slot, size_t n_bytes, struct sst_error *err)
{
    const struct sst_clim_dataset *dataset = &store->datasets[chunk->variable];
    const hsize_t offset[N_DIMS] = {first_slot, chunk->first_row, chunk->first_col};
    herr_t status;
    errno = 0;
    H5E_BEGIN_TRY { status = H5Dwrite_chunk(dataset->id, H5P_DEFAULT, 0, offset, n_bytes, chunk->values); }
    H5E_END_TRY
    return done_with(store, status >= 0, dataset->name, err);
}

enum sst_status sst_clim_store_find(const struct sst_clim_store *store, const struct sst_clim_chunk *chunk,
                                    size_t first_slot, uint64_t *at, struct sst_error *err)
{
    const struct sst_clim_dataset *dataset = &store->datasets[chunk->variable];
    const hsize_t offset[N_DIMS] = {first_slot, chunk->first_row, chunk->first_col};
    unsigned skipped = 0;
    haddr_t found = HADDR_UNDEF;
    hsize_t n_bytes = 0;
    herr_t status;
    errno = 0;
    H5E_BEGIN_TRY { status = H5Dget_chunk_info_by_coord(dataset->id, offset, &skipped, &found, &n_bytes); }
    H5E_END_TRY
    *at = found;
    return done_with(store, status >= 0 && found != HADDR_UNDEF, dataset->name, err);
}

enum sst_status sst_clim_store_put_at(const struct sst_clim_store *store, const struct sst_clim_chunk *chunk,
                                      uint64_t at, size_t n_bytes, struct sst_error *err)
{
    const struct sst_clim_dataset *dataset = &store->datasets[chunk->variable];
    const unsigned char *bytes = chunk->values;
    for (size_t done = 0; done < n_bytes;) {
        const ssize_t n = pwrite(store->descriptor, bytes + done, n_bytes - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return sst_clim_write_failed(store->path, dataset->name, strerror(errno), err);
        done += (size_t)n;
    }
    return SST_OK;
}

enum sst_status sst_clim_store_close(struct sst_clim_store *store, struct sst_error *err)
{
    bool is_done = true;
    errno = 0;
    H5E_BEGIN_TRY
    {
        for (size_t i = 0; i < store->n_datasets; ++i)
            is_done = (store->datasets[i].id < 0 || H5Dclose(store->datasets[i].id) >= 0) && is_done;
        is_done = (store->file < 0 || H5Fclose(store->file) >= 0) && is_done;
    }
    H5E_END_TRY
    is_done = (store->descriptor < 0 || close(store->descriptor) == 0) && is_done;
    store->file = store->descriptor = -1;
    store->n_datasets = 0;
    sst_free(store->datasets);
    store->datasets = NULL;
    return done_with(store, is_done, "the end of the file", err);
}

void sst_clim_store_discard(struct sst_clim_store *store)
{
    struct sst_error unheard = {0};
    if (sst_clim_store_close(store, &unheard) != SST_OK)
        return; /* the failure that led here has been told already */
}
