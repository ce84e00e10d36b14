#!/bin/bash
# --split: the 92 files of June to August hold the values of the single file; land is -9999.
# ctest-labels: figures
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2001-2002 --doy 147-248
run=(--approx tail --validate 60% --baseline 2001-2001 --smooth 0)
program "${run[@]}" -q --doy 152-243 -o clim.nc sea
exits 0
program "${run[@]}" -q --doy 152-243 --split -o by-doy sea
exits 0
err_is ''
program "${run[@]}" -q --days 0601-0831 --split -o by-days sea
exits 0
shown="--split"
nctool split clim.nc by-doy 92
nctool split clim.nc by-days 92
files_are clim.nc

# Bounds of an error model stand in both forms too.
modelled=(--approx cf --validate 60% --baseline 2001-2002 --smooth 0 --doy 152-153)
program "${modelled[@]}" -q -o two.nc sea
exits 0
program "${modelled[@]}" -q --split -o two sea
exits 0
nctool split two.nc two 2
ncdump -h "$work/two/sst_clim_0601.nc" | grep -q 'sst_p90_approx_bound95(' || fail "a day's file has no bounds"
rm "$work/two.nc"

# A folder in use is refused, its files stay; with -O they are replaced and others left alone.
cp "$work/by-doy/sst_clim_0601.nc" "$work/kept"
echo mine >"$work/by-doy/notes.txt"
echo old >"$work/by-doy/sst_clim_0602.nc"
program "${run[@]}" -q --doy 152-153 --split -o by-doy sea
exits 4
err_has "by-doy"
err_lines 1
[ "$(cat "$work/by-doy/sst_clim_0602.nc")" = old ] || fail "a file was replaced"
program "${run[@]}" -q --doy 152-153 --split -O -o by-doy sea
exits 0
[ "$(cat "$work/by-doy/notes.txt")" = mine ] || fail "a file that is not ours was touched"
[ "$(find "$work/by-doy" -type f | wc -l)" -eq 93 ] || fail "files were left behind or lost"
rm "$work/by-doy/notes.txt"
nctool split clim.nc by-doy 92
finish
