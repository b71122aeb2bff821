#pragma once
// What every read of an execution saw, derived from the raw history and a commit order, taken as the
// version order of every key. Used for levels at which a transaction may miss earlier ones in the order:
// nothing is replayed, but every external read is traced to the transaction that it saw.
//
// The value of a register must be the last write of exactly one other transaction, or the initial
// version; a list must be what the transactions up to some position of the order appended, ending with
// the last append of one of them. Reads after own writes must see these; for a list, after everything
// before. Linear in the operations and the elements of the lists.

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/verify/facts.h"

namespace serval::verify {

using CommitPosition = std::uint32_t;  // In the commit order, from 0.
inline constexpr CommitPosition kInitially = 0xFFFFFFFFu;

struct ObservedRead {
  CommitPosition reader;
  CommitPosition source;  // kInitially for the initial version.
  KeyId key;
  OperationId read;
};

class ObservedReads {
 public:
  ObservedReads(const History& history, const std::vector<TransactionId>& order);

  // Why the order does not explain some read; nothing if it explains all. The other functions require
  // the latter.
  [[nodiscard]] Flaw flaw();

  const std::vector<ObservedRead>& all() const noexcept {
    return observed_;
  }  // By reader, then in program order.
  const std::vector<CommitPosition>& writers(KeyId key) const { return writers_[key.index]; }  // Ascending.
  bool writes(CommitPosition t, KeyId key) const;
  // The writer of the version after the one that was seen; kInitially if there is none.
  CommitPosition next_writer(const ObservedRead& observed) const;
  // kInitially for transactions outside the order.
  CommitPosition position(TransactionId t) const { return position_[t.index]; }

 private:
  struct Element {
    Value value;
    CommitPosition writer;
  };
  struct Source {
    CommitPosition writer;
    bool ambiguous = false;
  };

  Flaw flaw_of_attendance();
  void index_writes();
  Flaw trace(CommitPosition reader, OperationId op);
  Flaw trace_register(CommitPosition reader, OperationId op, Value seen);
  Flaw trace_list(CommitPosition reader, OperationId op, Value seen);
  Flaw flaw_beneath_own(CommitPosition reader, OperationId op, std::span<const Value> beneath) const;
  Flaw note(CommitPosition reader, CommitPosition source, OperationId op);
  std::string formatted(OperationId op) const;

  const History& history_;
  const std::vector<TransactionId>& order_;
  std::vector<CommitPosition> position_;
  std::vector<std::vector<CommitPosition>> writers_;
  std::vector<std::vector<Element>> lists_;  // By key, in version order.
  std::vector<bool> is_list_, is_register_;
  absl::flat_hash_map<std::pair<KeyId, Value>, Source> last_writes_;
  std::vector<ObservedRead> observed_;
};

}  // namespace serval::verify
