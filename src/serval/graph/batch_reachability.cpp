#include "serval/graph/batch_reachability.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "serval/graph/strong_components.h"
#include "serval/graph/topological_order.h"

namespace serval {
namespace {

constexpr std::size_t kWords = 4;
constexpr std::size_t kBlock = 64 * kWords;
using Bits = std::array<std::uint64_t, kWords>;

bool any(const Bits& bits) { return (bits[0] | bits[1] | bits[2] | bits[3]) != 0; }

// Components numbered so that numbers fall along every edge and, as far as that allows, follow the vertex
// numbers: neighbours of a history stay neighbours, which keeps the windows short.
Condensation numbered_components(const CsrGraph& graph, Budget& budget) {
  Condensation components = condense(graph, budget);
  std::vector<std::uint32_t> rank(components.count, components.count);
  std::uint32_t next = 0;
  for (const std::uint32_t c : components.component)
    if (rank[c] == components.count) rank[c] = next++;
  const CsrGraph condensed = build_graph(components.count, [&](auto&& emit) {
    for (Vertex v = 0; v < graph.vertex_count(); ++v)
      for (const Vertex to : graph.successors(v))
        if (components.component[v] != components.component[to])
          emit(rank[components.component[v]], rank[components.component[to]]);
  });
  const std::vector<Vertex> order = topological_order(condensed, budget);
  std::vector<std::uint32_t> number(components.count);
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = components.count - 1 - i;
  for (std::uint32_t& c : components.component) c = number[rank[c]];
  return components;
}

class Propagation {
 public:
  Propagation(const CsrGraph& graph, std::uint64_t effort, Budget& budget)
      : graph_(graph), effort_(effort), budget_(budget), components_(numbered_components(graph, budget)) {
    sort_by_component();
    bits_.assign(components_.count, Bits{});
  }

  std::optional<std::vector<bool>> answer(std::span<const ReachabilityQuestion> questions) {
    std::vector<bool> answers(questions.size(), false);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < questions.size(); ++i) {
      const std::uint32_t from = number(questions[i].from), to = number(questions[i].to);
      if (from == to) answers[i] = true;
      if (from > to) open.push_back(i);
    }
    std::ranges::stable_sort(open, std::greater{},
                             [&](std::uint32_t i) { return number(questions[i].from); });
    for (std::size_t first = 0; first < open.size(); first += kBlock) {
      const auto block = std::span(open).subspan(first, std::min(kBlock, open.size() - first));
      if (!propagate(questions, block)) return std::nullopt;
      for (std::size_t bit = 0; bit < block.size(); ++bit) {
        const Bits& reached = bits_[number(questions[block[bit]].to)];
        answers[block[bit]] = (reached[bit / 64] >> (bit % 64) & 1) != 0;
      }
    }
    return answers;
  }

 private:
  std::uint32_t number(Vertex v) const { return components_.component[v]; }

  void sort_by_component() {
    first_member_.assign(components_.count + 1, 0);
    for (const std::uint32_t c : components_.component) ++first_member_[c + 1];
    std::partial_sum(first_member_.begin(), first_member_.end(), first_member_.begin());
    members_.resize(graph_.vertex_count());
    std::vector<std::uint32_t> next = first_member_;
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) members_[next[number(v)]++] = v;
  }

  // Component numbers fall along every edge, so one pass downwards carries each bit as far as it goes.
  bool propagate(std::span<const ReachabilityQuestion> questions, std::span<const std::uint32_t> block) {
    const std::uint32_t top = number(questions[block.front()].from);
    std::uint32_t bottom = top;
    for (const std::uint32_t i : block) bottom = std::min(bottom, number(questions[i].to));
    std::fill(bits_.begin() + bottom, bits_.begin() + top + 1, Bits{});
    for (std::size_t bit = 0; bit < block.size(); ++bit)
      bits_[number(questions[block[bit]].from)][bit / 64] |= std::uint64_t{1} << (bit % 64);
    for (std::uint32_t c = top; c > bottom; --c) {
      budget_.poll("reachability");
      if (!any(bits_[c])) continue;
      for (std::uint32_t m = first_member_[c]; m < first_member_[c + 1]; ++m) spread(members_[m], c, bottom);
      if (spent_ > effort_) return false;
    }
    return true;
  }

  void spread(Vertex v, std::uint32_t component, std::uint32_t bottom) {
    const Bits from = bits_[component];
    for (const Vertex next : graph_.successors(v)) {
      const std::uint32_t target = number(next);
      if (target < bottom || target == component) continue;
      for (std::size_t word = 0; word < kWords; ++word) bits_[target][word] |= from[word];
    }
    spent_ += graph_.successors(v).size() + 1;
  }

  const CsrGraph& graph_;
  std::uint64_t effort_, spent_ = 0;
  Budget& budget_;
  Condensation components_;
  std::vector<std::uint32_t> first_member_;  // By component, one more than components.
  std::vector<Vertex> members_;
  std::vector<Bits> bits_;  // By component: which questions of the block have come so far.
};

}  // namespace

std::optional<std::vector<bool>> reachable(const CsrGraph& graph,
                                           std::span<const ReachabilityQuestion> questions,
                                           std::uint64_t effort, Budget& budget) {
  if (questions.empty()) return std::vector<bool>{};
  return Propagation(graph, effort, budget).answer(questions);
}

}  // namespace serval
