#!/usr/bin/env bash
# Every file is compiled without contraction and without fast mathematics, and not for this machine alone.
. "$(dirname "$0")/lib_lint.sh"

build_dir=${SST_BUILD_DIR:-$source_dir/build/dev}
[ -f "$build_dir/compile_commands.json" ] || {
    echo "skipped: no compile_commands.json in $build_dir"
    exit 77
}

# check_build DIRECTORY
check_build() {
    local commands wrong status=0
    commands=$(grep '"command":' "$1/compile_commands.json") || {
        echo "no command in $1/compile_commands.json"
        return 1
    }
    wrong=$(grep -v -e '-ffp-contract=off' <<<"$commands") && echo "may fuse: $wrong" && status=1
    wrong=$(grep -E -e '-ffast-math|-Ofast|-funsafe-math|-march=native|-mtune=native' <<<"$commands") &&
        echo "differs between machines: $wrong" && status=1
    return "$status"
}

check_build "$build_dir"

plant compile_commands.json <<<'"command": "gcc -std=c17 -O3 -c a.c",'
must_fail 'may fuse' check_build "$plant_dir"
plant compile_commands.json <<<'"command": "gcc -ffp-contract=off -march=native -c a.c",'
must_fail 'differs between machines' check_build "$plant_dir"
plant compile_commands.json <<<'[]'
must_fail 'no command' check_build "$plant_dir"
plant compile_commands.json <<<'"command": "gcc -ffp-contract=off -c a.c",'
must_pass check_build "$plant_dir"
echo "one answer on every machine; $n_faults planted faults caught"
