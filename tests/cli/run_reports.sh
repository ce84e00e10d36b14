#!/bin/bash
# Who hears what: the summary and the two JSON outputs agree, streams are kept apart, progress and signals are answered.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2001-2003 --doy 148-162
rm "$work/$(day sea 20020603)" "$work/$(day sea 20030605)"
: >"$work/sea/empty.nc"
run=(--approx cf --validate 50% --baseline 2001-2003 --doy 153-157 --smooth 0)

# The summary on standard error, the report in its file.
program "${run[@]}" -o clim.nc --report report.json sea
exits 6
out_is ''
err_has "warning: baseline 2001-2003: 2 of 45 days have no file"
err_has "days       43 of 45 in the baseline, 2 missing, 0 doubled, 0 beside it"
err_has "  missing: 2002-06-03 2003-06-05"
err_has "files      44 found, 43 needed"
err_has "1 unusable"
err_has "  not used: sea/empty.nc: "
err_has "beyond 0.1 degC (95 % interval)"
err_has "warning: done, but 2 days of the baseline had no file"
for expected in "r['schema'] == 'sststream-run/1'" \
    "r['days'] == {'expected': 45, 'present': 43, 'doubled': 0, 'beside_baseline': 0, 'missing': ['2002-06-03', '2003-06-05']}" \
    "[u['path'] for u in r['source']['unusable']] == ['sea/empty.nc']" \
    "len(r['inputs']) == r['read']['days'] == 43 and len({i['day'] for i in r['inputs']}) == 43" \
    "r['policy']['approx'] == 'cf' and r['policy']['percentiles'] == [90.0] and r['policy']['smooth_days'] == 0" \
    "r['output'] == 'clim.nc' and r['cells'] == 288"; do
    json_has report.json "$expected"
done
# Each figure of the summary is the report's, as that is rounded there.
shown="summary and report"
"$python" - "$work/report.json" "$work/err" >"$work/said" <<'PYTHON' || fail "$(cat "$work/said")"
import json
import sys

report = json.load(open(sys.argv[1], encoding="utf-8"))
summary = open(sys.argv[2], encoding="utf-8").read()
lines = [f"id         {report['climatology_id']}", f"sea        {report['sea_cells']} cells",
         f"validated  {report['validation']['probes']} probes (50 % of the cells, seed 1)"]
for name, key in (("ice-free, by area", "ice_free_area"), ("all cells, by count", "all_count")):
    row = report["validation"]["errors_degc"]["sst_p90"][key]
    beyond = row["beyond_tolerance"]
    lines.append(f"  {name:20s} {row['cells']:6d} {row['cell_days']:10d} {row['bias']:+8.4f} {row['rmse']:7.4f} "
                 f"{row['median_abs']:7.4f} {row['p95_abs']:7.4f} {row['p99_abs']:7.4f} {row['max_abs']:7.4f} "
                 f"{100 * beyond['share']:7.2f} % ({100 * beyond['low']:.2f}..{100 * beyond['high']:.2f})")
for name, count in report["flags"].items():
    if name != "any":
        lines.append(f"{count['cell_days']} cell-days {100 * count['area_share']:8.2f} % of the area")
missing = [line for line in lines if line not in summary]
print("\n".join(missing))
sys.exit(bool(missing))
PYTHON
rm "$work/said"
nctool attribute clim.nc climatology_id "$(sed -n 's/^id  *//p' "$work/err")"

# --json: nothing but JSON on standard output, and the same as the report but for what differs from run to run.
program "${run[@]}" --json -O -o clim.nc --report report.json sea
exits 6
cp "$work/out" "$work/stdout.json"
json_has stdout.json "r == json.load(open('report.json'))"
program "${run[@]}" -q --json -o - sea
exits 2
out_is ''
(cd "$work" && "$SSTSTREAM" "${run[@]}" -q --json -O -o clim.nc sea >/dev/full 2>err)
exit_code=$?
shown="--json to a full disk"
exits 4
err_has "standard output"

# -q: only what went wrong; twice: only errors.
program "${run[@]}" -q -O -o clim.nc sea
exits 6
out_is ''
err_is "sststream: warning: baseline 2001-2003: 2 of 45 days have no file
sststream: warning: done, but 2 days of the baseline had no file"
program "${run[@]}" -q -q -O -o clim.nc sea
exits 6
out_is ''
err_is ''
program "${run[@]}" -O -o clim.nc sea
cp "$work/err" "$work/normal"
program "${run[@]}" -v -O -o clim.nc sea
exits 6
[ "$(wc -l <"$work/err")" -ge "$(wc -l <"$work/normal")" ] || fail "-v says less"

# Progress in a file: whole lines, no carriage return, no escape sequence.
for mode in plain bar auto json; do
    program "${run[@]}" --progress "$mode" -O -o clim.nc sea
    exits 6
    if LC_ALL=C grep -q $'[\r\e]' "$work/err"; then fail "control characters in a file"; fi
done
rm -f "$work/stdout.json" "$work/normal"
files_are clim.nc report.json

# SIGUSR1: one line of status. SIGTERM: the end by that signal, with nothing left behind and the old output in its place.
archive wide --grid 720x360 --years 2001-2003 --doy 148-162
cp "$work/clim.nc" "$work/kept"
shown="signals"
(cd "$work" && exec "$SSTSTREAM" --baseline 2001-2003 --doy 153-157 --smooth 0 --progress plain -O -o clim.nc wide) \
    >"$work/out" 2>"$work/err" </dev/null &
pid=$!
# The temporary file is made when reading begins.
for ((i = 0; i < 3000; ++i)); do
    [ -e "$work/clim.nc.tmp.$pid" ] && break
    sleep 0.01
done
kill -STOP "$pid"
kill -USR1 "$pid"
kill -CONT "$pid"
for ((i = 0; i < 300; ++i)); do
    grep -q '^sststream: read: ' "$work/err" && break
    sleep 0.01
done
kill -TERM "$pid" 2>/dev/null
wait "$pid"
exit_code=$?
exits 143
[ "$(grep -c '^sststream: read: [0-9]* %, [0-9]* of 45 days' "$work/err")" -eq 1 ] || fail "no line of status, or several"
out_is ''
cmp -s "$work/clim.nc" "$work/kept" || fail "the old output was touched"
files_are clim.nc kept report.json
finish
