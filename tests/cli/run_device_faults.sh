#!/bin/bash
# Devices that have little memory, lose it, or compute wrongly: a plugin made here stands between the program and the emulated one.
# ctest-labels: figures
. "$(dirname "$0")/lib_archive.sh"
need_python
emulated=${SST_BUILD_DIR:-}/emulated/sststream_gpu_emulated.so
if [ ! -e "$emulated" ]; then
    echo "skipped: there is no sststream_gpu_emulated.so"
    exit 77
fi
mkdir "$work/plugins"
"${CC:-cc}" -shared -fPIC -D_GNU_SOURCE "-DEMULATED=\"$emulated\"" -I"$SST_SOURCE_DIR" -I"$SST_SOURCE_DIR/kernels" -x c \
    -o "$work/plugins/sststream_gpu_played.so" - <<'C' || exit 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "gpu_api.h"
static const struct gpu_api *real;
static struct gpu_api api;
static void tell(const char *variable, const char *what)
{
    const char *path = getenv(variable);
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%s\n", what);
        fclose(file);
    }
}
/* PLAYED_FREE: bytes that are free. PLAYED_LATER: from the n-th time on that they are asked for, PLAYED_LEFT are. */
static int info(int device, struct gpu_device_info *out)
{
    static int n_asked;
    const char *free_bytes = getenv("PLAYED_FREE"), *later = getenv("PLAYED_LATER");
    const int code = real->info(device, out);
    tell("PLAYED_ASKED", "info");
    if (free_bytes)
        out->free_bytes = strtoull(free_bytes, NULL, 10);
    if (later && ++n_asked >= atoi(later))
        out->free_bytes = strtoull(getenv("PLAYED_LEFT"), NULL, 10);
    return code;
}
static int moments_add(const struct gpu_moments_add *args, void *stream)
{
    const int code = real->moments_add(args, stream);
    args->store.s4[6] += 1;
    return code;
}
static int host_lock(void *memory, size_t n_bytes)
{
    tell("PLAYED_LOCKS", "lock");
    return real->host_lock(memory, n_bytes);
}
static int host_unlock(void *memory)
{
    tell("PLAYED_LOCKS", "unlock");
    return real->host_unlock(memory);
}
const struct gpu_api *sst_gpu_api(void)
{
    const struct gpu_api *(*get)(void) = dlsym(dlopen(EMULATED, RTLD_NOW), SST_GPU_API_SYMBOL);
    real = get();
    api = *real;
    api.info = info;
    if (getenv("PLAYED_WRONG"))
        api.moments_add = moments_add;
    api.host_lock = host_lock;
    api.host_unlock = host_unlock;
    return &api;
}
C
export SST_DEVICE_PLUGINS=$work/plugins

(cd "$work" && "$SSTSTREAM" synth -q --grid 240x120 --years 2001-2002 --days 0520-0625 -o wide) || exit 1
run=(--baseline 2001-2002 --days 0601-0610 --smooth 5 --compress none --readers 1 --progress none --approx cf)
program "${run[@]}" -q --device cpu -o cpu.nc wide
exits 0

# said KEY: of the plan's device.
said() { "$python" -c "import json; print(json.load(open('$work/out'))['device']['$1'])"; }

# With less and less of the devices' memory, resident becomes streaming, and then there are passes; never other numbers.
program plan "${run[@]}" --device gpu --json wide
exits 0
bytes=$(said bytes)
free=$bytes
seen=' '
while
    PLAYED_FREE=$free program plan "${run[@]}" --device gpu --json wide
    [ "$exit_code" -eq 0 ]
do
    passes=$("$python" -c "import json; print('once' if json.load(open('$work/out'))['passes'] == 1 else 'passes')")
    kind=$passes-$(said mode)
    if [[ $seen != *" $kind "* ]]; then
        seen="$seen$kind "
        PLAYED_FREE=$free program "${run[@]}" -q --device gpu -o less.nc -O --report less.json wide
        exits 0
        err_is ''
        nctool equal cpu.nc less.nc
        json_has less.json "r['device']['bytes'] <= r['device']['usable_bytes'] <= $free"
        json_has less.json "(r['passes'] == 1) == ('$passes' == 'once') and r['device']['why']"
        # More than two stripes of places: each device has some.
        json_has less.json "r['sea_cells'] > 3 * 4096 and len(r['device']['names']) == 2"
    fi
    free=$((free - free / 4))
done
exits 1
err_has "self-test: device 0 (emulated 0): "
err_has " of its memory are needed, "
err_has "Use --device cpu"
[[ $seen == *" once-streaming "* && $seen == *" passes-"* ]] || fail "of all ways there were$seen"
PLAYED_FREE=$free program plan "${run[@]}" --json wide # not asked for by name
exits 0
[ "$(said kind)" = cpu ] || fail "a device without memory is taken"
[ "$(said why)" = "no device has enough memory" ] || fail "the reason is $(said why)"

# Memory that others take after the plan. It is asked for last when each of the two devices opens, and before that when all is
# planned and tested: then the run is planned anew.
for wish in auto gpu; do
    rm -f "$work/asked"
    PLAYED_ASKED=$work/asked program "${run[@]}" -q --device $wish -o late.nc -O wide
    exits 0
    again=$(($(wc -l <"$work/asked") - 3))
    PLAYED_LATER=$again PLAYED_LEFT=$((bytes * 7 / 8)) program "${run[@]}" --device $wish -o late.nc -O --report late.json wide
    exits 0
    err_has " of a device's memory were planned for, and "
    err_has "Less is done at a time"
    json_has late.json "r['device']['mode'] == 'streaming'"
    nctool equal cpu.nc late.nc
    PLAYED_LATER=$((again + 2)) PLAYED_LEFT=1000 program "${run[@]}" -q --device $wish -o no.nc wide
    exits 1
    err_has "device 0 (emulated 0): "
    err_has " of its memory are needed, 0 MB of 1.0 GB are free. Use --device cpu"
    PLAYED_LATER=$again PLAYED_LEFT=1000 program "${run[@]}" --device $wish -o late.nc -O wide
    if [ $wish = gpu ]; then
        exits 2
        err_has "--device: even one row of cells at a time needs "
    else
        exits 0
        err_has "No device is used, the CPU computes"
        nctool equal cpu.nc late.nc
    fi
done

# A wrong kernel: auto warns and goes on, who asks for it by name is refused before a file is opened.
PLAYED_WRONG=1 program "${run[@]}" -o wrong.nc wide
exits 0
err_has "warning: self-test: device 0 (emulated 0): the window kernel (cf) gives other bits than the CPU."
err_has "No device is used, the CPU computes"
nctool equal cpu.nc wrong.nc
for input in wide nowhere; do
    PLAYED_WRONG=1 program run "${run[@]}" --device gpu -o refused.nc $input
    exits 1
    err_has "self-test: device 0 (emulated 0): the window kernel (cf) gives other bits than the CPU. Do not use it"
    err_lines 1
done
[ ! -e "$work/refused.nc" ] || fail "an output after a refusal"
SST_DEVICE_PLUGINS=$work program run "${run[@]}" --device gpu -o refused.nc nowhere
exits 2
err_has "--device gpu: no device can be used. Reasons: no plugin: there is none in "

# The memory that readers share with the program is page-locked, beside what the self-test page-locks.
for readers in 0 1; do
    PLAYED_LOCKS=$work/locks$readers program "${run[@]}" -q --readers $readers --device gpu -o locks.nc -O wide
    exits 0
    [ "$(grep -c '^lock' "$work/locks$readers")" -eq "$(grep -c '^unlock' "$work/locks$readers")" ] ||
        fail "memory stays page-locked"
done
[ "$(grep -c '^lock' "$work/locks1")" -eq $(($(grep -c '^lock' "$work/locks0") + 1)) ] ||
    fail "the ring of readers is not page-locked"
finish
