#!/bin/bash
# maxent against cf where cf is known to fail: Early July of the synthetic ocean's upwelling and of its two-peaked front.
# ctest-labels: figures
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
exit "$((n_failed > 0))"
