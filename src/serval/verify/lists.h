#pragma once
// What the raw history says about its lists: who appended what, what the reads of a list show together,
// and which of two appends came first. Written from the definitions alone; shares nothing with the code
// that searches for verdicts.
//
//   a key is a list     something is appended to it, or a read of it shows elements
//   it is opaque        if it is also used as a register, or an element is unknown: nothing is known
//   elements that count those that a non-aborted transaction appended
//   what a list shows   the elements that count in its longest read by a participating transaction;
//                       nothing if two such reads contradict each other
//
// Building takes linear time; the order of a list is computed on first use.

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

// Keys that some transaction writes as a whole. A Read of such a key that shows a list is a read of a
// register whose value is a list.
std::vector<bool> written_as_registers(const History& history);

class Lists {
 public:
  explicit Lists(const History& history);

  bool is_list(KeyId key) const { return kinds_[key.index] == Kind::List; }
  // Predicate updates or deletes changed it, or may have because their response was lost. Such a key is
  // opaque.
  bool written_by_predicates(KeyId key) const { return written_by_predicates_[key.index]; }
  // Used as both list and register: nothing can be said about it.
  bool is_opaque(KeyId key) const { return kinds_[key.index] == Kind::Opaque; }
  // Whether it is a list read whose response arrived.
  bool is_list_read(OperationId op) const;

  struct Appended {
    // Number of appends: all, and by non-aborted transactions.
    std::ptrdiff_t all = 0, live = 0;
    OperationId live_append = OperationId::none();  // The last of the latter.
  };
  Appended appended(KeyId key, Value element) const;
  // The only append of the element that may count; none() if there are several or none.
  OperationId only_append(KeyId key, Value element) const;
  // How often a read shows the element, and its first position.
  std::ptrdiff_t times_shown(OperationId read, Value element) const;
  std::optional<std::size_t> first_position(OperationId read, Value element) const;
  // The elements of a read that count.
  std::vector<Value> counted(OperationId read) const;

  // What the list shows; nothing if reads contradict each other. `participates` is by transaction.
  const std::optional<std::vector<Value>>& shown(KeyId key, const std::vector<bool>& participates) const;
  // Whether `second` was certainly appended after `first`.
  bool certainly_before(OperationId first, OperationId second, const std::vector<bool>& participates) const;
  // Whether no read by a participant shows the element.
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
  std::vector<std::vector<OperationId>> reads_;  // By key: by non-aborted transactions.
  absl::flat_hash_map<std::pair<KeyId, Value>, Appended> appended_;
  struct Order {
    std::optional<std::vector<Value>> shown;
    absl::flat_hash_map<Value, std::size_t> place;  // First positions in it.
    absl::flat_hash_map<Value, bool> seen;          // Elements in any participant's read.
  };
  const Order& order_of(KeyId key, const std::vector<bool>& participates) const;
  mutable std::map<KeyId, Order> orders_;
};

}  // namespace serval::verify
