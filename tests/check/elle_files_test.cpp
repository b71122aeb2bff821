#include <array>
#include <filesystem>
#include <optional>

#include <gtest/gtest.h>

#include "check/peer_rows.h"

// Elle's own test histories, those of elle-cli, and simulated ones, with Elle's verdicts at its models. Elle
// says "valid" when it found nothing, so some of its verdicts are wrong, and listed here.

namespace serval::peers {
namespace {

// "read-committed", "strict-serializable (default)", or for "none opts {:anomalies [:G1]}" the level that
// forbids exactly these. Nothing for models with options of rw-register.
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

// Nothing where Elle gave up.
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

}  // namespace
}  // namespace serval::peers
