#!/bin/bash
# Help and version go to standard output, end with 0, fit their width, and notice a full disk.
. "$(dirname "$0")/lib_app.sh"

version=$(sed -n 's/^#define SST_VERSION "\(.*\)"/\1/p' "$SST_SOURCE_DIR/include/sststream/sststream.h")
for arguments in version --version "plan --version" "--version x.nc"; do
    # shellcheck disable=SC2086
    program $arguments
    exits 0
    out_has "sststream $version"
    err_is ''
done
program version --json
exits 0
out_has "\"version\": \"$version\""

# The two ways to ask for help give the same text; help of a command shows its options only.
program --help
exits 0
err_is ''
cp "$work/out" "$work/whole"
program help
exits 0
cmp -s "$work/out" "$work/whole" || fail "'help' differs from '--help'"
program -h
cmp -s "$work/out" "$work/whole" || fail "'-h' differs from '--help'"
program help plan
exits 0
out_has "Usage: sststream plan"
cp "$work/out" "$work/plan"
program plan --help
cmp -s "$work/out" "$work/plan" || fail "'plan --help' differs from 'help plan'"
if grep -q -- --grid "$work/out"; then fail "plan shows an option of synth"; fi

refused "plam: neither a command nor a file. Did you mean 'plan'?" help plam

program --help
(cd "$work" && "$SSTSTREAM" --help >/dev/full 2>err)
exit_code=$?
exits 4
err_is "sststream: standard output: cannot be written: No space left on device. Free some room, or send it elsewhere"
finish
