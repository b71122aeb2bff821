#include "serval/solver/proof_log.h"

#include <gtest/gtest.h>

namespace serval {
namespace {

TEST(ProofLog, SourcesAreWhatAConclusionDependsOn) {
  ProofLog log;
  const ProofId first = log.given(7), second = log.given(3);
  const std::vector<Literal> circle{{4}, {9}};
  const ProofId cycle = log.cycle(circle);
  const ProofId used = log.derived(std::vector<ProofId>{second, cycle, cycle});
  const ProofId other = log.derived(std::vector<ProofId>{first});
  const ProofId root = log.derived(std::vector<ProofId>{used});
  EXPECT_EQ(log.sources({&root, 1}).clauses, std::vector<std::uint32_t>{3});
  EXPECT_EQ(log.sources({&root, 1}).cycles, std::vector<std::vector<Literal>>{circle});
  EXPECT_EQ(log.sources(std::vector<ProofId>{root, other}).clauses, (std::vector<std::uint32_t>{3, 7}));
}

TEST(ProofLog, RetainingKeepsTheSourcesOfTheRoots) {
  ProofLog log;
  (void)log.given(1);
  const ProofId kept = log.given(2);
  const ProofId dropped = log.derived(std::vector<ProofId>{kept});
  const ProofId cycle = log.cycle(std::vector<Literal>{{6}});
  const ProofId root = log.derived(std::vector<ProofId>{kept, cycle});
  (void)log.derived(std::vector<ProofId>{dropped});
  const std::size_t before = log.size();
  const std::vector<ProofId> moved = log.retain({&root, 1});
  const ProofId new_root = moved[root];
  EXPECT_LT(log.size(), before);
  EXPECT_EQ(log.sources({&new_root, 1}).clauses, std::vector<std::uint32_t>{2});
  EXPECT_EQ(log.sources({&new_root, 1}).cycles.size(), 1u);
}

}  // namespace
}  // namespace serval
