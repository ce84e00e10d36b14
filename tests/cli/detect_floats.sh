#!/bin/bash
# detect: events of floating-point files are those of their values as they stand, not of values rounded to thousandths.
. "$(dirname "$0")/lib_archive.sh"
need_python

# Kelvin in float32 and float64, a file for each day, or one with several days in a chunk; rows from north to south. Noise of
# thousandths about the threshold, so that rounding would move days across it; two cells in which that makes or undoes an event.
cat >"$work/make.py" <<'PY'
import datetime
import os
import sys
import netCDF4
import numpy as np
work = sys.argv[1]
N_DAYS, N_LAT, N_LON = 120, 6, 8
lat, lon = -50.0 + 20.0 * np.arange(N_LAT), 22.5 + 45.0 * np.arange(N_LON)
rng = np.random.default_rng(2016)
threshold = rng.uniform(15.0, 25.0, (N_LAT, N_LON)).astype("f4")
threshold[0, 0], threshold[0, 1] = 20.0002, 20.0008
beyond = rng.uniform(size=(N_DAYS // 5, N_LAT, N_LON)).repeat(5, axis=0) < 0.5 # spells, so that there are events
value = threshold + np.where(beyond, 1, -1) * rng.uniform(0.0, 0.0015, (N_DAYS, N_LAT, N_LON))
value[:, 0, :2] = 19.0
value[40:48, 0, 0], value[40:48, 0, 1] = 20.0004, 20.0006 # as thousandths 20.000 and 20.001
value += 273.15
value[rng.uniform(size=value.shape) < 0.01] = np.nan
day0 = (datetime.date(2001, 3, 1) - datetime.date(1970, 1, 1)).days

def create(path, days, kind, chunk):
    with netCDF4.Dataset(path, "w") as out:
        for name, axis in (("time", days), ("lat", lat), ("lon", lon)):
            out.createDimension(name, len(axis))
        for name, axis, units in (("time", days, "days since 1970-01-01"), ("lat", lat[::-1], "degrees_north"), ("lon", lon, "degrees_east")):
            v = out.createVariable(name, "f8", name)
            v.units = units
            v[:] = axis
        v = out.createVariable("analysed_sst", kind, ("time", "lat", "lon"), fill_value=-999.0, zlib=True, chunksizes=(chunk, N_LAT, N_LON))
        v.units, v.standard_name = "kelvin", "sea_surface_foundation_temperature"
        v[:] = np.ma.masked_invalid(value[[d - day0 for d in days], ::-1].astype(kind))

os.mkdir(f"{work}/days")
for i in range(N_DAYS):
    create(f"{work}/days/{i:03d}.nc", [day0 + i], "f4", 1)
create(f"{work}/one.nc", [day0 + i for i in range(N_DAYS)], "f4", 30)
create(f"{work}/double.nc", [day0 + i for i in range(N_DAYS)], "f8", 1)

with netCDF4.Dataset(f"{work}/clim.nc", "w") as out:
    for name, axis, units in (("time", np.arange(366), "days since 2000-01-01"), ("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")):
        out.createDimension(name, len(axis))
        v = out.createVariable(name, "f8", name)
        v.units = units
        v[:] = axis
    for name, field in (("thr", threshold), ("avg", threshold - np.float32(1.0))):
        v = out.createVariable(name, "f4", ("time", "lat", "lon"))
        v.units = "degree_Celsius"
        v[:] = np.broadcast_to(field, (366, N_LAT, N_LON))

def events(series, limit):
    """First and last day of the events of a cell, Hobday et al. 2016, days strictly beyond as float32."""
    runs, day = [], 0
    is_beyond = [bool(v > limit) for v in series] + [False]
    while day < N_DAYS:
        end = day
        while is_beyond[end]:
            end += 1
        if end - day >= 5:
            if runs and day - runs[-1][1] - 1 <= 2:
                runs[-1][1] = end - 1
            else:
                runs.append([day, end - 1])
        day = max(end, day + 1)
    return runs

def table(degc):
    day = lambda i: (datetime.date(2001, 3, 1) + datetime.timedelta(i)).isoformat()
    return sorted(f"{lat[y]:g} {lon[x]:g} {day(first)} {day(last)}" for y in range(N_LAT) for x in range(N_LON)
                  for first, last in events(degc[:, y, x], threshold[y, x]))

for kind in ("f4", "f8"):
    degc = value.astype(kind).astype("f8") - 273.15
    exact, rounded = table(degc.astype("f4")), table((np.rint(degc * 1000.0) / 1000.0).astype("f4"))
    assert len(exact) > 40 and exact != rounded
    assert any(row.startswith("-50 22.5 ") for row in exact) and not any(row.startswith("-50 22.5 ") for row in rounded)
    assert any(row.startswith("-50 67.5 ") for row in rounded) and not any(row.startswith("-50 67.5 ") for row in exact)
    open(f"{work}/{kind}", "w").write("\n".join(exact) + "\n")
PY
"$python" "$work/make.py" "$work" || { echo "the files cannot be made"; exit 1; }

# same_events FLOATS FILES OPTIONS...: events of files are those of their values.
same_events() {
    local expected=$1
    shift
    program detect --clim clim.nc --clim-mean avg --clim-thresh thr -qO --progress none --events events.csv "$@"
    exits 0
    "$python" - "$work" >"$work/found" <<'PY'
import csv
import sys
rows = csv.DictReader(open(f"{sys.argv[1]}/events.csv", newline=""))
print("\n".join(sorted(f"{float(r['lat']):g} {float(r['lon']):g} {r['date_start']} {r['date_end']}" for r in rows)))
PY
    diff "$work/$expected" "$work/found" >"$work/out" || fail "events are not those of the values"
}
for readers in 0 2; do
    same_events f4 days --readers $readers
    same_events f4 one.nc --readers $readers
    same_events f8 double.nc --readers $readers
done

finish
