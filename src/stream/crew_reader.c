/* A reader's life: request, service, reply. Whatever happens to it here, the program goes on. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "stream/crew_private.h"

/* Sanitizers map terabytes of address space for themselves. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CAN_LIMIT_MEMORY = false };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
enum { CAN_LIMIT_MEMORY = false };
#else
enum { CAN_LIMIT_MEMORY = true };
#endif
#else
enum { CAN_LIMIT_MEMORY = true };
#endif

struct reader {
    const struct sst_crew_service *service;
    struct sst_crew_order order; /* of the start that it serves now */
    rlim_t first_limit; /* of address space, before this program set one */
    uint8_t *slots;
    const void *setup;
    void *state;
    enum sst_status opened; /* as `why` says; answers every task where it is not SST_OK */
    struct sst_error why;
};

/* [B] The address space in use; 0 where the system does not say. */
static uint64_t address_space(void)
{
    unsigned long long n_pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    const bool is_read = file && fscanf(file, "%llu", &n_pages) == 1;
    if (file)
        (void)fclose(file);
    return is_read ? (uint64_t)n_pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* The hard limit stays as it is, so that the next start may have more. */
static enum sst_status limit_memory(const struct reader *reader, struct sst_error *err)
{
    struct rlimit limit;
    const uint64_t more = reader->order.memory_bytes, now = address_space();
    uint64_t most = 0;
    if (!CAN_LIMIT_MEMORY)
        return SST_OK;
    if (now == 0 || getrlimit(RLIMIT_AS, &limit) != 0)
        return sst_fail(err, SST_ERR_INTERNAL,
                        "/proc/self/statm cannot be read, so that the memory of a reader cannot be limited");
    limit.rlim_cur = reader->first_limit;
    /* Where a stricter limit holds already, it stays. */
    if (more > 0 && !__builtin_add_overflow(now, more, &most) &&
        (limit.rlim_cur == RLIM_INFINITY || most <= limit.rlim_cur))
        limit.rlim_cur = most;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return sst_fail(err, SST_ERR_INTERNAL, "the memory of a reader cannot be limited: %s", strerror(errno));
    return SST_OK;
}

static enum sst_status open_service(struct reader *reader, int memory)
{
    const struct sst_crew_order *order = &reader->order;
    struct sst_error *err = &reader->why;
    SST_TRY(sst_crew_memory_map(&order->layout, memory, order->prefault && !order->is_short, &reader->slots,
                                &reader->setup, err));
    SST_TRY(limit_memory(reader, err));
    return reader->service->open(reader->setup, order->layout.setup_bytes, &reader->state, err);
}

static void close_service(struct reader *reader)
{
    if (reader->opened == SST_OK && reader->service->close)
        reader->service->close(reader->state);
    reader->state = NULL;
    sst_crew_memory_unmap(&reader->order.layout, &reader->slots, &reader->setup);
}

/* What was freed, so that a reader is not charged with the memory of what it did before. */
static void give_back_memory(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

/* Goes on as a reader of another start; false where the packet makes no sense. */
static bool renew(struct reader *reader, const uint8_t *packet, size_t n_bytes, int memory)
{
    if (n_bytes != sizeof(struct sst_crew_request) + sizeof reader->order || memory < 0)
        return false;
    close_service(reader);
    give_back_memory();
    memcpy(&reader->order, packet + sizeof(struct sst_crew_request), sizeof reader->order);
    reader->why = (struct sst_error){SST_OK, ""};
    reader->opened = open_service(reader, memory);
    return true;
}

/* Serves one request; false where it makes no sense or nobody takes the reply. memory: what came beside it, else -1. */
static bool serve(struct reader *reader, int requests, const uint8_t *packet, size_t n_bytes, int memory)
{
    uint8_t room[SST_CREW_MAX_REPLY];
    struct sst_crew_request request;
    struct sst_error err = reader->why;
    struct sst_crew_reply reply;
    if (n_bytes < sizeof request)
        return false;
    memcpy(&request, packet, sizeof request);
    if (request.serial == SST_CREW_SERIAL_RENEWED)
        return renew(reader, packet, n_bytes, memory);
    struct sst_crew_task task = {
        .request = packet + sizeof request,
        .request_bytes = n_bytes - sizeof request,
        .slot = reader->slots ? reader->slots + request.slot * reader->order.layout.stride : NULL,
        .slot_bytes = reader->order.layout.slot_bytes,
        .reply = room,
    };
    memset(&reply, 0, sizeof reply);
    reply.serial = request.serial;
    reply.status = reader->opened == SST_OK ? reader->service->serve(reader->state, &task, &err) : reader->opened;
    reply.text_bytes = reply.status == SST_OK ? 0 : strnlen(err.text, sizeof err.text - 1);
    reply.reply_bytes = task.reply_bytes;
    const struct sst_crew_piece pieces[] = {
        {&reply, sizeof reply}, {err.text, reply.text_bytes}, {room, task.reply_bytes}};
    return task.reply_bytes <= sizeof room && sst_crew_send(requests, pieces, 3, NULL, 0) == 0;
}

_Noreturn void sst_crew_reader(const struct sst_crew_service *service, const struct sst_crew_order *order, int requests,
                               int memory)
{
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
    struct reader reader = {.service = service, .order = *order, .why = {SST_OK, ""}};
    _Alignas(max_align_t) uint8_t packet[SST_CREW_LARGEST_REQUEST];
    bool is_wanted = true;
    bool is_sound = true;
    (void)getrlimit(RLIMIT_AS, &limit);
    reader.first_limit = limit.rlim_cur;
    reader.opened = open_service(&reader, memory);
    sst_crew_close(&memory);
    while (is_wanted) {
        struct sst_crew_files files;
        const ssize_t n = sst_crew_receive(requests, packet, sizeof packet, &files, 0);
        is_sound = n <= 0 || serve(&reader, requests, packet, (size_t)n, files.n > 0 ? files.fds[0] : -1);
        is_wanted = n > 0 && is_sound && !reader.order.is_short;
        for (int i = 0; i < files.n; ++i)
            sst_crew_close(&files.fds[i]);
    }
    close_service(&reader);
    _exit(is_sound ? 0 : 1); /* what runs at an exit belongs to the program */
}
