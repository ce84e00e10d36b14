/* The reader processes at work: who gets which step when, and where results go. */
#include <string.h>

#include "backend/gpu_devices.h"
#include "core/mem.h"
#include "stream/steps_private.h"

/* A slot may hold many steps of a chunk, but not much more than this. [bytes] */
#define MAX_SLOT_BYTES ((size_t)64 << 20)

/* Steps of one file that are asked for one after the other are read by one task, where they are no more than this. [bytes] */
enum { MAX_BATCH_BYTES = 1 << 20, MAX_BATCH = 64 };

static size_t at_least_one(size_t n) { return n > 0 ? n : 1; }

static struct sst_serve_layout layout_of(const struct sst_steps *steps, size_t keys_per_slot)
{
    return (struct sst_serve_layout){steps->domain->n_cells, keys_per_slot, steps->options->wants_degc};
}

/* [bytes] of a slot for one step */
static size_t bytes_of_one(const struct sst_steps *steps)
{
    const struct sst_serve_layout layout = layout_of(steps, 1);
    return sst_serve_slot_bytes(&layout);
}

/* Small fields of one file that go together: telling each other of a task takes as long as decoding one of them. */
static size_t batch_of(const struct sst_steps *steps, const struct sst_catalog_file *file)
{
    const size_t n = MAX_BATCH_BYTES / bytes_of_one(steps);
    const size_t most = n < MAX_BATCH ? n : MAX_BATCH;
    return at_least_one(most < file->n_steps ? most : file->n_steps);
}

static size_t keys_per_slot(const struct sst_steps *steps)
{
    const size_t room = MAX_SLOT_BYTES / bytes_of_one(steps);
    size_t most = 1;
    for (size_t i = 0; i < steps->catalog->n_files; ++i) {
        const struct sst_catalog_file *file = &steps->catalog->files[i];
        const size_t n = sst_steps_spans(file) ? file->steps_per_chunk : batch_of(steps, file);
        most = n > most ? n : most;
    }
    most = most < SST_SERVE_MAX_KEYS ? most : SST_SERVE_MAX_KEYS;
    most = most < room ? most : room;
    return at_least_one(most);
}

size_t sst_reader_n_slots(int n_readers)
{
    /*
     * Those held; for each reader one that it works on and one that waits for it, and as many again that are finished. On
     * average fewer do (R >= T_read / T_work + 1 asks for 3 at a quarter of a degree with two readers), but a slot that is
     * finished and written keeps the engine from taking for a while.
     */
    enum { SLOTS_PER_READER = 4 };
    return SST_MAX_HELD_FIELDS + SLOTS_PER_READER * (size_t)n_readers;
}

/* No more than there is to read and one: memory of slots is touched before the first file, and one day needs two. */
static size_t n_slots_of(const struct sst_steps *steps)
{
    const int n_readers = steps->options->crew->n_readers;
    const size_t n_most = steps->keys_per_slot > 1 ? 2 * (size_t)n_readers + 1 : sst_reader_n_slots(n_readers);
    return n_most <= steps->catalog->n_entries ? n_most : steps->catalog->n_entries + 1;
}

/*
 * Devices copy faster from memory that is page-locked, and without holding up this process. Slots for many steps are left: they
 * are large, mostly untouched, and what is in them goes through memory of its own.
 */
static void lock_slots(struct sst_steps *steps)
{
    const struct sst_gpu_devices *devices = steps->options->devices;
    struct sst_error why = {0};
    size_t n_bytes = 0;
    void *slots = sst_crew_memory(steps->crew, &n_bytes);
    if (!devices || devices->n == 0 || steps->keys_per_slot > 1 || n_bytes == 0)
        return;
    if (sst_gpu_lock_host(devices, slots, n_bytes, &why) == SST_OK)
        steps->locked = slots;
    else if (steps->options->details) /* copies from it are only slower */
        steps->options->details(steps->options->details_user, why.text);
}

enum sst_status sst_steps_start_crew(struct sst_steps *steps, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const struct sst_reader_crew *crew = steps->options->crew;
    const size_t n_readers = (size_t)crew->n_readers;
    void *setup = NULL;
    size_t setup_bytes = 0;
    steps->keys_per_slot = keys_per_slot(steps);
    steps->n_slots = n_slots_of(steps);
    const struct sst_serve_setup serve = {
        .steps = {.domain = steps->domain,
                  .lattice = steps->catalog->lattice,
                  .keep = steps->options->keep,
                  .decode = steps->options->decode,
                  .n_most_open = n_readers < SST_MAX_OPEN_FILES ? SST_MAX_OPEN_FILES / n_readers : 1,
                  .wants_degc = steps->options->wants_degc},
        .keys_per_slot = steps->keys_per_slot};
    const struct sst_serve_layout layout = layout_of(steps, steps->keys_per_slot);
    SST_TRY_GOTO(sst_alloc(steps->n_slots, sizeof *steps->tasks, "tasks of readers", &steps->tasks, err));
    for (size_t i = 0; i < steps->n_slots; ++i)
        SST_TRY_GOTO(sst_alloc(steps->keys_per_slot, sizeof *steps->tasks[i].entries, "tasks of readers",
                               &steps->tasks[i].entries, err));
    SST_TRY_GOTO(sst_serve_pack(&serve, &setup, &setup_bytes, err));
    const struct sst_crew_options options = {.n_readers = crew->n_readers,
                                             .is_short = crew->is_short,
                                             .task_seconds = crew->task_seconds,
                                             .memory_bytes = sst_serve_memory_bytes(steps->domain->grid),
                                             .n_slots = steps->n_slots,
                                             .slot_bytes = sst_serve_slot_bytes(&layout),
                                             .prefault = steps->keys_per_slot == 1,
                                             .setup = setup,
                                             .setup_bytes = setup_bytes};
    SST_TRY_GOTO(sst_crew_start(crew->crew, &options, err));
    steps->crew = crew->crew;
    lock_slots(steps);
done:
    sst_free(setup);
    return rc;
}

void sst_steps_stop_crew(struct sst_steps *steps)
{
    if (steps->locked)
        sst_gpu_unlock_host(steps->options->devices, steps->locked);
    for (size_t i = 0; steps->tasks && i < steps->n_slots; ++i)
        sst_free(steps->tasks[i].entries);
    sst_free(steps->tasks);
    sst_free(steps->expected);
}

/* --- giving ------------------------------------------------------------------------------------------------------- */

static size_t free_task(const struct sst_steps *steps)
{
    size_t i = 0;
    while (steps->tasks[i].n > 0) /* there are as many as slots, of which one is free */
        ++i;
    return i;
}

/* Tasks of one chunk go to one reader, which has it unpacked. */
static int reader_for(const struct sst_steps *steps, const struct sst_catalog_entry *at)
{
    const struct sst_catalog_file *file = &steps->catalog->files[at->file];
    if (!sst_steps_spans(file))
        return SST_CREW_ANY_READER;
    return (int)((at->file + at->step / file->steps_per_chunk) % SST_CREW_MAX_READERS);
}

/* The entries that are asked for next, as long as they are of the same file and small. */
static void add_following(struct sst_steps *steps, struct sst_steps_task *task)
{
    const struct sst_catalog_entry *entries = steps->catalog->entries;
    const uint32_t file = entries[task->entries[0]].file;
    const size_t batch = batch_of(steps, &steps->catalog->files[file]);
    for (; task->n < batch && steps->next_expected < steps->n_expected; ++steps->next_expected) {
        const uint32_t entry = steps->expected[steps->next_expected];
        if (entries[entry].file != file)
            return;
        if (steps->is_done[entry] || steps->is_in_hand[entry] || steps->ready[entry])
            continue;
        if (steps->is_alone[entry] || !sst_steps_may_wait(steps, entry))
            return;
        sst_steps_take_room(steps);
        task->entries[task->n++] = entry;
    }
}

/* Gives an entry, and with it others of its chunk or that follow it, to a reader; there is a free slot. */
static enum sst_status give(struct sst_steps *steps, size_t entry, struct sst_error *err)
{
    unsigned char memo[SST_FILE_MEMO_MAX], request[SST_CREW_MAX_REQUEST];
    struct sst_step_key keys[SST_SERVE_MAX_KEYS];
    const struct sst_catalog_entry *at = &steps->catalog->entries[entry];
    const struct sst_step_file file = sst_steps_file(steps, at, memo);
    const size_t index = free_task(steps);
    struct sst_steps_task *task = &steps->tasks[index];
    task->entries[0] = (uint32_t)entry;
    task->n = 1;
    if (!steps->is_alone[entry])
        task->n += sst_steps_with(steps, entry, task->entries + 1, steps->keys_per_slot - 1);
    if (!steps->is_alone[entry] && !sst_steps_spans(&steps->catalog->files[at->file]))
        add_following(steps, task);
    for (size_t i = 0; i < task->n; ++i) {
        keys[i] = sst_steps_key(steps, task->entries[i]);
        steps->is_in_hand[task->entries[i]] = 1;
    }
    const size_t n_bytes = sst_serve_steps_request(&file, keys, task->n, request);
    if (n_bytes == 0)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: a path of %zu bytes", file.path, strlen(file.path));
    return sst_crew_give(steps->crew, index, reader_for(steps, at), request, n_bytes, err);
}

/* A waiting step moves from its slot to memory of its own, so that the slot is free. */
static enum sst_status make_room(struct sst_steps *steps, struct sst_error *err)
{
    for (size_t entry = steps->catalog->n_entries; entry-- > 0;) {
        struct sst_step *step = steps->ready[entry];
        struct sst_step *own = NULL;
        if (!step || step->slot == SST_OWN_MEMORY)
            continue;
        SST_TRY(sst_steps_new(steps, &own, err));
        sst_steps_copy(steps, &(struct sst_step_values){step->codes, step->ice, step->degc}, own);
        own->outcome = step->outcome;
        steps->ready[entry] = own;
        sst_steps_take_room(steps);
        sst_steps_give_back(steps, &step);
        return SST_OK;
    }
    return sst_fail(err, SST_ERR_INTERNAL, "no slot of %zu is free for a file", steps->n_slots);
}

/* Gives out what will be asked for next, as far as slots go; one is kept for what nobody expected. */
static enum sst_status give_expected(struct sst_steps *steps, struct sst_error *err)
{
    while (steps->next_expected < steps->n_expected && sst_crew_n_free(steps->crew) > 1 &&
           (steps->keys_per_slot == 1 || steps->cache_room > 0)) {
        const uint32_t entry = steps->expected[steps->next_expected++];
        if (!steps->is_done[entry] && !steps->is_in_hand[entry] && !steps->ready[entry])
            SST_TRY(give(steps, entry, err));
    }
    return SST_OK;
}

/* --- taking ------------------------------------------------------------------------------------------------------- */

/* Keeps why an entry has no field; `result` NULL: a step of its file was not read in time, so no other is tried. */
static enum sst_status note_failure(struct sst_steps *steps, size_t entry, const struct sst_crew_result *result,
                                    struct sst_error *err)
{
    const uint32_t file = steps->catalog->entries[entry].file;
    const struct sst_crew_result late = {.fate = SST_CREW_TIMED_OUT};
    struct sst_error **failure = &steps->failures[entry];
    if (!*failure)
        SST_TRY(sst_alloc(1, sizeof **failure, "a failure", failure, err));
    **failure = (struct sst_error){0};
    (void)sst_serve_fail(result ? result : &late, steps->catalog->files[file].path, steps->options->crew->task_seconds,
                         *failure);
    steps->has_hung[file] |= !result || result->fate == SST_CREW_TIMED_OUT;
    return SST_OK;
}

/* Whether a result holds what its task was given for, its first step. */
static bool is_good_result(const struct sst_steps *steps, const struct sst_crew_result *result,
                           struct sst_serve_reply *reply)
{
    const struct sst_serve_layout layout = layout_of(steps, steps->keys_per_slot);
    return result->fate == SST_CREW_DONE && result->status == SST_OK && sst_serve_take_reply(result, reply) &&
           sst_serve_step_in(&layout, result->values, 0).is_decoded;
}

/* A step stays in its slot where slots have room for one, else it moves to memory of its own. */
static enum sst_status keep_step(struct sst_steps *steps, const struct sst_steps_task *task, size_t key,
                                 const struct sst_crew_result *result, struct sst_error *err)
{
    const struct sst_serve_layout layout = layout_of(steps, steps->keys_per_slot);
    const struct sst_serve_step served = sst_serve_step_in(&layout, result->values, key);
    const struct sst_step_values *values = &served.values;
    struct sst_step *step = NULL;
    if (!served.is_decoded)
        return SST_OK;
    if (steps->keys_per_slot == 1) {
        SST_TRY(sst_alloc(1, sizeof *step, "a day field", &step, err));
        *step = (struct sst_step){values->codes, values->ice, values->degc, served.outcome, result->slot};
    } else {
        SST_TRY(sst_steps_new(steps, &step, err));
        sst_steps_copy(steps, values, step);
        step->outcome = served.outcome;
    }
    steps->ready[task->entries[key]] = step;
    return SST_OK;
}

/* Puts a result where it is waited for. `wanted` is asked for now, and done for all others. */
static enum sst_status absorb(struct sst_steps *steps, const struct sst_crew_result *result, size_t wanted,
                              struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_steps_task *task = &steps->tasks[result->tag];
    struct sst_serve_reply reply;
    const bool is_good = is_good_result(steps, result, &reply);
    steps->totals.n_deaths += (size_t)result->n_deaths;
    if (is_good)
        sst_timings_add(&steps->totals.timings, &reply.timings);
    for (size_t key = 0; key < task->n && rc == SST_OK; ++key) {
        const size_t entry = task->entries[key];
        steps->is_in_hand[entry] = 0;
        if (is_good)
            rc = keep_step(steps, task, key, result, err);
        else if (task->n > 1 && result->fate != SST_CREW_DONE)
            steps->is_alone[entry] = 1; /* which of them it was is not known: each is asked for by itself */
        else if (key == 0)
            rc = note_failure(steps, entry, result, err);
        const bool is_ready = steps->ready[entry] != NULL;
        if (is_ready)
            sst_steps_count(steps, entry, key == 0 ? reply.reading : NULL);
        if (key > 0 && !is_ready)
            sst_steps_return_room(steps);
        else if (key == 0 && is_ready && steps->ready[entry]->slot == SST_OWN_MEMORY)
            sst_steps_take_room(steps);
        if (is_ready && steps->is_done[entry] && entry != wanted)
            sst_steps_pass_over(steps, entry);
    }
    if (!is_good || steps->keys_per_slot > 1)
        sst_crew_release(steps->crew, result->slot);
    task->n = 0;
    return rc;
}

static enum sst_status absorb_next(struct sst_steps *steps, size_t wanted, struct sst_error *err)
{
    struct sst_crew_result result;
    const struct sst_reader_crew *crew = steps->options->crew;
    SST_TRY(sst_crew_next(steps->crew, &result, crew->cancelled, crew->cancelled_user, err));
    return absorb(steps, &result, wanted, err);
}

/* There is a slot for an entry that nobody expected, or that came back without a field. */
static enum sst_status find_slot(struct sst_steps *steps, size_t wanted, struct sst_error *err)
{
    while (sst_crew_n_free(steps->crew) == 0) {
        if (sst_crew_n_in_hand(steps->crew) > 0)
            SST_TRY(absorb_next(steps, wanted, err));
        else
            SST_TRY(make_room(steps, err));
    }
    return SST_OK;
}

static bool is_settled(const struct sst_steps *steps, size_t entry)
{
    return steps->ready[entry] || steps->failures[entry];
}

enum sst_status sst_steps_await(struct sst_steps *steps, size_t entry, struct sst_error *err)
{
    SST_TRY(give_expected(steps, err));
    while (!is_settled(steps, entry)) {
        if (!steps->is_in_hand[entry]) {
            SST_TRY(find_slot(steps, entry, err));
            if (is_settled(steps, entry))
                break;
            if (steps->has_hung[steps->catalog->entries[entry].file])
                return note_failure(steps, entry, NULL, err);
            SST_TRY(give(steps, entry, err));
        }
        SST_TRY(absorb_next(steps, entry, err));
        SST_TRY(give_expected(steps, err));
    }
    return SST_OK;
}
