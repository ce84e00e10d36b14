#!/bin/bash
# maxent against cf where cf is known to fail: early July of the synthetic ocean's upwelling and of its two-peaked front.
# At the ice edge, where values pile up at the freezing point, the two are shown side by side, without a limit.
# ctest-labels: slow
set -eu
if [ -z "${SSTSTREAM:-}" ]; then
    echo "skipped: SSTSTREAM does not name the program"
    exit 77
fi
. "$SST_SOURCE_DIR/tests/oracle/lib_estimators.sh"

"$SSTSTREAM" synth -q --progress none --grid 120x26 --lat=-30,48 --days 0626-0720 --seed 1 -o "$scratch/ocean"
# west, south, east, north of the boxes in src/app/synth_ocean.h
for box in upwelling:276,-28,288,-6 front:146,34,178,46; do
    region=${box%%:*}
    for approx in cf maxent; do
        validate "$region.$approx" "$approx" --baseline 1991-2020 --days 0701-0715 --percentile 10,90 "--bbox=${box#*:}" \
            "$scratch/ocean"
        for variable in sst_p10 sst_p90; do
            printf '%-9s %s %-6s: rmse %.4f degC, %.4f of the cell-days of %d cells beyond 0.1 degC\n' "$region" "$variable" \
                "$approx" "$(figure "$region.$approx" "$variable" rmse)" "$(figure "$region.$approx" "$variable" share)" \
                "$(figure "$region.$approx" "$variable" cells)"
        done
    done
    cf=$(figure "$region.cf" sst_p90 share)
    at_most "$region: P90 beyond 0.1 degC, maxent over cf" \
        "$(awk -v a="$(figure "$region.maxent" sst_p90 share)" -v b="$cf" 'BEGIN { print a / b }')" 0.5
    # The regions are hard: a comparison in which cf does well would show nothing.
    at_most "$region: share of P90 within 0.1 degC, cf" "$(awk -v a="$cf" 'BEGIN { print 1 - a }')" 0.25
done

# ice NAME VARIABLE: share beyond 0.1 degC, RMSE and number of the cell-days that have ice or no variance.
ice() {
    /usr/bin/python3 - "$scratch/$1.json" "$2" <<'PY'
import json
import math
import sys
with open(sys.argv[1]) as file:
    errors = json.load(file)["validation"]["errors_degc"][sys.argv[2]]
whole, free = errors["all_count"], errors["ice_free_count"]
n, n_free = whole["cell_days"], free["cell_days"]
beyond = n * whole["beyond_tolerance"]["share"] - n_free * free["beyond_tolerance"]["share"]
squares = n * whole["rmse"]**2 - n_free * free["rmse"]**2
print("%.4f %.4f %d" % (beyond / (n - n_free), math.sqrt(squares / (n - n_free)), n - n_free))
PY
}

"$SSTSTREAM" synth -q --progress none --grid 120x8 --lat=60,84 --days 0626-0720 --seed 1 -o "$scratch/ice"
for approx in cf maxent; do
    validate "ice.$approx" "$approx" --baseline 1991-2020 --days 0701-0715 --percentile 10,90 "$scratch/ice"
    for variable in sst_p10 sst_p90; do
        read -r share rmse n <<<"$(ice "ice.$approx" $variable)"
        printf '%-9s %s %-6s: rmse %s degC, %s of %d cell-days beyond 0.1 degC (no limit)\n' ice $variable $approx "$rmse" \
            "$share" "$n"
    done
done
if [ "$n" -lt 1000 ]; then
    echo "FAILED: hardly any ice in what was to be its edge"
    n_failed=$((n_failed + 1))
fi
exit "$((n_failed > 0))"
