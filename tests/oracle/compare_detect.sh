#!/bin/bash
# Events of `detect`, by this program's own climatologies, against the tables of marineHeatWaves: two pixels for two baselines, a
# Tasman cell for two more, each raw and smoothed, warm and cold; and 64 Tasman cells.
# ctest-labels: figures
set -eu
. "$SST_SOURCE_DIR/tests/oracle/lib_tasman.sh"
folder=$SST_SOURCE_DIR/tests/oracle
reference=$data/reference
failed=0

# climatology_of BASELINE KIND INPUT: $scratch/clim.nc
climatology_of() {
    local smooth=0
    [ "$2" = raw ] || smooth=31
    "$SSTSTREAM" --exact --baseline "$1" --window 11 --leap hobday --smooth $smooth --percentile 90,10 --progress none \
        -q -O -o "$scratch/clim.nc" "$3"
}

# events_of mhw|mcs INPUT: $scratch/events.csv
events_of() {
    local cold=()
    [ "$1" = mhw ] || cold=(--cold)
    "$SSTSTREAM" detect --clim "$scratch/clim.nc" "${cold[@]}" --progress none -q -O --events "$scratch/events.csv" "$2"
}

# check_series INPUT TAG BASELINE...
check_series() {
    local input=$1 tag=$2 baseline kind direction
    shift 2
    for baseline in "$@"; do
        for kind in s31 raw; do
            climatology_of "$baseline" $kind "$input"
            for direction in mhw mcs; do
                events_of $direction "$input"
                echo "$tag $baseline $kind $direction"
                "$python" "$folder/compare_events.py" series "$scratch/events.csv" \
                    "$reference/$tag.$baseline.$kind.$direction.events.csv" "$input" || failed=1
            done
        done
    done
}

for series in sst_WA sst_Med; do
    "$python" "$folder/compare_reference.py" to-netcdf "$data/heatwaver/$series.csv" "$scratch/$series.nc"
    check_series "$scratch/$series.nc" $series 1982-2011 1991-2020
done
"$python" "$folder/compare_events.py" tasman-cell "$data/tasman/sst_1_2.csv" "$scratch/cell.nc"
check_series "$scratch/cell.nc" m_mhw_sst_1_2 1982-2005 1982-2011

climatology_of 1982-2011 s31 "$tasman"
for direction in mhw mcs; do
    events_of $direction "$tasman"
    echo "tasman 1982-2011 s31 $direction"
    "$python" "$folder/compare_events.py" grid "$scratch/events.csv" \
        "$reference/m_mhw_grid_stride4.1982-2011.s31.events.csv.gz" "$tasman" $direction || failed=1
done

# Planted fault: a gap of three days joins what marineHeatWaves keeps apart.
"$SSTSTREAM" detect --clim "$scratch/clim.nc" --max-gap 3 --progress none -q -O --events "$scratch/events.csv" "$tasman"
if "$python" "$folder/compare_events.py" grid "$scratch/events.csv" \
    "$reference/m_mhw_grid_stride4.1982-2011.s31.events.csv.gz" "$tasman" mhw >"$scratch/log"; then
    echo "the comparison did not see a planted fault"
    failed=1
fi
exit $failed
