#!/bin/bash
# What the options of the statistics and of the region do, against each other and against plain means.
# ctest-labels: figures
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2001-2002 --doy 148-162
part=(-q --baseline 2001-2002 --doy 153-157)
run=("${part[@]}" --smooth 0)

program "${run[@]}" -o whole.nc sea
exits 0

# Boxes across Greenwich, over the date line, in both spellings of longitude.
n=0
for box in -30,-20,30,50 330,-20,30,50 150,-20,-150,50 150,-20,210,50; do
    n=$((n + 1))
    program "${run[@]}" --bbox "$box" -o "box$n.nc" sea
    exits 0
done
nctool cells 16 whole.nc box1.nc box2.nc box3.nc box4.nc
nctool equal box1.nc box2.nc
nctool equal_in sst_p90,lat box3.nc box4.nc
program "${run[@]}" --bbox 1,1,2,2 -o none.nc sea
exits 3
err_has "--bbox: box 1,1,2,2 holds no cell"
err_lines 1

# A mask names its variable where there are several.
nctool mask mask.nc "$(day sea 20010602)"
program "${run[@]}" --mask mask.nc:north -o north.nc sea
exits 0
nctool masked whole.nc north.nc
program "${run[@]}" --mask mask.nc -o none.nc sea
exits 3
err_has "mask.nc"
err_has "north"
err_lines 1
program "${run[@]}" --mask mask.nc:south -o none.nc sea
exits 3
err_has "mask.nc: no variable 'south'"
err_lines 1

# Two percentiles in one pass are those of two runs.
program "${run[@]}" --percentile 90,10 -o both.nc sea
exits 0
program "${run[@]}" --percentile 10 -o p10.nc sea
exits 0
nctool equal_in sst_mean,n_obs,sst_p90 both.nc whole.nc
nctool equal_in sst_mean,n_obs,sst_p10 both.nc p10.nc
nctool union_of_flags both.nc whole.nc p10.nc

# Smoothing is the moving mean of the unsmoothed days, and reads the days beside the part for it.
archive wide --years 2001-2002 --doy 133-177
program -q --baseline 2001-2002 --doy 138-172 --smooth 0 -o plain.nc wide
exits 0
program "${part[@]}" --smooth 31 -o smooth.nc wide
exits 0
program "${part[@]}" -o default.nc wide
exits 0
nctool smoothed plain.nc smooth.nc 31
nctool equal_in n_obs smooth.nc whole.nc
nctool equal smooth.nc default.nc
nctool attribute default.nc leap_day_rule hobday

# The three rules of 29 February.
archive leap --years 2000-2004 --days 0220-0308
for rule in hobday skip own; do
    program -q --baseline 2000-2004 --days 0226-0302 --smooth 0 --leap "$rule" -o "$rule.nc" leap
    exits 0
    nctool attribute "$rule.nc" leap_day_rule "$rule"
done
shown="--leap"
nctool leap hobday.nc skip.nc own.nc

# --strict makes a gate of the tolerance, and errors of warnings.
cf=("${run[@]}" --approx cf --validate 100% --tolerance 0.001 --strict)
program "${cf[@]}" --max-share 0% -o strict.nc --report strict.json sea
exits 5
err_has "are beyond 0.001 degC; --max-share allows 0 %. The outputs are written"
err_lines 1
json_has strict.json "0 < r['validation']['errors_degc']['sst_p90']['ice_free_area']['beyond_tolerance']['share'] <= 1"
program "${cf[@]}" --max-share 100% -o gate.nc sea
exits 0
nctool equal strict.nc gate.nc
program "${run[@]}" --approx cf --validate 100% --tolerance 0.001 --max-share 0% -o no-gate.nc sea
exits 0
rm "$work/$(day sea 20010602)"
program "${run[@]}" --strict -o none.nc sea
exits 3
err_has "warning: baseline 2001-2002: 1 of 30 days have no file"
err_has "--strict: 1 warning above ends the run"

# Too few values: fill; with that day missing no pool of these has all its 22.
program "${run[@]}" --min-samples 21 -o enough.nc sea
exits 6
program "${run[@]}" --min-samples 22 -o few.nc sea
exits 6
program "${run[@]}" --min-samples 23 -o none.nc sea
exits 2
err_has "--min-samples 23: a full pool (2 years, a window of 11 days) has 22 values"
nctool all_missing few.nc
nctool unlike few.nc enough.nc sst_p90
nctool equal_in n_obs few.nc enough.nc
[ ! -e "$work/none.nc" ] || fail "a run that was refused left an output"
finish
