#!/usr/bin/env python3
"""Feeds tidy.py one bad snippet per rule, and good ones that must pass."""
import unittest

import tidy


def problems(path, text, exists=lambda place: True):
    return [problem for _, problem in tidy.check_file(path, text, exists)]


def lines_of(path, text):
    return [line for line, _ in tidy.check_file(path, text, lambda place: True)]


HEADER = "#pragma once\n// What this is.\n\n"
LONG_BODY = "  f();\n" * 80


class GoodCode(unittest.TestCase):
    def test_a_plain_header_passes(self):
        self.assertEqual(problems("src/serval/check/a.h", HEADER + "int f();\n"), [])

    def test_words_in_comments_and_strings_pass(self):
        text = 'const char* a = "std::cout << exit(1)";  // printf("history")\n'
        self.assertEqual(problems("src/serval/base/a.cpp", text), [])

    def test_seventy_lines_pass(self):
        self.assertEqual(problems("src/serval/check/a.cpp", "void g() {\n" + "  f();\n" * 68 + "}\n"), [])

    def test_five_hundred_lines_pass_in_tests_too(self):
        for path in ["src/serval/check/a.cpp", "tests/check/a_test.cpp"]:
            self.assertEqual(problems(path, "int a;\n" * 500), [])

    def test_a_long_class_of_short_functions_passes(self):
        text = "class A {\n" + "  int f() { return 1; }\n" * 100 + "};\n"
        self.assertEqual(problems("src/serval/check/a.cpp", text), [])

    def test_a_digit_separator_is_not_a_quote(self):
        text = "int a = 1'000'000;\nint b = 'x';\nvoid g() {\n" + LONG_BODY + "}\n"
        self.assertEqual(len(problems("src/serval/check/a.cpp", text)), 1)


class BadCode(unittest.TestCase):
    def complains(self, path, text, words):
        found = problems(path, text)
        self.assertTrue(any(words in problem for problem in found), f"{words!r} not in {found}")

    def test_long_function(self):
        self.complains("src/serval/check/a.cpp", "void g() {\n" + LONG_BODY + "}\n", "a function of 82 lines")

    def test_long_constructor_with_initialisers(self):
        text = "A::A(int b)\n    : b_{b}, c_{0} {\n" + LONG_BODY + "}\n"
        self.complains("src/serval/check/a.cpp", text, "a function of 83 lines")

    def test_long_member_function_inside_class(self):
        text = "namespace n {\nclass A {\n  void g() const {\n" + LONG_BODY + "  }\n};\n}\n"
        self.complains("src/serval/check/a.cpp", text, "a function of 82 lines")
        self.assertEqual(lines_of("src/serval/check/a.cpp", text), [3])

    def test_long_file(self):
        for path in ["src/serval/check/a.cpp", "apps/cli/a.cpp", "tests/check/a_test.cpp", "bench/a.cpp"]:
            self.complains(path, "int a;\n" * 501, "501 lines")

    def test_header_without_pragma(self):
        self.complains("src/serval/check/a.h", "// Banner.\nint f();\n", "#pragma once")

    def test_header_without_banner(self):
        self.complains("src/serval/check/a.h", "#pragma once\n#include <map>\n", "banner")

    def test_printing_in_the_library(self):
        for line in ["std::cout << 1;", 'printf("x");', 'fmt::print("x");', "std::cerr << 1;"]:
            self.complains("src/serval/check/a.cpp", line + "\n", "no printing")
        self.assertEqual(problems("apps/cli/a.cpp", "std::cout << 1;\n"), [])

    def test_exiting_in_the_library(self):
        for line in ["exit(1);", "std::abort();"]:
            self.complains("src/serval/check/a.cpp", line + "\n", "no exiting")

    def test_hidden_randomness(self):
        self.complains("src/serval/check/a.cpp", "std::random_device seed;\n", "randomness")

    def test_using_namespace_std(self):
        self.complains("apps/cli/a.cpp", "using namespace std;\n", "using namespace")

    def test_utils(self):
        self.complains("src/serval/utils/a.cpp", "int a;\n", "no utils")
        self.complains("src/serval/check/string_utils.cpp".replace("string_utils", "utils_string"), "int a;\n", "no utils")

    def test_domain_word_in_base(self):
        self.complains("src/serval/base/a.cpp", "int transaction_count;\n", "base knows no word")
        self.complains("src/serval/base/a.cpp", "struct HistoryView {};\n", "base knows no word")
        self.assertEqual(problems("src/serval/check/a.cpp", "int transaction_count;\n"), [])

    def test_tab_long_line_blank_end_and_unfinished_work(self):
        self.complains("src/serval/check/a.cpp", "\tint a;\n", "no tabs")
        self.complains("src/serval/check/a.cpp", "int a" + " + 1" * 40 + ";\n", "columns")
        self.complains("src/serval/check/a.cpp", "int a; \n", "blanks at the end")
        self.complains("src/serval/check/a.cpp", "// " + "TO" + "DO later\n", "unfinished")
        self.complains("src/serval/check/a.cpp", "int a;", "newline")

    def test_machine_path(self):
        self.complains("docs/a.md", "see /ho" + "me/someone/x\n", "machine")


class Phrases(unittest.TestCase):
    def test_each_phrase_in_a_comment_a_literal_and_a_page(self):
        for phrase in ["stands in the way of it", "goes in a circle", "goes in circles",
                       "of these the first is", "two keys, of which there are three", "a scale at will",
                       "it was no append", "expected less nesting", "expected no function call"]:
            for path, text in [("src/serval/check/a.cpp", f"int a;  // What {phrase}.\n"),
                               ("src/serval/check/a.cpp", f'const char* a = "{phrase}";\n'),
                               ("docs/a.md", f"What {phrase}.\n")]:
                self.assertTrue(any("stumble" in problem for problem in problems(path, text)), (path, phrase))

    def test_phrases_at_the_end_of_a_sentence(self):
        for phrase in ["reads it, too.", "all but for one", "the line behind it", "is no number", "8 bytes a key",
                       "O(log n) a transaction"]:
            self.assertTrue(any("stumble" in problem for problem in problems("docs/a.md", f"It {phrase}\n")), phrase)
            self.assertTrue(any("stumble" in problem for problem in problems("src/a.cpp", f"int a;  // It {phrase}\n")))
        self.assertEqual(problems("docs/a.md", "There is no key; it is no longer read, too often it is no later.\n"), [])

    def test_plain_words_and_code_pass(self):
        text = "int in_circles = at(will);  // There was no read; it was no longer nested too deeply, so it was no later.\n"
        self.assertEqual(problems("src/serval/check/a.cpp", text), [])

    def test_the_line_is_that_of_the_phrase(self):
        self.assertEqual(lines_of("src/serval/check/a.cpp", "int a;\n// Fine.\n// Goes in a circle.\n"), [3])


class Definitions(unittest.TestCase):
    def found(self, *files):
        rule = tidy.OneDefinition()
        return [(path, *problem) for path, text in files for problem in rule.check(path, text)]

    def test_one_name_for_two_types(self):
        one = "namespace a::b {\n\nclass C {\n};\n\n}  // namespace a::b\n"
        problems = self.found(("src/serval/x.h", one), ("src/serval/y.h", one))
        self.assertEqual([(path, line) for path, line, _ in problems], [("src/serval/y.h", 3)])

    def test_private_declared_and_inner_types_may_share_a_name(self):
        private = "namespace a {\nnamespace {\nstruct C {\n};\n}  // namespace\nstruct D::E {\n};\nclass F;\n}  // namespace a\n"
        self.assertEqual(self.found(("src/serval/x.cpp", private), ("src/serval/y.cpp", private)), [])

    def test_other_namespaces_have_their_own(self):
        first, second = (f"namespace {name} {{\nclass C {{\n}};\n}}  // namespace {name}\n" for name in ("a", "b"))
        self.assertEqual(self.found(("src/serval/x.h", first), ("src/serval/y.h", second)), [])


class Links(unittest.TestCase):
    def test_a_link_that_leads_nowhere(self):
        self.assertEqual(len(problems("docs/a.md", "[b](b.md)\n", lambda place: False)), 1)

    def test_links_resolve_from_their_page(self):
        asked = []
        problems("docs/a/b.md", "[c](../c.md#part) [d](https://example.org) [e](#here)\n", asked.append)
        self.assertEqual(asked, ["docs/a/../c.md"])

    def test_links_inside_code_do_not_count(self):
        self.assertEqual(problems("docs/a.md", "```\n[b](b.md)\n```\n`[b](b.md)`\n", lambda place: False), [])


if __name__ == "__main__":
    unittest.main()
