"""Reads a climatology of tests/support/clim_fixture as users do, with xarray and CDO. Arguments: the file, a scratch folder."""
import datetime
import subprocess
import sys

import netCDF4
import numpy as np
import xarray as xr

path, scratch = sys.argv[1:]
CELLS = np.arange(35).reshape(5, 7)
LAND = CELLS == 3
# float32 sums and differences of values below 24 degC.
TOLERANCE = 4e-6


def expected_mean(slot):
    return np.where(LAND, np.nan, 10 + slot / 64 + CELLS / 1000)


# A plain open, without any option, decodes everything.
clim = xr.open_dataset(path)
assert clim.time.values[0] == np.datetime64("2004-01-01T12"), clim.time.values[0]
assert clim.time.values[59] == np.datetime64("2004-02-29T12"), clim.time.values[59]
assert clim.time.size == 366
assert clim.quality_flag.dtype == np.int16 and clim.n_obs.dtype == np.int16, "flags must stay integers"
assert float(clim.sst_p90.percentile_90) == 90
for slot in (1, 59, 60, 61, 366):
    got = clim.sst_mean.isel(time=slot - 1).values
    np.testing.assert_array_equal(got, expected_mean(slot).astype(np.float32))
masks = dict(zip(clim.quality_flag.flag_meanings.split(), clim.quality_flag.flag_masks))
derived = (clim.quality_flag & int(masks["derived_leap_day"])) > 0
assert derived.sum(("lat", "lon")).values.nonzero()[0].tolist() == [59]

# Daily values: the climatology of that calendar day plus a known anomaly, in a leap year and in a common one.
DAYS = [datetime.date(2023, 2, 28), datetime.date(2023, 3, 1), datetime.date(2024, 2, 28), datetime.date(2024, 2, 29),
        datetime.date(2024, 3, 1), datetime.date(2024, 12, 31)]
SLOTS = [59, 61, 59, 60, 61, 366]
ANOMALIES = [0.5, -0.25, 1.5, 2.5, -3.5, 4.5]
daily_path, anomaly_path = f"{scratch}/daily.nc", f"{scratch}/anomaly.nc"
with netCDF4.Dataset(daily_path, "w") as daily:
    for name, size in (("time", None), ("lat", 5), ("lon", 7)):
        daily.createDimension(name, size)
    for name, units in (("time", "days since 1978-01-01 12:00:00"), ("lat", "degrees_north"), ("lon", "degrees_east")):
        daily.createVariable(name, "f8", (name,)).units = units
    daily["lat"][:] = clim.lat.values
    daily["lon"][:] = clim.lon.values
    daily["time"][:] = [(day - datetime.date(1978, 1, 1)).days for day in DAYS]
    sst = daily.createVariable("sst", "f4", ("time", "lat", "lon"), fill_value=-999)
    sst.units = "degree_Celsius"
    for i, (slot, anomaly) in enumerate(zip(SLOTS, ANOMALIES)):
        sst[i] = np.ma.masked_invalid(expected_mean(slot) + anomaly)

subprocess.run(["cdo", "-s", "-O", "ydaysub", daily_path, "-selname,sst_mean", path, anomaly_path], check=True)
with netCDF4.Dataset(anomaly_path) as anomalies:
    assert anomalies["sst"].shape == (6, 5, 7), anomalies["sst"].shape
    for i, anomaly in enumerate(ANOMALIES):
        got = anomalies["sst"][i]
        assert np.array_equal(np.ma.getmaskarray(got), LAND), f"{DAYS[i]}: land"
        assert abs(got - anomaly).max() < TOLERANCE, f"{DAYS[i]}: {got} instead of {anomaly}"

# The same with xarray, in the way that the manual gives.
days = xr.open_dataset(daily_path)
by_day = clim.assign_coords(mmdd=clim.time.dt.month * 100 + clim.time.dt.day).swap_dims(time="mmdd").drop_vars("time")
anomaly = days.sst - by_day.sst_mean.sel(mmdd=days.time.dt.month * 100 + days.time.dt.day)
for i, expected in enumerate(ANOMALIES):
    assert np.nanmax(abs(anomaly.values[i] - expected)) < TOLERANCE, f"{DAYS[i]}: {anomaly.values[i]}"
print("xarray", xr.__version__, "and CDO read it right")
