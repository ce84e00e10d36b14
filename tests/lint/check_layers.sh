#!/usr/bin/env bash
# Who may include whom, one home for each outside library, and a library that never prints, exits or reads the environment.
. "$(dirname "$0")/lib_lint.sh"

# layer: the layers whose headers it may include, besides its own
layers='
kernels:
core:     kernels
backend:  kernels core
moments:  kernels core
exact:    kernels core
validate: core
stream:   kernels core backend moments exact
monitor:  kernels core backend moments exact stream
write:    kernels core backend moments exact stream
app:      kernels core backend moments exact stream monitor write validate
'

# header of an outside library (a pattern): files that may include it (patterns)
homes='
netcdf*.h    src/stream/decode*.c src/write/clim_nc*.c src/app/cmd_synth*.c
hdf5.h       src/stream/decode*.c src/write/clim_nc*.c
gsl/*        src/moments/fit.c validate/interval.c
udunits2.h   src/stream/decode*.c
xxhash.h     src/core/grid.c src/core/digest.c validate/probes.c
jansson.h    src/app/*.c
popt.h       src/app/options*.c
omp.h        src/backend/cpu.c
'

# What a kernel may take from the C library: all of it also exists on devices.
kernel_headers='stdint.h stddef.h stdbool.h math.h float.h'

# Words that only src/app may call.
forbidden_calls='v?printf|v?fprintf|puts|fputs|putchar|perror|exit|_exit|quick_exit|abort|getenv|secure_getenv|setenv|putenv'

complain() {
    printf '%s\n' "$*"
    n_complaints=$((n_complaints + 1))
}

# matches TEXT PATTERN...
matches() {
    local text=$1 pattern
    shift
    for pattern in "$@"; do
        # shellcheck disable=SC2053  # the right side is a pattern
        [[ $text == $pattern ]] && return 0
    done
    return 1
}

# The layer of a file, or nothing where the rules do not reach (tests).
layer_of() {
    case $1 in
    src/*/*) cut -d / -f 2 <<<"$1" ;;
    include/*) echo core ;;
    kernels/*) echo kernels ;;
    validate/*) echo validate ;;
    esac
}

# Where a quoted include is found: beside the file or on the include path, as a path in the tree.
resolve() {
    local root=$1 file=$2 header=$3 place
    for place in "$(dirname "$file")/" src/ include/ ''; do
        [ -f "$root/$place$header" ] && realpath -ms --relative-to=/ "/$place$header" && return
    done
}

check_inside() {
    local file=$1 layer=$2 header=$3 found=$4 allowed target
    [ -n "$found" ] || {
        complain "$file: includes \"$header\", which is not in the tree"
        return
    }
    target=$(layer_of "$found")
    allowed=$(sed -n "s/^$layer://p" <<<"$layers")
    # shellcheck disable=SC2086  # a list
    matches "$target" "$layer" $allowed || complain "$file: $layer may not include \"$header\" of layer ${target:-none}"
}

check_outside() {
    local file=$1 layer=$2 header=$3 pattern allowed
    # shellcheck disable=SC2086  # a list
    if [ "$layer" = kernels ] && ! matches "$header" $kernel_headers; then
        complain "$file: a kernel may not include <$header>"
    fi
    while read -r pattern allowed; do
        [ -n "$pattern" ] || continue
        # shellcheck disable=SC2086  # lists of patterns
        if matches "$header" "$pattern" && ! matches "$file" $allowed; then
            complain "$file: <$header> has its home in $allowed"
        fi
    done <<<"$homes"
}

# A C file without its comments and texts, so that only code is looked at.
code_of() { sed -E 's/"([^"\\]|\\.)*"/""/g' "$1" | sed -E ':a; s|/\*[^*]*\*+([^/*][^*]*\*+)*/||g; /\/\*/{N; ba}; s|//.*||'; }

check_tree() (
    set -f
    root=$1 n_complaints=0
    while read -r file; do
        layer=$(layer_of "$file")
        [ -n "$layer" ] || continue
        grep -q "^$layer:" <<<"$layers" || complain "$file: $layer is no layer; see design and tests/lint/check_layers.sh"
        while read -r kind header; do
            if [ "$kind" = '"' ]; then
                check_inside "$file" "$layer" "$header" "$(resolve "$root" "$file" "$header")"
            else
                check_outside "$file" "$layer" "$header"
            fi
        done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*(["<])([^">]*)[">].*/\1 \2/p' "$root/$file")
        [ "$layer" = app ] && continue
        called=$(code_of "$root/$file" | grep -oE "(^|[^A-Za-z0-9_])($forbidden_calls) ?\(" | tr -d ' (' | sort -u | tr '\n' ' ') || true
        [ -z "$called" ] || complain "$file: only src/app prints, exits or reads the environment, not: $called"
    done < <(tree_files "$root" -name '*.[ch]')
    [ "$n_complaints" -eq 0 ]
)

check_tree "$source_dir"

plant src/core/a.c <<<'#include "stream/b.h"'
plant_more src/stream/b.h <<<'/* b */'
must_fail 'core may not include "stream/b.h"' check_tree "$plant_dir"
plant src/moments/a.c <<<'#include "backend/b.h"'
plant_more src/backend/b.h <<<'/* b */'
must_fail 'moments may not include' check_tree "$plant_dir"
plant src/write/a.c <<<'#include "../app/b.h"'
plant_more src/app/b.h <<<'/* b */'
must_fail 'write may not include' check_tree "$plant_dir"
plant validate/a.c <<<'#include "c.h"'
must_fail 'not in the tree' check_tree "$plant_dir"
plant src/helpers/a.c <<<'/* a */'
must_fail 'helpers is no layer' check_tree "$plant_dir"
plant src/core/a.c <<<'#include <netcdf.h>'
must_fail '<netcdf.h> has its home in' check_tree "$plant_dir"
plant src/app/a.c <<<'#  include <omp.h>'
must_fail '<omp.h> has its home in' check_tree "$plant_dir"
plant validate/probes.c <<<'#include <gsl/gsl_cdf.h>'
must_fail '<gsl/gsl_cdf.h> has its home in' check_tree "$plant_dir"
plant kernels/cell_a.h <<<'#include <stdio.h>'
must_fail 'a kernel may not include' check_tree "$plant_dir"
plant src/exact/a.c <<<'void f(void) { fprintf(stderr, "no"); }'
must_fail 'fprintf' check_tree "$plant_dir"
plant src/exact/a.c <<<'const char *f(void) { return getenv("HOME"); }'
must_fail 'getenv' check_tree "$plant_dir"
plant src/stream/decode.c <<'C'
/* Calls printf(3)? No: exit(1) stands
   here in a comment, getenv("X") too. */
#include <netcdf.h>
#include "core/a.h"
const char *text = "printf(\"%d\")";
int f(char *b) { return snprintf(b, 1, "a"); } // exit(1)
C
plant_more src/core/a.h <<<'int sst_exit(void); __attribute__((format(printf, 1, 2))) int g(const char *, ...);'
must_pass check_tree "$plant_dir"
echo "layers hold; $n_faults planted faults caught"
