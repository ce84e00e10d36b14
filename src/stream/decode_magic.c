/* Tells by their first bytes the files that are no netCDF, each with its own remedy, before the library is asked. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "stream/classic.h"
#include "stream/decode_private.h"

enum { HEAD_SIZE = 512, FIRST_USER_BLOCK = 512, LAST_USER_BLOCK = 1 << 20 };

static const char hdf5_magic[] = "\x89HDF\r\n\x1a\n";
enum { HDF5_MAGIC_SIZE = sizeof hdf5_magic - 1 };

struct magic {
    const char *bytes;
    size_t n_bytes;
    const char *message;
};

#define MAGIC(bytes, message)                                                                                          \
    {                                                                                                                  \
        bytes, sizeof bytes - 1, message                                                                               \
    }
static const struct magic foreign[] = {
    MAGIC("PK\x03\x04", "a ZIP archive, not netCDF. Unpack it and give the files in it"),
    MAGIC("PK\x05\x06", "an empty ZIP archive, not netCDF. Fetch it again"),
    MAGIC("\x1f\x8b", "compressed by gzip. Unpack it first: gunzip FILE"),
    MAGIC("BZh", "compressed by bzip2. Unpack it first: bunzip2 FILE"),
    MAGIC("\xfd"
          "7zXZ",
          "compressed by xz. Unpack it first: unxz FILE"),
    MAGIC("\x28\xb5\x2f\xfd", "compressed by zstd. Unpack it first: unzstd FILE"),
    MAGIC("\x0e\x03\x13\x01", "an HDF4 file, not netCDF. Convert it first: h4tonccf FILE OUT.nc"),
    MAGIC("GRIB", "a GRIB file, not netCDF. Convert it first: cdo -f nc4 copy FILE OUT.nc"),
};

static bool starts_with(const unsigned char *head, size_t n, const char *magic, size_t n_magic)
{
    return n >= n_magic && memcmp(head, magic, n_magic) == 0;
}

static bool is_text(const unsigned char *head, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (!isprint(head[i]) && !isspace(head[i]) && head[i] < 0x80)
            return false;
    return true;
}

/* HDF5 may start after a user block of 512, 1024, 2048 ... bytes. */
static bool has_hdf5_behind_user_block(FILE *stream)
{
    for (long at = FIRST_USER_BLOCK; at <= LAST_USER_BLOCK; at *= 2) {
        char magic[HDF5_MAGIC_SIZE];
        if (fseek(stream, at, SEEK_SET) != 0 || fread(magic, 1, sizeof magic, stream) != sizeof magic)
            return false;
        if (memcmp(magic, hdf5_magic, sizeof magic) == 0)
            return true;
    }
    return false;
}

static enum sst_status refuse_text(const unsigned char *head, size_t n, struct sst_error *err)
{
    enum { SHOWN = 40 };
    size_t first = starts_with(head, n, "\xef\xbb\xbf", 3) ? 3 : 0;
    while (first < n && isspace(head[first]))
        ++first;
    if (first < n && head[first] == '<')
        return sst_fail(err, SST_ERR_INPUT,
                        "an HTML or XML page, not netCDF: the server sent a message in place of the file. Open it in a "
                        "browser to read why, then fetch it again");
    char shown[SHOWN + 1] = "";
    size_t length = 0;
    while (length < SHOWN && first + length < n && isprint(head[first + length])) {
        shown[length] = (char)head[first + length];
        ++length;
    }
    return sst_fail(err, SST_ERR_INPUT, "text, not netCDF (it begins \"%s\"). Fetch the file again", shown);
}

static enum sst_status check_head(FILE *stream, const unsigned char *head, size_t n, bool *is_classic,
                                  struct sst_error *err)
{
    *is_classic =
        starts_with(head, n, "CDF\x01", 4) || starts_with(head, n, "CDF\x02", 4) || starts_with(head, n, "CDF\x05", 4);
    if (*is_classic || starts_with(head, n, hdf5_magic, HDF5_MAGIC_SIZE))
        return SST_OK;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i)
        if (starts_with(head, n, foreign[i].bytes, foreign[i].n_bytes))
            return sst_fail(err, SST_ERR_INPUT, "%s", foreign[i].message);
    if (is_text(head, n))
        return refuse_text(head, n, err);
    if (has_hdf5_behind_user_block(stream))
        return SST_OK;
    return sst_fail(err, SST_ERR_INPUT,
                    "not a netCDF file (it begins %02x %02x %02x %02x). If it should be one, fetch it again", head[0],
                    n > 1 ? head[1] : 0, n > 2 ? head[2] : 0, n > 3 ? head[3] : 0);
}

static enum sst_status check_classic(const char *path, uint64_t size_bytes, struct sst_error *err)
{
    uint64_t needed = 0;
    SST_TRY(sst_classic_needed_size(path, &needed, err));
    if (needed > size_bytes)
        return sst_fail(err, SST_ERR_INPUT,
                        "netCDF-3 file of %llu bytes whose header announces %llu: it is cut short. Fetch it again",
                        (unsigned long long)size_bytes, (unsigned long long)needed);
    return SST_OK;
}

enum sst_status sst_decode_check_magic(const char *path, uint64_t *size_bytes, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct stat status;
    unsigned char head[HEAD_SIZE];
    bool is_classic = false;
    if (stat(path, &status) != 0)
        return sst_fail(err, SST_ERR_INPUT, "cannot be read: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return sst_fail(err, SST_ERR_INPUT, "not a regular file. Give netCDF files or folders that hold them");
    if (status.st_size == 0)
        return sst_fail(err, SST_ERR_INPUT, "the file is empty (0 bytes). Fetch it again");
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return sst_fail(err, SST_ERR_INPUT, "cannot be read: %s", strerror(errno));
    const size_t n = fread(head, 1, sizeof head, stream);
    if (n == 0) {
        rc = sst_fail(err, SST_ERR_INPUT, "cannot be read: %s", strerror(errno));
        goto done;
    }
    *size_bytes = (uint64_t)status.st_size;
    SST_TRY_GOTO(check_head(stream, head, n, &is_classic, err));
    if (is_classic)
        SST_TRY_GOTO(check_classic(path, *size_bytes, err));
done:
    (void)fclose(stream);
    return rc;
}
