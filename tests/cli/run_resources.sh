#!/bin/bash
# What a run takes of the machine does not change what it gives: the same id and the same values.
. "$(dirname "$0")/lib_archive.sh"
need_python

archive sea --years 2001-2003 --doy 148-162
run=(--approx cf --validate 50% --baseline 2001-2002 --doy 153-157 --smooth 0)

program "${run[@]}" -o plain.nc --report plain.json sea
exits 0
program "${run[@]}" --memory 1G --readers 1 --readers-short --read-timeout 9.5 --threads 1 --timings --compress none -o other.nc --report other.json sea
exits 0
json_has other.json "r['climatology_id'] == json.load(open('plain.json'))['climatology_id']"
json_has other.json "r['flags'] == json.load(open('plain.json'))['flags']"

# The report tells what was asked for, what was granted, and how the time went where it was measured.
json_has other.json "r['parameters'].endswith('--timings --compress none --output other.nc --report other.json')"
json_has other.json "r['memory_limit_bytes'] == 1 << 30 and r['passes'] == 1 and r['reproduce']['threads'] == 1"
json_has plain.json "'timings' in r and r['reproduce']['threads'] >= 1"
files_are other.json other.nc plain.json plain.nc
finish
