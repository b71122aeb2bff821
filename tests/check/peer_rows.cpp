#include "check/peer_rows.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "check/agreement.h"
#include "serval/base/error.h"
#include "serval/formats/format.h"
#include "serval/verify/verify_witness.h"
#include "skip_without.h"

namespace serval::peers {
namespace {

const std::string kData = SERVAL_DATA_DIR;
constexpr std::size_t kSmall = 7;  // Transactions.

class Comparison {
 public:
  explicit Comparison(std::span<const Difference> differences) : differences_(differences) {}

  void judge(const History& history, const Row& row) {
    SCOPED_TRACE(row.path + " at " + std::string(name_of(row.level)));
    const Verdict verdict = check(history, row.level, row.options).verdict;
    EXPECT_EQ(verify_witness(history, row.level, verdict), std::nullopt);
    ask_the_oracle(history, row);
    if (const auto* open = std::get_if<Undecided>(&verdict)) {
      note_open(history, row, *open);
      return;
    }
    const Difference* const difference = difference_of(row);
    if (difference == nullptr) {
      EXPECT_EQ(holds(verdict), row.accept);
      if (holds(verdict) == row.accept) ++confirmed_;
    } else {
      seen_.insert(difference);
      ++different_;
      EXPECT_EQ(holds(verdict), difference->accept) << difference->reason;
      EXPECT_NE(holds(verdict), row.accept) << "no difference any more";
    }
  }

  void print(const std::string& source, std::size_t rows, std::size_t unreadable) const {
    std::cout << source << ": " << rows << " verdicts, " << confirmed_ << " confirmed, " << different_
              << " deliberate differences, " << open_ << " undecided, " << unreadable << " not readable, "
              << judged_ << " judged by the oracle\n";
    for (const auto& [level, count] : open_by_level_)
      std::cout << "  undecided at " << name_of(level) << ": " << count << "\n";
    EXPECT_GT(confirmed_ + judged_, 0u);
    EXPECT_EQ(seen_.size(), differences_.size()) << "a difference that no row shows";
  }

 private:
  // The oracle judges small histories on its own, even where check() is undecided.
  void ask_the_oracle(const History& history, const Row& row) {
    if (history.transaction_count() > kSmall || !oracle::is_about(row.level, history)) return;
    ++judged_;
    const Difference* const difference = difference_of(row);
    EXPECT_EQ(oracle::satisfies(history, row.level), difference ? difference->accept : row.accept)
        << "says the oracle of\n"
        << print_history(history);
  }

  void note_open(const History& history, const Row& row, const Undecided& open) {
    ++open_;
    ++open_by_level_[row.level];
    if (const Difference* const difference = difference_of(row)) seen_.insert(difference);
    if (open.cause == Undecided::Cause::NoTimes) return;
    EXPECT_FALSE(oracle::must_be_decided(history, row.level)) << open.reason;
  }

  const Difference* difference_of(const Row& row) const {
    for (const Difference& difference : differences_)
      if (row.path.starts_with(difference.path) && row.level == difference.level &&
          row.accept != difference.accept)
        return &difference;
    return nullptr;
  }

  std::span<const Difference> differences_;
  std::set<const Difference*> seen_;
  std::map<Level, std::size_t> open_by_level_;
  std::size_t confirmed_ = 0, different_ = 0, open_ = 0, judged_ = 0;
};

}  // namespace

std::vector<std::vector<std::string>> table(const std::string& folder) {
  std::ifstream file(kData + "/" + folder + "/INDEX.tsv");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    auto& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

void expect_verdicts(const std::string& source, const std::vector<Row>& rows,
                     std::span<const Difference> differences) {
  SKIP_WITHOUT_CORPORA();
  ASSERT_FALSE(rows.empty()) << "no histories of other checkers at " << kData << " for " << source;
  std::map<std::string, std::vector<const Row*>> by_path;
  for (const Row& row : rows) by_path[row.path].push_back(&row);
  Comparison comparison(differences);
  std::size_t unreadable = 0;
  for (const auto& [path, of_path] : by_path) {
    try {
      const History history = read_history(kData + "/" + path);
      for (const Row* const row : of_path) comparison.judge(history, *row);
    } catch (const InputError& error) {
      unreadable += of_path.size();
      ADD_FAILURE() << error.what();
    }
  }
  comparison.print(source, rows.size(), unreadable);
}

}  // namespace serval::peers
