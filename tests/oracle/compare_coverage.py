"""How many exact percentiles lie within the bounds of a run, at cells that were not in its sample.

usage: compare_coverage.py APPROX.nc EXACT.nc SEED SHARE [NAME:W,S,E,N ...]
Prints one line per bound and group: coverage_NN GROUP share cells; groups are all, probes and the boxes.
"""
import sys

import netCDF4
import numpy as np

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


def main():
    approx, exact = netCDF4.Dataset(sys.argv[1]), netCDF4.Dataset(sys.argv[2])
    seed, share = int(sys.argv[3]), float(sys.argv[4])
    lat, lon = approx["lat"][:].data, approx["lon"][:].data
    probes = is_probe(len(lat) * len(lon), seed, share)[canonical(lat, lon)]
    error = np.ma.filled(np.abs(approx["sst_p90"][:] - exact["sst_p90"][:]).astype("f8"), np.nan)
    groups = {"all": ~probes, "probes": probes}
    for box in sys.argv[5:]:
        name, limits = box.split(":")
        west, south, east, north = (float(x) for x in limits.split(","))
        inside = ((lat >= south) & (lat <= north))[:, None] & ((lon >= west) & (lon <= east))[None, :]
        groups[name] = inside & ~probes
    for name in approx.variables:
        if not name.startswith("sst_p90_approx_bound"):
            continue
        bound = np.ma.filled(approx[name][:].astype("f8"), np.nan)
        for group, cells in groups.items():
            known = np.isfinite(error) & cells[None]
            covered = known & (error <= bound)
            print(name.replace("sst_p90_approx_bound", "coverage_"), group,
                  "%.6f" % (covered.sum() / max(known.sum(), 1)), int(known.any(axis=0).sum()))


main()
