#!/usr/bin/env python3
"""Runs the built binary as a user would: verbs, exit codes, first lines, JSON, bad input, budgets, signals.

    python3 tests/cli/cli_test.py PATH-TO-SERVAL [unittest arguments]
"""
import csv
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from skip_without import skip_without

SERVAL = "serval"
SKEW = "s1: [r(x,0) r(y,0) w(x,1)]  s2: [r(x,0) r(y,0) w(y,1)]\n"
GOOD = "s1: [r(x,0) w(x,1)]  s2: [r(x,1)]\n"
BLIND = "s1: [w(x,1)]  s2: [w(x,1)]?  s3: [r(x,1)] [r(x,0)]\n"
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
ANOMALIES = ["G0", "G1a", "G1b", "G1c", "OTV", "PMP", "P4", "G-single", "G2-item", "G2"]
REPORT_FIELDS = {"schema", "tool", "input", "verdict", "level", "complete", "counts", "anomalies", "engine", "time_s",
                 "peak_rss_bytes", "budget", "exit_code"}


class Result:
    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8")
        self.err = done.stderr.decode("utf-8", "replace")
        self.first = self.out.split("\n", 1)[0]

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}"


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="serval-cli-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (self.folder / name).write_bytes(data)
        return name

    def run_serval(self, *arguments, stdin=b"", environment=None):
        variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}
        variables.update(environment or {})
        done = subprocess.run([SERVAL, *map(str, arguments)], input=stdin, capture_output=True, cwd=self.folder,
                              env=variables, timeout=120, check=False)
        return Result(done)

    def expect(self, code, *arguments, **options):
        result = self.run_serval(*arguments, **options)
        self.assertEqual(result.code, code, result)
        return result

    def generate(self, name, *arguments):
        self.expect(0, "gen", "--seed", 7, "-o", name, *arguments)
        return name


# Enne (Clark et al.), Fig. 3: serializable, but not in the order of the timestamps.
FIGURE_3 = """{"serval":"history","version":1}
{"s":1,"t":1,"ops":[["w","x",1]],"commit_ts":1}
{"s":2,"t":2,"ops":[["w","y",2]],"commit_ts":2}
{"s":3,"t":3,"ops":[["pr",["sql","value > 0"],[["x",1]]]],"commit_ts":3}
{"s":4,"t":4,"ops":[["w","z",9]],"outcome":"aborted"}
"""


class ExpectedOrders(CliTest):
    def setUp(self):
        super().setUp()
        self.history = self.file("figure-3.jsonl", FIGURE_3)

    def check(self, code, *flags):
        return self.expect(code, "check", self.history, "-l", "serializable", "--verify", *flags)

    def test_an_order_that_was_asked_for_is_a_gate(self):
        result = self.check(1, "--expected-order", "timestamps", "-v")
        self.assertEqual(result.first, "VIOLATION figure-3.jsonl serializable")
        for words in ("T3: p{x=1}", "T3 is 3 of 3 in the order of the timestamps",
                      "by then y = 2, which T2 wrote (2 of 3), a row that it lacks",
                      "expected order violated; some order exists",
                      "in an order other than the expected one", "the expected order was replayed; then the reads"):
            self.assertIn(words, result.out)
        report = json.loads(self.check(1, "--expected-order", "completion", "--json").out)
        self.assertEqual(report["without_expected_order"], "some-order-exists")
        self.assertEqual(report["anomalies"]["by_type"], {"broken-order": 1})

    def test_without_the_flag_another_order_is_found_and_said_to_be_one(self):
        result = self.check(0, "-v")
        self.assertIn("an order that the reads and times suggest was replayed", result.out)
        self.assertNotIn("the expected order was replayed", result.out)

    def test_a_file_gives_the_order(self):
        result = self.check(0, "-v", "--expected-order", self.file("order", "1\n3 # before 2\n2\n"))
        self.assertIn("the expected order was replayed; no other was tried", result.out)
        self.check(1, "--expected-order", self.file("order", "1\n2\n3\n"))

    def test_a_survey_uses_the_order_too(self):
        result = self.expect(1, "check", self.history, "--level", "any", "--expected-order", "timestamps")
        self.assertIn("1 broken-order", result.first)

    def test_a_level_without_a_serial_order_says_why_the_order_does_not_help(self):
        result = self.expect(0, "check", self.history, "-l", "read-committed", "--expected-order", "timestamps")
        self.assertIn("requires no serial order", result.out)

    def test_snapshot_isolation_uses_start_and_commit_timestamps(self):
        lines = ['{"serval":"history","version":1}',
                 '{"s":1,"t":1,"ops":[["w","x",1]],"start_ts":1,"commit_ts":3}',
                 '{"s":2,"t":2,"ops":[["w","x",2]],"start_ts":2,"commit_ts":4}',
                 '{"s":3,"t":3,"ops":[["r","x",2]],"start_ts":5}']
        history = self.file("overlap.jsonl", "\n".join(lines) + "\n")
        flags = ("-l", "snapshot-isolation", "--verify")
        self.expect(0, "check", history, *flags)
        result = self.expect(1, "check", history, *flags, "--expected-order", "timestamps")
        for words in ("broken-snapshots", "T1 and T2 both wrote x", "so the first committer did not win",
                      "expected order violated; some order exists"):
            self.assertIn(words, result.out)
        lines[3] = lines[3].replace('"start_ts":5', '"start_ts":3')
        lines[2] = lines[2].replace('"start_ts":2', '"start_ts":3').replace('"x",2', '"y",2')
        late = self.file("late.jsonl", "\n".join(lines) + "\n")
        result = self.expect(1, "check", late, *flags, "--expected-order", "timestamps")
        self.assertIn("thin-air-read", result.out)  # Nobody wrote x = 2: no order of any kind.

    def test_an_order_that_is_not_one_is_bad_input(self):
        for order, place, problem in (("1\n2\n", "order:3:1", 'ends without "3", which committed'),
                                      ("1\n2\n\n1\n3\n", "order:4:1", '"1" is listed twice, first on line 1'),
                                      ("4\n1\n2\n3\n", "order:1:1", '"4" aborted'),
                                      ("1\n5\n", "order:2:1", 'there is no transaction "5"')):
            with self.subTest(order=order):
                error = self.check(3, "--expected-order", self.file("order", order)).err
                self.assertIn(place, error)
                self.assertIn(problem, error)

    def test_models_and_the_mirror_have_no_order(self):
        for flags in (("--engine", "mirror"), ("--model", "bank")):
            result = self.expect(64, "check", self.history, "--expected-order", "timestamps", *flags)
            self.assertIn("--expected-order cannot be combined", result.err)


class Verdicts(CliTest):
    def test_a_level_that_holds_exits_with_0(self):
        result = self.expect(0, "check", self.file("good.notation", GOOD), "--level", "serializable")
        self.assertEqual(result.first, "VALID good.notation serializable")
        self.assertEqual(result.err, "")

    def test_a_violated_level_exits_with_1_and_says_why(self):
        result = self.expect(1, "check", self.file("skew.notation", SKEW), "-l", "serializable", "--verify")
        self.assertEqual(result.first, "VIOLATION skew.notation serializable")
        self.assertIn("write-skew", result.out)
        self.assertIn("so each must precede the other: no serial order exists.", result.out)
        self.assertIn("verified", result.out)

    def test_an_undecided_level_exits_with_2_and_names_a_next_step(self):
        result = self.expect(2, "check", self.file("blind.notation", BLIND), "-l", "SER")
        self.assertEqual(result.first, "UNKNOWN blind.notation strong-session-serializable")
        self.assertIn("serval lint blind.notation", result.out)
        self.expect(0, "check", "blind.notation", "-l", "SER", "--unknown", "pass")

    def test_writes_without_reads_are_refuted_by_cases_and_the_search_is_explained(self):
        fractured = self.file("f.notation", "s1: [w(x,1) w(y,1)]  s2: [w(x,2) w(y,2)]  s3: [r(x,1) r(y,2)]\n")
        result = self.expect(1, "check", fractured, "-l", "SER", "--verify", "--explain-engine")
        self.assertIn("no-serial-order #1 of 1", result.out)
        self.assertIn("so whichever came first, no serial order exists.", result.out)
        self.assertRegex(result.out, r"saturate +\S+ .s +3 chains")
        self.assertIn("verified", result.out)
        report = json.loads(self.expect(1, "check", fractured, "-l", "SI", "--json").out)
        self.assertEqual(report["engine"], "polygraph")
        self.assertEqual(report["attempts"][0]["step"], "saturate")
        self.assertIn("case", {edge["assumed"] for edge in report["anomalies"]["shown"][0]["edges"]})
        good = self.file("g.notation", GOOD)
        self.assertEqual(json.loads(self.expect(0, "check", good, "-l", "SER", "--engine", "polygraph",
                                                "--json").out)["engine"], "polygraph")

    def test_aliases_of_levels_work(self):
        self.file("good.notation", GOOD)
        self.assertEqual(self.expect(0, "check", "good.notation", "-l", "PL-3").first,
                         "VALID good.notation serializable")

    def test_aliases_people_type_work_in_any_case(self):
        self.file("good.notation", GOOD)
        for alias, level in (("RR", "repeatable-read"), ("rr", "repeatable-read"), ("SSI", "serializable"),
                             ("ssi", "serializable"), ("Strict-1SR", "strict-serializable")):
            with self.subTest(alias=alias):
                first = self.run_serval("check", "good.notation", "-l", alias, "-q").first
                self.assertEqual(first.split()[2], level)

    def test_without_a_level_an_anomaly_is_the_headline_and_the_exit_code(self):
        result = self.expect(1, "check", self.file("skew.notation", SKEW), "--verify")
        self.assertEqual(result.first,
                         "ANOMALY skew.notation strongest=strong-session-snapshot-isolation found=1 write-skew")
        self.assertRegex(result.out, r"(?m)^  also not .*serializable")
        self.assertIn("so each must precede the other: no serial order exists.", result.out)
        self.assertIn("repeatable-read is Adya's PL-2.99", result.out)
        report = json.loads(self.expect(1, "check", "skew.notation", "--json").out)
        self.assertEqual((report["verdict"], report["exit_code"], report["level"]["gate"]), ("anomaly", 1, None))
        self.assertEqual(report["anomalies"]["by_type"], {"write-skew": 1})
        self.assertEqual(report["level"]["strongest_not_refuted"], "strong-session-snapshot-isolation")
        self.assertIn("PL-2.99", report["notes"][0])

    def test_without_a_level_exit_0_means_that_there_is_no_anomaly(self):
        self.assertEqual(self.expect(0, "check", self.file("good.notation", GOOD)).first,
                         "VALID good.notation strong-session-serializable")
        self.assertEqual(self.expect(0, "check", self.file("timed.notation", "s1: [w(x,1)]@1..2\n")).first,
                         "VALID timed.notation strict-serializable")

    def test_without_a_level_an_undecided_history_is_unknown(self):
        result = self.expect(2, "check", self.file("blind.notation", BLIND))
        self.assertRegex(result.first, r"^UNKNOWN blind\.notation (any|strongest=\S+)$")
        self.assertIn("next", result.out)

    def test_without_a_level_a_thin_air_read_is_an_anomaly(self):
        first = self.expect(1, "check", self.file("air.notation", "s1: [r(x,7)]\n")).first
        self.assertRegex(first, r"^ANOMALY air\.notation strongest=\S+ found=1 thin-air-read$")

    def test_the_best_known_of_several_strongest_levels_comes_first(self):
        lost = self.file("lost.notation", "s1: [r(x,0) w(x,1)]@0..5  s2: [r(x,0) w(x,2)]@0..5\n")
        self.assertEqual(self.expect(1, "check", lost).first,
                         "ANOMALY lost.notation strongest=strong-read-committed,prefix-consistency found=1 lost-update")

    def test_strongest_is_printed_only_if_stronger_levels_were_examined(self):
        good = self.file("good.notation", GOOD)
        self.assertNotIn("strongest", self.expect(0, "check", good, "-l", "read-committed").out)
        report = json.loads(self.expect(0, "check", good, "-l", "read-committed", "--json").out)
        self.assertEqual((report["level"]["strongest_not_refuted"], report["level"]["strongest_not_refuted_all"]), (None, []))
        self.assertIn("  strongest  strong-session-snap",
                      self.expect(1, "check", self.file("skew.notation", SKEW), "-l", "serializable").out)

    def test_a_gate_holds_where_a_stronger_level_does(self):
        pairs = self.file("pairs.notation", "s1: [r(x,0) w(x,1) w(y,1)]@1..2  s2: [r(x,1) r(y,1)]@3..4\n")
        self.assertEqual(self.expect(0, "check", pairs, "-l", "linearizable", "--verify").first,
                         "VALID pairs.notation linearizable")

    def test_a_recording_is_gated_at_the_level_that_it_promises(self):
        lines = [{"serval": "history", "version": 1, "initial": 0,
                  "facts": {"database": "x 1.0", "isolation": "snapshots", "promises": "snapshot-isolation"}},
                 {"s": 1, "t": 1, "ops": [["r", "x", 0], ["r", "y", 0], ["w", "x", 1]]},
                 {"s": 2, "t": 2, "ops": [["r", "x", 0], ["r", "y", 0], ["w", "y", 1]]}]
        name = self.file("skew.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        result = self.expect(0, "check", name)
        self.assertEqual(result.first, "VALID skew.jsonl snapshot-isolation")
        self.assertIn("gate       snapshot-isolation, promised by x 1.0 snapshots", result.out)
        report = json.loads(self.expect(0, "check", name, "--json").out)
        self.assertEqual(report["level"]["gate"], {"level": "snapshot-isolation", "origin": "promised"})
        self.assertEqual(report["level"]["asked"], [])
        self.assertTrue(self.expect(1, "check", name, "-l", "any").first.startswith("ANOMALY skew.jsonl strongest="))
        asked = self.expect(1, "check", name, "-l", "serializable")
        self.assertEqual(asked.first, "VIOLATION skew.jsonl serializable")
        self.assertNotIn("gate  ", asked.out)

    def test_a_promise_that_is_not_a_level_is_reported_and_gates_nothing(self):
        name = self.file("odd.jsonl", '{"serval":"history","version":1,"facts":{"promises":"the best"}}\n'
                                      '{"s":1,"t":1,"ops":[["w","x",1]]}\n')
        result = self.expect(0, "check", name)
        self.assertEqual(result.first, "VALID odd.jsonl strict-serializable")
        self.assertIn('"the best"', result.out)

    def test_quiet_prints_the_first_line_only(self):
        result = self.expect(1, "check", "-q", self.file("skew.notation", SKEW), "-l", "serializable")
        self.assertEqual(result.out, "VIOLATION skew.notation serializable\n")

    def test_of_several_files_a_violation_beats_everything(self):
        self.file("good.notation", GOOD)
        self.file("skew.notation", SKEW)
        self.file("bad.notation", "s1: [w(x\n")
        result = self.expect(1, "check", "bad.notation", "skew.notation", "good.notation", "-q", "-l", "SER")
        self.assertEqual([line.split()[0] for line in result.out.splitlines()], ["VIOLATION", "VALID"])
        self.expect(3, "check", "good.notation", "bad.notation", "-l", "serializable")

    def test_standard_input_and_compressed_files_are_read(self):
        self.assertEqual(self.expect(0, "check", "-", "-l", "SER", "-q", stdin=GOOD.encode()).first.split()[:2],
                         ["VALID", "-"])
        self.file("good.notation.gz", gzip.compress(GOOD.encode()))
        self.expect(0, "check", "good.notation.gz", "-l", "serializable")
        if shutil.which("zstd"):
            self.file("good.notation", GOOD)
            subprocess.run(["zstd", "-q", "good.notation"], cwd=self.folder, check=True)
            self.expect(0, "check", "good.notation.zst", "-l", "serializable")


class Json(CliTest):
    def test_report_has_every_promised_field(self):
        report = json.loads(self.expect(1, "check", self.file("skew.notation", SKEW), "-l", "SER", "--json").out)
        self.assertLessEqual(REPORT_FIELDS, set(report))
        self.assertEqual(report["schema"], "serval.report/2")
        self.assertEqual(report["verdict"], "violation")
        self.assertEqual(report["exit_code"], 1)
        self.assertIn("serializable", report["level"]["refuted"])
        self.assertIn("snapshot-isolation", report["level"]["strongest_not_refuted"])
        self.assertGreater(report["peak_rss_bytes"], 0)
        (anomaly,) = report["anomalies"]["shown"]
        self.assertEqual(report["anomalies"]["by_type"], {anomaly["type"]: 1})
        self.assertEqual(len(anomaly["txns"]), 2)
        for edge in anomaly["edges"]:
            self.assertLessEqual({"from", "to", "kind", "key", "from_op", "to_op", "why"}, set(edge))

    def test_valid_and_unknown_use_the_same_object(self):
        self.file("good.notation", GOOD)
        self.file("blind.notation", BLIND)
        valid = json.loads(self.expect(0, "check", "good.notation", "--json").out)
        unknown = json.loads(self.expect(2, "check", "blind.notation", "-l", "SER", "--json").out)
        self.assertEqual((valid["verdict"], unknown["verdict"]), ("valid", "unknown"))
        self.assertLessEqual(REPORT_FIELDS, set(valid) & set(unknown))
        self.assertTrue(valid["complete"])
        self.assertFalse(unknown["complete"])
        self.assertTrue(unknown["undecided"]["reason"])

    def test_several_files_give_one_object_per_line_even_for_bad_input(self):
        self.file("good.notation", GOOD)
        self.file("bad.notation", "s1: [w(x\n")
        lines = self.expect(3, "check", "good.notation", "bad.notation", "--json").out.splitlines()
        self.assertEqual([json.loads(line)["schema"] for line in lines], ["serval.report/2", "serval.error/1"])

    def test_text_and_json_count_with_the_same_words(self):
        name = self.file("three.notation", "s1: [w(x,1)] [w(x,2)]!  s2: [w(y,3)]? [r(x,1)]\n")
        counts = json.loads(self.expect(0, "check", name, "--json").out)["counts"]
        words = {word: counts[word] for word in ("committed", "aborted", "indeterminate")}
        self.assertEqual(words, {"committed": 2, "aborted": 1, "indeterminate": 1})
        spelled = ", ".join(f"{number} {word}" for word, number in words.items())
        self.assertIn(f"4 txns ({spelled})", self.expect(0, "check", name).out)
        numbers = json.loads(self.expect(0, "stats", name, "--json").out)
        self.assertEqual({word: numbers[word] for word in words}, words)

    def test_tables_and_measurements_are_json_too(self):
        self.file("good.notation", GOOD)
        for words in (["levels"], ["levels", "SI"], ["anomalies"], ["anomalies", "write-skew"], ["formats"],
                      ["models"], ["models", "bank"], ["profiles"], ["profiles", "spanner:serializable"], ["workloads"], ["workloads", "tpcc"], ["stats", "good.notation"], ["lint", "good.notation"]):
            with self.subTest(words=words):
                self.assertTrue(json.loads(self.expect(0, *words, "--json").out))


def operations(*lines):
    """One EDN map per (type, process, f, value)."""
    return "".join("{:type :%s, :process %s, :f :%s, :value %s}\n" % line for line in lines)


BANK = operations(("invoke", 0, "read", "nil"), ("ok", 0, "read", "{0 10, 1 0}"),
                  ("invoke", 1, "transfer", "{:from 0, :to 1, :amount 4}"), ("ok", 1, "transfer", "nil"))
REGISTER = operations(("invoke", 0, "write", 1), ("ok", 0, "write", 1), ("invoke", 1, "read", "nil"))


class Models(CliTest):
    def test_a_model_that_holds_exits_with_0(self):
        result = self.expect(0, "check", self.file("bank.edn", BANK), "--model", "bank", "--verify")
        self.assertEqual(result.first, "VALID bank.edn bank")
        self.assertIn("verified", result.out)

    def test_a_violated_model_exits_with_1_and_shows_the_operations(self):
        bad = BANK + operations(("invoke", 2, "read", "nil"), ("ok", 2, "read", "{0 6, 1 5}"))
        result = self.expect(1, "check", self.file("bank.edn", bad), "-m", "bank", "--verify")
        self.assertEqual(result.first, "VIOLATION bank.edn bank")
        self.assertIn("index 4..5   process 2   :ok :read {0 6, 1 5}", result.out)
        self.assertIn("the balances add up to 11, not 10", result.out)
        self.expect(0, "check", self.file("other.edn", bad.replace("1 5", "1 4")), "-m", "bank")

    def test_flags_belong_to_their_model(self):
        self.file("bank.edn", BANK)
        self.expect(1, "check", "bank.edn", "--model", "bank", "--total-amount", "11")
        self.assertIn("--group-size", self.expect(64, "check", "bank.edn", "-m", "bank", "--group-size", "2").err)
        self.assertIn("--model", self.expect(64, "check", "bank.edn", "--total-amount", "2").err)
        self.expect(64, "check", "bank.edn", "-m", "bank", "-l", "serializable")
        self.assertIn("bank", self.expect(64, "check", "bank.edn", "-m", "banc").err)

    def test_json_names_the_operation_that_cannot_be_placed(self):
        bad = self.file("register.edn", REGISTER + operations(("ok", 1, "read", 2)))
        report = json.loads(self.expect(1, "check", bad, "-m", "cas-register", "--json", "--verify").out)
        self.assertEqual(report["schema"], "serval.model/1")
        self.assertEqual((report["verdict"], report["model"], report["verified"]), ("violation", "cas-register", True))
        self.assertEqual(report["counts"], {"ops": 2, "ok": 2, "fail": 0, "info": 0, "processes": 2})
        self.assertEqual(report["linearizations"], [{"object": None, "order": [0], "stuck": 2}])
        shown = report["findings"]["shown"][0]["operations"][0]
        self.assertEqual((shown["index"], shown["end_index"], shown["f"], shown["value"]), (2, 3, "read", "2"))

    def test_json_of_a_valid_register_has_the_order(self):
        good = self.file("register.edn", REGISTER + operations(("ok", 1, "read", 1)))
        report = json.loads(self.expect(0, "check", good, "-m", "cas-register", "--json").out)
        self.assertEqual(report["linearizations"], [{"object": None, "order": [0, 2], "stuck": None}])

    def test_nothing_to_judge_is_unknown(self):
        result = self.expect(2, "check", self.file("adds.edn", operations(("invoke", 0, "add", 1))), "-m", "counter")
        self.assertEqual(result.first, "UNKNOWN adds.edn counter")
        self.expect(0, "check", "adds.edn", "-m", "counter", "--unknown", "pass")

    def test_the_wrong_model_is_an_error_that_names_the_right_one(self):
        result = self.expect(3, "check", self.file("bank.edn", BANK), "--model", "mutex")
        self.assertIn("bank.edn:1", result.err)
        self.assertIn("--model bank", result.err)
        self.assertIn("models need a Jepsen history",
                      self.expect(3, "check", self.file("good.notation", GOOD), "-m", "bank").err)

    def test_a_log_of_one_register_suggests_its_model(self):
        good = self.file("register.edn", REGISTER + operations(("ok", 1, "read", 1), ("invoke", 0, "cas", "[1 2]"),
                                                               ("ok", 0, "cas", "[1 2]")))
        result = self.expect(0, "check", good)
        self.assertIn("this looks like a cas-register log; to check linearizability, add --model cas-register", result.out)
        self.assertIn("--model cas-register", json.loads(self.expect(0, "check", good, "--json").out)["notes"][0])
        self.assertNotIn("--model", self.expect(0, "check", self.file("good.notation", GOOD)).out)

    def test_text_and_json_count_with_the_same_words(self):
        good = self.file("register.edn", REGISTER + operations(("ok", 1, "read", 1)))
        self.assertIn("2 ops (2 ok, 0 fail, 0 info)   2 processes", self.expect(0, "check", good, "-m", "cas-register").out)

    def test_without_a_model_the_one_that_fits_is_named(self):
        for name, content in (("bank", BANK), ("mutex", operations(("invoke", 0, "acquire", "nil"))),
                              ("counter", operations(("invoke", 0, "add", 1), ("ok", 0, "add", 1),
                                                     ("invoke", 0, "read", "nil"), ("ok", 0, "read", 1)))):
            what = "linearizability" if name == "mutex" else "it"
            with self.subTest(model=name):
                result = self.expect(3, "check", self.file("some.edn", content))
                self.assertIn(f"looks like a {name} log; to check {what}, add --model {name}", result.err)


class Mirror(CliTest):
    def recorded(self, *arguments):
        return self.generate("h.jsonl", "-w", "registers", "-n", 500, "--keys", 12, "--times", "ops", *arguments)

    def test_no_contradiction_is_unknown_and_passes_on_request(self):
        self.recorded("--level", "strict-serializable")
        result = self.expect(2, "check", "h.jsonl", "--engine", "mirror")
        self.assertEqual(result.first, "UNKNOWN h.jsonl simulated:strict-serializable")
        self.assertIn("uncertain", result.out)
        self.expect(0, "check", "h.jsonl", "--engine", "mirror", "--unknown", "pass", "-q")

    def test_overlaps_and_patterns_of_the_certifier_are_counted(self):
        self.recorded("--level", "strict-serializable")
        report = json.loads(self.run_serval("check", "h.jsonl", "--engine", "mirror", "--level", "SSER", "--json").out)
        kinds = [report["dependencies"][kind] for kind in ("ww", "wr", "rw")]
        overlapping, uncertain = (sum(kind[word] for kind in kinds) for word in ("overlapping", "uncertain"))
        self.assertGreater(overlapping, uncertain)
        every = sum(kind["deduced"] for kind in kinds) + uncertain
        self.assertAlmostEqual(report["dependencies"]["overlapping_share"], overlapping / every)
        self.assertAlmostEqual(report["dependencies"]["uncertain_share"], uncertain / every)
        self.assertEqual((report["hints"]["certifier"], report["hints"]["matches"]), ("none", 0))
        flags = ["--engine", "mirror", "--profile", "yugabytedb:serializable"]
        report = json.loads(self.run_serval("check", "h.jsonl", *flags, "--json").out)
        self.assertEqual(report["hints"]["certifier"], "ssi")
        self.assertEqual(report["hints"]["matches"], report["hints"]["dangerous_structures"])
        self.assertRegex(self.run_serval("check", "h.jsonl", *flags).out, r"(?m)^  certifier  ssi: \d+ dangerous")

    def test_a_violation_shows_both_derivations(self):
        self.recorded("--level", "read-committed", "--bug", "dirty-read:probability=0.2")
        result = self.expect(1, "check", "h.jsonl", "--engine", "mirror", "--max-anomalies", 1)
        self.assertEqual(result.first, "VIOLATION h.jsonl simulated:read-committed")
        self.assertIn("consistent-read", result.out)
        report = json.loads(self.expect(1, "check", "h.jsonl", "--engine", "mirror", "--json").out)
        self.assertEqual((report["verdict"], report["engine"], report["complete"]), ("violation", "mirror", False))
        shown = report["violations"]["shown"][0]
        self.assertTrue(shown["first"]["records"] and shown["second"]["records"])

    def test_the_profile_is_named_or_follows_from_the_file_or_the_level(self):
        self.recorded("--level", "read-committed")
        named = self.expect(1, "check", "h.jsonl", "--engine", "mirror", "--profile", "postgres:repeatable-read", "-q")
        self.assertEqual(named.first, "VIOLATION h.jsonl postgres:repeatable-read")
        self.assertIn("generic:strict-serializable",
                      self.run_serval("check", "h.jsonl", "--engine", "mirror", "--level", "SSER", "-q").first)
        self.file("n.txt", GOOD)
        self.assertIn("--profile", self.expect(64, "check", "n.txt", "--engine", "mirror").err)

    def test_flags_belong_to_the_mirror(self):
        self.file("n.txt", GOOD)
        self.expect(64, "check", "n.txt", "--profile", "postgres:serializable")
        self.assertIn("postgres:serializable",
                      self.expect(64, "check", "n.txt", "--engine", "mirror", "--profile", "postgres:serialisable").err)

    def test_a_profile_can_be_a_file(self):
        self.recorded("--level", "read-committed")
        mine = self.expect(0, "profiles", "postgres:repeatable-read").out.replace("= postgres\n", "= mydb\n")
        self.file("my.profile", mine)
        result = self.expect(1, "check", "h.jsonl", "--engine", "mirror", "--profile", "my.profile", "-q")
        self.assertEqual(result.first, "VIOLATION h.jsonl mydb:repeatable-read")
        self.file("weak", "database = mydb\nisolation = low\nlevel = read-uncommitted\n")
        self.expect(2, "check", "h.jsonl", "--engine", "mirror", "--profile", "weak", "-q")
        self.file("bad.profile", "database = mydb\nisolation = low  # comment\nlevel = lowest\n")
        result = self.expect(3, "check", "h.jsonl", "--engine", "mirror", "--profile", "bad.profile")
        self.assertIn('error: bad profile bad.profile:3:9\n  3 | level = lowest\n', result.err)
        self.assertIn('^ "lowest" is not a value of "level"\n', result.err)
        result = self.expect(3, "check", "h.jsonl", "--engine", "mirror", "--profile", "missing.profile")
        self.assertIn("error: bad profile missing.profile\n", result.err)
        self.assertIn("serval profiles", self.expect(64, "check", "h.jsonl", "--engine", "mirror", "--profile", "mydb").err)

    def test_profiles_say_what_they_rest_on(self):
        table = self.expect(0, "profiles").out
        self.assertRegex(table, r"(?m)^  spanner\n    serializable +documentation +t +serial$")
        self.assertRegex(table, r"(?m)^  postgres\n(    .*\n)*    serializable +tests +t +w +x +serial +ssi$")
        rows = {row["name"]: row for row in json.loads(self.expect(0, "profiles", "--json").out)}
        self.assertEqual(rows["tidb-optimistic:repeatable-read"]["certifier"], "percolator")
        self.assertIn("did you mean", self.expect(64, "profiles", "postgres:serialisable").err)

    def test_without_times_nothing_is_found(self):
        self.file("n.txt", GOOD)
        result = self.expect(2, "check", "n.txt", "--engine", "mirror", "--level", "SER")
        self.assertIn("no times", result.out)


class ClockError(CliTest):
    STALE = "a: [r(x,0) w(x,1)]@0..1000 b: [r(x,0)]@3000..4000\n"

    def test_an_order_closer_than_the_error_does_not_count(self):
        self.file("h.notation", self.STALE)
        for error, code in (("999ns", 1), ("1us", 0), ("1h", 0)):
            with self.subTest(error=error):
                result = self.expect(code, "check", "h.notation", "-l", "SSER", "--clock-error", error, "--verify")
                self.assertIn(f"clocks may be wrong by {error}", result.out)
                self.assertIn("verified", result.out)
                self.expect(code, "check", "h.notation", "--clock-error", error, "--verify")
        self.assertIn("T1 had ended at least 2 ns before T2 began",
                      self.run_serval("check", "h.notation", "-l", "SSER", "--clock-error", "999ns").out)
        self.assertIn("T1 had ended 2000 ns before", self.expect(1, "check", "h.notation", "-l", "SSER").out)

    def test_the_mirror_allows_for_it_too(self):
        self.file("h.notation", self.STALE)
        for error, code in (("999ns", 1), ("1us", 2)):
            result = self.expect(code, "check", "h.notation", "--engine", "mirror", "-l", "SSER", "--clock-error", error)
            self.assertIn(f"clocks may be wrong by {error}", result.out)

    def test_an_expected_order_must_respect_only_a_clear_order(self):
        self.file("h.notation", self.STALE)
        self.file("order", "2\n1\n")
        for error, code in (("999ns", 1), ("1us", 0)):
            self.expect(code, "check", "h.notation", "-l", "SSER", "--expected-order", "order", "--clock-error", error,
                        "--verify", "-q")

    def test_it_needs_a_unit_and_is_not_negative(self):
        self.file("h.notation", self.STALE)
        for error in ("5", "-1ms", "0ms", "soon", ""):
            with self.subTest(error=error):
                self.assertIn("--clock-error", self.expect(64, "check", "h.notation", "--clock-error", error).err)

    def test_without_times_it_has_no_effect_and_says_so(self):
        result = self.expect(0, "check", self.file("good.notation", GOOD), "-l", "SER", "--clock-error", "1ms")
        self.assertIn("no times, so --clock-error has no effect", result.out)

    def test_positions_and_models_have_no_unit(self):
        self.file("h.edn", '{:type :invoke, :f :txn, :process 0, :value [[:r "x" nil]]}\n'
                           '{:type :ok, :f :txn, :process 0, :value [[:r "x" nil]]}\n')
        self.expect(0, "check", "h.edn")
        result = self.expect(3, "check", "h.edn", "--clock-error", "1ms")
        self.assertIn("the file has no times, only an order of events", result.err)
        self.assertIn("--model", self.expect(64, "check", "h.edn", "--clock-error", "1ms", "--model", "bank").err)


class BadInput(CliTest):
    def refuse(self, name, content, *arguments):
        result = self.expect(3, "check", self.file(name, content), *arguments)
        self.assertEqual(result.out, "", result)
        self.assertTrue(result.err.startswith("error: "), result)
        return result

    def test_missing_file_and_directory(self):
        self.assertEqual(self.expect(3, "check", "nowhere.txt").err,
                         "error: nowhere.txt: cannot open: No such file or directory\n")
        failure = json.loads(self.expect(3, "check", "nowhere.txt", "--json").out)
        self.assertEqual(failure["error"]["kind"], "unreadable")
        (self.folder / "folder").mkdir()
        self.assertIn("folder", self.expect(3, "check", "folder").err)

    def test_empty_file(self):
        self.assertIn("empty", self.refuse("empty.txt", "").err)

    def test_truncated_gzip(self):
        self.refuse("cut.gz", gzip.compress(os.urandom(100000))[:5000])

    def test_binary_garbage(self):
        noise = bytes((i * 7919 + 13) % 256 for i in range(100000))
        result = self.refuse("noise.bin", noise)
        self.assertNotRegex(result.err, r"[\x00-\x08\x0b-\x1f\x7f]")

    def test_error_shows_the_line_with_a_caret(self):
        result = self.refuse("bad.notation", "s1: [r(x,0)]\ns2: [w(x 1)]\n")
        self.assertRegex(result.err, r"bad\.notation:2:\d+")
        self.assertIn("  2 | s2: [w(x 1)]", result.err)
        self.assertRegex(result.err, r"(?m)^    \| +\^ expected")

    def test_the_caret_is_below_the_column(self):
        result = self.refuse("bad.notation", "s1: [w(x 1)]\n")
        source, pointer = result.err.splitlines()[1:3]
        column = int(re.search(r"bad\.notation:1:(\d+)", result.err)[1])
        self.assertEqual(pointer.index("^") - source.index("s1"), column - 1)

    def test_one_line_of_many_megabytes(self):
        result = self.refuse("long.txt", "x" * 20_000_000)
        self.assertLess(len(result.err), 2000)
        result = self.refuse("long.notation", "s1: [" + "r(x,0) " * 500_000 + "q(x,0)]\n")
        self.assertLess(len(result.err), 2000)

    def test_unknown_format_named(self):
        self.file("good.notation", GOOD)
        self.assertIn("did you mean", self.expect(64, "check", "good.notation", "-f", "notatio").err)

    def test_a_history_in_the_wrong_format_is_refused(self):
        for name in [row["name"] for row in json.loads(self.expect(0, "formats", "--json").out)]:
            with self.subTest(format=name):
                result = self.run_serval("check", self.file("x.dat", "\x01\x02 no history\n"), "-f", name)
                self.assertIn(result.code, (2, 3), result)


class PolysiText(CliTest):
    def check(self, text, code, level="strong-session-serializable"):
        return self.expect(code, "check", self.file("h.txt", text), "-l", level)

    def test_carriage_returns_and_byte_order_mark(self):
        self.check("r(1,0,1,1)\r\nw(1,5,1,1)\r\nr(1,5,2,1)\r\n", 0)
        self.check("\ufeffr(1,0,1,1)\nw(1,5,1,1)\nr(1,5,2,1)\n", 0)

    def test_transaction_ids_reused_across_sessions_are_different_transactions(self):
        result = self.check("r(1,0,1,7)\nw(1,5,1,7)\nr(1,0,2,7)\nw(1,6,2,7)\n", 1)
        self.assertIn("T7@1", result.out)
        self.assertIn("T7@2", result.out)

    def test_negative_and_huge_integers(self):
        huge = "123456789012345678901234567890"
        self.check(f"r(1,0,1,1)\nw(1,{huge},1,1)\nr(1,{huge},2,2)\n", 0)
        self.assertIn(self.run_serval("check", self.file("n.txt", "r(-1,-5,1,1)\n"), "-l", "SER").code, (0, 1, 3))

    def test_sessions_that_continue_later(self):
        self.check("r(1,0,1,1)\nw(1,5,1,1)\nr(1,5,2,2)\nr(1,5,1,3)\n", 0)

    def test_each_duplicate_write_is_tried(self):
        self.check("r(1,0,1,1)\nw(1,5,1,1)\nr(1,5,2,2)\nw(1,5,2,2)\nr(1,5,3,3)\n", 0)
        self.check("r(1,5,1,1)\nw(1,5,1,1)\nr(1,5,2,2)\nw(1,5,2,2)\nr(1,5,3,3)\n", 1)

    def test_reads_of_values_never_written(self):
        self.assertIn("thin-air", self.check("r(1,99,1,1)\n", 1).out)

    def test_malformed_line(self):
        result = self.check("r(1,0,1,1)\nw(1,5,1\n", 3)
        self.assertIn("h.txt:2:", result.err)


class Usage(CliTest):
    def test_no_arguments_prints_short_help(self):
        result = self.expect(64)
        self.assertIn("serval check", result.err)
        self.assertEqual(result.out, "")

    def test_help_shows_examples_first(self):
        self.expect(0, "--help")
        for verb in ("check", "gen", "convert", "stats", "lint", "bench", "levels", "anomalies", "models", "formats",
                     "workloads", "version", "completion"):
            with self.subTest(verb=verb):
                text = self.expect(0, verb, "--help").out
                self.assertLess(text.index("Examples:"), text.index("Options:"))
                self.assertEqual(self.expect(0, "help", verb).out, text)

    def test_help_and_tables_fit_the_page(self):
        verbs = re.findall(r"(?m)^  ([a-z]+)  +[A-Z]", self.expect(0, "--help").out)
        self.assertIn("completion", verbs)
        tables = ["levels", "anomalies", "models", "profiles", "drivers", "formats", "workloads"]
        pages = [["levels", "SI"], ["models", "bank"], ["drivers", "postgres"], ["workloads", "tpcc"]]
        for words in [["--help"], *([verb, "--help"] for verb in verbs), *([table] for table in tables), *pages]:
            for columns in ("80", "110"):
                with self.subTest(words=words, columns=columns):
                    text = self.expect(0, *words, environment={"COLUMNS": columns}).out
                    self.assertLessEqual(max(map(len, text.splitlines())), int(columns), text)
                    self.assertNotRegex(text, r"(?m) $")
        self.assertNotRegex(self.expect(0, "check", "--help").out, r"\|FILE\w")

    def test_a_file_instead_of_a_verb_gives_a_hint(self):
        self.assertIn("serval check good.notation", self.expect(64, self.file("good.notation", GOOD)).err)

    def test_misspelled_words_are_answered_with_the_nearest(self):
        self.file("good.notation", GOOD)
        for words, wanted in ((["chek", "x"], "check"), (["check", "good.notation", "--levle", "x"], "--level"),
                              (["check", "good.notation", "-l", "serialisable"], "serializable"),
                              (["anomalies", "write-skwe"], "write-skew"), (["levels", "snapshot-isolaton"], "snapshot"),
                              (["gen", "-w", "mni"], "mini"), (["gen", "--level", "serializabel"], "serializable"),
                              (["gen", "--bug", "dirty-raed"], "dirty-read"),
                              (["gen", "--plant", "lost-updat"], "lost-update"),
                              (["check", "good.notation", "--engine", "mini"], "mini-transaction"),
                              (["completion", "bsh"], "bash")):
            with self.subTest(words=words):
                result = self.expect(64, *words)
                self.assertIn(wanted, result.err.split("hint:")[-1], result)
                self.assertEqual(result.out, "")

    def test_numbers_need_their_units(self):
        self.file("good.notation", GOOD)
        for flags in (["--timeout", "10"], ["--timeout", "-1s"], ["--timeout", "1x"], ["--memory-limit", "100"],
                      ["--memory-limit", "4GB"], ["--max-anomalies", "0"], ["--max-anomalies", "ten"],
                      ["--color", "maybe"], ["--progress", "loud"], ["--unknown", "shrug"], ["--truncated", "no"]):
            with self.subTest(flags=flags):
                self.expect(64, "check", "good.notation", *flags)
        for flags in (["-n", "many"], ["--abort", "2"], ["--sessions", "0"], ["--seed", "x"]):
            with self.subTest(flags=flags):
                self.expect(64, "gen", *flags)

    def test_missing_arguments(self):
        for words in (["check"], ["convert", "a"], ["stats"], ["lint"], ["completion"]):
            with self.subTest(words=words):
                self.expect(64, *words)

    def test_version(self):
        self.assertRegex(self.expect(0, "version").out, r"^serval \d+\.\d+\.\d+\n$")
        self.assertEqual(self.expect(0, "--version").out, self.expect(0, "version").out)

    def test_levels_and_anomalies_explain_each_row(self):
        for verb in ("levels", "anomalies", "models"):
            for row in json.loads(self.expect(0, verb, "--json").out):
                self.assertTrue(self.expect(0, verb, row["name"]).out.startswith(row["name"]))

    def test_completions_are_scripts_that_parse(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.expect(0, "completion", shell).out
            self.assertIn("serializable", script)
            if shutil.which(shell):
                self.file("script", script)
                subprocess.run([shell, "-n", self.folder / "script"], check=True)

    def test_full_standard_output_is_reported(self):
        if not os.path.exists("/dev/full"):
            skip_without(self, "dev-full", "no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([SERVAL, "version"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"standard output", done.stderr)


class Colour(CliTest):
    def test_colour_only_on_request_or_by_force(self):
        skew = self.file("skew.notation", SKEW)
        check = ("check", skew, "-l", "serializable")
        self.assertNotIn("\x1b", self.run_serval(*check).out)
        self.assertIn("\x1b", self.run_serval(*check, "--color", "always").out)
        self.assertIn("\x1b", self.run_serval(*check, environment={"CLICOLOR_FORCE": "1"}).out)
        self.assertNotIn("\x1b", self.run_serval(*check, environment={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}).out)
        self.assertNotIn("\x1b", self.run_serval(*check, "--color", "never", environment={"CLICOLOR_FORCE": "1"}).out)


class Budgets(CliTest):
    def big(self):
        return self.generate("big.jsonl", "-n", "100k")

    def test_one_millisecond_is_not_enough_and_says_so(self):
        big = self.big()
        result = self.expect(2, "check", big, "-l", "serializable", "--timeout", "1ms")
        self.assertEqual(result.first, "UNKNOWN big.jsonl serializable")
        self.assertIn("time budget of 1ms used up", result.out)
        report = json.loads(self.expect(2, "check", big, "-l", "serializable", "--timeout", "1ms", "--json").out)
        self.assertLessEqual(REPORT_FIELDS, set(report))
        self.assertEqual(report["budget"]["hit"], "time")

    def test_little_memory_is_not_enough_and_says_so(self):
        big = self.big()
        result = self.run_serval("check", big, "-l", "serializable", "--memory-limit", "4MiB")
        if result.code == 0:
            self.skipTest("no memory limits in this build")
        self.assertEqual(result.code, 2, result)
        self.assertEqual(result.first, "UNKNOWN big.jsonl serializable")
        self.assertIn("memory budget of 4.0 MiB used up", result.out)
        report = json.loads(self.run_serval("check", big, "--memory-limit", "4MiB", "--json").out)
        self.assertEqual(report["budget"]["hit"], "memory")

    def test_time_also_ends_the_wait_for_standard_input(self):
        process = subprocess.Popen([SERVAL, "check", "-", "-l", "serializable", "--timeout", "300ms"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.wait(timeout=60)
        first = process.stdout.readline()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
        self.assertEqual((process.returncode, first), (2, b"UNKNOWN - serializable\n"))

    def test_every_verb_that_reads_or_makes_a_history_has_both_limits(self):
        big = self.big()
        for verb in (("stats", big), ("lint", big), ("convert", big, "out.txt"), ("gen", "-n", "100k", "-o", "out.txt")):
            with self.subTest(verb=verb[0]):
                result = self.expect(2, *verb, "--timeout", "1ms")
                self.assertIn("time budget of 1ms used up", result.err)
                self.assertEqual(sorted(os.listdir(self.folder)), [big])
                result = self.run_serval(*verb, "--memory-limit", "4MiB")
                if result.code == 0:
                    (self.folder / "out.txt").unlink(missing_ok=True)
                    self.skipTest("no memory limits in this build")
                self.assertEqual(result.code, 2, result)
                self.assertIn("memory budget of 4.0 MiB used up", result.err)
                self.assertEqual(sorted(os.listdir(self.folder)), [big])

    def test_watching_a_file_keeps_to_the_memory_limit(self):
        big = self.big()
        fine = self.run_serval("watch", big, "--no-follow", "--level", "serializable", "--memory-limit", "2GiB")
        self.assertEqual(fine.code, 0, fine)
        self.assertRegex(fine.out, r"[1-9]\d* sessions")
        result = self.run_serval("watch", big, "--no-follow", "--level", "serializable", "--memory-limit", "12MiB")
        if "out of memory" not in result.err and result.code == fine.code:
            self.skipTest("no memory limits in this build")
        self.assertEqual(result.code, 2, result)
        self.assertIn("raise --memory-limit", result.err)

    def test_files_next_to_the_history_are_read_within_limits(self):
        good = self.file("good.notation", GOOD)
        for path, problem in (("/dev/zero", "a line of more than 65536 bytes"), (".", "is a directory"),
                              ("missing", "cannot open"), (self.file("wrong", "no such\n"), "there is no transaction")):
            with self.subTest(path=path):
                self.assertIn(problem, self.expect(3, "check", good, "--expected-order", path).err)

    def test_a_signal_leaves_no_half_written_file(self):
        hear_hangups(self)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            for times in (1, 2):
                with self.subTest(signal=number, times=times):
                    self.assertEqual(self.interrupted_while_writing(number, times), code)
                    self.assertEqual(os.listdir(self.folder), [])

    def test_a_closed_pipe_leaves_no_half_written_file(self):
        self.assertEqual(self.interrupted_while_writing(signal.SIGPIPE, 1), -signal.SIGPIPE)
        self.assertEqual(os.listdir(self.folder), [])

    def test_nohup_keeps_a_command_running(self):
        hear_hangups(self)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = subprocess.Popen([SERVAL, "check", "-", "-l", "SER"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        wait_until_caught(process.pid, signal.SIGTERM)
        process.send_signal(signal.SIGHUP)
        process.communicate(GOOD.encode(), timeout=60)
        self.assertEqual(process.returncode, 0)

    def test_hangups_leave_no_folder(self):
        hear_hangups(self)
        big = self.big()
        process = subprocess.Popen([SERVAL, "convert", big, "out.cobra"], cwd=self.folder, stderr=subprocess.PIPE)
        wait_until_caught(process.pid, signal.SIGHUP)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (0, 129))  # It may have finished before.
        self.assertLessEqual(set(os.listdir(self.folder)), {big, "out.cobra"})

    def interrupted_while_writing(self, number, times):
        process = subprocess.Popen([SERVAL, "gen", "-n", "100M", "-o", "out.jsonl"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until_caught(process.pid, number)
        for _ in range(times):
            process.send_signal(number)
        process.communicate(timeout=60)
        return process.returncode

    def interrupted(self, number):
        process = subprocess.Popen([SERVAL, "check", "-", "-l", "SER", "--json"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(GOOD.encode())
        process.stdin.flush()
        wait_until_caught(process.pid, number)
        process.send_signal(number)
        process.wait(timeout=60)
        out = process.stdout.read()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
        return process.returncode, json.loads(out)

    def test_a_signal_still_gives_a_report(self):
        hear_hangups(self)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(signal=number):
                returned, report = self.interrupted(number)
                self.assertEqual(returned, code)
                self.assertEqual(report["verdict"], "unknown")
                self.assertEqual(report["budget"]["hit"], "signal")


def hear_hangups(test):
    """The commands that the test starts do not inherit an ignored SIGHUP, as under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    test.addCleanup(signal.signal, signal.SIGHUP, before)


def wait_until_caught(pid, number):
    """Returns once the process has a handler for the signal (or the system does not report it)."""
    status = pathlib.Path(f"/proc/{pid}/status")
    deadline = time.monotonic() + 30
    while status.exists() and time.monotonic() < deadline:
        caught = re.search(r"SigCgt:\s*([0-9a-f]+)", status.read_text())
        if caught is None or int(caught[1], 16) >> (number - 1) & 1:
            return


class Workloads(CliTest):
    def rows(self):
        return json.loads(self.expect(0, "workloads", "--json").out)["workloads"]

    def test_the_list_names_them_all(self):
        text = self.expect(0, "workloads").out
        for name in ("mini", "list-append", "blindw-rw+", "bank", "smallbank", "tpcc", "ycsb-a", "ycsb-f", "predicates",
                     "check-then-insert", "lightweight", "exponential"):
            self.assertRegex(text, rf"(?m)^  {re.escape(name)} ")

    def test_every_one_has_a_page(self):
        for row in self.rows():
            with self.subTest(workload=row["name"]):
                text = self.expect(0, "workloads", row["name"]).out
                self.assertIn(f"serval run sqlite: -w {row['name']}", text)
                for parameter in row["parameters"]:
                    self.assertRegex(text, rf"(?m)^  {parameter} ")
                self.assertEqual("serval gen" in text, row["simulated"])

    def test_a_page_as_json_has_ranges_and_tables(self):
        page = json.loads(self.expect(0, "workloads", "tpcc", "--json").out)
        self.assertEqual(len(page["tables"]), 9)
        self.assertEqual(page["parameters"][0], {"name": "warehouses", "description": "warehouses, with ten districts each",
                                                 "default": 1, "least": 1, "greatest": 10000, "whole": True})

    def test_ranges_decide_which_databases_can_run_it(self):
        drivers = {row["name"]: row["drivers"] for row in self.rows()}
        self.assertIn("etcd", drivers["bank"])
        self.assertNotIn("etcd", drivers["tpcc"])
        self.assertIn("postgres", drivers["tpcc"])

    def test_an_alias_and_a_misspelling(self):
        self.assertIn("registers", self.expect(0, "workloads", "rw-register").first)
        self.assertIn("smallbank", self.expect(64, "workloads", "smalbank").err)

    def test_gen_refuses_what_depends_on_answers_and_runs_the_rest(self):
        for row in self.rows():
            with self.subTest(workload=row["name"]):
                result = self.expect(0 if row["simulated"] else 64, "gen", "-n", "20", "-w", row["name"], "--keys", "50")
                if not row["simulated"]:
                    self.assertIn("cannot be generated", result.err)
                    self.assertIn("serval gen runs mini, general", result.err)


class Gen(CliTest):
    def test_the_same_seed_gives_the_same_bytes(self):
        self.generate("a.jsonl", "-n", "500")
        self.generate("b.jsonl", "-n", "500")
        self.assertEqual((self.folder / "a.jsonl").read_bytes(), (self.folder / "b.jsonl").read_bytes())

    def test_the_seed_is_printed_on_standard_error(self):
        result = self.expect(0, "gen", "-n", "10")
        self.assertRegex(result.err, r"seed \d+")
        self.assertEqual(self.run_serval("gen", "-n", "10", "--seed", re.search(r"seed (\d+)", result.err)[1]).out,
                         result.out)

    def test_an_existing_file_is_kept(self):
        self.generate("a.jsonl", "-n", "10")
        self.assertIn("--force", self.expect(64, "gen", "-n", "10", "-o", "a.jsonl").err)
        self.expect(0, "gen", "-n", "10", "-o", "a.jsonl", "--force")

    def test_a_file_that_cannot_be_written_is_reported(self):
        self.expect(3, "gen", "-n", "10", "-o", "no/such/folder/a.jsonl")

    def test_a_name_without_a_format_needs_a_flag(self):
        self.expect(64, "gen", "-n", "10", "-o", "history.unknown")

    def test_levels_are_kept_and_snapshot_isolation_shows_write_skew(self):
        self.generate("si.jsonl", "--level", "snapshot-isolation", "-n", "4k", "--keys", "20", "--sessions", "8")
        self.expect(0, "check", "si.jsonl", "-l", "snapshot-isolation", "--verify")
        self.assertIn("write-skew", self.expect(1, "check", "si.jsonl", "-l", "serializable", "--verify").out)
        self.generate("ser.jsonl", "-n", "2k")
        self.expect(0, "check", "ser.jsonl", "-l", "strict-serializable", "--verify")

    def test_every_planted_anomaly_is_found_by_name(self):
        for row in json.loads(self.expect(0, "workloads", "--json").out)["plants"]:
            with self.subTest(plant=row["name"]):
                name = self.generate(f"{row['name']}.jsonl", "-n", "300", "--plant", row["name"])
                report = json.loads(self.expect(1, "check", name, "-l", "strict-serializable", "--json",
                                                "--verify").out)
                self.assertIn(row["name"], report["anomalies"]["by_type"])

    def test_every_format_can_be_written_and_checked(self):
        for row in json.loads(self.expect(0, "formats", "--json").out):
            if not row["written"]:
                continue
            with self.subTest(format=row["name"]):
                name = self.generate("h." + row["name"], "-n", "200", "-f", row["name"], "--abort", "0")
                result = self.expect(0, "check", name, "-l", "serializable", "-q")
                self.assertEqual(result.first, f"VALID {name} serializable")


    def test_planted_violations_are_found_among_blind_writes(self):
        for plant, level in (("lost-update", "SI"), ("long-fork", "SI"), ("causality-violation", "SI"),
                             ("read-your-writes-violation", "SI"), ("write-skew", "SER")):
            with self.subTest(plant=plant):
                name = self.generate(f"{plant}.txt", "-w", "general:operations=8", "-n", "5k", "--keys", "1k", "--times", "none",
                                     "--order", "shuffled", "--plant", plant)
                report = json.loads(self.expect(1, "check", name, "-l", level, "--json", "--verify", "-q").out)
                self.assertIn(plant, report["anomalies"]["by_type"])
                self.assertLessEqual(max(len(anomaly["txns"]) for anomaly in report["anomalies"]["shown"]), 4)

    def test_orders_in_the_file_change_no_verdict(self):
        for order in ("completion", "session", "shuffled"):
            name = self.generate(f"{order}.txt", "-w", "general:operations=8", "-n", "3k", "--times", "none", "--order", order)
            for level in ("SER", "SI"):
                self.expect(0, "check", name, "-l", level, "--verify")


class Oracle(CliTest):
    ROWS = [{"A": 1, "a": 2, "t": "a_b"}, {"A": None, "a": -7, "t": "A%b"}, {"A": 0.1, "a": 3.0, "t": "it's"},
            {"A": 9223372036854775807, "a": 2, "t": ""}, {"a": True, "t": None}]
    ASKED = ['"A" < a', '"A" + a > 0', 'a % 2 = -1', 'a / 2 = 1', "t LIKE 'a\\_b'", "t LIKE 'A%' ESCAPE ''", "NOT t LIKE '_''%'",
             "t || 'x' IN ('x', NULL)", '"A" = 0.1', '"A" + 0.2 = 0.3', "a = TRUE OR t IS NULL", "pieces.k BETWEEN 2 AND 4",
             "COUNT(*) WHERE t < 'b'", "SET a = 1 WHERE a <> 2 AND \"A\" / 0 = 1"]

    def expect_or_skip(self, code, *arguments):
        result = self.run_serval(*arguments)
        if result.code == 64 and "built without it" in result.err:
            skip_without(self, "sqlite", "built without SQLite")
        self.assertEqual(result.code, code, result)
        return result

    def test_sqlite_agrees_on_the_predicates_of_a_history(self):
        name = self.generate("ranges.jsonl", "-w", "predicate-mix", "-n", "60")
        result = self.expect_or_skip(0, "check", name, "-l", "serializable", "--oracle", "database")
        self.assertRegex(result.out, r"oracle: SQLite agrees on [1-9][\d,]* evaluations of \d+ predicates over \d+ rows\n")
        self.assertNotIn("oracle:", self.expect(0, "check", name, "-l", "serializable").out)

    def test_a_large_history_is_sampled_and_says_so(self):
        name = self.generate("ranges.jsonl", "-w", "predicate-mix", "-n", "1k")
        report = json.loads(self.expect_or_skip(0, "check", name, "-l", "SER", "--oracle", "database", "--json").out)
        self.assertIn("a sample of 200,000 out of ", json.dumps(report))

    def test_predicates_that_sqlite_evaluates_differently_are_skipped(self):
        lines = [json.dumps({"serval": "history", "version": 1})]
        lines += [json.dumps({"s": 1, "t": i, "ops": [["w", f"pieces/{i}", row]]}) for i, row in enumerate(self.ROWS, 1)]
        lines += [json.dumps({"s": 2, "t": 50 + i, "ops": [["pu" if "SET" in text else "pr", ["sql", text], []]]})
                  for i, text in enumerate(self.ASKED)]
        name = self.file("odd.jsonl", "\n".join(lines) + "\n")
        result = self.expect_or_skip(0, "check", name, "-l", "read-uncommitted", "--oracle", "database", "--unknown", "pass")
        found = re.search(r"agrees on (\d+) evaluations of 14 predicates over 5 rows; (\d+) left out", result.out)
        self.assertTrue(found, result)
        self.assertEqual(int(found[1]) + int(found[2]), 14 * 5)
        self.assertGreater(int(found[1]), 14 * 5 // 2)

    def test_other_engines_have_no_oracle(self):
        self.expect(64, "check", "a.jsonl", "--oracle", "nobody")
        self.expect(64, "check", "a.jsonl", "--oracle", "database", "--model", "bank")
        self.expect(64, "check", "a.jsonl", "--oracle", "database", "--engine", "mirror")


class Bench(CliTest):
    def test_the_list_names_them(self):
        self.assertIn("king-cobra", self.expect(0, "bench").out)
        self.assertIn("sweep", self.expect(0, "bench").out)
        self.assertIn("king-cobra", self.expect(64, "bench", "king-cobar").err)

    def test_every_cell_of_king_cobras_ablation_is_decided(self):
        report = json.loads(self.expect(0, "bench", "king-cobra", "-n", "400", "--keys", "60", "--seed", "3", "--json",
                                        "--plot", "plot.svg", "--csv", "cells.csv").out)
        self.assertEqual((len(report["ablation"]), len(report["partial"])), (12, 33))
        for cell in report["ablation"] + report["partial"]:
            self.assertEqual(cell["verdict"], "valid", cell)
        self.assertEqual({(cell["session_order"], cell["versions"]) for cell in report["ablation"]},
                         {(False, 0), (False, 0.9), (True, 0), (True, 0.9)})
        stated = [cell["paper_seconds"] for cell in report["ablation"] if cell["paper_seconds"]]
        self.assertEqual(stated, ["> 300", "< 15", "> 300", "< 34"])  # Section 8.4 states no other seconds.
        with open(self.folder / "cells.csv", newline="", encoding="utf-8") as lines:
            self.assertEqual([row["verdict"] for row in csv.DictReader(lines)], 45 * ["valid"])
        drawing = xml.etree.ElementTree.parse(self.folder / "plot.svg").getroot()
        self.assertEqual(sum(element.tag.endswith("polyline") for element in drawing.iter()), 3)

    def test_tables_name_the_paper(self):
        result = self.expect(0, "bench", "king-cobra", "-n", "100", "--keys", "40")
        self.assertIn("paper", result.out)
        self.assertEqual(sum(line.split()[:2] == ["heavy", "write"] for line in result.out.splitlines()), 5)

    def test_wrong_numbers_are_usage(self):
        for flags in (["-n", "x"], ["--sessions", "0"], ["--keys", "0"], ["--operations", "0"], ["--timeout", "soon"]):
            with self.subTest(flags=flags):
                self.expect(64, "bench", "king-cobra", *flags)
                self.expect(64, "bench", "sweep", "--parameter", "distribution", "--parameter", "operations", *flags)

    def test_a_sweep_changes_one_parameter_after_another(self):
        report = json.loads(self.expect(0, "bench", "sweep", "-n", "200", "--keys", "30", "--seed", "3", "--csv",
                                        "cells.csv", "--json").out)
        cells = report["cells"]
        self.assertEqual({cell["verdict"] for cell in cells}, {"valid"})
        values = {name: [cell["value"] for cell in cells if cell["parameter"] == name] for name in
                  ("distribution", "keys", "operations", "sessions", "txns", "concurrent")}
        self.assertEqual(values["distribution"][::4], ["uniform", "zipf", "hotspot", "exponential"])
        self.assertEqual(values["txns"][::4], ["20", "100", "200"])
        self.assertEqual(values["concurrent"], ["2", "10", "20"])
        self.assertEqual([len(cells) for cells in values.values()], [16, 12, 6, 12, 12, 3])
        general = {cell["value"]: cell for cell in cells if cell["parameter"] == "keys" and
                   cell["workload"] == "general" and cell["level"] == "strong-session-serializable"}
        self.assertLess(general["100"]["committed"], general["10000"]["committed"])
        operations = {cell["value"]: cell["ops"] / cell["txns"] for cell in cells if cell["parameter"] == "operations"}
        self.assertLess(operations["4"], operations["16"])
        with open(self.folder / "cells.csv", newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual([(row["parameter"], row["value"], int(row["committed"])) for row in rows],
                         [(cell["parameter"], cell["value"], cell["committed"]) for cell in cells])

    def test_a_sweep_of_one_parameter_is_a_table(self):
        result = self.expect(0, "bench", "sweep", "-n", "100", "--parameter", "concurrent", "--sessions", "4")
        self.assertEqual([line.split()[1] for line in result.out.splitlines() if line.split()[:1] == ["concurrent"]],
                         ["1", "2", "4"])
        self.assertIn("keys", self.expect(64, "bench", "sweep", "--parameter", "kesy").err)
        self.expect(64, "bench", "sweep", "--plot", "plot.svg")
        self.expect(64, "bench", "king-cobra", "--parameter", "keys")


class VersionOrders(CliTest):
    """King Cobra's version orders: written next to the logs, trusted only on request."""
    HEADER = '{"serval":"history","version":1,"initial":0}\n'

    def cobra(self, name, *transactions):
        lines = "".join(json.dumps({"s": i, "t": i, "ops": ops}) + "\n" for i, ops in enumerate(transactions))
        self.expect(0, "convert", self.file(name + ".jsonl", self.HEADER + lines), name + ".cobra")
        self.assertTrue((self.folder / (name + ".cobra") / "version_order.vo").exists())
        return name + ".cobra"

    def kinds(self, name, *flags):
        result = self.run_serval("check", name, "-l", "serializable", "--json", "--verify", *flags)
        return sorted(json.loads(result.out)["anomalies"]["by_type"])

    def test_an_order_against_the_reads_is_a_contradiction(self):
        name = self.cobra("wrong", [["w", 1, 11, {"version": 2}]], [["r", 1, 11], ["w", 1, 12, {"version": 1}]])
        self.assertEqual(self.kinds(name), [])
        self.assertEqual(self.kinds(name, "--assume", "versions"), ["cyclic-versions"])

    def test_two_keys_ordered_against_each_other_are_a_violation(self):
        name = self.cobra("crossed", [["w", 1, 11, {"version": 1}], ["w", 2, 21, {"version": 2}]],
                          [["w", 1, 12, {"version": 2}], ["w", 2, 22, {"version": 1}]])
        self.assertEqual(self.kinds(name), [])
        self.assertEqual(self.kinds(name, "--assume", "versions"), ["dirty-write"])

    def test_a_damaged_order_is_named_with_its_byte(self):
        name = self.cobra("cut", [["w", 1, 11, {"version": 1}]])
        path = self.folder / name / "version_order.vo"
        path.write_bytes(path.read_bytes()[:-3])
        self.assertIn("cut.cobra/version_order.vo\n  at byte 29: the file ends inside a version",
                      self.expect(3, "check", name).err)
        self.expect(0, "check", name, "-l", "serializable", "--truncated=ok")


class Convert(CliTest):
    def test_a_round_trip_keeps_the_history(self):
        self.file("good.notation", GOOD)
        self.expect(0, "convert", "good.notation", "good.jsonl")
        self.expect(0, "convert", "good.jsonl", "back.notation")
        self.assertEqual((self.folder / "back.notation").read_text().split(), GOOD.split())

    def test_losses_are_named_and_strict_refuses_them(self):
        self.file("timed.notation", "s1: [r(x,0) w(x,1)]@5..9\n")
        result = self.expect(0, "convert", "timed.notation", "out.txt", "--to", "polysi")
        self.assertIn("lossy: ", result.err)
        result = self.expect(3, "convert", "timed.notation", "strict.txt", "--to", "polysi", "--strict")
        self.assertFalse((self.folder / "strict.txt").exists())
        self.assertIn("--strict", result.err)

    def test_standard_streams(self):
        result = self.expect(0, "convert", "-", "-", "--to", "notation", stdin=GOOD.encode())
        self.assertEqual(result.out.split(), GOOD.split())


class Lint(CliTest):
    def test_suitable_histories_are_reported_as_such(self):
        self.assertIn("  fit for the mini-transaction engine", self.expect(0, "lint", self.file("g.notation", GOOD)).out)

    def test_exceptions_are_counted_with_examples(self):
        result = self.expect(0, "lint", self.file("b.notation", "s1: [w(x,1)]! [w(x,1)]@9..5  s2: [r(y,7)]\n"))
        for words in ("w(x,1) in T2", "T1 and T2", "fit for the mini-transaction engine", "r(y,7) in T3"):
            self.assertIn(words, result.out)

    def test_stats_counts(self):
        numbers = json.loads(self.expect(0, "stats", self.file("g.notation", GOOD), "--json").out)
        self.assertEqual((numbers["txns"], numbers["ops"], numbers["keys"]), (2, 3, 1))
        self.assertIn("2 committed", self.expect(0, "stats", "g.notation").out)


class Probe(CliTest):
    """Uses the example program, which needs no library, and RocksDB if this build has it."""
    DATABASE = f"exec:python3 '{EXAMPLES}/exec_driver.py' probe.db"

    def test_a_matrix_of_isolations_and_anomalies(self):
        result = self.expect(0, "probe", self.DATABASE)
        rows = [line.split() for line in result.out.splitlines()]
        self.assertEqual(rows[1], ["isolation", *ANOMALIES])
        self.assertEqual(rows[2], ["default", *["✓"] * 10])
        self.assertIn("write skew", result.out)

    def test_broken_promises_are_named(self):
        result = self.expect(0, "probe", "simulated:?bug=lost-update:probability=1", "-i", "strict-serializable")
        self.assertRegex(result.out, r"strict-serializable promises strict-serializable, which forbids \S*P4")

    def test_a_program_that_promises_nothing_breaks_no_promise(self):
        self.file("loose.py", f"""
import sys
sys.path.insert(0, {str(EXAMPLES)!r})
sys.dont_write_bytecode = True
import exec_driver

class Loose(exec_driver.Session):  # Every statement is its own transaction.
    def begin(self, _):
        return {{"ok": True}}
    def commit(self, _):
        return {{"outcome": "committed"}}

exec_driver.Session = Loose
exec_driver.main()
""")
        result = self.expect(0, "probe", "exec:python3 loose.py probe.db")
        self.assertEqual(result.out.splitlines()[2].split(), ["default", *["happens"] * 10])
        self.assertNotIn("promises", result.out)

    def test_a_saved_matrix_is_expected(self):
        database = "rocksdb:?kind=optimistic"
        result = self.run_serval("probe", database, "--json")
        if result.code == 4 and "does not support" in result.err:
            skip_without(self, "rocksdb", "this build has no RocksDB")
        matrix = json.loads(result.out)
        self.assertEqual((result.code, matrix["schema"]), (0, "serval.probe/1"), result)
        results = {row["isolation"]: {name: cell["result"] for name, cell in row["cells"].items()}
                   for row in matrix["rows"]}
        self.assertEqual(results["snapshot-isolation"]["G2-item"], "happens")
        self.assertEqual([(row["promises"], row["broken_by"]) for row in matrix["rows"]],
                         [("strict-serializable", []), ("strong-snapshot-isolation", []), ("read-committed", [])])
        self.assertEqual(results["serializable"]["G2-item"], "prevented")
        self.assertEqual(results["serializable"]["G2"], "n/a")
        self.assertEqual(matrix["rows"][0]["cells"]["P4"]["refused"], "serialization")
        self.assertIn("as expected", self.expect(0, "probe", database, "--expect", self.file("m.json", result.out)).err)
        matrix["rows"][0]["cells"]["G2-item"]["result"] = "happens"
        self.file("other.json", json.dumps(matrix))
        result = self.expect(1, "probe", database, "--expect", "other.json")
        self.assertIn("serializable G2-item: expected happens, found prevented", result.err)
        self.expect(0, "probe", database, "-i", "read-committed", "--expect", "other.json")

    def test_a_signal_ends_it_and_drops_the_table(self):
        probe = subprocess.Popen([SERVAL, "probe", self.DATABASE], cwd=self.folder, stdout=subprocess.PIPE)
        self.addCleanup(probe.stdout.close)
        while not (self.folder / "probe.db").exists():
            self.assertIsNone(probe.poll())
        probe.send_signal(signal.SIGINT)
        self.assertEqual(probe.wait(60), 130)
        self.assertEqual(probe.stdout.read(), b"")
        rows = sqlite3.connect(self.folder / "probe.db").execute("select name from sqlite_master").fetchall()
        self.assertEqual(rows, [])

    def test_an_unreachable_database_exits_with_4(self):
        result = self.expect(4, "probe", "exec:exit 1")
        self.assertIn("error: the program has ended", result.err)
        self.assertEqual(result.out, "")

    def test_wrong_words_get_suggestions(self):
        self.assertIn('did you mean "rocksdb"?', self.expect(64, "probe", "rockdb:").err)
        self.assertIn('"serial"', self.expect(64, "probe", "rocksdb:", "-i", "serial").err)
        self.expect(64, "probe", "rocksdb:", "--patience", "300")
        self.file("broken.json", '{"schema":"serval.probe/1",\n "rows":[}\n')
        result = self.expect(3, "probe", self.DATABASE, "--expect", "broken.json")
        self.assertIn('error: bad expectation broken.json:2:10\n  2 |  "rows":[}\n', result.err)
        self.file("list.json", "[]")
        self.assertIn("bad expectation list.json:1:1", self.expect(3, "probe", self.DATABASE, "--expect", "list.json").err)
        self.assertIn("not the output of serval probe", self.expect(3, "probe", self.DATABASE, "--expect", "list.json").err)
        self.expect(3, "probe", self.DATABASE, "--expect", "missing.json")


if __name__ == "__main__":
    SERVAL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
