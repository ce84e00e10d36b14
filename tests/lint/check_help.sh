#!/bin/bash
# Every option of options.def is in --help, and no line of it is wider than it should be when it is no terminal that reads.
set -u
if [ -z "${SSTSTREAM:-}" ]; then
    echo "skipped: SSTSTREAM does not name the program"
    exit 77
fi
n_failed=0

# check_options HELP-FILE OPTIONS.DEF
check_options() {
    local name missing=0
    while read -r name; do
        grep -qE -- "^ +(-., )?--$name( |\$)" "$1" || { echo "--$name is not in --help"; missing=1; }
    done < <(sed -n 's/^SST_OPTION([a-z_]*, "\([a-z-]*\)".*/\1/p' "$2")
    return $missing
}

# check_width HELP-FILE COLUMNS
check_width() {
    awk -v most="$2" 'length > most { print "longer than " most " columns: " $0; wide = 1 } END { exit wide }' "$1"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=$SST_SOURCE_DIR/src/app/options.def
n_rows=$(grep -c '^SST_OPTION(' "$table")
n_names=$(sed -n 's/^SST_OPTION([a-z_]*, "\([a-z-]*\)".*/\1/p' "$table" | wc -l)
if [ "$n_rows" -ne "$n_names" ] || [ "$n_rows" -le 30 ]; then
    echo "read $n_names names in $n_rows rows"
    n_failed=1
fi

env -u COLUMNS "$SSTSTREAM" --help >"$work/help"
check_options "$work/help" "$table" || n_failed=1
for command in '' run plan report compare synth devices ingest climatology detect inspect verify watch status feed quarantine merge retire export help version; do
    # shellcheck disable=SC2086
    env -u COLUMNS "$SSTSTREAM" help $command >"$work/help.$command"
    check_width "$work/help.$command" 80 || n_failed=1
    # shellcheck disable=SC2086
    COLUMNS=64511 "$SSTSTREAM" help $command >"$work/wide"
    check_width "$work/wide" 100 || n_failed=1
done

# The checks see faults: an option taken away, a line drawn too long.
grep -v -- '--quantile-type' "$work/help" >"$work/faulty"
check_options "$work/faulty" "$table" >/dev/null && { echo "a missing option went unnoticed"; n_failed=1; }
{ cat "$work/help"; printf '%081d\n' 0; } >"$work/faulty"
check_width "$work/faulty" 80 >/dev/null && { echo "a long line went unnoticed"; n_failed=1; }
exit $n_failed
