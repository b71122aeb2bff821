#include "serval/check/cycle_search.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <absl/container/flat_hash_map.h>

#include "serval/check/name_cycle.h"
#include "serval/graph/path_finder.h"
#include "serval/graph/strong_components.h"

namespace serval {
namespace {

enum class AntiDependencies { None, One, NonAdjacent, Any };
enum class Orders { Data, Session, RealTime };

// A state of the walk around a cycle is a transaction and, for One, whether the anti-dependency was taken,
// for NonAdjacent whether the last step was one. States of transaction i are 2i and 2i + 1.
constexpr Vertex plain_state(Vertex local) { return 2 * local; }
constexpr Vertex marked_state(Vertex local) { return 2 * local + 1; }

// The dependencies among the transactions of one strongly connected component, with their kinds.
class Component {
 public:
  Component(const History& history, const Relations& relations, GraphShape shape, const CsrGraph& graph,
            std::span<const Vertex> vertices)
      : history_(history), relations_(relations), shape_(shape) {
    collect_members(vertices);
    collect_links(graph, vertices);
    if (shape.session_order) add_session_shortcuts();
  }

  std::optional<Cycle> shortest_cycle_of_strongest_class(Budget& budget) const {
    for (const Orders orders : {Orders::Data, Orders::Session, Orders::RealTime}) {
      if (orders == Orders::Session && !shape_.session_order) continue;
      if (orders == Orders::RealTime && !shape_.real_time) continue;
      for (const AntiDependencies anti : {AntiDependencies::None, AntiDependencies::One,
                                          AntiDependencies::NonAdjacent, AntiDependencies::Any}) {
        if (anti == AntiDependencies::Any && shape_.snapshots) continue;
        std::vector<Vertex> states = search(orders, anti, budget);
        if (!states.empty()) return cycle_of(states, orders, anti);
      }
    }
    return std::nullopt;
  }

 private:
  // One step between two members. A pair may have several.
  struct Link {
    Vertex from, to;
    bool anti;     // An anti-dependency; otherwise a dependency.
    bool session;  // Known from session order alone.
  };

  void collect_members(std::span<const Vertex> vertices) {
    const VertexMap map(shape_);
    for (const Vertex v : vertices) {
      const TransactionId t = map.transaction(v);
      if (members_.empty() || members_.back() != t) members_.push_back(t);
    }
    for (Vertex local = 0; local < members_.size(); ++local) local_of_.emplace(members_[local], local);
  }

  void collect_links(const CsrGraph& graph, std::span<const Vertex> vertices) {
    const VertexMap map(shape_);
    std::vector<std::pair<Vertex, Vertex>> pairs;
    for (const Vertex v : vertices) {
      for (const Vertex next : graph.successors(v)) {
        const auto target = local_of_.find(map.transaction(next));
        const Vertex local = local_of_.at(map.transaction(v));
        if (target != local_of_.end() && target->second != local) pairs.emplace_back(local, target->second);
      }
    }
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& [from, to] : pairs) add_links(from, to);
  }

  void add_links(Vertex from, Vertex to) {
    bool dependency = false, anti = false, session = false;
    for (const Edge& edge :
         explain_edge(history_, relations_, data_and_session(), members_[from], members_[to])) {
      if (edge.kind == EdgeKind::WriteRead) dependency = true;
      if (edge.kind == EdgeKind::ReadWrite) anti = true;
      if (edge.kind == EdgeKind::Session) session = true;
    }
    if (dependency) links_.push_back({from, to, false, false});
    if (anti) links_.push_back({from, to, true, false});
    if (session) links_.push_back({from, to, false, true});
  }

  // Session order is transitive: a step from each member to every later member of its session, so that a
  // cycle need not walk through the session one by one. Skipped where there would be too many.
  void add_session_shortcuts() {
    constexpr std::size_t kMostLinks = 4'000'000;
    absl::flat_hash_map<SessionId, std::vector<Vertex>> by_session;
    for (Vertex local = 0; local < members_.size(); ++local)
      by_session[history_.session(members_[local])].push_back(local);
    std::size_t extra = 0;
    for (const auto& [session, locals] : by_session) extra += locals.size() * locals.size() / 2;
    if (extra > kMostLinks) return;
    for (const auto& [session, locals] : by_session) {
      for (std::size_t i = 0; i < locals.size(); ++i)
        for (std::size_t j = i + 1; j < locals.size(); ++j)
          links_.push_back({locals[i], locals[j], false, true});
    }
    // The hash map's order must not show in the result.
    std::ranges::sort(
        links_, {}, [](const Link& link) { return std::tuple(link.from, link.to, link.anti, link.session); });
  }

  CsrGraph state_graph(Orders orders, AntiDependencies anti) const {
    return build_graph(static_cast<Vertex>(2 * members_.size()), [&](auto&& emit) {
      for (const Link& link : links_) {
        if (link.session && orders == Orders::Data) continue;
        add_steps(link, anti, emit);
      }
    });
  }

  template <class Emit>
  static void add_steps(const Link& link, AntiDependencies anti, Emit&& emit) {
    const Vertex from = plain_state(link.from), to = plain_state(link.to);
    if (!link.anti) {
      emit(from, to);
      if (anti == AntiDependencies::One) emit(marked_state(link.from), marked_state(link.to));
      if (anti == AntiDependencies::NonAdjacent) emit(marked_state(link.from), to);
    } else if (anti == AntiDependencies::Any) {
      emit(from, to);
    } else if (anti != AntiDependencies::None) {
      emit(from, marked_state(link.to));
    }
  }

  // The states of the shortest cycle, its start named again at the end unless a real-time edge closes it.
  std::vector<Vertex> search(Orders orders, AntiDependencies anti, Budget& budget) const {
    const CsrGraph graph = state_graph(orders, anti);
    PathFinder finder(graph, is_last(orders, anti) ? std::numeric_limits<std::uint64_t>::max() : kEffort,
                      budget);
    std::vector<Vertex> best;
    for (const Vertex local : starts(graph, orders, anti, budget)) {
      if (finder.exhausted() || (!best.empty() && finder.spent() > kEffort)) break;
      const std::size_t max_edges = best.empty() ? graph.vertex_count() : best.size() - 2;
      std::vector<Vertex> found = finder.path(plain_state(local), max_edges, [&](Vertex state) {
        return orders == Orders::RealTime
                   ? ended_before(state / 2, local) && (anti != AntiDependencies::One || state % 2 == 1)
                   : state == (anti == AntiDependencies::One ? marked_state(local) : plain_state(local));
      });
      if (!found.empty()) best = std::move(found);
    }
    return best;
  }

  // The last class tried must find the cycle that the component is known to have, whatever it takes.
  bool is_last(Orders orders, AntiDependencies anti) const {
    const Orders last_orders = shape_.real_time       ? Orders::RealTime
                               : shape_.session_order ? Orders::Session
                                                      : Orders::Data;
    return orders == last_orders &&
           anti == (shape_.snapshots ? AntiDependencies::NonAdjacent : AntiDependencies::Any);
  }

  // Where a cycle may start. Where the class is about cycles of the state graph itself, only its cyclic
  // components.
  std::vector<Vertex> starts(const CsrGraph& graph, Orders orders, AntiDependencies anti,
                             Budget& budget) const {
    std::vector<Vertex> locals;
    if (orders == Orders::RealTime || anti == AntiDependencies::One) {
      for (Vertex local = 0; local < members_.size(); ++local) locals.push_back(local);
      return locals;
    }
    const Jagged<Vertex> cyclic = cyclic_components(graph, budget);
    for (const Vertex state : cyclic.values()) {
      if (state % 2 == 0) locals.push_back(state / 2);
    }
    return locals;
  }

  bool ended_before(Vertex a, Vertex b) const {
    const TransactionId first = members_[a], second = members_[b];
    return history_.outcome(first) == Outcome::Committed &&
           history_.interval(first).end < history_.interval(second).begin;
  }

  Cycle cycle_of(const std::vector<Vertex>& states, Orders orders, AntiDependencies anti) const {
    Cycle cycle;
    for (std::size_t i = 0; i + 1 < states.size(); ++i) {
      const TransactionId from = members_[states[i] / 2], to = members_[states[i + 1] / 2];
      cycle.edges.push_back(edge_for_step(from, to, takes_anti_dependency(states[i], states[i + 1], anti)));
    }
    if (orders == Orders::RealTime)
      cycle.edges.push_back({members_[states.back() / 2], members_[states.front() / 2], EdgeKind::RealTime});
    choose_telling_reads(cycle);
    return cycle;
  }

  static std::optional<bool> takes_anti_dependency(Vertex from, Vertex to, AntiDependencies anti) {
    switch (anti) {
      case AntiDependencies::None:
        return false;
      case AntiDependencies::One:
        return from % 2 != to % 2;
      case AntiDependencies::NonAdjacent:
        return to % 2 == 1;
      case AntiDependencies::Any:
        break;
    }
    return std::nullopt;
  }

  // The reason to show for a step: the read it rests on rather than session order, which needs no history to
  // see.
  Edge edge_for_step(TransactionId from, TransactionId to, std::optional<bool> anti) const {
    static constexpr std::array kPreferred{EdgeKind::WriteRead, EdgeKind::Session, EdgeKind::ReadWrite};
    const std::vector<Edge> edges = explain_edge(history_, relations_, data_and_session(), from, to);
    for (const EdgeKind kind : kPreferred) {
      if (anti && *anti != (kind == EdgeKind::ReadWrite)) continue;
      const auto found = std::ranges::find(edges, kind, &Edge::kind);
      if (found != edges.end()) return *found;
    }
    broken_contract("every step of a cycle has a reason", __FILE__, __LINE__);
  }

  // In T1 -wr-> T2 -rw-> T1, of several reads show the earliest that saw T1 and the latest that missed it: if
  // any read went back in time, this pair shows it.
  void choose_telling_reads(Cycle& cycle) const {
    if (cycle.edges.size() != 2) return;
    for (Edge& edge : cycle.edges) {
      for (const Edge& other : explain_edge(history_, relations_, data_and_session(), edge.from, edge.to)) {
        if (other.kind != edge.kind) continue;
        if (edge.kind == EdgeKind::WriteRead && other.to_op < edge.to_op) edge = other;
        if (edge.kind == EdgeKind::ReadWrite && other.from_op > edge.from_op) edge = other;
      }
    }
  }

  GraphShape data_and_session() const { return {.session_order = shape_.session_order}; }

  static constexpr std::uint64_t kEffort = 20'000'000;
  const History& history_;
  const Relations& relations_;
  GraphShape shape_;
  std::vector<TransactionId> members_;  // Ascending.
  absl::flat_hash_map<TransactionId, Vertex> local_of_;
  std::vector<Link> links_;
};

}  // namespace

std::vector<Anomaly> find_cycles(const History& history, const Relations& relations, GraphShape shape,
                                 const CsrGraph& graph, Budget& budget) {
  std::vector<Anomaly> anomalies;
  const Jagged<Vertex> components = cyclic_components(graph, budget);
  for (std::size_t row = 0; row < components.rows(); ++row) {
    const Component component(history, relations, shape, graph, components[row]);
    std::optional<Cycle> cycle = component.shortest_cycle_of_strongest_class(budget);
    expects(cycle.has_value(), "a cyclic component has a cycle");
    anomalies.push_back({name_cycle(cycle->edges), std::move(*cycle)});
  }
  return anomalies;
}

}  // namespace serval
