#pragma once
// Re-proves what was claimed of a history with a version certificate, from the certificate, the raw
// operations and the meaning of predicates: version by version, nothing indexed, nothing shared with
// certificate/.

#include <optional>
#include <vector>

#include "serval/evidence/verdict.h"
#include "serval/predicate/query.h"
#include "serval/verify/facts.h"

namespace serval::verify {

class CertifiedFacts {
 public:
  explicit CertifiedFacts(const History& history);

  const History& history() const noexcept { return history_; }
  // Why the certificate cannot be used; nothing: it can.
  const Flaw& flaw() const noexcept { return flaw_; }

  bool takes_part(TransactionId t) const { return t.index < takes_part_.size() && takes_part_[t.index]; }
  // Who left versions of the key behind, oldest first; the initial version, none(), at the front.
  const std::vector<TransactionId>& order(KeyId key) const { return orders_[key.index]; }
  std::optional<std::size_t> position(TransactionId t, KeyId key) const;
  // The last write of the key by `t`, before `end` if that is given; none() without one.
  OperationId last_write(TransactionId t, KeyId key, OperationId end = OperationId::none()) const;
  // What the write made of the key; nil: no row. Of none() the initial version.
  Value value_of(OperationId write, KeyId key) const;
  Value value_at(KeyId key, std::size_t position) const;

  // What `op` saw of a key that its transaction had not written before, by its version set.
  std::optional<std::size_t> seen(OperationId op, KeyId key) const;
  // The row that `op` saw beside its own transaction's one of the same key: that one is another object, and
  // the version set still shows the deleted one. Whether or not it was returned.
  std::optional<std::size_t> deleted_row(OperationId op, KeyId key) const;
  // The same of an item that it read, where only its value may tell.
  // Of several that it may be: the one that another operation of the transaction sees, or the earliest, whose
  // writer precedes those of the others.
  enum class Several : std::uint8_t { AsOthersSee, Earliest };
  std::optional<std::size_t> item_seen(OperationId op, KeyId key, Several take = Several::AsOthersSee) const;
  // The value of the key that `op` returned or found; nothing where it did not read it as an item.
  std::optional<Value> item_value(OperationId op, KeyId key) const;

  std::optional<Query> query(OperationId op) const { return query_of(history_, op); }
  // Nothing where the truth is not defined.
  std::optional<bool> matches(const Query& asked, KeyId key, Value value) const;
  // Whether the version at the position matches, and the one before it does not, or the other way round.
  bool changes(const Query& asked, KeyId key, std::size_t position) const;
  // Whether the set shows the version at the position, whatever it shows after it.
  bool is_shown(const VersionSet& set, KeyId key, std::size_t position) const;

 private:
  bool may_be_unlisted(KeyId key, Value value) const;
  std::size_t locked(OperationId op, KeyId key, std::size_t last) const;
  bool deletes(TransactionId t, KeyId key) const;

  void find_initial_rows();

  const History& history_;
  Flaw flaw_;
  std::vector<bool> takes_part_;
  std::vector<std::vector<TransactionId>> orders_;  // By key.
  std::vector<Value> initial_;                      // By key: its row at the start; nil: none.
};

// Whether the anomaly rests on the certificate.
bool is_certified(const Anomaly& anomaly);
[[nodiscard]] Flaw flaw_of_certified(const CertifiedFacts& facts, AnomalyKind kind, const Cycle& claim);
[[nodiscard]] Flaw flaw_of_certified(const CertifiedFacts& facts, AnomalyKind kind, const BadRow& claim);

// Whether every dependency that the level counts points forward in the order.
[[nodiscard]] Flaw flaw_of_certified_order(const CertifiedFacts& facts, Level level,
                                           const std::vector<TransactionId>& order);

}  // namespace serval::verify
