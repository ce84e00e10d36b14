#!/usr/bin/env bash
# Every header compiles alone and twice over as C17; those that devices or other languages read, as C++17 too.
. "$(dirname "$0")/lib_lint.sh"
need_tool gcc g++ pkg-config

warnings='-Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror'

# compile ROOT HEADER COMPILER OPTION...
compile() {
    local root=$1 header=$2
    shift 2
    printf '#include "%s"\n#include "%s"\nextern int not_empty;\n' "$header" "$header" |
        (cd "$root" && "$@" -D_GNU_SOURCE -fsyntax-only -Iinclude -Isrc -I. -Itests/support -) 2>&1 && return
    echo "$header: does not compile alone with $1"
    return 1
}

# shellcheck disable=SC2046,SC2086  # lists of options
check_tree() {
    local root=$1 header status=0
    while read -r header; do
        grep -qE '"gpu_rt.h"|kernels are C\+\+' "$root/$header" || # C++ alone
            compile "$root" "$header" gcc -std=c17 $warnings -Wstrict-prototypes $(pkg-config --cflags netcdf check) -x c || status=1
        case $header in
        kernels/* | include/*) compile "$root" "$header" g++ -std=c++17 $warnings -x c++ || status=1 ;;
        esac
    done < <(tree_files "$root" -name '*.h')
    return "$status"
}

check_tree "$source_dir"

plant src/core/a.h <<<'static inline size_t f(void) { return 1; }'
must_fail 'src/core/a.h: does not compile alone with gcc' check_tree "$plant_dir"
plant src/core/a.h <<<'struct unguarded { int a; };'
must_fail 'redefinition' check_tree "$plant_dir"
plant kernels/cell_a.h <<'C'
#ifndef CELL_A_H
#define CELL_A_H
static inline int *f(void *restrict memory) { int *items = memory; return items; }
#endif
C
must_fail 'kernels/cell_a.h: does not compile alone with g++' check_tree "$plant_dir"
echo "headers stand alone; $n_faults planted faults caught"
