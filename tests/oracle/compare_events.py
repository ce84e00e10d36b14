#!/usr/bin/python3
"""Compares the table of `detect` with tables of marineHeatWaves: dates, durations and categories identical, figures within bounds.

  compare_events.py series OURS.csv REF.csv SERIES.nc             one cell; REF is TAG.BASELINE.(s31|raw).(mhw|mcs).events.csv
  compare_events.py grid OURS.csv REF.csv.gz TASMAN.nc mhw|mcs    64 cells of the Tasman grid, 1982-2011, smoothed
  compare_events.py tasman-cell SERIES.csv OUT.nc                 one column of values from 1982 on, as a netCDF file of one cell

The grid's table is rounded, and was made from hundredths decoded in float32: off by up to 9.5e-7 degC each, a threshold by 1.3e-6,
and noise of that decides whether a day equal to its threshold is beyond it. So there are two steps. hobday.py, given the values
that marineHeatWaves was given, has to make its table to the last decimal: every event, date, category and figure. It then stands
for it, and its answer for exact hundredths is what ours is held to, in all columns, without any day excepted. Tables of one cell have
all decimals, and ours is held to them as well.

Where whole hundredths equal their threshold a day of a gap has severity 1: marineHeatWaves counts it as moderate, here it is not
beyond and has no category. Such days are counted by hobday.py, and have to be the whole difference.
"""
import csv
import datetime
import gzip
import os
import sys
import netCDF4
import numpy as np
import hobday

OUR_NAMES = {"": "none", "I Moderate": "Moderate", "II Strong": "Strong", "III Severe": "Severe", "IV Extreme": "Extreme"}
LEVELS = ("moderate", "strong", "severe", "extreme")
EXACT = ("date_start", "date_peak", "date_end", "duration")
FIRST_DAY = datetime.date(1982, 1, 1)


def bound_of_ours(name, duration):
    """[degC], [degC days] and [degC/day]: float32 values, and 2e-6 is a unit in the last place above 16 degC."""
    if "cumulative" in name:
        return 2e-6 * duration
    return 4e-6 if "_var" in name or name.startswith("rate") else 2e-6


def bound_of_rounded_table(name, duration):
    return (5e-6 if "cumulative" in name else 5e-7) + 1e-12 * duration


def bound_of_same_numbers(name, duration):
    return 1e-12 * duration


def read(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path, newline="")) as file:
        return list(csv.DictReader(file))


def read_values(path):
    """Hundredths of [day, row, column], or floats that are next to them."""
    with netCDF4.Dataset(path) as file:
        sst = next(variable for variable in file.variables.values() if variable.ndim == 3)
        sst.set_auto_maskandscale(False)
        return sst[:]


class Comparison:
    """Events of one table against those of another."""

    def __init__(self, what, bound):
        self.what, self.bound = what, bound
        self.worst, self.faults, self.n, self.n_equal_days = {}, [], 0, 0

    def fault(self, where, text):
        self.faults.append(f"{where}: {text}")

    def figure(self, name, ours, theirs, duration, where):
        if theirs in ("", "nan", "inf", "-inf"):  # a rate that marineHeatWaves divides by nought for
            return
        off = abs(float(ours) - float(theirs)) if ours != "" else np.inf
        share = off / self.bound(name, duration)
        kind = name.replace("_relThresh", "").replace("_abs", "")
        if share > self.worst.get(kind, (-1, 0, ""))[0]:
            self.worst[kind] = (share, off, f"{where} {name}")

    def levels(self, our, their, where):
        """Days by category; of equal days a moderate one less in ours."""
        duration = int(their["duration"])
        equal = their.get("at_threshold", 0)
        for level in LEVELS:
            name = f"duration_{level}"
            if name not in their or not (name in our or f"p_{level}" in our):
                continue
            n = int(our[name]) if name in our else round(float(our[f"p_{level}"]) * duration / 100)
            if n + (equal if level == "moderate" and name not in our else 0) != int(their[name]):
                self.fault(where, f"{n} days {level}, not {their[name]}, {equal} of them at the threshold")
        self.n_equal_days += equal

    def events(self, ours, theirs, where):
        if len(ours) != len(theirs):
            self.fault(where, f"{len(ours)} events, not {len(theirs)}")
            return
        for our, their in zip(ours, theirs):
            place = f"{where} {their['date_start']}"
            for name in EXACT:
                if str(our[name]) != str(their[name]):
                    self.fault(place, f"{name} {our[name]}, not {their[name]}")
            category = OUR_NAMES.get(our["category"], our["category"])
            if category != their["category"]:
                self.fault(place, f"category {category}, not {their['category']}")
            self.levels(our, their, place)
            for name in their:
                if name.startswith(("intensity", "rate")):
                    self.figure(name, our[name], their[name], int(their["duration"]), place)
            self.n += 1

    def conclude(self):
        for kind, (share, off, where) in sorted(self.worst.items()):
            if not share <= 1.0:
                self.fault(where, f"{kind} off by {off:.2e}")
        for text in self.faults[:10]:
            print(f"  {text}")
        print(f"{self.what}: {self.n} events, {self.n_equal_days} days at their threshold, {len(self.faults)} faults; "
              "largest differences: " + ", ".join(f"{kind} {off:.1e}" for kind, (_, off, _) in sorted(self.worst.items())))
        return not self.faults and self.n > 0


def series(ours, theirs, data):
    name = os.path.basename(theirs)
    _, baseline, kind, direction, *_ = name.split(".")
    values = read_values(data)[:, 0].astype("f8")
    is_float = np.any(values != np.rint(values))
    hundredths = np.rint(values * 100) if is_float else values
    rule = (hobday.Days(FIRST_DAY, len(hundredths)), [int(year) for year in baseline.split("-")],
            31 if kind == "s31" else 0, direction == "mcs")
    whole = hobday.detect(hundredths * hobday.WHOLE, *rule, unit=100.0 * hobday.WHOLE)[0]
    known, direct, exact = (Comparison(*of) for of in (("  marineHeatWaves by hobday.py", bound_of_same_numbers),
                                                       ("  ours, its table", bound_of_ours),
                                                       ("  ours, exact hundredths", bound_of_ours)))
    known.events(hobday.detect(values if is_float else values / 100, *rule)[0], read(theirs), name)
    direct.events(read(ours), [row | {"at_threshold": one["at_threshold"]} for row, one in zip(read(theirs), whole)], name)
    exact.events(read(ours), whole, name)
    return all([comparison.conclude() for comparison in (known, direct, exact)])


def grid(ours, theirs, tasman, kind):
    with netCDF4.Dataset(tasman) as file:
        lat, lon = file["lat"][:].data, file["lon"][:].data
    reference = {}
    for row in read(theirs):
        if row["kind"] == kind:
            reference.setdefault((int(row["iy"]), int(row["ix"])), []).append(row)
    cells = sorted(reference)
    hundredths = read_values(tasman)[:, [y for y, _ in cells], [x for _, x in cells]].astype("f8")
    table = {}
    for row in read(ours):
        cell = int(np.abs(lat - float(row["lat"])).argmin()), int(np.abs(lon - float(row["lon"])).argmin())
        table.setdefault(cell, []).append(row)
    rule = hobday.Days(FIRST_DAY, len(hundredths)), (1982, 2011), 31, kind == "mcs"
    decoded = (hundredths.astype("f4") * np.float32(0.01)).astype("f8")
    again = hobday.detect(decoded, *rule)
    whole = hobday.detect(hundredths * hobday.WHOLE, *rule, unit=100.0 * hobday.WHOLE)
    known = Comparison("  marineHeatWaves by hobday.py, float32 values", bound_of_rounded_table)
    exact = Comparison("  ours, exact hundredths", bound_of_ours)
    n_other = 0
    for i, cell in enumerate(cells):
        known.events(again[i], reference[cell], f"cell {cell}")
        exact.events(table.get(cell, []), whole[i], f"cell {cell}")
        dates = ({tuple(str(one[name]) for name in EXACT) + (one["category"],) for one in events}
                 for events in (whole[i], reference[cell]))
        n_other += len(set.difference(*dates))
    passed = all([comparison.conclude() for comparison in (known, exact)])
    print(f"  {n_other} events that exact hundredths and float32 values have otherwise")
    return passed


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
