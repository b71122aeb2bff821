"""Skips a test that needs something this machine lacks; fails it if SERVAL_TEST_REQUIRE_ALL names the dependency.
The counterpart of tests/skip_without.h, which lists the names and values. How many tests were skipped is printed at the end.

    skip_without(self, "etcd", "no etcd")                # Within a test; does not return.
    is_required("etcd")                                  # For scripts that skip a database.
"""
import atexit
import collections
import os
import pathlib

CORPORA = "corpora"
# The histories of other checkers; they are not part of the repository.
DATA = pathlib.Path(os.environ.get("SERVAL_DATA_DIR") or pathlib.Path(__file__).resolve().parents[3] / "shared/data")
skipped = collections.Counter()


def is_required(dependency, required=None):
    words = (os.environ.get("SERVAL_TEST_REQUIRE_ALL", "") if required is None else required).split(",")
    return dependency in words or (dependency != CORPORA and "1" in words)


def skip_without(test, dependency, problem):
    if is_required(dependency):
        test.fail(f"SERVAL_TEST_REQUIRE_ALL requires {dependency}, but: {problem}")
    if not skipped:
        atexit.register(lambda: print(summary(), flush=True))
    skipped[dependency] += 1
    test.skipTest(problem)


def summary():
    return "not tested: " + ", ".join(f"{count} without {name}" for name, count in sorted(skipped.items()))
