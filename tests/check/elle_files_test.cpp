#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "check/peer_rows.h"
#include "serval/check/check.h"
#include "serval/formats/format.h"
#include "serval/verify/verify_witness.h"
#include "skip_without.h"

// Elle's own test histories, those of elle-cli, and simulated ones, with Elle's verdicts at its models.
// Elle says "valid" if it found nothing, so some of its verdicts are wrong; these are listed here.

namespace serval::peers {
namespace {

// "read-committed", "strict-serializable (default)", or for "none opts {:anomalies [:G1]}" the level
// that forbids exactly these. Nullopt for models with options of rw-register.
std::optional<Level> level_of(std::string model) {
  static const std::array<std::pair<std::string_view, Level>, 6> anomalies{
      {{"none opts {:anomalies [:G0]}", Level::ReadUncommitted},
       {"none opts {:anomalies [:G1]}", Level::ReadCommitted},
       {"none opts {:anomalies [:dirty-update]}", Level::ReadCommitted},
       {"none opts {:anomalies [:internal]}", Level::ReadAtomic},
       {"none opts {:anomalies [:G-single]}", Level::ConsistentView},
       {"none opts {:anomalies [:G2]}", Level::RepeatableRead}}};
  for (const auto& [name, level] : anomalies)
    if (model == name) return level;
  if (model.ends_with(" (default)")) model.resize(model.size() - 10);
  return find_level(model);
}

// Nullopt where Elle gave up.
std::optional<bool> accepts(const std::string& verdict) {
  if (verdict.starts_with("True") || verdict.starts_with("valid")) return true;
  if (verdict.starts_with("False") || verdict.starts_with("INVALID")) return false;
  if (verdict.starts_with("paper: G-single")) return false;
  return std::nullopt;
}

std::vector<Row> elle(const std::string& workload) {
  std::vector<Row> rows;
  for (const auto& cells : table("elle")) {
    if (cells.size() < 6 || cells[3] != workload) continue;
    const std::optional<Level> level = level_of(cells[4]);
    const std::optional<bool> accept = accepts(cells[5]);
    if (!level || !accept) continue;
    if (*accept && cells[4] == "none opts {:anomalies [:G2]}") continue;  // Says nothing about G1.
    const std::string path = "elle/" + cells[0];
    rows.push_back({path, *level, *accept});
    const std::string twin = path.substr(0, path.rfind('.')) + ".jsonl";
    if (std::filesystem::exists(std::string(SERVAL_DATA_DIR "/") + twin))
      rows.push_back({twin, *level, *accept});
  }
  return rows;
}

constexpr std::string_view kDisputed =
    "Elle takes the longest of reads that contradict each other as the order";
constexpr std::array kListDifferences{
    Difference{"elle/history.sim/sim-prefix-n1000-c10-k10-s1.", Level::ReadUncommitted, true, kDisputed},
    Difference{"elle/history.sim/sim-prefix-n1000-c10-k5-s2.", Level::ReadUncommitted, true, kDisputed},
    Difference{"elle/history.sim/sim-prefix-n64-c5-k10-s3.", Level::ReadUncommitted, true, kDisputed}};

TEST(PeerVerdicts, OfElleAboutListsAreConfirmed) {
  expect_verdicts("elle list-append", elle("list-append"), kListDifferences);
}

constexpr std::string_view kThinAir = "Elle does not look for values that nobody wrote";
constexpr std::string_view kRegister = "elle/elle-cli/histories/elle/rw-register.";
constexpr std::array kDifferences{Difference{kRegister, Level::ReadCommitted, false, kThinAir},
                                  Difference{kRegister, Level::SnapshotIsolation, false, kThinAir},
                                  Difference{kRegister, Level::Serializable, false, kThinAir},
                                  Difference{kRegister, Level::StrictSerializable, false, kThinAir}};

TEST(PeerVerdicts, OfElleAboutRegistersAreConfirmed) {
  expect_verdicts("elle rw-register", elle("rw-register"), kDifferences);
}

// Serval's verdicts on Elle's histories with predicates. For Elle, :init is the state from which
// everything starts. Here it is a transaction, which only real time and session order put first. So at
// serializable it may come last, and reads that miss it are allowed.
enum class Said : std::uint8_t { Holds, Violated, Undecided };
struct ClosedPredicate {
  std::string_view file;
  Said serializable, strict_serializable;
};
constexpr std::array kClosedPredicates{ClosedPredicate{"g1c-pred-delete", Said::Holds, Said::Undecided},
                                       ClosedPredicate{"g1c-pred-seen", Said::Undecided, Said::Undecided},
                                       ClosedPredicate{"g1c-pred-write", Said::Undecided, Said::Undecided},
                                       ClosedPredicate{"g2-pred-write", Said::Undecided, Said::Undecided},
                                       ClosedPredicate{"init-g-single-pred", Said::Holds, Said::Violated},
                                       ClosedPredicate{"predicate-read-miss", Said::Holds, Said::Undecided},
                                       ClosedPredicate{"wr-g1c-item", Said::Holds, Said::Violated},
                                       ClosedPredicate{"ww-wr-rw-item", Said::Holds, Said::Violated}};

Said said_of(const Verdict& verdict) {
  if (holds(verdict)) return Said::Holds;
  return violated(verdict) ? Said::Violated : Said::Undecided;
}

// The verdict is re-proved. If it is undecided, it names the order that was tried last.
Said judge(const History& history, Level level) {
  const Verdict verdict = check(history, level).verdict;
  EXPECT_EQ(verify_witness(history, level, verdict), std::nullopt) << name_of(level);
  if (const auto* open = std::get_if<Undecided>(&verdict)) {
    EXPECT_FALSE(open->reason.empty());
    EXPECT_TRUE(std::ranges::any_of(open->details, [](const std::string& detail) {
      return detail.starts_with("no order was found; the last one tried fails: ");
    })) << name_of(level);
  }
  return said_of(verdict);
}

TEST(PeerVerdicts, OfElleAboutClosedPredicatesAreNeverContradicted) {
  SKIP_WITHOUT_CORPORA();
  std::size_t files = 0;
  for (const auto& cells : table("elle")) {
    if (cells.size() < 6 || cells[3] != "closed-predicate") continue;
    SCOPED_TRACE(cells[0]);
    const std::string stem = std::filesystem::path(cells[0]).stem().string();
    const auto known = std::ranges::find(kClosedPredicates, stem, &ClosedPredicate::file);
    ASSERT_NE(known, kClosedPredicates.end());
    const History history = read_history(SERVAL_DATA_DIR "/elle/" + cells[0]);
    ++files;
    EXPECT_EQ(judge(history, Level::Serializable), known->serializable);
    const Said strict = judge(history, Level::StrictSerializable);
    EXPECT_EQ(strict, known->strict_serializable);
    ASSERT_EQ(level_of(cells[4]), Level::StrictSerializable);
    ASSERT_TRUE(accepts(cells[5]).has_value());
    EXPECT_NE(strict, *accepts(cells[5]) ? Said::Violated : Said::Holds);
  }
  EXPECT_EQ(files, 2 * kClosedPredicates.size());  // Each one as EDN and as JSON.
}

}  // namespace
}  // namespace serval::peers
