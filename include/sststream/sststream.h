/*
 * The public face of the library: version and status codes.
 *
 * Everything that can fail returns an enum sst_status and fills a struct sst_error that lives with the caller.
 * The library never prints, never exits and never reads the environment.
 */
#ifndef SSTSTREAM_H
#define SSTSTREAM_H

/* The version stands here once; CMake reads it from this line. */
#define SST_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

#define SST_API __attribute__((visibility("default")))

/* code, text, exit code of the program: one list for the enum, sst_status_text() and main(). */
#define SST_STATUS_LIST(X)                                                                                             \
    X(SST_OK, "ok", 0)                                                                                                 \
    X(SST_ERR_INTERNAL, "a bug in sststream", 1)                                                                       \
    X(SST_ERR_NOMEM, "out of memory", 1)                                                                               \
    X(SST_ERR_USAGE, "an option or argument is wrong", 2)                                                              \
    X(SST_ERR_INPUT, "an input cannot be read or is not what it should be", 3)                                         \
    X(SST_ERR_GRID, "two grids differ", 3)                                                                             \
    X(SST_ERR_TIME, "the days at hand do not fit the request", 3)                                                      \
    X(SST_ERR_OUTPUT, "an output cannot be written", 4)                                                                \
    X(SST_ERR_TOLERANCE, "too many cell-days are beyond the tolerance", 5)                                             \
    X(SST_ERR_INCOMPLETE, "done, but days of the baseline were absent or unusable", 6)                                 \
    X(SST_ERR_STATE, "a state is damaged, incompatible, or cannot do what is asked", 7)                                \
    X(SST_ERR_LOCKED, "another writer has the state", 8)                                                               \
    X(SST_ERR_DEVICE, "a device failed", 1)                                                                            \
    X(SST_ERR_INTERRUPTED, "interrupted", 75)

enum sst_status {
#define X(code, text, exit_code) code,
    SST_STATUS_LIST(X)
#undef X
};

enum { SST_ERROR_TEXT_SIZE = 1024 };

/* What went wrong, in one line: file, object, reason, remedy. The first failure fills it; NULL is allowed everywhere. */
struct sst_error {
    enum sst_status code;
    char text[SST_ERROR_TEXT_SIZE];
};

/* The version as text, "0.1.0". Never NULL. */
SST_API const char *sst_version(void);

/* The list's text of a status. Never NULL. */
SST_API const char *sst_status_text(enum sst_status status);

/* The exit code of the program for a status. */
SST_API int sst_status_exit_code(enum sst_status status);

#ifdef __cplusplus
}
#endif

#endif
