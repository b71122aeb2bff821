#include "serval/check/polygraph/chains.h"

namespace serval {

Chains chains_of_sessions(const History& history, const Relations& relations) {
  Chains chains;
  chains.chain.assign(history.transaction_count(), Chains::kNone);
  chains.position.assign(history.transaction_count(), 0);
  for (const SessionId session : history.sessions()) {
    std::uint32_t position = 0;
    for (const TransactionId t : history.session_transactions(session)) {
      if (!relations.takes_part[t.index]) continue;
      chains.chain[t.index] = chains.count;
      chains.position[t.index] = position++;
    }
    if (position > 0) ++chains.count;
  }
  return chains;
}

Chains chains_of_graph(const History& history, const Relations& relations, GraphShape shape,
                       const CsrGraph& graph, const std::vector<Vertex>& order) {
  const VertexMap map(shape);
  Chains chains;
  chains.chain.assign(history.transaction_count(), Chains::kNone);
  chains.position.assign(history.transaction_count(), 0);
  const auto follower = [&](TransactionId t) {
    for (const Vertex next : graph.successors(map.commit(t))) {
      if (map.is_helper(next, history.transaction_count()) || !map.is_begin(next)) continue;
      const TransactionId candidate = map.transaction(next);
      if (candidate != t && chains.chain[candidate.index] == Chains::kNone) return candidate;
    }
    return TransactionId::none();
  };
  for (const Vertex v : order) {
    if (map.is_helper(v, history.transaction_count()) || !map.is_commit(v)) continue;
    const TransactionId t = map.transaction(v);
    if (!relations.takes_part[t.index]) continue;
    if (chains.chain[t.index] == Chains::kNone) chains.chain[t.index] = chains.count++;
    const TransactionId next = follower(t);
    if (next.is_none()) continue;
    chains.chain[next.index] = chains.chain[t.index];
    chains.position[next.index] = chains.position[t.index] + 1;
  }
  return chains;
}

}  // namespace serval
