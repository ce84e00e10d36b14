#!/bin/bash
# plan: says what a run would read, from headers alone, and makes nothing.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2001-2003 --doy 148-162
run=(--approx cf --validate 50% --baseline 2001-2002 --doy 153-157 --smooth 0)
program plan "${run[@]}" sea
exits 0
err_is ''
out_has "baseline   2001-2002, 11-day window, leap hobday, not smoothed"
out_has "part       5 days from 06-02 to 06-06"
out_has "files      45 found, 30 needed ("
out_has "0 unusable; 2001-05-28 to 2003-06-11, calendar standard"
out_has "days       30 of 30 in the baseline, 0 missing, 0 doubled, 0 beside it"
out_has "cells      288, 12 x 24 (lat x lon)"
out_has " MB allowed (--memory)"
out_has "passes     1 over the files"
out_has "threads    2; "
out_has "output     sst_clim_2001-2002.nc"
out_has "state      as ingest makes one of all days: about "
sizes=$(grep '^state ' "$work/out")
program plan "${run[@]}" --json sea
exits 0
"$python" - "$work/out" "$sizes" <<'EOF' || fail "state_bytes are not what plan prints: $sizes"
import json, re, sys
state = json.load(open(sys.argv[1], encoding="utf-8"))["state_bytes"]
shown = [1e6 * float(number) for number in re.findall(r"([0-9.]+) MB", sys.argv[2])]  # rounded up
told = [state[keep] for keep in ("none", "probes", "all")]
sys.exit(len(shown) != 3 or any(not 0 <= a - b < 1e6 for a, b in zip(shown, told)) or told != sorted(told))
EOF
program plan "${run[@]}" --json --bbox 0,0,60,60 sea
exits 0
json_has out "r['state_bytes'] is None"
files_are ""

# Probes, and a report that breaks their errors down, take memory that is planned.
peak_of() {
    program plan "$@" --json sea
    exits 0
    "$python" -c "import json; print(json.load(open('$work/out'))['planned_peak_bytes'])"
}
few=$(peak_of "${run[@]}" --validate 1%) all=$(peak_of "${run[@]}" --validate 100%)
[ $((all - few)) -gt $((288 * (5 * 16 + 1000))) ] || fail "probes are not planned: $few and $all bytes"

# What may be taken of the machine, who works, and what is said where that is too little.
program plan "${run[@]}" --memory 1G --readers 1 --threads 3 sea
exits 0
out_has " MB at most, of 1074 MB allowed (--memory)"
out_has "threads    3; 1 process reads files"
program plan "${run[@]}" --memory 1GB --readers 0 --threads 1 sea
out_has " MB at most, of 1000 MB allowed (--memory)"
out_has "threads    1; the program reads files itself"
OMP_NUM_THREADS=7 program plan "${run[@]}" sea
out_has "threads    7; "
OMP_NUM_THREADS='' SLURM_CPUS_PER_TASK=1 program plan "${run[@]}" sea
out_has "threads    1; 1 process reads files"
program plan "${run[@]}" --memory 20M --json sea
exits 2
out_is ''
err_has "sststream: --memory 20M: the run needs at least "
err_has " MB, and this is 20 MB. Use a larger --memory"
err_lines 1
program "${run[@]}" --memory 20M sea
exits 2
err_has "--memory 20M: the run needs at least "
files_are ""
without=$(peak_of "${run[@]}" --readers 0) with=$(peak_of "${run[@]}" --readers 8)
[ "$with" -gt "$without" ] || fail "readers are not planned: $without and $with bytes"

# Gaps, doubles, odd files; the same as JSON, whose days are those that the run then finds.
rm "$work/$(day sea 20010605)"
cp "$work/$(day sea 20020603)" "$work/sea/copy.nc"
echo hello >"$work/sea/odd.nc"
program plan "${run[@]}" sea
exits 6
out_has "days       29 of 30 in the baseline, 1 missing, 1 doubled, 0 beside it"
out_has "  missing: 2001-06-05"
out_has "  not used: sea/odd.nc: "
program plan "${run[@]}" --json sea
exits 6
cp "$work/out" "$work/plan.json"
json_has plan.json "r['schema'] == 'sststream-plan/1' and 0 < r['planned_peak_bytes'] <= r['memory_limit_bytes'] and r['passes'] == 1 and r['pass_rows'] == 12 and r['probes'] > 0 and r['scratch_bytes'] == 0"
program "${run[@]}" --report run.json -o clim.nc sea
exits 6
json_has run.json "all(r[k] == json.load(open('plan.json'))[k] for k in ('days', 'grid', 'policy', 'source', 'planned_peak_bytes'))"

# An output in the way does not matter to a plan; a bad file that stops does.
program plan "${run[@]}" -o clim.nc sea
exits 6
program plan "${run[@]}" --on-bad stop sea
exits 3
out_is ''
err_has "sea/odd.nc: "
err_lines 1

# A full disk on standard output is noticed.
(cd "$work" && "$SSTSTREAM" plan "${run[@]}" sea >/dev/full 2>err)
exit_code=$?
exits 4
(cd "$work" && "$SSTSTREAM" plan "${run[@]}" --json sea >/dev/full 2>err)
exit_code=$?
exits 4
finish
