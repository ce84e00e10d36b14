#!/bin/bash
# Against CDO's ydrunpctl and ydrunmean, read as CDO writes them: equal to float32 on all days whose windows lie whole within the
# years; 1-5 January and 27-31 December, whose windows CDO leaves out at the ends, and 29 February, a day of its own there, differ.
# ctest-labels: slow
set -eu
if [ -z "${SSTSTREAM:-}" ] || ! command -v cdo >/dev/null || ! command -v /usr/bin/python3 >/dev/null; then
    echo "skipped: needs SSTSTREAM, cdo and python3"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# 33 values a window: few enough for CDO to keep them all, so its percentile is exact (nrank, which is type 1).
"$SSTSTREAM" synth -q --grid 12x6 --years 2002-2004 -o sea
cdo -s -f nc4 -b F32 selname,sst -mergetime sea/*.nc all.nc
cdo -s ydrunmin,11 all.nc min.nc
cdo -s ydrunmax,11 all.nc max.nc
cdo -s -b F32 ydrunpctl,90,11 all.nc min.nc max.nc cdo_p90.nc
cdo -s -b F64 ydrunmean,11 all.nc cdo_mean.nc
for type in 1 7; do
    "$SSTSTREAM" -q --baseline 2002-2004 --leap hobday --quantile-type "$type" --smooth 0 -o "type$type.nc" sea
done
"$SSTSTREAM" compare -q type1.nc cdo_p90.nc --report p90.json >p90.txt
"$SSTSTREAM" compare -q type1.nc cdo_mean.nc --mean-b sst --report mean.json >mean.txt
"$SSTSTREAM" compare -q type7.nc cdo_p90.nc --report wrong.json >wrong.txt
/usr/bin/python3 - <<'PYTHON'
import json

EDGES = {*range(1, 6), *range(362, 367), 60}
STEP = 4e-6  # [degC] two steps of float32 at 30 degC


def rows(name, variable):
    with open(name, encoding="utf-8") as stream:
        return json.load(stream)["validation"]["breakdown"][variable]["by_slot"]


def worst(name, variable):
    return max(row["max_abs"] for row in rows(name, variable) if row["low"] not in EDGES)


assert len(rows("p90.json", "sst_p90")) == 366
print(f"P90: {worst('p90.json', 'sst_p90'):.2g}, mean: {worst('mean.json', 'sst_mean'):.2g}, "
      f"P90 of type 7: {worst('wrong.json', 'sst_p90'):.2g} degC at most")
assert worst("p90.json", "sst_p90") <= STEP
assert worst("mean.json", "sst_mean") <= STEP
assert worst("wrong.json", "sst_p90") > 0.01, "a planted fault, another type of percentile, was not seen"
assert max(row["max_abs"] for row in rows("p90.json", "sst_p90") if row["low"] in EDGES) > 0.01
PYTHON
