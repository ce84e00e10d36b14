/* Reports under temporary names, then in their places. */
#include "app/report_files.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/page.h"
#include "app/report.h"
#include "core/mem.h"
#include "core/text.h"
#include "write/place.h"

/* The part of a path before ".html" or ".htm", or 0 where it has neither. */
static size_t page_stem(const char *path)
{
    static const char *const ends[] = {".html", ".htm"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        const size_t n = strlen(ends[i]);
        if (length > n && path[length - n - 1] != '/' && strcasecmp(path + length - n, ends[i]) == 0)
            return length - n;
    }
    return 0;
}

enum sst_status sst_report_files_name(const char *path, bool overwrite, struct sst_report_files *files,
                                      struct sst_error *err)
{
    const size_t stem = page_stem(path);
    files->overwrite = overwrite;
    if (stem == 0)
        return sst_strdup(path, &files->json, err);
    SST_TRY(sst_strdup(path, &files->page, err));
    return sst_asprintf(&files->json, err, "%.*s.json", (int)stem, path);
}

enum sst_status sst_report_files_check(const struct sst_report_files *files, struct sst_error *err)
{
    if (files->page)
        SST_TRY(sst_place_check(files->page, files->overwrite, err));
    return sst_place_check(files->json, files->overwrite, err);
}

static enum sst_status write_file(const char *temporary, const char *path, const char *text, size_t size,
                                  struct sst_error *err)
{
    FILE *file = fopen(temporary, "w");
    if (!file)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
    const bool is_written = fwrite(text, 1, size, file) == size && fflush(file) == 0;
    const int reason = errno;
    if (fclose(file) != 0 || !is_written)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s. Check the space in that folder", path,
                        strerror(is_written ? errno : reason));
    return sst_place_sync(temporary, err);
}

static enum sst_status stage(const char *path, const char *text, size_t size, char **temporary, struct sst_error *err)
{
    SST_TRY(sst_place_reserve(path, temporary, err));
    return write_file(*temporary, path, text, size, err);
}

enum sst_status sst_report_files_stage(struct sst_report_files *files, const json_t *report, struct sst_error *err)
{
    struct sst_text json = {0}, page = {0};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_report_put_json(report, &json, err));
    SST_TRY_GOTO(stage(files->json, json.data, json.size, &files->json_temporary, err));
    if (files->page) {
        SST_TRY_GOTO(sst_page_write(report, &page, err));
        SST_TRY_GOTO(stage(files->page, page.data, page.size, &files->page_temporary, err));
    }
done:
    sst_text_clear(&json);
    sst_text_clear(&page);
    return rc;
}

static enum sst_status commit(char **temporary, const char *path, bool overwrite, struct sst_error *err)
{
    if (!*temporary)
        return SST_OK;
    SST_TRY(sst_place_commit(*temporary, path, overwrite, err));
    sst_free(*temporary);
    *temporary = NULL;
    return sst_place_sync_parent(path, err);
}

enum sst_status sst_report_files_commit(struct sst_report_files *files, struct sst_error *err)
{
    SST_TRY(commit(&files->json_temporary, files->json, files->overwrite, err));
    return commit(&files->page_temporary, files->page, files->overwrite, err);
}

static void discard(char **temporary)
{
    if (*temporary)
        (void)unlink(*temporary);
    sst_free(*temporary);
    *temporary = NULL;
}

void sst_report_files_clear(struct sst_report_files *files)
{
    discard(&files->json_temporary);
    discard(&files->page_temporary);
    sst_free(files->json);
    sst_free(files->page);
    files->json = files->page = NULL;
}

enum sst_status sst_report_files_put(const struct sst_text *text, const char *path, bool overwrite,
                                     struct sst_error *err)
{
    char *temporary = NULL;
    enum sst_status rc = stage(path, text->data, text->size, &temporary, err);
    if (rc == SST_OK)
        rc = commit(&temporary, path, overwrite, err);
    discard(&temporary);
    return rc;
}
