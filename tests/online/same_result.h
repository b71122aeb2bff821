#pragma once
// Compares two results down to every count, for tests of options that must not change a verdict.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "serval/online/online_verifier.h"

namespace serval::online {

inline std::vector<std::string> summary(const OnlineResult& result) {
  std::vector<std::string> out;
  for (const Violation& violation : result.violations) {
    std::string line(name_of(violation.mechanism));
    line.append(" ").append(serval::name_of(violation.kind)).append(" ").append(violation.key);
    for (const std::uint64_t transaction : violation.transactions) line += " " + std::to_string(transaction);
    out.push_back(std::move(line));
  }
  return out;
}

inline void expect_same(const OnlineResult& one, const OnlineResult& several) {
  const OnlineStatistics &a = one.statistics, &b = several.statistics;
  EXPECT_EQ(a.violations, b.violations);
  EXPECT_EQ(a.deduced, b.deduced);
  EXPECT_EQ(a.uncertain, b.uncertain);
  EXPECT_EQ(a.overlapping, b.overlapping);
  EXPECT_EQ(a.reads_checked, b.reads_checked);
  EXPECT_EQ(a.reads_unchecked, b.reads_unchecked);
  EXPECT_EQ(a.reads_ahead, b.reads_ahead);
  EXPECT_EQ(a.largest_lead, b.largest_lead);
  EXPECT_EQ(a.committed, b.committed);
  EXPECT_EQ(a.hints.consecutive_anti_dependencies, b.hints.consecutive_anti_dependencies);
  EXPECT_EQ(a.hints.dangerous_structures, b.hints.dangerous_structures);
  EXPECT_EQ(a.hints.against_commit_order, b.hints.against_commit_order);
  EXPECT_EQ(a.hints.overwritten_reads, b.hints.overwritten_reads);
  EXPECT_EQ(a.hints.concurrent_writes, b.hints.concurrent_writes);
  EXPECT_EQ(a.versions, b.versions);
  EXPECT_EQ(a.locks, b.locks);
  EXPECT_EQ(a.vertices, b.vertices);
  EXPECT_EQ(a.edges, b.edges);
  ASSERT_EQ(one.violations.size(), several.violations.size());
  for (std::size_t i = 0; i < one.violations.size(); ++i)
    EXPECT_EQ(one.violations[i].format(), several.violations[i].format()) << i;
}

}  // namespace serval::online
