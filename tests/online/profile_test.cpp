#include "serval/online/profile.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "serval/online/profile_file.h"

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
      {"aurora-postgres:serializable", true, true, true, true},
      {"aurora-mysql:repeatable-read", true, true, false, false},
      {"polardb:repeatable-read", true, true, false, false},
      {"opengauss:repeatable-read", true, true, true, false},
      {"opengauss:serializable", true, true, true, false},
      {"opengauss:read-committed", true, true, false, false},
      {"sqlserver:snapshot", true, true, true, false},
      {"sqlite:serializable", true, true, true, true},
      {"foundationdb:serializable", true, false, false, true},
      {"singlestore:read-committed", true, true, false, false},
      {"spanner:serializable", true, false, false, true},
      {"sap-hana:repeatable-read", true, true, true, false},
      {"sap-hana:read-committed", true, true, false, false},
      {"nuodb:consistent-read", true, true, true, false},
      {"nuodb:read-committed", true, true, false, false},
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

// Leopard, Table I and report II, Table II: every database, and every certifier.
TEST(Profiles, CoverEveryDatabaseOfTheTableAndEveryCertifier) {
  std::set<std::string> databases;
  std::set<Certifier> certifiers;
  for (const Profile& row : all_profiles()) {
    databases.insert(row.database);
    certifiers.insert(row.certifier);
  }
  for (const char* database :
       {"postgres",     "opengauss", "yugabytedb",  "mysql",       "mariadb", "sqlserver", "aurora-mysql",
        "polardb",      "tidb",      "rocksdb",     "sqlite",      "oracle",  "sap-hana",  "aurora-postgres",
        "foundationdb", "oceanbase", "singlestore", "cockroachdb", "spanner", "nuodb"})
    EXPECT_TRUE(databases.contains(database)) << database;
  EXPECT_EQ(certifiers.size(), 5u);
}

TEST(Profiles, RestOnTestsOnlyWhereTheRealDatabaseWasRun) {
  const std::set<std::string> run{"postgres",           "mariadb", "mariadb-snapshot", "rocksdb",
                                  "rocksdb-optimistic", "sqlite"};
  for (const Profile& row : all_profiles()) {
    EXPECT_EQ(row.basis == Basis::Tests, run.contains(row.database)) << row.name();
    const bool abstract = row.database == "generic" || row.database == "simulated";
    EXPECT_EQ(row.basis == Basis::Definition, abstract) << row.name();
  }
}

TEST(Profiles, AreDocumentedWithTheirBasis) {
  std::ifstream file(std::string(SERVAL_TEST_DIR) + "/../docs/mirror.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const Profile& row : all_profiles()) {
    if (row.basis == Basis::Definition) continue;
    const std::size_t name = text.str().find("`" + row.name() + "`");
    ASSERT_NE(name, std::string::npos) << row.name();
    const std::string line = text.str().substr(name, text.str().find('\n', name) - name);
    EXPECT_TRUE(line.ends_with("| " + std::string(name_of(row.basis)) + " |")) << line;
  }
}

}  // namespace
}  // namespace serval::online
