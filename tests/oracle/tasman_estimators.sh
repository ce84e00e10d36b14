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

for approx in cf maxent; do
    validate "$approx" "$approx" --baseline 1982-2011 --leap skip "$tasman"
    printf '%-7s P90: bias %+.4f, rmse %.4f, max %.3f degC, %.4f of the cell-days beyond 0.1 degC, %d cells\n' "$approx" \
        "$(figure "$approx" sst_p90 bias)" "$(figure "$approx" sst_p90 rmse)" "$(figure "$approx" sst_p90 max_abs)" \
        "$(figure "$approx" sst_p90 share)" "$(figure "$approx" sst_p90 cells)"
done
at_most "cells without a value" "$((941 - $(figure maxent sst_p90 cells)))" 0
at_most "cf: rmse [degC]" "$(figure cf sst_p90 rmse)" 0.087
at_most "maxent: rmse [degC]" "$(figure maxent sst_p90 rmse)" 0.081
at_most "maxent: share beyond 0.1 degC, over that of cf" \
    "$(awk -v a="$(figure maxent sst_p90 share)" -v b="$(figure cf sst_p90 share)" 'BEGIN { print a / b }')" 0.9

# Planted fault: the limit of one estimator must be able to fail another.
if is_at_most "$(figure cf sst_p90 rmse)" 0.081; then
    echo "FAILED: cf passes for maxent"
    n_failed=$((n_failed + 1))
fi
exit "$((n_failed > 0))"
