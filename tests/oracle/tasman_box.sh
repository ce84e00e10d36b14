#!/bin/bash
# Real data against the independent oracle, in a box of 6 x 6 cells that holds land and sea, under each leap rule;
# `tasman_full.sh` does the same for every cell and every form of file.
# ctest-labels: figures
set -eu
. "$SST_SOURCE_DIR/tests/oracle/lib_tasman.sh"

# The oracle knows no boxes: cut one out of the file, keeping its packing.
"$python" - "$tasman" "$scratch/box.nc" <<'PY'
import sys
import netCDF4
with netCDF4.Dataset(sys.argv[1]) as src, netCDF4.Dataset(sys.argv[2], "w") as out:
    rows, cols = slice(13, 19), slice(0, 6)
    out.createDimension("time", None), out.createDimension("lat", 6), out.createDimension("lon", 6)
    for name, dims, cut in (("time", ("time",), slice(None)), ("lat", ("lat",), rows), ("lon", ("lon",), cols)):
        v = out.createVariable(name, src[name].dtype, dims)
        v.setncatts({k: src[name].getncattr(k) for k in src[name].ncattrs() if k != "_FillValue"})
        v[:] = src[name][cut]
    s = src["sst"]
    s.set_auto_maskandscale(False)
    v = out.createVariable("sst", s.dtype, ("time", "lat", "lon"), fill_value=s._FillValue)
    v.set_auto_maskandscale(False)
    v.setncatts({k: s.getncattr(k) for k in s.ncattrs() if k != "_FillValue"})
    v[:] = s[:, rows, cols]
PY

failed=0
for leap in skip own hobday; do
    "$python" "$oracle/oracle.py" clim "$scratch/box.nc" "$scratch/oracle.nc" --leap "$leap"
    echo "leap $leap"
    check_against_oracle "$leap" "$scratch/oracle.nc" "$scratch/box.nc" || failed=1
    # --bbox on the whole file gives the box's numbers
    climatology "$leap" none "$scratch/bbox.nc" --bbox 147,-41.7,148.5,-40.2 "$tasman"
done

# Planted fault: the comparison must see another percentile.
"$SSTSTREAM" --baseline 1982-2011 --window 11 --smooth 0 --leap hobday --percentile 90 --quantile-type 8 --progress none -q \
    -o "$scratch/type8.nc" "$scratch/box.nc"
if "$python" "$SST_SOURCE_DIR/tests/oracle/compare_oracle.py" "$scratch/type8.nc" "$scratch/oracle.nc" exact >"$scratch/log"; then
    echo "the comparison did not see a planted fault"
    failed=1
fi
exit $failed
