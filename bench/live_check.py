#!/usr/bin/env python3
"""What checking while it runs costs: throughput of serval run with and without --no-live, short runs in turns.

    bench/live_check.py PATH-TO-SERVAL [ADDRESS...] [--rounds 7] [--time 6s]
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile


def committed_per_second(serval, address, time, flags, folder):
    path = os.path.join(folder, "run.jsonl")
    done = subprocess.run([serval, "run", address, "-w", "mini", "-i", "serializable", "-t", time, "-o", path,
                           "--progress", "none", *flags], capture_output=True, text=True, check=True)
    os.remove(path)
    return int(re.search(r"committed \(([\d,]+)/s\)", done.stderr)[1].replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("serval")
    parser.add_argument("addresses", nargs="*", default=["sqlite:"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--time", default="6s")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for address in options.addresses:
            ratios = []
            for turn in range(options.rounds):
                rates = {}
                for mode in (["--no-live"], [])[::-1 if turn % 2 else 1]:
                    rates[bool(mode)] = committed_per_second(options.serval, address, options.time, mode, folder)
                ratios.append(rates[False] / rates[True])
                print(f"{address}   live {rates[False]}/s   without {rates[True]}/s", flush=True)
            print(f"{address}   live of without: median {statistics.median(ratios):.2f}, "
                  f"{min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
