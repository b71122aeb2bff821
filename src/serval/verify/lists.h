#pragma once
// What the raw history says about its lists: who appended what, what reads of a list show together, and which
// of two appends came first. Written from the definitions alone; nothing here is shared with the code that
// searches for verdicts.
//
//   a key is a list     something is appended to it, or a read of it shows elements
//   it is opaque        when it is also used as a register, or an element is unknown: nothing is told
//   elements that count those that a transaction which is not aborted appended
//   what a list shows   its longest read by a transaction that participates, of the elements that count;
//                       nothing where two such reads contradict each other
//
// Building takes linear time; the order of a list is looked at when it is first asked for.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/history/history.h"

namespace serval::verify {

// Empty for nil; requires a read of a list.
std::span<const Value> elements_read(const History& history, OperationId read);

// Keys that somebody writes as a whole. A Read of such a key that shows a list is of a register that holds
// one.
std::vector<bool> written_as_registers(const History& history);

class Lists {
 public:
  explicit Lists(const History& history);

  bool is_list(KeyId key) const { return kinds_[key.index] == Kind::List; }
  // Updates or deletes by predicate changed it, or may have: their answer was lost. Such a key is opaque.
  bool written_by_predicates(KeyId key) const { return written_by_predicates_[key.index]; }
  // Used both ways: nothing can be told about it.
  bool is_opaque(KeyId key) const { return kinds_[key.index] == Kind::Opaque; }
  // A read of a list whose answer arrived.
  bool is_list_read(OperationId op) const;

  struct Appended {
    std::ptrdiff_t all = 0, live = 0;               // How often: by anybody, by transactions not aborted.
    OperationId live_append = OperationId::none();  // The last of those.
  };
  Appended appended(KeyId key, Value element) const;
  // The only append of the element that may count; none() where there are several or none.
  OperationId only_append(KeyId key, Value element) const;
  // How often a read shows the element, and where first.
  std::ptrdiff_t times_shown(OperationId read, Value element) const;
  std::optional<std::size_t> first_position(OperationId read, Value element) const;
  // The elements of a read that count.
  std::vector<Value> counted(OperationId read) const;

  // What the list shows; nothing where reads contradict each other. `participates` is by transaction.
  const std::optional<std::vector<Value>>& shown(KeyId key, const std::vector<bool>& participates) const;
  // `second` was certainly appended to the list after `first`.
  bool certainly_before(OperationId first, OperationId second, const std::vector<bool>& participates) const;
  // No read by a participant shows the element.
  bool is_unseen(KeyId key, Value element, const std::vector<bool>& participates) const;

  const std::vector<OperationId>& reads_of(KeyId key) const { return reads_[key.index]; }

 private:
  enum class Kind : std::uint8_t { Unknown, Register, List, Opaque };
  void classify(OperationId op, bool written);
  void note_predicate_write(TransactionId t, OperationId op);
  std::optional<std::size_t> place(KeyId key, Value element, const std::vector<bool>& participates) const;

  const History& history_;
  std::vector<Kind> kinds_;                      // By key.
  std::vector<bool> written_by_predicates_;      // By key.
  std::vector<std::vector<OperationId>> reads_;  // By key: of transactions not aborted.
  absl::flat_hash_map<std::pair<KeyId, Value>, Appended> appended_;
  struct Order {
    std::optional<std::vector<Value>> shown;
    absl::flat_hash_map<Value, std::size_t> place;  // First positions in it.
    absl::flat_hash_map<Value, bool> seen;          // Elements that any participant's read shows.
  };
  const Order& order_of(KeyId key, const std::vector<bool>& participates) const;
  mutable std::map<KeyId, Order> orders_;
};

}  // namespace serval::verify
