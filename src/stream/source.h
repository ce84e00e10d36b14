/* From the paths on a command line to a sorted list of files. */
#ifndef SST_STREAM_SOURCE_H
#define SST_STREAM_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

struct sst_sources {
    char **paths; /* sorted by bytes, each once */
    size_t n_paths;
};

/*
 * Files are taken as they are; directories are walked, and of what they hold *.nc, *.nc4, *.cdf, *.nc3, *.netcdf (in any
 * case) are taken, hidden ones, *.tmp* and lost+found not. "@list.txt" names a file with one path a line, "-" standard
 * input; the lines are files and directories, no further lists.
 *
 * Links    are followed; each directory is walked once, whatever leads to it. A dangling link with a wanted name is
 *          taken, so that whoever opens it tells of it.
 * Owner    the caller; sst_sources_clear.
 * Errors   SST_ERR_INPUT where a path does not exist, is no file or directory, a directory or list cannot be read, or
 *          nothing is found; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_sources_find(const char *const *arguments, size_t n_arguments,
                                                struct sst_sources *out, struct sst_error *err);
void sst_sources_clear(struct sst_sources *sources);

/* Whether a file of a directory is taken, and whether a folder in it is walked, by their names alone. */
bool sst_source_wants_file(const char *name);
bool sst_source_wants_folder(const char *name);

#endif
