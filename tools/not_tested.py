#!/usr/bin/env python3
"""Sums up, in one line, what the tests of a ctest run skipped because of a missing dependency.

    python3 tools/not_tested.py build/asan/Testing/Temporary/LastTest.log
    not tested: 37 without corpora

Each test program prints such a line (tests/skip_without.h).
"""
import collections
import re
import sys


def summed(text):
    counts = collections.Counter()
    for line in re.findall(r"^not tested: (.*)$", text, re.M):
        for count, dependency in re.findall(r"(\d+) without ([\w.-]+)", line):
            counts[dependency] += int(count)
    return "not tested: " + (", ".join(f"{count} without {name}" for name, count in sorted(counts.items())) or "nothing was left out")


def self_test():
    assert summed("x\nnot tested: 3 without corpora, 1 without h2\nnot tested: 2 without corpora\n") == \
        "not tested: 5 without corpora, 1 without h2"
    assert summed("[  PASSED  ]\n") == "not tested: nothing was left out"


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
            print(summed(log.read()))
