/* Scratch files: pread and pwrite until all is there. */
#include "core/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"

static enum sst_status fail_errno(const struct sst_scratch_file *file, const char *what, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_OUTPUT, "%s cannot be %s: %s. %s", file->about, what, strerror(errno), file->remedy);
}

/* A name no longer than it takes to open it, where the file system cannot do without. */
static enum sst_status open_and_unlink(const char *folder, int *fd, struct sst_error *err)
{
    char *name = NULL;
    SST_TRY(sst_asprintf(&name, err, "%s/.sststream-XXXXXX", folder));
    *fd = mkostemp(name, O_CLOEXEC);
    const int reason = errno;
    if (*fd >= 0)
        (void)unlink(name);
    sst_free(name);
    errno = reason;
    return SST_OK;
}

enum sst_status sst_scratch_file_open(const char *folder, const char *about, const char *remedy,
                                      struct sst_scratch_file *out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_scratch_file file = {.fd = -1, .remedy = remedy};
    SST_TRY(sst_strdup(about, &file.about, err));
    file.fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file.fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
        SST_TRY_GOTO(open_and_unlink(folder, &file.fd, err));
    if (file.fd < 0)
        rc = fail_errno(&file, "made", err);
done:
    if (rc != SST_OK) {
        sst_free(file.about);
        return rc;
    }
    file.is_open = true;
    *out = file;
    return SST_OK;
}

void sst_scratch_file_close(struct sst_scratch_file *file)
{
    if (file->is_open)
        (void)close(file->fd);
    sst_free(file->about);
    *file = (struct sst_scratch_file){0};
}

enum sst_status sst_scratch_file_write(const struct sst_scratch_file *file, uint64_t offset, const void *data,
                                       size_t n_bytes, struct sst_error *err)
{
    const unsigned char *bytes = data;
    for (size_t done = 0; done < n_bytes;) {
        const ssize_t n = pwrite(file->fd, bytes + done, n_bytes - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return fail_errno(file, "written", err);
        done += (size_t)n;
    }
    return SST_OK;
}

enum sst_status sst_scratch_file_read(const struct sst_scratch_file *file, uint64_t offset, void *data, size_t n_bytes,
                                      struct sst_error *err)
{
    unsigned char *bytes = data;
    for (size_t done = 0; done < n_bytes;) {
        const ssize_t n = pread(file->fd, bytes + done, n_bytes - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO; /* shorter than it was written */
        if (n <= 0)
            return fail_errno(file, "read", err);
        done += (size_t)n;
    }
    return SST_OK;
}
