#!/bin/bash
# detect: what it refuses and in which words, the two outputs and what they have in common, missing and unusable days, foreign
# climatologies, parts of a grid, files in another order of rows.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2000-2003 --days 0101-0229
"$SSTSTREAM" -q --baseline 2000-2003 --days 0101-0229 --smooth 0 --leap own --window 5 --percentile 90,10,70,30 --progress none \
    -o "$work/clim.nc" "$work/sea" 2>"$work/err"
[ -f "$work/clim.nc" ] || { cat "$work/err"; exit 1; } # the days before and after the season have no files

# Refused before anything is read.
example='as in: sststream detect --clim clim.nc oisst/ -o mhw.nc --events events.csv'
refused "detect: no climatology. Name one with --clim, $example" detect sea -o mhw.nc
refused "detect: no files. Name files or directories of daily SST, $example" detect --clim clim.nc -o mhw.nc
refused "detect: nothing to write. Give -o for maps of days, --events for a table, $example" detect --clim clim.nc sea
refused "--events x: -o is written there. Give another name" detect --clim clim.nc sea -o x --events x
refused "--percentile: 'detect' takes one. Detect by one after the other" detect --clim clim.nc --percentile 90,95 -o x sea
refused "--min-duration 0: out of range. Accepted: 1 to 365" detect --clim clim.nc --min-duration 0 -o x sea
refused "--max-gap -1: out of range. Accepted: 0 to 365" detect --clim clim.nc --max-gap -1 -o x sea

# Refused by what the files say.
program detect --clim absent.nc -o x sea
exits 3
program detect --clim clim.nc --clim-thresh nothing -o x sea
exits 3
err_has "nothing"
program detect --clim clim.nc --percentile 10 -o x sea
exits 3
err_is "sststream: clim.nc: sst_p10: percentile 10 is no threshold of heatwaves; for cold spells there is --cold. Give --percentile or --clim-thresh"
program detect --clim clim.nc --cold --percentile 90 -o x sea
exits 3
err_has "percentile 90 is no threshold of cold spells"
archive wide --years 2001-2001 --days 0101-0102 --grid 30x15
program detect --clim clim.nc -q -o x wide
exits 3
err_has "--clim clim.nc: it and the daily files (wide) have not the same cells: "
touch "$work/there.csv"
program detect --clim clim.nc --events there.csv sea
exits 4
err_has "there.csv"
rm "$work/there.csv"
files_are clim.nc

# Both outputs, with all that is bound to hold between them.
# Four years are few: with their percentile 70 there are more events.
at=(--clim clim.nc --percentile 70 --progress none)
program detect "${at[@]}" -o mhw.nc --events events.csv sea
exits 0
out_is ''
err_has "heatwaves in"
files_are clim.nc mhw.nc events.csv
cat >"$work/check.py" <<'PY'
import csv
import datetime
import sys
import netCDF4
import numpy as np
maps, table, clim, prefix = sys.argv[1:5]
ds, climatology = netCDF4.Dataset(maps), netCDF4.Dataset(clim)
rows = list(csv.DictReader(open(table, newline="")))
assert len(rows) > 20, len(rows)
day0 = datetime.date(1970, 1, 1)
days = [day0 + datetime.timedelta(int(t)) for t in ds["time"][:]]
assert ds["time"].units.startswith("days since 1970-01-01") and all(b - a == datetime.timedelta(1) for a, b in zip(days, days[1:]))
fields = {name: np.ma.filled(ds[name][:], fill) for name, fill in (
    (prefix + "category", -1), (prefix + "status", -1), ("surface_type", -1), (prefix + "event_id", -1), ("days_above", -1),
    ("severity", np.nan), ("sst_anomaly", np.nan))}
status, category = fields[prefix + "status"], fields[prefix + "category"]
in_event = (status == 2) | (status == 3)
lat, lon = ds["lat"][:], ds["lon"][:]
n_days = 0
numbers = {}
for row in rows:
    iy, ix = (int(np.abs(axis - float(row[name])).argmin()) for axis, name in ((lat, "lat"), (lon, "lon")))
    first, last, peak = (days.index(datetime.date.fromisoformat(row["date_" + name])) for name in ("start", "end", "peak"))
    assert last - first + 1 == int(row["duration"]) >= 5 and int(row["index_start"]) == first + 1
    ids = fields[prefix + "event_id"][first:last + 1, iy, ix]
    assert (ids == int(row["event_id"])).all(), row
    assert in_event[first:last + 1, iy, ix].all()
    n_days += last - first + 1
    anomaly = fields["sst_anomaly"][first:last + 1, iy, ix]
    known = np.nan_to_num(anomaly)
    assert abs(known.mean() - float(row["intensity_mean"])) < 1e-5 and abs(known[peak - first] - float(row["intensity_max"])) < 1e-5
    assert abs(known.std() - float(row["intensity_var"])) < 1e-5
    numbers.setdefault((iy, ix), []).append((first, int(row["event_no"])))
    here = category[first:last + 1, iy, ix]
    assert max(here.max(), 0) == ("none", "I Moderate", "II Strong", "III Severe", "IV Extreme").index(row["category"]), row
    for level, name in enumerate(("p_moderate", "p_strong", "p_severe", "p_extreme"), 1):
        assert abs(100.0 * (here == level).sum() / len(here) - float(row[name])) < 1e-6
    seasons = ("Winter", "Spring", "Summer", "Fall") if float(row["lat"]) >= 0 else ("Summer", "Fall", "Winter", "Spring")
    touched = [seasons[(days[i].month - 1) // 3] for i in range(first, last + 1)]
    touched = [name for i, name in enumerate(touched) if i == 0 or name != touched[i - 1]]
    assert row["season"] == ("/" if len(touched) < 3 else "-").join(dict.fromkeys((touched[0], touched[-1]))), row
assert n_days == in_event.sum(), (n_days, in_event.sum())
for cell in numbers.values():
    assert [number for _, number in sorted(cell)] == list(range(1, len(cell) + 1))
# Strictly beyond, as float32, of the calendar day.
slots = {int(d): i for i, d in enumerate(climatology["calendar_day"][:])}
of_day = [slots.get(100 * d.month + d.day, -1) for d in days]
limits = np.ma.filled(climatology["sst_p30" if prefix == "mcs_" else "sst_p70"][:], np.nan)[of_day]
means = np.ma.filled(climatology["sst_mean"][:], np.nan)[of_day]
water = fields["surface_type"] == 0
ratio = (fields["sst_anomaly"] / (limits - means))[water]
shown = fields["severity"][water]
assert np.isfinite(ratio).all() and (np.isnan(shown) | (abs(shown - ratio) < 1e-4 * ratio)).all()
assert (ratio[np.isnan(shown)] < 1.0001).all()
assert ((category > 0) <= (fields["surface_type"] == 0)).all()
beyond = np.nan_to_num(fields["severity"]) >= 1
assert (fields["days_above"][beyond] >= 1).all() and (category[in_event & beyond] >= 1).all()
assert (category[~in_event] <= 0).all() and (status[category > 0] == 2).all()
assert (np.nan_to_num(fields["severity"])[status == 1] >= 1)[fields["surface_type"][status == 1] == 0].all()
assert (ds["input_status"][:] == np.array([0 if d.month < 3 else 2 for d in days])).all()
assert list(ds[prefix + "category"].flag_values) == [0, 1, 2, 3, 4]
PY
check() { (cd "$work" && "$python" check.py "$@") >"$work/out" 2>"$work/err" || fail "$*: $(tail -3 "$work/err")"; }
check mhw.nc events.csv clim.nc mhw_
program detect --clim clim.nc --percentile 30 --cold -q -o mcs.nc --events cold.csv --progress none sea
exits 0
check mcs.nc cold.csv clim.nc mcs_

# The table alone, by the program's own reading, is the same to the byte; so is one of files given in another order.
program detect "${at[@]}" -q --readers 0 --events again.csv sea
exits 0
cmp -s "$work/events.csv" "$work/again.csv" || fail "--readers 0 gives another table"
(cd "$work" && find sea -name '*.nc' | sort -r >list)
program detect "${at[@]}" -qO --events again.csv @list
exits 0
cmp -s "$work/events.csv" "$work/again.csv" || fail "the order of files matters"

# Names of another tool, rows from north to south, kelvin: the same events.
"$python" - "$work" <<'PY'
import sys
import netCDF4
with netCDF4.Dataset(f"{sys.argv[1]}/clim.nc") as a, netCDF4.Dataset(f"{sys.argv[1]}/foreign.nc", "w") as b:
    for name, dim in a.dimensions.items():
        b.createDimension(name, len(dim))
    for name, source, kind in (("time", "time", "f8"), ("lat", "lat", "f8"), ("lon", "lon", "f8"), ("thr", "sst_p70", "f4"), ("avg", "sst_mean", "f4")):
        v = b.createVariable(name, kind, a[source].dimensions, fill_value=-999.0 if kind == "f4" else None)
        v.setncatts({k: a[source].getncattr(k) for k in ("units", "calendar", "standard_name") if k in a[source].ncattrs()})
        v[:] = a[source][::-1] if name == "lat" else a[source][:, ::-1] if kind == "f4" else a[source][:]
PY
program detect --clim foreign.nc --clim-mean avg --clim-thresh thr -qO --events again.csv --progress none sea
exits 0
"$python" - "$work" <<'PY' || fail "another tool's names give other events"
import csv
import sys
ours, theirs = ([row["event_id"] + row["intensity_max"] for row in csv.DictReader(open(f"{sys.argv[1]}/{name}.csv"))] for name in ("events", "again"))
sys.exit(ours != theirs)
PY
program detect --clim foreign.nc --clim-mean nowhere --clim-thresh thr -q --events x.csv sea
exits 3
err_has "nowhere"

# A part of the grid: the same ids.
program detect "${at[@]}" -q --bbox 20,-40,100,40 --events part.csv sea
exits 0
"$python" - "$work" <<'PY' || fail "a box gives other events"
import csv
import sys
whole, part = (set(row["event_id"] for row in csv.DictReader(open(f"{sys.argv[1]}/{name}.csv"))) for name in ("events", "part"))
sys.exit(not (part and part < whole))
PY

# Days that are missing, or held for, or filled; one that cannot be read.
cp -r "$work/sea" "$work/gaps"
rm "$work"/gaps/*20000210.nc "$work"/gaps/*20030228.nc
program detect "${at[@]}" -q -o gaps.nc --events gaps.csv gaps
exits 0
program detect "${at[@]}" -q --max-pad 1 --events padded.csv gaps
exits 0
"$python" - "$work" <<'PY' || fail "filled days are not told"
import csv
import sys
bare, padded = ([row for row in csv.DictReader(open(f"{sys.argv[1]}/{name}.csv"))] for name in ("gaps", "padded"))
sys.exit(any(int(row["days_filled"]) for row in bare) or not any(int(row["days_filled"]) for row in padded))
PY

# The end of the series waits for a day that is missing; the events are the same.
cp -r "$work/sea" "$work/late"
rm "$work"/late/*20030227.nc
program detect "${at[@]}" -q --events late.csv late
program detect "${at[@]}" -q --hold-missing 3 -o held.nc --events held.csv late
exits 0
cmp -s "$work/late.csv" "$work/held.csv" || fail "--hold-missing changes events"
"$python" - "$work" <<'PY' || fail "no day is awaited, or one too many"
import sys
import netCDF4
import numpy as np
status = np.ma.filled(netCDF4.Dataset(f"{sys.argv[1]}/held.nc")["mhw_status"][:], -1)
waits = (status == 5).any(axis=(1, 2))
sys.exit(not (waits[-2:].all() and not waits[:-2].any()))
PY

echo broken >"$work"/gaps/oisst-avhrr-v02r01.20000210.nc
program detect "${at[@]}" -qO -o gaps.nc --events again.csv gaps
exits 0 # its header cannot be read, so it is no file of that day
err_has "20000210"
cmp -s "$work/gaps.csv" "$work/again.csv" || fail "an unusable file is not a missing day"
program detect "${at[@]}" -q --on-bad stop --events x.csv gaps
exits 3
[ ! -e "$work/x.csv" ] || fail "a failed run left its output"
# A full disk, at several sizes: exit code 4, the file is named, and nothing is left.
for limit in 0 4 20; do
    shown="detect with files of at most $limit blocks"
    (cd "$work" && ulimit -f "$limit" && "$SSTSTREAM" detect "${at[@]}" --readers 0 -qq -o full.nc --events full.csv sea) \
        2>&1 >"$work/out" | cat >"$work/err" # where the limit does not reach
    exit_code=${PIPESTATUS[0]}
    exits 4
    err_has "full."
    [ ! -e "$work/full.nc" ] || fail "an output was left"
done
ls "$work"/*.tmp* >/dev/null 2>&1 && fail "temporary files are left"

finish
