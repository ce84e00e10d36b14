/* Places of cells: blocks of neighbours, so that moving them is moving 16 bytes at a time. */
#include "core/cells.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#include "core/mem.h"

/* Room beyond what the first field needs, as a share of it, for the few cells that turn valid later; then by an eighth. */
enum { FIRST_SPARE_SHARE = 64, LATER_SPARE_SHARE = 8 };

static size_t n_blocks_of(size_t n_domain, size_t width) { return (n_domain + width - 1) / width; }

enum sst_status sst_cells_init(struct sst_cells *cells, size_t n_domain, struct sst_error *err)
{
    const size_t n_blocks = n_blocks_of(n_domain, SST_CELLS_WIDTH);
    enum sst_status rc = SST_OK;
    *cells = (struct sst_cells){.n_domain = n_domain, .width = SST_CELLS_WIDTH};
    if (n_blocks >= UINT32_MAX)
        return sst_fail(err, SST_ERR_NOMEM, "%zu cells are too many. Use --bbox", n_domain);
    SST_TRY_GOTO(sst_alloc(n_blocks, sizeof *cells->block_at, "the places of cells", &cells->block_at, err));
    SST_TRY_GOTO(sst_alloc(n_blocks, sizeof *cells->waiting, "the places of cells", &cells->waiting, err));
    cells->n_waiting = n_blocks;
    for (size_t block = 0; block < n_blocks; ++block)
        cells->waiting[block] = (uint32_t)block;
done:
    if (rc != SST_OK)
        sst_cells_clear(cells);
    return rc;
}

enum sst_status sst_cells_init_list(struct sst_cells *cells, size_t n_domain, const size_t *list, size_t n,
                                    struct sst_error *err)
{
    *cells = (struct sst_cells){.n_domain = n_domain, .width = 1, .n_places = n, .n_given = n};
    SST_TRY(sst_alloc(n, sizeof *cells->block_at, "the places of probes", &cells->block_at, err));
    for (size_t i = 0; i < n; ++i)
        cells->block_at[i] = (uint32_t)list[i];
    return SST_OK;
}

void sst_cells_clear(struct sst_cells *cells)
{
    sst_free(cells->block_at);
    sst_free(cells->waiting);
    *cells = (struct sst_cells){0};
}

size_t sst_cells_most(size_t n_domain) { return n_blocks_of(n_domain, SST_CELLS_WIDTH) * SST_CELLS_WIDTH; }

/* Cells of a block that are in the domain. */
static size_t block_cells(const struct sst_cells *cells, size_t block)
{
    const size_t left = cells->n_domain - block * cells->width;
    return left < cells->width ? left : cells->width;
}

/* Eight codes that are all missing, as two words. */
static bool is_missing(const int16_t *codes)
{
    const uint64_t missing = (uint16_t)SST_CODE_MISSING * UINT64_C(0x0001000100010001);
    uint64_t words[SST_CELLS_WIDTH * sizeof *codes / sizeof missing];
    memcpy(words, codes, sizeof words);
    return ((words[0] ^ missing) | (words[1] ^ missing)) == 0;
}

static bool is_free(const uint8_t *ice)
{
    uint64_t word;
    memcpy(&word, ice, sizeof word);
    return word == 0;
}

static bool has_value(const struct sst_cells *cells, size_t block, const struct sst_field *field)
{
    const int16_t *codes = field->codes + block * cells->width;
    const uint8_t *ice = field->has_ice ? field->ice + block * cells->width : NULL;
    const size_t n = block_cells(cells, block);
    static_assert(SST_CELLS_WIDTH * sizeof *codes == 2 * sizeof(uint64_t), "is_missing looks at two words");
    if (n == SST_CELLS_WIDTH)
        return !is_missing(codes) || (ice && !is_free(ice));
    bool found = false;
    for (size_t i = 0; i < n; ++i)
        found |= codes[i] != SST_CODE_MISSING || (ice && ice[i]);
    return found;
}

static size_t with_spare(size_t n_blocks, size_t share, size_t most)
{
    const size_t n = n_blocks + n_blocks / share + 1;
    return n < most ? n : most;
}

size_t sst_cells_expected(size_t n_domain, size_t n_valid)
{
    const size_t most = n_blocks_of(n_domain, SST_CELLS_WIDTH);
    const size_t needed = n_blocks_of(n_valid, SST_CELLS_WIDTH);
    return with_spare(needed, FIRST_SPARE_SHARE, most) * SST_CELLS_WIDTH;
}

/* Waiting blocks that are looked at together: they are land, which is the same land in every field. */
enum { STRETCH_BLOCKS = 8, STRETCH_CELLS = STRETCH_BLOCKS * SST_CELLS_WIDTH };

/* Whether blocks that wait from `i` on are neighbours, all of them whole. */
static bool is_stretch(const struct sst_cells *cells, size_t i)
{
    if (cells->n_waiting - i < STRETCH_BLOCKS)
        return false;
    const size_t first = cells->waiting[i], last = cells->waiting[i + STRETCH_BLOCKS - 1];
    return last - first == STRETCH_BLOCKS - 1 && last < cells->n_domain / SST_CELLS_WIDTH;
}

static bool is_stretch_empty(const struct sst_field *field, size_t first_cell)
{
    const int16_t *codes = field->codes + first_cell;
    uint16_t values = 0;
    uint64_t words[STRETCH_CELLS / sizeof(uint64_t)] = {0}, ice = 0;
    for (size_t i = 0; i < STRETCH_CELLS; ++i)
        values = (uint16_t)(values | (uint16_t)(codes[i] ^ SST_CODE_MISSING));
    if (field->has_ice)
        memcpy(words, field->ice + first_cell, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        ice |= words[i];
    return values == 0 && ice == 0;
}

/* What another processor wrote comes slowly, and land is in pieces: asked for some blocks before it is looked at. */
static void ask_for(const struct sst_cells *cells, size_t i, const struct sst_field *field)
{
    enum { AHEAD = 96 };
    if (cells->n_waiting - i <= AHEAD)
        return;
    const size_t cell = (size_t)cells->waiting[i + AHEAD] * cells->width;
    __builtin_prefetch(field->codes + cell);
    if (field->has_ice)
        __builtin_prefetch(field->ice + cell);
}

/* Places for the blocks that are given, of which there can be so many. */
static void make_room(struct sst_cells *cells, size_t most)
{
    const size_t places = cells->n_places / cells->width;
    if (cells->n_given > places)
        cells->n_places =
            with_spare(cells->n_given, places ? LATER_SPARE_SHARE : FIRST_SPARE_SHARE, most) * cells->width;
}

void sst_cells_take(struct sst_cells *cells, const struct sst_field *field)
{
    const size_t most = cells->n_given + cells->n_waiting;
    size_t n_left = 0;
    for (size_t i = 0; i < cells->n_waiting;) {
        const uint32_t block = cells->waiting[i];
        ask_for(cells, i, field);
        if (is_stretch(cells, i) && is_stretch_empty(field, (size_t)block * cells->width)) {
            if (n_left < i)
                memmove(cells->waiting + n_left, cells->waiting + i, STRETCH_BLOCKS * sizeof *cells->waiting);
            n_left += STRETCH_BLOCKS;
            i += STRETCH_BLOCKS;
            continue;
        }
        if (has_value(cells, block, field))
            cells->block_at[cells->n_given++] = block;
        else
            cells->waiting[n_left++] = block;
        ++i;
    }
    cells->n_waiting = n_left;
    make_room(cells, most);
}

static bool is_marked(const struct sst_cells *cells, size_t block, const uint8_t *marks)
{
    const size_t n = block_cells(cells, block);
    uint8_t found = 0;
    for (size_t i = 0; i < n; ++i)
        found |= marks[block * cells->width + i];
    return found != 0;
}

void sst_cells_take_marked(struct sst_cells *cells, const uint8_t *marks)
{
    const size_t most = cells->n_given + cells->n_waiting;
    size_t n_left = 0;
    for (size_t i = 0; i < cells->n_waiting; ++i) {
        const uint32_t block = cells->waiting[i];
        if (is_marked(cells, block, marks))
            cells->block_at[cells->n_given++] = block;
        else
            cells->waiting[n_left++] = block;
    }
    cells->n_waiting = n_left;
    make_room(cells, most);
}

/* Waiting blocks of one task: some 16 kB of a field's codes. */
enum { TAKE_BLOCKS = 1024 };

/* Below this many waiting blocks they are looked at sooner than a second thread is woken. */
enum { PARALLEL_BLOCKS = 8192 };

/* Whether one of the blocks that wait from `begin` to before `end`, or of those just behind, has a value or ice. */
static bool has_news(const struct sst_cells *cells, size_t begin, size_t end, const struct sst_field *field)
{
    for (size_t i = begin; i < end;) {
        const uint32_t block = cells->waiting[i];
        ask_for(cells, i, field);
        if (is_stretch(cells, i) && is_stretch_empty(field, (size_t)block * cells->width)) {
            i += STRETCH_BLOCKS;
            continue;
        }
        if (has_value(cells, block, field))
            return true;
        ++i;
    }
    return false;
}

/* Bit i: field i may give places. One pass over the blocks that wait, whose list stays as it is. */
static unsigned find_news(const struct sst_cells *cells, const struct sst_field *const *fields, size_t n_fields)
{
    const size_t n_waiting = cells->n_waiting;
    unsigned news = 0;
#pragma omp parallel for schedule(static) reduction(| : news) if (n_waiting >= PARALLEL_BLOCKS)
    for (size_t begin = 0; begin < n_waiting; begin += TAKE_BLOCKS) {
        const size_t end = n_waiting - begin < TAKE_BLOCKS ? n_waiting : begin + TAKE_BLOCKS;
        for (size_t i = 0; i < n_fields; ++i)
            if (!(news >> i & 1) && has_news(cells, begin, end, fields[i]))
                news |= 1U << i;
    }
    return news;
}

void sst_cells_take_all(struct sst_cells *cells, const struct sst_field *const *fields, size_t n_fields)
{
    enum { MOST_AT_ONCE = sizeof(unsigned) * CHAR_BIT };
    size_t first = 0;
    for (; first < n_fields && cells->n_given == 0; ++first) /* nearly every block of the sea is news */
        sst_cells_take(cells, fields[first]);
    for (size_t n = 0; first < n_fields; first += n) {
        n = n_fields - first < MOST_AT_ONCE ? n_fields - first : MOST_AT_ONCE;
        const unsigned news = find_news(cells, fields + first, n);
        for (size_t i = 0; i < n; ++i)
            if (news >> i & 1)
                sst_cells_take(cells, fields[first + i]);
    }
}

/*
 * One function for each type of item: a block is copied whole, which is one vector, unless it is the domain's last. What is
 * special about lists, that block and free places is kept out of the loop that does the work.
 */
#define GATHER_FUNCTION(name, type)                                                                                    \
    static void name(const struct sst_cells *cells, const type *restrict field, type fill, size_t begin, size_t end,   \
                     type *restrict out)                                                                               \
    {                                                                                                                  \
        const size_t width = cells->width, first = begin / width;                                                      \
        const size_t given = end / width < cells->n_given ? end / width : cells->n_given;                              \
        const size_t n = given > first ? given - first : 0, n_whole = cells->n_domain / width;                         \
        const uint32_t *block_at = cells->block_at + first;                                                            \
        for (size_t i = 0; i < n && width == 1; ++i)                                                                   \
            out[i] = field[block_at[i]];                                                                               \
        for (size_t i = 0; i < n && width != 1; ++i) {                                                                 \
            const size_t block = block_at[i];                                                                          \
            type *to = out + i * SST_CELLS_WIDTH;                                                                      \
            if (block < n_whole)                                                                                       \
                memcpy(to, field + block * SST_CELLS_WIDTH, SST_CELLS_WIDTH * sizeof *to);                             \
            else                                                                                                       \
                for (size_t cell = 0; cell < SST_CELLS_WIDTH; ++cell)                                                  \
                    to[cell] = cell < block_cells(cells, block) ? field[block * SST_CELLS_WIDTH + cell] : fill;        \
        }                                                                                                              \
        for (size_t cell = n * width; cell < end - begin; ++cell)                                                      \
            out[cell] = fill;                                                                                          \
    }

GATHER_FUNCTION(gather_codes, int16_t)
GATHER_FUNCTION(gather_marks, uint8_t)
GATHER_FUNCTION(gather_indices, uint32_t)

void sst_cells_gather(const struct sst_cells *cells, const int16_t *field, int16_t fill, size_t begin, size_t end,
                      int16_t *out)
{
    gather_codes(cells, field, fill, begin, end, out);
}

void sst_cells_gather_marks(const struct sst_cells *cells, const uint8_t *field, size_t begin, size_t end, uint8_t *out)
{
    gather_marks(cells, field, 0, begin, end, out);
}

void sst_cells_gather_indices(const struct sst_cells *cells, const uint32_t *field, uint32_t fill, size_t begin,
                              size_t end, uint32_t *out)
{
    gather_indices(cells, field, fill, begin, end, out);
}

/* Blocks first .. end - 1 by place; where width and size are constants a block is a few vectors. */
static inline void scatter_blocks(const struct sst_cells *cells, const unsigned char *places, size_t width, size_t size,
                                  size_t first, size_t end, unsigned char *field)
{
    const size_t n_whole = cells->n_domain / width, block_bytes = width * size;
    for (size_t place = first; place < end; ++place) {
        const size_t block = cells->block_at[place];
        if (block < n_whole)
            memcpy(field + block * block_bytes, places + place * block_bytes, block_bytes);
        else
            memcpy(field + block * block_bytes, places + place * block_bytes, block_cells(cells, block) * size);
    }
}

void sst_cells_scatter_part(const struct sst_cells *cells, const void *places, size_t size, size_t begin, size_t end,
                            void *field)
{
    const size_t first = begin / cells->width;
    const size_t given = end / cells->width < cells->n_given ? end / cells->width : cells->n_given;
    if (cells->width == SST_CELLS_WIDTH && size == sizeof(double))
        scatter_blocks(cells, places, SST_CELLS_WIDTH, sizeof(double), first, given, field);
    else if (cells->width == SST_CELLS_WIDTH && size == sizeof(float))
        scatter_blocks(cells, places, SST_CELLS_WIDTH, sizeof(float), first, given, field);
    else if (cells->width == SST_CELLS_WIDTH && size == sizeof(uint16_t))
        scatter_blocks(cells, places, SST_CELLS_WIDTH, sizeof(uint16_t), first, given, field);
    else
        scatter_blocks(cells, places, cells->width, size, first, given, field);
}

void sst_cells_scatter(const struct sst_cells *cells, const void *places, size_t size, void *field)
{
    sst_cells_scatter_part(cells, places, size, 0, cells->n_places, field);
}
