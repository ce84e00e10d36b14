#!/bin/bash
# A climatology of a state that keeps all is that of its files, value by value, for every estimator and rule that it allows.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2000-2004 --doy 340-40
rm "$work/$(day sea 20010105)"
program ingest --state st --baseline 2001-2003 --window 9 --keep all -q sea
exits 0
part=(--doy 355-20 --smooth 3)
while read -r name options; do
    read -ra words <<<"$options"
    program run --baseline 2001-2003 --readers 0 -q "${part[@]}" "${words[@]}" -o "run-$name.nc" sea
    exits 6
    program climatology --state st -q "${part[@]}" "${words[@]}" -o "state-$name.nc"
    exits 6
    out_is ''
    err_is "sststream: warning: done, but 1 day of the baseline is not counted"
    nctool equal "run-$name.nc" "state-$name.nc"
done <<'END'
exact --window 9
narrow --window 5 --percentile 10,90
skip --window 9 --leap skip
own --window 7 --leap own
cf --window 9 --approx cf --coverage 90
maxent --window 9 --approx maxent --coverage 90 --correct --repair
tail --window 9 --approx tail --tail-k 3
END
nctool unlike run-exact.nc state-narrow.nc sst_p90

# The window is 11 days, or the widest that the state allows.
program climatology --state st -q "${part[@]}" -o widest.nc
exits 6
nctool equal run-exact.nc widest.nc

# What the state did not count cannot be pooled.
program climatology --state st --window 11 "${part[@]}" -o wide.nc
exits 7
err_has "st: 2000-12-27 would be pooled, and the state does not count it: it was made for leap rule hobday and windows of at most 9 days"
program ingest --state skipping --baseline 2002-2004 --leap skip --keep all -q sea
exits 0
program climatology --state skipping --leap own "${part[@]}" -o own.nc
exits 7
err_has "skipping: 2004-02-29 would be pooled, and the state does not count it: it was made for leap rule skip"
program ingest --state probes --baseline 2001-2003 -q sea
exits 0
program climatology --state probes "${part[@]}" -o probes.nc
exits 7
err_is "sststream: probes: it keeps probes, and a climatology is made from all values. Make a state with --keep all"
program climatology --state st "${part[@]}" -o widest.nc
exits 4
err_has "widest.nc: exists already"
for name in wide own probes; do
    [ ! -e "$work/$name.nc" ] || fail "$name.nc was written"
done
finish
