#!/bin/bash
# Every cell of the Tasman grid: percentiles from lists against exact ones. With the default length at least 99.9 % of the
# cell-days are certified; with short lists fewer; none that is certified is off by a bit, and the bounds hold everywhere.
# ctest-labels: figures
set -eu
. "$SST_SOURCE_DIR/tests/oracle/lib_tasman.sh"
compare=$SST_SOURCE_DIR/tests/oracle/compare_tail.py
failed=0

# clim OUT OPTION...
clim() {
    local out=$1
    shift
    "$SSTSTREAM" --baseline 1982-2011 --window 11 --leap skip --progress none -q -O -o "$out" "$@" "$tasman"
}

for smooth in 0 31; do
    clim "$scratch/exact.nc" --exact --smooth $smooth --percentile 90,10
    clim "$scratch/tail.nc" --approx tail --smooth $smooth --percentile 90,10 --validate 100%
    echo "default length, smooth $smooth"
    "$python" "$compare" "$scratch/tail.nc" "$scratch/exact.nc" 99.9 || failed=1
done

clim "$scratch/exact.nc" --exact --smooth 0 --percentile 90,10
for k in 4 6 8; do
    clim "$scratch/tail_$k.nc" --approx tail --tail-k $k --smooth 0 --percentile 90,10 --validate 1%
    echo "length $k"
    "$python" "$compare" "$scratch/tail_$k.nc" "$scratch/exact.nc" 0 || failed=1
done

# Planted faults: as if all were certified; and another percentile.
if "$python" "$compare" --all-certified "$scratch/tail_4.nc" "$scratch/exact.nc" 0 >"$scratch/log"; then
    echo "the comparison did not see that all were taken for certified"
    failed=1
fi
clim "$scratch/type8.nc" --exact --smooth 0 --percentile 90,10 --quantile-type 8
if "$python" "$compare" "$scratch/tail_8.nc" "$scratch/type8.nc" 0 >"$scratch/log"; then
    echo "the comparison did not see a planted fault"
    failed=1
fi
exit $failed
