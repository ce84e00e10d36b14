#!/bin/bash
# States made one: in whatever order; what is refused, with the days or the item, and that nothing changes then.
. "$(dirname "$0")/lib_archive.sh"

archive sea --years 2000-2003 --doy 1-6
archive other --years 2000-2003 --doy 1-6 --seed 2

# make STATE KEEP YEAR...: a state of the files of some years.
make() {
    local state=$1 keep=$2 files=() year
    shift 2
    for year in "$@"; do files+=("$work"/sea/*."$year"*.nc); done
    program ingest --state "$state" --baseline 2000-2003 --window 3 --keep "$keep" -q "${files[@]}"
    exits 0
}
digest_of() { (cd "$work" && "$SSTSTREAM" inspect --json "$1") | sed -n 's/^ *"digest": "\(.*\)".*/\1/p'; }
same_digest() { [ "$(digest_of "$1")" = "$(digest_of "$2")" ] || fail "the digests of $1 and $2 differ"; }
is_absent() { if [ -e "$work/$1" ] || [ -e "$work/$1.part" ]; then fail "$1 was made"; fi; }

refused "merge: no states. Name two or more, as in: sststream merge north south -o both" merge -o all
refused "merge: only one state. Name two or more, as in: sststream merge north south -o both" merge a -o all
refused "merge: no folder for the new state. Name one, as in: sststream merge north south -o both" merge a b

# Three parts, in two orders and in two steps.
make whole probes 2000 2001 2002 2003
make a probes 2000
make b probes 2001 2002
make c probes 2003
cp -r "$work/b" "$work/b.copy"
program merge a b c -o abc
exits 0
out_is ''
err_is "sststream: abc: made of 3 states; $(cd "$work" && "$SSTSTREAM" inspect --json whole | sed -n 's/^ *"days_counted": \([0-9]*\).*/\1/p') days are counted, 0 known beside them"
program merge -q c b -o cb
program merge -q cb a -o cba/
exits 0
err_is ''
for made in abc cba; do
    same_digest whole $made
    program verify $made
    exits 0
done
diff -r "$work/b" "$work/b.copy" >/dev/null || fail "a state that was merged changed"

# A state that has all of another is taken whole; the same state twice is one.
program merge -q a whole a -o contained
exits 0
same_digest whole contained

# What is there is not replaced, and what is no state is told.
program merge a b -o whole
exits 4
err_is "sststream: whole: is there already. Give another name, or remove it"
program merge a sea -o new
exits 7
err_is "sststream: sea: this is no state: it has no file \"policy\". Give the folder of a state"
is_absent new

# Days that two states count.
make ab probes 2000 2001
program merge ab b -o new
exits 7
out_is ''
err_is "sststream: the states do not merge: two of them count 2001-01-01, 2001-01-02, 2001-01-03, 2001-01-04, 2001-01-05, 2001-01-06, each counts other years of the calendar day too, and only states that keep all (--keep all) can be told apart. Ingest what one of them lacks from its files instead"
is_absent new
make ab-all all 2000 2001
make b-all all 2001 2002
program merge -q ab-all b-all -o abb-all
exits 0
make plain-all all 2000 2001 2002
same_digest abb-all plain-all

# Other values.
program ingest --state odd --baseline 2000-2003 --window 3 -q "$work"/other/*.200[23]*.nc
exits 0
program merge whole odd -o new
exits 7
err_has "the states do not merge: two of them have different values of 2002-01-01, 2003-01-01, 2002-01-02, "
err_has " and 2 more. Replace these days in one of the states (ingest --replace), or leave that state out"
is_absent new

# States of other rules, by the item.
n=0
while read -r text option value; do
    n=$((n + 1))
    program ingest --state "rule$n" --baseline 2000-2003 --window 3 --keep probes -q "$option" "$value" "$(day sea 20010103)"
    exits 0
    program merge a "rule$n" -o new
    exits 7
    err_is "sststream: a and rule$n do not merge: ${text//_/ }"
    is_absent new
done <<'END'
baseline:_2000-2003_and_2000-2002 --baseline 2000-2002
leap_rule:_hobday_and_skip --leap skip
largest_window_[days]:_3_and_5 --window 5
values_kept:_probes_and_none --keep none
seed:_1_and_2 --seed 2
END

finish
