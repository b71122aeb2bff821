#!/usr/bin/env python3
"""How soon is one violation found among many transactions with blind writes? Prints the table of docs/performance.md.

    bench/planted_violations.py build/release/apps/cli/serval [--txns 100k] [--rounds 1] [--seed 1] [--folder DIR]

Histories are PolySI text without times from `serval gen -w general`: 8 operations a transaction, half of the writes blind, 10,000
keys, 20 sessions, in a shuffled order, with one anomaly planted. Each is checked with `--verify`, so that the evidence is re-proved.
"seconds" is processor time (user and system) of the whole command with `-q`, which stops at the verdict, the best of the rounds;
"with other levels" is the same without `-q`, which goes on to say what does hold. Fails where a violation is not found.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile

# What is planted, and the weakest of the two levels that forbids it.
PLANTS = {"lost-update": "strong-session-snapshot-isolation", "long-fork": "strong-session-snapshot-isolation",
          "causality-violation": "strong-session-snapshot-isolation",
          "read-your-writes-violation": "strong-session-snapshot-isolation", "write-skew": "strong-session-serializable"}


def processor_seconds(command):
    """Processor time of a command that must find a violation, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 1, (command, done.returncode, done.stdout)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def measure(serval, path, level, rounds):
    found, whole, report = None, None, None
    check = [serval, "check", str(path), "--level", level, "--verify", "--json", "--timeout", "10m"]
    for _ in range(rounds):
        quick, report = processor_seconds([*check, "-q"])
        long, _ = processor_seconds(check)
        found, whole = min(quick, found or quick), min(long, whole or long)
    return found, whole, json.loads(report)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serval")
    parser.add_argument("--txns", default="100k")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="keep the generated histories here")
    options = parser.parse_args()
    print("| planted | level | seconds | with other levels | found as | transactions shown | engine |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for plant, level in PLANTS.items():
            path = pathlib.Path(options.folder or scratch) / f"planted-{plant}-{options.txns}.txt"
            if not path.exists():
                subprocess.run([options.serval, "gen", "--plant", plant, "-w", "general:operations=8", "-n", options.txns,
                                "--order", "shuffled", "--times", "none", "--seed", str(options.seed), "-f", "polysi",
                                "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
            found, whole, report = measure(options.serval, path, level, options.rounds)
            kinds = ", ".join(report["anomalies"]["by_type"])
            assert plant in report["anomalies"]["by_type"], report["anomalies"]
            shown = sum(len(anomaly["txns"]) for anomaly in report["anomalies"]["shown"])
            print(f"| {plant} | {level} | {found:.2f} | {whole:.2f} | {kinds} | {shown} | {report['engine']} |", flush=True)


if __name__ == "__main__":
    main()
