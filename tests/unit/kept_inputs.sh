#!/bin/bash
# No input is replaced by an output, and texts from outside that are no UTF-8 or hold control characters do no harm.
. "$(dirname "$0")/../cli/lib_app.sh"

program synth -q -o archive --grid 12x6 --years 2001-2002 --days 0601-0603
exits 0
day=oisst-avhrr-v02r01.20010601.nc
cp "$work/archive/$day" "$work/mask.nc"
sum() { cksum <"$1"; }
before=$(sum "$work/archive/$day")
rule=(--baseline 2001-2002 --days 0602-0602 --window 3 --smooth 0 -O)

# Under its own name, another name, and a link; climatology and report alike.
ln -s "archive/$day" "$work/link.nc"
for output in "archive/$day" "./archive/../archive/$day" link.nc; do
    program "${rule[@]}" -o "$output" archive
    exits 4
    err_has "$output: is an input of this run, so it is not replaced. Give another name"
    program "${rule[@]}" -o clim.nc --report "$output" archive
    exits 4
    err_has "$output: is an input"
done
[ "$(sum "$work/archive/$day")" = "$before" ] || fail "the input has changed"
program "${rule[@]}" -o mask.nc --mask mask.nc:sst archive
exits 4
err_has "mask.nc: is an input"

# A report that cannot be put in place is refused before the work.
program "${rule[@]}" -o clim.nc --report archive archive
exits 4
err_has "archive: this is a folder. Give the name of a file"
[ ! -e "$work/clim.nc" ] || fail "the climatology was written"

# Its own output among the inputs is named for what it is, and left out.
program "${rule[@]}" -o archive/clim.nc archive
exits 0
program "${rule[@]}" -o again.nc archive
exits 0
err_has "archive/clim.nc: is a climatology (its time has climatology bounds), not daily values. Leave it out"

# A folder's name in Latin-1 with a line break: the report is JSON all the same, the table has no new line in it.
odd=$'\xe9t\xe9\n2001'
mv "$work/archive" "$work/$odd"
program "${rule[@]}" -o clim.nc --report report.json "$odd"
exits 0
grep -q '\\\\xe9t\\\\xe9\\n2001/clim.nc' "$work/report.json" || fail "the path is not in the report"
if grep -q '^2001' "$work/err"; then fail "a line break of a file name in the table"; fi
err_has '\x0a2001/clim.nc: is a climatology'
finish
