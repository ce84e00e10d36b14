"""Rewrites day files into other forms, spoils them, and compares climatologies, for the scripts of this folder."""
import glob
import os
import sys

import netCDF4
import numpy as np

FILL = -32768


def variables(path):
    """All variables as stored, without masks and without scaling."""
    with netCDF4.Dataset(path) as data:
        data.set_auto_maskandscale(False)
        return {name: np.array(variable[...]) for name, variable in data.variables.items()}


def difference(name, ours, theirs):
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{name}: {ours.dtype} {ours.shape} against {theirs.dtype} {theirs.shape}"
    if ours.tobytes() != theirs.tobytes():
        return f"{name}: {int((ours != theirs).sum())} of {ours.size} values differ"
    return None


def equal_in(names, first, *others):
    """The named variables ("all": the same set of variables) of the others are those of the first, byte for byte."""
    a = variables(first)
    for other in others:
        b = variables(other)
        if names == "all" and set(a) != set(b):
            sys.exit(f"{first} has {sorted(a)}, {other} has {sorted(b)}")
        for name in sorted(a) if names == "all" else names.split(","):
            text = difference(name, a[name], b[name])
            if text:
                sys.exit(f"{first} and {other}: {text}")


def equal(first, *others):
    equal_in("all", first, *others)


def unlike(first, second, name):
    """The variable differs somewhere: the option under test does something."""
    if difference(name, variables(first)[name], variables(second)[name]) is None:
        sys.exit(f"{first} and {second}: {name} is the same")


def equal_attribute(name, *paths):
    found = set()
    for path in paths:
        with netCDF4.Dataset(path) as data:
            found.add(str(data.getncattr(name)))
    if len(found) != 1:
        sys.exit(f"{name}: {sorted(found)}")


def places(values):
    return {(float(lat), float(lon) % 360): (row, col) for row, lat in enumerate(values["lat"])
            for col, lon in enumerate(values["lon"])}


def cells(n_cells, whole, *parts):
    """Every cell of a part holds what the whole has at that place; a part has n_cells, each row from west to east."""
    a = variables(whole)
    where = places(a)
    for part in parts:
        b = variables(part)
        if b["lat"].size * b["lon"].size != int(n_cells):
            sys.exit(f"{part}: {b['lat'].size} x {b['lon'].size} cells instead of {n_cells}")
        if not (np.diff(b["lon"]) > 0).all():
            sys.exit(f"{part}: longitudes do not ascend: {b['lon']}")
        for place, (row, col) in places(b).items():
            for name in ("sst_mean", "sst_p90", "n_obs", "quality_flag"):
                whole_row, whole_col = where[place]
                text = difference(name, a[name][:, whole_row, whole_col], b[name][:, row, col])
                if text:
                    sys.exit(f"{part}: {place}: {text}")


def split(single, folder, n_files):
    """A folder of one file a day holds the values of the single file; land is -9999."""
    a = variables(single)
    names = sorted(os.path.basename(path) for path in glob.glob(f"{folder}/*"))
    expected = sorted(f"sst_clim_{day:04d}.nc" for day in a["calendar_day"])
    if names != expected or len(names) != int(n_files):
        sys.exit(f"{len(names)} files {names[:3]}..., expected {len(expected)} as {expected[:3]}...")
    n_land = 0
    for slot, day in enumerate(a["calendar_day"]):
        path = f"{folder}/sst_clim_{day:04d}.nc"
        b = variables(path)
        for name in ("sst_mean", "sst_p90"):
            land = a[name][slot] > 1e36
            n_land += int(land.sum())
            text = difference(name, np.where(land, np.float32(-9999), a[name][slot]), np.squeeze(b[name]))
            with netCDF4.Dataset(path) as data:
                if data[name].getncattr("_FillValue") != np.float32(-9999):
                    text = f"{name}: _FillValue is {data[name].getncattr('_FillValue')}"
            if text:
                sys.exit(f"{path}: {text}")
        for name in ("n_obs", "quality_flag", "time", "climatology_bounds", "calendar_day"):
            text = difference(name, np.squeeze(a[name][slot]), np.squeeze(b[name]))
            if text:
                sys.exit(f"{path}: {text}")
    if n_land == 0:
        sys.exit("no land, so nothing is shown of it")


def read_day(path):
    """(date number since 1970, lat, lon, hundredths with FILL, ice percent with FILL) of a synthetic day file."""
    with netCDF4.Dataset(path) as data:
        data.set_auto_maskandscale(False)
        time = netCDF4.num2date(data["time"][0], data["time"].units)
        number = netCDF4.date2num(time, "days since 1970-01-01")
        fields = []
        for name in ("sst", "ice"):
            raw = np.squeeze(data[name][...]).astype("i4")
            fields.append(np.where(raw == data[name].getncattr("_FillValue"), FILL, raw))
        return number, np.array(data["lat"][:]), np.array(data["lon"][:]), fields[0], fields[1]


def write_day(path, number, lat, lon, sst, ice, form="plain"):
    """Writes hundredths in one of the forms that products come in."""
    packed = form != "floats"
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC" if form == "floats" else "NETCDF4") as data:
        for name, size in (("time", 1), ("lat", lat.size), ("lon", lon.size)):
            data.createDimension(name, size)
        for name, units in (("time", "seconds since 1981-01-01 00:00:00" if form == "kelvin" else
                             "days since 1970-01-01"), ("lat", "degrees_north"), ("lon", "degrees_east")):
            data.createVariable(name, "f8", (name,)).units = units
        data["time"][:] = (number - 4018) * 86400 if form == "kelvin" else number
        data["lat"][:], data["lon"][:] = lat, lon
        for name, field in (("ice", ice), ("sst", sst)):
            missing = field == FILL
            variable = data.createVariable(name, "i2" if packed else "f4", ("time", "lat", "lon"),
                                           fill_value=-32767 if packed else np.float32(np.nan))
            variable.set_auto_maskandscale(False)
            if packed:
                variable.scale_factor = np.float64(0.01)
                variable.add_offset = np.float64(273.15 if form == "kelvin" and name == "sst" else 0)
                variable[0] = np.where(missing, -32767, field)
            else:
                variable[0] = np.where(missing, np.nan, field / 100).astype("f4")
            variable.units = "1" if name == "ice" else "kelvin" if form == "kelvin" else "degree_Celsius"
            if name == "ice":
                variable.standard_name = "sea_ice_area_fraction"


def rewrite(form, source, target):
    """All day files of a folder in another form: flip, west, kelvin, floats."""
    os.mkdir(target)
    for path in sorted(glob.glob(f"{source}/*.nc")):
        number, lat, lon, sst, ice = read_day(path)
        if form == "flip":
            lat, sst, ice = lat[::-1], sst[::-1], ice[::-1]
        if form == "west":
            half = lon.size // 2
            lon = np.concatenate((lon[half:] - 360, lon[:half]))
            sst, ice = np.roll(sst, -half, axis=1), np.roll(ice, -half, axis=1)
        write_day(f"{target}/{os.path.basename(path)}", number, lat, lon, sst, ice, form)


def change(path, what):
    """Makes a day file into one that cannot be used, or that says something else."""
    number, lat, lon, sst, ice = read_day(path)
    if what == "other-grid":
        write_day(path, number, lat[:-1], lon, sst[:-1], ice[:-1])
    elif what == "one-cell-warmer":
        sst[np.unravel_index(np.argmax(sst), sst.shape)] += 30
        write_day(path, number, lat, lon, sst, ice)
    elif what == "all-warmer":
        write_day(path, number, lat, lon, np.where(sst == FILL, FILL, sst + 30), ice)
    elif what == "far-warmer":
        write_day(path, number, lat, lon, np.where(sst == FILL, FILL, np.minimum(sst + 900, 4000)), ice)
    elif what == "day-after":
        write_day(path, number + 1, lat, lon, sst, ice)
    elif what == "hours-later":
        write_day(path, number + 0.25, lat, lon, sst, ice)
    elif what == "no-sst":
        write_day(path, number, lat, lon, sst, ice)
        with netCDF4.Dataset(path, "a") as data:
            data.renameVariable("sst", "chlorophyll")
            data["chlorophyll"].units = "mg m-3"
    elif what == "classic":
        write_day(path, number, lat, lon, sst, ice, "floats")
    elif what == "hourly":
        with netCDF4.Dataset(path, "w") as data:
            for name, size in (("time", 24), ("lat", lat.size), ("lon", lon.size)):
                data.createDimension(name, size)
                data.createVariable(name, "f8", (name,))
            data["time"].units, data["lat"].units, data["lon"].units = (
                "days since 1970-01-01", "degrees_north", "degrees_east")
            data["time"][:], data["lat"][:], data["lon"][:] = np.floor(number) + np.arange(24) / 24, lat, lon
            data.createVariable("sst", "f4", ("time", "lat", "lon"), fill_value=np.float32(-999)).units = "degree_Celsius"
            data["sst"][:] = np.where(sst == FILL, -999, sst / 100)
    else:
        sys.exit(f"{what}: no such change")


def mask(path, day_file):
    """A mask file of two variables: `north` keeps the northern hemisphere, `none` nothing."""
    _, lat, lon, _, _ = read_day(day_file)
    with netCDF4.Dataset(path, "w") as data:
        for name, values, units in (("lat", lat, "degrees_north"), ("lon", lon, "degrees_east")):
            data.createDimension(name, values.size)
            data.createVariable(name, "f8", (name,)).units = units
            data[name][:] = values
        data.createVariable("none", "i1", ("lat", "lon"))[:] = 0
        data.createVariable("north", "i1", ("lat", "lon"))[:] = (lat > 0)[:, None] * np.ones(lon.size)


def masked(whole, part):
    """The part is the whole in the north and missing in the south."""
    a, b = variables(whole), variables(part)
    north = a["lat"] > 0
    for name in ("sst_mean", "sst_p90", "n_obs", "quality_flag"):
        text = difference(name, a[name][:, north], b[name][:, north])
        if text:
            sys.exit(text)
    if b["n_obs"][:, ~north].any() or not (b["sst_mean"][:, ~north] > 1e36).all():
        sys.exit("values in the south, which the mask leaves out")
    if not a["n_obs"][:, ~north].any():
        sys.exit("no values in the south of the whole, so nothing is shown")


def union_of_flags(both, *each):
    """A run of several percentiles has the flags of each."""
    flags = np.bitwise_or.reduce([variables(path)["quality_flag"] for path in each])
    text = difference("quality_flag", variables(both)["quality_flag"], flags)
    if text:
        sys.exit(f"{both}: {text}")


def leap(hobday, skip, own):
    """What each rule makes of 29 February, with 5 years of which 2 are leap years, and an 11-day window."""
    day = {name: variables(path) for name, path in (("hobday", hobday), ("skip", skip), ("own", own))}
    at = {int(date): i for i, date in enumerate(day["own"]["calendar_day"])}
    sea = day["own"]["n_obs"][at[228]] > 0
    for name, pools in (("hobday", {228: 55, 229: 0, 301: 55}), ("skip", {228: 55, 229: 0, 301: 55}),
                        ("own", {228: 52, 229: 52, 301: 52})):
        for date, expected in pools.items():
            found = set(day[name]["n_obs"][at[date]][sea].tolist())
            if found != {expected}:
                sys.exit(f"{name}: {date}: n_obs {found} instead of {expected}")
        derived = (day[name]["quality_flag"][at[229]] & 4)[sea] > 0
        if derived.all() != (name != "own") or derived.any() != (name != "own"):
            sys.exit(f"{name}: derived_leap_day is set in {derived.sum()} of {derived.size} cells")
        if name == "own":
            continue
        for variable in ("sst_mean", "sst_p90"):
            of_neighbours = (day[name][variable][at[228]][sea].astype("f8") + day[name][variable][at[301]][sea]) / 2
            error = abs(day[name][variable][at[229]][sea] - of_neighbours).max()
            if error > 2e-6:  # float32 at 30 degC
                sys.exit(f"{name}: {variable} of 29 February is {error} off the mean of its neighbours")
    for a, b in ((hobday, skip), (skip, own), (hobday, own)):
        unlike(a, b, "sst_p90")


def smoothed(plain, smooth, width):
    """The smooth file's days are the moving mean of the plain file's, which reaches further on both sides."""
    a, b = variables(plain), variables(smooth)
    half = int(width) // 2
    sea = a["n_obs"][0] > 0
    for i, date in enumerate(b["calendar_day"]):
        centre = int(np.flatnonzero(a["calendar_day"] == date)[0])
        for name in ("sst_mean", "sst_p90"):
            window = a[name][centre - half:centre + half + 1][:, sea].astype("f8")
            if window.shape[0] != int(width):
                sys.exit(f"{plain} does not reach far enough for {date}")
            error = abs(window.mean(axis=0) - b[name][i][sea]).max()
            if error > 4e-6:  # float32 at 30 degC, twice
                sys.exit(f"{name} of {date} is {error} off the moving mean")


def all_missing(path):
    """No value anywhere, and every cell-day is flagged so."""
    values = variables(path)
    if (values["sst_p90"] < 1e36).any() or (values["sst_mean"] < 1e36).any() or not (values["quality_flag"] & 1).all():
        sys.exit(f"{path}: values that should be missing")


def attribute(path, name, expected):
    with netCDF4.Dataset(path) as data:
        if str(data.getncattr(name)) != expected:
            sys.exit(f"{path}: {name} is {data.getncattr(name)!r} instead of {expected!r}")


def statistics(sst):
    """Plain two-pass figures over the first axis: n, mean, sd, skewness, excess kurtosis, least, greatest; NaN = missing."""
    n = (~np.isnan(sst)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nansum(sst, axis=0) / n
        moments = [np.nansum((sst - mean)**k, axis=0) / n for k in (2, 3, 4)]
        sd = np.sqrt(moments[0])
        skewness = np.where(sd < 1e-9, 0, moments[1] / sd**3)
        kurtosis = np.where(sd < 1e-9, 0, moments[2] / sd**4 - 3)
    gone = n == 0
    least, greatest = (np.where(gone, np.nan, f(np.where(np.isnan(sst), end, sst), axis=0))
                       for f, end in ((np.min, np.inf), (np.max, -np.inf)))
    shown = {"sst_mean": mean, "sst_sd": sd, "sst_skewness": skewness, "sst_kurtosis": kurtosis, "sst_min": least,
             "sst_max": greatest}
    return n, {name: np.where(gone, np.nan, values) for name, values in shown.items()}


def check_slot(a, place, days):
    """A calendar day's fields are those of the day files [(sst, ice)]."""
    if not days:
        if a["n_obs"][place].any() or any((a[name][place] < 1e36).any() for name in ("sst_mean", "sst_sd", "sst_max")):
            sys.exit(f"{a['calendar_day'][place]}: values of no day")
        return
    n, expected = statistics(np.array([np.where(sst == FILL, np.nan, sst / 100) for sst, _ in days]))
    expected["sea_ice_day_fraction"] = np.mean([ice >= 15 for _, ice in days], axis=0)
    if not np.array_equal(n, a["n_obs"][place]):
        sys.exit(f"{a['calendar_day'][place]}: n_obs differs")
    for name, values in expected.items():
        found = np.where(a[name][place] > 1e36, np.nan, a[name][place])
        if name == "sea_ice_day_fraction":
            values = np.where(np.isnan(found) & (values == 0), np.nan, values)  # cells that never had a value
        if not np.allclose(found, values, rtol=2e-6, atol=1e-5, equal_nan=True):
            sys.exit(f"{a['calendar_day'][place]}: {name} is up to {np.nanmax(abs(found - values))} off")


def state(path, archive, first, last):
    """The export of a state of all of an archive, of the baseline first to last and 3-day windows, says what the files say."""
    a = variables(path)
    days, numbers = {}, {}
    for source in sorted(glob.glob(f"{archive}/*.nc")):
        number, lat, lon, sst, ice = read_day(source)
        date = netCDF4.num2date(number, "days since 1970-01-01")
        numbers[int(number)] = (os.path.basename(source), int((sst != FILL).sum()), date)
        if int(first) <= date.year <= int(last):
            days.setdefault(100 * date.month + date.day, []).append((sst, ice))
    if not (np.allclose(a["lat"], lat) and np.allclose(a["lon"], lon)):
        sys.exit("the axes are not those of the files")
    if len(a["calendar_day"]) != 366 or not set(days) <= set(a["calendar_day"].tolist()):
        sys.exit(f"calendar days {a['calendar_day'][:8]}...")
    for place, date in enumerate(a["calendar_day"].tolist()):
        check_slot(a, place, days.get(date, []))
    counted = {}
    for row, number in enumerate(a["day"].tolist()):
        name, n_valid, date = numbers[number]
        if (a["source"][row], a["n_valid"][row], a["day_status"][row]) != (name, n_valid, 1) or len(a["digest"][row]) != 16:
            sys.exit(f"{date}: {a['source'][row]} {a['n_valid'][row]} {a['day_status'][row]} {a['digest'][row]}")
        if a["day_class"][row] >= 0:
            counted[number] = date
    edge = [number for number, (_, _, date) in numbers.items()
            if date.year == int(last) + 1 and (date.month, date.day) == (1, 1)]
    inside = [number for number, (_, _, date) in numbers.items() if int(first) <= date.year <= int(last)]
    if sorted(counted) != sorted(inside + edge) or len(set(a["digest"].tolist())) != len(a["digest"]):
        sys.exit(f"{len(counted)} days are counted instead of {len(inside) + len(edge)}")


def lacks(path, *names):
    """None of these variables is in the file, and the others are."""
    found = set(names) & set(variables(path))
    if found or "sst_mean" not in variables(path):
        sys.exit(f"{path} has {sorted(found)}")


if __name__ == "__main__":
    COMMANDS = {function.__name__: function for function in (equal, equal_in, unlike, equal_attribute, cells, split, rewrite, change,
                                                             mask, masked, union_of_flags, leap, smoothed,
                                                             all_missing, attribute, state, lacks)}
    COMMANDS[sys.argv[1]](*sys.argv[2:])
