/*
 * A feed's page and a day's netCDF where the n-th allocation of the library fails, for every n: no memory is told, and nothing is
 * lost; what comes out where all went well is the same. The linker sends the allocator's calls through here (--wrap).
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "core/mem.h"
#include "feed_fixture.h"
#include "monitor/feed_nc.h"
#include "monitor/feed_page.h"
#include "test_main.h"

void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
void __wrap_free(void *memory);

static long n_left; /* calls until the one that fails; 0: none does */
static bool has_failed;
enum { MOST_LIVE = 4096 };
static void *live[MOST_LIVE]; /* blocks that were given and not freed; those that a library gave are not among them */
static int n_live;

static bool must_fail(void)
{
    if (n_left == 0 || --n_left > 0)
        return false;
    has_failed = true;
    return true;
}

static void *counted(void *memory)
{
    if (memory && n_live < MOST_LIVE)
        live[n_live++] = memory;
    return memory;
}

static void forget(const void *memory)
{
    for (int i = n_live - 1; i >= 0; --i) {
        if (live[i] == memory) {
            live[i] = live[--n_live];
            return;
        }
    }
}

void *__wrap_malloc(size_t size) { return must_fail() ? NULL : counted(__real_malloc(size)); }
void *__wrap_realloc(void *old, size_t size)
{
    if (must_fail())
        return NULL;
    void *memory = __real_realloc(old, size);
    if (memory)
        forget(old);
    return counted(memory);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : counted(__real_aligned_alloc(alignment, size));
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    if (must_fail())
        return ENOMEM;
    const int code = __real_posix_memalign(out, alignment, size);
    if (code == 0)
        (void)counted(*out);
    return code;
}
void __wrap_free(void *memory)
{
    forget(memory);
    __real_free(memory);
}

/* --- what is made ------------------------------------------------------------------------------------------------- */

static struct feed_fixture fixture;

/* Takes the bytes over, into a text, so that all makers give one. */
static enum sst_status as_text(enum sst_status made, void *bytes, size_t n_bytes, struct sst_text *out,
                               struct sst_error *err)
{
    if (made == SST_OK)
        sst_text_add_bytes(out, bytes, n_bytes);
    sst_free(bytes);
    return made == SST_OK ? sst_text_check(out, err) : made;
}

static enum sst_status make_html(struct sst_feed_page *page, struct sst_text *out, struct sst_error *err)
{
    return sst_feed_page_html(page, &fixture.state, out, err);
}

static enum sst_status make_about(struct sst_feed_page *page, struct sst_text *out, struct sst_error *err)
{
    return sst_feed_page_about(page, fixture.surface, out, err);
}

static enum sst_status make_index(struct sst_feed_page *page, struct sst_text *out, struct sst_error *err)
{
    const struct sst_feed_page_row row = {fixture.day.day, fixture.day.regions};
    const struct sst_feed_page_index index = {.state = &fixture.state,
                                              .areas = fixture.day.areas,
                                              .n_areas = fixture.day.n_present,
                                              .rows = &row,
                                              .n_rows = 1};
    return sst_feed_page_index(page, &index, out, err);
}

static enum sst_status make_map(struct sst_feed_page *page, struct sst_text *out, struct sst_error *err)
{
    return sst_feed_page_map(page, &fixture.day, out, err);
}

static enum sst_status make_tile(struct sst_feed_page *page, struct sst_text *out, struct sst_error *err)
{
    return sst_feed_page_tile(page, &fixture.day, 0, 0, out, err);
}

static enum sst_status make_picture(struct sst_feed_page *page, struct sst_text *out, struct sst_error *err)
{
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    const enum sst_status rc = sst_feed_page_picture(page, &fixture.day, &bytes, &n_bytes, err);
    return as_text(rc, bytes, n_bytes, out, err);
}

static enum sst_status make_nc(struct sst_deflate_memo *memo, struct sst_text *out, struct sst_error *err)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    const enum sst_status rc = sst_feed_make_nc(&fixture.about, &fixture.day, memo, "mhw.nc", &bytes, &n_bytes, err);
    return as_text(rc, bytes, n_bytes, out, err);
}

static const struct maker {
    enum sst_status (*make)(struct sst_feed_page *page, struct sst_text *out, struct sst_error *err);
    long least_calls;
} makers[] = {{make_html, 4}, {make_about, 4},   {make_index, 4}, {make_map, 5},
              {make_tile, 5}, {make_picture, 5}, {NULL, 12} /* netCDF */};
enum { N_MAKERS = sizeof makers / sizeof *makers, MOST_CALLS = 2000 };

/* Scratch, memo and file from first to last, twice: the second time what the memo could keep is known. */
static enum sst_status make_all(const struct maker *maker, struct sst_text *out, struct sst_error *err)
{
    struct sst_feed_page *page = NULL;
    struct sst_deflate_memo *memo = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_feed_page_create(&fixture.about, &page, err));
    SST_TRY_GOTO(sst_deflate_memo_create(&memo, err));
    sst_feed_page_remember(page, memo);
    for (int turn = 0; turn < 2; ++turn) {
        sst_text_clear(out);
        if (maker->make)
            SST_TRY_GOTO(maker->make(page, out, err));
        else
            SST_TRY_GOTO(make_nc(memo, out, err));
    }
done:
    sst_feed_page_destroy(&page);
    sst_deflate_memo_destroy(&memo);
    return rc;
}

START_TEST(every_allocation_may_fail)
{
    enum { MOST_WITHOUT = 80 };
    const struct maker *maker = &makers[_i];
    struct sst_text whole = {0}, text = {0};
    struct sst_error err = {0};
    long n = 1, n_done_without = 0;
    feed_fixture_open(&fixture, (struct even_axis){-15, 10, 4}, (struct even_axis){5, 10, 36});
    feed_fixture_add_regions(&fixture, "{\"type\":\"Polygon\",\"coordinates\":[[[0,-20],[90,-20],[90,20],[0,-20]]]}");
    feed_fixture_heat(&fixture, 36 + 17, 2);
    feed_fixture_step(&fixture);
    ck_assert_int_eq(make_all(maker, &whole, &err), SST_OK);
    for (; n < MOST_CALLS; ++n) {
        sst_error_clear(&err);
        const int n_before = n_live; /* Check itself may allocate, so nothing is asserted between the two */
        has_failed = false;
        n_left = n;
        const enum sst_status rc = make_all(maker, &text, &err);
        n_left = 0;
        const bool is_same = text.size == whole.size && memcmp(text.data, whole.data, whole.size) == 0;
        sst_text_clear(&text);
        const int n_lost = n_live - n_before;
        ck_assert_msg(n_lost == 0, "allocation %ld: %d blocks are lost", n, n_lost);
        if (rc == SST_OK) { /* what is only kept to save time may be wanting */
            n_done_without += has_failed;
            ck_assert_msg(is_same, "allocation %ld: another file", n);
        } else {
            ck_assert_msg(rc == SST_ERR_NOMEM, "allocation %ld: %s", n, err.text);
            ck_assert_msg(strstr(err.text, "memory") != NULL, "allocation %ld: %s", n, err.text);
        }
        if (!has_failed)
            break;
    }
    ck_assert_int_gt(n, maker->least_calls);
    ck_assert_int_lt(n, MOST_CALLS);
    ck_assert_int_lt(n_done_without, MOST_WITHOUT);
    ck_assert_int_lt(n_done_without, n - 1);
    sst_text_clear(&whole);
    feed_fixture_close(&fixture);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_page_memory");
    TCase *tc = tcase_create("feed_page_memory");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, every_allocation_may_fail, 0, N_MAKERS);
    suite_add_tcase(suite, tc);
    return suite;
}
