"""Daily files of a synthetic archive as one file of many steps, sst and ice.

usage: pack_days.py OUT.nc FOLDER
"""
import os
import sys

import netCDF4
import numpy as np


def main():
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(sys.argv[2]) for name in names)
    with netCDF4.Dataset(paths[0]) as first, netCDF4.Dataset(sys.argv[1], "w") as out:
        first.set_auto_maskandscale(False)
        out.set_auto_maskandscale(False)
        out.setncatts({"title": first.title})
        out.createDimension("time", len(paths))
        for name in ("lat", "lon"):
            out.createDimension(name, len(first[name]))
            axis = out.createVariable(name, "f4", (name,))
            axis.setncatts({key: first[name].getncattr(key) for key in first[name].ncattrs() if key != "_FillValue"})
            axis[:] = first[name][:]
        time = out.createVariable("time", "f8", ("time",))
        time.setncatts({"units": first["time"].units, "calendar": "standard", "standard_name": "time"})
        days = np.empty(len(paths))
        fields = {name: np.empty((len(paths), len(first["lat"]), len(first["lon"])), "i2") for name in ("sst", "ice")}
        for i, path in enumerate(paths):
            with netCDF4.Dataset(path) as day:
                day.set_auto_maskandscale(False)
                days[i] = day["time"][0]
                for name, field in fields.items():
                    field[i] = day[name][0, 0]
        time[:] = days
        for name, field in fields.items():
            variable = out.createVariable(name, "i2", ("time", "lat", "lon"), zlib=True, complevel=1, shuffle=True,
                                          chunksizes=(1, field.shape[1], field.shape[2]),
                                          fill_value=first[name]._FillValue)
            variable.setncatts({key: first[name].getncattr(key) for key in first[name].ncattrs() if key != "_FillValue"})
            variable[:] = field


main()
