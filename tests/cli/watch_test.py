#!/usr/bin/env python3
"""Runs serval watch as a user would: files that grow, sockets, clients that go away, metrics, signals.

    python3 tests/cli/watch_test.py PATH-TO-SERVAL [unittest arguments]
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
import cli_test
from skip_without import CORPORA, DATA, skip_without

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
HEADER = {"serval": "history", "version": 1, "initial": 0}
LOST_UPDATES = "simulated:?bug=lost-update:probability=0.5"
SI = ("--profile", "postgres:repeatable-read")


def transaction(session, label, begin, end, *ops, outcome="committed"):
    return {"s": session, "t": label, "ops": list(ops), "begin": begin, "end": end, "outcome": outcome}


def read(key, value, *at):
    return ["r", key, value, {"at": list(at)}]


def write(key, value, *at):
    return ["w", key, value, {"at": list(at)}]


# Two clients that read 0 and both write: one update is lost.
LOST = [transaction(1, 1, 10, 100, read("x", 0, 20, 30), write("x", 1, 40, 50)),
        transaction(2, 2, 11, 400, read("x", 0, 21, 31), write("x", 2, 200, 300))]
GOOD = [transaction(1, 1, 10, 100, read("x", 0, 20, 30), write("x", 1, 40, 50)),
        transaction(2, 2, 200, 400, read("x", 1, 210, 220), write("x", 2, 230, 300))]


def lines(*records):
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in (HEADER, *records))


class WatchTest(cli_test.CliTest):
    def start(self, *arguments):
        process = subprocess.Popen([cli_test.SERVAL, "watch", *map(str, arguments)], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finished(self, process, code):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def said(self, process, word):
        """The rest of the line on standard error that begins with `word`."""
        line = process.stderr.readline()
        self.assertTrue(line.startswith(word), line)
        return line[len(word):].strip()

    def listen(self, *arguments, address="tcp:0"):
        watch = self.start(address, *arguments)
        return watch, self.said(watch, "listening")


class Files(WatchTest):
    def test_a_recording_is_watched_to_its_end(self):
        self.expect(0, "record", "simulated:", "-w", "mini", "-n", "2k", "-o", "run.jsonl")
        result = self.expect(0, "watch", "run.jsonl")
        self.assertEqual(result.first, "CLEAN run.jsonl simulated:strict-serializable")
        self.assertIn("2,000 txns", result.out)
        self.assertIn("ended by end of input", result.out)

    def test_a_violation_is_shown_with_both_derivations(self):
        result = self.expect(1, "watch", self.file("lost.jsonl", lines(*LOST)), *SI)
        self.assertIn("lost-update", result.out)
        self.assertIn("T1", result.out)
        self.assertIn("T2", result.out)
        self.assertIn("VIOLATION lost.jsonl postgres:repeatable-read", result.out)

    def test_a_statement_that_was_refused_took_no_lock(self):
        # Seen on PostgreSQL: the second one waits for the lock of x and becomes the victim of a deadlock.
        holder = transaction(1, 1, 10, 100, write("x", 1, 20, 25), write("y", 1, 40, 80))
        victim = transaction(2, 2, 11, 60, write("y", 2, 21, 26), ["w", "x", 2], outcome="aborted")
        for profile in ("postgres:read-committed", "postgres:serializable", "mariadb:repeatable-read"):
            self.expect(0, "watch", self.file("victim.jsonl", lines(holder, victim)), "--profile", profile)

    def test_several_threads_give_the_same_verdicts(self):
        self.file("lost.jsonl", lines(*LOST))
        one = self.expect(1, "watch", "lost.jsonl", *SI)
        several = self.expect(1, "watch", "lost.jsonl", *SI, "--threads", "3")
        timeless = lambda text: [line for line in text.splitlines() if "ended by" not in line]
        self.assertEqual(timeless(one.out), timeless(several.out))
        self.expect(0, "record", "simulated:", "-w", "mini", "-n", "2k", "-o", "run.jsonl")
        self.assertTrue(self.expect(0, "watch", "run.jsonl", "--threads", "2").first.startswith("CLEAN"))
        self.expect(2, "check", "run.jsonl", "--engine", "mirror", "--threads", "2")  # The absence of contradictions is not a proof.

    def test_json_lines(self):
        result = self.expect(1, "watch", self.file("lost.jsonl", lines(*LOST)), *SI, "--json")
        found, summary = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual((found["event"], found["type"], found["txns"]), ("violation", "lost-update", [1, 2]))
        self.assertTrue(found["first"]["records"] and found["second"]["conclusion"])
        self.assertEqual((summary["event"], summary["verdict"], summary["violations"]), ("summary", "violation", 1))
        self.assertEqual(summary["counts"]["committed"], 2)

    def test_other_formats_are_read_as_a_whole(self):
        self.file("good.jsonl", lines(*GOOD))
        self.expect(0, "convert", "good.jsonl", "good.srv")
        self.assertTrue(self.expect(0, "watch", "good.srv", *SI).first.startswith("CLEAN good.srv"))

    def test_sessions_that_follow_each_other_in_a_file_are_put_in_order(self):
        self.file("good.jsonl", lines(GOOD[1], GOOD[0]))
        self.expect(0, "watch", "good.jsonl", *SI)

    def test_a_history_without_times_is_refused(self):
        result = self.expect(3, "watch", self.file("good.notation", cli_test.GOOD), "-l", "serializable")
        self.assertIn("has no times", result.err)

    def test_a_transaction_without_a_begin_is_refused(self):
        without = {"s": 1, "t": "late", "ops": [["w", "x", 3]]}
        result = self.expect(3, "watch", self.file("good.jsonl", lines(*GOOD, without)), *SI)
        self.assertIn("transaction late has no begin time", result.err)

    def test_garbage_is_refused_with_its_position(self):
        result = self.expect(3, "watch", self.file("bad.jsonl", lines(*GOOD) + "{\"s\":1,oops}\n"), *SI)
        self.assertIn("bad.jsonl:4:8", result.err)

    def test_a_violation_is_not_masked_by_garbage_after_it(self):
        sync = {"event": "sync", "at": 500}
        text = lines({"event": "sync", "at": 0}, *LOST, sync) + "garbage\n" + json.dumps(sync).replace(" ", "") + "\n"
        result = self.expect(1, "watch", self.file("bad.jsonl", text), *SI)
        self.assertIn("bad.jsonl:6:1", result.err)

    def test_a_growing_file_is_followed(self):
        recording = self.folder / "run.jsonl"
        record = subprocess.Popen([cli_test.SERVAL, "record", LOST_UPDATES, "-w", "mini", "--keys", "5", "-t", "100s", "--rate",
                                   "2k", "-o", str(recording), "--progress", "none"], cwd=self.folder,
                                  stderr=subprocess.PIPE)
        self.addCleanup(self.end, record)
        while not recording.exists():
            self.assertIsNone(record.poll())
            time.sleep(0.01)
        watch = self.start("run.jsonl", "--on-violation", "exit", "--duration", "60s")
        out, _ = self.finished(watch, 1)
        self.assertIn("ended by the first violation", out)
        self.assertIsNone(record.poll())  # It was still being written.
        record.send_signal(signal.SIGTERM)
        record.communicate(timeout=60)

    def test_a_signal_ends_with_a_summary(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(signal=number):
                self.file("open.jsonl", lines(*GOOD, {"event": "sync", "at": 500}))
                watch = self.start("open.jsonl", "--follow", *SI, "--metrics", "127.0.0.1:0")
                url = self.said(watch, "metrics").removesuffix("/metrics")
                self.wait_for_metric(url, "serval_records_total", 9)
                watch.send_signal(number)
                out, _ = self.finished(watch, code)
                self.assertTrue(out.startswith("CLEAN open.jsonl"), out)
                self.assertIn(f"ended by {number.name}", out)

    def test_a_signal_does_not_mask_a_violation(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                self.file("lost.jsonl", lines(*LOST, {"event": "sync", "at": 500}))
                watch = self.start("lost.jsonl", "--follow", *SI, "--metrics", "127.0.0.1:0")
                url = self.said(watch, "metrics").removesuffix("/metrics")
                samples = self.wait_for_metric(url, "serval_violations_total", 1)
                self.assertGreater(samples['serval_transactions_total{outcome="committed"}'], 0)  # From the same moment.
                watch.send_signal(number)
                out, _ = self.finished(watch, 1)
                self.assertIn(f"ended by {number.name}", out)

    def test_a_hangup_ends_with_a_summary_unless_it_is_ignored(self):
        path = self.folder / "s"
        watch, address = self.listen(*SI, address=f"unix:{path}")
        Client(address).send(HEADER, *GOOD).close()
        watch.send_signal(signal.SIGHUP)
        out, _ = self.finished(watch, 129)
        self.assertIn("ended by SIGHUP", out)
        self.assertFalse(path.exists())
        watch = subprocess.Popen(["nohup", cli_test.SERVAL, "watch", f"unix:{path}", *SI], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, watch)
        self.said(watch, "listening")
        watch.send_signal(signal.SIGHUP)
        Client(f"unix:{path}").send(HEADER, *GOOD).close()
        watch.send_signal(signal.SIGTERM)
        self.finished(watch, 143)

    def test_a_large_transaction_takes_time_in_proportion(self):
        ops = [["w", f"k{i}", 1] for i in range(400_000)]  # Without times; this once took minutes.
        self.file("large.jsonl", lines(transaction(1, 1, 10, 20, *ops)))
        process = subprocess.run([cli_test.SERVAL, "watch", "large.jsonl", "--no-follow", *SI], cwd=self.folder, capture_output=True,
                                 text=True, timeout=60)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("400,000 ops", process.stdout)

    def test_duration_ends_it(self):
        self.file("open.jsonl", lines(*GOOD))
        start = time.monotonic()
        result = self.expect(0, "watch", "open.jsonl", "--follow", *SI, "--duration", "1s")
        self.assertIn("ended by --duration", result.out)
        self.assertGreater(time.monotonic() - start, 0.9)

    def test_a_last_line_without_a_newline_is_taken(self):
        name = self.file("lost.jsonl", lines(*LOST).rstrip("\n"))
        self.expect(1, "watch", name, *SI)
        self.expect(1, "watch", name, *SI, "--follow", "-t", "500ms")

    def test_a_file_that_is_cut_off_is_a_doubt(self):
        name = self.file("cut.jsonl", lines(*GOOD)[:-20])
        for follow in ((), ("--follow", "-t", "500ms")):
            result = self.expect(2, "watch", name, *SI, *follow)
            self.assertIn("missed     cut.jsonl is cut off", result.out)
            self.assertIn("note: ", result.err)
        self.file("cut.jsonl", lines(thin_air(10), *GOOD)[:-20])  # The value may be on the line that is missing.
        self.assertNotIn("violation  ", self.expect(2, "watch", name, *SI).out)
        self.assertIn("suspect  ", self.expect(2, "watch", name, *SI, "--follow", "-t", "500ms").out)

    def test_a_file_that_is_replaced_is_not_followed_any_more(self):
        self.file("run.jsonl", lines(*GOOD))
        watch = self.start("run.jsonl", "--follow", *SI, "--metrics", "0", "-t", "30s")
        url = self.said(watch, "metrics").removesuffix("/metrics")
        samples = self.wait_for_metric(url, "serval_records_total", 5)
        self.assertIn('serval_certifier_patterns_total{pattern="dangerous-structure",own="no"}', samples)
        self.assertIn('serval_overlapping_dependencies_total{kind="wr"}', samples)
        self.file("new.jsonl", lines(*GOOD, *LOST))
        os.replace(self.folder / "new.jsonl", self.folder / "run.jsonl")
        self.assertIn("the file was replaced", self.finished(watch, 3)[1])

    def test_a_clock_that_goes_back_is_named(self):
        back = [transaction(1, 1, 30, 40, ["w", "x", 1]), transaction(1, 2, 10, 20, ["r", "x", 1])]
        name = self.file("back.jsonl", lines(*back))
        for follow in ("--no-follow", "--follow"):
            result = self.expect(3, "watch", name, "-l", "serializable", follow, "-t", "2s")
            self.assertRegex(result.err, r"back.jsonl, session 1\s+the clock of this client ran backwards by 20 ns")

    def test_impossible_times_are_refused(self):
        for record in (transaction(1, "a", 100, 50, ["w", "x", 1]), transaction(1, "a", 10, 50, write("x", 1, 300, 200)),
                       transaction(1, "a", 10, 50, read("x", 0, 40, 60)), transaction(1, "a", 10, 50, read("x", 0, 5, 20))):
            name = self.file("back.jsonl", lines(record, transaction(2, "b", 60, 70, ["r", "x", 1])))
            for follow in ("--no-follow", "--follow"):
                with self.subTest(record=record, follow=follow):
                    result = self.expect(3, "watch", name, "-l", "serializable", follow, "-t", "2s")
                    self.assertIn("the times of transaction a in session 1 contradict each other", result.err)

    def test_a_header_alone_is_nothing(self):
        name = self.file("header.jsonl", lines())
        for arguments in (("--no-follow",), ("-t", "300ms")):  # A recording may have just begun.
            self.expect(2, "watch", name, *SI, *arguments)

    def test_an_empty_file_does_not_ask_for_what_was_given(self):
        self.assertIn("--follow", self.expect(3, "watch", self.file("empty.jsonl", ""), *SI).err)
        self.assertNotIn("--follow", self.expect(3, "watch", "/dev/null", *SI, "--follow").err)

    def test_a_compressed_recording_is_read_as_a_whole(self):
        self.expect(0, "record", "simulated:", "-w", "mini", "-n", "500", "-o", "run.jsonl")
        (self.folder / "run.jsonl.gz").write_bytes(gzip.compress((self.folder / "run.jsonl").read_bytes()))
        self.assertIn("500 txns", self.expect(0, "watch", "run.jsonl.gz").out)
        result = self.expect(3, "watch", "run.jsonl.gz", "--follow")
        self.assertIn("a compressed file cannot be followed", result.err)
        self.assertIn("--no-follow", result.err)

    def test_one_is_not_many_and_nanoseconds_are_not_rounded_away(self):
        ahead = [transaction(1, 1, 1000, 1100, write("x", 1, 1010, 1020)), transaction(2, 2, 900, 950, read("x", 1, 910, 920))]
        result = self.expect(1, "watch", self.file("ahead.jsonl", lines(*ahead)), *SI)
        self.assertIn("   1 read checked   ", result.out)
        self.assertRegex(result.out, r"up to \d+ ns later")

    def wait_for_metric(self, url, name, value):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            samples = metrics(url)
            if samples.get(name, 0) >= value:
                return samples
            time.sleep(0.02)
        self.fail(f"{name} stays below {value}: {samples}")


def metrics(url):
    with urllib.request.urlopen(url + "/metrics", timeout=10) as answer:
        text = answer.read().decode()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#")}


SEEDS = DATA / "seeds/DBHammer+Pisco"


class LeopardTraces(WatchTest):
    def setUp(self):
        super().setUp()
        if not DATA.exists():
            skip_without(self, CORPORA, f"no {DATA}")

    def test_the_seeds_have_their_verdicts(self):
        for folder, profile, code in (("pg15/READ_COMMITTED", "postgres:read-committed", 0),
                                      ("pg15/REPEATABLE_READ", "postgres:repeatable-read", 0),
                                      ("pg15/SERIALIZABLE", "postgres:serializable", 0),
                                      ("pg15/RC_relabelled_RR", "postgres:repeatable-read", 1),
                                      ("tidb_42487", "tidb:repeatable-read", 1)):
            with self.subTest(folder=folder):
                self.expect(code, "watch", SEEDS / folder, "--profile", profile)

    def test_one_wrong_column_of_one_row_is_caught(self):
        shutil.copytree(SEEDS / "pg15/READ_COMMITTED", self.folder / "run", copy_function=shutil.copyfile)
        file = self.folder / "run/trace/loader-3.0.json"
        operations = json.loads(file.read_text())
        committed = {each["transactionID"] for each in operations if each["operationTraceType"] == "COMMIT"}
        for operation in operations:
            if operation["transactionID"] in committed and operation.get("readTupleList"):
                columns = operation["readTupleList"][0]["valueMap"]
                columns[sorted(columns)[0]] = "777"
                break
        file.write_text(json.dumps(operations))
        result = self.expect(1, "watch", "run", "--profile", "postgres:read-committed")
        self.assertIn("777", result.out)

    def test_a_truncated_trace_is_refused_with_its_position(self):
        shutil.copytree(SEEDS / "pg15/READ_COMMITTED", self.folder / "run", copy_function=shutil.copyfile)
        file = self.folder / "run/trace/loader-3.0.json"
        file.write_bytes(file.read_bytes()[:5000])
        self.assertIn("loader-3.0.json:1:5001", self.expect(3, "watch", "run", *SI).err)


class StandardInput(WatchTest):
    def test_lines_are_processed_as_they_arrive(self):
        watch = self.start("-", *SI, "--on-violation", "exit")
        watch.stdin.write(lines(*LOST, {"event": "sync", "at": 500}))
        watch.stdin.flush()  # It stays open.
        self.assertEqual(watch.wait(timeout=60), 1)

    def test_end_of_input_ends_the_watch(self):
        result = self.expect(0, "watch", "-", *SI, stdin=lines(*GOOD).encode())
        self.assertEqual(result.first, "CLEAN - postgres:repeatable-read")

    def test_a_last_line_without_a_newline_is_taken(self):
        self.expect(1, "watch", "-", *SI, stdin=lines(*LOST).rstrip("\n").encode())

    def test_a_last_line_that_is_cut_off_is_a_doubt(self):
        for size in (1, 20, 100):
            result = self.expect(2, "watch", "-", *SI, stdin=lines(*GOOD)[:-size - 1].encode())
            self.assertIn("1 txn ", result.out)
            self.assertIn("missed     <stdin> is cut off", result.out)
            self.assertIn("note: <stdin>: the last line is cut off", result.err)

    def test_empty_input_is_unknown(self):
        self.assertEqual(self.expect(2, "watch", "-", *SI, stdin=b"").first, "UNKNOWN - -")


class Pipes(WatchTest):
    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "pipe")

    def test_the_contents_of_a_named_pipe_are_judged(self):
        watch = self.start("pipe", *SI)
        with open(self.folder / "pipe", "w") as pipe:
            pipe.write(lines(*LOST))
        out, _ = self.finished(watch, 1)
        self.assertIn("VIOLATION pipe", out)

    def test_a_pipe_without_a_writer_is_ended_by_time_and_signals(self):
        result = self.expect(2, "watch", "pipe", *SI, "-t", "300ms")
        self.assertIn("ended by --duration", result.out)
        watch = self.start("pipe", *SI, "--metrics", "0")
        self.said(watch, "metrics")
        watch.send_signal(signal.SIGINT)
        self.finished(watch, 130)

    def test_a_pipe_that_stays_open_is_ended_by_a_signal(self):
        watch = self.start("pipe", *SI, "--metrics", "0")
        url = self.said(watch, "metrics").removesuffix("/metrics")
        with open(self.folder / "pipe", "w") as pipe:
            pipe.write(lines(*GOOD))
            pipe.flush()
            Files.wait_for_metric(self, url, "serval_records_total", 5)
            watch.send_signal(signal.SIGTERM)
            out, _ = self.finished(watch, 143)
        self.assertIn("2 txns", out)

    def test_pipes_of_a_shell(self):
        self.file("lost.jsonl", lines(*LOST))
        process = subprocess.run(["bash", "-c", f"'{cli_test.SERVAL}' watch <(cat lost.jsonl) {' '.join(SI)}"], cwd=self.folder,
                                 capture_output=True, text=True, timeout=60)
        self.assertEqual(process.returncode, 1, process.stderr)


class Client:
    """A client of the socket: length-prefixed native lines."""

    def __init__(self, address):
        kind, place = address.split(":", 1)
        if kind == "unix":
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(place)
        else:
            host, port = place.rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)))

    def __del__(self):
        self.socket.close()

    def send(self, *records):
        for record in records:
            line = json.dumps(record).encode()
            self.socket.sendall(struct.pack("<I", len(line)) + line)
        return self

    def close(self, time=10**6):
        self.send({"event": "sync", "at": time, "last": True})
        self.socket.close()


class Sockets(WatchTest):
    def test_clients_of_a_tcp_socket(self):
        watch, address = self.listen("--connections", 2, *SI)
        self.assertRegex(address, r"^tcp:127\.0\.0\.1:\d+$")
        first, second = Client(address), Client(address)
        first.send(HEADER, LOST[0])
        second.send(HEADER, LOST[1])
        first.close()
        second.close()
        out, _ = self.finished(watch, 1)
        self.assertIn("lost-update", out)

    def test_clients_of_a_unix_socket(self):
        path = str(self.folder / "s")
        watch, address = self.listen("--connections", 1, *SI, address=f"unix:{path}")
        Client(address).send(HEADER, *GOOD).close()
        out, _ = self.finished(watch, 0)
        self.assertTrue(out.startswith(f"CLEAN unix:{path}"), out)
        self.assertFalse(pathlib.Path(path).exists())

    def test_a_slow_client_is_awaited_and_heartbeats_let_others_continue(self):
        watch, address = self.listen("--connections", 2, *SI, "--metrics", "0", "--idle", "60s")
        url = self.said(watch, "metrics").removesuffix("/metrics")
        slow, fast = Client(address), Client(address)
        slow.send(HEADER, {"event": "heartbeat", "s": 1, "at": 5})
        fast.send(HEADER, GOOD[1])
        fast.close()
        slow.send({"event": "heartbeat", "s": 1, "at": 231})
        Files.wait_for_metric(self, url, "serval_records_total", 4)  # Initial rows, begin, read, write at 230.
        slow.close()
        self.finished(watch, 1)  # The slow client never wrote what this one read.

    def test_a_client_that_vanishes_leaves_doubt(self):
        watch, address = self.listen("--connections", 2, *SI, "--metrics", "0")
        url = self.said(watch, "metrics").removesuffix("/metrics")
        killed = Client(address).send(HEADER)
        killed.socket.close()  # It may have written 7.
        Files.wait_for_metric(self, url, "serval_doubts_total", 1)
        Client(address).send(HEADER, transaction(1, 1, 10, 20, read("x", 7, 12, 13))).close()
        out, _ = self.finished(watch, 2)
        self.assertIn("suspect", out)
        self.assertIn("UNKNOWN", out)
        self.assertIn("connection 1 ended without its last record", out)

    def test_garbage_ends_one_connection_and_no_other(self):
        for garbage, problem in ((b"GET / HTTP/1.1\r\n\r\n", "a frame of"), (struct.pack("<I", 5) + b"hello", "expected '{'")):
            with self.subTest(garbage=garbage):
                watch, address = self.listen("--connections", 2, *SI)
                bad = Client(address)
                bad.socket.sendall(garbage)
                line = self.said(watch, "refused")
                self.assertIn("connection 1:1:1", line)
                self.assertIn(problem, line)
                Client(address).send(HEADER, *GOOD).close()
                out, _ = self.finished(watch, 3)
                self.assertIn("2 txns", out)
                bad.socket.close()

    def test_a_predicate_that_is_nested_too_deeply_is_refused(self):
        watch, address = self.listen("--connections", 2, *SI)
        scan = ["pr", ["sql", "1" + " + 1" * 100_000 + " = 1"], []]
        bad = Client(address).send(HEADER, transaction(1, 1, 1, 2, scan))
        self.assertIn("nested too deeply", self.said(watch, "refused"))
        Client(address).send(HEADER, *GOOD).close()
        out, _ = self.finished(watch, 3)
        self.assertIn("2 txns", out)
        bad.socket.close()

    def test_half_a_frame_is_not_a_record(self):
        watch, address = self.listen("--connections", 1, *SI)
        client = Client(address).send(HEADER, *GOOD)
        client.socket.sendall(struct.pack("<I", 1000) + b"{")
        client.socket.close()
        out, _ = self.finished(watch, 2)
        self.assertIn("2 txns", out)

    def test_other_interfaces_need_a_flag(self):
        result = self.expect(64, "watch", "tcp:0.0.0.0:0", *SI)
        self.assertIn("--any-interface", result.err)
        self.assertIn("not a valid listen address", self.expect(64, "watch", "tcp:nowhere", *SI).err)
        self.assertIn("--any-interface", self.expect(64, "watch", "-", *SI, "--metrics", "0.0.0.0:0").err)

    def test_a_clock_error_allows_for_clients_that_disagree(self):
        ahead = [transaction(1, 1, 1000, 1100, write("x", 1, 1010, 1020)),
                 transaction(2, 2, 900, 950, read("x", 1, 910, 920))]
        self.file("ahead.jsonl", lines(*ahead))
        result = self.expect(1, "watch", "ahead.jsonl", *SI)
        advice = re.search(r"1 read saw what began to be committed .* later; .* (--clock-error) (\d+ns)", result.out)
        self.assertIsNotNone(advice, result.out)
        self.expect(0, "watch", "ahead.jsonl", *SI, *advice.groups())

    def test_a_clock_that_runs_backwards_is_named(self):
        back = [transaction(1, 1, 100, 200, write("x", 1, 110, 120)), transaction(1, 2, 50, 60)]
        result = self.expect(3, "watch", "-", *SI, stdin=lines(*back).encode())
        self.assertIn("session 1", result.err)
        self.assertIn("ran backwards by", result.err)


def thin_air(first, value=7, session="honest"):
    """A read of a value that nobody wrote, at a time after `first`."""
    return transaction(session, first, first, first + 20, read("x", value, first + 2, first + 3))


def frame(record):
    line = record if isinstance(record, bytes) else json.dumps(record).encode()
    return struct.pack("<I", len(line)) + line


def keeps_freed_memory(process):
    """The address sanitizer does, to detect later uses."""
    return "libasan" in pathlib.Path(f"/proc/{process.pid}/maps").read_text()


def resident(process):
    """In bytes."""
    return int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096


class HostileClients(WatchTest):
    """Whatever one client does, the others' violations are found, certain and passed on."""

    def alarm(self, *arguments):
        """A watch that writes each finding to its own file."""
        (self.folder / "alarms").mkdir(exist_ok=True)
        watch, address = self.listen("--metrics", "0", "--on-violation", "exec:cat > alarms/$$", *arguments,
                                     address=f"unix:{self.folder}/s")
        return watch, address, self.said(watch, "metrics").removesuffix("/metrics")

    def alarms(self):
        return [json.loads(file.read_text()) for file in (self.folder / "alarms").iterdir() if file.stat().st_size]

    def await_alarms(self, count):
        deadline = time.monotonic() + 30
        while len(self.alarms()) < count:
            self.assertLess(time.monotonic(), deadline, self.alarms())
            time.sleep(0.02)
        return self.alarms()

    def ends(self, watch, code=1):
        watch.send_signal(signal.SIGTERM)
        return self.finished(watch, code)

    def test_connecting_and_closing_means_nothing(self):
        watch, address, url = self.alarm(*SI)
        for _ in range(20):
            Client(address).socket.close()
        second = subprocess.run([cli_test.SERVAL, "watch", address, *SI], capture_output=True, text=True, timeout=30)
        self.assertEqual(second.returncode, 3, second.stderr)
        self.assertIn("in use", second.stderr)
        Client(address).send(HEADER, *GOOD, thin_air(1000)).close()
        found, = self.await_alarms(1)
        self.assertEqual(found["event"], "violation")
        out, _ = self.ends(watch)
        self.assertTrue(out.splitlines()[0].startswith("violation  thin-air-read"), out)
        self.assertNotIn("missed", out)

    def test_garbage_without_a_header_leaves_no_doubt_about_others(self):
        watch, address, url = self.alarm(*SI, "--idle", "1s")
        strangers = [Client(address) for _ in range(4)]
        for stranger, garbage in zip(strangers, (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100, frame(b"hello"), b"\xff\xff\xff\x7f")):
            stranger.socket.sendall(garbage)
        Files.wait_for_metric(self, url, "serval_refused_connections_total", 4)
        Client(address).send(HEADER, thin_air(1000)).close()
        self.assertEqual(self.await_alarms(1)[0]["event"], "violation")
        self.assertIn("refused    4 connections", self.ends(watch)[0])

    def test_a_late_record_is_a_doubt_about_its_client(self):
        watch, address, url = self.alarm(*SI)
        honest = Client(address).send(HEADER, *(transaction("a", i, 1000 * i, 1000 * i + 30, write("x", i, 1000 * i + 10, 1000 * i + 20))
                                                for i in range(1, 50)), {"event": "heartbeat", "s": "a", "at": 10**6})
        Files.wait_for_metric(self, url, 'serval_transactions_total{outcome="committed"}', 49)
        late = Client(address).send(HEADER, transaction("late", 1, 1, 3, write("y", 5, 1, 2)), {"event": "heartbeat", "s": "late", "at": 10**6})
        Files.wait_for_metric(self, url, "serval_late_transactions_total", 1)
        # It may have written y = 5 from then on; nobody wrote 7, and that is certain.
        honest.send(transaction("a", 50, 10**6, 10**6 + 50, read("y", 5, 10**6 + 5, 10**6 + 6), read("x", 7, 10**6 + 10, 10**6 + 20)))
        late.close(10**7)
        honest.close(10**7)
        found, = self.await_alarms(1)
        self.assertEqual((found["event"], found["key"]), ("violation", "x"))
        out, _ = self.ends(watch)
        self.assertIn("missed     connection 2, session late sent records too late", out)

    def test_only_possible_writes_of_a_vanished_client_are_suspect(self):
        watch, address, url = self.alarm(*SI, "--idle", "1ms")
        honest = Client(address).send(HEADER, transaction(1, 1, 1, 4, write("x", 0, 2, 3)), {"event": "heartbeat", "s": 1, "at": 5},
                                      {"event": "heartbeat", "s": 2, "at": 5})
        Client(address).send(HEADER, {"event": "heartbeat", "s": "gone", "at": 5}).socket.close()
        Files.wait_for_metric(self, url, "serval_doubts_total", 1)
        honest.send(*LOST, thin_air(1000, 7), {"event": "heartbeat", "s": 1, "at": 2000}, {"event": "heartbeat", "s": 2, "at": 2000})
        # It wrote nothing later, and what it had written was overwritten.
        second = 10**9
        honest.send(transaction(1, 8, second, second + 10, write("x", 8, second + 1, second + 2)))
        honest.send(thin_air(2 * second, 9, 2))
        honest.close(3 * second)
        found = {(each["type"], each["event"]): each for each in self.await_alarms(3)}
        self.assertEqual(set(found), {("lost-update", "violation"), ("thin-air-read", "suspect"), ("thin-air-read", "violation")})
        self.assertIn("connection 2 ended without its last record", found["thin-air-read", "suspect"]["because"])
        self.ends(watch)

    def test_a_silent_client_is_a_doubt_until_it_comes_back(self):
        watch, address, url = self.alarm(*SI, "--idle", "300ms")
        silent = Client(address).send(HEADER, {"event": "heartbeat", "s": "silent", "at": 500})
        Files.wait_for_metric(self, url, 'serval_clients{state="open"}', 1)
        honest = Client(address).send(HEADER, thin_air(1000), {"event": "heartbeat", "s": "honest", "at": 2000})
        self.assertEqual(self.await_alarms(1)[0]["event"], "suspect")  # It may have written 7.
        Files.wait_for_metric(self, url, 'serval_idle_client{client="connection 1, session silent"}', 1)
        silent.send({"event": "heartbeat", "s": "silent", "at": 2500})  # It did nothing.
        Files.wait_for_metric(self, url, "serval_records_total", 4)
        deadline = time.monotonic() + 30
        while metrics(url)['serval_clients{state="idle"}'] > 0 and time.monotonic() < deadline:
            time.sleep(0.02)
        honest.send(thin_air(3000, 8), {"event": "heartbeat", "s": "honest", "at": 4000})
        silent.close(5000)
        honest.close(5000)
        self.assertEqual(sorted(each["event"] for each in self.await_alarms(2)), ["suspect", "violation"])
        self.ends(watch)

    def test_a_client_in_a_long_transaction_is_not_silent(self):
        watch, address, url = self.alarm(*SI, "--idle", "500ms")
        slow = Client(address).send(HEADER, {"event": "heartbeat", "s": 2, "at": 11})
        fast = Client(address).send(HEADER, {"event": "heartbeat", "s": 1, "at": 10}, LOST[0], {"event": "heartbeat", "s": 1, "at": 1000})
        for _ in range(15):  # 1.5 s
            slow.send({"event": "heartbeat", "s": 2, "at": 11})
            fast.send({"event": "heartbeat", "s": 1, "at": 1000})
            time.sleep(0.1)
        slow.send(LOST[1])
        slow.close()
        fast.close()
        self.assertEqual([each["event"] for each in self.await_alarms(1)], ["violation"])
        self.assertNotIn("missed", self.ends(watch)[0])

    def test_a_transaction_that_never_ends_delays_others_while_there_is_room(self):
        watch, address, url = self.alarm(*SI, "--idle", "300ms", "--memory-limit", "1MiB")
        endless = Client(address).send(HEADER, {"event": "heartbeat", "s": "endless", "at": 5})
        honest = Client(address).send(HEADER, {"event": "heartbeat", "s": "honest", "at": 5}, thin_air(1000))
        honest.socket.settimeout(0.05)
        filler = b"".join(frame(transaction("honest", i, 2000 + i, 2001 + i, write("y" * 1000, i, 2000 + i, 2001 + i))) for i in range(2000))
        deadline = time.monotonic() + 30
        while not self.alarms():
            self.assertLess(time.monotonic(), deadline)
            endless.send({"event": "heartbeat", "s": "endless", "at": 5})
            try:
                filler = filler[honest.socket.send(filler):]
            except TimeoutError:
                pass
            time.sleep(0.02)
        Files.wait_for_metric(self, url, 'serval_idle_client{client="connection 1, session endless"}', 1)
        self.ends(watch, 143)

    def test_a_record_from_the_future_is_refused(self):
        for ahead in (time.monotonic_ns() + 3600 * 10**9, time.time_ns() + 3600 * 10**9, 2**63 - 1):
            with self.subTest(ahead=ahead):
                shutil.rmtree(self.folder / "alarms", ignore_errors=True)
                watch, address, url = self.alarm(*SI)
                Client(address).send(HEADER, transaction("ahead", 1, ahead - 1, ahead, write("z", 1, ahead - 1, ahead)))
                Files.wait_for_metric(self, url, "serval_refused_connections_total", 1)
                honest = [Client(address).send(HEADER, {"event": "heartbeat", "s": i + 1, "at": 1}) for i in range(2)]
                honest[0].send(LOST[0]).close()
                honest[1].send(LOST[1]).close()
                self.assertEqual(self.await_alarms(1)[0]["type"], "lost-update")
                self.assertEqual(metrics(url)["serval_late_transactions_total"], 0)
                self.ends(watch)

    def test_impossible_times_are_a_doubt_about_their_client(self):
        watch, address, _ = self.alarm(*SI)
        honest = Client(address).send(HEADER, {"event": "heartbeat", "s": "honest", "at": 1})
        bad = Client(address).send(HEADER, {"event": "heartbeat", "s": "bad", "at": 1},
                                   transaction("bad", 1, 100, 50, ["w", "x", 7]))
        self.assertIn("it ends at 50, before it begins at 100", self.said(watch, "refused"))
        honest.send(*LOST, thin_air(500)).close()
        found = {alarm["event"] for alarm in self.await_alarms(2)}
        self.assertEqual(found, {"suspect", "violation"})  # The others are still watched.
        out, _ = self.ends(watch)
        self.assertIn("missed     connection 2 was refused", out)
        bad.socket.close()

    def test_both_clocks_of_a_machine_are_understood(self):
        for now in (time.monotonic_ns, time.time_ns):
            watch, address = self.listen(*SI, "--connections", 1, "--idle", "60s")
            begin = now()
            Client(address).send(HEADER, transaction(1, 1, begin, begin + 10, write("x", 1, begin + 1, begin + 2))).close(now())
            self.finished(watch, 0)

    def test_a_client_with_a_wrong_header_does_not_participate(self):
        for wrong in ({"serval": "history", "version": 99}, {"serval": "history", "version": 1, "initial": 5}):
            with self.subTest(header=wrong):
                shutil.rmtree(self.folder / "alarms", ignore_errors=True)
                watch, address, url = self.alarm(*SI)
                honest = Client(address).send(HEADER, {"event": "heartbeat", "s": "honest", "at": 1})
                Files.wait_for_metric(self, url, 'serval_clients{state="open"}', 1)
                Client(address).send(wrong)
                Files.wait_for_metric(self, url, "serval_refused_connections_total", 1)
                honest.send(thin_air(1000)).close()
                self.assertEqual(self.await_alarms(1)[0]["event"], "violation")
                self.assertNotIn("missed", self.ends(watch)[0])

    def test_long_names_and_texts_take_little_memory(self):
        watch, address, url = self.alarm(*SI, "--memory-limit", "16MiB")
        before, text = resident(watch), "x" * 20000
        client = Client(address).send(HEADER)
        for i in range(3000):  # 180 MB
            client.send(transaction("a", f"{i} {text}", 10 + i, 11 + i, write("k", f"{text} {i}", 10 + i, 11 + i)),
                        {**HEADER, "facts": {f"fact {i}": text}})
        Files.wait_for_metric(self, url, 'serval_transactions_total{outcome="committed"}', 2990)
        if not keeps_freed_memory(watch):
            self.assertLess(resident(watch) - before, 48 << 20)
        self.assertEqual(self.socket_error(address, frame(HEADER) + frame({"event": "heartbeat", "s": text, "at": 1})), "refused")
        self.assertEqual(self.socket_error(address, frame(HEADER) + frame(transaction(1, 1, 1, 2, write(text, 1, 1, 2)))), "refused")
        self.ends(watch, 143)

    def test_a_stuck_watch_says_so_and_can_be_ended(self):
        watch, address, url = self.alarm("--level", "read-committed")
        # Each of a million reads may have seen any of the versions.
        client = Client(address).send(HEADER, *(transaction(i, i, 10, 10**6, write("x", i, 10, 20)) for i in range(1, 10_001)))
        client.send(transaction("stuck", 0, 10, 10**6, *[["r", "x", 5]] * 1_000_000)).close(10**7)
        deadline = time.monotonic() + 120
        while True:
            self.assertLess(time.monotonic(), deadline)
            try:
                urllib.request.urlopen(url + "/healthz", timeout=10).close()
                time.sleep(0.1)
            except urllib.error.HTTPError as answer:
                self.assertEqual((answer.code, json.load(answer)["status"]), (503, "stuck"))
                break
        out, err = self.ends(watch, 143)
        self.assertIn("ended by SIGTERM", out)
        self.assertTrue(out.startswith("UNKNOWN"), out)
        self.assertIn("were left out", err)
        self.assertFalse(pathlib.Path(address.removeprefix("unix:")).exists())

    def test_more_clients_than_expected_are_accepted(self):
        watch, address = self.listen("--connections", 1, *SI)
        first, second = Client(address), Client(address)
        second.send(HEADER, {"event": "heartbeat", "s": "b", "at": 5})
        first.send(HEADER, {"event": "heartbeat", "s": "a", "at": 150})
        second.send(transaction("b", 1, 10, 100, write("x", 7, 40, 50)))
        first.send(thin_air(200, 7))
        first.close()
        second.close()
        out, _ = self.finished(watch, 0)
        self.assertIn("2 txns", out)

    def test_frames_that_never_end_stay_within_the_memory_limit(self):
        watch, address, url = self.alarm(*SI, "--memory-limit", "16MiB")
        before = resident(watch)
        clients = [Client(address).send(HEADER) for _ in range(12)]
        for client in clients:
            try:
                client.socket.sendall(struct.pack("<I", 6 << 20) + b"x" * (5 << 20))
            except OSError:
                pass  # It has been refused.
        Files.wait_for_metric(self, url, "serval_refused_connections_total", 10)
        if not keeps_freed_memory(watch):
            self.assertLess(resident(watch) - before, 32 << 20)
        self.assertEqual(self.socket_error(address, struct.pack("<I", 9 << 20)), "refused")
        self.ends(watch, 143)

    def socket_error(self, address, data):
        client = Client(address)
        client.socket.sendall(data)
        client.socket.settimeout(30)
        return "refused" if client.socket.recv(1) == b"" else "answered"

    def test_lines_that_wait_for_a_sync_stay_within_the_memory_limit(self):
        watch, address, url = self.alarm(*SI, "--memory-limit", "4MiB")
        client = Client(address).send(HEADER)
        client.socket.sendall(frame(b'{"event":"sync","at":1}'))
        filler = frame(transaction("a", 1, 10, 20, write("k", "v" * 60000, 11, 12)))
        with self.assertRaises(OSError):
            for _ in range(1000):
                client.socket.sendall(filler)
        self.assertIn("incomplete and waiting lines", self.ends(watch, 143)[1])

    def test_without_descriptors_newcomers_wait_and_cost_no_processor_time(self):
        limited = ["sh", "-c", 'ulimit -n 40; exec "$0" "$@"', cli_test.SERVAL, "watch", f"unix:{self.folder}/s", *SI, "--metrics", "0"]
        watch = subprocess.Popen(limited, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, watch)
        address, url = self.said(watch, "listening"), self.said(watch, "metrics").removesuffix("/metrics")
        silent = [Client(address).send(HEADER) for _ in range(60)]
        self.assertIn("out of file descriptors", watch.stderr.readline())
        ticks = lambda: sum(map(int, pathlib.Path(f"/proc/{watch.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))
        before = ticks()
        time.sleep(1)
        self.assertLess(ticks() - before, 50)
        for client in silent:
            client.socket.close()
        self.wait_until_served(address)
        self.ends(watch, 143)

    def wait_until_served(self, address):
        client = Client(address)
        client.socket.sendall(frame(b"hello"))
        client.socket.settimeout(30)
        self.assertEqual(client.socket.recv(1), b"")

    def test_stopped_and_killed_clients_do_not_delay_others_for_long(self):
        watch, address, url = self.alarm(*SI, "--idle", "300ms")
        script = ("import socket, struct, json, sys, time\n"
                  "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
                  "for line in ({'serval': 'history', 'version': 1, 'initial': 0}, {'event': 'heartbeat', 's': sys.argv[2], 'at': 5}):\n"
                  "    line = json.dumps(line).encode(); s.sendall(struct.pack('<I', len(line)) + line)\n"
                  "print('up', flush=True); time.sleep(60)\n")
        clients = [subprocess.Popen([sys.executable, "-c", script, f"{self.folder}/s", f"c{i}"], stdout=subprocess.PIPE) for i in range(4)]
        for client in clients:
            self.addCleanup(self.end, client)
            client.stdout.readline()
        clients[0].send_signal(signal.SIGSTOP)
        clients[1].kill()
        honest = Client(address).send(HEADER, *LOST, {"event": "sync", "at": 1000})
        self.assertEqual(self.await_alarms(1)[0]["event"], "violation")
        honest.close(2000)
        clients[0].send_signal(signal.SIGCONT)
        self.ends(watch)

    def test_thousands_of_connections(self):
        count = int(os.environ.get("SERVAL_WATCH_CONNECTIONS", "3000"))
        result = subprocess.run([sys.executable, str(BENCH / "watch_clients.py"), cli_test.SERVAL, "--connections", str(count)],
                                capture_output=True, text=True, timeout=600)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class Monitoring(WatchTest):
    def test_metrics_health_and_report(self):
        self.file("lost.jsonl", lines(*LOST, {"event": "sync", "at": 500}))
        watch = self.start("lost.jsonl", "--follow", *SI, "--metrics", "127.0.0.1:0")
        url = self.said(watch, "metrics").removesuffix("/metrics")
        samples = Files.wait_for_metric(self, url, "serval_violations_total", 1)
        self.assertIn("serval_memory_bytes", samples)
        self.assertEqual(samples['serval_build_info{version="0.1.0",profile="postgres:repeatable-read"}'], 1)
        with urllib.request.urlopen(url + "/healthz", timeout=10) as answer:
            self.assertEqual(json.load(answer), {"status": "ok", "violations": 1, "suspects": 0})
        with urllib.request.urlopen(url + "/report", timeout=10) as answer:
            self.assertEqual(json.load(answer)["verdict"], "violation")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(url + "/elsewhere", timeout=10)
        self.assertEqual(refused.exception.code, 404)
        refused.exception.close()
        watch.send_signal(signal.SIGTERM)
        self.finished(watch, 1)

    def test_a_violation_runs_a_command(self):
        self.file("lost.jsonl", lines(*LOST))
        self.expect(1, "watch", "lost.jsonl", *SI, "--on-violation", "exec:cat > told; echo \"$SERVAL_VIOLATION\" > variable")
        for name in ("told", "variable"):
            self.assertEqual(json.loads((self.folder / name).read_text())["type"], "lost-update")

    def violations(self, count, **more):
        text = lines(transaction("a", "first", 10, 30, write("x", 1, 12, 13)),
                     *(transaction("b", f"read {i}", 100 + 10 * i, 109 + 10 * i, read("x", 5 + i, 101 + 10 * i, 102 + 10 * i), **more)
                       for i in range(count)))
        return self.file("many.jsonl", text)

    def test_every_violation_runs_a_command_however_many_are_shown(self):
        (self.folder / "told").mkdir()
        result = self.expect(1, "watch", self.violations(25), *SI, "--max-violations", "3", "--on-violation", "exec:cat > told/$$")
        self.assertEqual(result.out.count("violation  thin-air-read"), 3)
        self.assertIn("25 violations certain", result.out)
        self.assertEqual(len(list((self.folder / "told").iterdir())), 25)

    def test_commands_are_limited_by_a_rate(self):
        (self.folder / "told").mkdir()
        result = self.expect(1, "watch", self.violations(25), *SI, "--action-rate", "10", "--on-violation", "exec:cat > told/$$")
        self.assertEqual(len(list((self.folder / "told").iterdir())), 10)
        self.assertIn("did not run for 15 findings", result.err)

    def test_commands_that_do_not_read_or_do_not_exist_do_no_harm(self):
        for command in ("exit 0", "exec no-such-command", "exec 0<&-; exit 1"):
            with self.subTest(command=command):
                self.expect(1, "watch", self.violations(10), *SI, "--on-violation", f"exec:{command}")

    def test_a_large_violation_is_passed_on_standard_input_only(self):
        key = "k" * 150_000
        self.file("large.jsonl", lines(transaction(1, 1, 10, 30, write(key, 1, 12, 13)), transaction(2, 2, 100, 120, read(key, 5, 101, 102))))
        self.expect(1, "watch", "large.jsonl", *SI, "--max-violations", "0", "--on-violation",
                    "exec:cat > told; echo \"$SERVAL_EVENT ${SERVAL_VIOLATION:-none}\" > variables")
        self.assertEqual(json.loads((self.folder / "told").read_text())["key"], key)
        self.assertEqual((self.folder / "variables").read_text(), "violation none\n")

    def test_the_end_does_not_wait_for_commands_for_long(self):
        start = time.monotonic()
        process = subprocess.run([cli_test.SERVAL, "watch", self.violations(1), *SI, "--on-violation", "exec:echo $$ > pid; exec sleep 60"],
                                 cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=30)
        self.assertEqual(process.returncode, 1)
        self.assertLess(time.monotonic() - start, 25)
        self.assertTrue(self.is_gone(int((self.folder / "pid").read_text())))

    def test_commands_that_run_too_long_are_ended_with_their_children(self):
        self.expect(1, "watch", self.violations(1), *SI, "--on-violation", "exec:sleep 60 & echo $! > pid; wait")
        self.assertTrue(self.is_gone(int((self.folder / "pid").read_text())))

    @staticmethod
    def is_gone(process):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                if pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1][0] == "Z":
                    return True
            except FileNotFoundError:
                return True
            time.sleep(0.02)
        return False

    def test_a_command_that_ends_its_group_ends_itself(self):
        result = self.expect(1, "watch", self.violations(3), *SI, "--on-violation", "exec:trap 'kill 0' EXIT; true")
        self.assertIn("3 violations certain", result.out)

    def test_a_lost_standard_output_does_not_end_the_watch(self):
        (self.folder / "told").mkdir()
        reader, writer = os.pipe()
        os.close(reader)
        for output in (os.open("/dev/full", os.O_WRONLY), writer):
            process = subprocess.run([cli_test.SERVAL, "watch", self.violations(5), *SI, "--on-violation", "exec:cat > told/$$"], cwd=self.folder,
                                     stdout=output, stderr=subprocess.PIPE, text=True, timeout=60)
            os.close(output)
            self.assertEqual(process.returncode, 1, process.stderr)
            self.assertEqual(process.stderr.count("cannot write to standard output"), 1)
        self.assertEqual(len(list((self.folder / "told").iterdir())), 10)
        with open("/dev/full", "w") as full:  # Without a violation, the lost output is the error.
            process = subprocess.run([cli_test.SERVAL, "watch", self.file("good.jsonl", lines(*GOOD)), *SI], cwd=self.folder, stdout=full,
                                     stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(process.returncode, 3)

    def test_commands_without_a_rate_are_skipped_for_another_reason(self):
        result = self.expect(1, "watch", self.violations(1100), *SI, "--action-rate", "0", "--on-violation", "exec:sleep 9", "--max-violations", "0")
        self.assertRegex(result.err, r"did not run for \d+ findings; at most 32 commands run at a time")
        self.assertNotIn("--action-rate", result.err)

    def test_clients_are_counted_when_they_connect(self):
        summary = json.loads(self.expect(1, "watch", self.file("lost.jsonl", lines(*LOST)), *SI, "--json").out.splitlines()[-1])
        self.assertEqual(summary["pipeline"]["clients"], 2)

    def test_names_and_times_are_those_of_the_application(self):
        path = self.violations(1)
        text = self.expect(1, "watch", path, *SI)
        self.assertIn('T2 "read 0" (session b): read x = 5 in [101, 102]', text.out)
        found = json.loads(self.expect(1, "watch", path, *SI, "--json").out.splitlines()[0])
        self.assertEqual(found["transactions"], [{"txn": 2, "label": "read 0", "session": "b"}])
        cited = found["first"]["records"][0]
        self.assertEqual((cited["label"], cited["session"], cited["begin"], cited["end"]), ("read 0", "b", 101, 102))
        self.assertNotIn("-9223372036854775808", json.dumps(found))
        self.assertNotIn("9223372036854775807", json.dumps(found))

    def test_metrics_count_by_anomaly(self):
        self.file("lost.jsonl", lines(*LOST, {"event": "sync", "at": 500}))
        watch = self.start("lost.jsonl", "--follow", *SI, "--metrics", "0")
        url = self.said(watch, "metrics").removesuffix("/metrics")
        name = 'serval_anomalies_total{type="lost-update",mechanism="first-updater-wins",level="snapshot-isolation",standing="violation"}'
        samples = Files.wait_for_metric(self, url, name, 1)
        self.assertEqual(samples["serval_check_lag_seconds"], 0)  # Nothing waits.

    def test_the_lag_is_the_age_of_what_waits(self):
        watch = self.start("tcp:0", *SI, "--metrics", "0", "--idle", "60s")
        address, url = self.said(watch, "listening"), self.said(watch, "metrics").removesuffix("/metrics")
        quiet = Client(address).send(HEADER, {"event": "heartbeat", "s": "quiet", "at": 5})
        busy = Client(address).send(HEADER)
        for i in range(1, 6):  # Something always waits, but never for long.
            busy.send(transaction("busy", i, 100 * i, 100 * i + 20, write("x", i, 100 * i + 5, 100 * i + 6)))
            quiet.send({"event": "heartbeat", "s": "quiet", "at": 100 * i + 1})
            time.sleep(0.3)
            self.assertLess(metrics(url)["serval_check_lag_seconds"], 1)
        Files.wait_for_metric(self, url, "serval_check_lag_seconds", 1)  # Now it does.

    def test_requests_are_answered_whatever_others_do(self):
        self.file("lost.jsonl", lines(*LOST))
        watch = self.start("lost.jsonl", "--follow", *SI, "--metrics", "0")
        url = self.said(watch, "metrics").removesuffix("/metrics")
        place = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
        silent = [socket.create_connection(place) for _ in range(400)]
        for i, connection in enumerate(silent[300:]):
            connection.sendall((b"GET /healthz HTTP/1.1\r\nX: ", b"\0\xff" * 9000, b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n")[i % 3])
        for method, path in (("GET", "/healthz"), ("GET", "/metrics"), ("HEAD", "/metrics"), ("GET", "/healthz?x=1")):
            request = urllib.request.Request(url + path, method=method)
            start = time.monotonic()
            with urllib.request.urlopen(request, timeout=10) as answer:
                body = answer.read()
                self.assertLess(time.monotonic() - start, 1)
                self.assertEqual(answer.status, 200)
                self.assertGreater(int(answer.headers["Content-Length"]), 10)
                self.assertEqual(len(body) > 0, method == "GET")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(url + "/metrics", method="POST", data=b"x"), timeout=10)
        self.assertEqual(refused.exception.code, 405)
        refused.exception.close()
        for connection in silent:
            connection.close()

    def test_wrong_words_get_suggestions(self):
        self.assertIn("exec:", self.expect(64, "watch", "-", *SI, "--on-violation", "shout").err)
        self.assertIn("did you mean", self.expect(64, "watch", "-", "--profile", "postgres:serialisable").err)
        self.assertIn("--profile", self.expect(64, "watch", self.file("good.jsonl", lines(*GOOD))).err)
        self.assertIn("1 to 16", self.expect(64, "watch", "-", *SI, "--threads", "0").err)
        self.assertIn("--engine mirror", self.expect(64, "check", "good.jsonl", "--threads", "2").err)
        self.assertIn("--profile", self.expect(64, "watch", "tcp:0").err)  # Clients cannot choose it.
        self.assertIn("leave one out", self.expect(64, "watch", "-", *SI, "-l", "serializable").err)


class Documentation(WatchTest):
    def test_the_client_of_the_page_works(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/watch.md"
        client, = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
        self.assertLess(len(client.splitlines()), 60)
        self.file("client.py", client)
        address = f"unix:{self.folder}/serval.sock"
        watch, _ = self.listen("--level", "serializable", "--connections", 2, "--idle", "60s", address=address)
        clients = [subprocess.Popen([sys.executable, "client.py", f"{self.folder}/serval.sock", name], cwd=self.folder,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for name in ("app-1", "app-2")]
        for each in clients:
            self.addCleanup(self.end, each)
            self.finished(each, 0)
        out, _ = self.finished(watch, 0)
        self.assertTrue(out.startswith(f"CLEAN {address}"), out)
        self.assertIn("40 txns", out)
        self.assertNotIn("missed", out)


class Live(WatchTest):
    def test_a_run_is_mirrored_while_it_runs(self):
        result = self.expect(0, "run", "simulated:", "-w", "mini", "-n", "2k", "--live")
        self.assertRegex(result.err, r"mirrored   CLEAN serval-out/\S+ simulated:strict-serializable")

    def test_a_profile_can_be_a_file(self):
        self.file("weak.profile", "database = mydb\nisolation = low\nlevel = read-uncommitted\n")
        flags = ["-w", "mini", "--keys", "5", "-n", "300", "--live", "--profile", "weak.profile", "-o", "y.jsonl"]
        result = self.expect(0, "record", LOST_UPDATES, *flags)
        self.assertIn("mirrored   CLEAN y.jsonl mydb:low", result.err)
        self.assertTrue(self.expect(0, "watch", "y.jsonl", "--profile", "weak.profile").out.startswith("CLEAN y.jsonl mydb:low"))
        self.file("bad.profile", "database: mydb\n")
        for words in (["watch", "y.jsonl"], ["record", LOST_UPDATES, "--live", "-o", "z.jsonl"]):
            self.assertIn("bad profile bad.profile:1:1\n", self.expect(3, *words, "--profile", "bad.profile").err)

    def test_what_the_mirror_finds_fails_the_run(self):
        result = self.expect(1, "record", LOST_UPDATES, "-w", "mini", "--keys", "5", "-n", "3k", "--live", "-o", "x.jsonl")
        self.assertIn("mirrored   VIOLATION x.jsonl", result.err)


if __name__ == "__main__":
    cli_test.SERVAL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
