#pragma once
// Looks through a history that grows, transaction by transaction, for signs that it violates a level. It
// never judges: where it is suspicious, check() does. So it needs no evidence, and each transaction costs the
// same however many came before it.
//
//   HistoryScreen screen(Level::Serializable, Value::integer(0));
//   screen.add(transaction);                    // In session order.
//   screen.settle(open_writes);                 // Every value read so far was written so far, or is here.
//   if (screen.state() == HistoryScreen::State::Suspicious) ...
//
// For every transaction that takes part (committed, or read from by one that does: decision 003) it finds the
// versions that it read and overwrote, and keeps the dependencies in an order that grows. Signs are a cycle,
// two updates of one version, and reads that no order explains. The graph has the shape of the level, or of
// the weakest level above it that has one; then is_exact() is false.
//
//   Clear        settle() found no sign, and check() would find no violation either.
//   Open         No sign, but the order that was assumed for appends that nobody saw does not work; another
//                one might. Only at snapshot levels.
//   Suspicious   If is_exact(), check() finds a violation.
//   Lost         Something that cannot be screened: reason() says what. Values written twice; a second write
//                to a key without a read before it; deletes; values that were not recorded; ranges; clocks
//                that contradict themselves, where real time counts.
//
// Reads of values that a running transaction wrote are examined when it has ended: see waiting(). Nothing is
// added in the last two states.
//
// O(operations + elements shown) expected, plus what the order costs (screen_order.h); memory grows with the
// history. One thread.

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
  // For what the caller knows to be beyond a screen; also where it is suspicious.
  void lose(std::string_view reason);

  State state() const noexcept;
  std::string_view reason() const noexcept { return reason_; }  // Of Suspicious and Lost.
  bool is_exact() const noexcept { return exact_; }

  std::uint64_t transactions() const noexcept { return transactions_; }  // Added so far.
  std::uint64_t waiting() const noexcept { return waiting_count_; }      // Reads that are not examined yet.
  // At least so many transactions have none of these.
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
  std::vector<Time> latest_begin_;                    // By session, where real time counts.
  std::vector<VersionId> initial_versions_;           // By key.
  std::vector<bool> blind_;                           // By key: its first version was written without a read.
  absl::flat_hash_map<KeyValue, VersionId> written_;  // Last writes of registers.
  std::vector<bool> takes_part_;                      // By transaction.
  absl::flat_hash_map<TransactionId, TransactionDigest> idle_;       // Those that do not yet.
  absl::flat_hash_map<KeyValue, std::vector<PendingRead>> waiting_;  // By what is missing.
  std::vector<std::pair<TransactionId, TransactionDigest>> woken_;
  std::vector<PendingRead> retries_;
  std::uint64_t transactions_ = 0, operations_ = 0, waiting_count_ = 0;
};

}  // namespace serval
