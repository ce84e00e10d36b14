#!/bin/bash
# What a run refuses before it reads a field: baselines without files, outputs in the way, places that are not there.
. "$(dirname "$0")/lib_archive.sh"

archive sea --years 2001-2004 --doy 148-162
rm "$work/$(day sea 20030605)"
part=(--doy 153-157 --smooth 0)
good=(--baseline 2001-2002 "${part[@]}")

# The default baseline is not taken half empty: the message names the whole years, of the part that is asked for.
program "${part[@]}" sea
exits 3
out_is ''
err_is "sststream: the default baseline 1991-2020 is not whole: 391 of its days have no file. Years with every day: 2001-2002, 2004. Name the years that you want with --baseline Y1-Y2"
# plan tells what it found all the same
program plan "${part[@]}" sea
exits 3
out_has "files      59 found, 0 unusable; 2001-05-28 to 2004-06-11, calendar standard"
err_has "Years with every day: 2001-2002, 2004."
program --baseline 1981-1990 "${part[@]}" sea
exits 3
err_is "sststream: --baseline 1981-1990: no file is of these years; the files hold 2001 to 2004"
program --baseline 2001-2002 --doy 153-157 --smooth 31 sea
exits 3
err_is "sststream: --smooth 31 averages over days beside the part of the year that is asked for, and no file is of 05-13. Give those files too, or use --smooth 0"
program --baseline 2001-2002 "${part[@]}" ./nowhere
exits 3
err_has "./nowhere: "
err_lines 1
mkdir "$work/empty"
program --baseline 2001-2002 "${part[@]}" empty
exits 3
err_lines 1
files_are ""

# Outputs in the way stay as they are.
echo old >"$work/clim.nc"
program "${good[@]}" -o clim.nc sea
exits 4
out_is ''
err_is "sststream: clim.nc: exists already. Give another name, or --overwrite to replace it"
[ "$(cat "$work/clim.nc")" = old ] || fail "the old file was touched"
echo old >"$work/report.json"
program "${good[@]}" -o new.nc --report report.json sea
exits 4
err_has "report.json: exists already"
err_lines 1
[ "$(cat "$work/report.json")" = old ] || fail "the old report was touched"
files_are clim.nc report.json

# Places that cannot be written.
mkdir "$work/folder"
program "${good[@]}" -o none/clim.nc sea
exits 4
err_is "sststream: none/clim.nc: the folder none does not exist. Make it first"
program "${good[@]}" -o folder sea
exits 4
err_is "sststream: folder: this is a folder. Give the name of a file"
program "${good[@]}" -o new.nc --report none/report.json sea
exits 4
err_has "none/report.json: "
err_lines 1
program "${good[@]}" -O -o new.nc --report folder sea
exits 4
err_has "folder: "
err_lines 1
program "${good[@]}" --split -o clim.d -O --report clim.nc/report.json sea
exits 4
err_lines 1
program "${good[@]}" -o same.nc --report same.nc sea
exits 2
err_lines 1
[ ! -d "$work/clim.d" ] || fail "the folder of a refused run was made"
files_are clim.nc report.json

# An input is never taken for an output, not even with -O.
cp "$work/$(day sea 20010602)" "$work/kept"
program "${good[@]}" -O -o "$(day sea 20010602)" sea
exits 4
err_lines 1
cmp -s "$work/kept" "$work/$(day sea 20010602)" || fail "an input was replaced by the output"
program "${good[@]}" -O -o new.nc --report "sea/../$(day sea 20010602)" sea
exits 4
err_lines 1
cmp -s "$work/kept" "$work/$(day sea 20010602)" || fail "an input was replaced by the report"
files_are clim.nc kept report.json

# With -O both are replaced.
program "${good[@]}" -q -O -o clim.nc --report report.json sea
exits 0
out_is ''
err_is ''
for file in clim.nc report.json; do
    if grep -q '^old$' "$work/$file"; then fail "$file was not replaced"; fi
done
files_are clim.nc kept report.json
finish
