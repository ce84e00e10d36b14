#!/usr/bin/env bash
# What compilers say that kernels take: no scratch but in naive ones, and no more registers and shared memory than the table of
# kernels/gpu_arch.h allows. Device code is compiled without contraction, and for devices that are named.
# ctest-labels: gpubuild
. "$(dirname "$0")/lib_lint.sh"
need_tool c++filt gcc

build_dir=${SST_BUILD_DIR:-$source_dir/build/ci}

# The name in a mangled name: without result, template arguments, parameters and namespaces.
plain_names() { c++filt | sed -E 's/^(static )?void //; s/^([^<(]*)[<(].*$/\1/; s/.*:://'; }

# resources_hip FILE ARCH...: "kernel arch registers scratch fast" a line, of remarks that come arch by arch.
resources_hip() {
    local file=$1
    shift
    awk -v archs="$*" '
        function flush() {
            if (name != "") print name, ++seen[name] in arch ? arch[seen[name]] : "an-arch-too-many", registers, scratch, fast
            name = ""
        }
        BEGIN { split(archs, arch, " ") }
        !/remark: / { next }
        /Function Name: / { flush(); sub(/.*Function Name: /, ""); name = $1; registers = 0; next }
        { sub(/.*remark: +/, ""); split($0, part, /: */); split(part[2], value, " ") }
        /^[VA]GPRs:/ { registers += value[1] }
        /^ScratchSize/ { scratch = value[1] }
        /^LDS Size/ { fast = value[1] }
        END { flush() }' "$file" | while read -r name rest; do echo "$(plain_names <<<"$name") $rest"; done
}

# resources_cuda FILE: the same of what ptxas says.
resources_cuda() {
    awk '
        /Compiling entry function/ { split($0, part, "\047"); name = part[2]; arch = part[4] }
        /bytes stack frame/ { scratch = $1 }
        /Used [0-9]+ registers/ {
            fast = 0
            for (i = 1; i <= NF; ++i) {
                if ($i == "Used") registers = $(i + 1)
                if ($i ~ /^smem/) fast = $(i - 2)
            }
            print name, arch, registers, scratch, fast
        }' "$1" | while read -r name rest; do echo "$(plain_names <<<"$name") $rest"; done
}

# limits HEADER: "kernel gfx906 gfx90a sm_90 fast" a line.
limits() {
    printf '#include "%s"\n#define ROW(k, t, b, v906, v90a, s90, fast, why) row k v906 v90a s90 fast ;\n%s\n' \
        "$1" 'GPU_ARCH_TABLE(ROW)' |
        gcc -E -P - | tr ';' '\n' | awk '$1 == "row" && NF == 6 { print $2, $3, $4, $5, $6 }'
}

# held HEADER: standard input, as resources_* give it, against the table.
held() {
    { limits "$1" | sed 's/^/row /' && cat; } | awk '
        $1 == "row" {
            limit[$2, "gfx906"] = $3; limit[$2, "gfx90a"] = $4; limit[$2, "sm_90"] = $5; fast[$2] = $6; row[$2] = 1
            next
        }
        { what = $1 " on " $2 }
        $4 > 0 && $1 !~ /naive/ { print what ": has " $4 " bytes of scratch a thread"; wrong = 1 }
        !($1 in row) {
            print what ": has no row in kernels/gpu_arch.h; it takes " $3 " registers and " $5 " bytes of fast memory"
            wrong = 1
            next
        }
        $2 == "an-arch-too-many" { print what ": more devices are told of than SST_HIP_ARCHS has"; wrong = 1 }
        ($1, $2) in limit && $3 > limit[$1, $2] { print what ": takes " $3 " registers, more than " limit[$1, $2]; wrong = 1 }
        $5 > fast[$1] { print what ": takes " $5 " bytes of fast memory, more than " fast[$1]; wrong = 1 }
        END { exit wrong }'
}

# check_build BUILD SOURCES HEADER: all that was compiled there.
check_build() {
    local build=$1 sources=$2 header=$3 archs kind source said found status=0
    IFS=';' read -ra archs < <(sed -n 's/^SST_HIP_ARCHS:[A-Z]*=//p' "$build/CMakeCache.txt")
    for kind in hip cuda; do
        if ! ls "$build/gpu/$kind"/*.o.said >/dev/null 2>&1; then
            echo "$kind: not compiled here (no compiler, or SST_GPU=OFF), so not looked at"
            continue
        fi
        while read -r source; do
            said=$build/gpu/$kind/$(basename "$source" .hip.cpp).o.said
            [ -f "$said" ] || { echo "$source: was not compiled for $kind" && status=1 && continue; }
            found=$("resources_$kind" "$said" "${archs[@]}")
            [ -n "$found" ] || { echo "$source: has kernels, of which $kind's compiler says nothing" && status=1 && continue; }
            held "$header" <<<"$found" || status=1
        done < <(grep -l 'GPU_KERNEL(' "$sources"/*.hip.cpp)
    done
    return "$status"
}

# check_commands BUILD.NINJA: some line compiles device code, and each such line does it as it must.
check_commands() {
    local said wrong status=0
    said=$(grep -E 'gpu_compile\.sh .* -x (hip|cu) ' "$1") || { echo "$1: no command that compiles device code" && return 1; }
    wrong=$(grep -e ' -x hip ' <<<"$said" | grep -vE -e '--offload-arch=.*-ffp-contract=off') && echo "for HIP: $wrong" && status=1
    wrong=$(grep -e ' -x cu ' <<<"$said" | grep -vE -e '-gencode.*--fmad=false') && echo "for CUDA: $wrong" && status=1
    wrong=$(grep -E -e '-ffast-math|-use_fast_math|--use_fast_math|-Ofast' <<<"$said") && echo "fast: $wrong" && status=1
    return "$status"
}

[ -d "$build_dir/gpu/hip" ] || [ -d "$build_dir/gpu/cuda" ] || {
    echo "skipped: no device code is compiled in $build_dir (no hipcc and no nvcc, or SST_GPU=OFF)"
    exit 77
}
check_build "$build_dir" "$source_dir/kernels" "$source_dir/kernels/gpu_arch.h"
check_commands "$build_dir/build.ninja"

# Planted: what the compilers say of a kernel, against a table with one row.
said_hip() { # NAME VGPRS SCRATCH LDS, for two devices
    local arch
    for arch in 1 2; do
        cat <<T
a.hip.cpp:2:1: remark: Function Name: _ZL${#1}${1}Pi [-Rpass-analysis=kernel-resource-usage]
GPU_KERNEL(64, 1) $1(int *a) { *a = 1; }
a.hip.cpp:2:1: remark:     SGPRs: 600 [-Rpass-analysis=kernel-resource-usage]
a.hip.cpp:2:1: remark:     VGPRs: $(($2 + arch)) [-Rpass-analysis=kernel-resource-usage]
a.hip.cpp:2:1: remark:     ScratchSize [bytes/lane]: $3 [-Rpass-analysis=kernel-resource-usage]
a.hip.cpp:2:1: remark:     LDS Size [bytes/block]: $4 [-Rpass-analysis=kernel-resource-usage]
T
    done
}
said_cuda() { # NAME REGISTERS SCRATCH FAST
    cat <<T
ptxas info    : Compiling entry function '_Z${#1}${1}Pi' for 'sm_90'
ptxas info    : Function properties for _Z${#1}${1}Pi
    $3 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used $2 registers, used 1 barriers, $4 bytes smem
T
}
planted() {
    plant kernels/gpu_arch.h <<'H'
#define GPU_ARCH_TABLE(X) X(k_a, 64, 1, 33, 34, 32, 1024, "a reason, of course") X(k_naive, 64, 1, 33, 34, 32, 0, "another")
H
    plant_more kernels/a.hip.cpp <<<'GPU_KERNEL(64, 1) k_a(int *a) { *a = 1; }'
    plant_more build/CMakeCache.txt <<<'SST_HIP_ARCHS:STRING=gfx906;gfx90a'
    plant_more "build/gpu/$1/a.o.said"
}
check_planted() { check_build "$plant_dir/build" "$plant_dir/kernels" "$plant_dir/kernels/gpu_arch.h"; }
said_hip k_a 32 0 1024 | planted hip
must_pass check_planted
said_hip k_a 33 0 1024 | planted hip
must_fail 'k_a on gfx906: takes 34 registers, more than 33' check_planted
must_fail 'k_a on gfx90a: takes 35 registers, more than 34' check_planted
said_hip k_a 32 8 1024 | planted hip
must_fail 'k_a on gfx90a: has 8 bytes of scratch a thread' check_planted
said_hip k_a 32 0 1025 | planted hip
must_fail 'k_a on gfx906: takes 1025 bytes of fast memory, more than 1024' check_planted
said_hip k_a 32 0 1024 | planted hip
plant_more build/CMakeCache.txt <<<'SST_HIP_ARCHS:STRING=gfx906'
must_fail 'k_a on an-arch-too-many: more devices are told of' check_planted
said_hip k_naive 32 688 0 | planted hip
must_pass check_planted
said_hip k_b 32 0 0 | planted hip
must_fail 'k_b on gfx906: has no row in kernels/gpu_arch.h; it takes 33 registers' check_planted
plant_more kernels/gpu_arch.h <<<'#define GPU_ARCH_TABLE(X)'
must_fail 'k_b on gfx90a: has no row' check_planted
planted hip <<<'nothing'
must_fail 'says nothing' check_planted
said_cuda k_a 32 0 1024 | planted cuda
must_pass check_planted
said_cuda k_a 33 0 1024 | planted cuda
must_fail 'k_a on sm_90: takes 33 registers, more than 32' check_planted
said_cuda k_a 32 16 1024 | planted cuda
must_fail 'k_a on sm_90: has 16 bytes of scratch a thread' check_planted
said_cuda k_a 32 0 2048 | planted cuda
must_fail 'k_a on sm_90: takes 2048 bytes of fast memory, more than 1024' check_planted
plant build.ninja <<<'  COMMAND = gpu_compile.sh a.said hipcc --offload-arch=gfx906 -x hip -c a.hip.cpp'
must_fail 'for HIP' check_commands "$plant_dir/build.ninja"
plant build.ninja <<<'  COMMAND = gpu_compile.sh a.said nvcc -gencode arch=compute_90,code=sm_90 -x cu -c a.hip.cpp'
must_fail 'for CUDA' check_commands "$plant_dir/build.ninja"
plant build.ninja <<<'  COMMAND = gcc -c a.c'
must_fail 'no command that compiles device code' check_commands "$plant_dir/build.ninja"
must_fail 'no command that compiles device code' check_commands "$plant_dir/absent.ninja"
plant build.ninja <<<'  COMMAND = gpu_compile.sh a.said nvcc -gencode a --fmad=false -x cu -use_fast_math -c a.hip.cpp'
must_fail 'fast: ' check_commands "$plant_dir/build.ninja"
plant build.ninja <<<'  COMMAND = gpu_compile.sh a.said hipcc --offload-arch=gfx906 -x hip -ffp-contract=off -c a.hip.cpp'
must_pass check_commands "$plant_dir/build.ninja"
echo "kernels keep to their table; $n_faults planted faults caught"

# One that the compiler itself makes: an array that a thread indexes as it runs lies in scratch.
if command -v hipcc >/dev/null; then
    planted hip <<<''
    plant_more kernels/a.hip.cpp <<'C'
#include "gpu_rt.h"
GPU_KERNEL(64, 1) k_a(int *a)
{
    int own[99];
    for (int i = 0; i < 99; ++i)
        own[i] = a[i * a[0]];
    for (int i = 0; i < 99; ++i)
        a[own[own[i] % 99] % 99] += own[own[i + a[1]] % 99];
}
int start(int *a) { return GPU_LAUNCH(k_a, 1, 1, 64, 0, nullptr, a); }
C
    (cd "$plant_dir" && hipcc --offload-arch=gfx906 --offload-arch=gfx90a -x hip -O3 -std=c++17 -I"$source_dir/kernels" \
        -Rpass-analysis=kernel-resource-usage -c kernels/a.hip.cpp -o a.o 2>build/gpu/hip/a.o.said)
    must_fail 'k_a on gfx906: has 4' check_planted
    must_fail 'k_a on gfx90a: has 4' check_planted
fi
