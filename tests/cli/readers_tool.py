"""Harms the processes that read for the program, and makes files that harm them, for run_readers.sh."""
import ctypes
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import netCDF4

PR_SET_CHILD_SUBREAPER = 36
GLOBAL_HEAP = b"GCOL"
OBJECT_HEAD_BYTES, OBJECT_SIZE_AT = 16, 8  # before the bytes of an object in a heap; the place of their number in it


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as found:
            return [int(child) for child in found.read().split()]
    except OSError:
        return []


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="ascii") as comm:
            return comm.read().strip()
    except OSError:
        return ""


def readers(program):
    """The processes that read for a program, those that have been there longest first."""
    launchers = [child for child in children(program) if name_of(child) == "sststream-crew"]
    return sorted(child for launcher in launchers for child in children(launcher) if name_of(child) == "sststream-read")


def start(arguments):
    return subprocess.Popen([os.environ["SSTSTREAM"], *arguments], stdin=subprocess.DEVNULL)


def among_deaths(wanted, *arguments):
    """
    Runs the program, and again until so many readers were killed. The longest there are killed first: a task whose reader dies
    twice is a bad file, so the fresh process that does it again has to have its time.
    """
    chance = random.Random(2026)
    n_killed = 0
    while n_killed < int(wanted):
        process = start(arguments)
        while process.poll() is None and n_killed < int(wanted):
            time.sleep(chance.uniform(0.005, 0.015))
            found = readers(process.pid)
            if len(found) == 8:
                with contextlib.suppress(ProcessLookupError):  # the run may have ended meanwhile
                    os.kill(found[0], signal.SIGKILL)
                    n_killed += 1
        code = process.wait()
        if code != 0:
            sys.exit(code)


def leave_none(within):
    """All that descends from this process is gone, and reaped by whoever started it or by us in its place."""
    until = time.monotonic() + within
    while True:
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if time.monotonic() > until:
            sys.exit(f"processes are left: {children(os.getpid())}")
        time.sleep(0.01)


def ended_by(number, code, *arguments):
    """Ends the program at several moments by a signal; it ends with the code, in time, and no process is left."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for moment in (0.0, 0.03, 0.1):
        process = start(arguments)
        while process.poll() is None and len(readers(process.pid)) < 8:
            time.sleep(0.002)
        time.sleep(moment)
        if process.poll() is not None:
            sys.exit(f"the run is too short: it ended after {moment} s with {process.returncode}")
        process.send_signal(int(number))
        begun = time.monotonic()
        found = process.wait()
        if found != int(code):
            sys.exit(f"ended with {found} after {moment} s, not {code}")
        if time.monotonic() - begun > 5:
            sys.exit(f"the end took {time.monotonic() - begun:.1f} s")
        leave_none(2.0)


def harmful(kind, source, target):
    """
    A day file whose title lies in a global heap that is damaged. The title's object there gives itself a size that leads the
    library into unused bytes of the heap, which it walks for ever, or far beyond the heap and its memory.
    """
    shutil.copy(source, target)
    with netCDF4.Dataset(target, "a") as data:
        title = data.title
        data.setncattr_string("title", title + " ")
    with open(target, "rb") as file:
        content = bytearray(file.read())
    at = content.rfind((title + " ").encode()) - OBJECT_HEAD_BYTES
    if at < 0 or GLOBAL_HEAP not in content[:at]:
        sys.exit(f"{target}: the title is in no global heap")
    if kind == "hangs":
        content[at + OBJECT_SIZE_AT] = 0xFF
    else:
        content[at + OBJECT_SIZE_AT + 2] = 0xFF
    with open(target, "wb") as file:
        file.write(content)


def joined(target, steps_per_chunk, form, *sources):
    """One file of all days, packed or not, in chunks over time."""
    with netCDF4.Dataset(target, "w") as out:
        for number, path in enumerate(sorted(sources)):
            with netCDF4.Dataset(path) as data:
                sst = data["sst"][...].reshape(len(data["lat"]), len(data["lon"]))
                if number == 0:
                    out.createDimension("time", None)
                    out.createDimension("lat", len(data["lat"]))
                    out.createDimension("lon", len(data["lon"]))
                    for name in ("lat", "lon", "time"):
                        out.createVariable(name, "f8", (name,)).units = data[name].units
                    out["lat"][:] = data["lat"][:]
                    out["lon"][:] = data["lon"][:]
                    out.createVariable("sst", "i2" if form == "packed" else "f4", ("time", "lat", "lon"), zlib=True,
                                       fill_value=-999, chunksizes=(int(steps_per_chunk), len(data["lat"]), 5))
                    out["sst"].units = data["sst"].units
                    if form == "packed":
                        out["sst"].scale_factor = 0.01
                out["time"][number] = data["time"][0]
                out["sst"][number] = sst


COMMANDS = {"among_deaths": among_deaths, "ended_by": ended_by, "harmful": harmful, "joined": joined}
COMMANDS[sys.argv[1]](*sys.argv[2:])
