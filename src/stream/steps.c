/* Fetches decoded steps: a few open files, the last used kept longest, and a cache for chunks that span many steps. */
#include "stream/steps.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"

/* A step that no entry of the catalog stands for. */
#define NO_ENTRY UINT32_MAX

/* Ways of reading that are told apart; those that a run meets after so many are not told. */
enum { MAX_TOLD = 8, TOLD_SIZE = 192 };

struct open_file {
    struct sst_file *file; /* NULL: the place is free */
    uint32_t index;
    uint64_t last_use;
};

struct sst_steps {
    const struct sst_catalog *catalog;
    const struct sst_domain *domain;
    const struct sst_reader_options *options;
    struct sst_decode_options decode; /* the user's, with memory that the files share */
    struct sst_decode_scratch *scratch;
    struct open_file open[SST_MAX_OPEN_FILES];
    uint64_t clock;
    uint8_t *is_done; /* by entry: will not be asked for again */
    size_t *first_step; /* by file: where its steps begin in entry_of_step; only files whose chunks span steps */
    uint32_t *entry_of_step;
    struct sst_step **cached; /* by entry, NULL where nothing is decoded ahead */
    size_t cache_room; /* [bytes] left */
    struct sst_step *spare[SST_MAX_HELD_FIELDS]; /* given back, for the next fields */
    size_t n_spare;
    int16_t *hundredths; /* room that a decoder of thousandths may write to */
    char told[MAX_TOLD][TOLD_SIZE]; /* how files are read, as far as it was said */
    size_t n_told;
    size_t n_decoded;
    uint64_t bytes_read;
};

static void destroy_step(struct sst_step **step)
{
    if (!*step)
        return;
    sst_free((*step)->codes);
    sst_free((*step)->ice);
    sst_free(*step);
    *step = NULL;
}

static size_t step_bytes(const struct sst_steps *steps)
{
    return steps->domain->n_cells * (sizeof(int16_t) + sizeof(uint8_t));
}

static bool spans_steps(const struct sst_catalog_file *file) { return file->steps_per_chunk > 1; }

/* Entries by file and step, for the files whose chunks hold many steps. */
static enum sst_status index_steps(struct sst_steps *steps, struct sst_error *err)
{
    const struct sst_catalog *catalog = steps->catalog;
    size_t n_steps = 0;
    SST_TRY(sst_alloc(catalog->n_files, sizeof *steps->first_step, "the index of steps", &steps->first_step, err));
    for (size_t file = 0; file < catalog->n_files; ++file) {
        steps->first_step[file] = n_steps;
        n_steps += spans_steps(&catalog->files[file]) ? catalog->files[file].n_steps : 0;
    }
    SST_TRY(sst_alloc(n_steps, sizeof *steps->entry_of_step, "the index of steps", &steps->entry_of_step, err));
    for (size_t i = 0; i < n_steps; ++i)
        steps->entry_of_step[i] = NO_ENTRY;
    for (size_t entry = 0; entry < catalog->n_entries; ++entry) {
        const struct sst_catalog_entry *at = &catalog->entries[entry];
        if (spans_steps(&catalog->files[at->file]))
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

enum sst_status sst_steps_create(const struct sst_catalog *catalog, const struct sst_domain *domain,
                                 const struct sst_reader_options *options, struct sst_steps **out,
                                 struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_steps *steps = NULL;
    SST_TRY_GOTO(sst_alloc(1, sizeof *steps, "the reader", &steps, err));
    steps->catalog = catalog;
    steps->domain = domain;
    steps->options = options;
    SST_TRY_GOTO(sst_decode_scratch_create(&steps->scratch, err));
    steps->decode = options->decode;
    steps->decode.scratch = steps->scratch;
    steps->cache_room = options->cache_bytes ? options->cache_bytes : SST_STEP_CACHE_BYTES;
    SST_TRY_GOTO(sst_alloc(catalog->n_entries, sizeof *steps->is_done, "the marks of days", &steps->is_done, err));
    SST_TRY_GOTO(sst_alloc(catalog->n_entries, sizeof *steps->cached, "the step cache", &steps->cached, err));
    SST_TRY_GOTO(index_steps(steps, err));
    if (catalog->lattice != SST_LATTICE_CENTI)
        SST_TRY_GOTO(
            sst_alloc(domain->n_cells, sizeof *steps->hundredths, "a day of hundredths", &steps->hundredths, err));
    for (size_t entry = 0; entry < catalog->n_entries; ++entry)
        steps->is_done[entry] = !will_be_asked_for(options, catalog->entries[entry].at.day);
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
    for (size_t i = 0; i < SST_MAX_OPEN_FILES; ++i)
        sst_file_close(&old->open[i].file);
    sst_decode_scratch_destroy(&old->scratch);
    for (size_t entry = 0; old->cached && entry < old->catalog->n_entries; ++entry)
        destroy_step(&old->cached[entry]);
    while (old->n_spare > 0)
        destroy_step(&old->spare[--old->n_spare]);
    sst_free(old->is_done);
    sst_free(old->first_step);
    sst_free(old->entry_of_step);
    sst_free(old->cached);
    sst_free(old->hundredths);
    sst_free(old);
    *steps = NULL;
}

static enum sst_status new_step(struct sst_steps *steps, struct sst_step **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_step *step = steps->n_spare > 0 ? steps->spare[--steps->n_spare] : NULL;
    if (!step) {
        SST_TRY_GOTO(sst_alloc(1, sizeof *step, "a day field", &step, err));
        SST_TRY_GOTO(sst_alloc(steps->domain->n_cells, sizeof *step->codes, "a day field", &step->codes, err));
        SST_TRY_GOTO(sst_alloc(steps->domain->n_cells, sizeof *step->ice, "a day field", &step->ice, err));
    }
    *out = step;
    step = NULL;
done:
    destroy_step(&step);
    return rc;
}

/* Whether an opened file still is what the catalog says; the archive may be written to while the run goes on. */
static enum sst_status check_unchanged(const struct sst_steps *steps, uint32_t index, const struct sst_file *file,
                                       struct sst_error *err)
{
    const struct sst_catalog_file *scanned = &steps->catalog->files[index];
    const struct sst_file_info *info = sst_file_info(file);
    struct sst_grid_map map = {0};
    const bool is_same = info->n_steps == scanned->n_steps && info->size_bytes == scanned->size_bytes &&
                         sst_grid_match(steps->catalog->grid, info->grid, &map, NULL) == SST_OK &&
                         map.flip_lat == scanned->map.flip_lat && map.shift_lon == scanned->map.shift_lon;
    if (is_same)
        return SST_OK;
    return sst_fail(err, SST_ERR_INPUT, "%s: the file has changed since it was scanned. Run again when it is at rest",
                    scanned->path);
}

/* The file, opened if need be in place of the one that was used longest ago. */
static enum sst_status open_file(struct sst_steps *steps, uint32_t index, struct sst_file **out, struct sst_error *err)
{
    struct open_file *place = &steps->open[0];
    for (size_t i = 0; i < SST_MAX_OPEN_FILES; ++i) {
        struct open_file *other = &steps->open[i];
        if (other->file && other->index == index) {
            other->last_use = ++steps->clock;
            *out = other->file;
            return SST_OK;
        }
        if (place->file && (!other->file || other->last_use < place->last_use))
            place = other;
    }
    sst_file_close(&place->file);
    struct sst_file *file = NULL;
    SST_TRY(sst_file_open(steps->catalog->files[index].path, &steps->decode, NULL, NULL, &file, err));
    const enum sst_status rc = check_unchanged(steps, index, file, err);
    if (rc != SST_OK) {
        sst_file_close(&file);
        return rc;
    }
    *place = (struct open_file){file, index, ++steps->clock};
    *out = file;
    return SST_OK;
}

static void apply_mask(const struct sst_steps *steps, struct sst_step *step)
{
    const uint8_t *keep = steps->options->keep;
    for (size_t cell = 0; keep && cell < steps->domain->n_cells; ++cell) {
        if (keep[cell])
            continue;
        step->codes[cell] = SST_CODE_MISSING;
        step->ice[cell] = 0;
    }
}

/* Bytes of the file that one of its steps stands for; over all steps they add up to its size. */
static uint64_t step_share(const struct sst_catalog_file *file, uint64_t step)
{
    const uint64_t n = file->n_steps, size = file->size_bytes;
    return step + 1 == n ? size - size / n * (n - 1) : size / n;
}

/* The first of each make of file. */
static void tell_reading(struct sst_steps *steps, const struct sst_file_info *info)
{
    char text[TOLD_SIZE];
    if (!steps->options->details)
        return;
    (void)snprintf(text, sizeof text, "%s: %s", info->format, info->reading);
    for (size_t i = 0; i < steps->n_told; ++i)
        if (strcmp(steps->told[i], text) == 0)
            return;
    if (steps->n_told == MAX_TOLD)
        return;
    memcpy(steps->told[steps->n_told++], text, sizeof text);
    steps->options->details(steps->options->details_user, text);
}

static enum sst_status decode_step(struct sst_steps *steps, struct sst_file *file,
                                   const struct sst_catalog_entry *entry, struct sst_step **out, struct sst_error *err)
{
    const struct sst_catalog_file *scanned = &steps->catalog->files[entry->file];
    struct sst_step *step = NULL;
    const struct sst_instant at = sst_file_info(file)->steps[entry->step].at;
    if (sst_day_compare(at.day, entry->at.day) != 0 || at.second != entry->at.second)
        return sst_fail(err, SST_ERR_INPUT,
                        "%s: the file has changed since it was scanned. Run again when it is at rest", scanned->path);
    SST_TRY(new_step(steps, &step, err));
    struct sst_field field = {.n_cells = steps->domain->n_cells,
                              .codes = step->codes,
                              .hundredths = steps->hundredths ? steps->hundredths : step->codes,
                              .ice = step->ice};
    const enum sst_status rc = sst_file_decode(file, entry->step, steps->domain, &scanned->map, steps->catalog->lattice,
                                               &field, &step->stats, err);
    if (rc != SST_OK) {
        sst_steps_give_back(steps, &step);
        return rc;
    }
    step->has_ice = field.has_ice;
    tell_reading(steps, sst_file_info(file));
    apply_mask(steps, step);
    ++steps->n_decoded;
    steps->bytes_read += step_share(scanned, entry->step);
    *out = step;
    return SST_OK;
}

/* Decodes an entry into the cache if it will be asked for and there is room. What fails here fails again when asked for. */
static enum sst_status decode_ahead(struct sst_steps *steps, struct sst_file *file, size_t entry, struct sst_error *err)
{
    if (steps->is_done[entry] || steps->cached[entry] || step_bytes(steps) > steps->cache_room)
        return SST_OK;
    struct sst_error problem = {0};
    const enum sst_status rc =
        decode_step(steps, file, &steps->catalog->entries[entry], &steps->cached[entry], &problem);
    if (rc == SST_OK)
        steps->cache_room -= step_bytes(steps);
    return rc == SST_ERR_NOMEM ? sst_fail(err, rc, "%s", problem.text) : SST_OK;
}

/* The other steps of the chunk that holds an entry's step: those after it first, since they are asked for sooner. */
static enum sst_status decode_chunk(struct sst_steps *steps, struct sst_file *file,
                                    const struct sst_catalog_entry *entry, struct sst_error *err)
{
    const struct sst_catalog_file *scanned = &steps->catalog->files[entry->file];
    const uint32_t *entries = &steps->entry_of_step[steps->first_step[entry->file]];
    const size_t first = entry->step / scanned->steps_per_chunk * scanned->steps_per_chunk;
    const size_t room = scanned->n_steps - first;
    const size_t n = scanned->steps_per_chunk < room ? scanned->steps_per_chunk : room;
    for (size_t i = 1; i < n; ++i) {
        const uint32_t other = entries[first + (entry->step - first + i) % n];
        if (other != NO_ENTRY)
            SST_TRY(decode_ahead(steps, file, other, err));
    }
    return SST_OK;
}

enum sst_status sst_steps_take(struct sst_steps *steps, size_t entry, struct sst_step **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const struct sst_catalog_entry *wanted = &steps->catalog->entries[entry];
    struct sst_step *step = steps->cached[entry];
    steps->is_done[entry] = 1;
    if (step) {
        steps->cached[entry] = NULL;
        steps->cache_room += step_bytes(steps);
    } else {
        struct sst_file *file = NULL;
        SST_TRY_GOTO(open_file(steps, wanted->file, &file, err));
        SST_TRY_GOTO(decode_step(steps, file, wanted, &step, err));
        if (spans_steps(&steps->catalog->files[wanted->file]))
            SST_TRY_GOTO(decode_chunk(steps, file, wanted, err));
    }
    *out = step;
    step = NULL;
done:
    sst_steps_give_back(steps, &step);
    return rc;
}

void sst_steps_give_back(struct sst_steps *steps, struct sst_step **step)
{
    if (!*step)
        return;
    if (steps->n_spare == SST_MAX_HELD_FIELDS) {
        destroy_step(step);
        return;
    }
    steps->spare[steps->n_spare++] = *step;
    *step = NULL;
}

void sst_steps_pass_over(struct sst_steps *steps, size_t entry)
{
    steps->is_done[entry] = 1;
    if (!steps->cached[entry])
        return;
    sst_steps_give_back(steps, &steps->cached[entry]);
    steps->cache_room += step_bytes(steps);
}

size_t sst_steps_n_decoded(const struct sst_steps *steps) { return steps->n_decoded; }

uint64_t sst_steps_bytes_read(const struct sst_steps *steps) { return steps->bytes_read; }
