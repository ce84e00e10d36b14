#!/bin/bash
# Feeds: the service writes one beside its state, whatever the files' order and wherever it stops; made anew it is the same.
. "$(dirname "$0")/lib_watch.sh"
need_python

archive sea --years 2000-2003 --doy 1-60
"$SSTSTREAM" -q --baseline 2000-2003 --doy 1-60 --smooth 0 --leap own --window 5 --percentile 90 --progress none \
    -o "$work/clim.nc" "$work/sea" 2>"$work/err"
[ -f "$work/clim.nc" ] || { cat "$work/err"; exit 1; }
"$SSTSTREAM" -q --baseline 2000-2002 --doy 1-60 --smooth 0 --leap own --window 5 --percentile 90 --progress none \
    -o "$work/old.nc" "$work/sea" 2>/dev/null
mkdir "$work/inbox" "$work/days"

# Refused before anything is read.
rebuild='as in: sststream feed rebuild --clim clim.nc --feed feed oisst/'
refused "feed: what is to be done? Accepted: rebuild, $rebuild" feed --clim clim.nc --feed f sea
refused "feed rebuild: name one feed and its climatology, $rebuild" feed rebuild --feed f sea
refused "feed rebuild: no files. Name files or directories of daily SST, $rebuild" feed rebuild --clim clim.nc --feed f
refused "watch: 1 of --clim and 0 of --feed. Give a feed its climatology, and a climatology its feed" watch --state st --inbox inbox --clim clim.nc
refused "--feed f: given twice. Give each a folder of its own" watch --state st --inbox inbox --clim clim.nc --feed f --clim old.nc --feed f
refused "--on-event: of no use without --feed. Give both, or leave it out" watch --state st --inbox inbox --on-event true
refused "--from soon: not a date. Accepted: YEAR-MONTH-DAY, as 2026-11-30" feed rebuild --clim clim.nc --feed f --from soon sea
refused "--ring-days 0: out of range. Accepted: 1 to 60" feed rebuild --clim clim.nc --feed f --ring-days 0 sea

# Refused by what the files say.
archive wide --years 2001-2001 --doy 1-2 --grid 30x15
program feed rebuild --clim clim.nc --feed f wide
exits 3
err_has "--clim clim.nc: it and the daily files (wide) have not the same cells: "
archive later --years 2001-2001 --doy 70-71
program feed rebuild --clim clim.nc --feed f later
exits 3
err_has "--clim clim.nc: it has no values for the calendar day of 2001-03-11. Give a climatology of the whole year"
echo '{"type": "Polygon", "coordinates": [[[0.1, 0.1], [0.2, 0.1], [0.2, 0.2], [0.1, 0.1]]]}' >"$work/nowhere.json"
program feed rebuild --clim clim.nc --feed f --regions nowhere.json sea
exits 3
err_has "nowhere.json"
program feed rebuild --clim clim.nc --feed f --keep-days 5 sea
exits 2
err_has "a feed that keeps 5 days"
rm -rf "${work:?}/f"

# sums FEED: what readers find, but for dates, revisions and what follows from them.
sums() {
    (cd "$work/$1" && find days -name '*.png' | sort | xargs sha256sum && cut -d, -f1,2,4- regions/*.csv)
}
same_feeds() {
    sums "$1" >"$work/sums.a" && sums "$2" >"$work/sums.b"
    if [ ! -s "$work/sums.a" ] || ! cmp -s "$work/sums.a" "$work/sums.b"; then fail "the feeds $1 and $2 differ"; fi
}

# What the batch makes of 2003.
cp "$work"/sea/*.2003*.nc "$work/days"
program feed rebuild --clim clim.nc --feed batch --min-area 1000 -q days
exits 0
if [ ! -f "$work/batch/latest.json" ] || [ ! -f "$work/batch/days/2003/20030301/mhw.nc" ]; then fail "no feed"; fi
python3 - "$work/batch" <<'END' || fail "index.json does not tell what is there"
import hashlib, json, os, sys
folder = sys.argv[1]
index = json.load(open(folder + "/index.json"))
for file in index["files"]:
    data = open(os.path.join(folder, file["path"]), "rb").read()
    assert len(data) == file["bytes"] and hashlib.sha256(data).hexdigest() == file["sha256"], file["path"]
listed = {file["path"] for file in index["files"]}
there = {os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names}
there = {name for name in there if not name.startswith(".engine") and name not in ("index.json", "latest.json")}
assert there == listed, there ^ listed
assert len(index["days"]) == 60
END

# The service, file by file and from two ends, with two climatologies; and a hook that hangs and one that fails do no harm.
program ingest --state st --baseline 2000-2003 --window 5 -q "$(day sea 20000101)"
exits 0
watch_once() {
    program watch --state st --inbox inbox --once --settle 0.1s --clim clim.nc --feed a --clim old.nc --feed b \
        --min-area 1000 "$@"
}
for part in 0101 0102 0103 0105 0104; do arrive "$(day sea 2003$part)" "$(name_of 2003$part)"; done
watch_once
exits 0
err_has "a: 5 days written"
for file in "$work"/days/*.2003011*.nc "$work"/days/*.2003010*.nc; do cp "$file" "$work/inbox/"; done
watch_once --on-event "sleep 100" --hook-timeout 0.2s
exits 0
[ "$(grep -c sibling "$work/a/latest.json")" -gt 0 ] || fail "no sibling"

# The feed's checkpoint is lost, as by a stop before it was written: what the state knows is read once more.
cp -r "$work/a/.engine" "$work/engine"
for file in "$work"/days/*.2003012*.nc; do cp "$file" "$work/inbox/"; done
watch_once --on-event false
exits 0
rm -rf "$work/a/.engine" && cp -r "$work/engine" "$work/a/.engine"
for file in "$work"/days/*.nc; do cp -n "$file" "$work/inbox/"; done
watch_once
exits 0
same_feeds a batch

# A feed of another climatology is not gone on with.
program watch --state st --inbox inbox --once --clim old.nc --feed a
exits 7
err_has "a: this feed was made with another climatology, grid, rule of events or --ring-days"

# Days that came too late are told, with what to do.
program feed rebuild --clim clim.nc --feed late --min-area 1000 -q "$(day sea 20030201)" "$(day sea 20030202)"
exits 0
program watch --state st --inbox days --once --settle 0.1s --clim clim.nc --feed late --min-area 1000
exits 0

# Made anew: revisions go on, what is the same stays; days that are no longer kept go.
program feed rebuild --clim clim.nc --feed a --min-area 1000 -q days
exits 0
same_feeds a batch
program feed rebuild --clim clim.nc --feed a --min-area 1000 --keep-days 30 -q days
exits 0
if [ -e "$work/a/days/2003/20030101" ] || [ ! -e "$work/a/days/2003/20030301" ]; then fail "days that are no longer kept"; fi
finish
