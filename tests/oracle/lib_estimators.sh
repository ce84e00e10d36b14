# What the tests that hold estimators against the exact percentile share.
# shellcheck shell=bash

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
n_failed=0

# validate NAME APPROX OPTION... INPUT: every cell against its exact percentile; leaves $scratch/NAME.json.
validate() {
    local name=$1 approx=$2
    shift 2
    "$SSTSTREAM" --approx "$approx" --smooth 0 --validate 100% --progress none -q -q -O -o "$scratch/clim.nc" \
        --report "$scratch/$name.json" "$@"
}

# figure NAME VARIABLE KEY: one figure of the error table over all cells: rmse, bias, max_abs, cells, or share (beyond).
figure() {
    /usr/bin/python3 - "$scratch/$1.json" "$2" "$3" <<'PY'
import json
import sys
with open(sys.argv[1]) as file:
    row = json.load(file)["validation"]["errors_degc"][sys.argv[2]]["all_count"]
row["share"] = row["beyond_tolerance"]["share"]
print(row[sys.argv[3]])
PY
}

is_at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a <= b) }'; }

# at_most WHAT VALUE LIMIT
at_most() {
    printf '%-48s %9.5f, at most %g\n' "$1" "$2" "$3"
    is_at_most "$2" "$3" || {
        echo "FAILED: $1"
        n_failed=$((n_failed + 1))
    }
}
