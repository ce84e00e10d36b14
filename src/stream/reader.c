/* Makes days of steps: which of several files counts, whether doubles agree, and what is told of those that do not. */
#include "stream/reader.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "stream/steps.h"

/* A field that somebody looks at. */
struct held {
    struct sst_step *step; /* what `field` is a view of */
    struct sst_field field;
    int16_t *hundredths; /* of the field, on the finer lattice; kept for the next one */
};

struct sst_reader {
    struct sst_catalog *catalog;
    const struct sst_domain *domain;
    struct sst_reader_options options;
    struct sst_steps *steps;
    struct held held[SST_MAX_HELD_FIELDS];
    size_t n_held;
    struct sst_field_source source;
    uint8_t *was_asked; /* by entry: its day was counted */
    uint8_t *is_rejected; /* by file */
    struct sst_reader_totals totals;
    struct sst_reader_day *days;
    size_t n_days, days_capacity;
    struct sst_day *bad_days;
    size_t n_bad_days, bad_days_capacity;
};

/* The entries of one day, and what was made of them. */
struct day_read {
    struct sst_day day;
    size_t first, count; /* entries */
    struct sst_step *step; /* the day's field, NULL where there is none */
    size_t entry; /* whose field it is */
    size_t n_equal; /* files that repeat it */
    size_t n_replaced; /* preliminary ones passed over */
};

static const struct sst_catalog_file *file_of(const struct sst_reader *reader, size_t entry)
{
    return &reader->catalog->files[reader->catalog->entries[entry].file];
}

/* Whether all entries of a day are of the same second; they are in order of it. */
static bool has_one_stamp(const struct sst_catalog *catalog, size_t first, size_t count)
{
    return catalog->entries[first].at.second == catalog->entries[first + count - 1].at.second;
}

/* The entries that a day's field will be made of, as far as that can be told before they are read. */
static size_t append_entries(const struct sst_reader *reader, struct sst_day day, uint32_t *out)
{
    size_t first = 0, count = 0, n = 0;
    sst_catalog_day(reader->catalog, day, &first, &count);
    if (count > 0 && !has_one_stamp(reader->catalog, first, count))
        return 0; /* none of them is read */
    for (int preliminary = 0; preliminary <= 1 && n == 0; ++preliminary)
        for (size_t entry = first; entry < first + count; ++entry)
            if (file_of(reader, entry)->is_preliminary == (preliminary == 1))
                out[n++] = (uint32_t)entry;
    return n;
}

static enum sst_status source_expect(void *user, const struct sst_day *days, size_t n_days, struct sst_error *err)
{
    const struct sst_reader *reader = user;
    uint32_t *entries = NULL;
    size_t n = 0;
    SST_TRY(sst_alloc(reader->catalog->n_entries, sizeof *entries, "the order of days", &entries, err));
    for (size_t i = 0; i < n_days; ++i)
        n += append_entries(reader, days[i], entries + n);
    const enum sst_status rc = sst_steps_expect(reader->steps, entries, n, err);
    sst_free(entries);
    return rc;
}

static bool source_has_day(void *user, struct sst_day day)
{
    const struct sst_reader *reader = user;
    return sst_catalog_has_day(reader->catalog, day);
}

static enum sst_status source_get(void *user, struct sst_day day, const struct sst_field **out, struct sst_error *err)
{
    struct sst_reader *reader = user;
    return sst_reader_take(reader, day, out, err);
}

static void source_give_back(void *user)
{
    struct sst_reader *reader = user;
    sst_reader_give_back(reader);
}

static uint64_t source_bytes_read(void *user)
{
    const struct sst_reader *reader = user;
    return reader->totals.bytes_read;
}

const struct sst_field_source *sst_reader_source(struct sst_reader *reader) { return &reader->source; }

enum sst_status sst_reader_create(struct sst_catalog *catalog, const struct sst_domain *domain,
                                  const struct sst_reader_options *options, struct sst_reader **out,
                                  struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_reader *reader = NULL;
    SST_TRY_GOTO(sst_alloc(1, sizeof *reader, "the reader", &reader, err));
    reader->catalog = catalog;
    reader->domain = domain;
    reader->options = *options;
    SST_TRY_GOTO(
        sst_alloc(catalog->n_entries, sizeof *reader->was_asked, "the marks of days", &reader->was_asked, err));
    SST_TRY_GOTO(
        sst_alloc(catalog->n_files, sizeof *reader->is_rejected, "the marks of files", &reader->is_rejected, err));
    SST_TRY_GOTO(sst_steps_create(catalog, domain, &reader->options, &reader->steps, err));
    reader->source = (struct sst_field_source){
        .user = reader,
        .n_most_held = SST_MAX_HELD_FIELDS,
        .has_day = source_has_day,
        .expect = source_expect,
        .get = source_get,
        .give_back = source_give_back,
        .bytes_read = source_bytes_read,
    };
    *out = reader;
    reader = NULL;
done:
    sst_reader_destroy(&reader);
    return rc;
}

void sst_reader_destroy(struct sst_reader **reader)
{
    struct sst_reader *old = *reader;
    if (!old)
        return;
    if (old->steps)
        sst_reader_give_back(old);
    sst_steps_destroy(&old->steps);
    for (size_t i = 0; i < SST_MAX_HELD_FIELDS; ++i)
        sst_free(old->held[i].hundredths);
    sst_free(old->was_asked);
    sst_free(old->is_rejected);
    sst_free(old->days);
    sst_free(old->bad_days);
    sst_free(old);
    *reader = NULL;
}

/* A file or day is unusable: the error of the run, or a reject, once for each file. `problem` may begin with the path. */
static enum sst_status tell_bad(struct sst_reader *reader, size_t entry, enum sst_reject_kind kind,
                                const struct sst_error *problem, struct sst_error *err)
{
    const struct sst_catalog_entry *at = &reader->catalog->entries[entry];
    if (sst_status_is_of_the_run(problem->code))
        return sst_fail(err, problem->code, "%s", problem->text);
    char day[SST_DAY_TEXT_SIZE];
    struct sst_error reason = {0};
    const enum sst_status code = sst_fail(&reason, problem->code, "%s (%s)", problem->text,
                                          sst_day_text(reader->catalog->calendar, at->at.day, day));
    if (reader->options.stop_on_bad)
        return sst_fail(err, code, "%s", reason.text);
    if (reader->is_rejected[at->file])
        return SST_OK;
    reader->is_rejected[at->file] = 1;
    return sst_catalog_reject(reader->catalog, file_of(reader, entry)->path, reason.text, kind, err);
}

enum { CLOCK_TEXT_SIZE = 16 };

static const char *clock_text(int32_t second, char *buffer)
{
    (void)snprintf(buffer, CLOCK_TEXT_SIZE, "%02d:%02d:%02d", second / 3600 % 24, second / 60 % 60, second % 60);
    return buffer;
}

/* Several steps of one UTC day in several files want a daily mean; which of them is meant cannot be guessed. */
static bool has_several_stamps(const struct sst_reader *reader, const struct day_read *read, struct sst_error *problem)
{
    const struct sst_catalog_entry *entries = &reader->catalog->entries[read->first];
    const struct sst_catalog_entry *last = &entries[read->count - 1]; /* in order of their seconds */
    if (has_one_stamp(reader->catalog, read->first, read->count))
        return false;
    char late[CLOCK_TEXT_SIZE], early[CLOCK_TEXT_SIZE];
    (void)sst_fail(problem, SST_ERR_TIME, "%s: time: %s, and %s in %s, are of one UTC day. Make daily means first",
                   reader->catalog->files[last->file].path, clock_text(last->at.second, late),
                   clock_text(entries[0].at.second, early), reader->catalog->files[entries[0].file].path);
    return true;
}

enum { VALUE_TEXT_SIZE = 32 };

static const char *value_text(enum sst_lattice_kind lattice, int16_t code, char *buffer)
{
    if (code == SST_CODE_MISSING)
        (void)snprintf(buffer, VALUE_TEXT_SIZE, "missing");
    else
        (void)snprintf(buffer, VALUE_TEXT_SIZE, "%.3f degC", sst_lattice_degc(sst_lattice_of(lattice), code));
    return buffer;
}

static void describe_conflict(const struct sst_reader *reader, const struct day_read *read, size_t entry,
                              const struct sst_step *step, struct sst_error *problem)
{
    const struct sst_domain *domain = reader->domain;
    size_t n_unlike = 0, cell = 0;
    for (size_t i = domain->n_cells; i-- > 0;) {
        if (step->codes[i] != read->step->codes[i]) {
            ++n_unlike;
            cell = i;
        }
    }
    char ours[VALUE_TEXT_SIZE], theirs[VALUE_TEXT_SIZE];
    (void)sst_fail(problem, SST_ERR_INPUT,
                   "%s: values differ from those of %s in %zu cells, the first at %g N, %g E: %s, not %s; neither is "
                   "used. Take one of the files away",
                   file_of(reader, entry)->path, file_of(reader, read->entry)->path, n_unlike,
                   sst_domain_lat(domain, cell / domain->n_cols), sst_domain_lon(domain, cell % domain->n_cols),
                   value_text(reader->catalog->lattice, step->codes[cell], ours),
                   value_text(reader->catalog->lattice, read->step->codes[cell], theirs));
}

/* Sea ice where either of two equal fields has it, so that their order does not matter. */
static void join_ice(const struct sst_reader *reader, struct sst_step *into, const struct sst_step *other)
{
    into->outcome.has_ice |= other->outcome.has_ice;
    for (size_t cell = 0; cell < reader->domain->n_cells; ++cell)
        into->ice[cell] |= other->ice[cell];
}

/* Takes one entry's field as the day's, or compares it with what the day has; `*is_conflict` where they are unlike. */
static enum sst_status add_entry(struct sst_reader *reader, struct day_read *read, size_t entry, bool *is_conflict,
                                 struct sst_error *err)
{
    struct sst_error problem = {0};
    struct sst_step *step = NULL;
    if (sst_steps_take(reader->steps, entry, &step, &problem) != SST_OK)
        return tell_bad(reader, entry, SST_REJECT_UNUSABLE, &problem, err);
    if (!read->step) {
        read->step = step;
        read->entry = entry;
        return SST_OK;
    }
    if (memcmp(step->codes, read->step->codes, reader->domain->n_cells * sizeof *step->codes) == 0) {
        join_ice(reader, read->step, step);
        ++read->n_equal;
    } else {
        *is_conflict = true;
        describe_conflict(reader, read, entry, step, &problem);
    }
    sst_steps_give_back(reader->steps, &step);
    return *is_conflict ? tell_bad(reader, entry, SST_REJECT_CONTRADICTS, &problem, err) : SST_OK;
}

/* Reads the final or the preliminary entries of a day. Unlike values leave the day without a field. */
static enum sst_status read_entries(struct sst_reader *reader, struct day_read *read, bool preliminary,
                                    bool *is_conflict, struct sst_error *err)
{
    for (size_t entry = read->first; entry < read->first + read->count && !*is_conflict; ++entry) {
        if (file_of(reader, entry)->is_preliminary == preliminary)
            SST_TRY(add_entry(reader, read, entry, is_conflict, err));
    }
    if (*is_conflict)
        sst_steps_give_back(reader->steps, &read->step);
    return SST_OK;
}

static enum sst_status read_day(struct sst_reader *reader, struct day_read *read, struct sst_error *err)
{
    struct sst_error problem = {0};
    if (has_several_stamps(reader, read, &problem))
        return tell_bad(reader, read->first + read->count - 1, SST_REJECT_CONTRADICTS, &problem, err);
    bool is_conflict = false;
    SST_TRY(read_entries(reader, read, false, &is_conflict, err));
    if (!read->step && !is_conflict)
        return read_entries(reader, read, true, &is_conflict, err);
    for (size_t entry = read->first; entry < read->first + read->count; ++entry)
        read->n_replaced += file_of(reader, entry)->is_preliminary;
    return SST_OK;
}

/* One line for the first of a kind; the totals count the rest. */
static enum sst_status note_first(const struct sst_reader *reader, size_t total, size_t new, const char *what,
                                  const struct day_read *read, struct sst_error *err)
{
    if (new == 0 || total != new || !reader->options.notes)
        return SST_OK;
    char day[SST_DAY_TEXT_SIZE];
    char *text = NULL;
    SST_TRY(sst_asprintf(&text, err, "%s: %s on %s; more of this kind are only counted",
                         file_of(reader, read->entry)->path, what,
                         sst_day_text(reader->catalog->calendar, read->day, day)));
    reader->options.notes(reader->options.notes_user, text);
    sst_free(text);
    return SST_OK;
}

static enum sst_status count_good_day(struct sst_reader *reader, const struct day_read *read, struct sst_error *err)
{
    struct sst_reader_totals *totals = &reader->totals;
    const struct sst_decode_stats *stats = &read->step->outcome.stats;
    const struct sst_catalog_entry *at = &reader->catalog->entries[read->entry];
    SST_TRY(sst_grow(&reader->days, &reader->days_capacity, reader->n_days + 1, sizeof *reader->days,
                     "the list of days read", err));
    reader->days[reader->n_days++] = (struct sst_reader_day){read->day, at->file, at->step, read->step->outcome.digest};
    ++totals->n_days_read;
    totals->n_days_doubled += read->n_equal > 0;
    totals->n_preliminary_replaced += read->n_replaced;
    totals->n_cells_implausible += stats->n_implausible;
    totals->n_cells_off_lattice += stats->n_off_lattice;
    totals->n_cells_land += stats->n_land;
    totals->n_cells_lake += stats->n_lake;
    SST_TRY(
        note_first(reader, totals->n_days_doubled, read->n_equal > 0, "another file has the same values", read, err));
    return note_first(reader, totals->n_preliminary_replaced, read->n_replaced, "taken in place of a preliminary file",
                      read, err);
}

static enum sst_status count_bad_day(struct sst_reader *reader, struct sst_day day, struct sst_error *err)
{
    SST_TRY(sst_grow(&reader->bad_days, &reader->bad_days_capacity, reader->n_bad_days + 1, sizeof *reader->bad_days,
                     "the list of bad days", err));
    reader->bad_days[reader->n_bad_days++] = day;
    ++reader->totals.n_days_bad;
    return SST_OK;
}

/* Makes a step visible as a field; it is held until all are given back. */
static enum sst_status hold(struct sst_reader *reader, struct sst_step *step, const struct sst_field **out,
                            struct sst_error *err)
{
    const size_t n_cells = reader->domain->n_cells;
    struct held *held = &reader->held[reader->n_held++];
    held->step = step;
    if (reader->catalog->lattice != SST_LATTICE_CENTI) {
        if (!held->hundredths)
            SST_TRY(sst_alloc(n_cells, sizeof *held->hundredths, "a day of hundredths", &held->hundredths, err));
        sst_field_hundredths(step->codes, n_cells, held->hundredths);
    }
    held->field = (struct sst_field){.n_cells = n_cells,
                                     .codes = step->codes,
                                     .hundredths = held->hundredths ? held->hundredths : step->codes,
                                     .ice = step->ice,
                                     .has_ice = step->outcome.has_ice,
                                     .degc = step->degc};
    *out = &held->field;
    return SST_OK;
}

void sst_reader_give_back(struct sst_reader *reader)
{
    while (reader->n_held > 0)
        sst_steps_give_back(reader->steps, &reader->held[--reader->n_held].step);
}

/* Whatever of the day was not taken is not wanted any more. */
static void finish_entries(struct sst_reader *reader, const struct day_read *read)
{
    for (size_t entry = read->first; entry < read->first + read->count; ++entry) {
        reader->was_asked[entry] = 1;
        sst_steps_pass_over(reader->steps, entry);
    }
}

enum sst_status sst_reader_take(struct sst_reader *reader, struct sst_day day, const struct sst_field **out,
                                struct sst_error *err)
{
    struct day_read read = {.day = day};
    *out = NULL;
    if (reader->n_held == SST_MAX_HELD_FIELDS)
        return sst_fail(err, SST_ERR_INTERNAL, "more than %d fields are held", SST_MAX_HELD_FIELDS);
    sst_catalog_day(reader->catalog, day, &read.first, &read.count);
    if (read.count == 0)
        return SST_OK;
    const bool is_new = !reader->was_asked[read.first];
    enum sst_status rc = read_day(reader, &read, err);
    finish_entries(reader, &read);
    if (rc == SST_OK && is_new)
        rc = read.step ? count_good_day(reader, &read, err) : count_bad_day(reader, day, err);
    if (rc == SST_OK && read.step)
        rc = hold(reader, read.step, out, err);
    else
        sst_steps_give_back(reader->steps, &read.step);
    const struct sst_steps_totals *totals = sst_steps_totals(reader->steps);
    reader->totals.n_steps_decoded = totals->n_decoded;
    reader->totals.bytes_read = totals->bytes_read;
    reader->totals.timings = totals->timings;
    reader->totals.n_reader_deaths = totals->n_deaths;
    return rc;
}

enum sst_status sst_reader_get(struct sst_reader *reader, struct sst_day day, const struct sst_field **out,
                               struct sst_error *err)
{
    sst_reader_give_back(reader);
    return sst_reader_take(reader, day, out, err);
}

const struct sst_reader_totals *sst_reader_totals(const struct sst_reader *reader) { return &reader->totals; }

const struct sst_reader_day *sst_reader_days(const struct sst_reader *reader, size_t *n_days)
{
    *n_days = reader->n_days;
    return reader->days;
}

const struct sst_day *sst_reader_bad_days(const struct sst_reader *reader, size_t *n_days)
{
    *n_days = reader->n_bad_days;
    return reader->bad_days;
}
