/* `sststream merge`: opens states, and says what came of them. */
#include "app/commands.h"
#include "app/options.h"
#include "app/signals.h"
#include "core/mem.h"
#include "state/day_log.h"
#include "state/state_join.h"

static void show_progress(void *user, size_t slots_done, size_t slots_total)
{
    sst_progress_update(user, slots_done, slots_total, 0);
}

static enum sst_status open_all(const struct sst_options *options, struct sst_state **states, struct sst_error *err)
{
    for (size_t i = 0; i < options->n_inputs; ++i)
        SST_TRY(sst_state_open(sst_os_system(), options->inputs[i], SST_STATE_READ, &states[i], err));
    return SST_OK;
}

static enum sst_status tell_result(const struct sst_options *options, struct sst_error *err)
{
    struct sst_state *made = NULL;
    enum sst_status rc = SST_OK;
    size_t n_days = 0;
    SST_TRY(sst_state_open(sst_os_system(), options->output, SST_STATE_READ, &made, err));
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        struct sst_ledger ledger = {0};
        SST_TRY_GOTO(sst_state_load_ledger(made, slot, &ledger, err));
        n_days += ledger.n_entries;
        sst_ledger_clear(&ledger);
    }
    sst_log_info(options->log, "%s: made of %zu states; %zu days are counted, %zu known beside them", options->output,
                 options->n_inputs, n_days, sst_state_n_logged(made));
done:
    sst_state_close(&made);
    return rc;
}

int cmd_merge(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_state **states = NULL;
    struct sst_progress progress;
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    const struct sst_join_watch watch = {show_progress, sst_signals_cancelled, &progress};
    enum sst_status rc = SST_OK;
    sst_progress_init(&progress, options->progress, &terminal, options->log);
    SST_TRY_GOTO(sst_alloc(options->n_inputs, sizeof(struct sst_state *), "states", &states, &err));
    SST_TRY_GOTO(open_all(options, states, &err));
    sst_progress_begin(&progress, "merge", "slots", 0);
    rc = sst_state_merge(sst_os_system(), (const struct sst_state *const *)states, options->n_inputs, options->output,
                         &watch, &err);
    sst_progress_end(&progress);
    if (rc == SST_OK)
        rc = tell_result(options, &err);
done:
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    for (size_t i = 0; i < options->n_inputs && states; ++i)
        sst_state_close(&states[i]);
    sst_free(states);
    return sst_status_exit_code(rc);
}
