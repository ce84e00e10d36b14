#!/bin/bash
# Real data: this program's climatology against that of marineHeatWaves on 64 cells of the Tasman grid, by `compare`, with the
# reference's own names of variables and its axis of 366 days of the year. Its file has no coordinates; they are added to a copy.
# ctest-labels: figures
set -eu
. "$SST_SOURCE_DIR/tests/oracle/lib_tasman.sh"
reference=$data/reference/m_mhw_grid_stride4.1982-2011.clim.nc
if [ ! -f "$reference" ]; then
    echo "skipped: no ${reference##*/}"
    exit 77
fi

"$python" - "$tasman" "$reference" "$scratch" <<'PY'
import sys
import netCDF4
import numpy as np
tasman, reference, folder = sys.argv[1:]
with netCDF4.Dataset(tasman) as src, netCDF4.Dataset(reference) as ref:
    cut = {"time": slice(None), "lat": np.array(ref["iy"][:]), "lon": np.array(ref["ix"][:])}
    with netCDF4.Dataset(f"{folder}/thin.nc", "w") as out:
        s = src["sst"]
        s.set_auto_maskandscale(False)
        for name, dims in (("time", ("time",)), ("lat", ("lat",)), ("lon", ("lon",)), ("sst", ("time", "lat", "lon"))):
            v = src[name]
            values = s[:][:, cut["lat"]][:, :, cut["lon"]] if name == "sst" else v[cut[name]]
            if name != "sst":
                out.createDimension(name, values.size)
            w = out.createVariable(name, v.dtype, dims, fill_value=s._FillValue if name == "sst" else None)
            w.set_auto_maskandscale(False)
            w.setncatts({k: v.getncattr(k) for k in v.ncattrs() if k != "_FillValue"})
            w[:] = values
    with netCDF4.Dataset(f"{folder}/reference.nc", "w") as out:
        for name, size in (("doy", 366), ("y", 8), ("x", 8)):
            out.createDimension(name, size)
        for name, dim, units in (("lat", "y", "degrees_north"), ("lon", "x", "degrees_east")):
            v = out.createVariable(name, "f8", (dim,))
            v.units, v[:] = units, src[name][cut[name]]
        for name in ("seas_s31", "thresh90_s31", "seas_raw", "thresh90_raw"):
            v = out.createVariable(name, "f8", ("doy", "y", "x"), fill_value=np.nan)
            v.units, v[:] = "degC", ref[name][:]
PY
"$SSTSTREAM" -q --baseline 1982-2011 --progress none -o "$scratch/ours.nc" "$scratch/thin.nc"
"$SSTSTREAM" compare -q "$scratch/ours.nc" "$scratch/reference.nc" --var-b thresh90_s31 --mean-b seas_s31 \
    --detect "$scratch/thin.nc" --baseline 1982-2011 --report "$scratch/same.json" | tee "$scratch/text"
"$SSTSTREAM" compare -q "$scratch/ours.nc" "$scratch/reference.nc" --var-b thresh90_raw --mean-b seas_raw --report "$scratch/raw.json" \
    >"$scratch/text"
"$python" - "$scratch" <<'PY'
import json
import sys
same, raw = (json.load(open(f"{sys.argv[1]}/{name}.json", encoding="utf-8")) for name in ("same", "raw"))
for name in ("sst_p90", "sst_mean"):
    row = same["validation"]["errors_degc"][name]["all_count"]
    assert row["cell_days"] == 366 * same["common"]["cells"] and same["common"]["cells"] > 50, row
    assert row["max_abs"] <= 4e-6, f"{name} is not marineHeatWaves' to float32: {row}"
    # A planted fault, the threshold without smoothing, must be seen.
    assert raw["validation"]["errors_degc"][name]["all_count"]["max_abs"] > 0.01
found = same["consequences"]["sst_p90"]
assert found["jaccard"] > 0.9999 and found["exact"]["days_per_year"] > 10, found
PY
