#!/bin/bash
# What ingest must not take amiss or be harmed by: zones, locales, clocks; and states and disks that it has to refuse.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2000-2002 --doy 1-2
archive wide --years 2001-2001 --doy 1-1 --grid 30x15
new=(--baseline 2000-2002 --window 3 --keep all -q --readers 0)

# digest_of STATE
digest_of() { (cd "$work" && "$SSTSTREAM" inspect --json "$1") | sed -n 's/^ *"digest": "\(.*\)".*/\1/p'; }

program ingest --state st "${new[@]}" sea
exits 0
digest=$(digest_of st)
[ "${#digest}" -eq 32 ] || fail "no digest: $digest"
# same STATE: it counted what the first did
same() { [ "$(digest_of "$1")" = "$digest" ] || fail "the digest of $1 differs"; }

# Zones, locales, clocks: the same state to the bit.
for zone in UTC Pacific/Kiritimati Pacific/Apia America/St_Johns Asia/Kathmandu Africa/Casablanca; do
    export TZ=$zone
    program ingest --state "in-${zone##*/}" "${new[@]}" sea
    exits 0
    same "in-${zone##*/}"
done
unset TZ
for locale in de_DE.UTF-8 C.UTF-8 C; do # one that is not there is the same as C
    { export LC_ALL=$locale; } 2>/dev/null
    program ingest --state "says-$locale" "${new[@]}" sea
    exits 0
    same "says-$locale"
done
unset LC_ALL
cp -r "$work/sea" "$work/future"
touch -d '2 years' "$work"/future/*.nc
export SOURCE_DATE_EPOCH=86400 # the clock that is noted was set back
program ingest --state early "${new[@]}" future
exits 0
same early
unset SOURCE_DATE_EPOCH

# refuses CODE TEXT STATE FILES...: in one line, and the state stays as it was
refuses() {
    local code=$1 text=$2 state=$3
    shift 3
    rm -rf "$work/before"
    cp -r "$work/$state" "$work/before"
    program ingest --state "$state" -q --readers 0 "$@"
    exits "$code"
    out_is ''
    err_has "$text"
    err_lines 1
    diff -r "$work/before" "$work/$state" >/dev/null || fail "$state was changed"
}

# harm FILE CHANGE ARGUMENTS...: a Python program changes `data`, the bytes of a file of a copy of the state
harm() {
    local file=$1 change=$2
    shift 2
    rm -rf "$work/harmed"
    cp -r "$work/st" "$work/harmed"
    "$python" -c "
import ctypes, sys
path = sys.argv[1]
data = bytearray(open(path, 'rb').read())
$change
open(path, 'wb').write(data)" "$work/harmed/$file" "$@" || fail "no harm was done to $file"
}

# A newer version: named. The header's checksum is that of its bytes.
newer="data[8] += 1
library = ctypes.CDLL('libxxhash.so.0')
library.XXH3_64bits.restype = ctypes.c_uint64
data[32:40] = library.XXH3_64bits(bytes(data[:32]), ctypes.c_size_t(32)).to_bytes(8, 'little')"
archive more --years 2003-2003 --doy 1-1
for file in policy contents files slots/001; do
    harm "$file" "$newer"
    refuses 7 "harmed/$file: is of format 2.0, and this program reads up to 1. Use a newer sststream" harmed more
done

# A damaged byte, wherever it is in a file that the day has to do with.
for file in policy contents files slots/001; do
    size=$(stat -c %s "$work/st/$file")
    for at in 0 9 33 $((size / 2)) $((size - 1)); do
        harm "$file" "data[int(sys.argv[2])] ^= 0x41" "$at"
        refuses 7 "harmed/$file" harmed more
    done
    harm "$file" "del data[len(data) // 2:]"
    refuses 7 "harmed/$file" harmed more
done
rm "$work/harmed/slots/001"
refuses 7 "harmed/" harmed more

# Another grid.
program ingest --state st -q wide
exits 6
out_is ''
err_has "2001-01-01 left out: not the grid of the state"
same st

# A disk that is full while a slot is written: as far as files may grow, so that no disk has to be filled.
limit=$(($(stat -c %s "$work/st/slots/001") / 1024))
shown="sststream ingest, with files of at most $limit kB"
(cd "$work" && trap '' XFSZ && ulimit -f "$limit" && "$SSTSTREAM" ingest --state st -q --readers 0 more) >"$work/out" 2>"$work/err"
exit_code=$?
exits 4
out_is ''
err_has "st/slots/001: its new content cannot be written: File too large. What was there stands as it was"
same st
finish
