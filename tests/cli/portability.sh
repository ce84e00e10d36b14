#!/usr/bin/env bash
# bench/portability join: efficiencies and their harmonic mean of made-up platforms, whose figures are known by hand.
set -euo pipefail
portability=$SST_SOURCE_DIR/bench/portability
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "portability: $*"
    exit 1
}

# platform FILE NAME BYTES-A-SECOND OPERATIONS-A-SECOND SECONDS-OF-SLOW SECONDS-OF-FAST: two forms of one kernel, whose item
# is 10 bytes and 20 operations; the program takes the slow one.
platform() {
    cat >"$folder/$1" <<JSON
{"name": "$2", "ceilings": {"bytes_per_second": $3, "operations_per_second": {"fp64": $4}}, "kernels": [
 {"kernel": "sum", "form": "slow", "is_taken": true, "seconds_per_item": $5,
  "bytes_per_item": 10, "operations_per_item": 20, "operation": "fp64"},
 {"kernel": "sum", "form": "fast", "is_taken": false, "seconds_per_item": $6,
  "bytes_per_item": 10, "operations_per_item": 20, "operation": "fp64"}]}
JSON
}

# a: memory allows 100 x 2 = 200 op/s, arithmetic 400: an item may take 0.1 s. The slow form takes 0.4, the fast one 0.2.
platform a.json 'machine A' 100 400 0.4 0.2
# b: arithmetic allows 100 op/s: an item may take 0.2 s. The slow form takes 0.25, and the fast one as long.
platform b.json 'machine B' 1000 100 0.25 0.25

said=$("$portability" join "$folder/a.json" "$folder/b.json" --absent gfx906 --svg "$folder/roof.svg" --json "$folder/j.json")
# Application 0.5 and 1: mean 2 / (2 + 1) = 0.667. Architectural 0.25 and 0.8: mean 2 / (4 + 1.25) = 0.381.
grep -q 'sum  *50 % / 25 %  *100 % / 80 %  *67 % / 38 %' <<<"$said" || fail "other efficiencies: $said"
grep -q 'gfx906: absent' <<<"$said" || fail "an absent platform is not told"
grep -q 'PP  *38 %' <<<"$said" || fail "no weighted PP: $said"
python3 - "$folder/j.json" "$folder/roof.svg" <<'PY'
import json
import sys
import xml.dom.minidom
joined = json.load(open(sys.argv[1], encoding="utf-8"))
kernel = joined["kernels"][0]
assert abs(kernel["pp_application"] - 2.0 / 3.0) < 1e-12 and abs(kernel["pp_architectural"] - 2.0 / 5.25) < 1e-12, kernel
assert joined["absent"] == ["gfx906"]
circles = xml.dom.minidom.parse(sys.argv[2]).getElementsByTagName("circle")
assert len(circles) == 4, len(circles)
PY

one=$("$portability" join "$folder/a.json")
grep -q 'one platform: none' <<<"$one" || fail "one platform has a PP: $one"
! grep -qE '^ +PP ' <<<"$one" || fail "one platform has a weighted PP: $one"

# A kernel that one of three platforms lacks has no PP, whatever the others attain.
sed 's/machine B/machine E/' "$folder/b.json" >"$folder/e.json"
sed -e 's/machine A/machine F/' -e 's/"kernel": "sum"/"kernel": "other"/' "$folder/a.json" >"$folder/f.json"
three=$("$portability" join "$folder/a.json" "$folder/e.json" "$folder/f.json")
grep -q 'sum .*none: not on machine F$' <<<"$three" || fail "a kernel that a platform lacks has a PP: $three"
grep -q 'other .*none: not on machine A, machine E$' <<<"$three" || fail "a kernel that two platforms lack has a PP: $three"
! grep -qE '^ +PP ' <<<"$three" || fail "no kernel is everywhere, and there is a weighted PP: $three"

# refused NAME TEXT FILE...: join ends with an error that holds TEXT.
refused() {
    local text=$1
    shift
    ! "$portability" join "$@" >"$folder/out" 2>&1 || fail "not refused: $text"
    grep -q "$text" "$folder/out" || fail "not '$text' but: $(cat "$folder/out")"
}
refused "'machine A' is there twice" "$folder/a.json" "$folder/a.json"
echo '{"name": "C"}' >"$folder/c.json"
refused "c.json: has no 'ceilings'" "$folder/a.json" "$folder/c.json"
echo '{"name": "C", "ceilings": {"bytes_per_second": 1, "operations_per_second": {}}, "kernels": []}' >"$folder/c.json"
refused "c.json: has no kernel" "$folder/a.json" "$folder/c.json" --svg "$folder/none.svg"
sed 's/"seconds_per_item": 0.4/"seconds_per_item": 0/' "$folder/a.json" >"$folder/d.json"
refused "kernel sum: 'seconds_per_item' is no positive number" "$folder/d.json"
echo "portability: efficiencies, means and refusals as by hand"
