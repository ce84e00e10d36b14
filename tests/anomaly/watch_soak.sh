#!/bin/bash
# Ten years of daily files through the service: it takes no more memory, and holds no more files, at the end than after two years.
# ctest-labels: slow
. "$(dirname "$0")/../cli/lib_watch.sh"

batch=15       # files that arrive together
kept=60        # files that stay in the inbox; somebody clears it
sample_every=5 # batches
most_kb=512    # that the largest sample of the last two years may lie above that of years three and four

(cd "$work" && "$SSTSTREAM" synth -q --grid 12x6 --layout oisst -o sea --years 2001-2010) || exit 1
(cd "$work" && "$SSTSTREAM" synth -q --grid 30x15 -o wide --years 2001-2001 --doy 1-1) || exit 1
mkdir "$work/inbox"
mapfile -t names < <(cd "$work/sea" && ls)
n_days=${#names[@]}
program ingest --state st --baseline 2001-2010 -q "sea/${names[0]}"
exits 0
start_watch --state st --inbox inbox --poll 1s --settle 1s --readers 1 --on-alert "cat"

# The service, the launcher of its readers, and the readers.
family() {
    local pid
    for pid in $1 $(cat "/proc/$1/task/"*/children 2>/dev/null); do
        echo "$pid"
        [ "$pid" = "$1" ] || family "$pid"
    done | sort -u
}

# sample: "days resident-kB open-files", of all processes together.
sample() {
    local pid kb resident=0 files=0
    for pid in $(family "$watcher"); do
        kb=$(sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null)
        resident=$((resident + ${kb:-0})) # one that has just ended has none
        files=$((files + $(find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l)))
    done
    echo "$(wc -l <"$work/watch.out") $resident $files"
}

n_batches=0
for ((first = 1; first < n_days; first += batch)); do
    for ((i = first; i < first + batch && i < n_days; ++i)); do
        mv "$work/sea/${names[i]}" "$work/inbox/${names[i]}"
        ((i < kept)) || rm -f "$work/inbox/${names[i - kept]}"
    done
    if ((n_batches % 20 == 7)); then # now and then one that is held back, and removed a little later
        cp "$work"/wide/*.nc "$work/inbox/wide$n_batches.nc"
        rm -f "$work/inbox/wide$((n_batches - 20)).nc"
    fi
    until_lines $((first + batch < n_days ? first + batch - 1 : n_days - 1)) watch.out
    ((n_batches++ % sample_every == 0)) && sample >>"$work/samples"
done
sample >>"$work/samples"
end_watch 0
program status --state st
out_has "days       $n_days known, $n_days of them counted"
program verify st
exits 0

# The first fifth warms up; the slope is that of a straight line through the rest.
awk -v most="$most_kb" '
    { days[NR] = $1; kb[NR] = $2; files[NR] = $3 }
    END {
        for (i = 1; i <= NR; ++i) {
            share = days[i] / days[NR]
            if (share <= 0.2) continue
            ++n; sx += days[i]; sy += kb[i]; sxx += days[i] ^ 2; sxy += days[i] * kb[i]
            if (share <= 0.4 && kb[i] > early) early = kb[i]
            if (share > 0.8 && kb[i] > late) late = kb[i]
            if (share <= 0.4 && files[i] > early_files) early_files = files[i]
            if (share > 0.8 && files[i] > late_files) late_files = files[i]
        }
        slope = (n * sxy - sx * sy) / (n * sxx - sx ^ 2)
        printf "%d days, %d samples: resident %d kB, at the end %d kB (%.3f kB a day); open files %d, at the end %d\n",
               days[NR], NR, early, late, slope, early_files, late_files
        exit n < 10 || late - early > most || late_files > early_files
    }' "$work/samples" || fail "it grows: $(tr '\n' ';' <"$work/samples")"
finish
