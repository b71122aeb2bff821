#!/usr/bin/env python3
"""serval watch under clients of every kind: thousands that come and go, slow ones, silent ones, garbage.

    bench/watch_clients.py SERVAL [--connections 64000] [--at-once 2000] [--memory-limit 64]

An honest client occasionally plants a lost update. Fails unless every one of them is found, certain and passed to
--on-violation, memory stays within a tenth of what it was at the start plus the limit, and /healthz answers within
a second.
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HEADER = {"serval": "history", "version": 1, "initial": 0}


def frame(record):
    line = json.dumps(record).encode()
    return struct.pack("<I", len(line)) + line


def transaction(session, label, begin, end, *ops):
    return {"s": session, "t": label, "ops": list(ops), "begin": begin, "end": end}


def heartbeat(session, at=None):
    return {"event": "heartbeat", "s": session, "at": at or time.monotonic_ns()}


class Stage:
    def __init__(self, options, folder):
        self.folder, self.over = folder, threading.Event()
        self.path = str(folder / "s")
        (folder / "alarms").mkdir()
        self.errors = open(folder / "errors", "w+")
        self.watch = subprocess.Popen(
            [options.serval, "watch", f"unix:{self.path}", "--profile", "postgres:repeatable-read", "--idle", "2s", "--json",
             "--memory-limit", f"{options.memory_limit}MiB", "--metrics", "0", "--action-rate", "0", "--max-violations", "0",
             "--on-violation", "exec:cat > alarms/$$", "--progress", "none"],
            cwd=folder, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        while not (found := re.search(r"^metrics +(\S+)/metrics$", (folder / "errors").read_text(), re.MULTILINE)):
            assert self.watch.poll() is None, (folder / "errors").read_text()
            time.sleep(0.02)
        self.url = found[1]
        self.slowest = 0.0

    def connect(self):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.path)
        return connection

    def resident(self):
        return int(pathlib.Path(f"/proc/{self.watch.pid}/statm").read_text().split()[1]) * resource.getpagesize()

    def probe(self):
        start = time.monotonic()
        with urllib.request.urlopen(self.url + "/healthz", timeout=30) as answer:
            answer.read()
        self.slowest = max(self.slowest, time.monotonic() - start)

    def metric(self, name):
        with urllib.request.urlopen(self.url + "/metrics", timeout=30) as answer:
            return next(float(line.split()[-1]) for line in answer.read().decode().splitlines() if line.startswith(name + " "))

    # Several kinds of clients, each in its own thread.
    def slow(self, number):
        connection = self.connect()
        connection.sendall(frame(HEADER) + frame(heartbeat(f"slow {number}")))
        rest = struct.pack("<I", 100_000)
        while not self.over.wait(0.2):
            if number % 3 == 0:  # Sends a line that never ends, one byte at a time.
                connection.sendall(rest[:1] or b"{")
                rest = rest[1:]
            elif number % 3 == 1:  # Sends heartbeats, but rarely.
                self.over.wait(3)
                connection.sendall(frame(heartbeat(f"slow {number}")))

    def garbage(self, number):
        chance = random.Random(number)
        while not self.over.wait(0.05):
            try:
                with self.connect() as connection:
                    if number == 0:
                        connection.sendall(frame(HEADER))
                    connection.sendall(chance.randbytes(chance.randrange(1, 3000)))
            except OSError:
                pass


class Honest:
    """Two sessions, each with its own connection."""

    def __init__(self, stage):
        self.connections = [stage.connect() for _ in range(2)]
        self.planted = 0
        self.lock = threading.Lock()
        for number, connection in enumerate(self.connections):
            connection.sendall(frame(HEADER) + frame(heartbeat(f"honest {number}")))

    def beat(self):
        with self.lock:
            at = time.monotonic_ns()
            for number, connection in enumerate(self.connections):
                connection.sendall(frame(heartbeat(f"honest {number}", at)))

    def plant(self):
        with self.lock:
            self.planted += 1
            key, now = f"x{self.planted}", time.monotonic_ns()
            for number, connection in enumerate(self.connections):
                ops = [["r", key, 0, {"at": [now + 10 + number, now + 20 + number]}],
                       ["w", key, 1 + number, {"at": [now + 50 + 200 * number, now + 60 + 200 * number]}]]
                connection.sendall(frame(transaction(f"honest {number}", f"plant {self.planted}", now + number, now + 90 + 300 * number, *ops)))

    def close(self):
        for connection in self.connections:
            connection.sendall(frame({"event": "sync", "at": time.monotonic_ns() + 1000, "last": True}))
            connection.close()


def churn(stage, count, done):
    """Connections that are open at the same time: half of them only connect, half do a transaction."""
    connections = [stage.connect() for _ in range(count)]
    for i, connection in enumerate(connections):
        if i % 2 == 0:
            at = time.monotonic_ns()
            connection.sendall(frame(HEADER) + frame(heartbeat("one", at)) +
                               frame(transaction("one", i, at + 1, at + 9, ["w", f"y{done + i}", i, {"at": [at + 3, at + 4]}])) +
                               frame({"event": "sync", "at": at + 10, "last": True}))
    for connection in connections:
        connection.close()


def run(options, folder):
    stage = Stage(options, folder)
    try:
        honest = Honest(stage)
        honest.plant()
        honest.beat()
        while stage.metric("serval_violations_total") < 1:
            time.sleep(0.05)
        start = most = stage.resident()
        threads = [threading.Thread(target=stage.slow, args=(i,), daemon=True) for i in range(12)]
        threads += [threading.Thread(target=stage.garbage, args=(i,), daemon=True) for i in range(3)]

        def beat():
            while not stage.over.wait(0.2):
                honest.beat()
        threads.append(threading.Thread(target=beat, daemon=True))
        for thread in threads:
            thread.start()
        done = 0
        while done < options.connections:
            churn(stage, min(options.at_once, options.connections - done), done)
            done += min(options.at_once, options.connections - done)
            honest.plant()
            stage.probe()
            most = max(most, stage.resident())
        honest.plant()
        deadline = time.monotonic() + 60
        while len(list((folder / "alarms").iterdir())) < honest.planted and time.monotonic() < deadline:
            time.sleep(0.1)
            honest.beat()
            most = max(most, stage.resident())
        stage.over.set()
        for thread in threads:
            thread.join()
        honest.close()
        time.sleep(0.5)
        most = max(most, stage.resident())
        stage.watch.send_signal(signal.SIGTERM)
        out, _ = stage.watch.communicate(timeout=60)
    finally:
        if stage.watch.poll() is None:
            stage.watch.kill()
            stage.watch.communicate()
    summary = json.loads(out.splitlines()[-1])
    alarms = [json.loads(file.read_text()) for file in (folder / "alarms").iterdir()]
    certain = sum(each["event"] == "violation" and each["type"] == "lost-update" for each in alarms)
    limit = 1.1 * start + options.memory_limit * 2**20
    print(f"{done} connections   {honest.planted} planted   {summary['violations']} found   {certain} passed on as certain   "
          f"{summary['suspects']} suspects   {summary['refused_connections']} refused")
    print(f"memory {start / 2**20:.0f} MiB at the start, {most / 2**20:.0f} at most, {limit / 2**20:.0f} allowed   "
          f"/healthz {1000 * stage.slowest:.0f} ms at most   late transactions {summary['pipeline']['late_transactions']}")
    ok = (stage.watch.returncode == 1 and summary["violations"] == certain == honest.planted and most <= limit
          and stage.slowest < 1)
    if not ok:
        print("FAILED", (folder / "errors").read_text()[-2000:])
    return 0 if ok else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("serval", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--connections", type=int, default=64000)
    parser.add_argument("--at-once", type=int, default=2000)
    parser.add_argument("--memory-limit", type=int, default=64, help="MiB")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    options.at_once = min(options.at_once, hard // 2)
    with tempfile.TemporaryDirectory(prefix="serval-watch-") as folder:
        return run(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
