#pragma once
// The list part of read and write sets: what each transaction appended and what its list reads showed,
// with the reads that contradict the transaction's own operations.
//
//   [l(x,[1]) a(x,2) l(x,[1 2])]    has one access to x: it read the version that ends in 1 and appended 2.
//
// A read before any own append is external; of several, the first counts and the others must agree. A
// read after own appends must end with them and, before them, show what the external read showed.
// O(elements shown).

#include <cstdint>
#include <vector>

#include "serval/inference/key_kinds.h"
#include "serval/inference/key_states.h"
#include "serval/inference/read_write_sets.h"

namespace serval {

struct ListAppend {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  OperationId op;
  TransactionId writer;
  KeyId key;
  std::uint32_t access;            // The writer's access to the key.
  std::uint32_t previous = kNone;  // The writer's previous append to the key,
  std::uint32_t next = kNone;      // and its next one.

  bool is_last() const noexcept { return next == kNone; }  // The writer's last append to the key.
};

struct ListRead {
  enum class Role : std::uint8_t { External, Repeated, AfterAppend };
  OperationId read;
  KeyId key;
  std::uint32_t access;
  Role role;
  std::uint32_t after = ListAppend::kNone;  // The reader's last append to the key before the read.
};

// For transactions that are not aborted, in history order.
struct ListAccesses {
  std::vector<KeyKind> key_kinds;  // If empty, the history has no lists, and the other members are empty.
  std::vector<ListAppend> appends;
  std::vector<ListRead> reads;               // Without repeated external reads.
  std::vector<std::uint32_t> first_read{0};  // By transaction, plus a sentinel.

  bool any() const noexcept { return !key_kinds.empty(); }
  std::span<const ListRead> reads_of(TransactionId t) const {
    return std::span(reads).subspan(first_read[t.index], first_read[t.index + 1] - first_read[t.index]);
  }
};

class ListCollector {
 public:
  ListCollector(const History& history, ListAccesses& lists, ReadWriteSets& read_write_sets)
      : history_(history), lists_(lists), sets_(read_write_sets), states_(history.key_count()) {}

  void append(TransactionId t, OperationId op);
  void read(TransactionId t, OperationId op);
  // Call after the last operation of a transaction: adds its accesses to lists, with `read` and
  // `written` unset.
  void finish();

 private:
  struct State {
    KeyId key;
    OperationId external_read = OperationId::none();
    std::uint32_t last_append = ListAppend::kNone;
    std::uint32_t appended = 0;
    bool varied = false;  // Its external reads showed different lists.
  };

  bool ends_with_own_appends(std::span<const Value> shown, const State& state) const;
  bool same_beneath(std::span<const Value> shown, const State& state) const;
  void read_again(TransactionId t, OperationId op, State& state, std::uint32_t position);
  void read_after_append(TransactionId t, OperationId op, const State& state);
  FaultyRead own_append_missing(TransactionId t, OperationId op, const State& state) const;

  const History& history_;
  ListAccesses& lists_;
  ReadWriteSets& sets_;
  KeyStates<State> states_;
  std::size_t first_append_ = 0;  // Of the current transaction.
};

}  // namespace serval
