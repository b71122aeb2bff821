#include "serval/levels/level.h"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "serval/base/folded_name.h"

namespace serval {
namespace {

TEST(LevelTable, EveryRowHasNameDefinitionAndCitation) {
  for (const LevelInfo& row : all_levels()) {
    EXPECT_FALSE(row.name.empty());
    EXPECT_TRUE(row.definition.ends_with(".")) << row.name;
    EXPECT_FALSE(row.citation.empty()) << row.name;
    EXPECT_EQ(&info(row.level), &row);
    EXPECT_EQ(name_of(row.level), row.name);
  }
  EXPECT_EQ(all_levels().size(), 28u);
}

TEST(LevelTable, NamesAndAliasesAreUniqueAndFound) {
  std::map<std::string, Level> seen;
  for (const LevelInfo& row : all_levels()) {
    std::vector<std::string_view> names = row.aliases;
    names.push_back(row.name);
    for (const std::string_view name : names) {
      EXPECT_TRUE(seen.emplace(folded_name(name), row.level).second) << name;
      EXPECT_EQ(find_level(name), row.level) << name;
    }
  }
}

TEST(LevelTable, MatchesTheTableOfThePage) {
  std::ifstream file(SERVAL_TEST_DIR "/../docs/levels.md");
  const std::string page = (std::ostringstream() << file.rdbuf()).str();
  for (const LevelInfo& row : all_levels()) {
    std::string implied, aliases;
    for (const Level weaker : row.implies)
      implied.append(implied.empty() ? "" : ", ").append(name_of(weaker));
    for (const std::string_view alias : row.aliases)
      aliases.append(aliases.empty() ? "`" : ", `").append(alias).append("`");
    std::ostringstream line, definition;
    line << "| `" << row.name << "` | " << (uses_session_order(row.level) ? "yes" : "") << " | "
         << (uses_real_time(row.level) ? "yes" : "") << " | " << (implied.empty() ? "-" : implied) << " | "
         << aliases << " |\n";
    definition << "- **" << row.name << "**: " << row.definition << " *(" << row.citation << ")*\n";
    EXPECT_NE(page.find(line.str()), std::string::npos) << line.str();
    EXPECT_NE(page.find(definition.str()), std::string::npos) << definition.str();
  }
}

TEST(LevelTable, WeakerLevelsComeFirst) {
  for (const LevelInfo& row : all_levels())
    for (const Level weaker : row.implies) EXPECT_LT(weaker, row.level) << row.name;
}

TEST(Implies, IsReflexiveTransitiveAndAntisymmetric) {
  for (const LevelInfo& a : all_levels()) {
    EXPECT_TRUE(implies(a.level, a.level));
    for (const LevelInfo& b : all_levels()) {
      EXPECT_FALSE(a.level != b.level && implies(a.level, b.level) && implies(b.level, a.level));
      for (const LevelInfo& c : all_levels())
        EXPECT_TRUE(!implies(a.level, b.level) || !implies(b.level, c.level) || implies(a.level, c.level));
    }
  }
}

TEST(Implies, ContainsTheDirectImplications) {
  for (const LevelInfo& row : all_levels())
    for (const Level weaker : row.implies) EXPECT_TRUE(implies(row.level, weaker)) << row.name;
}

// A level that ignores session order or real time cannot imply one that needs it: reordering sessions would
// refute only the latter.
TEST(Implies, NeverGainsSessionOrderOrRealTime) {
  for (const LevelInfo& a : all_levels())
    for (const LevelInfo& b : all_levels())
      if (implies(a.level, b.level)) {
        EXPECT_LE(uses_session_order(b.level), uses_session_order(a.level)) << a.name << " " << b.name;
        EXPECT_LE(uses_real_time(b.level), uses_real_time(a.level)) << a.name << " " << b.name;
      }
}

TEST(Implies, StrictSerializableImpliesEveryLevel) {
  for (const LevelInfo& row : all_levels())
    EXPECT_TRUE(implies(Level::StrictSerializable, row.level)) << row.name;
}

TEST(Implies, PlainLevelsSayNothingAboutSessions) {
  for (const Level plain : {Level::Serializable, Level::SnapshotIsolation, Level::RepeatableRead})
    for (const Level session :
         {Level::StrongSessionSerializable, Level::StrongSessionSnapshotIsolation, Level::PrefixConsistency,
          Level::Causal, Level::ReadAtomic, Level::ReadCommittedMonotonic, Level::MonotonicReads,
          Level::MonotonicWrites, Level::ReadYourWrites, Level::WritesFollowReads})
      EXPECT_FALSE(implies(plain, session)) << name_of(plain) << " " << name_of(session);
}

TEST(Implies, SerializableImpliesSnapshotIsolationAndRepeatableReadWhichDoNotImplyEachOther) {
  EXPECT_TRUE(implies(Level::Serializable, Level::SnapshotIsolation));
  EXPECT_TRUE(implies(Level::Serializable, Level::RepeatableRead));
  EXPECT_FALSE(implies(Level::SnapshotIsolation, Level::RepeatableRead));
  EXPECT_FALSE(implies(Level::RepeatableRead, Level::SnapshotIsolation));
  EXPECT_FALSE(implies(Level::StrongSnapshotIsolation, Level::Serializable));
}

TEST(Implies, SessionVariantsImplyTheWeakSessionLevels) {
  for (const Level weak : {Level::PrefixConsistency, Level::Causal, Level::ReadAtomic,
                           Level::ReadCommittedMonotonic, Level::MonotonicReads, Level::MonotonicWrites,
                           Level::ReadYourWrites, Level::WritesFollowReads, Level::ReadCommitted})
    EXPECT_TRUE(implies(Level::StrongSessionSnapshotIsolation, weak)) << name_of(weak);
}

TEST(Implies, TheTwoReadCommittedLevelsDiffer) {
  EXPECT_TRUE(implies(Level::ReadCommittedMonotonic, Level::ReadCommitted));
  EXPECT_FALSE(implies(Level::ReadCommitted, Level::ReadCommittedMonotonic));
}

TEST(Implies, SessionGuaranteesAloneImplyNothing) {
  for (const Level guarantee :
       {Level::MonotonicReads, Level::MonotonicWrites, Level::ReadYourWrites, Level::WritesFollowReads})
    for (const LevelInfo& row : all_levels())
      EXPECT_EQ(implies(guarantee, row.level), guarantee == row.level) << row.name;
}

TEST(Implies, PramIsBetweenCausalAndThreeSessionGuarantees) {
  EXPECT_TRUE(implies(Level::Causal, Level::Pram));
  EXPECT_TRUE(implies(Level::Causal, Level::WritesFollowReads));
  for (const Level guarantee : {Level::MonotonicReads, Level::MonotonicWrites, Level::ReadYourWrites})
    EXPECT_TRUE(implies(Level::Pram, guarantee)) << name_of(guarantee);
  EXPECT_FALSE(implies(Level::Pram, Level::WritesFollowReads));
  EXPECT_FALSE(implies(Level::Pram, Level::ReadCommitted));
}

TEST(Implies, AdyasChainLeadsFromSnapshotIsolationThroughConsistentView) {
  for (const Level weaker : {Level::ConsistentView, Level::MonotonicView, Level::CursorStability,
                             Level::MonotonicAtomicView, Level::ReadCommitted})
    EXPECT_TRUE(implies(Level::SnapshotIsolation, weaker)) << name_of(weaker);
  EXPECT_FALSE(implies(Level::RepeatableRead, Level::ConsistentView));
  EXPECT_FALSE(implies(Level::MonotonicView, Level::CursorStability));
}

TEST(Implies, ParallelSnapshotIsolationIsCausalAndConsistentView) {
  EXPECT_TRUE(implies(Level::StrongSessionSnapshotIsolation, Level::ParallelSnapshotIsolation));
  EXPECT_TRUE(implies(Level::ParallelSnapshotIsolation, Level::Causal));
  EXPECT_TRUE(implies(Level::ParallelSnapshotIsolation, Level::ConsistentView));
  EXPECT_FALSE(implies(Level::SnapshotIsolation, Level::ParallelSnapshotIsolation));
  EXPECT_FALSE(implies(Level::ParallelSnapshotIsolation, Level::PrefixConsistency));
}

TEST(SessionOrder, StrongVariantsUseItAndPlainLevelsDoNot) {
  EXPECT_FALSE(uses_session_order(Level::Serializable));
  EXPECT_FALSE(uses_session_order(Level::SnapshotIsolation));
  EXPECT_FALSE(uses_session_order(Level::Linearizable));
  EXPECT_TRUE(uses_session_order(Level::StrongSessionSerializable));
  EXPECT_TRUE(uses_session_order(Level::StrongSessionSnapshotIsolation));
  EXPECT_TRUE(uses_session_order(Level::StrongSnapshotIsolation));
  EXPECT_TRUE(uses_session_order(Level::StrictSerializable));
  EXPECT_TRUE(uses_session_order(Level::ReadCommittedMonotonic));
}

TEST(RealTime, OnlyStrictStrongAndLinearizableUseIt) {
  std::set<Level> timed;
  for (const LevelInfo& row : all_levels())
    if (uses_real_time(row.level)) timed.insert(row.level);
  EXPECT_EQ(timed,
            (std::set{Level::StrongReadUncommitted, Level::StrongReadCommitted,
                      Level::StrongSnapshotIsolation, Level::Linearizable, Level::StrictSerializable}));
}

TEST(FindLevel, IgnoresCaseAndSeparators) {
  EXPECT_EQ(find_level("SNAPSHOT_ISOLATION"), Level::SnapshotIsolation);
  EXPECT_EQ(find_level("snapshot isolation"), Level::SnapshotIsolation);
  EXPECT_EQ(find_level("pl-3"), Level::Serializable);
  EXPECT_EQ(find_level("Strict Serializable"), Level::StrictSerializable);
  EXPECT_EQ(find_level("no-such-level"), std::nullopt);
  EXPECT_EQ(find_level(""), std::nullopt);
}

TEST(FindLevel, ShortBlackBoxNamesAreTheSessionVariants) {
  EXPECT_EQ(find_level("SER"), Level::StrongSessionSerializable);
  EXPECT_EQ(find_level("SI"), Level::StrongSessionSnapshotIsolation);
  EXPECT_EQ(find_level("SSER"), Level::StrictSerializable);
  EXPECT_EQ(find_level("RC"), Level::ReadCommittedMonotonic);
  EXPECT_EQ(find_level("RA"), Level::ReadAtomic);
  EXPECT_EQ(find_level("TCC"), Level::Causal);
  EXPECT_EQ(find_level("PC"), Level::PrefixConsistency);
}

TEST(FindLevel, KnowsTheNamesOfElle) {
  EXPECT_EQ(find_level("PL-2+"), Level::ConsistentView);
  EXPECT_EQ(find_level("PL-2L"), Level::MonotonicView);
  EXPECT_EQ(find_level("PL-CS"), Level::CursorStability);
  EXPECT_EQ(find_level("PRAM"), Level::Pram);
  EXPECT_EQ(find_level("causal-cerone"), Level::Causal);
  EXPECT_EQ(find_level("PSI"), Level::ParallelSnapshotIsolation);
  EXPECT_EQ(find_level("1SR"), Level::Serializable);
  EXPECT_EQ(find_level("view-serializable"), Level::Serializable);
  EXPECT_EQ(find_level("sequential"), Level::StrongSessionSerializable);
  EXPECT_EQ(find_level("session-serializable"), Level::StrongSessionSerializable);
  EXPECT_EQ(find_level("strong-session-PL-2"), Level::StrongSessionReadCommitted);
  EXPECT_EQ(find_level("strong-PL-1"), Level::StrongReadUncommitted);
}

TEST(FindLevel, VendorNamesMeanWhatTheDatabaseKeeps) {
  EXPECT_EQ(find_level("postgres:repeatable-read"), Level::SnapshotIsolation);
  EXPECT_EQ(find_level("postgres:serializable"), Level::Serializable);
  EXPECT_EQ(find_level("mysql:repeatable-read"), Level::ReadCommitted);
  EXPECT_EQ(find_level("oracle:serializable"), Level::SnapshotIsolation);
}

TEST(SuggestLevels, PutsTheNearestFirst) {
  ASSERT_FALSE(suggest_levels("serialisable").empty());
  EXPECT_EQ(suggest_levels("serialisable").front(), "serializable");
  EXPECT_EQ(suggest_levels("snapshot-isolatoin").front(), "snapshot-isolation");
  EXPECT_EQ(suggest_levels("cuasal").front(), "causal");
}

TEST(SuggestLevels, IsEmptyForNonsense) {
  EXPECT_TRUE(suggest_levels("zzzzzzzzzzzz").empty());
  EXPECT_LE(suggest_levels("S").size(), 3u);
}

}  // namespace
}  // namespace serval
