#!/usr/bin/env python3
"""A race in PostgreSQL's SERIALIZABLE, step by step: three transactions without a serial order, all of which commit.

    python3 examples/postgres_commit_race.py "$(scripts/servers start postgres)" [--without-gdb]

`serval run` met it by chance (docs/evidence.md); here gdb holds one server process at the place where the others must overtake it.
Needs psql, gdb and the right to trace the server's processes. Exit code: 1 when all commit, 0 when one is refused.

A commit becomes visible to others (ProcArrayEndTransaction) before it is one in the books of serializability
(ReleasePredicateLocks). Between the two stands `out`:

    out    writes y; visible                                    books: committed; forgets that pivot did not see y
    pivot  writes x, has read y before out wrote it    commits
    in                                     reads y, sees out            reads x, does not see pivot; writes z; commits

in before pivot (x), pivot before out (y), out before in (y). Of such a structure pivot or in has to fail, if out commits first. But
when pivot commits, out is not in the books as committed, so pivot is not marked as one that has a conflict out; and when out
gets there, it drops its conflict with pivot, because pivot has committed.
"""
import subprocess
import sys

BEGIN = "begin isolation level serializable"


class Session:
    """A psql that is asked one statement after another."""

    def __init__(self, address, name):
        self.name, self.asked = name, 0
        self.psql = subprocess.Popen(["psql", "-X", "-q", "-A", "-t", address], text=True, bufsize=1, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def send(self, statement):
        self.asked += 1
        self.psql.stdin.write(f"{statement};\n\\echo answered {self.asked}\n")
        self.statement = statement

    def hear(self):
        lines = []
        while (line := self.psql.stdout.readline()) and line != f"answered {self.asked}\n":
            lines.append(line.rstrip("\n"))
        print(f"{self.name:6} {self.statement:45} {lines[0] if lines else 'ok'}")
        return lines

    def ask(self, statement):
        self.send(statement)
        return self.hear()

    def close(self):
        self.psql.stdin.close()
        self.psql.wait()


class Debugger:
    def __init__(self, process):
        self.gdb = subprocess.Popen(["gdb", "-q", "-nx", "-p", process], text=True, bufsize=1, stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.do("set pagination off\nhandle SIGUSR1 nostop noprint\nbreak ProcArrayEndTransaction\ncontinue\n", "Continuing")

    def do(self, commands, sign):
        self.gdb.stdin.write(commands)
        while sign not in (line := self.gdb.stdout.readline()):
            if not line:
                raise SystemExit(f"gdb ended before \"{sign}\"")

    def wait_until_visible(self):
        self.do("", "Breakpoint 1")
        self.do("finish\necho is visible\\n\n", "is visible")

    def let_go(self):
        self.gdb.communicate("delete\ndetach\nquit\n")


def main():
    address, holds = sys.argv[1], "--without-gdb" not in sys.argv[2:]
    out, pivot, reader = (Session(address, name) for name in ("out", "pivot", "in"))
    for table in "xyz":
        out.ask(f"drop table if exists race_{table}")
        out.ask(f"create table race_{table} as select k, 0 as v from generate_series(1, 1000) k")
        out.ask(f"alter table race_{table} add primary key (k)")
    process = out.ask("select pg_backend_pid()")[0]
    for session in (out, pivot, reader):
        session.ask("set enable_seqscan = off")
        session.ask("set enable_bitmapscan = off")
    print()
    out.ask(BEGIN)
    out.ask("update race_y set v = 1 where k = 500")
    pivot.ask(BEGIN)
    pivot.ask("update race_x set v = 1 where k = 500")
    pivot.ask("select v from race_y where k = 500")
    debugger = Debugger(process) if holds else None
    out.send("commit")
    debugger.wait_until_visible() if holds else out.hear()
    reader.ask(BEGIN)
    reader.ask("select v from race_y where k = 500")
    pivot_commit = pivot.ask("commit")
    if holds:
        debugger.let_go()
        out.hear()
    reader.ask("select v from race_x where k = 500")
    reader.ask("update race_z set v = 1 where k = 500")
    reader.ask("commit")
    written = reader.ask("select x.v + y.v + z.v from race_x x, race_y y, race_z z where x.k = 500 and y.k = 500 and z.k = 500")
    reader.ask("drop table race_x, race_y, race_z")
    for session in (out, pivot, reader):
        session.close()
    all_committed = not pivot_commit and written == ["3"]
    print("\nall three have committed: not serializable" if all_committed else "\none was refused, as it should be")
    return 1 if all_committed else 0


if __name__ == "__main__":
    sys.exit(main())
