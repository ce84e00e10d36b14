/* Options, catalog and job as sst_job_prepare would have them, without files. */
#include "job_fixture.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "regular_grid.h"

enum { MAX_WORDS = 16 };

static void parse(struct job_fixture *made, const char *line, const struct sst_machine *machine)
{
    char text[512], program[] = "sststream", input[] = "in.nc";
    char *words[MAX_WORDS] = {program, input};
    char *state = NULL;
    int n = 2;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &state); word && n < MAX_WORDS; word = strtok_r(NULL, " ", &state))
        words[n++] = word;
    ck_assert_msg(sst_options_parse(n, words, &made->options, &made->err) == SST_OK, "%s", made->err.text);
    ck_assert_int_eq(sst_options_settle(&made->options, machine, &made->err), SST_OK);
}

void job_fixture_make(struct job_fixture *made, const char *line, uint64_t memory_bytes, size_t n_lat)
{
    static char no_ice[] = "";
    const struct sst_machine machine = {.n_cores = 4, .memory_bytes = memory_bytes};
    const double step = 180.0 / (double)n_lat;
    struct sst_job *job = &made->job;
    sst_error_clear(&made->err);
    job_fixture_forget(made);
    parse(made, line, &machine);
    made->catalog.ice_source = no_ice;
    made->catalog.grid = regular_grid((struct even_axis){-90.0 + step / 2.0, step, n_lat},
                                      (struct even_axis){step / 2.0, step, 2 * n_lat});
    *job = (struct sst_job){.options = &made->options, .catalog = &made->catalog};
    sst_domain_all(made->catalog.grid, &job->domain);
    job->n_places = job->domain.n_cells * 7 / 10;
    job->coverage.n_present = 30 * 365;
    ck_assert_int_eq(
        sst_options_policy(&made->options, SST_CALENDAR_STANDARD, SST_LATTICE_CENTI, &job->policy, &made->err), SST_OK);
    if (job->policy.approx != SST_APPROX_NONE)
        job->n_probes = job->domain.n_cells / 100;
}

void job_fixture_forget(struct job_fixture *made)
{
    sst_options_clear(&made->options);
    sst_grid_destroy(&made->catalog.grid);
}
