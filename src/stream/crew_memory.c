/* Memory that program and readers share: the slots, then the setup. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stream/crew_private.h"

/* Whole pages for n bytes; 0 where that is beyond the address space. */
static size_t whole_pages(size_t n_bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t more = 0;
    return __builtin_add_overflow(n_bytes, page - 1, &more) ? 0 : more / page * page;
}

static size_t whole_bytes(const struct sst_crew_layout *layout)
{
    return layout->slots_bytes + whole_pages(layout->setup_bytes);
}

static enum sst_status lay_out(const struct sst_crew_options *options, struct sst_crew_layout *layout,
                               struct sst_error *err)
{
    size_t whole = 0;
    *layout = (struct sst_crew_layout){.slot_bytes = options->slot_bytes, .setup_bytes = options->setup_bytes};
    layout->stride = whole_pages(options->slot_bytes > 0 ? options->slot_bytes : 1);
    if (layout->stride == 0 || whole_pages(options->setup_bytes) < options->setup_bytes ||
        __builtin_mul_overflow(layout->stride, options->n_slots, &layout->slots_bytes) ||
        __builtin_add_overflow(layout->slots_bytes, whole_pages(options->setup_bytes), &whole) || whole > INT64_MAX)
        return sst_fail(err, SST_ERR_NOMEM, "memory of the readers: %zu slots of %zu bytes overflow the address space",
                        options->n_slots, options->slot_bytes);
    return SST_OK;
}

/* Pages that the system has not got are an error here, not a SIGBUS later. 0 or an errno value. */
static int touch(int fd, uint8_t *memory, size_t n_bytes)
{
#ifdef MADV_POPULATE_WRITE
    int failed;
    do
        failed = madvise(memory, n_bytes, MADV_POPULATE_WRITE) == 0 ? 0 : errno;
    while (failed == EINTR || failed == EAGAIN);
    if (failed != EINVAL)
        return failed;
#endif
    while (fallocate(fd, 0, 0, (off_t)n_bytes) != 0)
        if (errno != EINTR)
            return errno;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < n_bytes; at += page)
        *(volatile uint8_t *)(memory + at) = 0;
    return 0;
}

enum sst_status sst_crew_memory_make(const struct sst_crew_options *options, struct sst_crew_layout *layout, int *fd,
                                     void **memory, struct sst_error *err)
{
    SST_TRY(lay_out(options, layout, err));
    const size_t whole = whole_bytes(layout);
    int made = memfd_create("sststream-slots", MFD_CLOEXEC);
    int failed = made >= 0 && ftruncate(made, (off_t)whole) == 0 ? 0 : errno;
    void *mapped = failed ? MAP_FAILED : mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0);
    if (!failed && mapped == MAP_FAILED)
        failed = errno;
    if (!failed && options->prefault) {
        (void)madvise(mapped, layout->slots_bytes, MADV_HUGEPAGE);
        failed = touch(made, mapped, layout->slots_bytes);
    }
    if (!failed && options->setup_bytes > 0)
        memcpy((uint8_t *)mapped + layout->slots_bytes, options->setup, options->setup_bytes);
    if (failed) {
        if (mapped != MAP_FAILED)
            (void)munmap(mapped, whole);
        sst_crew_close(&made);
        return sst_fail(err, SST_ERR_NOMEM, "memory of the readers: %zu slots of %zu bytes: %s", options->n_slots,
                        options->slot_bytes, strerror(failed));
    }
    *fd = made;
    *memory = mapped;
    return SST_OK;
}

void sst_crew_memory_free(const struct sst_crew_layout *layout, int *fd, void **memory)
{
    if (*memory)
        (void)munmap(*memory, whole_bytes(layout));
    *memory = NULL;
    sst_crew_close(fd);
}

enum sst_status sst_crew_memory_map(const struct sst_crew_layout *layout, int fd, bool prefault, uint8_t **slots,
                                    const void **setup, struct sst_error *err)
{
    const int flags = MAP_SHARED | (prefault ? MAP_POPULATE : 0);
    void *all = mmap(NULL, layout->slots_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    void *extra = NULL;
    if (all != MAP_FAILED && layout->setup_bytes > 0)
        extra = mmap(NULL, whole_pages(layout->setup_bytes), PROT_READ, MAP_SHARED, fd, (off_t)layout->slots_bytes);
    if (all == MAP_FAILED || extra == MAP_FAILED) {
        const int failed = errno;
        if (all != MAP_FAILED)
            (void)munmap(all, layout->slots_bytes);
        return sst_fail(err, SST_ERR_NOMEM, "a reader cannot map its %zu bytes of slots: %s", layout->slots_bytes,
                        strerror(failed));
    }
    *slots = all;
    *setup = extra;
    return SST_OK;
}

void sst_crew_memory_unmap(const struct sst_crew_layout *layout, uint8_t **slots, const void **setup)
{
    void *extra = NULL;
    memcpy(&extra, setup, sizeof extra); /* munmap's memory is not const */
    if (*slots)
        (void)munmap(*slots, layout->slots_bytes);
    if (extra)
        (void)munmap(extra, whole_pages(layout->setup_bytes));
    *slots = NULL;
    *setup = NULL;
}
