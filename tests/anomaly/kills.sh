#!/bin/bash
# Processes of the program killed at random times, and readers beside a writer: kills.py says how they are judged.
# ctest-labels: crash
set -eu
if [ -z "${SSTSTREAM:-}" ]; then
    echo "skipped: SSTSTREAM does not name the program"
    exit 77
fi
python=/usr/bin/python3 # Debian's own, as in tests/cli
if ! "$python" -c 'import netCDF4' 2>/dev/null; then
    echo "skipped: $python with netCDF4 is absent"
    exit 77
fi
case ${SST_CRASH_SCALE:-push} in
push) kills=500 reads=100 ;;
nightly) kills=5000 reads=2000 ;;
release) kills=20000 reads=10000 ;;
*)
    echo "SST_CRASH_SCALE=$SST_CRASH_SCALE: neither push, nightly nor release"
    exit 1
    ;;
esac
# A sanitizer looks for errors of memory, which time has no part in.
if [ "${SST_CRASH_SCALE:-push}" = push ] && nm "$SSTSTREAM" 2>/dev/null | grep -qE '__(a|t)san_init'; then
    kills=40 reads=10
fi
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$python" "$here/kills.py" "$SSTSTREAM" "$kills" "$reads" "${SST_CRASH_SEED:-1}"
