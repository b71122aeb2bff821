#!/usr/bin/env python3
"""Mutation check: do the tests detect a small mistake? Flips conditions, drops "+ 1", removes "continue" and the like in
sources of some rooms, one at a time; compiles that file alone, links the test programs with it and runs their fast tests.

    python3 tools/mutate.py [--count 200] [--rooms check,verify,online] [--seed N] [--jobs 2]
    python3 tools/mutate.py --only verify/cycle.cpp:42       # Every change of this file, or line.
    python3 tools/mutate.py --list [--only ...]              # The changes, without trying them.

The sources are copied to build/mutation, and the first run builds the copy: the rooms at -O1, each of their sources
separately. Nothing else is written to: a changed file is another copy, linked before the archive that has the original.

A change that makes a test fail or take too long is killed; one that no test detects has survived. Changes that
do not compile do not count. Changes that cannot be detected are listed with their reason in tools/mutation_explained.txt,
by the key that this program prints; they are not tried again. Exit codes: 0; 1 with fewer kills than --goal per cent; 2
if the tests fail without any change.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from mutations import sites

ROOT = pathlib.Path(__file__).resolve().parents[1]
TREE = ROOT / "build/mutation"
BUILD = TREE / "build/mutation"  # As deep as another build, for ccache.
EXPLAINED = ROOT / "tools/mutation_explained.txt"
# Test programs of a room, in the order in which they run.
TESTS = {"check": ["check", "metamorphic"], "verify": ["verify", "check"], "online": ["online"]}
# Random tests use the same small sample each time.
ENVIRONMENT = {"SERVAL_RANDOM_SEED": "1", "SERVAL_RANDOM_HISTORIES": "1000", "SERVAL_UNIVERSE_STEP": "97",
               "SERVAL_METAMORPHIC_HISTORIES": "20"}
SLOW_TEST = 0.5  # Seconds. These run last.
LEFT_OUT = 20    # Tests that take longer are not run.


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="changes in all rooms together [200]")
    parser.add_argument("--rooms", default="check,verify,online")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--goal", type=float, default=95, metavar="PERCENT")
    parser.add_argument("--only", metavar="FILE[:LINE]")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--data", default=None, help="SERVAL_DATA_DIR of the build")
    return parser.parse_args()


# --- which changes -------------------------------------------------------------------------------------------------

def explained():
    """{key: reason}. A key is at the beginning of a line, its reason is indented below."""
    reasons, key = {}, None
    for line in EXPLAINED.read_text().splitlines() if EXPLAINED.exists() else []:
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith(" "):
            reasons[key] = f"{reasons[key]} {line.strip()}".strip()
        else:
            key = line.rstrip()
            reasons[key] = ""
    return reasons


def sites_of(room):
    for path in sorted((ROOT / "src/serval" / room).rglob("*.cpp")):
        yield from sites(str(path.relative_to(ROOT / "src/serval")), path.read_text())


def chosen(options):
    """[(room, site)]: the same number from each room, at random."""
    rooms = options.rooms.split(",")
    if options.only:
        path, _, line = options.only.partition(":")
        rooms = [path.split("/")[0]]
        return [(rooms[0], site) for site in sites_of(rooms[0]) if site.path == path and line in ("", str(site.line))]
    draw, out = random.Random(options.seed), []
    for i, room in enumerate(rooms):
        all_sites = list(sites_of(room))
        share = options.count // len(rooms) + (i < options.count % len(rooms))
        out += [(room, site) for site in draw.sample(all_sites, min(share, len(all_sites)))]
    return out


# --- the build -----------------------------------------------------------------------------------------------------

def run(words, **more):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, **more)


def copy_tree():
    """The sources as they are now; files that are the same keep their times."""
    listed = run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT).stdout.split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for name in wanted:
        copy, content = TREE / name, (ROOT / name).read_bytes()
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy)
    for path in TREE.rglob("*"):
        name = path.relative_to(TREE)
        if path.is_file() and name.parts[0] != "build" and str(name) not in wanted:
            path.unlink()


def build(options, programs):
    data = [f"-DSERVAL_DATA_DIR={options.data}"] if options.data else []
    done = run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1",
                "-DSERVAL_UNITY=ON", f"-DSERVAL_SINGLE={options.rooms.replace(',', ';')}", *data])
    if done.returncode == 0:
        done = run(["ninja", "-C", BUILD, f"-j{options.jobs}", *programs])
    if done.returncode != 0:
        sys.exit(f"mutate: the build fails\n{done.stdout[-4000:]}{done.stderr}")


def compile_commands():
    """{path below src/serval: its command, without the name of the object}"""
    out = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if f"{TREE}/src/serval/" not in entry["file"]:
            continue
        words = shlex.split(entry["command"])
        words = [word for word in words if not word.endswith("ccache")]
        words = words[:words.index("-o")]
        out[entry["file"].removeprefix(f"{TREE}/src/serval/")] = words
    return out


def link_command(program):
    """The command that links it, as words, "OUTPUT" for its name."""
    line = run(["ninja", "-C", BUILD, "-t", "commands", program]).stdout.splitlines()[-1]
    words = [word for word in shlex.split(line) if word not in (":", "&&")]
    words[words.index("-o") + 1] = "OUTPUT"
    return words


# --- the tests -----------------------------------------------------------------------------------------------------

class Program:
    """A test program: how it is linked, which of its tests are quick, and how long they take."""

    def __init__(self, name):
        self.name = name
        self.link = link_command(name)
        report = BUILD / f"{name}.json"
        started = time.monotonic()
        done = run([BUILD / "tests" / name, f"--gtest_output=json:{report}"], env={**os.environ, **ENVIRONMENT}, timeout=1800)
        if done.returncode != 0:
            print(done.stdout[-3000:], file=sys.stderr)
            sys.exit(2)
        self.seconds = time.monotonic() - started
        slow = collections.defaultdict(float)
        for suite in json.loads(report.read_text())["testsuites"]:
            for test in suite["testsuite"]:
                if test.get("result") == "COMPLETED":
                    slow[f"{suite['name']}.{test['name']}"] = float(test["time"].rstrip("s"))
        left_out = [name for name, seconds in slow.items() if seconds > LEFT_OUT]
        last = [name for name, seconds in slow.items() if SLOW_TEST < seconds <= LEFT_OUT]
        quick = sum(seconds for name, seconds in slow.items() if seconds <= SLOW_TEST)
        self.rounds = [("-" + ":".join(left_out + last), quick)]
        self.rounds += [(":".join(last), sum(slow[name] for name in last))] if last else []
        print(f"{name}: {len(slow)} tests, {quick:.1f} s and {len(last)} slow ones of {sum(slow[n] for n in last):.1f} s; "
              f"left out: {', '.join(left_out) or 'none'}", flush=True)


def kills(program, binary):
    """How a program detects the change, or None."""
    for chosen_tests, seconds in program.rounds:
        try:
            done = run([binary, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={chosen_tests}"],
                       env={**os.environ, **ENVIRONMENT}, timeout=30 + 8 * seconds, cwd=binary.parent)
        except subprocess.TimeoutExpired:
            return "time"
        if done.returncode != 0:
            failed = re.search(r"\[  FAILED  \] ([\w/.]+)", done.stdout)
            return failed[1] if failed else f"exit code {done.returncode}"
    return None


class Trial:
    """Compiles, links and runs the tests, in a folder that no other thread uses."""
    folders = threading.local()
    count = 0
    lock = threading.Lock()

    def __init__(self, options, programs, commands):
        self.options, self.programs, self.commands = options, programs, commands

    def folder(self):
        if not hasattr(self.folders, "path"):
            with self.lock:
                Trial.count += 1
                self.folders.path = BUILD / "changed" / str(Trial.count)
            self.folders.path.mkdir(parents=True, exist_ok=True)
        return self.folders.path

    def __call__(self, room, site):
        """"uncompilable", "survived", or what killed it."""
        folder = self.folder()
        source, compiled, binary = folder / pathlib.Path(site.path).name, folder / "changed.o", folder / "tests"
        text = site.apply((TREE / "src/serval" / site.path).read_text())
        source.write_text(text)
        # The library itself detects an index out of range.
        if run([*self.commands[site.path], "-w", "-D_GLIBCXX_ASSERTIONS", "-o", compiled, "-c", source], cwd=BUILD).returncode != 0:
            return "uncompilable"
        for name in TESTS[room]:
            program = self.programs[name]
            words = list(program.link)
            at = words.index("OUTPUT")
            words[at:at + 1] = [str(binary), str(compiled)]
            linked = run(words, cwd=BUILD)
            if linked.returncode != 0:
                sys.exit(f"mutate: {name} cannot be linked\n{linked.stderr}")
            if (killer := kills(program, binary)) is not None:
                return f"killed by {program.name.removeprefix('serval_').removesuffix('_tests')} {killer}"
        return "survived"


# --- the report ----------------------------------------------------------------------------------------------------

def report(options, results):
    """Prints the survivors and one line per room. Returns the share that was killed."""
    rooms = collections.defaultdict(collections.Counter)
    for room, site, result in results:
        rooms[room]["killed" if result.startswith("killed") else result] += 1
    survivors = [site for _, site, result in results if result == "survived"]
    for site in survivors:
        print(f"\nsurvived src/serval/{site.path}:{site.line}: {site.change}\n{site.key}")
    print()
    for room, counts in [*rooms.items(), ("all", sum(rooms.values(), collections.Counter()))]:
        tried = counts["killed"] + counts["survived"]
        share = 100 * counts["killed"] / tried if tried else 100
        print(f"{room:8} {counts['killed']:4} killed {counts['survived']:4} survived {share:6.1f} %   "
              f"{counts['explained']:3} explained {counts['uncompilable']:3} not compilable")
    print(f"seed {options.seed}")
    return share


def main():
    options = arguments()
    known = explained()
    drawn = chosen(options)
    if options.list:
        for _, site in drawn:
            print(f"{site.path}:{site.line}: {site.change}: {site.source}")
        return 0
    if options.only:
        options.rooms = ",".join({*options.rooms.split(","), drawn[0][0]}) if drawn else options.rooms
    print(f"seed {options.seed}, {len(drawn)} changes", flush=True)
    copy_tree()
    names = list(dict.fromkeys(name for room, _ in drawn for name in TESTS[room]))
    build(options, [f"serval_{name}_tests" for name in names])
    programs = {name: Program(f"serval_{name}_tests") for name in names}
    trial = Trial(options, programs, compile_commands())

    def one(pair):
        room, site = pair
        result = "explained" if site.key in known else trial(room, site)
        print(f"{result:40} {site.path}:{site.line}: {site.change}", flush=True)
        return room, site, result

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(one, drawn))
    return 0 if report(options, results) >= options.goal else 1


if __name__ == "__main__":
    sys.exit(main())
