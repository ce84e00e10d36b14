# Helpers that the scripts of this folder share. Sourced, never run.

# Scripts work from the tree's root, wherever they were called from.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

say() { printf '== %s\n' "$*"; }

die() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# retry TIMES COMMAND...: runs a command until it succeeds, with a growing pause between.
retry() {
    local times=$1 attempt
    shift
    for ((attempt = 1; attempt <= times; ++attempt)); do
        "$@" && return 0
        [ "$attempt" -lt "$times" ] && sleep $((attempt * 5))
    done
    return 1
}

# quietly COMMAND...: shows what a command printed only if it fails.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    [ "$status" -eq 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# as_root COMMAND...: runs a command as root, through sudo where needed.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root and there is no sudo; run as root: $*"
    fi
}
