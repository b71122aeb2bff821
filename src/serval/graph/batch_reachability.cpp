#include "serval/graph/batch_reachability.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "serval/graph/strong_components.h"
#include "serval/graph/topological_order.h"

namespace serval {
namespace {

constexpr std::size_t kWords = 4;
constexpr std::size_t kBlock = 64 * kWords;
using Bits = std::array<std::uint64_t, kWords>;

// A set of numbers from which the maximum is repeatedly removed; numbers added later are smaller than
// it.
class Falling {
 public:
  explicit Falling(std::size_t size) : words_(size / 64 + 1, 0) {}

  void add(std::uint32_t number) { words_[number / 64] |= std::uint64_t{1} << (number % 64); }
  // Removes and returns the greatest number that is at most `top`; does not search below `bottom`.
  std::optional<std::uint32_t> take(std::uint32_t top, std::uint32_t bottom) {
    for (std::uint32_t word = top / 64 + 1; word-- > bottom / 64;) {
      if (words_[word] == 0) continue;
      const auto bit = static_cast<std::uint32_t>(63 - std::countl_zero(words_[word]));
      words_[word] &= ~(std::uint64_t{1} << bit);
      return word * 64 + bit;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// Components numbered so that numbers decrease along every edge and otherwise follow the vertex numbers
// as closely as possible. Neighbours in the history stay neighbours, which keeps the windows short.
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
      : graph_(graph),
        effort_(effort),
        budget_(budget),
        components_(numbered_components(graph, budget)),
        waiting_(components_.count) {
    link_components();
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
      for (const std::uint32_t c : reached_) bits_[c] = Bits{};
      reached_.clear();
    }
    return answers;
  }

 private:
  std::uint32_t number(Vertex v) const { return components_.component[v]; }

  std::span<const std::uint32_t> successors(std::uint32_t component) const {
    return std::span(targets_).subspan(offsets_[component], offsets_[component + 1] - offsets_[component]);
  }

  // The edges between components, without duplicates: many members of a component may lead to the same
  // target.
  void link_components() {
    std::vector<std::uint32_t> first(components_.count + 1, 0);
    for (const std::uint32_t c : components_.component) ++first[c + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Vertex> members(graph_.vertex_count());
    std::vector<std::uint32_t> next = first;
    for (Vertex v = 0; v < graph_.vertex_count(); ++v) members[next[number(v)]++] = v;
    std::vector<std::uint32_t> last_source(components_.count, components_.count);
    offsets_.reserve(components_.count + 1);
    offsets_.push_back(0);
    for (std::uint32_t c = 0; c < components_.count; ++c) {
      budget_.poll("reachability");
      for (std::uint32_t m = first[c]; m < first[c + 1]; ++m)
        for (const Vertex to : graph_.successors(members[m]))
          if (number(to) != c && std::exchange(last_source[number(to)], c) != c)
            targets_.push_back(number(to));
      offsets_.push_back(targets_.size());
    }
  }

  // Component numbers decrease along every edge, so a single downward pass propagates every bit
  // completely.
  bool propagate(std::span<const ReachabilityQuestion> questions, std::span<const std::uint32_t> block) {
    const std::uint32_t top = number(questions[block.front()].from);
    std::uint32_t bottom = top;
    for (const std::uint32_t i : block) bottom = std::min(bottom, number(questions[i].to));
    for (std::size_t bit = 0; bit < block.size(); ++bit) {
      const std::uint32_t from = number(questions[block[bit]].from);
      bits_[from][bit / 64] |= std::uint64_t{1} << (bit % 64);
      waiting_.add(from);
    }
    std::optional<std::uint32_t> next = top;
    while ((next = waiting_.take(*next, bottom))) {
      budget_.poll("reachability");
      const std::uint32_t c = *next;
      reached_.push_back(c);
      if (c == bottom) continue;
      spread(c, bottom);
      if (spent_ > effort_) return false;
    }
    return true;
  }

  void spread(std::uint32_t component, std::uint32_t bottom) {
    const Bits from = bits_[component];
    for (const std::uint32_t target : successors(component)) {
      if (target < bottom) continue;
      for (std::size_t word = 0; word < kWords; ++word) bits_[target][word] |= from[word];
      waiting_.add(target);
    }
    spent_ += successors(component).size() + 1;
  }

  const CsrGraph& graph_;
  std::uint64_t effort_, spent_ = 0;
  Budget& budget_;
  Condensation components_;
  std::vector<std::uint64_t> offsets_;  // By component, plus a sentinel: index into targets_.
  std::vector<std::uint32_t> targets_;
  std::vector<Bits> bits_;              // By component: the questions of the block that have reached it.
  Falling waiting_;                     // Components that questions have reached but not left yet.
  std::vector<std::uint32_t> reached_;  // Components with bits.
};

}  // namespace

std::optional<std::vector<bool>> reachable(const CsrGraph& graph,
                                           std::span<const ReachabilityQuestion> questions,
                                           std::uint64_t effort, Budget& budget) {
  if (questions.empty()) return std::vector<bool>{};
  return Propagation(graph, effort, budget).answer(questions);
}

}  // namespace serval
