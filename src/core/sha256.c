/* The only file that knows nettle. */
#include "core/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>
#include <unistd.h>

static const char *finish(struct sha256_ctx *context, char *text)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; ++i) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * sizeof digest] = '\0';
    return text;
}

const char *sst_sha256_of_bytes(const void *bytes, size_t n_bytes, char text[SST_SHA256_TEXT_SIZE])
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, n_bytes, bytes);
    return finish(&context, text);
}

enum sst_status sst_sha256_of_file(const char *path, uint64_t *n_bytes, char text[SST_SHA256_TEXT_SIZE],
                                   struct sst_error *err)
{
    enum { ROOM = 1 << 16 };
    uint8_t bytes[ROOM];
    struct sha256_ctx context;
    uint64_t size = 0;
    ssize_t n = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return sst_fail(err, SST_ERR_INPUT, "%s: cannot be opened for its sum: %s", path, strerror(errno));
    sha256_init(&context);
    do {
        n = read(fd, bytes, sizeof bytes);
        if (n > 0) {
            sha256_update(&context, (size_t)n, bytes);
            size += (uint64_t)n;
        }
    } while (n > 0 || (n < 0 && errno == EINTR));
    const int reason = errno;
    (void)close(fd);
    if (n < 0)
        return sst_fail(err, SST_ERR_INPUT, "%s: cannot be read for its sum: %s", path, strerror(reason));
    (void)finish(&context, text);
    *n_bytes = size;
    return SST_OK;
}
