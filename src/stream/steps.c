/* Entries and their fields: wanted, waiting, taken, given back. */
#include "stream/steps.h"

#include <string.h>

#include "core/mem.h"
#include "stream/steps_private.h"

static void destroy_step(struct sst_step **step)
{
    if (!*step)
        return;
    if ((*step)->slot == SST_OWN_MEMORY) {
        sst_free((*step)->codes);
        sst_free((*step)->ice);
        sst_free((*step)->degc);
    }
    sst_free(*step);
    *step = NULL;
}

static int64_t step_bytes(const struct sst_steps *steps)
{
    const size_t degc_bytes = steps->options->wants_degc ? sizeof(float) : 0;
    return (int64_t)(steps->domain->n_cells * (sizeof(int16_t) + sizeof(uint8_t) + degc_bytes));
}

/* Entries by file and step, for the files whose chunks hold many steps. */
static enum sst_status index_steps(struct sst_steps *steps, struct sst_error *err)
{
    const struct sst_catalog *catalog = steps->catalog;
    size_t n_steps = 0;
    SST_TRY(sst_alloc(catalog->n_files, sizeof *steps->first_step, "the index of steps", &steps->first_step, err));
    for (size_t file = 0; file < catalog->n_files; ++file) {
        steps->first_step[file] = n_steps;
        n_steps += sst_steps_spans(&catalog->files[file]) ? catalog->files[file].n_steps : 0;
    }
    SST_TRY(sst_alloc(n_steps, sizeof *steps->entry_of_step, "the index of steps", &steps->entry_of_step, err));
    for (size_t i = 0; i < n_steps; ++i)
        steps->entry_of_step[i] = SST_NO_ENTRY;
    for (size_t entry = 0; entry < catalog->n_entries; ++entry) {
        const struct sst_catalog_entry *at = &catalog->entries[entry];
        if (sst_steps_spans(&catalog->files[at->file]))
            steps->entry_of_step[steps->first_step[at->file] + at->step] = (uint32_t)entry;
    }
    return SST_OK;
}

/* Days that no pool holds or that are of no wanted slot are never asked for. */
static bool will_be_asked_for(const struct sst_reader_options *options, struct sst_day day)
{
    if (options->wanted_slots && !options->wanted_slots[day.slot])
        return false;
    return !options->pools || sst_pool_class(options->pools, day) != SST_NO_CLASS;
}

static enum sst_status open_files(struct sst_steps *steps, struct sst_error *err)
{
    const struct sst_step_setup setup = {.domain = steps->domain,
                                         .lattice = steps->catalog->lattice,
                                         .keep = steps->options->keep,
                                         .decode = steps->options->decode,
                                         .n_most_open = SST_MAX_OPEN_FILES,
                                         .wants_degc = steps->options->wants_degc};
    return sst_step_files_create(&setup, &steps->files, err);
}

enum sst_status sst_steps_create(const struct sst_catalog *catalog, const struct sst_domain *domain,
                                 const struct sst_reader_options *options, struct sst_steps **out,
                                 struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_steps *steps = NULL;
    const size_t n = catalog->n_entries;
    SST_TRY_GOTO(sst_alloc(1, sizeof *steps, "the reader", &steps, err));
    steps->catalog = catalog;
    steps->domain = domain;
    steps->options = options;
    steps->cache_room = (int64_t)(options->cache_bytes ? options->cache_bytes : SST_STEP_CACHE_BYTES);
    SST_TRY_GOTO(sst_alloc(n, sizeof *steps->is_done, "the marks of days", &steps->is_done, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *steps->is_in_hand, "the marks of days", &steps->is_in_hand, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *steps->is_alone, "the marks of days", &steps->is_alone, err));
    SST_TRY_GOTO(sst_alloc(catalog->n_files, sizeof *steps->has_hung, "the marks of files", &steps->has_hung, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *steps->ready, "the step cache", &steps->ready, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *steps->failures, "the step cache", &steps->failures, err));
    SST_TRY_GOTO(index_steps(steps, err));
    for (size_t entry = 0; entry < n; ++entry)
        steps->is_done[entry] = !will_be_asked_for(options, catalog->entries[entry].at.day);
    SST_TRY_GOTO(options->crew ? sst_steps_start_crew(steps, err) : open_files(steps, err));
    *out = steps;
    steps = NULL;
done:
    sst_steps_destroy(&steps);
    return rc;
}

void sst_steps_destroy(struct sst_steps **steps)
{
    struct sst_steps *old = *steps;
    if (!old)
        return;
    sst_steps_stop_crew(old);
    sst_step_files_destroy(&old->files);
    for (size_t entry = 0; old->ready && entry < old->catalog->n_entries; ++entry)
        destroy_step(&old->ready[entry]);
    for (size_t entry = 0; old->failures && entry < old->catalog->n_entries; ++entry)
        sst_free(old->failures[entry]);
    while (old->n_spare > 0)
        destroy_step(&old->spare[--old->n_spare]);
    sst_free(old->is_done);
    sst_free(old->is_in_hand);
    sst_free(old->is_alone);
    sst_free(old->has_hung);
    sst_free(old->first_step);
    sst_free(old->entry_of_step);
    sst_free(old->ready);
    sst_free(old->failures);
    sst_free(old);
    *steps = NULL;
}

enum sst_status sst_steps_new(struct sst_steps *steps, struct sst_step **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_step *step = steps->n_spare > 0 ? steps->spare[--steps->n_spare] : NULL;
    if (!step) {
        SST_TRY_GOTO(sst_alloc(1, sizeof *step, "a day field", &step, err));
        step->slot = SST_OWN_MEMORY;
        SST_TRY_GOTO(sst_alloc(steps->domain->n_cells, sizeof *step->codes, "a day field", &step->codes, err));
        SST_TRY_GOTO(sst_alloc(steps->domain->n_cells, sizeof *step->ice, "a day field", &step->ice, err));
        if (steps->options->wants_degc)
            SST_TRY_GOTO(sst_alloc(steps->domain->n_cells, sizeof *step->degc, "a day field", &step->degc, err));
    }
    *out = step;
    step = NULL;
done:
    destroy_step(&step);
    return rc;
}

void sst_steps_copy(const struct sst_steps *steps, const struct sst_step_values *from, struct sst_step *to)
{
    const size_t n_cells = steps->domain->n_cells;
    memcpy(to->codes, from->codes, n_cells * sizeof *to->codes);
    memcpy(to->ice, from->ice, n_cells * sizeof *to->ice);
    if (to->degc)
        memcpy(to->degc, from->degc, n_cells * sizeof *to->degc);
}

/* Bytes of the file that one of its steps stands for; over all steps they add up to its size. */
static uint64_t step_share(const struct sst_catalog_file *file, uint64_t step)
{
    const uint64_t n = file->n_steps, size = file->size_bytes;
    return step + 1 == n ? size - size / n * (n - 1) : size / n;
}

/* The first of each make of file. */
static void tell_reading(struct sst_steps *steps, const char *reading)
{
    if (!steps->options->details || !reading)
        return;
    for (size_t i = 0; i < steps->n_told; ++i)
        if (strcmp(steps->told[i], reading) == 0)
            return;
    if (steps->n_told == SST_STEPS_MAX_TOLD)
        return;
    memcpy(steps->told[steps->n_told++], reading, strlen(reading) + 1);
    steps->options->details(steps->options->details_user, reading);
}

void sst_steps_count(struct sst_steps *steps, size_t entry, const char *reading)
{
    const struct sst_catalog_entry *at = &steps->catalog->entries[entry];
    tell_reading(steps, reading);
    ++steps->totals.n_decoded;
    steps->totals.bytes_read += step_share(&steps->catalog->files[at->file], at->step);
}

struct sst_step_file sst_steps_file(const struct sst_steps *steps, const struct sst_catalog_entry *entry, void *memo)
{
    const struct sst_catalog_file *scanned = &steps->catalog->files[entry->file];
    return (struct sst_step_file){.index = entry->file,
                                  .path = scanned->path,
                                  .size_bytes = scanned->size_bytes,
                                  .n_steps = scanned->n_steps,
                                  .map = scanned->map,
                                  .memo = memo,
                                  .memo_bytes = sst_memo_list_get(&steps->catalog->memos, scanned->memo, memo)};
}

struct sst_step_key sst_steps_key(const struct sst_steps *steps, size_t entry)
{
    const struct sst_catalog_entry *at = &steps->catalog->entries[entry];
    return (struct sst_step_key){at->step, at->at};
}

bool sst_steps_may_wait(const struct sst_steps *steps, size_t entry)
{
    return !steps->is_done[entry] && !steps->is_in_hand[entry] && !steps->ready[entry] &&
           step_bytes(steps) <= steps->cache_room;
}

size_t sst_steps_with(struct sst_steps *steps, size_t entry, uint32_t *others, size_t n_most)
{
    const struct sst_catalog_entry *at = &steps->catalog->entries[entry];
    const struct sst_catalog_file *scanned = &steps->catalog->files[at->file];
    size_t n_found = 0;
    if (!sst_steps_spans(scanned))
        return 0;
    const uint32_t *entries = &steps->entry_of_step[steps->first_step[at->file]];
    const size_t first = at->step / scanned->steps_per_chunk * scanned->steps_per_chunk;
    const size_t room = scanned->n_steps - first;
    const size_t n = scanned->steps_per_chunk < room ? scanned->steps_per_chunk : room;
    for (size_t i = 1; i < n && n_found < n_most; ++i) {
        const uint32_t other = entries[first + (at->step - first + i) % n];
        if (other == SST_NO_ENTRY || !sst_steps_may_wait(steps, other))
            continue;
        sst_steps_take_room(steps);
        others[n_found++] = other;
    }
    return n_found;
}

void sst_steps_take_room(struct sst_steps *steps) { steps->cache_room -= step_bytes(steps); }

void sst_steps_return_room(struct sst_steps *steps) { steps->cache_room += step_bytes(steps); }

/* --- in this process ---------------------------------------------------------------------------------------------- */

static enum sst_status decode(struct sst_steps *steps, size_t entry, struct sst_step **out, struct sst_error *err)
{
    unsigned char memo[SST_FILE_MEMO_MAX];
    char reading[SST_STEP_READING_SIZE];
    struct sst_step *step = NULL;
    const struct sst_step_file file = sst_steps_file(steps, &steps->catalog->entries[entry], memo);
    SST_TRY(sst_steps_new(steps, &step, err));
    const struct sst_step_values values = {step->codes, step->ice, step->degc};
    const enum sst_status rc =
        sst_step_files_decode(steps->files, &file, sst_steps_key(steps, entry), &values, &step->outcome, reading, err);
    steps->totals.timings = *sst_step_files_timings(steps->files);
    if (rc != SST_OK) {
        sst_steps_give_back(steps, &step);
        return rc;
    }
    sst_steps_count(steps, entry, reading);
    *out = step;
    return SST_OK;
}

/* The other steps of the chunk that is open now. What fails here fails again when it is asked for. */
static enum sst_status decode_chunk(struct sst_steps *steps, size_t entry, struct sst_error *err)
{
    enum { AT_A_TIME = 64 };
    uint32_t others[AT_A_TIME];
    size_t n;
    while ((n = sst_steps_with(steps, entry, others, AT_A_TIME)) > 0) {
        size_t n_decoded = 0;
        for (size_t i = 0; i < n; ++i) {
            struct sst_error problem = {0};
            const enum sst_status rc = decode(steps, others[i], &steps->ready[others[i]], &problem);
            if (rc == SST_ERR_NOMEM)
                return sst_fail(err, rc, "%s", problem.text);
            if (rc != SST_OK)
                sst_steps_return_room(steps);
            n_decoded += rc == SST_OK;
        }
        if (n_decoded == 0)
            return SST_OK;
    }
    return SST_OK;
}

static enum sst_status decode_now(struct sst_steps *steps, size_t entry, struct sst_step **out, struct sst_error *err)
{
    struct sst_step *step = NULL;
    SST_TRY(decode(steps, entry, &step, err));
    const enum sst_status rc = decode_chunk(steps, entry, err);
    if (rc == SST_OK)
        *out = step;
    else
        sst_steps_give_back(steps, &step);
    return rc;
}

/* --- for the reader ----------------------------------------------------------------------------------------------- */

static bool is_cached(const struct sst_step *step) { return step->slot == SST_OWN_MEMORY; }

static enum sst_status take_failure(struct sst_steps *steps, size_t entry, struct sst_error *err)
{
    struct sst_error *failure = steps->failures[entry];
    steps->failures[entry] = NULL;
    const enum sst_status rc = failure ? sst_fail(err, failure->code, "%s", failure->text)
                                       : sst_fail(err, SST_ERR_INTERNAL, "a reader gave nothing");
    sst_free(failure);
    return rc;
}

enum sst_status sst_steps_take(struct sst_steps *steps, size_t entry, struct sst_step **out, struct sst_error *err)
{
    steps->is_done[entry] = 1;
    if (!steps->ready[entry] && !steps->crew)
        return decode_now(steps, entry, out, err);
    if (!steps->ready[entry] || steps->crew)
        SST_TRY(sst_steps_await(steps, entry, err));
    struct sst_step *step = steps->ready[entry];
    if (!step)
        return take_failure(steps, entry, err);
    steps->ready[entry] = NULL;
    if (is_cached(step))
        sst_steps_return_room(steps);
    *out = step;
    return SST_OK;
}

void sst_steps_give_back(struct sst_steps *steps, struct sst_step **step)
{
    if (!*step)
        return;
    if ((*step)->slot != SST_OWN_MEMORY) {
        sst_crew_release(steps->crew, (*step)->slot);
        destroy_step(step);
    } else if (steps->n_spare == SST_MAX_HELD_FIELDS) {
        destroy_step(step);
    } else {
        steps->spare[steps->n_spare++] = *step;
        *step = NULL;
    }
}

void sst_steps_pass_over(struct sst_steps *steps, size_t entry)
{
    struct sst_step *step = steps->ready[entry];
    steps->is_done[entry] = 1;
    if (!step)
        return;
    steps->ready[entry] = NULL;
    if (is_cached(step))
        sst_steps_return_room(steps);
    sst_steps_give_back(steps, &step);
}

enum sst_status sst_steps_expect(struct sst_steps *steps, const uint32_t *entries, size_t n, struct sst_error *err)
{
    sst_free(steps->expected);
    steps->expected = NULL;
    steps->n_expected = steps->next_expected = 0;
    SST_TRY(sst_alloc(n, sizeof *entries, "the order of days", &steps->expected, err));
    if (n > 0)
        memcpy(steps->expected, entries, n * sizeof *entries);
    steps->n_expected = n;
    return SST_OK;
}

const struct sst_steps_totals *sst_steps_totals(const struct sst_steps *steps) { return &steps->totals; }
