#!/bin/bash
# The page of a report: what stands on it, what is left out, what evil reports do to it, and what is said where none comes.
# ctest-labels: figures
. "$(dirname "$0")/lib_app.sh"

python=/usr/bin/python3
page_tool=$(cd "$(dirname "$0")" && pwd)/page_tool.py
"$python" -c 'import xml.etree, html.parser' 2>/dev/null || {
    echo "skipped: $python is absent"
    exit 77
}

tool() { (cd "$work" && "$python" "$page_tool" "$@"); }
# page_is_sound PAGE: leaves its words in $words, for shows and shows_not.
page_is_sound() {
    words=$(tool check "$1" 2>&1) || fail "$1: $words"
}
sections_are() {
    local found
    found=$(tool sections "$1")
    [ "$found" = "$2" ] || fail "$1: sections: $found; expected: $2"
}
shows() { [[ $words == *"$1"* ]] || fail "expected on the page: $1"; }
shows_not() { if [[ $words == *"$1"* ]]; then fail "not expected on the page: $1"; fi; }
# row_is PAGE SECTION ROW CELLS
row_is() {
    local found
    found=$(tool cells "$1" "$2" "$3")
    [ "$found" = "$4" ] || fail "$1: $2: $3: $found; expected: $4"
}
# labels_end PAGE CAPTION LABELS: what is written last in a picture.
labels_end() {
    local found
    found=$(tool labels "$1" "$2")
    [[ $found == *"$3" ]] || fail "$1: $2: labels $found; expected at the end: $3"
}
written() {
    program report "$@"
    exits 0
    out_is ''
}

for kind in full minimal exact compare evil huge; do
    tool make "$kind" "$kind.json" || exit 1
done

# --- a full report ----------------------------------------------------------------------------------------------------

written full.json
err_has 'full.html: written'
page_is_sound full.html
sections_are full.html 'verdict design errors maps bounds repair consequences sampling budget data flags reproduce'
[ "$(tool figures full.html)" = '10 0' ] || fail "figures and captions: $(tool figures full.html)"
shows 'Accuracy report: A product'
shows 'Not passed. P90 is within 0.1 degC on 86.7 % of the cell-days.'
shows '1991–2020'
shows '90, 97.5'
shows '12 × 24 cells (latitude × longitude), 82.5°S to 82.5°N, 7.5°E to 352.5°E'
shows 'P97.5 sst_p97p5'
row_is full.html errors 'ice-free, by area' '90|32,940|+0.013|0.082|0.041|0.163|0.245|0.408|13.3 % (7.8–20.8)'
row_is full.html errors '50S-40S' '40|14,640|+0.013|0.090|0.045|0.180|0.270|0.450|13.3 % (7.8–20.8)'
row_is full.html errors '50S-40S 140E-150E' '40|14,640|+0.013|0.080|0.040|0.160|0.240|0.400|13.3 % (7.8–20.8)'
shows 'Upright lines: zero and the tolerance.'
shows 'The upright line is 29 February.'
shows 'Errors against the skewness of the pool'
shows 'Errors against the kurtosis of the pool'
shows 'Of the ice-free cell-days of the sample, by area.'
shows 'Bias of the probes, in °C; white is zero. Only cells of the sample are coloured; nothing is interpolated'
shows 'Share of days with a flag, in %. Each of the 2 x 4 blocks is the mean of the cells in it.'
labels_end full.html 'RMSE of the probes' '|0.00|0.05|0.10|0.15|0.20|0.25|0.30|°C'
labels_end full.html 'Bias of the probes' '|−0.3|−0.2|−0.1|0.0|0.1|0.2|0.3|°C'
labels_end full.html 'Share of days with a flag' '|0|5|10|15|20|25|30|%'
labels_end full.html 'Errors by calendar day' 'Mar|0.00|0.05|0.10|0.15|0.20|calendar day|error (°C)|95 % of absolute|RMSE|bias'
labels_end full.html 'Histogram of the errors' '|0|10|20|30|40|error, approximate − exact (°C)|share (%)'
row_is full.html bounds season 'Dec-Feb|90|32,940|95.1 % (94.2–95.9)'
shows 'In 11.2 % of the cells it covers less than 90 % of the days.'
shows 'The highest level that so many cells allow is 98.3 %.'
shows 'the RMSE, by area, was 0.082 °C before and is 0.079 °C after it.'
shows '52.0 % of what it marks is beyond the tolerance (precision), and it marks 63.0 % of what is (recall).'
row_is full.html repair '95 %' '95.7 % (94.9–96.4)'
row_is full.html consequences 'heatwave days a year' '24.3|25.1'
row_is full.html consequences 'the same, 95th percentile of the cells' '10.1 %|12.1 %'
shows 'misses 4.1 %; days that it adds are 7.4 % of their number. Days in both over days in either (Jaccard index): 0.89'
row_is full.html sampling P90 '90|1,080|400|0.142|0.081|0.277|0.080|91.3 %'
row_is full.html budget float32 '6 · 10−7|half a unit in the last place'
row_is full.html budget analysis '–|not known here'
row_is full.html data 'without any file' 5
shows 'without a file: 1994-12-30 to 1994-12-31, 1995-01-01, 2001-02-28, 2001-03-05.'
row_is full.html data bad.nc 'cut short'
row_is full.html flags any '161,785|13.8 %|one or more of those below'
row_is full.html flags uncertified '0|0 %|the lists kept do not prove the percentile exact; it lies between the lower and upper bounds'
shows "sststream --approx cf 'my data/' -o clim.nc"
shows 'netcdf 4.9.0, gsl 2.7.1'
shows 2582fe0fb800393db9f170550baee328
shows_not 'Not on this page'
shows_not 'R²'

# Drawn again it is the same to the byte, wherever it goes.
written -q full.json -o again.html
err_is ''
cmp -s "$work/full.html" "$work/again.html" || fail 'the same report gave another page'

# --- parts of a report ------------------------------------------------------------------------------------------------

written -q minimal.json
page_is_sound minimal.html
sections_are minimal.html reproduce
shows 'Not on this page, for the report has nothing of it: Verdict (verdict)'
written -q exact.json
page_is_sound exact.html
sections_are exact.html 'verdict design budget data flags reproduce'
shows 'All percentiles are exact sample percentiles'
written -q compare.json -o pair.html
page_is_sound pair.html
sections_are pair.html 'verdict design errors maps consequences reproduce'
shows 'Two climatologies compared'
shows 'A: new.nc · B: old.nc'
shows 'Of the ice-free cell-days that both have, by area.'
shows_not 'Error budget'
for block in verdict maps bounds repair consequences sampling error_budget flags; do
    tool drop full.json "$block" part.json
    written -q -O part.json
    page_is_sound part.html
    shows "($block)"
done

# --- evil reports -----------------------------------------------------------------------------------------------------

written evil.json
page_is_sound evil.html
err_has 'warning: verdict.pass: true or false is expected, this is a text'
shows '<script>alert(1)</script>"'\''&amp;'
shows 'caf\xe9'
if grep -qE '<script|<!--' "$work/evil.html"; then fail 'a text of the report became markup'; fi
if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$work/evil.html" "$work/err"; then fail 'a control character came through'; fi
program report evil.json -O --strict
exits 3
err_has '--strict: 1 warning above ends the run'

written huge.json
page_is_sound huge.html
err_has 'validation.breakdown.sst_p90.by_region: of 20000 items only the first 400 are drawn'
err_has 'maps[0]: its rows and cols are not the size of a map'
[ "$(wc -c <"$work/huge.html")" -lt 1000000 ] || fail 'a huge report gave a huge page'

# A value of the wrong form leaves its part out and is named, there and on the page, whatever it is.
while read -r path value note; do
    tool set full.json "$path" "$value" wrong.json
    written -O wrong.json
    page_is_sound wrong.html
    err_has "sststream: warning: $note"
    shows "$note"
done <<'CASES'
verdict [1,2] verdict: an object is expected, this is a list
validation "x" validation: an object is expected, this is a text
validation.errors_degc 3 validation.errors_degc: an object is expected, this is a number
validation.errors_degc.sst_p90.ice_free_area.rmse "0.1" validation.errors_degc.sst_p90.ice_free_area.rmse: a number is expected
validation.breakdown.sst_p90.histogram.share {} validation.breakdown.sst_p90.histogram.share: a list is expected
validation.breakdown.sst_p90.cumulative.share [] validation.breakdown.sst_p90.cumulative: its two lists differ in length
validation.breakdown.sst_p90.by_slot.3 7 validation.breakdown.sst_p90.by_slot[3]: an object is expected, this is a number
bounds true bounds: an object is expected, this is true or false
bounds.sst_p90.levels.0.coverage.1.share [] bounds.sst_p90.levels[0].coverage[1].share: a number is expected, this is a list
maps {} maps: a list is expected, this is an object
maps.2.rows 3 maps[2].values: not as many as rows x cols
maps.2.values.1 "a" maps[2].values[1]: a number is expected, this is a text
maps.0.sea ["0111","101"] maps[0].sea: not a text of cols characters for each row
error_budget [[]] error_budget[0]: an object is expected, this is a list
days.missing [5] days.missing[0]: a text is expected, this is a number
reproduce.libraries {"a":1} reproduce.libraries.a: a text is expected, this is a number
CASES

# --- what is said where no page comes ---------------------------------------------------------------------------------

rm -f "$work"/*.html
refused 'report: no file. Name the JSON that --report wrote, as in: sststream report out.json -o out.html' report
refused "minimal.json: 'report' takes one file. Draw one page at a time, as in: sststream report out.json -o out.html" \
    report full.json minimal.json
refused "'': an empty file name. Is a shell variable unset?" report ''
refused "--bbox: not an option of 'report', but of 'run', 'plan', 'compare', 'detect'. Leave it out" report full.json --bbox 0,0,1,1

# not_drawn CODE TEXT ARGUMENTS...
not_drawn() {
    local code=$1 text=$2
    shift 2
    program report "$@"
    exits "$code"
    out_is ''
    err_is "sststream: $text"
}
give="Give the JSON that 'sststream run --report FILE.json' wrote"
mkdir "$work/folder"
printf '{\n "schema": "sststream-run/1",\n oops' >"$work/broken.json"
: >"$work/empty.json"
printf '{"schema": "sststream-run/1", "output": "caf\xe9"}' >"$work/latin.json"
printf '[1]' >"$work/list.json"
printf '{"a": 1}' >"$work/other.json"
printf '{"schema": 1}' >"$work/number.json"
printf '{"schema": "sststream-plan/1"}' >"$work/plan.json"
printf '{"schema": "sststream-run/1x"}' >"$work/odd.json"
printf '{"schema": "sststream-run/2", "sststream_version": "9.1.0"}' >"$work/newer.json"
printf '{"schema": "sststream-run/99999999999999999999"}' >"$work/newest.json"
{ printf '{"schema": "sststream-run/1", "maps": '; printf '[%.0s' $(seq 5000); } >"$work/deep.json"
not_drawn 3 'absent.json: cannot be opened: No such file or directory' absent.json
not_drawn 3 'folder: is a folder. Give the JSON file itself' folder
not_drawn 3 "empty.json: is empty. $give" empty.json
not_drawn 3 "list.json: not a report of sststream, but JSON of another kind. $give" list.json
not_drawn 3 "other.json: schema: not there, so this is no report of sststream. $give" other.json
not_drawn 3 "number.json: schema: no text, so this is no report of sststream. $give" number.json
not_drawn 3 "plan.json: schema: 'sststream-plan/1' is a plan, which has no results. $give" plan.json
not_drawn 3 "odd.json: schema: 'sststream-run/1x' is none of sststream's reports. $give" odd.json
program report newer.json
exits 3
err_has "newer.json: schema: 'sststream-run/2' was written by a newer sststream, 9.1.0; this is "
err_has 'Use the newer program'
program report newest.json
exits 3
err_has 'was written by a newer sststream'
program report broken.json
exits 3
err_has "sststream: broken.json: line 3, column 5: not JSON: string or '}' expected near 'oops'. $give"
program report latin.json
exits 3
err_has 'latin.json: line 1, column 44: not JSON: unable to decode byte 0xe9'
program report deep.json
exits 3
err_has 'deep.json: line 1, column '
err_has 'maximum parsing depth reached'
program report /dev/zero
exits 3
err_has '/dev/zero: line 1, column 1: not JSON'
[ -z "$(find "$work" -name '*.html*' -o -name '*.tmp.*')" ] || fail 'something was written'

written -q full.json
not_drawn 4 'full.html: exists already. Give another name, or --overwrite to replace it' full.json
written -q -O full.json
not_drawn 4 'full.json: is the report itself, so it is not replaced. Give another name' full.json -O -o full.json
ln "$work/full.json" "$work/linked.html"
not_drawn 4 'linked.html: is the report itself, so it is not replaced. Give another name' full.json -O -o linked.html
not_drawn 4 'no/page.html: the folder no does not exist. Make it first' full.json -o no/page.html
not_drawn 4 'folder: this is a folder. Give the name of a file' full.json -O -o folder
not_drawn 4 "/dev/full: this is not an ordinary file, so it is not replaced" full.json -O -o /dev/full
(
    ulimit -f 16 # [kB]: the page is larger, as where a disk is full
    trap '' XFSZ
    program report full.json -o large.html
    exits 4
    err_has 'large.html: cannot be written: File too large'
    finish
) || n_failed=$((n_failed + 1))
[ ! -e "$work/large.html" ] || fail 'a page cut short was given its name'
[ -z "$(find "$work" -name '*.tmp.*')" ] || fail 'a temporary file was left behind'
# A name without .json has .html put behind it.
cp "$work/full.json" "$work/report"
written -q report
[ -e "$work/report.html" ] || fail 'no page beside a report without .json'

# --- the checks see faults --------------------------------------------------------------------------------------------

# caught SED-SCRIPT: the page changed by it is no longer sound.
caught() {
    sed "$1" "$work/full.html" >"$work/planted.html"
    if cmp -s "$work/full.html" "$work/planted.html"; then fail "the fault was not planted: $1"; fi
    if tool check planted.html >/dev/null 2>&1; then fail "a planted fault went unnoticed: $1"; fi
}
caught 's|</main>|<script>1</script></main>|'
caught 's|</main>|<img src="http://example.org/a.png" alt=""/></main>|'
caught 's|</main>|<p onclick="a()">a</p></main>|'
caught 's|</main>||'
caught 's|</main>|<p>a & b</p></main>|'
caught 's|href="#maps"|href="#cards"|'
caught 's|<section id="maps">|<section id="flags">|'
caught 's|<td>90</td>||'
caught 's|<td>90</td>|<td>nan</td>|'
caught 's|background:#fff|background:url(a.png)|'

# --- a browser --------------------------------------------------------------------------------------------------------

browser=$(command -v chromium || command -v chromium-browser) || {
    echo 'without chromium: that the page opens without a console message was not looked at'
    finish
    exit 0
}
# console PAGE: what the browser has to say of it.
console() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --enable-logging=stderr \
        --v=0 --dump-dom "file://$work/$1" 2>&1 >"$work/dom" | grep CONSOLE
}
for page in full.html evil.html pair.html; do
    written -q -O "$(basename "$page" .html | sed 's/pair/compare/').json" -o "$page"
    said=$(console "$page")
    [ -z "$said" ] || fail "$page: the browser says: $said"
    grep -q '</main>' "$work/dom" || fail "$page: the browser did not show it: $(head -c 200 "$work/dom")"
done
sed 's|</main>|<script>console.error(1)</script></main>|; s|<meta http-equiv[^>]*>||' "$work/full.html" >"$work/planted.html"
[ -n "$(console planted.html)" ] || fail 'a console message went unnoticed'
finish
