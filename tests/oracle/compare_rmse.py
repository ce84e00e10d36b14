"""Root-mean-square difference of two climatologies over all cell-days that either has a value for; a lone one fails.

usage: compare_rmse.py A.nc B.nc [VARIABLE]
Prints the figure and the number of cell-days.
"""
import sys

import netCDF4
import numpy as np


def main():
    name = sys.argv[3] if len(sys.argv) > 3 else "sst_p90"
    a, b = (np.ma.filled(netCDF4.Dataset(path)[name][:].astype("f8"), np.nan) for path in sys.argv[1:3])
    known = np.isfinite(a) | np.isfinite(b)
    error = (a - b)[known]
    if not np.isfinite(error).all():
        sys.exit("%d cell-days have a value in one file only" % np.isnan(error).sum())
    print("%.6f %d" % (np.sqrt((error**2).mean()), error.size))


main()
