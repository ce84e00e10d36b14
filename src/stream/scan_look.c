/* Headers of files: read here one after the other, or by reader processes many at a time. */
#include <string.h>

#include "core/mem.h"
#include "stream/scan_private.h"
#include "stream/serve.h"

static void show_progress(const struct sst_scan *scan, size_t done, size_t total)
{
    if (scan->options->progress && !scan->is_quiet)
        scan->options->progress(scan->options->progress_user, done, total);
}

static void begin(struct sst_scan *scan, const char *path)
{
    scan->path = path;
    scan->catalog->n_scanned += !scan->is_quiet;
}

/* --- in this process ---------------------------------------------------------------------------------------------- */

static enum sst_status look_at_one(struct sst_scan *scan, const char *path, struct sst_decode_scratch *scratch,
                                   sst_scan_take_fn *take, struct sst_error *err)
{
    unsigned char memo[SST_FILE_MEMO_MAX];
    struct sst_scan_facts facts = {0};
    struct sst_file *file = NULL;
    struct sst_error problem = {0};
    struct sst_decode_options decode = scan->options->decode;
    const double start = sst_timings_now();
    decode.scratch = scratch;
    begin(scan, path);
    if (sst_file_open(path, &decode, sst_scan_note, scan, &file, &problem) == SST_OK) {
        facts.info = *sst_file_info(file);
        facts.memo = memo;
        facts.memo_bytes = sst_file_memo(file, memo);
    }
    (void)sst_timings_book(&scan->catalog->timings, SST_PHASE_OPEN, start);
    const enum sst_status rc = take(scan, path, &facts, &problem, err);
    sst_file_close(&file);
    return rc;
}

static enum sst_status look_at_all(struct sst_scan *scan, const char *const *paths, size_t n_paths,
                                   sst_scan_take_fn *take, struct sst_error *err)
{
    struct sst_decode_scratch *scratch = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_decode_scratch_create(&scratch, err));
    for (size_t i = 0; i < n_paths && rc == SST_OK; ++i) {
        rc = look_at_one(scan, paths[i], scratch, take, err);
        show_progress(scan, i + 1, n_paths);
    }
    sst_decode_scratch_destroy(&scratch);
    return rc;
}

/* --- by reader processes ------------------------------------------------------------------------------------------ */

/* Results come in any order; those that came before their turn wait. */
struct look {
    struct sst_scan *scan;
    const struct sst_reader_crew *crew;
    const char *const *paths;
    size_t n_paths, next_given, next_taken;
    struct sst_crew_result *waiting; /* n_slots, by path index modulo n_slots */
    bool *is_there;
    size_t n_slots;
    sst_scan_take_fn *take;
};

static enum sst_status start(struct look *look, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const struct sst_serve_setup serve = {.steps = {.decode = look->scan->options->decode, .n_most_open = 1},
                                          .keys_per_slot = 1};
    void *setup = NULL;
    size_t setup_bytes = 0;
    SST_TRY_GOTO(sst_serve_pack(&serve, &setup, &setup_bytes, err));
    const struct sst_crew_options options = {.n_readers = look->crew->n_readers,
                                             .is_short = look->crew->is_short,
                                             .task_seconds = look->crew->task_seconds,
                                             .memory_bytes = SST_READER_BYTES,
                                             .n_slots = look->n_slots,
                                             .slot_bytes = sst_serve_scan_slot_bytes(),
                                             .setup = setup,
                                             .setup_bytes = setup_bytes};
    SST_TRY_GOTO(sst_crew_start(look->crew->crew, &options, err));
done:
    sst_free(setup);
    return rc;
}

static enum sst_status give_all(struct look *look, struct sst_error *err)
{
    unsigned char request[SST_CREW_MAX_REQUEST];
    while (look->next_given < look->n_paths && look->next_given < look->next_taken + look->n_slots) {
        const size_t n_bytes = sst_serve_scan_request(look->paths[look->next_given], request);
        if (n_bytes == 0)
            return sst_fail(err, SST_ERR_INPUT, "%.200s...: the path is too long", look->paths[look->next_given]);
        SST_TRY(sst_crew_give(look->crew->crew, look->next_given++, SST_CREW_ANY_READER, request, n_bytes, err));
    }
    return SST_OK;
}

static void pass_notes_on(struct sst_scan *scan, const struct sst_scan_facts *facts)
{
    const char *text = facts->notes;
    for (size_t i = 0; i < facts->n_notes; ++i, text += strlen(text) + 1)
        sst_scan_note(scan, text);
}

static enum sst_status take_result(struct look *look, struct sst_crew_result *result, struct sst_error *err)
{
    const char *path = look->paths[result->tag];
    struct sst_scan_facts facts = {0};
    struct sst_error problem = {0};
    struct sst_serve_reply reply;
    begin(look->scan, path);
    if (result->fate != SST_CREW_DONE || result->status != SST_OK || !sst_serve_take_reply(result, &reply) ||
        reply.n_bytes > sst_serve_scan_slot_bytes() || !sst_scan_wire_read(result->values, reply.n_bytes, path, &facts))
        (void)sst_serve_fail(result, path, look->crew->task_seconds, &problem);
    look->scan->catalog->n_reader_deaths += (size_t)result->n_deaths;
    if (problem.code == SST_OK) {
        sst_timings_add(&look->scan->catalog->timings, &reply.timings);
        pass_notes_on(look->scan, &facts);
    }
    const enum sst_status rc = look->take(look->scan, path, &facts, &problem, err);
    sst_crew_release(look->crew->crew, result->slot);
    return rc;
}

static enum sst_status look_by_crew(struct look *look, struct sst_error *err)
{
    SST_TRY(start(look, err));
    while (look->next_taken < look->n_paths) {
        struct sst_crew_result result;
        SST_TRY(give_all(look, err));
        SST_TRY(sst_crew_next(look->crew->crew, &result, look->crew->cancelled, look->crew->cancelled_user, err));
        look->waiting[result.tag % look->n_slots] = result;
        look->is_there[result.tag % look->n_slots] = true;
        for (size_t at; at = look->next_taken % look->n_slots, look->is_there[at]; ++look->next_taken) {
            look->is_there[at] = false;
            SST_TRY(take_result(look, &look->waiting[at], err));
            show_progress(look->scan, look->next_taken + 1, look->n_paths);
        }
    }
    return SST_OK;
}

static enum sst_status look_with_crew(struct sst_scan *scan, const char *const *paths, size_t n_paths,
                                      sst_scan_take_fn *take, struct sst_error *err)
{
    enum { SLOTS_PER_READER = 4 };
    enum sst_status rc = SST_OK;
    struct look look = {.scan = scan,
                        .crew = scan->options->crew,
                        .paths = paths,
                        .n_paths = n_paths,
                        .n_slots = SLOTS_PER_READER * (size_t)scan->options->crew->n_readers,
                        .take = take};
    SST_TRY_GOTO(sst_alloc(look.n_slots, sizeof *look.waiting, "the scan", &look.waiting, err));
    SST_TRY_GOTO(sst_alloc(look.n_slots, sizeof *look.is_there, "the scan", &look.is_there, err));
    SST_TRY_GOTO(look_by_crew(&look, err));
done:
    sst_free(look.waiting);
    sst_free(look.is_there);
    return rc;
}

enum sst_status sst_scan_look_at(struct sst_scan *scan, const char *const *paths, size_t n_paths,
                                 sst_scan_take_fn *take, struct sst_error *err)
{
    return scan->options->crew ? look_with_crew(scan, paths, n_paths, take, err)
                               : look_at_all(scan, paths, n_paths, take, err);
}
