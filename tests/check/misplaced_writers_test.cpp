// The writers on the wrong side of a version set, compared with testing each writer, in every order.

#include "serval/check/certificate/misplaced_writers.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "serval/formats/format.h"

namespace serval {
namespace {

constexpr std::uint32_t kWriters = 4;
constexpr Vertex kReader = kWriters;

// Four transactions that each write a key and commit at 10, 20, 30 and 40, which are also their server's
// transaction numbers, and one that reads.
History four_writers() {
  std::string lines = "{\"serval\":\"history\",\"version\":1}\n";
  for (int i = 1; i <= 4; ++i)
    lines += fmt::format(R"({{"s":{0},"t":{0},"ops":[["w","k{0}",1]],"commit_ts":{0}0,"server_txn":"{0}0"}})"
                         "\n",
                         i);
  lines += R"({"s":5,"t":5,"ops":[["pr",["sql","value < 5"],[],{"saw":{"ts":0}}],)"
           R"(["pr",["sql","value < 5"],[],{"saw":{"snapshot":"1:1:"}}]]})"
           "\n";
  ByteStream stream = ByteStream::from_memory("test.jsonl", lines);
  return read_history(stream);
}

std::vector<VersionSet> version_sets() {
  std::vector<VersionSet> out;
  for (const std::int64_t timestamp : {0, 10, 15, 20, 39, 40, 50}) out.push_back({timestamp});
  for (const char* snapshot : {"1:1:", "10:20:", "11:45:", "10:45:10", "10:45:20,30", "20:35:20", "10:11:10"})
    out.push_back({*TransactionSnapshot::parse(snapshot)});
  return out;
}

class MisplacedWritersTest : public ::testing::Test {
 protected:
  bool is_shown(const VersionSet& set, std::uint32_t writer) const {
    const auto stamp = static_cast<std::int64_t>(writer + 1) * 10;
    if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen)) return stamp <= *timestamp;
    return std::get<TransactionSnapshot>(set.seen).shows(static_cast<std::uint64_t>(stamp));
  }

  Budget budget_ = Budget::unlimited();
  const History history_ = four_writers();
  const CertifiedVersions versions_{history_, budget_};
  const VersionVisibility visibility_{history_, versions_};
};

TEST_F(MisplacedWritersTest, AreAllVisitedInEveryOrder) {
  ASSERT_EQ(versions_.problem(), "");
  ASSERT_EQ(visibility_.problem(), "");
  std::vector<Vertex> place(kWriters + 1);
  std::iota(place.begin(), place.end(), Vertex{0});
  do {
    const MisplacedWriters misplaced(
        visibility_, [&](TransactionId u) { return place[u.index]; }, budget_);
    for (const VersionSet& set : version_sets()) {
      std::set<std::uint32_t> visited;
      ASSERT_TRUE(misplaced.for_each(set, place[kReader], std::size_t{2} * kWriters,
                                     [&](TransactionId u) { visited.insert(u.index); }));
      for (std::uint32_t writer = 0; writer < kWriters; ++writer)
        EXPECT_TRUE(visited.contains(writer) || is_shown(set, writer) == (place[writer] < place[kReader]));
    }
  } while (std::ranges::next_permutation(place).found);
}

TEST_F(MisplacedWritersTest, DoNotExistInCommitOrder) {
  for (std::uint32_t shown = 0; shown <= kWriters; ++shown) {
    const auto place_of = [&](TransactionId u) { return u.index < shown ? u.index : u.index + 1; };
    const MisplacedWriters misplaced(visibility_, place_of, budget_);
    EXPECT_TRUE(misplaced.for_each({std::int64_t{shown} * 10}, shown, 0, [](TransactionId u) {
      ADD_FAILURE() << "writer " << u.index << " stands where it is seen";
    }));
  }
}

TEST_F(MisplacedWritersTest, AreSoughtOnlyWithinTheStepLimitAndNotForLists) {
  const MisplacedWriters misplaced(
      visibility_, [](TransactionId u) { return u.index + 1; }, budget_);
  const auto ignore = [](TransactionId) {};
  const VersionSet all{std::int64_t{40}}, list{std::vector<SeenVersion>()};
  EXPECT_FALSE(misplaced.for_each(all, 0, kWriters - 1, ignore));
  EXPECT_TRUE(misplaced.for_each(all, 0, kWriters, ignore));
  EXPECT_FALSE(misplaced.for_each(list, 0, kWriters, ignore));
}

}  // namespace
}  // namespace serval
