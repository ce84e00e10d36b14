/* Days of one slot of a state, made up, and slots as files in memory. */
#include "slot_fixture.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "random.h"
#include "regular_grid.h"
#include "state/state_os.h"
#include "validate/probes.h"

enum { N_ROWS = 7, N_COLS = 29, FILE_KIND = SST_BLOCKS_TAG('T', 'E', 'S', 'T') };

/* --- policies ------------------------------------------------------------------------------------------------------ */

static enum sst_status choose(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                              size_t *n_cells, struct sst_error *err)
{
    return sst_probes_choose(domain, NULL, seed, share, cells, n_cells, err);
}

struct sst_state_policy slot_policy_of_size(int which, size_t n_rows, size_t n_cols)
{
    static const struct {
        bool has_moments;
        struct sst_tail_k tail;
        enum sst_keep keep;
        enum sst_lattice_kind lattice;
    } kinds[SLOT_N_POLICIES] = {{true, {6, 3}, SST_KEEP_ALL, SST_LATTICE_CENTI},
                                {true, {0, 0}, SST_KEEP_PROBES, SST_LATTICE_MILLI},
                                {true, {16, 0}, SST_KEEP_NONE, SST_LATTICE_CENTI},
                                {false, {5, 0}, SST_KEEP_ALL, SST_LATTICE_MILLI},
                                {false, {0, 0}, SST_KEEP_ALL, SST_LATTICE_CENTI}};
    struct sst_state_policy policy = {
        .grid = regular_grid((struct even_axis){-9.0, 21.0 / (double)n_rows, n_rows},
                             (struct even_axis){1.0, 21.0 / (double)n_rows, n_cols}),
        .pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, SLOT_FIRST_YEAR, SLOT_LAST_YEAR, 5},
        .lattice = kinds[which].lattice,
        .kind = SST_KIND_SURFACE,
        .has_moments = kinds[which].has_moments,
        .tail = kinds[which].tail,
        .keep = kinds[which].keep,
        .probe_share = 0.2,
        .seed = 7};
    struct sst_error err = {0};
    ck_assert_int_eq(sst_strdup("made up", &policy.product, NULL), SST_OK);
    ck_assert_msg(sst_state_policy_complete(&policy, choose, &err) == SST_OK, "%s", err.text);
    return policy;
}

struct sst_state_policy slot_policy(int which) { return slot_policy_of_size(which, N_ROWS, N_COLS); }

bool slot_policy_can_remove(const struct sst_state_policy *policy)
{
    return policy->keep == SST_KEEP_ALL || (policy->tail.top == 0 && policy->tail.bottom == 0);
}

/* --- days ---------------------------------------------------------------------------------------------------------- */

/*
 * A third of the cells is land; one in eight of the others has a value or ice on two days alone, so that cells come and go;
 * the rest has gaps. Values reach from the least to the greatest that a lattice and the sums have.
 */
static void fill(const struct sst_state_policy *policy, size_t index, struct test_random *random,
                 struct sst_field *field)
{
    const int most = policy->lattice == SST_LATTICE_CENTI ? SST_MAX_HUNDREDTHS : INT16_MAX;
    for (size_t cell = 0; cell < field->n_cells; ++cell) {
        const bool is_land = cell % 9 < 3, is_rare = cell % 8 == 5;
        const bool is_there = !is_land && (is_rare ? cell / 8 % 11 == index % 11 : test_random_below(random, 6) > 0);
        const int spread = test_random_below(random, 4) == 0 ? most : 300;
        const int code = test_random_below(random, 2 * spread + 1) - spread;
        field->codes[cell] = is_there && cell % 16 != 13 ? (int16_t)code : (int16_t)SST_CODE_MISSING;
        field->ice[cell] = field->has_ice && is_there && (cell % 16 == 13 || test_random_below(random, 9) == 0);
    }
    if (policy->lattice == SST_LATTICE_MILLI)
        sst_field_hundredths(field->codes, field->n_cells, field->hundredths);
}

static struct slot_day make_day(const struct sst_state_policy *policy, size_t index, struct sst_day day)
{
    struct test_random random = {(uint64_t)day.year * 1000 + (uint64_t)day.slot};
    struct slot_day made = {.entry = {.year = day.year, .year_class = sst_pool_class(&policy->pools, day)},
                            .field = {.n_cells = policy->n_cells, .has_ice = day.year % 5 != 0}};
    struct sst_domain domain;
    char name[32];
    sst_domain_all(policy->grid, &domain);
    made.field.codes = calloc(policy->n_cells, sizeof *made.field.codes);
    made.field.hundredths = policy->lattice == SST_LATTICE_CENTI
                                ? made.field.codes
                                : calloc(policy->n_cells, sizeof *made.field.hundredths);
    made.field.ice = calloc(policy->n_cells, 1);
    fill(policy, index, &random, &made.field);
    for (size_t cell = 0; cell < policy->n_cells; ++cell)
        made.entry.n_valid += made.field.codes[cell] != SST_CODE_MISSING;
    made.entry.digest = sst_domain_digest(&domain, made.field.codes);
    made.entry.ice_digest = made.field.has_ice ? test_random_next(&random) | 1 : 0;
    made.entry.median = day.year - 2000;
    (void)snprintf(name, sizeof name, "sst_%d_%d.nc", day.year, day.slot);
    made.entry.source = strdup(name);
    return made;
}

void slot_days_make(const struct sst_state_policy *policy, int slot, struct slot_days *out)
{
    *out = (struct slot_days){0};
    for (int year = SLOT_FIRST_YEAR - 1; year <= SLOT_LAST_YEAR + 1; ++year) {
        const struct sst_day day = {year, slot};
        if (sst_calendar_has_day(policy->pools.kind, day) && sst_pool_class(&policy->pools, day) != SST_NO_CLASS) {
            out->days[out->n] = make_day(policy, out->n, day);
            ++out->n;
        }
    }
    ck_assert_uint_ge(out->n, 5);
}

void slot_days_clear(struct slot_days *days)
{
    for (size_t i = 0; i < days->n; ++i) {
        struct slot_day *day = &days->days[i];
        if (day->field.hundredths != day->field.codes)
            free(day->field.hundredths);
        free(day->field.codes);
        free(day->field.ice);
        free(day->entry.source);
    }
}

struct sst_slot_state *slot_new(const struct sst_state_policy *policy, int slot)
{
    struct sst_slot_state *made = NULL;
    ck_assert_int_eq(sst_slot_state_create(policy, slot, &made, NULL), SST_OK);
    return made;
}

void slot_add(struct sst_slot_state *slot, const struct slot_day *day)
{
    struct sst_error err = {0};
    ck_assert_msg(sst_slot_state_add(slot, &day->entry, &day->field, &err) == SST_OK, "%s", err.text);
}

void slot_take(struct sst_slot_state *slot, const struct slot_day *day)
{
    struct sst_error err = {0};
    const struct sst_field *field = slot->policy->keep == SST_KEEP_ALL ? NULL : &day->field;
    ck_assert_msg(sst_slot_state_remove(slot, day->entry.year, field, &err) == SST_OK, "%s", err.text);
}

/* --- files --------------------------------------------------------------------------------------------------------- */

/* A disk of one file in memory: nothing has to outlive a test. */
static int disk = -1;

static int open_disk(void *user, int folder, const char *name, int flags, unsigned mode)
{
    (void)user;
    (void)folder;
    (void)mode;
    if (disk >= 0 && (flags & O_CREAT)) {
        (void)close(disk);
        disk = -1;
    }
    if (disk < 0)
        disk = memfd_create(name, MFD_CLOEXEC);
    (void)lseek(disk, 0, SEEK_SET);
    return dup(disk);
}

static int no_sync(void *user, int fd)
{
    (void)user;
    (void)fd;
    return 0;
}

static int no_rename(void *user, int folder, const char *from, const char *to)
{
    (void)user;
    (void)folder;
    (void)from;
    (void)to;
    return 0;
}

static struct sst_os memory_os(void)
{
    struct sst_os os = *sst_os_system();
    os.open = open_disk;
    os.sync = no_sync;
    os.rename = no_rename;
    return os;
}

static void commit(struct sst_block_writer *writer)
{
    struct sst_error err = {0};
    const struct sst_os os = memory_os();
    ck_assert_msg(sst_block_writer_commit(writer, &os, -1, "memory", "slot", &err) == SST_OK, "%s", err.text);
}

struct sst_block_file *slot_file_of(struct sst_block_writer *writer)
{
    struct sst_error err = {0};
    struct sst_block_file *file = NULL;
    const struct sst_os os = memory_os();
    commit(writer);
    ck_assert_msg(sst_block_file_read(&os, -1, "memory", "slot", FILE_KIND, NULL, &file, &err) == SST_OK, "%s",
                  err.text);
    ck_assert_ptr_nonnull(file);
    return file;
}

static struct sst_block_writer *write_slot(const struct sst_slot_state *slot)
{
    struct sst_error err = {0};
    struct sst_block_writer *writer = NULL;
    ck_assert_int_eq(sst_block_writer_create(FILE_KIND, slot->policy->identity, &writer, NULL), SST_OK);
    ck_assert_msg(sst_slot_state_encode(slot, writer, &err) == SST_OK, "%s", err.text);
    return writer;
}

struct sst_block_file *slot_file(const struct sst_slot_state *slot)
{
    struct sst_block_writer *writer = write_slot(slot);
    struct sst_block_file *file = slot_file_of(writer);
    sst_block_writer_destroy(&writer);
    return file;
}

struct slot_bytes slot_bytes(const struct sst_slot_state *slot)
{
    struct sst_block_writer *writer = write_slot(slot);
    struct stat status;
    commit(writer);
    sst_block_writer_destroy(&writer);
    ck_assert_int_eq(fstat(disk, &status), 0);
    struct slot_bytes out = {malloc((size_t)status.st_size), (size_t)status.st_size};
    ck_assert_int_eq(pread(disk, out.bytes, out.n, 0), status.st_size);
    return out;
}

bool slots_equal(const struct sst_slot_state *a, const struct sst_slot_state *b)
{
    const struct slot_bytes of_a = slot_bytes(a), of_b = slot_bytes(b);
    const struct sst_identity digest_a = sst_slot_state_digest(a), digest_b = sst_slot_state_digest(b);
    const bool are = of_a.n == of_b.n && memcmp(of_a.bytes, of_b.bytes, of_a.n) == 0 && digest_a.low == digest_b.low &&
                     digest_a.high == digest_b.high;
    free(of_a.bytes);
    free(of_b.bytes);
    return are;
}

/* --- alterations --------------------------------------------------------------------------------------------------- */

/* The first blocks are altered in every byte, those of planes and days, which are many, in some. */
enum { N_FIRST_BLOCKS = 5, N_PLACES = 12 };

struct alteration {
    const struct sst_block_file *file;
    void (*use)(void *user, const struct sst_block_file *altered, const char *what);
    void *user;
};

/* Gives `use` the file with these blocks in the place of one. */
static void put(const struct alteration *alteration, size_t at, const struct sst_block *blocks, size_t n,
                const char *what)
{
    struct sst_block_writer *writer = NULL;
    char text[64];
    const struct sst_block old = sst_block_file_at(alteration->file, at);
    ck_assert_int_eq(sst_block_writer_create(FILE_KIND, sst_block_file_identity(alteration->file), &writer, NULL),
                     SST_OK);
    for (size_t i = 0; i < sst_block_file_n_blocks(alteration->file); ++i) {
        const struct sst_block same = sst_block_file_at(alteration->file, i);
        const struct sst_block *from = i == at ? blocks : &same;
        for (size_t b = 0; b < (i == at ? n : 1); ++b)
            ck_assert_int_eq(
                sst_block_writer_add(writer, from[b].tag, from[b].number, from[b].bytes, from[b].n_bytes, false, NULL),
                SST_OK);
    }
    struct sst_block_file *altered = slot_file_of(writer);
    (void)snprintf(text, sizeof text, "%.4s %d: %s", (const char *)&old.tag, (int)old.number, what);
    alteration->use(alteration->user, altered, text);
    sst_block_file_destroy(&altered);
    sst_block_writer_destroy(&writer);
}

static void alter_sizes(const struct alteration *alteration, size_t at)
{
    const struct sst_block block = sst_block_file_at(alteration->file, at), twice[] = {block, block};
    unsigned char *longer = calloc(block.n_bytes + 8, 1);
    memcpy(longer, block.bytes, block.n_bytes);
    struct sst_block other = {.tag = block.tag, .number = block.number, .bytes = longer};
    const struct sst_block elsewhere = {
        .tag = block.tag, .number = block.number + 1000, .bytes = block.bytes, .n_bytes = block.n_bytes};
    put(alteration, at, NULL, 0, "left out");
    put(alteration, at, twice, 2, "doubled");
    put(alteration, at, &elsewhere, 1, "of another number");
    for (size_t n = 0; n <= block.n_bytes + 8; n += at < N_FIRST_BLOCKS && n < 70 ? 1 : block.n_bytes / 3 + 1) {
        other.n_bytes = n;
        if (n != block.n_bytes)
            put(alteration, at, &other, 1, "of another size");
    }
    free(longer);
}

static void alter_bytes(const struct alteration *alteration, size_t at)
{
    const struct sst_block block = sst_block_file_at(alteration->file, at);
    const size_t step = at < N_FIRST_BLOCKS && block.n_bytes < 2000 ? 1 : block.n_bytes / N_PLACES + 1;
    unsigned char *bytes = malloc(block.n_bytes + 1);
    char what[48];
    memcpy(bytes, block.bytes, block.n_bytes);
    for (size_t i = 0; i < block.n_bytes; i += step) {
        const struct sst_block changed = {
            .tag = block.tag, .number = block.number, .bytes = bytes, .n_bytes = block.n_bytes};
        bytes[i] ^= (unsigned char)(1U << i % 8);
        (void)snprintf(what, sizeof what, "byte %zu changed", i);
        put(alteration, at, &changed, 1, what);
        bytes[i] ^= (unsigned char)(1U << i % 8);
    }
    free(bytes);
}

void slot_alterations(const struct sst_block_file *file, const struct sst_block_file *other,
                      void (*use)(void *user, const struct sst_block_file *altered, const char *what), void *user)
{
    const struct alteration alteration = {file, use, user};
    for (size_t at = 0; at < sst_block_file_n_blocks(file); ++at) {
        const struct sst_block block = sst_block_file_at(file, at);
        const struct sst_block theirs = sst_block_file_find(other, block.tag, block.number);
        alter_sizes(&alteration, at);
        alter_bytes(&alteration, at);
        if (theirs.bytes && (theirs.n_bytes != block.n_bytes || memcmp(theirs.bytes, block.bytes, block.n_bytes) != 0))
            put(&alteration, at, &theirs, 1, "of another file");
    }
}
