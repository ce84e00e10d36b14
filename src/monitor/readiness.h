/*
 * Tells the service manager that a service is ready, alive, and about to stop: datagrams to the socket that it named, as
 * sd_notify(3) describes them.
 *
 * Written here and not taken from libsystemd: it is one datagram, while the library, which Debian does not need for anything
 * else here, brings others into the process, and where it is optional there are two programs to test.
 */
#ifndef SST_MONITOR_READINESS_H
#define SST_MONITOR_READINESS_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/status.h"

struct sst_readiness {
    int fd; /* -1: nobody wants to know */
    struct sockaddr_un address;
    socklen_t address_length;
    double watchdog_seconds; /* 0: none */
    double last_alive; /* [s] when it was told last */
};

/*
 * address           a path, or "@NAME" of the abstract space; NULL or "": nobody wants to know.
 * watchdog_seconds  the service is held for dead when it says nothing for so long; 0: never.
 * Owner             the caller; sst_readiness_close, also after a failure.
 * Errors            SST_ERR_USAGE: an address of another kind, or too long; SST_ERR_INPUT: no socket can be had.
 */
SST_MUST_CHECK enum sst_status sst_readiness_open(const char *address, double watchdog_seconds,
                                                  struct sst_readiness *out, struct sst_error *err);
void sst_readiness_close(struct sst_readiness *readiness);

/* Sends lines, "READY=1\nSTATUS=...". What does not arrive is nobody's loss: a manager that is gone is no trouble of ours. */
void sst_readiness_say(const struct sst_readiness *readiness, const char *lines);

/* Tells that the service lives, where a quarter of the time that the watchdog waits is over. now [s], of a clock that is never set. */
void sst_readiness_alive(struct sst_readiness *readiness, double now);

/* How long the service may wait before it has to come by again; `seconds` where there is no watchdog. */
double sst_readiness_most_wait(const struct sst_readiness *readiness, double seconds);

#endif
