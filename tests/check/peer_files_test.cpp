#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "check/agreement.h"
#include "serval/check/verify_witness.h"
#include "serval/formats/format.h"

// Histories of other checkers with their published verdicts. Their "SER" and "SI" are the strong-session
// levels. Where Serval decides, it says the same; where it does not, the history is outside the
// mini-transaction precondition.

namespace serval {
namespace {

namespace fs = std::filesystem;
const std::string kData = SERVAL_DATA_DIR;

struct Row {
  std::string path;
  Level level;
  bool accept;
};

std::vector<std::vector<std::string>> table(const std::string& folder) {
  std::ifstream file(kData + "/" + folder + "/INDEX.tsv");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    auto& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
  }
  return rows;
}

constexpr auto kSer = Level::StrongSessionSerializable;
constexpr auto kSi = Level::StrongSessionSnapshotIsolation;

// "SI,SER" or "SI accept; SER" (the verdict of the last column is then about SER alone).
void add_seed(const std::string& path, const std::string& levels, const std::string& expected,
              std::vector<Row>& rows) {
  const bool accept = expected.starts_with("accept");
  if (levels.find("SER") != std::string::npos) rows.push_back({path, kSer, accept});
  if (levels.find("SI accept") != std::string::npos)
    rows.push_back({path, kSi, true});
  else if (levels.find("SI") != std::string::npos)
    rows.push_back({path, kSi, accept});
}

std::vector<Row> seeds() {
  std::vector<Row> rows;
  for (const auto& cells : table("seeds"))
    if (cells.size() >= 5 && cells[1] == "polysi-text")
      add_seed("seeds/" + cells[0], cells[3], cells[4], rows);
  return rows;
}

// What a weak level rejects, the strong ones reject too.
std::vector<Row> peers() {
  std::vector<Row> rows;
  for (const auto& cells : table("peers")) {
    if (cells.size() < 4 || (cells[1] != "plume-text" && cells[1] != "awdit-test")) continue;
    const bool accept = cells[3] == "accept", weak = cells[2] != "SER" && cells[2] != "SI";
    if (weak && accept) continue;
    if (weak || cells[2] == "SER") rows.push_back({"peers/" + cells[0], kSer, accept});
    if (weak || cells[2] == "SI") rows.push_back({"peers/" + cells[0], kSi, accept});
  }
  return rows;
}

std::vector<Row> dbcop() {
  std::vector<Row> rows;
  for (const auto& cells : table("elle")) {
    if (cells.size() < 6 || !cells[2].starts_with("dbcop .hist")) continue;
    const bool accept = cells[5].starts_with("valid");
    if (cells[4] == "serializable") rows.push_back({"elle/" + cells[0], kSer, accept});
    if (cells[4] == "snapshot-isolation") rows.push_back({"elle/" + cells[0], kSi, accept});
  }
  return rows;
}

void expect_verdicts(const std::string& source, const std::vector<Row>& rows) {
  if (rows.empty()) GTEST_SKIP() << "no histories of other checkers at " << kData << "/" << source;
  std::size_t decided = 0, open = 0;
  for (const Row& row : rows) {
    SCOPED_TRACE(row.path + " at " + std::string(name_of(row.level)));
    const History history = read_history(kData + "/" + row.path);
    const Verdict verdict = check(history, row.level).verdict;
    EXPECT_EQ(verify_witness(history, row.level, verdict), std::nullopt);
    if (undecided(verdict)) {
      ++open;
      EXPECT_FALSE(oracle::must_be_decided(history, row.level));
    } else {
      ++decided;
      EXPECT_EQ(holds(verdict), row.accept);
    }
  }
  std::cout << source << ": " << rows.size() << " verdicts, " << decided << " confirmed, " << open
            << " outside the precondition\n";
  EXPECT_GT(decided, 0u);
}

TEST(PeerVerdicts, OfTheSeedSystemsAreConfirmed) { expect_verdicts("seeds", seeds()); }
TEST(PeerVerdicts, OfPolysiIsovistaAndAwditAreConfirmed) { expect_verdicts("peers", peers()); }
TEST(PeerVerdicts, OfDbcopAreConfirmed) { expect_verdicts("elle", dbcop()); }

}  // namespace
}  // namespace serval
