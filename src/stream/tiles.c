/* The passes of a run in tiles: an engine each, between a source and a sink that stand in for those of the job. */
#include "stream/tiles.h"

#include "core/mem.h"
#include "core/timings.h"
#include "stream/schedule.h"
#include "stream/scratch_fields.h"
#include "stream/scratch_slots.h"
#include "stream/tiles_private.h"

struct tiled {
    const struct sst_climatology_job *job;
    const struct sst_slot_sink *sink;
    struct sst_tile_cuts cuts;
    struct sst_schedule schedule;
    struct sst_scratch_fields *fields;
    struct sst_scratch_slots *slots;

    size_t tile; /* whose pass it is, from 0 */
    struct sst_tile_span span; /* its cells */
    size_t first_probe, n_probes; /* its part of the job's probes */
    size_t *probes; /* these, as cells of the tile */
    int n_put; /* slots that it has finished */
    struct sst_field views[SST_MAX_BATCH]; /* its parts of fields that are held */
    struct sst_field kept[SST_MAX_BATCH]; /* arrays for parts that are read back; none in pass 1 */
    size_t n_views;
};

/* --- the source of a pass ----------------------------------------------------------------------------------------- */

static const struct sst_field_source *job_source(const struct tiled *tiled) { return tiled->job->source; }

static bool source_has_day(void *user, struct sst_day day)
{
    const struct tiled *tiled = user;
    return tiled->tile == 0 ? job_source(tiled)->has_day(job_source(tiled)->user, day)
                            : sst_scratch_fields_has(tiled->fields, day);
}

static enum sst_status source_expect(void *user, const struct sst_day *days, size_t n_days, struct sst_error *err)
{
    const struct tiled *tiled = user;
    if (tiled->tile > 0 || !job_source(tiled)->expect)
        return SST_OK;
    return job_source(tiled)->expect(job_source(tiled)->user, days, n_days, err);
}

/* The tile's part of a whole field; what other tiles will want is put by. */
static enum sst_status get_from_source(struct tiled *tiled, struct sst_day day, const struct sst_field **out,
                                       struct sst_error *err)
{
    const struct sst_field *whole = NULL;
    SST_TRY(job_source(tiled)->get(job_source(tiled)->user, day, &whole, err));
    if (whole && tiled->sink->field)
        tiled->sink->field(tiled->sink->user, day, whole);
    SST_TRY(sst_scratch_fields_put(tiled->fields, day, whole, err));
    if (!whole)
        return SST_OK;
    struct sst_field *view = &tiled->views[tiled->n_views++];
    *view = (struct sst_field){.n_cells = tiled->span.n_cells,
                               .codes = whole->codes + tiled->span.begin,
                               .hundredths = whole->hundredths + tiled->span.begin,
                               .ice = whole->ice + tiled->span.begin,
                               .has_ice = whole->has_ice};
    *out = view;
    return SST_OK;
}

static enum sst_status get_from_scratch(struct tiled *tiled, struct sst_day day, const struct sst_field **out,
                                        struct sst_error *err)
{
    struct sst_field *kept = &tiled->kept[tiled->n_views];
    bool is_there = false;
    SST_TRY(sst_scratch_fields_get(tiled->fields, day, tiled->tile, kept, &is_there, err));
    if (!is_there)
        return SST_OK;
    if (kept->hundredths != kept->codes)
        sst_field_hundredths(kept->codes, kept->n_cells, kept->hundredths);
    ++tiled->n_views;
    *out = kept;
    return SST_OK;
}

static enum sst_status source_get(void *user, struct sst_day day, const struct sst_field **out, struct sst_error *err)
{
    struct tiled *tiled = user;
    *out = NULL;
    return tiled->tile == 0 ? get_from_source(tiled, day, out, err) : get_from_scratch(tiled, day, out, err);
}

static void source_give_back(void *user)
{
    struct tiled *tiled = user;
    tiled->n_views = 0;
    if (tiled->tile == 0)
        job_source(tiled)->give_back(job_source(tiled)->user);
}

static uint64_t source_bytes_read(void *user)
{
    const struct tiled *tiled = user;
    return job_source(tiled)->bytes_read(job_source(tiled)->user);
}

static size_t most_held(const struct tiled *tiled)
{
    const size_t n = job_source(tiled)->n_most_held;
    return n < SST_MAX_BATCH ? n : SST_MAX_BATCH;
}

/* --- the sink of a pass ------------------------------------------------------------------------------------------- */

static enum sst_status sink_put(void *user, const struct sst_slot_result *part, struct sst_error *err)
{
    struct tiled *tiled = user;
    const int index = tiled->n_put++;
    if (index >= tiled->schedule.n_outputs || tiled->schedule.output_slot[index] != part->slot)
        return sst_fail(err, SST_ERR_INTERNAL, "slot %d of tile %zu comes out of turn", part->slot, tiled->tile + 1);
    const double start = sst_timings_now();
    SST_TRY(sst_scratch_slots_put(tiled->slots, (size_t)index, part, tiled->span.begin, tiled->first_probe, err));
    (void)sst_timings_book(tiled->job->timings, SST_PHASE_WRITE, start);
    return SST_OK;
}

static void sink_progress(void *user, size_t days_done, size_t days_total, uint64_t bytes_done)
{
    const struct tiled *tiled = user;
    if (tiled->sink->progress)
        tiled->sink->progress(tiled->sink->user, tiled->tile * days_total + days_done, tiled->cuts.n_tiles * days_total,
                              bytes_done);
}

static bool sink_cancelled(void *user)
{
    const struct tiled *tiled = user;
    return tiled->sink->cancelled && tiled->sink->cancelled(tiled->sink->user);
}

/* --- passes ------------------------------------------------------------------------------------------------------- */

static void choose_probes(struct tiled *tiled)
{
    const struct sst_climatology_job *job = tiled->job;
    const size_t end = tiled->span.begin + tiled->span.n_cells;
    tiled->first_probe += tiled->n_probes; /* those of the tiles before */
    tiled->n_probes = 0;
    for (size_t i = tiled->first_probe; i < job->n_probes && job->probes[i] < end; ++i)
        tiled->probes[tiled->n_probes++] = job->probes[i] - tiled->span.begin;
}

static enum sst_status run_pass(struct tiled *tiled, size_t tile, struct sst_error *err)
{
    const struct sst_field_source source = {.user = tiled,
                                            .n_most_held = most_held(tiled),
                                            .has_day = source_has_day,
                                            .expect = source_expect,
                                            .get = source_get,
                                            .give_back = source_give_back,
                                            .bytes_read = source_bytes_read};
    const struct sst_slot_sink sink = {
        .user = tiled, .put = sink_put, .progress = sink_progress, .cancelled = sink_cancelled};
    struct sst_climatology_job job = *tiled->job;
    tiled->tile = tile;
    tiled->span = sst_tile_span_of(&tiled->cuts, tile);
    tiled->n_put = 0;
    tiled->n_views = 0;
    choose_probes(tiled);
    job.source = &source;
    job.n_cells = tiled->span.n_cells;
    job.probes = tiled->probes;
    job.n_probes = tiled->n_probes;
    const enum sst_status rc = sst_climatology_run(&job, &sink, err);
    if (rc == SST_ERR_INTERRUPTED)
        sst_error_prefix(err, "pass %zu of %zu", tile + 1, tiled->cuts.n_tiles);
    return rc;
}

/* Room for the fields of tiles 2.., none of which is larger than the first. */
static enum sst_status open_kept(struct tiled *tiled, struct sst_error *err)
{
    const size_t n_cells = tiled->cuts.tile_cells;
    for (size_t i = 0; i < most_held(tiled); ++i) {
        struct sst_field *kept = &tiled->kept[i];
        SST_TRY(sst_alloc(n_cells, sizeof *kept->codes, "a field of a tile", &kept->codes, err));
        SST_TRY(sst_alloc(n_cells, sizeof *kept->ice, "the ice of a tile", &kept->ice, err));
        kept->hundredths = kept->codes;
        if (tiled->job->policy->lattice == SST_LATTICE_CENTI)
            continue;
        kept->hundredths = NULL;
        SST_TRY(sst_alloc(n_cells, sizeof *kept->hundredths, "hundredths of a tile", &kept->hundredths, err));
    }
    return SST_OK;
}

static void close_kept(struct tiled *tiled)
{
    for (size_t i = 0; i < SST_MAX_BATCH; ++i) {
        struct sst_field *kept = &tiled->kept[i];
        if (kept->hundredths != kept->codes)
            sst_free(kept->hundredths);
        sst_free(kept->codes);
        sst_free(kept->ice);
        *kept = (struct sst_field){0};
    }
}

/* Gives whole slots to the sink, in the order in which each engine gave its part of them. */
static enum sst_status join_slots(struct tiled *tiled, struct sst_error *err)
{
    const struct sst_schedule *schedule = &tiled->schedule;
    for (int index = 0; index < schedule->n_outputs; ++index) {
        struct sst_slot_result result = {.slot = schedule->output_slot[index]};
        if (sink_cancelled(tiled))
            return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted after %d of %d slots were joined", index,
                            schedule->n_outputs);
        const double start = sst_timings_now();
        SST_TRY(sst_scratch_slots_get(tiled->slots, (size_t)index, &result, err));
        (void)sst_timings_book(tiled->job->timings, SST_PHASE_WRITE, start);
        SST_TRY(tiled->sink->put(tiled->sink->user, &result, err));
    }
    return SST_OK;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* Days that the engine will ask for. */
static size_t count_days(const struct tiled *tiled)
{
    const struct sst_pool_rule *pools = &tiled->job->policy->pools;
    size_t n = 0;
    for (int r = 0; r < tiled->schedule.n_reads; ++r) {
        for (int year = pools->first_year - 1; year <= pools->last_year + 1; ++year) {
            const struct sst_day day = {year, tiled->schedule.read_slot[r]};
            n += sst_pool_class(pools, day) != SST_NO_CLASS && job_source(tiled)->has_day(job_source(tiled)->user, day);
        }
    }
    return n;
}

static enum sst_status open_scratch(struct tiled *tiled, const struct sst_domain *domain, struct sst_tiles tiles,
                                    const char *folder, struct sst_error *err)
{
    const struct sst_climatology_job *job = tiled->job;
    const struct sst_climatology_size size = {.n_cells = job->n_cells,
                                              .n_domain = job->n_cells,
                                              .n_probes = job->n_probes,
                                              .has_ice = true,
                                              .wants_shape = job->wants_shape};
    const struct sst_slot_layout layout = sst_slot_layout_of(job->policy, &size);
    const struct sst_tiles_needs needs = sst_tiles_needs_of(job->policy, &size, domain, count_days(tiled), tiles);
    char *about = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_asprintf(&about, err, "%s: the scratch of a run in %zu tiles, up to %.1f MB,", folder,
                              tiles.n_tiles, (double)needs.disk_bytes / 1e6));
    SST_TRY_GOTO(sst_scratch_fields_create(folder, about, &tiled->cuts, &job->policy->pools, &tiled->fields, err));
    SST_TRY_GOTO(sst_scratch_slots_create(folder, about, &layout, &tiled->slots, err));
    SST_TRY_GOTO(sst_alloc(job->n_probes, sizeof *tiled->probes, "the probes of a tile", &tiled->probes, err));
done:
    sst_free(about);
    return rc;
}

static enum sst_status run_all(struct tiled *tiled, struct sst_error *err)
{
    SST_TRY(run_pass(tiled, 0, err));
    SST_TRY(open_kept(tiled, err));
    for (size_t tile = 1; tile < tiled->cuts.n_tiles; ++tile)
        SST_TRY(run_pass(tiled, tile, err));
    close_kept(tiled);
    sst_scratch_fields_destroy(&tiled->fields);
    return join_slots(tiled, err);
}

enum sst_status sst_tiles_run(const struct sst_climatology_job *job, const struct sst_domain *domain,
                              struct sst_tiles tiles, const char *folder, const struct sst_slot_sink *sink,
                              struct sst_error *err)
{
    struct tiled *tiled = NULL;
    enum sst_status rc = SST_OK;
    if (tiles.n_tiles <= 1)
        return sst_climatology_run(job, sink, err);
    if (tiles.rows_per_tile == 0 || job->n_cells != domain->n_cells ||
        (domain->n_rows + tiles.rows_per_tile - 1) / tiles.rows_per_tile != tiles.n_tiles)
        return sst_fail(err, SST_ERR_INTERNAL, "%zu tiles of %zu rows are not the %zu rows of the domain",
                        tiles.n_tiles, tiles.rows_per_tile, domain->n_rows);
    SST_TRY(sst_policy_check(job->policy, err));
    SST_TRY(sst_alloc(1, sizeof *tiled, "a run in tiles", &tiled, err));
    tiled->job = job;
    tiled->sink = sink;
    tiled->cuts = sst_tile_cuts_of(tiles, domain);
    sst_schedule_make(job->policy, &tiled->schedule);
    SST_TRY_GOTO(open_scratch(tiled, domain, tiles, folder, err));
    SST_TRY_GOTO(run_all(tiled, err));
done:
    close_kept(tiled);
    sst_scratch_fields_destroy(&tiled->fields);
    sst_scratch_slots_destroy(&tiled->slots);
    sst_free(tiled->probes);
    sst_free(tiled);
    return rc;
}
