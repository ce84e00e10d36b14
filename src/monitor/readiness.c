/* One datagram socket, not connected: the manager may begin to listen anew at any time. */
#include "monitor/readiness.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* A word in half of its time is what the manager asks for; twice as many, and one may come late. */
#define WAIT_SHARE 0.25

enum sst_status sst_readiness_open(const char *address, double watchdog_seconds, struct sst_readiness *out,
                                   struct sst_error *err)
{
    *out = (struct sst_readiness){.fd = -1};
    if (!address || !*address)
        return SST_OK;
    const size_t n = strlen(address);
    if ((address[0] != '/' && address[0] != '@') || n >= sizeof out->address.sun_path)
        return sst_fail(err, SST_ERR_USAGE,
                        "NOTIFY_SOCKET %.200s: not the address of a service manager. Accepted: a path or @NAME of at "
                        "most %zu characters",
                        address, sizeof out->address.sun_path - 1);
    out->address.sun_family = AF_UNIX;
    memcpy(out->address.sun_path, address, n);
    if (address[0] == '@')
        out->address.sun_path[0] = '\0';
    out->address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    out->watchdog_seconds = watchdog_seconds;
    out->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (out->fd < 0)
        return sst_fail(err, SST_ERR_INPUT, "NOTIFY_SOCKET: no socket can be had: %s", strerror(errno));
    return SST_OK;
}

void sst_readiness_close(struct sst_readiness *readiness)
{
    if (readiness->fd >= 0)
        (void)close(readiness->fd);
    *readiness = (struct sst_readiness){.fd = -1};
}

void sst_readiness_say(const struct sst_readiness *readiness, const char *lines)
{
    if (readiness->fd >= 0)
        (void)sendto(readiness->fd, lines, strlen(lines), MSG_NOSIGNAL, (const struct sockaddr *)&readiness->address,
                     readiness->address_length);
}

void sst_readiness_alive(struct sst_readiness *readiness, double now)
{
    if (readiness->watchdog_seconds <= 0.0 || now - readiness->last_alive < WAIT_SHARE * readiness->watchdog_seconds)
        return;
    sst_readiness_say(readiness, "WATCHDOG=1");
    readiness->last_alive = now;
}

double sst_readiness_most_wait(const struct sst_readiness *readiness, double seconds)
{
    const double most = WAIT_SHARE * readiness->watchdog_seconds;
    return most > 0.0 && most < seconds ? most : seconds;
}
