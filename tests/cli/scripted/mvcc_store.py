"""A small multi-version store: rows with the timestamps of their commits, locks with deadlock detection, and the
statements of small_sql over them. The servers next to this file decide when a transaction reads and what it locks.

    with store.changed:                                   # Every statement runs alone.
        rows = store.rows(transaction, table, where, values, timestamp)
"""
import dataclasses
import threading

LOCK_WAIT_S = 20


class Deadlock(Exception):
    pass


class LockTimeout(Exception):
    pass


@dataclasses.dataclass(eq=False)
class Transaction:
    start: int
    writes: dict = dataclasses.field(default_factory=dict)  # (table, key): row, or None if deleted.
    locked: set = dataclasses.field(default_factory=set)
    waits_for: object = None


class Store:
    def __init__(self, clock):
        self.clock = clock
        self.changed = threading.Condition()
        self.columns = {}
        self.versions = {}  # table: {key: [(commit, row or None, start)]}, oldest first.
        self.owners = {}

    def now(self):
        self.clock += 1
        return self.clock

    def create(self, table, columns):
        self.columns[table] = columns
        self.versions[table] = {}

    def drop(self, table):
        self.columns.pop(table, None)
        self.versions.pop(table, None)

    def row(self, transaction, table, key, timestamp):
        if transaction and (table, key) in transaction.writes:
            return transaction.writes[table, key]
        for commit, row, _ in reversed(self.versions[table].get(key, ())):
            if commit <= timestamp:
                return row
        return None

    def keys(self, transaction, table, where, values):
        """The keys that can match: all of the table, unless the condition names one."""
        for column, low, high in where:
            if column == "k" and low is high:
                return [low(None, None, values)]
        own = [key for name, key in transaction.writes if name == table] if transaction else []
        return sorted({*self.versions[table], *own})

    def rows(self, transaction, table, where, values, timestamp):
        """The rows that match, by key."""
        bounds = [(column, low(None, None, values), high(None, None, values)) for column, low, high in where]
        out = {}
        for key in self.keys(transaction, table, where, values):
            row = self.row(transaction, table, key, timestamp)
            if row is not None and all(low <= row[column] <= high for column, low, high in bounds):
                out[key] = row
        return out

    def newest(self, table, key):
        versions = self.versions.get(table, {}).get(key)
        return versions[-1][0] if versions else 0

    def newest_of(self, table, keys, timestamp):
        """The last commit to these keys up to then; the timestamp itself without one."""
        return max((commit for key in keys for commit, _, _ in self.versions[table].get(key, ()) if commit <= timestamp),
                   default=timestamp)

    def lock(self, transaction, keys):
        """False after it had to wait: the rows may have changed, so the caller looks again."""
        owners = [self.owners[key] for key in keys if self.owners.get(key, transaction) is not transaction]
        if not owners:
            transaction.locked.update(keys)
            self.owners.update(dict.fromkeys(keys, transaction))
            return True
        transaction.waits_for = other = owners[0]
        while other and other is not transaction:
            other = other.waits_for
        try:
            if other is transaction:
                raise Deadlock
            if not self.changed.wait(LOCK_WAIT_S):
                raise LockTimeout
        finally:
            transaction.waits_for = None
        return False

    def install(self, transaction, commit):
        for (table, key), row in transaction.writes.items():
            if table in self.versions:
                self.versions[table].setdefault(key, []).append((commit, row, transaction.start))
        self.release(transaction)

    def release(self, transaction):
        for key in transaction.locked:
            if self.owners.get(key) is transaction:
                del self.owners[key]
        transaction.locked.clear()
        self.changed.notify_all()

    def insert(self, transaction, statement, values, timestamp):
        """Returns the rows that were written, and for how many there was one before; None: one was, and may not be."""
        columns = statement.columns or self.columns[statement.table]
        written, replaced = [], 0
        for expressions in statement.rows:
            new = dict(zip(columns, [expression(None, None, values) for expression in expressions]))
            old = self.row(transaction, statement.table, new["k"], timestamp)
            if old is not None and statement.ignore:
                continue
            if old is not None and statement.updates is None:
                return None
            if old is not None:
                replaced += 1
                new = {**old, **{column: value(old, new, values) for column, value in statement.updates}}
            transaction.writes[statement.table, new["k"]] = new
            written.append(new)
        return written, replaced

    def update(self, transaction, statement, rows, values):
        """Returns the new rows, and how many of them differ from the old."""
        out, differ = [], 0
        for key, old in rows.items():
            new = {**old, **{column: value(old, None, values) for column, value in statement.sets}}
            differ += new != old
            transaction.writes[statement.table, key] = new
            out.append(new)
        return out, differ

    def delete(self, transaction, statement, rows):
        for key in rows:
            transaction.writes[statement.table, key] = None
        return list(rows.values())


def key_of(statement, values):
    """The keys that an insert writes, or that an equality names."""
    if hasattr(statement, "rows"):
        place = statement.columns.index("k") if statement.columns else 0
        return [row[place](None, None, values) for row in statement.rows]
    return [low(None, None, values) for column, low, high in statement.where if column == "k" and low is high]


def answer(items, rows):
    """The cells of a select over rows."""
    if all(kind == "column" for kind, _ in items):
        return [[row[name] for _, name in items] for row in rows]
    out = []
    for kind, name in items:
        values = [row[name] for row in rows] if kind in ("min", "max", "sum") else []
        out.append(len(rows) if kind == "count" else name if kind == "value" else
                   {"min": min, "max": max, "sum": sum}[kind](values) if values else 0)
    return [out]
