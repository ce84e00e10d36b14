#!/bin/bash
# Disks that are really full, of every size up to what is needed, and one that is read-only: file systems in memory, which a
# name space of its own lets anybody mount. What was acknowledged is there, and the same command, given room, comes to its end.
# ctest-labels: crash figures
if [ -z "${SST_HAS_NAMESPACE:-}" ]; then
    if ! unshare -rm mount -t tmpfs none /mnt 2>/dev/null; then
        echo "skipped: no file system can be mounted here; anomaly.state_faults and anomaly.deed_faults have full disks in memory"
        exit 77
    fi
    exec env SST_HAS_NAMESPACE=1 unshare -rm bash "$0"
fi
. "$(dirname "$0")/../cli/lib_app.sh"
export OMP_WAIT_POLICY=passive

case ${SST_CRASH_SCALE:-push} in
push) n_sizes=50 ;;
nightly) n_sizes=200 ;;
release) n_sizes=500 ;;
*)
    echo "SST_CRASH_SCALE=$SST_CRASH_SCALE: neither push, nightly nor release"
    exit 1
    ;;
esac
if [ "${SST_CRASH_SCALE:-push}" = push ] && nm "$SSTSTREAM" 2>/dev/null | grep -qE '__(a|t)san_init'; then
    n_sizes=5 # time has no part in errors of memory
fi

digest_of() { (cd "$work" && "$SSTSTREAM" inspect --json "$1") | sed -n 's/^ *"digest": "\(.*\)".*/\1/p'; }
# disk OPTIONS: mounts an empty disk at $work/disk.
disk() {
    umount "$work/disk" 2>/dev/null
    mount -t tmpfs -o "$1" none "$work/disk"
}
resize() { mount -o "remount,$1" "$work/disk"; }

mkdir "$work/disk"
page=4096
(cd "$work" && "$SSTSTREAM" synth -q --grid 48x24 -o sea --years 2000-2003 --doy 1-12) || exit 1
make=(--baseline 2000-2002 --window 3 --keep all --readers 0)
program ingest --state whole "${make[@]}" -q sea
exits 0
for part in 01 23; do
    program ingest --state "part$part" "${make[@]}" -q "$work"/sea/*.200[$part]*.nc
    exits 0
done
final=$(digest_of whole)

# Whether a day that was told as committed is there.
expect_acknowledged() {
    local day
    program verify disk/st
    exits 0
    (cd "$work" && "$SSTSTREAM" inspect --json disk/st) >"$work/inspect.json"
    while read -r _ day rest; do
        if [ -z "$rest" ] && grep -qF "\"$day\"" "$work/inspect.json"; then fail "$day was acknowledged and is missing"; fi
    done <"$work/told"
}

expect_full() {
    exits 4
    err_has "No space left on device"
}

# ingest_at OPTIONS: into a disk of that size, then with room.
ingest_at() {
    disk "$1"
    program ingest --state disk/st "${make[@]}" sea
    [ "$exit_code" -eq 0 ] || expect_full
    n_full=$((n_full + (exit_code != 0)))
    cp "$work/out" "$work/told"
    if [ -d "$work/disk/st" ]; then
        expect_acknowledged
    elif [ -s "$work/told" ]; then
        fail "days were acknowledged, and there is no state"
    fi
    resize size=64m,nr_inodes=0
    program ingest --state disk/st "${make[@]}" -q sea
    exits 0
    [ "$(digest_of disk/st)" = "$final" ] || fail "$1: another state at the end"
}

# merge_at OPTIONS
merge_at() {
    disk "$1"
    program merge -q part01 part23 -o disk/st
    [ "$exit_code" -eq 0 ] || expect_full
    n_full=$((n_full + (exit_code != 0)))
    [ "$exit_code" -eq 0 ] || [ ! -e "$work/disk/st" ] || fail "half a state is there"
    resize size=64m,nr_inodes=0
    if [ "$exit_code" -ne 0 ]; then
        program merge -q part01 part23 -o disk/st
        exits 0
    fi
    program verify disk/st
    exits 0
    [ "$(digest_of disk/st)" = "$final" ] || fail "$1: another state at the end"
}

before=$(cat "$work"/part*/slots/* | cksum)
disk size=64m
program merge -q part01 part23 -o disk/st
exits 0
need=$(($(df --output=used -B $page "$work/disk" | tail -n 1) + 4)) # pages; the file that is being written, and one that it replaces
files=$(find "$work/disk" | wc -l)
for command in ingest merge; do
    n_full=0
    for ((i = 0; i < n_sizes; ++i)); do
        ${command}_at "size=$((page * (1 + need * i / n_sizes)))"
    done
    for ((i = 2; i < files; i += 1 + files / (1 + n_sizes / 5))); do
        ${command}_at "size=64m,nr_inodes=$i"
    done
    [ "$n_full" -gt $((n_sizes / 2)) ] || fail "only $n_full disks were full"
    echo "crash T6: $n_full file systems that were really full, for $command"
done
[ "$(cat "$work"/part*/slots/* | cksum)" = "$before" ] || fail "states that were merged changed"

# A disk that is read-only: nothing changes, readers are served.
disk size=64m
cp -r "$work/whole" "$work/disk/st"
resize ro
program ingest --state disk/st -q "$(cd "$work" && echo sea/*.20000101.nc)"
exits 4
err_has "disk/st"
err_has "Read-only file system"
program ingest --state disk/new "${make[@]}" -q sea
exits 4
err_has "Read-only file system"
program merge -q part01 part23 -o disk/new
exits 4
err_has "Read-only file system"
program verify disk/st
exits 0
[ "$(digest_of disk/st)" = "$final" ] || fail "the digest changed"

# A clock that was set back, and files of the future: values and days count, times do not.
touch -d 2100-01-01 "$work"/sea/*.2001*.nc
SOURCE_DATE_EPOCH=2000000000 program ingest --state clock "${make[@]}" -q "$work"/sea/*.200[01]*.nc
exits 0
SOURCE_DATE_EPOCH=1 program ingest --state clock -q sea
exits 0
[ "$(digest_of clock)" = "$final" ] || fail "the digest differs"
program verify clock
exits 0

umount "$work/disk"
finish
