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
refused "feed rebuild: no files. Name files or directories of daily SST, $rebuild; or with --state a state that keeps all values" feed rebuild --clim clim.nc --feed f
refused "sea: with --state the days are those of the state. Give one of the two" feed rebuild --clim clim.nc --feed f --state st sea
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

# From the values that a state keeps, counted and logged, without any file: the same feed.
mkdir "$work/empty" "$work/three"
program ingest --state all --keep all --baseline 2000-2002 --window 5 -q "$(day sea 20000101)" "$(day sea 20000301)" days
exits 0
program feed rebuild --clim clim.nc --feed kept --min-area 1000 -q --state all --from 2003-01-01
exits 0
same_feeds kept batch
program ingest --state counted --keep all --baseline 2003-2004 --window 5 -q days
exits 0
program feed rebuild --clim clim.nc --feed kept-counted --min-area 1000 -q --state counted
exits 0
same_feeds kept-counted batch
program feed rebuild --clim clim.nc --feed f --state st
exits 7
err_has "st: this state does not keep all values of its days (--keep all when it was made). Give their files, as in: sststream feed rebuild"
program feed rebuild --clim clim.nc --feed f --state none
exits 7
err_has "none: there is no state"

# The service takes what a feed lacks from such a state, further back than the ring reaches too.
cp "$work"/days/*.2003010[1-3]*.nc "$work/three"
program feed rebuild --clim clim.nc --feed behind --min-area 1000 -q three
exits 0
program watch --state all --inbox empty --once --settle 0.1s --clim clim.nc --feed behind --min-area 1000
exits 0
err_has "behind: 57 days taken from the state"
same_feeds behind batch

# A service that is ended while it reads: what was told as committed is in the feed, as it is in the state.
rm "$work"/inbox/*
program ingest --state stopped --baseline 2003-2004 --window 5 -q "$(day days 20030101)"
exits 0
cp "$work"/days/*.nc "$work/inbox"
start_watch --state stopped --inbox inbox --settle 0.1s --poll 0.5s --clim clim.nc --feed stopped-feed --min-area 1000
until_lines 1 watch.out
end_watch 0
n_told=$(wc -l <"$work/watch.out")
[ "$n_told" -lt 59 ] || echo "note: all days were committed before the signal came"
program status --state stopped --feed stopped-feed --json
cp "$work/out" "$work/status.json"
json_has status.json "r['feed']['newest'] == r['newest'] and r['feed']['lacking'] == []"
json_has status.json "$n_told > 0 and r['feed']['days'] == $n_told + 1"

# A category is robust by what the climatology states of its threshold: half widths of --approx cf, or limits of --approx tail.
for kind in "half-widths cf --validate 50%" "limits tail --tail-k 2"; do
    read -r form approx options <<<"$kind"
    # shellcheck disable=SC2086
    "$SSTSTREAM" -qq --baseline 2000-2002 --doy 1-60 --smooth 0 --leap own --window 5 --percentile 90 --progress none \
        --approx "$approx" $options -o "$work/$approx.nc" "$work/sea" 2>/dev/null
    program feed rebuild --clim "$approx.nc" --feed "by-$approx" --min-area 1000 -q days
    exits 0
    "$python" "$(dirname "$0")/feed_robust_tool.py" "$work/by-$approx" "$work/$approx.nc" "$work/days" "$form" 2>"$work/err" ||
        fail "the feed by $approx does not tell what is robust"
done
# Other bounds of the same threshold: all days are told anew.
"$SSTSTREAM" -qq -O --baseline 2000-2002 --doy 1-60 --smooth 0 --leap own --window 5 --percentile 90 --progress none \
    --approx cf --validate 40% --seed 5 -o "$work/cf.nc" "$work/sea" 2>/dev/null
program feed rebuild --clim cf.nc --feed by-cf --min-area 1000 -q days
exits 0
"$python" "$(dirname "$0")/feed_robust_tool.py" "$work/by-cf" "$work/cf.nc" "$work/days" half-widths 2>"$work/err" ||
    fail "the feed is not of the new bounds"
json_has by-tail/latest.json "r['definition']['percentile_method'].startswith('exact where certified')"
json_has by-tail/latest.json "(r['definition']['first_baseline_year'], r['definition']['last_baseline_year']) == (2000, 2002)"

# A feed of another climatology is not gone on with.
program watch --state st --inbox inbox --once --clim old.nc --feed a
exits 7
err_has "a: this feed was made with another climatology, grid, rule of events or --ring-days"

# Days that came too late are told, with what to do.
program feed rebuild --clim clim.nc --feed late --min-area 1000 -q "$(day sea 20030201)" "$(day sea 20030202)"
exits 0
program watch --state st --inbox days --once --settle 0.1s --clim clim.nc --feed late --min-area 1000
exits 0

# One look at feeds, with the exit codes of monitoring: how old the newest day is, what is late, what the state has besides.
refused "--feed: 'status' takes one. Look at one after the other" status --feed a --feed b
date_of() { date -u -d "-$1 days" +%F; }
program status --feed batch
exits 0
out_has "ok: the newest day is 2003-03-01"
out_has "newest     2003-03-01, "
out_has "days       60, 0 of them preliminary"
out_has "missing    0 of the last 30 days"
program status --feed batch --expect-by 00:00Z+1d
exits 2
out_has "critical: feed batch: $(date_of 1) is late: the newest day is 2003-03-01; feed batch: 30 of the last 30 days are missing"
program status --feed days
exits 3
out_has "unknown: days/index.json: there is no feed here. 'watch' with --feed, or 'feed rebuild', makes one"
mkdir "$work/bad" "$work/fresh"
head -c 500 "$work/batch/index.json" >"$work/bad/index.json"
program status --feed bad
exits 2
out_has "critical: bad/index.json: damaged: "
sed 's/"sststream-feed-index/"another-index/' "$work/batch/index.json" >"$work/bad/index.json"
program status --feed bad --json
exits 2
cp "$work/out" "$work/status.json"
json_has status.json "r['feed'] == {'folder': 'bad'} and 'damaged: this is no index of a feed' in r['text']"
# The same feed, as if its newest day were yesterday, without one day, and with a preliminary one.
"$python" - "$work" <<'END'
import datetime, json, sys
work, = sys.argv[1:]
index = json.load(open(work + "/batch/index.json"))
for i, day in enumerate(reversed(index["days"])):
    day["day"] = str(datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=i + 1))
index["days"][-2]["input_status"] = "preliminary"
index["days"][-4]["input_status"] = "missing"
json.dump(index, open(work + "/fresh/index.json", "w"))
END
program status --feed fresh --expect-by 00:00Z+1d --json
exits 1
cp "$work/out" "$work/status.json"
json_has status.json "r['level'] == 'warning' and r['text'] == 'feed fresh: 1 of the last 30 days is missing'"
json_has status.json "r['state'] is None and r['newest'] is None and r['missing'] is None and r['days_known'] is None"
json_has status.json "r['feed']['newest'] == '$(date_of 1)' and r['feed']['age_days'] == 1 and r['feed']['is_late'] is False"
json_has status.json "r['feed']['days'] == 59 and r['feed']['days_preliminary'] == 1 and r['feed']['missing'] == ['$(date_of 4)']"
json_has status.json "r['feed']['lacking'] is None"
program status --feed fresh --expect-by 00:00Z+0d
exits 2
out_has "newest     $(date_of 1), 1 day ago"
# Days that the state knows and the feed lacks.
mkdir "$work/short" && cp "$work"/days/*.2003010*.nc "$work"/days/*.2003011*.nc "$work/short"
rm "$work/short/$(name_of 20030111)"
program feed rebuild --clim clim.nc --feed few --min-area 1000 -q short
program status --state st --feed few --json
exits 1
cp "$work/out" "$work/status.json"
json_has status.json "r['state'] == 'st' and r['newest'] == '2003-03-01' and r['feed']['newest'] == '2003-01-19'"
json_has status.json "r['feed']['missing'] == ['2003-01-11'] and len(r['feed']['lacking']) == 30 and r['feed']['lacking'][-1] == '2003-03-01'"
program status --state st --feed few
exits 1
out_has "warning: feed few: it lacks 30 days that the state knows, the first 2003-01-31"
out_has "lacking    30 that the state knows: 2003-01-31, "
program status --state st --feed a
exits 0
out_has "lacking    0 that the state knows"

# Made anew: revisions go on, what is the same stays; days that are no longer kept go.
program feed rebuild --clim clim.nc --feed a --min-area 1000 -q days
exits 0
same_feeds a batch
program feed rebuild --clim clim.nc --feed a --min-area 1000 --keep-days 30 -q days
exits 0
if [ -e "$work/a/days/2003/20030101" ] || [ ! -e "$work/a/days/2003/20030301" ]; then fail "days that are no longer kept"; fi
finish
