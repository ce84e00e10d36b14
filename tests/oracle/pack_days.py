"""Daily files of a synthetic archive as one file of many steps, sst and ice; not compressed, since it is read often.

usage: pack_days.py OUT.nc FOLDER
"""
import multiprocessing
import os
import sys

import netCDF4

FIELDS = ("sst", "ice")
PATHS_AT_A_TIME = 100


def read_day(path):
    with netCDF4.Dataset(path) as day:
        day.set_auto_maskandscale(False)
        return [day["time"][0]] + [day[name][0, 0] for name in FIELDS]


def copy_attributes(source, target):
    target.setncatts({key: source.getncattr(key) for key in source.ncattrs() if key != "_FillValue"})


def create(path, model, n_days):
    out = netCDF4.Dataset(path, "w")
    out.title = model.title
    out.createDimension("time", n_days)
    for name in ("lat", "lon"):
        out.createDimension(name, len(model[name]))
        copy_attributes(model[name], out.createVariable(name, "f4", (name,)))
        out[name][:] = model[name][:]
    out.createVariable("time", "f8", ("time",))
    out["time"].setncatts({"units": model["time"].units, "calendar": "standard", "standard_name": "time"})
    for name in FIELDS:
        copy_attributes(model[name], out.createVariable(name, "i2", ("time", "lat", "lon"),
                                                        fill_value=model[name]._FillValue))
    out.set_auto_maskandscale(False)  # of the variables that are there by now
    return out


def main():
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(sys.argv[2])
                   for name in names if name.endswith(".nc"))
    with netCDF4.Dataset(paths[0]) as model, create(sys.argv[1], model, len(paths)) as out, \
            multiprocessing.Pool() as pool:
        for i, day in enumerate(pool.imap(read_day, paths, chunksize=PATHS_AT_A_TIME)):
            for name, values in zip(("time",) + FIELDS, day):
                out[name][i] = values


if __name__ == "__main__":
    main()
