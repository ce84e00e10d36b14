#!/bin/bash
# What it costs to know the exact percentile of every cell, as a ratio to reading the files, in one run.
#
#   cmake --preset release && cmake --build --preset release
#   bench/validate_ratio.sh [build/release/sststream [ROUNDS [NLONxNLAT]]]
#
# Makes a synthetic archive of one file a day (30 years, 40 days of each; some 100 MB, gone at the end). Runs take turns, so
# that a busy machine is as busy for each; printed are medians of processor time and their ratios. "Reading" is a run with a
# window of one day, which also adds to sums and writes. The same for the Tasman grid where SST_DATA_DIR names its folder.
set -eu -o pipefail

program=${1:-build/release/sststream}
rounds=${2:-5}
grid=${3:-360x180}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMP_WAIT_POLICY=passive
TIMEFORMAT='%U %S'

# seconds NAME OPTION... INPUT: appends the processor time of one run to a list.
seconds() {
    local name=$1
    shift
    { time "$program" --progress none -q -q -O --smooth 0 -o "$scratch/out.nc" "$@" 2>&3; } 3>&2 2>&1 |
        awk '{ print $1 + $2 }' >>"$scratch/$name"
}

median() { sort -n "$scratch/$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

# measure TITLE OPTIONS-OF-READING OPTIONS-OF-THE-OTHERS INPUT...
measure() {
    local title=$1 reading=$2 whole=$3
    shift 3
    rm -f "$scratch"/{reading,cf1,cf100,exact,tail}
    for ((round = 0; round < rounds; ++round)); do
        # shellcheck disable=SC2086  # options are words
        {
            seconds reading --approx cf --validate 0.01% $reading "$@"
            seconds cf1 --approx cf --validate 1% $whole "$@"
            seconds cf100 --approx cf --validate 100% $whole "$@"
            seconds exact --approx none $whole "$@"
            seconds tail --approx tail --validate 1% $whole "$@"
        }
    done
    printf '%s (processor seconds, medians of %d)\n' "$title" "$rounds"
    awk -v r="$(median reading)" -v a="$(median cf1)" -v b="$(median cf100)" -v e="$(median exact)" -v t="$(median tail)" '
        BEGIN {
            printf "  reading and little else            %7.2f\n", r
            printf "  --approx cf --validate 1%%          %7.2f\n", a
            printf "  --approx cf --validate 100%%        %7.2f   %.2f of --validate 1%%\n", b, b / a
            printf "  --approx none                      %7.2f   %.2f\n", e, e / a
            printf "  --approx tail --validate 1%%        %7.2f   %.2f\n", t, t / a
            printf "  validating all rather than 1%%, over reading: %.2f\n", (b - a) / r
        }'
}

"$program" synth --grid "$grid" --years 1991-2020 --doy 1-40 --progress none -q -o "$scratch/archive"
measure "one file a day, $grid" '--baseline 1991-2020 --window 1 --doy 1-40' \
    '--baseline 1991-2020 --window 11 --doy 6-35' "$scratch/archive"

tasman=${SST_DATA_DIR:-}/tasman/tasman_oisst_v2_1982-2016_packed.nc
if [ -f "$tasman" ]; then
    measure 'Tasman grid, one packed file' '--baseline 1982-2011 --leap skip --window 1' \
        '--baseline 1982-2011 --leap skip --window 11' "$tasman"
fi
