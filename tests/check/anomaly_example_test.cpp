// The table of anomalies against the engine: every example shows its anomaly, and is a violation at
// exactly the levels that forbid the anomaly.

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "serval/check/check.h"
#include "serval/history/notation.h"
#include "serval/levels/anomaly.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

constexpr std::array kSearchedLevels{
    Level::StrictSerializable,      Level::StrongSessionSerializable,      Level::Serializable,
    Level::StrongSnapshotIsolation, Level::StrongSessionSnapshotIsolation, Level::SnapshotIsolation};

class AnomalyExample : public testing::TestWithParam<AnomalyKind> {};

// Two operations that replace the same value break a chain and also lose an update.
bool is_pure(AnomalyKind kind) { return kind != AnomalyKind::BrokenChain; }

// Contradictory register versions appear as a cycle of the reads that show their order.
AnomalyKind name_in_registers(AnomalyKind kind) {
  return kind == AnomalyKind::CyclicVersions ? AnomalyKind::CyclicInformationFlow : kind;
}

// Strong levels without times are undecided unless violated, so every transaction of an untimed example
// gets the same interval.
History example_with_times(AnomalyKind kind) {
  std::string text(info(kind).example);
  if (text.find('@') == std::string::npos)
    for (std::size_t at = text.find(']'); at != std::string::npos; at = text.find(']', at + 1)) {
      const char next = at + 1 < text.size() ? text[at + 1] : ' ';
      if (next != ')') text.insert(next == '!' ? at + 2 : at + 1, "@0..9");  // Otherwise it closes a list.
    }
  return parse_history(text);
}

TEST_P(AnomalyExample, IsAViolationExactlyWhereTheTableSaysSo) {
  const History history = example_with_times(GetParam());
  for (const Level level : kSearchedLevels) {
    const CheckResult result = check(history, level);
    EXPECT_EQ(verify_witness(history, level, result.verdict), std::nullopt);
    if (forbids(level, GetParam())) {
      EXPECT_TRUE(violated(result.verdict)) << name_of(level);
    } else if (is_pure(GetParam())) {
      EXPECT_TRUE(holds(result.verdict)) << name_of(level);
    }
  }
}

// Which order is missing depends on the requested level.
Level level_that_names(AnomalyKind kind) {
  switch (kind) {
    case AnomalyKind::BrokenChain:
      return Level::Linearizable;
    case AnomalyKind::NoPrefixOrder:
      return Level::PrefixConsistency;
    case AnomalyKind::NoSnapshotOrder:
    case AnomalyKind::NoSnapshotOrderSession:
    case AnomalyKind::NoSnapshotOrderRealTime:
      return Level::StrongSnapshotIsolation;
    default:
      return Level::StrictSerializable;
  }
}

TEST_P(AnomalyExample, IsReportedByItsName) {
  const History history = example_with_times(GetParam());
  const Verdict verdict = check(history, level_that_names(GetParam())).verdict;
  ASSERT_TRUE(violated(verdict));
  EXPECT_TRUE(std::get<Violated>(verdict).counts.contains(name_in_registers(GetParam())))
      << name_of(std::get<Violated>(verdict).anomalies.front().kind);
}

std::vector<AnomalyKind> all_kinds() {
  std::vector<AnomalyKind> kinds;
  for (const AnomalyInfo& row : all_anomalies())
    // For the others see certificate_test.cpp, phantom_read_test.cpp and required_order_test.cpp.
    if (!needs_predicates(row.kind) && !needs_expected_order(row.kind)) kinds.push_back(row.kind);
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Table, AnomalyExample, testing::ValuesIn(all_kinds()), [](const auto& parameter) {
  std::string name(name_of(parameter.param));
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace serval
