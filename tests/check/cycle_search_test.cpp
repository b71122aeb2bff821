#include "serval/check/dependency/cycle_search.h"

#include <gtest/gtest.h>

#include "serval/history/notation.h"
#include "serval/inference/reads_from.h"

namespace serval {
namespace {

std::string in_own_session(int& sessions, const std::string& operations) {
  return "s" + std::to_string(++sessions) + ": [" + operations + "] ";
}

// In each of 999 cycles T -rw-> U -wr-> hub -wr-> T, the hub also read from T, so that the step T -wr-> hub
// bypasses U. The last cycle has no such step. All of them are in one component, because the hubs form a
// ring, which the last cycle joins.
TEST(CycleSearch, TheThousandthCycleMayBeTheFirstWithoutADetour) {
  constexpr int kHubs = 37, kCycles = 27;
  std::string text;
  int sessions = 0;
  for (int hub = 0; hub < kHubs; ++hub) {
    const std::string h = std::to_string(hub), before = std::to_string((hub + kHubs - 1) % kHubs);
    std::string reads;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      const std::string c = h + "x" + std::to_string(cycle);
      text += in_own_session(sessions, "r(u" + c + ",0) r(h" + h + ",1) w(t" + c + ",1)");
      text += in_own_session(sessions, "w(u" + c + ",1)");
      reads += "r(t" + c + ",1) r(u" + c + ",1) ";
    }
    if (hub == 0) reads += "r(t,1) ";
    text += in_own_session(sessions, reads + "r(h" + before + ",1) w(h" + h + ",1)");
  }
  text += in_own_session(sessions, "r(u,0) r(v,1) r(h0,1) w(t,1)");
  text += in_own_session(sessions, "w(u,1)");
  text += in_own_session(sessions, "r(u,1) w(v,1)");
  const History history = parse_history(text);
  Budget budget = Budget::unlimited();
  const Relations relations = infer_relations(history, budget);
  const std::vector<Anomaly> found = find_cycles(history, relations, {.weakest = CycleClass::Single}, budget);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, AnomalyKind::CyclicInformationFlow);
  const std::vector<Edge>& last = std::get<Cycle>(found[1].evidence).edges;
  EXPECT_EQ(last.size(), 3u);
  EXPECT_EQ(last.front().from.index, history.transaction_count() - 3);
}

}  // namespace
}  // namespace serval
