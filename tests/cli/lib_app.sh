# What the scripts of this folder share: runs the program, compares its exit code, standard output and standard error.
# shellcheck shell=bash
set -u

if [ -z "${SSTSTREAM:-}" ]; then
    echo "skipped: SSTSTREAM does not name the program"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n_failed=0

# program ARGUMENTS...: leaves $exit_code, $work/out and $work/err. Runs in $work, so that no name is found by accident.
program() {
    shown="sststream $*"
    (cd "$work" && "$SSTSTREAM" "$@") >"$work/out" 2>"$work/err" </dev/null
    exit_code=$?
}

fail() {
    echo "FAILED: $shown: $*"
    echo "  exit code $exit_code"
    sed 's/^/  stdout: /' "$work/out" | head -5
    sed 's/^/  stderr: /' "$work/err" | head -5
    n_failed=$((n_failed + 1))
}

exits() { [ "$exit_code" -eq "$1" ] || fail "expected exit code $1"; }
out_is() { [ "$(cat "$work/out")" = "$1" ] || fail "expected on stdout: $1"; }
err_is() { [ "$(cat "$work/err")" = "$1" ] || fail "expected on stderr: $1"; }
out_has() { grep -qF -- "$1" "$work/out" || fail "expected within stdout: $1"; }
err_has() { grep -qF -- "$1" "$work/err" || fail "expected within stderr: $1"; }

# refused TEXT ARGUMENTS...: exit code 2, nothing on stdout, exactly this one line on stderr.
refused() {
    local text=$1
    shift
    program "$@"
    exits 2
    out_is ''
    err_is "sststream: $text"
}

# is_sanitized: errors of memory show however seldom a thing is repeated.
is_sanitized() { nm "$SSTSTREAM" 2>/dev/null | grep -qE '__(a|t)san_init'; }

finish() {
    if [ "$n_failed" -gt 0 ]; then
        echo "$n_failed checks failed"
        exit 1
    fi
}
