#pragma once
// A small history with what every checker must say about it; tests/litmus/README.md explains the header.

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
  std::vector<Level> holds, violated;     // The strongest ones that hold, the weakest ones that do not.
  std::string text;
};

inline void PrintTo(const Litmus& litmus, std::ostream* out) { *out << litmus.file; }

// The header lines of `text` are read, the others are the history; a notation comment is both.
Litmus parse_litmus(const std::string& name, const std::string& text);
std::vector<Litmus> all_litmus();  // Of tests/litmus, by name.

// By the levels listed and what implies what.
bool claims_to_hold(const Litmus& litmus, Level level);
bool claims_violated(const Litmus& litmus, Level level);

}  // namespace serval
