#!/usr/bin/env python3
"""House rules as a test: prints file:line, the broken rule and its reason. Exit code 1 if any rule is broken.

    python3 tools/tidy.py [ROOT]

The rules and their reasons are the functions below; tools/tidy_test.py feeds each one a bad snippet.
"""
import pathlib
import re
import sys

MAX_FUNCTION_LINES = 70
MAX_FILE_LINES = 500
MAX_COLUMNS = 110
CODE = {".h", ".cpp"}
TEXT = CODE | {".py", ".md", ".txt", ".cmake", ".sh", ".json", ""}
FOLDERS = ["src", "apps", "examples", "tests", "bench", "fuzz", "tools", "scripts", "docs", "cmake", ".ci"]
DOMAIN_WORDS = ("history histories transaction transactions session sessions isolation serializable snapshot anomaly "
                "anomalies verdict verdicts witness operation operations predicate dependency database txn").split()

# Phrases that a native reader stumbles over, with what to write instead. A pattern is added once the tree is clean of
# it, and only if it hardly ever hits plain English.
COMPARED = r"(?:more|less|worse|better|different|(?:long|old|new|lat|earli|low|high|great|small|strong|weak)er)\b"
PHRASES = [
    (r"\bin the way of\b", "say what prevents it"),
    (r"\bin (?:a circle|circles)\b", "graphs and orders are cyclic, or form a cycle"),
    (r"\bof (?:this|these) the\b", "name the thing: the first of these"),
    (r"\bof which there (?:is|are)\b", "give the number: the only row"),
    (r"\b(?:fear for|at will|so to speak|goes past)\b", "say what happens or is allowed"),
    (rf"(?<!there )\bwas no (?!{COMPARED})\w+", "was not a"),
    (r"\bexpected (?:less|no function)\b", "say what the limit is, or what is not supported"),
    (r", too[,.;:)]", "\"also\", or \"too\" without a comma"),
    (r"\bbut for\b", "except"),
    (r"\bbehind it\b", "after it"),
    (rf"(?<!there )\bis no (?!{COMPARED}|such\b|need\b|reason\b|way\b)\w+", "is not a"),
    (r"\b(?:bytes|O\([^()]*\)) an? (?:key|row|line|transaction|operation|session|edge|vertex)\b", "per"),
]

COMMENTS_AND_STRINGS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
    re.S)


def without_comments_and_strings(text):
    """The same text, same line numbers, with comments and literals blanked out."""
    return COMMENTS_AND_STRINGS.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def prose_of(path, text):
    """What people read, same line numbers: the comments and literals of code, everything of other files."""
    if pathlib.PurePath(path).suffix not in CODE:
        return text
    kept, last = [], 0
    for match in COMMENTS_AND_STRINGS.finditer(text):
        kept += [re.sub(r"[^\n]", " ", text[last:match.start()]), match[0]]
        last = match.end()
    return "".join(kept)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def function_lengths(code):
    """Yields (first line, number of lines, signature) of every outermost function body in blanked-out code."""
    depth, function_depth, start, signature = 0, None, 0, ""
    last = 0  # Where the current statement began.
    skip_until = None  # Inside the braces of a member initialiser.
    for match in re.finditer(r"[{};]", code):
        token, at = match[0], match.start()
        if token == "{":
            depth += 1
            head = code[last:at]
            if function_depth is None and skip_until is None:
                if is_member_initialiser(head):
                    skip_until = depth
                    continue
                if is_function_head(head):
                    function_depth, signature = depth, " ".join(head.split())
                    start = line_of(code, last + len(head) - len(head.lstrip()))
        elif token == "}":
            depth -= 1
            if skip_until is not None:
                if depth < skip_until:
                    skip_until = None
                continue  # `last` stays: the head of the constructor continues.
            if function_depth is not None and depth < function_depth:
                yield start, line_of(code, at) - start + 1, signature
                function_depth = None
        if skip_until is None:
            last = at + 1


def is_function_head(head):
    words = head.split()
    if "(" not in head or not words:
        return False
    if re.search(r"\b(namespace|enum|union)\b", head) or re.match(r"\s*(class|struct)\b[^(]*$", head):
        return False
    return not re.search(r"=\s*$", head)


def is_member_initialiser(head):
    after = head[head.rfind(")") + 1:] if ")" in head else ""
    return bool(re.search(r"[:,]\s*\w+(<[^<>]*>)?\s*$", after)) and "::" not in after


def check_code(path, text):
    """Rules for C++ files. `path` is relative to the root, with forward slashes."""
    code = without_comments_and_strings(text)
    in_library = path.startswith("src/serval/")
    yield from check_lengths(text, code)
    if path.endswith(".h"):
        yield from check_header(text)
    if in_library:
        yield from check_library(code)
    if path.startswith("src/serval/base/"):
        yield from check_base_words(code)
    for match in re.finditer(r"\busing namespace std\b", code):
        yield line_of(code, match.start()), "no `using namespace std`: a reader must see where a name comes from"
    if re.search(r"(^|/)(utils?|common|helpers?|misc)(/|\.|_)", path):
        yield 1, "no utils, common or helpers: such a place collects everything and then includes everything"


def check_lengths(text, code):
    lines = text.count("\n")
    if lines > MAX_FILE_LINES:
        yield 1, f"{lines} lines, at most {MAX_FILE_LINES}: a file holds one idea; split by idea"
    for first, length, signature in function_lengths(code):
        if length > MAX_FUNCTION_LINES:
            yield first, (f"a function of {length} lines, at most {MAX_FUNCTION_LINES}: name its steps "
                          f"({signature[-60:]})")


def check_header(text):
    lines = text.splitlines()
    if not lines or lines[0] != "#pragma once":
        yield 1, "a header begins with `#pragma once`: included twice, it must not count twice"
    if len(lines) < 2 or not lines[1].startswith("// "):
        yield 2, "a header's second line begins its banner: what this is and why, before any code"


def check_library(code):
    banned = [
        (r"\bstd::(cout|cerr|clog)\b|(?<![\w:])(?:std::)?f?printf\s*\(|(?<![\w:])fmt::print\s*\(|(?<![\w.>:])puts\s*\(",
         "no printing in the library: only the command line owns the terminal"),
        (r"(?<![\w.>:])(?:std::)?(?:_?exit|quick_exit|abort|terminate)\s*\(",
         "no exiting in the library: callers decide what a failure ends"),
        (r"\bsleep_(for|until)\s*\(|(?<![\w.>:])u?sleep\s*\(", "no sleeping: time is an argument"),
        (r"\b(?:std::)?(?:random_device|rand\s*\(\s*\))",
         "no hidden randomness: the same seed gives the same output"),
    ]
    for pattern, reason in banned:
        for match in re.finditer(pattern, code):
            yield line_of(code, match.start()), reason


def check_base_words(code):
    for match in re.finditer(r"[A-Za-z_]+", code):
        parts = re.findall(r"[A-Z]?[a-z]+", match[0])
        for word in parts:
            if word.lower() in DOMAIN_WORDS:
                yield line_of(code, match.start()), f"`{match[0]}`: base knows no word of the domain, or it ends as a common/"
                break


def public_types(text):
    """Yields (line, full name) of every class, struct and enum that namespaces show to other files."""
    spaces = []
    for number, line in enumerate(text.splitlines(), 1):
        if opened := re.match(r"(?:inline )?namespace ?([\w:]*) \{$", line):
            spaces.append(opened[1])
        elif re.match(r"\}  // namespace", line) and spaces:
            spaces.pop()
        elif defined := re.match(r"(?:class|struct|enum class) (\w+)(?: final)?(?: :[^;]*)? \{", line):
            if "" not in spaces:
                yield number, "::".join([*spaces, defined[1]])


class OneDefinition:
    """Across files: a type of one name is one type. Two that no source includes together still meet in the linker."""

    def __init__(self):
        self.first = {}

    def check(self, path, text):
        if not path.startswith(("src/", "apps/")):
            return
        for number, name in public_types(text):
            known = self.first.setdefault(name, path)
            if known != path:
                yield number, f"{name} is also defined in {known}: the linker keeps one of the two for all"


def check_text(path, text):
    """Rules for every text file."""
    for number, line in enumerate(text.splitlines(), 1):
        if "\t" in line:
            yield number, "no tabs: they look different everywhere"
        if line != line.rstrip() and not path.endswith(".md"):
            yield number, "no blanks at the end of a line: they make noise in diffs"
        if len(line) > MAX_COLUMNS and pathlib.PurePath(path).suffix in CODE and not is_one_long_literal(line):
            yield number, f"{len(line)} columns, at most {MAX_COLUMNS}: two files fit side by side"
        if re.search(r"\b(TODO|FIXME|XXX)\b", line) and not path.startswith("tools/tidy"):
            yield number, "unfinished work stays on its branch; main holds none"
        if re.search(r"/(home|root|Users)/\w", line):
            yield number, "no path of one machine: it exists nowhere else"
    if text and not text.endswith("\n"):
        yield text.count("\n") + 1, "the last line ends with a newline"


def check_phrases(path, text):
    if path.startswith("tools/tidy"):
        return
    prose = prose_of(path, text)
    for pattern, instead in PHRASES:
        for match in re.finditer(pattern, prose, re.I):
            yield line_of(prose, match.start()), f"\"{match[0]}\" makes readers stumble: {instead}"


def is_one_long_literal(line):
    """Data that a formatter cannot break: a string literal or a link alone on its line."""
    return bool(re.search(r'R"\w*\(|^\s*".*"[,;)]*$|^\s*//\s*\S+$', line))


def check_links(path, text, exists):
    """Relative links of a Markdown file lead somewhere. `exists` says whether a path below the root exists."""
    in_fence = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_fence = not in_fence
        if in_fence:
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target) or target.startswith("#"):
                continue
            place = pathlib.PurePosixPath(path).parent / target.split("#")[0]
            if not exists(str(place)):
                yield number, f"link to {target}, which is not there: a page that is wrong is deleted or mended"


def check_file(path, text, exists):
    yield from check_text(path, text)
    yield from check_phrases(path, text)
    suffix = pathlib.PurePath(path).suffix
    if suffix in CODE:
        yield from check_code(path, text)
    if suffix == ".md":
        yield from check_links(path, text, exists)


def files_below(root):
    paths = [path for path in root.glob("*") if path.is_file() and path.suffix in {".md", ".txt", ".json"}]
    for folder in FOLDERS:
        paths += (path for path in (root / folder).rglob("*") if path.is_file())
    return sorted(path for path in paths if path.suffix in TEXT and not skipped(path.relative_to(root)))


def skipped(path):
    # Test data is kept byte for byte: it may be malformed deliberately.
    return any(part in {"__pycache__", "corpus", "data", "litmus", "baselines", "histories", "regressions"} for part in path.parts[:-1])


def main(root="."):
    root = pathlib.Path(root).resolve()
    complaints = 0
    definitions = OneDefinition()
    for file in files_below(root):
        path = file.relative_to(root).as_posix()
        text = file.read_bytes().decode("utf-8", errors="replace")
        problems = [*check_file(path, text, lambda place: (root / place).exists()), *definitions.check(path, text)]
        for number, problem in problems:
            print(f"{path}:{number}: {problem}")
            complaints += 1
    print(f"tidy: {complaints} complaints" if complaints else "tidy: clean")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
