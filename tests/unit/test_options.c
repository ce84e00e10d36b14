/* app/options: every option's value, every refusal's words, and what options have to do with each other. */
#include <stdio.h>
#include <string.h>

#include "app/options.h"
#include "test_main.h"

enum { MAX_WORDS = 32, MAX_LINE = 1024 };

static struct sst_options options;
static struct sst_error err;

/* Parses "sststream " + line, cut at blanks; '_' stands for an empty word. */
static enum sst_status parse(const char *line)
{
    char text[MAX_LINE];
    char program[] = "sststream";
    char empty[] = "";
    char *words[MAX_WORDS + 1] = {program};
    char *state = NULL;
    int n = 1;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
        ck_assert_int_lt(n, MAX_WORDS);
        words[n++] = strcmp(word, "_") == 0 ? empty : word;
    }
    sst_error_clear(&err);
    return sst_options_parse(n, words, &options, &err);
}

static void accept(const char *line)
{
    sst_options_clear(&options);
    ck_assert_msg(parse(line) == SST_OK, "'%s' was refused: %s", line, err.text);
}

START_TEST(defaults_are_those_of_the_design)
{
    accept("in.nc");
    ck_assert_int_eq(options.command, SST_COMMAND_RUN);
    ck_assert(!options.is_command_named);
    ck_assert_int_eq(options.approx, SST_APPROX_NONE);
    ck_assert_uint_eq(options.n_percentiles, 1);
    ck_assert(options.percentiles[0] == 90.0);
    ck_assert_int_eq(options.quantile_type, 7);
    ck_assert_int_eq(options.min_samples, 0);
    ck_assert_int_eq(options.first_year, 1991);
    ck_assert_int_eq(options.last_year, 2020);
    ck_assert(!options.is_given[SST_OPTION_ID_baseline]);
    ck_assert_int_eq(options.window_days, 11);
    ck_assert_int_eq(options.part.kind, SST_PART_WHOLE_YEAR);
    ck_assert_int_eq(options.leap, SST_LEAP_HOBDAY);
    ck_assert_int_eq(options.smooth_days, 31);
    ck_assert(options.validate_share == 0.0);
    ck_assert(options.tolerance == 0.1);
    ck_assert(options.max_share == 0.05);
    ck_assert_uint_eq(options.seed, 1);
    ck_assert_ptr_null(options.variable);
    ck_assert_ptr_null(options.units);
    ck_assert_ptr_null(options.ice_variable);
    ck_assert_ptr_null(options.mask_path);
    ck_assert(!options.has_bbox && !options.stop_on_bad && !options.split && !options.overwrite && !options.json);
    ck_assert_str_eq(options.output, "sst_clim_1991-2020.nc");
    ck_assert_ptr_null(options.report);
    ck_assert_int_eq(options.n_threads, 0);
    ck_assert_int_eq(options.n_readers, 0);
    ck_assert_ptr_null(options.device);
    ck_assert(!options.readers_are_short && !options.wants_timings);
    ck_assert(options.read_timeout == 60.0);
    ck_assert(options.memory_share == 0.5 && options.memory_bytes == 0);
    ck_assert_int_eq(options.deflate_level, SST_CLIM_DEFLATE_LEVEL);
    ck_assert_int_eq(options.progress, SST_PROGRESS_AUTO);
    ck_assert(!options.strict);
    ck_assert_int_eq(options.verbosity, 0);
    ck_assert_uint_eq(options.n_warnings, 0);
    ck_assert_str_eq(options.arguments, "");
    sst_options_clear(&options);
}
END_TEST

START_TEST(a_comparison_takes_two_files_and_what_names_their_variables)
{
    accept("compare a.nc b.nc --var-a p --mean-b m --units-b K --detect one --detect two --baseline 2001-2003");
    ck_assert_int_eq(options.command, SST_COMMAND_COMPARE);
    ck_assert_uint_eq(options.n_inputs, 2);
    ck_assert_str_eq(options.clim_variables[0][SST_CLIM_PERCENTILE], "p");
    ck_assert_ptr_null(options.clim_variables[1][SST_CLIM_PERCENTILE]);
    ck_assert_str_eq(options.clim_variables[1][SST_CLIM_MEAN], "m");
    ck_assert_str_eq(options.clim_units[1], "K");
    ck_assert_uint_eq(options.n_detect, 2);
    ck_assert_str_eq(options.detect[0], "one");
    ck_assert_str_eq(options.detect[1], "two");
    ck_assert_uint_eq(options.n_warnings, 0);
    accept("compare a.nc b.nc --baseline 2001-2003 --var sst --max-share 1");
    ck_assert_uint_eq(options.n_warnings, 3);
    sst_options_clear(&options);
}
END_TEST

START_TEST(shown_defaults_are_the_defaults)
{
    /* What --help says, typed, changes nothing. */
    static const enum sst_option_id ids[] = {
        SST_OPTION_ID_approx,        SST_OPTION_ID_percentile,
        SST_OPTION_ID_quantile_type, SST_OPTION_ID_baseline,
        SST_OPTION_ID_window,        SST_OPTION_ID_leap,
        SST_OPTION_ID_smooth,        SST_OPTION_ID_tolerance,
        SST_OPTION_ID_seed,          SST_OPTION_ID_on_bad,
        SST_OPTION_ID_progress,      SST_OPTION_ID_smooth_width,
        SST_OPTION_ID_max_share,     SST_OPTION_ID_window_half_width,
        SST_OPTION_ID_compress,      SST_OPTION_ID_read_timeout,
        SST_OPTION_ID_memory,        SST_OPTION_ID_device,
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; ++i) {
        char line[MAX_LINE];
        const struct sst_option_row *row = &sst_option_rows[ids[i]];
        (void)snprintf(line, sizeof line, "in.nc --%s %s", row->name, row->shown_default);
        accept(line);
        ck_assert(options.is_given[ids[i]]);
        ck_assert_int_eq(options.approx, SST_APPROX_NONE);
        ck_assert(options.percentiles[0] == 90.0 && options.n_percentiles == 1);
        ck_assert_int_eq(options.quantile_type, 7);
        ck_assert(options.first_year == 1991 && options.last_year == 2020);
        ck_assert_int_eq(options.window_days, 11);
        ck_assert_int_eq(options.leap, SST_LEAP_HOBDAY);
        ck_assert_int_eq(options.smooth_days, 31);
        ck_assert(options.tolerance == 0.1 && options.max_share == 0.05 && options.seed == 1);
        ck_assert(!options.stop_on_bad);
        ck_assert(options.read_timeout == 60.0 && options.memory_share == 0.5);
        ck_assert_int_eq(options.deflate_level, SST_CLIM_DEFLATE_LEVEL);
        ck_assert_int_eq(options.progress, SST_PROGRESS_AUTO);
    }
    sst_options_clear(&options);
}
END_TEST

START_TEST(maxent_takes_the_percentiles_that_have_tables)
{
    accept("--approx maxent --percentile 5,10,90,95 in.nc");
    ck_assert_int_eq(options.approx, SST_APPROX_MAXENT);
    ck_assert_uint_eq(options.n_percentiles, 4);
    sst_options_clear(&options);
}
END_TEST

START_TEST(numbers_policy_and_calendar_are_taken)
{
    accept("in.nc --approx maxent --coverage 99%,97.5 --correct --repair");
    ck_assert_uint_eq(options.n_coverages, 2);
    ck_assert_double_eq_tol(options.coverages[0], 0.99, 1e-15);
    ck_assert_double_eq_tol(options.coverages[1], 0.975, 1e-15);
    ck_assert(options.correct && options.repair);
    sst_options_clear(&options);
    accept("--approx cf --validate 2.5% --tolerance 0.25 --seed 77 --percentile 10,90,97.5 --quantile-type 5 "
           "--baseline 1982-2011 --window 5 --doy 152-243 --leap own --smooth 0 --min-samples 50 in.nc");
    ck_assert_int_eq(options.approx, SST_APPROX_CF);
    ck_assert_double_eq_tol(options.validate_share, 0.025, 1e-15);
    ck_assert(options.tolerance == 0.25);
    ck_assert_uint_eq(options.seed, 77);
    ck_assert_uint_eq(options.n_percentiles, 3);
    ck_assert(options.percentiles[0] == 10.0 && options.percentiles[1] == 90.0 && options.percentiles[2] == 97.5);
    ck_assert_int_eq(options.quantile_type, 5);
    ck_assert(options.first_year == 1982 && options.last_year == 2011);
    ck_assert_int_eq(options.window_days, 5);
    ck_assert_int_eq(options.part.kind, SST_PART_DOY);
    ck_assert(options.part.first_doy == 152 && options.part.last_doy == 243);
    ck_assert_int_eq(options.leap, SST_LEAP_OWN);
    ck_assert_int_eq(options.smooth_days, 1);
    ck_assert_int_eq(options.min_samples, 50);
    ck_assert_str_eq(options.output, "sst_clim_1982-2011.nc");
    sst_options_clear(&options);
}
END_TEST

START_TEST(names_places_and_switches_are_taken)
{
    accept(
        "in.nc --var sst --units degree_Celsius --ice-var ice --bbox -10,30,5,40 --mask m.nc:ocean -P 4 -o out.nc "
        "--report r.json -O -v --json --progress plain --strict --on-bad stop --max-share 7 --days 1201-0228 more.nc");
    ck_assert_str_eq(options.variable, "sst");
    ck_assert_str_eq(options.units, "degree_Celsius");
    ck_assert_str_eq(options.ice_variable, "ice");
    ck_assert(options.has_bbox && options.bbox.west == -10.0 && options.bbox.south == 30.0);
    ck_assert(options.bbox.east == 5.0 && options.bbox.north == 40.0);
    ck_assert_str_eq(options.mask_path, "m.nc");
    ck_assert_str_eq(options.mask_variable, "ocean");
    ck_assert_int_eq(options.n_threads, 4);
    ck_assert_str_eq(options.output, "out.nc");
    ck_assert_str_eq(options.report, "r.json");
    ck_assert(options.overwrite && options.json && options.strict && options.stop_on_bad);
    ck_assert_int_eq(options.verbosity, 1);
    ck_assert_int_eq(options.progress, SST_PROGRESS_PLAIN);
    ck_assert_double_eq_tol(options.max_share, 0.07, 1e-15);
    ck_assert_int_eq(options.part.kind, SST_PART_MONTH_DAYS);
    ck_assert(options.part.first_day.month == 12 && options.part.last_day.day == 28);
    ck_assert_uint_eq(options.n_inputs, 2);
    ck_assert_str_eq(options.inputs[0], "in.nc");
    ck_assert_str_eq(options.inputs[1], "more.nc");
    sst_options_clear(&options);
}
END_TEST

START_TEST(how_a_service_runs_is_taken)
{
    accept("watch --state s --inbox a --inbox b --poll 1.5m --expect-by 09:30Z+2d --min-free 2G --on-alert 'x'");
    ck_assert_int_eq(options.command, SST_COMMAND_WATCH);
    ck_assert_uint_eq(options.n_inboxes, 2);
    ck_assert_str_eq(options.inboxes[1], "b");
    ck_assert_double_eq(options.poll_seconds, 90.0);
    ck_assert_double_eq(options.settle_seconds, 90.0); /* that of --poll */
    ck_assert_double_eq(options.hook_seconds, 30.0);
    ck_assert_int_eq(options.expectation.minute, 570);
    ck_assert_int_eq(options.expectation.n_days, 2);
    ck_assert_uint_eq(options.min_free_bytes, UINT64_C(2) << 30);
    ck_assert(!options.once);
    sst_options_clear(&options);
    accept("watch --state s --inbox a --settle 2h --once --on-alert c --hook-timeout 5");
    ck_assert_double_eq(options.poll_seconds, 30.0);
    ck_assert_double_eq(options.settle_seconds, 7200.0);
    ck_assert_double_eq(options.hook_seconds, 5.0);
    ck_assert(options.once);
    sst_options_clear(&options);
}
END_TEST

START_TEST(how_it_runs_is_taken)
{
    accept("in.nc --readers 3 --readers-short --read-timeout 2.5 --memory 1.5GiB --timings --compress none");
    ck_assert_int_eq(options.n_readers, 3);
    ck_assert(options.readers_are_short && options.wants_timings);
    ck_assert(options.read_timeout == 2.5);
    ck_assert(options.memory_bytes == UINT64_C(3) << 29 && options.memory_share == 0.0);
    ck_assert_str_eq(options.memory_text, "1.5GiB");
    ck_assert_int_eq(options.deflate_level, 0);
    ck_assert_str_eq(options.arguments, "--readers 3 --readers-short --read-timeout 2.5 --memory 1.5GiB --timings "
                                        "--compress none");
    accept("plan in.nc --device gpu:0,11");
    ck_assert_str_eq(options.device, "gpu:0,11");
    accept("plan in.nc --readers 0 --memory 1.5GiB --memory 12.5% --compress 9");
    ck_assert_int_eq(options.n_readers, 0);
    ck_assert(options.memory_bytes == 0 && options.memory_share == 0.125);
    ck_assert_str_eq(options.memory_text, "12.5%");
    ck_assert_int_eq(options.deflate_level, 9);
    accept("in.nc --memory 50% --memory 16M --compress 1");
    ck_assert(options.memory_bytes == 16 << 20 && options.memory_share == 0.0);
    ck_assert_int_eq(options.deflate_level, 1);
    ck_assert_uint_eq(options.n_warnings, 0);
    sst_options_clear(&options);
}
END_TEST

START_TEST(words_of_choices_stand_in_the_order_of_their_enums)
{
    accept("in.nc --leap skip --progress json");
    ck_assert_int_eq(options.leap, SST_LEAP_SKIP);
    ck_assert_int_eq(options.progress, SST_PROGRESS_JSON);
    accept("in.nc --leap hobday --progress none --on-bad skip --approx none");
    ck_assert_int_eq(options.leap, SST_LEAP_HOBDAY);
    ck_assert_int_eq(options.progress, SST_PROGRESS_NONE);
    ck_assert(!options.stop_on_bad);
    ck_assert_int_eq(options.approx, SST_APPROX_NONE);
    accept("in.nc --progress bar");
    ck_assert_int_eq(options.progress, SST_PROGRESS_BAR);
    sst_options_clear(&options);
}
END_TEST

START_TEST(heatwaver_names_mean_the_same)
{
    accept("in.nc --window-half-width 5 --smooth-width 31");
    ck_assert_int_eq(options.window_days, 11);
    ck_assert_int_eq(options.smooth_days, 31);
    accept("in.nc --window-half-width 0 --smooth-width 0");
    ck_assert_int_eq(options.window_days, 1);
    ck_assert_int_eq(options.smooth_days, 1);
    accept("in.nc --window 7 --window-half-width 3");
    ck_assert_int_eq(options.window_days, 7);
    accept("in.nc --exact --approx none");
    accept("in.nc --exact");
    ck_assert_int_eq(options.approx, SST_APPROX_NONE);
    sst_options_clear(&options);
}
END_TEST

START_TEST(the_last_of_two_wins)
{
    accept("in.nc --window 5 --window 7 -o a.nc -o b.nc --mask m.nc:x --mask n.nc");
    ck_assert_int_eq(options.window_days, 7);
    ck_assert_str_eq(options.output, "b.nc");
    ck_assert_str_eq(options.mask_path, "n.nc");
    ck_assert_ptr_null(options.mask_variable);
    sst_options_clear(&options);
}
END_TEST

START_TEST(options_end_at_two_dashes)
{
    accept("--window 5 -- --window -o");
    ck_assert_uint_eq(options.n_inputs, 2);
    ck_assert_str_eq(options.inputs[0], "--window");
    ck_assert_str_eq(options.inputs[1], "-o");
    accept("- @list.txt");
    ck_assert_str_eq(options.inputs[0], "-");
    sst_options_clear(&options);
}
END_TEST

START_TEST(joined_spellings_are_understood)
{
    accept("in.nc --bbox=-180,-90,180,90 -P4 -oclim.nc -qO --validate=100% --approx=cf");
    ck_assert(options.bbox.west == -180.0 && options.bbox.north == 90.0);
    ck_assert_int_eq(options.n_threads, 4);
    ck_assert_str_eq(options.output, "clim.nc");
    ck_assert_int_eq(options.verbosity, -1);
    ck_assert(options.overwrite);
    ck_assert(options.validate_share == 1.0);
    sst_options_clear(&options);
}
END_TEST

START_TEST(a_command_is_the_first_word_that_is_no_option)
{
    accept("plan in.nc");
    ck_assert_int_eq(options.command, SST_COMMAND_PLAN);
    ck_assert_uint_eq(options.n_inputs, 1);
    accept("--window 5 -q plan in.nc");
    ck_assert_int_eq(options.command, SST_COMMAND_PLAN);
    accept("run plan");
    ck_assert_int_eq(options.command, SST_COMMAND_RUN);
    ck_assert(options.is_command_named);
    ck_assert_str_eq(options.inputs[0], "plan");
    accept("in.nc plan");
    ck_assert_int_eq(options.command, SST_COMMAND_RUN);
    ck_assert_uint_eq(options.n_inputs, 2);
    accept("help");
    ck_assert_int_eq(options.command, SST_COMMAND_HELP);
    accept("help plan");
    ck_assert_str_eq(options.inputs[0], "plan");
    accept("version --json");
    ck_assert(options.command == SST_COMMAND_VERSION && options.json);
    accept("--help");
    ck_assert(options.wants_help && !options.is_command_named);
    accept("plan -h");
    ck_assert(options.wants_help && options.command == SST_COMMAND_PLAN);
    accept("--version");
    ck_assert(options.wants_version);
    sst_options_clear(&options);
}
END_TEST

START_TEST(a_page_stands_beside_its_report_unless_told_where)
{
    accept("report dir/out.json");
    ck_assert_int_eq(options.command, SST_COMMAND_REPORT);
    ck_assert_str_eq(options.output, "dir/out.html");
    accept("report out.jsonl");
    ck_assert_str_eq(options.output, "out.jsonl.html");
    accept("report -O out.json -o page.html");
    ck_assert_str_eq(options.output, "page.html");
    ck_assert(options.overwrite);
    sst_options_clear(&options);
}
END_TEST

START_TEST(synth_has_its_own_options)
{
    accept("synth -o dir --years 2001-2003 --grid 360x180 --lat -60,60 --gaps 2% --layout oisst-months --seed 5 -O");
    ck_assert_int_eq(options.command, SST_COMMAND_SYNTH);
    ck_assert(options.archive.first_year == 2001 && options.archive.last_year == 2003);
    ck_assert(options.archive.n_lon == 360 && options.archive.n_lat == 180);
    ck_assert(options.archive.south == -60.0 && options.archive.north == 60.0);
    ck_assert(options.archive.gaps_percent == 2.0);
    ck_assert_int_eq(options.archive.layout, 1);
    ck_assert_uint_eq(options.seed, 5);
    ck_assert_str_eq(options.output, "dir");
    ck_assert(options.overwrite);
    sst_options_clear(&options);
}
END_TEST

START_TEST(split_writes_a_directory)
{
    accept("in.nc --split --baseline 1982-2011");
    ck_assert(options.split);
    ck_assert_str_eq(options.output, "sst_clim_1982-2011");
    accept("in.nc --split -o days");
    ck_assert_str_eq(options.output, "days");
    sst_options_clear(&options);
}
END_TEST

START_TEST(what_was_typed_is_kept_as_shell_text)
{
    accept("in.nc -P 4 --approx cf --units it's -O --bbox -10,30,5,40");
    ck_assert_str_eq(options.arguments, "--threads 4 --approx cf --units 'it'\\''s' --overwrite --bbox -10,30,5,40");
    sst_options_clear(&options);
}
END_TEST

START_TEST(quiet_counts_to_two_and_verbose_too)
{
    accept("in.nc -qqq");
    ck_assert_int_eq(options.verbosity, -2);
    accept("in.nc -vvv");
    ck_assert_int_eq(options.verbosity, 2);
    sst_options_clear(&options);
}
END_TEST

struct warning_case {
    const char *line, *words;
};

static const struct warning_case warning_cases[] = {
    {"in.nc --validate 1%", "--validate: nothing to validate"},
    {"in.nc --validate 1% --exact", "--validate: nothing to validate"},
    {"in.nc --approx cf --max-share 5", "--max-share: of no effect without --strict"},
    {"in.nc --approx cf --tail-k 8", "--tail-k: of no effect without --approx tail"},
    {"in.nc --readers 0 --read-timeout 5", "--read-timeout: of no effect with --readers 0"},
    {"in.nc --timings -q", "--timings: of no effect with --quiet"},
};

START_TEST(what_does_nothing_is_warned_of)
{
    accept(warning_cases[_i].line);
    ck_assert_uint_eq(options.n_warnings, 1);
    ck_assert_msg(strstr(options.warnings[0], warning_cases[_i].words) != NULL, "'%s' gave '%s'",
                  warning_cases[_i].line, options.warnings[0]);
    accept("in.nc --approx cf --validate 1% --strict --max-share 5");
    ck_assert_uint_eq(options.n_warnings, 0);
    accept("in.nc --approx tail --tail-k 8 --percentile 75,25,2.5");
    ck_assert_uint_eq(options.n_warnings, 0);
    ck_assert_int_eq(options.approx, SST_APPROX_TAIL);
    ck_assert_int_eq(options.tail_k, 8);
    sst_options_clear(&options);
}
END_TEST

struct refusal {
    const char *line, *words, *more_words;
};

static const struct refusal refusals[] = {
    /* values */
    {"f --approx maxen", "--approx maxen: ", "Accepted: none|cf|maxent|tail"},
    {"f --approx CF", "--approx CF: ", "Accepted: none|cf|maxent|tail"},
    {"f --approx c", "--approx c: ", "Accepted: none|cf|maxent|tail"},
    {"f --approx _", "--approx '': ", "Accepted: none|cf|maxent|tail"},
    {"f --tail-k 0", "--tail-k 0: ", "Accepted: 1 to 64"},
    {"f --tail-k 65", "--tail-k 65: ", "Accepted: 1 to 64"},
    {"f --tail-k x", "--tail-k x: ", "not a whole number"},
    {"in.nc --approx tail --tail-k 3", "--tail-k 3: keeps 33 values", "Accepted: at least 4"},
    {"in.nc --approx tail --percentile 50", "--percentile 50: ", "at most 25 or at least 75; use --exact"},
    {"in.nc --approx tail --percentile 90,74.9", "--percentile 74.9: ", "use --exact"},
    {"f --approx tail --exact", "--exact: --approx tail says otherwise", "Give one of the two"},
    {"f --approx cf --coverage 49", "--coverage 49: ", "Accepted: 50 to 99.99 percent"},
    {"f --approx cf --coverage 95,100%", "--coverage 95,100%: ", "100 is not worth a bound"},
    {"f --approx cf --coverage 95,95%", "--coverage 95,95%: ", "stands there twice"},
    {"f --approx cf --coverage x", "--coverage x: ", "not a list of percentages"},
    {"f --approx cf --coverage 80,90,95,99,99.9", "--coverage 80,90,95,99,99.9: ", "at most 4"},
    {"in.nc --approx tail --coverage 95", "--coverage: only estimates from power sums", "Give --approx cf or maxent"},
    {"in.nc --correct", "--correct: only estimates from power sums", "--approx none is none of them"},
    {"in.nc --exact --repair", "--repair: all values are exact", "Leave it out"},
    {"in.nc --approx cf --baseline 2000-2000", "--approx cf: the baseline is one year",
     "at least 2 years; or use --exact"},
    {"in.nc --approx maxent --baseline 2000-2000", "--approx maxent: the baseline is one year", "or use --exact"},
    {"f --validate 0", "--validate 0: ", "use --approx none for exact values"},
    {"f --validate 0%", "--validate 0%: ", "use --approx none for exact values"},
    {"f --validate 100.1", "--validate 100.1: ", "at most 100"},
    {"f --validate -1", "--validate -1: ", "at most 100"},
    {"f --validate nan", "--validate nan: ", "not a percentage"},
    {"f --validate 1%%", "--validate 1%%: ", "not a percentage"},
    {"f --validate _", "--validate '': ", "not a percentage"},
    {"f --tolerance 0", "--tolerance 0: ", "more than 0 and at most 10 degC"},
    {"f --tolerance -0.1", "--tolerance -0.1: ", "more than 0"},
    {"f --tolerance inf", "--tolerance inf: ", "not a difference"},
    {"f --tolerance 0,1", "--tolerance 0,1: ", "as 0.1"},
    {"f --tolerance 0.1K", "--tolerance 0.1K: ", "not a difference"},
    {"f --seed -1", "--seed -1: out of range", "0 to 9223372036854775807"},
    {"f --seed 1.5", "--seed 1.5: not a whole number", "0 to 9223372036854775807"},
    {"f --seed 9223372036854775808", "not a whole number", "0 to 9223372036854775807"},
    {"f --percentile 0", "--percentile 0: 0 is no percentile", "more than 0, less than 100"},
    {"f --percentile 100", "--percentile 100: 100 is no percentile", "more than 0, less than 100"},
    {"f --percentile 10,90,90.0", "--percentile 10,90,90.0: 90 stands there twice", "Give each once"},
    {"f --percentile 1,2,3,4,5,6,7,8,9", "too many", "at most 8"},
    {"f --percentile 10,,90", "not a list of numbers", "1 to 8"},
    {"f --percentile p90", "not a list of numbers", "as 90 or 10,90"},
    {"f --percentile nan", "not a list of numbers", "between 0 and 100"},
    {"f --percentile 90.0001", "too fine", "steps of 0.001"},
    {"f --quantile-type 0", "--quantile-type 0: out of range", "1 to 9"},
    {"f --quantile-type 10", "--quantile-type 10: out of range", "1 to 9"},
    {"f --quantile-type seven", "--quantile-type seven: not a whole number", "1 to 9"},
    {"f --baseline 2020-1991", "--baseline 2020-1991: the first year is after the last", "Did you mean 1991-2020?"},
    {"f --baseline 1991", "--baseline 1991: not a range of whole years", "1991-01-01/2020-12-31"},
    {"f --baseline 1991-01-01/2020-06-30", "not a range of whole years", "1991-2020"},
    {"f --baseline 0000-0010", "no year 0", "0001 to 9999"},
    {"f --baseline 1950-2016", "67 years are too many", "at most 66"},
    {"f --window 12", "--window 12: an even number of days", "as 11 or 13"},
    {"f --window 0", "--window 0: out of range", "1 to 59"},
    {"f --window 61", "--window 61: out of range", "1 to 59"},
    {"f --window 11.0", "--window 11.0: not a whole number", "1 to 59"},
    {"f --window -11", "--window -11: out of range", "1 to 59"},
    {"f --window 99999999999999999999", "not a whole number", "1 to 59"},
    {"f --window-half-width 30", "--window-half-width 30: out of range", "0 to 29"},
    {"f --doy 0-10", "--doy 0-10: ", "1 to 365"},
    {"f --doy 1-366", "--doy 1-366: ", "1 to 365"},
    {"f --doy 152", "--doy 152: ", "as 152-243"},
    {"f --days 0601-0931", "--days 0601-0931: ", "MMDD-MMDD"},
    {"f --days 1-31", "--days 1-31: ", "MMDD-MMDD"},
    {"f --leap fill", "--leap fill: ", "hobday|skip|own"},
    {"f --smooth 30", "--smooth 30: an even number", "as 29 or 31, and 0 for none"},
    {"f --smooth 367", "--smooth 367: out of range", "0 to 365"},
    {"f --smooth -1", "--smooth -1: out of range", "0 to 365"},
    {"f --smooth-width 4", "--smooth-width 4: an even number", "as 3 or 5"},
    {"f --min-samples 0", "--min-samples 0: out of range", "1 to 2048"},
    {"f --var _", "--var '': empty", "Give NAME"},
    {"f --units _", "--units '': empty", "Give UNITS"},
    {"f --ice-var _", "--ice-var '': empty", "Give NAME"},
    {"f --bbox 1,2,3", "--bbox 1,2,3: not four numbers", "WEST,SOUTH,EAST,NORTH"},
    {"f --bbox 1,2,3,4,5", "not four numbers", "WEST,SOUTH,EAST,NORTH"},
    {"f --bbox -10 30 5 40", "--bbox -10: not four numbers", "with commas"},
    {"f --bbox 0,50,10,40", "--bbox 0,50,10,40: its south is north of its north", "Did you mean 0,40,10,50?"},
    {"f --bbox 0,-91,10,40", "no latitudes", "-90 to 90"},
    {"f --bbox -361,0,10,40", "no longitudes", "-180 to 180 or 0 to 360"},
    {"f --bbox -180,0,360,40", "no longitudes", "west first"},
    {"f --bbox nan,0,1,1", "not four numbers", "in degrees"},
    {"f --mask _", "--mask '': empty", "FILE[:VAR]"},
    {"f --mask :v", "--mask :v: half of it is empty", "FILE or FILE:VARIABLE"},
    {"f --mask m.nc:", "--mask m.nc:: half of it is empty", "FILE or FILE:VARIABLE"},
    {"f --threads 0", "--threads 0: out of range", "1 to 1024"},
    {"f -P 1025", "--threads 1025: out of range", "1 to 1024"},
    {"f -P all", "--threads all: not a whole number", "1 to 1024"},
    {"f --device tpu", "--device tpu: names no device", "auto, cpu, gpu, or numbers as gpu:0,1"},
    {"f --device gpu:", "--device gpu:: is no list of device numbers", "gpu:0,1"},
    {"f --device gpu:0,", "--device gpu:0,: is no list of device numbers", "gpu:0,1"},
    {"f --readers -1", "--readers -1: out of range", "0 to 8"},
    {"f --readers 9", "--readers 9: out of range", "0 to 8"},
    {"f --readers two", "--readers two: not a whole number", "0 to 8"},
    {"f.nc --readers 0 --readers-short", "--readers-short: with --readers 0 no process reads", "Give --readers 1 to 8"},
    {"f --read-timeout 0", "--read-timeout 0: not a number of seconds", "1 to 86400"},
    {"f --read-timeout 0.99", "--read-timeout 0.99: not a number of seconds", "1 to 86400"},
    {"f --read-timeout 86401", "--read-timeout 86401: not a number of seconds", "1 to 86400"},
    {"f --read-timeout 1m", "--read-timeout 1m: not a number of seconds", "as 60"},
    {"f --read-timeout nan", "--read-timeout nan: not a number of seconds", "as 60"},
    {"f --memory _", "--memory '': not a size", "as 4G, 1.5GiB (powers of 1024) or 500MB (of 1000)"},
    {"f --memory lots", "--memory lots: not a size", "as 50%"},
    {"f --memory -4G", "--memory -4G: not a size", "as 50%"},
    {"f --memory 4X", "--memory 4X: not a size", "as 50%"},
    {"f --memory 9999999T", "--memory 9999999T: not a size", "as 50%"},
    {"f --memory 0", "--memory 0: too little for any run", "at least 16M"},
    {"f --memory 16777215", "--memory 16777215: too little for any run", "at least 16M"},
    {"f --memory 16MB", "--memory 16MB: too little for any run", "at least 16M"},
    {"f --memory 0%", "--memory 0%: no share of the memory", "more than 0% and at most 100%"},
    {"f --memory 101%", "--memory 101%: no share of the memory", "more than 0% and at most 100%"},
    {"f --memory 50%%", "--memory 50%%: no share of the memory", "as 50%"},
    {"f --compress 0", "--compress 0: not one of its choices", "Accepted: none|1|2|3|4|5|6|7|8|9"},
    {"f --compress 10", "--compress 10: not one of its choices", "Accepted: none|1|2"},
    {"compare a.nc b.nc --memory 4G", "--memory: not an option of 'compare', but of 'run', 'plan'", "Leave it out"},
    {"synth -o d --readers 2", "--readers: not an option of 'synth', but of 'run', 'plan'", "Leave it out"},
    {"f -o _", "--output '': empty", "Give FILE"},
    {"f -o -", "--output -: standard output cannot take it", "./-"},
    {"f --report -", "--report -: standard output cannot take it", "./-"},
    {"f --progress loud", "--progress loud: ", "auto|bar|plain|json|none"},
    {"f --on-bad ignore", "--on-bad ignore: ", "skip|stop"},
    {"f --max-share 101", "--max-share 101: ", "0 to 100"},
    {"f --max-share -1", "--max-share -1: ", "0 to 100"},
    {"synth -o d --years 2003-2001", "--years 2003-2001: ", "as 1991-2020"},
    {"synth -o d --grid 180", "--grid 180: ", "as 180x90"},
    {"synth -o d --grid 0x90", "--grid 0x90: ", "as 180x90"},
    {"synth -o d --lat 60,-60", "--lat 60,-60: ", "SOUTH,NORTH"},
    {"synth -o d --gaps 100", "--gaps 100: ", "less than 100"},
    {"synth -o d --layout ghrsst", "--layout ghrsst: ", "oisst|oisst-months"},
    {"compare a b --var-a _", "--var-a '': empty", "Give NAME"},
    {"compare a b --var-b _", "--var-b '': empty", "Give NAME"},
    {"compare a b --mean-a _", "--mean-a '': empty", "Give NAME"},
    {"compare a b --mean-b _", "--mean-b '': empty", "Give NAME"},
    {"compare a b --units-a _", "--units-a '': empty", "Give UNITS"},
    {"compare a b --units-b _", "--units-b '': empty", "Give UNITS"},
    {"ingest f --state _", "--state '': empty", "Give DIR"},
    {"ingest f --state s --keep some", "--keep some: not one of its choices", "Accepted: none|probes|all"},
    {"ingest f --state s --replace --old _", "--old '': empty", "as they were counted"},
    {"ingest f --state s --old g", "--old: of no use without --replace", "Give both"},
    {"ingest f", "ingest: no state", "sststream ingest --state sea --baseline 1991-2020 oisst/"},
    {"ingest --state s", "ingest: no files", "sststream ingest --state s oisst/"},
    {"ingest f --state s --baseline 1961-2020 --window 59", "--window 59: with 60 years", "at most"},
    {"ingest f --state s --approx cf", "--approx: not an option of 'ingest'", "Leave it out"},
    {"ingest f --state s --status-from nrt", "--status-from nrt: no such rule", "as in name:*_nrt.nc"},
    {"f --keep all", "--keep: not an option of 'run', but of 'ingest'", "Leave it out"},
    {"detect f -o m", "detect: no climatology", "--clim clim.nc"},
    {"detect f --clim _ -o m", "--clim '': empty", "Give CLIM.nc"},
    {"detect f --clim c --clim-mean _ -o m", "--clim-mean '': empty", "Give NAME"},
    {"detect f --clim c --clim-thresh _ -o m", "--clim-thresh '': empty", "Give NAME"},
    {"detect f --clim c --clim-units _ -o m", "--clim-units '': empty", "Give UNITS"},
    {"detect f --clim c --events -", "--events -: ", "file"},
    {"detect f --clim c --min-duration 0 -o m", "--min-duration 0: out of range", "1 to 365"},
    {"detect f --clim c --max-gap 366 -o m", "--max-gap 366: out of range", "0 to 365"},
    {"detect f --clim c --max-pad two -o m", "--max-pad two: not a whole number", "0 to 365"},
    {"detect f --clim c --hold-missing -1 -o m", "--hold-missing -1: out of range", "0 to 365"},
    {"detect --clim c -o m", "detect: no files", "oisst/"},
    {"detect f --clim c", "detect: nothing to write", "--events for a table"},
    {"detect f --clim c -o m --events m", "--events m: -o is written there", "another name"},
    {"detect f --clim c -o m --percentile 90,95", "--percentile: 'detect' takes one", "one after the other"},
    {"climatology -o f", "climatology: no state", "sststream climatology --state sea -o clim.nc"},
    {"climatology --state s", "climatology: no file to write to", "-o clim.nc"},
    {"climatology --state s -o f --baseline 1991-2020", "--baseline: not an option of 'climatology'", "Leave it out"},
    {"climatology --state s -o f x.nc", "x.nc: 'climatology' takes no files", "Leave it out"},
    {"watch --state s --inbox _", "--inbox '': empty", "Give the folder that files arrive in"},
    {"watch --state s --inbox i --poll 0", "--poll 0: not a time", "0.1 s to a day, as 30s, 5m or 1h"},
    {"watch --state s --inbox i --poll 25h", "--poll 25h: not a time", "as 30s, 5m or 1h"},
    {"watch --state s --inbox i --settle s", "--settle s: not a time", "as 30s, 5m or 1h"},
    {"watch --state s --inbox i --min-free x", "--min-free x: not a size", "0 for none"},
    {"watch --state s --inbox i --expect-by 9:00", "--expect-by 9:00: not a time of a day", "as 09:00Z+1d"},
    {"watch --state s --inbox i --on-alert _", "--on-alert '': empty", "leave the option out"},
    {"watch --state s --inbox i --on-alert c --hook-timeout 1d", "--hook-timeout 1d: not a time", "as 30s"},
    {"watch --state s --inbox i --hook-timeout 1s", "--hook-timeout: of no use without --on-alert or --on-event",
     "Give one of these too"},
    {"watch --state s --inbox i --clim c --feed _", "--feed '': empty", "Give DIR"},
    {"watch --state s --inbox i --clim c --feed f --regions _", "--regions '': empty", "Give FILE"},
    {"watch --state s --inbox i --clim c --feed f --ring-days 0", "--ring-days 0: out of range", "1 to 60"},
    {"watch --state s --inbox i --clim c --feed f --keep-days 0", "--keep-days 0: out of range", "1 to 36525"},
    {"watch --state s --inbox i --clim c --feed f --notify-days 61", "--notify-days 61: out of range", "0 to 60"},
    {"watch --state s --inbox i --clim c --feed f --min-area -1", "--min-area -1: out of range", "0 to 500000000"},
    {"watch --state s --inbox i --clim c --feed f --feed-title _", "--feed-title '': empty", "Give TEXT"},
    {"watch --state s --inbox i --clim c --feed f --feed-url _", "--feed-url '': empty", "Give URL"},
    {"watch --state s --inbox i --clim c --feed f --on-event _", "--on-event '': empty", "leave the option out"},
    {"feed rebuild f --clim c --feed d --from 2026-13", "--from 2026-13: not a date", "as 2026-11-30"},
    {"watch --state s --inbox i --clim c", "watch: 1 of --clim and 0 of --feed", "Give a feed its climatology"},
    {"watch --state s --inbox i --on-event c", "--on-event: of no use without --feed", "Give both"},
    {"watch --state s --inbox i --clim c --feed f --clim d --feed f", "--feed f: given twice", "a folder of its own"},
    {"detect f --clim c --clim d -o m", "--clim: 'detect' takes one", "one after the other"},
    {"feed f --clim c --feed d", "feed: what is to be done", "feed rebuild --clim clim.nc --feed feed oisst/"},
    {"feed rebuild f --feed d", "feed rebuild: name one feed and its climatology", "feed rebuild --clim"},
    {"feed rebuild --clim c --feed d", "feed rebuild: no files", "feed rebuild --clim"},
    {"watch --inbox i", "watch: no state", "sststream watch --state sea --inbox incoming"},
    {"watch --state s", "watch: no inbox", "sststream watch --state s --inbox incoming"},
    {"watch --state s --inbox i x.nc", "x.nc: 'watch' takes no files", "the files to 'ingest'"},
    {"watch --state s --inbox i --baseline 1991-2020", "--baseline: not an option of 'watch'", "Leave it out"},
    {"status", "status: no state", "sststream status --state sea"},
    {"status --state s x.nc", "x.nc: 'status' takes no files", "Leave it out"},
    {"quarantine list", "quarantine: no state", "sststream quarantine --state sea list"},
    {"quarantine --state s", "quarantine: '' is nothing that can be done", "list, retry [FILES], accept FILES"},
    {"quarantine --state s accept", "quarantine accept: no files", "as 'quarantine list' shows them"},
    {"inspect", "inspect: no state", "sststream inspect sea"},
    {"verify a b", "b: 'verify' takes one state", "Leave it out"},
    {"compare a b --detect _", "--detect '': empty", "@list"},
    /* combinations */
    {"f --exact --approx cf", "--approx cf: --exact says otherwise", "Give one of the two"},
    {"f --approx cf --exact", "--exact: --approx cf says otherwise", "Give one of the two"},
    {"f --approx maxent --exact", "--exact: --approx maxent says otherwise", "Give one of the two"},
    {"f.nc --approx maxent --percentile 99", "--percentile 99: --approx maxent has tables for 5, 10, 90, 95 only",
     "Use --approx cf, or --approx none"},
    {"plan f.nc --percentile 90,50 --approx maxent", "--percentile 50: ", "Use --approx cf, or --approx none"},
    {"f --window 11 --window-half-width 3", "--window-half-width 3: --window says otherwise", "one of the two"},
    {"f --window-half-width 3 --window 11", "--window 11: --window-half-width says otherwise", "one of the two"},
    {"f --smooth 0 --smooth-width 31", "--smooth-width 31: --smooth says otherwise", "one of the two"},
    {"f --smooth-width 31 --smooth 0", "--smooth 0: --smooth-width says otherwise", "one of the two"},
    {"f.nc --doy 1-10 --days 0101-0110", "--doy: --days says the same", "Give one of the two"},
    {"f -q -v", "--verbose: --quiet says otherwise", "Give one of the two"},
    {"f -v -q", "--quiet: --verbose says otherwise", "Give one of the two"},
    {"f.nc --window 59 --baseline 1982-2016", "--window 59: with 35 years of --baseline it pools 2065 values",
     "at most 57 days"},
    {"f.nc --min-samples 331", "--min-samples 331: a full pool (30 years, a window of 11 days) has 330", "at most 330"},
    {"f.nc --split -o clim.nc", "--output clim.nc: --split writes a directory", "leave --split out"},
    {"f.nc -o a.nc --report a.nc", "--report a.nc: the climatology is written there", "another name"},
    /* what takes what */
    {"", "no files. Name files or directories", "sststream --baseline 1991-2020 -o clim.nc oisst/"},
    {"plan", "no files. Name files or directories", "sststream plan --baseline 1991-2020 oisst/"},
    {"--window 5", "no files", "sststream synth -o DIR"},
    {"compare a.nc", "compare: only one climatology", "sststream compare clim.nc other.nc"},
    {"compare a.nc b.nc c.nc", "c.nc: 'compare' takes two climatologies", "--detect"},
    {"compare a.nc b.nc --percentile 10,90", "--percentile: 'compare' takes one", "one by one"},
    {"compare a.nc b.nc --smooth 0", "--smooth: not an option of 'compare'", "Leave it out"},
    {"synth", "synth: no directory to write to", "sststream synth -o oisst"},
    {"synth -o d f.nc", "f.nc: 'synth' takes no files", "Leave it out"},
    {"synth -o d --bbox 0,0,1,1", "--bbox: not an option of 'synth', but of 'run', 'plan'", "Leave it out"},
    {"f.nc --grid 180x90", "--grid: not an option of 'run', but of 'synth'", "Leave it out"},
    {"version f.nc", "f.nc: 'version' takes no files", "Leave it out"},
    {"merge a", "merge: only one state", "sststream merge north south -o both"},
    {"retire --state a -o b", "retire: nothing to do", "Give --years, --baseline or both"},
    {"retire --state a -o b --years 2003..2001", "--years 2003..2001: not a range of whole years", "Y1-Y2"},
    {"export --state a", "export: no file to write to", "sststream export --state sea -o sea.nc"},
    {"export --state a -o b.nc c", "c: 'export' takes no files", "Leave it out"},
    {"help plan run", "run: 'help' takes one command's name", "Leave it out"},
    {"help plam", "plam: neither a command nor a file", "Did you mean 'plan'?"},
    {"plam f.nc", "plam: neither a command nor a file", "Did you mean 'plan'?"},
    {"snyth f.nc", "snyth: neither a command nor a file", "Did you mean 'synth'?"},
    {"frobnicate", "frobnicate: neither a command nor a file",
     "Commands: 'run', 'plan', 'report', 'compare', 'synth', 'devices', 'ingest', 'climatology', 'detect', 'inspect', "
     "'verify', 'watch', 'status', 'feed', 'quarantine', 'merge', 'retire', 'export', 'help', 'version'"},
    {"f.nc _", "an empty file name", "shell variable"},
    {"f --windw 5", "--windw: no such option", "Did you mean --window?"},
    {"f --windw=5", "--windw: no such option", "Did you mean --window?"},
    {"f --percent 90", "--percent: no such option", "Did you mean --percentile?"},
    {"f --basleine 1991-2020", "--basleine: no such option", "Did you mean --baseline?"},
    {"f -bbox 0,0,1,1", "-bbox: no such option", "Did you mean --bbox?"},
    {"f -x", "-x: no such option", "'sststream --help'"},
    {"f --frobnicate", "--frobnicate: no such option", "./--frobnicate"},
    {"f -10", "-10: no such option", "'sststream --help'"},
    {"f --window", "--window: its argument is missing", "Give --window DAYS"},
    {"f -o", "--output: its argument is missing", "Give --output FILE"},
    {"-o --split f", "--output: its argument is missing, for '--split' is an option", "Give --output FILE"},
    {"f --var -q", "--var: its argument is missing, for '-q' is an option", "Give --var NAME"},
    {"f --quiet=3", "--quiet=3: --quiet takes no argument", "Leave it out"},
};

START_TEST(a_refusal_names_option_value_reason_and_remedy)
{
    const struct refusal *expected = &refusals[_i];
    sst_options_clear(&options);
    ck_assert_msg(parse(expected->line) == SST_ERR_USAGE, "'%s' gave status %d: %s", expected->line, (int)err.code,
                  err.text);
    ck_assert_msg(strstr(err.text, expected->words) != NULL, "'%s' gave '%s', not '%s'", expected->line, err.text,
                  expected->words);
    ck_assert_msg(strstr(err.text, expected->more_words) != NULL, "'%s' gave '%s', not '%s'", expected->line, err.text,
                  expected->more_words);
    sst_options_clear(&options);
}
END_TEST

START_TEST(every_option_that_takes_a_value_has_a_refusal)
{
    for (int id = 0; id < SST_N_OPTIONS; ++id) {
        char name[64];
        bool found = false;
        if (sst_option_rows[id].kind == SST_OPTION_FLAG)
            continue;
        (void)snprintf(name, sizeof name, "--%s ", sst_option_rows[id].name);
        for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i)
            found = found || strncmp(refusals[i].words, name, strlen(name)) == 0;
        ck_assert_msg(found, "no case refuses a value of %s", name);
    }
}
END_TEST

START_TEST(long_and_strange_values_do_no_harm)
{
    char line[MAX_LINE] = "f --window ";
    memset(line + strlen(line), '9', 900);
    sst_options_clear(&options);
    ck_assert_int_eq(parse(line), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "999...: not a whole number"));
    sst_options_clear(&options);
    ck_assert_int_eq(parse("f --%n%s%n 5"), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "--%n%s%n: no such option"));
    sst_options_clear(&options);
    ck_assert_int_eq(sst_options_parse(0, NULL, &options, NULL), SST_ERR_USAGE);
    sst_options_clear(&options);
}
END_TEST

/* A fixed sequence (Numerical Recipes' 32-bit generator), so that a failure can be repeated. */
static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

START_TEST(random_lines_are_taken_or_refused_in_words)
{
    static const char *const pieces[] = {
        "plan",  "x.nc",  "--",   "-", "1-2",       "0",    "-1",        "99999999999999999999",
        "1e308", "%",     "%n",   ",", "1,2,3,4",   "nan",  "1991-2020", "--=",
        "-q",    "-oqOP", "0229", "_", "0101-1231", "a:b:", "x=y",       "--help=1"};
    unsigned state = 20160229;
    size_t n_taken = 0;
    for (int round = 0; round < 20000; ++round) {
        char line[MAX_LINE] = "";
        const unsigned n_words = 1 + next_random(&state) % 8;
        for (unsigned word = 0; word < n_words; ++word) {
            const unsigned piece = next_random(&state) % (SST_N_OPTIONS + sizeof pieces / sizeof *pieces);
            char *end = line + strlen(line);
            if (piece < SST_N_OPTIONS)
                (void)snprintf(end, sizeof line - (size_t)(end - line), "--%s ", sst_option_rows[piece].name);
            else
                (void)snprintf(end, sizeof line - (size_t)(end - line), "%s ", pieces[piece - SST_N_OPTIONS]);
        }
        sst_options_clear(&options);
        const enum sst_status rc = parse(line);
        ck_assert_msg(rc == SST_OK || (rc == SST_ERR_USAGE && strlen(err.text) > 10), "'%s' gave %d '%s'", line,
                      (int)rc, err.text);
        n_taken += rc == SST_OK;
    }
    sst_options_clear(&options);
    ck_assert_uint_gt(n_taken, 100);
}
END_TEST

START_TEST(rows_are_whole_and_unlike)
{
    for (int a = 0; a < SST_N_OPTIONS; ++a) {
        const struct sst_option_row *row = &sst_option_rows[a];
        ck_assert_msg(*row->name && *row->help && row->commands != 0, "row %d", a);
        ck_assert_msg((row->kind == SST_OPTION_FLAG) == !*row->argument, "--%s", row->name);
        ck_assert_msg((row->kind == SST_OPTION_CHOICE) == (strchr(row->argument, '|') != NULL), "--%s", row->name);
        for (int b = 0; b < a; ++b) {
            ck_assert_str_ne(row->name, sst_option_rows[b].name);
            ck_assert(!row->letter || row->letter != sst_option_rows[b].letter);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("options");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, defaults_are_those_of_the_design);
    tcase_add_test(tc, a_comparison_takes_two_files_and_what_names_their_variables);
    tcase_add_test(tc, shown_defaults_are_the_defaults);
    tcase_add_test(tc, maxent_takes_the_percentiles_that_have_tables);
    tcase_add_test(tc, numbers_policy_and_calendar_are_taken);
    tcase_add_test(tc, names_places_and_switches_are_taken);
    tcase_add_test(tc, how_a_service_runs_is_taken);
    tcase_add_test(tc, how_it_runs_is_taken);
    tcase_add_test(tc, words_of_choices_stand_in_the_order_of_their_enums);
    tcase_add_test(tc, heatwaver_names_mean_the_same);
    tcase_add_test(tc, the_last_of_two_wins);
    tcase_add_test(tc, options_end_at_two_dashes);
    tcase_add_test(tc, joined_spellings_are_understood);
    tcase_add_test(tc, a_command_is_the_first_word_that_is_no_option);
    tcase_add_test(tc, a_page_stands_beside_its_report_unless_told_where);
    tcase_add_test(tc, synth_has_its_own_options);
    tcase_add_test(tc, split_writes_a_directory);
    tcase_add_test(tc, what_was_typed_is_kept_as_shell_text);
    tcase_add_test(tc, quiet_counts_to_two_and_verbose_too);
    tcase_add_loop_test(tc, what_does_nothing_is_warned_of, 0, (int)(sizeof warning_cases / sizeof *warning_cases));
    tcase_add_loop_test(tc, a_refusal_names_option_value_reason_and_remedy, 0,
                        (int)(sizeof refusals / sizeof *refusals));
    tcase_add_test(tc, every_option_that_takes_a_value_has_a_refusal);
    tcase_add_test(tc, long_and_strange_values_do_no_harm);
    tcase_add_test(tc, random_lines_are_taken_or_refused_in_words);
    tcase_add_test(tc, rows_are_whole_and_unlike);
    suite_add_tcase(suite, tc);
    return suite;
}
