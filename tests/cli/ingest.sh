#!/bin/bash
# Days into a state: each once, in whatever order; what is refused and left out, and in which words; inspect and verify.
. "$(dirname "$0")/lib_archive.sh"

archive sea --years 2000-2004 --doy 1-8
archive other --years 2000-2004 --doy 1-8 --seed 2
archive wide --years 2001-2001 --doy 1-2 --grid 30x15
state=(--state st --baseline 2000-2003 --window 3)

# digest_of STATE
digest_of() { (cd "$work" && "$SSTSTREAM" inspect --json "$1") | sed -n 's/^ *"digest": "\(.*\)".*/\1/p'; }
same_digest() { [ "$(digest_of "$1")" = "$(digest_of "$2")" ] || fail "the digests of $1 and $2 differ"; }

# What has to be said, and what cannot be.
refused "ingest: no state. Name its folder, as in: sststream ingest --state sea --baseline 1991-2020 oisst/" ingest sea
refused "ingest: no files. Name files or directories of daily SST, as in: sststream ingest --state st oisst/" ingest --state st
refused "--state st: there is none yet, and to make one its years have to be said: nothing else can be counted into it later. Give --baseline Y1-Y2" ingest --state st sea
refused "--old: of no use without --replace. Give both, or leave it out" ingest "${state[@]}" --old other sea
refused "inspect: no state. Name its folder, as in: sststream inspect sea" inspect
refused "other: 'verify' takes one state. Leave it out" verify sea other
[ ! -e "$work/st" ] || fail "a refused command made a state"
for command in inspect verify; do
    program $command sea
    exits 7
    err_lines 1
done

# A state is made, and days are told once they are durable.
program ingest "${state[@]}" --readers 2 sea
exits 0
[ "$(grep -c '^committed 200[0-4]-0[1]-0[1-8]$' "$work/out")" -eq 33 ] || fail "expected 33 days"
[ "$(grep -c '^committed 2004-01-0[2-8] (beside the baseline)$' "$work/out")" -eq 7 ] || fail "expected 7 days beside them"
[ "$(wc -l <"$work/out")" -eq 40 ] || fail "expected nothing else on stdout"
out_has "committed 2004-01-01"
err_has "st: a new state, which keeps probes."
err_has "with --keep none;"
err_has "st: 33 days counted (0 in place of others), 7 logged beside them (0 in place of others), 0 known already, 0 preliminary of final days, 0 left out"
before=$(digest_of st)
cp -r "$work/st" "$work/copy"

# The same files again: nothing changes, on disk neither.
program ingest --state st -q sea
exits 0
out_is ''
err_is ''
[ "$(digest_of st)" = "$before" ] || fail "the digest changed"
diff -r "$work/st" "$work/copy" >/dev/null || fail "the files changed"

# In another order, in pieces, by the program itself, with options that say the same.
program ingest --state pieces --baseline 2000-2003 --window 3 --readers 0 -q "$(day sea 20020105)"
exits 0
out_is "committed 2002-01-05"
for year in 2004 2001 2000 2003 2002; do
    program ingest --state pieces --baseline 2000-2003 --window-half-width 1 --leap hobday -qq "$work"/sea/*."$year"*.nc
    exits 0
done
same_digest st pieces

# Inspect and verify.
program inspect st
exits 0
out_has "grid       24 x 12 cells, surface temperature in steps of 0.01 degC"
out_has "baseline   2000-2003, calendar standard, leap rule hobday, windows up to 3 days"
out_has "days       32 of 1461 of the baseline are counted"
out_has "           2001    8 of 365"
out_has "           2004    1 of   1  (beside the baseline)"
out_has "missing    2000-01-09 to 2000-12-31 (358 days)"
out_has "logged     7 final and 0 preliminary days beside those"
(cd "$work" && "$SSTSTREAM" inspect --json st) >"$work/inspect.json"
json_has inspect.json "r['days_counted'] == 32 and r['days_expected'] == 1461 and len(r['missing']) == 1429"
json_has inspect.json "r['days_logged'] == {'preliminary': 0, 'final': 7}"
json_has inspect.json "r['missing'][0] == '2000-01-09' and r['missing'][-1] == '2003-12-31'"
json_has inspect.json "r['policy']['keep'] == 'probes' and r['policy']['first_year'] == 2000 and r['policy']['most_window_days'] == 3"
json_has inspect.json "[y['counted'] for y in r['years']] == [0, 8, 8, 8, 8, 1] and r['years'][0]['is_edge']"
json_has inspect.json "r['bytes'] > 1000 and r['files'] == 12 and len(r['digest']) == 32"
program verify st
exits 0
out_is "whole: every byte is as it was written"
err_is ''

# What is fixed stays fixed: both values are named.
while read -r text option value; do
    program ingest --state st "$option" "$value" sea
    exits 7
    out_is ''
    err_has "${text//_/ }"
    err_has "st: it was made with other options: "
    err_has "Leave them out, or make another state"
    err_lines 1
done <<'END'
2000-2003_and_2000-2002 --baseline 2000-2002
hobday_and_own --leap own
3_and_5 --window 5
probes_and_all --keep all
1_and_2 --seed 2
4_and_1 --tail-k 1
share_of_probes:_1_and_ --validate 3%
END
[ "$(digest_of st)" = "$before" ] || fail "the digest changed"

# Other values of a day that is counted.
program ingest --state st "$(day other 20010103)"
exits 6
out_is ''
err_has "2001-01-03 left out: counted already, with other values. --replace takes these in their place"
err_has "sststream: done, but 1 day was left out, and 0 files could not be used"
program ingest --state st --replace "$(day other 20010103)"
exits 6
err_has "can only be made anew from the files of the other years: give them with --old; oisst-avhrr-v02r01.20000103.nc of 2000 is not among them"
[ "$(digest_of st)" = "$before" ] || fail "the digest changed"
program ingest --state st --replace --old other "$(day other 20010103)"
exits 6
[ "$(digest_of st)" = "$before" ] || fail "the digest changed"
program ingest --state st --replace --old sea "$(day other 20010103)"
exits 0
out_is "committed 2001-01-03"
err_has "2001-01-03: replaced by other/"
mkdir "$work/right"
cp "$work"/sea/*.nc "$work/right"
cp "$work/$(day other 20010103)" "$work/right"
program ingest --state fresh --baseline 2000-2003 --window 3 -q right
exits 0
same_digest st fresh

# A state that keeps all replaces by itself.
program ingest --state all --baseline 2000-2003 --window 3 --keep all -q sea
exits 0
program ingest --state all --replace -q "$(day other 20010103)"
exits 0
out_is "committed 2001-01-03"
program ingest --state all-fresh --baseline 2000-2003 --window 3 --keep all -q right
exits 0
same_digest all all-fresh

# Preliminary files are logged until their final ones come, and make no state.
mkdir "$work/early"
cp "$work/$(day other 20020104)" "$work/early/oisst-avhrr-v02r01.20020104_preliminary.nc"
program ingest --state none --baseline 2000-2003 early
exits 3
err_is "sststream: all files are preliminary, and a state is made from final ones. Give those first"
[ ! -e "$work/none" ] || fail "a refused command made a state"
program ingest --state late --baseline 2000-2003 -q "$(day sea 20020103)"
exits 0
cp -r "$work/late" "$work/pure"
program ingest --state late early
exits 0
out_is "committed 2002-01-04 (preliminary)"
program ingest --state late early
exits 0
out_is ''
err_has "1 known already"
program ingest --state late "$(day sea 20020104)" early
exits 0
out_is "committed 2002-01-04"
program ingest --state late early
exits 0
out_is ''
err_has "preliminary, and a final one is known already (2002-01-04)"
program ingest --state pure -q "$(day sea 20020104)"
exits 0
same_digest late pure

# A climatology of what came in pieces, late, and first as preliminary files is, to the byte, the one of the right files.
for year in 2003 2001 2002; do
    program ingest --state pieces-all --baseline 2000-2003 --window 3 --keep all -q "$work"/sea/*."$year"*.nc
    exits 0
done
program ingest --state pieces-all -q early "$work"/sea/*.2000*.nc sea
exits 0
export SOURCE_DATE_EPOCH=0
for state in pieces-all all-fresh; do
    program ingest --state "$state" -q --replace right
    exits 0
    mv "$work/$state" "$work/one" # a climatology names its state
    program climatology --state one --doy 3-6 --smooth 0 -q -o clim.nc
    exits 0
    mv "$work/clim.nc" "$work/clim-$state.nc"
    mv "$work/one" "$work/$state"
done
cmp "$work/clim-pieces-all.nc" "$work/clim-all-fresh.nc" || fail "the climatologies differ"
program run --baseline 2000-2003 --window 3 --doy 3-6 --smooth 0 -q -o clim-run.nc right
exits 0
nctool equal clim-run.nc clim-pieces-all.nc
unset SOURCE_DATE_EPOCH

# Which files are preliminary can be said: none, all, by name, by attribute.
while read -r rule said; do
    rm -rf "$work/said"
    cp -r "$work/pure" "$work/said"
    program ingest --state said -q --status-from "$rule" "$(day sea 20020105)"
    exits 0
    out_is "committed 2002-01-05${said:+ ($said)}"
done <<'END'
auto
final
preliminary preliminary
name:oisst*05.nc preliminary
name:*_nrt.nc
attribute:title=Synthetic* preliminary
attribute:title=synthetic*
attribute:no_such_thing=*
END
for rule in name: name 'attribute:title' 'attribute:=x' 'attribute:title=' nrt; do
    refused "--status-from $rule: no such rule. Accepted: auto, final, preliminary, name:PATTERN and attribute:NAME=PATTERN, which tell preliminary files, as in name:*_nrt.nc" ingest --state said --status-from "$rule" sea
done
program ingest --state said -q --status-from final early
exits 6
err_has "2002-01-04 left out: counted already, with other values"

# Files that cannot be used or are of another series are left out; the others count.
mkdir "$work/mixed"
cp "$work/$(day sea 20030101)" "$work/mixed"
head -c 3000 "$work/$(day sea 20030102)" >"$work/$(day mixed 20030102)"
program ingest --state late mixed
exits 6
out_is "committed 2003-01-01"
err_has "mixed/oisst-avhrr-v02r01.20030102.nc: "
err_has "sststream: done, but 0 days were left out, and 1 file could not be used"
program ingest --state late wide
exits 6
out_is ''
err_has "2001-01-01 left out: not the grid of the state"
err_has "done, but 2 days were left out"

# A file is not left out for what comes with it, however many those are.
program ingest --state late wide "$(day sea 20030103)"
exits 6
out_is "committed 2003-01-03"
err_has "2001-01-02 left out: not the grid of the state"
err_has "done, but 2 days were left out, and 0 files could not be used"
head -c 3000 "$work/$(day sea 20030104)" >"$work/cut.nc"
program ingest --state late cut.nc
exits 6
out_is ''
err_has "cut.nc: "
err_has "done, but 0 days were left out, and 1 file could not be used"

# One writer, and readers beside it.
if command -v flock >/dev/null; then
    before=$(digest_of st)
    (
        exec 9>>"$work/st/lock"
        flock 9
        exec sleep 60 # one process, which holds the lock and nothing else
    ) >/dev/null 2>&1 &
    holder=$!
    for _ in $(seq 100); do
        flock -n "$work/st/lock" true || break
        sleep 0.05
    done
    program ingest --state st sea
    exits 8
    out_is ''
    err_is "sststream: st: another process writes into it. Wait for it to end, or stop it"
    program verify st
    exits 0
    kill "$holder"
    wait "$holder" 2>/dev/null
    [ "$(digest_of st)" = "$before" ] || fail "the digest changed"
fi

# A changed byte is found, and nothing is added to what is damaged.
printf 'X' | dd of="$work/copy/slots/003" bs=1 seek=200 conv=notrunc status=none
program verify copy
exits 7
out_has "copy/slots/003"
err_lines 1
program inspect copy
exits 7
program ingest --state copy "$(day other 20000103)"
exits 7
out_is ''
finish
