#!/bin/bash
# One look at a state: whether days arrive, in words, as JSON, and as an exit code that monitoring takes.
. "$(dirname "$0")/lib_archive.sh"
need_python

today=$(date -u +%s)
# date_of DAYS-AGO: YYYY-MM-DD
date_of() { date -u -d "@$((today - 86400 * $1))" +%F; }
# last_days NAME FIRST LAST: files of the days from FIRST to LAST days ago, with the fields of the archive sea.
last_days() {
    "$python" - "$work" "$1" "$2" "$3" "$today" <<'END'
import datetime, os, sys
sys.path.insert(0, os.environ["TOOL_DIR"])
import archive_tool
work, name, first, last, today = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
os.makedirs(f"{work}/{name}", exist_ok=True)
made = sorted(os.listdir(f"{work}/sea"))
for ago in range(first, last - 1, -1):
    date = datetime.date.fromtimestamp(0) + datetime.timedelta(days=today // 86400 - ago)
    _, lat, lon, sst, ice = archive_tool.read_day(f"{work}/sea/{made[ago % len(made)]}")
    number = (date - datetime.date(1970, 1, 1)).days + 0.5
    archive_tool.write_day(f"{work}/{name}/oisst-avhrr-v02r01.{date:%Y%m%d}.nc", number, lat, lon, sst, ice)
END
}
export TOOL_DIR
TOOL_DIR=$(dirname "$tool")
archive sea --years 2001-2005 --doy 1-12
last_days recent 33 2
program ingest --state st --baseline 2001-2004 --window 3 -q sea
exits 0

# What has to be said, and what cannot be.
refused "status: no state. Name its folder, as in: sststream status --state sea" status
refused "sea: 'status' takes no files. Leave it out" status --state st sea
refused "--expect-by 9: not a time of a day in UTC and a number of days. Accepted: HH:MMZ+Nd with 0 to 366 days, as 09:00Z+1d" status --state st --expect-by 9

# Nothing can be said of what is not there, nor of a state of no day.
program status --state none
exits 3
out_has "unknown: none: there is no state"
program status --state sea
exits 3
out_has "unknown: sea: this is no state"

# A series that ended is late only where days are expected; gaps are those of its last days.
program status --state st
exits 1
out_has "warning: 18 of the last 30 days are missing"
out_has "missing    18 of the last 30 days: 2004-12-14, 2004-12-15, "
out_has "2004-12-23, ... (all are in --json)"
out_has "newest     2005-01-12, "
out_has "days       60 known, 49 of them counted, 0 preliminary"
out_has "held       0 files"
out_has "writer     none"
out_has "free       "
out_has "format     1.0"
program status --state st --expect-by 00:00Z+1d
exits 2
out_has "critical: $(date_of 1) is late: the newest day is 2005-01-12; 30 of the last 30 days are missing"

# Days that arrive: the newest two days ago.
program ingest --state st -q recent
exits 0
program status --state st --expect-by 00:00Z+2d
exits 0
out_has "ok: the newest day is $(date_of 2)"
out_has "newest     $(date_of 2), 2 days ago"
out_has "expected   $(date_of 2)"
out_has "missing    0 of the last 30 days"
program status --state st --expect-by 00:00Z+1d
exits 2
out_has "critical: $(date_of 1) is late: the newest day is $(date_of 2); 1 of the last 30 days is missing"
program status --state st --expect-by 00:00Z+1d --json
exits 2
cp "$work/out" "$work/status.json"
json_has status.json "r['schema'] == 'sststream-status/1' and r['level'] == 'critical' and r['exit_code'] == 2 and r['state'] == 'st'"
json_has status.json "r['newest'] == '$(date_of 2)' and r['age_days'] == 2 and r['expected'] == '$(date_of 1)' and r['missing'] == ['$(date_of 1)']"
json_has status.json "r['days_known'] == 92 and r['days_counted'] == 49 and r['days_preliminary'] == 0 and r['files_held'] == 0"
json_has status.json "r['writer'] == 'none' and r['free_bytes'] > 0 and r['format'] == '1.0' and r['time'].endswith('Z')"

# A gap, a preliminary day, a file that is held back, little room: warnings, all of them told.
last_days gap 33 2
rm "$work/gap/oisst-avhrr-v02r01.$(date_of 9 | tr -d -).nc"
head -c 3000 "$work/$(day sea 20010101)" >"$work/gap/broken.nc"
early=$work/gap/oisst-avhrr-v02r01.$(date_of 2 | tr -d -)
mv "$early.nc" "${early}_preliminary.nc"
program ingest --state late --baseline 2001-2004 --window 3 -q sea gap
exits 6
program status --state late --min-free 900000T
exits 1
out_has "warning: 1 of the last 30 days is missing; 1 file is held back; only "
out_has "missing    1 of the last 30 days: $(date_of 9)"
out_has "days       91 known, 49 of them counted, 1 preliminary"
out_has "held       1 file ('sststream quarantine list' shows why)"

# The time zone of the machine plays no part.
for zone in Pacific/Kiritimati America/Los_Angeles; do
    TZ=$zone program status --state st --expect-by 00:00Z+2d
    exits 0
done

# A clock that was set back: what is known is yet to come, and that is said.
archive future --years 2101-2101 --doy 1-2
program ingest --state st -q future
exits 0
program status --state st --expect-by 00:00Z+2d
exits 3
out_has "unknown: the newest day, 2101-01-02, is yet to come: it is $(date -u +%Y-)"
out_has "by the clock of this machine. Set the clock, or look what the file was"
before=$(cd "$work" && "$SSTSTREAM" inspect st | grep digest)
mkdir "$work/inbox"
program watch --state st --inbox inbox --once --expect-by 00:00Z+2d
exits 0
err_has_not "late"
[ "$(cd "$work" && "$SSTSTREAM" inspect st | grep digest)" = "$before" ] || fail "the digest changed"

# Damage is told, with its file.
printf 'X' | dd of="$work/st/slots/003" bs=1 seek=20 conv=notrunc status=none
program status --state st
exits 2
out_has "critical: st/slots/003: damaged"
program status --state st --json
exits 2
cp "$work/out" "$work/status.json"
json_has status.json "r['newest'] is None and r['age_days'] is None and 'slots/003' in r['text']"
finish
