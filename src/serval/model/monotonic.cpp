// Reads return maps of keys to numbers that only increase. A read that shows a higher value of some key
// comes later; if this order of reads has a cycle, the values did not increase monotonically. After
// monotonic-key-graph of Elle's core.
//
//   {:x 1, :y 2}  {:x 2, :y 1}       each is later than the other

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "serval/graph/csr_graph.h"
#include "serval/graph/path_finder.h"
#include "serval/graph/strong_components.h"
#include "serval/model/checkers.h"
#include "serval/model/findings.h"

namespace serval {
namespace {

struct Observation {
  std::int64_t value;
  std::uint32_t read;  // Position in reads_.
};

class Monotonic {
 public:
  Monotonic(const ClientHistory& history, const ModelOptions& options)
      : history_(history),
        findings_(options),
        budget_(options.budget != nullptr ? *options.budget : unlimited_) {}

  ModelResult check() && {
    const std::vector<ClientOperation>& operations = history_.operations();
    for (std::uint32_t i = 0; i < operations.size(); ++i)
      if (operations[i].ok()) observe(i, operations[i]);
    for (auto& [key, observations] : keys_) std::ranges::stable_sort(observations, {}, &Observation::value);
    search(graph());
    findings_.fact("reads", reads_.size());
    findings_.fact("keys", keys_.size());
    return std::move(findings_).finish(reads_.empty() ? "no read succeeded, so there is nothing to judge"
                                                      : "");
  }

 private:
  void observe(std::uint32_t i, const ClientOperation& operation) {
    budget_.poll("monotonic");
    if (!is_map(*operation.result))
      throw history_.error(operation, "expected a map of keys to integers, {:x 1}");
    const auto read = static_cast<std::uint32_t>(reads_.size());
    reads_.push_back(i);
    for (const auto& [key, term] : entries(*operation.result)) {
      if (term.is_nil()) continue;
      const std::optional<std::int64_t> value = integer_in(term);
      if (!value) throw history_.error(operation, "expected an integer for every key");
      keys_[history_.value(key)].push_back({*value, read});
    }
  }

  // Between two neighbouring values of a key there is an extra vertex, with edges from all reads of the
  // lower value and to all reads of the higher one. This makes the number of edges linear in the values
  // instead of quadratic.
  CsrGraph graph() const {
    std::size_t steps = reads_.size();
    for (const auto& [key, observations] : keys_) steps += observations.size();
    return build_graph(static_cast<Vertex>(steps), [&](auto&& emit) {
      auto step = static_cast<Vertex>(reads_.size());
      for (const auto& [key, observations] : keys_) emit_key(observations, step, emit);
    });
  }

  template <class Emit>
  static void emit_key(const std::vector<Observation>& observations, Vertex& step, Emit&& emit) {
    for (std::size_t begin = 0, end = 0; begin < observations.size(); begin = end) {
      while (end < observations.size() && observations[end].value == observations[begin].value) ++end;
      for (std::size_t i = begin; i < end; ++i) {
        if (begin > 0) emit(step - 1, observations[i].read);
        emit(observations[i].read, step);
      }
      ++step;
    }
  }

  // The shortest cycle through the first read of every cyclic component, up to the number wanted.
  void search(const CsrGraph& graph) {
    const Jagged<Vertex> components = cyclic_components(graph, budget_);
    PathFinder finder(graph, std::numeric_limits<std::uint64_t>::max(), budget_);
    for (std::size_t i = 0; i < components.rows(); ++i) {
      const Vertex start = components[i].front();
      if (findings_.full())
        findings_.count("non-monotonic");
      else
        report(finder.path(start, graph.vertex_count(), [&](Vertex v) { return v == start; }));
    }
  }

  void report(const std::vector<Vertex>& cycle) {
    std::vector<std::uint32_t> operations;
    for (const Vertex v : cycle)
      if (v < reads_.size()) operations.push_back(reads_[v]);
    operations.pop_back();
    findings_.add("non-monotonic", operations, {}, [&] {
      return fmt::format(
          "each of these {} reads shows a higher value of some key than the one before, the first "
          "a higher one than the last",
          operations.size());
    });
  }

  const ClientHistory& history_;
  Findings findings_;
  Budget unlimited_ = Budget::unlimited();
  Budget& budget_;
  std::vector<std::uint32_t> reads_;
  std::map<Value, std::vector<Observation>> keys_;
};

}  // namespace

ModelResult check_monotonic(const ClientHistory& history, const ModelOptions& options) {
  return Monotonic(history, options).check();
}

}  // namespace serval
