#!/bin/bash
# A climatology of a state is that of its files, value by value, for every estimator and rule that what it keeps is enough for.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2000-2004 --doy 350-15
rm "$work/$(day sea 20010105)"
for keep in none probes all; do
    program ingest --state "$keep" --baseline 2001-2003 --window 9 --percentile 10,90 --keep "$keep" --validate 40% -q sea
    exits 0
done
part=(--doy 360-5 --smooth 3)
values=sst_mean,sst_p90,n_obs
while read -r states name options; do
    read -ra words <<<"$options"
    share=()
    [ "$states" = all ] || share=(--validate 40%)
    program run --baseline 2001-2003 --readers 0 -q "${part[@]}" "${share[@]}" "${words[@]}" -o "run-$name.nc" sea
    exits 6
    made=()
    for state in ${states//,/ }; do
        program climatology --state "$state" -q "${part[@]}" "${words[@]}" -o "$state-$name.nc"
        exits 6
        out_is ''
        err_is "sststream: warning: done, but 1 day of the baseline is not counted"
        made+=("$state-$name.nc")
    done
    if [ "${made[0]}" = "none-$name.nc" ]; then # nothing is validated: no bounds of errors, and no flags of them
        nctool equal_in "$values" "run-$name.nc" "${made[0]}"
        unset 'made[0]'
    fi
    nctool equal "run-$name.nc" "${made[@]}"
done <<'END'
all exact --window 9
all narrow --window 5 --percentile 10,90
all skip --window 9 --leap skip
all own --window 7 --leap own
none,probes,all cf --window 9 --approx cf
none,probes cfnarrow --window 3 --approx cf --percentile 90,10
none,probes,all tail --window 9 --approx tail --percentile 90,10
none,all tailk --window 9 --approx tail --tail-k 1
probes corrected --window 9 --approx maxent --coverage 90,80 --correct --repair
probes repaired --window 5 --approx tail --tail-k 1 --tolerance 0.05 --repair
END
nctool unlike run-exact.nc all-narrow.nc sst_p90
nctool unlike run-cf.nc none-cfnarrow.nc sst_p90
nctool unlike run-tail.nc none-tailk.nc quality_flag
nctool unlike run-cf.nc run-corrected.nc sst_p90

# The window is 11 days, or the widest that the state allows.
program climatology --state all -q "${part[@]}" -o widest.nc
exits 6
nctool equal run-exact.nc widest.nc

# Round 29 February, where leap years are kept apart in the state, and joined for other rules.
archive leap --years 2003-2004 --doy 50-70
program ingest --state spring --baseline 2003-2004 --window 11 --keep none -q leap
exits 0
for rule in hobday skip own; do
    program run --baseline 2003-2004 --readers 0 --doy 58-61 --smooth 3 --leap $rule --approx cf -o "files-$rule.nc" -q leap
    exits 0
    program climatology --state spring --doy 58-61 --smooth 3 --leap $rule --approx cf -o "spring-$rule.nc" -q
    exits 0
    err_is ''
    nctool equal_in "$values" "files-$rule.nc" "spring-$rule.nc"
done
nctool unlike spring-skip.nc spring-own.nc sst_mean

# What the state did not count cannot be pooled.
program climatology --state all --window 11 "${part[@]}" -o wide.nc
exits 7
err_has "all: 2000-12-27 would be pooled, and the state does not count it: it was made for leap rule hobday and windows of at most 9 days"
program ingest --state skipping --baseline 2002-2004 --leap skip --keep all -q sea
exits 0
program climatology --state skipping --leap own "${part[@]}" -o own.nc
exits 7
err_has "skipping: 2004-02-29 would be pooled, and the state does not count it: it was made for leap rule skip"
program ingest --state shallow --baseline 2001-2003 --window 9 --tail-k 1 -q sea
exits 0
while read -r status file text; do
    IFS='|' read -r options said <<<"$text"
    read -ra words <<<"$options"
    program climatology "${part[@]}" "${words[@]}" -o "$file.nc"
    exits "$status"
    err_is "sststream: $said"
done <<'END'
7 exact --state probes|probes: it keeps probes, and exact percentiles (--approx none) are made from all values. Give --approx tail, cf or maxent, or make a state with --keep all
7 exact --state none --exact|none: it keeps none, and exact percentiles (--approx none) are made from all values. Give --approx tail, cf or maxent, or make a state with --keep all
7 short --state shallow --approx tail|shallow: its lists have the 1 greatest and 0 least values of a calendar day, and these percentiles of 9 days take 3 and 0. Give --tail-k 1, which leaves more uncertified, --approx cf, or make a state with --tail-k 3 and these percentiles
7 low --state shallow --approx tail --percentile 10|shallow: its lists have the 1 greatest and 0 least values of a calendar day, and these percentiles of 9 days take 0 and 3. Give --approx cf, or make a state with --tail-k 3 and these percentiles
2 correct --state none --approx cf --correct|--correct: none keeps none of the values, so no error can be measured. Leave it out, or make a state with --keep probes
2 repair --state none --approx tail --repair|--repair: none keeps none of the values, so no error can be measured. Leave it out, or make a state with --keep probes
2 cover --state none --approx cf --coverage 90|--coverage: none keeps none of the values, so no error can be measured. Leave it out, or make a state with --keep probes
2 tolerance --state none --approx cf --tolerance 0.2|--tolerance: none keeps none of the values, so no error can be measured. Leave it out, or make a state with --keep probes
END
program climatology --state all "${part[@]}" -o widest.nc
exits 4
err_has "widest.nc: exists already"
program climatology --state none --approx cf --memory 16M "${part[@]}" -o small.nc
exits 2
err_has "--memory 16M: the climatology needs 2"
err_has " MB, and this is 16 MB. Use a larger --memory"
for name in wide own exact short low correct repair cover tolerance small; do
    [ ! -e "$work/$name.nc" ] || fail "$name.nc was written"
done
finish
