"""A scripted TiDB: speaks the MySQL protocol over a small multi-version store, as the documentation and the source of
TiDB describe it. A transaction reads as of start_ts. Statements of a pessimistic transaction that lock (and at read
committed all) read as of a fresh for_update_ts; an optimistic transaction finds conflicts when it commits (error 9007).

    server = tidb.Tidb(fault="lost-update")
    f"mariadb://root@127.0.0.1:{server.port}/test?dialect=tidb&mode=optimistic"

Faults: "stale-read" (plain reads of ranges miss the newest version that they must see), "lost-update" (commits do not
look for conflicts), "stale-update" (so do pessimistic updates of ranges),
"lost-answer" (the connection ends when a transaction has committed; every tenth time).
"""
import json
import re
import struct

from . import mvcc_store, server, small_sql

VERSION = b"8.0.11-TiDB-v7.5.0"
CAPABILITIES = 0x0008A20F  # Without EOF deprecation, TLS and session tracking.
LONG, TEXT = 8, 251
ISOLATION = re.compile(r"set session transaction isolation level ([a-z ]+)$")


class Refused(Exception):
    def __init__(self, code, message, state="HY000"):
        super().__init__(message)
        self.code, self.state = code, state


class Transaction(mvcc_store.Transaction):
    def __init__(self, store, mode):
        super().__init__(store.now())
        self.pessimistic = mode == "pessimistic"
        self.for_update = self.start


class Session:
    """Statements of one connection. Every statement runs alone; only lock waits let others run."""

    def __init__(self, owner):
        self.owner, self.store = owner, owner.store
        self.isolation = "repeatable read"
        self.transaction = None
        self.last_query, self.last_transaction = {"start_ts": 0, "for_update_ts": 0}, ""

    def run(self, statement, values, prepared):
        with self.store.changed:
            try:
                if isinstance(statement, small_sql.Other):
                    return self.command(statement.words)
                if isinstance(statement, small_sql.Create):
                    return self.store.create(statement.table, statement.columns)
                if statement.table is None:
                    return self.read_variables(statement)
                return self.perform(statement, values, prepared)
            except mvcc_store.Deadlock:
                raise Refused(1213, "Deadlock found when trying to get lock; try restarting transaction", "40001") from None
            except mvcc_store.LockTimeout:
                raise Refused(1205, "Lock wait timeout exceeded; try restarting transaction") from None

    def command(self, words):
        if words in ("begin", "start transaction", "begin optimistic", "begin pessimistic"):
            self.commit()
            mode = words.split()[1] if words.startswith("begin ") else self.owner.mode
            self.transaction = Transaction(self.store, mode)
        elif words == "commit":
            if self.commit() and self.owner.fault == "lost-answer" and self.owner.commits % 10 == 0:
                raise server.Gone
        elif words == "rollback":
            self.roll_back()
        elif words.startswith("drop table if exists"):
            self.store.drop(words.split()[-1].strip("`"))
        elif found := ISOLATION.match(words):
            if found[1] not in ("repeatable read", "read committed"):
                raise Refused(8048, f"The isolation level '{found[1]}' is not supported. Set "
                                    "tidb_skip_isolation_level_check=1 to skip this error")
            self.isolation = found[1]
        elif not words.startswith("create index"):
            raise Refused(1064, f"You have an error in your SQL syntax: {words}", "42000")

    def read_variables(self, statement):
        values = {"tidb_txn_mode": self.owner.mode,
                  "tidb_current_ts": str(self.transaction.start if self.transaction else 0),
                  "tidb_last_txn_info": self.last_transaction,
                  "tidb_last_query_info": json.dumps({"txn_scope": "global", **self.last_query, "ru_consumption": 0.5})}
        for _, name in statement.items:
            if name not in values:
                raise Refused(1193, f"Unknown system variable '{name}'")
        out = [[values[name] for _, name in statement.items]]
        self.note_query()
        return out

    def note_query(self):
        if self.transaction:
            self.last_query = {"start_ts": self.transaction.start, "for_update_ts": self.transaction.for_update}

    def perform(self, statement, values, prepared):
        alone = self.transaction is None
        if alone:
            self.transaction = Transaction(self.store, "optimistic")
        try:
            out = self.select(statement, values) if isinstance(statement, small_sql.Select) else self.write(statement, values)
        finally:
            if not prepared:  # As TiDB before 8.0.
                self.note_query()
        if alone:
            self.commit()
        return out

    def per_statement(self):
        return self.transaction.pessimistic and self.isolation == "read committed"

    def select(self, statement, values):
        if statement.lock == "share":
            raise Refused(1235, "function LOCK IN SHARE MODE has only noop implementation in tidb now, use "
                                "tidb_enable_noop_functions to enable these functions", "42000")
        if statement.lock == "update":
            rows = self.locked_rows(statement, values)
        else:
            if self.per_statement():
                self.transaction.for_update = self.store.now()
            time = self.transaction.for_update if self.per_statement() else self.transaction.start
            rows = self.seen(statement, values, time, "stale-read")
        if statement.items[0][0] == "mvcc":
            return [[self.versions(statement.table, key)] for key in rows]
        found = list(rows.values())
        if statement.order:
            found.sort(key=lambda row: row[statement.order])
        return mvcc_store.answer(statement.items, found)

    def versions(self, table, key):
        """As TIDB_MVCC_INFO tells it."""
        writes = [{"commit_ts": commit, "short_value": "MA==", "start_ts": start}
                  for commit, _, start in reversed(self.store.versions[table][key])]
        return json.dumps([{"key": f"{key:016x}", "mvcc": {"info": {"writes": writes}}}])

    def seen(self, statement, values, time, fault):
        """The rows as of `time`, or those that a fault shows."""
        rows = self.store.rows(self.transaction, statement.table, statement.where, values, time)
        if self.owner.fault != fault or mvcc_store.key_of(statement, values) or self.transaction.writes:
            return rows
        stale = self.store.newest_of(statement.table, rows, time) - 1
        return self.store.rows(self.transaction, statement.table, statement.where, values, stale)

    def locked_rows(self, statement, values):
        transaction = self.transaction
        while True:
            if transaction.pessimistic:
                transaction.for_update = self.store.now()
            rows = self.seen(statement, values, transaction.for_update, "stale-update")
            keys = [(statement.table, key) for key in {*rows, *mvcc_store.key_of(statement, values)}]
            if not transaction.pessimistic:
                transaction.locked.update(keys)  # Their conflicts are found at the commit.
                return rows
            if self.store.lock(transaction, keys):
                return rows

    def write(self, statement, values):
        if isinstance(statement, small_sql.Insert):
            return self.insert(statement, values)
        rows = self.locked_rows(statement, values)
        if isinstance(statement, small_sql.Delete):
            return Count(len(self.store.delete(self.transaction, statement, rows)))
        written, differ = self.store.update(self.transaction, statement, rows, values)
        return Count(len(written), f"Rows matched: {len(written)}  Changed: {differ}  Warnings: 0")

    def insert(self, statement, values):
        transaction = self.transaction
        keys = [(statement.table, key) for key in mvcc_store.key_of(statement, values)]
        while transaction.pessimistic:
            transaction.for_update = self.store.now()
            if self.store.lock(transaction, keys):
                break
        done = self.store.insert(transaction, statement, values, transaction.for_update)
        if done is None:
            raise Refused(1062, "Duplicate entry", "23000")
        return Count(len(done[0]) + done[1])

    def commit(self):
        """Whether it wrote."""
        transaction, self.transaction = self.transaction, None
        if transaction is None:
            return False
        if not transaction.pessimistic and self.owner.fault != "lost-update":
            self.find_conflict(transaction)
        if transaction.writes:
            commit = self.store.now()
            self.store.install(transaction, commit)
            self.last_transaction = self.described(transaction, commit)
            self.owner.commits += 1
        self.store.release(transaction)
        return bool(transaction.writes)

    def find_conflict(self, transaction):
        for table, key in {*transaction.writes, *transaction.locked}:
            newest = self.store.newest(table, key)
            if newest > transaction.start:
                message = (f"Write conflict, txnStartTS={transaction.start}, conflictStartTS={newest - 1}, "
                           f"conflictCommitTS={newest}, key={{tableID=1, tableName=test.{table}, handle={key}}}, "
                           "reason=Optimistic [try again later]")
                self.store.release(transaction)
                self.last_transaction = self.described(transaction, 0, message)
                raise Refused(9007, message)

    @staticmethod
    def described(transaction, commit, error=None):
        out = {"txn_scope": "global", "start_ts": transaction.start, "commit_ts": commit, "txn_commit_mode": "1pc"}
        return json.dumps({**out, "error": error} if error else out)

    def roll_back(self):
        transaction, self.transaction = self.transaction, None
        if transaction:
            self.store.release(transaction)


class Count:
    def __init__(self, affected, info=""):
        self.affected, self.info = affected, info


def length(number):
    if number < 251:
        return bytes([number])
    if number < 1 << 16:
        return b"\xfc" + struct.pack("<H", number)
    return b"\xfe" + struct.pack("<Q", number)


def counted(text):
    data = text if isinstance(text, bytes) else str(text).encode()
    return length(len(data)) + data


class Connection(server.Handler):
    def setup(self):
        self.session = None
        self.prepared = {}

    def leave(self):
        if self.session:
            with self.server.store.changed:
                self.session.roll_back()

    def packet(self):
        head = self.read(4)
        self.sequence = (head[3] + 1) % 256
        return self.read(int.from_bytes(head[:3], "little"))

    def send(self, *packets):
        out = b""
        for data in packets:
            out += struct.pack("<I", len(data))[:3] + bytes([self.sequence]) + data
            self.sequence = (self.sequence + 1) % 256
        self.request.sendall(out)

    def serve(self):
        self.sequence = 0
        self.server.sessions += 1
        self.send(b"\x0a" + VERSION + b"\0" + struct.pack("<I", self.server.sessions) + b"saltsalt\0"
                  + struct.pack("<HBHHB", CAPABILITIES & 0xFFFF, 45, 2, CAPABILITIES >> 16, 21) + bytes(10)
                  + b"saltsaltsalt\0mysql_native_password\0")
        self.packet()  # Anyone may enter.
        self.session = Session(self.server)
        self.send(self.ok())
        while True:
            data = self.packet()
            if data[0] == 1:
                return
            try:
                self.command(data[0], data[1:])
            except Refused as refusal:
                self.send(b"\xff" + struct.pack("<H", refusal.code) + b"#" + refusal.state.encode() + str(refusal).encode())

    def command(self, code, data):
        if code == 3:
            statement, _ = small_sql.parse(data.decode())
            self.reply(statement, self.session.run(statement, [], prepared=False), self.text_row)
        elif code == 0x16:
            self.prepare(data.decode())
        elif code == 0x17:
            statement, parameters = self.prepared[struct.unpack_from("<I", data)[0]]
            values = self.values(data, parameters)
            self.reply(statement, self.session.run(statement, values, prepared=True), self.binary_row)
        elif code == 0x19:
            self.prepared.pop(struct.unpack_from("<I", data)[0], None)
        else:
            raise Refused(1047, f"Unknown command {code}", "08S01")

    @staticmethod
    def values(data, parameters):
        """All parameters are whole numbers of eight bytes."""
        return list(struct.unpack_from(f"<{parameters}q", data, len(data) - 8 * parameters)) if parameters else []

    def prepare(self, text):
        statement, parameters = small_sql.parse(text)
        number = len(self.prepared) + 1
        self.prepared[number] = statement, parameters
        columns = self.columns(statement)
        out = [b"\0" + struct.pack("<IHHBH", number, len(columns), parameters, 0, 0)]
        if parameters:
            out += [self.column("?", LONG)] * parameters + [self.eof()]
        if columns:
            out += columns + [self.eof()]
        self.send(*out)

    def columns(self, statement):
        if not isinstance(statement, small_sql.Select):
            return []
        return [self.column(name or kind, TEXT if kind in ("variable", "mvcc") or name == "list" else LONG)
                for kind, name in statement.items]

    @staticmethod
    def column(name, kind):
        return (counted("def") + counted("test") + counted("t") * 2 + counted(name) * 2
                + b"\x0c" + struct.pack("<HIBHB", 63 if kind == LONG else 45, 20 if kind == LONG else 1 << 20, kind, 0, 0) + bytes(2))

    def reply(self, statement, result, row):
        if isinstance(result, list):
            columns = self.columns(statement)
            self.send(length(len(columns)), *columns, self.eof(), *[row(cells) for cells in result], self.eof())
        else:
            self.send(self.ok(result))

    def ok(self, count=None):
        status = 3 if self.session and self.session.transaction else 2
        affected, info = (count.affected, count.info) if count else (0, "")
        return b"\0" + length(affected) + b"\0" + struct.pack("<HH", status, 0) + (counted(info) if info else b"")

    @staticmethod
    def eof():
        return b"\xfe" + struct.pack("<HH", 0, 2)

    @staticmethod
    def text_row(cells):
        return b"".join(counted(cell) for cell in cells)

    @staticmethod
    def binary_row(cells):
        out = b"\0" + bytes((len(cells) + 9) // 8)
        for cell in cells:
            out += struct.pack("<q", cell) if isinstance(cell, int) else counted(cell)
        return out


class Tidb(server.Server):
    def __init__(self, mode="pessimistic", fault=None):
        self.mode, self.fault, self.commits = mode, fault, 0
        self.store = mvcc_store.Store(450_000_000_000_000_000)
        super().__init__(Connection)
