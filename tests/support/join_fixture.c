/* Days, and states made of them. */
#include "join_fixture.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>

#include "core/mem.h"
#include "state/ingest_files.h"
#include "test_main.h"
#include "validate/probes.h"

struct join_world join_worlds[2];

enum { EPOCH = 10957 /* 2000-01-01 in days since 1970 */, DAYS_NEW_YEAR = 7, DAYS_FEBRUARY = 5 };

enum sst_status join_choose_probes(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                                   size_t *n_cells, struct sst_error *err)
{
    return sst_probes_choose(domain, NULL, seed, share, cells, n_cells, err);
}

static int day_number(int year, int month, int day)
{
    const struct sst_day at = {year, sst_calendar_slot(SST_CALENDAR_STANDARD, month, day)};
    return (int)sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, at) - EPOCH;
}

static void write_files(struct join_world *world)
{
    for (int year = JOIN_FIRST_YEAR; year <= JOIN_LAST_YEAR; ++year) {
        const struct day_file winter = {.storage = world->storage, .has_ice = year % 2 == 0, .added = 10 * (year % 3)};
        const struct day_file march = {.storage = world->storage, .has_ice = year % 3 == 0};
        archive_add(&world->archive, test_path("%d-winter.nc", year), winter, day_number(year, 12, 29), DAYS_NEW_YEAR);
        archive_add(&world->archive, test_path("%d-march.nc", year), march, day_number(year, 2, 27), DAYS_FEBRUARY);
    }
}

static void keep_day(struct join_world *world, struct sst_day day, const struct sst_field *field,
                     const struct sst_ingest_look *look, const char *path)
{
    const size_t n = field->n_cells;
    struct join_day *kept = &world->days[world->n_days++];
    ck_assert_uint_le(world->n_days, JOIN_MAX_DAYS);
    kept->day = day;
    kept->field = *field;
    ck_assert_int_eq(sst_alloc(n, sizeof *field->codes, "a day", &kept->field.codes, NULL), SST_OK);
    ck_assert_int_eq(sst_alloc(n, sizeof *field->codes, "a day", &kept->field.hundredths, NULL), SST_OK);
    ck_assert_int_eq(sst_alloc(n, 1, "a day", &kept->field.ice, NULL), SST_OK);
    memcpy(kept->field.codes, field->codes, n * sizeof *field->codes);
    memcpy(kept->field.hundredths, field->hundredths, n * sizeof *field->codes);
    memcpy(kept->field.ice, field->ice, n);
    kept->entry = (struct sst_ledger_entry){.year = day.year,
                                            .digest = look->digest,
                                            .ice_digest = look->ice_digest,
                                            .n_valid = (uint32_t)look->n_valid,
                                            .median = look->median};
    ck_assert_int_eq(sst_strdup(strrchr(path, '/') + 1, &kept->entry.source, NULL), SST_OK);
}

static void read_days(struct join_world *world)
{
    const struct join_rule rule = join_rule(0);
    const struct sst_reader_options reader = {.cache_bytes = 0};
    struct sst_state_policy policy = join_policy(world, &rule);
    struct sst_ingest_files files;
    struct sst_day days[JOIN_MAX_DAYS];
    const size_t n_days = world->catalog->n_entries;
    ck_assert_uint_le(n_days, JOIN_MAX_DAYS);
    for (size_t i = 0; i < n_days; ++i)
        days[i] = world->catalog->entries[i].at.day;
    policy.pools.first_year = JOIN_FIRST_YEAR;
    policy.pools.last_year = JOIN_LAST_YEAR + 1; /* so that the reader takes all days */
    ck_assert_int_eq(sst_ingest_files_open(&files, SST_INGEST_DAYS, &policy, world->catalog, &reader, NULL), SST_OK);
    const struct sst_field_source *source = sst_reader_source(files.reader);
    ck_assert_int_eq(source->expect(source->user, days, n_days, NULL), SST_OK);
    for (size_t i = 0; i < n_days; ++i) {
        struct sst_ingest_look look;
        size_t file = SST_NO_FILE;
        ck_assert_int_eq(sst_ingest_files_read(&files, days[i], &file, &look, NULL), SST_OK);
        ck_assert_uint_ne(file, SST_NO_FILE);
        keep_day(world, days[i], &files.field, &look, world->catalog->files[file].path);
    }
    sst_ingest_files_close(&files);
    sst_state_policy_clear(&policy);
}

void join_world_open(struct join_world *world, const char *name, enum day_storage storage)
{
    memset(world, 0, sizeof *world);
    world->storage = storage;
    world->archive = archive_new(name);
    write_files(world);
    world->catalog = archive_scan(&world->archive);
    read_days(world);
}

void join_world_close(struct join_world *world)
{
    for (size_t i = 0; i < world->n_days; ++i) {
        sst_free(world->days[i].field.codes);
        sst_free(world->days[i].field.hundredths);
        sst_free(world->days[i].field.ice);
        sst_free(world->days[i].entry.source);
    }
    sst_catalog_destroy(&world->catalog);
}

struct join_rule join_rule(int which)
{
    static const struct join_rule rules[JOIN_N_RULES] = {
        {SST_KEEP_NONE, {0, 0}, SST_LEAP_HOBDAY, 2000, 2003, 1},
        {SST_KEEP_NONE, {3, 2}, SST_LEAP_HOBDAY, 2000, 2003, 1},
        {SST_KEEP_PROBES, {2, 0}, SST_LEAP_OWN, 2000, 2003, 1},
        {SST_KEEP_PROBES, {0, 0}, SST_LEAP_SKIP, 2000, 2003, 1},
        {SST_KEEP_ALL, {3, 4}, SST_LEAP_HOBDAY, 2000, 2003, 1},
        {SST_KEEP_ALL, {0, 0}, SST_LEAP_SKIP, 2000, 2003, 1},
    };
    return rules[which];
}

struct sst_state_policy join_policy(const struct join_world *world, const struct join_rule *rule)
{
    const struct sst_grid *grid = world->catalog->grid;
    struct sst_error err = {SST_OK, ""};
    struct sst_state_policy policy = {
        .pools = {world->catalog->calendar, rule->leap, rule->first_year, rule->last_year, 2},
        .lattice = world->storage == STORED_CENTI ? SST_LATTICE_CENTI : SST_LATTICE_MILLI,
        .kind = world->catalog->kind,
        .has_moments = true,
        .tail = rule->tail,
        .keep = rule->keep,
        .probe_share = 0.5,
        .seed = rule->seed,
    };
    ck_assert_int_eq(sst_strdup("", &policy.product, NULL), SST_OK);
    ck_assert_int_eq(sst_grid_create(grid->lat, grid->n_lat, grid->lon, grid->n_lon, &policy.grid, NULL), SST_OK);
    ck_assert_msg(sst_state_policy_complete(&policy, join_choose_probes, &err) == SST_OK, "%s", err.text);
    return policy;
}

bool join_is_preliminary(struct sst_day day)
{
    const int first_of_march = sst_calendar_slot(SST_CALENDAR_STANDARD, 3, 1);
    return day.slot == first_of_march && (day.year == 2002 || day.year == 2005);
}

static void log_day(struct sst_state *state, const struct join_day *day)
{
    struct sst_error err = {SST_OK, ""};
    const struct sst_log_entry entry = {
        .at = {.day = day->day,
               .status = join_is_preliminary(day->day) ? SST_DAY_PRELIMINARY : SST_DAY_FINAL,
               .digest = day->entry.digest,
               .ice_digest = day->entry.ice_digest,
               .n_valid = day->entry.n_valid,
               .median = day->entry.median},
        .source = day->entry.source,
        .field = sst_state_policy(state)->keep == SST_KEEP_ALL ? &day->field : NULL};
    ck_assert_msg(sst_state_log(state, &entry, 1, &err) == SST_OK, "%s", err.text);
}

static void count_day(struct sst_state *state, const struct join_day *day, int year_class)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_slot_state *slot = NULL;
    struct sst_ledger_entry entry = day->entry;
    entry.year_class = year_class;
    ck_assert_msg(sst_state_load(state, day->day.slot, &slot, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_slot_state_add(slot, &entry, &day->field, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_commit(state, slot, &err) == SST_OK, "%s", err.text);
    sst_slot_state_destroy(&slot);
}

struct sst_state *join_state(struct join_world *world, const char *path, const struct sst_state_policy *policy,
                             join_wants_fn *wants, const void *user)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_state *state = NULL;
    const enum sst_status rc = sst_state_begin(fake_disk_os(world->disk), path, policy, &state, &err);
    ck_assert_msg(rc == SST_OK, "%s", err.text);
    for (size_t i = 0; i < world->n_days; ++i) {
        const struct join_day *day = &world->days[i];
        const int year_class = sst_pool_class(&policy->pools, day->day);
        if (wants && !wants(user, day->day))
            continue;
        if (year_class == SST_NO_CLASS || join_is_preliminary(day->day))
            log_day(state, day);
        else
            count_day(state, day, year_class);
    }
    ck_assert_msg(sst_state_finish(state, &err) == SST_OK, "%s", err.text);
    return state;
}

struct sst_identity join_digest(const struct sst_state *state)
{
    struct sst_identity digest = {0, 0};
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_state_digest(state, &digest, &err) == SST_OK, "%s", err.text);
    return digest;
}

bool join_digests_equal(const struct sst_state *a, const struct sst_state *b)
{
    const struct sst_identity one = join_digest(a), other = join_digest(b);
    return one.low == other.low && one.high == other.high;
}

bool join_is_there(struct join_world *world, const char *path)
{
    const struct sst_os *os = fake_disk_os(world->disk);
    const int fd = os->open(os->user, AT_FDCWD, path, O_RDONLY, 0);
    if (fd >= 0)
        (void)os->close(os->user, fd);
    return fd >= 0;
}

void join_open_worlds(void)
{
    join_world_open(&join_worlds[0], "centi", STORED_CENTI);
    join_world_open(&join_worlds[1], "milli", STORED_MILLI);
}

void join_new_disks(void)
{
    for (int i = 0; i < 2; ++i)
        join_worlds[i].disk = fake_disk_new();
}

void join_free_disks(void)
{
    for (int i = 0; i < 2; ++i)
        fake_disk_free(join_worlds[i].disk);
}

void join_close_worlds(void)
{
    join_world_close(&join_worlds[0]);
    join_world_close(&join_worlds[1]);
}

struct sst_state *join_open(struct join_world *world, const char *path)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_state *state = NULL;
    ck_assert_msg(sst_state_open(fake_disk_os(world->disk), path, SST_STATE_READ, &state, &err) == SST_OK, "%s",
                  err.text);
    ck_assert_msg(sst_state_verify(state, NULL, NULL, &err) == SST_OK, "%s", err.text);
    return state;
}

struct sst_state *join_state_of_other_values(struct join_world *world, const char *path,
                                             const struct sst_state_policy *policy, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        ++world->days[i].entry.digest;
    struct sst_state *state = join_state(world, path, policy, NULL, NULL);
    for (size_t i = 0; i < n; ++i)
        --world->days[i].entry.digest;
    return state;
}
