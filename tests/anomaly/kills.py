"""Processes of the program killed (-9) at random times, and what they leave, held against what they may leave.

    kills.py PROGRAM KILLS READS SEED

The legal states are known before anything is killed: S(0) .. S(n) of a run that nothing disturbed, unit by unit, where a unit
is what one commit takes in. What a killed run had told as committed is read from its output. After each kill `verify` has to be
clean, and the digest has to be that of the last acknowledged unit or of the next; the command that is given again has to come
to its end in S(n). Runs in the working directory, which is empty.
"""
import glob
import hashlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import time

import netCDF4

PROGRAM = sys.argv[1]
N_KILLS, N_READS = int(sys.argv[2]), int(sys.argv[3])
RANDOM = random.Random(int(sys.argv[4]))
KILLED = -9
MAKE = ["--baseline", "2000-2002", "--window", "3", "--keep", "all"]


class Wrong(Exception):
    """What a test of this file finds."""


def run(*args, expect=0):
    done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, check=False)
    if done.returncode != expect:
        raise Wrong(f"{' '.join(args[:4])}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def digest_of(state):
    return json.loads(run("inspect", "--json", state))["digest"]


def tree_of(folder):
    """All bytes below a folder, as one number."""
    total = hashlib.sha256()
    for path in sorted(glob.glob(f"{folder}/**", recursive=True)):
        total.update(path.encode())
        if os.path.isfile(path):
            with open(path, "rb") as file:
                total.update(file.read())
    return total.hexdigest()


def remove(*folders):
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def committed(text):
    """Days that were told; the last line may be cut short."""
    lines = text.split("\n")[:-1]
    return [line.split()[1] for line in lines if line.startswith("committed ")]


def units_of(text):
    """Days by commit: those of one calendar day, and all that are beside the baseline."""
    lines = [line.split() for line in text.splitlines()]
    keys = [(line[1][5:], len(line) > 2) if len(line) == 2 else ("", True) for line in lines]
    groups = itertools.groupby(zip(keys, lines), key=lambda pair: pair[0])
    return [[line[1] for _, line in group] for _, group in groups]


def files_of(archive, days):
    return [f"{archive}/oisst-avhrr-v02r01.{day.replace('-', '')}.nc" for day in days]


class Growing:
    """A state that takes in days, unit by unit."""

    def __init__(self, name, archive, extra, start):
        self.name, self.archive, self.extra, self.start = name, archive, extra, start
        self.reset()
        self.units = units_of(run("ingest", "--state", "st", *extra, "-q", archive))
        self.final = digest_of("st")
        self.digests = self.legal_digests()
        if self.digests[-1] != self.final:
            raise Wrong(f"{name}: unit by unit it is another state")
        self.self_test()

    def legal_digests(self):
        self.reset()
        digests = []
        if self.start:
            digests.append(digest_of("st"))
        for unit in self.units:
            run("ingest", "--state", "st", *self.extra, "-q", *files_of(self.archive, unit))
            if not digests:  # no state, and one of no day
                run("retire", "--state", "st", "--years", "1999-2004", "-q", "-o", "empty")
                digests += [None, digest_of("empty")]
                remove("empty")
            digests.append(digest_of("st"))
        return digests

    def reset(self):
        remove("st", "st.part")
        if self.start:
            shutil.copytree(self.start, "st")
        self.floor, self.told = 0, set()

    def command(self):
        return ["ingest", "--state", "st", *self.extra, "-q", "--readers", RANDOM.choice("0002"), self.archive]

    def needed(self):
        """The least k so that S(k) has all that was told."""
        known, n_before = set(), len(self.digests) - len(self.units)
        for k, unit in enumerate(self.units):
            if self.told <= known:
                return 0 if not self.told else k + n_before - 1
            known |= set(unit)
        if not self.told <= known:
            raise Wrong(f"{self.name}: days were told that are not there: {sorted(self.told - known)}")
        return len(self.digests) - 1

    def is_done(self):
        return self.floor == len(self.digests) - 1

    def judge(self, output):
        self.told |= set(committed(output))
        least = max(self.floor, self.needed())
        is_there = os.path.exists("st")
        if is_there:
            run("verify", "st")
        now = digest_of("st") if is_there else None
        if now not in self.digests:
            raise Wrong(f"{self.name}: doubled: it is no S(k) where S({least}) was acknowledged")
        at = self.digests.index(now)
        if at < least:
            raise Wrong(f"{self.name}: lost: S({at}) where S({least}) was acknowledged")
        # Units of which nothing was told, and which were not there before: the one at work alone. To make the state is one too.
        if at > least + 1 + (least == 0 and not self.start):
            raise Wrong(f"{self.name}: doubled: S({at}) where S({least}) was acknowledged")
        self.floor = at

    def finish(self):
        run("ingest", "--state", "st", *self.extra, "-q", self.archive)
        if digest_of("st") != self.final:
            raise Wrong(f"{self.name}: doubled: another state at the end")

    def self_test(self):
        """It stands at S(n): lost units, and units nobody told of, have to be seen."""
        self.floor, self.told = 0, {self.units[0][0]}
        must_fail(lambda: self.judge(""), "doubled")
        self.reset()
        self.told = set(self.units[-1])
        must_fail(lambda: self.judge(""), "lost")
        self.reset()


class Made:
    """A state that is made of others: there whole, or not at all."""

    def __init__(self, name, inputs, extra, final):
        self.name, self.inputs, self.extra, self.final = name, inputs, extra, final
        self.trees = [tree_of(state) for state in inputs]
        self.reset()
        run(*self.command())
        self.judge("")
        shutil.copytree("made", "whole")
        os.remove(sorted(glob.glob("made/slots/*"))[0])
        must_fail(lambda: self.judge(""), "verify")
        remove("made")
        shutil.copytree(inputs[0], "made")
        must_fail(lambda: self.judge(""), "doubled")
        remove("whole")
        self.reset()

    def reset(self):
        remove("made", "made.part")

    def command(self):
        return [*self.extra, "-q", "-o", "made"]

    def is_done(self):
        return os.path.exists("made")

    def judge(self, _output):
        if [tree_of(state) for state in self.inputs] != self.trees:
            raise Wrong(f"{self.name}: what it was made of changed")
        if os.path.exists("made"):
            run("verify", "made")
            if digest_of("made") != self.final:
                raise Wrong(f"{self.name}: doubled: it is not the state of its days")

    def finish(self):
        if not os.path.exists("made"):
            run(*self.command())
        self.judge("")
        if os.path.exists("made.part"):
            raise Wrong(f"{self.name}: a part is left")


def must_fail(judge, word):
    try:
        judge()
    except Wrong as found:
        if word not in str(found):
            raise
        return
    raise Wrong(f"a planted fault was not seen: {word}")


def start(args):
    return subprocess.Popen([PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def length_of(kind):
    """[s] of an undisturbed run."""
    seconds = []
    for _ in range(3):
        kind.reset()
        before = time.monotonic()
        run(*kind.command())
        seconds.append(time.monotonic() - before)
    kind.reset()
    return sorted(seconds)[1]


def kill_some(kind, n_kills):
    length, n_killed, n_ended, in_a_row = length_of(kind), 0, 0, 0
    while n_killed < n_kills:
        process = start(kind.command())
        time.sleep(RANDOM.uniform(0, length))
        process.kill()
        output, errors = process.communicate()
        n_killed += process.returncode == KILLED
        in_a_row += 1
        if process.returncode not in (KILLED, 0):
            raise Wrong(f"{kind.name}: exit code {process.returncode}: {errors.strip()}")
        kind.judge(output)
        if process.returncode == 0 or kind.is_done() or in_a_row == 6:
            kind.finish()
            kind.reset()
            n_ended, in_a_row = n_ended + 1, 0
    kind.finish()
    kind.reset()
    print(f"crash T1: {n_killed} kills of {kind.name} at random times, {n_ended} times taken up to its end", flush=True)


def legal_mixes(old, new):
    """Digests of all states of which each slot is as in the one or in the other: readers take one slot after another."""
    names = sorted(os.path.basename(path) for path in glob.glob(f"{old}/slots/*"))
    mixes = set()
    for taken in itertools.product((old, new), repeat=len(names)):
        remove("mix")
        shutil.copytree(old, "mix")
        for name, state in zip(names, taken):
            shutil.copy(f"{state}/slots/{name}", f"mix/slots/{name}")
        mixes.add(digest_of("mix"))
    remove("mix")
    return mixes


def climatology_of(state, out):
    """Values by variable: attributes tell of other calendar days too."""
    run("climatology", "--state", state, "--doy", "2-2", "--window", "1", "--smooth", "0", "-q", "-o", out)
    with netCDF4.Dataset(out) as data:
        data.set_auto_maskandscale(False)
        seen = {name: data[name][:].tobytes() for name in data.variables}
    os.remove(out)
    return seen


def read_beside_a_writer(n_reads):
    for name, archive in (("old", "inner"), ("new", "inner-other")):
        run("ingest", "--state", "beside", *MAKE, "-q", archive)
        os.rename("beside", name)
    mixes = legal_mixes("old", "new")
    shutil.copytree("old", "beside")
    legal = [climatology_of(state, "c.nc") for state in ("old", "new")]
    if legal[0] == legal[1]:
        raise Wrong("the two climatologies are one")
    seen, turn, writer = [0, 0], 0, None
    digests = set()
    for _ in range(n_reads):
        if writer is None or writer.poll() is not None:
            if writer is not None and writer.returncode != 0:
                raise Wrong(f"the writer: {writer.stderr.read()}")
            turn = 1 - turn
            archive = ("inner", "inner-other")[turn]
            writer = start(["ingest", "--state", "beside", "--replace", "-q", "--readers", "0", archive])
        digest = digest_of("beside")
        if digest not in mixes:
            raise Wrong("a reader saw half a day")
        digests.add(digest)
        clim = climatology_of("beside", "c.nc")
        if clim not in legal:
            raise Wrong("a climatology has half a day")
        seen[legal.index(clim)] += 1
    writer.communicate()
    if n_reads >= 50 and min(seen) == 0:
        raise Wrong(f"readers never saw a change: {seen}")
    print(f"crash T8: {n_reads} inspects and {n_reads} climatologies beside a writer, each of whole days: "
          f"{len(digests)} states seen", flush=True)


def main():
    os.environ.update(OMP_WAIT_POLICY="passive", OMP_NUM_THREADS="1", SOURCE_DATE_EPOCH="0")
    synth = ["synth", "-q", "--grid", "6x4", "--doy", "1-4", "-o"]
    run(*synth, "sea", "--years", "2000-2003")
    run(*synth, "other", "--years", "2000-2003", "--seed", "2")
    run(*synth, "inner", "--years", "2000-2002")
    run(*synth, "inner-other", "--years", "2000-2002", "--seed", "2")
    for state, years in (("a", "01"), ("b", "23"), ("ab", "0123"), ("younger", "023")):
        files = [path for path in sorted(glob.glob("sea/*")) if path.split(".")[-2][3] in years]
        run("ingest", "--state", state, *MAKE, "-q", *files)
    kinds = [
        lambda: Growing("ingest", "sea", MAKE, None),
        lambda: Growing("ingest --replace", "other", ["--replace"], "ab"),
        lambda: Made("merge", ["a", "b"], ["merge", "a", "b"], digest_of("ab")),
        lambda: Made("retire", ["ab"], ["retire", "--state", "ab", "--years", "2001-2001"], digest_of("younger")),
    ]
    for make in kinds:
        kill_some(make(), N_KILLS // len(kinds))
    read_beside_a_writer(N_READS)


try:
    main()
except Wrong as wrong:
    print(f"FAILED (seed {sys.argv[4]}): {wrong}")
    sys.exit(1)
