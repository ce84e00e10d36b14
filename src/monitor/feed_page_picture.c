/* map.png: the categories of a day, north up, and below it what the colours mean. */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/event_day.h"
#include "monitor/feed_page_font.h"
#include "monitor/feed_page_private.h"
#include "write/png.h"

/* What a pixel shows; page.js has the same classes and colours. Hatches go over the class before them. */
enum {
    CALM,
    MODERATE,
    STRONG,
    SEVERE,
    EXTREME,
    BRIDGED,
    CANDIDATE,
    CANDIDATE_HATCH,
    AWAITING,
    AWAITING_HATCH,
    MISSING,
    MISSING_HATCH,
    ICE,
    NO_VARIANCE,
    LAND,
    INK,
    PAPER,
    N_COLOURS
};

static const struct sst_colour warm_palette[N_COLOURS] = {
    [CALM] = {0xee, 0xf4, 0xf8},      [MODERATE] = {0xff, 0xc8, 0x66},
    [STRONG] = {0xff, 0x69, 0x00},    [SEVERE] = {0x9e, 0x00, 0x00},
    [EXTREME] = {0x2d, 0x00, 0x00},   [BRIDGED] = {0xf6, 0xe3, 0xc3},
    [CANDIDATE] = {0xe3, 0xdc, 0xee}, [CANDIDATE_HATCH] = {0xb5, 0xa6, 0xd0},
    [AWAITING] = {0xf2, 0xf2, 0xf2},  [AWAITING_HATCH] = {0x70, 0x70, 0x78},
    [MISSING] = {0xff, 0xff, 0xff},   [MISSING_HATCH] = {0xc4, 0xc4, 0xc4},
    [ICE] = {0xc3, 0xd4, 0xde},       [NO_VARIANCE] = {0xdf, 0xe2, 0xe2},
    [LAND] = {0xb4, 0xae, 0xa4},      [INK] = {0x1a, 0x1a, 0x1a},
    [PAPER] = {0xff, 0xff, 0xff},
};

/* Of cold spells. */
static const struct sst_colour cold_categories[] = {
    {0x9e, 0xca, 0xe1}, {0x42, 0x92, 0xc6}, {0x08, 0x51, 0x9c}, {0x08, 0x20, 0x4d}};
static const struct sst_colour cold_bridged = {0xd4, 0xe6, 0xf1}, cold_calm = {0xf6, 0xf5, 0xf0};

static const struct item {
    uint8_t class;
    const char *text;
} legend[] = {
    {MODERATE, "I MODERATE"},    {STRONG, "II STRONG"},  {SEVERE, "III SEVERE"}, {EXTREME, "IV EXTREME"},
    {CANDIDATE, "CANDIDATE"},    {AWAITING, "AWAITING"}, {MISSING, "NO VALUE"},  {ICE, "ICE"},
    {NO_VARIANCE, "NOT JUDGED"}, {LAND, "LAND"},
};

enum { N_LEGEND = sizeof legend / sizeof *legend };
enum { LEAST_WIDTH = 720, HATCH = 4, FONT_SCALE = 2, ADVANCE = FONT_SCALE * (SST_FONT_WIDTH + 1) };
enum { LINE = FONT_SCALE * SST_FONT_HEIGHT + 10, MARGIN = 8, SWATCH = FONT_SCALE * SST_FONT_HEIGHT, TITLE_SIZE = 160 };

static uint8_t class_of_water(enum sst_event_label label, int category)
{
    switch (label) {
    case SST_EVENT_LABEL_EVENT:
        return (uint8_t)(category > 0 ? MODERATE + category - 1 : BRIDGED);
    case SST_EVENT_LABEL_BRIDGED:
        return BRIDGED;
    case SST_EVENT_LABEL_CANDIDATE:
        return CANDIDATE;
    case SST_EVENT_LABEL_AWAITING:
        return AWAITING;
    case SST_EVENT_LABEL_UNKNOWN:
        return MISSING;
    case SST_EVENT_LABEL_NONE:
        break;
    }
    return CALM;
}

static uint8_t class_of(const struct sst_feed_day *day, size_t cell)
{
    switch ((enum sst_event_surface)day->surface[cell]) {
    case SST_EVENT_SURFACE_LAND:
        return LAND;
    case SST_EVENT_SURFACE_ICE:
        return ICE;
    case SST_EVENT_SURFACE_NO_VARIANCE:
        return NO_VARIANCE;
    case SST_EVENT_SURFACE_MISSING:
        return day->label[cell] == SST_EVENT_LABEL_AWAITING ? AWAITING : MISSING;
    case SST_EVENT_SURFACE_WATER:
        break;
    }
    return class_of_water((enum sst_event_label)day->label[cell], day->category[cell]);
}

/* Lines from south-west to north-east over those classes that have no full colour. */
static uint8_t with_hatch(uint8_t class, size_t x, size_t y)
{
    const bool has_hatch = class == CANDIDATE || class == AWAITING || class == MISSING;
    return (uint8_t)(has_hatch && (x + y) % HATCH == 0 ? class + 1 : class);
}

/* Pixels of a cell along each side: as wide as the legend asks for, but no higher than the largest map. */
static size_t scale_of(const struct sst_feed_page *page)
{
    const size_t wanted = (LEAST_WIDTH + page->map_cols - 1) / page->map_cols;
    const size_t most = SST_FEED_PAGE_LARGEST_SIDE / page->map_rows;
    return wanted < most ? wanted : most;
}

struct canvas {
    uint8_t *pixels;
    size_t width, height;
};

static void draw_map(const struct sst_feed_page *page, const struct sst_feed_day *day, size_t scale,
                     struct canvas *canvas)
{
    const struct sst_domain *domain = page->about->domain;
    const bool is_southern_first = sst_domain_lat(domain, 0) < sst_domain_lat(domain, domain->n_rows - 1);
    for (size_t y = 0; y < page->map_rows * scale; ++y) {
        const size_t from_north = y / scale, row = is_southern_first ? page->map_rows - 1 - from_north : from_north;
        memset(canvas->pixels + y * canvas->width, PAPER, canvas->width);
        for (size_t x = 0; x < page->map_cols * scale; ++x) {
            const size_t cell = page->picked[row * page->map_cols + x / scale];
            canvas->pixels[y * canvas->width + x] = with_hatch(class_of(day, cell), x, y);
        }
    }
}

static void put(struct canvas *canvas, size_t x, size_t y, uint8_t colour)
{
    if (x < canvas->width && y < canvas->height)
        canvas->pixels[y * canvas->width + x] = colour;
}

static void draw_text(struct canvas *canvas, size_t x0, size_t y0, const char *text)
{
    for (; *text; ++text, x0 += ADVANCE) {
        const uint8_t *rows = sst_feed_page_glyph(*text);
        for (size_t y = 0; y < FONT_SCALE * SST_FONT_HEIGHT; ++y) {
            for (size_t x = 0; x < FONT_SCALE * SST_FONT_WIDTH; ++x) {
                if (rows[y / FONT_SCALE] >> (SST_FONT_WIDTH - 1 - x / FONT_SCALE) & 1)
                    put(canvas, x0 + x, y0 + y, INK);
            }
        }
    }
}

static void draw_swatch(struct canvas *canvas, size_t x0, size_t y0, uint8_t class)
{
    for (size_t y = 0; y < SWATCH; ++y) {
        for (size_t x = 0; x < SWATCH; ++x) {
            const bool is_edge = x == 0 || y == 0 || x == SWATCH - 1 || y == SWATCH - 1;
            put(canvas, x0 + x, y0 + y, is_edge ? INK : with_hatch(class, x, y));
        }
    }
}

/* Places the legend's items in lines as wide as the picture, and draws them unless canvas is NULL. Returns the lines. */
static size_t flow_legend(size_t width, size_t y0, struct canvas *canvas)
{
    size_t x = MARGIN, n_lines = 1;
    for (size_t i = 0; i < N_LEGEND; ++i) {
        const size_t item_width = SWATCH + ADVANCE * (strlen(legend[i].text) + 2);
        if (x > MARGIN && x + item_width > width) {
            x = MARGIN;
            ++n_lines;
        }
        if (canvas) {
            const size_t y = y0 + (n_lines - 1) * LINE;
            draw_swatch(canvas, x, y, legend[i].class);
            draw_text(canvas, x + SWATCH + ADVANCE / 2, y, legend[i].text);
        }
        x += item_width;
    }
    return n_lines;
}

static void draw_strip(const struct sst_feed_page *page, const struct sst_feed_day *day, size_t y0,
                       struct canvas *canvas)
{
    char title[TITLE_SIZE], date[SST_DAY_TEXT_SIZE];
    const char *state = day->is_absent ? " (no file)" : day->is_preliminary ? " (preliminary)" : "";
    (void)snprintf(title, sizeof title, "%s%s  %.100s", sst_day_text(page->about->calendar, day->day, date), state,
                   page->about->title);
    memset(canvas->pixels + y0 * canvas->width, PAPER, (canvas->height - y0) * canvas->width);
    draw_text(canvas, MARGIN, y0 + MARGIN, title);
    (void)flow_legend(canvas->width, y0 + MARGIN + LINE, canvas);
}

enum sst_status sst_feed_page_picture(struct sst_feed_page *page, const struct sst_feed_day *day, uint8_t **bytes,
                                      size_t *n_bytes, struct sst_error *err)
{
    struct sst_colour palette[N_COLOURS];
    struct canvas canvas = {0};
    enum sst_status rc = SST_OK;
    const size_t scale = scale_of(page), map_height = page->map_rows * scale;
    canvas.width = page->map_cols * scale > LEAST_WIDTH ? page->map_cols * scale : LEAST_WIDTH;
    canvas.height = map_height + MARGIN + LINE * (1 + flow_legend(canvas.width, 0, NULL));
    memcpy(palette, warm_palette, sizeof palette);
    if (page->about->is_cold) {
        memcpy(palette + MODERATE, cold_categories, sizeof cold_categories);
        palette[BRIDGED] = cold_bridged;
        palette[CALM] = cold_calm;
    }
    SST_TRY_GOTO(sst_alloc_large(canvas.width * canvas.height, 1, "a day's picture", &canvas.pixels, err));
    sst_feed_page_pick(page, day);
    draw_map(page, day, scale, &canvas);
    draw_strip(page, day, map_height, &canvas);
    const struct sst_png_image image = {.width = canvas.width,
                                        .height = canvas.height,
                                        .indices = canvas.pixels,
                                        .palette = palette,
                                        .n_colours = N_COLOURS,
                                        .transparent = -1};
    SST_TRY_GOTO(sst_png_encode(&image, bytes, n_bytes, err));
done:
    sst_free(canvas.pixels);
    return rc;
}
