#!/bin/bash
# What plan says a run takes of memory, and what it then took, in MB.
#   memory_table.sh PROGRAM [small]                  on synthetic archives, which it makes: small ones, or 360x180 and 720x360 too
#   memory_table.sh PROGRAM FOLDER OPTION...         on an archive, with options that suit it (--baseline, --days, --smooth)
# A line says FAR where the two are more than a tenth apart.
set -euo pipefail
program=$(realpath "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_far=0

# case_of INPUT OPTION...
case_of() {
    local input=$1 planned measured code=0
    shift
    planned=$("$program" plan --progress none "$@" "$input" 2>/dev/null | sed -n 's/^memory *about \([0-9]*\) MB.*/\1/p')
    "$program" --progress none -O -o "$work/clim.nc" "$@" "$input" >"$work/out" 2>&1 || code=$?
    if [ "$code" -ne 0 ] && [ "$code" -ne 6 ]; then # 6: done, and days are absent
        echo "no run: $* $input: $(tail -1 "$work/out")"
        return
    fi
    measured=$(sed -n 's/^time .*at most \([0-9]*\) MB of memory.*/\1/p' "$work/out")
    awk -v planned="$planned" -v measured="$measured" -v what="$* ${input##*/}" 'BEGIN {
        ratio = planned / measured
        printf "%8d %8d %6.2f %-4s %s\n", planned, measured, ratio, (ratio > 1.1 || ratio < 0.9) ? "FAR" : "", what
    }' | tee "$work/line"
    if grep -q FAR "$work/line"; then n_far=$((n_far + 1)); fi
}

# estimators INPUT OPTION...: each of them, and what else changes memory
estimators() {
    local approx
    for approx in none cf maxent tail; do
        case_of "$@" --approx "$approx"
    done
    case_of "$@" --approx cf --validate 1% --report "$work/report.json"
    case_of "$@" --approx none --report "$work/report.json"
    case_of "$@" --approx none --compress none
    case_of "$@" --approx cf --compress none --readers 0
    case_of "$@" --approx none --readers 0
}

synth() {
    "$program" synth -q --progress none -o "$work/$1" "${@:2}"
}

echo " planned measured  ratio      options, input"
if [ $# -gt 0 ] && [ "$1" != small ]; then
    estimators "$@"
else
    synth 72x36 --grid 72x36 --years 1982-2011 --days 0601-0622
    estimators "$work/72x36" --baseline 1982-2011 --days 0606-0617 --smooth 0
fi
if [ $# -eq 0 ]; then
    synth 360x180 --grid 360x180 --years 1982-2011 --days 0601-0625
    estimators "$work/360x180" --baseline 1982-2011 --days 0606-0620 --smooth 0
    synth 720x360 --grid 720x360 --years 2001-2004 --days 0526-0705
    estimators "$work/720x360" --baseline 2001-2004 --days 0601-0630 --smooth 0
fi
if [ -n "${SST_DATA_DIR:-}" ]; then
    for file in "$SST_DATA_DIR"/tasman/tasman_*_packed.nc; do
        estimators "$file" --baseline 1982-2011 --smooth 0
        estimators "$file" --baseline 1982-2011 --smooth 31
    done
fi
echo "$n_far of these are more than a tenth apart"
