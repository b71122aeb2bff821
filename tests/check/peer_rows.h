#pragma once
// Verdicts that other checkers, papers and people gave to histories in files, and how Serval's compare with
// them. The files live at SERVAL_DATA_DIR, each folder with a table INDEX.tsv; where they are absent the
// tests skip.

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

// A verdict on which Serval differs on purpose; docs/differences.md has the reasons at length.
struct Difference {
  std::string_view path;  // How the row's path begins.
  Level level;
  bool accept;  // What Serval says.
  std::string_view reason;
};

// The cells of each row of INDEX.tsv in a folder, without the header; empty when there is none.
std::vector<std::vector<std::string>> table(const std::string& folder);

// Every decided verdict is the row's or a listed difference, and is re-proved; what must be decided is; every
// difference is one. Prints how many were confirmed, different and undecided. Skips without rows.
void expect_verdicts(const std::string& source, const std::vector<Row>& rows,
                     std::span<const Difference> differences = {});

}  // namespace serval::peers
