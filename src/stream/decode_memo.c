/* Files opened again from what was learnt the first time: facts of the header and places of the chunks, as plain bytes. */
#include "stream/decode_memo.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "stream/decode_direct.h"

/* What a memo has room for; files with more are opened by the library again. */
enum { MAX_STEPS = 8, MAX_FILLS = 8, NAME_SIZE = 64, N_VARIABLES = 3 };

/* Tells memos from other bytes; the last letter counts the versions of the struct. */
static const char magic[8] = {'s', 's', 't', 'm', 'e', 'm', 'o', '1'};

struct memo_variable {
    char name[NAME_SIZE];
    int id, rank, time_at, lat_at, lon_at;
    nc_type type;
    bool has_scaling;
    double scale, offset, valid_min, valid_max, fills[MAX_FILLS];
    size_t n_fills;
    struct sst_direct_storage storage; /* of no open dataset */
};

struct memo {
    char magic[sizeof magic];
    struct sst_decode_identity identity;
    int format; /* NC_FORMAT_... */
    bool is_preliminary, is_packed, lattice_is_exact;
    enum sst_sst_kind kind;
    enum sst_calendar_kind calendar;
    enum sst_lattice_kind lattice;
    size_t n_steps, steps_per_chunk;
    struct sst_step_info steps[MAX_STEPS];
    struct memo_variable variables[N_VARIABLES]; /* SST, ice, mask; id -1: none */
    struct sst_decode_conversion to_degc;
    double ice_scale, ice_code_degc;
    struct sst_decode_flag flags[SST_DECODE_MAX_FLAGS];
    size_t n_flags;
    uint8_t mask_classes[SST_DECODE_MASK_MAX - SST_DECODE_MASK_MIN + 1];
    struct sst_direct_place places[SST_DIRECT_MAX_PLACES];
    size_t n_places;
};
static_assert(sizeof(struct memo) <= SST_FILE_MEMO_MAX, "callers have so much room");

void sst_decode_identify(const struct stat *status, struct sst_decode_identity *out)
{
    *out = (struct sst_decode_identity){.device = (uint64_t)status->st_dev,
                                        .inode = (uint64_t)status->st_ino,
                                        .size_bytes = (uint64_t)status->st_size,
                                        .written_s = status->st_mtim.tv_sec,
                                        .written_ns = status->st_mtim.tv_nsec,
                                        .changed_s = status->st_ctim.tv_sec,
                                        .changed_ns = status->st_ctim.tv_nsec};
}

/* All members have eight bytes, so that there are none between them. */
static bool is_same_identity(const struct sst_decode_identity *a, const struct sst_decode_identity *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool put_variable(const struct sst_direct *direct, const struct sst_decode_variable *variable,
                         struct memo_variable *out)
{
    out->id = variable->id;
    if (variable->id < 0)
        return true;
    const struct sst_direct_storage *storage = sst_direct_storage_of(direct, variable->id);
    const size_t length = strlen(variable->name);
    if (!storage || length >= sizeof out->name || variable->n_fills > MAX_FILLS)
        return false;
    memcpy(out->name, variable->name, length);
    out->rank = variable->rank;
    out->time_at = variable->time_at;
    out->lat_at = variable->lat_at;
    out->lon_at = variable->lon_at;
    out->type = variable->type;
    out->has_scaling = variable->has_scaling;
    out->scale = variable->scale;
    out->offset = variable->offset;
    out->valid_min = variable->valid_min;
    out->valid_max = variable->valid_max;
    out->n_fills = variable->n_fills;
    memcpy(out->fills, variable->fills, variable->n_fills * sizeof *out->fills);
    out->storage = *storage;
    out->storage.dataset = -1;
    return true;
}

static void take_variable(struct sst_direct *direct, const struct memo_variable *memo, struct sst_decode_variable *out)
{
    *out = (struct sst_decode_variable){.id = memo->id};
    if (memo->id < 0)
        return;
    memcpy(out->name, memo->name, sizeof memo->name);
    out->rank = memo->rank;
    out->time_at = memo->time_at;
    out->lat_at = memo->lat_at;
    out->lon_at = memo->lon_at;
    out->type = memo->type;
    out->has_scaling = memo->has_scaling;
    out->scale = memo->scale;
    out->offset = memo->offset;
    out->valid_min = memo->valid_min;
    out->valid_max = memo->valid_max;
    out->n_fills = memo->n_fills;
    memcpy(out->fills, memo->fills, sizeof memo->fills);
    direct->variables[direct->n_variables++] = memo->storage;
}

static void put_facts(const struct sst_file *file, struct memo *out)
{
    const struct sst_file_info *info = &file->info;
    memcpy(out->magic, magic, sizeof magic);
    out->identity = file->identity;
    out->format = file->format;
    out->is_preliminary = info->is_preliminary;
    out->is_packed = info->is_packed;
    out->lattice_is_exact = info->lattice_is_exact;
    out->kind = info->kind;
    out->calendar = info->calendar;
    out->lattice = info->lattice;
    out->n_steps = info->n_steps;
    out->steps_per_chunk = info->steps_per_chunk;
    memcpy(out->steps, file->steps, info->n_steps * sizeof *out->steps);
    out->to_degc = file->to_degc;
    out->ice_scale = file->ice_scale;
    out->ice_code_degc = file->ice_code_degc;
    out->n_flags = file->n_flags;
    memcpy(out->flags, file->flags, sizeof out->flags);
    memcpy(out->mask_classes, file->mask_classes, sizeof out->mask_classes);
}

static enum sst_status take_facts(const struct memo *memo, struct sst_file *file, struct sst_error *err)
{
    struct sst_file_info *info = &file->info;
    SST_TRY(sst_alloc(memo->n_steps, sizeof *file->steps, "time steps", &file->steps, err));
    memcpy(file->steps, memo->steps, memo->n_steps * sizeof *file->steps);
    sst_decode_set_format(file, memo->format);
    file->identity = memo->identity;
    file->to_degc = memo->to_degc;
    file->ice_scale = memo->ice_scale;
    file->ice_code_degc = memo->ice_code_degc;
    file->n_flags = memo->n_flags;
    memcpy(file->flags, memo->flags, sizeof file->flags);
    memcpy(file->mask_classes, memo->mask_classes, sizeof file->mask_classes);
    info->variable = file->sst.name;
    sst_decode_name_sources(file);
    info->kind = memo->kind;
    info->calendar = memo->calendar;
    info->steps = file->steps;
    info->n_steps = memo->n_steps;
    info->steps_per_chunk = memo->steps_per_chunk;
    info->is_preliminary = memo->is_preliminary;
    info->is_packed = memo->is_packed;
    info->lattice_is_exact = memo->lattice_is_exact;
    info->lattice = memo->lattice;
    info->size_bytes = memo->identity.size_bytes;
    return SST_OK;
}

size_t sst_file_memo(struct sst_file *file, void *memo)
{
    const struct sst_decode_variable *const variables[N_VARIABLES] = {&file->sst, &file->ice, &file->mask};
    struct sst_decode_identity now;
    struct stat status;
    struct memo out;
    memset(&out, 0, sizeof out); /* what lies between the members too: the bytes leave this process */
    if (file->info.n_steps > MAX_STEPS || !sst_direct_locate(file) || fstat(file->direct->fd, &status) != 0)
        return 0;
    sst_decode_identify(&status, &now);
    if (!is_same_identity(&now, &file->identity))
        return 0;
    put_facts(file, &out);
    for (size_t i = 0; i < N_VARIABLES; ++i)
        if (!put_variable(file->direct, variables[i], &out.variables[i]))
            return 0;
    out.n_places = file->direct->n_places;
    memcpy(out.places, file->direct->places, sizeof out.places);
    memcpy(memo, &out, sizeof out);
    return sizeof out;
}

/* The file's descriptor, -1 where it is not the memo's. */
static int open_same(const char *path, const struct memo *memo)
{
    struct stat status;
    struct sst_decode_identity now;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0) {
        sst_decode_identify(&status, &now);
        if (is_same_identity(&now, &memo->identity))
            return fd;
    }
    (void)close(fd);
    return -1;
}

enum sst_status sst_file_open_memo(const char *path, const void *memo, size_t n_bytes,
                                   const struct sst_decode_options *options, struct sst_file **out, bool *is_same,
                                   struct sst_error *err)
{
    static const struct sst_decode_options no_options = {0};
    enum sst_status rc = SST_OK;
    struct sst_file *file = NULL;
    struct memo found;
    *is_same = false;
    if (n_bytes != sizeof found || (options && options->library_only))
        return SST_OK;
    memcpy(&found, memo, sizeof found);
    if (memcmp(found.magic, magic, sizeof magic) != 0)
        return SST_OK;
    const int fd = open_same(path, &found);
    if (fd < 0)
        return SST_OK;
    rc = sst_decode_create_file(path, options ? options : &no_options, &file, err);
    if (rc != SST_OK) {
        (void)close(fd);
        goto done;
    }
    SST_TRY_GOTO(sst_direct_adopt(file, fd, found.identity.size_bytes, err));
    struct sst_decode_variable *const variables[N_VARIABLES] = {&file->sst, &file->ice, &file->mask};
    for (size_t i = 0; i < N_VARIABLES; ++i)
        take_variable(file->direct, &found.variables[i], variables[i]);
    file->direct->n_places = found.n_places;
    memcpy(file->direct->places, found.places, sizeof found.places);
    SST_TRY_GOTO(take_facts(&found, file, err));
    *is_same = true;
    *out = file;
    file = NULL;
done:
    sst_file_close(&file);
    return rc;
}
