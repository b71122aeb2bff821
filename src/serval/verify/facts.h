#pragma once
// What the raw history says about single reads and writes: the basis of verify_witness. Written from the
// definitions alone; shares nothing with the code that searches for verdicts.
//
//   live            committed or indeterminate: its writes may exist
//   participates    committed, or indeterminate and read by a transaction that participates
//   final write     the last write of its transaction to its key
//   external read   before any write of its own transaction to its key
//
// A read determines its version only if no other interpretation of the history is possible: either
// exactly one live transaction has the value as its final write and it is not the initial value, or none
// has and it is. For a list, the last element determines the version if one live transaction appended
// it, as its last append to the list. Keys used as both list and register, or with final writes of
// unknown values, are opaque: their reads determine nothing.
//
// Building takes linear time and memory.

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/history/history.h"
#include "serval/verify/lists.h"

namespace serval::verify {

// Why a piece of evidence is wrong; nothing if it is correct.
using Flaw = std::optional<std::string>;

// Nothing for operations that do not read, and for reads whose response is unknown.
std::optional<Value> value_read(const History& history, OperationId op);
// Nothing for operations that do not write. Nil for a delete.
std::optional<Value> value_written(const History& history, OperationId op);

// Whether a read of the value may have seen the initial version: nil, or the history's initial value.
bool may_be_initial(const History& history, Value value);

// The keys whose initial row was found by a transaction that had not written the key before. All other
// keys without versions have no row.
std::set<KeyId> initial_rows_found(const History& history);

// "T7": the id from its file.
std::string name(const History& history, TransactionId t);

// "r(x,1) of T7"
std::string print_in_transaction(const History& history, OperationId op);

// Why `order` is not an order of all committed transactions, and perhaps indeterminate ones. Fills in
// their positions; kNowhere for the others.
inline constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;
[[nodiscard]] Flaw flaw_of_attendance(const History& history, const std::vector<TransactionId>& order,
                                      std::vector<std::uint32_t>& position);

class Facts {
 public:
  // `transaction_order` as in VersionHints.
  explicit Facts(const History& history, std::span<const std::int64_t> transaction_order = {});

  const History& history() const noexcept { return history_; }
  bool live(TransactionId t) const { return history_.outcome(t) != Outcome::Aborted; }
  bool participates(TransactionId t) const;
  bool has(TransactionId t) const { return t.index < history_.transaction_count(); }
  // `op` exists and belongs to `t`.
  bool belongs(OperationId op, TransactionId t) const;

  bool opaque(KeyId key) const { return opaque_[key.index]; }
  const Lists& lists() const noexcept { return lists_; }
  bool is_list(KeyId key) const { return lists_.is_list(key); }
  const std::vector<bool>& participants() const noexcept { return participates_; }
  // Whether any transaction, even an aborted one, wrote `value` to `key`.
  bool written_by_anyone(KeyId key, Value value) const {
    return find(key, value).writes > 0 || find(key, Value::unknown()).writes > 0;
  }
  // The value that `op` is known to have written. If it was not recorded: the value that a read of its
  // own transaction saw before the next write, otherwise unknown.
  Value value_left_by(OperationId op) const;
  // The number of live transactions other than `reader` with `value` as their final write to `key`.
  std::uint32_t final_writers_besides(TransactionId reader, KeyId key, Value value) const;
  // The last write to the key of `op` by its own transaction before `op`; none() if `op` is external.
  OperationId own_write_before(OperationId op) const;
  bool is_final_write(OperationId write) const { return final_write(write) == write; }
  // The last write to the key of `write` by its own transaction.
  OperationId final_write(OperationId write) const;
  // The final write that `read` certainly saw, none() for the initial version; nothing if uncertain.
  std::optional<OperationId> version_read(OperationId read) const;

  std::uint32_t session_position(TransactionId t) const { return session_position_[t.index]; }
  // Its position in the commit order: as given, otherwise its commit timestamp.
  std::optional<std::int64_t> commit_position(TransactionId t) const;

 private:
  struct Written {
    OperationId final_write = OperationId::none();  // By a live transaction.
    std::uint32_t live_final = 0;
    std::uint32_t writes = 0;
  };

  Written find(KeyId key, Value value) const;
  void index_writes();
  void note_write(TransactionId t, OperationId op, std::vector<std::uint32_t>& seen);
  void mark_participants();
  void mark_writers_read_by(TransactionId t, std::vector<std::uint32_t>& written,
                            std::vector<TransactionId>& pending);
  std::optional<OperationId> version_of_external(OperationId read) const;

  std::optional<OperationId> version_of_list(OperationId read) const;
  void mark_appenders_shown(TransactionId t, std::vector<TransactionId>& pending);

  const History& history_;
  std::span<const std::int64_t> transaction_order_;
  Lists lists_;
  absl::flat_hash_map<std::pair<KeyId, Value>, Written> written_;
  std::vector<bool> opaque_;
  std::vector<bool> participates_;
  std::vector<std::uint32_t> session_position_;
};

}  // namespace serval::verify
