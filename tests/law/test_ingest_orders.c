/*
 * One state, whatever came when: files in random orders and pieces, which come twice and in other forms, three in ten of them
 * late, preliminary ones before and after their final ones, and some that are corrected with --replace, in one state or in up to
 * three that are merged, leave what the right files alone leave in the order of time. Many orders of a file a day, of the days
 * of four years that are edges; and fewer of three whole years, whose files have 1 to 37 days.
 *
 * ctest-labels: crash
 */
#include <string.h>

#include "crash_scale.h"
#include "fake_os.h"
#include "ingest_fixture.h"
#include "random.h"
#include "state/state_join.h"
#include "test_main.h"

enum { MAX_CALL = 24 /* files */, LATE_PERCENT = 30, MAX_PARTS = 3, MAX_DAYS = 100, N_DAYS_OF_YEARS = 1096 };

/* What a state keeps, and with what its days can be replaced. */
static const struct {
    const char *name;
    enum sst_keep keep;
    int list_length;
    bool needs_old;
} ways[] = {{"all", SST_KEEP_ALL, 2, false}, {"lists", SST_KEEP_PROBES, 2, true}, {"sums", SST_KEEP_NONE, 0, true}};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

/* Files by what they are. */
struct material {
    struct archive right; /* of each day the file that is to remain, in order of time */
    struct archive arriving; /* all that comes without --replace */
    struct archive corrections; /* comes with --replace, at any time */
    struct archive all;
    struct sst_catalog *old; /* of all */
};

/* `path` is one of an archive's. */
static void put_path(struct archive *archive, const char *path)
{
    ck_assert_uint_lt(archive->n, ARCHIVE_MAX_PATHS);
    memmove(archive->paths[archive->n++], path, ARCHIVE_PATH_ROOM);
}

/* Days that have one file. */
struct days {
    int first, n;
};

/* Writes a file and puts it among the files of some kinds. */
static void add(struct material *made, const char *name, struct day_file file, struct days days, struct archive *kind,
                struct archive *other)
{
    archive_add(&made->all, name, file, days.first, days.n);
    put_path(kind, made->all.paths[made->all.n - 1]);
    if (other)
        put_path(other, made->all.paths[made->all.n - 1]);
}

/* Of the days that are number `at` of the list: what else than their right file there is follows from the number. */
static void add_days(struct material *made, int at, struct days days)
{
    static const struct day_file forms[] = {{.south_last = true}, {.deflated = true}, {.storage = STORED_FLOAT}};
    const struct day_file plain = {.has_ice = at % 4 == 0}, wrong = {.has_ice = at % 4 == 0, .added = 25};
    const bool is_never_final = at % 11 == 10;
    if (is_never_final) { /* but revised: no other file of it comes without being asked to replace */
        add(made, test_path("o%02d_preliminary.nc", at), wrong, days, &made->arriving, NULL);
        add(made, test_path("p%02d_preliminary.nc", at), plain, days, &made->corrections, &made->right);
        return;
    }
    if (at % 7 == 3) { /* corrected */
        add(made, test_path("a%02d.nc", at), wrong, days, &made->arriving, NULL);
        add(made, test_path("b%02d.nc", at), plain, days, &made->corrections, &made->right);
        put_path(&made->arriving, made->right.paths[made->right.n - 1]); /* and once without being asked to replace */
    } else {
        add(made, test_path("c%02d.nc", at), plain, days, &made->arriving, &made->right);
    }
    if (at % 3 == 0)
        add(made, test_path("d%02d_preliminary.nc", at), (struct day_file){.added = -60}, days, &made->arriving, NULL);
    if (at % 4 == 1) {
        struct day_file form = forms[at % 3];
        add(made, test_path("e%02d.nc", at), form, days, &made->arriving, NULL);
    }
}

/* The first and last days of the years, which are edges too, and those round 29 February; and two days beside the baseline. */
static void make_material(struct material *made, const char *name)
{
    static const int first_days[] = {0, 366, 731, 1096};
    int days[ARCHIVE_MAX_PATHS], n = 0;
    *made = (struct material){.all = archive_new(name)};
    days[n++] = -2;
    days[n++] = -1;
    for (int year = 0; year < 4; ++year) {
        for (int day = 0; day < 3; ++day)
            days[n++] = first_days[year] + day;
        for (int day = 58; day < 62; ++day)
            days[n++] = first_days[year] + day;
        days[n++] = first_days[year] + (year == 0 ? 365 : 364);
    }
    for (int day = 1; day <= 3; ++day)
        days[n++] = INGEST_LAST_DAY + day;
    for (int at = 0; at < n; ++at)
        add_days(made, at, (struct days){days[at], 1});
    made->old = archive_scan(&made->all);
}

/* The whole years 2000, 2001 and 2002. */
static void make_years(struct material *made, const char *name)
{
    static const int lengths[] = {1, 31, 7, 16, 2, 28, 12, 31, 5, 37};
    *made = (struct material){.all = archive_new(name)};
    for (int at = 0, first = 0; first < N_DAYS_OF_YEARS; ++at) {
        const int length = lengths[at % 10], left = N_DAYS_OF_YEARS - first;
        const struct days days = {first, length < left ? length : left};
        add_days(made, at, days);
        first += days.n;
    }
    made->old = archive_scan(&made->all);
}

/* --- orders ------------------------------------------------------------------------------------------------------- */

static void shuffle(struct archive *archive, size_t first, size_t n, struct test_random *random)
{
    char path[ARCHIVE_PATH_ROOM];
    for (size_t i = n; i > 1; --i) {
        const size_t j = (size_t)test_random_below(random, (int)i);
        memcpy(path, archive->paths[first + i - 1], sizeof path);
        memcpy(archive->paths[first + i - 1], archive->paths[first + j], sizeof path);
        memcpy(archive->paths[first + j], path, sizeof path);
    }
}

/* A random order in which late files come after all others; returns how many are on time. */
static size_t put_in_order(struct archive *files, struct test_random *random)
{
    const size_t n_late = files->n * LATE_PERCENT / 100;
    shuffle(files, 0, files->n, random);
    shuffle(files, files->n - n_late, n_late, random);
    return files->n - n_late;
}

static void ingest_some(struct ingest_fixture *state, const struct archive *from, size_t first, size_t n)
{
    struct archive call = {.n = n};
    memcpy(call.paths, from->paths + first, n * sizeof *call.paths);
    ingest_files(state, &call);
}

static void correct(struct ingest_fixture *state, const struct material *made, size_t way)
{
    if (made->corrections.n == 0) /* of a part */
        return;
    ingest_files_with(state, &made->corrections,
                      (struct sst_ingest_options){
                          .accept_jump = true, .replaces = true, .old = ways[way].needs_old ? made->old : NULL});
    ck_assert_msg(!strstr(state->told, "conflict"), "%s", state->told);
}

/* Feeds a state in a random order, in random pieces. */
static void feed(struct ingest_fixture *state, const struct material *made, size_t way, struct test_random *random)
{
    struct archive files = made->arriving;
    const size_t n_on_time = put_in_order(&files, random);
    const size_t corrected_at = (size_t)test_random_below(random, (int)files.n + 1);
    bool is_corrected = false;
    for (size_t first = 0, n = 0; first < files.n; first += n) {
        const size_t end = first < n_on_time ? n_on_time : files.n; /* late files never come with those on time */
        n = 1 + (size_t)test_random_below(random, MAX_CALL);
        n = n < end - first ? n : end - first;
        if (first >= corrected_at && !is_corrected) {
            correct(state, made, way);
            is_corrected = true;
        }
        ingest_some(state, &files, first, n);
        if (test_random_below(random, 4) == 0)
            ingest_some(state, &files, first, n); /* twice */
    }
    if (!is_corrected)
        correct(state, made, way);
}

static struct sst_identity digest_of_right(const struct material *made, size_t way)
{
    struct fake_disk *disk = fake_disk_new();
    struct ingest_fixture state =
        ingest_make_with(fake_disk_os(disk), "STATE", ways[way].keep, ways[way].list_length, &made->right);
    for (size_t i = 0; i < made->right.n; ++i)
        ingest_some(&state, &made->right, i, 1);
    const struct sst_identity digest = ingest_digest(&state);
    sst_state_close(&state.state);
    fake_disk_free(disk);
    return digest;
}

/* --- in parts ----------------------------------------------------------------------------------------------------- */

/* The number of the days that a file is of, as add_days names it. */
static int number_of(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    ck_assert(name[1] >= '0' && name[1] <= '9' && name[2] >= '0' && name[2] <= '9');
    return 10 * (name[1] - '0') + name[2] - '0';
}

/*
 * Which of the parts a file goes to. Files that are counted of one day stay together, for a part without its correction
 * would have other values; with `keep all` a second right one may come to another part too. Preliminary files of a final day
 * go anywhere.
 */
static int part_of(const char *path, const int *part_by_day, int n_parts, bool keeps_all, struct test_random *random)
{
    const int at = number_of(path);
    const char kind = strrchr(path, '/')[1];
    const bool may_stray = kind == 'd' || (keeps_all && (kind == 'e' || (kind == 'c' && at % 7 != 3)));
    return may_stray && test_random_below(random, 2) ? test_random_below(random, n_parts) : part_by_day[at];
}

static void split(const struct archive *all, const int *part_by_day, int n_parts, bool keeps_all,
                  struct test_random *random, int part_at[ARCHIVE_MAX_PATHS])
{
    for (size_t i = 0; i < all->n; ++i)
        part_at[i] = part_of(all->paths[i], part_by_day, n_parts, keeps_all, random);
}

static struct archive only_part(const struct archive *all, const int *part_at, int part)
{
    struct archive some = {.n = 0};
    for (size_t i = 0; i < all->n; ++i)
        if (part_at[i] == part)
            put_path(&some, all->paths[i]);
    return some;
}

/* Feeds n states, and merges them into one. Owner of the state: the caller. */
static struct sst_state *feed_in_parts(struct fake_disk *disk, const struct material *made, size_t way, int n_parts,
                                       struct test_random *random)
{
    const bool keeps_all = ways[way].keep == SST_KEEP_ALL;
    struct ingest_fixture parts[MAX_PARTS];
    const struct sst_state *states[MAX_PARTS];
    static const struct sst_join_watch no_watch;
    int part_by_day[MAX_DAYS], arriving_at[ARCHIVE_MAX_PATHS], correction_at[ARCHIVE_MAX_PATHS];
    struct sst_error err = {SST_OK, ""};
    struct sst_state *whole = NULL;
    for (int at = 0; at < MAX_DAYS; ++at)
        part_by_day[at] = test_random_below(random, n_parts);
    split(&made->arriving, part_by_day, n_parts, keeps_all, random, arriving_at);
    split(&made->corrections, part_by_day, n_parts, false, random, correction_at);
    for (int part = 0; part < n_parts; ++part) {
        struct material some = {.arriving = only_part(&made->arriving, arriving_at, part),
                                .corrections = only_part(&made->corrections, correction_at, part),
                                .old = made->old};
        parts[part] = ingest_make_with(fake_disk_os(disk), test_path("PART-%d", part), ways[way].keep,
                                       ways[way].list_length, &made->right);
        feed(&parts[part], &some, way, random);
        states[part] = parts[part].state;
    }
    ck_assert_msg(sst_state_merge(fake_disk_os(disk), states, (size_t)n_parts, "STATE", &no_watch, &err) == SST_OK,
                  "%s", err.text);
    for (int part = 0; part < n_parts; ++part)
        sst_state_close(&parts[part].state);
    ck_assert_msg(sst_state_open(fake_disk_os(disk), "STATE", SST_STATE_READ, &whole, &err) == SST_OK, "%s", err.text);
    return whole;
}

/* --- one state ---------------------------------------------------------------------------------------------------- */

/* A third of the orders into one state, others into two or three. Owner: the caller. */
static struct sst_state *feed_by_order(struct fake_disk *disk, const struct material *made, size_t way, int order)
{
    struct test_random random = {(uint64_t)order + 1};
    const int n_parts = 1 + order / N_WAYS % MAX_PARTS;
    if (n_parts > 1)
        return feed_in_parts(disk, made, way, n_parts, &random);
    struct ingest_fixture one =
        ingest_make_with(fake_disk_os(disk), "STATE", ways[way].keep, ways[way].list_length, &made->right);
    feed(&one, made, way, &random);
    return one.state;
}

static void check_orders(const struct material *made, int n_orders)
{
    struct sst_identity right[N_WAYS];
    for (size_t way = 0; way < N_WAYS; ++way)
        right[way] = digest_of_right(made, way);
    for (int order = 0; order < n_orders; ++order) {
        const size_t way = (size_t)order % N_WAYS;
        struct sst_error err = {SST_OK, ""};
        struct fake_disk *disk = fake_disk_new();
        struct sst_state *state = feed_by_order(disk, made, way, order);
        struct sst_identity digest = {0, 0};
        ck_assert_int_eq(sst_state_digest(state, &digest, &err), SST_OK);
        ck_assert_msg(digest.low == right[way].low && digest.high == right[way].high, "order %d, %s: another state",
                      order, ways[way].name);
        ck_assert_msg(sst_state_verify(state, NULL, NULL, &err) == SST_OK, "%s", err.text);
        sst_state_close(&state);
        fake_disk_free(disk);
    }
}

START_TEST(every_order_leaves_the_state_of_the_right_files)
{
    const int n_orders = (int)crash_size((struct crash_sizes){18, 200, 2000, 10000});
    struct material made;
    make_material(&made, "orders");
    check_orders(&made, n_orders);
    crash_count("T13",
                "%d orders of %zu files, a third of them each in one state, two and three that were merged: one digest",
                n_orders, made.all.n);
    sst_catalog_destroy(&made.old);
}
END_TEST

START_TEST(every_order_of_whole_years_leaves_the_state_of_the_right_files)
{
    const int n_orders = (int)crash_size((struct crash_sizes){9, 200, 200, 1000});
    struct material made;
    make_years(&made, "years");
    check_orders(&made, n_orders);
    crash_count("T13", "%d orders of three whole years, of %d days in %zu files: one digest", n_orders, N_DAYS_OF_YEARS,
                made.all.n);
    sst_catalog_destroy(&made.old);
}
END_TEST

/* Of states that are merged, where one lacks the only file of a day. */
static struct sst_identity digest_without_a_file(const struct material *made)
{
    struct material fewer = *made;
    struct test_random random = {1};
    struct sst_identity digest = {0, 0};
    fewer.arriving.n = 0;
    for (size_t i = 0; i < made->arriving.n; ++i)
        if (!strstr(made->arriving.paths[i], "/c02.nc"))
            put_path(&fewer.arriving, made->arriving.paths[i]);
    ck_assert_uint_eq(fewer.arriving.n, made->arriving.n - 1);
    struct fake_disk *disk = fake_disk_new();
    struct sst_state *state = feed_in_parts(disk, &fewer, 0, 2, &random);
    ck_assert_int_eq(sst_state_digest(state, &digest, NULL), SST_OK);
    sst_state_close(&state);
    fake_disk_free(disk);
    return digest;
}

/* The comparison sees a file too many, one too few, and one of other values. */
START_TEST(another_state_has_another_digest)
{
    struct material made;
    make_material(&made, "others");
    const struct sst_identity right = digest_of_right(&made, 0);
    struct material fewer = made, other = made;
    --fewer.right.n;
    ingest_expect_unlike(right, digest_of_right(&fewer, 0));
    const char *wrong = test_path("%s/a03.nc", made.all.folder); /* what b03.nc corrects */
    ck_assert_ptr_nonnull(strstr(other.right.paths[3], "/b03.nc"));
    memcpy(other.right.paths[3], wrong, strlen(wrong) + 1);
    ingest_expect_unlike(right, digest_of_right(&other, 0));
    ingest_expect_unlike(right, digest_without_a_file(&made));
    sst_catalog_destroy(&made.old);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("orders of ingest");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, every_order_leaves_the_state_of_the_right_files);
    tcase_add_test(tc, every_order_of_whole_years_leaves_the_state_of_the_right_files);
    tcase_add_test(tc, another_state_has_another_digest);
    suite_add_tcase(suite, tc);
    return suite;
}
