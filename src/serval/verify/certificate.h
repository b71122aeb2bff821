#pragma once
// Re-proves claims about a history with a version certificate from the certificate, the raw operations
// and the semantics of predicates: version by version, without an index, and sharing nothing with
// certificate/.

#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/evidence/verdict.h"
#include "serval/predicate/query.h"
#include "serval/verify/facts.h"

namespace serval::verify {

class CertifiedFacts {
 public:
  explicit CertifiedFacts(const History& history);

  const History& history() const noexcept { return history_; }
  // Why the certificate cannot be used; nothing if it can.
  const Flaw& flaw() const noexcept { return flaw_; }
  // Why it refutes nothing; nothing if it can.
  const Flaw& flaw_of_refutation() const noexcept { return flaw_ ? flaw_ : missing_; }

  bool takes_part(TransactionId t) const { return t.index < takes_part_.size() && takes_part_[t.index]; }
  // The transactions that installed versions of the key, oldest first; the initial version, none(), is
  // at the front.
  const std::vector<TransactionId>& order(KeyId key) const { return orders_[key.index]; }
  std::optional<std::size_t> position(TransactionId t, KeyId key) const;
  // The last write of the key by `t`, before `end` if given; none() if there is none.
  OperationId last_write(TransactionId t, KeyId key, OperationId end = OperationId::none()) const;
  // The value that the write gave the key; nil: no row. none() means the initial version.
  Value value_of(OperationId write, KeyId key) const;
  Value value_at(KeyId key, std::size_t position) const;

  // The version of a key that `op` saw according to its version set, if its transaction had not written
  // the key before.
  std::optional<std::size_t> seen(OperationId op, KeyId key) const;
  // A deleted row that `op` saw next to its own transaction's row with the same key: the new row is a
  // different object, and the version set still contains the deleted one. Whether or not it was
  // returned.
  std::optional<std::size_t> deleted_row(OperationId op, KeyId key) const;
  // The same for an item read, whose version may be known only by its value. If several versions are
  // possible: the one that another operation of the transaction sees, or the earliest, whose writer
  // precedes those of the others.
  enum class Several : std::uint8_t { AsOthersSee, Earliest };
  std::optional<std::size_t> item_seen(OperationId op, KeyId key, Several take = Several::AsOthersSee) const;
  // The value of the key that `op` returned or found; nothing if it did not read the key as an item.
  std::optional<Value> item_value(OperationId op, KeyId key) const;

  // Null if the operation has no predicate, or an unrecorded one.
  const Query* query(OperationId op) const;
  // Nothing if the truth value is undefined.
  std::optional<bool> matches(const Query& asked, KeyId key, Value value) const;
  // Whether exactly one of the version at the position and its predecessor matches.
  bool changes(const Query& asked, KeyId key, std::size_t position) const;
  // Whether the version at the position, after the initial one, is visible to the set, regardless of later
  // versions.
  bool is_shown(const VersionSet& set, KeyId key, std::size_t position) const;

 private:
  bool may_be_unlisted(KeyId key, Value value) const;
  std::size_t locked(OperationId op, KeyId key, std::size_t last) const;
  bool deletes(TransactionId t, KeyId key) const;

  void find_initial_rows();
  void find_missing(const std::vector<bool>& given);

  const History& history_;
  Flaw flaw_;
  Flaw missing_;
  std::vector<bool> takes_part_;
  std::vector<std::vector<TransactionId>> orders_;   // By key.
  std::vector<Value> initial_;                       // By key: its initial row; nil if none.
  absl::flat_hash_map<OperationId, Query> queries_;  // Parsed once, because every key asks for them.
};

// Whether the anomaly rests on the certificate.
bool is_certified(const Anomaly& anomaly);
[[nodiscard]] Flaw flaw_of_certified(const CertifiedFacts& facts, AnomalyKind kind, const Cycle& claim);
[[nodiscard]] Flaw flaw_of_certified(const CertifiedFacts& facts, AnomalyKind kind, const BadRow& claim);

// Whether every dependency that the level considers points forward in the order.
[[nodiscard]] Flaw flaw_of_certified_order(const CertifiedFacts& facts, Level level,
                                           const std::vector<TransactionId>& order);

}  // namespace serval::verify
