#pragma once
// Logs the requests and responses of one session as lines of the native format (docs/formats/jsonl.md).
// One thread writes, and a Recorder collects. They share a lock only while handing lines over, so that no
// session waits for a disk.
//
//   log.begin(now());
//   log.invoke(request, now());              // From here on others may see what it writes.
//   log.complete(request, answer, now());
//   log.end(Outcome::Committed, now(), {});

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serval/history/operation.h"
#include "serval/history/transaction.h"
#include "serval/recording/table_text.h"
#include "serval/workload/request.h"
#include "serval/workload/schema.h"

namespace serval {

// Maps a transaction of a recording to one of the server, so that it can be found in the log of the
// database. Kept only if a certificate is requested.
//
//   {.session = 3, .transaction = 42, .server_transaction = "991"}
struct LedgerEntry {
  std::int64_t session = 0, transaction = 0;  // Labels, as in the recording.
  Outcome outcome = Outcome::Committed;
  std::string server_transaction;  // The server's id, if known.
  // For an indeterminate transaction: the tags that it requested to write, and whether a completed
  // request must appear in the log if it took effect.
  std::vector<std::int64_t> tags;
  bool surely_wrote = false;
};

class SessionLog {
 public:
  // `label` is that of the session. Transactions take their labels from `last_transaction`, which
  // sessions share. `text` formats keys and rows, and must outlive the log.
  enum class Ledger : std::uint8_t { None, Kept };
  SessionLog(std::int64_t label, const TableText& text, std::atomic<std::int64_t>& last_transaction,
             Ledger ledger = Ledger::None)
      : label_(label),
        text_(text),
        last_transaction_(last_transaction),
        keeps_ledger_(ledger == Ledger::Kept) {}

  // Call before the first request. If the recorder has promised that nothing begins before a later time
  // than `at`, the transaction begins at that time.
  void begin(Time at);
  void invoke(const Request& request, Time at);
  void complete(const Request& request, const Answer& answer, Time at);
  void lose(const Request& request);  // The response never came.
  // `seen`: the timestamp for responses that saw the end of their transaction.
  void end(Outcome outcome, Time at, const TransactionHints& hints,
           std::optional<std::int64_t> seen = std::nullopt);

  std::int64_t label() const noexcept { return label_; }

  // For the recorder: takes the whole lines since the last call. Returns the begin of the open
  // transaction, or `now` without one: then no transaction of this session will begin before it.
  Time take_lines(std::string& into, Time now);
  // "open" lines for writes that are not in any line taken: those of the open transaction, and of
  // transactions that ended since take_lines.
  void peek_writes(std::string& into);
  // Call when the session has ended.
  const std::vector<LedgerEntry>& ledger() const noexcept { return ledger_; }

 private:
  void put_options(const Request& request, Time end);  // Leaves them open.
  void put_values(std::string& to, const Request& request, const Answer& answer) const;
  void add_range(const Request& request, const Answer& answer, Time end);
  void put_answered(const Request& request, const Answer& answer);
  void put_sight(const Answer& answer);
  void put_late_sights(std::optional<std::int64_t> seen);
  void note(Outcome outcome, const TransactionHints& hints);  // Into the ledger.
  // What it certainly writes, or nothing, as a write of the given kind.
  void put_written(std::string& to, const Request& request, OperationKind kind) const;

  std::int64_t label_;
  const TableText& text_;
  std::atomic<std::int64_t>& last_transaction_;
  std::int64_t transaction_ = 0;
  Time begin_ = 0;
  Time asked_ = 0;
  std::string operations_;           // Of the open transaction, comma-separated.
  std::vector<std::size_t> sights_;  // Positions in it for what is seen at the end.
  std::string line_;                 // A member to reuse its memory.

  bool keeps_ledger_;
  std::vector<std::int64_t> tags_;  // Of the open transaction.
  bool surely_wrote_ = false;
  std::vector<LedgerEntry> ledger_;

  std::mutex handing_over_;
  bool open_ = false;              // From begin() to end().
  Time promised_ = kUnknownBegin;  // No transaction begins before it.
  std::string lines_;              // Whole transactions.
  std::string ended_writes_;       // "open" lines of those of them that wrote.
  std::string open_writes_;        // Writes requested by the open transaction, comma-separated.
};

}  // namespace serval
