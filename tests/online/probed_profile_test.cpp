#include "serval/online/probed_profile.h"

#include <gtest/gtest.h>

#include "serval/online/profile_fields.h"

namespace serval::online {
namespace {

constexpr const char* kAnomalies[] = {"G0", "G1a",      "G1b",     "G1c", "OTV",        "PMP",
                                      "P4", "G-single", "G2-item", "G2",  "late-writer"};

// Everything is prevented, without waiting or refusing.
ProbeFindings all_prevented() {
  ProbeFindings out{.database = "My DB", .isolation = "high", .current = true};
  for (const char* name : kAnomalies) out.anomalies[name] = {.prevented = true};
  return out;
}

void let_happen(ProbeFindings& findings, std::initializer_list<const char*> names) {
  for (const char* name : names) findings.anomalies[name] = {.happens = true};
}

TEST(ProbedProfile, WithoutFindingsNothingIsPromised) {
  Profile silent = silent_profile_of("unknown", "unknown", Level::ReadUncommitted);
  silent.basis = Basis::Probe;
  EXPECT_EQ(profile_of({}).profile, silent);
  ProbeFindings anything_goes = all_prevented();
  let_happen(anything_goes, {"G0", "G1a", "G1b", "G1c", "OTV", "PMP", "P4", "G-single", "G2-item", "G2"});
  silent.database = "my-db";
  silent.isolation = "high";
  EXPECT_EQ(profile_of(anything_goes).profile, silent);
}

// As PostgreSQL at repeatable read.
TEST(ProbedProfile, SnapshotIsolationIsSeenInSnapshotsAndRefusedWriters) {
  ProbeFindings findings = all_prevented();
  findings.anomalies["G0"] = {
      .prevented = true, .waited = true, .waited_at = 3, .refused = true, .conflict = true};
  findings.anomalies["P4"] =
      findings.anomalies["late-writer"] = {.prevented = true, .refused = true, .conflict = true};
  let_happen(findings, {"G2-item", "G2"});
  const Profile profile = profile_of(findings).profile;
  EXPECT_EQ(profile.name(), "my-db:high");
  EXPECT_EQ(profile.level, Level::SnapshotIsolation);
  EXPECT_EQ(profile.plain_read, ReadMode::Consistent);
  EXPECT_EQ(profile.snapshot, SnapshotPoint::FirstConsistentRead);
  EXPECT_EQ(profile.freshness, Freshness::Current);
  EXPECT_EQ(profile.write_lock, LockMode::Exclusive);
  EXPECT_EQ(profile.plain_lock, LockMode::None);
  EXPECT_TRUE(profile.first_updater_wins);
  EXPECT_EQ(profile.cycles, CycleRule::Snapshot);
  let_happen(findings, {"late-writer"});  // Only what was read is compared at the commit.
  EXPECT_FALSE(profile_of(findings).profile.first_updater_wins);
  EXPECT_TRUE(profile_of(findings).profile.one_update_a_version);
  EXPECT_EQ(profile_of(findings).profile.cycles, CycleRule::InformationFlow);
}

// As MariaDB at repeatable read: reads have a snapshot, but updates do not keep to it.
TEST(ProbedProfile, LostUpdatesLeaveNoPromiseAboutCycles) {
  ProbeFindings findings = all_prevented();
  let_happen(findings, {"P4", "G2-item", "G2"});
  const Profile profile = profile_of(findings).profile;
  EXPECT_EQ(profile.snapshot, SnapshotPoint::FirstConsistentRead);
  EXPECT_EQ(profile.cycles, CycleRule::InformationFlow);
  EXPECT_FALSE(profile.first_updater_wins || profile.one_update_a_version);
}

// As SQL Server at serializable.
TEST(ProbedProfile, LocksAreSeenInWaits) {
  ProbeFindings findings = all_prevented();
  for (const char* name : kAnomalies)
    findings.anomalies[name] = {.prevented = true, .waited = true, .waited_at = 3};
  findings.anomalies["G-single"].waited_at = 5;
  Profile profile = profile_of(findings).profile;
  EXPECT_EQ(profile.plain_lock, LockMode::Shared);
  EXPECT_EQ(profile.write_lock, LockMode::Exclusive);
  EXPECT_EQ(profile.cycles, CycleRule::Serial);
  EXPECT_EQ(profile.snapshot, SnapshotPoint::Anytime) << "whoever waits shows no snapshot";
  findings.anomalies["G-single"].waited_at = 7;  // Only the commit waited, not the write.
  findings.anomalies["G0"].waited_at = 5;        // Another row.
  profile = profile_of(findings).profile;
  EXPECT_EQ(profile.plain_lock, LockMode::None);
  EXPECT_EQ(profile.write_lock, LockMode::None);
  findings.anomalies["G0"].waited_at = std::nullopt;  // Slow, but not until the end of another.
  EXPECT_EQ(profile_of(findings).profile.write_lock, LockMode::None);
}

TEST(ProbedProfile, ReadCommittedSeesNewerStates) {
  ProbeFindings findings = all_prevented();
  let_happen(findings, {"PMP", "P4", "G-single", "G2-item", "G2"});
  EXPECT_EQ(profile_of(findings).profile.snapshot, SnapshotPoint::Statement);
  EXPECT_EQ(profile_of(findings).profile.level, Level::ReadCommitted);
  let_happen(findings, {"OTV"});  // Sometimes older ones.
  EXPECT_EQ(profile_of(findings).profile.snapshot, SnapshotPoint::Anytime);
  EXPECT_EQ(profile_of(findings).profile.freshness, Freshness::Any);
}

TEST(ProbedProfile, RangesAreNotNeededButMayRefute) {
  ProbeFindings findings = all_prevented();
  findings.anomalies["PMP"] = findings.anomalies["G2"] = {};
  EXPECT_EQ(profile_of(findings).profile.cycles, CycleRule::Serial);
  let_happen(findings, {"G2"});
  EXPECT_NE(profile_of(findings).profile.cycles, CycleRule::Serial);
  findings.current = false;
  EXPECT_EQ(profile_of(findings).profile.freshness, Freshness::Any);
}

TEST(ProbedProfile, EveryKeyHasARemarkAndTheFileCanBeRead) {
  const ProbedProfile probed = profile_of(all_prevented());
  EXPECT_EQ(read_profile(write_profile(probed.profile, probed.remarks), "f"), probed.profile);
  for (const ProfileField& field : profile_fields())
    EXPECT_TRUE(field.words.empty() || field.key == "basis" || probed.remarks.contains(field.key))
        << field.key;
  EXPECT_EQ(probed.remarks.at("one-clock"), "Not probed.");
}

}  // namespace
}  // namespace serval::online
