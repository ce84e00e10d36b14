#!/usr/bin/python3
"""Compares the table of `detect` with tables of marineHeatWaves: dates, durations and categories identical, figures within bounds.

  compare_events.py series OURS.csv REF.csv REF_CLIM.csv SERIES.nc            one cell
  compare_events.py grid OURS.csv REF.csv.gz REF_CLIM.nc TASMAN.nc mhw|mcs    64 cells of the Tasman grid
  compare_events.py tasman-cell SERIES.csv OUT.nc      one column of values from 1982 on, as a netCDF file of one cell

Values and climatology are float32 here: 2e-6 degC is a unit in the last place above 16 degC. Days that equal their threshold
to half of that are the one thing on which both may differ, and are counted. Here such a day is not beyond it; there noise of a
decode in float32 decides (the two of the Tasman grid are equal in exact arithmetic of hundredths), and a day of a gap that is
at the threshold is counted as moderate.
"""
import csv
import datetime
import gzip
import sys
import netCDF4
import numpy as np

NAMES = {"": "none", "I Moderate": "Moderate", "II Strong": "Strong", "III Severe": "Severe", "IV Extreme": "Extreme"}
LEVELS = ("moderate", "strong", "severe", "extreme")
EXACT = ("date_start", "date_peak", "date_end", "duration")
# [degC], [degC days] for each day, [degC] and [degC/day]
DIFFERENCES, CUMULATIVE, OTHERS = 2e-6, 2e-6, 4e-6
ROUNDED = {"intensity_max": 1e-6, "intensity_mean": 1e-6, "intensity_cumulative": 1e-5, "rate_onset": 1e-6,
           "rate_decline": 1e-6}  # half a unit of the grid's table, and its decode in float32
TIE = 1e-6  # [degC]


def bound_of(name, duration):
    if "cumulative" in name:
        return CUMULATIVE * duration
    return OTHERS if "_var" in name or name.startswith("rate") else DIFFERENCES


def read(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path, newline="")) as file:
        return list(csv.DictReader(file))


FIRST_DAY = datetime.date(1982, 1, 1)


def days_of_366(n):
    days = [FIRST_DAY + datetime.timedelta(i) for i in range(n)]
    return np.array([(datetime.date(2000, d.month, d.day) - datetime.date(2000, 1, 1)).days for d in days])


def tie_days(sst, thresholds):
    """Days since FIRST_DAY on which the value is its threshold."""
    return set(np.flatnonzero(np.abs(sst - np.asarray(thresholds)[days_of_366(len(sst))]) < TIE))


def index_of(day):
    return (datetime.date.fromisoformat(day) - FIRST_DAY).days


def read_series(path):
    with netCDF4.Dataset(path) as file:
        sst = next(variable for variable in file.variables.values() if variable.ndim == 3)
        sst.set_auto_maskandscale(False)
        if sst.dtype.kind == "f":
            return np.round(sst[:].astype("f8") * 100) / 100
        return sst[:] / 100.0


class Comparison:
    def __init__(self, extra=None):
        self.extra, self.worst, self.faults, self.n, self.n_ties = extra or {}, {}, [], 0, 0
        self.ties = set()

    def ties_in(self, first, last):
        return len(self.ties & set(range(index_of(first), index_of(last) + 1)))

    def is_by_tie(self, our, their):
        """Whether both are one event but for a day at its threshold at either end."""
        for our_day, their_day in ((our["date_start"], their["date_start"]), (our["date_end"], their["date_end"])):
            first, last = sorted((our_day, their_day))
            if first != last and self.ties_in(first, last) == 0:
                return False
        return our["date_peak"] == their["date_peak"]

    def fault(self, where, text):
        self.faults.append(f"{where}: {text}")

    def figure(self, name, ours, theirs, duration, where):
        if theirs in ("", "nan", "inf", "-inf"):  # a rate that marineHeatWaves divides by nought for
            return
        off = abs(float(ours) - float(theirs)) if ours else np.inf
        share = off / (bound_of(name, duration) + self.extra.get(name, 0.0))
        kind = name.replace("_relThresh", "").replace("_abs", "")
        if share > self.worst.get(kind, (-1, 0, ""))[0]:
            self.worst[kind] = (share, off, f"{where} {name}")

    def events(self, ours, theirs, where):
        if len(ours) != len(theirs):
            self.fault(where, f"{len(ours)} events, not {len(theirs)}")
            return
        for our, their in zip(ours, theirs):
            place = f"{where} {their['date_start']}"
            if our["duration"] != their["duration"] and self.is_by_tie(our, their):
                self.n_ties += 1
                continue
            for name in EXACT:
                if our[name] != their[name]:
                    self.fault(place, f"{name} {our[name]}, not {their[name]}")
            if NAMES[our["category"]] != their["category"]:
                self.fault(place, f"category {our['category']}, not {their['category']}")
            duration = int(their["duration"])
            for level in LEVELS:
                name = f"duration_{level}"
                if name not in their:
                    continue
                more = int(their[name]) - round(float(our[f"p_{level}"]) * duration / 100)
                ties = self.ties_in(their["date_start"], their["date_end"]) if level == "moderate" else 0
                self.n_ties += more != 0
                if not 0 <= more <= ties:
                    self.fault(place, f"{our[f'p_{level}']} % {level}, not {their[name]} of {duration} days")
            for name in their:
                if name.startswith(("intensity", "rate")):
                    self.figure(name, our[name], their[name], duration, place)
            self.n += 1

    def conclude(self):
        for kind, (share, off, where) in sorted(self.worst.items()):
            if share > 1.0:
                self.fault(where, f"{kind} off by {off:.2e}")
        for text in self.faults[:10]:
            print(f"  {text}")
        print(f"{self.n} events, {self.n_ties} apart by a tie, {len(self.faults)} faults; largest differences: " +
              ", ".join(f"{kind} {off:.1e}" for kind, (_, off, _) in sorted(self.worst.items())))
        return not self.faults and self.n > 0


def series(ours, theirs, clim, data):
    comparison = Comparison()
    comparison.ties = tie_days(read_series(data)[:, 0, 0], [float(row["thresh"]) for row in read(clim)])
    comparison.events(read(ours), read(theirs), theirs.rsplit("/", 1)[-1])
    return comparison.conclude()


def grid(ours, theirs, clim, tasman, kind):
    with netCDF4.Dataset(tasman) as file, netCDF4.Dataset(clim) as ref:
        lat, lon = file["lat"][:].data, file["lon"][:].data
        iy, ix = list(ref["iy"][:]), list(ref["ix"][:])
        thresholds = ref["thresh90_s31" if kind == "mhw" else "thresh10_s31"][:]
    sst = read_series(tasman)
    cells = {}
    for row in read(ours):
        cell = int(np.abs(lat - float(row["lat"])).argmin()), int(np.abs(lon - float(row["lon"])).argmin())
        cells.setdefault(cell, []).append(row)
    reference = {}
    for row in read(theirs):
        if row["kind"] == kind:
            reference.setdefault((int(row["iy"]), int(row["ix"])), []).append(row)
    comparison = Comparison(ROUNDED)
    for cell, rows in sorted(reference.items()):
        comparison.ties = tie_days(sst[:, cell[0], cell[1]], thresholds[:, iy.index(cell[0]), ix.index(cell[1])])
        comparison.events(cells.get(cell, []), rows, f"cell {cell}")
    return comparison.conclude()


def tasman_cell(path, out):
    with open(path) as file:
        next(file)  # the name of the column
        values = np.array([float(line) for line in file if line.strip()])
    with netCDF4.Dataset(out, "w") as ds:
        for name, size in (("time", len(values)), ("lat", 1), ("lon", 1)):
            ds.createDimension(name, size)
        for name, units, value in (("lat", "degrees_north", -40.0), ("lon", "degrees_east", 150.0),
                                   ("time", "days since 1982-01-01", np.arange(len(values)))):
            ds.createVariable(name, "f8", (name,)).units = units
            ds[name][:] = value
        sst = ds.createVariable("sst", "i2", ("time", "lat", "lon"), fill_value=-999)
        sst.setncatts({"units": "degree_Celsius", "scale_factor": np.float32(0.01),
                       "standard_name": "sea_surface_temperature"})
        sst.set_auto_maskandscale(False)
        sst[:] = np.rint(values * 100).astype("i2").reshape(-1, 1, 1)


def main():
    command, *arguments = sys.argv[1:]
    if command == "tasman-cell":
        tasman_cell(*arguments)
        return 0
    return 0 if {"series": series, "grid": grid}[command](*arguments) else 1


if __name__ == "__main__":
    sys.exit(main())
