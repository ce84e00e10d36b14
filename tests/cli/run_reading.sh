#!/bin/bash
# -v names, once for each make of file, how values are read.
. "$(dirname "$0")/lib_app.sh"

program synth -q -o archive --grid 12x6 --years 2001-2002 --days 0601-0603
exits 0
rule=(--baseline 2001-2002 --days 0602-0602 --window 3 --smooth 0 -O -o clim.nc)

program "${rule[@]}" -v archive
exits 0
err_has 'netCDF-4: chunks read directly: shuffle, deflate'
[ "$(grep -c 'read directly' "$work/err")" -eq 1 ] || fail "the way of reading is not said once"

program "${rule[@]}" archive
exits 0
if grep -q 'read directly' "$work/err"; then fail "said without -v"; fi

# A classic file among them.
day=oisst-avhrr-v02r01.20010602.nc
nccopy -k 64-bit-offset "$work/archive/$day" "$work/classic.nc" && mv "$work/classic.nc" "$work/archive/$day"
program "${rule[@]}" -v archive
exits 0
err_has 'netCDF-3 (CDF-2): read directly'
err_has 'netCDF-4: chunks read directly: shuffle, deflate'
finish
