#!/usr/bin/env python3
"""The cost of checking during a run: throughput of serval run with and without --no-live, short runs in turns.
Runs of more than ten seconds also show how far behind the check was at the last progress line. With --other, another
build of serval takes turns with this one.

    bench/live_check.py PATH-TO-SERVAL [ADDRESS...] [--rounds 7] [--time 6s] [--workload mini] [--other PATH]
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile


def run(serval, address, options, flags, folder):
    """Committed transactions per second, and how many seconds the live check was behind, if it said so."""
    path = os.path.join(folder, "run.jsonl")
    done = subprocess.run([serval, "run", address, "-w", options.workload, "-i", "serializable", "-t", options.time,
                           "-o", path, "--progress", "plain", *flags], capture_output=True, text=True, check=True)
    os.remove(path)
    behind = re.findall(r"\(([\d.]+) s behind\)", done.stderr)
    rate = int(re.findall(r"committed \(([\d,]+)/s\)", done.stderr)[-1].replace(",", ""))
    return rate, float(behind[-1]) if behind else None


def measure(options, address, folder):
    modes = {"live": (options.serval, []), "without": (options.serval, ["--no-live"])}
    if options.other:
        modes["other live"] = (options.other, [])
    ratios = {name: [] for name in modes if name != "without"}
    lags = {name: [] for name in ratios}
    for turn in range(options.rounds):
        rates = {}
        for name in list(modes)[::-1 if turn % 2 else 1]:
            rates[name], behind = run(modes[name][0], address, options, modes[name][1], folder)
            if behind is not None:
                lags[name].append(behind)
        print(address, *(f"{name} {rate}/s" for name, rate in rates.items()), sep="   ", flush=True)
        for name, all_ratios in ratios.items():
            all_ratios.append(rates[name] / rates["without"])
    for name, all_ratios in ratios.items():
        lag = f", {statistics.median(lags[name]):.1f} s behind" if lags[name] else ""
        print(f"{address}   {name} of without: median {statistics.median(all_ratios):.2f}, "
              f"{min(all_ratios):.2f} to {max(all_ratios):.2f}{lag}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("serval")
    parser.add_argument("addresses", nargs="*", default=["sqlite:"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--time", default="6s")
    parser.add_argument("--workload", default="mini")
    parser.add_argument("--other")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for address in options.addresses:
            measure(options, address, folder)


if __name__ == "__main__":
    main()
