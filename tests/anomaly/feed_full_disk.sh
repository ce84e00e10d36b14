#!/bin/bash
# A feed on disks that are really full, of every size up to what it needs: the service says so, counts on, and what the feed lists is
# whole; given room, it comes to be the feed that a disk with room had from the start.
# ctest-labels: crash figures
if [ -z "${SST_HAS_NAMESPACE:-}" ]; then
    if ! unshare -rm mount -t tmpfs none /mnt 2>/dev/null; then
        echo "skipped: no file system can be mounted here"
        exit 77
    fi
    exec env SST_HAS_NAMESPACE=1 unshare -rm bash "$0"
fi
. "$(dirname "$0")/../cli/lib_app.sh"
export OMP_WAIT_POLICY=passive SOURCE_DATE_EPOCH=1100000000
n_sizes=8
page=4096

# disk OPTIONS: mounts an empty disk at $work/disk.
disk() {
    umount "$work/disk" 2>/dev/null
    mount -t tmpfs -o "$1" none "$work/disk"
}
watch_once() { program watch --once --poll 1s --settle 0.1s --state "$1" --inbox inbox --clim clim.nc --feed disk/feed --min-area 1000; }

# Every file that index.json lists is there with its size and sum; no index.json is fine, half of one is not.
expect_whole() {
    [ -e "$work/disk/feed/index.json" ] || return 0
    /usr/bin/python3 - "$work/disk/feed" <<'PY' || fail "$1: the feed is not whole"
import hashlib, json, os, sys
feed = sys.argv[1]
for one in json.load(open(os.path.join(feed, "index.json")))["files"]:
    data = open(os.path.join(feed, one["path"]), "rb").read()
    assert len(data) == one["bytes"] and hashlib.sha256(data).hexdigest() == one["sha256"], one["path"]
if os.path.exists(os.path.join(feed, "latest.json")):
    json.load(open(os.path.join(feed, "latest.json")))
PY
}
# What the days say, but for numbers of revisions: those that a full disk cut short have one more.
content() {
    (cd "$work/disk/feed" && for file in $(find days -name '*.js' | LC_ALL=C sort); do
        echo "$file $(sed 's/"revision":[0-9]*//' "$file" | cksum)"
    done)
}

mkdir "$work/disk" "$work/inbox"
(cd "$work" && "$SSTSTREAM" synth -q --grid 48x24 -o sea --years 2000-2003 --doy 1-20 &&
    "$SSTSTREAM" --exact --baseline 2000-2002 --window 5 --smooth 0 --percentile 90 -q -q --progress none -o clim.nc sea)
[ -f "$work/clim.nc" ] || exit 1
program ingest --state begun --baseline 2000-2002 --window 5 -q "$work"/sea/*.2000010[1-3]*.nc
exits 0
mv "$work"/sea/*.200301*.nc "$work/inbox/"

disk size=64m
cp -r "$work/begun" "$work/whole"
watch_once whole
exits 0
content >"$work/whole.content"
[ "$(wc -l <"$work/whole.content")" -ge 40 ] || fail "the feed has too few files to tell anything"
need=$(df --output=used -B $page "$work/disk" | tail -n 1)

n_full=0
for ((i = 0; i < n_sizes; ++i)); do
    size="size=$((page * (1 + need * i / n_sizes)))"
    disk "$size"
    rm -rf "$work/st" && cp -r "$work/begun" "$work/st"
    watch_once st
    if [ "$exit_code" -ne 0 ]; then
        exits 4
        err_has "disk/feed"
        err_has "No space left on device"
        n_full=$((n_full + 1))
    fi
    expect_whole "$size"
    mount -o remount,size=64m "$work/disk"
    watch_once st
    exits 0
    expect_whole "$size, then room"
    content | cmp -s - "$work/whole.content" || fail "$size: another feed at the end"
done
[ "$n_full" -gt $((n_sizes / 2)) ] || fail "only $n_full disks were full"
echo "$n_full disks that were really full, for a feed"
umount "$work/disk"
finish
