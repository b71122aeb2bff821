// The patterns that certifiers of databases look for (Leopard V-D; report II, Table II): what counts as a
// match, and that a match alone is not a violation.
#include <gtest/gtest.h>

#include "serval/online/online_report.h"
#include "trace_builder.h"

namespace serval::online {
namespace {

OnlineStatistics counts(const TraceBuilder& trace, std::string_view profile) {
  const OnlineResult result = trace.verify(profile);
  EXPECT_FALSE(result.violated()) << result.violations.front().format();
  return result.statistics;
}

TEST(CertifierPatterns, SsiRefusesAPivotWhoseSuccessorCommittedFirst) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(1, "x", 0, {10, 12}).read(2, "y", 0, {13, 15}).write(3, "y", 3, {20, 22}).commit(3, {30, 32});
  trace.write(2, "x", 2, {40, 42}).commit(2, {50, 52}).write(1, "w", 1, {54, 56}).commit(1, {60, 62});
  const OnlineStatistics found = counts(trace, "postgres:serializable");
  EXPECT_EQ(found.hints.consecutive_anti_dependencies, 1u) << "T2";
  EXPECT_EQ(found.hints.dangerous_structures, 1u);
  EXPECT_EQ(found.hints.matches_of(found.certifier), 1u);
  EXPECT_EQ(certifier_words(found), "ssi: 1 dangerous structures, 1 pivots");
}

TEST(CertifierPatterns, SsiAllowsAPivotWhoseSuccessorCommittedLater) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(1, "x", 0, {10, 12}).read(2, "y", 0, {13, 15}).write(3, "y", 3, {20, 22});
  trace.write(2, "x", 2, {30, 32}).commit(2, {40, 42}).commit(3, {50, 52}).commit(1, {60, 62});
  const OnlineStatistics found = counts(trace, "postgres:serializable");
  EXPECT_EQ(found.hints.consecutive_anti_dependencies, 1u);
  EXPECT_EQ(found.hints.dangerous_structures, 0u);
}

// Ports and Grittner 2012, section 4.1.
TEST(CertifierPatterns, SsiAllowsAReaderWhoseSnapshotIsOlderThanTheCommit) {
  const auto dangerous = [](Time reads_at) {
    TraceBuilder trace;
    trace.initial("x", 0).initial("y", 0);
    trace.read(2, "y", 0, {13, 15}).write(3, "y", 3, {20, 22}).commit(3, {30, 32});
    trace.write(2, "x", 2, {50, 52});
    trace.read(1, "x", 0, {reads_at, reads_at + 2}).commit(1, {reads_at + 3, reads_at + 4});
    trace.commit(2, {60, 62});
    return counts(trace, "postgres:serializable").hints.dangerous_structures;
  };
  EXPECT_EQ(dangerous(10), 0u);
  EXPECT_EQ(dangerous(40), 1u);
}

// Write skew at snapshot isolation: the first and the last of the three are the same transaction.
TEST(CertifierPatterns, SsiRefusesWriteSkew) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  trace.read(1, "x", 0, {10, 12}).read(2, "y", 0, {13, 15});
  trace.write(1, "y", 1, {20, 22}).write(2, "x", 2, {23, 25}).commit(1, {30, 32}).commit(2, {40, 42});
  const OnlineStatistics found = counts(trace, "postgres:repeatable-read");
  EXPECT_EQ(found.hints.consecutive_anti_dependencies, 2u);
  EXPECT_EQ(found.hints.dangerous_structures, 1u) << "T2, because T1 committed first";
}

TEST(CertifierPatterns, EachPivotCountsOnce) {
  TraceBuilder trace;
  trace.initial("x", 0).initial("y", 0);
  for (std::uint64_t reader = 3; reader < 9; ++reader) trace.read(reader, "x", 0, {10, 12});
  trace.read(2, "y", 0, {13, 15}).write(1, "y", 3, {20, 22}).commit(1, {30, 32});
  trace.write(2, "x", 2, {40, 42}).commit(2, {50, 52});
  for (std::uint64_t reader = 3; reader < 9; ++reader) {
    const auto at = static_cast<Time>(60 + 4 * reader);
    trace.write(reader, "w" + std::to_string(reader), 1, {at, at + 1}).commit(reader, {at + 2, at + 3});
  }
  const OnlineStatistics found = counts(trace, "postgres:serializable");
  EXPECT_EQ(found.hints.consecutive_anti_dependencies, 1u);
  EXPECT_EQ(found.hints.dangerous_structures, 1u);
}

TEST(CertifierPatterns, OptimisticValidationRefusesWritersWhoseReadsWereOverwritten) {
  const auto overwritten = [](bool writes, Interval commit) {
    TraceBuilder trace;
    trace.initial("x", 0).read(1, "x", 0, {10, 12}).write(2, "x", 2, {20, 22}).commit(2, {30, 32});
    if (writes) trace.write(1, "y", 1, {14, 16});
    trace.commit(1, commit);
    return counts(trace, "foundationdb:serializable").hints;
  };
  EXPECT_EQ(overwritten(true, {40, 42}).overwritten_reads, 1u);
  EXPECT_EQ(overwritten(false, {40, 42}).overwritten_reads, 0u) << "who only reads is not validated";
  EXPECT_EQ(overwritten(true, {31, 42}).overwritten_reads, 0u) << "either may have committed first";
  EXPECT_EQ(overwritten(true, {40, 42}).against_commit_order, 1u);
}

TEST(CertifierPatterns, TimestampOrderRefusesDependenciesOnLaterCommits) {
  TraceBuilder trace;
  trace.initial("x", 0).read(1, "x", 0, {10, 12}).write(2, "x", 2, {20, 22}).commit(2, {30, 32});
  trace.commit(1, {40, 42});
  const OnlineStatistics found = counts(trace, "cockroachdb:serializable");
  EXPECT_EQ(found.hints.matches_of(found.certifier), 1u);
  EXPECT_EQ(certifier_words(found), "timestamp-order: 1 dependencies against the order of commits");
}

TEST(CertifierPatterns, PercolatorRefusesWritesOfWhatHasChanged) {
  const auto trace = [](Time snapshot) {
    TraceBuilder out;
    out.initial("x", 0).initial("y", 0);
    out.read(2, "y", 0, {snapshot, snapshot + 2});
    out.write(1, "x", 1, {20, 22}).commit(1, {30, 32}).write(2, "x", 2, {40, 42}).commit(2, {50, 52});
    return out;
  };
  // Where the first updater wins, this pattern is a violation.
  const OnlineResult lost = trace(10).verify("tidb-optimistic:repeatable-read");
  EXPECT_EQ(lost.statistics.violations[static_cast<std::size_t>(Mechanism::FirstUpdaterWins)], 1u);
  EXPECT_EQ(lost.statistics.hints.matches_of(lost.statistics.certifier), 1u);
  EXPECT_EQ(counts(trace(34), "tidb-optimistic:repeatable-read").hints.concurrent_writes, 0u);
  // At InnoDB's repeatable read it is allowed, and counted.
  EXPECT_EQ(counts(trace(10), "mariadb:repeatable-read").hints.concurrent_writes, 1u);
  EXPECT_EQ(counts(trace(34), "mariadb:repeatable-read").hints.concurrent_writes, 0u);
}

}  // namespace
}  // namespace serval::online
