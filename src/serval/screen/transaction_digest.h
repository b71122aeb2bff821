#pragma once
// What one transaction read from others and left behind, and whether it contradicts itself: like
// read_write_sets.h for a single transaction, without knowledge of the others.
//
//   TransactionDigester digester(Value::integer(0));
//   digester.digest(transaction);     // [r(x,1) w(x,2) r(x,2)]: reads x = 1, writes x = 2, which is its last
//
// O(operations + elements shown). Not thread-safe.

#include <cstdint>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/inference/key_states.h"
#include "serval/screen/screened_transaction.h"

namespace serval {

struct TransactionDigest {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  struct Read {
    KeyId key;
    Value value;                  // Nil for a list.
    std::vector<Value> elements;  // Of a list.
    bool after_append = false;    // Ends with own appends, so it does not identify a version of others.
    bool updates = false;         // The first read of a key that the transaction writes later.
  };
  struct Write {
    KeyId key;
    Value value;
    bool appends = false;
    bool is_last = true;             // Of the transaction to the key.
    bool after_read = false;         // The transaction had read the key.
    std::uint32_t previous = kNone;  // The write to the key before this one.
    std::uint32_t append = kNone;    // Its number in ListScreen, once it has one.
  };

  std::vector<Read> reads;          // External reads, and all different reads of lists.
  std::vector<Write> writes;        // In program order.
  bool contradicts_itself = false;  // No order of transactions explains its reads: read-committed forbids it.
  bool varies = false;              // Two external reads of a key saw different versions.
};

class TransactionDigester {
 public:
  // `initial` is what keys hold before the first write, besides nil.
  explicit TransactionDigester(Value initial) : initial_(initial) {}

  // Empties `transaction`. The result is valid until the next call; incomplete if obstacle() is not empty.
  TransactionDigest& digest(ScreenedTransaction& transaction);
  // For a transaction that does not count: notes only how it uses its keys.
  void note_keys(const ScreenedTransaction& transaction);

  // The first thing found that a digest cannot express; empty if there is none.
  std::string_view obstacle() const noexcept { return obstacle_; }
  std::size_t key_count() const noexcept { return kinds_.size(); }
  KeyId key(Value name);
  bool is_list(KeyId key) const { return kinds_[key.index] == Kind::List; }
  bool is_initial(Value value) const noexcept { return value.is_nil() || value == initial_; }

 private:
  enum class Kind : std::uint8_t { NotKnown, Register, List };
  static constexpr std::uint32_t kNone = TransactionDigest::kNone;
  struct State {
    KeyId key;
    std::uint32_t first_read = kNone, last_write = kNone;  // Into the digest.
    std::uint32_t appended = 0;
  };

  void note_kind(const ScreenedOperation& operation, Kind& kind);
  void take(ScreenedOperation& operation, KeyId key);
  void read_register(KeyId key, Value value);
  void read_list(KeyId key, std::vector<Value>& elements);
  void read_again(State& state, Value value, std::vector<Value>& elements);
  bool ends_with_own_appends(const std::vector<Value>& elements, const State& state) const;
  bool same_beneath(const std::vector<Value>& elements, const State& state) const;
  void write(KeyId key, Value value, bool appends);
  void hit(std::string_view obstacle);

  Value initial_;
  absl::flat_hash_map<Value, KeyId> keys_;
  std::vector<Kind> kinds_;  // By key.
  KeyStates<State> states_{0};
  TransactionDigest digest_;
  std::string_view obstacle_;
};

}  // namespace serval
