#!/usr/bin/env python3
"""Two transactions without a serial order that PostgreSQL's SERIALIZABLE lets commit, step by step.

    python3 examples/postgres_insert_race.py "$(scripts/servers start postgres)"

`serval run -w predicates --certificate` found it once in 412,120 commits (docs/evidence.md). Needs psql only. Exit code: 1 if both
commit and their answers have no serial order, 0 if one is refused.

    reader   takes its snapshot                  inserts 69: there is no such row      reads 70 to 72: sees 71       commits
    deleter           deletes 69 and 71, commits

The reader must come after the deleter, otherwise the insert would have found row 69. It must also come before the deleter, otherwise it would
not have seen row 71. The insert checks the unique index as it is now, not as the snapshot shows it, and SSI does not record that check. So PostgreSQL
records that the reader missed what the deleter did (71), but no conflict from the deleter to the reader, as long as the insert is not on a page
that the deleter has read. Therefore the tables are not small here.
"""
import subprocess
import sys


class Session:
    """A psql that runs one statement after another."""

    def __init__(self, address, name):
        self.name = name
        self.psql = subprocess.Popen(["psql", "-X", "-q", "-A", "-t", address], text=True, bufsize=1, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def ask(self, statement):
        self.psql.stdin.write(f"{statement};\n\\echo answered\n")
        lines = []
        for line in self.psql.stdout:
            if line.strip() == "answered":
                break
            lines.append(line.strip())
        if self.name:
            print(f"{self.name:8} {statement:70} {' '.join(lines)}")
        return lines

    def end(self):
        self.psql.stdin.close()
        self.psql.wait(timeout=10)


def main(address):
    keeper, reader, deleter = Session(address, ""), Session(address, "reader"), Session(address, "deleter")
    for statement in ("drop table if exists serval_race", "create table serval_race (k int primary key, place int)",
                      "insert into serval_race select g, g * 10 from generate_series(1, 20000) g",
                      "create index on serval_race (place)", "update serval_race set place = 5 where k in (69, 71)",
                      "vacuum analyze serval_race"):
        keeper.ask(statement)
    reader.ask("begin isolation level serializable")
    reader.ask("select k from serval_race where k = 96")
    deleter.ask("begin isolation level serializable")
    deleter.ask("delete from serval_race where place = 5 returning k")
    deleted = deleter.ask("commit")
    inserted = reader.ask("insert into serval_race values (69, 199999) on conflict do nothing returning k")
    seen = reader.ask("select k from serval_race where k between 70 and 72")
    committed = reader.ask("commit")
    keeper.ask("drop table serval_race")
    for session in (keeper, reader, deleter):
        session.end()
    both = not deleted and inserted == ["69"] and "71" in seen and not committed
    print("both committed: no serial order exists" if both else "one was refused")
    return 1 if both else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
