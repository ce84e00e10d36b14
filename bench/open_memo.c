/*
 * What opening a file costs: in full, by the model of the file before it, and by its memo. Processor time a file.
 *
 *   cmake --preset release && cmake --build --preset release --target sststream open_memo
 *   build/release/sststream synth -o archive --grid 1440x720 --years 2001-2004 --days 0601-0610
 *   build/release/open_memo archive/ *.nc
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stream/decode_memo.h"

enum { N_ROUNDS = 9 };

enum way { IN_FULL, BY_MODEL, BY_MEMO, N_WAYS };
static const char *const names[N_WAYS] = {"in full", "by the model, and a memo made", "by its memo"};

static double now_ms(void)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e3 + (double)at.tv_nsec * 1e-6;
}

static void need(bool is_good, const char *what)
{
    if (is_good)
        return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static unsigned char memo[SST_FILE_MEMO_MAX];
static size_t n_memo;

static double open_and_close(enum way way, const char *path, struct sst_decode_scratch *scratch)
{
    struct sst_decode_options options = {.scratch = way == IN_FULL ? NULL : scratch};
    struct sst_file *file = NULL;
    struct sst_error err = {0};
    bool is_same = true;
    const double start = now_ms();
    const enum sst_status rc = way == BY_MEMO ? sst_file_open_memo(path, memo, n_memo, &options, &file, &is_same, &err)
                                              : sst_file_open(path, &options, NULL, NULL, &file, &err);
    need(rc == SST_OK && is_same, err.text);
    if (way == BY_MODEL)
        n_memo = sst_file_memo(file, memo);
    sst_file_close(&file);
    return now_ms() - start;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    struct sst_decode_scratch *scratch = NULL;
    struct sst_error err = {0};
    double rounds[N_WAYS][N_ROUNDS] = {{0}};
    need(argc > 1, "usage: open_memo FILE...");
    need(sst_decode_scratch_create(&scratch, &err) == SST_OK, err.text);
    (void)open_and_close(BY_MODEL, argv[1], scratch);
    for (int round = 0; round < N_ROUNDS; ++round)
        for (int i = 1; i < argc; ++i)
            for (int way = 0; way < N_WAYS; ++way)
                rounds[way][round] += open_and_close((enum way)way, argv[i], scratch) / (argc - 1);
    sst_decode_scratch_destroy(&scratch);
    for (int way = 0; way < N_WAYS; ++way) {
        qsort(rounds[way], N_ROUNDS, sizeof *rounds[way], compare);
        printf("%-30s %.3f ms\n", names[way], rounds[way][N_ROUNDS / 2]);
    }
    return 0;
}
