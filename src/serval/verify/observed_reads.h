#pragma once
// What every read of an execution saw, derived from the raw history and a commit order alone: the commit
// order taken as the order of every key's versions. Used to judge levels that let a transaction miss what
// stands before it, so nothing is replayed; instead every external read is traced to the transaction that
// it saw.
//
// A register's value must be the last write of exactly one other transaction, or the initial version; a list
// must be what the transactions up to some place of the order appended, and end where one of them ends.
// Reads after own writes must see these, of a list on top of everything before. Linear in the operations
// and the elements of the lists.

#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/verify/facts.h"

namespace serval::verify {

using Place = std::uint32_t;  // In the commit order.
inline constexpr Place kInitially = 0xFFFFFFFFu;

struct ObservedRead {
  Place reader;
  Place source;  // kInitially for the initial version.
  KeyId key;
  OperationId read;
};

class ObservedReads {
 public:
  ObservedReads(const History& history, const std::vector<TransactionId>& order);

  // Why the order explains some read in no way; nothing when it explains all. The rest requires the latter.
  [[nodiscard]] Flaw flaw();

  const std::vector<ObservedRead>& all() const noexcept {
    return observed_;
  }  // By reader, then in program order.
  const std::vector<Place>& writers(KeyId key) const { return writers_[key.index]; }  // Ascending.
  bool writes(Place t, KeyId key) const;
  // The writer of the version after the one that was seen; kInitially: there is none.
  Place next_writer(const ObservedRead& observed) const;
  // kInitially for transactions outside the order.
  Place place(TransactionId t) const { return place_[t.index]; }

 private:
  struct Element {
    Value value;
    Place writer;
  };
  struct Source {
    Place writer;
    bool ambiguous = false;
  };

  Flaw flaw_of_attendance();
  void index_writes();
  Flaw trace(Place reader, OperationId op);
  Flaw trace_register(Place reader, OperationId op, Value seen);
  Flaw trace_list(Place reader, OperationId op, Value seen);
  Flaw flaw_beneath_own(Place reader, OperationId op, std::span<const Value> beneath) const;
  Flaw note(Place reader, Place source, OperationId op);
  std::string spelled(OperationId op) const;

  const History& history_;
  const std::vector<TransactionId>& order_;
  std::vector<Place> place_;
  std::vector<std::vector<Place>> writers_;
  std::vector<std::vector<Element>> lists_;  // By key, in the order of the versions.
  std::vector<bool> is_list_, is_register_;
  absl::flat_hash_map<std::pair<KeyId, Value>, Source> last_writes_;
  std::vector<ObservedRead> observed_;
};

}  // namespace serval::verify
