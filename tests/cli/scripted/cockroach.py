"""A scripted CockroachDB: speaks the PostgreSQL protocol over a small multi-version store, as the documentation and the
source of CockroachDB describe it. A serializable transaction reads as of one time and locks what it writes. When it
writes over a newer version or commits, what it has read must not have changed since (a refresh); otherwise it fails with
40001. cluster_logical_timestamp() is its commit timestamp.

    server = cockroach.Cockroach(fault="no-refresh")
    f"postgres://root@127.0.0.1:{server.port}/test?dialect=cockroach&sslmode=disable"

Faults: "no-refresh" (nothing is refreshed, so lost updates and write skew), "stale-read" (ranges miss the newest version
that they must see), "lost-answer" (the connection ends when a transaction has committed; every tenth time), "hangs-up" (on a query
with CASE, which is not supported anyway).
"""
import json
import struct

from . import mvcc_store, server, small_sql

VERSION = "13.0.0"
START = 1_700_000_000_000_000_000
PER_WALL = 4  # Timestamps with the same wall time.
BIGINT, TEXT, BYTES, DECIMAL = 20, 25, 17, 1700


class Refused(Exception):
    def __init__(self, state, message):
        super().__init__(message)
        self.state = state


def decimal(tick):
    return f"{START + tick // PER_WALL}.{tick % PER_WALL:010d}"


def tick_of(text):
    wall, logical = text.split(".")
    return (int(wall) - START) * PER_WALL + int(logical)


class Transaction(mvcc_store.Transaction):
    def __init__(self, store):
        super().__init__(store.now())
        self.read_at = self.start
        self.commits_at = None
        self.spans = []  # (table, [(column, low, high)]): what it read.
        self.failed = False


class Session:
    """Statements of one connection. Every message runs alone; only lock waits let others run."""

    def __init__(self, owner):
        self.owner, self.store = owner, owner.store
        self.transaction = None

    def status(self):
        return b"I" if self.transaction is None else b"E" if self.transaction.failed else b"T"

    def run(self, statement, values):
        """Rows (with their columns), or the tag of a command."""
        try:
            if isinstance(statement, small_sql.Other):
                return self.command(statement.words)
            if self.transaction and self.transaction.failed:
                raise Refused("25P02", "current transaction is aborted, commands ignored until end of transaction block")
            if isinstance(statement, small_sql.Create):
                self.store.create(statement.table, statement.columns)
                return "CREATE TABLE"
            if isinstance(statement, small_sql.Select) and statement.table is None:
                return self.call(statement)
            return self.perform(statement, values)
        except mvcc_store.Deadlock:
            refusal = Refused("40001", "restart transaction: TransactionRetryWithProtoRefreshError: "
                                       "TransactionAbortedError(ABORT_REASON_PUSHER_ABORTED)")
        except mvcc_store.LockTimeout:
            refusal = Refused("55P03", "canceling statement due to lock timeout")
        except Refused as error:
            refusal = error
        if self.transaction:
            self.transaction.failed = True
            self.store.release(self.transaction)
        raise refusal

    def command(self, words):
        if words.startswith("begin"):
            if words not in ("begin", "begin isolation level serializable"):
                raise Refused("0A000", f"unsupported: {words}")
            self.transaction = Transaction(self.store)
            return "BEGIN"
        if words == "commit":
            return "COMMIT" if self.commit() else "ROLLBACK"
        if words == "rollback":
            self.roll_back()
            return "ROLLBACK"
        if words.startswith("drop table if exists"):
            self.store.drop(words.split()[-1].strip('"'))
            return "DROP TABLE"
        if words.startswith("create index"):
            return "CREATE INDEX"
        if words == "show server_version":
            return [("server_version", TEXT)], [[VERSION]]
        raise Refused("42601", f"at or near \"{words}\": syntax error")

    def call(self, statement):
        if statement.items != [("call", "cluster_logical_timestamp")]:
            raise Refused("42883", f"unknown function: {statement.items}")
        transaction = self.transaction
        if transaction is None:
            tick = self.store.now()
        elif not transaction.writes:
            tick = transaction.read_at
        else:
            tick = transaction.commits_at = self.refreshed(transaction)
        return [("cluster_logical_timestamp", DECIMAL)], [[decimal(tick)]]

    def refreshed(self, transaction):
        """A new time, if what the transaction has read is still the same then."""
        to = self.store.now()
        changed = [key for table, bounds in transaction.spans for key in self.changed(transaction, table, bounds)]
        if changed and self.owner.fault != "no-refresh":
            raise Refused("40001", "restart transaction: TransactionRetryWithProtoRefreshError: TransactionRetryError: retry "
                                   "txn (RETRY_SERIALIZABLE - failed preemptive refresh due to a conflict: committed value on "
                                   f"key /Table/104/1/{changed[0]}/0)")
        return to

    def changed(self, transaction, table, bounds):
        def inside(row):
            return row is not None and all(low <= row[column] <= high for column, low, high in bounds)
        for key, versions in self.store.versions.get(table, {}).items():
            new = [row for commit, row, _ in versions if commit > transaction.read_at]
            if new and any(inside(row) for row in [*new, self.store.row(None, table, key, transaction.read_at)]):
                yield key

    def perform(self, statement, values):
        alone = self.transaction is None
        if alone:
            self.transaction = Transaction(self.store)
        self.transaction.commits_at = None
        out = self.select(statement, values) if isinstance(statement, small_sql.Select) else self.write(statement, values)
        if alone:
            self.commit()
        return out

    def bounds(self, statement, values):
        if isinstance(statement, small_sql.Insert):
            return [("k", key, key) for key in mvcc_store.key_of(statement, values)]
        return [(column, low(None, None, values), high(None, None, values)) for column, low, high in statement.where]

    def select(self, statement, values):
        transaction = self.transaction
        if statement.lock:
            rows = self.locked_rows(statement, values)
        else:
            transaction.spans.append((statement.table, self.bounds(statement, values)))
            rows = self.seen(statement, values)
        found = list(rows.values())
        if statement.order:
            found.sort(key=lambda row: row[statement.order])
        names = [(name or kind, TEXT if name == "list" else DECIMAL if name == "crdb_internal_mvcc_timestamp" else BIGINT)
                 for kind, name in statement.items]
        if names[-1][0] == "crdb_internal_mvcc_timestamp":
            found = [{**row, "crdb_internal_mvcc_timestamp": decimal(self.store.newest(statement.table, row["k"]))} for row in found]
        return names, mvcc_store.answer(statement.items, found)

    def seen(self, statement, values):
        transaction = self.transaction
        rows = self.store.rows(transaction, statement.table, statement.where, values, transaction.read_at)
        if self.owner.fault != "stale-read" or mvcc_store.key_of(statement, values) or transaction.writes:
            return rows
        stale = self.store.newest_of(statement.table, rows, transaction.read_at) - 1
        return self.store.rows(transaction, statement.table, statement.where, values, stale)

    def lock(self, keys):
        """Locks them. False if the caller must look again, at a newer time."""
        transaction = self.transaction
        if not self.store.lock(transaction, keys):
            return False
        if all(self.store.newest(*key) <= transaction.read_at for key in keys):
            return True
        transaction.read_at = self.refreshed(transaction)
        return False

    def locked_rows(self, statement, values):
        while True:
            rows = self.seen(statement, values)
            keys = [(statement.table, key) for key in {*rows, *mvcc_store.key_of(statement, values)}]
            if self.lock(keys):
                self.transaction.spans.append((statement.table, self.bounds(statement, values)))
                return rows

    def write(self, statement, values):
        transaction, tag = self.transaction, type(statement).__name__.upper()
        if isinstance(statement, small_sql.Insert):
            keys = [(statement.table, key) for key in mvcc_store.key_of(statement, values)]
            while not self.lock(keys):
                continue
            transaction.spans += [(statement.table, [bound]) for bound in self.bounds(statement, values)]
            done = self.store.insert(transaction, statement, values, transaction.read_at)
            if done is None:
                raise Refused("23505", "duplicate key value violates unique constraint")
            rows = done[0]
        elif isinstance(statement, small_sql.Delete):
            rows = self.store.delete(transaction, statement, self.locked_rows(statement, values))
        else:
            rows, _ = self.store.update(transaction, statement, self.locked_rows(statement, values), values)
        if statement.returning:
            return [(name, BIGINT) for name in statement.returning], [[row[name] for name in statement.returning] for row in rows]
        return f"{tag} 0 {len(rows)}" if tag == "INSERT" else f"{tag} {len(rows)}"

    def commit(self):
        transaction = self.transaction
        if transaction is None or transaction.failed:
            self.roll_back()
            return False
        if transaction.writes:
            commit = transaction.commits_at or self.refreshed(transaction)
            self.store.install(transaction, commit)
            self.owner.commits += 1
        self.roll_back()
        if transaction.writes and self.owner.fault == "lost-answer" and self.owner.commits % 10 == 0:
            raise server.Gone
        return True

    def roll_back(self):
        transaction, self.transaction = self.transaction, None
        if transaction:
            self.store.release(transaction)

    def feed(self, words):
        """The messages of a changefeed: table, key and value, the last two as bytes."""
        if not self.owner.rangefeeds:
            raise Refused("XXUUU", "rangefeeds require the kv.rangefeed.enabled setting. See "
                                   "https://www.cockroachlabs.com/docs/change-data-capture.html#enable-rangefeeds")
        tables = [word.strip('",') for word in words.split() if word.startswith('"')]
        cursor = tick_of(words.rsplit("'", 2)[1])
        changes = sorted((commit, table, key, row) for table in tables for key, versions in self.store.versions[table].items()
                         for commit, row, _ in versions if commit > cursor)
        for commit, table, key, row in changes:
            yield [table, json.dumps([key]).encode(), json.dumps({"after": row, "updated": decimal(commit)}).encode()]
        yield [None, None, json.dumps({"resolved": decimal(self.store.now())}).encode()]


class Connection(server.Handler):
    def setup(self):
        self.session = None
        self.prepared, self.portal = {}, None

    def leave(self):
        if self.session:
            with self.server.store.changed:
                self.session.roll_back()

    def send(self, kind, data=b""):
        self.out += kind + struct.pack(">I", len(data) + 4) + data

    def flush(self):
        self.request.sendall(self.out)
        self.out = b""

    def serve(self):
        self.out = b""
        while True:
            size, code = struct.unpack(">II", self.read(8))
            self.read(size - 8)
            if code == 196608:
                break
            self.request.sendall(b"N")  # Neither TLS nor GSSAPI.
        self.session = Session(self.server)
        self.server.sessions += 1
        self.send(b"R", struct.pack(">I", 0))
        for name, value in (("server_version", VERSION), ("client_encoding", "UTF8"), ("standard_conforming_strings", "on")):
            self.send(b"S", f"{name}\0{value}\0".encode())
        self.send(b"K", struct.pack(">II", self.server.sessions, 0))
        self.ready()
        while True:
            kind = self.read(1)
            data = self.read(struct.unpack(">I", self.read(4))[0] - 4)
            if kind == b"X":
                return
            with self.server.store.changed:
                self.message(kind, data)

    def ready(self):
        self.send(b"Z", self.session.status())
        self.flush()
        self.skipping = False

    def message(self, kind, data):
        if kind == b"Q":
            self.query(data[:-1].decode())
        elif kind == b"S":
            self.ready()
        elif not self.skipping:
            try:
                self.extended(kind, data)
            except Refused as refusal:
                self.refuse(refusal)
                self.skipping = True

    def query(self, text):
        if "case when" in text and self.server.fault == "hangs-up":
            raise server.Gone
        try:
            if "case when" in text:
                raise Refused("42601", "at or near \"case\": syntax error")
            for part in text.split(";"):
                if part.strip().startswith("experimental changefeed"):
                    return self.feed(part)
                statement, _ = small_sql.parse(part)
                self.reply(self.session.run(statement, []), describes=True)
        except Refused as refusal:
            self.refuse(refusal)
        return self.ready()

    def feed(self, text):
        """Ends only when the client goes."""
        messages = list(self.session.feed(text))
        self.describe([("table", TEXT), ("key", BYTES), ("value", BYTES)])
        for cells in messages:
            self.row(cells)
        self.flush()

    def extended(self, kind, data):
        if kind == b"P":
            name, text, _ = data.split(b"\0", 2)
            self.prepared[name] = small_sql.parse(text.decode())[0]
            self.send(b"1")
        elif kind == b"B":
            self.bind(data)
            self.send(b"2")
        elif kind == b"D":
            self.result = self.session.run(*self.portal)
            if isinstance(self.result, tuple):
                self.describe(self.result[0])
            else:
                self.send(b"n")
        elif kind == b"E":
            self.reply(self.result, describes=False)

    def bind(self, data):
        _, name, rest = data.split(b"\0", 2)
        formats, = struct.unpack_from(">H", rest)
        at = 2 + 2 * formats
        count, = struct.unpack_from(">H", rest, at)
        at, values = at + 2, []
        for _ in range(count):
            size, = struct.unpack_from(">i", rest, at)
            values.append(int(rest[at + 4:at + 4 + size]))
            at += 4 + size
        self.portal = self.prepared[name], values

    def reply(self, result, describes):
        if isinstance(result, str):
            return self.send(b"C", result.encode() + b"\0")
        columns, rows = result
        if describes:
            self.describe(columns)
        for cells in rows:
            self.row(cells)
        return self.send(b"C", f"SELECT {len(rows)}\0".encode())

    def describe(self, columns):
        data = struct.pack(">H", len(columns))
        for name, kind in columns:
            data += name.encode() + b"\0" + struct.pack(">IHIhiH", 0, 0, kind, -1, -1, 0)
        self.send(b"T", data)

    def row(self, cells):
        data = struct.pack(">H", len(cells))
        for cell in cells:
            if cell is None:
                data += struct.pack(">i", -1)
                continue
            text = b"\\x" + cell.hex().encode() if isinstance(cell, bytes) else str(cell).encode()
            data += struct.pack(">i", len(text)) + text
        self.send(b"D", data)

    def refuse(self, refusal):
        fields = f"SERROR\0VERROR\0C{refusal.state}\0M{refusal}\0\0"
        self.send(b"E", fields.encode())


class Cockroach(server.Server):
    def __init__(self, fault=None, rangefeeds=True):
        self.fault, self.rangefeeds, self.commits = fault, rangefeeds, 0
        self.store = mvcc_store.Store(0)
        super().__init__(Connection)
