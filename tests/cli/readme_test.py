#!/usr/bin/env python3
"""Runs every ```console block of the given pages and compares its output with the page.

    python3 tests/cli/readme_test.py PATH-TO-SERVAL README.md docs/guides/*.md

A block is a shell session: lines after "$ " are typed, lines after "> " continue them, and the lines below are
expected on standard output and error. A line "…" stands for any number of lines. Costs (time and memory) differ from
machine to machine and are not compared. The blocks of a page share a folder, with `examples` of the repository in it.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(page):
    return re.findall(r"^```console\n(.*?)^```", page, re.M | re.S)


def commands(block):
    """What is typed, one entry per prompt, each as the page shows it."""
    return re.findall(r"^\$ .*\n(?:^> .*\n)*", block, re.M)


def script(block):
    """A shell script that shows each command as a terminal would, and runs it."""
    lines = ""
    for shown in commands(block):
        typed = re.sub(r"^[$>] ", "", shown, flags=re.M)
        lines += f"status=$?; printf %s {quoted(shown)}; (exit $status)\n{typed}"
    return lines


def session(block, serval, folder):
    """The transcript that a terminal would show."""
    path = f"{pathlib.Path(serval).resolve().parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash"], input=script(block), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd=folder, env={**os.environ, "PATH": path}, timeout=300, check=False)
    return done.stdout


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def without_costs(text):
    lines = (re.sub(r"^(\s*cost\s+).*", r"\1(not compared)", line).rstrip() for line in text.splitlines())
    return "\n".join(lines).strip() + "\n"


def is_as_shown(block, transcript):
    lines = without_costs(block).splitlines()
    pattern = "".join(r"(?:.*\n)*" if line.strip() == "…" else re.escape(line) + r"\n" for line in lines)
    return re.fullmatch(pattern, without_costs(transcript)) is not None


def failures(serval, page):
    """The sessions of a page whose output differs."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "examples", pathlib.Path(folder) / "examples")
        for block in blocks(page.read_text()):
            transcript = session(block, serval, folder)
            if not is_as_shown(block, transcript):
                yield f"{page} says:\n{block}\nserval says:\n{transcript}"


def main(serval, *pages):
    pages = [pathlib.Path(page) for page in pages]
    found = sum(len(blocks(page.read_text())) for page in pages)
    failed = [text for page in pages for text in failures(serval, page)]
    print(*failed, f"{found - len(failed)} of {found} sessions as shown", sep="\n")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
