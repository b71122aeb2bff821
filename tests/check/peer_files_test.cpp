#include <array>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "check/peer_rows.h"

// Histories from the papers that Serval builds on: AWDIT, PolySI, IsoVista, VeriStrong and dbcop's
// experiments, with their published verdicts. All of them include session order.

namespace serval::peers {
namespace {

// Their names for levels, as they define them.
const std::map<std::string, Level>& levels() {
  static const std::map<std::string, Level> names{{"RC", Level::ReadCommittedMonotonic},
                                                  {"RA", Level::ReadAtomic},
                                                  {"CC", Level::Causal},
                                                  {"SI", Level::StrongSessionSnapshotIsolation},
                                                  {"SER", Level::StrongSessionSerializable}};
  return names;
}

// "SI,SER", "RC,SI,SER", "SI(strong session),SER(strong session)", "SI accept; SER" (the verdict in the
// last column then refers to SER only).
std::vector<Row> seeds() {
  std::vector<Row> rows;
  for (const auto& cells : table("seeds")) {
    if (cells.size() < 5 || cells[1] != "polysi-text") continue;
    const std::string path = "seeds/" + cells[0];
    const bool accept = cells[4].starts_with("accept");
    for (const auto& [name, level] : levels()) {
      if (cells[3].find(name) == std::string::npos) continue;
      const bool own_verdict = name == "SI" && cells[3].starts_with("SI accept");
      rows.push_back({path, level, own_verdict || accept});
    }
    if (cells[3].find("SI(strong session)") == std::string::npos) continue;
    rows.push_back({path, Level::SnapshotIsolation, true});
    rows.push_back({path, Level::Serializable, true});
  }
  return rows;
}

// King Cobra's logs in Cobra format. "SER" is without session order, "strong-session SER" is with it,
// "SER accept; strong-session SER" is both, with the last column referring to the second. Each one with
// and without the version orders next to the logs.
std::vector<Row> king_cobra() {
  std::vector<Row> rows;
  for (const auto& cells : table("seeds")) {
    if (cells.size() < 5 || !cells[1].starts_with("cobra-bin")) continue;
    const std::string path = "seeds/" + cells[0];
    const bool accept = cells[4].starts_with("accept");
    const bool with_sessions = cells[3].find("strong-session SER") != std::string::npos;
    const Level level = with_sessions ? Level::StrongSessionSerializable : Level::Serializable;
    for (const CheckOptions& options :
         {CheckOptions(), CheckOptions{.hints = {{OrderBasis::Versions}, {}}}}) {
      rows.push_back({path, level, accept, options});
      if (cells[3].starts_with("SER accept")) rows.push_back({path, Level::Serializable, true, options});
    }
  }
  return rows;
}

std::vector<Row> peers(const std::string& format, const std::string& folder = "") {
  std::vector<Row> rows;
  for (const auto& cells : table("peers"))
    if (cells.size() >= 4 && cells[1] == format && cells[0].starts_with(folder) &&
        levels().contains(cells[2]) && std::filesystem::exists(SERVAL_DATA_DIR "/peers/" + cells[0]))
      rows.push_back({"peers/" + cells[0], levels().at(cells[2]), cells[3] == "accept"});
  return rows;
}

TEST(PeerVerdicts, OfTheSeedSystemsAreConfirmed) { expect_verdicts("seeds", seeds()); }
TEST(PeerVerdicts, OfPolysiAndIsovistaAreConfirmed) {
  expect_verdicts("polysi, isovista", peers("plume-text"));
}
TEST(PeerVerdicts, OfKingCobraAreConfirmed) { expect_verdicts("king cobra", king_cobra()); }
TEST(PeerVerdicts, OfDbcopsExperimentsAreConfirmed) {
  expect_verdicts("dbcop bincode", peers("dbcop-bincode"));
}
TEST(PeerVerdicts, OfAwditAreConfirmed) { expect_verdicts("awdit", peers("awdit-test")); }

}  // namespace
}  // namespace serval::peers
