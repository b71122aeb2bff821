#!/usr/bin/env python3
"""Runs the commands of every folder of tests/findings: defects that were found once and must stay fixed.

    python3 tests/cli/findings_test.py PATH-TO-SERVAL [unittest arguments]
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

FINDINGS = pathlib.Path(__file__).resolve().parents[1] / "findings"
SERVAL = "serval"
SECONDS = 60
# What a terminal would act on: control characters, and changes of the text direction.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069]")


class Case:
    def __init__(self, place, codes, command):
        self.place = place
        self.codes = [int(code) for code in codes.split("|")]
        self.command = command
        self.claims = []  # (where, text)


def read_cases(path):
    cases = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        place = f"{path.parent.name}/{path.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith(" "):
            where, separator, text = line.strip().partition(": ")
            if where not in ("out", "err", "not") or not separator or not cases:
                raise ValueError(f"{place}: expected 'out: TEXT', 'err: TEXT' or 'not: TEXT' after a command")
            cases[-1].claims.append((where, text))
            continue
        codes, separator, command = line.partition(": ")
        if not separator:
            raise ValueError(f"{place}: expected 'EXIT CODES: ARGUMENTS'")
        cases.append(Case(place, codes, command))
    if not cases:
        raise ValueError(f"{path}: no case")
    return cases


class Findings(unittest.TestCase):
    maxDiff = None

    def run_folder(self, folder):
        with tempfile.TemporaryDirectory(prefix="serval-finding-") as scratch:
            place = pathlib.Path(scratch) / folder.name
            shutil.copytree(folder, place, symlinks=True)
            for case in read_cases(folder / "cases.txt"):
                with self.subTest(case.place, command=case.command):
                    self.run_case(case, place)

    def run_case(self, case, place):
        done = subprocess.run([SERVAL, *shlex.split(case.command)], stdin=subprocess.DEVNULL, capture_output=True,
                              cwd=place, timeout=SECONDS, check=False)
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        said = f"{case.place}: serval {case.command}\nexit {done.returncode}\n--- stdout\n{out}--- stderr\n{err}"
        self.assertIn(done.returncode, case.codes, said)
        self.assertIsNone(UNPRINTABLE.search(out + err), said)
        for where, text in case.claims:
            if where == "not":
                self.assertNotIn(text, out + err, said)
            else:
                self.assertIn(text, out if where == "out" else err, said)


def add_tests():
    for path in sorted(FINDINGS.glob("*/cases.txt")):
        def test(self, folder=path.parent):
            self.run_folder(folder)
        setattr(Findings, "test_" + path.parent.name.replace("-", "_"), test)


if __name__ == "__main__":
    SERVAL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    add_tests()
    unittest.main()
