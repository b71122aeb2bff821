#include "serval/check/dependency/class_search.h"

#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "sample.h"
#include "serval/base/random.h"

// The search for cycle classes against the definitions: every simple cycle of a small graph, with every
// choice of kinds for its steps.

namespace serval {
namespace {

using Found = std::set<AnomalyKind>;

AnomalyKind kind_of_steps(const std::vector<StepKind>& steps) {
  CycleShape shape;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    shape.write_write += steps[i] == kWriteStep;
    shape.write_read += steps[i] == kReadStep;
    shape.read_write += steps[i] == kAntiStep;
    shape.session += steps[i] == kSessionStep;
    shape.real_time += steps[i] == kTimeStep;
    if (steps[i] == kAntiStep && steps[(i + 1) % steps.size()] == kAntiStep)
      shape.adjacent_read_writes = true;
  }
  return class_of(shape);
}

// Every simple cycle, starting at its smallest vertex.
class Enumeration {
 public:
  explicit Enumeration(const StepGraph& graph) : graph_(graph), used_(graph.size, false) {}

  Found run() {
    for (start_ = 0; start_ < graph_.size; ++start_) extend(start_);
    return found_;
  }

 private:
  void extend(Vertex at) {
    used_[at] = true;
    for (Vertex to = start_; to < graph_.size; ++to) {
      if (to == at || (used_[to] && to != start_)) continue;
      for (const StepKind kind : {kWriteStep, kReadStep, kAntiStep, kSessionStep, kTimeStep}) {
        if (!has_step(at, to, kind)) continue;
        steps_.push_back(kind);
        if (to == start_)
          found_.insert(kind_of_steps(steps_));
        else
          extend(to);
        steps_.pop_back();
      }
    }
    used_[at] = false;
  }

  bool has_step(Vertex from, Vertex to, StepKind kind) const {
    if (kind == kTimeStep) return graph_.has_times() && time_steps() == 0 && graph_.has_time_step(from, to);
    return (graph_.kinds(from, to) & kind) != 0;
  }
  // Any cycle needs at most one real-time step; the classes are defined with one.
  std::size_t time_steps() const { return static_cast<std::size_t>(std::ranges::count(steps_, kTimeStep)); }

  const StepGraph& graph_;
  std::vector<bool> used_;
  Vertex start_ = 0;
  std::vector<StepKind> steps_;
  Found found_;
};

void expect_closed(const StepGraph& graph, const std::vector<Step>& steps) {
  std::set<Vertex> visited;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].to, steps[(i + 1) % steps.size()].from);
    EXPECT_TRUE(visited.insert(steps[i].from).second);
    EXPECT_TRUE(steps[i].kind == kTimeStep ? graph.has_time_step(steps[i].from, steps[i].to)
                                           : (graph.kinds(steps[i].from, steps[i].to) & steps[i].kind) != 0);
  }
}

// `plain` is the same graph without helpers. The steps that are found must be steps of `plain`.
Found search(const StepGraph& graph, const StepGraph& plain) {
  using enum CycleClass;
  Budget budget = Budget::unlimited();
  Found found;
  for (const CycleVariant variant : {CycleVariant::Data, CycleVariant::Session, CycleVariant::RealTime})
    for (const CycleClass wanted : {DirtyWrite, InformationFlow, Single, NonAdjacent, AntiDependency}) {
      const std::vector<Step> steps = shortest_cycle(graph, wanted, variant, budget);
      if (steps.empty()) continue;
      expect_closed(plain, steps);
      std::vector<StepKind> kinds;
      for (const Step& step : steps) kinds.push_back(step.kind);
      EXPECT_EQ(kind_of_steps(kinds), kind_of(wanted, variant));
      found.insert(kind_of(wanted, variant));
    }
  return found;
}

Found search(const StepGraph& graph) { return search(graph, graph); }

struct Density {
  std::uint64_t write = 0, read = 0, anti = 0;  // Per cent.
};

// Sessions are runs of consecutive vertices. Times, if requested, agree with them.
StepGraph random_graph(Random& random, Vertex size, Vertex sessions, Density density) {
  StepGraph graph{.size = size};
  for (Vertex v = 0; v < size; ++v) {
    graph.session.push_back(v % sessions);
    const Time begin = static_cast<Time>(4 * (v / sessions) + random.below(3));
    graph.begin.push_back(begin);
    graph.end.push_back(begin + static_cast<Time>(1 + random.below(2)));
  }
  for (Vertex from = 0; from < size; ++from)
    for (Vertex to = 0; to < size; ++to) {
      if (from == to) continue;
      StepKinds kinds = 0;
      if (random.below(100) < density.write) kinds |= kWriteStep;
      if (random.below(100) < density.read) kinds |= kReadStep;
      if (random.below(100) < density.anti) kinds |= kAntiStep;
      if (from < to && graph.session[from] == graph.session[to] && (kinds & (kWriteStep | kReadStep)) == 0)
        kinds |= kSessionStep;
      if (kinds != 0) graph.links.push_back({from, to, kinds});
    }
  return graph;
}

std::string format(const Found& found) {
  std::string out;
  for (const AnomalyKind kind : found) out += std::string(name_of(kind)) + " ";
  return out;
}

TEST(ClassSearch, FindsExactlyTheClassesOfEverySimpleCycle) {
  Random random = fresh_random();
  for (std::uint64_t round = 0; round < sample_of(20'000, 4000); ++round) {
    const Vertex size = 2 + static_cast<Vertex>(random.below(5));
    const Density density{random.below(25), random.below(25), random.below(30)};
    const StepGraph graph = random_graph(random, size, 1 + static_cast<Vertex>(random.below(3)), density);
    const Found expected = Enumeration(graph).run(), found = search(graph);
    ASSERT_EQ(format(found), format(expected)) << "round " << round;
  }
}

// The same graph, with the anti-dependencies of every vertex routed through helpers: one chain per
// vertex that has several of them.
StepGraph with_helpers(const StepGraph& graph) {
  StepGraph out = graph;
  for (Vertex v = 0; v < graph.size; ++v) {
    std::vector<Vertex> missed;
    for (Link& link : out.links)
      if (link.from == v && (link.kinds & kAntiStep) != 0) {
        missed.push_back(link.to);
        link.kinds = static_cast<StepKinds>(link.kinds & ~kAntiStep);
      }
    for (std::size_t i = 0; i < missed.size(); ++i) {
      const Vertex helper = out.size + static_cast<Vertex>(i);
      out.links.push_back(i == 0 ? Link{v, helper, kAntiStep} : Link{helper - 1, helper, kFreeStep});
      out.links.push_back({helper, missed[i], kFreeStep});
    }
    out.size += static_cast<Vertex>(missed.size());
    out.helpers += static_cast<Vertex>(missed.size());
  }
  std::erase_if(out.links, [](const Link& link) { return link.kinds == 0; });
  std::ranges::sort(out.links, std::less<>{});
  return out;
}

TEST(ClassSearch, FindsTheSameThroughHelperVertices) {
  Random random = fresh_random();
  for (std::uint64_t round = 0; round < sample_of(10'000, 3000); ++round) {
    const Vertex size = 2 + static_cast<Vertex>(random.below(5));
    const Density density{random.below(25), random.below(25), random.below(30)};
    const StepGraph graph = random_graph(random, size, 1 + static_cast<Vertex>(random.below(3)), density);
    const Found expected = Enumeration(graph).run(), found = search(with_helpers(graph), graph);
    ASSERT_EQ(format(found), format(expected)) << "round " << round;
  }
}

StepGraph without_orders(Vertex size, std::vector<Link> links) {
  std::ranges::sort(links, std::less<>{});
  return {.size = size, .links = std::move(links)};
}

Found found_in(Vertex size, std::vector<Link> links) {
  return search(without_orders(size, std::move(links)));
}

TEST(ClassSearch, DistinguishesTheFiveClasses) {
  using enum AnomalyKind;
  EXPECT_EQ(found_in(2, {{0, 1, kWriteStep}, {1, 0, kWriteStep}}), Found{DirtyWrite});
  EXPECT_EQ(found_in(2, {{0, 1, kWriteStep}, {1, 0, kReadStep}}), Found{CyclicInformationFlow});
  EXPECT_EQ(found_in(2, {{0, 1, kReadStep}, {1, 0, kAntiStep}}), Found{ReadSkew});
  EXPECT_EQ(found_in(4, {{0, 1, kReadStep}, {1, 2, kAntiStep}, {2, 3, kReadStep}, {3, 0, kAntiStep}}),
            Found{NonAdjacentAntiDependency});
  EXPECT_EQ(found_in(2, {{0, 1, kAntiStep}, {1, 0, kAntiStep}}), Found{AntiDependencyCycle});
}

TEST(ClassSearch, FindsAWeakerClassNextToAStrongerOne) {
  using enum AnomalyKind;
  // 0 and 1 overwrite each other; 2 reads from 1 and misses another write of it.
  EXPECT_EQ(found_in(3, {{0, 1, kWriteStep}, {1, 0, kWriteStep}, {1, 2, kReadStep}, {2, 1, kAntiStep}}),
            (Found{DirtyWrite, ReadSkew}));
}

TEST(ClassSearch, KeepsTheLabelThatTheClassNeeds) {
  using enum AnomalyKind;
  // Each step has both kinds; each class takes the kind that it needs.
  const StepKinds both = kReadStep | kAntiStep;
  EXPECT_EQ(found_in(2, {{0, 1, both}, {1, 0, both}}),
            (Found{CyclicInformationFlow, ReadSkew, AntiDependencyCycle}));
}

// A ring of dependencies closed by one anti-dependency: the only cycle passes through every vertex.
TEST(ClassSearch, FindsTheOnlyCycleOfALargeRing) {
  constexpr Vertex kSize = 20'000;
  std::vector<Link> links;
  for (Vertex v = 0; v + 1 < kSize; ++v) links.push_back({v, v + 1, kReadStep});
  links.push_back({kSize - 1, 0, kAntiStep});
  const StepGraph graph = without_orders(kSize, links);
  Budget budget = Budget::unlimited();
  EXPECT_EQ(shortest_cycle(graph, CycleClass::Single, CycleVariant::Data, budget).size(), kSize);
  EXPECT_EQ(search(graph), Found{AnomalyKind::ReadSkew});
}

// All anti-dependencies point backwards, so that every vertex is in one component; all dependencies
// point forwards.
TEST(ClassSearch, ClassifiesALargeComponentTheSameWayEveryTime) {
  Random random(7);
  constexpr Vertex kSize = 10'000;
  std::vector<Link> links;
  for (Vertex v = 0; v + 1 < kSize; ++v) {
    links.push_back({v, v + 1, kReadStep});
    if (v + 2 < kSize) links.push_back({v, v + 2, kReadStep});
    const Vertex back = static_cast<Vertex>(random.below(v + 1));
    links.push_back({v + 1, back, kAntiStep});
  }
  const StepGraph graph = without_orders(kSize, links);
  Budget budget = Budget::unlimited();
  using enum AnomalyKind;
  EXPECT_EQ(search(graph), (Found{ReadSkew, NonAdjacentAntiDependency, AntiDependencyCycle}));
  const auto once = shortest_cycle(graph, CycleClass::NonAdjacent, CycleVariant::Data, budget);
  const auto twice = shortest_cycle(graph, CycleClass::NonAdjacent, CycleVariant::Data, budget);
  ASSERT_EQ(once.size(), twice.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].from, twice[i].from);
}

}  // namespace
}  // namespace serval
