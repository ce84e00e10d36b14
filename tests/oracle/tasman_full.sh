#!/bin/bash
# Every cell of the Tasman grid against the independent oracle: the packed 35-year file and daily files of the three forms
# of split_daily.py, exact and cf, under each leap rule. About ten minutes.
# ctest-labels: slow
set -eu
. "$SST_SOURCE_DIR/tests/oracle/lib_tasman.sh"

failed=0
for form in oisst ostia classic; do
    "$python" "$oracle/split_daily.py" "$tasman" "$scratch/$form" --like "$form"
done
for leap in skip own hobday; do
    answer=${SST_ORACLE_DIR:-$scratch}/oracle_$leap.nc
    [ -f "$answer" ] || "$python" "$oracle/oracle.py" clim "$tasman" "$answer" --leap "$leap"
    for input in "$tasman" "$scratch/oisst" "$scratch/ostia" "$scratch/classic"; do
        echo "leap $leap, ${input##*/}"
        check_against_oracle "$leap" "$answer" "$input" || failed=1
    done
done
exit $failed
