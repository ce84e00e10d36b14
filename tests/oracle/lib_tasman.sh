# What the Tasman tests share: where the data and the independent oracle are, and one comparison.
# Needs SSTSTREAM (the program) and SST_SOURCE_DIR; skips (77) with a reason where data or tools are absent.

data=${SST_DATA_DIR:-$SST_SOURCE_DIR/../shared/data}
oracle=$data/../oracle
tasman=$data/tasman/tasman_oisst_v2_1982-2016_packed.nc
python=/usr/bin/python3

if [ ! -f "$tasman" ] || [ ! -f "$oracle/oracle.py" ]; then
    echo "skipped: no Tasman data or oracle; set SST_DATA_DIR to the folder that holds tasman/"
    exit 77
fi
if ! "$python" -c 'import numpy, netCDF4' 2>/dev/null; then
    echo "skipped: needs python3-numpy and python3-netcdf4"
    exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# climatology LEAP APPROX OUT INPUT...: the run that the oracle is compared with.
climatology() {
    local leap=$1 approx=$2 out=$3
    shift 3
    "$SSTSTREAM" --approx "$approx" --baseline 1982-2011 --window 11 --smooth 0 --leap "$leap" --percentile 90 \
        --progress none -q -O -o "$out" "$@"
}

# check_against_oracle LEAP ORACLE.nc INPUT...: exact and cf.
check_against_oracle() {
    local leap=$1 answer=$2
    shift 2
    climatology "$leap" none "$scratch/exact.nc" "$@" &&
        "$python" "$SST_SOURCE_DIR/tests/oracle/compare_oracle.py" "$scratch/exact.nc" "$answer" exact &&
        climatology "$leap" cf "$scratch/cf.nc" "$@" &&
        "$python" "$SST_SOURCE_DIR/tests/oracle/compare_oracle.py" "$scratch/cf.nc" "$answer" cf
}
