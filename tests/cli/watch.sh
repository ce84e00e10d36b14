#!/bin/bash
# The service: files that arrive in all manners are counted as if they had been given to ingest at once, and nothing that one
# file, folder, or program does ends it.
. "$(dirname "$0")/lib_watch.sh"
need_python

archive sea --years 2000-2004 --doy 1-8
archive other --years 2000-2004 --doy 1-8 --seed 2
archive wide --years 2001-2001 --doy 1-1 --grid 30x15
program ingest --state whole --baseline 2000-2003 --window 3 -q sea
exits 0
program ingest --state st --baseline 2000-2003 --window 3 -q "$(day sea 20000101)"
exits 0
mkdir "$work/inbox"
same_days() { [ "$(digest_of st)" = "$(digest_of whole)" ]; }
has_signs() { [ "$(grep -c WATCHDOG=1 "$work/heard")" -ge "$1" ]; }

# What has to be said, and what cannot be.
refused "watch: no state. Name its folder, as in: sststream watch --state sea --inbox incoming" watch --inbox inbox
refused "watch: no inbox. Name the folder that files arrive in, as in: sststream watch --state st --inbox incoming" watch --state st
refused "sea: 'watch' takes no files but folders that they arrive in. Give it with --inbox, or the files to 'ingest'" watch --state st --inbox inbox sea
refused "--poll soon: not a time. Accepted: 0.1 s to a day, as 30s, 5m or 1h" watch --state st --inbox inbox --poll soon
refused "--settle 0: not a time. Accepted: 0.1 s to a day, as 30s, 5m or 1h" watch --state st --inbox inbox --settle 0
refused "--min-free much: not a size. Accepted: bytes, as 4G, 1.5GiB (powers of 1024) or 500MB (of 1000); 0 for none" watch --state st --inbox inbox --min-free much
refused "--expect-by noon: not a time of a day in UTC and a number of days. Accepted: HH:MMZ+Nd with 0 to 366 days, as 09:00Z+1d" watch --state st --inbox inbox --expect-by noon
refused "--hook-timeout: of no use without --on-alert or --on-event. Give one of these too, or leave it out" watch --state st --inbox inbox --hook-timeout 5s
refused "--on-alert: '  ': no command. Give a program and its arguments" watch --state st --inbox inbox --on-alert '  '
program watch --state st --inbox nowhere
exits 3
err_has "nowhere: the inbox cannot be opened: No such file or directory. Make the folder, or check the spelling"
program watch --state none --inbox inbox
exits 7
err_has "none: there is no state"

# An alert goes to a program that never ends: the service does not wait for it.
cat >"$work/hang" <<'END'
#!/bin/sh
cat >>alerts
echo >>alerts
exec sleep 600
END
chmod +x "$work/hang"
start_watch --state st --inbox inbox --poll 0.3s --settle 0.4s --on-alert ./hang --hook-timeout 0.5s

# Renamed into place, out of order; a second writer fails at once, and readers do not wait.
arrive "$(day sea 20030105)" "$(name_of 20030105)"
until_there "committed 2003-01-05" watch.out
arrive "$(day sea 20010102)" "$(name_of 20010102)"
until_there "committed 2001-01-02" watch.out
program watch --state st --inbox inbox
exits 8
err_is "sststream: st: another process writes into it. Wait for it to end, or stop it"
program ingest --state st "$(day sea 20010103)"
exits 8
program quarantine --state st retry
exits 8
program status --state st
exits 1
out_has "writer     present"

# Written slowly: never taken half. It is whole when it stood still.
slow=$work/inbox/$(name_of 20020103)
for part in 0 1 2 3 4 5; do
    dd if="$work/$(day sea 20020103)" of="$slow" bs=3000 skip="$part" seek="$part" count=$((part == 5 ? 1000 : 1)) \
        conv=notrunc status=none
    sleep 0.15
done
until_there "committed 2002-01-03" watch.out
grep -q "$(name_of 20020103)" "$work/watch.err" && fail "a file that was being written was looked at"

# The same again under another name, in a folder within; then a broken, a foreign and a contradicting file.
mkdir "$work/inbox/2003"
cp "$work/$(day sea 20030105)" "$work/inbox/2003/again.nc"
until_there "0 days counted, 0 logged beside them, 1 known already" watch.err
head -c 3000 "$work/$(day sea 20020104)" >"$work/inbox/$(name_of 20020104)"
until_there "$(name_of 20020104): " watch.err
arrive "wide/$(name_of 20010101)" wide.nc
until_there "wide.nc: 2001-01-01 left out: not the grid of the state" watch.err
arrive "$(day other 20030105)" other.nc
until_there "other.nc: 2003-01-05 left out: counted already, with other values" watch.err
until_there "3 files held back" watch.err
program quarantine --state st list
exits 0
[ "$(grep -c "inbox/" "$work/out")" -eq 3 ] || fail "expected 3 files"
out_has "unreadable, no day, since 20"
out_has "foreign, 2001-01-01, since 20"
out_has "conflict, 2003-01-05, since 20"

# A good copy in the place of the broken one is taken; what is removed is held back no longer.
arrive "$(day sea 20020104)" "$(name_of 20020104)"
until_there "committed 2002-01-04" watch.out
rm "$work/inbox/wide.nc" "$work/inbox/other.nc"
until_there "other.nc: was held back, and is gone" watch.err
program quarantine --state st list
out_is ''

# The alerts: one at a time, each given up in its turn, with whole JSON objects.
until_true "three alerts" has_lines 3 alerts
until_there "--on-alert: ./hang: given up: it was not done after 0.5 s" watch.err
(cd "$work" && head -n 2 alerts | tail -n 1) >"$work/alert.json"
json_has alert.json "r['schema'] == 'sststream-alert/1' and r['alert'] == 'quarantined' and r['state'] == 'st'"
json_has alert.json "len(r['files']) == 1 and r['files'][0]['reason'] == 'foreign' and r['files'][0]['day'] == '2001-01-01'"
json_has alert.json "r['files'][0]['path'].endswith('/inbox/wide.nc') and r['time'].endswith('Z') and 'held back' in r['text']"

# The end in the middle of much work, and the rest by the next one, which does not look at what was taken.
for year in 2000 2001 2002 2003 2004; do
    cp "$work"/sea/*."$year"*.nc "$work/inbox/2003/"
done
until_lines 8 watch.out
end_watch 0
err_has "st: ended as asked; the day in hand is done"
[ "$(sort "$work/out" | uniq -d | wc -l)" -eq 0 ] || fail "a day was told twice"
program verify st
exits 0
start_watch --state st --inbox inbox --poll 0.3s
until_there "committed 2004-01-08 (beside the baseline)" watch.out
until_true "all days" same_days # the log of days counts in the digest too
end_watch 0
same_digest st whole
start_watch --state st --inbox inbox --poll 0.2s -v
sleep 1
end_watch 0
out_is ''
err_has_not "known already"

# A folder that goes away is no end.
start_watch --state st --inbox inbox --poll 0.2s
mv "$work/inbox" "$work/away"
until_there "inbox: No such file or directory" watch.err
sleep 0.5
mv "$work/away" "$work/inbox"
until_there "over: " watch.err
end_watch 0
[ "$(grep -c "No such file" "$work/err")" -eq 2 ] || fail "expected the trouble, and its end, once"

# Too little room: told once, waited for, and nothing is taken.
before=$(digest_of st)
arrive "$(day other 20020108)" new.nc
start_watch --state st --inbox inbox --poll 0.2s --min-free 900000T --on-alert "tee -a room"
until_there '"alert":"disk"' room
until_there "nothing is taken until there is room" watch.err
sleep 0.5
end_watch 0
out_is ''
[ "$(wc -c <"$work/room")" -lt 400 ] || fail "expected one alert"
[ "$(digest_of st)" = "$before" ] || fail "the digest changed"
program watch --state st --inbox inbox --once --settle 0.1s --min-free 900000T
exits 4
err_has "st: too little room: files were left for later"
rm "$work/inbox/new.nc"

# Late: told once for each expected day.
start_watch --state st --inbox inbox --poll 0.2s --expect-by 00:00Z+1d --on-alert "tee -a late"
until_there '"alert":"late"' late
sleep 0.5
end_watch 0
err_has "is late: the newest day is 2004-01-08"
[ "$(grep -c "is late" "$work/err")" -le 2 ] || fail "expected it once a day" # midnight may pass

# An alert program that is not there.
start_watch --state st --inbox inbox --poll 0.2s --expect-by 00:00Z+1d --on-alert /no/such/program
until_there "--on-alert: /no/such/program: cannot be started: No such file or directory. Check its path and rights" watch.err
end_watch 0

# Once, for cron: what stood still by its time at once, the rest a moment later; exit codes are those of ingest.
program ingest --state cron --baseline 2000-2003 --window 3 -q "$(day sea 20000101)"
mkdir "$work/box"
cp "$work"/sea/*.2000*.nc "$work/box"
touch -d '2 hours ago' "$work"/box/*
program watch --state cron --inbox box --once --settle 1h
exits 0
[ "$(wc -l <"$work/out")" -eq 7 ] || fail "expected 7 days"
program watch --state cron --inbox box --once --settle 1h
exits 0
out_is ''
cp "$work"/sea/*.200[1-4]*.nc "$work/box"
touch -d '2 hours' "$work"/box/*.2001*.nc # a clock that was set
program watch --state cron --inbox box --once --settle 0.3s
exits 0
same_digest cron whole
head -c 3000 "$work/$(day sea 20020104)" >"$work/box/broken.nc"
program watch --state cron --inbox box --once --settle 0.2s
exits 6
err_has "done, but 0 days were left out, and 1 file could not be used"

# The service manager hears when it is ready, that it lives, and that it ends.
"$python" - "$work/notify" >"$work/heard" <<'END' &
import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
manager.settimeout(30)
heard = ""
while "STOPPING=1" not in heard:
    heard = manager.recv(4096).decode()
    print(heard, flush=True)
END
listener=$!
until_true "a listener" test -S "$work/notify"
NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=400000 start_watch --state st --inbox inbox --poll 0.2s
until_there "READY=1" heard
until_true "signs of life" has_signs 4
until_there "STATUS=newest day 2004-01-08, 0 files held back, 0 waited for" heard
end_watch 0
wait "$listener" || fail "the manager did not hear all"
[ "$(head -n 1 "$work/heard")" = READY=1 ] || fail "something was said before it was ready"
NOTIFY_SOCKET=vsock:1 program watch --state st --inbox inbox --once
exits 2
err_has "NOTIFY_SOCKET vsock:1: not the address of a service manager. Accepted: a path or @NAME"
finish
