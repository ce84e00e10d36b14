#!/bin/bash
# Two climatologies against each other: equal ones in every form, known differences to the digit, refusals by name, heatwaves.
# ctest-labels: figures
. "$(dirname "$0")/lib_archive.sh"
need_python
checker=$(cd "$(dirname "$0")" && pwd)/compare_tool.py

"$python" "$checker" make "$work" || exit 1

# report_is CHECK A B ARGUMENTS...: the JSON of a comparison is as CHECK says.
report_is() {
    local check=$1 said
    shift
    program compare "$@" -O --report report.json
    exits 0
    said=$("$python" "$checker" "$check" "$work/report.json" ${days:+"$days"} 2>&1) || fail "$said"
}

# The same values, however they are stored, differ nowhere.
days=''
report_is same base.nc base.nc
out_has "sst_p90 is the same in both"
report_is same base.nc turned.nc --var-b sst_p90
report_is same turned.nc base.nc
report_is same base.nc named.nc --var-b alpha --mean-b beta
days=365 report_is same base.nc days365.nc
out_has "365 days by day of the year"
out_has "common     365 calendar days, 47 cells"
report_is packed base.nc packed.nc

# Known differences.
report_is june june.nc base.nc
report_is hot hot.nc base.nc
out_has "+2.000 on 04-10 at 30.000 N, 270.000 E"
report_is tropics tropics.nc base.nc
program compare base.nc lone.nc
out_has "sst_p90: 1 cell-days have a value only in A, 0 only in B"

# Planted faults: the checks above see a climatology that is not the one expected.
for wrong in "june base.nc base.nc" "hot june.nc base.nc" "tropics base.nc tropics.nc" "same june.nc base.nc" "packed base.nc base.nc"; do
    # shellcheck disable=SC2086
    set -- $wrong
    program compare "$2" "$3" -O --report report.json
    if "$python" "$checker" "$1" "$work/report.json" >/dev/null 2>&1; then fail "check $1 did not see a planted fault"; fi
done

# Streams, files, exit codes.
program compare june.nc base.nc --json
exits 0
mv "$work/out" "$work/stdout.json"
json_has stdout.json "r['schema'] == 'sststream-compare/1' and r['a']['path'] == 'june.nc' and r['consequences'] is None"
json_has stdout.json "r['b']['variables']['mean'] == {'name': 'sst_mean', 'units': 'degC'} and r['common']['cells'] == 47"
program compare june.nc base.nc -O --report page.html
exits 0
for file in page.html page.json; do
    [ -s "$work/$file" ] || fail "$file is expected"
done
grep -q 'Two climatologies compared' "$work/page.html" || fail "page.html is not the page of a comparison"
grep -q 'id="largest"' "$work/page.html" || fail "the page does not list the largest differences"
grep -q '<td[^>]*>+0.050</td>' "$work/page.html" || fail "the largest difference of June is not on the page"
program report --strict page.json -o again.html
exits 0
err_has_not "warning"
cmp -s "$work/page.html" "$work/again.html" || fail "report draws another page"
program compare june.nc base.nc --report page.html
exits 4
program compare june.nc base.nc -O --report base.nc
exits 4
err_has "base.nc: is one of the climatologies, so it is not replaced"
program compare base.nc base.nc -O --report page.html
exits 0
grep -q 'No cell-day has any difference' "$work/page.html" || fail "equal climatologies are not said to be equal"
cp "$work/base.nc" "$work/daily.nc"
program compare june.nc base.nc --detect daily.nc -O --report daily.nc
exits 4
err_has "daily.nc: is an input of --detect, so it is not replaced"
rm "$work/daily.nc"
program compare june.nc base.nc --strict
exits 0
program compare june.nc base.nc --strict --tolerance 0.04
exits 5
err_has "sst_p90: 8.20 % of the area's cell-days are apart by more than 0.04 degC; --max-share allows 5 %"
program compare june.nc base.nc --strict --tolerance 0.04 --max-share 9%
exits 0

# Refusals.
program compare base.nc coarse.nc
exits 3
err_has "coarse.nc: grid of 3 x 4 cells, not 6 x 8"
err_has "cdo remapbil,base.nc coarse.nc OUT.nc"
program compare base.nc shifted.nc
exits 3
err_has "shifted.nc: longitude: column 0 is 1, not 0"
program compare base.nc named.nc
exits 3
err_has "named.nc: it is not clear which variable is the percentile: 'alpha', 'beta'. Name it with --var-b"
program compare base.nc absent.nc
exits 3
err_has "absent.nc: cannot be read: No such file"
program compare base.nc base.nc --percentile 95
exits 3
err_has "base.nc: no variable is known to be percentile 95; there are 'sst_p90', 'sst_mean'. Name it with --var-a"
refused "compare: no climatologies. Name two, as in: sststream compare clim.nc other.nc --detect oisst/" compare
refused "compare: only one climatology. Name two, as in: sststream compare clim.nc other.nc --detect oisst/" compare base.nc
refused "oisst: 'compare' takes two climatologies; daily files come behind --detect. Leave it out" compare a.nc b.nc oisst
refused "--percentile: 'compare' takes one. Compare them one by one" compare a.nc b.nc --percentile 10,90

# Heatwaves: nothing changes where A is B; a threshold that nothing reaches loses every day of them.
archive sea --years 2001-2003 --doy 120-180
program --baseline 2001-2003 --doy 140-160 --smooth 0 --exact -q -o clim.nc sea
"$python" - "$work" <<'PYTHON'
import shutil
import sys
import netCDF4
import numpy as np
folder = sys.argv[1]
for name, added in (("high", 15), ("low", -1.2), ("turned", -1.2)):
    shutil.copy(f"{folder}/clim.nc", f"{folder}/{name}.nc")
    with netCDF4.Dataset(f"{folder}/{name}.nc", "a") as data:
        data["sst_p90"][:] += added
        if name == "turned":
            for one in ("sst_p90", "sst_mean", "quality_flag"):
                data[one][:] = np.roll(data[one][:][:, ::-1], 9, axis=2)
            data["lat"][:], lon = data["lat"][:][::-1], np.roll(data["lon"][:], 9)
            data["lon"][:] = np.where(lon > 180, lon - 360, lon)
PYTHON
program compare low.nc low.nc --detect sea --baseline 2001-2003 -O --report report.json
exits 0
out_has "heatwaves  2001-2003 at "
json_has report.json "r['consequences']['sst_p90']['jaccard'] == 1 and r['consequences']['sst_p90']['missed'] == 0"
json_has report.json "r['consequences']['sst_p90']['exact']['days_per_year'] > 1 and r['daily']['days_read'] == 183"
program compare turned.nc low.nc --detect sea --baseline 2001-2003 -O --report turned.json
exits 0
json_has turned.json "r['consequences'] == json.load(open('report.json'))['consequences']"
program compare low.nc turned.nc --detect sea --baseline 2001-2003 -O --report turned.json
exits 0
json_has turned.json "r['consequences'] == json.load(open('report.json'))['consequences']"
program compare high.nc low.nc --detect sea --baseline 2001-2003 -O --report report.json
exits 0
json_has report.json "r['consequences']['sst_p90']['missed'] == 1 and r['consequences']['sst_p90']['jaccard'] == 0"
json_has report.json "r['consequences']['sst_p90']['approx']['days_per_year'] == 0"

# Climatologies of a box, the same box of whole ones, and daily files of the whole grid: the same heatwaves.
program --baseline 2001-2003 --doy 140-160 --smooth 0 --exact -q -o box.nc sea --bbox 100,-40,200,40
program compare box.nc box.nc --detect sea --baseline 2001-2003 -O --report box.json
exits 0
program compare clim.nc clim.nc --detect sea --baseline 2001-2003 -O --report report.json --bbox 100,-40,200,40
exits 0
json_has box.json "r['consequences'] == json.load(open('report.json'))['consequences'] and r['grid'] == json.load(open('report.json'))['grid']"
program compare clim.nc clim.nc --detect sea
exits 3
err_has "--detect sea: no year has a file for each day. Name years with --baseline Y1-Y2"
program compare base.nc base.nc --detect sea --baseline 2001-2003
exits 3
err_has "--detect sea: the daily files lack the cells of the climatologies"
finish
