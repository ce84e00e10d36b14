"""Whether a Python expression holds of a climatology and of the exact one.

usage: bounds_tool.py OURS.nc EXACT.nc EXPRESSION, of b (bounds), e (estimate), x (exact), error, sea and f (flags).
"""
import sys

import netCDF4
import numpy as np

with netCDF4.Dataset(sys.argv[1]) as ours, netCDF4.Dataset(sys.argv[2]) as exact:
    e, x = (np.ma.filled(data["sst_p90"][:], np.nan) for data in (ours, exact))
    f = ours["quality_flag"][:].data
    b = np.ma.filled(ours["sst_p90_approx_bound95"][:], np.nan) if "sst_p90_approx_bound95" in ours.variables else None
    names = set(ours.variables)
flag = {name: 1 << bit for bit, name in enumerate(
    ["missing", "few", "leap", "ice", "guarded", "measured", "uncertified", "likely", "repaired"])}
sea = np.isfinite(x)
error = np.abs(e - x)
if not eval(sys.argv[3]):
    sys.exit(f"bound {b is not None and np.nanmean(b)}, error {np.nanmean(error)}, flags {np.unique(f)}")
