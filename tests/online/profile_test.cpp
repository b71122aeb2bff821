#include "serval/online/profile.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace serval::online {
namespace {

TEST(Profiles, HaveUniqueNames) {
  std::set<std::string> names;
  for (const Profile& row : all_profiles()) EXPECT_TRUE(names.insert(row.name()).second) << row.name();
}

TEST(Profiles, AreFoundByNameAndGenericOnesByAliasesOfLevels) {
  for (const Profile& row : all_profiles()) EXPECT_EQ(find_profile(row.name()), &row);
  EXPECT_EQ(find_profile("PostgreS:Repeatable_Read"), find_profile("postgres:repeatable-read"));
  EXPECT_EQ(find_profile("generic:SSER"), find_profile("generic:strict-serializable"));
  EXPECT_EQ(find_profile("postgres"), nullptr);
  EXPECT_EQ(find_profile("postgres:snapshot"), nullptr);
  ASSERT_FALSE(suggest_profiles("postgres:serialisable").empty());
  EXPECT_EQ(suggest_profiles("postgres:serialisable").front(), "postgres:serializable");
}

TEST(Profiles, AreFoundByTheFactsOfARun) {
  EXPECT_EQ(profile_of_run({{"database", "PostgreSQL"}, {"isolation", "serializable"}}),
            find_profile("postgres:serializable"));
  EXPECT_EQ(
      profile_of_run(
          {{"database", "MariaDB"}, {"isolation", "repeatable-read"}, {"innodb_snapshot_isolation", "ON"}}),
      find_profile("mariadb-snapshot:repeatable-read"));
  EXPECT_EQ(profile_of_run({{"database", "rocksdb"}, {"kind", "optimistic"}, {"isolation", "serializable"}}),
            find_profile("rocksdb-optimistic:serializable"));
  EXPECT_EQ(profile_of_run({{"database", "abacus"}}), nullptr);
}

TEST(Profiles, OfOneDatabaseFollowTheStatedLevelOfATransaction) {
  const Profile& serializable = *find_profile("postgres:serializable");
  EXPECT_EQ(sibling(serializable, StatedLevel::ReadCommitted), find_profile("postgres:read-committed"));
  EXPECT_EQ(sibling(serializable, StatedLevel::Unstated), &serializable);
  EXPECT_EQ(sibling(*find_profile("sqlite:serializable"), StatedLevel::RepeatableRead), nullptr);
}

// MariaDB returns a number for a boolean variable.
TEST(Profiles, OfMariadbFollowItsSnapshotSetting) {
  for (const char* on : {"1", "ON", "on"})
    EXPECT_EQ(
        profile_of_run(
            {{"database", "MariaDB"}, {"isolation", "repeatable-read"}, {"innodb_snapshot_isolation", on}}),
        find_profile("mariadb-snapshot:repeatable-read"));
  for (const char* off : {"0", "OFF", ""})
    EXPECT_EQ(
        profile_of_run(
            {{"database", "MariaDB"}, {"isolation", "repeatable-read"}, {"innodb_snapshot_isolation", off}}),
        find_profile("mariadb:repeatable-read"));
}

TEST(Profiles, OfSqliteKnowEveryIsolationOfItsDriver) {
  for (const char* isolation : {"serializable", "deferred", "read-uncommitted"})
    EXPECT_NE(profile_of_run({{"database", "SQLite"}, {"isolation", isolation}}), nullptr) << isolation;
}

// Leopard, Table I: which databases use which mechanisms, except where its row claims more than the
// database does (docs/mirror.md lists these).
TEST(Profiles, UseTheMechanismsOfTheTable) {
  struct Row {
    const char* name;
    bool consistent_read, exclusion, first_updater_wins, certifier;
  };
  constexpr Row kTable[] = {
      {"postgres:serializable", true, true, true, true},
      {"postgres:repeatable-read", true, true, true, false},
      {"postgres:read-committed", true, true, false, false},
      {"yugabytedb:serializable", true, true, true, true},
      {"mariadb:repeatable-read", true, true, false, false},
      {"mariadb:read-committed", true, true, false, false},
      {"tidb:repeatable-read", true, true, false, false},
      {"rocksdb:snapshot-isolation", true, true, true, false},
      {"cockroachdb:serializable", true, false, false, true},
      {"oracle:serializable", true, true, true, false},
      {"oracle:read-committed", true, true, false, false},
      {"oceanbase:repeatable-read", true, true, true, false},
  };
  for (const Row& row : kTable) {
    const Profile* profile = find_profile(row.name);
    ASSERT_NE(profile, nullptr) << row.name;
    EXPECT_EQ(profile->plain_read == ReadMode::Consistent, row.consistent_read) << row.name;
    EXPECT_EQ(profile->write_lock == LockMode::Exclusive, row.exclusion) << row.name;
    EXPECT_EQ(profile->first_updater_wins, row.first_updater_wins) << row.name;
    EXPECT_EQ(profile->cycles == CycleRule::Serial, row.certifier) << row.name;
  }
}

TEST(Profiles, AreDocumented) {
  std::ifstream file(std::string(SERVAL_TEST_DIR) + "/../docs/mirror.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const Profile& row : all_profiles()) {
    if (row.database == "generic" || row.database == "simulated") continue;
    EXPECT_NE(text.str().find("`" + row.name() + "`"), std::string::npos) << row.name();
  }
}

}  // namespace
}  // namespace serval::online
