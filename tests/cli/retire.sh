#!/bin/bash
# Years taken out of a state, and a baseline that moves: what it needs, what it says, and that the old state stays as it was.
. "$(dirname "$0")/lib_archive.sh"
readers_tool=$(dirname "$tool")/readers_tool.py

archive sea --years 2000-2005 --doy 1-6

digest_of() { (cd "$work" && "$SSTSTREAM" inspect --json "$1") | sed -n 's/^ *"digest": "\(.*\)".*/\1/p'; }
same_digest() { [ "$(digest_of "$1")" = "$(digest_of "$2")" ] || fail "the digests of $1 and $2 differ"; }
is_absent() { if [ -e "$work/$1" ] || [ -e "$work/$1.part" ]; then fail "$1 was made"; fi; }
# make STATE "YEARS" OPTIONS...
make() {
    local state=$1 files=() years=() year
    read -ra years <<<"$2"
    shift 2
    for year in "${years[@]}"; do files+=("$work"/sea/*."$year"*.nc); done
    program ingest --state "$state" --window 3 -q "$@" "${files[@]}"
    exits 0
}

example="as in: sststream retire --state sea --years 1982-1984 -o younger"
refused "retire: no state. Name its folder, $example" retire --years 2000-2000 -o new
refused "retire: no folder for the new state. Name one, $example" retire --state st --years 2000-2000
refused "retire: nothing to do. Give --years, --baseline or both, $example" retire --state st -o new
refused "sea: 'retire' takes no files. Leave it out" retire --state st --years 2000-2000 -o new sea
refused "--years 2003: not a range of whole years. Accepted: Y1-Y2, as 1991-2020" retire --state st --years 2003 -o new

# A state that keeps all does it by itself, in both spellings of the years.
make all "2000 2001 2002 2003" --baseline 2000-2003 --keep all
cp -r "$work/all" "$work/all.copy"
program retire --state all --years 2001..2001 -o younger
exits 0
out_is ''
err_is "sststream: younger: 18 days are counted as before, 6 no longer, 0 moved into the log of days outside the baseline, 0 out of it"
make plain "2000 2002 2003" --baseline 2000-2003 --keep all
same_digest younger plain
program verify younger
exits 0
diff -r "$work/all" "$work/all.copy" >/dev/null || fail "the state that was retired from changed"

# Without values files are needed: all that stay where there are lists.
make few "2000 2001 2002 2003" --baseline 2000-2003 --keep none
program retire --state few --years 2001-2001 -o new
exits 7
out_is ''
err_is "sststream: few: keeps none, so files that were counted are needed, of all days that stay in a calendar day which loses one, since its lists of extremes are made anew; none is at hand of 2000-01-01, 2002-01-01, 2003-01-01, 2000-01-02, 2002-01-02, 2003-01-02, 2000-01-03, 2002-01-03, 2003-01-03, 2000-01-04 and 8 more. Give them with --old"
is_absent new
program retire --state few --years 2001-2001 --old sea --readers 0 -q -o few-younger
exits 0
err_is ''
make few-plain "2000 2002 2003" --baseline 2000-2003 --keep none
same_digest few-younger few-plain
program retire --state few --years 2001-2001 --old nowhere -o new
exits 3
is_absent new

# Readers read them, with the same answer; and a file that crashes its reader is as none.
program retire --state few --years 2001-2001 --old sea --readers 2 -q -o few-read
exits 0
same_digest few-read few-plain
if "$python" -c 'import netCDF4' 2>/dev/null; then
    cp -r "$work/sea" "$work/crashes"
    (cd "$work" && "$python" "$readers_tool" harmful crashes "$(day sea 20020103)" "$(day crashes 20020103)") || fail "no harmful file"
    program retire --state few --years 2001-2001 --old crashes --readers 2 -o new
    exits 7
    err_has "none is at hand of 2002-01-03. Give them with --old"
    is_absent new
fi

# The baseline moves: days go into the log, and are counted again where it moves back.
program retire --state all --baseline 2001-2004 -o moved
exits 0
err_has "sststream: moved: 18 days are counted as before, 0 no longer, 6 moved into the log of days outside the baseline, 0 out of it"
program inspect moved
out_has "baseline   2001-2004, calendar standard, leap rule hobday, windows up to 3 days"
out_has "days       18 of 1461 of the baseline are counted"
program retire --state moved --baseline 2000-2003 -o back
exits 0
err_has "sststream: back: 18 days are counted as before, 0 no longer, 0 moved into the log of days outside the baseline, 6 out of it"
same_digest all back
make skip "2000 2001 2002 2003" --baseline 2001-2003 --leap skip --keep probes
program retire --state skip --baseline 2002-2003 --old sea -q -o skip-later
exits 0
program retire --state skip-later --baseline 2001-2003 -o skip-back
exits 0
err_has "sststream: warning: 6 days come into the baseline, and the values are not at hand: ingest their files again"
program ingest --state skip-back "$work"/sea/*.2001*.nc
exits 0
[ "$(grep -c committed "$work/out")" -eq 6 ] || fail "expected 6 days"
program retire --strict --state skip-later --baseline 2001-2003 -o skip-strict
exits 7

# Years that are not there, places that are.
program retire --state all --years 1990-1995 -o same
exits 0
err_has "warning: --years 1990-1995: all counted no day of these years"
same_digest all same
program retire --state all --years 2001-2001 -o same
exits 4
err_is "sststream: same: is there already. Give another name, or remove it"
program retire --state all --baseline 1900-1999 -o new
exits 2
err_has "--baseline 1900-1999: 100 years are too many"
is_absent new

finish
