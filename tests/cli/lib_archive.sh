# What the scripts that run the program on archives share: small archives, and checks of the files that come out.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/lib_app.sh"

# Debian's own interpreter, for which its packages are installed; another one may come first in the path.
python=/usr/bin/python3
tool=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/archive_tool.py

need_python() {
    "$python" -c 'import netCDF4' 2>/dev/null && return
    echo "skipped: $python with netCDF4 is absent"
    exit 77
}

# archive NAME OPTIONS...: a synthetic archive $work/NAME of 24 x 12 cells.
archive() {
    local name=$1
    shift
    (cd "$work" && "$SSTSTREAM" synth -q --grid 24x12 -o "$name" "$@") && return
    echo "the archive $name cannot be made"
    exit 1
}

# day NAME YYYYMMDD: the path of a day file, from $work.
day() { echo "$1/oisst-avhrr-v02r01.$2.nc"; }

# nctool COMMAND ARGUMENTS...: see archive_tool.py; a difference that it finds is a failed check.
nctool() {
    local said
    said=$(cd "$work" && "$python" "$tool" "$@" 2>&1) || fail "$said"
}

# files_are NAME...: exactly these stand in $work, archives and the program's streams apart.
files_are() {
    local found wanted
    found=$(cd "$work" && find . -mindepth 1 -maxdepth 1 -type f ! -name out ! -name err -printf '%f\n' | LC_ALL=C sort)
    wanted=$(printf '%s\n' "$@" | LC_ALL=C sort)
    [ "$found" = "$wanted" ] || fail "files: $found; expected: $wanted"
}

# err_has_not TEXT, err_lines N
err_has_not() { if grep -qF -- "$1" "$work/err"; then fail "not expected within stderr: $1"; fi; }
err_lines() { [ "$(wc -l <"$work/err")" -eq "$1" ] || fail "expected $1 lines on stderr"; }

# json_has FILE EXPRESSION: a Python expression of the parsed file `r` holds.
json_has() {
    (cd "$work" && "$python" -c "
import json, sys
r = json.load(open(sys.argv[1], encoding='utf-8'), parse_constant=lambda name: sys.exit('not JSON: ' + name))
if not ($2):
    sys.exit(1)
" "$1") 2>>"$work/err" || fail "$1: expected: $2"
}
