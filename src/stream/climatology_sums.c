/* Slots that come with their sums: their cells get places, their bins and probes go to the methods as those of fields do. */
#include "core/mem.h"
#include "core/timings.h"
#include "stream/climatology_private.h"

/* Gives places to the slot's cells, and finds the item of each place. */
static enum sst_status take_cells(struct sst_engine *engine, const uint32_t *item, struct sst_error *err)
{
    struct sst_cells *cells = &engine->cells;
    if (!engine->marks)
        SST_TRY(sst_alloc_large(cells->n_domain, sizeof *engine->marks, "the cells of a slot", &engine->marks, err));
    for (size_t cell = 0; cell < cells->n_domain; ++cell)
        engine->marks[cell] = item[cell] != SST_NO_ITEM;
    sst_cells_take_marked(cells, engine->marks);
    if (cells->n_places != engine->shape.n_cells) {
        sst_free(engine->item);
        engine->item = NULL;
        SST_TRY(sst_alloc_large(cells->n_places, sizeof *engine->item, "the places of a slot", &engine->item, err));
        SST_TRY(sst_engine_grow(engine, err));
    }
    sst_cells_gather_indices(cells, item, SST_NO_ITEM, 0, cells->n_places, engine->item);
    return SST_OK;
}

static enum sst_status add_probes(struct sst_engine *engine, struct sst_term term, const struct sst_term_sums *sums,
                                  struct sst_error *err)
{
    const struct sst_worker *probes = &engine->workers[1];
    for (size_t first = 0; first < sums->n_probe_days; first += SST_MAX_BATCH) {
        const struct sst_field *fields[SST_MAX_BATCH];
        const size_t left = sums->n_probe_days - first, n = left < SST_MAX_BATCH ? left : SST_MAX_BATCH;
        for (size_t i = 0; i < n; ++i)
            fields[i] = &sums->probes[first + i];
        SST_TRY(probes->method->add_fields(probes->state, term, fields, n, err));
    }
    return SST_OK;
}

static enum sst_status add_ice(struct sst_engine *engine, struct sst_term term, const struct sst_bin *bin,
                               struct sst_error *err)
{
    const struct sst_packed_bin packed = {bin, engine->item};
    if (!sst_bin_set_is_open(&engine->ice))
        SST_TRY(sst_bin_set_open(&engine->ice, sst_estimator_ice(), engine->cells.n_places, err));
    return sst_bin_set_add_packed(&engine->ice, engine->job->backend, term, sst_estimator_ice(), &packed, err);
}

static enum sst_status add_term(struct sst_engine *engine, struct sst_term term, const struct sst_term_sums *sums,
                                struct sst_error *err)
{
    const struct sst_worker *all = &engine->workers[0];
    for (size_t i = 0; i < sums->n_bins; ++i) {
        const struct sst_packed_bin packed = {sums->bins[i], engine->item};
        SST_TRY(all->method->add_sums(all->state, term, &packed, err));
    }
    for (size_t i = 0; i < sums->n_ice; ++i)
        SST_TRY(add_ice(engine, term, sums->ice[i], err));
    return engine->n_workers > 1 ? add_probes(engine, term, sums, err) : SST_OK;
}

enum sst_status sst_engine_take_slot(struct sst_engine *engine, int slot, struct sst_error *err)
{
    const struct sst_slot_source *source = engine->job->sums;
    const struct sst_slot_sink *sink = engine->sink;
    const struct sst_slot_sums *sums = NULL;
    if (sink->cancelled && sink->cancelled(sink->user))
        return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted after %d of %d calendar days", engine->reads_done - 1,
                        engine->schedule.n_reads);
    double start = sst_timings_now();
    SST_TRY(source->get(source->user, slot, &sums, err));
    start = sst_timings_book(engine->job->timings, SST_PHASE_WAIT, start);
    SST_TRY(take_cells(engine, sums->item, err));
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        SST_TRY(add_term(engine, (struct sst_term){(int16_t)slot, (int16_t)year_class}, &sums->terms[year_class], err));
    (void)sst_timings_book(engine->job->timings, SST_PHASE_ACCUMULATE, start);
    if (sink->progress)
        sink->progress(sink->user, (size_t)engine->reads_done, (size_t)engine->schedule.n_reads, 0);
    return SST_OK;
}
