#include <array>
#include <map>

#include <gtest/gtest.h>

#include "check/peer_rows.h"

// dbcop's own test histories at its seven levels. It includes session order everywhere. Its read
// committed examines only keys that are read twice. So what it accepts need not satisfy
// read-committed-monotonic, but is read committed in Adya's sense, or has a fault that dbcop does
// report. Its repeatable read lies between its read committed and read atomic and has no counterpart
// here: what it rejects, read atomic also rejects.

namespace serval::peers {
namespace {

void add_rows(const std::string& path, const std::string& level, bool accept, std::vector<Row>& rows) {
  static const std::map<std::string, Level> exact{
      {"atomic-read", Level::ReadAtomic},
      {"causal", Level::Causal},
      {"prefix", Level::PrefixConsistency},
      {"snapshot-isolation", Level::StrongSessionSnapshotIsolation},
      {"serializable", Level::StrongSessionSerializable}};
  if (exact.contains(level)) rows.push_back({path, exact.at(level), accept});
  if (level == "committed-read")
    rows.push_back({path, accept ? Level::ReadCommitted : Level::ReadCommittedMonotonic, accept});
  if (level == "repeatable-read" && !accept) rows.push_back({path, Level::ReadAtomic, false});
}

std::vector<Row> dbcop() {
  std::vector<Row> rows;
  for (const auto& cells : table("elle"))
    if (cells.size() >= 6 && cells[2].starts_with("dbcop .hist"))
      add_rows("elle/" + cells[0], cells[4], cells[5].starts_with("valid"), rows);
  return rows;
}

TEST(PeerVerdicts, OfDbcopAreConfirmed) { expect_verdicts("dbcop", dbcop()); }

}  // namespace
}  // namespace serval::peers
