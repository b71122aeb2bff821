"""Parses the SQL that Serval sends: one table, conditions on a key or a column, upserts, aggregates.

    parse("select k, tag from `serval_registers` where k = ? for update")
"""
import dataclasses
import re

TOKEN = re.compile(r"""\s*('(?:[^']|'')*'|"[^"]*"|`[^`]*`|\$\d+|@@[\w.]+|\w+|\|\||.)""", re.S)


class Unsupported(Exception):
    """Not a statement of Serval: the test that meets it fails."""


@dataclasses.dataclass
class Select:
    items: list
    table: str = None
    where: list = dataclasses.field(default_factory=list)
    order: str = None
    lock: str = ""  # "update", "share"


@dataclasses.dataclass
class Insert:
    table: str
    columns: list
    rows: list
    ignore: bool = False
    updates: list = None
    returning: list = None


@dataclasses.dataclass
class Update:
    table: str
    sets: list
    where: list
    returning: list = None


@dataclasses.dataclass
class Delete:
    table: str
    where: list
    returning: list = None


@dataclasses.dataclass
class Create:
    table: str
    columns: list


@dataclasses.dataclass
class Other:
    """begin, commit, set, show, ...: lower-case words for the server to recognise."""
    words: str


class Parser:
    def __init__(self, text):
        self.text = text
        self.tokens = [match[1] for match in TOKEN.finditer(text) if match[1].strip()]
        self.at = 0
        self.parameters = 0

    def peek(self):
        return self.tokens[self.at].lower() if self.at < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, *words):
        if [token.lower() for token in self.tokens[self.at:self.at + len(words)]] != list(words):
            return False
        self.at += len(words)
        return True

    def expect(self, *words):
        if not self.accept(*words):
            raise Unsupported(f"{' '.join(words)} expected in {self.text}")

    def name(self):
        return self.take().strip('`"')

    def statement(self):
        kinds = {"select": self.select, "insert": self.insert, "update": self.update, "delete": self.delete}
        word = self.peek()
        if word in kinds:
            self.take()
            out = kinds[word]()
        elif self.accept("create", "table"):
            out = self.create()
        else:
            out, self.at = Other(" ".join(token.lower() for token in self.tokens)), len(self.tokens)
        if self.at < len(self.tokens):
            raise Unsupported(f"{self.tokens[self.at]} is not expected in {self.text}")
        return out

    def expression(self):
        """A function of the old row, the new row and the parameters."""
        first = self.term()
        if not self.accept("||"):
            return first
        second = self.expression()
        return lambda old, new, values: str(first(old, new, values)) + str(second(old, new, values))

    def term(self):
        token = self.take()
        if token == "?" or token[0] == "$":
            self.parameters = self.parameters + 1 if token == "?" else max(self.parameters, int(token[1:]))
            place = (self.parameters if token == "?" else int(token[1:])) - 1
            return lambda old, new, values: values[place]
        if token == "-":
            number = -int(self.take())
            return lambda old, new, values: number
        if token.isdigit():
            return lambda old, new, values: int(token)
        if token[0] == "'":
            return lambda old, new, values: token[1:-1]
        if token.lower() == "concat":
            return self.concat()
        if token.lower() == "cast":
            self.expect("(")
            value = self.expression()
            self.expect("as", "varchar", ")")
            return value
        return self.column(token)

    def concat(self):
        self.expect("(")
        parts = [self.expression()]
        while self.accept(","):
            parts.append(self.expression())
        self.expect(")")
        return lambda old, new, values: "".join(str(part(old, new, values)) for part in parts)

    def column(self, token):
        if token.lower() == "values":
            self.expect("(")
            name = self.name()
            self.expect(")")
            return lambda old, new, values: new[name]
        if not self.accept("."):
            name = token.strip('`"')
            return lambda old, new, values: old[name]
        name = self.name()
        if token.lower() == "excluded":
            return lambda old, new, values: new[name]
        return lambda old, new, values: old[name]

    def conditions(self):
        """[(column, low, high)], all of which must hold."""
        out = []
        while not out or self.accept("and"):
            column = self.name()
            if self.accept("="):
                low = high = self.expression()
            else:
                self.expect("between")
                low = self.expression()
                self.expect("and")
                high = self.expression()
            out.append((column, low, high))
        return out

    def where(self):
        return self.conditions() if self.accept("where") else []

    def assignments(self):
        out = []
        while not out or self.accept(","):
            column = self.name()
            self.expect("=")
            out.append((column, self.expression()))
        return out

    def names(self):
        out = [self.name()]
        while self.accept(","):
            out.append(self.name())
        return out

    def returning(self):
        return self.names() if self.accept("returning") else None

    def item(self):
        """("column", name), ("count", None), ("min", column), ("value", number), ("variable", name), ..."""
        if self.accept("count", "(", "*", ")"):
            return "count", None
        if self.accept(*"tidb_mvcc_info ( tidb_encode_record_key ( database ( ) ,".split()):
            self.take()
            self.expect(",", "k", ")", ")")
            return "mvcc", None
        if self.accept("coalesce", "("):
            function = self.take().lower()
            self.expect("(")
            column = self.name()
            self.expect(")", ",", "0", ")")
            return function, column
        token = self.take()
        if token.startswith("@@"):
            return "variable", token[2:].lower()
        if token.isdigit():
            return "value", int(token)
        if self.accept("(", ")"):
            return "call", token.lower()
        return "column", token.strip('`"')

    def select(self):
        out = Select([self.item()])
        while self.accept(","):
            out.items.append(self.item())
        if not self.accept("from"):
            return out
        out.table = self.name()
        out.where = self.where()
        if self.accept("order", "by"):
            out.order = self.name()
        if self.accept("limit"):
            self.take()
        if self.accept("for", "update"):
            out.lock = "update"
        elif self.accept("lock", "in", "share", "mode"):
            out.lock = "share"
        return out

    def insert(self):
        out = Insert(None, None, [], ignore=self.accept("ignore"))
        self.expect("into")
        out.table = self.name()
        if self.accept("("):
            out.columns = self.names()
            self.expect(")")
        self.expect("values")
        while not out.rows or self.accept(","):
            self.expect("(")
            out.rows.append([self.expression()])
            while self.accept(","):
                out.rows[-1].append(self.expression())
            self.expect(")")
        if self.accept("on", "duplicate", "key", "update"):
            out.updates = self.assignments()
        elif self.accept("on", "conflict", "(", "k", ")", "do"):
            out.ignore = self.accept("nothing")
            if not out.ignore:
                self.expect("update", "set")
                out.updates = self.assignments()
        out.returning = self.returning()
        return out

    def update(self):
        table = self.name()
        self.expect("set")
        return Update(table, self.assignments(), self.where(), self.returning())

    def delete(self):
        self.expect("from")
        return Delete(self.name(), self.where(), self.returning())

    def create(self):
        table = self.name()
        self.expect("(")
        columns = []
        while not columns or self.accept(","):
            columns.append(self.name())
            while self.peek() not in (",", ")"):
                self.take()
        self.expect(")")
        return Create(table, columns)


def parse(text):
    """The statement, and how many parameters it has."""
    parser = Parser(text.strip().rstrip(";"))
    return parser.statement(), parser.parameters
