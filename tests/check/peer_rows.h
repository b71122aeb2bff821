#pragma once
// Verdicts that other checkers, papers and people gave to histories in files, compared with Serval's.
// The files are in SERVAL_DATA_DIR, each folder with a table INDEX.tsv. The tests skip if they are
// absent.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/check/check.h"

namespace serval::peers {

struct Row {
  std::string path;  // Below SERVAL_DATA_DIR.
  Level level;
  bool accept;
  CheckOptions options = {};
};

// A verdict on which Serval differs deliberately; docs/differences.md gives the reasons in full.
struct Difference {
  std::string_view path;  // A prefix of the row's path.
  Level level;
  bool accept;  // Serval's verdict.
  std::string_view reason;
};

// The cells of each row of INDEX.tsv in a folder, without the header; empty if there is no such file.
std::vector<std::vector<std::string>> table(const std::string& folder);

// Checks that every decided verdict is the row's or a listed difference, and is re-proved; that what
// must be decided is decided; and that every listed difference is one. Prints the numbers of confirmed,
// different and undecided verdicts. Skips if there are no rows.
void expect_verdicts(const std::string& source, const std::vector<Row>& rows,
                     std::span<const Difference> differences = {});

}  // namespace serval::peers
