#!/bin/bash
# Do bounds of 95 and 99 % cover what they say, at cells that were not compared? Fifty samples of a synthetic ocean with
# upwelling, a two-peaked front and an ice edge, each against the exact percentile of every cell; the worst region is shown.
# ctest-labels: slow
set -eu
if [ -z "${SSTSTREAM:-}" ]; then
    echo "skipped: SSTSTREAM does not name the program"
    exit 77
fi
. "$SST_SOURCE_DIR/tests/oracle/lib_estimators.sh"
n_seeds=${SST_COVERAGE_SEEDS:-50}
share=0.12
# west, south, east, north of the boxes in src/app/synth_ocean.h, and the rim of the ice
boxes=(upwelling:276,-28,288,-6 front:146,34,178,46 enso:190,-8,270,8 ice:0,60,360,90)

"$SSTSTREAM" synth -q --progress none --grid 120x60 --seed 1 -o "$scratch/daily"
/usr/bin/python3 "$SST_SOURCE_DIR/tests/oracle/pack_days.py" "$scratch/ocean.nc" "$scratch/daily" # opened a hundred times
rm -rf "$scratch/daily"
"$SSTSTREAM" --exact --smooth 0 --baseline 1991-2020 --progress none -q -o "$scratch/exact.nc" "$scratch/ocean.nc"

for approx in cf maxent; do
    : >"$scratch/$approx.txt"
    for seed in $(seq "$n_seeds"); do
        "$SSTSTREAM" --approx "$approx" --smooth 0 --baseline 1991-2020 --validate "$(awk -v s=$share 'BEGIN { print 100 * s }')%" \
            --coverage 95,99 --seed "$seed" --progress none -q -q -O -o "$scratch/approx.nc" "$scratch/ocean.nc"
        /usr/bin/python3 "$SST_SOURCE_DIR/tests/oracle/compare_coverage.py" "$scratch/approx.nc" "$scratch/exact.nc" "$seed" \
            "$share" "${boxes[@]}" >>"$scratch/$approx.txt"
    done
    awk -v approx="$approx" '{ sum[$1 " " $2] += $3; n[$1 " " $2]++; cells[$1 " " $2] += $4 }
        END { for (key in sum) printf "%s %s %.4f %d\n", approx, key, sum[key] / n[key], cells[key] / n[key] }' \
        "$scratch/$approx.txt" | sort
    for level in 95:0.94:0.96 99:0.985:0.995; do
        IFS=: read -r percent low high <<<"$level"
        mean=$(awk -v key="coverage_$percent" '$1 == key && $2 == "all" { s += $3; n++ } END { print s / n }' "$scratch/$approx.txt")
        at_most "$approx: share not covered by bounds of $percent %" "$(awk -v m="$mean" 'BEGIN { print 1 - m }')" \
            "$(awk -v l="$low" 'BEGIN { print 1 - l }')"
        at_most "$approx: share covered by bounds of $percent %" "$mean" "$high"
    done
done

# Planted fault: bounds of 95 % do not pass for bounds of 99 %.
mean=$(awk '$1 == "coverage_95" && $2 == "all" { s += $3; n++ } END { print s / n }' "$scratch/maxent.txt")
if is_at_most 0.985 "$mean"; then
    echo "FAILED: bounds of 95 % pass for bounds of 99 %"
    n_failed=$((n_failed + 1))
fi
exit "$((n_failed > 0))"
