#!/bin/bash
# Each estimator against the exact percentile in every cell and day of the Tasman grid, with the limits that hold for it.
# ctest-labels: figures
set -eu
. "$SST_SOURCE_DIR/tests/oracle/lib_estimators.sh"

tasman=${SST_DATA_DIR:-$SST_SOURCE_DIR/../shared/data}/tasman/tasman_oisst_v2_1982-2016_packed.nc
if [ ! -f "$tasman" ]; then
    echo "skipped: no Tasman data; set SST_DATA_DIR to the folder that holds tasman/"
    exit 77
fi
rule=(--baseline 1982-2011 --leap skip)

for approx in cf maxent; do
    validate "$approx" "$approx" "${rule[@]}" "$tasman"
    mv "$scratch/clim.nc" "$scratch/$approx.nc"
    printf '%-7s P90: bias %+.4f, rmse %.4f, max %.3f degC, %.4f of the cell-days beyond 0.1 degC, %d cells\n' "$approx" \
        "$(figure "$approx" sst_p90 bias)" "$(figure "$approx" sst_p90 rmse)" "$(figure "$approx" sst_p90 max_abs)" \
        "$(figure "$approx" sst_p90 share)" "$(figure "$approx" sst_p90 cells)"
done
at_most "cells without a value" "$((941 - $(figure maxent sst_p90 cells)))" 0
at_most "cf: rmse [degC]" "$(figure cf sst_p90 rmse)" 0.087
at_most "maxent: rmse [degC]" "$(figure maxent sst_p90 rmse)" 0.081
at_most "maxent: share beyond 0.1 degC, over that of cf" \
    "$(awk -v a="$(figure maxent sst_p90 share)" -v b="$(figure cf sst_p90 share)" 'BEGIN { print a / b }')" 0.9

# What is learnt from a part of the cells, in all of them as they are written.
"$SSTSTREAM" --exact --smooth 0 "${rule[@]}" -P 1 --progress none -q -q -o "$scratch/exact.nc" "$tasman"
rmse() {
    local said
    said=$(/usr/bin/python3 "$SST_SOURCE_DIR/tests/oracle/compare_rmse.py" "$scratch/$1.nc" "$scratch/exact.nc")
    [ "${said#* }" -eq $((941 * 366)) ] && echo "${said% *}"
}
for approx in cf maxent; do
    for share in default 5%; do
        part=()
        [ $share = default ] || part=(--validate "$share")
        "$SSTSTREAM" --approx $approx --correct --smooth 0 "${rule[@]}" "${part[@]}" -P 1 --progress none -q -q -O \
            -o "$scratch/$approx.$share.nc" "$tasman"
        printf '%-7s --correct, %7s of the cells compared: rmse %.4f degC in all\n' $approx $share "$(rmse $approx.$share)"
    done
done
at_most "maxent --correct: rmse in all cells [degC]" "$(rmse maxent.default)" 0.079
at_most "cf --correct over cf: rmse in all cells" \
    "$(awk -v a="$(rmse cf.default)" -v b="$(rmse cf)" 'BEGIN { print a / b }')" 0.95

# Planted faults: the limit of one estimator must be able to fail another, and two ways to an error give the same.
if is_at_most "$(figure cf sst_p90 rmse)" 0.081; then
    echo "FAILED: cf passes for maxent"
    n_failed=$((n_failed + 1))
fi
if is_at_most "$(rmse maxent)" 0.079; then
    echo "FAILED: maxent without --correct passes for it with --correct"
    n_failed=$((n_failed + 1))
fi
at_most "maxent: rmse of the report less that of the files" \
    "$(awk -v a="$(figure maxent sst_p90 rmse)" -v b="$(rmse maxent)" 'BEGIN { d = a - b; print d < 0 ? -d : d }')" 0.0001
exit "$((n_failed > 0))"
