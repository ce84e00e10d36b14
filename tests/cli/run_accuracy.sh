#!/bin/bash
# What a run says of its own accuracy: bounds, correction, repair, the report's two files, and what is refused.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2001-2004 --doy 148-162
bounds_tool=$(cd "$(dirname "$0")" && pwd)/bounds_tool.py
run=(--baseline 2001-2004 --doy 153-157 --smooth 0)

# bounds_are FILE EXPRESSION: of b (bounds), e (estimate), x (exact), f (flags), p (cells that have ever been compared).
bounds_are() {
    local said
    said=$(cd "$work" && "$python" "$bounds_tool" "$1" exact.nc "$2" 2>&1) || fail "$1: expected: $2 $said"
}

program "${run[@]}" -q --exact -o exact.nc sea
exits 0

# Every cell compared: bounds everywhere, each flag where it belongs, none that is guessed.
program "${run[@]}" --approx cf --validate 100% --coverage 95,80 -o cf.nc --report cf.html sea
exits 0
files_are cf.html cf.json cf.nc exact.nc
err_has "sst_p90_approx_bound95"
err_has "verdict    "
bounds_are cf.nc "(np.isfinite(b) == sea).all() and (b[sea] > 0).all()"
bounds_are cf.nc "0.9 < (error[sea] <= b[sea]).mean() < 0.99"
bounds_are cf.nc "((f & flag['measured'] > 0) == (error > 0.1)).all() and not (f & flag['likely']).any()"
bounds_are cf.nc "'sst_p90_approx_bound80' in names and error[sea].max() > 0.1"
for expected in "r['verdict']['pass'] in (True, False) and 'degC of the exact sample percentile' in r['verdict']['text']" \
    "r['validation']['sample_cells'] == r['validation']['probes'] == 288" \
    "abs(sum(r['validation']['breakdown']['sst_p90']['histogram']['share']) - 1) < 1e-4" \
    "[l['level'] for l in r['bounds']['sst_p90']['levels']] == [0.95, 0.8]" \
    "all(l['available'] and 0.9 * l['level'] < l['coverage'][0]['share'] <= 1 for l in r['bounds']['sst_p90']['levels'])" \
    "r['bounds']['sst_p90']['correction']['applied'] is False and r['repair'] is None" \
    "r['consequences']['sst_p90']['years'] == 4 and r['consequences']['sst_p90']['cells'] > 100" \
    "{m['key'] for m in r['maps']} == {'probe_bias', 'probe_rmse', 'bound', 'flagged'}" \
    "r['reproduce']['version'] == r['sststream_version']"; do
    json_has cf.json "$expected"
done
grep -q '<svg' "$work/cf.html" || fail "no drawing in the page"
rm "$work"/cf.*

# Repaired: what was off is exact, and says so; the table is that of the estimate.
program "${run[@]}" --approx cf --validate 100% --repair -o cf.nc --report cf.json sea
exits 0
err_has "repaired "
bounds_are cf.nc "error[sea].max() <= 0.1 and (f & flag['repaired']).any() and not (f & flag['measured']).any()"
bounds_are cf.nc "(error[(f & flag['repaired']) > 0] == 0).all() and (b[(f & flag['repaired']) > 0] == 0).all()"
json_has cf.json "r['repair']['sst_p90']['cell_days'] > 0 and r['verdict']['pass'] and r['verdict']['worst_share'] == 0"
json_has cf.json "r['validation']['errors_degc']['sst_p90']['all_area']['max_abs'] > 0.1"
json_has cf.json "'region' not in r['verdict']['text'] and 'before repair' in r['error_budget'][0]['text']"
json_has cf.json "r['repair']['sst_p90']['cell_days'] == r['flags']['repaired']['cell_days']"
json_has cf.json "'before repair, when ' in r['verdict']['text'] and 'regions' not in r['verdict']['text']"
program "${run[@]}" --approx tail --tail-k 1 --validate 100% --tolerance 0.001 -O -o cf.nc --report cf.json sea
exits 0
json_has cf.json "0 < max(v for m in r['maps'] if m['key'] == 'flagged' for v in m['values'] if v is not None) <= 1000"
json_has cf.json "r['flags']['uncertified']['cell_days'] > r['flags']['measured_beyond_tolerance']['cell_days'] > 0"
program "${run[@]}" --approx tail --tail-k 1 --validate 100% --tolerance 0.001 --repair -O -o cf.nc sea
exits 0
bounds_are cf.nc "error[sea].max() <= 0.0010001 and (f & flag['repaired']).any()"
bounds_are cf.nc "not ((f & flag['repaired'] > 0) & (f & flag['uncertified'] > 0)).any() and (f & flag['uncertified']).any()"
program "${run[@]}" --approx tail --percentile 10,90 --tail-k 1 --validate 100% --tolerance 0.001 --repair -O -o cf.nc sea
exits 0
bounds_are cf.nc "((f & flag['repaired'] > 0) & (f & flag['uncertified'] > 0)).any()"

# Part of the cells: guesses elsewhere only, and the estimate itself is that of any other sample.
program "${run[@]}" -q --approx cf --validate 50% -O -o half.nc sea
exits 0
bounds_are half.nc "(f & flag['likely']).any() and not ((f & flag['likely'] > 0) & (f & flag['measured'] > 0).any(axis=0)[None]).any()"
program "${run[@]}" -q --approx cf --validate 60% --seed 7 -O -o other.nc sea
exits 0
nctool equal_in sst_mean,sst_p90,n_obs half.nc other.nc
nctool unlike half.nc other.nc sst_p90_approx_bound95

# Corrected: other numbers, another id, the same from run to run and for any number of threads.
program "${run[@]}" -q --approx cf --validate 60% --correct -P 1 -o once.nc sea
exits 0
program "${run[@]}" -q --approx cf --validate 60% --correct -P 4 -o twice.nc sea
exits 0
nctool equal once.nc twice.nc
nctool unlike once.nc other.nc sst_p90
nctool equal_in sst_mean once.nc other.nc
[ "$(ncdump -h "$work/once.nc" | sed -n 's/.*:climatology_id = //p')" != "$(ncdump -h "$work/other.nc" | sed -n 's/.*:climatology_id = //p')" ] ||
    fail "the same id for other numbers"

# A handful of cells: a warning with what they allow, and empty bounds.
program "${run[@]}" --approx cf --validate 100% --bbox 140,-40,200,-10 --coverage 95,50 -o few.nc sea
exits 0
err_has "warning: sst_p90_approx_bound95 is left empty: "
err_has "No cell is left to compare: use --exact, or a smaller --coverage"
"$python" -c "
import netCDF4, sys
with netCDF4.Dataset('$work/few.nc') as data:
    sys.exit(not (data['sst_p90_approx_bound95'][:].mask.all() and data['sst_p90'][:].count() > 0))" || fail "bounds of a handful"

# Probes that are all land say nothing, and --strict does not take that for a good verdict.
program "${run[@]}" --approx tail --validate 100% --bbox 0,-90,90,-80 -o land.nc --report land.json sea
exits 0
err_has "warning: --validate: no probe of 6 has a value, so nothing is validated"
json_has land.json "r['verdict'] is None and r['sea_cells'] == 0"
rm "$work"/land.*
program "${run[@]}" --approx tail --validate 100% --bbox 0,-90,90,-80 --strict -o land.nc sea
exits 3
program --baseline 2003-2012 --doy 153-157 --smooth 0 --approx cf -O -o few.nc sea # two years: no pool is large enough
exits 6
err_has "is left empty: 0 probes with values allow no bounds. Give files of more years, or a smaller --min-samples"
! grep -q nan "$work/err" || fail "a number that is none was printed"
err_has "ice-free, by area      none"

# Refused before a field is read.
program "${run[@]}" --approx cf -o new.nc --report absent/out.html sea
exits 4
err_has "absent/out.html: the folder absent does not exist"
program "${run[@]}" --approx cf -o new.nc --report cf.html sea
exits 4
err_has "cf.json: exists already"
program "${run[@]}" --approx cf -o out.json --report out.html sea
exits 2
err_has "out.json"
program --baseline 2001-2001 --doy 153-157 --approx cf -o new.nc sea
exits 2
err_has "--approx cf: the baseline is one year, too little for an estimate from power sums"
program --baseline 2004-2009 --doy 153-157 --approx cf -o new.nc sea
exits 3
err_has "--baseline 2004-2009: all days that have a file are of 2004, and one year is too little for --approx cf"
program --baseline 2004-2005 --doy 153-157 --smooth 0 --exact -q -o lone.nc sea
exits 6
program "${run[@]}" --approx maxent --percentile 90,50 -o new.nc sea
exits 2
err_has "50"
[ ! -e "$work/new.nc" ] || fail "an output was written"

# The space that waiting slots take is planned: in memory, or on the disk where that is too little.
program plan "${run[@]}" --approx cf --json sea
exits 0
cp "$work/out" "$work/plan.json"
json_has plan.json "r['scratch_bytes'] == 0"
held=$(python3 -c "import json; print(json.load(open('$work/plan.json'))['planned_peak_bytes'])")
program plan "${run[@]}" --approx cf --memory $((held - 1)) --json sea
exits 0
cp "$work/out" "$work/plan.json"
json_has plan.json "r['scratch_bytes'] > 0 and r['passes'] == 1"
finish
