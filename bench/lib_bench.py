"""What the scripts of this folder share: commands timed, cores, the machine in words, synthetic archives."""

import collections
import contextlib
import datetime
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"

Cost = collections.namedtuple("Cost", "seconds cpu_seconds memory_bytes")


def fail(text):
    sys.exit(f"{Path(sys.argv[0]).name}: {text}")


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, good=(0,), **options):
    """Runs a command to its end; returns its cost, all that it waited for included, and its standard output."""
    words = [str(word) for word in command]
    with tempfile.TemporaryFile() as errors:
        start = time.monotonic()
        try:
            process = subprocess.Popen(words, stdout=subprocess.PIPE, **{"stderr": errors, **options})
        except OSError as error:
            fail(f"{words[0]}: {error.strerror}")
        with process.stdout:
            output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in good:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip() or output.decode(errors="replace").strip()
            fail(f"{' '.join(words[:12])} ...: exit code {process.returncode}\n{said[-2000:]}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024), output


@contextlib.contextmanager
def watch():
    """What happens within it, in this process: `taken` is its cost afterwards."""
    found = types.SimpleNamespace(taken=None)
    start, before = time.monotonic(), time.process_time()
    yield found
    found.taken = Cost(time.monotonic() - start, time.process_time() - before, 0)


# Of the program: 6 says that days were absent, which here they may be meant to be.
GOOD_ENDS = (0, 6)
MOST_READERS = 8


def crew(arguments):
    """As many readers and threads as there are cores: what the program does by itself, said so that it is known."""
    return ["--readers", min(MOST_READERS, arguments.n_cores), "--threads", arguments.n_cores]


def run_program(arguments, options, files, output):
    """
    One climatology that is not smoothed; returns its cost, with the peak memory of its summary. A report as JSON would tell
    the same, but making it costs time and memory that a run without one does not take.
    """
    command = [arguments.program, "run", "-O", "--progress", "none", "--smooth", "0", *options, "-o", output, *files]
    cost, said = run(command, GOOD_ENDS, stderr=subprocess.STDOUT)
    found = re.search(rb"at most ([0-9.]+) MB of memory", said)
    if not found:
        fail(f"{arguments.program}: its summary does not tell its memory")
    return cost._replace(memory_bytes=float(found[1]) * 1e6)


def build(*targets):
    run(["cmake", "--preset", "release"], cwd=ROOT)
    run(["cmake", "--build", "--preset", "release", "--target", *targets], cwd=ROOT)


def add_options(parser, rounds):
    parser.add_argument("--rounds", type=int, default=rounds, help="turns of each, of which the median counts")
    parser.add_argument("--cores", type=int, help="pin everything to so many cores; readers and threads are as many")
    parser.add_argument("--program", type=Path, help="a built sststream; nothing is built then")
    parser.add_argument("--json", type=Path, help="where all figures go")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench", help="where archives are kept")


def prepare_program(arguments, *others):
    """Builds the program, and others by name, where none is given; makes the folder of what is thrown away."""
    if not arguments.program:
        build("sststream", *others)
        arguments.program = BUILD / "sststream"
    arguments.program = arguments.program.resolve()
    (arguments.work / "out").mkdir(parents=True, exist_ok=True)


def siblings(core):
    try:
        path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return str(core)


def pin(n_cores):
    """Pins this process and all that it starts; cores that share no unit come first. Returns how many there are now."""
    allowed = sorted(os.sched_getaffinity(0))
    if n_cores is None:
        return len(allowed)
    if not 1 <= n_cores <= len(allowed):
        fail(f"--cores {n_cores}: there are {len(allowed)}")
    seen, first, second = set(), [], []
    for core in allowed:
        (second if siblings(core) in seen else first).append(core)
        seen.add(siblings(core))
    os.sched_setaffinity(0, (first + second)[:n_cores])
    return n_cores


def commit():
    try:
        words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        models = [line.split(":", 1)[1].strip() for line in cpuinfo if line.startswith("model name")]
    return {
        "commit": commit(),
        "processor": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "cores_used": sorted(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "date": datetime.datetime.now().isoformat(timespec="minutes"),
    }


def print_machine(found):
    print(
        f"{found['processor']}, {len(found['cores_used'])} of {found['cores']} cores, {found['system']}; "
        f"commit {found['commit']}, {found['date']}"
    )


def load():
    """What the machine had to do in the last minute: processes that ran or waited, on average."""
    return round(os.getloadavg()[0], 2)


def make_archive(program, folder, grid, years, days):
    """Files of a synthetic archive, made where there is none; returns them in order of their days."""
    if not folder.exists():
        say(f"making {folder.name}: {grid}, {days} of {years[0]} to {years[1]} ...")
        part = folder.with_name(folder.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        span = ["--years", f"{years[0]}-{years[1]}", "--days", days]
        run([program, "synth", "-q", "--progress", "none", "-o", part, "--grid", grid, *span])
        part.rename(folder)
    return sorted(folder.glob("*.nc"))


def warm(files):
    """Has the files in the page cache, so that the first round is like the others."""
    for path in files:
        with open(path, "rb") as file:
            while file.read(1 << 22):
                pass


def cells_of(grid):
    n_lon, n_lat = grid.split("x")
    return int(n_lon) * int(n_lat)


class Work:
    """One thing that is measured, round after round: its Costs."""

    def __init__(self, name, measure, most_rounds=None):
        self.name, self.measure, self.most_rounds, self.rounds = name, measure, most_rounds, []

    def take_turn(self):
        if self.most_rounds is None or len(self.rounds) < self.most_rounds:
            self.rounds.append(self.measure())

    def median(self):
        return Cost(*(statistics.median(part) for part in zip(*self.rounds)))

    def summary(self):
        return {**self.median()._asdict(), "rounds": [one._asdict() for one in self.rounds]}


def take_turns(works, rounds):
    """Every work once a round, there and back, so that what drifts harms all alike."""
    for number in range(rounds):
        for work in works if number % 2 == 0 else reversed(works):
            say(f"round {number + 1} of {rounds}: {work.name}")
            work.take_turn()


def write_json(path, found):
    if path:
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
