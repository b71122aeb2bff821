#!/usr/bin/env python3
"""How soon is one violation found among many transactions with blind writes? Prints the table of docs/performance.md.

    bench/planted_violations.py build/release/apps/cli/serval [--txns 100k] [--order shuffled] [--rounds 3] [--seed 1] [--folder DIR]

Histories are PolySI text without times from `serval gen -w general`: 8 operations per transaction, half of the writes blind, 10,000
keys, 20 sessions, with one anomaly planted on keys of its own; then one in which a single read of a key that everybody writes saw an
older version, so that only the search for an order finds it. Each is checked with `--verify`, so that the evidence is re-proved, and with `-q`, which
stops at the verdict: without it `check` continues with the other levels. Processor time (user and system) of the whole
command counts, the best of the rounds. Fails if a violation is not found.
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import tempfile

from measuring import processor_seconds

# What is planted, and the weakest of the two levels that forbids it.
PLANTS = {"lost-update": "strong-session-snapshot-isolation", "long-fork": "strong-session-snapshot-isolation",
          "causality-violation": "strong-session-snapshot-isolation",
          "read-your-writes-violation": "strong-session-snapshot-isolation", "write-skew": "strong-session-serializable"}


def measure(serval, path, level, rounds):
    best, report = None, None
    for _ in range(rounds):
        taken, report = processor_seconds([serval, "check", str(path), "--level", level, "--verify", "--json", "-q"],
                                          expected=1)
        best = min(taken, best or taken)
    return best, json.loads(report)


def make_stale(path, stale, seed):
    """Gives one read of a key that its transaction does not write the value of an older write."""
    chosen = random.Random(seed)
    lines = path.read_text().splitlines()
    operations = [re.fullmatch(r"([rw])\((\d+),(\d+),(\d+),(\d+)\).*", line) for line in lines]
    written, own = {}, set()
    for at, operation in enumerate(operations):
        if operation and operation[1] == "w":
            written.setdefault(operation[2], []).append((at, operation[3]))
            own.add((operation[2], operation[5]))
    while True:
        at = chosen.randrange(len(lines) // 2, len(lines))
        read = operations[at]
        if not read or read[1] != "r" or (read[2], read[5]) in own:
            continue
        earlier = [value for place, value in written.get(read[2], []) if place < at and value != read[3]]
        if len(earlier) >= 10:
            lines[at] = f"r({read[2]},{earlier[-10]},{read[4]},{read[5]})"
            stale.write_text("\n".join(lines) + "\n")
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serval")
    parser.add_argument("--txns", default="100k")
    parser.add_argument("--order", default="shuffled", help="order of the transactions in the file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="keep the generated histories here")
    options = parser.parse_args()
    print("| planted | level | seconds | found as | transactions shown | engine |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for plant, level in PLANTS.items():
            path = pathlib.Path(options.folder or scratch) / f"planted-{plant}-{options.txns}-{options.order}.txt"
            if not path.exists():
                subprocess.run([options.serval, "gen", "--plant", plant, "-w", "general:operations=8", "-n", options.txns,
                                "--order", options.order, "--times", "none", "--seed", str(options.seed), "-f", "polysi",
                                "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
            seconds, report = measure(options.serval, path, level, options.rounds)
            assert report["verified"], report
            kinds = ", ".join(report["anomalies"]["by_type"])
            assert plant in report["anomalies"]["by_type"], report["anomalies"]
            shown = sum(len(anomaly["txns"]) for anomaly in report["anomalies"]["shown"])
            print(f"| {plant} | {level} | {seconds:.2f} | {kinds} | {shown} | {report['engine']} |", flush=True)
        stale_reads(options, pathlib.Path(options.folder or scratch))


def stale_reads(options, folder):
    path, stale = folder / f"general-{options.txns}.txt", folder / f"stale-{options.txns}.txt"
    subprocess.run([options.serval, "gen", "-w", "general:operations=8", "-n", options.txns, "--times", "none", "--seed",
                    str(options.seed), "-f", "polysi", "-o", str(path), "--force"], check=True, stderr=subprocess.DEVNULL)
    for seed in range(1, 4):
        make_stale(path, stale, seed)
        for level in ("strong-session-snapshot-isolation", "strong-session-serializable"):
            seconds, report = measure(options.serval, stale, level, options.rounds)
            assert report["verified"], report
            kinds = ", ".join(report["anomalies"]["by_type"])
            shown = sum(len(anomaly["txns"]) for anomaly in report["anomalies"]["shown"])
            print(f"| stale read {seed} | {level} | {seconds:.2f} | {kinds} | {shown} | {report['engine']} |", flush=True)


if __name__ == "__main__":
    main()
