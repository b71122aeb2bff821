#!/usr/bin/env python3
"""Is one build of `serval` slower than another? Runs both on the same histories, in turns, and prints ratios new/old.

    bench/regress.py OLD NEW [--rounds 5] [--folder DIR] [--limit 1.05]

OLD and NEW are binaries of `serval`. NEW generates the histories, with a fixed seed. Processor time counts, the best of the
rounds. Exit code 1 if a time ratio is above --limit, which a busy machine can cause too: repeat then.
"""
import argparse
import pathlib
import subprocess
import tempfile

from measuring import processor_seconds

STRONG = ("strong-session-serializable", "strong-session-snapshot-isolation")
REAL_TIME = ("strict-serializable",)
WEAK = ("read-committed", "read-committed-monotonic", "read-atomic", "causal")
# File, transactions, flags of `serval gen`, and the flags of each check.
WORKLOADS = [
    ("mini.txt", 1_000_000, [], [["-l", level] for level in STRONG + WEAK]),
    ("mini.jsonl", 300_000, [], [["-l", level] for level in REAL_TIME] + [["--engine", "mirror", "-l", "strict-serializable"]]),
    ("mini.srv", 1_000_000, [], [["-l", level] for level in REAL_TIME]),
    ("general.txt", 300_000, ["-w", "general:operations=8"], [["-l", level] for level in WEAK]),
    ("blind.txt", 100_000, ["-w", "general:operations=8", "--order", "session", "--times", "none"],
     [["-l", level] for level in STRONG]),
    ("lists.edn", 300_000, ["-w", "list-append"], [["-l", level] for level in ("serializable",) + REAL_TIME + STRONG[1:]]),
    ("lightweight.srv", 1_000_000, ["-w", "lightweight"], [["-l", "linearizable"]]),
]


def generate(serval, folder):
    for name, transactions, flags, checks in WORKLOADS:
        path = pathlib.Path(folder) / name
        if not path.exists():
            subprocess.run([serval, "gen", "-n", str(transactions), "--sessions", "20", "--keys", "10k", "--seed", "1", *flags,
                            "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
        for check in checks:
            yield path, check


def best_of(rounds, old, new, path, flags):
    """The best processor time of each binary. The mirror proves nothing, so a check by it ends with 2."""
    best = {}
    expected = 2 if "mirror" in flags else 0
    for _ in range(rounds):
        for name, binary in (("old", old), ("new", new)):
            taken, _ = processor_seconds([binary, "check", str(path), "-q", *flags], expected)
            best[name] = min(taken, best.get(name, taken))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="keep the generated histories here")
    parser.add_argument("--limit", type=float, default=1.05, help="the ratio that is still accepted [1.05]")
    options = parser.parse_args()
    slower = 0
    print("| history | check | old, s | new, s | new/old |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for path, flags in generate(options.new, options.folder or scratch):
            best = best_of(options.rounds, options.old, options.new, path, flags)
            ratio = best["new"] / best["old"]
            slower += ratio > options.limit
            print(f"| {path.name} | {' '.join(flags)} | {best['old']:.3f} | {best['new']:.3f} | {ratio:.2f} |", flush=True)
    return 1 if slower else 0


if __name__ == "__main__":
    raise SystemExit(main())
