#pragma once
// A small history with the verdicts that every checker must give. tests/litmus/README.md explains the
// header.

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "serval/levels/level.h"

namespace serval {

struct Litmus {
  std::string file;
  std::map<std::string, std::string> fields;
  std::map<Level, std::string> expected;  // "holds", "violated lost-update", "undecided"
  std::vector<Level> holds, violated;     // The strongest levels that hold, and the weakest that do not.
  std::string text;
};

inline void PrintTo(const Litmus& litmus, std::ostream* out) { *out << litmus.file; }

// Reads the header lines of `text`; the other lines are the history. A comment of the notation is both.
Litmus parse_litmus(const std::string& name, const std::string& text);
std::vector<Litmus> all_litmus();  // The files of tests/litmus, sorted by name.

// Derived from the listed levels and the implications between levels.
bool claims_to_hold(const Litmus& litmus, Level level);
bool claims_violated(const Litmus& litmus, Level level);

}  // namespace serval
