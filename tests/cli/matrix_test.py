#!/usr/bin/env python3
"""Runs workloads on databases at every isolation, plain, with --live and with --certificate; every verdict is
verified. Whatever the verdict, the exit code is 0, 1 or 2: nothing crashes, and nothing is refused after a run. Plain
runs end with a verdict, 0 or 1.

    python3 tests/cli/matrix_test.py PATH-TO-SERVAL               # A short selection on embedded databases.
    python3 tests/cli/matrix_test.py PATH-TO-SERVAL --all [--postgres ADDRESS] [--only TEXT] [--txns N] [--seed N]

With --all: every workload that a driver offers, embedded drivers and PostgreSQL (scripts/servers starts one unless
--postgres names one that runs). --only selects the runs whose name contains the text. A run that fails is printed with
its command and its output; its recording is kept.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from skip_without import is_required

ROOT = pathlib.Path(__file__).resolve().parents[2]
EMBEDDED = {"sqlite": ["sqlite:"], "rocksdb": ["rocksdb:", "rocksdb:?kind=optimistic"], "simulated": ["simulated:"]}
MODES = {"plain": [], "live": ["--live"], "certificate": ["--certificate"]}
# Runs that have failed before, and one of each mode.
SHORT = [("sqlite:", "serializable", "tpcc", "certificate"), ("sqlite:", "serializable", "ycsb-e", "certificate"),
         ("sqlite:", "serializable", "blindw-rw+", "certificate"), ("sqlite:", "deferred", "mini", "live"),
         ("sqlite:", "read-uncommitted", "predicates", "certificate"), ("rocksdb:", "read-committed", "ycsb-a", "live"),
         ("rocksdb:", "snapshot-isolation", "registers", "certificate"),
         ("simulated:", "snapshot-isolation", "predicate-mix", "certificate"),
         ("simulated:", "strict-serializable", "predicate-mix", "live"),
         ("simulated:", "read-committed", "operation-mix", "plain")]
SECONDS = 120


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serval")
    parser.add_argument("--all", action="store_true", help="every combination")
    parser.add_argument("--postgres", metavar="ADDRESS", help="a running server; 'none' for none")
    parser.add_argument("--only", default="", metavar="TEXT", help="runs whose name contains this")
    parser.add_argument("--txns", default="300")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--keep", type=pathlib.Path, help="folder for recordings of failures [a temporary folder]")
    return parser.parse_args()


def asked(serval, *words):
    return json.loads(subprocess.run([serval, *words, "--json"], capture_output=True, text=True, timeout=SECONDS,
                                     check=True).stdout)


def start_postgres():
    os.environ.setdefault("SERVAL_SERVERS_DIR", tempfile.mkdtemp(prefix="serval-matrix-servers-"))
    os.chmod(os.environ["SERVAL_SERVERS_DIR"], 0o755)  # The server may run as another user.
    done = subprocess.run([str(ROOT / "scripts/servers"), "start", "postgres"], capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"no PostgreSQL: {done.stderr.strip()} (--postgres none goes on without)")
    return done.stdout.split()[0]


def stop_postgres():
    subprocess.run([str(ROOT / "scripts/servers"), "stop", "postgres"], capture_output=True, timeout=300, check=False)


def every_run(serval, addresses):
    workloads = asked(serval, "workloads")["workloads"]
    for driver in asked(serval, "drivers"):
        for address in addresses.get(driver["name"], []) if driver["available"] else []:
            for isolation in driver["isolations"]:
                for workload in workloads:
                    if driver["name"] in workload["drivers"]:
                        for mode in MODES:
                            yield address, isolation["name"], workload["name"], mode


def short_runs(serval, offered):
    """SHORT, without the drivers that this build lacks."""
    lacking = {driver["name"] for driver in asked(serval, "drivers") if not driver["available"]}
    for run in SHORT:
        driver = run[0].split(":")[0]
        if driver in lacking and not is_required(driver):
            print(f"not tested: 1 without {driver} ({' '.join(run)})", flush=True)
        elif run not in offered:
            sys.exit(f"{' '.join(run)}: this build does not offer it")
    return [run for run in SHORT if run in offered]


def one_run(options, folder, run):
    address, isolation, workload, mode = run
    recording = folder / "run.jsonl"
    command = [options.serval, "run", address, "-w", workload, "-i", isolation, "-c", "4", "-n", options.txns,
               "--seed", str(options.seed), "--verify", "--progress", "none", "-o", str(recording), *MODES[mode]]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              timeout=SECONDS, check=False)
        code, said = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        code, said = f"none within {SECONDS} s", str(late.stdout) + str(late.stderr)
    if code in (0, 1) or (code == 2 and mode != "plain"):
        recording.unlink(missing_ok=True)
        return code, True
    kept = folder / ("-".join(run).replace(":", "").replace("/", "-").replace("?", "-") + ".jsonl")
    if recording.exists():
        recording.rename(kept)
    print(f"FAILED exit code {code}: {' '.join(command)}\nkept {kept}\n{said}", flush=True)
    return code, False


def main():
    options = arguments()
    options.serval = str(pathlib.Path(options.serval).resolve())
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="serval-matrix-"))
    folder.mkdir(parents=True, exist_ok=True)
    addresses = dict(EMBEDDED)
    started = options.all and options.postgres is None
    if options.all and options.postgres != "none":
        addresses["postgres"] = [options.postgres or start_postgres()]
    try:
        runs = list(every_run(options.serval, addresses))
        if not options.all:
            runs = short_runs(options.serval, set(runs))
        runs = [run for run in runs if options.only in " ".join(run)]
        counts, bad = {}, 0
        for run in runs:
            code, fits = one_run(options, folder, run)
            counts[code] = counts.get(code, 0) + 1
            bad += not fits
    finally:
        if started:
            stop_postgres()
    told = ", ".join(f"{count} x {code}" for code, count in sorted(counts.items(), key=str))
    print(f"{len(runs)} runs with seed {options.seed}, exit codes {told or 'none'}", flush=True)
    if not bad and not any(folder.iterdir()):
        folder.rmdir()
    return 1 if bad or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
