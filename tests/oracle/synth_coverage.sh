#!/bin/bash
# Do bounds of 95 and 99 % cover what they say, at cells that were not compared? Fifty samples of a synthetic ocean with
# upwelling, a two-peaked front and an ice edge, each against the exact percentile of every cell; the worst region is named.
# ctest-labels: slow
set -eu
if [ -z "${SSTSTREAM:-}" ]; then
    echo "skipped: SSTSTREAM does not name the program"
    exit 77
fi
if ! /usr/bin/python3 -c 'import numpy, netCDF4' 2>/dev/null; then
    echo "skipped: needs python3-numpy and python3-netcdf4"
    exit 77
fi
. "$SST_SOURCE_DIR/tests/oracle/lib_estimators.sh"
n_seeds=${SST_COVERAGE_SEEDS:-50}
percent=12 # of the cells; two in three are sea: some 575 probes with values, of which a bound of 99 % needs 297
# west, south, east, north of the boxes in src/app/synth_ocean.h
boxes=("upwelling:276,-28,288,-6" "front:146,34,178,46" "enso:190,-8,270,8")
common=(--smooth 0 --baseline 1991-2020 -P 1 --progress none -q -q -O)

"$SSTSTREAM" synth -q --progress none --grid 120x60 --seed 1 -o "$scratch/daily"
/usr/bin/python3 "$SST_SOURCE_DIR/tests/oracle/pack_days.py" "$scratch/ocean.nc" "$scratch/daily"
rm -r "$scratch/daily"
"$SSTSTREAM" "${common[@]}" --exact -o "$scratch/exact.nc" "$scratch/ocean.nc"

# sample_all APPROX: leaves $scratch/APPROX.txt, a line for each seed, bound and group.
sample_all() {
    for ((seed = 1; seed <= n_seeds; ++seed)); do
        "$SSTSTREAM" "${common[@]}" --approx "$1" --validate $percent% --coverage 95,99 --seed $seed -o "$scratch/$1.nc" \
            "$scratch/ocean.nc" || return 1
        /usr/bin/python3 "$SST_SOURCE_DIR/tests/oracle/compare_coverage.py" "$scratch/$1.nc" "$scratch/exact.nc" $seed \
            "$(awk -v p=$percent 'BEGIN { print p / 100 }')" "${boxes[@]}" || return 1
    done >"$scratch/$1.txt"
}

sample_all cf &
cf_job=$!
sample_all maxent
wait $cf_job

# mean APPROX LEVEL GROUP
mean() { awk -v key="coverage_$2 $3" '$1 " " $2 == key { s += $3; n++ } END { if (n) print s / n }' "$scratch/$1.txt"; }

for approx in cf maxent; do
    echo "$approx, mean over $n_seeds samples, its standard deviation from sample to sample; cells"
    awk '{ key = $1 " " $2; s[key] += $3; q[key] += $3 * $3; n[key]++; cells[key] += $4 }
        END { for (key in s) { m = s[key] / n[key]; v = q[key] / n[key] - m * m
            printf "  %-24s %.4f %.4f %5d\n", key, m, sqrt(v > 0 ? v : 0), cells[key] / n[key] } }' "$scratch/$approx.txt" | sort
    for level in 95:0.94:0.96 99:0.985:0.995; do
        IFS=: read -r of low high <<<"$level"
        covered=$(mean $approx "$of" all)
        at_most "$approx: share outside bounds of $of %" "$(awk -v m="$covered" 'BEGIN { print 1 - m }')" \
            "$(awk -v l="$low" 'BEGIN { print 1 - l }')"
        at_most "$approx: share within bounds of $of %" "$covered" "$high"
        awk -v key="coverage_$of" '$1 == key && $2 != "all" { s[$2] += $3; n[$2]++ }
            END { for (g in s) if (worst == "" || s[g] / n[g] < s[worst] / n[worst]) worst = g
                printf "  worst region: %s, %.2f %%\n", worst, 100 * s[worst] / n[worst] }' "$scratch/$approx.txt"
    done
done

# Planted fault: bounds of 95 % do not pass for bounds of 99 %.
if is_at_most 0.985 "$(mean maxent 95 all)"; then
    echo "FAILED: bounds of 95 % pass for bounds of 99 %"
    n_failed=$((n_failed + 1))
fi
exit "$((n_failed > 0))"
