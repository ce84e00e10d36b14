#!/usr/bin/env bash
# A feed's files are what other libraries take them for, and agree with each other; changed ones are found out.
set -euo pipefail

python=/usr/bin/python3 # Debian's, which has Debian's netCDF4
"$python" -c 'import netCDF4, numpy' 2>/dev/null || {
    echo 'skipped: no netCDF4 for Python; on Debian, python3-netcdf4'
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
feed=$scratch/feed
mkdir "$feed"
"$SST_BUILD_DIR/tests/feed_files" "$feed" small >"$scratch/log"
read_back() { "$python" "$SST_SOURCE_DIR/tests/unit/feed_files.py" "$feed"; }
read_back

# must_find WORDS FILE SED: the fault is planted, seen, and taken away.
must_find() {
    cp "$feed/$2" "$scratch/kept"
    sed -i "$3" "$feed/$2"
    ! cmp -s "$feed/$2" "$scratch/kept" || {
        echo "no fault was planted in $2 by $3"
        exit 1
    }
    if read_back >"$scratch/said" 2>&1 || ! grep -qF -- "$1" "$scratch/said"; then
        echo "not found: $1 in $2"
        cat "$scratch/said"
        exit 1
    fi
    cp "$scratch/kept" "$feed/$2"
}
must_find 'another sum than listed' areas.csv 's/strong/Strong/'
must_find 'another size than listed' feed.atom '$ s/$/ /'
must_find 'another sum than listed' index.json 's/missing/MISSING/'
touch "$feed/stray"
if read_back >"$scratch/said" 2>&1; then
    echo 'a file that is not listed was not found'
    exit 1
fi
grep -qF 'does not list what is there' "$scratch/said"
rm "$feed/stray"
read_back >"$scratch/said"
