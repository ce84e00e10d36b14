#!/bin/bash
# Files that were held back: listed with reasons, tried again, and taken by a person who knows better.
. "$(dirname "$0")/lib_watch.sh"
need_python

archive sea --years 2000-2004 --doy 1-8
archive other --years 2000-2004 --doy 1-8 --seed 2
archive wide --years 2001-2001 --doy 1-1 --grid 30x15
mkdir "$work/inbox"
program ingest --state st --baseline 2000-2003 --window 3 --keep all -q sea
exits 0

# What cannot be.
refused "quarantine: no state. Name its folder, as in: sststream quarantine --state sea list" quarantine list
refused "quarantine: '' is nothing that can be done. Accepted: list, retry [FILES], accept FILES" quarantine --state st
refused "quarantine: 'burn' is nothing that can be done. Accepted: list, retry [FILES], accept FILES" quarantine --state st burn
refused "x.nc: 'quarantine list' takes no files. Leave it out" quarantine --state st list x.nc
refused "quarantine accept: no files. Name those to take, as 'quarantine list' shows them" quarantine --state st accept
refused "--json: only of 'quarantine list'. Leave it out" quarantine --state st --json retry
refused "x.nc: is not held back. 'sststream quarantine --state st list' shows what is" quarantine --state st accept x.nc
program quarantine --state st list
exits 0
out_is ''
program quarantine --state st retry
exits 0
err_has "st: no file is held back"

# One file for each reason.
head -c 3000 "$work/$(day sea 20020104)" >"$work/inbox/broken.nc"
cp "$work/wide/$(name_of 20010101)" "$work/inbox/wide.nc"
cp "$work/$(day other 20030105)" "$work/inbox/other.nc"
cp "$work/$(day sea 20000108)" "$work/inbox/stale.nc"
nctool change inbox/stale.nc day-after
archive late --years 2001-2001 --doy 9-9
cp "$work/late/$(name_of 20010109)" "$work/plain.nc"
for year in 2000 2001 2002; do
    archive "late$year" --years "$year-$year" --doy 10-10
done
program ingest --state st -q late2000 late2001 late2002
exits 0
archive warm --years 2003-2003 --doy 10-10
cp "$work/warm/$(name_of 20030110)" "$work/inbox/warm.nc"
nctool change inbox/warm.nc far-warmer
program watch --state st --inbox inbox --once --settle 0.1s
exits 6
program quarantine --state st list --json
exits 0
cp "$work/out" "$work/list.json"
json_has list.json "r['schema'] == 'sststream-quarantine/1' and r['state'] == 'st'"
json_has list.json "{f['path'].split('/')[-1]: f['reason'] for f in r['files']} == {'broken.nc': 'unreadable', 'other.nc': 'conflict', 'stale.nc': 'stale', 'warm.nc': 'jump', 'wide.nc': 'foreign'}"
json_has list.json "[f['day'] for f in r['files']] == [None, '2003-01-05', '2000-01-09', '2003-01-10', '2001-01-01']"
json_has list.json "r['files'][0]['size_bytes'] == 3000 and all(f['since'].endswith('Z') and f['text'] for f in r['files'])"
program status --state st
exits 1
out_has "5 files are held back"

# Tried again they are held again; a list of files is all or nothing.
before=$(digest_of st)
program quarantine --state st retry
exits 6
err_has "done, but 4 days were left out, and 1 file could not be used"
program quarantine --state st accept inbox/warm.nc inbox/wide.nc
exits 2
err_has "wide.nc: is foreign, which nothing makes right. It belongs to another state; remove it from the inbox"
program quarantine --state st accept inbox/broken.nc
exits 2
err_has "broken.nc: is unreadable, which nothing makes right. Get the file anew, and put it in its place"
[ "$(digest_of st)" = "$before" ] || fail "the digest changed"

# Taken by name, each with the option that its reason asks for.
program quarantine --state st accept inbox/warm.nc inbox/stale.nc
exits 0
err_has "inbox/warm.nc: taken with --accept-jump"
err_has "inbox/stale.nc: taken with --accept-stale"
out_has "committed 2003-01-10"
out_has "committed 2000-01-09"
program quarantine --state st accept "$work/inbox/other.nc"
exits 0
err_has "inbox/other.nc: taken with --replace"
out_is "committed 2003-01-05"
program quarantine --state st list
[ "$(grep -c inbox/ "$work/out")" -eq 2 ] || fail "expected 2 files"

# One that was mended and one that is gone; what was settled stays so.
cp "$work/plain.nc" "$work/inbox/broken.nc"
rm "$work/inbox/wide.nc"
program quarantine --state st retry
exits 0
out_is "committed 2001-01-09"
err_has "wide.nc: is gone, and held back no longer"
program quarantine --state st list
out_is ''
before=$(digest_of st)
program watch --state st --inbox inbox --once --settle 0.1s
exits 0
out_is ''
[ "$(digest_of st)" = "$before" ] || fail "the digest changed"
finish
