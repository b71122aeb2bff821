#!/usr/bin/env python3
"""A driver for serval in Python: any database behind a line protocol, here SQLite in a file.

    serval run "exec:python3 examples/exec_driver.py /tmp/example.db" -w list-append

One process is one session. Each line of standard input is a request, each line of standard output the answer to
it, both as JSON objects; docs/drivers/exec.md lists them all. Standard error is free for your own messages.
"""
import json
import sqlite3
import sys


class Session:
    def __init__(self, file):
        self.db = sqlite3.connect(file, timeout=2, isolation_level=None)  # Transactions are begun explicitly.
        self.columns = {}  # By table: the names and initial values of its other columns.

    def hello(self, ask):
        self.learn(ask["tables"])
        return {"ok": True, "facts": {"engine": "sqlite", "version": sqlite3.sqlite_version}}

    def learn(self, tables):
        self.columns = {t["name"]: [(c["name"], c["initial"]) for c in t["columns"]] for t in tables}

    def create(self, ask):
        self.learn(ask["tables"])
        self.drop(ask)
        for table in ask["tables"]:
            further = "".join(f', "{name}" integer' for name, _ in self.columns[table["name"]])
            self.db.execute(f"create table {table['name']} (key integer primary key, tag{further})")
            if table["holds"] == "registers" and table["initial"] == "zero":
                row = [0] + [initial for _, initial in self.columns[table["name"]]]
                self.db.execute("begin")
                for key in range(table["rows"]):
                    self.put(table["name"], key, row)
                self.db.execute("commit")
        return {"ok": True}

    def drop(self, ask):
        for table in ask["tables"]:
            self.db.execute(f"drop table if exists {table['name']}")
        return {"ok": True}

    def begin(self, _):
        self.db.execute("begin immediate")
        return {"ok": True}

    def commit(self, _):
        self.db.execute("commit")
        return {"outcome": "committed"}

    def roll_back(self, _):
        if self.db.in_transaction:
            self.db.execute("rollback")
        return {"ok": True}

    def rows(self, table, column, low, high):
        return [list(row) for row in self.db.execute(
            f'select * from {table} where "{column}" between ? and ? order by key', (low, high))]

    def put(self, table, key, row):
        marks = ", ?" * len(row)
        self.db.execute(f"insert or replace into {table} values (?{marks})", [key, *row])

    def write_rows(self, ask, rows):
        for row in rows:
            self.put(ask["table"], row[0], [ask["tag"], *(ask.get("columns") or row[2:])])

    def one_row(self, ask):
        """read, write, update, insert, delete, compare-and-set"""
        do, table, key = ask["do"], ask["table"], ask["key"]
        before = self.rows(table, "key", key, key)
        if do == "read":
            return {"rows": before}
        tag = before[0][1] if before else None
        refused = {"insert": before, "update": not before, "delete": not before,
                   "compare-and-set": tag is None or tag != ask.get("expected")}.get(do)
        if refused:
            return {"applied": False, "rows": [] if do == "delete" else before}
        if do == "delete":
            self.db.execute(f"delete from {table} where key = ?", (key,))
        else:
            self.write_rows(ask, before or [[key, 0, *(initial for _, initial in self.columns[table])]])
        if do == "update":
            return {"rows": before}
        return {"ok": True} if do == "write" else {"applied": True}

    def one_list(self, ask):
        """read-list, append"""
        before = self.rows(ask["table"], "key", ask["key"], ask["key"])
        tags = json.loads(before[0][1]) if before else []
        if ask["do"] == "append":
            self.put(ask["table"], ask["key"], [json.dumps(tags + [ask["tag"]])])
            return {"ok": True}
        return {"list": tags}

    def many_rows(self, ask):
        """scan, update-range, delete-range"""
        rows = self.rows(ask["table"], ask["column"], ask["low"], ask["high"])
        if ask["do"] == "update-range":
            self.write_rows(ask, rows)
        elif ask["do"] == "delete-range":
            self.db.executemany(f"delete from {ask['table']} where key = ?", [row[:1] for row in rows])
        return {"rows": rows}

    def answer(self, ask):
        do = ask["do"]
        if do in ("read-list", "append"):
            return self.one_list(ask)
        if do in ("scan", "update-range", "delete-range"):
            return self.many_rows(ask)
        if "key" in ask:
            return self.one_row(ask)
        return getattr(self, do)(ask)


def main():
    session = Session(sys.argv[1])
    for line in sys.stdin:
        try:
            answer = session.answer(json.loads(line))
        except sqlite3.OperationalError as error:  # The transaction has ended: report that and the reason.
            session.roll_back(None)
            cause = "lock-timeout" if "locked" in str(error) else "other"
            answer = {"error": cause, "message": str(error), "outcome": "aborted"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
