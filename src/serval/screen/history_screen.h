#pragma once
// Examines a growing history, transaction by transaction, for signs that it violates a level. It never
// judges: if it is suspicious, check() does. So it needs no evidence, and the cost per transaction does
// not depend on how many came before.
//
//   HistoryScreen screen(Level::Serializable, Value::integer(0));
//   screen.add(transaction);                    // In session order.
//   screen.settle(open_writes);                 // Every value read so far was written so far, or is in here.
//   if (screen.state() == HistoryScreen::State::Suspicious) ...
//
// For every participating transaction (committed, or read from by a participating one: decision 003) it
// finds the versions that it read and overwrote, and maintains an order of the dependencies. Signs are a
// cycle, two updates of one version, and reads that no order explains. The graph has the shape of the
// level. For a level without a shape, it has that of the weakest stronger level with one, and is_exact()
// is false.
//
//   Clear        settle() found no sign, and check() would not find a violation either.
//   Open         No sign, but the order that was assumed for unseen appends does not work; another order
//                might. Only at snapshot levels.
//   Suspicious   If is_exact(), check() finds a violation.
//   Lost         The history cannot be screened: reason() says why. Values written twice; a second write
//                to a key without a read before it; deletes; values that were not recorded; ranges; clocks
//                that contradict themselves, if real time counts.
//
// Reads of values that a running transaction wrote are examined once that has ended: see waiting(). In
// the last two states, added transactions are ignored.
//
// O(operations + elements shown) expected, plus the cost of the order (screen_order.h). Memory grows
// with the history. Not thread-safe.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "serval/levels/level.h"
#include "serval/screen/list_screen.h"
#include "serval/screen/observed_versions.h"
#include "serval/screen/screen_order.h"
#include "serval/screen/screened_transaction.h"
#include "serval/screen/transaction_digest.h"

namespace serval {

class HistoryScreen {
 public:
  enum class State : std::uint8_t { Clear, Open, Suspicious, Lost };

  // The level whose dependencies a screen for `level` follows; none below read-committed.
  static std::optional<Level> followed_level(Level level);

  // Requires followed_level(level). `initial` is what keys hold before the first write, besides nil.
  HistoryScreen(Level level, Value initial);
  HistoryScreen(const HistoryScreen&) = delete;
  HistoryScreen& operator=(const HistoryScreen&) = delete;

  void add(ScreenedTransaction transaction);
  void settle(std::span<const OpenWrite> open);
  // Called if the caller knows that the history cannot be screened. Replaces Suspicious.
  void lose(std::string_view reason);

  State state() const noexcept;
  std::string_view reason() const noexcept { return reason_; }  // Of Suspicious and Lost.
  bool is_exact() const noexcept { return exact_; }

  std::uint64_t transactions() const noexcept { return transactions_; }  // Added so far.
  std::uint64_t waiting() const noexcept { return waiting_count_; }      // Reads that are not examined yet.
  // A lower bound for the number of transactions without such reads.
  std::uint64_t examined() const noexcept { return transactions_ - std::min(transactions_, waiting_count_); }
  std::uint64_t effort() const noexcept { return operations_ + order_.effort() + lists_.effort(); }
  std::size_t bytes() const noexcept;

 private:
  struct PendingRead {
    TransactionId reader;
    TransactionDigest::Read read;
  };
  using KeyValue = std::pair<KeyId, Value>;

  bool is_over() const noexcept { return !reason_.empty(); }
  void suspect(std::string_view reason);
  bool clock_contradicts(SessionId session, Interval interval);
  SessionId session(Value label);
  void add_keys();
  void index_writes(TransactionId t, TransactionDigest& digest);
  void release(KeyId key, Value value);
  void take_part(TransactionId t, TransactionDigest& digest);
  void write_blindly(KeyId key, TransactionId t);
  void wake(TransactionId writer);
  void work();
  void resolve(PendingRead pending);
  void resolve_list(PendingRead& pending);
  void resolve_register(PendingRead& pending);
  void observe(TransactionId reader, VersionId version, const TransactionDigest::Read& read);
  bool is_written(const KeyValue& value) const;
  void wait_for(Value value, PendingRead& pending);

  bool exact_, only_single_;
  State end_ = State::Clear;  // Suspicious or Lost, once reason_ is set.
  std::string_view reason_;
  TransactionDigester digester_;
  ScreenOrder order_;
  ObservedVersions versions_{order_};
  ListScreen lists_{order_, versions_};

  absl::flat_hash_map<Value, SessionId> sessions_;
  std::vector<Time> latest_begin_;                    // By session, if real time counts.
  std::vector<VersionId> initial_versions_;           // By key.
  std::vector<bool> blind_;                           // By key: its first version was written without a read.
  absl::flat_hash_map<KeyValue, VersionId> written_;  // Last writes of registers.
  std::vector<bool> takes_part_;                      // By transaction.
  absl::flat_hash_map<TransactionId, TransactionDigest> idle_;       // Those that do not participate yet.
  absl::flat_hash_map<KeyValue, std::vector<PendingRead>> waiting_;  // By the missing value.
  std::vector<std::pair<TransactionId, TransactionDigest>> woken_;
  std::vector<PendingRead> retries_;
  std::uint64_t transactions_ = 0, operations_ = 0, waiting_count_ = 0;
};

}  // namespace serval
