/* Facts of a file to bytes and back. */
#include "stream/scan_wire.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

enum { ALIGNMENT = 8, MAX_AXIS = 1 << 26 };

/* The texts of a struct sst_file_info, in the order in which they are written. */
enum { N_TEXTS = 10 };

struct head {
    uint64_t n_steps, n_lat, n_lon, canonical_col, memo_bytes, texts_bytes, notes_bytes, n_notes;
    uint64_t steps_per_chunk, size_bytes;
    int32_t kind, calendar, lattice;
    uint8_t wraps, is_preliminary, is_packed, lattice_is_exact;
};

void sst_scan_notes_add(void *user, const char *text)
{
    struct sst_scan_notes *notes = user;
    const size_t size = strlen(text) + 1;
    if (sst_grow(&notes->texts, &notes->capacity, notes->n_bytes + size, 1, "notes", NULL) != SST_OK) {
        notes->is_short = true;
        return;
    }
    memcpy(notes->texts + notes->n_bytes, text, size);
    notes->n_bytes += size;
    ++notes->n;
}

void sst_scan_notes_clear(struct sst_scan_notes *notes)
{
    sst_free(notes->texts);
    *notes = (struct sst_scan_notes){0};
}

static void list_texts(const struct sst_file_info *info, const char **texts)
{
    const char *const list[N_TEXTS] = {info->format,     info->variable,    info->standard_name, info->units,
                                       info->ice_source, info->mask_source, info->title,         info->reading,
                                       info->product,    info->sensor};
    memcpy(texts, list, sizeof list);
}

static size_t padded(size_t n) { return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static unsigned char *put(unsigned char *at, const void *bytes, size_t n)
{
    if (n > 0)
        memcpy(at, bytes, n);
    return at + padded(n);
}

size_t sst_scan_wire_write(const struct sst_file_info *info, const void *memo, size_t memo_bytes,
                           const struct sst_scan_notes *notes, void *out, size_t room)
{
    const struct sst_grid *grid = info->grid;
    const char *texts[N_TEXTS];
    struct head head = {.n_steps = info->n_steps,
                        .n_lat = grid->n_lat,
                        .n_lon = grid->n_lon,
                        .canonical_col = grid->canonical_col,
                        .memo_bytes = memo_bytes,
                        .notes_bytes = notes->n_bytes,
                        .n_notes = notes->n,
                        .steps_per_chunk = info->steps_per_chunk,
                        .size_bytes = info->size_bytes,
                        .kind = (int32_t)info->kind,
                        .calendar = (int32_t)info->calendar,
                        .lattice = (int32_t)info->lattice,
                        .wraps = grid->wraps,
                        .is_preliminary = info->is_preliminary,
                        .is_packed = info->is_packed,
                        .lattice_is_exact = info->lattice_is_exact};
    list_texts(info, texts);
    for (size_t i = 0; i < N_TEXTS; ++i)
        head.texts_bytes += strlen(texts[i]) + 1;
    const size_t steps_bytes = info->n_steps * sizeof *info->steps;
    const size_t axes_bytes = (grid->n_lat + grid->n_lon) * sizeof(double);
    const size_t n_bytes = padded(sizeof head) + padded(steps_bytes) + axes_bytes + padded(memo_bytes) +
                           padded(head.texts_bytes) + padded(notes->n_bytes);
    if (n_bytes > room)
        return 0;
    unsigned char *at = put(out, &head, sizeof head);
    at = put(at, info->steps, steps_bytes);
    at = put(at, grid->lat, grid->n_lat * sizeof(double));
    at = put(at, grid->lon, grid->n_lon * sizeof(double));
    at = put(at, memo, memo_bytes);
    unsigned char *text_at = at;
    for (size_t i = 0; i < N_TEXTS; ++i) {
        const size_t size = strlen(texts[i]) + 1;
        memcpy(text_at, texts[i], size);
        text_at += size;
    }
    (void)put(at + padded(head.texts_bytes), notes->texts, notes->n_bytes);
    return n_bytes;
}

/* A place in bytes from which pieces are taken; `at` NULL once one was not there. */
struct cursor {
    const unsigned char *at;
    size_t left;
};

static const void *take(struct cursor *cursor, uint64_t n)
{
    const unsigned char *found = cursor->at;
    if (!found || n > cursor->left || padded((size_t)n) > cursor->left) {
        cursor->at = NULL;
        return NULL;
    }
    cursor->at += padded((size_t)n);
    cursor->left -= padded((size_t)n);
    return found;
}

/* Whether so many bytes hold as many texts, the last of them with its end. */
static bool holds_texts(const char *bytes, size_t n_bytes, size_t n_texts)
{
    size_t n = 0;
    for (size_t i = 0; i < n_bytes; ++i)
        n += bytes[i] == '\0';
    return n == n_texts && (n_bytes == 0 || bytes[n_bytes - 1] == '\0');
}

static void take_texts(const char *bytes, struct sst_file_info *info)
{
    const char **const places[N_TEXTS] = {&info->format,     &info->variable,    &info->standard_name, &info->units,
                                          &info->ice_source, &info->mask_source, &info->title,         &info->reading,
                                          &info->product,    &info->sensor};
    for (size_t i = 0; i < N_TEXTS; ++i) {
        *places[i] = bytes;
        bytes += strlen(bytes) + 1;
    }
}

static bool is_sane(const struct head *head)
{
    return head->n_lat > 0 && head->n_lat <= MAX_AXIS && head->n_lon > 0 && head->n_lon <= MAX_AXIS &&
           head->canonical_col < head->n_lon && head->n_steps <= UINT32_MAX && head->memo_bytes <= SST_FILE_MEMO_MAX &&
           head->steps_per_chunk > 0 && head->calendar >= SST_CALENDAR_STANDARD &&
           head->calendar <= SST_CALENDAR_360_DAY && head->kind >= SST_KIND_UNKNOWN && head->kind <= SST_KIND_DEPTH &&
           (head->lattice == SST_LATTICE_CENTI || head->lattice == SST_LATTICE_MILLI);
}

/* Slots index tables, and days are written out. */
static bool are_days(const struct sst_step_info *steps, size_t n_steps, int n_slots)
{
    enum { MAX_YEAR = 999999, SECONDS_A_DAY = 86400 };
    bool are_sane = true;
    for (size_t i = 0; i < n_steps; ++i) {
        const struct sst_instant at = steps[i].at;
        are_sane = are_sane && at.day.slot >= 1 && at.day.slot <= n_slots && at.day.year >= -MAX_YEAR &&
                   at.day.year <= MAX_YEAR && at.second >= 0 && at.second < SECONDS_A_DAY;
    }
    return are_sane;
}

static bool are_finite(const double *values, size_t n)
{
    bool are_sane = true;
    for (size_t i = 0; i < n; ++i)
        are_sane = are_sane && isfinite(values[i]);
    return are_sane;
}

bool sst_scan_wire_read(const void *bytes, size_t n_bytes, const char *path, struct sst_scan_facts *out)
{
    struct cursor cursor = {bytes, n_bytes};
    const struct head *head = take(&cursor, sizeof *head);
    if (!head || !is_sane(head))
        return false;
    const struct sst_step_info *steps = take(&cursor, head->n_steps * sizeof *steps);
    const double *lat = take(&cursor, head->n_lat * sizeof *lat), *lon = take(&cursor, head->n_lon * sizeof *lon);
    const void *memo = take(&cursor, head->memo_bytes);
    const char *texts = take(&cursor, head->texts_bytes), *notes = take(&cursor, head->notes_bytes);
    if (!cursor.at || cursor.left > 0 || !are_finite(lat, (size_t)head->n_lat) ||
        !are_finite(lon, (size_t)head->n_lon) ||
        !are_days(steps, (size_t)head->n_steps, sst_calendar_n_slots((enum sst_calendar_kind)head->calendar)) ||
        !holds_texts(texts, (size_t)head->texts_bytes, N_TEXTS) ||
        !holds_texts(notes, (size_t)head->notes_bytes, (size_t)head->n_notes))
        return false;
    *out = (struct sst_scan_facts){.grid = sst_grid_view(lat, (size_t)head->n_lat, lon, (size_t)head->n_lon,
                                                         head->wraps != 0, (size_t)head->canonical_col),
                                   .memo = memo,
                                   .memo_bytes = (size_t)head->memo_bytes,
                                   .notes = notes,
                                   .notes_bytes = (size_t)head->notes_bytes,
                                   .n_notes = (size_t)head->n_notes};
    out->info = (struct sst_file_info){.path = path,
                                       .kind = (enum sst_sst_kind)head->kind,
                                       .calendar = (enum sst_calendar_kind)head->calendar,
                                       .grid = &out->grid,
                                       .steps = steps,
                                       .n_steps = (size_t)head->n_steps,
                                       .steps_per_chunk = (size_t)head->steps_per_chunk,
                                       .is_preliminary = head->is_preliminary != 0,
                                       .is_packed = head->is_packed != 0,
                                       .lattice_is_exact = head->lattice_is_exact != 0,
                                       .lattice = (enum sst_lattice_kind)head->lattice,
                                       .size_bytes = head->size_bytes};
    take_texts(texts, &out->info);
    return true;
}
