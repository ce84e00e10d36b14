#!/bin/bash
# --device: devices, which the processor plays, give what the CPU gives; plan and summary say which and how; what cannot be had
# is refused, or left to the CPU where nobody asked for it by name.
# ctest-labels: figures
. "$(dirname "$0")/lib_archive.sh"
need_python
plugins=${SST_BUILD_DIR:-}/emulated
if [ ! -e "$plugins/sststream_gpu_emulated.so" ]; then
    echo "skipped: there is no sststream_gpu_emulated.so"
    exit 77
fi
export SST_DEVICE_PLUGINS=$plugins

archive sea --years 2001-2004 --days 0120-0410
part=(--baseline 2001-2004 --days 0205-0320 --compress none --readers 1 --progress none)

for kind in "none --smooth 0" "cf --validate 60% --smooth 5" "maxent --percentile 10,90 --smooth 0" "tail --tail-k 4 --smooth 5"; do
    read -ra estimator <<<"--approx $kind"
    run=("${part[@]}" "${estimator[@]}")
    name=${kind%% *}
    program "${run[@]}" -q --device cpu -o "$name-cpu.nc" --report "$name-cpu.json" sea
    exits 0
    outputs=("$name-cpu.nc")
    for device in gpu gpu:0 gpu:1 gpu:0,1; do
        outputs+=("$name-$device.nc")
        program "${run[@]}" -q --device $device -o "$name-$device.nc" --report "$name.json" -O sea
        exits 0
        err_is ''
        json_has "$name.json" "all(r[k] == json.load(open('$name-cpu.json'))[k] for k in ('flags', 'verdict', 'validation', 'sea_cells')) \
            and r['device']['kind'] == 'emulated' and r['device']['mode'] == 'resident' \
            and r['timings']['seconds']['devices']['add'] > 0 and r['timings']['seconds']['devices']['finish'] > 0"
    done
    nctool equal "${outputs[@]}"
    nctool equal_attribute climatology_id "${outputs[@]}"
    json_has "$name.json" "len(r['device']['names']) == 2 and r['device']['why'] == ''"
    json_has "$name-cpu.json" "r['device'] == {'kind': 'cpu', 'names': [], 'mode': None, 'why': '', 'pools': None, 'bytes': None, 'usable_bytes': None}"
    json_has "$name-cpu.json" "r['timings']['seconds']['devices'] is None"
done

# The program reads itself; and readers that read many steps at a time.
program "${run[@]}" -q --device gpu --readers 0 -o tail.nc -O sea
exits 0
nctool equal tail-cpu.nc tail.nc

# What plan says, and what the summary says.
run=("${part[@]}" --approx cf --smooth 0)
program plan "${run[@]}" --device gpu:0 sea
exits 0
out_has "device     "
out_has "; resident: each day stays there, 40 pools at a time, "
program plan "${run[@]}" --device cpu sea
exits 0
out_has "device     the CPU"
program "${run[@]}" --device gpu --timings -o cf.nc -O sea
exits 0
err_has "; resident: each day stays there, 40 pools at a time, "
err_has "  beside it    devices [s]    share"
err_has "  copy out "
err_has "  start "

# Memory of the host makes passes, on devices too.
(cd "$work" && "$SSTSTREAM" synth -q --grid 240x120 --years 2001-2002 --days 0510-0705 -o wide) || exit 1
wide=(--baseline 2001-2002 --days 0601-0610 --smooth 31 --percentile "5,10,90,95" --compress none --readers 1 --progress none)
wide+=(--approx cf)
# planned OPTION...: the peak of the plan; slots that wait for the error model are in memory, or with a byte less on the disk.
planned() {
    program plan "${wide[@]}" --device gpu "$@" --json wide
    exits 0
    whole=$("$python" -c "import json; print(json.load(open('$work/out'))['planned_peak_bytes'])")
}
planned
planned --memory $((whole - 1))
program "${wide[@]}" -q --device cpu -o wide-cpu.nc wide
exits 0
# limited SHARE: a run in so many per cent of that.
limited() {
    program "${wide[@]}" -q --device gpu --memory $((whole * $1 / 100)) -o wide.nc -O --report wide.json wide
    exits 0
    nctool equal wide-cpu.nc wide.nc
    json_has wide.json "r['device']['kind'] == 'emulated' and r['planned_peak_bytes'] <= r['memory_limit_bytes']"
    json_has wide.json "'--memory' in r['device']['why']"
}
limited 97
json_has wide.json "r['device']['pools'] < 40 and r['passes'] == 1"
share=96
while
    program plan "${wide[@]}" --device gpu --memory $((whole * share / 100)) --json wide
    [ "$exit_code" -eq 0 ] && grep -qF '"passes": 1,' "$work/out"
do
    share=$((share - 4))
done
limited "$share"
json_has wide.json "r['passes'] > 1"

# Named and not there: refused. Not named: the CPU, and -v says why.
for device in gpu gpu:0; do
    SST_DEVICE_PLUGINS=$work program "${run[@]}" --device $device -o no.nc sea
    exits 2
    out_is ''
    err_lines 1
done
program "${run[@]}" --device gpu:7 -o no.nc sea
exits 2
[ ! -e "$work/no.nc" ] || fail "an output after a refusal"
SST_DEVICE_PLUGINS=$work program "${run[@]}" -v -o auto.nc sea
exits 0
err_has "no device is used"
nctool equal cf.nc auto.nc
program plan "${run[@]}" --json sea
exits 0
cp "$work/out" "$work/plan.json"
json_has plan.json "r['device']['kind'] == 'emulated'"

finish
