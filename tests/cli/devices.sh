#!/bin/bash
# `sststream devices`: devices of plugins in a folder, and why there are none; --device in words that are refused.
. "$(dirname "$0")/lib_app.sh"

emulated=${SST_BUILD_DIR:-}/emulated
[ -f "$emulated/sststream_gpu_emulated.so" ] || {
    echo "skipped: no emulated device was built"
    exit 77
}
cpu=$("$SSTSTREAM" devices --json | sed -n 's/^ *"cpu": "\(.*\)".*/\1/p')

SST_DEVICE_PLUGINS=$emulated program devices
exits 0
err_is ''
out_is "number  name           memory       free  arch      runtime     driver      plugin
     0  emulated 0     1.1 GB     1.1 GB  cpu       -           -           emulated
     1  emulated 1     1.1 GB     1.1 GB  cpu       -           -           emulated"

SST_DEVICE_PLUGINS=$emulated program devices --json
exits 0
err_is ''
python3 - "$work/out" <<'PY' || fail "its JSON is not what it should be"
import json
import sys
with open(sys.argv[1]) as file:
    said = json.load(file)
assert [d["name"] for d in said["devices"]] == ["emulated 0", "emulated 1"], said
assert [d["number"] for d in said["devices"]] == [0, 1], said
assert all(d["memory_bytes"] == d["free_bytes"] == 2**30 for d in said["devices"]), said
assert said["reasons"] == [] and said["cpu"].startswith("cpu ("), said
PY

# No plugin, and no folder: the CPU does it.
mkdir "$work/empty"
for folder in "$work/empty" "$work/nowhere"; do
    SST_DEVICE_PLUGINS=$folder program devices
    exits 0
    err_is ''
    out_is "no plugin: there is none in $folder
no device: the CPU is used, $cpu"
done

# A plugin that is no library, one without our table, one of another version, one that counts no devices: each has its line.
mkdir "$work/odd"
echo 'no library' >"$work/odd/sststream_gpu_broken.so"
# build NAME: a plugin of the C code that is standard input.
build() {
    "${CC:-cc}" -shared -fPIC -D_GNU_SOURCE -I"$SST_SOURCE_DIR/kernels" -x c -o "$work/odd/sststream_gpu_$1.so" -
}
build empty <<<'int nothing;'
build other <<'C'
#include "gpu_api.h"
const struct gpu_api *sst_gpu_api(void)
{
    static const struct gpu_api api = {.version = SST_GPU_API_VERSION + 1};
    return &api;
}
C
# without NAME CODE: a plugin whose runtime answers CODE.
without() {
    build "$1" <<C
#include "gpu_api.h"
static int count(int *n) { return (*n = 0) + $2; }
static const char *text(int code) { return code == $2 ? "in words" : "?"; }
const struct gpu_api *sst_gpu_api(void)
{
    static const struct gpu_api api = {
        .version = SST_GPU_API_VERSION, .kind = "$1", .n_devices = count, .error_text = text};
    return &api;
}
C
}
without w0 0
without w100 100
without w35 35
without w999 999
SST_DEVICE_PLUGINS=$work/odd program devices
exits 0
err_is ''
said=$(sed -E 's/(cannot be loaded: ).*/\1.../' "$work/out")
[ "$said" = "broken: cannot be loaded: ...
empty: cannot be loaded: ...
other: of another version (2, this program takes 1). Install both from one build
w0: no device
w100: no device (in words, code 100)
w35: no driver, or one that is too old (in words, code 35)
w999: devices cannot be counted (in words, code 999)
no device: the CPU is used, $cpu" ] || fail "a plugin's line is not what it should be"

# Beside others that cannot be used, one that can is.
ln -s "$emulated/sststream_gpu_emulated.so" "$work/odd/"
SST_DEVICE_PLUGINS=$work/odd program devices
exits 0
out_has "emulated 1"
out_has "w100: no device"
if grep -q 'CPU' "$work/out"; then fail "says that there is no device"; fi

# Numbers are of all devices, also of one that cannot be used; those that a processor plays are behind the others.
build half <<'C'
#include <stdio.h>
#include "gpu_api.h"
static int count(int *n) { return *n = 2, 0; }
static int info(int device, struct gpu_device_info *out)
{
    (void)snprintf(out->name, sizeof out->name, "half %d", device);
    (void)snprintf(out->arch, sizeof out->arch, "whole");
    return device == 0 ? 5 : 0;
}
static const char *text(int code) { return code == 5 ? "in words" : "?"; }
const struct gpu_api *sst_gpu_api(void)
{
    static const struct gpu_api api = {
        .version = SST_GPU_API_VERSION, .kind = "half", .architectures = "whole",
        .n_devices = count, .info = info, .error_text = text};
    return &api;
}
C
SST_DEVICE_PLUGINS=$work/odd program devices
exits 0
out_has "     1  half 1 "
out_has "     3  emulated 1 "
out_has "half: device 0 cannot be used (in words, code 5)"

# Where nothing is, the folder is told without detours.
mkdir -p "$work/bare/bin"
cp "$SSTSTREAM" "$work/bare/bin/"
SSTSTREAM=$work/bare/bin/sststream SST_DEVICE_PLUGINS='' program devices
exits 0
out_has "no plugin: there is none in $work/bare/lib"

# Installed beside the program, plugins are found; a folder that is named goes before it.
mkdir "$work/installed"
cp "$SSTSTREAM" "$emulated/sststream_gpu_emulated.so" "$work/installed/"
SSTSTREAM=$work/installed/sststream SST_DEVICE_PLUGINS='' program devices
exits 0
out_has "emulated 1"
SSTSTREAM=$work/installed/sststream SST_DEVICE_PLUGINS=$work/empty program devices
out_has "no plugin: there is none in $work/empty"

accepted="Accepted: auto, cpu, gpu, or numbers as gpu:0,1 ('sststream devices' shows them)"
for wish in tpu GPU gpu0; do
    refused "--device $wish: names no device. $accepted" --device "$wish" x.nc
done
for wish in gpu: gpu:a gpu:0x 'gpu:0,' gpu:,0 gpu:0,,1 gpu:-1 gpu:12345; do
    refused "--device $wish: is no list of device numbers. $accepted" --device "$wish" x.nc
done
refused "--device '': names no device. $accepted" --device '' x.nc
refused "--device: not an option of 'devices', but of 'run', 'plan'. Leave it out" devices --device cpu
refused "x.nc: 'devices' takes no files. Leave it out" devices x.nc
finish
