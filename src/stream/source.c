/* Finds the files that a command line names: files, directories, lists. */
#include "stream/source.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/mem.h"

static const char *const suffixes[] = {".nc", ".nc4", ".cdf", ".nc3", ".netcdf"};
#define SUFFIX_TEXT "*.nc, *.nc4, *.cdf, *.nc3, *.netcdf"

/* A directory that was walked; links may lead to it again. */
struct visited {
    dev_t device;
    ino_t inode;
};

struct search {
    char **paths;
    size_t n_paths, paths_capacity;
    struct visited *visited;
    size_t n_visited, visited_capacity;
};

/* Copies being made have ".tmp" in their names. */
bool sst_source_wants_file(const char *name)
{
    if (name[0] == '.' || strstr(name, ".tmp"))
        return false;
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof suffixes[0]; ++i) {
        if (strcasecmp(dot, suffixes[i]) == 0)
            return true;
    }
    return false;
}

/* Hidden ones, and the folder of stray blocks that only root can read on many file systems. */
bool sst_source_wants_folder(const char *name) { return name[0] != '.' && strcmp(name, "lost+found") != 0; }

static bool is_skipped_directory(const FTSENT *item)
{
    return item->fts_level > FTS_ROOTLEVEL && !sst_source_wants_folder(item->fts_name);
}

static enum sst_status add_path(struct search *search, const char *path, struct sst_error *err)
{
    SST_TRY(sst_grow(&search->paths, &search->paths_capacity, search->n_paths + 1, sizeof *search->paths,
                     "the list of files", err));
    SST_TRY(sst_strdup(path, &search->paths[search->n_paths], err));
    ++search->n_paths;
    return SST_OK;
}

/*
 * Whether a directory was walked before, by whatever name; if not, it is noted. Links to directories are followed, so
 * without this k folders that link to each other would be walked k! times.
 */
static enum sst_status visit(struct search *search, const struct stat *status, bool *is_known, struct sst_error *err)
{
    *is_known = false;
    for (size_t i = 0; i < search->n_visited && !*is_known; ++i)
        *is_known = search->visited[i].device == status->st_dev && search->visited[i].inode == status->st_ino;
    if (*is_known)
        return SST_OK;
    SST_TRY(sst_grow(&search->visited, &search->visited_capacity, search->n_visited + 1, sizeof *search->visited,
                     "the list of directories", err));
    search->visited[search->n_visited++] = (struct visited){status->st_dev, status->st_ino};
    return SST_OK;
}

static int compare_items(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

static enum sst_status take_item(struct search *search, FTS *walk, FTSENT *item, struct sst_error *err)
{
    bool is_known = false;
    switch (item->fts_info) {
    case FTS_D:
        if (!is_skipped_directory(item))
            SST_TRY(visit(search, item->fts_statp, &is_known, err));
        if (is_known || is_skipped_directory(item))
            (void)fts_set(walk, item, FTS_SKIP);
        return SST_OK;
    case FTS_DNR:
        if (is_skipped_directory(item))
            return SST_OK;
        return sst_fail(err, SST_ERR_INPUT, "%s: the directory cannot be read: %s. Mend its rights, or name the files",
                        item->fts_path, strerror(item->fts_errno));
    case FTS_ERR:
        return sst_fail(err, SST_ERR_INPUT, "%s: the directory cannot be walked: %s", item->fts_path,
                        strerror(item->fts_errno));
    case FTS_F:
    case FTS_NS: /* files that cannot be looked at and dangling links are told of when they are opened */
    case FTS_SLNONE:
        return sst_source_wants_file(item->fts_name) ? add_path(search, item->fts_path, err) : SST_OK;
    default: /* the end of a directory, a loop, a device, a pipe */
        return SST_OK;
    }
}

static enum sst_status walk_directory(struct search *search, const char *path, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    char *root = NULL;
    FTS *walk = NULL;
    SST_TRY_GOTO(sst_strdup(path, &root, err));
    char *roots[] = {root, NULL};
    walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, compare_items);
    if (!walk) {
        rc = sst_fail(err, SST_ERR_INPUT, "%s: the directory cannot be walked: %s", path, strerror(errno));
        goto done;
    }
    FTSENT *item = NULL;
    while (errno = 0, (item = fts_read(walk)) != NULL)
        SST_TRY_GOTO(take_item(search, walk, item, err));
    if (errno != 0)
        rc = sst_fail(err, SST_ERR_INPUT, "%s: the directory cannot be walked: %s", path, strerror(errno));
done:
    if (walk)
        (void)fts_close(walk);
    sst_free(root);
    return rc;
}

static enum sst_status add_file_or_directory(struct search *search, const char *path, struct sst_error *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return sst_fail(err, SST_ERR_INPUT, "%s: %s. Check the spelling; * must match something", path,
                        strerror(errno));
    if (S_ISDIR(status.st_mode))
        return walk_directory(search, path, err);
    if (!S_ISREG(status.st_mode))
        return sst_fail(err, SST_ERR_INPUT, "%s: neither a file nor a directory. A pipe or device cannot be read",
                        path);
    return add_path(search, path, err);
}

/* One path a line; empty lines and the carriage returns of other systems are passed over. */
static enum sst_status add_lines(struct search *search, FILE *list, const char *name, struct sst_error *err)
{
    char line[PATH_MAX + 2];
    for (size_t number = 1; fgets(line, sizeof line, list); ++number) {
        /* A line without its end is one that a zero byte cuts short, or one longer than any path. */
        if (!strchr(line, '\n') && !feof(list))
            return sst_fail(err, SST_ERR_INPUT, "%s: line %zu: not a path. A list is a text file with one path a line",
                            name, number);
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0')
            continue;
        const enum sst_status rc = add_file_or_directory(search, line, err);
        if (rc != SST_OK) {
            sst_error_prefix(err, "%s: line %zu", name, number);
            return rc;
        }
    }
    if (ferror(list))
        return sst_fail(err, SST_ERR_INPUT, "%s: the list cannot be read: %s", name, strerror(errno));
    return SST_OK;
}

static enum sst_status add_list(struct search *search, const char *path, struct sst_error *err)
{
    FILE *list = fopen(path, "r");
    if (!list)
        return sst_fail(err, SST_ERR_INPUT, "%s: the list of files cannot be opened: %s", path, strerror(errno));
    const enum sst_status rc = add_lines(search, list, path, err);
    (void)fclose(list);
    return rc;
}

static enum sst_status add_argument(struct search *search, const char *argument, struct sst_error *err)
{
    if (strcmp(argument, "-") == 0)
        return add_lines(search, stdin, "standard input", err);
    if (argument[0] == '@')
        return add_list(search, argument + 1, err);
    return add_file_or_directory(search, argument, err);
}

static int compare_paths(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void sort_and_drop_repeats(struct search *search)
{
    size_t n_kept = 0;
    if (search->n_paths > 0)
        qsort(search->paths, search->n_paths, sizeof *search->paths, compare_paths);
    for (size_t i = 0; i < search->n_paths; ++i) {
        if (n_kept > 0 && strcmp(search->paths[i], search->paths[n_kept - 1]) == 0)
            sst_free(search->paths[i]);
        else
            search->paths[n_kept++] = search->paths[i];
    }
    search->n_paths = n_kept;
}

enum sst_status sst_sources_find(const char *const *arguments, size_t n_arguments, struct sst_sources *out,
                                 struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct search search = {0};
    for (size_t i = 0; i < n_arguments; ++i)
        SST_TRY_GOTO(add_argument(&search, arguments[i], err));
    if (search.n_paths == 0) {
        rc = sst_fail(err, SST_ERR_INPUT, "%s: no file is named " SUFFIX_TEXT ". Name files of other names themselves",
                      n_arguments > 0 ? arguments[0] : "no argument");
        goto done;
    }
    sort_and_drop_repeats(&search);
    *out = (struct sst_sources){search.paths, search.n_paths};
    search.paths = NULL;
    search.n_paths = 0;
done:
    for (size_t i = 0; i < search.n_paths; ++i)
        sst_free(search.paths[i]);
    sst_free(search.paths);
    sst_free(search.visited);
    return rc;
}

void sst_sources_clear(struct sst_sources *sources)
{
    for (size_t i = 0; i < sources->n_paths; ++i)
        sst_free(sources->paths[i]);
    sst_free(sources->paths);
    *sources = (struct sst_sources){0};
}
