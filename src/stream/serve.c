/* The readers' side and its wire: requests, slots, replies. */
#include "stream/serve.h"

#include <string.h>

#include "core/mem.h"
#include "stream/decode_memo.h"

enum { LINE = 64 };

static size_t on_line(size_t n) { return (n + LINE - 1) / LINE * LINE; }

/* --- the setup ---------------------------------------------------------------------------------------------------- */

/* Texts are kept with their zero; 0 bytes is NULL. */
struct setup_head {
    uint64_t n_lat, n_lon, canonical_col, row0, n_rows, col0, n_cols, n_cells; /* n_lat 0: no domain */
    uint64_t n_most_open, keys_per_slot, variable_bytes, units_bytes, ice_variable_bytes, status_from_bytes;
    int32_t lattice;
    uint8_t wraps, has_keep, library_only, wants_degc;
};

static size_t text_bytes(const char *text) { return text ? strlen(text) + 1 : 0; }

static unsigned char *append(unsigned char *at, const void *bytes, size_t n)
{
    if (bytes)
        memcpy(at, bytes, n);
    return at + on_line(n);
}

enum sst_status sst_serve_pack(const struct sst_serve_setup *setup, void **out, size_t *n_bytes, struct sst_error *err)
{
    const struct sst_step_setup *steps = &setup->steps;
    struct setup_head head = {.n_most_open = steps->n_most_open,
                              .keys_per_slot = setup->keys_per_slot,
                              .variable_bytes = text_bytes(steps->decode.variable),
                              .units_bytes = text_bytes(steps->decode.units),
                              .ice_variable_bytes = text_bytes(steps->decode.ice_variable),
                              .status_from_bytes = text_bytes(steps->decode.status_from),
                              .lattice = (int32_t)steps->lattice,
                              .library_only = steps->decode.library_only,
                              .wants_degc = steps->wants_degc};
    if (steps->domain) {
        const struct sst_domain *domain = steps->domain;
        head.n_lat = domain->grid->n_lat;
        head.n_lon = domain->grid->n_lon;
        head.canonical_col = domain->grid->canonical_col;
        head.wraps = domain->grid->wraps;
        head.row0 = domain->row0;
        head.n_rows = domain->n_rows;
        head.col0 = domain->col0;
        head.n_cols = domain->n_cols;
        head.n_cells = domain->n_cells;
        head.has_keep = steps->keep != NULL;
    }
    const size_t lat_bytes = head.n_lat * sizeof(double), lon_bytes = head.n_lon * sizeof(double);
    const size_t keep_bytes = head.has_keep ? head.n_cells : 0;
    const size_t total = on_line(sizeof head) + on_line(lat_bytes) + on_line(lon_bytes) + on_line(keep_bytes) +
                         on_line(head.variable_bytes) + on_line(head.units_bytes) + on_line(head.ice_variable_bytes) +
                         on_line(head.status_from_bytes);
    unsigned char *bytes = NULL;
    SST_TRY(sst_alloc(total, 1, "the readers' setup", &bytes, err));
    unsigned char *at = append(bytes, &head, sizeof head);
    at = append(at, steps->domain ? steps->domain->grid->lat : NULL, lat_bytes);
    at = append(at, steps->domain ? steps->domain->grid->lon : NULL, lon_bytes);
    at = append(at, steps->keep, keep_bytes);
    at = append(at, steps->decode.variable, head.variable_bytes);
    at = append(at, steps->decode.units, head.units_bytes);
    at = append(at, steps->decode.ice_variable, head.ice_variable_bytes);
    (void)append(at, steps->decode.status_from, head.status_from_bytes);
    *out = bytes;
    *n_bytes = total;
    return SST_OK;
}

/* A reader at work. Texts and arrays lie in the setup's bytes, which stay. */
struct server {
    struct sst_grid grid;
    struct sst_domain domain;
    struct sst_decode_options decode;
    struct sst_decode_scratch *scratch; /* of scans */
    struct sst_step_files *files; /* NULL where there is no domain */
    struct sst_serve_layout layout;
};

static void close_server(void *state)
{
    struct server *server = state;
    if (!server)
        return;
    sst_step_files_destroy(&server->files);
    sst_decode_scratch_destroy(&server->scratch);
    sst_free(server);
}

static const void *take(const unsigned char **at, uint64_t n)
{
    const unsigned char *found = *at;
    *at += on_line((size_t)n);
    return n > 0 ? found : NULL;
}

/* The program made these bytes itself, so they are as they should be. */
static enum sst_status open_server(const void *setup, size_t setup_bytes, void **state, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const unsigned char *at = setup;
    const struct setup_head *head = take(&at, sizeof *head);
    const double *lat = take(&at, head->n_lat * sizeof *lat), *lon = take(&at, head->n_lon * sizeof *lon);
    const uint8_t *keep = take(&at, head->has_keep ? head->n_cells : 0);
    struct server *server = NULL;
    (void)setup_bytes;
    SST_TRY_GOTO(sst_alloc(1, sizeof *server, "a reader", &server, err));
    server->decode.variable = take(&at, head->variable_bytes);
    server->decode.units = take(&at, head->units_bytes);
    server->decode.ice_variable = take(&at, head->ice_variable_bytes);
    server->decode.status_from = take(&at, head->status_from_bytes);
    server->decode.library_only = head->library_only != 0;
    server->layout =
        (struct sst_serve_layout){(size_t)head->n_cells, (size_t)head->keys_per_slot, head->wants_degc != 0};
    SST_TRY_GOTO(sst_decode_scratch_create(&server->scratch, err));
    if (head->n_lat > 0) {
        server->grid = sst_grid_view(lat, (size_t)head->n_lat, lon, (size_t)head->n_lon, head->wraps != 0,
                                     (size_t)head->canonical_col);
        server->domain = (struct sst_domain){.grid = &server->grid,
                                             .row0 = (size_t)head->row0,
                                             .n_rows = (size_t)head->n_rows,
                                             .col0 = (size_t)head->col0,
                                             .n_cols = (size_t)head->n_cols,
                                             .n_cells = (size_t)head->n_cells};
        const struct sst_step_setup steps = {.domain = &server->domain,
                                             .lattice = (enum sst_lattice_kind)head->lattice,
                                             .keep = keep,
                                             .decode = server->decode,
                                             .n_most_open = (size_t)head->n_most_open,
                                             .wants_degc = head->wants_degc != 0};
        SST_TRY_GOTO(sst_step_files_create(&steps, &server->files, err));
    }
    *state = server;
    server = NULL;
done:
    close_server(server);
    return rc;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

enum kind { KIND_SCAN, KIND_STEPS };

/* Behind it: the path with its zero, the memo, the keys. */
struct request_head {
    uint32_t kind, index;
    uint64_t path_bytes, memo_bytes, n_keys;
    uint64_t size_bytes, n_steps, shift_lon;
    uint8_t flip_lat;
};

static size_t padded(size_t n) { return (n + 7) / 8 * 8; }

static unsigned char *put(unsigned char *at, const void *bytes, size_t n)
{
    if (bytes)
        memcpy(at, bytes, n);
    return at + padded(n);
}

static size_t write_request(const struct request_head *head, const char *path, const void *memo,
                            const struct sst_step_key *keys, void *out)
{
    const size_t n_bytes = padded(sizeof *head) + padded((size_t)head->path_bytes) + padded((size_t)head->memo_bytes) +
                           (size_t)head->n_keys * sizeof *keys;
    if (n_bytes > SST_CREW_MAX_REQUEST)
        return 0;
    unsigned char *at = put(out, head, sizeof *head);
    at = put(at, path, (size_t)head->path_bytes);
    at = put(at, memo, (size_t)head->memo_bytes);
    (void)put(at, keys, (size_t)head->n_keys * sizeof *keys);
    return n_bytes;
}

size_t sst_serve_scan_request(const char *path, void *out)
{
    const struct request_head head = {.kind = KIND_SCAN, .path_bytes = strlen(path) + 1};
    return write_request(&head, path, NULL, NULL, out);
}

size_t sst_serve_steps_request(const struct sst_step_file *file, const struct sst_step_key *keys, size_t n_keys,
                               void *out)
{
    const struct request_head head = {.kind = KIND_STEPS,
                                      .index = file->index,
                                      .path_bytes = strlen(file->path) + 1,
                                      .memo_bytes = file->memo_bytes,
                                      .n_keys = n_keys,
                                      .size_bytes = file->size_bytes,
                                      .n_steps = file->n_steps,
                                      .shift_lon = file->map.shift_lon,
                                      .flip_lat = file->map.flip_lat};
    return write_request(&head, file->path, file->memo, keys, out);
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

struct step_mark {
    uint64_t is_decoded;
    struct sst_step_outcome outcome;
};

static size_t marks_bytes(size_t keys_per_slot) { return on_line(keys_per_slot * sizeof(struct step_mark)); }

static size_t codes_bytes(const struct sst_serve_layout *layout) { return on_line(layout->n_cells * sizeof(int16_t)); }

static size_t ice_bytes(const struct sst_serve_layout *layout) { return on_line(layout->n_cells); }

static size_t values_bytes(const struct sst_serve_layout *layout)
{
    const size_t degc_bytes = layout->has_degc ? on_line(layout->n_cells * sizeof(float)) : 0;
    return codes_bytes(layout) + ice_bytes(layout) + degc_bytes;
}

size_t sst_serve_slot_bytes(const struct sst_serve_layout *layout)
{
    return marks_bytes(layout->keys_per_slot) + layout->keys_per_slot * values_bytes(layout);
}

uint64_t sst_serve_memory_bytes(const struct sst_grid *grid)
{
    /* A field as stored, inflated, unpacked and decoded, on both lattices; twice that. */
    enum { BYTES_PER_CELL = 64 };
    return SST_READER_BYTES + BYTES_PER_CELL * (uint64_t)grid->n_lat * grid->n_lon;
}

size_t sst_serve_scan_slot_bytes(void)
{
    /* A million steps, two long axes, and all texts of a header. */
    enum { SCAN_SLOT_BYTES = 32 << 20 };
    return SCAN_SLOT_BYTES;
}

static struct sst_step_values values_in(const struct sst_serve_layout *layout, void *slot, size_t key)
{
    unsigned char *codes = (unsigned char *)slot + marks_bytes(layout->keys_per_slot) + key * values_bytes(layout);
    unsigned char *ice = codes + codes_bytes(layout);
    void *degc = layout->has_degc ? ice + ice_bytes(layout) : NULL;
    return (struct sst_step_values){(int16_t *)(void *)codes, ice, degc};
}

struct sst_serve_step sst_serve_step_in(const struct sst_serve_layout *layout, void *slot, size_t key)
{
    const struct step_mark *mark = (const struct step_mark *)slot + key;
    struct sst_serve_step step = {mark->is_decoded == 1, mark->outcome, values_in(layout, slot, key)};
    unsigned char has_ice; /* of a reader that may have been hurt: any byte */
    memcpy(&has_ice, &mark->outcome.has_ice, sizeof has_ice);
    step.outcome.has_ice = has_ice != 0;
    return step;
}

/* --- serving ------------------------------------------------------------------------------------------------------ */

static struct sst_timings since(const struct sst_timings *now, const struct sst_timings *before)
{
    struct sst_timings spent = *now;
    for (int phase = 0; phase < SST_N_PHASES; ++phase)
        spent.seconds[phase] -= before->seconds[phase];
    return spent;
}

static enum sst_status serve_scan(struct server *server, const char *path, struct sst_crew_task *task,
                                  struct sst_serve_reply *reply, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_file *file = NULL;
    struct sst_scan_notes notes = {0};
    unsigned char memo[SST_FILE_MEMO_MAX];
    struct sst_decode_options decode = server->decode;
    const double start = sst_timings_now();
    decode.scratch = server->scratch;
    SST_TRY_GOTO(sst_file_open(path, &decode, sst_scan_notes_add, &notes, &file, err));
    const size_t memo_bytes = sst_file_memo(file, memo);
    reply->n_bytes = sst_scan_wire_write(sst_file_info(file), memo, memo_bytes, &notes, task->slot, task->slot_bytes);
    if (reply->n_bytes == 0 || notes.is_short)
        rc = sst_fail(err, SST_ERR_INPUT, "%s: its header is too long for a reader process. Use --readers 0", path);
done:
    sst_file_close(&file);
    sst_scan_notes_clear(&notes);
    (void)sst_timings_book(&reply->timings, SST_PHASE_OPEN, start);
    return rc;
}

static enum sst_status serve_steps(struct server *server, const struct sst_step_file *file,
                                   const struct sst_step_key *keys, size_t n_keys, struct sst_crew_task *task,
                                   struct sst_serve_reply *reply, struct sst_error *err)
{
    const struct sst_timings before = *sst_step_files_timings(server->files);
    struct step_mark *marks = task->slot;
    for (size_t key = 0; key < n_keys; ++key) {
        struct sst_error problem = {0};
        const struct sst_step_values values = values_in(&server->layout, task->slot, key);
        const enum sst_status rc = sst_step_files_decode(server->files, file, keys[key], &values, &marks[key].outcome,
                                                         key == 0 ? reply->reading : NULL, &problem);
        marks[key].is_decoded = rc == SST_OK;
        if (rc != SST_OK && key == 0)
            return sst_fail(err, rc, "%s", problem.text);
    }
    reply->timings = since(sst_step_files_timings(server->files), &before);
    return SST_OK;
}

static enum sst_status serve(void *state, struct sst_crew_task *task, struct sst_error *err)
{
    struct server *server = state;
    struct sst_serve_reply reply = {0};
    const unsigned char *at = task->request;
    const struct request_head *head = (const void *)at;
    const char *path = (const char *)(at + padded(sizeof *head));
    const unsigned char *memo = (const unsigned char *)path + padded((size_t)head->path_bytes);
    enum sst_status rc;
    if (head->kind == KIND_SCAN) {
        rc = serve_scan(server, path, task, &reply, err);
    } else {
        const struct sst_step_file file = {.index = head->index,
                                           .path = path,
                                           .size_bytes = head->size_bytes,
                                           .n_steps = (size_t)head->n_steps,
                                           .map = {head->flip_lat != 0, (size_t)head->shift_lon},
                                           .memo = memo,
                                           .memo_bytes = (size_t)head->memo_bytes};
        const struct sst_step_key *keys = (const void *)(memo + padded((size_t)head->memo_bytes));
        rc = serve_steps(server, &file, keys, (size_t)head->n_keys, task, &reply, err);
    }
    memcpy(task->reply, &reply, sizeof reply);
    task->reply_bytes = sizeof reply;
    return rc;
}

const struct sst_crew_service sst_serve = {.open = open_server, .serve = serve, .close = close_server};

/* --- results ------------------------------------------------------------------------------------------------------ */

bool sst_serve_take_reply(const struct sst_crew_result *result, struct sst_serve_reply *out)
{
    *out = (struct sst_serve_reply){0};
    if (result->reply_bytes != sizeof *out)
        return false;
    memcpy(out, result->reply, sizeof *out);
    out->reading[sizeof out->reading - 1] = '\0';
    return true;
}

enum sst_status sst_serve_fail(const struct sst_crew_result *result, const char *path, double task_seconds,
                               struct sst_error *err)
{
    if (result->fate == SST_CREW_TIMED_OUT)
        return sst_fail(
            err, SST_ERR_INPUT,
            "%s: not read within %g s. The file is damaged, or its disk slow: fetch it again, or use a larger "
            "--read-timeout",
            path, task_seconds);
    if (result->fate == SST_CREW_DIED)
        return sst_fail(err, SST_ERR_INPUT, "%s: %s. The file is damaged; fetch it again", path, result->error.text);
    if (result->status == SST_OK)
        return sst_fail(err, SST_ERR_INPUT, "%s: its reader gave nonsense. The file is damaged; fetch it again", path);
    if (result->status == SST_ERR_NOMEM)
        return sst_fail(err, SST_ERR_INPUT,
                        "%s: more than a reader's memory is needed (%.200s). The file is damaged: fetch it again; or "
                        "use --readers 0",
                        path, result->error.text);
    return sst_fail(err, result->status, "%s", result->error.text);
}
