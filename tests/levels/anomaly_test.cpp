#include "serval/levels/anomaly.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "serval/history/notation.h"

namespace serval {
namespace {

TEST(AnomalyTable, EveryRowIsComplete) {
  for (const AnomalyInfo& row : all_anomalies()) {
    EXPECT_FALSE(row.name.empty());
    EXPECT_TRUE(row.description.ends_with(".")) << row.name;
    EXPECT_FALSE(row.citation.empty()) << row.name;
    EXPECT_FALSE(row.forbidden_by.empty()) << row.name;
    EXPECT_EQ(&info(row.kind), &row);
    EXPECT_EQ(name_of(row.kind), row.name);
    EXPECT_EQ(find_anomaly(row.name), row.kind);
  }
}

TEST(AnomalyTable, ContainsTheFourteenAnomaliesOfMtcTableI) {
  std::set<char> letters;
  for (const AnomalyInfo& row : all_anomalies())
    if (const auto at = row.citation.find("MTC Table I ("); at != std::string_view::npos)
      letters.insert(row.citation[at + std::string_view("MTC Table I (").size()]);
  EXPECT_EQ(std::string(letters.begin(), letters.end()), "abcdefghijklmn");
}

TEST(AnomalyTable, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const AnomalyInfo& row : all_anomalies()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(AnomalyTable, EveryExampleParsesAndPrintsAsItself) {
  for (const AnomalyInfo& row : all_anomalies()) {
    if (needs_predicates(row.kind)) continue;
    const History history = parse_history(row.example);
    EXPECT_GT(history.operation_count(), 0u) << row.name;
    EXPECT_EQ(print_history(parse_history(print_history(history))), print_history(history)) << row.name;
  }
}

TEST(AnomalyTable, MatchesTheTableOfThePage) {
  std::ifstream file(SERVAL_TEST_DIR "/../docs/anomalies.md");
  const std::string page = (std::ostringstream() << file.rdbuf()).str();
  for (const AnomalyInfo& row : all_anomalies()) {
    std::ostringstream section;
    section << "### " << row.name << (row.adya.empty() ? "" : " · ") << row.adya << "\n\n"
            << row.description << "\n\n    " << row.example << "\n\nForbidden from: ";
    for (std::size_t i = 0; i < row.forbidden_by.size(); ++i)
      section << (i == 0 ? "" : ", ") << name_of(row.forbidden_by[i]);
    section << ". Source: " << row.citation << ".\n";
    EXPECT_NE(page.find(section.str()), std::string::npos) << section.str();
  }
}

TEST(AnomalyTable, RealTimeExamplesHaveTimes) {
  for (const AnomalyKind kind :
       {AnomalyKind::DirtyWriteRealTime, AnomalyKind::CyclicInformationFlowRealTime,
        AnomalyKind::ReadSkewRealTime, AnomalyKind::NonAdjacentAntiDependencyRealTime,
        AnomalyKind::AntiDependencyCycleRealTime})
    EXPECT_TRUE(parse_history(info(kind).example).has_times()) << name_of(kind);
}

// Only the weakest forbidding levels are listed.
TEST(AnomalyTable, NoForbiddingLevelImpliesAnother) {
  for (const AnomalyInfo& row : all_anomalies())
    for (const Level a : row.forbidden_by)
      for (const Level b : row.forbidden_by) EXPECT_TRUE(a == b || !implies(a, b)) << row.name;
}

TEST(FindAnomaly, KnowsAdyasNamesByClass) {
  EXPECT_EQ(find_anomaly("G1a"), AnomalyKind::AbortedRead);
  EXPECT_EQ(find_anomaly("g2-item"), AnomalyKind::AntiDependencyCycle);
  EXPECT_EQ(find_anomaly("G-single"), AnomalyKind::ReadSkew);
  EXPECT_EQ(find_anomaly("P4"), AnomalyKind::LostUpdate);
  EXPECT_EQ(find_anomaly("G-monotonic"), AnomalyKind::NonMonotonicView);
  EXPECT_EQ(find_anomaly("G-cursor"), AnomalyKind::CursorLostUpdate);
  EXPECT_EQ(find_anomaly("Lost Update"), AnomalyKind::LostUpdate);
  EXPECT_EQ(find_anomaly("phantom menace"), std::nullopt);
  EXPECT_EQ(find_anomaly(""), std::nullopt);
}

TEST(FindAnomaly, KnowsEveryCycleOfElleInItsThreeVariants) {
  int number = static_cast<int>(AnomalyKind::DirtyWrite);
  for (const std::string variant : {"", "-process", "-realtime"})
    for (const std::string base : {"G0", "G1c", "G-single-item", "G-nonadjacent-item", "G2-item"})
      EXPECT_EQ(find_anomaly(base + variant), static_cast<AnomalyKind>(number++)) << base << variant;
  for (const char* name : {"G1a", "G1b", "internal", "future-read", "dirty-update", "lost-update",
                           "write-skew", "duplicate-elements", "incompatible-order", "cyclic-versions",
                           "G-single", "G-nonadjacent", "G2", "G-single-process", "G2-realtime"})
    EXPECT_TRUE(find_anomaly(name).has_value()) << name;
}

TEST(Forbids, GrowsWithTheLevel) {
  for (const AnomalyInfo& row : all_anomalies()) {
    if (concerns_claimed_snapshots(row.kind)) continue;  // A serial order needs no snapshot.
    for (const LevelInfo& weaker : all_levels())
      for (const LevelInfo& stronger : all_levels())
        if (implies(stronger.level, weaker.level) && forbids(weaker.level, row.kind)) {
          EXPECT_TRUE(forbids(stronger.level, row.kind)) << stronger.name << " " << row.name;
        }
  }
}

TEST(Forbids, StrictSerializableForbidsEverything) {
  for (const AnomalyInfo& row : all_anomalies())
    EXPECT_EQ(forbids(Level::StrictSerializable, row.kind), !concerns_claimed_snapshots(row.kind))
        << row.name;
}

TEST(Forbids, BadReadsAreForbiddenFromReadCommittedUpwards) {
  for (const AnomalyKind kind :
       {AnomalyKind::ThinAirRead, AnomalyKind::AbortedRead, AnomalyKind::FutureRead,
        AnomalyKind::NotMyLastWrite, AnomalyKind::NotMyOwnWrite, AnomalyKind::IntermediateRead}) {
    EXPECT_FALSE(forbids(Level::ReadUncommitted, kind)) << name_of(kind);
    for (const LevelInfo& row : all_levels())
      EXPECT_EQ(forbids(row.level, kind), implies(row.level, Level::ReadCommitted)) << row.name;
  }
}

TEST(Forbids, NonRepeatableReadsAreAllowedAtReadCommitted) {
  EXPECT_FALSE(forbids(Level::ReadCommitted, AnomalyKind::NonRepeatableRead));
  EXPECT_FALSE(forbids(Level::ReadCommittedMonotonic, AnomalyKind::NonRepeatableRead));
  EXPECT_TRUE(forbids(Level::ReadAtomic, AnomalyKind::NonRepeatableRead));
  EXPECT_TRUE(forbids(Level::SnapshotIsolation, AnomalyKind::NonRepeatableRead));
}

TEST(Forbids, SnapshotIsolationAllowsTwoConsecutiveAntiDependencies) {
  for (const Level level :
       {Level::SnapshotIsolation, Level::StrongSessionSnapshotIsolation, Level::StrongSnapshotIsolation}) {
    EXPECT_FALSE(forbids(level, AnomalyKind::WriteSkew));
    EXPECT_FALSE(forbids(level, AnomalyKind::AntiDependencyCycle));
    EXPECT_FALSE(forbids(level, AnomalyKind::AntiDependencyCycleSession));
    EXPECT_FALSE(forbids(level, AnomalyKind::AntiDependencyCycleRealTime));
    for (const AnomalyKind kind :
         {AnomalyKind::NonMonotonicRead, AnomalyKind::FracturedRead, AnomalyKind::CausalityViolation,
          AnomalyKind::LongFork, AnomalyKind::LostUpdate, AnomalyKind::DirtyWrite,
          AnomalyKind::CyclicInformationFlow, AnomalyKind::ReadSkew, AnomalyKind::NonAdjacentAntiDependency})
      EXPECT_TRUE(forbids(level, kind)) << name_of(kind);
  }
}

TEST(Forbids, PlainLevelsAllowAnomaliesOfSessionsAndTime) {
  for (const LevelInfo& row : all_levels()) {
    if (!uses_session_order(row.level)) {
      EXPECT_FALSE(forbids(row.level, AnomalyKind::ReadSkewSession)) << row.name;
      EXPECT_FALSE(forbids(row.level, AnomalyKind::AntiDependencyCycleSession)) << row.name;
    }
    if (!uses_real_time(row.level)) {
      EXPECT_FALSE(forbids(row.level, AnomalyKind::ReadSkewRealTime)) << row.name;
      EXPECT_FALSE(forbids(row.level, AnomalyKind::AntiDependencyCycleRealTime)) << row.name;
    }
  }
  EXPECT_TRUE(forbids(Level::StrongSessionSnapshotIsolation, AnomalyKind::ReadSkewSession));
  EXPECT_TRUE(forbids(Level::StrongSnapshotIsolation, AnomalyKind::ReadSkewRealTime));
}

TEST(Forbids, BrokenChainsConcernLinearizabilityOnly) {
  for (const LevelInfo& row : all_levels())
    EXPECT_EQ(forbids(row.level, AnomalyKind::BrokenChain), implies(row.level, Level::Linearizable))
        << row.name;
}

TEST(CycleClass, EveryClassHasThreeVariants) {
  EXPECT_EQ(kind_of(CycleClass::DirtyWrite, CycleVariant::Data), AnomalyKind::DirtyWrite);
  EXPECT_EQ(kind_of(CycleClass::AntiDependency, CycleVariant::Data), AnomalyKind::AntiDependencyCycle);
  EXPECT_EQ(kind_of(CycleClass::Single, CycleVariant::Session), AnomalyKind::ReadSkewSession);
  EXPECT_EQ(kind_of(CycleClass::InformationFlow, CycleVariant::RealTime),
            AnomalyKind::CyclicInformationFlowRealTime);
}

TEST(CycleClass, IsDerivedFromTheEdges) {
  EXPECT_EQ(class_of({.write_write = 2}), AnomalyKind::DirtyWrite);
  EXPECT_EQ(class_of({.write_write = 1, .write_read = 1}), AnomalyKind::CyclicInformationFlow);
  EXPECT_EQ(class_of({.write_read = 1, .read_write = 1}), AnomalyKind::ReadSkew);
  EXPECT_EQ(class_of({.write_read = 2, .read_write = 2}), AnomalyKind::NonAdjacentAntiDependency);
  EXPECT_EQ(class_of({.read_write = 2, .adjacent_read_writes = true}), AnomalyKind::AntiDependencyCycle);
  EXPECT_EQ(class_of({.read_write = 1, .session = 1}), AnomalyKind::ReadSkewSession);
  EXPECT_EQ(class_of({.read_write = 2, .session = 1, .adjacent_read_writes = true}),
            AnomalyKind::AntiDependencyCycleSession);
  EXPECT_EQ(class_of({.read_write = 1, .session = 1, .real_time = 1}), AnomalyKind::ReadSkewRealTime);
  EXPECT_EQ(class_of({.read_write = 2, .real_time = 1, .adjacent_read_writes = true}),
            AnomalyKind::AntiDependencyCycleRealTime);
}

}  // namespace
}  // namespace serval
