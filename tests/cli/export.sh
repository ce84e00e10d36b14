#!/bin/bash
# A state as netCDF: its numbers are those of the files, by numpy; its table is that of the days; refusals.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2000-2004 --doy 1-4

refused "export: no state. Name its folder, as in: sststream export --state sea -o sea.nc" export -o x.nc
refused "export: no file to write to. Name one, as in: sststream export --state sea -o sea.nc" export --state st
refused "sea: 'export' takes no files. Leave it out" export --state st -o x.nc sea
program export --state sea -o x.nc
exits 7
err_has "sea: this is no state"

program ingest --state st --baseline 2000-2003 --window 3 --percentile 90,10 -q sea
exits 0
program export --state st -o st.nc
exits 0
out_is ''
err_has "sststream: st.nc: "
nctool state st.nc sea 2000 2003
program export --state st -o st.nc
exits 4
err_has "st.nc: "
program export --state st -O --compress none -q -o st.nc
exits 0
err_is ''
nctool state st.nc sea 2000 2003

program export --state st -q -o nowhere/st.nc
exits 4
err_has "nowhere"
err_lines 1

# Without lists of an end its variable is not there; a state of no day is none to export.
program ingest --state top --baseline 2000-2003 --window 3 -q "$(day sea 20010101)"
program export --state top -q -o top.nc
exits 0
nctool lacks top.nc sst_min
program ingest --state none --baseline 1990-1991 --window 3 -q "$(day sea 20010101)"
cp "$work/st.nc" "$work/before.nc"
program retire --state top --years 2001-2001 --old sea -q -o empty
exits 0
program export --state empty -O -o st.nc
exits 7
err_is "sststream: empty: no day is counted. Ingest files first"
cmp -s "$work/st.nc" "$work/before.nc" || fail "a refused export changed the file"
[ -z "$(find "$work" -name '*.tmp.*')" ] || fail "a temporary file was left"

finish
