#!/usr/bin/env bash
# bench/portability measure and join: every kernel is measured on the processor and on a processor that plays device, each form
# has its row, one of a kernel's forms is the program's, and the device's benches fail where a value differs.
# ctest-labels: figures
set -euo pipefail
portability=$SST_SOURCE_DIR/bench/portability
build=$SST_BUILD_DIR
plugin=$build/emulated/sststream_gpu_emulated.so
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # benches leave their memory to the system
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "portability_measure: $*"
    exit 1
}

for program in kernel_bench ceilings gpu_moments gpu_exact_bench gpu_tail_bench gpu_ceilings_emulated; do
    [ -x "$build/$program" ] && continue
    echo "skipped: $program is not built; it is where SST_WERROR is on"
    exit 77
done
[ -f "$plugin" ] || {
    echo "skipped: no emulated device was built"
    exit 77
}

"$portability" measure --small --threads 1 --name processor --json "$folder/processor.json" \
    --kernel-bench "$build/kernel_bench" --ceilings "$build/ceilings" >"$folder/out"
grep -q 'processor: [0-9]* kernels and forms' "$folder/out" || fail "the processor: $(cat "$folder/out")"

# measure_device MOMENTS-BENCH: as on a real device, with the program named in place of gpu_moments.
measure_device() {
    "$portability" measure --small --json "$folder/device.json" --plugin "$plugin" --gpu-moments "$1" \
        --gpu-exact "$build/gpu_exact_bench" --gpu-tail "$build/gpu_tail_bench" \
        --gpu-ceilings "$build/gpu_ceilings_emulated"
}
measure_device "$build/gpu_moments" >"$folder/out"
grep -q 'emulated 0 (cpu): 15 kernels and forms' "$folder/out" || fail "the device: $(cat "$folder/out")"

said=$("$portability" join "$folder/processor.json" "$folder/device.json" --absent gfx906 --svg "$folder/roof.svg")
share='[0-9]* % / [0-9]* %'
for kernel in add window keep exact tail_add tail; do
    grep -qE "^  $kernel  *$share  *$share  *$share *\$" <<<"$said" || fail "no PP of $kernel: $said"
done
grep -q 'weighted by time over add, window, keep, exact, tail_add, tail$' <<<"$said" || fail "not all weighed: $said"
grep -qE '^  PP  *[0-9]* %$' <<<"$said" || fail "no weighted PP: $said"
grep -q 'gfx906: absent' <<<"$said" || fail "an absent platform is not told"

python3 - "$folder/processor.json" "$folder/device.json" <<'PY'
import json
import sys
forms = {"add": {"batched new", "by eight", "onto", "one by one"}, "window": {"fast ring", "registers", "reread"},
         "keep": {"planes"}, "exact": {"sorted", "blocked", "naive"}, "tail_add": {"one by one", "by eight", "all at once"},
         "tail": {"lists"}}
is_taken = {("add", "by eight"), ("window", "fast ring"), ("keep", "planes"), ("exact", "sorted"), ("tail_add", "by eight"),
            ("tail", "lists")}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["kernels"]
    assert sorted(r["kernel"] for r in rows if r["is_taken"]) == sorted(forms), rows
for kernel, names in forms.items():
    assert {r["form"] for r in rows if r["kernel"] == kernel} == names, (kernel, rows)
assert {(r["kernel"], r["form"]) for r in rows if r["is_taken"]} == is_taken, rows
PY

# A bench that found another value ends with 1, and then there is no file to join.
rm "$folder/device.json"
printf '#!/bin/sh\necho "3 bytes differ in all"\nexit 1\n' >"$folder/differs"
chmod +x "$folder/differs"
! measure_device "$folder/differs" >"$folder/out" 2>&1 || fail "a difference is passed over"
grep -q '3 bytes differ' "$folder/out" || fail "a difference is not told: $(cat "$folder/out")"
[ ! -e "$folder/device.json" ] || fail "a file is written in spite of a difference"
echo "portability_measure: every kernel on both platforms, and a difference is refused"
