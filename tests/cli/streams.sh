#!/bin/bash
# Closed standard streams, and escape sequences only where a terminal reads them.
. "$(dirname "$0")/lib_app.sh"

# With all three closed no later file may become standard error; the exit code tells what messages cannot.
"$SSTSTREAM" --window 12 x.nc <&- >&- 2>&-
exit_code=$?
shown="sststream with closed streams"
: >"$work/out"
: >"$work/err"
exits 2

# NO_COLOR and a pipe: no escape sequences.
program --window 12 x.nc
if grep -q $'\e' "$work/err"; then fail "an escape sequence in a file"; fi

# On a terminal the message is coloured, unless NO_COLOR is set or TERM is dumb.
if command -v script >/dev/null; then
    TERM=xterm script -qec "env -u NO_COLOR '$SSTSTREAM' --window 12 x.nc" /dev/null >"$work/out" </dev/null
    grep -q $'\e\[31m' "$work/out" || fail "no colour on a terminal"
    TERM=xterm NO_COLOR=1 script -qec "'$SSTSTREAM' --window 12 x.nc" /dev/null >"$work/out" </dev/null
    if grep -q $'\e' "$work/out"; then fail "colour in spite of NO_COLOR"; fi
    TERM=dumb script -qec "'$SSTSTREAM' --window 12 x.nc" /dev/null >"$work/out" </dev/null
    if grep -q $'\e' "$work/out"; then fail "colour on a dumb terminal"; fi
fi
finish
