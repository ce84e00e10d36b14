/* A small state and archives of small files that go into it, for tests of ingest. */
#ifndef SST_INGEST_FIXTURE_H
#define SST_INGEST_FIXTURE_H

#include "archive.h"
#include "state/ingest.h"

enum { INGEST_FIRST_YEAR = 2000, INGEST_LAST_YEAR = 2003, INGEST_TOLD_ROOM = 8192 };
enum { INGEST_LAST_DAY = 1460 /* 2003-12-31, from 2000-01-01 */ };

struct ingest_fixture {
    struct sst_state *state;
    struct sst_ingest_totals totals;
    char told[INGEST_TOLD_ROOM]; /* by the last ingest: a line a day, "2000-01-01 add" */
};

/* Makes a state of INGEST_FIRST_YEAR to INGEST_LAST_YEAR and a half-window of 1 day, from what an archive's files are. */
struct ingest_fixture ingest_make(const char *name, enum sst_keep keep, const struct archive *archive);
/* The same on a system of the test's own, and with lists of another length than 2. */
struct ingest_fixture ingest_make_with(const struct sst_os *os, const char *path, enum sst_keep keep, int list_length,
                                       const struct archive *archive);

/* Takes an archive in; made-up values jump, so that guard is off unless a test is about it. */
void ingest_files(struct ingest_fixture *fixture, const struct archive *archive);
void ingest_files_with(struct ingest_fixture *fixture, const struct archive *archive,
                       struct sst_ingest_options options);

/* A struct sst_ingest_options.tell whose user is the fixture. */
void ingest_tell(void *user, const struct sst_ingest_news *news);

struct sst_identity ingest_digest(const struct ingest_fixture *fixture);
void ingest_expect_equal(struct sst_identity a, struct sst_identity b);
void ingest_expect_unlike(struct sst_identity a, struct sst_identity b);

/* One file a day of the first days of each year. */
struct archive ingest_years_of(const char *name, int n_days);

/* An archive of one file of one day. */
struct archive ingest_one(const char *name, const char *file_name, struct day_file file, int day);

#endif
