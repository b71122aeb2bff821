#!/usr/bin/env python3
"""Runs serval run, record and demo as a user would, on the simulated database, which every build has.

    python3 tests/cli/run_test.py PATH-TO-SERVAL [unittest arguments]
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
import cli_test
from skip_without import skip_without

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "exec_driver.py"
LOST_UPDATES = "simulated:?bug=lost-update:probability=0.5"


class Folder(cli_test.CliTest):
    def test_reports_are_next_to_the_recording(self):
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

    def test_a_named_file_gets_no_folder(self):
        result = self.expect(0, "run", "simulated:", "-n", "100", "-o", "mine.jsonl")
        self.assertEqual([file.name for file in self.folder.iterdir()], ["mine.jsonl"])
        self.assertNotIn("folder", result.err)

    def test_record_writes_no_report(self):
        self.expect(0, "record", "simulated:", "-n", "100")
        self.assertEqual([file.name for file in (self.folder / "serval-out" / "latest").iterdir()], ["history.jsonl"])


class Mirror(cli_test.CliTest):
    def test_a_database_without_a_profile_is_refused_before_the_run(self):
        greets = "exec:read hello; echo '{\"ok\":true}'; cat"
        result = self.expect(64, "record", greets, "--live", "-n", "100", "-o", "run.jsonl")
        self.assertIn("--live has no profile for exec at default", result.err)
        self.assertFalse((self.folder / "run.jsonl").exists())

    def test_a_profile_that_does_not_exist_is_refused_before_the_run(self):
        self.expect(64, "record", "simulated:", "--live", "--profile", "postgres:none", "-n", "100", "-o", "run.jsonl")
        self.assertFalse((self.folder / "run.jsonl").exists())

    def test_findings_of_the_mirror_alone_are_the_headline(self):
        flags = ["run", "simulated:", "-i", "read-committed", "-w", "mini", "--keys", "5", "-n", "4k", "--live",
                 "--profile", "generic:serializable"]
        result = self.expect(1, *flags)
        self.assertRegex(result.first, r"^VIOLATION serval-out/.* mirror$")
        self.assertRegex(result.out, r"mirror +[\d,]+ violations? found during the run")
        report = json.loads((self.folder / "serval-out" / "latest" / "report.json").read_text())
        self.assertEqual((report["verdict"], report["exit_code"]), ("violation", 1))
        self.assertGreater(report["run"]["mirrored"]["violations"], 0)
        self.assertIn("found by", report["run"]["mirrored"]["shown"][0])


class Certificate(cli_test.CliTest):
    def test_is_written_into_the_recording(self):
        result = self.expect(0, "record", "simulated:", "-w", "phantoms", "-n", "500", "--certificate", "-o", "run.jsonl")
        self.assertRegex(result.err, r"recovered  the sessions recorded the timestamps that order the versions   [\d.]+ s\n")
        lines = [json.loads(line) for line in (self.folder / "run.jsonl").read_text().splitlines()]
        self.assertEqual(lines[0]["facts"]["certificate"], "the numbers of its commits")
        self.assertIn({"event": "certificate", "order": "commit_ts"}, lines)
        ranges = [op for line in lines for op in line.get("ops", []) if op[0] in ("pr", "pu", "pd")]
        self.assertGreater(len(ranges), 500)
        self.assertTrue(all("ts" in op[-1]["saw"] for op in ranges))

    def test_is_refused_with_the_names_of_databases_that_have_one(self):
        result = self.expect(64, "run", "exec:true", "--certificate")
        self.assertIn("no certificate can be recovered from exec", result.err)
        for name in ("postgres", "mariadb", "sqlite", "rocksdb", "simulated"):
            self.assertIn(name, result.err)


    def test_workloads_with_ranges_are_decided_at_every_level(self):
        for level in ("read-committed", "prefix-consistency", "snapshot-isolation", "strict-serializable"):
            for workload in ("predicates", "predicate-mix", "blindw-rw+", "ycsb-e"):
                # To verify read committed takes time in proportion to operations times keys.
                count = "150" if level == "read-committed" else "250"
                result = self.expect(0, "run", "simulated:", "-w", workload, "-i", level, "-n", count, "--verify")
                self.assertTrue(result.out.startswith("VALID"), result.out)

    def test_what_a_certificate_leaves_open_is_judged_by_the_reads_on_request(self):
        result = self.expect(2, "run", "simulated:", "-w", "mini", "-i", "prefix-consistency", "-n", "2000",
                             "--certificate", "--seed", "7", "-o", "run.jsonl")
        self.assertIn("without the certificate, by the reads alone, the level holds", result.out)
        self.assertIn("next       serval check run.jsonl --level prefix-consistency --no-certificate", result.out)
        self.expect(0, "check", "run.jsonl", "--level", "prefix-consistency", "--no-certificate", "--verify")
        self.expect(64, "check", "run.jsonl", "--no-certificate", "--engine", "certificate")

    def test_is_automatic_if_ranges_need_it(self):
        result = self.expect(0, "run", "simulated:", "-w", "phantoms", "-n", "500", "-o", "run.jsonl")
        self.assertIn("recovered", result.err)
        result = self.run_serval("run", "simulated:", "-w", "predicates", "-n", "500", "--no-certificate")
        self.assertIn("note: no certificate: --no-certificate; what ranges leave open may stay UNKNOWN\n", result.err)
        self.assertIn("  note       no certificate: --no-certificate; what ranges", result.out)
        recording = str((self.folder / "serval-out" / "latest" / "history.jsonl").resolve())
        unknown = self.expect(2, "check", recording, "-l", "serializable", "--engine", "mini-transaction").out
        self.assertNotIn("record a read before each write", unknown)
        self.assertIn("a version certificate would decide it", unknown)
        self.assertIn("serval run --certificate", self.expect(0, "lint", recording).out)
        self.assertTrue(json.loads(self.expect(0, "lint", "--json", recording).out)["lacks_certificate"])
        self.assertFalse(json.loads(self.expect(0, "lint", "--json", "run.jsonl").out)["lacks_certificate"])
        self.assertIn("cannot be combined", self.expect(64, "run", "simulated:", "--certificate", "--no-certificate").err)


class Invariant(cli_test.CliTest):
    BROKEN = ("run", "simulated:", "-w", "phantoms", "-i", "strong-snapshot-isolation", "-n", "3000", "--max-anomalies", "2")

    def test_a_broken_one_is_a_violation_that_the_level_may_permit(self):
        result = self.expect(1, *self.BROKEN)
        self.assertRegex(result.first, r"^VIOLATION \S+ invariant$")
        self.assertEqual(len(re.findall("both groups of pair", result.out)), 2)
        self.assertIn("strong-snapshot-isolation permits this: only serializable guarantees this invariant", result.out)
        self.assertIn("the recording itself satisfies strong-snapshot-isolation", result.out)
        self.assertNotIn("broken invariant", result.err)
        folder = self.folder / "serval-out" / "latest"
        self.assertEqual((folder / "report.txt").read_text(), result.out)
        report = json.loads((folder / "report.json").read_text())
        self.assertEqual((report["exit_code"], report["verdict"], report["level"]["verdict"]), (1, "violation", "valid"))
        invariant = report["run"]["invariant"]
        self.assertGreater(invariant["broken"], 2)
        self.assertEqual((len(invariant["shown"]), invariant["asked_level_permits"]), (2, True))
        self.assertGreaterEqual(invariant["looks"], 1)

    def test_a_level_that_forbids_it_is_named(self):
        result = self.expect(1, *self.BROKEN, "--level", "serializable")
        self.assertRegex(result.first, r"^VIOLATION \S+ serializable$")
        self.assertIn("serializable forbids this", result.out)
        self.assertIn("the isolation strong-snapshot-isolation promises strong-snapshot-isolation, which permits it", result.out)

    def test_recording_alone_reports_a_few(self):
        result = self.expect(1, "record", *self.BROKEN[1:-2])
        self.assertEqual(result.err.count("broken invariant: both groups"), 10)
        self.assertRegex(result.err, r"broken invariant: … \d+ more")

    def test_one_that_holds_was_checked(self):
        report = json.loads(self.expect(0, "run", "simulated:", "-w", "bank", "-n", "2000", "--json").out)
        self.assertGreaterEqual(report["run"]["invariant"]["looks"], 1)
        self.assertEqual(report["run"]["invariant"]["broken"], 0)


class Manners(cli_test.CliTest):
    def test_quiet_is_the_first_line(self):
        result = self.expect(0, "run", "simulated:", "-n", "200", "-q")
        self.assertRegex(result.out, r"^VALID \S+ strict-serializable\n$")
        self.assertEqual(result.err, "")

    def test_quiet_does_not_shorten_the_files(self):
        result = self.expect(1, "run", LOST_UPDATES, "-w", "mini", "-n", "5k", "--keys", "5", "-q")
        self.assertEqual(result.out.count("\n"), 1)
        text = (self.folder / "serval-out" / "latest" / "report.txt").read_text()
        self.assertTrue(text.startswith(result.out))
        for part in ("\n  found ", "\n  not ", "\n  next "):
            self.assertIn(part, text)

    def test_colour_on_request(self):
        self.assertIn("\x1b[1;32mVALID", self.expect(0, "run", "simulated:", "-n", "200", "--color", "always").out)

    def test_force_overwrites_files_only(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "device").symlink_to("/dev/null")
        for name in ("pipe", "device", "."):
            for force in ((), ("--force",)):
                with self.subTest(name=name, force=force):
                    self.assertIn("is not a regular file", self.expect(64, "run", "simulated:", "-n", "100", "-o", name, *force).err)
        self.assertTrue((self.folder / "pipe").is_fifo())
        self.assertTrue((self.folder / "device").is_char_device())

    def test_recordings_are_not_compressed(self):
        for name in ["a.jsonl.gz", "a.jsonl.zst"]:
            self.assertIn("not compressed while it is written",
                          self.expect(64, "record", "simulated:", "-n", "100", "-o", name).err)
            self.assertFalse((self.folder / name).exists())

    def test_a_link_is_kept_and_its_target_is_written(self):
        self.file("old.jsonl", "precious")
        for target in ("old.jsonl", "new.jsonl"):
            with self.subTest(target=target):
                link = self.folder / f"link-to-{target}"
                link.symlink_to(target)
                self.expect(0, "run", "simulated:", "-n", "100", "-o", link.name, "--force")
                self.assertTrue(link.is_symlink())
                self.expect(0, "check", target)

    def test_a_file_is_overwritten_only_by_force(self):
        self.file("mine.jsonl", "precious")
        self.assertIn("--force", self.expect(64, "run", "simulated:", "-n", "100", "-o", "mine.jsonl").err)
        self.assertEqual((self.folder / "mine.jsonl").read_text(), "precious")
        self.expect(0, "run", "simulated:", "-n", "100", "-o", "mine.jsonl", "--force")
        self.expect(0, "check", "mine.jsonl")

    def test_a_database_that_cannot_be_reached_is_json_too(self):
        result = self.expect(4, "run", "exec:exit 3", "--json")
        error = json.loads(result.out)
        self.assertEqual((error["schema"], error["exit_code"]), ("serval.error/1", 4))
        self.assertIn("the program", error["error"]["problem"])
        self.assertEqual((error["error"]["kind"], error["input"]["path"]), ("failure", "exec:exit 3"))

    def test_a_hint_is_in_the_json_of_a_failure(self):
        drivers = json.loads(self.expect(0, "drivers", "--json").out)
        if not any(row["name"] == "etcd" and row["available"] for row in drivers):
            skip_without(self, "etcd", "this build cannot drive etcd")
        error = json.loads(self.expect(4, "run", "etcd://127.0.0.1:1", "--json").out)["error"]
        self.assertIn("check host and port", error["hint"])

    def test_a_file_that_may_not_grow_is_an_error(self):
        limited = subprocess.run(["bash", "-c", f"ulimit -f 200; exec {cli_test.SERVAL} run simulated: -t 20s --progress none"],
                                 cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(limited.returncode, 3, limited.stderr)
        self.assertIn("File too large", limited.stderr)
        # It can be read. Everything after the last sync is ignored, which may be the whole run.
        checked = self.run_serval("check", "serval-out/latest/history.jsonl")
        self.assertIn(checked.code, (0, 2), checked)
        self.assertEqual(checked.code == 2, "the history has no transactions" in checked.out, checked)

    def test_exec_has_no_default_gate(self):
        result = self.run_serval("run", f"exec:python3 {EXAMPLE} a.db", "-n", "100", "-c", "2", "--json")
        report = json.loads(result.out)
        self.assertEqual((result.code, report["level"]["asked"]), (0, []), result)
        self.assertNotIn("promises", report["input"]["facts"])
        self.assertIn("--level", self.expect(64, "run", "exec:true", "--stop-on-violation").err)

    def test_the_exec_example_quotes_the_names_of_columns(self):
        result = self.run_serval("run", f"exec:python3 {EXAMPLE} a.db", "-w", "phantoms", "-n", "30", "-c", "2")
        self.assertIn(result.code, (0, 2), result)  # A column has the name "group".

    def test_exec_does_not_choose_its_gate(self):
        self.file("stale.py", """
import json, sys
for line in sys.stdin:
    ask = json.loads(line)
    answer = {"ok": True}
    if ask["do"] == "hello":
        answer["facts"] = json.loads(sys.argv[1])
    elif ask["do"] == "read":  # Loses every update.
        answer = {"rows": [[ask["key"], 0]]}
    elif ask["do"] == "commit":
        answer = {"outcome": "committed"}
    print(json.dumps(answer), flush=True)
""")
        run = ["run", "-w", "mini", "-n", "50", "-c", "2", "--level", "serializable"]
        self.expect(1, *run, "exec:python3 stale.py '{\"version\":\"1\"}'")
        for facts in ('{"promises":"read-uncommitted"}', '{"isolation":"x"}', '{"table":"x"}', '{"database":"x"}'):
            with self.subTest(facts):
                name = list(json.loads(facts))[0]
                result = self.expect(4, *run[:-2], f"exec:python3 stale.py '{facts}'")
                self.assertIn(f'the fact "{name}" is Serval\'s own', result.err)

    def test_a_program_that_dies_for_good_leaves_a_verdict(self):
        self.file("dying.py", f"""
import os, sys
sys.path.insert(0, {str(EXAMPLE.parent)!r})
sys.dont_write_bytecode = True
import exec_driver

class Dying(exec_driver.Session):
    def commit(self, request):
        answer = super().commit(request)
        open("commits", "a").write("x")
        if os.path.getsize("commits") > 40:
            open("dead", "w").close()
            os._exit(1)
        return answer

if os.path.exists("dead"):
    sys.exit(1)
exec_driver.Session = Dying
exec_driver.main()
""")
        result = self.expect(4, "run", "exec:python3 dying.py a.db", "-w", "mini", "-c", "2", "-t", "2s", "--level",
                             "serializable", "--no-cleanup")
        self.assertTrue(result.first.startswith("VALID "), result)
        self.assertRegex(result.out, r"lost +the connections were lost and cannot be re-established")
        report = json.loads((self.folder / "serval-out" / "latest" / "report.json").read_text())
        self.assertEqual((report["exit_code"], report["verdict"]), (4, "valid"))
        self.assertIn("the connections were lost", report["run"]["loss"])


class Passwords(cli_test.CliTest):
    def test_are_never_repeated(self):
        for words in (("postgres://app:sesame@127.0.0.1:1/x",), ("mariadb://app:sesame@127.0.0.1:1/x",),
                      ("postgres://app@127.0.0.1:1/x", "--node", "127.0.0.1?password=sesame"),
                      ("mariadb://app@127.0.0.1:1/x", "--node", "app:sesame@127.0.0.1"),
                      ("etcd://root:sesame@127.0.0.1:1",), ("etcd://127.0.0.1:1", "--node", "etcd://u:sesame@127.0.0.1:2"),
                      ("sqlite:", "postgres://app:sesame@127.0.0.1/x"), ("postgres//app:sesame@h/x",),
                      ("simulated:password=sesame",), ("postgres://app@127.0.0.1:1/x?sslpassword=sesame",)):
            for verb in ("run", "record", "probe"):
                result = self.run_serval(verb, *words)
                self.assertIn(result.code, (4, 64), (verb, words, result))
                self.assertNotIn("sesame", result.out + result.err, (verb, words))
        self.assertFalse(any("sesame" in path.read_text() for path in self.folder.rglob("*") if path.is_file()))

    def test_are_removed_from_the_process_list(self):
        run = subprocess.Popen([cli_test.SERVAL, "run", "exec:cat >/dev/null; : --password=sesame"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        words = lambda: pathlib.Path(f"/proc/{run.pid}/cmdline").read_text()
        while "run" not in words() or "sesame" in words():  # Between fork and exec the arguments are not there yet.
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        self.assertIn("exec:cat >/dev/null; : --password=******", words())


class Live(cli_test.CliTest):
    def test_a_violation_ends_the_run_on_request(self):
        start = time.monotonic()
        result = self.expect(1, "run", LOST_UPDATES, "-w", "mini", "--keys", "5", "-t", "100s", "--rate", "2k",
                             "--stop-on-violation")
        self.assertLess(time.monotonic() - start, 50)
        self.assertRegex(result.err, r"violation  found after [\d.]+ s   checked [\d,]+ txns \([\d.]+ s behind\), \d+ ")
        self.assertTrue(result.first.startswith("VIOLATION "))

    def test_the_first_violation_is_found_long_before_the_end(self):
        found = self.expect(1, "run", LOST_UPDATES, "-w", "mini", "--keys", "5", "-t", "60s", "--stop-on-violation").err
        self.assertLess(float(re.search(r"violation  found after ([\d.]+) s", found)[1]), 30)

    def test_nothing_is_checked_during_the_run_if_disabled(self):
        result = self.expect(1, "run", LOST_UPDATES, "-w", "mini", "--keys", "5", "-t", "3s", "--rate", "2k", "--no-live")
        self.assertNotIn("violation  found", result.err)

    def test_stopping_needs_a_check(self):
        self.assertIn("leave out --no-live", self.expect(64, "run", "simulated:", "--no-live", "--stop-on-violation").err)
        self.assertIn("ranges", self.expect(64, "run", "simulated:", "-w", "predicates", "--stop-on-violation").err)
        self.assertIn("at the end", self.expect(64, "run", "simulated:", "-i", "RU", "--stop-on-violation").err)

    def test_the_first_signal_ends_the_run_and_checks_the_recording(self):
        run = subprocess.Popen([cli_test.SERVAL, "run", "simulated:", "-t", "100s", "--progress", "none"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        recording = self.folder / "serval-out" / "latest" / "history.jsonl"
        while not recording.exists() or recording.stat().st_size < 2_000_000:  # By then the check is running.
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, err)
        self.assertTrue(out.startswith(b"VALID serval-out/"), out)
        self.assertLess(time.monotonic() - start, 30)


class Simulated(cli_test.CliTest):
    def test_probe_shows_what_each_level_allows(self):
        matrix = json.loads(self.expect(0, "probe", "simulated:", "--json").out)
        happens = {row["isolation"]: [name for name, cell in row["cells"].items() if cell["result"] == "happens"]
                   for row in matrix["rows"]}
        self.assertEqual(happens["strict-serializable"], [])
        self.assertEqual(happens["strong-snapshot-isolation"], ["G2-item", "G2"])
        self.assertEqual(happens["read-committed"], ["PMP", "P4", "G-single", "G2-item", "G2"])
        self.assertEqual([row["broken_by"] for row in matrix["rows"]], [[]] * 9)

    def test_a_probe_writes_a_profile_that_runs_keep(self):
        for isolation in ("strict-serializable", "read-committed"):
            self.expect(0, "probe", "simulated:", "-i", isolation, "--write-profile", f"{isolation}.profile")
        written = (self.folder / "read-committed.profile").read_text()
        self.assertIn("basis = probe\n", written)
        self.assertIn("# Not probed.\none-clock = no\n", written)
        flags = ["-w", "mini", "--keys", "5", "-n", "500", "--live", "--profile", "read-committed.profile"]
        result = self.expect(0, "record", "simulated:", "-i", "read-committed", *flags, "-o", "run.jsonl")
        self.assertIn("mirrored   CLEAN run.jsonl simulated:read-committed", result.err)
        self.expect(1, "check", "run.jsonl", "--engine", "mirror", "--profile", "strict-serializable.profile", "-q")
        probe = ["probe", "simulated:", "--write-profile", "read-committed.profile"]
        self.assertIn("--force", self.expect(64, *probe, "-i", "read-committed").err)
        self.assertIn("one isolation", self.expect(64, *probe).err)

    def test_wrong_words_get_suggestions(self):
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
        self.assertIn("  verified   the evidence was verified against the raw history", lines)
        self.assertRegex(result.out, r"write-skew|read-skew|anti-dependency-cycle")
        following = [line.split(maxsplit=1)[1].split("    (")[0] for line in lines if line.startswith("  next ")]
        self.assertGreaterEqual(len(following), 1)
        for command in following:
            self.assertIn(self.run_serval(*command.split()[1:]).code, (0, 1), command)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["serval-out"])
        self.expect(0, *re.search(r"^Next: serval (\w+)", result.out, re.M)[1].split())


if __name__ == "__main__":
    cli_test.SERVAL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
