/* See the header. */
#include "write/mhw_nc_store.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/mem.h"
#include "write/clim_nc_layout.h"

static enum sst_status done_with(const struct sst_mhw_store *store, bool is_done, const char *object,
                                 struct sst_error *err)
{
    return is_done ? SST_OK : sst_clim_write_failed(store->path, object, "HDF5 error", err);
}

enum sst_status sst_mhw_store_open(const char *file, const char *path, struct sst_mhw_store *out, struct sst_error *err)
{
    *out = SST_MHW_NO_STORE;
    out->path = path;
    errno = 0;
    H5E_BEGIN_TRY { out->file = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT); }
    H5E_END_TRY
    return done_with(out, out->file >= 0, "the file", err);
}

/* A file in memory grows by so much at a time. [bytes] */
enum { GROWTH = 1 << 21 };

enum sst_status sst_mhw_store_open_bytes(const void *bytes, size_t n_bytes, const char *path, struct sst_mhw_store *out,
                                         struct sst_error *err)
{
    const bool is_on_disk = false;
    *out = SST_MHW_NO_STORE;
    out->path = path;
    errno = 0;
    H5E_BEGIN_TRY
    {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        if (access >= 0 && H5Pset_fapl_core(access, GROWTH, is_on_disk) >= 0 &&
            H5Pset_file_image(access, (void *)(uintptr_t)bytes, n_bytes) >= 0)
            out->file = H5Fopen("memory", H5F_ACC_RDWR, access);
        if (access >= 0)
            (void)H5Pclose(access);
    }
    H5E_END_TRY
    return done_with(out, out->file >= 0, "the file", err);
}

enum sst_status sst_mhw_store_add(struct sst_mhw_store *store, const char *name, struct sst_error *err)
{
    if (store->n_datasets == SST_MHW_MOST_DATASETS)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: more data sets than a file of event maps has", store->path);
    struct sst_mhw_dataset *dataset = &store->datasets[store->n_datasets];
    (void)snprintf(dataset->name, sizeof dataset->name, "%s", name);
    errno = 0;
    H5E_BEGIN_TRY { dataset->id = H5Dopen2(store->file, name, H5P_DEFAULT); }
    H5E_END_TRY
    SST_TRY(done_with(store, dataset->id >= 0, name, err));
    ++store->n_datasets;
    return SST_OK;
}

enum sst_status sst_mhw_store_put(const struct sst_mhw_store *store, size_t index, const size_t offset[SST_MHW_N_DIMS],
                                  const void *bytes, size_t n_bytes, struct sst_error *err)
{
    const struct sst_mhw_dataset *dataset = &store->datasets[index];
    const hsize_t at[SST_MHW_N_DIMS] = {offset[0], offset[1], offset[2]};
    herr_t status;
    errno = 0;
    H5E_BEGIN_TRY { status = H5Dwrite_chunk(dataset->id, H5P_DEFAULT, 0, at, n_bytes, bytes); }
    H5E_END_TRY
    return done_with(store, status >= 0, dataset->name, err);
}

enum sst_status sst_mhw_store_put_all(const struct sst_mhw_store *store, size_t index, const signed char *values,
                                      struct sst_error *err)
{
    const struct sst_mhw_dataset *dataset = &store->datasets[index];
    herr_t status;
    errno = 0;
    H5E_BEGIN_TRY { status = H5Dwrite(dataset->id, H5T_NATIVE_SCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, values); }
    H5E_END_TRY
    return done_with(store, status >= 0, dataset->name, err);
}

static bool close_datasets(struct sst_mhw_store *store)
{
    bool is_done = true;
    H5E_BEGIN_TRY
    {
        for (; store->n_datasets > 0; --store->n_datasets)
            is_done = H5Dclose(store->datasets[store->n_datasets - 1].id) >= 0 && is_done;
    }
    H5E_END_TRY
    return is_done;
}

enum sst_status sst_mhw_store_close(struct sst_mhw_store *store, struct sst_error *err)
{
    errno = 0;
    bool is_done = close_datasets(store);
    H5E_BEGIN_TRY { is_done = (store->file < 0 || H5Fclose(store->file) >= 0) && is_done; }
    H5E_END_TRY
    store->file = -1;
    return done_with(store, is_done, "the end of the file", err);
}

enum sst_status sst_mhw_store_take(struct sst_mhw_store *store, void **bytes, size_t *n_bytes, struct sst_error *err)
{
    void *taken = NULL;
    ssize_t n = -1;
    enum sst_status rc = SST_OK;
    errno = 0;
    bool is_done = close_datasets(store);
    H5E_BEGIN_TRY
    {
        is_done = H5Fflush(store->file, H5F_SCOPE_GLOBAL) >= 0 && is_done;
        n = H5Fget_file_image(store->file, NULL, 0);
    }
    H5E_END_TRY
    SST_TRY_GOTO(done_with(store, is_done && n > 0, "the file", err));
    SST_TRY_GOTO(sst_alloc_large((size_t)n, 1, "a file of event maps", &taken, err));
    H5E_BEGIN_TRY { is_done = H5Fget_file_image(store->file, taken, (size_t)n) == n; }
    H5E_END_TRY
    SST_TRY_GOTO(done_with(store, is_done, "the file", err));
    SST_TRY_GOTO(sst_mhw_store_close(store, err));
    *bytes = taken;
    *n_bytes = (size_t)n;
    taken = NULL;
done:
    sst_free(taken);
    return rc;
}

void sst_mhw_store_discard(struct sst_mhw_store *store)
{
    struct sst_error unheard = {0};
    if (sst_mhw_store_close(store, &unheard) != SST_OK)
        return; /* the failure that led here has been told already */
}
