#!/usr/bin/env python3
"""Runs serval run, record and demo as a user would, on the simulated database, which every build has.

    python3 tests/cli/run_test.py PATH-TO-SERVAL [unittest arguments]
"""
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
import cli_test

LOST_UPDATES = "simulated:?bug=lost-update:probability=0.5"


class Folder(cli_test.CliTest):
    def test_reports_lie_beside_the_recording(self):
        result = self.expect(0, "run", "simulated:", "-n", "500")
        folder = self.folder / "serval-out" / "latest"
        self.assertEqual(sorted(file.name for file in folder.iterdir()), ["history.jsonl", "report.json", "report.txt"])
        self.assertEqual((folder / "report.txt").read_text(), result.out)
        report = json.loads((folder / "report.json").read_text())
        self.assertEqual((report["verdict"], report["exit_code"]), ("valid", 0))
        self.assertEqual(report["counts"]["sessions"], 9)
        self.assertIn(f"folder     serval-out/{folder.resolve().name}", result.err.splitlines()[-1])

    def test_json_on_standard_output_is_the_same_file(self):
        result = self.expect(1, "run", LOST_UPDATES, "-w", "mini", "-n", "5k", "--keys", "5", "--json")
        folder = self.folder / "serval-out" / "latest"
        self.assertEqual((folder / "report.json").read_text(), result.out)
        self.assertTrue((folder / "report.txt").read_text().startswith("VIOLATION serval-out/"))

    def test_a_named_file_stays_alone(self):
        result = self.expect(0, "run", "simulated:", "-n", "100", "-o", "mine.jsonl")
        self.assertEqual([file.name for file in self.folder.iterdir()], ["mine.jsonl"])
        self.assertNotIn("folder", result.err)

    def test_record_writes_no_report(self):
        self.expect(0, "record", "simulated:", "-n", "100")
        self.assertEqual([file.name for file in (self.folder / "serval-out" / "latest").iterdir()], ["history.jsonl"])


class Mirror(cli_test.CliTest):
    def test_a_database_without_a_profile_is_refused_before_the_run(self):
        result = self.expect(64, "record", "exec:cat", "--live", "-n", "100", "-o", "run.jsonl")
        self.assertIn("--live has no profile for exec at default", result.err)
        self.assertFalse((self.folder / "run.jsonl").exists())

    def test_a_profile_that_does_not_exist_is_refused_before_the_run(self):
        self.expect(64, "record", "simulated:", "--live", "--profile", "postgres:none", "-n", "100", "-o", "run.jsonl")
        self.assertFalse((self.folder / "run.jsonl").exists())


class Certificate(cli_test.CliTest):
    def test_is_written_into_the_recording(self):
        result = self.expect(0, "record", "simulated:", "-w", "phantoms", "-n", "500", "--certificate", "-o", "run.jsonl")
        self.assertRegex(result.err, r"recovered  \d+ versions by \d+ transactions   [\d.]+ s")
        lines = [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()]
        self.assertEqual(lines[0]["facts"]["certificate"], "the numbers of its commits")
        self.assertIn({"event": "certificate", "order": "commit_ts"}, lines)
        ranges = [op for line in lines for op in line.get("ops", []) if op[0] in ("pr", "pu", "pd")]
        self.assertGreater(len(ranges), 500)
        self.assertTrue(all("ts" in op[-1]["saw"] for op in ranges))

    def test_is_refused_with_the_names_of_those_that_have_one(self):
        result = self.expect(64, "run", "exec:true", "--certificate")
        self.assertIn("no certificate can be recovered from exec", result.err)
        for name in ("postgres", "mariadb", "sqlite", "rocksdb", "simulated"):
            self.assertIn(name, result.err)


class Live(cli_test.CliTest):
    def test_a_violation_ends_the_run_where_that_is_asked_for(self):
        start = time.monotonic()
        result = self.expect(1, "run", LOST_UPDATES, "-w", "mini", "--keys", "5", "-t", "100s", "--rate", "2k",
                             "--stop-on-violation")
        self.assertLess(time.monotonic() - start, 50)
        self.assertRegex(result.err, r"violation  found after [\d.]+ s   checked [\d,]+ txns \([\d.]+ s behind\), \d+ ")
        self.assertTrue(result.first.startswith("VIOLATION "))

    def test_nothing_is_checked_meanwhile_where_nobody_wants_it(self):
        result = self.expect(1, "run", LOST_UPDATES, "-w", "mini", "--keys", "5", "-t", "3s", "--rate", "2k", "--no-live")
        self.assertNotIn("violation  found", result.err)

    def test_stopping_needs_a_check(self):
        self.assertIn("leave out --no-live", self.expect(64, "run", "simulated:", "--no-live", "--stop-on-violation").err)
        self.assertIn("ranges", self.expect(64, "run", "simulated:", "-w", "predicates", "--stop-on-violation").err)
        self.assertIn("at the end", self.expect(64, "run", "simulated:", "-i", "RU", "--stop-on-violation").err)

    def test_the_first_signal_ends_the_run_and_checks_what_there_is(self):
        run = subprocess.Popen([cli_test.SERVAL, "run", "simulated:", "-t", "100s", "--progress", "none"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        recording = self.folder / "serval-out" / "latest" / "history.jsonl"
        while not recording.exists() or recording.stat().st_size < 2_000_000:  # By then it is being checked.
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, err)
        self.assertTrue(out.startswith(b"VALID serval-out/"), out)
        self.assertLess(time.monotonic() - start, 30)


class Simulated(cli_test.CliTest):
    def test_probe_shows_what_each_level_lets_happen(self):
        matrix = json.loads(self.expect(0, "probe", "simulated:", "--json").out)
        happens = {row["isolation"]: [name for name, cell in row["cells"].items() if cell["result"] == "happens"]
                   for row in matrix["rows"]}
        self.assertEqual(happens["strict-serializable"], [])
        self.assertEqual(happens["strong-snapshot-isolation"], ["G2-item", "G2"])
        self.assertEqual(happens["read-committed"], ["PMP", "P4", "G-single", "G2-item", "G2"])
        self.assertEqual([row["broken_by"] for row in matrix["rows"]], [[]] * 9)

    def test_wrong_words_are_answered(self):
        self.assertIn('did you mean "lost-update"?', self.expect(64, "run", "simulated:?bug=lost-updat").err)
        self.assertIn('"serializable"', self.expect(64, "run", "simulated:", "-i", "serial").err)


class Demo(cli_test.CliTest):
    def test_a_proof_and_an_anomaly_in_twenty_seconds(self):
        start = time.monotonic()
        result = self.expect(0, "demo")
        self.assertLess(time.monotonic() - start, 20 if "release" in cli_test.SERVAL else 100)
        lines = result.out.splitlines()
        self.assertEqual([line.split()[0] for line in lines if line.startswith("V")], ["VALID", "VIOLATION"])
        self.assertEqual([line for line in lines if line.startswith("exit code")], ["exit code 0", "exit code 1"])
        self.assertIn("  verified   the evidence was re-proved from the raw history", lines)
        self.assertRegex(result.out, r"write-skew|read-skew|anti-dependency-cycle")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    cli_test.SERVAL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
