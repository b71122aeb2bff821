#!/usr/bin/env python3
"""How long does a list-append history take after parsing, and how does it grow? Prints the table of docs/performance.md.

    bench/list_append.py build/release/apps/cli/serval [--largest 1M] [--rounds 5] [--folder DIR] [FILE...]

Histories come from `serval gen -w list-append` as EDN with a fixed seed, as a strictly serializable and as a snapshot-isolated
database would record them; FILEs (for example a history with one huge component) are also checked without a level. CPU seconds of
the phases after parsing count, the best of the rounds.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile

SIZES = [("10k", 10_000), ("100k", 100_000), ("1M", 1_000_000)]


def run(command):
    """The report of a check, and the CPU seconds of the whole command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1, 2), command
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), cpu


def best(command, rounds):
    """The last report, the least seconds after parsing, the least CPU seconds of the whole command."""
    reports = [run(command) for _ in range(rounds)]
    after_parsing = min(sum(s for phase, s in report["phases"].items() if phase != "read") for report, _ in reports)
    return reports[-1][0], after_parsing, min(cpu for _, cpu in reports)


def generate(serval, path, count, level):
    if not path.exists():
        subprocess.run([serval, "gen", "-w", "list-append", "-n", str(count), "--level", level, "--sessions", "20",
                        "--keys", "100", "--seed", "1", "-f", "edn", "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
    return path


def row(label, level, path, report, after_parsing, cpu):
    anomalies = ", ".join(f"{count} {name}" for name, count in report["anomalies"]["by_type"].items()) or "none"
    print(f"| {label} | {level or 'all'} | {report['verdict']} | {after_parsing:.3f} | {cpu:.3f} | {anomalies} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serval")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--largest", default="100k", choices=[label for label, _ in SIZES])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="keep the generated histories here")
    options = parser.parse_args()
    sizes = SIZES[:[label for label, _ in SIZES].index(options.largest) + 1]
    print("| history | level asked | verdict | seconds after parsing | CPU seconds in all | anomalies |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.folder or scratch)
        for database in ("strict-serializable", "strong-snapshot-isolation"):
            for label, count in sizes:
                path = generate(options.serval, folder / f"{database}-{label}.edn", count, database)
                for level in ("serializable", "strict-serializable", "strong-snapshot-isolation", None):
                    asked = ["--level", level] if level else []
                    command = [options.serval, "check", str(path), "--json", *asked]
                    row(f"{label} of {database}", level, path, *best(command, options.rounds))
        for file in options.files:
            row(pathlib.Path(file).name, None, file, *best([options.serval, "check", file, "--json"], options.rounds))


if __name__ == "__main__":
    main()
