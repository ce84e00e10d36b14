/* Readers and program side by side; what no phase was booked for is the rest. */
#include "app/timings_text.h"

#include <jansson.h>
#include <math.h>

#include "app/json_values.h"

static double sum_of(const struct sst_timings *timings)
{
    double sum = 0.0;
    for (int phase = 0; phase < SST_N_PHASES; ++phase)
        sum += timings->seconds[phase];
    return sum;
}

/* A second; NaN of no time at all. */
static double rate(double amount, double seconds) { return seconds > 0.0 ? amount / seconds : NAN; }

static double cell_days(const struct sst_timings_report *timings)
{
    return (double)timings->n_fields * (double)timings->n_cells;
}

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

/* --- text --------------------------------------------------------------------------------------------------------- */

static void print_totals(const struct sst_timings_report *timings, FILE *out)
{
    const double wall = timings->wall_seconds;
    (void)fprintf(out, "timings    %.2f s, %d thread%s, ", wall, timings->n_threads,
                  plural((size_t)timings->n_threads));
    if (timings->n_readers > 0)
        (void)fprintf(out, "%d reader%s", timings->n_readers, plural((size_t)timings->n_readers));
    else
        (void)fprintf(out, "no readers");
    if (timings->n_reader_deaths > 0)
        (void)fprintf(out, " (%zu died and %s replaced)", timings->n_reader_deaths,
                      timings->n_reader_deaths == 1 ? "was" : "were");
    (void)fprintf(out, "; %zu field%s, %.1f MB", timings->n_fields, plural(timings->n_fields),
                  (double)timings->bytes_read / 1e6);
    if (wall > 0.0)
        (void)fprintf(out, "; %.4g fields/s", rate((double)timings->n_fields, wall));
    if (wall > 0.0 && timings->n_cells > 0)
        (void)fprintf(out, ", %.4g million cell-days/s", rate(cell_days(timings), wall) / 1e6);
    (void)fputc('\n', out);
}

/* Seconds and their share of a whole. */
static void print_part(double seconds, double whole, FILE *out)
{
    (void)fprintf(out, "  %12.2f  %5.1f %%", seconds, whole > 0.0 ? 100.0 * seconds / whole : 0.0);
}

static void print_heading(const char *who, FILE *out) { (void)fprintf(out, "  %12s  %7s", who, "share"); }

/* What devices did, at the same time as all above. */
static void print_devices(const struct sst_timings_report *timings, FILE *out)
{
    const struct sst_gpu_times *device = &timings->device;
    const struct {
        const char *name;
        double seconds;
    } rows[] = {
        {"copy in", device->copy_in}, {"add", device->add}, {"finish", device->finish}, {"copy out", device->copy_out}};
    if (timings->n_devices == 0)
        return;
    (void)fprintf(out, "  %-10s", "beside it");
    print_heading(timings->n_devices == 1 ? "device [s]" : "devices [s]", out);
    (void)fputc('\n', out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        (void)fprintf(out, "  %-10s", rows[i].name);
        print_part(rows[i].seconds, timings->wall_seconds, out);
        (void)fputc('\n', out);
    }
}

void sst_timings_print(const struct sst_timings_report *timings, FILE *out)
{
    const double wall = timings->wall_seconds, readers_wall = wall * timings->n_readers;
    const bool has_readers = timings->n_readers > 0;
    struct sst_timings program = timings->program;
    print_totals(timings, out);
    if (!has_readers)
        sst_timings_add(&program, &timings->readers);
    (void)fprintf(out, "  %-10s", "phase");
    if (has_readers)
        print_heading("readers [s]", out);
    print_heading("program [s]", out);
    (void)fputc('\n', out);
    for (int phase = 0; phase < SST_N_PHASES; ++phase) {
        (void)fprintf(out, "  %-10s", sst_phase_name((enum sst_phase)phase));
        if (has_readers)
            print_part(timings->readers.seconds[phase], readers_wall, out);
        print_part(program.seconds[phase], wall, out);
        (void)fputc('\n', out);
    }
    (void)fprintf(out, "  %-10s", "rest");
    if (has_readers)
        print_part(fmax(readers_wall - sum_of(&timings->readers), 0.0), readers_wall, out);
    print_part(fmax(wall - sum_of(&program), 0.0), wall, out);
    (void)fputc('\n', out);
    print_devices(timings, out);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void put(json_t *object, const char *key, json_t *value) { (void)json_object_set_new(object, key, value); }

static json_t *phases(const struct sst_timings *timings)
{
    json_t *out = json_object();
    for (int phase = 0; phase < SST_N_PHASES; ++phase)
        put(out, sst_phase_name((enum sst_phase)phase), sst_json_rounded(timings->seconds[phase]));
    return out;
}

static json_t *device_times(const struct sst_timings_report *timings)
{
    const struct sst_gpu_times *device = &timings->device;
    if (timings->n_devices == 0)
        return json_null();
    json_t *out = json_object();
    put(out, "copy_in", sst_json_rounded(device->copy_in));
    put(out, "add", sst_json_rounded(device->add));
    put(out, "finish", sst_json_rounded(device->finish));
    put(out, "copy_out", sst_json_rounded(device->copy_out));
    return out;
}

json_t *sst_block_timings(const struct sst_timings_report *timings)
{
    const double wall = timings->wall_seconds;
    const bool has_cells = timings->n_cells > 0;
    json_t *seconds = json_object(), *out = json_object();
    put(seconds, "readers", phases(&timings->readers));
    put(seconds, "program", phases(&timings->program));
    put(seconds, "devices", device_times(timings));
    put(out, "wall_seconds", sst_json_rounded(wall));
    put(out, "readers", json_integer(timings->n_readers));
    put(out, "threads", json_integer(timings->n_threads));
    put(out, "reader_deaths", sst_json_integer(timings->n_reader_deaths));
    put(out, "fields", sst_json_integer(timings->n_fields));
    put(out, "cells", has_cells ? sst_json_integer(timings->n_cells) : json_null());
    put(out, "bytes_read", sst_json_integer(timings->bytes_read));
    put(out, "fields_per_second", sst_json_rounded(rate((double)timings->n_fields, wall)));
    put(out, "cell_days_per_second", sst_json_rounded(has_cells ? rate(cell_days(timings), wall) : NAN));
    put(out, "seconds", seconds);
    return out;
}
