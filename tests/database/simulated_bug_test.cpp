#include "serval/database/simulated/simulated_bug.h"

#include <gtest/gtest.h>

#include "database/replay.h"
#include "serval/base/error.h"
#include "serval/database/simulated/simulate.h"

namespace serval {
namespace {

SimulationOptions buggy_options(SimulatedLevel level, std::string_view bug, std::uint64_t seed) {
  return {.sessions = 8,
          .transactions = 400,
          .keys = 6,
          .level = level,
          .bugs = {parse_simulated_bug(bug)},
          .seed = seed,
          .certificate = SimulationOptions::Certificate::Timestamps};
}

// The number of seeds whose history violates the claim.
template <class Claim>
int failures(SimulatedLevel level, std::string_view bug, Claim claim) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const History history = simulate(buggy_options(level, bug, seed));
    failed += (Replay(history).*claim)() ? 0 : 1;
  }
  return failed;
}

TEST(SimulatedBug, DirtyReadShowsUncommittedWrites) {
  EXPECT_GT(
      failures(SimulatedLevel::ReadCommitted, "dirty-read:probability=0.2", &Replay::reads_are_committed), 0);
}

TEST(SimulatedBug, DirtyWriteLosesOneKeyOfACommit) {
  EXPECT_GT(failures(SimulatedLevel::PrefixConsistency, "dirty-write:probability=1",
                     &Replay::reads_match_snapshots),
            0);
  EXPECT_EQ(
      failures(SimulatedLevel::PrefixConsistency, "dirty-write:probability=1", &Replay::reads_are_committed),
      0);
}

TEST(SimulatedBug, LostUpdateBreaksFirstCommitterWins) {
  EXPECT_GT(failures(SimulatedLevel::StrongSnapshotIsolation, "lost-update:probability=0.2",
                     &Replay::first_committer_wins),
            0);
  EXPECT_EQ(failures(SimulatedLevel::StrongSnapshotIsolation, "lost-update:probability=0.2",
                     &Replay::reads_match_snapshots),
            0);
}

TEST(SimulatedBug, StaleSnapshotForgetsTheSessionsPast) {
  const char* bug = "stale-snapshot:probability=0.2";
  EXPECT_GT(failures(SimulatedLevel::StrongSnapshotIsolation, bug, &Replay::sessions_see_their_past), 0);
  EXPECT_GT(failures(SimulatedLevel::StrictSerializable, bug, &Replay::sessions_see_their_past), 0);
  EXPECT_EQ(failures(SimulatedLevel::StrongSnapshotIsolation, bug, &Replay::first_committer_wins), 0);
  EXPECT_EQ(failures(SimulatedLevel::StrictSerializable, bug, &Replay::reads_are_current_at_commit), 0);
}

TEST(SimulatedBug, FracturedCommitShowsHalfACommit) {
  EXPECT_GT(failures(SimulatedLevel::StrictSerializable, "fractured-commit:probability=0.5",
                     &Replay::reads_match_snapshots),
            0);
}

TEST(SimulatedBug, SkippedValidationMissesAnyConflict) {
  const char* bug = "skipped-validation:probability=0.2";
  EXPECT_GT(failures(SimulatedLevel::StrictSerializable, bug, &Replay::first_committer_wins), 0);
  EXPECT_GT(failures(SimulatedLevel::StrictSerializable, bug, &Replay::reads_are_current_at_commit), 0);
}

TEST(SimulatedBug, AbortedButVisibleShowsAbortedWrites) {
  EXPECT_GT(failures(SimulatedLevel::ReadCommitted, "aborted-but-visible", &Replay::reads_are_committed), 0);
}

TEST(SimulatedBug, WriteSkewKeepsSnapshots) {
  const char* bug = "write-skew:probability=0.5";
  EXPECT_GT(failures(SimulatedLevel::StrictSerializable, bug, &Replay::reads_are_current_at_commit), 0);
  EXPECT_EQ(failures(SimulatedLevel::StrictSerializable, bug, &Replay::first_committer_wins), 0);
  EXPECT_EQ(failures(SimulatedLevel::StrictSerializable, bug, &Replay::reads_match_snapshots), 0);
}

TEST(SimulatedBug, LongForkHidesTheOtherReplica) {
  EXPECT_GT(failures(SimulatedLevel::StrongSnapshotIsolation, "long-fork", &Replay::reads_match_snapshots),
            0);
  EXPECT_EQ(failures(SimulatedLevel::StrongSnapshotIsolation, "long-fork", &Replay::first_committer_wins), 0);
}

TEST(SimulatedBug, FiresNoMoreOftenThanItsLimit) {
  const History history =
      simulate(buggy_options(SimulatedLevel::StrictSerializable, "lost-update:probability=1,limit=1", 1));
  EXPECT_EQ(history.facts().at("bug lost-update"), "fired 1 times");
}

TEST(SimulatedBug, ChangesNothingWhileItDoesNotFire) {
  SimulationOptions options =
      buggy_options(SimulatedLevel::StrictSerializable, "lost-update:probability=0", 1);
  const History quiet = simulate(options);
  options.bugs.clear();
  EXPECT_TRUE(std::ranges::equal(quiet.value_column(), simulate(options).value_column()));
}

TEST(SimulatedBug, IsParsedByNameAndParameters) {
  for (const SimulatedBugInfo& bug : all_simulated_bugs()) {
    EXPECT_EQ(parse_simulated_bug(bug.name).kind, bug.kind);
    EXPECT_EQ(&info(bug.kind), &bug);
    EXPECT_FALSE(bug.breaks.empty());
  }
  const SimulatedBug bug = parse_simulated_bug("long-fork:probability=0.25,limit=3");
  EXPECT_EQ(bug.probability, 0.25);
  EXPECT_EQ(bug.limit, 3u);
  EXPECT_THROW((void)parse_simulated_bug("lostupdate"), InputError);
  EXPECT_THROW((void)parse_simulated_bug("lost-update:probability=2"), InputError);
}

}  // namespace
}  // namespace serval
