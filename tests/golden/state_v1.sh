#!/bin/bash
# States of format 1.0, kept for ever in state-v1/: this build reads them, finds them whole, makes the climatologies of them
# that it made when they were written, and goes on with them. --write writes the figures anew, --make the states too (README.md).
# ctest-labels: crash figures
. "$(dirname "$0")/../cli/lib_archive.sh"
need_python

golden=$(cd "$(dirname "$0")" && pwd)
export SOURCE_DATE_EPOCH=1700000000 # no file may tell when it was written
digest_of() { (cd "$work" && "$SSTSTREAM" inspect --json "$1") | sed -n 's/^ *"digest": "\(.*\)".*/\1/p'; }

# The days of two calendar days, some beside the baseline, one preliminary; a file that cannot be read. Polar rows have ice.
archive_of_state() {
    (cd "$work" && "$SSTSTREAM" synth -q --grid 8x6 -o sea --years 2000-2003 --doy 1-2 --seed 30) || exit 1
    mv "$work/$(day sea 20020102)" "$work/sea/oisst-avhrr-v02r01.20020102_preliminary.nc"
    head -c 1000 "$work/$(day sea 20010101)" >"$work/sea/cut.nc"
}

# make STATE OPTIONS...: exit code 6, for the file that cannot be read.
make() {
    program ingest --state "$1" --baseline 2000-2002 --window 3 --seed 1 --readers 0 -qq "${@:2}" sea
    exits 6
}

# figures STATE ESTIMATOR: each third value of a climatology of it, with all digits.
n=0
figures() {
    local estimator
    n=$((n + 1))
    read -ra estimator <<<"$2"
    program climatology --state "$1" --doy 1-2 --window 1 --smooth 0 -q -o "clim-$1-$n.nc" "${estimator[@]}"
    exits 6
    err_is "sststream: warning: done, but 1 day of the baseline is not counted"
    (cd "$work" && "$python" - "$1 ${2:-exact}" "clim-$1-$n.nc" <<'END') >>"$work/expected.csv" || fail "no figures"
import sys
import netCDF4
with netCDF4.Dataset(sys.argv[2]) as data:
    data.set_auto_maskandscale(False)
    for name in sorted(set(data.variables) - set(data.dimensions)):
        if data[name].ndim > 1:
            values = data[name][:].ravel()
            print(f"{sys.argv[1]},{name},{values.size},{' '.join(f'{value:.9g}' for value in values[::3])}")
END
}

write_all() {
    archive_of_state
    make all --keep all --tail-k 2
    make none --keep none --tail-k 2
    rm -rf "$golden/state-v1"
    mkdir "$golden/state-v1"
    cp -r "$work/all" "$work/none" "$golden/state-v1"
}

export shown="state-v1"
[ "${1:-}" != --make ] || write_all
rm -rf "$work/all" "$work/none"
cp -r "$golden/state-v1/all" "$golden/state-v1/none" "$work"
for state in all none; do
    echo "$state,digest,,$(digest_of $state)" >>"$work/expected.csv"
done
figures all ""
figures none "--approx tail --tail-k 2"
figures none "--approx cf"
if [ $# -gt 0 ]; then
    cp "$work/expected.csv" "$golden/state-v1/expected.csv"
elif ! diff -u "$golden/state-v1/expected.csv" "$work/expected.csv" >"$work/out"; then
    fail "the states of format 1.0 are not read as they were written"
fi
for state in all none; do
    program verify $state
    exits 0
    out_is "whole: every byte is as it was written"
done

# What is written today is the same state; and the old one takes the final day.
[ -e "$work/sea" ] || archive_of_state
for state in all none; do
    cp -r "$work/$state" "$work/old-$state"
    rm -r "${work:?}/$state"
    make $state --keep $state --tail-k 2
    [ "$(digest_of $state)" = "$(digest_of old-$state)" ] || fail "$state: today's state has another digest"
    mkdir -p "$work/final"
    cp "$work/sea/oisst-avhrr-v02r01.20020102_preliminary.nc" "$work/$(day final 20020102)"
    program ingest --state old-$state -q final
    exits 0
    out_is "committed 2002-01-02"
    program verify old-$state
    exits 0
done
finish
