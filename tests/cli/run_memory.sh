#!/bin/bash
# --memory: a run that does not fit is done in passes, and gives what one pass gives; what fits in none is refused at the start.
# ctest-labels: figures
. "$(dirname "$0")/lib_archive.sh"
need_python

(cd "$work" && "$SSTSTREAM" synth -q --grid 240x120 --years 2001-2004 --days 0526-0620 -o sea) || exit 1
part=(--baseline 2001-2004 --days 0601-0615 --smooth 0 --compress none --readers 1 --progress none)

# value KEY: a number of the JSON on standard output.
value() { "$python" -c "import json, sys; print(json.load(open('$work/out'))[sys.argv[1]])" "$1"; }

for kind in "none" "cf --validate 5%" "tail --tail-k 4"; do
    read -ra estimator <<<"--approx $kind"
    run=("${part[@]}" "${estimator[@]}")
    name=${kind%% *}
    program plan "${run[@]}" --json sea
    exits 0
    whole=$(value planned_peak_bytes) scratch=$(value scratch_bytes) one=()
    if [ "$name" = cf ]; then # slots that wait do so in memory, or with a byte less on the disk
        [ "$scratch" -eq 0 ] || fail "scratch is planned where there is memory"
        program "${run[@]}" -q -o "$name-held.nc" --report "$name-held.json" sea
        exits 0
        json_has "$name-held.json" "abs(r['peak_rss_bytes'] - r['planned_peak_bytes']) < 0.15 * r['planned_peak_bytes']"
        held=$((whole - 1))
        program plan "${run[@]}" --memory "$held" --json sea
        exits 0
        whole=$(value planned_peak_bytes) scratch=$(value scratch_bytes)
        [ "$scratch" -gt 0 ] || fail "slots do not wait on the disk"
        [ "$(value passes)" -eq 1 ] || fail "a run is divided before slots wait on the disk"
        one=(--memory "$whole")
    fi
    program "${run[@]}" "${one[@]}" -q -o "$name-1.nc" --report "$name-1.json" sea
    exits 0

    # The figure is enough for one pass, and a byte less is not.
    program plan "${run[@]}" --memory "$whole" --json sea
    exits 0
    [ "$(value passes)" -eq 1 ] || fail "passes where all fits"
    limit=$((whole - 1))
    program plan "${run[@]}" --memory "$limit" --json sea
    exits 0
    passes=$(value passes) planned=$(value planned_peak_bytes)
    [ "$passes" -gt 1 ] || fail "$passes pass in $limit of $whole bytes"
    [ "$planned" -le "$limit" ] || fail "$planned bytes planned of $limit"
    [ "$(value scratch_bytes)" -gt "$scratch" ] || fail "no scratch planned"
    program plan "${run[@]}" --memory "$limit" --report report.json sea
    out_has "passes     $passes, of at most "
    out_has "; the first reads the files, the others the scratch"
    out_has " MB on the disk beside the output, while the run lasts"

    program "${run[@]}" --memory "$limit" --timings -o "$name-2.nc" --report "$name-2.json" sea
    exits 0
    nctool equal "$name-1.nc" "$name-2.nc"
    [ "$name" != cf ] || nctool equal cf-held.nc cf-1.nc
    nctool equal_attribute climatology_id "$name-1.nc" "$name-2.nc"
    json_has "$name-2.json" "r['passes'] == $passes and r['planned_peak_bytes'] <= r['memory_limit_bytes'] == $limit"
    json_has "$name-2.json" "r['peak_rss_bytes'] < 1.1 * $limit"
    json_has "$name-1.json" "abs(r['peak_rss_bytes'] - r['planned_peak_bytes']) < 0.15 * r['planned_peak_bytes']"
    json_has "$name-2.json" "r['timings']['fields'] == r['read']['days'] == json.load(open('$name-1.json'))['read']['days']"
    json_has "$name-2.json" "all(r[k] == json.load(open('$name-1.json'))[k] for k in ('flags', 'verdict', 'validation', 'sea_cells'))"
    found=$(find "$work" -maxdepth 1 -name '.sststream-*' -o -name '*.tmp.*')
    [ -z "$found" ] || fail "left behind: $found"
done

# Too little for a pass of one row: refused, with the figure that is then enough.
program plan "${part[@]}" --memory 20MB sea
exits 2
program "${part[@]}" --memory 20MB -o no.nc sea
exits 2
out_is ''
err_has "sststream: --memory 20MB: the run needs at least "
least=$(sed -n 's/.* needs at least \([0-9]*\) MB, and this is 20 MB\. .*/\1/p' "$work/err")
program plan "${part[@]}" --memory "${least:-0}MB" --json sea
exits 0
[ "$(value passes)" -gt 1 ] || fail "one pass in $least MB"
[ ! -e "$work/no.nc" ] || fail "an output after a refusal"

# A disk that has no room for the scratch: refused before anything is read.
mkdir "$work/disk"
if mount -t tmpfs -o size=64k tmpfs "$work/disk" 2>/dev/null; then
    for command in plan run; do
        program $command "${part[@]}" --memory "$limit" --approx tail --tail-k 4 --report report.json -o disk/clim.nc sea
        exits 4
        err_has "disk: the scratch of the run takes "
        err_has " MB there, and 0 MB are free. Free some room, use a larger --memory, or write the output to another folder"
        err_lines 1
    done
    program plan "${part[@]}" --approx cf --validate 5% --memory "$held" --json -o disk/clim.nc sea
    exits 4
    err_has " MB are free. Free some room, or write the output to another folder"
    umount "$work/disk"
else
    echo "not tested: a disk without room (no file system can be mounted here)"
fi
finish
