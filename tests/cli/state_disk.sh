#!/bin/bash
# A state on a disk that is read-only, full, or gets so: each a clear error, and a state as it was. On a small disk of its own.
if [ -z "${SST_OWN_MOUNTS:-}" ]; then
    unshare -rm mount -t tmpfs none /mnt 2>/dev/null || { echo "skipped: no disk can be mounted here" && exit 77; }
    SST_OWN_MOUNTS=1 exec unshare -rm bash "$0"
fi
. "$(dirname "$0")/lib_archive.sh"

disk=$work/disk
mkdir "$disk"
mount -t tmpfs -o size=1m none "$disk"
trap 'umount "$disk"; rm -rf "$work"' EXIT
archive sea --years 2000-2002 --doy 1-2
archive more --years 2001-2001 --doy 3-22
cd "$work" || exit 1

digest_of() { (cd "$work" && "$SSTSTREAM" inspect --json "$1") | sed -n 's/^ *"digest": "\(.*\)".*/\1/p'; }
same_digest() { [ "$(digest_of "$1")" = "$(digest_of "$2")" ] || fail "the digests of $1 and $2 differ"; }
free_bytes() { echo $(($(stat -f -c '%a * %S' "$disk"))); }

program ingest --state disk/st --baseline 2000-2002 --window 3 -q --readers 0 sea
exits 0
cp -r disk/st before

# Read-only: nothing is written, and what only reads goes on.
mount -o remount,ro "$disk"
program ingest --state disk/st -q --readers 0 more
exits 4
out_is ''
err_is "sststream: disk/st/lock: cannot be opened to write: Read-only file system. Make the state writable"
program ingest --state disk/other --baseline 2000-2002 -q --readers 0 more
exits 4
err_has "Read-only file system"
program verify disk/st
exits 0
mount -o remount,rw "$disk"

# Full: the day in hand is not counted, those before it are, and it is when there is room.
head -c "$(($(free_bytes) - 4096))" /dev/zero >disk/filler
program ingest --state disk/st -q --readers 0 more
exits 4
out_is ''
err_has "disk/st/slots/003: its new content cannot be written: No space left on device. What was there stands as it was. Free some space and run again"
same_digest disk/st before
rm disk/filler
program ingest --state disk/st -q --readers 0 "$(day more 20010103)"
exits 0
out_is "committed 2001-01-03"

# The service looks before each commit, and leaves what there is no room for.
mkdir inbox
cp more/*.nc inbox
program watch --state disk/st --inbox inbox --once --settle 0.1s -q --min-free $(($(free_bytes) - 100000))
exits 4
err_has "disk/st: only "
err_has "nothing is taken until there is room"
err_has "sststream: disk/st: too little room: files were left for later"
n_taken=$(grep -c '^committed ' out)
{ [ "$n_taken" -gt 1 ] && [ "$n_taken" -lt 19 ]; } || fail "expected some of 19 days, not $n_taken"
sed -n 's/^committed \(....\)-\(..\)-\(..\)$/more\/oisst-avhrr-v02r01.\1\2\3.nc/p' out >taken
mapfile -t taken <taken
program ingest --state before -q --readers 0 "$(day more 20010103)" "${taken[@]}"
exits 0
same_digest disk/st before
program watch --state disk/st --inbox inbox --once --settle 0.1s -q --min-free 0
exits 0
[ "$(grep -c '^committed ' out)" -eq $((19 - n_taken)) ] || fail "expected the other $((19 - n_taken)) days"
program ingest --state before -q --readers 0 more
exits 0
same_digest disk/st before
finish
