#include "serval/check/polygraph/reasons.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "serval/check/dependency/graph_cycle.h"
#include "serval/graph/strong_components.h"

namespace serval {
namespace {

class ReasonWalk {
 public:
  ReasonWalk(const History& history, const Points& points, const Chains& chains, const OpenKeys& open,
             const VersionSaturation& saturation, Budget& budget)
      : history_(history),
        points_(points),
        chains_(chains),
        open_(open),
        saturation_(saturation),
        budget_(budget),
        asked_(saturation.conclusions().size(), false) {
    const std::vector<Conclusion>& all = saturation.conclusions();
    for (std::uint32_t i = 0; i < all.size(); ++i)
      drawn_.try_emplace(std::pair(all[i].step.first, all[i].step.second), i);
  }

  void take_path(const std::vector<Vertex>& path) {
    take_transactions(path);
    for (std::size_t i = 1; i < path.size(); ++i) ask(path[i - 1], path[i]);
  }
  void take(TransactionId t) { found_.insert(t); }
  void ask(Vertex from, Vertex to) {
    const auto drawn = drawn_.find(std::pair(from, to));
    if (drawn == drawn_.end() || asked_[drawn->second]) return;
    asked_[drawn->second] = true;
    to_explain_.push_back(drawn->second);
  }

  std::vector<TransactionId> finish() {
    while (!to_explain_.empty()) {
      const std::uint32_t index = to_explain_.back();
      to_explain_.pop_back();
      explain(index);
    }
    std::vector<TransactionId> found(found_.begin(), found_.end());
    std::ranges::sort(found);
    return found;
  }

  bool is_point(Vertex v) const {
    const VertexMap& map = points_.map();
    return !map.is_helper(v, history_.transaction_count()) && (map.is_begin(v) || map.is_commit(v));
  }

 private:
  // For a run within one session, its ends suffice if session order counts.
  void take_transactions(const std::vector<Vertex>& path) {
    std::vector<TransactionId> run;
    for (const Vertex v : path) {
      if (!is_point(v)) continue;
      const TransactionId t = points_.map().transaction(v);
      if (!run.empty() && run.back() == t) continue;
      const bool inside = points_.shape().session_order && run.size() >= 2 && run.back() < t &&
                          run[run.size() - 2] < run.back() &&
                          history_.session(run.back()) == history_.session(t) &&
                          history_.session(run[run.size() - 2]) == history_.session(t);
      if (inside) run.pop_back();
      run.push_back(t);
    }
    found_.insert(run.begin(), run.end());
  }

  void explain(std::uint32_t index) {
    const Conclusion& conclusion = saturation_.conclusions()[index];
    const TransactionId seen = open_.writes[conclusion.seen].writer;
    const TransactionId other = open_.writes[conclusion.other].writer;
    take(seen);
    take(other);
    if (!conclusion.reader.is_none()) take(conclusion.reader);
    const bool before = conclusion.rule == Conclusion::Rule::WriteBeforeRead;
    const Vertex from = before ? points_.commit(other) : points_.overwrites(seen);
    const Vertex to = before ? points_.begin(conclusion.reader) : points_.commit(other);
    const std::vector<std::size_t>& rounds = saturation_.rounds();
    take_path(path(from, to, *(std::ranges::upper_bound(rounds, index) - 1)));
  }

  // A path over what was certain or concluded before the conclusion `limit`.
  std::vector<Vertex> path(Vertex from, Vertex to, std::size_t limit) {
    absl::flat_hash_map<Vertex, Vertex> parent{{from, from}};
    std::vector<Vertex> queue{from};
    const auto goal_row = saturation_.clocks().row(to);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const Vertex v = queue[next];
      for (const Vertex w : saturation_.graph().successors(v)) {
        budget_.poll("reasons");
        if (parent.contains(w) || (w != to && !may_reach(w, goal_row))) continue;
        const auto drawn = drawn_.find(std::pair(v, w));
        if (drawn != drawn_.end() && drawn->second >= limit) continue;
        parent.emplace(w, v);
        if (w == to) return trace(from, to, parent);
        queue.push_back(w);
      }
    }
    broken_contract("a conclusion rests on a path", __FILE__, __LINE__);
  }

  static std::vector<Vertex> trace(Vertex from, Vertex to,
                                   const absl::flat_hash_map<Vertex, Vertex>& parent) {
    std::vector<Vertex> path{to};
    while (path.back() != from) path.push_back(parent.at(path.back()));
    std::ranges::reverse(path);
    return path;
  }

  // A necessary condition: everything that leads to the goal is counted in its clock.
  bool may_reach(Vertex v, std::span<const std::uint32_t> goal_row) const {
    const VertexMap& map = points_.map();
    if (map.is_helper(v, history_.transaction_count())) return true;
    const TransactionId t = map.transaction(v);
    const std::uint32_t chain = chains_.chain[t.index];
    if (chain == Chains::kNone) return false;
    const std::uint32_t position = chains_.position[t.index];
    const bool begin = map.is_begin(v);
    return goal_row[chain] > (begin ? points_.begin_event(position) : points_.commit_event(position));
  }

  const History& history_;
  const Points& points_;
  const Chains& chains_;
  const OpenKeys& open_;
  const VersionSaturation& saturation_;
  Budget& budget_;
  absl::flat_hash_map<std::pair<Vertex, Vertex>, std::uint32_t> drawn_;
  std::vector<bool> asked_;
  std::vector<std::uint32_t> to_explain_;
  absl::flat_hash_set<TransactionId> found_;
};

}  // namespace

std::vector<TransactionId> participants_of_cycle(const History& history, const Points& points,
                                                 const Chains& chains, const OpenKeys& open,
                                                 const VersionSaturation& saturation, Budget& budget) {
  ReasonWalk walk(history, points, chains, open, saturation, budget);
  const Jagged<Vertex> components = cyclic_components(saturation.graph(), budget);
  walk.take_path(shortest_cycle(components[0], saturation.graph(), budget));
  return walk.finish();
}

std::vector<TransactionId> participants_of_vertices(const History& history, const Points& points,
                                                    const Chains& chains, const OpenKeys& open,
                                                    const VersionSaturation& saturation,
                                                    const std::vector<Vertex>& vertices, Budget& budget) {
  ReasonWalk walk(history, points, chains, open, saturation, budget);
  const absl::flat_hash_set<Vertex> members(vertices.begin(), vertices.end());
  for (const Vertex v : vertices) {
    if (walk.is_point(v)) walk.take(points.map().transaction(v));
    for (const Vertex next : saturation.graph().successors(v))
      if (members.contains(next)) walk.ask(v, next);
  }
  return walk.finish();
}

}  // namespace serval
