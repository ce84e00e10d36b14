#!/bin/bash
# Processes that read: the same answer whatever their number and whatever becomes of them; files that harm them are left out.
. "$(dirname "$0")/lib_archive.sh"
need_python

readers_tool=$(dirname "$tool")/readers_tool.py

# readers COMMAND ARGUMENTS...: see readers_tool.py. The program's streams go to out and err.
readers() {
    (cd "$work" && "$python" "$readers_tool" "$@") >"$work/out" 2>"$work/err" </dev/null
    exit_code=$?
}

# told: what the last run said, without the line of time and memory.
told() { grep -v '^time ' "$work/err"; }

archive sea --years 2001-2003 --doy 148-162 --seed 4
rule=(--baseline 2001-2003 --doy 153-157 --smooth 0)

# same_by_all NAME EXIT_CODE INPUT...: values, id, exit code and words do not depend on who reads.
same_by_all() {
    local name=$1 code=$2 said='' outputs=()
    shift 2
    for by in "0" "1" "2" "8 --readers-short"; do
        read -ra how <<<"--readers $by"
        program "${rule[@]}" "${how[@]}" -O -o "$name-$by.nc" "$@"
        exits "$code"
        said=${said:-$(told | sed "s/$name-0.nc/NAME/")}
        [ "$(told | sed "s/$name-$by.nc/NAME/")" = "$said" ] || fail "says otherwise than with --readers 0: $said"
        outputs+=("$name-$by.nc")
    done
    nctool equal "${outputs[@]}"
    nctool equal_attribute climatology_id "${outputs[@]}"
}

same_by_all sea 0 sea
(cd "$work" && "$python" "$readers_tool" joined packed.nc 9 packed sea/*.nc) || fail "packed.nc cannot be made"
same_by_all packed 0 packed.nc
(cd "$work" && "$python" "$readers_tool" joined floats.nc 4 floats sea/*.nc) || fail "floats.nc cannot be made"
same_by_all floats 0 floats.nc
nctool rewrite floats sea floats
same_by_all days-of-floats 0 floats

# Files that are bad in themselves: the words of the program, which the readers hand over.
cp -r "$work/sea" "$work/bad"
: >"$work/$(day bad 20010602)"
printf '<!DOCTYPE html>\n' >"$work/$(day bad 20020602)"
nctool change "$(day bad 20030602)" other-grid
truncate -s 9000 "$work/$(day bad 20010605)"
same_by_all bad 6 bad
program "${rule[@]}" --readers 2 --on-bad stop -o stopped.nc bad
exits 3
err_lines 1
err_has "the file is empty"

# A file that hangs its reader, and one that crashes it: named, with what to do, and left out.
# harmed KIND TEXT...
harmed() {
    local kind=$1 victim text begun=$SECONDS
    shift
    victim=$(day "$kind" 20020603)
    cp -r "$work/sea" "$work/$kind"
    (cd "$work" && "$python" "$readers_tool" harmful "$kind" "$(day sea 20020603)" "$victim") || fail "$kind: no such file"
    for short in "" --readers-short; do
        program "${rule[@]}" --readers 2 $short --read-timeout 1 -O -o "$kind.nc" --report "$kind.json" "$kind"
        exits 6
        for text in "$@"; do
            grep -F "not used: $victim: " "$work/err" | grep -qF "$text" || fail "$kind: expected: $text"
        done
        err_has "1 unusable"
        err_has "missing: 2002-06-03"
        json_has "$kind.json" "r['days']['missing'] == ['2002-06-03'] and r['timings']['reader_deaths'] in (1, 2)"
        nctool equal lacks.nc "$kind.nc"
    done
    [ $((SECONDS - begun)) -lt 60 ] || fail "$kind: took $((SECONDS - begun)) s"
    program "${rule[@]}" --readers 2 --read-timeout 1 --on-bad stop -o stopped.nc "$kind"
    exits 3
    err_has "$victim: "
}
cp -r "$work/sea" "$work/lacks"
rm "$work/$(day lacks 20020603)"
program "${rule[@]}" -o lacks.nc lacks
exits 6
harmed hangs "not read within 1 s" "fetch it again, or use a larger --read-timeout"
harmed crashes "its reader " ", twice. The file is damaged; fetch it again"

# Streams that are closed, and a folder that nobody may write to.
mkdir "$work/locked"
chmod 555 "$work/locked"
(cd "$work/locked" && "$SSTSTREAM" "${rule[@]}" --readers 2 -q -o ../closed.nc ../sea <&- >&-) 2>"$work/err"
exit_code=$?
shown="closed streams"
exits 0
err_is ''
nctool equal sea-0.nc closed.nc

# Few files may be open.
(cd "$work" && ulimit -n 64 && "$SSTSTREAM" "${rule[@]}" --readers 8 -q -o few.nc sea) >"$work/out" 2>"$work/err"
exit_code=$?
shown="ulimit -n 64"
exits 0
err_is ''
nctool equal sea-0.nc few.nc

# Readers killed a hundred times: nobody notices but the counter.
n_deaths=100
is_sanitized && n_deaths=10
archive years --years 2001-2002
rule=(--baseline 2001-2002 --smooth 0 -q)
program "${rule[@]}" --readers 0 -o alive.nc years
exits 0
shown="readers that are killed"
readers among_deaths "$n_deaths" "${rule[@]}" --readers 8 -O -o killed.nc --report killed.json years
exits 0
err_is ''
nctool equal alive.nc killed.nc
nctool equal_attribute climatology_id alive.nc killed.nc
json_has killed.json "0 < r['timings']['reader_deaths'] <= $n_deaths and not r['source']['unusable']"

# The program is interrupted, or killed: no output, and no process is left.
shown="an interrupt"
readers ended_by 2 -2 "${rule[@]}" --readers 8 -o interrupted.nc years
exits 0
shown="a kill"
readers ended_by 9 -9 "${rule[@]}" --readers 8 -o shot.nc years
exits 0
found=$(find "$work" -name '*interrupted*' -o -name '*shot*' -o -name '*stopped*')
[ -z "$found" ] || fail "left behind: $found"
finish
