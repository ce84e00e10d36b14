/*
 * feed_page_tool FOLDER STEP DAYS   writes the made-up feed's page, scripts and pictures, and expected.json beside FOLDER
 * feed_page_tool time STEP          what a day takes: time and bytes of each kind
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "made_up_feed.h"

enum { NAME_ROOM = 64 };

static struct made_up_feed fixture;
static struct sst_feed_page *page;

static void need(enum sst_status status, const struct sst_error *err)
{
    if (status == SST_OK)
        return;
    (void)fprintf(stderr, "feed_page_tool: %s\n", err->text);
    exit(1);
}

/* Makes a folder, if it is not there, and goes into it. */
static void enter(const char *folder)
{
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || chdir(folder) != 0) {
        (void)fprintf(stderr, "feed_page_tool: %s: %s\n", folder, strerror(errno));
        exit(1);
    }
}

static void put(const char *name, const void *bytes, size_t n_bytes)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(bytes, 1, n_bytes, file) != n_bytes || fclose(file) != 0) {
        (void)fprintf(stderr, "feed_page_tool: %s: %s\n", name, strerror(errno));
        exit(1);
    }
}

static void put_text(const char *name, struct sst_text *text)
{
    put(name, text->data, text->size);
    sst_text_clear(text);
}

static void put_day(void)
{
    struct sst_error err = {0};
    struct sst_text text = {0};
    char name[NAME_ROOM];
    uint8_t *picture = NULL;
    size_t n_picture = 0, n_rows, n_cols;
    need(sst_feed_page_map(page, &fixture.day, &text, &err), &err);
    put_text("map.js", &text);
    sst_feed_page_tiles(&fixture.domain, &n_rows, &n_cols);
    for (size_t i = 0; i < n_rows * n_cols; ++i) {
        need(sst_feed_page_tile(page, &fixture.day, i / n_cols, i % n_cols, &text, &err), &err);
        (void)snprintf(name, sizeof name, "tile_%zu_%zu.js", i / n_cols, i % n_cols);
        put_text(name, &text);
    }
    need(sst_feed_page_picture(page, &fixture.day, &picture, &n_picture, &err), &err);
    put("map.png", picture, n_picture);
    sst_free(picture);
}

static void put_days(void)
{
    for (int i = 0; i < fixture.n_days; ++i) {
        char name[NAME_ROOM];
        int month, day;
        made_up_feed_day(&fixture, i);
        const int year = fixture.day.day.year;
        sst_calendar_month_day(SST_CALENDAR_STANDARD, fixture.day.day.slot, &month, &day);
        enter("days");
        (void)snprintf(name, sizeof name, "%04d", year);
        enter(name);
        (void)snprintf(name, sizeof name, "%04d%02d%02d", year, month, day);
        enter(name);
        put_day();
        enter("../../..");
    }
}

/* Three places, by numbers that have gone through none of the scripts: in a heatwave, a candidate, out of any. */
static void put_expected(void)
{
    static const double places[][2] = {{-40.5, 168.5}, {15.5, 299.5}, {0.5, 200.5}};
    struct sst_text text = {0};
    sst_text_add(&text, "[");
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        const size_t cell = made_up_feed_cell(&fixture, places[i][0], places[i][1]);
        const struct sst_feed_day *day = &fixture.day;
        sst_text_addf(&text,
                      "%s{\"lat\":%.2f,\"lon\":%.2f,\"sst\":%.4f,\"mean\":%.4f,\"threshold\":%.4f,\"bound\":%.4f,"
                      "\"surface\":%d,\"label\":%d,\"category\":%d,\"above\":%d}",
                      i > 0 ? ",\n" : "", sst_domain_lat(&fixture.domain, cell / fixture.domain.n_cols),
                      sst_domain_lon(&fixture.domain, cell % fixture.domain.n_cols), (double)day->sst[cell],
                      (double)day->mean[cell], (double)day->threshold[cell], (double)day->bound[cell],
                      day->surface[cell], day->label[cell], day->category[cell], day->days_above[cell]);
    }
    sst_text_add(&text, "]\n");
    put_text("../expected.json", &text);
}

static void write_feed(const char *folder, double step, int n_days)
{
    struct sst_error err = {0};
    struct sst_text text = {0};
    made_up_feed_open(&fixture, step, n_days, false);
    need(sst_feed_page_create(&fixture.about, &page, &err), &err);
    enter(folder);
    put_days();
    const struct sst_feed_page_index index = made_up_feed_index(&fixture);
    need(sst_feed_page_about(page, fixture.surface, &text, &err), &err);
    put_text("about.js", &text);
    need(sst_feed_page_index(page, &index, &text, &err), &err);
    put_text("index.js", &text);
    need(sst_feed_page_html(page, &fixture.state, &text, &err), &err);
    put_text("index.html", &text);
    sst_text_add(&text, sst_feed_page_script());
    put_text("page.js", &text);
    sst_text_add(&text, sst_feed_page_style());
    put_text("page.css", &text);
    put_expected();
}

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void time_day(double step)
{
    enum { N_DAYS = 22 };
    struct sst_error err = {0};
    struct sst_text map = {0}, tiles = {0};
    uint8_t *picture = NULL;
    size_t n_picture = 0, n_rows, n_cols;
    made_up_feed_open(&fixture, step, N_DAYS, false);
    made_up_feed_day(&fixture, N_DAYS - 1);
    need(sst_feed_page_create(&fixture.about, &page, &err), &err);
    const double start = seconds();
    need(sst_feed_page_map(page, &fixture.day, &map, &err), &err);
    const double after_map = seconds();
    sst_feed_page_tiles(&fixture.domain, &n_rows, &n_cols);
    for (size_t i = 0; i < n_rows * n_cols; ++i)
        need(sst_feed_page_tile(page, &fixture.day, i / n_cols, i % n_cols, &tiles, &err), &err);
    const double after_tiles = seconds();
    need(sst_feed_page_picture(page, &fixture.day, &picture, &n_picture, &err), &err);
    printf("map.js %.3f s %zu bytes; tiles %.3f s %zu bytes; map.png %.3f s %zu bytes\n", after_map - start, map.size,
           after_tiles - after_map, tiles.size, seconds() - after_tiles, n_picture);
    sst_text_clear(&map);
    sst_text_clear(&tiles);
    sst_free(picture);
}

static int n_arguments;
static char **arguments;

/* The fixture asserts, so it wants to be within a test. */
START_TEST(what_is_asked_for)
{
    if (n_arguments == 3 && !strcmp(arguments[1], "time"))
        time_day(strtod(arguments[2], NULL));
    else
        write_feed(arguments[1], strtod(arguments[2], NULL), atoi(arguments[3]));
    sst_feed_page_destroy(&page);
    made_up_feed_close(&fixture);
}
END_TEST

int main(int n, char **texts)
{
    n_arguments = n;
    arguments = texts;
    if (n != 4 && !(n == 3 && !strcmp(texts[1], "time"))) {
        (void)fprintf(stderr, "feed_page_tool FOLDER STEP DAYS | time STEP\n");
        return 2;
    }
    Suite *suite = suite_create("feed_page_tool");
    TCase *tool = tcase_create("tool");
    tcase_add_test(tool, what_is_asked_for);
    suite_add_tcase(suite, tool);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_MINIMAL);
    const int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_failed > 0;
}
