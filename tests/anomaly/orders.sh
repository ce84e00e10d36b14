#!/bin/bash
# Three years of files in random orders through the program itself: in pieces and twice, three in ten late, preliminary before
# and after final ones, corrected with --replace and with --old, in one state and in two that are merged. The state, and to the
# byte its climatology, are those of the right files in the order of time; the climatology's values are those of `run`.
# ctest-labels: crash figures
. "$(dirname "$0")/../cli/lib_archive.sh"
need_python
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=1 SOURCE_DATE_EPOCH=0

case ${SST_CRASH_SCALE:-push} in
push) n_orders=3 ;;
nightly) n_orders=30 ;;
release) n_orders=150 ;;
*) exit 1 ;;
esac
RANDOM=${SST_CRASH_SEED:-1}

(cd "$work" && "$SSTSTREAM" synth -q --grid 12x6 -o sea --years 2000-2002 --doy 1-8) || exit 1
(cd "$work" && "$SSTSTREAM" synth -q --grid 12x6 -o wrong --years 2000-2002 --doy 1-8 --seed 2) || exit 1
digest_of() { (cd "$work" && "$SSTSTREAM" inspect --json "$1") | sed -n 's/^ *"digest": "\(.*\)".*/\1/p'; }

# What arrives: all right files but the corrected ones, whose wrong ones do; preliminary ones of other values. The second
# calendar day is corrected.
mkdir "$work/in" "$work/right"
for file in "$work"/sea/*.nc; do
    name=$(basename "$file") date=${file: -11:8}
    case $date in
    ????0102) cp "$work/wrong/$name" "$work/in" && cp "$file" "$work/right" ;;
    *) cp "$file" "$work/in" ;;
    esac
    case $date in ????010[357]) cp "$work/wrong/$name" "$work/in/${name%.nc}_preliminary.nc" ;; esac
done

declare -A options=([all]="--keep all" [probes]="--keep probes --tail-k 2" [none]="--keep none")

# climatology_of STATE FILE OPTIONS...: a climatology tells its state and its file, so these have one name while it is made.
climatology_of() {
    mv "$work/$1" "$work/named"
    program climatology --state named --doy 2-7 --window 3 --smooth 0 -q -o clim.nc "${@:3}"
    exits 0
    mv "$work/clim.nc" "$work/$2"
    mv "$work/named" "$work/$1"
}
estimator_of() { if [ "$1" = all ]; then echo "--percentile 90"; else echo "--approx cf"; fi; }

# take STATE WAY FILE...: files in random pieces; one piece in four twice. Preliminary files alone make no state.
take() {
    local state=$1 way=$2 n
    shift 2
    read -ra made_with <<<"${options[$way]}"
    while [ $# -gt 0 ]; do
        n=$((1 + RANDOM % 9))
        [ "$n" -le $# ] || n=$#
        [ -e "$work/$state" ] || n=$#
        for _ in 1 $([ $((RANDOM % 4)) -gt 0 ] || echo 2); do
            program ingest --state "$state" --baseline 2000-2002 --window 3 --accept-jump --readers 0 -qq "${made_with[@]}" \
                "${@:1:n}"
            exits 0
        done
        shift "$n"
    done
}

# correct STATE WAY
correct() {
    local old=()
    [ "$2" = all ] || old=(--old in)
    program ingest --state "$1" --replace "${old[@]}" --accept-jump --readers 0 -q right
    exits 0
    [ "$(wc -l <"$work/out")" -eq 3 ] || fail "expected three corrected days"
}


# fill STATE WAY GLOB...: those on time, then those late, by turns with nothing else.
fill() {
    local files on_time
    mapfile -t files < <(cd "$work" && for glob in "${@:3}"; do compgen -G "$glob"; done | shuf --random-source=<(yes "$order$way"))
    on_time=$((${#files[@]} * 7 / 10))
    take "$1" "$2" "${files[@]:0:on_time}"
    take "$1" "$2" "${files[@]:on_time}"
}

for way in all probes none; do
    order=0
    read -ra estimator < <(estimator_of "$way")
    read -ra made_with <<<"${options[$way]}"
    program ingest --state "right-$way" --baseline 2000-2002 --window 3 "${made_with[@]}" -q sea
    exits 0
    climatology_of "right-$way" "right-$way.nc" "${estimator[@]}"
    program run --baseline 2000-2002 --window 3 --doy 2-7 --smooth 0 -q "${estimator[@]}" -o "run-$way.nc" sea
    compared=all
    [ $way != none ] || compared=n_obs,sst_mean,sst_p90 # run has probes, and says what they tell
    nctool equal_in $compared "run-$way.nc" "right-$way.nc"
    for ((order = 1; order <= n_orders; ++order)); do
        rm -rf "$work"/one "$work"/part? "$work"/both "$work"/*made.nc
        fill one $way 'in/*.nc'
        correct one $way
        # Days of January's first half are in one part; the corrected calendar day is in the other, whole.
        fill part1 $way 'in/*0[1346].nc' 'in/*0[1346]_preliminary.nc'
        fill part2 $way 'in/*0[2578].nc' 'in/*0[578]_preliminary.nc'
        correct part2 $way
        program merge part2 part1 -q -o both
        exits 0
        for state in one both; do
            [ "$(digest_of $state)" = "$(digest_of "right-$way")" ] || fail "order $order, $way, $state: another digest"
            program verify $state
            exits 0
            climatology_of $state "$state-made.nc" "${estimator[@]}"
            cmp -s "$work/$state-made.nc" "$work/right-$way.nc" || fail "order $order, $way, $state: another climatology"
        done
    done
done
[ "$(digest_of part1)" != "$(digest_of one)" ] || fail "a part is the whole"
echo "crash T13: $((n_orders * 6)) states by the program's own commands: one digest, one climatology"
finish
