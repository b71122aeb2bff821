#!/usr/bin/env python3
"""The mutator: which changes it makes to a snippet, how it names them, and what it leaves alone."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import mutate
from mutations import sites


def changes(text):
    return [(site.change, site.apply(text)) for site in sites("room/a.cpp", text)]


def mutants(text):
    return [mutated for _, mutated in changes(text)]


class Changes(unittest.TestCase):
    def test_comparisons_lose_or_gain_their_bound(self):
        self.assertEqual(changes("x = a < b;"), [("< to <=", "x = a <= b;")])
        self.assertEqual(changes("x = a >= b;"), [(">= to >", "x = a > b;")])
        self.assertEqual(changes("x = a == b;"), [("== to !=", "x = a != b;")])

    def test_words_and_signs(self):
        self.assertEqual(mutants("x = a && b || c;"), ["x = a || b || c;", "x = a && b && c;"])
        self.assertEqual(mutants("return true;"), ["return false;"])
        self.assertEqual(mutants("done = false;"), ["done = true;"])
        self.assertEqual(mutants("x = y[i + 1];"), ["x = y[i];"])
        self.assertEqual(mutants("x = n - 1u;"), ["x = n;"])
        self.assertEqual(mutants("f(std::min(a, b));"), ["f(std::max(a, b));"])
        self.assertEqual(mutants("for (;;) break;"), ["for (;;) ;"])
        self.assertEqual(mutants("x = (!a);"), ["x = (a);"])

    def test_conditions_are_negated_as_a_whole(self):
        self.assertIn("if (!(f(a, (b)))) g();", mutants("if (f(a, (b))) g();"))
        self.assertIn("if (int n = f(); !(n > 3)) g();", mutants("if (int n = f(); n > 3) g();"))
        self.assertIn("if (!(a ||\n    b)) g();", mutants("if (a ||\n    b) g();"))
        self.assertIn('if (!(f("a)", \'"\'))) g();', mutants('if (f("a)", \'"\')) g();'))

    def test_what_a_condition_declares_is_negated(self):
        self.assertEqual(mutants("if (Flaw flaw = f()) return flaw;"), ["if (Flaw flaw = f(); !flaw) return flaw;"])
        self.assertEqual(mutants("if (const auto* x = f(a)) g();"), ["if (const auto* x = f(a); !x) g();"])

    def test_two_changes_with_the_same_meaning_are_one(self):
        self.assertEqual(changes("if (!a) g();"), [("! removed", "if (a) g();")])
        self.assertEqual(changes("if (a == b) g();"), [("== to !=", "if (a != b) g();")])


class LeftAlone(unittest.TestCase):
    def test_text_and_comments(self):
        self.assertEqual(changes('f("a < b");  // if (a < b) continue;\n'), [])

    def test_brackets_of_templates_references_and_includes(self):
        self.assertEqual(changes("#include <map>\nstd::map<int, int> f(T&& x, std::vector<int>& y);\nint* p = a->b;"), [])

    def test_shifts_assignments_and_orders(self):
        self.assertEqual(changes("x <<= 1;\ny += 1;\nout << a;\nreturn a <=> b;"), [])

    def test_contracts_and_reserved_capacity(self):
        self.assertEqual(changes("expects(a < b);\nstatic_assert(a == b);\nv.reserve(n + 1);"), [])

    def test_numbers_in_messages(self):
        self.assertEqual(changes('f(fmt::format("step {}", i + 1));'), [])
        self.assertEqual(mutants("f(fmt::format(a), i + 1);"), ["f(fmt::format(a), i);"])


class Names(unittest.TestCase):
    def test_keys_do_not_depend_on_the_place(self):
        first, = sites("room/a.cpp", "x = a < b;\n")
        moved, = sites("room/a.cpp", "\n\n  x = a < b;\n")
        self.assertEqual(first.key, "room/a.cpp | < to <= | x = a < b;")
        self.assertEqual((first.key, moved.line), (moved.key, 3))

    def test_equal_changes_are_counted(self):
        self.assertEqual([site.key for site in sites("a.cpp", "x = a < b < c;\n  x = a < b < c;\n")],
                         ["a.cpp | < to <= | x = a < b < c;", "a.cpp | < to <= (2) | x = a < b < c;",
                          "a.cpp | < to <= (3) | x = a < b < c;", "a.cpp | < to <= (4) | x = a < b < c;"])

    def test_each_explanation_has_a_reason_and_a_line_that_still_exists(self):
        keys = {site.key for room in mutate.TESTS for site in mutate.sites_of(room)}
        for key, reason in mutate.explained().items():
            with self.subTest(key=key):
                self.assertIn(key, keys)
                self.assertGreater(len(reason.split()), 3)


class Choice(unittest.TestCase):
    def choose(self, **options):
        return mutate.chosen(mutate.argparse.Namespace(**{"rooms": "verify,online", "count": 11, "seed": 7, "only": None, **options}))

    def test_the_same_seed_draws_the_same_share_of_each_room(self):
        drawn = self.choose()
        self.assertEqual(drawn, self.choose())
        self.assertNotEqual(drawn, self.choose(seed=8))
        self.assertEqual([room for room, _ in drawn], ["verify"] * 6 + ["online"] * 5)
        self.assertEqual(len({site.key for _, site in drawn}), 11)

    def test_one_file_or_line(self):
        whole = self.choose(only="verify/cycle.cpp")
        self.assertEqual({site.path for _, site in whole}, {"verify/cycle.cpp"})
        line = whole[0][1].line
        self.assertEqual({site.line for _, site in self.choose(only=f"verify/cycle.cpp:{line}")}, {line})

    def test_reasons_may_take_several_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "explained.txt"
            path.write_text("# Why.\n\na.cpp | < to <= | a < b\n    Because\n    of this.\n")
            before, mutate.EXPLAINED = mutate.EXPLAINED, path
            self.addCleanup(setattr, mutate, "EXPLAINED", before)
            self.assertEqual(mutate.explained(), {"a.cpp | < to <= | a < b": "Because of this."})


class Report(unittest.TestCase):
    def test_only_tried_changes_count(self):
        site = sites("check/a.cpp", "x = a < b;")[0]
        results = [("check", site, result) for result in ["killed by check A.B"] * 3 + ["survived", "explained", "uncompilable"]]
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(mutate.report(mutate.argparse.Namespace(seed=1), results), 75)
        self.assertIn("survived src/serval/check/a.cpp:1: < to <=\ncheck/a.cpp | < to <= | x = a < b;\n", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
