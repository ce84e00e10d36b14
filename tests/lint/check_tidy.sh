#!/usr/bin/env bash
# clang-tidy 14 with the tree's .clang-tidy finds nothing, in the way each file is compiled in this build.
# ctest-labels: slow
. "$(dirname "$0")/lib_lint.sh"
need_tool clang-tidy-14

build_dir=${SST_BUILD_DIR:-$source_dir/build/dev}
[ -f "$build_dir/compile_commands.json" ] || {
    echo "skipped: no compile_commands.json in $build_dir"
    exit 77
}

# check_files BUILD-DIR ARGUMENT...: the files to look at are standard input. Counts of warnings in system headers are left
# out. One file a process: with several, clang-tidy 14 takes each va_list from the second file on for uninitialised.
check_files() {
    local build=$1 said status=0
    shift
    said=$(xargs -d '\n' -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p "$build" "$@" 2>&1) || status=$?
    grep -vE '^[0-9]+ warnings? (generated|treated)|^$' <<<"$said" || true
    return "$status"
}

# Only what the build compiles: a file added since its last configure has no command yet. The tests' sources are left out;
# what is wrong in them shows when they run.
compiled() { sed -nE 's/^ *"file": "([^"]*)".*/\1/p' "$1/compile_commands.json" | grep -v '/tests/' | LC_ALL=C sort -u; }

# Steps of the analyser in one function, a third of its default: the same findings in a third of the time.
steps=(--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=75000)

# The hints redefine what status.c defines.
compiled "$build_dir" | grep '/src/core/status\.c$' | check_files "$build_dir" "${steps[@]}"
# Sources of benches and kernels do not look into src by themselves.
compiled "$build_dir" | grep -v '/src/core/status\.c$' |
    check_files "$build_dir" "${steps[@]}" --extra-arg=-I"$source_dir/src" --extra-arg=-I"$source_dir/include" \
        --extra-arg=-include --extra-arg="$source_dir/tests/lint/analyzer_hints.h"

plant compile_commands.json <<J
[{"directory": "$plant_dir", "command": "cc -std=c17 -c a.c",
  "file": "$plant_dir/a.c"}]
J
cp "$source_dir/.clang-tidy" "$plant_dir"
plant_more a.c <<'C'
#include <stdlib.h>
int f(int n)
{
    int *items = malloc(sizeof *items);
    if (!items)
        return 0;
    items[0] = n;
    if (n > 0);
    return items[0];
}
C
planted() { compiled "$plant_dir" | check_files "$plant_dir"; }
must_fail 'Potential leak' planted
must_fail 'bugprone-suspicious-semicolon' planted
plant_more a.c <<C
int f(int n)
{
$(for i in $(seq 80); do echo "    n = n * 3 + $i;"; done)
    return n;
}
C
must_fail 'readability-function-size' planted
plant_more a.c <<<'int f(int n) { return n + 1; }'
must_pass planted
echo "tidy; $n_faults planted faults caught"
