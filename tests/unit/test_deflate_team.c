/*
 * Threads that deflate: the same bytes as one thread gives, readable, ended whenever their owner likes.
 * ctest-labels: threads
 */
#include <libdeflate.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test_main.h"
#include "write/deflate_team.h"

enum { N_CHUNKS = 40, MOST_VALUES = 5000, MOST_BYTES = 4 * MOST_VALUES, N_BATCHES = 12 };

static struct sst_deflate_chunk chunks[N_CHUNKS];
static uint8_t originals[N_CHUNKS][MOST_BYTES];

static uint32_t next_number(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }

/* Chunks of many lengths and both widths: some all alike, some smooth, some noise that no compressor makes smaller. */
static void fill_chunks(uint32_t seed)
{
    for (size_t i = 0; i < N_CHUNKS; ++i) {
        struct sst_deflate_chunk *chunk = &chunks[i];
        chunk->n_values = i == 0 ? 1 : i == 1 ? MOST_VALUES : 1 + next_number(&seed) % MOST_VALUES;
        chunk->value_bytes = i % 2 ? 4 : 2;
        const size_t n_bytes = chunk->n_values * chunk->value_bytes;
        for (size_t at = 0; at < n_bytes; ++at)
            originals[i][at] = (uint8_t)(i % 3 == 0   ? 7u
                                         : i % 3 == 1 ? at / chunk->value_bytes / 16
                                                      : next_number(&seed) >> 24);
        memcpy(chunk->values, originals[i], n_bytes);
    }
}

static void make_chunks(void)
{
    for (size_t i = 0; i < N_CHUNKS; ++i)
        chunks[i].values = malloc(sst_deflate_room(MOST_BYTES));
}

static void free_chunks(void)
{
    for (size_t i = 0; i < N_CHUNKS; ++i)
        free(chunks[i].values);
}

/* A zlib stream, and under it byte k of value i at k * n_values + i, as HDF5 defines its shuffle filter. */
static void check_chunk(size_t index, const uint8_t *stream, size_t n_stream)
{
    static uint8_t shuffled[MOST_BYTES];
    const size_t n = chunks[index].n_values, width = chunks[index].value_bytes;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    ck_assert_int_eq(libdeflate_zlib_decompress(decompressor, stream, n_stream, shuffled, n * width, NULL),
                     LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(decompressor);
    size_t n_wrong = 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < width; ++k)
            n_wrong += shuffled[k * n + i] != originals[index][i * width + k];
    ck_assert_msg(n_wrong == 0, "chunk %zu: %zu of %zu bytes are wrong", index, n_wrong, n * width);
}

static struct sst_deflate_team *new_team(int level, size_t n_threads)
{
    struct sst_deflate_team *team = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_deflate_team_create(level, MOST_BYTES, n_threads, &team, &err) == SST_OK, "%s", err.text);
    return team;
}

static const size_t team_sizes[] = {0, 1, 2, 4};

START_TEST(a_team_gives_what_one_thread_gives)
{
    static uint8_t alone[MOST_BYTES + 1000];
    for (int level = 1; level <= 9; level += 4) {
        struct sst_deflater *deflater = NULL;
        ck_assert_int_eq(sst_deflater_create(level, MOST_BYTES, &deflater, NULL), SST_OK);
        struct sst_deflate_team *team = new_team(level, team_sizes[_i]);
        for (uint32_t batch = 1; batch <= N_BATCHES; ++batch) {
            fill_chunks(batch);
            sst_deflate_team_start(team, chunks, N_CHUNKS);
            for (size_t i = 0; i < N_CHUNKS; ++i) {
                const size_t n_bytes = sst_deflate_team_take(team, i, true);
                check_chunk(i, chunks[i].values, n_bytes);
                memcpy(alone, originals[i], chunks[i].n_values * chunks[i].value_bytes);
                ck_assert_uint_eq(sst_deflate(deflater, alone, chunks[i].n_values, chunks[i].value_bytes), n_bytes);
                ck_assert_int_eq(memcmp(alone, chunks[i].values, n_bytes), 0);
            }
        }
        sst_deflate_team_destroy(&team);
        ck_assert_ptr_null(team);
        sst_deflater_destroy(&deflater);
    }
}
END_TEST

START_TEST(the_owner_need_not_wait)
{
    struct sst_deflate_team *team = new_team(6, 1);
    fill_chunks(5);
    sst_deflate_team_start(team, chunks, N_CHUNKS);
    size_t n_bytes = 0;
    while (n_bytes == 0) { /* nobody but the thread can get the last one ready */
        n_bytes = sst_deflate_team_take(team, N_CHUNKS - 1, false);
        (void)usleep(100);
    }
    check_chunk(N_CHUNKS - 1, chunks[N_CHUNKS - 1].values, n_bytes);
    sst_deflate_team_destroy(&team);
    team = new_team(6, 0);
    sst_deflate_team_start(team, chunks, N_CHUNKS);
    ck_assert_uint_eq(sst_deflate_team_take(team, 0, false), 0);
    sst_deflate_team_destroy(&team);
}
END_TEST

START_TEST(a_team_ends_in_the_middle_of_a_batch)
{
    for (uint32_t round = 0; round < 30; ++round) {
        struct sst_deflate_team *team = new_team(9, team_sizes[_i]);
        fill_chunks(round);
        sst_deflate_team_start(team, chunks, N_CHUNKS);
        for (size_t i = 0; i < round % 4; ++i)
            ck_assert_uint_gt(sst_deflate_team_take(team, i, true), 0);
        sst_deflate_team_destroy(&team);
    }
    struct sst_deflate_team *none = NULL;
    sst_deflate_team_destroy(&none);
}
END_TEST

/* While the program's own thread does not take a signal, nobody takes it; its default action would end this test. */
START_TEST(signals_are_not_for_these_threads)
{
    sigset_t mine, before, waiting;
    struct sst_deflate_team *team = new_team(1, 4);
    (void)sigemptyset(&mine);
    (void)sigaddset(&mine, SIGUSR1);
    (void)sigaddset(&mine, SIGXFSZ);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &mine, &before), 0);
    ck_assert(sigismember(&before, SIGUSR1) == 0 && sigismember(&before, SIGTERM) == 0);
    ck_assert_int_eq(kill(getpid(), SIGUSR1), 0);
    (void)usleep(20000);
    ck_assert_int_eq(sigpending(&waiting), 0);
    ck_assert_int_eq(sigismember(&waiting, SIGUSR1), 1);
    sst_deflate_team_destroy(&team);
    ck_assert(signal(SIGUSR1, SIG_IGN) != SIG_ERR); /* drops it */
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    ck_assert(signal(SIGUSR1, SIG_DFL) != SIG_ERR);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("deflate_team");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, make_chunks, free_chunks);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_team_gives_what_one_thread_gives, 0, sizeof team_sizes / sizeof *team_sizes);
    tcase_add_test(tc, the_owner_need_not_wait);
    tcase_add_loop_test(tc, a_team_ends_in_the_middle_of_a_batch, 0, sizeof team_sizes / sizeof *team_sizes);
    tcase_add_test(tc, signals_are_not_for_these_threads);
    suite_add_tcase(suite, tc);
    return suite;
}
