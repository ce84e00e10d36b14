"""How many exact percentiles lie within the bounds of a run, at cells that were not in its sample.

usage: compare_coverage.py APPROX.nc EXACT.nc SEED SHARE [NAME:W,S,E,N ...]
Prints a line per bound and group of cell-days: coverage_NN GROUP share cells. Groups: all; the boxes; ice, cell-days so
flagged; edge, all days of cells with ice on a part of them. Exit 1 if the sample is not the one that is meant here.
"""
import sys

import netCDF4
import numpy as np

TOLERANCE = 0.1  # [degC] the program's default
MASK = (1 << 64) - 1
PRIMES = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)


def rotate(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & MASK


def xxh64_of_index(index, seed):
    """XXH64 of 8 little-endian bytes, as the algorithm's description has it for short inputs."""
    p1, p2, p3, p4, p5 = PRIMES
    h = (seed + p5 + 8) & MASK
    k = (rotate((index * p2) & MASK, 31) * p1) & MASK
    h = (rotate(h ^ k, 27) * p1 + p4) & MASK
    h = ((h ^ (h >> 33)) * p2) & MASK
    h = ((h ^ (h >> 29)) * p3) & MASK
    return h ^ (h >> 32)


def is_probe(n_cells, seed, share):
    return np.array([(xxh64_of_index(i, seed) >> 11) < share * 2.0**53 for i in range(n_cells)])


def canonical(lat, lon):
    """Order of cells: latitude ascending, longitude from Greenwich eastwards."""
    rows = np.argsort(np.argsort(lat))
    cols = np.argsort(np.argsort(np.mod(lon, 360.0)))
    return rows[:, None] * len(lon) + cols[None, :]


def has_flag(data, name):
    flags = data["quality_flag"]
    masks = dict(zip(flags.flag_meanings.split(), np.atleast_1d(flags.flag_masks)))
    return (np.ma.filled(flags[:], 0) & masks[name]) != 0


def check_sample(approx, error, probes):
    """The sample's cell-days beyond the tolerance, and no others, are flagged as measured."""
    said = has_flag(approx, "measured_beyond_tolerance")
    n_wrong = int((said != ((error > TOLERANCE) & probes)).sum())
    if n_wrong or not said.any():
        sys.exit("%d cell-days are flagged as no sample of this seed and share would be" % n_wrong)


def main():
    approx, exact = netCDF4.Dataset(sys.argv[1]), netCDF4.Dataset(sys.argv[2])
    seed, share = int(sys.argv[3]), float(sys.argv[4])
    lat, lon = approx["lat"][:].data, approx["lon"][:].data
    probes = is_probe(len(lat) * len(lon), seed, share)[canonical(lat, lon)]
    error = np.ma.filled(np.abs(approx["sst_p90"][:].astype("f8") - exact["sst_p90"][:].astype("f8")), np.nan)
    check_sample(approx, error, probes)
    ice = has_flag(exact, "ice_or_no_variance")
    groups = {"all": True, "ice": ice, "edge": ice.any(axis=0) & ~ice.all(axis=0)}
    for box in sys.argv[5:]:
        name, limits = box.split(":")
        west, south, east, north = (float(x) for x in limits.split(","))
        groups[name] = ((lat >= south) & (lat <= north))[:, None] & ((lon >= west) & (lon <= east))[None, :]
    known = np.isfinite(error) & ~probes
    for name in approx.variables:
        if not name.startswith("sst_p90_approx_bound"):
            continue
        bound = np.ma.filled(approx[name][:].astype("f8"), np.nan)
        covered = error <= bound  # not where there is no bound
        for group, inside in groups.items():
            counted = known & inside
            print(name.replace("sst_p90_approx_bound", "coverage_"), group,
                  "%.6f" % (covered[counted].mean()), int(counted.any(axis=0).sum()))


main()
