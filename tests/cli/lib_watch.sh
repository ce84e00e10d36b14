# What the scripts about the service share: it runs in the background, files are put into its inbox, and it is waited for.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/lib_archive.sh"

watcher=''
stop_watcher() {
    [ -z "$watcher" ] || kill -KILL "$watcher" 2>/dev/null
    rm -rf "$work"
}
trap stop_watcher EXIT

# start_watch OPTIONS...: in $work, with standard output in watch.out and standard error in watch.err, ready on return.
start_watch() {
    shown="sststream watch $*"
    : >"$work/watch.out" && : >"$work/watch.err"
    (cd "$work" && exec "$SSTSTREAM" watch "$@") >"$work/watch.out" 2>"$work/watch.err" </dev/null &
    watcher=$!
    until_there "watched, every" watch.err
}

# until_true TEXT CONDITION...: waits until a command succeeds, half a minute at most.
until_true() {
    local text=$1
    shift
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.05
    done
    exit_code=-1
    cp "$work/watch.out" "$work/out" && cp "$work/watch.err" "$work/err"
    fail "waited in vain for: $text"
}

# until_there TEXT FILE, until_lines N FILE: until a file in $work has a text, or N lines.
until_there() { until_true "$1 in $2" grep -qsF -- "$1" "$work/$2"; }
has_lines() { [ "$(wc -l <"$work/$2")" -ge "$1" ]; } 2>/dev/null
until_lines() { until_true "$1 lines in $2" has_lines "$1" "$2"; }

# end_watch CODE: asks the service to end; $out and $err are what it said.
end_watch() {
    kill -TERM "$watcher"
    await_watch "$1"
}
await_watch() {
    wait "$watcher"
    exit_code=$?
    watcher=''
    cp "$work/watch.out" "$work/out" && cp "$work/watch.err" "$work/err"
    exits "$1"
}

# arrive FILE NAME: copied beside, then renamed into the inbox.
arrive() { cp "$work/$1" "$work/inbox/.arriving" && mv "$work/inbox/.arriving" "$work/inbox/$2"; }

name_of() { echo "oisst-avhrr-v02r01.$1.nc"; }

# digest_of STATE
digest_of() { (cd "$work" && "$SSTSTREAM" inspect --json "$1") | sed -n 's/^ *"digest": "\(.*\)".*/\1/p'; }
same_digest() { [ "$(digest_of "$1")" = "$(digest_of "$2")" ] || fail "the digests of $1 and $2 differ"; }
