#!/usr/bin/env python3
"""How fast is a whole `serval check`, and how does it grow? Measures the bars of docs/performance.md and prints its tables.

    bench/check_scaling.py build/release/apps/cli/serval [--largest 10M] [--rounds 5] [--folder DIR]

Histories come from `serval gen` with a fixed seed. Every command is run in turns with `LC_ALL=C wc -w` on the same file, the
best of the rounds counts, and ratios are reported, so that a busy or a different machine changes little.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

SIZES = [("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000), ("10M", 10_000_000)]


def seconds(command):
    """Wall time of a command that must exit 0, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env={**os.environ, "LC_ALL": "C"})
    return time.perf_counter() - start, done.stdout


class Bench:
    def __init__(self, serval, folder, rounds):
        self.serval, self.folder, self.rounds = serval, pathlib.Path(folder), rounds

    def history(self, name, transactions, *options):
        path = self.folder / name
        if not path.exists():
            subprocess.run([self.serval, "gen", "-n", str(transactions), "--sessions", "20", "--keys", "10k", "--seed", "1",
                            *options, "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
        return path

    def check(self, path, level):
        return [self.serval, "check", str(path), "--level", level, "--json"]

    def best_of(self, commands):
        """Runs the commands in turns. Returns the best seconds of each and its last output."""
        best, output = {}, {}
        for _ in range(self.rounds):
            for name, command in commands.items():
                taken, output[name] = seconds(command)
                best[name] = min(taken, best.get(name, taken))
        return best, output


def text_table(bench, sizes):
    print("| transactions | order in the file | level | seconds | of `wc -w` | ns a transaction | peak memory, of the file |")
    print("|---|---|---|---|---|---|---|")
    for order in ("completion", "session"):
        for label, count in sizes:
            path = bench.history(f"{label}-{order}.txt", count, "--order", order)
            levels = ("strong-session-serializable", "strong-session-snapshot-isolation")
            best, output = bench.best_of({"wc": ["wc", "-w", str(path)], **{l: bench.check(path, l) for l in levels}})
            for level in levels:
                report = json.loads(output[level])
                assert report["verdict"] == "valid", report
                memory = report["peak_rss_bytes"] / path.stat().st_size
                print(f"| {label} | {order} | {level} | {best[level]:.3f} | {best[level] / best['wc']:.2f} | "
                      f"{best[level] / count * 1e9:.0f} | {memory:.1f} |", flush=True)


def strict_table(bench, sizes):
    print("\n| transactions | format | level | seconds | of serializable |")
    print("|---|---|---|---|---|")
    for label, count in sizes:
        for extension in ("jsonl", "srv"):
            path = bench.history(f"{label}.{extension}", count)
            levels = ("serializable", "strict-serializable", "strong-snapshot-isolation")
            best, output = bench.best_of({l: bench.check(path, l) for l in levels})
            for level in levels:
                assert json.loads(output[level])["verdict"] == "valid"
                print(f"| {label} | {extension} | {level} | {best[level]:.3f} | {best[level] / best['serializable']:.2f} |", flush=True)


def phase_seconds(report):
    return report["phases"]["infer"] + report["phases"]["check"]


def other_rows(bench, count, label):
    path = bench.history(f"{label}-lightweight.srv", count, "-w", "lightweight")
    checking = min(phase_seconds(json.loads(seconds(bench.check(path, "linearizable"))[1])) for _ in range(bench.rounds))
    start_up, _ = bench.best_of({"version": [bench.serval, "version"]})
    print(f"\n{label} lightweight transactions at linearizable: {checking:.2f} s of checking.")
    print(f"`serval version`: {start_up['version'] * 1000:.1f} ms, fork and exec by Python included.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serval")
    parser.add_argument("--largest", default="1M", choices=[label for label, _ in SIZES])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="keep the generated histories here")
    options = parser.parse_args()
    sizes = SIZES[:[label for label, _ in SIZES].index(options.largest) + 1]
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(options.serval, options.folder or scratch, options.rounds)
        text_table(bench, sizes)
        strict_table(bench, sizes)
        other_rows(bench, *reversed(sizes[min(2, len(sizes) - 1)]))


if __name__ == "__main__":
    main()
