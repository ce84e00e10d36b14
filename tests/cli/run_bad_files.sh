#!/bin/bash
# Files that cannot be used, one of every kind: named with reason and remedy, left out or the end of the run.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2001-2002 --doy 148-162
run=(--baseline 2001-2002 --doy 153-157 --smooth 0)
program "${run[@]}" -o good.nc sea
exits 0
err_has "30 of 30 in the baseline, 0 missing"

# spoil KIND FILE
spoil() {
    case $1 in
    empty) : >"$2" ;;
    truncated-4) truncate -s $(($(stat -c %s "$2") / 2)) "$2" ;;
    truncated-3)
        nctool change "$2" classic
        truncate -s -8 "$2"
        ;;
    html) printf '<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n' >"$2" ;;
    zip) printf 'PK\003\004\024\000\000\000\010\000rest of an archive' >"$2" ;;
    *) nctool change "$2" "$1" ;;
    esac
}

# A day whose only file is bad: what the message holds of reason and remedy. The names tell kind and words apart.
without=()
beside=()
victim=$(day sea 20010602)
cp "$work/$victim" "$work/kept"
while IFS='|' read -r kind words; do
    cp "$work/kept" "$work/$victim"
    (cd "$work" && spoil "$kind" "$victim")
    program "${run[@]}" -o bad.nc --report bad.json sea
    shown="$kind: $shown"
    exits 6
    out_is ''
    # Reason and remedy on one line that begins with the file.
    line=$(grep -F "not used: $victim: " "$work/err" | head -1)
    case $line in
    *"$words"*) ;;
    *) fail "expected: $words; in: $line" ;;
    esac
    err_has "1 unusable"
    err_has "missing: 2001-06-02"
    json_has bad.json "[r['path'] for r in r['source']['unusable']] == ['$victim'] and r['days']['missing'] == ['2001-06-02'] and r['read']['days'] == 29"
    # The day is there from another file: nothing is missed.
    cp "$work/kept" "$work/sea/copy.nc"
    program "${run[@]}" -o "beside-$kind.nc" sea
    shown="$kind beside a good file: $shown"
    exits 0
    err_has "not used: $victim: "
    rm "$work/sea/copy.nc" "$work/bad.json"
    mv "$work/bad.nc" "$work/without-$kind.nc"

    program "${run[@]}" --on-bad stop -o bad.nc --report bad.json sea
    shown="$kind: $shown"
    exits 3
    err_has "$victim: "
    err_has "$words"
    without+=("without-$kind.nc")
    beside+=("beside-$kind.nc")
    if [ -e "$work/bad.nc" ] || [ -e "$work/bad.json" ]; then fail "outputs of a run that was stopped"; fi
done <<'KINDS'
empty|empty
truncated-4|cut short
truncated-3|short
html|HTML
zip|ZIP
other-grid|grid
no-sst|--var
hourly|daily mean
day-after|2001-06-0
KINDS

# The values are those of the other files.
rm "$work/$victim"
program "${run[@]}" -q -o without.nc sea
exits 6
shown="values beside bad files"
nctool equal without.nc "${without[@]}"
nctool equal good.nc "${beside[@]}"

# All files bad: nothing to make a climatology of.
mkdir "$work/bad"
: >"$work/bad/a.nc"
echo hello >"$work/bad/b.nc"
program "${run[@]}" -o bad.nc bad
exits 3
err_has "bad/a.nc"
err_lines 1
files_are good.nc kept without.nc "${without[@]}" "${beside[@]}"
finish
