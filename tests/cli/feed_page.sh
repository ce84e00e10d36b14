#!/usr/bin/env bash
# A browser opens a made-up feed from a disk and from a server: numbers of known cells, days, keys, words, no console message.
# ctest-labels: figures
set -u
tool=${SST_BUILD_DIR:?}/tests/feed_page_tool
browser=$(command -v chromium || command -v chromium-browser) || {
    echo 'skipped: no chromium'
    exit 77
}
command -v python3 >/dev/null || {
    echo 'skipped: no python3'
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_failed=0

fail() {
    echo "FAILED: $*"
    n_failed=$((n_failed + 1))
}

# look SHOTS: leaves what is wrong in $work/said
look() {
    timeout 300 python3 "${SST_SOURCE_DIR:?}/tests/cli/feed_page_browser.py" "$browser" "$work/feed" "$work/expected.json" "$1" \
        >"$work/said" 2>&1
}

mkdir "$work/shots"
"$tool" "$work/feed" 1.5 34 >"$work/said" 2>&1 || {
    cat "$work/said"
    exit 1
}
look "$work/shots" || fail "$(cat "$work/said")"
for width in wide phone; do
    [ -s "$work/shots/$width.png" ] || fail "no picture of the page, $width"
done

# --- planted faults: each must be seen ---------------------------------------------------------------------------------

# caught WORDS FILE SED-SCRIPT: the page with that change is told as wrong in these words.
caught() {
    local words=$1 file=$work/feed/$2 script=$3
    cp "$file" "$work/kept"
    sed -i "$script" "$file"
    ! cmp -s "$file" "$work/kept" || fail "nothing to change in $2: $script"
    if look quick; then
        fail "not seen: $script"
    else
        grep -q -- "$words" "$work/said" || fail "seen, but not as '$words': $(head -3 "$work/said")"
    fi
    cp "$work/kept" "$file"
}
newest=days/2026/20261130
caught 'temperature at' $newest/tile_0_0.js 's/"sst":{"base":15/"sst":{"base":16/'
caught 'the browser says' page.js 's/^"use strict";$/&console.log(1);/'
caught "another class' colour" page.js 's/moderate", "strong", "severe", "extreme"\]\[category - 1\]/strong", "strong", "severe", "extreme"][category - 1]/'
[ "$n_failed" -eq 0 ] || exit 1
