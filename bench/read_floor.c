/*
 * The floor under reading an archive of daily netCDF-4 files: open, find the chunks, fetch them, inflate, unshuffle, discard.
 *
 *   read_floor N VARIABLE[,VARIABLE...] FILE...
 *
 * N processes share the files; each uses its buffers again. Printed: files, bytes fetched, bytes inflated, seconds of the
 * wall clock and of processor time of all processes. Only for files whose variables are one deflated and shuffled chunk of
 * 16-bit numbers, or contiguous: then they are fetched, and that is all. What this measures is the least that any program
 * must do with them.
 */
#include <fcntl.h>
#include <hdf5.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_VARIABLES = 8, MAX_RANK = 8, MAX_PROCESSES = 64 };

struct buffers {
    unsigned char *packed, *inflated, *numbers;
    size_t packed_room, room;
    struct libdeflate_decompressor *inflater;
};

struct totals {
    size_t n_chunks, n_packed, n_inflated;
};

static void stop(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    _exit(1);
}

static void need(unsigned char **bytes, size_t *room, size_t wanted)
{
    if (wanted <= *room)
        return;
    *bytes = realloc(*bytes, wanted);
    if (!*bytes)
        stop("read_floor", "no memory");
    *room = wanted;
}

static void unshuffle(const unsigned char *in, size_t n, unsigned char *out)
{
    const unsigned char *low = in, *high = in + n / 2;
    for (size_t i = 0; i < n / 2; ++i) {
        out[2 * i] = low[i];
        out[2 * i + 1] = high[i];
    }
}

static void read_contiguous(const char *path, hid_t dataset, int fd, struct buffers *buffers, struct totals *totals)
{
    const size_t n = (size_t)H5Dget_storage_size(dataset);
    need(&buffers->packed, &buffers->packed_room, n);
    if (pread(fd, buffers->packed, n, (off_t)H5Dget_offset(dataset)) != (ssize_t)n)
        stop(path, "cannot be read");
    totals->n_chunks += 1;
    totals->n_packed += n;
    totals->n_inflated += n;
}

static void read_variable(const char *path, hid_t file, int fd, const char *name, struct buffers *buffers,
                          struct totals *totals)
{
    hsize_t chunk[MAX_RANK], offset[MAX_RANK] = {0}, size = 0;
    haddr_t address = HADDR_UNDEF;
    unsigned mask = 0;
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t plist = dataset < 0 ? -1 : H5Dget_create_plist(dataset);
    if (plist >= 0 && H5Pget_layout(plist) == H5D_CONTIGUOUS) {
        read_contiguous(path, dataset, fd, buffers, totals);
        (void)H5Pclose(plist);
        (void)H5Dclose(dataset);
        return;
    }
    const int rank = plist < 0 ? -1 : H5Pget_chunk(plist, MAX_RANK, chunk);
    if (rank < 0 || H5Dget_chunk_info_by_coord(dataset, offset, &mask, &address, &size) < 0 || address == HADDR_UNDEF)
        stop(path, "no chunk");
    size_t n = 2;
    for (int i = 0; i < rank; ++i)
        n *= chunk[i];
    if (size > buffers->packed_room)
        need(&buffers->packed, &buffers->packed_room, 2 * size);
    if (n > buffers->room) {
        size_t room = buffers->room;
        need(&buffers->numbers, &room, n);
        need(&buffers->inflated, &buffers->room, n);
    }
    if (pread(fd, buffers->packed, size, (off_t)address) != (ssize_t)size)
        stop(path, "cannot be read");
    if (libdeflate_zlib_decompress(buffers->inflater, buffers->packed, size, buffers->inflated, n, NULL) !=
        LIBDEFLATE_SUCCESS)
        stop(path, "cannot be inflated");
    unshuffle(buffers->inflated, n, buffers->numbers);
    totals->n_chunks += 1;
    totals->n_packed += size;
    totals->n_inflated += n;
    (void)H5Pclose(plist);
    (void)H5Dclose(dataset);
}

static void read_file(const char *path, char *const *names, size_t n_names, struct buffers *buffers,
                      struct totals *totals)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (fd < 0 || file < 0)
        stop(path, "cannot be opened");
    for (size_t i = 0; i < n_names; ++i)
        read_variable(path, file, fd, names[i], buffers, totals);
    (void)H5Fclose(file);
    (void)close(fd);
}

static double now(void)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

/* One of n processes: every n-th file; its totals go into a pipe. */
static void work(int which, int n, char **paths, int n_paths, char *const *names, size_t n_names, int out)
{
    struct buffers buffers = {.inflater = libdeflate_alloc_decompressor()};
    struct totals totals = {0};
    for (int i = which; i < n_paths; i += n)
        read_file(paths[i], names, n_names, &buffers, &totals);
    if (write(out, &totals, sizeof totals) != (ssize_t)sizeof totals)
        stop("read_floor", "no pipe");
    _exit(0);
}

int main(int argc, char **argv)
{
    char *names[MAX_VARIABLES];
    size_t n_names = 0;
    int ends[2], status = 0, n_failed = 0;
    const int n = argc > 1 ? atoi(argv[1]) : 0;
    if (argc < 4 || n < 1 || n > MAX_PROCESSES || pipe(ends) != 0) {
        fprintf(stderr, "usage: read_floor N VARIABLE[,VARIABLE...] FILE...\n");
        return 2;
    }
    for (char *name = strtok(argv[2], ","); name && n_names < MAX_VARIABLES; name = strtok(NULL, ","))
        names[n_names++] = name;
    const double start = now();
    for (int which = 0; which < n; ++which) {
        const pid_t pid = fork();
        if (pid < 0)
            stop("read_floor", "no process");
        if (pid == 0)
            work(which, n, argv + 3, argc - 3, names, n_names, ends[1]);
    }
    struct totals all = {0}, one;
    while (wait(&status) > 0)
        n_failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    const double seconds = now() - start;
    for (int which = 0; which < n && n_failed == 0; ++which) {
        if (read(ends[0], &one, sizeof one) != (ssize_t)sizeof one)
            stop("read_floor", "no pipe");
        all.n_chunks += one.n_chunks;
        all.n_packed += one.n_packed;
        all.n_inflated += one.n_inflated;
    }
    struct rusage usage;
    (void)getrusage(RUSAGE_CHILDREN, &usage);
    const double cpu = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    printf("{\"files\": %d, \"chunks\": %zu, \"packed_bytes\": %zu, \"inflated_bytes\": %zu, \"seconds\": %.4f, "
           "\"cpu_seconds\": %.4f}\n",
           argc - 3, all.n_chunks, all.n_packed, all.n_inflated, seconds, cpu);
    return n_failed != 0;
}
