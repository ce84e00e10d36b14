/* The findings of a comparison as text. */
#include <math.h>

#include "app/compare_findings.h"
#include "app/log.h"
#include "app/report.h"

/* The listed differences that are printed; the JSON has all. */
enum { MAX_PRINTED = 5 };

static void print_climatology(const struct sst_compare *compare, int which, FILE *out)
{
    static const char *const axes[] = {"dated", "by month and day", "by day of the year", "in the order of the year"};
    const struct sst_clim_read_info *info = sst_clim_read_info(compare->readers[which]);
    (void)fprintf(out, "%-10s ", which == SST_COMPARE_A ? "A" : "B");
    sst_log_put_text(info->path, out);
    (void)fprintf(out, ": ");
    for (int field = 0; field < SST_N_CLIM_FIELDS; ++field) {
        if (!info->variables[field][0])
            continue;
        sst_log_put_text(info->variables[field], out);
        (void)fprintf(out, " (");
        sst_log_put_text(info->units[field][0] ? info->units[field] : "no units, taken as degC", out);
        (void)fprintf(out, "), ");
    }
    (void)fprintf(out, "%d days %s\n", info->n_slots, axes[info->axis]);
}

static void print_common(const struct sst_compare *compare, FILE *out)
{
    const struct sst_domain *domain = &compare->domain;
    (void)fprintf(out, "grid       %zu x %zu (lat x lon), %.3f..%.3f N, %.3f..%.3f E\n", domain->n_rows, domain->n_cols,
                  fmin(sst_domain_lat(domain, 0), sst_domain_lat(domain, domain->n_rows - 1)),
                  fmax(sst_domain_lat(domain, 0), sst_domain_lat(domain, domain->n_rows - 1)),
                  sst_domain_lon(domain, 0), sst_domain_lon(domain, domain->n_cols - 1));
    (void)fprintf(out, "common     %zu calendar days, %zu cells with values in both\n", compare->n_slots,
                  compare->n_cells);
    for (size_t i = 0; i < compare->n_fields; ++i) {
        const struct sst_compared_field *field = &compare->fields[i];
        if (field->n_only_a + field->n_only_b > 0)
            (void)fprintf(out, "  %s: %zu cell-days have a value only in A, %zu only in B\n", field->name,
                          field->n_only_a, field->n_only_b);
    }
}

static void print_rows(const struct sst_compare *compare, const struct sst_compared_field *field, FILE *out)
{
    (void)fprintf(out,
                  "  %-20s  cells  cell-days     bias    RMSE  median    95 %%    99 %%     max  beyond %g degC (95 %% "
                  "interval)\n",
                  field->name, compare->options->tolerance);
    for (int i = 0; i < SST_N_REPORT_ROWS; ++i) {
        const struct sst_error_row row =
            sst_comparison_row(field->comparison, sst_report_rows[i].which, sst_report_rows[i].weight);
        (void)fprintf(out, "  %-20s %6zu %10zu %+8.4f %7.4f %7.4f %7.4f %7.4f %7.4f %7.2f %% (%.2f..%.2f)\n",
                      sst_report_rows[i].name, row.n_cells, row.n_cell_days, row.bias, row.rmse, row.median, row.p95,
                      row.p99, row.max, 100.0 * row.beyond.value, 100.0 * row.beyond.low, 100.0 * row.beyond.high);
    }
}

static void print_largest(const struct sst_compare *compare, const struct sst_compared_field *field, FILE *out)
{
    const struct sst_domain *domain = &compare->domain;
    if (field->n_largest == 0)
        (void)fprintf(out, "  %s is the same in both\n", field->name);
    for (size_t i = 0; i < field->n_largest && i < MAX_PRINTED; ++i) {
        const struct sst_difference *found = &field->largest[i];
        int month = 0, day = 0;
        sst_calendar_month_day(compare->calendar, found->slot, &month, &day);
        (void)fprintf(out, "  %-10s %+8.3f on %02d-%02d at %.3f N, %.3f E: A %.3f, B %.3f\n", field->name,
                      found->a - found->b, month, day, sst_domain_lat(domain, found->cell / domain->n_cols),
                      sst_domain_lon(domain, found->cell % domain->n_cols), found->a, found->b);
    }
}

static void print_daily(const struct sst_compare_daily *daily, FILE *out)
{
    const struct sst_consequences *found = &daily->consequences;
    (void)fprintf(out, "heatwaves  %d-%d at %zu sampled cells, %zu days read, %zu missing, %zu unusable%s\n",
                  daily->first_year, daily->last_year, found->n_cells, daily->n_days_read, daily->n_days_missing,
                  daily->n_days_bad, found->is_cold ? " (cold spells, below the percentile)" : "");
    (void)fprintf(out, "  %-10s %8.3f days a year, %7.3f events a year of %.2f days, %.2f %% of days beyond it\n", "A",
                  found->approx.days_per_year, found->approx.events_per_year, found->approx.mean_days,
                  100.0 * found->approx_exceedance.mean);
    (void)fprintf(out, "  %-10s %8.3f days a year, %7.3f events a year of %.2f days, %.2f %% of days beyond it\n", "B",
                  found->exact.days_per_year, found->exact.events_per_year, found->exact.mean_days,
                  100.0 * found->exact_exceedance.mean);
    (void)fprintf(out, "  of B's heatwave days A misses %.2f %% and adds %.2f %%; Jaccard index %.4f\n",
                  100.0 * found->missed, 100.0 * found->added, found->jaccard);
}

void sst_compare_print(const struct sst_compare *compare, FILE *out)
{
    char verdict[SST_COMPARE_VERDICT_SIZE];
    for (int which = 0; which < SST_N_COMPARED; ++which)
        print_climatology(compare, which, out);
    print_common(compare, out);
    (void)fprintf(out, "difference A - B [degC]\n");
    for (size_t i = 0; i < compare->n_fields; ++i)
        print_rows(compare, &compare->fields[i], out);
    (void)fprintf(out, "largest    the largest difference of each cell [degC]\n");
    for (size_t i = 0; i < compare->n_fields; ++i)
        print_largest(compare, &compare->fields[i], out);
    if (compare->daily.is_there)
        print_daily(&compare->daily, out);
    (void)fprintf(out, "verdict    %s\n", sst_compare_verdict(compare, verdict));
    (void)fprintf(out, "time       %.1f s\n", compare->seconds);
}
