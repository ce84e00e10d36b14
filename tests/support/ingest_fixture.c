/* States and archives for tests of ingest. */
#include "ingest_fixture.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "test_main.h"
#include "validate/probes.h"

static enum sst_status choose_probes(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                                     size_t *n_cells, struct sst_error *err)
{
    return sst_probes_choose(domain, NULL, seed, share, cells, n_cells, err);
}

struct ingest_fixture ingest_make_with(const struct sst_os *os, const char *path, enum sst_keep keep, int list_length,
                                       const struct archive *archive)
{
    struct ingest_fixture fixture = {.state = NULL};
    struct sst_error err = {SST_OK, ""};
    struct sst_catalog *catalog = archive_scan(archive);
    struct sst_state_policy policy = {
        .pools = {catalog->calendar, SST_LEAP_HOBDAY, INGEST_FIRST_YEAR, INGEST_LAST_YEAR, 1},
        .lattice = catalog->lattice,
        .kind = catalog->kind,
        .has_moments = true,
        .tail = {list_length, 0},
        .keep = keep,
        .probe_share = 0.5,
        .seed = 1,
    };
    const char *product = sst_ingest_product(catalog); /* NULL where all files are preliminary */
    ck_assert_int_eq(sst_strdup(product ? product : "", &policy.product, &err), SST_OK);
    ck_assert_int_eq(sst_grid_create(catalog->grid->lat, catalog->grid->n_lat, catalog->grid->lon, catalog->grid->n_lon,
                                     &policy.grid, &err),
                     SST_OK);
    ck_assert_msg(sst_state_policy_complete(&policy, choose_probes, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_make(os, path, &policy, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_open(os, path, SST_STATE_WRITE, &fixture.state, &err) == SST_OK, "%s", err.text);
    sst_state_policy_clear(&policy);
    sst_catalog_destroy(&catalog);
    return fixture;
}

struct ingest_fixture ingest_make(const char *name, enum sst_keep keep, const struct archive *archive)
{
    return ingest_make_with(sst_os_system(), test_path("%s/%s", test_scratch_dir(), name), keep, 2, archive);
}

void ingest_tell(void *user, const struct sst_ingest_news *news)
{
    static const char *const names[SST_INGEST_N_OUTCOMES] = {"add",  "replace",  "logged",   "logged anew", "same",
                                                             "late", "conflict", "left out", "bad"};
    struct ingest_fixture *fixture = user;
    const size_t length = strlen(fixture->told);
    char day[SST_DAY_TEXT_SIZE];
    (void)snprintf(fixture->told + length, INGEST_TOLD_ROOM - length, "%s%s %s%s%s\n",
                   sst_day_text(SST_CALENDAR_STANDARD, news->day, day),
                   news->status == SST_DAY_PRELIMINARY ? " preliminary" : "", names[news->outcome],
                   news->reason ? ": " : "", news->reason ? news->reason : "");
}

/* Takes an archive in; made-up values jump, so that guard is off unless a test is about it. */
void ingest_files_with(struct ingest_fixture *fixture, const struct archive *archive, struct sst_ingest_options options)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_catalog *catalog = archive_scan(archive);
    const struct sst_reader_options reader = {.cache_bytes = 0};
    fixture->told[0] = '\0';
    options.tell = ingest_tell;
    options.user = fixture;
    const enum sst_status rc = sst_ingest(fixture->state, catalog, &reader, &options, &fixture->totals, &err);
    ck_assert_msg(rc == SST_OK, "%s", err.text);
    sst_catalog_destroy(&catalog);
}

void ingest_files(struct ingest_fixture *fixture, const struct archive *archive)
{
    ingest_files_with(fixture, archive, (struct sst_ingest_options){.accept_jump = true});
}

struct sst_identity ingest_digest(const struct ingest_fixture *fixture)
{
    struct sst_identity out = {0, 0};
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_state_digest(fixture->state, &out, &err) == SST_OK, "%s", err.text);
    return out;
}

void ingest_expect_equal(struct sst_identity a, struct sst_identity b)
{
    ck_assert(a.low == b.low && a.high == b.high);
}

void ingest_expect_unlike(struct sst_identity a, struct sst_identity b)
{
    ck_assert(a.low != b.low || a.high != b.high);
}

/* One file a day of the first days of each year. */
struct archive ingest_years_of(const char *name, int n_days)
{
    struct archive archive = archive_new(name);
    const int first_days[] = {0, 366, 731, 1096};
    for (int year = 0; year < 4; ++year)
        for (int day = 0; day < n_days; ++day)
            archive_add(&archive, test_path("%d-%02d.nc", INGEST_FIRST_YEAR + year, day),
                        (struct day_file){.has_ice = day == 1}, first_days[year] + day, 1);
    return archive;
}

/* An archive of one file of one day. */
struct archive ingest_one(const char *name, const char *file_name, struct day_file file, int day)
{
    struct archive archive = archive_new(name);
    archive_add(&archive, file_name, file, day, 1);
    return archive;
}
