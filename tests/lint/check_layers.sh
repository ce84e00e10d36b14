#!/usr/bin/env bash
# Who may include whom, one home for each outside library, and a library that never prints, exits or reads the environment.
. "$(dirname "$0")/lib_lint.sh"

# For each layer those whose headers it may include, besides its own.
declare -A may_include=(
    [kernels]=''
    [core]='kernels'
    [backend]='kernels core'
    [moments]='kernels core'
    [exact]='kernels core'
    [validate]='kernels core'
    [stream]='kernels core backend moments exact'
    [state]='kernels core backend moments exact stream'
    [monitor]='kernels core backend moments exact stream state write'
    [write]='kernels core backend moments exact stream'
    [app]='kernels core backend moments exact stream state monitor write validate'
    [tools]='kernels'
)

# For each header of an outside library (a pattern) the files that may include it (patterns).
declare -A homes=(
    [netcdf*.h]='src/stream/decode*.[ch] src/write/clim_nc*.[ch] src/write/mhw_nc*.[ch] src/write/state_nc*.[ch] src/app/synth*.[ch]'
    [hdf5.h]='src/stream/decode*.[ch] src/write/clim_nc*.[ch] src/write/mhw_nc*.[ch]'
    [libdeflate.h]='src/stream/decode*.c src/write/deflate*.c src/state/packed_codes.c'
    [gsl/*]='src/moments/fit.c validate/interval.c validate/error_model*.c validate/bootstrap.c tools/maxent_table.c'
    [udunits2.h]='src/stream/decode*.c'
    [xxhash.h]='src/state/block_file*.c src/state/day_log_*.c src/core/digest.c src/core/grid.c validate/probes.c'
    [png.h]='src/write/png.c'
    [jansson.h]='src/app/*.c src/monitor/region_geojson.c src/monitor/feed_*.c'
    [libxml/*]='src/monitor/feed_atom.c'
    [nettle/*]='src/core/sha256.c'
    [popt.h]='src/app/options*.c'
    [cuda_runtime.h]='kernels/gpu_rt.h'
    [hip/hip_runtime.h]='kernels/gpu_rt.h'
    [dlfcn.h]='src/backend/gpu_devices.c'
    [omp.h]='src/backend/cpu*.c src/app/synth*.c'
)

# What a kernel may take from the C library: all of it also exists on devices.
kernel_headers='stdint.h stddef.h stdbool.h math.h float.h'

# Files of processes of their own, which end by _exit.
own_processes='src/backend/gpu_served.c src/stream/crew_launcher.c src/stream/crew_reader.c'

# Words that only programs (src/app, tools) may call.
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

# layer_of FILE: leaves the layer in $layer_found, nothing where the rules do not reach (tests).
layer_of() {
    layer_found=''
    case $1 in
    src/*/*)
        layer_found=${1#src/}
        layer_found=${layer_found%%/*}
        ;;
    include/*) layer_found=core ;;
    kernels/* | validate/* | tools/*) layer_found=${1%%/*} ;;
    esac
}

# resolve ROOT FILE HEADER: leaves the path in the tree of a quoted include in $path_found, as the compiler looks for it:
# beside the file, then along the include path.
resolve() {
    local root=$1 file=$2 header=$3 place
    path_found=''
    for place in "${file%/*}/" src/ include/ ''; do
        [ -f "$root/$place$header" ] || continue
        path_found=$place$header
        [[ $path_found != *..* ]] || path_found=$(realpath -ms --relative-to=/ "/$path_found")
        return
    done
}

# shellcheck disable=SC2086  # lists of layers
check_inside() {
    local root=$1 file=$2 layer=$3 header=$4
    resolve "$root" "$file" "$header"
    [ -n "$path_found" ] || {
        complain "$file: includes \"$header\", which is not in the tree"
        return
    }
    layer_of "$path_found"
    matches "$layer_found" "$layer" ${may_include[$layer]-} ||
        complain "$file: $layer may not include \"$header\" of layer ${layer_found:-none}"
}

# shellcheck disable=SC2086  # lists of patterns
check_outside() {
    local file=$1 layer=$2 header=$3 pattern
    if [ "$layer" = kernels ] && [ "$file" != kernels/gpu_rt.h ] && ! matches "$header" $kernel_headers; then
        complain "$file: a kernel may not include <$header>"
    fi
    for pattern in "${!homes[@]}"; do
        if matches "$header" "$pattern" && ! matches "$file" ${homes[$pattern]}; then
            complain "$file: <$header> has its home in ${homes[$pattern]}"
        fi
    done
}

# A C file without its comments and texts, so that only code is looked at.
code_of() { sed -E 's/"([^"\\]|\\.)*"/""/g' "$1" | sed -E ':a; s|/\*[^*]*\*+([^/*][^*]*\*+)*/||g; /\/\*/{N; ba}; s|//.*||'; }

check_tree() (
    set -f
    root=$1 n_complaints=0
    while read -r file; do
        layer_of "$file"
        layer=$layer_found
        [ -n "$layer" ] || continue
        [ -n "${may_include[$layer]+known}" ] || complain "$file: $layer is no layer; they are listed in check_layers.sh"
        while read -r kind header; do
            if [ "$kind" = '"' ]; then
                check_inside "$root" "$file" "$layer" "$header"
            else
                check_outside "$file" "$layer" "$header"
            fi
        done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*(["<])([^">]*)[">].*/\1 \2/p' "$root/$file")
        matches "$layer" app tools && continue
        forbidden=$forbidden_calls
        # shellcheck disable=SC2086  # a list of files
        matches "$file" $own_processes && forbidden=${forbidden_calls/|_exit/}
        called=$(code_of "$root/$file" | grep -oE "(^|[^A-Za-z0-9_])($forbidden) ?\(") || continue
        complain "$file: only src/app prints, exits or reads the environment, not: ${called//$'\n'/ }"
    done < <(tree_files "$root" \( -name '*.[ch]' -o -name '*.hip.cpp' \))
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
plant tools/a.c <<<'#include <gsl/gsl_cdf.h>'
must_fail '<gsl/gsl_cdf.h> has its home in' check_tree "$plant_dir"
plant tools/a.c <<<'#include "core/b.h"'
plant_more src/core/b.h <<<'/* b */'
must_fail 'tools may not include' check_tree "$plant_dir"
plant kernels/cell_a.h <<<'#include <stdio.h>'
must_fail 'a kernel may not include' check_tree "$plant_dir"
plant src/exact/a.c <<<'void f(void) { fprintf(stderr, "no"); }'
must_fail 'fprintf' check_tree "$plant_dir"
plant src/exact/a.c <<<'const char *f(void) { return getenv("HOME"); }'
must_fail 'getenv' check_tree "$plant_dir"
plant src/stream/crew_reader.c <<<'void f(void) { exit(1); }'
must_fail 'exit' check_tree "$plant_dir"
plant src/stream/crew.c <<<'void f(void) { _exit(1); }'
must_fail '_exit' check_tree "$plant_dir"
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
