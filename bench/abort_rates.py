#!/usr/bin/env python3
"""How many transactions of mini and of general workloads does PostgreSQL abort? Fig. 11 of MTC: over the number of sessions, and
over skew, here as transactions per key and as distributions. Prints the tables of docs/evidence.md; --write puts them there and
draws docs/abort_rates.svg.

    bench/abort_rates.py build/release/apps/cli/serval "$(scripts/servers start postgres)" [--time 5s] [--write]

MTC's parameters where it names them: general transactions of 20 operations, 20 % read-only, 40 % write-only, 40 % read-modify-write.
Nothing is rolled back deliberately. A rate is aborted by the server / (committed + aborted).
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
SERIES = [(workload, isolation) for isolation in ("serializable", "repeatable-read") for workload in ("mini", "general:operations=20")]
SESSIONS = [1, 2, 4, 8, 16, 32]
TRANSACTIONS = 2000  # In a run over transactions per key.
A_KEY = [1, 2, 5, 10, 20, 50]
DISTRIBUTIONS = ["uniform", "zipf", "hotspot", "exponential"]


def abort_rate(serval, address, series, flags):
    workload, isolation = series
    with tempfile.TemporaryDirectory(prefix="serval-abort-rates-") as folder:
        path = f"{folder}/history.jsonl"
        command = [serval, "record", address, "-w", workload, "-i", isolation, "--abort", "0", "-o", path, "--progress", "none", *flags]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        numbers = json.loads(subprocess.run([serval, "stats", "--json", path], check=True, stdout=subprocess.PIPE).stdout)
    counts = numbers.get("counts", numbers)
    return counts["aborted"] / max(1, counts["committed"] + counts["aborted"])


def table(axis, places, rates):
    head = f"| {axis} | " + " | ".join(f"{workload.split(':')[0]}, {isolation}" for workload, isolation in SERIES) + " |\n"
    lines = [f"| {place} | " + " | ".join(f"{rates[place, series]:.1%}" for series in SERIES) + " |\n" for place in places]
    return head + "|---" * (len(SERIES) + 1) + "|\n" + "".join(lines)


# --- the plot ------------------------------------------------------------------------------------------------------

WIDTH, HEIGHT, LEFT, TOP, SPAN_X, SPAN_Y = 860, 330, 60, 40, 320, 220
COLOURS = {"mini": "#1b7f5c", "general": "#b3412e"}


def panel(offset, title, axis, places, rates):
    """Points at equal distances, rates from 0 to 100 %."""
    step = SPAN_X / (len(places) - 1)
    x = lambda i: offset + i * step
    y = lambda rate: TOP + SPAN_Y * (1 - rate)
    out = [f'<text x="{offset + SPAN_X / 2}" y="{TOP - 16}" text-anchor="middle" font-weight="bold">{title}</text>']
    for percent in (0, 25, 50, 75, 100):
        out.append(f'<line x1="{offset}" x2="{offset + SPAN_X}" y1="{y(percent / 100)}" y2="{y(percent / 100)}" stroke="#ddd"/>'
                   f'<text x="{offset - 8}" y="{y(percent / 100) + 4}" text-anchor="end">{percent} %</text>')
    for i, place in enumerate(places):
        out.append(f'<text x="{x(i):.1f}" y="{TOP + SPAN_Y + 18}" text-anchor="middle">{place}</text>')
    out.append(f'<text x="{offset + SPAN_X / 2}" y="{TOP + SPAN_Y + 38}" text-anchor="middle">{axis}</text>')
    for workload, isolation in SERIES:
        points = " ".join(f"{x(i):.1f},{y(rates[place, (workload, isolation)]):.1f}" for i, place in enumerate(places))
        dash = "" if isolation == "serializable" else ' stroke-dasharray="6 4"'
        out.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[workload.split(":")[0]]}" stroke-width="2"{dash}/>')
    return out


def plot(panels):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for i, (title, axis, places, rates) in enumerate(panels):
        out += panel(LEFT + i * (SPAN_X + 90), title, axis, places, rates)
    for i, (workload, isolation) in enumerate(SERIES):
        at, name = LEFT + i * 200, workload.split(":")[0]
        dash = "" if isolation == "serializable" else ' stroke-dasharray="6 4"'
        out.append(f'<line x1="{at}" x2="{at + 28}" y1="{HEIGHT - 14}" y2="{HEIGHT - 14}" stroke="{COLOURS[name]}" stroke-width="2"{dash}/>'
                   f'<text x="{at + 34}" y="{HEIGHT - 10}">{name}, {isolation}</text>')
    return "\n".join(out + ["</svg>\n"])


def put_into_page(text):
    page = DOCS / "evidence.md"
    begin, end = "<!-- abort rates -->\n", "<!-- end of abort rates -->"
    before, rest = page.read_text().split(begin, 1)
    page.write_text(before + begin + text + end + rest.split(end, 1)[1])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("serval")
    arguments.add_argument("address")
    arguments.add_argument("--time", default="5s", help="duration of a run over sessions or distributions")
    arguments.add_argument("--write", action="store_true", help="write the tables and the plot to docs")
    flags = arguments.parse_args()

    def measure(places, flags_of):
        return {(place, series): abort_rate(flags.serval, flags.address, series, flags_of(place)) for place in places for series in SERIES}

    by_sessions = measure(SESSIONS, lambda count: ["-c", str(count), "-t", flags.time, "--keys", "1000"])
    by_keys = measure(A_KEY, lambda share: ["-c", "8", "-n", str(TRANSACTIONS), "--keys", str(TRANSACTIONS // share)])
    by_choice = measure(DISTRIBUTIONS, lambda name: ["-c", "8", "-t", flags.time, "--keys", "1000", "--distribution", name])
    tables = "\n".join([table("sessions (1000 keys, uniform)", SESSIONS, by_sessions),
                        table("transactions per key (8 sessions, uniform)", A_KEY, by_keys),
                        table("distribution (8 sessions, 1000 keys)", DISTRIBUTIONS, by_choice)])
    print(tables)
    if flags.write:
        put_into_page(tables)
        (DOCS / "abort_rates.svg").write_text(plot([("Abort rate over sessions", "sessions", SESSIONS, by_sessions),
                                                    ("Abort rate over skew", "transactions per key", A_KEY, by_keys)]))


if __name__ == "__main__":
    main()
