#!/usr/bin/python3
"""compare_tail.py [--all-certified] TAIL.nc EXACT.nc PERCENT: percentiles from lists against exact ones.

Certified cell-days are equal, with both bounds; elsewhere the exact value lies between the bounds; at least PERCENT of the
cell-days with a value are certified (the flag is of all percentiles; "by itself": the two bounds of one are equal). Exit 1 with the numbers. --all-certified ignores the flag, to plant a fault.
"""
import sys
import netCDF4
import numpy as np


def values(ds, name):
    return np.ma.filled(ds[name][:].astype("f4"), np.nan)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    tail, exact, least = netCDF4.Dataset(arguments[0]), netCDF4.Dataset(arguments[1]), float(arguments[2])
    flags = tail["quality_flag"]
    mask = int(np.atleast_1d(flags.flag_masks)[flags.flag_meanings.split().index("uncertified")])
    certified = (np.ma.filled(flags[:], 0) & mask) == 0
    if "--all-certified" in sys.argv:
        certified[:] = True
    failed = 0
    for name in ("sst_p90", "sst_p10"):
        want, got = values(exact, name), values(tail, name)
        lower, upper = values(tail, name + "_lower"), values(tail, name + "_upper")
        there = ~np.isnan(want)
        wrong = there & certified & ~((got == want) & (lower == want) & (upper == want))
        outside = there & ((lower > want) | (upper < want))
        missing = (np.isnan(got) != np.isnan(want)) & certified
        share = 100.0 * (there & certified).sum() / there.sum()
        proven = 100.0 * (there & (lower == upper)).sum() / there.sum()
        width = (upper - lower)[there & (lower != upper)]
        print(f"  {name}: {there.sum()} cell-days, {share:.4f} % certified ({proven:.4f} % by itself), {wrong.sum()} wrong among them, "
              f"{outside.sum()} outside their bounds, {missing.sum()} missing; "
              f"mean width of other bounds {width.mean() if width.size else 0:.3f} degC")
        failed |= bool(wrong.any() or outside.any() or missing.any() or share < least or not there.any())
    if not np.array_equal(values(tail, "sst_mean"), values(exact, "sst_mean"), equal_nan=True):
        print("  sst_mean differs")
        failed = 1
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
