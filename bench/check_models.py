#!/usr/bin/env python3
"""What does a model cost? Histories of 100,000 operations, and registers with many overlapping operations.

    bench/check_models.py PATH-TO-SERVAL [FOLDER-OF-HISTORIES...]

Prints one line per history: the seconds of the whole check, and those after reading. Folders, if given, are checked as
registers (cas-register), all their files in one run.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

OPERATIONS = 100_000


def entry(kind, process, function, value):
    return "{:type :%s, :process %d, :f :%s, :value %s}\n" % (kind, process, function, value)


def call(process, function, argument, result):
    return entry("invoke", process, function, argument) + entry("ok", process, function, result)


def bank(out, dice):
    balances = [10] * 10
    for i in range(OPERATIONS):
        if i % 2:
            out.write(call(i % 10, "read", "nil", "{%s}" % ", ".join("%d %d" % pair for pair in enumerate(balances))))
            continue
        giver, taker = dice.sample(range(10), 2)
        amount = dice.randint(0, balances[giver])
        balances[giver] -= amount
        balances[taker] += amount
        transfer = "{:from %d, :to %d, :amount %d}" % (giver, taker, amount)
        out.write(call(i % 10, "transfer", transfer, transfer))


def counter(out, _dice):
    for i in range(OPERATIONS):
        out.write(call(i % 10, "read", "nil", (i + 1) // 2) if i % 2 else call(i % 10, "add", 1, 1))


def elements(out, _dice):
    added = []
    for i in range(OPERATIONS):
        if i % 1000 == 999:
            out.write(call(i % 10, "read", "nil", "[%s]" % " ".join(added)))
        else:
            added.append(str(i))
            out.write(call(i % 10, "add", i, i))


class Register:
    """A linearizable register with five values: operations take effect at a random point of their interval."""

    def __init__(self, operations, processes, lost):
        self.left, self.processes, self.lost = operations, list(range(processes)), lost
        self.value, self.open, self.fresh = "nil", {}, processes

    def __call__(self, out, dice):
        while self.left or self.open:
            place = dice.randrange(len(self.processes))
            process = self.processes[place]
            if process in self.open:
                out.write(self.go_on(place, process, dice))
            elif self.left:
                self.left -= 1
                out.write(self.begin(process, dice))

    def begin(self, process, dice):
        function = dice.choices(["read", "write", "cas"], [5, 3, 2])[0]
        argument = {"read": "nil", "write": dice.randrange(5), "cas": (dice.randrange(5), dice.randrange(5))}[function]
        self.open[process] = (function, argument, None)
        return entry("invoke", process, function, "[%d %d]" % argument if function == "cas" else argument)

    def go_on(self, place, process, dice):
        function, argument, ending = self.open[process]
        if ending is None:
            self.open[process] = (function, argument, self.take_effect(function, argument))
            return ""
        del self.open[process]
        if function != "read" and dice.random() < self.lost:
            self.processes[place] = self.fresh
            self.fresh += 1
            return entry("info", process, function, ":timeout")
        return entry(ending[0], process, function, ending[1])

    def take_effect(self, function, argument):
        if function == "read":
            return "ok", self.value
        if function == "write":
            self.value = argument
            return "ok", argument
        matches = self.value == argument[0]
        if matches:
            self.value = argument[1]
        return "ok" if matches else "fail", "[%d %d]" % argument


HISTORIES = [("bank", "bank", bank), ("counter", "counter", counter), ("set", "set", elements),
             ("set-full", "set-full", elements),
             ("register, 10 clients", "cas-register", Register(OPERATIONS, 10, 0)),
             ("register, 10 clients, 1 % lost", "cas-register", Register(20_000, 10, 0.01)),
             ("register, 50 clients", "cas-register", Register(20_000, 50, 0))]


def report(serval, path, model):
    done = subprocess.run([serval, "check", path, "--model", model, "--json", "--timeout", "60s"], capture_output=True,
                          check=False)
    return json.loads(done.stdout)


def main(serval, *folders):
    with tempfile.TemporaryDirectory() as scratch:
        for name, model, write in HISTORIES:
            path = pathlib.Path(scratch) / "history.edn"
            with open(path, "w", encoding="ascii") as out:
                write(out, random.Random(7))
            best = min((report(serval, path, model) for _ in range(3)), key=lambda one: one["time_s"])
            checking = sum(seconds for phase, seconds in best["phases"].items() if phase != "read")
            print(f"{name:32} {best['verdict']:8} {best['time_s']:8.3f} s  after reading {checking:8.3f} s  "
                  f"{best['peak_rss_bytes'] >> 20} MiB  {best['facts'].get('configurations', '-')} configurations")
    for folder in folders:
        files = sorted(str(path) for path in pathlib.Path(folder).iterdir())
        start = time.monotonic()
        subprocess.run([serval, "check", "-q", "--model", "cas-register", *files], capture_output=True, check=False)
        print(f"{folder}: {len(files)} files in {time.monotonic() - start:.3f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
