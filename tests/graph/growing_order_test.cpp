#include "serval/graph/growing_order.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/random.h"

namespace serval {
namespace {

TEST(GrowingOrder, RefusesTheEdgeThatClosesACycleAndShowsThePath) {
  GrowingOrder order;
  const Vertex a = order.add(), b = order.add(), c = order.add();
  EXPECT_TRUE(order.insert(c, b, 1));
  EXPECT_TRUE(order.insert(b, a, 2));
  EXPECT_FALSE(order.insert(a, c, 3));
  ASSERT_EQ(order.path().size(), 2u);
  EXPECT_EQ(order.path()[0].from, c);
  EXPECT_EQ(order.path()[0].label, 1u);
  EXPECT_EQ(order.path()[1].to, a);
  EXPECT_FALSE(order.insert(a, a, 4));
}

TEST(GrowingOrder, FreesVerticesWithoutIncomingEdges) {
  GrowingOrder order;
  const Vertex a = order.add(), b = order.add();
  ASSERT_TRUE(order.insert(a, b, 1));
  std::vector<Vertex> freed;
  order.remove(a, freed);
  EXPECT_EQ(freed, std::vector<Vertex>{b});
  EXPECT_EQ(order.vertex_count(), 1u);
  order.remove(b, freed);
  EXPECT_EQ(order.vertex_count(), 0u);
  EXPECT_EQ(order.edge_count(), 0u);
}

// A reference graph that searches everything.
class Naive {
 public:
  bool reaches(Vertex from, Vertex to) const {
    if (from == to) return true;
    const auto found = out_.find(from);
    if (found == out_.end()) return false;
    for (const Vertex next : found->second)
      if (reaches(next, to)) return true;
    return false;
  }
  void insert(Vertex from, Vertex to) { out_[from].insert(to); }
  void remove(Vertex vertex) { out_.erase(vertex); }
  bool erase(Vertex from, Vertex to) {
    const auto edge = out_[from].find(to);
    if (edge == out_[from].end()) return false;
    out_[from].erase(edge);
    return true;
  }

 private:
  std::map<Vertex, std::multiset<Vertex>> out_;
};

TEST(GrowingOrder, AgreesWithAFullSearchWhileItGrowsShrinksAndForgets) {
  for (const std::uint64_t seed : fresh_seeds(200)) {
    Random random(seed);
    GrowingOrder order;
    Naive naive;
    std::vector<Vertex> live;
    for (int i = 0; i < 200; ++i) {
      if (live.size() < 3 || random.chance(0.2)) {
        live.push_back(order.add());
      } else if (random.chance(0.1)) {
        const Vertex from = live[random.below(live.size())], to = live[random.below(live.size())];
        ASSERT_EQ(order.erase(from, to, 0), naive.erase(from, to)) << "seed " << seed << " step " << i;
      } else if (random.chance(0.15)) {
        const std::size_t at = random.below(live.size());
        if (order.in_degree(live[at]) != 0) continue;
        std::vector<Vertex> freed;
        order.remove(live[at], freed);
        naive.remove(live[at]);
        for (const Vertex v : freed) EXPECT_EQ(order.in_degree(v), 0u);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        const Vertex from = live[random.below(live.size())], to = live[random.below(live.size())];
        const bool possible = !naive.reaches(to, from);
        ASSERT_EQ(order.insert(from, to, 0), possible) << "seed " << seed << " step " << i;
        if (possible) naive.insert(from, to);
      }
    }
  }
}

}  // namespace
}  // namespace serval
