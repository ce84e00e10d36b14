#!/usr/bin/python3
"""Compares climatologies with what marineHeatWaves gave, within 2e-6 degC.

The program writes float32, so the reference is rounded to float32 first; what is left is the reference's own decode in
float32, at most one unit in the last place (1.9e-6 degC above 16 degC). Unrounded the largest difference is 2.1e-6, of which
1.45e-6 is that decode: double arithmetic on the true hundredths differs from the reference by as much.

  compare_reference.py grid CLIM.nc REF.nc {raw|s31}     64 cells of the Tasman grid: mean, P90, P10
  compare_reference.py series CLIM.nc MHW.csv MCS.csv    one cell: mean and P90 of the first, P10 of the second
  compare_reference.py to-netcdf SERIES.csv OUT.nc       writes heatwaveR's series as a netCDF file of one cell
"""
import csv
import sys
import netCDF4
import numpy as np

TOLERANCE = 2e-6


def field(ds, name):
    data = np.ma.filled(ds[name][:].astype("f8"), np.nan)
    return data[:, ::-1] if len(ds["lat"]) > 1 and ds["lat"][0] > ds["lat"][-1] else data


def check(label, got, want):
    want = want.astype("f4").astype("f8")
    both_missing = np.isnan(got) & np.isnan(want)
    off = np.where(both_missing, 0.0, np.abs(got - want))
    off = np.where(np.isnan(off), np.inf, off)
    print(f"{label}: {got.size - int(both_missing.sum())} values, largest difference {off.max():.2e} degC")
    return off.max() <= TOLERANCE and not both_missing.all()


def grid(clim, ref, kind):
    ours, theirs = netCDF4.Dataset(clim), netCDF4.Dataset(ref)
    iy, ix = theirs["iy"][:].data, theirs["ix"][:].data
    ok = True
    for name, other in (("sst_mean", "seas"), ("sst_p90", "thresh90"), ("sst_p10", "thresh10")):
        want = np.ma.filled(theirs[f"{other}_{kind}"][:], np.nan)
        ok &= check(f"{name} {kind}", field(ours, name)[:, iy][:, :, ix], want)
    return ok


def column(path, name):
    with open(path) as file:
        return np.array([float(row[name]) for row in csv.DictReader(file)])


def series(clim, mhw, mcs):
    ours = netCDF4.Dataset(clim)
    ok = check("sst_mean", field(ours, "sst_mean")[:, 0, 0], column(mhw, "seas"))
    ok &= check("sst_p90", field(ours, "sst_p90")[:, 0, 0], column(mhw, "thresh"))
    return ok & check("sst_p10", field(ours, "sst_p10")[:, 0, 0], column(mcs, "thresh"))


def to_netcdf(path, out):
    with open(path) as file:
        rows = [(row["t"], row["temp"]) for row in csv.DictReader(file)]
    with netCDF4.Dataset(out, "w") as ds:
        ds.createDimension("time", None), ds.createDimension("lat", 1), ds.createDimension("lon", 1)
        time = ds.createVariable("time", "i4", ("time",))
        time.units = "days since 1970-01-01"
        for name, units, value in (("lat", "degrees_north", -30.0), ("lon", "degrees_east", 114.0)):
            axis = ds.createVariable(name, "f8", (name,))
            axis.units = units
            axis[:] = value
        sst = ds.createVariable("temp", "f4", ("time", "lat", "lon"), fill_value=np.float32(-9999))
        sst.units, sst.standard_name = "degree_Celsius", "sea_surface_temperature"
        days = np.array([r[0] for r in rows], dtype="datetime64[D]").astype(int)
        time[:] = days
        sst[:, 0, 0] = np.array([float(r[1]) if r[1] not in ("", "NA") else -9999 for r in rows], dtype="f4")
    return True


if __name__ == "__main__":
    task = {"grid": grid, "series": series, "to-netcdf": to_netcdf}[sys.argv[1]]
    sys.exit(0 if task(*sys.argv[2:]) else 1)
