/* Packets over sockets of the crew, with files beside them. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "stream/crew_private.h"

/* Room for the files' control message, aligned as its header asks. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(SST_CREW_MAX_FILES * sizeof(int))];
};

int sst_crew_send(int fd, const struct sst_crew_piece *pieces, int n_pieces, const struct sst_crew_files *files,
                  int flags)
{
    struct iovec parts[SST_CREW_MAX_PIECES];
    for (int i = 0; i < n_pieces; ++i) {
        memcpy(&parts[i].iov_base, &pieces[i].bytes, sizeof parts[i].iov_base); /* writev's pieces are not const */
        parts[i].iov_len = pieces[i].n_bytes;
    }
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)n_pieces};
    union control control = {.bytes = {0}};
    if (files && files->n > 0) {
        const size_t n_bytes = (size_t)files->n * sizeof(int);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(n_bytes);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(n_bytes);
        memcpy(CMSG_DATA(header), files->fds, n_bytes);
    }
    for (;;) {
        if (sendmsg(fd, &message, flags | MSG_NOSIGNAL) >= 0)
            return 0;
        if (errno != EINTR)
            return errno;
    }
}

static void take_files(struct msghdr *message, struct sst_crew_files *files)
{
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t n_bytes = header->cmsg_len - CMSG_LEN(0);
        files->n = (int)(n_bytes / sizeof(int));
        memcpy(files->fds, CMSG_DATA(header), n_bytes);
    }
}

ssize_t sst_crew_receive(int fd, void *packet, size_t room, struct sst_crew_files *files, int flags)
{
    for (;;) {
        struct iovec part = {.iov_base = packet, .iov_len = room};
        union control control = {.bytes = {0}};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (files) {
            files->n = 0;
            message.msg_control = control.bytes;
            message.msg_controllen = sizeof control.bytes;
        }
        const ssize_t n = recvmsg(fd, &message, flags | MSG_CMSG_CLOEXEC);
        if (n >= 0) {
            if (files)
                take_files(&message, files);
            return n;
        }
        /* A reader that died with a request unread resets the connection; its replies are still there to be read. */
        if (errno != EINTR && errno != ECONNRESET)
            return -errno;
    }
}

int sst_crew_pair(int *mine, int *theirs)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    *mine = pair[0];
    *theirs = pair[1];
    return 0;
}

void sst_crew_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}
