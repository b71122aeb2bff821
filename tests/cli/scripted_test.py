#!/usr/bin/env python3
"""Runs serval against scripted TiDB and CockroachDB servers (the folder scripted): how their certificates are recovered,
that runs of a correct server are proved, and that planted faults are found.

    python3 tests/cli/scripted_test.py PATH-TO-SERVAL [unittest arguments]
"""
import json
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
import cli_test
from scripted import cockroach, tidb
from skip_without import skip_without


PREDICATES = ["-w", "predicates:places=20,width=6", "--keys", "20", "-n", "80", "-c", "4", "-o", "run.jsonl"]


class ScriptedTest(cli_test.CliTest):
    DRIVER = None

    def setUp(self):
        super().setUp()
        drivers = json.loads(self.expect(0, "drivers", "--json").out)
        if not any(row["name"] == self.DRIVER and row["available"] for row in drivers):
            skip_without(self, self.DRIVER, f"this build cannot drive {self.DRIVER}")

    def start(self, server):
        self.addCleanup(lambda: self.assertEqual(server.problems, []))
        self.addCleanup(server.close)
        return server

    def proved(self, *words):
        """A run that ends VALID. A point read that finds no row shows no version, so some runs leave open what it missed."""
        for _ in range(8):
            result = self.run_serval("run", *words, *PREDICATES, "--force")
            if result.code == 2 and "it is not certain which version some reads saw" in result.out:
                continue
            self.assertEqual(result.code, 0, result)
            return result
        return self.fail("eight runs were left open")

    def recorded(self):
        lines = [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()]
        return lines[0]["facts"], [line for line in lines if "ops" in line]


class Tidb(ScriptedTest):
    DRIVER = "mariadb"

    def address(self, options="", **arguments):
        port = self.start(tidb.Tidb(**arguments)).port
        return f"mariadb://root@127.0.0.1:{port}/test?dialect=tidb{options}"

    def predicates(self, code, address, *words):
        return self.expect(code, "run", address, *PREDICATES, *words)

    def times(self, kinds):
        """Of every operation of these kinds: when its transaction started, and as of when it read."""
        return [(line["start_ts"], op[-1]["saw"]["ts"]) for line in self.recorded()[1] for op in line["ops"]
                if op[0] in kinds and isinstance(op[-1], dict) and "saw" in op[-1]]

    def test_optimistic_transactions_read_as_of_their_start(self):
        result = self.proved(self.address("&mode=optimistic"), "--verify")
        self.assertEqual(result.first, "VALID run.jsonl strong-snapshot-isolation")
        self.assertIn("certificate, complete", result.out)
        facts, lines = self.recorded()
        self.assertEqual((facts["database"], facts["mode"]), ("TiDB", "optimistic"))
        times = self.times(("pr", "pu", "pd"))
        self.assertGreater(len(times), 20)
        self.assertTrue(all(start == seen for start, seen in times))
        self.assertTrue(all(line["commit_ts"] > line["start_ts"] for line in lines if "commit_ts" in line))

    def test_pessimistic_transactions_lock_what_is_current(self):
        result = self.proved(self.address())
        self.assertEqual(result.first, "VALID run.jsonl read-committed")
        self.assertIn("certificate, complete", result.out)
        reads, writes = self.times(("pr",)), self.times(("pu", "pd"))
        self.assertGreater(min(len(reads), len(writes)), 5)
        self.assertTrue(all(start == seen for start, seen in reads))
        self.assertTrue(all(start < seen for start, seen in writes))

    def test_statements_at_read_committed_see_their_own_time(self):
        result = self.proved(self.address(), "-i", "read-committed")
        self.assertEqual(result.first, "VALID run.jsonl read-committed")
        times = self.times(("pr", "pu", "pd"))
        self.assertGreater(len(times), 20)
        self.assertTrue(all(start < seen for start, seen in times))

    def test_registers_and_rows_that_exist_already(self):
        for mode in ("optimistic", "pessimistic"):  # A refused insert reads the row.
            self.expect(0, "run", self.address("&mode=" + mode), "-w", "operation-mix", "-n", "60", "-c", "4",
                        "--certificate", "--verify", "-o", f"{mode}.jsonl")

    def test_a_stale_read_is_found(self):
        for mode, level in (("optimistic", "strong-snapshot-isolation"), ("pessimistic", "read-committed")):
            result = self.predicates(1, self.address("&mode=" + mode, fault="stale-read"), "--force")
            self.assertEqual(result.first, "VIOLATION run.jsonl " + level)
            self.assertIn("result-set-mismatch", result.out)
            self.assertIn("certificate violated", result.out)

    def test_an_update_that_misses_rows_is_found(self):
        result = self.predicates(1, self.address(fault="stale-update"))
        self.assertIn("result-set-mismatch", result.out)
        self.expect(1, "check", "run.jsonl", "--level", "read-committed", "--verify")

    def test_a_lost_update_is_found(self):
        result = self.expect(1, "run", self.address("&mode=optimistic", fault="lost-update"), "-w", "mini", "--keys", "2",
                             "-n", "200", "-c", "4", "--certificate", "-o", "run.jsonl")
        self.assertEqual(result.first, "VIOLATION run.jsonl strong-snapshot-isolation")
        self.assertRegex(result.out, "lost-update|read-skew|anti-dependency")  # What depends on how they overlap.

    def test_the_store_tells_what_became_of_a_commit_without_an_answer(self):
        result = self.run_serval("run", self.address("&mode=optimistic", fault="lost-answer"), *PREDICATES)
        found = re.search(r"of the indeterminate (\d+) committed, 0 aborted, (\d+) not known", result.err)
        self.assertTrue(found, result)
        # Every row that a transaction wrote may be gone. What it did may then explain anything.
        self.assertIn(result.code, (0,) if found[2] == "0" else (0, 2), result)
        lines = [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()]
        settled = [line for line in lines if line.get("event") == "settled"]
        self.assertTrue(all(line["outcome"] == "committed" and line["commit_ts"] > 0 for line in settled), settled)

    def test_the_mode_of_the_server_is_the_default(self):
        result = self.expect(0, "run", self.address(mode="optimistic"), "-w", "mini", "-n", "50", "-c", "2", "-o", "run.jsonl")
        self.assertEqual(result.first, "VALID run.jsonl strong-snapshot-isolation")
        self.assertEqual(self.recorded()[0]["mode"], "optimistic")

    def test_the_mirror_knows_the_mode(self):
        result = self.expect(0, "run", self.address("&mode=optimistic"), "-w", "mini", "-n", "50", "--live", "--json")
        self.assertIn("tidb-optimistic:repeatable-read", result.err + result.out)

    def test_what_the_server_refuses_is_told(self):
        result = self.expect(4, "run", self.address(), "-i", "serializable", "-n", "10")
        self.assertIn("The isolation level 'serializable' is not supported", result.err)
        result = self.expect(64, "run", "mariadb://root@127.0.0.1:1/test?mode=optimistic", "-n", "10")
        self.assertIn("add dialect=tidb", result.err)
        result = self.expect(64, "run", "mariadb://root@127.0.0.1:1/test?dialect=tidb&mode=eager", "-n", "10")
        self.assertIn("mode cannot be \"eager\"", result.err)


class Cockroach(ScriptedTest):
    DRIVER = "postgres"

    def address(self, **arguments):
        port = self.start(cockroach.Cockroach(**arguments)).port
        return f"postgres://root@127.0.0.1:{port}/test?dialect=cockroach&sslmode=disable"

    def predicates(self, code, address, *words):
        return self.expect(code, "run", address, "-i", "serializable", *PREDICATES, *words)

    def test_serializable_transactions_are_proved(self):
        result = self.proved(self.address(), "--verify", "-i", "serializable")
        self.assertEqual(result.first, "VALID run.jsonl serializable")
        self.assertIn("certificate, complete", result.out)
        self.assertRegex(result.err, r"recovered  [1-9]\d* versions by [1-9]\d* transactions")
        lines = self.recorded()[1]
        saws = [(line["commit_ts"], op[-1]["saw"]["ts"]) for line in lines for op in line["ops"]
                if isinstance(op[-1], dict) and "saw" in op[-1]]
        self.assertGreater(len(saws), 20)
        self.assertTrue(all(commit == seen + 1 for commit, seen in saws))

    def test_without_changefeeds_the_sessions_know_the_order(self):
        result = self.proved(self.address(rangefeeds=False), "--verify", "-i", "serializable")
        self.assertEqual(result.first, "VALID run.jsonl serializable")
        self.assertIn("certificate, complete", result.out)
        self.assertIn('{"event":"certificate","order":"commit_ts"}', (self.folder / "run.jsonl").read_text())
        self.assertIn("recovered  the sessions recorded the timestamps that order the versions", result.err)

    def test_a_conflict_restarts_the_transaction(self):
        self.expect(0, "run", self.address(), "-i", "serializable", "-w", "mini", "--keys", "2", "-n", "120", "-c", "4",
                    "--certificate", "--verify", "-o", "run.jsonl")
        errors = [line["error"] for line in self.recorded()[1] if "error" in line]
        self.assertTrue(errors and all("restart transaction" in error and "40001" in error for error in errors), errors)

    def test_a_stale_read_is_found(self):
        for rangefeeds in (True, False):
            result = self.predicates(1, self.address(fault="stale-read", rangefeeds=rangefeeds), "--force")
            self.assertEqual(result.first, "VIOLATION run.jsonl serializable")
            self.assertIn("result-set-mismatch", result.out)

    def test_a_lost_update_is_found(self):
        result = self.expect(1, "run", self.address(fault="no-refresh"), "-i", "serializable", "-w", "mini", "--keys", "2",
                             "-n", "200", "-c", "4", "--certificate", "-o", "run.jsonl")
        self.assertEqual(result.first, "VIOLATION run.jsonl serializable")
        self.assertRegex(result.out, "lost-update|read-skew|anti-dependency")  # What depends on how they overlap.

    def test_the_changefeed_tells_what_became_of_a_commit_without_an_answer(self):
        result = self.run_serval("run", self.address(fault="lost-answer"), "-i", "serializable", *PREDICATES)
        # One that only deleted rows has no tag by which to find it, and no id, as the timestamp did not arrive either.
        self.assertRegex(result.err, r"of the indeterminate [1-9]\d* committed, 0 aborted, \d+ not known")
        self.assertIn(result.code, (0, 2), result)

    def test_the_newest_rows_tell_some_of_it(self):
        result = self.run_serval("run", self.address(fault="lost-answer", rangefeeds=False), "-i", "serializable", *PREDICATES)
        found = re.search(r"of the indeterminate (\d+) committed, 0 aborted, (\d+) not known", result.err)
        self.assertTrue(found, result)
        self.assertIn(result.code, (0,) if found[2] == "0" else (0, 2), result)


class Oracle(ScriptedTest):
    """A server that is to evaluate predicates, but does not."""
    DRIVER = "postgres"

    def check(self, code, *words):
        name = self.generate("ranges.jsonl", "-w", "predicate-mix", "-n", "20", "--force")
        return self.expect(code, "check", name, "-l", "serializable", "--oracle", *words)

    def address(self, **arguments):
        return f"postgres://root@127.0.0.1:{self.start(cockroach.Cockroach(**arguments)).port}/test?dialect=cockroach&sslmode=disable"

    def test_one_that_refuses_everything_is_an_error(self):
        self.assertIn("CockroachDB refused every predicate that it was to evaluate", self.check(4, self.address()).err)

    def test_one_that_hangs_up_is_an_error(self):
        result = self.check(4, self.address(fault="hangs-up"))
        self.assertIn("server closed the connection", result.err)
        self.assertEqual(result.out, "")

    def test_one_that_is_not_there_is_an_error(self):
        self.assertIn("cannot reach 127.0.0.1:1", self.check(4, "postgres://root@127.0.0.1:1/test").err)

    def test_addresses_without_sql_are_refused(self):
        self.assertIn("cannot evaluate predicates on simulated", self.check(64, "simulated:").err)
        self.assertIn("there is no driver", self.check(64, "nobody://here").err)
        self.check(64, "postgres://root@127.0.0.1:1/test", "--engine", "mirror")
        self.assertIn("cannot evaluate predicates on simulated",
                      self.expect(64, "run", "simulated:", "-n", "10", "--oracle", "database").err)


if __name__ == "__main__":
    cli_test.SERVAL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
