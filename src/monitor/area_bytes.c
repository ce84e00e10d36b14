/*
 * A tracker as bytes: layout u32, cells u64, year i32, slot i32 of the last day, areas u64; per area 96 bytes and its last day; then the
 * label of each cell, u32. What a step ended is told once and not kept.
 */
#include <string.h>

#include "core/mem.h"
#include "monitor/area_private.h"
#include "state/state_wire.h"

enum { LAYOUT = 1 };

static void put_area(struct sst_text *out, const struct sst_area *area)
{
    sst_put_u64(out, area->id);
    sst_put_day(out, area->first);
    sst_put_day(out, area->last);
    sst_put_u64(out, area->split_from);
    sst_put_real(out, area->km2);
    sst_put_real(out, area->lat);
    sst_put_real(out, area->lon);
    sst_put_real(out, area->mean_intensity);
    sst_put_real(out, area->max_intensity);
    sst_put_u32(out, area->max_cell);
    sst_put_u32(out, (uint32_t)area->category);
    sst_put_u32(out, (uint32_t)area->n_days);
    sst_put_real(out, area->most_km2);
    sst_put_real(out, area->peak_intensity);
    sst_put_day(out, area->peak);
    sst_put_u32(out, (uint32_t)area->highest_category);
}

static void take_area(struct sst_taken *from, struct sst_area *area)
{
    area->id = sst_take_u64(from);
    area->status = SST_AREA_ONGOING;
    area->first = sst_take_day(from);
    area->last = sst_take_day(from);
    area->split_from = sst_take_u64(from);
    area->km2 = sst_take_real(from);
    area->lat = sst_take_real(from);
    area->lon = sst_take_real(from);
    area->mean_intensity = sst_take_real(from);
    area->max_intensity = sst_take_real(from);
    area->max_cell = sst_take_u32(from);
    area->category = (int)sst_take_u32(from);
    area->n_days = (int32_t)sst_take_u32(from);
    area->most_km2 = sst_take_real(from);
    area->peak_intensity = sst_take_real(from);
    area->peak = sst_take_day(from);
    area->highest_category = (int)sst_take_u32(from);
}

enum sst_status sst_area_encode(const struct sst_area_tracker *tracker, struct sst_text *out, struct sst_error *err)
{
    const size_t n_cells = tracker->domain->n_cells;
    sst_put_u32(out, LAYOUT);
    sst_put_u64(out, n_cells);
    sst_put_day(out, tracker->day);
    sst_put_u64(out, tracker->n_present);
    for (size_t i = 0; i < tracker->n_present; ++i)
        put_area(out, &tracker->areas[i]);
    sst_text_add_bytes(out, (const char *)tracker->labels, n_cells * sizeof *tracker->labels);
    return sst_text_check(out, err);
}

static enum sst_status refuse(struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE, "areas of heatwaves: what was stored does not fit this grid. Rebuild the feed");
}

enum sst_status sst_area_decode(struct sst_area_tracker *tracker, const void *bytes, size_t n_bytes,
                                struct sst_error *err)
{
    const size_t n_cells = tracker->domain->n_cells;
    struct sst_taken from = {bytes, n_bytes, false};
    struct sst_area *areas = NULL;
    if (sst_take_u32(&from) != LAYOUT || sst_take_u64(&from) != n_cells)
        return refuse(err);
    const struct sst_day day = sst_take_day(&from);
    const uint64_t n = sst_take_u64(&from);
    if (from.failed || n > n_cells)
        return refuse(err);
    SST_TRY(sst_alloc(n, sizeof *areas, "the areas of heatwaves", &areas, err));
    for (size_t i = 0; i < n; ++i)
        take_area(&from, &areas[i]);
    const void *labels = sst_take_bytes(&from, n_cells * sizeof *tracker->labels);
    bool is_whole = labels && sst_took_all(&from);
    if (is_whole)
        memcpy(tracker->next, labels, n_cells * sizeof *tracker->next);
    for (size_t cell = 0; cell < n_cells && is_whole; ++cell)
        is_whole = tracker->next[cell] <= n;
    struct sst_area_rows *rows = NULL;
    const enum sst_status rc = is_whole ? sst_area_find_rows(tracker, tracker->next, n, &rows, err) : refuse(err);
    if (rc != SST_OK) {
        sst_free(areas);
        return rc;
    }
    uint32_t *const old = tracker->labels;
    tracker->labels = tracker->next;
    tracker->next = old;
    sst_free(tracker->areas);
    sst_free(tracker->rows);
    tracker->areas = areas;
    tracker->rows = rows;
    tracker->n_present = n;
    tracker->n_gone = 0;
    tracker->day = day;
    return SST_OK;
}
