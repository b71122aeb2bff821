"""Where a C++ source can be changed by one small mistake, and the text with that mistake (see mutate.py).

    for site in sites("verify/cycle.cpp", text):
        print(site.line, site.change, site.key)
        mutated = site.apply(text)
"""
import dataclasses
import re

import tidy


@dataclasses.dataclass(frozen=True)
class Site:
    path: str
    line: int
    change: str  # "< to <=", "if negated"
    source: str  # The line, without surrounding blanks.
    ordinal: int  # Distinguishes equal changes of equal lines in the file, from 1.
    begin: int
    end: int
    replacement: str

    @property
    def key(self):
        """Stays the same while other lines change."""
        ordinal = "" if self.ordinal == 1 else f" ({self.ordinal})"
        return f"{self.path} | {self.change}{ordinal} | {self.source}"

    def apply(self, text):
        return text[:self.begin] + self.replacement + text[self.end:]


# Binary operators have blanks around them (clang-format ensures it); brackets of templates and references have none.
SWAPS = [("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="), ("!=", "=="), ("&&", "||"), ("||", "&&")]
WORDS = [("return true;", "return false;"), ("return false;", "return true;"), (" = true;", " = false;"),
         (" = false;", " = true;"), ("continue;", ";"), ("break;", ";"), ("std::min(", "std::max("), ("std::max(", "std::min(")]
# Contracts always hold, and reserved capacity changes no result.
EXEMPT = re.compile(r"\bexpects\(|\bstatic_assert\b|\breserve\(|^\s*#|\boperator(<|>|=|!|&|\|)")


def replacements(code):
    """Yields (begin, end, replacement, change) for blanked-out code."""
    for old, new in SWAPS:
        for match in re.finditer(rf"(?<= ){re.escape(old)}(?=[ \n])", code):
            yield match.start(), match.end(), new, f"{old} to {new}"
    for old, new in WORDS:
        for match in re.finditer(rf"(?<![\w.]){re.escape(old)}" if old[0] != " " else re.escape(old), code):
            yield match.start(), match.end(), new, f"{old.strip(' =;(')} to {new.strip(' =;(')}" if new != ";" else f"{old[:-1]} removed"
    for match in re.finditer(r" [+-] 1u?\b(?![.'])", code):
        yield match.start(), match.end(), "", f"{match[0].strip()} removed"
    for match in re.finditer(r"(?<=[(\s!])!(?=[\w(*])", code):
        yield match.start(), match.end(), "", "! removed"
    yield from negated_conditions(code)


def negated_conditions(code):
    for match in re.finditer(r"\b(if|while) \(", code):
        begin = match.end()
        end = closing(code, begin)
        start = last_statement(code, begin, end)
        condition = code[start:end]
        if re.match(r"\s*!|[^<>]* [!=]= ", condition) and not re.search(r"&&|\|\|", condition):
            continue  # Another change is equivalent.
        declared = re.match(r"\s*[\w:<>, *&]+?[ *&](\w+) = ", condition)
        change = f"{match[1]} negated"
        if declared and start == begin:  # if (Flaw flaw = f())
            yield end, end, f"; !{declared[1]}", change
        elif not declared and condition.strip():
            yield start, end, f" !({condition.strip()})" if start > begin else f"!({condition})", change


def closing(code, begin):
    depth = 1
    for at in range(begin, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return len(code)


def last_statement(code, begin, end):
    """Of "init; condition", where the condition begins."""
    depth, start = 0, begin
    for at in range(begin, end):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(code[at], 0)
        if code[at] == ";" and depth == 0:
            start = at + 1
    return start


def is_in_message(code, at):
    """A number in a message."""
    start = code.rfind("fmt::format(", 0, at)
    return start >= 0 and closing(code, start + len("fmt::format(")) > at


def sites(path, text):
    code = tidy.without_comments_and_strings(text)
    lines, rows = text.splitlines(), code.splitlines()
    found, seen = [], {}
    for begin, end, replacement, change in sorted(replacements(code)):
        number = tidy.line_of(code, begin)
        if EXEMPT.search(rows[number - 1]) or (change.endswith(" 1 removed") and is_in_message(code, begin)):
            continue
        if end > begin and "!(" in replacement:  # The condition as it is, with its literals.
            replacement = replacement.replace(code[begin:end].strip(), text[begin:end].strip())
        source = lines[number - 1].strip()
        seen[source, change] = seen.get((source, change), 0) + 1
        found.append(Site(path, number, change, source, seen[source, change], begin, end, replacement))
    return found
