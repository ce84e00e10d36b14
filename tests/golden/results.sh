#!/bin/bash
# The numbers of today against results.csv, to the last digit; --write makes that file anew (see README.md).
# ctest-labels: figures
. "$(dirname "$0")/../cli/lib_archive.sh"
need_python

golden=$(cd "$(dirname "$0")" && pwd)
mkdir "$work/made"
# made CASE ARCHIVE ARGUMENTS...: one climatology by each estimator.
made() {
    local case=$1 estimator
    shift
    for estimator in none "cf --validate 100%"; do
        read -ra approx <<<"--approx $estimator"
        name=made/$case-${estimator%% *}
        program -q "${approx[@]}" --seed 1 --percentile "90,10" --quantile-type 7 --window 11 --threads 2 -o "$name.nc" \
            --report "$name.json" "$@"
        exits 0
        err_is ''
    done
}

archive june --seed 20 --years 2001-2004 --doy 148-161
archive leap --seed 21 --years 2000-2004 --days 0220-0308
made june --baseline 2001-2004 --doy 153-156 --smooth 0 --leap hobday june
made smooth --baseline 2001-2003 --doy 154-155 --smooth 3 --leap hobday june
for rule in hobday skip own; do
    made "leap_$rule" --baseline 2000-2004 --days 0227-0302 --smooth 0 --leap "$rule" leap
done

export shown="the numbers"
"$python" "$golden/results.py" "$work/made" >"$work/results.csv" 2>"$work/err" || fail "the figures cannot be read"
if [ "${1:-}" = --write ]; then
    cp "$work/results.csv" "$golden/results.csv"
elif ! diff -u "$golden/results.csv" "$work/results.csv" >"$work/out"; then
    cat "$work/out"
    fail "the numbers are not those of results.csv; tests/golden/README.md says what to do"
fi
finish
