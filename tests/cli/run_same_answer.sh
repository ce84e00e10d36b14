#!/bin/bash
# One answer: threads, file order, file names, time zones and the form of the files change no value.
# ctest-labels: figures
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2001-2003 --doy 148-162 --seed 4
run=(-q --percentile "90,10" --baseline 2001-2003 --doy 153-157 --smooth 0)

outputs=()
# made NAME ARGUMENTS...: a climatology that has to equal the others.
made() {
    local name=$1
    shift
    program "${run[@]}" -o "$name.nc" "$@"
    exits 0
    err_is ''
    outputs+=("$name.nc")
}

mkdir "$work/renamed"
n=0
while read -r path; do
    n=$((n + 1))
    cp "$path" "$work/renamed/$(((n * 7919) % 1009)).nc"
done < <(find "$work/sea" -name '*.nc' | LC_ALL=C sort)
mapfile -t shuffled < <(cd "$work" && find sea -name '*.nc' | LC_ALL=C sort -R --random-source="$tool")

for approx in "none" "cf --validate 100%"; do
    outputs=()
    read -ra run_approx <<<"--approx $approx"
    name=${approx%% *}
    run=(-q "${run_approx[@]}" --percentile "90,10" --baseline 2001-2003 --doy 153-157 --smooth 0)
    made "$name-1" --threads 1 sea
    made "$name-4" --threads 4 sea
    made "$name-shuffled" "${shuffled[@]}"
    made "$name-renamed" renamed
    TZ=Pacific/Kiritimati made "$name-east" sea
    TZ=America/Los_Angeles made "$name-west" sea
    shown="--approx $approx"
    nctool equal "${outputs[@]}"
    nctool equal_attribute climatology_id "${outputs[@]}"
done
shown="cf and exact"
nctool unlike none-1.nc cf-1.nc sst_p90

# The same days, latitude from the north, longitude from the date line, Kelvin with another packing, netCDF-3 floats.
outputs=()
run=(-q --baseline 2001-2003 --doy 153-157 --smooth 0)
for form in flip west kelvin floats; do
    nctool rewrite "$form" sea "$form"
    made "in-$form" "$form"
done

# Forms mixed in one archive, year by year.
mkdir "$work/mixed"
cp "$work"/flip/*.2001*.nc "$work"/kelvin/*.2002*.nc "$work"/floats/*.2003*.nc "$work/mixed"
program "${run[@]}" -o in-mixed.nc mixed
exits 0
shown="the forms of files"
nctool cells 288 none-1.nc "${outputs[@]}" in-mixed.nc
finish
