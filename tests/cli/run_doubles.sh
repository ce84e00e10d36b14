#!/bin/bash
# Days that several files have: equal values count once, unlike ones are a conflict, and final stands before preliminary.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2001-2002 --doy 148-162
run=(--baseline 2001-2002 --doy 153-157 --smooth 0)
original=$(day sea 20010602)
preliminary=${original%.nc}_preliminary.nc
program "${run[@]}" -q -o good.nc sea
exits 0
mv "$work/$original" "$work/kept"
program "${run[@]}" -q -o without.nc sea
exits 6
cp "$work/kept" "$work/$original"

# The same values in another file, even in another packing.
cp "$work/kept" "$work/sea/copy.nc"
nctool change sea/copy.nc classic
program "${run[@]}" -o doubled.nc --report doubled.json sea
exits 0
err_has "another file has the same values"
err_has "1 doubled"
json_has doubled.json "r['read']['doubled'] == 1 and r['read']['days'] == len(r['inputs']) == 30"
nctool equal good.nc doubled.nc
nctool equal_attribute climatology_id good.nc doubled.nc

# Another value: neither is used, and both files and the place are told.
cp "$work/kept" "$work/sea/copy.nc"
nctool change sea/copy.nc one-cell-warmer
program "${run[@]}" -o conflict.nc --report conflict.json sea
exits 6
err_has "$original: values differ from those of sea/copy.nc in 1 cells, the first at "
err_has "neither is used. Take one of the files away"
json_has conflict.json "len(r['source']['unusable']) == 1 and r['read']['unusable'] == 1 and r['read']['days'] == 29"
nctool equal without.nc conflict.nc
program "${run[@]}" --on-bad stop -o stopped.nc sea
exits 3
err_has "values differ from those of"
[ ! -e "$work/stopped.nc" ] || fail "an output of a run that was stopped"
rm "$work/sea/copy.nc"

# Another time of the same day: a daily mean is wanted first.
cp "$work/kept" "$work/sea/copy.nc"
nctool change sea/copy.nc hours-later
program "${run[@]}" -o hours.nc sea
exits 6
err_has "daily mean"
nctool equal without.nc hours.nc
rm "$work/sea/copy.nc"

# A preliminary file gives way to the final one, whatever it holds; alone it is used, and the report says so.
cp "$work/kept" "$work/$preliminary"
nctool change "$preliminary" all-warmer
program "${run[@]}" -o final.nc --report final.json sea
exits 0
err_has "taken in place of a preliminary file"
json_has final.json "r['read']['preliminary_replaced'] == 1 and all(i['status'] == 'final' for i in r['inputs'])"
nctool equal good.nc final.nc
rm "$work/$original"
program "${run[@]}" -o preliminary.nc --report preliminary.json sea
exits 0
json_has preliminary.json "[i['day'] for i in r['inputs'] if i['status'] == 'preliminary'] == ['2001-06-02']"
nctool unlike good.nc preliminary.nc sst_mean
: >"$work/$original"
program "${run[@]}" -q -o fallback.nc sea
exits 0
nctool equal preliminary.nc fallback.nc
finish
