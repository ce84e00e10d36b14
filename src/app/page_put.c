/* The finished page's way into its place: temporary name, sync, rename. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/page.h"
#include "core/mem.h"
#include "write/place.h"

static enum sst_status fill(const char *temporary, const char *path, const struct sst_text *text, struct sst_error *err)
{
    FILE *file = fopen(temporary, "w");
    if (!file)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
    const bool is_written = fwrite(text->data, 1, text->size, file) == text->size;
    int reason = errno;
    if (fclose(file) != 0 && is_written)
        reason = errno;
    else if (is_written)
        return SST_OK;
    return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s. Free some room, or write elsewhere", path,
                    strerror(reason));
}

enum sst_status sst_page_put(const struct sst_text *text, const char *path, bool overwrite, struct sst_error *err)
{
    char *temporary = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_place_reserve(path, &temporary, err));
    SST_TRY_GOTO(fill(temporary, path, text, err));
    SST_TRY_GOTO(sst_place_sync(temporary, err));
    SST_TRY_GOTO(sst_place_commit(temporary, path, overwrite, err));
    sst_free(temporary);
    return sst_place_sync_parent(path, err);
done:
    (void)unlink(temporary);
    sst_free(temporary);
    return rc;
}
