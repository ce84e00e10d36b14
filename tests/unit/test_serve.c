/* What readers do and how it travels: the service called in this process, as a reader would call it. */
#include "stream/serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "day_files.h"
#include "test_main.h"

enum { N_CELLS = DAY_FILE_N_CELLS, N_DAYS = 5 };

/* A service with one task at a time, in memory of its own. */
struct server {
    void *state, *setup;
    size_t setup_bytes;
    void *slot;
    size_t slot_bytes;
    unsigned char reply[SST_CREW_MAX_REPLY];
};

static void open_server(struct server *server, const struct sst_serve_setup *setup, size_t slot_bytes)
{
    struct sst_error err = {SST_OK, ""};
    *server = (struct server){.slot_bytes = slot_bytes};
    ck_assert_int_eq(sst_serve_pack(setup, &server->setup, &server->setup_bytes, &err), SST_OK);
    ck_assert_msg(sst_serve.open(server->setup, server->setup_bytes, &server->state, &err) == SST_OK, "%s", err.text);
    server->slot = aligned_alloc(4096, (slot_bytes + 4095) / 4096 * 4096);
    ck_assert_ptr_nonnull(server->slot);
    memset(server->slot, 0xcc, slot_bytes);
}

static void close_server(struct server *server)
{
    sst_serve.close(server->state);
    sst_free(server->setup);
    free(server->slot);
}

static enum sst_status serve(struct server *server, const void *request, size_t n_bytes, struct sst_crew_result *result)
{
    struct sst_crew_task task = {.request = request,
                                 .request_bytes = n_bytes,
                                 .slot = server->slot,
                                 .slot_bytes = server->slot_bytes,
                                 .reply = server->reply};
    memset(result, 0, sizeof *result);
    ck_assert_uint_gt(n_bytes, 0);
    result->status = sst_serve.serve(server->state, &task, &result->error);
    result->values = server->slot;
    result->reply_bytes = task.reply_bytes;
    ck_assert_uint_le(task.reply_bytes, sizeof result->reply);
    memcpy(result->reply, server->reply, task.reply_bytes);
    return result->status;
}

static const char *write_days(const char *name, size_t steps_per_chunk)
{
    static const int days[N_DAYS] = {0, 1, 2, 3, 4};
    const char *path = test_path("%s/%s", test_scratch_dir(), name);
    const struct day_file file = {
        .days = days, .n_days = N_DAYS, .has_ice = true, .title = "of the test", .steps_per_chunk = steps_per_chunk};
    day_file_write(path, &file);
    return path;
}

/* A file opened here, and its whole grid as domain. */
struct opened {
    struct sst_file *file;
    const struct sst_file_info *info;
    struct sst_domain domain;
};

static void open_file(struct opened *opened, const char *path)
{
    static const struct sst_decode_options none;
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_file_open(path, &none, NULL, NULL, &opened->file, &err) == SST_OK, "%s", err.text);
    opened->info = sst_file_info(opened->file);
    sst_domain_all(opened->info->grid, &opened->domain);
}

START_TEST(a_scan_tells_what_the_file_says_when_opened_here)
{
    _Alignas(8) unsigned char request[SST_CREW_MAX_REQUEST];
    const struct sst_serve_setup setup = {.steps = {.n_most_open = 1}, .keys_per_slot = 1};
    const char *path = write_days("scan.nc", 0);
    struct opened here;
    struct server server;
    struct sst_crew_result result;
    struct sst_serve_reply reply;
    struct sst_scan_facts facts;
    open_file(&here, path);
    open_server(&server, &setup, sst_serve_scan_slot_bytes());
    const size_t n_bytes = sst_serve_scan_request(path, request);
    ck_assert_int_eq(serve(&server, request, n_bytes, &result), SST_OK);
    ck_assert(sst_serve_take_reply(&result, &reply));
    ck_assert(sst_scan_wire_read(result.values, reply.n_bytes, path, &facts));
    ck_assert_str_eq(facts.info.title, "of the test");
    ck_assert_str_eq(facts.info.format, here.info->format);
    ck_assert_str_eq(facts.info.variable, here.info->variable);
    ck_assert_uint_eq(facts.info.size_bytes, here.info->size_bytes);
    ck_assert_uint_eq(facts.info.n_steps, N_DAYS);
    ck_assert_mem_eq(facts.info.steps, here.info->steps, N_DAYS * sizeof *here.info->steps);
    ck_assert_uint_eq(facts.grid.n_lon, DAY_FILE_N_LON);
    ck_assert_mem_eq(facts.grid.lat, here.info->grid->lat, DAY_FILE_N_LAT * sizeof(double));
    ck_assert_double_gt(reply.timings.seconds[SST_PHASE_OPEN], 0.0);
    sst_file_close(&here.file);
    close_server(&server);
}
END_TEST

START_TEST(what_the_user_said_of_decoding_reaches_the_readers)
{
    _Alignas(8) unsigned char request[SST_CREW_MAX_REQUEST];
    struct sst_serve_setup setup = {.steps = {.n_most_open = 1}, .keys_per_slot = 1};
    const char *path = write_days("options.nc", 0);
    const size_t n_bytes = sst_serve_scan_request(path, request);
    struct server server;
    struct sst_crew_result result;
    struct sst_serve_reply reply;
    struct sst_scan_facts facts;
    setup.steps.decode = (struct sst_decode_options){.variable = "no_such_variable", .units = "kelvin"};
    open_server(&server, &setup, sst_serve_scan_slot_bytes());
    ck_assert_int_eq(serve(&server, request, n_bytes, &result), SST_ERR_INPUT);
    ck_assert_msg(strstr(result.error.text, "no_such_variable") != NULL, "%s", result.error.text);
    close_server(&server);
    setup.steps.decode =
        (struct sst_decode_options){.variable = "sst", .units = "kelvin", .status_from = "preliminary"};
    open_server(&server, &setup, sst_serve_scan_slot_bytes());
    ck_assert_int_eq(serve(&server, request, n_bytes, &result), SST_OK);
    ck_assert(sst_serve_take_reply(&result, &reply));
    ck_assert(sst_scan_wire_read(result.values, reply.n_bytes, path, &facts));
    ck_assert_str_eq(facts.info.units, "kelvin");
    ck_assert(facts.info.is_preliminary);
    close_server(&server);
    setup.steps.decode = (struct sst_decode_options){.ice_variable = "no_such_ice"};
    open_server(&server, &setup, sst_serve_scan_slot_bytes());
    ck_assert_int_ne(serve(&server, request, n_bytes, &result), SST_OK);
    ck_assert_msg(strstr(result.error.text, "no_such_ice") != NULL, "%s", result.error.text);
    close_server(&server);
}
END_TEST

/* The keys of all days of a file opened here. */
static void list_keys(const struct opened *here, struct sst_step_key keys[N_DAYS])
{
    for (uint32_t i = 0; i < N_DAYS; ++i)
        keys[i] = (struct sst_step_key){i, here->info->steps[i].at};
}

static struct sst_step_file step_file(const struct opened *here, const char *path)
{
    return (struct sst_step_file){
        .index = 3, .path = path, .size_bytes = here->info->size_bytes, .n_steps = here->info->n_steps};
}

static void expect_step(const struct sst_serve_step *step, int day, const uint8_t *keep)
{
    ck_assert_msg(step->is_decoded, "day %d is not decoded", day);
    for (int cell = 0; cell < N_CELLS; ++cell) {
        const int value = day_file_value(day, cell / DAY_FILE_N_LON, cell % DAY_FILE_N_LON);
        const int code = keep[cell] ? value : SST_CODE_MISSING;
        ck_assert_int_eq(step->values.codes[cell], code);
        ck_assert_uint_eq(step->values.ice[cell], keep[cell] && cell == 1);
        if (step->values.degc)
            ck_assert(code == SST_CODE_MISSING ? isnan(step->values.degc[cell])
                                               : step->values.degc[cell] == (float)(code / 100.0));
    }
    ck_assert(step->outcome.has_ice);
}

START_TEST(steps_come_into_their_places_and_nowhere_else)
{
    enum { KEYS_PER_SLOT = 7 };
    _Alignas(8) unsigned char request[SST_CREW_MAX_REQUEST];
    const char *path = write_days("steps.nc", N_DAYS);
    struct opened here;
    struct server server;
    struct sst_crew_result result;
    struct sst_serve_reply reply;
    struct sst_step_key keys[N_DAYS];
    uint8_t keep[N_CELLS];
    memset(keep, 1, sizeof keep);
    keep[2] = keep[N_CELLS - 2] = 0;
    open_file(&here, path);
    const struct sst_serve_layout layout = {N_CELLS, KEYS_PER_SLOT, _i == 1};
    const struct sst_serve_setup setup = {
        .steps = {.domain = &here.domain, .keep = keep, .n_most_open = 1, .wants_degc = layout.has_degc},
        .keys_per_slot = KEYS_PER_SLOT};
    const size_t slot_bytes = sst_serve_slot_bytes(&layout);
    open_server(&server, &setup, slot_bytes);
    list_keys(&here, keys);
    const struct sst_step_file file = step_file(&here, path);
    const size_t n_bytes = sst_serve_steps_request(&file, keys, N_DAYS, request);
    ck_assert_int_eq(serve(&server, request, n_bytes, &result), SST_OK);
    ck_assert(sst_serve_take_reply(&result, &reply));
    ck_assert_ptr_nonnull(strstr(reply.reading, "netCDF-4: "));
    for (size_t key = 0; key < N_DAYS; ++key) {
        const struct sst_serve_step step = sst_serve_step_in(&layout, server.slot, key);
        ck_assert((step.values.degc != NULL) == layout.has_degc);
        expect_step(&step, (int)key, keep);
    }
    /* The places behind the last one asked for are as they were. */
    const struct sst_serve_step next = sst_serve_step_in(&layout, server.slot, N_DAYS);
    ck_assert(!next.is_decoded);
    const unsigned char *end = (unsigned char *)server.slot + slot_bytes;
    for (const unsigned char *at = (unsigned char *)next.values.codes; at < end; ++at)
        ck_assert_uint_eq(*at, 0xcc);
    sst_file_close(&here.file);
    close_server(&server);
}
END_TEST

START_TEST(places_in_a_slot_do_not_overlap)
{
    static const size_t n_cells[] = {1, 31, 32, 33, 64, 1000}, n_keys[] = {1, 2, 3, SST_SERVE_MAX_KEYS};
    for (size_t c = 0; c < sizeof n_cells / sizeof *n_cells; ++c) {
        for (size_t k = 0; k < sizeof n_keys / sizeof *n_keys; ++k) {
            const struct sst_serve_layout layout = {n_cells[c], n_keys[k], _i == 1};
            const size_t slot_bytes = sst_serve_slot_bytes(&layout);
            unsigned char *slot = aligned_alloc(64, slot_bytes);
            ck_assert_ptr_nonnull(slot);
            memset(slot, 0, slot_bytes);
            for (size_t key = 0; key < n_keys[k]; ++key) {
                const struct sst_serve_step step = sst_serve_step_in(&layout, slot, key);
                const struct sst_step_values *values = &step.values;
                ck_assert(!step.is_decoded); /* marks were not written over */
                ck_assert_uint_eq((uintptr_t)values->codes % 64, 0);
                ck_assert((values->degc != NULL) == layout.has_degc && (uintptr_t)values->degc % 64 == 0);
                bool is_untouched = true;
                for (size_t cell = 0; cell < n_cells[c]; ++cell) {
                    is_untouched &= values->codes[cell] == 0 && values->ice[cell] == 0;
                    is_untouched &= !values->degc || values->degc[cell] == 0.0F;
                    values->codes[cell] = -1;
                    values->ice[cell] = 0xff;
                    if (values->degc)
                        values->degc[cell] = -1.0F;
                }
                ck_assert(is_untouched);
                ck_assert(values->ice + n_cells[c] <= slot + slot_bytes);
                ck_assert(!values->degc || (unsigned char *)(values->degc + n_cells[c]) <= slot + slot_bytes);
            }
            free(slot);
        }
    }
}
END_TEST

START_TEST(the_first_step_decides_and_others_may_be_absent)
{
    _Alignas(8) unsigned char request[SST_CREW_MAX_REQUEST];
    const char *path = write_days("absent.nc", N_DAYS);
    struct opened here;
    struct server server;
    struct sst_crew_result result;
    struct sst_serve_reply reply;
    struct sst_step_key keys[N_DAYS];
    uint8_t keep[N_CELLS];
    memset(keep, 1, sizeof keep);
    open_file(&here, path);
    const struct sst_serve_setup setup = {.steps = {.domain = &here.domain, .n_most_open = 1}, .keys_per_slot = 3};
    const struct sst_serve_layout layout = {N_CELLS, 3, false};
    open_server(&server, &setup, sst_serve_slot_bytes(&layout));
    list_keys(&here, keys);
    keys[1].at.second += 1; /* no longer the step that was scanned */
    const struct sst_step_file file = step_file(&here, path);
    size_t n_bytes = sst_serve_steps_request(&file, keys, 3, request);
    ck_assert_int_eq(serve(&server, request, n_bytes, &result), SST_OK);
    for (size_t key = 0; key < 3; ++key) {
        const struct sst_serve_step step = sst_serve_step_in(&layout, server.slot, key);
        if (key == 1)
            ck_assert(!step.is_decoded);
        else
            expect_step(&step, (int)key, keep);
    }
    n_bytes = sst_serve_steps_request(&file, keys + 1, 2, request);
    ck_assert_int_eq(serve(&server, request, n_bytes, &result), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(result.error.text, "has changed since it was scanned"));
    ck_assert(sst_serve_take_reply(&result, &reply));
    sst_file_close(&here.file);
    close_server(&server);
}
END_TEST

START_TEST(requests_that_do_not_fit_are_none)
{
    enum { PATH_BYTES = 4096 };
    static unsigned char request[SST_CREW_MAX_REQUEST], memo[SST_FILE_MEMO_MAX];
    static struct sst_step_key keys[SST_SERVE_MAX_KEYS];
    static char path[SST_CREW_MAX_REQUEST + 1];
    memset(path, 'p', sizeof path - 1);
    struct sst_step_file file = {.path = path, .memo = memo, .memo_bytes = sizeof memo};
    ck_assert_uint_eq(sst_serve_scan_request(path, request), 0);
    ck_assert_uint_eq(sst_serve_steps_request(&file, keys, 1, request), 0);
    path[PATH_BYTES - 1] = '\0'; /* the longest that the system opens */
    ck_assert_uint_gt(sst_serve_scan_request(path, request), PATH_BYTES);
    ck_assert_uint_gt(sst_serve_steps_request(&file, keys, SST_SERVE_MAX_KEYS, request),
                      PATH_BYTES + sizeof memo + sizeof keys);
}
END_TEST

START_TEST(replies_that_are_none_are_seen)
{
    struct sst_crew_result result = {.reply_bytes = 0};
    struct sst_serve_reply reply;
    ck_assert(!sst_serve_take_reply(&result, &reply));
    result.reply_bytes = sizeof reply - 1;
    ck_assert(!sst_serve_take_reply(&result, &reply));
    result.reply_bytes = sizeof reply;
    memset(result.reply, 'x', sizeof result.reply);
    ck_assert(sst_serve_take_reply(&result, &reply));
    ck_assert_uint_eq(strlen(reply.reading), sizeof reply.reading - 1);
}
END_TEST

/* The reason names the file and a remedy, and is never a failure of the run. */
START_TEST(failures_say_what_became_of_the_reader)
{
    static const struct {
        enum sst_crew_fate fate;
        enum sst_status status, expected;
        const char *said, *text;
    } rows[] = {
        {SST_CREW_DIED, SST_ERR_INPUT, SST_ERR_INPUT, "its reader was killed by signal 11, twice",
         "a.nc: its reader was killed by signal 11, twice. The file is damaged; fetch it again"},
        {SST_CREW_TIMED_OUT, SST_ERR_INPUT, SST_ERR_INPUT, "unused",
         "a.nc: not read within 2.5 s. The file is damaged, or its disk slow: fetch it again, or use a larger "
         "--read-timeout"},
        {SST_CREW_DONE, SST_ERR_GRID, SST_ERR_GRID, "a.nc: another grid", "a.nc: another grid"},
        {SST_CREW_DONE, SST_OK, SST_ERR_INPUT, "",
         "a.nc: its reader gave nonsense. The file is damaged; fetch it again"},
        {SST_CREW_DONE, SST_ERR_NOMEM, SST_ERR_INPUT, "no memory for a chunk",
         "a.nc: more than a reader's memory is needed (no memory for a chunk). The file is damaged: fetch it again; or "
         "use --readers 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct sst_crew_result result = {.fate = rows[i].fate, .status = rows[i].status};
        struct sst_error err = {SST_OK, ""};
        memcpy(result.error.text, rows[i].said, strlen(rows[i].said) + 1);
        ck_assert_int_eq(sst_serve_fail(&result, "a.nc", 2.5, &err), rows[i].expected);
        ck_assert_int_eq(err.code, rows[i].expected);
        ck_assert_str_eq(err.text, rows[i].text);
    }
}
END_TEST

START_TEST(readers_of_large_grids_may_take_more_memory)
{
    const struct sst_grid small = {.n_lat = 4, .n_lon = 6}, large = {.n_lat = 17999, .n_lon = 36000};
    ck_assert_uint_lt(sst_serve_memory_bytes(&small), SST_READER_BYTES + 100000);
    ck_assert_uint_gt(sst_serve_memory_bytes(&large), (uint64_t)17999 * 36000 * 32);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("serve");
    TCase *tests = tcase_create("service");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_scan_tells_what_the_file_says_when_opened_here);
    tcase_add_test(tests, what_the_user_said_of_decoding_reaches_the_readers);
    tcase_add_loop_test(tests, steps_come_into_their_places_and_nowhere_else, 0, 2); /* the second has values in degC */
    tcase_add_loop_test(tests, places_in_a_slot_do_not_overlap, 0, 2);
    tcase_add_test(tests, the_first_step_decides_and_others_may_be_absent);
    tcase_add_test(tests, requests_that_do_not_fit_are_none);
    tcase_add_test(tests, replies_that_are_none_are_seen);
    tcase_add_test(tests, failures_say_what_became_of_the_reader);
    tcase_add_test(tests, readers_of_large_grids_may_take_more_memory);
    suite_add_tcase(suite, tests);
    return suite;
}
