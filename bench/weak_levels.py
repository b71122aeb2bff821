#!/usr/bin/env python3
"""How fast are the weak levels, and how much memory do they take? Measures the bars of docs/performance.md and prints its table.

    bench/weak_levels.py build/release/apps/cli/serval [--sizes 1M] [--sessions 20] [--rounds 3] [--folder DIR]

Histories are PolySI text from `serval gen -w general`: 8 operations per transaction, half of the writes blind, 10,000 keys. Every
whole `serval check` is run in turns with `LC_ALL=C wc -w` on the same file; processor time (user and system) counts, the best
of the rounds, so that a busy machine changes little. `--sizes 10k,100k,1M,10M` shows how it grows.
"""
import argparse
import pathlib
import subprocess
import tempfile

from measuring import measure_levels

SIZES = {"10k": 10_000, "100k": 100_000, "1M": 1_000_000, "10M": 10_000_000}
LEVELS = ("read-committed", "monotonic-atomic-view", "read-committed-monotonic", "read-atomic", "causal", "pram")


def history(serval, folder, label, order, sessions):
    path = pathlib.Path(folder) / f"weak-{label}-{order}-{sessions}.txt"
    if not path.exists():
        subprocess.run([serval, "gen", "-w", "general:operations=8", "-n", str(SIZES[label]), "--sessions", str(sessions),
                        "--keys", "10k", "--seed", "1", "--order", order, "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serval")
    parser.add_argument("--sizes", default="1M", help="some of " + ",".join(SIZES))
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--orders", default="completion,session", help="orders of the transactions in the file")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="keep the generated histories here")
    options = parser.parse_args()
    print("| transactions | order in the file | level | seconds | of `wc -w` | ns a transaction | peak memory, MB | engine |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for order in options.orders.split(","):
            for label in options.sizes.split(","):
                path = history(options.serval, options.folder or scratch, label, order, options.sessions)
                best, reports = measure_levels(options.serval, path, LEVELS, options.rounds)
                for level in LEVELS:
                    assert reports[level]["verdict"] == "valid", reports[level]
                    print(f"| {label} | {order} | {level} | {best[level]:.3f} | {best[level] / best['wc']:.2f} | "
                          f"{best[level] / SIZES[label] * 1e9:.0f} | {reports[level]['peak_rss_bytes'] / 1e6:.0f} | "
                          f"{reports[level]['engine']} |", flush=True)


if __name__ == "__main__":
    main()
