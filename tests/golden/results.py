"""Figures of climatologies of synthetic archives. Arguments: a folder of NAME.nc and NAME.json. Prints CSV."""
import glob
import json
import math
import os
import sys

import netCDF4
import numpy as np


def chosen_places(n_obs):
    """(slot, row, col) of three cell-days with values, away from the ice of the first and last rows."""
    found = np.argwhere(n_obs > 0)
    return [tuple(found[i]) for i in (len(found) // 3, len(found) // 2, 2 * len(found) // 3)]


print("case,estimator,percentile,mean_of_sst_mean,mean_of_percentile,at_third,at_half,at_two_thirds,flagged_cell_days,rmse_at_probes")
for path in sorted(glob.glob(f"{sys.argv[1]}/*.nc")):
    name = os.path.basename(path)[:-3]
    with open(path[:-3] + ".json", encoding="utf-8") as stream:
        report = json.load(stream)
    with netCDF4.Dataset(path) as data:
        data.set_auto_mask(False)
        n_obs, flags = data["n_obs"][...], data["quality_flag"][...]
        present = data["sst_mean"][...] < 1e36
        for percentile in report["policy"]["percentiles"]:
            variable = f"sst_p{percentile:g}"
            values = data[variable][...]
            rmse = math.nan
            if report["validation"]:
                rmse = report["validation"]["errors_degc"][variable]["all_count"]["rmse"]
            figures = [math.fsum(data["sst_mean"][...][present].astype("f8")) / present.sum(),
                       math.fsum(values[present].astype("f8")) / present.sum(),
                       *(float(values[place]) for place in chosen_places(n_obs)),
                       int(((flags & ~1) > 0).sum()), rmse]
            print(",".join([name.rsplit("-", 1)[0], report["policy"]["approx"], f"{percentile:g}",
                            *(f"{figure:.17g}" for figure in figures)]))
