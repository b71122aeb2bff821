#!/usr/bin/env python3
"""serval run against hanging servers and over TLS, and the examples that need a server. PostgreSQL, MariaDB and etcd are skipped if not installed.

    python3 tests/cli/server_test.py PATH-TO-SERVAL [unittest arguments]
"""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import cli_test
from skip_without import skip_without

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "servers"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def family(pid):
    """The process and its children."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def wrapper_of(pid):
    """runuser, which stops together with its child and has to be continued explicitly."""
    parent = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return [parent] if pathlib.Path(f"/proc/{parent}/comm").read_text().strip() == "runuser" else []


class ServerTest(cli_test.CliTest):
    def need(self, driver):
        drivers = json.loads(self.expect(0, "drivers", "--json").out)
        if not any(row["name"] == driver and row["available"] for row in drivers):
            skip_without(self, driver, f"this build cannot drive {driver}")

    def start(self, name):
        """Returns the address and the folder of a server of scripts/servers."""
        self.need(name)
        folder = pathlib.Path(tempfile.gettempdir()) / f"serval-servers-{os.getpid()}-{name}"
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        done = subprocess.run([SCRIPT, "start", name, "--dir", folder], capture_output=True, text=True, timeout=120, check=False)
        if done.returncode == 69:
            skip_without(self, name, done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.addCleanup(subprocess.run, [SCRIPT, "stop", name, "--dir", folder], capture_output=True, timeout=60, check=False)
        return done.stdout.split()[0], folder / name

    def certificate(self):
        done = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=serval",
                               "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / "cert.pem", self.folder / "key.pem"

    def start_etcd(self, *flags, scheme="http"):
        self.need("etcd")
        if shutil.which("etcd") is None:
            skip_without(self, "etcd", "no etcd")
        client, peer = free_port(), free_port()
        with open(self.folder / "etcd.log", "w", encoding="utf-8") as log:
            server = subprocess.Popen(["etcd", "--data-dir", "etcd", "--unsafe-no-fsync",
                                       "--listen-client-urls", f"{scheme}://127.0.0.1:{client}",
                                       "--advertise-client-urls", f"{scheme}://127.0.0.1:{client}",
                                       "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                                       "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                                       "--initial-cluster", f"default=http://127.0.0.1:{peer}", *map(str, flags)],
                                      cwd=self.folder, stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server, f"127.0.0.1:{client}"

    def wait_until(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)


class Refused(ServerTest):
    """A server that answers is not unreachable, and the hint concerns its answer."""

    def check(self, name, user):
        address, _ = self.start(name)
        place = address.rsplit("/", 1)[0]
        unknown = self.expect(4, "run", f"{place}/nodb", "-n", "10").err
        self.assertIn("no connection to 127.0.0.1", unknown)
        self.assertIn("check the user and the database", unknown)
        nobody = self.expect(4, "run", f"{name}://{user}@127.0.0.1:1/nodb", "-n", "10").err
        self.assertIn("cannot reach 127.0.0.1:1", nobody)
        self.assertIn("check host, port and database", nobody)
        return address

    def test_by_postgres(self):
        address = self.check("postgres", "postgres")
        self.assertIn("use fewer clients", self.expect(4, "run", address, "-n", "10", "-c", "500").err)

    def test_by_mariadb(self):
        self.check("mariadb", "root")


class Hanging(ServerTest):
    def survive(self, address, processes, said):
        """Suspends the server until the run notices; the run continues in new sessions."""
        recording = self.folder / "run.jsonl"
        run = subprocess.Popen([cli_test.SERVAL, "run", address, "-i", "serializable", "-w", "mini", "-c", "2", "-t", "200s",
                                "-o", recording], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        recorded = lambda: recording.read_text() if recording.exists() else ""
        self.wait_until(lambda: recorded().count('"ops"') > 20, "no transactions")
        stopped = processes()
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        try:
            self.wait_until(lambda: said in recorded(), "nobody noticed")
        finally:
            for pid in stopped + wrapper_of(stopped[0]):
                os.kill(pid, signal.SIGCONT)
        self.wait_until(lambda: '{"s":3,' in recorded(), "no new session")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 130, err)
        self.assertTrue(out.startswith("VALID "), out)
        lost = [line for line in map(json.loads, recorded().splitlines()) if said in line.get("error", "")]
        self.assertTrue(all(line["outcome"] in ("aborted", "indeterminate") for line in lost), lost)

    def test_postgres(self):
        address, folder = self.start("postgres")
        postmaster = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        self.survive(address + "?timeout=1s", lambda: family(postmaster), "no response within 1000 ms")

    def test_mariadb(self):
        address, folder = self.start("mariadb")
        pid = int((folder / "server.pid").read_text())
        self.survive(address + "?timeout=1s", lambda: [pid], "error 2013")

    def test_etcd(self):
        server, place = self.start_etcd()
        self.wait_until(lambda: self.run_serval("probe", f"etcd://{place}", "-i", "stale").code != 4, "no etcd")
        self.survive(f"etcd://{place}?timeout=1s", lambda: [server.pid], "Timeout was reached")

    def test_a_wrong_timeout_is_refused(self):
        for driver in ("postgres", "mariadb", "etcd"):
            self.need(driver)
        for address in ("postgres://h/d?timeout=5", "mariadb://h/d?timeout=x", "etcd://h:1?timeout=0s"):
            self.assertIn("500ms, 5s or 2m", self.expect(64, "run", address).err)


class Examples(ServerTest):
    """Whether the race occurs depends on the machine; what the scripts must report does not."""

    def play(self, *command):
        return subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=120, check=False)

    def test_the_commit_race_of_postgresql(self):
        address, _ = self.start("postgres")
        done = self.play(cli_test.EXAMPLES / "postgres_commit_race.sh", address, 2, 10000)
        told = re.search(r": all three committed in (\d) of 2 rounds \(10000 locks\)\n", done.stdout)
        self.assertTrue(told, done)
        self.assertEqual(done.returncode, 1 if int(told[1]) else 0, done)
        too_many = self.play(cli_test.EXAMPLES / "postgres_commit_race.sh", address, 1, 1000000)
        self.assertEqual(too_many.returncode, 69, too_many)
        self.assertIn("raise max_locks_per_transaction", too_many.stderr)

    def test_the_insert_race_of_postgresql(self):
        address, _ = self.start("postgres")
        done = self.play(sys.executable, cli_test.EXAMPLES / "postgres_insert_race.py", address)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("both committed: no serial order exists", done.stdout)


class Script(cli_test.CliTest):
    """A running stand-in for a server: its command names the folder, as scripts/servers requires."""

    def servers(self, *words):
        return subprocess.run([SCRIPT, *words, "--dir", self.folder], capture_output=True, text=True, timeout=60, check=False)

    def test_a_setting_for_a_server_that_already_runs_is_an_error(self):
        server = self.folder / "postgres"
        server.mkdir()
        stand_in = subprocess.Popen([sys.executable, "-c", "input()", str(server)], stdin=subprocess.PIPE)
        self.addCleanup(stand_in.communicate, b"\n")
        (server / "server.pid").write_text(f"{stand_in.pid}\n")
        (server / "address").write_text("postgres://here\n")
        self.assertEqual(self.servers("start", "postgres").stdout, "postgres://here\n")
        refused = self.servers("start", "postgres", "--set", "max_connections=9")
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("already runs", refused.stderr)

    def test_settings_are_for_postgresql(self):
        refused = self.servers("start", "etcd", "--set", "max_connections=9")
        self.assertEqual(refused.returncode, 64)
        self.assertIn("--set works only for PostgreSQL", refused.stderr)


class Lost(ServerTest):
    def begin(self, *words):
        """A run that has recorded something."""
        recording = self.folder / "run.jsonl"
        run = subprocess.Popen([cli_test.SERVAL, "run", *words, "--progress", "none", "-o", recording], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        recorded = lambda: recording.read_text() if recording.exists() else ""
        self.wait_until(lambda: recorded().count('"ops"') > 50, "no transactions")
        return run, recorded

    def test_a_member_of_etcd_that_is_gone_for_good(self):
        address, folder = self.start("etcd")
        run, recorded = self.begin(address, "-w", "mini", "-c", "6", "-t", "100s")
        os.kill(int((folder / "n0.pid").read_text()), signal.SIGKILL)
        self.wait_until(lambda: '{"s":8,' in recorded(), "no session went on at another member")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 130, err)
        self.assertTrue(out.startswith("VALID "), out)
        self.assertNotIn("lost  ", out)

    def test_a_server_that_is_gone_for_good_leaves_a_verdict(self):
        address, folder = self.start("postgres")
        run, _ = self.begin(address, "-i", "serializable", "-w", "list-append", "-c", "2", "-t", "3s", "--json")
        postmaster = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        for pid in family(postmaster):
            os.kill(pid, signal.SIGKILL)
        out, err = run.communicate(timeout=120)
        report = json.loads(out)
        self.assertEqual((run.returncode, report["exit_code"], report["verdict"]), (4, 4, "valid"), err)
        self.assertIn("cannot be re-established", report["run"]["loss"])
        self.assertIn("lost       the database", err)

    def test_a_run_does_without_a_lost_certificate(self):
        address, folder = self.start("postgres")
        run, recorded = self.begin(address, "-i", "serializable", "-w", "mini", "-c", "2", "-t", "100s", "--certificate")
        crashed = subprocess.run([SCRIPT, "crash", "postgres", "--dir", folder.parent], capture_output=True, text=True, check=False)
        self.assertEqual(crashed.returncode, 0, crashed.stderr)
        self.wait_until(lambda: '{"s":3,' in recorded(), "no new session")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=120)
        self.assertIn("note       the certificate is lost, so the recording is judged without it", out, err)
        self.assertNotEqual(run.returncode, 4, err)  # Whether the crash lost acknowledged commits is not tested here.

    def test_ranges_without_a_log_are_reported_before_the_run(self):
        address, _ = self.start("postgres")
        for statement in ("create role plain login", "grant create on schema public to plain"):
            subprocess.run(["psql", address, "-qc", statement], check=True, capture_output=True)
        result = self.run_serval("run", address.replace("postgres@", "plain@"), "-w", "phantoms", "-i", "serializable", "-n", "100")
        self.assertIn("note: no certificate: the server does not grant a replication slot", result.err)
        self.assertIn(result.code, (0, 2), result)
        result = self.run_serval("run", address.replace("postgres@", "plain@"), "-w", "phantoms", "-n", "100", "--certificate")
        self.assertEqual(result.code, 4, result)

    def test_an_invariant_is_checked_while_the_sessions_run(self):
        for server in ("postgres", "mariadb"):
            address, _ = self.start(server)
            report = json.loads(self.expect(0, "run", address, "-w", "bank", "-i", "serializable", "-t", "2s", "--json").out)
            self.assertGreater(report["run"]["invariant"]["looks"], 1)
            self.assertEqual(report["run"]["invariant"]["broken"], 0)

    def test_a_lock_that_is_never_released_does_not_keep_a_run_from_ending(self):
        address, _ = self.start("postgres")
        run, _ = self.begin(address, "-i", "read-committed", "-w", "mini", "-c", "4", "-t", "6s", "--no-cleanup")
        holder = subprocess.Popen(["psql", address, "-qc", "begin; lock table serval_registers; select pg_sleep(300)"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        start = time.monotonic()
        out, err = run.communicate(timeout=120)
        self.assertLess(time.monotonic() - start, 50, err)
        self.assertIn(run.returncode, (0, 4), err)
        self.assertTrue(out.startswith("VALID "), out)


class Oracle(ServerTest):
    """Servers evaluate the predicates of a history."""

    def odd(self, asked):
        rows = cli_test.Oracle.ROWS
        lines = [{"serval": "history", "version": 1}]
        lines += [{"s": 1, "t": i, "ops": [["w", f"pieces/{i}", row]]} for i, row in enumerate(rows, 1)]
        lines += [{"s": 2, "t": 50 + i, "ops": [["pr", ["sql", text], []]]} for i, text in enumerate(asked)]
        return self.file("odd.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def agrees(self, address, asked):
        name = self.odd(asked)
        result = self.expect(0, "check", name, "-l", "read-uncommitted", "--oracle", address, "--unknown", "pass")
        found = re.search(r"oracle: (\w+) agrees on (\d+) evaluations", result.out)
        self.assertTrue(found, result)
        self.assertGreater(int(found[2]), len(asked) * 5 // 2, result)
        return found[1]

    def test_postgresql(self):
        address, _ = self.start("postgres")
        self.assertEqual(self.agrees(address, [text for text in cli_test.Oracle.ASKED if "SET" not in text]), "PostgreSQL")
        result = self.expect(0, "run", address, "-i", "serializable", "-w", "predicates", "-n", "60", "--oracle", "database")
        self.assertRegex(result.out, r"note       oracle: PostgreSQL agrees on [1-9]")

    def test_mariadb_divides_integers_in_its_own_way(self):
        address, _ = self.start("mariadb")
        asked = ['"A" < a', '"A" + a > 0', "a % 2 = -1", "t LIKE 'A%'", "t || 'x' IN ('x', NULL)", '"A" + 0.2 = 0.3', "t < 'b'"]
        self.assertEqual(self.agrees(address, asked), "MariaDB")
        lines = [{"serval": "history", "version": 1}, {"s": 1, "t": 1, "ops": [["w", "x", 5]]},
                 {"s": 2, "t": 2, "ops": [["pr", ["sql", "value / 2 = 2"], [["x", 5]]]]}]
        name = self.file("half.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        for level in (["-l", "serializable"], []):
            result = self.expect(2, "check", name, *level, "--oracle", address)
            self.assertTrue(result.out.startswith("UNKNOWN half.jsonl"), result)
            self.assertIn("the database evaluates a predicate differently than Serval", result.out)
            self.assertIn("for the predicate value / 2 = 2 and the row x = 5, Serval says true, MariaDB says false", result.out)
        self.assertEqual(json.loads(self.expect(2, "check", name, "--oracle", address, "--json").out)["verdict"], "unknown")


class Probed(ServerTest):
    """Whatever a probe of a correct server derives, the server keeps."""

    def test_postgres_keeps_the_profile_that_it_was_probed_for(self):
        address, _ = self.start("postgres")
        self.expect(0, "probe", address, "-i", "serializable", "--write-profile", "mine.profile")
        self.assertIn("plain-read = consistent\n", (self.folder / "mine.profile").read_text())
        flags = ["-i", "serializable", "-w", "mini", "--keys", "20", "-n", "500", "--live", "--profile", "mine.profile"]
        result = self.expect(0, "record", address, *flags, "-o", "run.jsonl")
        self.assertIn("mirrored   CLEAN run.jsonl postgresql:serializable", result.err)


class Tls(ServerTest):
    def test_postgres(self):
        address, folder = self.start("postgres")
        self.assertEqual(self.run_serval("run", address + "?sslmode=require", "-n", "50").code, 4)
        for source, name in zip(self.certificate(), ("server.crt", "server.key")):
            target = folder / "data" / name
            shutil.copy(source, target)
            target.chmod(0o600)
            owner = (folder / "data").stat()
            os.chown(target, owner.st_uid, owner.st_gid)
        for statement in ("alter system set ssl = on", "select pg_reload_conf()"):
            subprocess.run(["psql", address, "-qc", statement], check=True, capture_output=True)
        self.wait_until(lambda: self.run_serval("run", address + "?sslmode=require", "-n", "50").code == 0, "no TLS")

    def test_etcd_with_a_user(self):
        certificate, key = self.certificate()
        _, place = self.start_etcd("--cert-file", certificate, "--key-file", key, scheme="https")
        address = f"etcd://root@{place}?cacert={certificate}"
        control = ["etcdctl", "--endpoints", f"https://{place}", "--cacert", certificate]
        self.wait_until(lambda: subprocess.run([*control, "endpoint", "health"], capture_output=True, check=False).returncode == 0,
                        "no etcd")
        for words in (["user", "add", "root:open-sesame"], ["user", "grant-role", "root", "root"], ["auth", "enable"]):
            subprocess.run([*control, *words], check=True, capture_output=True, env={**os.environ, "ETCDCTL_API": "3"})
        ask = ("-w", "mini", "-n", "60", "-c", "2")
        secret = {"SERVAL_ETCD_PASSWORD": "open-sesame"}
        result = self.expect(0, "run", address, *ask, environment=secret)
        self.assertTrue(result.first.startswith("VALID "))
        self.file("password", "open-sesame\n")
        self.expect(0, "run", address + "&passfile=password", *ask)
        for file in (self.folder / "serval-out" / "latest").iterdir():
            self.assertNotIn("open-sesame", file.read_text())
        self.assertNotIn("open-sesame", result.out + result.err)
        self.assertIn("invalid user ID or password", self.expect(4, "run", address, *ask,
                                                                 environment={"SERVAL_ETCD_PASSWORD": "guess"}).err)
        self.assertIn("SERVAL_ETCD_PASSWORD", self.expect(64, "run", address, *ask).err)
        self.assertIn("visible to other users", self.expect(64, "run", f"etcd://root:x@{place}").err)
        self.expect(4, "run", f"etcd://root@{place}?tls=on", *ask, environment=secret)  # The certificate is not trusted.
        self.expect(4, "run", f"etcd://root@{place}", *ask, environment=secret)


if __name__ == "__main__":
    cli_test.SERVAL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
