/*
 * Places of cells: who gets one and when, what moves to and from them, the domain's last block, lists.
 * ctest-labels: threads
 */
#include <stdlib.h>
#include <string.h>

#include "core/cells.h"
#include "core/field.h"
#include "test_main.h"

/* Four whole blocks and one of three cells. */
enum { N_DOMAIN = 4 * SST_CELLS_WIDTH + 3, N_BLOCKS = 5, MOST = N_BLOCKS * SST_CELLS_WIDTH };

static struct sst_cells cells;
static int16_t codes[N_DOMAIN];

static void set_up(void)
{
    ck_assert_int_eq(sst_cells_init(&cells, N_DOMAIN, NULL), SST_OK);
    for (int cell = 0; cell < N_DOMAIN; ++cell)
        codes[cell] = SST_CODE_MISSING;
}

static void tear_down(void) { sst_cells_clear(&cells); }

/* Gives places to the blocks of these cells alone. */
static void take(const int *valid, int n)
{
    for (int cell = 0; cell < N_DOMAIN; ++cell)
        codes[cell] = SST_CODE_MISSING;
    for (int i = 0; i < n; ++i)
        codes[valid[i]] = (int16_t)(100 + valid[i]);
    sst_cells_take(&cells, &(struct sst_field){.n_cells = N_DOMAIN, .codes = codes});
}

START_TEST(no_block_has_a_place_at_first)
{
    ck_assert_uint_eq(cells.n_places, 0);
    ck_assert_uint_eq(cells.n_given, 0);
    ck_assert_uint_eq(cells.n_waiting, N_BLOCKS);
    ck_assert_uint_eq(sst_cells_most(N_DOMAIN), MOST);
    ck_assert_uint_eq(sst_cells_most(SST_CELLS_WIDTH), SST_CELLS_WIDTH);
    take(NULL, 0);
    ck_assert_uint_eq(cells.n_places, 0);
}
END_TEST

START_TEST(a_block_gets_its_place_with_its_first_value_and_keeps_it)
{
    take((const int[]){SST_CELLS_WIDTH + 7, 3 * SST_CELLS_WIDTH}, 2);
    ck_assert_uint_eq(cells.n_given, 2);
    ck_assert_uint_eq(cells.block_at[0], 1);
    ck_assert_uint_eq(cells.block_at[1], 3);
    ck_assert_uint_eq(cells.n_waiting, 3);
    take((const int[]){0, SST_CELLS_WIDTH}, 2);
    ck_assert_uint_eq(cells.n_given, 3);
    ck_assert_uint_eq(cells.block_at[0], 1);
    ck_assert_uint_eq(cells.block_at[1], 3);
    ck_assert_uint_eq(cells.block_at[2], 0);
    ck_assert_uint_eq(cells.waiting[0], 2);
    ck_assert_uint_eq(cells.waiting[1], 4);
    take(NULL, 0);
    ck_assert_uint_eq(cells.n_given, 3);
}
END_TEST

START_TEST(there_are_spare_places_but_never_more_than_blocks)
{
    take((const int[]){0}, 1);
    ck_assert_uint_eq(cells.n_places, 2 * SST_CELLS_WIDTH); /* one given, one spare */
    take((const int[]){SST_CELLS_WIDTH}, 1);
    ck_assert_uint_eq(cells.n_places, 2 * SST_CELLS_WIDTH); /* the spare one is used */
    take((const int[]){2 * SST_CELLS_WIDTH, 3 * SST_CELLS_WIDTH, N_DOMAIN - 1}, 3);
    ck_assert_uint_eq(cells.n_places, MOST);
    ck_assert_uint_eq(cells.n_given, N_BLOCKS);
    ck_assert_uint_eq(cells.n_waiting, 0);
}
END_TEST

START_TEST(what_is_expected_is_what_a_first_field_takes)
{
    int16_t *many = calloc(64 * 1000, sizeof *many); /* of blocks 0 .. 7999 none is missing */
    struct sst_cells large;
    ck_assert_int_eq(sst_cells_init(&large, 64 * 1000, NULL), SST_OK);
    for (size_t i = 0; i < 32 * 1000; ++i)
        many[i] = SST_CODE_MISSING;
    sst_cells_take(&large, &(struct sst_field){.n_cells = 64 * 1000, .codes = many});
    ck_assert_uint_eq(large.n_given, 4000);
    ck_assert_uint_eq(large.n_places, (4000 + 4000 / 64 + 1) * SST_CELLS_WIDTH);
    ck_assert_uint_eq(sst_cells_expected(64 * 1000, 32 * 1000), large.n_places);
    ck_assert_uint_eq(sst_cells_expected(N_DOMAIN, N_DOMAIN), MOST);
    sst_cells_clear(&large);
    free(many);
}
END_TEST

/* More than is looked at together; the odd blocks of the last part have places already. */
START_TEST(one_value_or_mark_of_ice_in_much_land_is_seen)
{
    enum { LAND_BLOCKS = 60, LAND = LAND_BLOCKS * SST_CELLS_WIDTH + 3, FIRST_TAKEN = 41 };
    static int16_t land[LAND];
    static uint8_t ice[LAND];
    const struct sst_field field = {.n_cells = LAND, .codes = land, .ice = ice, .has_ice = true};
    for (int cell = 0; cell < LAND; ++cell)
        land[cell] = SST_CODE_MISSING;
    for (int seen = 0; seen < 2 * LAND; ++seen) {
        const int cell = seen / 2, block = cell / SST_CELLS_WIDTH;
        struct sst_cells large;
        ck_assert_int_eq(sst_cells_init(&large, LAND, NULL), SST_OK);
        for (int taken = FIRST_TAKEN; taken < LAND_BLOCKS; taken += 2)
            land[taken * SST_CELLS_WIDTH] = 1;
        sst_cells_take(&large, &field);
        for (int taken = FIRST_TAKEN; taken < LAND_BLOCKS; taken += 2)
            land[taken * SST_CELLS_WIDTH] = SST_CODE_MISSING;
        const size_t n_taken = large.n_given, n_waiting = large.n_waiting;
        const bool is_new = block < FIRST_TAKEN || block % 2 == 0;
        land[cell] = seen % 2 ? 0 : SST_CODE_MISSING;
        ice[cell] = seen % 2 == 0;
        sst_cells_take(&large, &field);
        land[cell] = SST_CODE_MISSING;
        ice[cell] = 0;
        ck_assert_uint_eq(large.n_given, n_taken + is_new);
        ck_assert_uint_eq(large.n_waiting, n_waiting - is_new);
        ck_assert(!is_new || large.block_at[n_taken] == (uint32_t)block);
        for (size_t i = 0; i < large.n_waiting; ++i)
            ck_assert(large.waiting[i] != (uint32_t)block && (i == 0 || large.waiting[i] > large.waiting[i - 1]));
        sst_cells_clear(&large);
    }
}
END_TEST

START_TEST(gather_takes_blocks_to_their_places_and_fills_the_rest)
{
    int16_t out[MOST + 1];
    uint8_t marks[N_DOMAIN], marked[MOST + 1];
    take((const int[]){SST_CELLS_WIDTH, 3 * SST_CELLS_WIDTH + 1, N_DOMAIN - 1}, 3);
    ck_assert_uint_eq(cells.n_places, 4 * SST_CELLS_WIDTH);
    for (int cell = 0; cell < N_DOMAIN; ++cell) {
        codes[cell] = (int16_t)(1000 + cell);
        marks[cell] = (uint8_t)(cell + 1);
    }
    out[cells.n_places] = 77;
    marked[cells.n_places] = 77;
    sst_cells_gather(&cells, codes, -5, 0, cells.n_places, out);
    sst_cells_gather_marks(&cells, marks, 0, cells.n_places, marked);
    static const int blocks[] = {1, 3, 4, -1}; /* -1: a free place */
    for (int place = 0; place < 4 * SST_CELLS_WIDTH; ++place) {
        const int block = blocks[place / SST_CELLS_WIDTH], cell = block * SST_CELLS_WIDTH + place % SST_CELLS_WIDTH;
        const bool is_cell = block >= 0 && cell < N_DOMAIN;
        ck_assert_int_eq(out[place], is_cell ? 1000 + cell : -5);
        ck_assert_int_eq(marked[place], is_cell ? cell + 1 : 0);
    }
    ck_assert_int_eq(out[cells.n_places], 77);
    ck_assert_int_eq(marked[cells.n_places], 77);
}
END_TEST

START_TEST(gather_of_some_places_is_that_part_of_all)
{
    int16_t all[MOST], part[MOST];
    take((const int[]){0, SST_CELLS_WIDTH, N_DOMAIN - 3}, 3);
    sst_cells_gather(&cells, codes, SST_CODE_MISSING, 0, cells.n_places, all);
    for (size_t begin = 0; begin <= cells.n_places; begin += SST_CELLS_WIDTH) {
        for (size_t end = begin; end <= cells.n_places; end += SST_CELLS_WIDTH) {
            memset(part, 0, sizeof part);
            sst_cells_gather(&cells, codes, SST_CODE_MISSING, begin, end, part);
            ck_assert_int_eq(memcmp(part, all + begin, (end - begin) * sizeof *part), 0);
            ck_assert(end - begin == MOST || part[end - begin] == 0);
        }
    }
}
END_TEST

START_TEST(scatter_undoes_gather_and_leaves_cells_without_a_place)
{
    double places[MOST], field[N_DOMAIN + 1];
    int16_t items[MOST], back[N_DOMAIN + 1];
    take((const int[]){SST_CELLS_WIDTH, N_DOMAIN - 1}, 2);
    for (int place = 0; place < MOST; ++place) {
        places[place] = 0.5 + place;
        items[place] = (int16_t)place;
    }
    for (int cell = 0; cell <= N_DOMAIN; ++cell) {
        field[cell] = -1.0;
        back[cell] = -1;
    }
    sst_cells_scatter(&cells, places, sizeof *places, field);
    sst_cells_scatter(&cells, items, sizeof *items, back);
    for (int cell = 0; cell <= N_DOMAIN; ++cell) {
        const int block = cell / SST_CELLS_WIDTH;
        const int place = (block == 4 ? SST_CELLS_WIDTH : 0) + cell % SST_CELLS_WIDTH;
        const bool has_place = cell < N_DOMAIN && (block == 1 || block == 4);
        ck_assert_double_eq(field[cell], has_place ? 0.5 + place : -1.0);
        ck_assert_int_eq(back[cell], has_place ? place : -1);
    }
}
END_TEST

/* More blocks than one thread looks at; land but for half of the first field, then a few blocks in some of the others. */
enum { N_WIDE = 40000 * SST_CELLS_WIDTH + 5, N_DAYS = 40, FIRST_LATE_DAY = 2 };

static void make_days(struct sst_field *fields)
{
    for (int day = 0; day < N_DAYS; ++day) {
        int16_t *values = malloc(N_WIDE * sizeof *values);
        uint8_t *marks = calloc(N_WIDE, sizeof *marks);
        ck_assert(values && marks);
        for (int cell = 0; cell < N_WIDE; ++cell)
            values[cell] = day == 1 && cell < N_WIDE / 2 ? 7 : SST_CODE_MISSING;
        for (int i = 0; day >= FIRST_LATE_DAY && day % 3 != 0 && i < day; ++i) {
            const unsigned cell = ((unsigned)(day / 2 * 64 + i) * 2654435761U) % (unsigned)N_WIDE;
            values[cell] = i % 2 ? 8 : SST_CODE_MISSING;
            marks[cell] = i % 2 == 0;
        }
        values[N_WIDE - 1] = day == N_DAYS - 1 ? 9 : values[N_WIDE - 1];
        fields[day] = (struct sst_field){
            .n_cells = N_WIDE, .codes = values, .hundredths = values, .ice = marks, .has_ice = day % 5 != 0};
    }
}

START_TEST(fields_taken_together_give_the_places_of_fields_taken_in_turn)
{
    struct sst_field fields[N_DAYS];
    const struct sst_field *list[N_DAYS];
    make_days(fields);
    for (int day = 0; day < N_DAYS; ++day)
        list[day] = &fields[day];
    for (int together = 1; together <= N_DAYS; together += 13) {
        struct sst_cells turn, all;
        ck_assert_int_eq(sst_cells_init(&turn, N_WIDE, NULL), SST_OK);
        ck_assert_int_eq(sst_cells_init(&all, N_WIDE, NULL), SST_OK);
        for (int day = 0; day < N_DAYS; day += together) {
            const int n = N_DAYS - day < together ? N_DAYS - day : together;
            for (int i = 0; i < n; ++i)
                sst_cells_take(&turn, list[day + i]);
            sst_cells_take_all(&all, list + day, (size_t)n);
            ck_assert_uint_eq(all.n_places, turn.n_places);
            ck_assert_uint_eq(all.n_given, turn.n_given);
            ck_assert_uint_eq(all.n_waiting, turn.n_waiting);
            ck_assert_int_eq(memcmp(all.block_at, turn.block_at, turn.n_given * sizeof *turn.block_at), 0);
            ck_assert_int_eq(memcmp(all.waiting, turn.waiting, turn.n_waiting * sizeof *turn.waiting), 0);
        }
        ck_assert_uint_gt(turn.n_given, N_WIDE / 2 / SST_CELLS_WIDTH + 100); /* some came late, and the last block */
        sst_cells_clear(&turn);
        sst_cells_clear(&all);
    }
    for (int day = 0; day < N_DAYS; ++day) {
        free(fields[day].codes);
        free(fields[day].ice);
    }
}
END_TEST

/* Items of every size in use and of an odd one; the domain's last block and free places are among them. */
START_TEST(parts_scatter_what_the_whole_scatters)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8};
    take((const int[]){N_DOMAIN - 1, 2 * SST_CELLS_WIDTH, 0}, 3);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const size_t size = sizes[s];
        unsigned char places[MOST * 8], plain[(N_DOMAIN + 1) * 8], parts[(N_DOMAIN + 1) * 8];
        memset(plain, 0xee, sizeof plain);
        memset(parts, 0xee, sizeof parts);
        for (size_t i = 0; i < sizeof places; ++i)
            places[i] = (unsigned char)(i * 7 % 251);
        for (size_t place = 0; place < cells.n_given * SST_CELLS_WIDTH; ++place) {
            const size_t cell = cells.block_at[place / SST_CELLS_WIDTH] * SST_CELLS_WIDTH + place % SST_CELLS_WIDTH;
            if (cell < N_DOMAIN)
                memcpy(plain + cell * size, places + place * size, size);
        }
        for (size_t begin = 0; begin < cells.n_places; begin += SST_CELLS_WIDTH)
            sst_cells_scatter_part(&cells, places, size, begin, begin + SST_CELLS_WIDTH, parts);
        ck_assert_mem_eq(parts, plain, sizeof plain);
        memset(parts, 0xee, sizeof parts);
        sst_cells_scatter(&cells, places, size, parts);
        ck_assert_mem_eq(parts, plain, sizeof plain);
    }
}
END_TEST

START_TEST(a_list_has_its_cells_in_order_and_none_waits)
{
    static const size_t list[] = {2, 3, 17, N_DOMAIN - 1};
    enum { N_LIST = sizeof list / sizeof list[0] };
    struct sst_cells listed;
    int16_t out[N_LIST + 1] = {[N_LIST] = 77}, field[N_DOMAIN];
    uint8_t marks[N_DOMAIN] = {0}, marked[N_LIST];
    ck_assert_int_eq(sst_cells_init_list(&listed, N_DOMAIN, list, N_LIST, NULL), SST_OK);
    ck_assert_uint_eq(listed.width, 1);
    ck_assert_uint_eq(listed.n_places, N_LIST);
    ck_assert_uint_eq(listed.n_waiting, 0);
    for (int cell = 0; cell < N_DOMAIN; ++cell)
        field[cell] = (int16_t)cell;
    marks[17] = 1;
    sst_cells_take(&listed, &(struct sst_field){.n_cells = N_DOMAIN, .codes = field});
    ck_assert_uint_eq(listed.n_places, N_LIST);
    sst_cells_gather(&listed, field, SST_CODE_MISSING, 0, N_LIST, out);
    sst_cells_gather_marks(&listed, marks, 0, N_LIST, marked);
    for (int i = 0; i < N_LIST; ++i) {
        ck_assert_int_eq(out[i], (int)list[i]);
        ck_assert_int_eq(marked[i], list[i] == 17);
    }
    ck_assert_int_eq(out[N_LIST], 77);
    sst_cells_gather(&listed, field, SST_CODE_MISSING, 2, 3, out);
    ck_assert_int_eq(out[0], 17);
    ck_assert_int_eq(out[1], 3);
    static const int16_t seven[N_LIST] = {7, 7, 7, 7};
    sst_cells_scatter(&listed, seven, sizeof *seven, field);
    ck_assert(field[2] == 7 && field[3] == 7 && field[17] == 7 && field[N_DOMAIN - 1] == 7 && field[4] == 4);
    sst_cells_clear(&listed);
}
END_TEST

START_TEST(marked_cells_get_the_places_of_values_and_lists_their_order)
{
    struct sst_cells marked;
    uint8_t marks[N_DOMAIN] = {0};
    uint32_t index[N_DOMAIN], by_place[MOST], by_list[2];
    const size_t backwards[] = {N_DOMAIN - 1, 2};
    ck_assert_int_eq(sst_cells_init(&marked, N_DOMAIN, NULL), SST_OK);
    for (uint32_t cell = 0; cell < N_DOMAIN; ++cell)
        index[cell] = 1000 + cell;
    sst_cells_take_marked(&marked, marks);
    ck_assert_uint_eq(marked.n_places, 0);
    take((const int[]){N_DOMAIN - 1, SST_CELLS_WIDTH}, 2);
    marks[N_DOMAIN - 1] = 1;
    marks[SST_CELLS_WIDTH] = 255;
    sst_cells_take_marked(&marked, marks);
    marks[N_DOMAIN - 1] = marks[SST_CELLS_WIDTH] = 0;
    marks[3] = 1;
    take((const int[]){3}, 1);
    sst_cells_take_marked(&marked, marks);
    ck_assert_uint_eq(marked.n_places, cells.n_places);
    ck_assert_uint_eq(marked.n_given, cells.n_given);
    ck_assert_uint_eq(marked.n_waiting, cells.n_waiting);
    ck_assert_mem_eq(marked.block_at, cells.block_at, cells.n_given * sizeof *cells.block_at);
    ck_assert_mem_eq(marked.waiting, cells.waiting, cells.n_waiting * sizeof *cells.waiting);
    sst_cells_gather_indices(&marked, index, 7, 0, marked.n_places, by_place);
    ck_assert_uint_eq(by_place[0], 1000 + SST_CELLS_WIDTH);
    ck_assert_uint_eq(by_place[SST_CELLS_WIDTH + 2], 1000 + N_DOMAIN - 1); /* the last block has three cells */
    ck_assert_uint_eq(by_place[SST_CELLS_WIDTH + 3], 7);
    ck_assert_uint_eq(by_place[2 * SST_CELLS_WIDTH + 3], 1003);
    sst_cells_clear(&marked);
    for (size_t cell = 0; cell < N_DOMAIN; ++cell) { /* one mark is enough, wherever it is */
        memset(marks, 0, sizeof marks);
        marks[cell] = 1;
        ck_assert_int_eq(sst_cells_init(&marked, N_DOMAIN, NULL), SST_OK);
        sst_cells_take_marked(&marked, marks);
        ck_assert_uint_eq(marked.n_given, 1);
        ck_assert_uint_eq(marked.block_at[0], cell / SST_CELLS_WIDTH);
        sst_cells_clear(&marked);
    }
    ck_assert_int_eq(sst_cells_init_list(&marked, N_DOMAIN, backwards, 2, NULL), SST_OK);
    sst_cells_gather_indices(&marked, index, 7, 0, 2, by_list);
    ck_assert_uint_eq(by_list[0], 1000 + N_DOMAIN - 1);
    ck_assert_uint_eq(by_list[1], 1002);
    sst_cells_clear(&marked);
}
END_TEST

START_TEST(a_domain_too_large_for_its_numbers_is_refused)
{
    struct sst_error err = {0};
    struct sst_cells huge;
    ck_assert_int_eq(sst_cells_init(&huge, SIZE_MAX / 2, &err), SST_ERR_NOMEM);
    ck_assert_ptr_nonnull(strstr(err.text, "cells are too many. Use --bbox"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cells");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, no_block_has_a_place_at_first);
    tcase_add_test(tc, a_block_gets_its_place_with_its_first_value_and_keeps_it);
    tcase_add_test(tc, there_are_spare_places_but_never_more_than_blocks);
    tcase_add_test(tc, what_is_expected_is_what_a_first_field_takes);
    tcase_add_test(tc, one_value_or_mark_of_ice_in_much_land_is_seen);
    tcase_add_test(tc, gather_takes_blocks_to_their_places_and_fills_the_rest);
    tcase_add_test(tc, gather_of_some_places_is_that_part_of_all);
    tcase_add_test(tc, scatter_undoes_gather_and_leaves_cells_without_a_place);
    tcase_add_test(tc, fields_taken_together_give_the_places_of_fields_taken_in_turn);
    tcase_add_test(tc, parts_scatter_what_the_whole_scatters);
    tcase_add_test(tc, a_list_has_its_cells_in_order_and_none_waits);
    tcase_add_test(tc, marked_cells_get_the_places_of_values_and_lists_their_order);
    tcase_add_test(tc, a_domain_too_large_for_its_numbers_is_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
