"""Makes climatologies of one set of values in many forms, and checks reports on them, for compare.sh."""
import json
import sys

import netCDF4
import numpy as np

LAT = np.array([-50.0, -30.0, -10.0, 10.0, 30.0, 50.0])
LON = np.array([0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0])
LAND = (2, 3)
JUNE = slice(152, 182)  # of 366 days
HOT = (100, 4, 6)  # day, row, column; day 100 is 10 April of a leap year


def fields():
    """P90 and mean, float32, [day][row][column]."""
    day = np.arange(366)[:, None, None]
    mean = (15 + 8 * np.cos(np.radians(LAT))[None, :, None] - 3 * np.cos(2 * np.pi * (day - 30) / 366)
            + np.arange(LON.size)[None, None, :] / 7)
    mean[:, LAND[0], LAND[1]] = np.nan
    return (mean + 1.3).astype("f4"), mean.astype("f4")


def write(path, p90, mean, names=("sst_p90", "sst_mean"), lat=LAT, lon=LON, days="time", order=("time", "lat", "lon"),
          packed=False):
    with netCDF4.Dataset(path, "w", format="NETCDF4_CLASSIC") as data:
        dim = {"time": "time", "doy": "dayofyear", "mmdd": "mmdd"}[days]
        order = [dim if name == "time" else name for name in order]
        for name, size in ((dim, p90.shape[0]), ("lat", lat.size), ("lon", lon.size)):
            data.createDimension(name, size)
            data.createVariable(name, "f8", (name,))
        data["lat"][:], data["lon"][:] = lat, lon
        data["lat"].units, data["lon"].units = "degrees_north", "degrees_east"
        data[dim][:] = np.arange(p90.shape[0]) + (1 if days == "doy" else 0)
        if days == "time":
            data["time"].units = "days since 2004-01-01 12:00:00"
        if days == "mmdd":
            dates = netCDF4.num2date(np.arange(366), "days since 2004-01-01")
            data["mmdd"][:] = [date.month * 100 + date.day for date in dates]
        for name, values in zip(names, (p90, mean)):
            values = values.transpose([(dim, "lat", "lon").index(one) for one in order])
            if packed:
                variable = data.createVariable(name, "i2", order, fill_value=-32768)
                variable.scale_factor, variable.add_offset, variable.units = 0.001, 293.15, "K"
                variable[:] = np.ma.masked_invalid(values.astype("f8") + 273.15)
            else:
                variable = data.createVariable(name, "f4", order, fill_value=np.float32(-999))
                variable.units = "degC"
                variable[:] = np.ma.masked_invalid(values)


def make(folder):
    p90, mean = fields()
    write(f"{folder}/base.nc", p90, mean)
    june, hot, tropics = p90.copy(), p90.copy(), p90.copy()
    june[JUNE] += np.float32(0.05)
    write(f"{folder}/june.nc", june, mean)
    hot[HOT] += np.float32(2)
    write(f"{folder}/hot.nc", hot, mean)
    tropics[:, 2:4] -= np.float32(0.25)
    write(f"{folder}/tropics.nc", tropics, mean)
    common = np.arange(366) != 59
    write(f"{folder}/days365.nc", p90[common], mean[common], ("thresh", "seas"), days="doy")
    turned = [np.roll(values[:, ::-1], 4, axis=2) for values in (p90, mean)]
    write(f"{folder}/turned.nc", *turned, lat=LAT[::-1], lon=np.roll(LON, 4) - 360 * (np.roll(LON, 4) >= 180),
          days="mmdd", order=("lon", "lat", "time"))
    write(f"{folder}/packed.nc", p90, mean, ("p90", "mean"), packed=True)
    write(f"{folder}/coarse.nc", p90[:, ::2, ::2], mean[:, ::2, ::2], lat=LAT[::2], lon=LON[::2])
    write(f"{folder}/shifted.nc", p90, mean, lon=LON + 1)
    write(f"{folder}/named.nc", p90, mean, ("alpha", "beta"))
    lone = p90.copy()
    lone[5, 0, 0] = np.nan
    write(f"{folder}/lone.nc", lone, mean)


def rows(report, name="sst_p90"):
    return report["validation"]["errors_degc"][name]


def near(what, found, wanted, step):
    if found is None or not abs(found - wanted) <= step:
        sys.exit(f"{what}: {found}, expected {wanted}")


def june(report):
    share = 30 / 366
    for key in ("ice_free_area", "all_count"):
        near("bias", rows(report)[key]["bias"], 0.05 * share, 1e-6)
        near("rmse", rows(report)[key]["rmse"], 0.05 * share**0.5, 1e-6)
        near("max", rows(report)[key]["max_abs"], 0.05, 4e-6)
        near("mean", rows(report, "sst_mean")[key]["rmse"], 0, 0)
    by_slot = report["validation"]["breakdown"]["sst_p90"]["by_slot"]
    for row in by_slot:
        near(f"day {row['low']}", row["bias"], 0.05 if 153 <= row["low"] <= 182 else 0, 4e-6)
    if len(by_slot) != 366 or len(report["largest"]["sst_p90"]) != 20 or report["largest"]["sst_mean"]:
        sys.exit("not 366 days, or not 20 largest differences, or some of the mean")
    if not all(one["day"].startswith("06-") for one in report["largest"]["sst_p90"]):
        sys.exit("a largest difference is not in June")
    maps = {(one["key"], one["variable"]): one for one in report["maps"]}
    if len(maps) != 4:
        sys.exit(f"maps: {sorted(maps)}")
    for key, wanted in (("difference", 0.05 * share), ("rmse", 0.05 * share**0.5)):
        one = maps[key, "sst_p90"]
        values = np.array([np.nan if v is None else v * one["step"] for v in one["values"]]).reshape(one["rows"], -1)
        land = LAT.size - 1 - LAND[0], LAND[1]
        if not np.isnan(values[land]) or np.isnan(values).sum() != 1 or one["sea"][land[0]][land[1]] != "0":
            sys.exit(f"map {key}: land is not where it should be: {values}")
        near(f"map {key}", np.nanmax(np.abs(values - wanted)), 0, one["step"] / 2 + 1e-9)


def hot(report):
    first = report["largest"]["sst_p90"][0]
    near("difference", first["difference_degc"], 2, 2e-6)
    near("b", first["b_degc"], float(fields()[0][HOT]), 1e-4)
    if (first["day"], first["lat"], first["lon"]) != ("04-10", LAT[HOT[1]], LON[HOT[2]]):
        sys.exit(f"the largest difference is at {first}")
    if len(report["largest"]["sst_p90"]) != 1:
        sys.exit("other cells differ as well")


def tropics(report):
    weight = np.cos(np.radians(LAT))
    n = np.array([LON.size - (row == LAND[0]) for row in range(LAT.size)])
    area = (weight * n)[2:4].sum() / (weight * n).sum()
    near("bias by area", rows(report)["all_area"]["bias"], -0.25 * area, 1e-6)
    near("bias by count", rows(report)["all_count"]["bias"], -0.25 * n[2:4].sum() / n.sum(), 1e-6)
    near("share", report["verdict"]["worst_share"], area, 1e-6)
    if report["verdict"]["pass"] or report["verdict"]["variable"] != "sst_p90":
        sys.exit(f"verdict: {report['verdict']}")


def same(report, days="366"):
    for name in report["validation"]["errors_degc"]:
        for key, row in rows(report, name).items():
            if (row["bias"], row["rmse"], row["max_abs"], row["beyond_tolerance"]["share"]) != (0, 0, 0, 0):
                sys.exit(f"{name}, {key}: {row}")
            if row["cell_days"] != 47 * int(days):
                sys.exit(f"{name}, {key}: {row['cell_days']} cell-days")
    if any(report["largest"].values()) or not report["verdict"]["pass"]:
        sys.exit("something differs")


def packed(report):
    for name in ("sst_p90", "sst_mean"):
        row = rows(report, name)["all_area"]
        if not 0.0001 < row["rmse"] < row["max_abs"] <= 0.000502:
            sys.exit(f"{name}: {row}")


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    with open(sys.argv[2], encoding="utf-8") as stream:
        globals()[sys.argv[1]](json.load(stream), *sys.argv[3:])
