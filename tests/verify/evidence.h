#pragma once
// Short forms of evidence for tests. Transactions and operations are numbered from 0, in the order of
// the text.

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/history/notation.h"
#include "serval/verify/verify_witness.h"

namespace serval::evidence {

inline TransactionId txn(std::uint32_t t) { return TransactionId{t}; }
inline OperationId op(const History& history, std::uint32_t t, std::uint32_t position) {
  return history.operations(txn(t))[position];
}

struct Place {
  std::uint32_t transaction, position;
};

inline Edge data_edge(const History& history, EdgeKind kind, Place from, Place to) {
  const OperationId from_op = op(history, from.transaction, from.position);
  return {txn(from.transaction),
          txn(to.transaction),
          kind,
          history.key(from_op),
          from_op,
          op(history, to.transaction, to.position)};
}
inline Edge wr(const History& history, Place write, Place read) {
  return data_edge(history, EdgeKind::WriteRead, write, read);
}
inline Edge ww(const History& history, Place write, Place overwrite, std::uint32_t read) {
  Edge edge = data_edge(history, EdgeKind::WriteWrite, write, overwrite);
  edge.to_read = op(history, overwrite.transaction, read);
  return edge;
}
inline Edge rw(const History& history, Place read, Place overwrite, std::uint32_t to_read) {
  Edge edge = data_edge(history, EdgeKind::ReadWrite, read, overwrite);
  edge.to_read = op(history, overwrite.transaction, to_read);
  return edge;
}
inline Edge rw_initial(const History& history, Place read, Place overwrite) {
  return data_edge(history, EdgeKind::ReadWrite, read, overwrite);
}
inline Edge so(std::uint32_t from, std::uint32_t to) { return {txn(from), txn(to), EdgeKind::Session}; }
inline Edge rt(std::uint32_t from, std::uint32_t to) { return {txn(from), txn(to), EdgeKind::RealTime}; }

inline Verdict holds_by(Level proven, std::initializer_list<std::uint32_t> order,
                        std::vector<std::uint32_t> snapshot = {}) {
  Holds claim{proven, {}, std::move(snapshot)};
  for (const std::uint32_t t : order) claim.commit_order.push_back(txn(t));
  return claim;
}
inline Verdict violated_by(AnomalyKind kind, Evidence evidence) {
  return Violated{{{kind, std::move(evidence)}}, {{kind, 1}}};
}
inline Verdict violated_by_cycle(AnomalyKind kind, std::vector<Edge> edges) {
  return violated_by(kind, Cycle{std::move(edges)});
}
inline Verdict bad_read(const History& history, AnomalyKind kind, Place read) {
  return violated_by(kind, BadRead{txn(read.transaction), op(history, read.transaction, read.position)});
}
inline Verdict bad_read(const History& history, AnomalyKind kind, Place read, Place source) {
  return violated_by(kind, BadRead{txn(read.transaction), op(history, read.transaction, read.position),
                                   op(history, source.transaction, source.position)});
}

inline const char* const kWriteSkew = "s1: [r(x,0) r(y,0) w(x,1)] s2: [r(x,0) r(y,0) w(y,1)]";

inline Verdict write_skew(const History& history) {
  return violated_by_cycle(AnomalyKind::WriteSkew,
                           {rw(history, {0, 1}, {1, 2}, 1), rw(history, {1, 0}, {0, 2}, 0)});
}

// Empty if the evidence stands.
inline std::string flaw(const History& history, Level level, const Verdict& verdict) {
  return verify_witness(history, level, verdict).value_or("");
}
inline bool stands(const History& history, Level level, const Verdict& verdict) {
  return !verify_witness(history, level, verdict).has_value();
}

}  // namespace serval::evidence
