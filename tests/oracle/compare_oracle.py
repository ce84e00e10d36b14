#!/usr/bin/python3
"""compare_oracle.py CLIM.nc ORACLE.nc {exact|cf}: the program's climatology against the independent slow answer.

exact: sst_p90 equals float32 of the oracle's `exact` in every cell-day.  cf: within one unit in the last place of its `cf`.
n_obs equals the oracle's n; slot 60 under skip and hobday has n_obs 0 and the flag derived_leap_day.  Exit 1 with the
number of differences and the first of them.
"""
import sys
import netCDF4
import numpy as np


def oriented(ds, name):
    """A variable as (slot, lat ascending, lon) with NaN for fill."""
    data = np.ma.filled(ds[name][:].astype("f8"), np.nan)
    return data[:, ::-1] if ds["lat"][0] > ds["lat"][-1] else data


def main():
    ours, theirs, kind = netCDF4.Dataset(sys.argv[1]), netCDF4.Dataset(sys.argv[2]), sys.argv[3]
    got = oriented(ours, "sst_p90").astype("f4")
    want = oriented(theirs, kind).astype("f4")
    assert got.shape == want.shape, (got.shape, want.shape)
    both_missing = np.isnan(got) & np.isnan(want)
    if kind == "exact":
        wrong = (got != want) & ~both_missing
    else:
        wrong = ~(np.abs(got - want) <= np.spacing(np.abs(want))) & ~both_missing
    n_got, n_want = oriented(ours, "n_obs"), oriented(theirs, "n")
    wrong_n = n_got != n_want
    failed = 0
    for label, bad, a, b in (("sst_p90", wrong, got, want), ("n_obs", wrong_n, n_got, n_want)):
        if bad.any():
            failed = 1
            s, y, x = np.argwhere(bad)[0]
            print(f"{label}: {bad.sum()} of {bad.size} cell-days differ; first slot {s + 1} row {y} col {x}: {a[s, y, x]!r}, not {b[s, y, x]!r}")
    flags = ours["quality_flag"]
    meanings = flags.flag_meanings.split()
    derived = int(np.atleast_1d(flags.flag_masks)[meanings.index("derived_leap_day")])
    is_derived = "leap own" not in theirs.rule
    if bool((np.ma.filled(flags[59], 0) & derived).all()) != is_derived:
        failed = 1
        print("slot 60: derived_leap_day is not as the rule says")
    n = int((~np.isnan(got)).sum())
    if n == 0:
        failed = 1
        print("no cell-day has a value")
    print(f"{kind}: {n} cell-days with a value, {int(wrong.sum())} differ, {int(wrong_n.sum())} counts differ")
    sys.exit(failed)


if __name__ == "__main__":
    main()
