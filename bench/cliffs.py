#!/usr/bin/env python3
"""Do unusual shapes of histories cost what their size suggests? Measures the bars of docs/performance.md on whole commands.

    bench/cliffs.py build/release/apps/cli/serval [--shapes ring,one-value] [--levels survey,causal] [--share 1] [--folder DIR]

Every shape is PolySI text of its own: repeated values, one giant cycle, a session per transaction, one hot key, one
huge transaction, no reads at all. `--share 0.25` takes a quarter of the transactions, which shows how it grows. User time counts.
"""
import argparse
import pathlib
import random
import re
import resource
import subprocess
import tempfile

ANY = (0, 1, 2)  # Exit codes; the bars concern time and memory only.


def one_value(n, write):
    """Blind writes of one value to one key, and reads of it."""
    for i in range(n):
        write(f"w(1,1,{i % 20},{i + 1})\n" if i % 2 else f"r(1,{min(i, 1)},{i % 20},{i + 1})\n")


def three_values(n, write):
    """Every transaction reads a key of twenty and writes one of three values to it."""
    draw, state = random.Random(1), {}
    for i in range(n):
        key, value = draw.randrange(20), draw.randrange(1, 4)
        write(f"r({key},{state.get(key, 0)},{i % 20},{i + 1})\nw({key},{value},{i % 20},{i + 1})\n")
        state[key] = value


def ring(n, write):
    """One cycle of anti-dependencies through all transactions."""
    for i in range(n):
        write(f"r({i},0,{i % 20},{i + 1})\nw({(i + 1) % n},{i + 1},{i % 20},{i + 1})\n")


def lost_updates(n, write):
    """All read the initial version of one key and write it."""
    for i in range(n):
        write(f"r(1,0,{i % 20},{i + 1})\nw(1,{i + 1},{i % 20},{i + 1})\n")


def own_sessions(n, write):
    """A session per transaction, each on its own key, and one lost update."""
    for i in range(n):
        write(f"r({i},0,{i},{i + 1})\nw({i},{i + 1},{i},{i + 1})\n")
    for i in (1, 2):
        write(f"r({n},0,{n + i},{n + i})\nw({n},{i},{n + i},{n + i})\n")


def own_sessions_chain(n, write):
    """A session per transaction, all on one key, each reading what the previous one wrote."""
    for i in range(n):
        write(f"r(1,{i},{i},{i + 1})\nw(1,{i + 1},{i},{i + 1})\n")


def own_sessions_mixed(n, write):
    """A session per transaction, each with two reads and a write of 1,000 keys."""
    draw, state = random.Random(1), {}
    for i in range(n):
        one, other = draw.sample(range(1000), 2)
        write(f"r({one},{state.get(one, 0)},{i},{i + 1})\nr({other},{state.get(other, 0)},{i},{i + 1})\n"
              f"w({one},{i + 1},{i},{i + 1})\n")
        state[one] = i + 1


def hot_key(n, write):
    """Blind writes to one key, each read once."""
    for i in range(n // 2):
        write(f"w(1,{i + 1},{i % 20},{2 * i + 1})\nr(1,{i + 1},{(i + 1) % 20},{2 * i + 2})\n")


def huge_transaction(n, write):
    """One transaction writes n keys, another reads them."""
    for i in range(n):
        write(f"w({i},{i + 1},1,1)\n")
    for i in range(n):
        write(f"r({i},{i + 1},2,2)\n")


def torn_transaction(n, write):
    """One transaction writes n keys, another reads them all except one, of which it saw nothing."""
    for i in range(n):
        write(f"w({i},{i + 1},1,1)\n")
    for i in range(n):
        write(f"r({i},{i + 1 if i else 0},2,2)\n")


def aborted_reads(n, write):
    """One transaction writes n keys and rolls back, another reads them."""
    for i in range(n):
        write(f"w({i},{i + 1},1,-1)\n")
    for i in range(n):
        write(f"r({i},{i + 1},2,2)\n")


def no_reads(n, write):
    """Two blind writes of a hundred keys each."""
    draw = random.Random(1)
    for i in range(n):
        write(f"w({draw.randrange(100)},{i + 1},{i % 20},{i + 1})\nw({draw.randrange(100)},{n + i + 1},{i % 20},{i + 1})\n")


def initial_reads(n, write):
    """A session for each transaction; one half reads the initial version of one key, the other half writes it."""
    for i in range(n // 2):
        write(f"r(1,0,{i},{i + 1})\n")
    for i in range(n // 2, n):
        write(f"w(1,{i + 1},{i},{i + 1})\n")


SHAPES = {"one-value": (one_value, 40_000), "three-values": (three_values, 160_000), "ring": (ring, 400_000),
          "lost-updates": (lost_updates, 40_000), "own-sessions": (own_sessions, 100_000),
          "own-sessions-chain": (own_sessions_chain, 100_000), "own-sessions-mixed": (own_sessions_mixed, 100_000),
          "hot-key": (hot_key, 100_000), "huge-transaction": (huge_transaction, 100_000),
          "torn-transaction": (torn_transaction, 100_000), "aborted-reads": (aborted_reads, 100_000), "no-reads": (no_reads, 100_000),
          "initial-reads": (initial_reads, 100_000)}


def measure(command):
    """User time in seconds of a command that prints a report, its peak memory in bytes and its verdict. A report may be
    large, and the memory of this process when it starts the next command counts as that command's."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in ANY, (command, done.returncode)
    peak = max(int(number) for number in re.findall(rb'"peak_rss_bytes": ?([0-9]+)', done.stdout))
    verdict = re.search(rb'"verdict": ?"([a-z]+)"', done.stdout)
    return after.ru_utime - before.ru_utime, peak, verdict.group(1).decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serval")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--levels", default="survey", help="names of levels, or survey: without --level")
    parser.add_argument("--share", type=float, default=1)
    parser.add_argument("--flags", default="", help="more flags for check, such as --verify")
    parser.add_argument("--folder", help="keep the histories here")
    options = parser.parse_args()
    print("| shape | transactions | level | user seconds | peak memory, MB | verdict |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.shapes.split(","):
            make, size = SHAPES[name]
            size = int(size * options.share)
            path = pathlib.Path(options.folder or scratch) / f"{name}-{size}.txt"
            if not path.exists():
                with open(path, "w", encoding="utf-8", buffering=1 << 20) as file:
                    make(size, file.write)
            for level in options.levels.split(","):
                chosen = [] if level == "survey" else ["--level", level]
                seconds, peak, verdict = measure([options.serval, "check", str(path), "--json", *chosen, *options.flags.split()])
                print(f"| {name} | {size} | {level} | {seconds:.2f} | {peak / 1e6:.0f} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
