"""Reads a climatology that the program made, with xarray and CDO. Arguments: the climatology, its archive, a scratch folder."""
import subprocess
import sys

import numpy as np
import xarray as xr

path, archive, scratch = sys.argv[1:]
TOLERANCE = 4e-6  # float32 sums and differences of values below 32 degC

# A plain open, without any option, decodes everything.
clim = xr.open_dataset(path)
assert clim.time.values[0] == np.datetime64("2000-02-26T12"), clim.time.values[0]
assert clim.time.values[3] == np.datetime64("2000-02-29T12"), clim.time.values[3]
dates = clim.time.dt.month.values * 100 + clim.time.dt.day.values
assert dates.tolist() == clim.calendar_day.values.tolist() == [226, 227, 228, 229, 301, 302], dates
assert clim.sst_mean.dtype == np.float32 and clim.sst_p90.dtype == np.float32
assert clim.n_obs.dtype == np.int16 and clim.quality_flag.dtype == np.int16, "flags must stay integers"
sea = clim.n_obs.values[0] > 0
assert np.isnan(clim.sst_mean.values[:, ~sea]).all() and np.isfinite(clim.sst_mean.values[:, sea]).all()
assert (~sea).any(), "no land, so nothing is shown of it"
assert (clim.sst_p90.values[:, sea] >= clim.sst_mean.values[:, sea] - 1e-5).all()

# Anomalies of five days of the archive, by CDO and by hand.
DAYS = {"20030228": 228, "20030301": 301, "20040228": 228, "20040229": 229, "20040301": 301}
files = [f"{archive}/oisst-avhrr-v02r01.{day}.nc" for day in DAYS]
daily, anomaly = f"{scratch}/daily.nc", f"{scratch}/anomaly.nc"
subprocess.run(["cdo", "-s", "-O", "-b", "F64", "-selname,sst", "-mergetime", *files, daily], check=True)
subprocess.run(["cdo", "-s", "-O", "-b", "F64", "ydaysub", daily, "-selname,sst_mean", path, anomaly], check=True)
got = xr.open_dataset(anomaly).sst.squeeze().values
assert got.shape[0] == len(DAYS), got.shape
for i, (file, date) in enumerate(zip(files, DAYS.values())):
    sst = xr.open_dataset(file).sst.squeeze().values.astype("f8")
    expected = sst - clim.sst_mean.values[list(dates).index(date)]
    assert (np.isnan(got[i]) == ~sea).all(), f"{file}: land"
    error = np.nanmax(abs(got[i] - expected))
    assert error < TOLERANCE, f"{file}: {error} off"
    assert np.nanmax(abs(expected)) > 0.5, "no anomaly worth the name"
print("xarray", xr.__version__, "and CDO read it right")
