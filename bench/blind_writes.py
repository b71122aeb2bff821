#!/usr/bin/env python3
"""How fast are histories with blind writes, and does their order in the file matter? Prints the table of docs/performance.md.

    bench/blind_writes.py build/release/apps/cli/serval [--sizes 10k,100k,1M] [--rounds 3] [--folder DIR]

Histories are PolySI text without times from `serval gen -w general`: 8 operations per transaction, half of the writes blind, 10,000
keys, 20 sessions; the same run in the order of completion, one session after the other, and shuffled as far as session order
allows. Every whole `serval check` is run in turns with `LC_ALL=C wc -w` on the same file; processor time (user and system) counts,
the best of the rounds, so that a busy machine changes little.
"""
import argparse
import pathlib
import subprocess
import tempfile

from measuring import measure_levels

SIZES = {"10k": 10_000, "100k": 100_000, "1M": 1_000_000}
LEVELS = ("strong-session-serializable", "strong-session-snapshot-isolation")
ORDERS = ("completion", "session", "shuffled")


def history(serval, folder, label, order):
    path = pathlib.Path(folder) / f"blind-{label}-{order}.txt"
    if not path.exists():
        subprocess.run([serval, "gen", "-w", "general:operations=8", "-n", str(SIZES[label]), "--keys", "10k", "--seed", "1",
                        "--times", "none", "--order", order, "-f", "polysi", "-o", str(path)], check=True,
                       stderr=subprocess.DEVNULL)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serval")
    parser.add_argument("--sizes", default="10k,100k", help="some of " + ",".join(SIZES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", help="keep the generated histories here")
    options = parser.parse_args()
    print("| transactions | order in the file | level | seconds | of completion order | of `wc -w` | peak memory, MB | engine |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for label in options.sizes.split(","):
            first = {}
            for order in ORDERS:
                path = history(options.serval, options.folder or scratch, label, order)
                best, reports = measure_levels(options.serval, path, LEVELS, options.rounds, "--timeout", "30m")
                for level in LEVELS:
                    assert reports[level]["verdict"] == "valid", reports[level]
                    first.setdefault(level, best[level])
                    print(f"| {label} | {order} | {level} | {best[level]:.3f} | {best[level] / first[level]:.2f} | "
                          f"{best[level] / best['wc']:.2f} | {reports[level]['peak_rss_bytes'] / 1e6:.0f} | "
                          f"{reports[level]['engine']} |", flush=True)


if __name__ == "__main__":
    main()
