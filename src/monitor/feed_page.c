/* The scratch of a feed's page, its fixed files, and how values are written into scripts. */
#include "monitor/feed_page_private.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

_Static_assert(SST_FEED_PAGE_N_SURFACES *SST_FEED_PAGE_N_LABELS *(SST_N_CATEGORIES + 2) <= UINT8_MAX + 1,
               "a byte is enough");

enum { LEVEL = 3 }; /* 6 takes a twentieth of a day's time more, for tiles that are 5 % smaller */

static const unsigned char page_html[] = {
#include <feed_page_html.inc>
};
static const unsigned char page_script[] = {
#include <feed_page_script.inc>
};
static const unsigned char page_style[] = {
#include <feed_page_style.inc>
};

const char *sst_feed_page_script(void) { return (const char *)page_script; }
const char *sst_feed_page_style(void) { return (const char *)page_style; }

enum sst_status sst_feed_page_create(const struct sst_feed_about *about, struct sst_feed_page **out,
                                     struct sst_error *err)
{
    struct sst_feed_page *page = NULL;
    enum sst_status rc = SST_OK;
    const struct sst_domain *domain = about->domain;
    const size_t longest = domain->n_rows > domain->n_cols ? domain->n_rows : domain->n_cols;
    SST_TRY_GOTO(sst_alloc(1, sizeof *page, "the page of a feed", &page, err));
    page->about = about;
    page->block = (longest + SST_FEED_PAGE_LARGEST_SIDE - 1) / SST_FEED_PAGE_LARGEST_SIDE;
    page->map_rows = (domain->n_rows + page->block - 1) / page->block;
    page->map_cols = (domain->n_cols + page->block - 1) / page->block;
    const size_t n_map = page->map_rows * page->map_cols;
    const size_t tile_bytes = sizeof(uint16_t) * SST_FEED_PAGE_TILE * SST_FEED_PAGE_TILE;
    const size_t land_bytes = (domain->n_cells + 7) / 8;
    size_t most_bytes = n_map > tile_bytes ? n_map : tile_bytes;
    most_bytes = most_bytes > land_bytes ? most_bytes : land_bytes;
    page->packed_room = sst_deflate_room(most_bytes);
    SST_TRY_GOTO(sst_alloc_large(n_map, sizeof *page->picked, "cells of a feed's map", &page->picked, err));
    SST_TRY_GOTO(sst_alloc_large(most_bytes, 1, "codes of a feed's map", &page->codes, err));
    SST_TRY_GOTO(sst_alloc_large(page->packed_room, 1, "codes of a feed's map", &page->packed, err));
    SST_TRY_GOTO(sst_deflater_create(LEVEL, 0, &page->deflater, err));
    *out = page;
    page = NULL;
done:
    sst_feed_page_destroy(&page);
    return rc;
}

void sst_feed_page_remember(struct sst_feed_page *page, struct sst_deflate_memo *memo) { page->memo = memo; }

void sst_feed_page_destroy(struct sst_feed_page **page)
{
    if (!*page)
        return;
    sst_deflater_destroy(&(*page)->deflater);
    sst_free((*page)->picked);
    sst_free((*page)->codes);
    sst_free((*page)->packed);
    sst_free(*page);
    *page = NULL;
}

/* --- scripts ------------------------------------------------------------------------------------------------------ */

void sst_feed_page_add_string(struct sst_text *out, const char *text)
{
    sst_text_add(out, "\"");
    for (const char *at = text; *at; ++at) {
        const unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte == '<' || byte == '"' || byte == '\\' || byte == 0x7f)
            sst_text_addf(out, "\\u%04x", byte);
        else
            sst_text_add_bytes(out, at, 1);
    }
    sst_text_add(out, "\"");
}

void sst_feed_page_add_number(struct sst_text *out, double value, int decimals)
{
    if (!isfinite(value)) {
        sst_text_add(out, "null");
        return;
    }
    const size_t before = out->size;
    sst_text_addf(out, "%.*f", decimals, value);
    if (out->failed != SST_OK || decimals == 0)
        return;
    while (out->size > before && out->data[out->size - 1] == '0')
        --out->size;
    if (out->data[out->size - 1] == '.')
        --out->size;
    if (out->size == before + 2 && !memcmp(out->data + before, "-0", 2)) {
        out->size = before;
        sst_text_add(out, "0");
    }
    out->data[out->size] = '\0';
}

void sst_feed_page_add_day(struct sst_text *out, const struct sst_feed_page *page, struct sst_day day)
{
    char text[SST_DAY_TEXT_SIZE];
    if (day.slot == 0)
        sst_text_add(out, "null");
    else
        sst_feed_page_add_string(out, sst_day_text(page->about->calendar, day, text));
}

void sst_feed_page_add_key(struct sst_text *out, const struct sst_feed_page *page, struct sst_day day)
{
    int month, of_month;
    sst_calendar_month_day(page->about->calendar, day.slot, &month, &of_month);
    sst_text_addf(out, "\"%04d%02d%02d\"", day.year, month, of_month);
}

void sst_feed_page_add_codes(struct sst_text *out, struct sst_feed_page *page, size_t n_bytes)
{
    sst_text_add(out, "\"");
    sst_text_add_base64(out, page->packed,
                        sst_deflate_plain(page->deflater, page->codes, n_bytes, page->packed, page->packed_room));
    sst_text_add(out, "\"");
}

/* --- what is remembered ------------------------------------------------------------------------------------------- */

struct sst_feed_page_source sst_feed_page_source(const struct sst_feed_page *page, const char *name)
{
    struct sst_feed_page_source source = {.is_kept = page->memo != NULL};
    sst_feed_page_fold(&source, name, strlen(name));
    return source;
}

void sst_feed_page_fold(struct sst_feed_page_source *source, const void *bytes, size_t n_bytes)
{
    if (source->is_kept)
        sst_digest_fold(&source->digest, bytes, n_bytes);
}

bool sst_feed_page_recall(const struct sst_feed_page *page, const struct sst_feed_page_source *source,
                          struct sst_text *out)
{
    struct sst_deflate_known known;
    if (!source->is_kept || !sst_deflate_memo_find(page->memo, &source->digest, &known))
        return false;
    sst_text_add_bytes(out, known.bytes, known.n_bytes);
    return true;
}

void sst_feed_page_keep(const struct sst_feed_page *page, const struct sst_feed_page_source *source,
                        const struct sst_text *out, size_t start)
{
    if (source->is_kept && out->failed == SST_OK)
        sst_deflate_memo_keep(page->memo, &source->digest, out->data + start, out->size - start);
}

/* --- index.html --------------------------------------------------------------------------------------------------- */

/* What stands for @title@ and its like in index.html. */
static void add_word(struct sst_text *out, const struct sst_feed_page *page, const struct sst_feed_state *state,
                     const char *name, size_t n)
{
    const struct sst_day newest = state->newest;
    int month, of_month;
    char text[SST_DAY_TEXT_SIZE];
    if (n == 5 && !memcmp(name, "title", n)) {
        sst_text_add_escaped(out, page->about->title);
    } else if (n == 3 && !memcmp(name, "day", n)) {
        sst_text_add(out, sst_day_text(page->about->calendar, newest, text));
    } else if (n == 7 && !memcmp(name, "picture", n) && newest.slot != 0) {
        sst_calendar_month_day(page->about->calendar, newest.slot, &month, &of_month);
        sst_text_addf(out, "days/%04d/%04d%02d%02d/map.png", newest.year, newest.year, month, of_month);
    }
}

enum sst_status sst_feed_page_html(struct sst_feed_page *page, const struct sst_feed_state *state, struct sst_text *out,
                                   struct sst_error *err)
{
    const char *at = (const char *)page_html;
    for (const char *word; (word = strchr(at, '@'));) {
        const char *end = strchr(word + 1, '@');
        if (!end)
            return sst_fail(err, SST_ERR_INTERNAL, "index.html: a word without its end");
        sst_text_add_bytes(out, at, (size_t)(word - at));
        add_word(out, page, state, word + 1, (size_t)(end - word - 1));
        at = end + 1;
    }
    sst_text_add(out, at);
    return sst_text_check(out, err);
}
